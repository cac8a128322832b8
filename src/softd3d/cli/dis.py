"""`softd3d dis`: the listing of a shader."""

from __future__ import annotations

import click

from softd3d.cli.files import Failures, read_input, write_output

__all__ = ["command"]


@click.command("dis")
@click.argument("file")
@click.option("-o", "--output", metavar="FILE", help="Write here, not to standard output.")
def command(file: str, output: str | None) -> None:
    """Print the listing of a shader, as Microsoft's disassembler has it."""
    from softd3d.device.shader import load  # noqa: PLC0415 - only when it is needed

    failures = Failures()
    with failures.guard(file):
        write_output(output, str(load(read_input(file))))
    failures.finish()
