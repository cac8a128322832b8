"""Draw cases of Direct3D 9: carried out, and compared."""
