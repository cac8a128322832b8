"""Finding shaders in files and archives."""
