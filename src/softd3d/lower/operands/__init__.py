"""What operands of each instruction set are, and how they are read and written."""
