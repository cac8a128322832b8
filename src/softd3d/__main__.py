"""`python -m softd3d`: the command line."""

from __future__ import annotations

from softd3d.cli import main

main(prog_name="softd3d")
