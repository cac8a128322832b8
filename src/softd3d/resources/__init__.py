"""What shaders read and write: buffers, textures, views, constant buffers, execution cases."""
