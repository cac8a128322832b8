"""The stages between vertices and pixels: their shaders, the tessellator, rows of vertices."""
