"""Compiled shaders, libraries and effects as objects: what `softd3d.load` returns."""
