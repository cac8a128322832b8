"""Text of shader models 4.0 to 5.1: printer and assembler."""
