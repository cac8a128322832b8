"""What can be said about an input at a glance."""
