"""Surfaces of Direct3D 9, and how they are copied, stretched and locked."""
