"""Filtered reads of textures by Direct3D 9's rules."""
