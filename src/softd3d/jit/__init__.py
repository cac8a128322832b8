"""The SIMD JIT: recorded programs become LLVM code, one shader invocation per lane."""
