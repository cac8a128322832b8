"""Shader models 1 to 3 (Direct3D 9): rows, tokens, decoder and encoder."""
