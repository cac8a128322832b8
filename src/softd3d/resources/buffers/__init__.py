"""Buffers, constant buffers and the dtypes of structures."""
