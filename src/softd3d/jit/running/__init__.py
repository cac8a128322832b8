"""Runs of compiled kernels: threads, their memory, messages."""
