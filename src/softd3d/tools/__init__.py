"""What looks at shaders without running them."""
