"""Filtered reads of textures, over the algebra: sampler state, addresses, levels, filters."""
