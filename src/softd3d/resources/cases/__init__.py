"""Execution cases: shaders, inputs and expected outputs as data."""
