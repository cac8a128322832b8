"""Registers and constants of programs of Direct3D 9."""
