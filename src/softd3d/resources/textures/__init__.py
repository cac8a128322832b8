"""Textures, their views and subresources, depth-stencil surfaces."""
