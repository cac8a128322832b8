"""What a program of yours holds: shaders, bindings and dispatches."""
