"""Effects of Direct3D 9 at work: parameters, expressions, and passes applied to a device."""
