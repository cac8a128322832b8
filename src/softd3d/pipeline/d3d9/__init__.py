"""Direct3D 9 programs as stages of draws: vertex elements, linkage by usage, points, states."""
