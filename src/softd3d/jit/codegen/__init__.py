"""LLVM text of recorded programs: values, effects, flow, and the module around them."""
