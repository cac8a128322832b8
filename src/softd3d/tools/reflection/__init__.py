"""Reflection as JSON data."""
