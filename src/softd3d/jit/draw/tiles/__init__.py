"""The kernel of tiles: from pieces by way of a queue of fragments to the targets."""
