"""`softd3d dis`: listings of shaders."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import click

from softd3d.classes import dataclass
from softd3d.cli.files import (
    UNUSABLE,
    Failures,
    check_folder,
    check_not_input,
    check_output,
    is_folder,
    read_shader,
    write_output,
)
from softd3d.cli.many import InputFile, convert_many, files_below, for_each, jobs_option
from softd3d.isa.asm.options import Dialect, ListingOptions, Literals

__all__ = ["command"]

_IDENTIFYING = 8  # bytes
_SMALL = 1 << 18  # bytes that take no longer than starting processes
# What D3DX9 prints is what d3dcompiler_47 does, with the initial values of constants.
_D3DX9 = "d3dx9"
_DIALECTS = {
    "10.1": Dialect.D3D10_1,
    "9.30": Dialect.D3D9_30,
    "9.29": Dialect.D3D9_29,
    _D3DX9: Dialect.D3D10_1,
}


@click.command("dis")
@click.argument("paths", nargs=-1, required=True, metavar="PATH...")
@click.option(
    "-o", "--output", metavar="PATH",
    help="Write here, not to standard output; a folder for several files or folders.",
)  # fmt: skip
@click.option("--exact", is_flag=True, help="A lossless listing that `as` can turn back.")
@click.option("--json", "as_json", is_flag=True, help="Instructions as JSON, one object per file.")
@click.option("--numbers", is_flag=True, help="A number before each instruction.")
@click.option("--offsets", is_flag=True, help="The byte offset before each instruction.")
@click.option("--hex", "hex_literals", is_flag=True, help="All literals in hexadecimal.")
@click.option("--no-debug", is_flag=True, help="No source lines and variable names.")
@click.option("--code-only", is_flag=True, help="No header.")
@click.option(
    "--dialect", type=click.Choice(list(_DIALECTS)), default="10.1", show_default=True,
    help="Whose words: d3dcompiler_47's, 46's, those of 43 and before, or D3DX9's.",
)  # fmt: skip
@click.option("--default-values", is_flag=True, help="Initial values of Direct3D 9 constants.")
@click.option("--strict", is_flag=True, help="Reject a container with a wrong checksum.")
@jobs_option
def command(
    paths: tuple[str, ...], output: str | None, jobs: int, *, exact: bool, as_json: bool,
    numbers: bool, offsets: bool, hex_literals: bool, no_debug: bool, code_only: bool,
    dialect: str, default_values: bool, strict: bool,
) -> None:  # fmt: skip
    """Print the listing of a shader, as Microsoft's disassembler prints it.

    That listing rounds floats to six decimals, so `as` may give other bits back. --exact keeps
    everything; --hex keeps all bits of the literals.

    Several files, or folders, are listed on all cores, each to a file in the folder given with -o.
    Files in folders that are not shaders are skipped. With --json they may also go to standard
    output, as one JSON list; docs/reading-programs.md describes it.
    """
    options = ListingOptions(
        _DIALECTS[dialect],
        Literals.HEX if hex_literals else Literals.PLAIN,
        numbers=numbers,
        offsets=offsets,
        debug=not no_debug,
        code_only=code_only,
        default_values=default_values or dialect == _D3DX9,
    )
    if exact and options != ListingOptions():
        raise click.UsageError("--exact has a form of its own: it goes with no other option.")
    if as_json and (exact or options != ListingOptions()):
        raise click.UsageError("--json goes with -o and --strict only.")
    job = _Job(None if exact else options, strict=strict, as_json=as_json)
    failures = Failures()
    _list(paths, output, job, failures, jobs)
    failures.finish()


def _list(
    paths: tuple[str, ...], output: str | None, job: _Job, failures: Failures, jobs: int
) -> None:
    if "-" in paths and len(paths) > 1:
        raise click.UsageError("Standard input, -, is listed alone, without other files.")
    if len(paths) == 1 and not is_folder(paths[0]):
        _list_one(paths[0], output, job, failures)
    elif job.as_json and output is None:
        _print_list(paths, job, failures, jobs)
    elif output is None:
        raise click.UsageError("Several files or folders need -o FOLDER.")
    else:
        with failures.guard(output):
            check_folder(output)
        failures.finish()
        convert_many(paths, job.converted, output, failures, jobs)


def _list_one(path: str, output: str | None, job: _Job, failures: Failures) -> None:
    with failures.guard(output or path):
        check_output(output)
        check_not_input(output, path)
    failures.finish()
    with failures.guard(path):
        write_output(output, job.written(path, failures))


@dataclass(frozen=True, slots=True)
class _Job:
    """What is wanted of each file. options: None for exact listings."""

    options: ListingOptions | None
    strict: bool
    as_json: bool

    def written(self, name: str, failures: Failures) -> str:
        """Return all that is to be written of a file."""
        data = read_shader(name, failures, strict=self.strict)
        return f"[{self.json(name, data)}]\n" if self.as_json else self.listed(data)

    def json(self, name: str, data: bytes) -> str:
        """Return a file's programs as a JSON object."""
        from softd3d.tools.text.document import (  # noqa: PLC0415 - lazy
            document_text,
            program_document,
        )

        return document_text({"file": name, **program_document(data)})

    def listed(self, data: bytes) -> str:
        from softd3d.tools.text.disassembler import disassemble, disassemble_exact  # noqa: PLC0415 - lazy

        return disassemble_exact(data) if self.options is None else disassemble(data, self.options)

    def converted(self, name: str, failures: Failures) -> tuple[str, str] | None:
        """Return name and contents of the listing of a file, None if it is no shader."""
        if not _is_shader(name):
            return None
        ending = "json" if self.as_json else "asm"
        return f"{Path(name).name}.{ending}", self.written(name, failures)


def _is_shader(name: str) -> bool:
    """Tell whether a file starts like something that can be listed."""
    from softd3d.shaders.identify import Kind, identify  # noqa: PLC0415 - when it is needed

    with Path(name).open("rb") as file:
        return identify(file.read(_IDENTIFYING)).kind not in (Kind.UNKNOWN, Kind.DDS)


def _print_list(paths: tuple[str, ...], job: _Job, failures: Failures, jobs: int) -> None:
    """Print a JSON list of the shaders among and below some paths, each as it is done."""
    problems: list[tuple[str, str]] = []
    files = list(files_below(paths, problems))
    for name, problem in problems:
        failures.report(name, problem, UNUSABLE)
    before = "["
    work = partial(_listed, job=job)
    for _, (text, reports) in for_each(files, work, failures, _SMALL, jobs):
        for report in reports:
            failures.report(*report)
        if text is not None:
            click.echo(before + text, nl=False)
            before = ",\n"
    click.echo("]" if before != "[" else "[]")


def _listed(file: InputFile, job: _Job) -> tuple[str | None, list[tuple[str, str, int]]]:
    """Return the JSON object of a file, None if it has none, and what is to be reported."""
    failures = Failures.collected()
    name = str(file.path)
    text: str | None = None
    with failures.guard(name):
        if _is_shader(name):
            text = job.json(name, read_shader(name, failures, strict=job.strict))
    return text, failures.reports or []
