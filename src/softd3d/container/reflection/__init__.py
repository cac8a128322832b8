"""Chunks that describe a shader: resources, signatures, statistics, interfaces, root signatures."""
