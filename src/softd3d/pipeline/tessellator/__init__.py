"""The fixed-function tessellator: factors in, points of the domain and primitives out.

The rules of a factor, of an axis and of a point are functions over the algebra (`factors`, `axis`,
`coordinates`). Which points a patch has and how they are connected depends on numbers of points
only, and is bookkeeping on arrays (`counting`, `points`, `stitching`, `connectivity`), for one
patch of each kind (`kinds`). `patches` does many patches at once. Positions are U32 with 16
fraction bits.
"""
