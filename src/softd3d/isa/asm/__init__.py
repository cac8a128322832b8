"""Text of programs: printer and parser."""
