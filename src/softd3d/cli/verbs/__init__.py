"""The verbs of the command line, a module each; what one verb alone needs stands beside it."""
