"""Listings back to containers."""
