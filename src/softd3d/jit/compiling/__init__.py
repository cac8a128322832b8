"""From LLVM text to machine code, for this machine or another, here or in a process of its own."""
