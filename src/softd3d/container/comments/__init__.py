"""What comments of token streams hold: constant tables, preshaders, debug information."""
