"""The rules of containers around a program."""
