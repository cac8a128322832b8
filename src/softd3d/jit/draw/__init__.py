"""Draws as native code: kernels recorded from the pipeline's rules together with the shaders.

Vertices and primitives are batches of lanes; tiles of the targets are thread groups of one wave.
Memory is bounded whatever the draw's size: a batch has records and vertices of 40 MiB, or 16384
primitives with up to 128 dwords for each vertex, or 65536 where there are other stages; tables of
vertices have 32 MiB if their numbers lie far apart, and tiles at most 2^18 entries in their lists
at a time. What a draw needs is kept for the next one, if it is not more than 56 MiB.
"""
