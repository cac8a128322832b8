"""Effect files of all versions."""
