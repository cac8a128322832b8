"""`softd3d as`: a text to a container or a token stream."""

from __future__ import annotations

from typing import TYPE_CHECKING, NoReturn

import click

from softd3d.cli.files import UNUSABLE, Failures, read_input, write_output

if TYPE_CHECKING:
    from softd3d.isa.asm.diagnostic import ListingError

__all__ = ["command"]


@click.command("as")
@click.argument("file")
@click.option("-o", "--output", metavar="FILE", required=True, help="Where to write; - is stdout.")
@click.option("--like", metavar="FILE", help="Take signatures and other chunks from a container.")
@click.option("--tokens", is_flag=True, help="Write the bare token stream, without a container.")
def command(file: str, output: str, like: str | None, tokens: bool) -> None:  # noqa: FBT001
    """Assemble a listing: to a container, or for shader model 1 to 3 to a token stream.

    FILE is a listing as `dis` or Microsoft's disassembler prints it, or an exact listing. Without
    a template, signatures come from the tables in the listing's comments.
    """
    from softd3d.device.assembler import assemble, assemble_tokens  # noqa: PLC0415 - when needed
    from softd3d.isa.asm.diagnostic import ListingError  # noqa: PLC0415 - likewise

    if tokens and like is not None:
        raise click.UsageError("--tokens and --like exclude each other.")
    failures = Failures()
    template: bytes | None = None
    if like is not None:
        with failures.guard(like):
            template = read_input(like)
    failures.finish()
    with failures.guard(file):
        text = _decoded(read_input(file))
        try:
            data = assemble_tokens(text) if tokens else assemble(text, template)
        except ListingError as error:
            _report(file, error)
        write_output(output, data)
    failures.finish()


def _decoded(data: bytes) -> str:
    """Return a text in UTF-8, or in Latin-1, in which Microsoft's tools write names."""
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        return data.decode("latin-1")


def _report(file: str, error: ListingError) -> NoReturn:
    """Print every mistake with its line and leave the program."""
    for found in error.diagnostics:
        click.echo(f"{file}:{found.line}:{found.column}: error: {found}", err=True)
    raise SystemExit(UNUSABLE)
