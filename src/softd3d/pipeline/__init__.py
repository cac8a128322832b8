"""The draw pipeline of Direct3D 10 and later: state objects and rules, over the algebra."""
