"""Validation of binaries and of listings."""
