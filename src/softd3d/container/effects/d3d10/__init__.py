"""Effects of Direct3D 10 and 11 (fx_4_0 to fx_5_0): reading, and their listing."""
