"""Instruction sets: what the tokens of a shader program mean, one row per opcode."""
