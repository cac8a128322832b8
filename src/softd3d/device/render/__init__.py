"""Pictures of any pixel shader: meshes, vertex shaders that feed it, defaults for what it reads."""
