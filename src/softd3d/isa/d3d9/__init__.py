"""Direct3D 9 around the shaders: its enumerations, and the states of a new device."""
