"""Listings, assembly, and programs as JSON data."""
