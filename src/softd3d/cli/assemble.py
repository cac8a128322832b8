"""`softd3d as`: a text to a container or a token stream."""

from __future__ import annotations

from typing import TYPE_CHECKING, NoReturn

import click

from softd3d.cli.files import UNUSABLE, Failures, read_input, write_output
from softd3d.source import decode_text

if TYPE_CHECKING:
    from softd3d.errors import AssemblyError

__all__ = ["command"]


@click.command("as")
@click.argument("file")
@click.option("-o", "--output", metavar="FILE", required=True, help="Where to write; - is stdout.")
@click.option("--like", metavar="FILE", help="Take signatures and other chunks from a container.")
@click.option("--refresh", is_flag=True, help="Compute STAT and SFI0 anew, after edits.")
@click.option("--tokens", is_flag=True, help="Write the bare token stream, without a container.")
def command(file: str, output: str, like: str | None, *, refresh: bool, tokens: bool) -> None:
    """Assemble a listing: to a container, or for shader model 1 to 3 to a token stream.

    FILE is a listing as `dis` or Microsoft's disassembler prints it, or an exact listing. Without
    a template, signatures come from the tables in the listing's comments.
    """
    for flag, is_given in (("--like", like is not None), ("--refresh", refresh)):
        if tokens and is_given:
            raise click.UsageError(f"--tokens and {flag} exclude each other.")
    if like == file == "-":
        raise click.UsageError("FILE and the template cannot both be standard input.")
    failures = Failures()
    template: bytes | None = None
    if like is not None:
        with failures.guard(like):
            template = read_input(like)
    failures.finish()
    with failures.guard(file):
        text = decode_text(read_input(file))
    failures.finish()
    # What is wrong with the text is reported as such, the rest is wrong with a container.
    with failures.guard(file if like is None else like):
        data = _assembled(text, file, template, refresh=refresh, tokens=tokens)
        write_output(output, data)
    failures.finish()


def _assembled(
    text: str, file: str, template: bytes | None, *, refresh: bool, tokens: bool
) -> bytes:
    """Return the result; with mistakes in the text, leave the program.

    Raises:
        ShaderError: the template is wrong, or the container that the text describes.
    """
    from softd3d.device.assembler import assemble, assemble_tokens  # noqa: PLC0415 - when needed
    from softd3d.errors import AssemblyError  # noqa: PLC0415 - likewise

    try:
        return assemble_tokens(text) if tokens else assemble(text, template, refresh=refresh)
    except AssemblyError as error:
        _refuse(file, error)


def _refuse(file: str, error: AssemblyError) -> NoReturn:
    """Print every mistake with its line, or what else is wrong with the text, and leave."""
    from softd3d.isa.asm.diagnostic import ListingError  # noqa: PLC0415 - when needed

    if not isinstance(error, ListingError):
        click.echo(f"softd3d: {file}: {error}", err=True)
        raise SystemExit(UNUSABLE)
    for found in error.diagnostics:
        click.echo(f"{file}:{found.line}:{found.column}: error: {found}", err=True)
    raise SystemExit(UNUSABLE)
