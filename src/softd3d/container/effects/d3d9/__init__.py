"""Effects of Direct3D 9 (fx_2_0): reading, writing, and their text."""
