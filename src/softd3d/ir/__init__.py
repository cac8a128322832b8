"""The recorded form of a program: typed nodes in structured control flow, and passes over it."""
