"""Primitives of a draw in parts, their vertices, and the pieces that are rasterised: NumPy tables.

What both engines need of it: the reference engine takes all primitives this way; native code those
few that must be clipped.
"""
