"""What the engines need to know of a bound resource."""
