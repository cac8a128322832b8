"""Draws on the reference interpreter: all primitives and fragments of a part at once, in order.

Memory is bounded whatever the draw's size: a part has at most 4096 primitives, and of their
fragments at most 8192 quads are there at a time. That is less than 256 MiB with 32 outputs, most of
it only where all primitives must be clipped, besides what a batch of lanes takes (256 MiB at most).
A set of the vertices of an indexed draw, 8 bytes each, is at most four times as large as the index
buffer; vertex shaders with effects also keep the outputs of an instance's vertices.
"""
