"""Whole listings, as D3DDisassemble writes them, and the exact text of containers."""
