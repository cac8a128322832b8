"""Block-compressed formats: BC1 to BC7."""
