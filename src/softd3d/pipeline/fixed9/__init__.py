"""Direct3D 9's fixed function: states become programs of shader models 2 and 3, and constants."""
