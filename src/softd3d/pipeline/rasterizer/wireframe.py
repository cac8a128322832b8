"""Wireframe: the edges of triangles as lines. Spec: D3D11.3 section 15.13.

Each edge of the *original* triangle is a line by the current algorithm (`line.line_algorithm`),
clipped as a line: edges that clipping a triangle would make are not drawn, and an edge that two
triangles share is drawn twice. What the triangle decides, it decides once, as if it were solid:
culling, facing (the front flag of its pixels), the depth bias of its vertices, and the leading
vertex for constant attributes (its vertex 0 for all three edges). A triangle without area faces the
back and is drawn unless that is culled; its slope for the depth bias counts as 0. Lines and points
ignore FillMode.
"""

from __future__ import annotations

__all__ = ["EDGES"]

EDGES = ((0, 1), (1, 2), (2, 0))
"""Start and end of each edge among a triangle's vertices: each is the start of one edge."""
