"""The device of Direct3D 9: its states and calls, and what they make of a draw."""
