"""Entry points of native code: the loops around the body of a wave, and what a wave is given."""
