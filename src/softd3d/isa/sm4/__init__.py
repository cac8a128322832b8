"""Shader models 4.0 to 5.1: tokens, decoder, rows."""
