"""Copies, conversions, resolves, mips and mapped subresources."""
