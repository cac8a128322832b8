"""Arrays of texels to components and back."""
