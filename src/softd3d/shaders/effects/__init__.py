"""Effects and libraries as objects."""
