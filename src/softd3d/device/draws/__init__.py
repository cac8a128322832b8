"""What `device/draw.py` makes of a caller's arguments: targets, vertices, bindings, checks."""
