"""DXBC containers: chunks and checksum, reflection (RDEF), signatures, statistics, features."""
