"""Text of shader models 1 to 3: printer and assembler."""
