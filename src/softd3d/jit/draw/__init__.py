"""Draws as native code: kernels recorded from the pipeline's rules together with the shaders.

Vertices and primitives are batches of lanes; tiles of the targets are thread groups of one wave.
"""
