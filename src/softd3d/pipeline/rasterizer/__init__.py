"""The rasteriser's rules as functions over the algebra: neither NumPy nor LLVM is used here.

Positions are whole numbers of 1/256 pixel, y down; I32 where they are coordinates, F64 where
products of them need up to 49 bits, which a double holds exactly. What is computed once for each
primitive stands apart from what is computed for each pixel or sample.
"""
