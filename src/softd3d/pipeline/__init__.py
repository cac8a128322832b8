"""The draw pipeline: rules of its fixed-function stages, and their order."""
