"""Compiled kernels on disk, and the keys that they are found by."""
