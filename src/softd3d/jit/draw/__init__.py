"""Draws as native code: kernels recorded from the pipeline's rules together with the shaders.

Vertices and primitives are batches of lanes; tiles of the targets are thread groups of one wave.
Memory is bounded whatever the draw's size: a chunk has at most 16384 primitives, with up to 128
dwords for each vertex and 30 for each primitive, and its tiles at most 2^18 entries in their lists
at a time.
"""
