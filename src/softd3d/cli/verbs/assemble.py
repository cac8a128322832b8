"""`softd3d as`: a text to a container or a token stream."""

from __future__ import annotations

from pathlib import PurePath
from typing import TYPE_CHECKING, NoReturn

import click

from softd3d.classes import dataclass
from softd3d.cli.files import (
    UNUSABLE,
    Failures,
    check_folder,
    check_not_input,
    check_output,
    is_folder,
    read_input,
    write_output,
)
from softd3d.cli.many import convert_many, jobs_option
from softd3d.cli.printing import say
from softd3d.source import decode_text

if TYPE_CHECKING:
    from softd3d.errors import AssemblyError

__all__ = ["command"]

_LISTING = ".asm"
_MOST_WARNINGS = 20


@click.command("as")
@click.argument("paths", nargs=-1, required=True, metavar="PATH...")
@click.option(
    "-o", "--output", metavar="PATH", required=True,
    help="Where to write; - is stdout; for several files or folders: a folder.",
)  # fmt: skip
@click.option("--like", metavar="FILE", help="Take signatures and other chunks from a container.")
@click.option("--refresh", is_flag=True, help="Recompute STAT and SFI0, after edits.")
@click.option("--tokens", is_flag=True, help="Write the bare token stream, without a container.")
@jobs_option
def command(
    paths: tuple[str, ...], output: str, like: str | None, jobs: int, *, refresh: bool, tokens: bool
) -> None:
    """Assemble a listing: to a container, or for shader model 1 to 3 to a token stream.

    PATH is a listing as `dis` or Microsoft's disassembler prints it, or an exact listing. Without
    a template, signatures come from the tables in the listing's comments. Several files, or
    folders, are assembled on all cores; files in folders that are no listings are left out, and
    what is named x.dxbc.asm becomes x.dxbc.
    """
    if tokens and (like is not None or refresh):
        flag = "--refresh" if like is None else "--like"
        raise click.UsageError(f"--tokens and {flag} exclude each other.")
    file = paths[0]
    is_one = len(paths) == 1 and not is_folder(file)
    if "-" in paths and not is_one:
        raise click.UsageError("Standard input, -, is assembled alone, without other files.")
    if like == file == "-":
        raise click.UsageError("The listing and the template cannot both be standard input.")
    failures = Failures()
    with failures.guard(output):
        if is_one:
            check_output(output)
            check_not_input(output, file)
        else:
            check_folder(output)
    failures.finish()
    template: bytes | None = None
    if like is not None:
        with failures.guard(like):
            template = read_input(like)
    failures.finish()
    job = _Job(template, refresh=refresh, tokens=tokens)
    if is_one:
        _assemble_one(file, like, output, job, failures)
    else:
        convert_many(paths, job.converted, output, failures, jobs)
    failures.finish()


def _assemble_one(file: str, like: str | None, output: str, job: _Job, failures: Failures) -> None:
    from softd3d.tools.text.assembler import listing_text  # noqa: PLC0415 - when needed

    with failures.guard(file):
        text = listing_text(read_input(file))
    failures.finish()
    # What is wrong with the text is reported as such, the rest is wrong with a container.
    with failures.guard(file if like is None else like):
        data = job.assembled(text, file)
        write_output(output, data)
        _warn_of_rounding(text, file, failures)


@dataclass(frozen=True, slots=True)
class _Job:
    """What is wanted of each file."""

    template: bytes | None
    refresh: bool
    tokens: bool

    def converted(self, name: str, failures: Failures) -> tuple[str, bytes] | None:
        """Return name and contents of what a listing is assembled to, None if it is no listing."""
        from softd3d.container.dxbc.container import is_container  # noqa: PLC0415 - when it is needed
        from softd3d.errors import AssemblyError  # noqa: PLC0415
        from softd3d.shaders.texts import is_listing  # noqa: PLC0415

        text = decode_text(read_input(name))
        if "\0" in text.rstrip("\0") or not is_listing(text):
            return None
        try:
            data = self.data(text)
        except AssemblyError as error:
            for found in getattr(error, "diagnostics", ()):
                failures.report(f"{name}:{found.line}:{found.column}", f"error: {found}", UNUSABLE)
            if not failures.reports:
                failures.report(name, str(error), UNUSABLE)
            return None
        _warn_of_rounding(text, name, failures)
        path = PurePath(name)
        stem = path.stem if path.suffix == _LISTING else path.name
        if stem == path.name or not PurePath(stem).suffix:
            stem += ".dxbc" if is_container(data) else ".bin"
        return stem, data

    def assembled(self, text: str, file: str) -> bytes:
        """Return the result; with mistakes in the text, leave the program.

        Raises:
            ShaderError: the template is wrong, or the container that the text describes.
        """
        from softd3d.errors import AssemblyError  # noqa: PLC0415 - when needed

        try:
            return self.data(text)
        except AssemblyError as error:
            _refuse(file, error)

    def data(self, text: str) -> bytes:
        """Return what a text is assembled to."""
        from softd3d.tools.text.assembler import assemble, assemble_tokens  # noqa: PLC0415

        if self.tokens:
            return assemble_tokens(text)
        return assemble(text, self.template, refresh=self.refresh)


def _warn_of_rounding(text: str, name: str, failures: Failures) -> None:
    """Name the literals of a default listing that have probably lost bits."""
    from softd3d.tools.text.assembler import rounded_literals  # noqa: PLC0415 - when needed

    found = rounded_literals(text)
    for one in found[:_MOST_WARNINGS]:
        place = f"{name}:{one.location.line}:{one.location.column}"
        failures.report(place, f"warning: {one.message}", failures.status)
    if found:
        count = f"{len(found)} literals" if len(found) > 1 else "1 literal"
        message = f"warning: {count} may have lost bits; `dis --exact` keeps them"
        failures.report(name, message, failures.status)


def _refuse(file: str, error: AssemblyError) -> NoReturn:
    """Print every mistake with its line, or what else is wrong with the text, and leave."""
    from softd3d.isa.asm.diagnostic import ListingError  # noqa: PLC0415 - when needed

    if not isinstance(error, ListingError):
        say(f"softd3d: {file}: {error}", err=True)
        raise SystemExit(UNUSABLE)
    for found in error.diagnostics:
        say(f"{file}:{found.line}:{found.column}: error: {found}", err=True)
    raise SystemExit(UNUSABLE)
