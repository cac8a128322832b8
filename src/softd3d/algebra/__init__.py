"""The algebra: typed lane values, some fifty primitives, and what is written over them.

What evaluating means is chosen by an algebra object: NumPy, recording (the IR), LLVM, text.
"""
