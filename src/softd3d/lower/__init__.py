"""From decoded programs to values: declarations, operand reading, lowering to the IR."""
