"""`softd3d dxbc`: look into containers chunk by chunk, and edit them.

Verbs that write a file may write the one they read: it appears at once and complete.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from softd3d.cli.files import (
    FAILED,
    WRONG_CHECKSUM,
    Failures,
    check_extraction,
    check_not_input,
    check_output,
    read_input,
    read_shader,
    write_output,
)
from softd3d.cli.printing import printable, say
from softd3d.container.dxbc.container import (
    Container,
    build,
    is_container,
    parse,
    stored_checksum_kind,
)
from softd3d.container.dxbc.edit import (
    ChunkReference,
    add_chunk,
    chunk_index,
    parse_reference,
    remove_chunks,
    replace_chunk,
    sign,
)
from softd3d.container.dxbc.parts import SETTABLE_PARTS, BlobPart, get_part, set_part
from softd3d.container.dxbc.strip import StripFlags, strip
from softd3d.errors import ContainerError

__all__ = ["command"]

_STRIP_OPTIONS = {
    "reflection": StripFlags.REFLECTION_DATA,
    "debug": StripFlags.DEBUG_INFO,
    "test": StripFlags.TEST_BLOBS,
    "private": StripFlags.PRIVATE_DATA,
    "rootsig": StripFlags.ROOT_SIGNATURE,
}

_ALIGNMENT = 4  # bytes, of chunks that Direct3D reads in place

_Command = Callable[..., None]
_file = click.argument("file")
_data = click.argument("data")
_strict = click.option("--strict", is_flag=True, help="Refuse containers with a wrong checksum.")
_out = click.option(
    "-o", "--output", required=True, metavar="OUT", help="Where the result goes; may be FILE."
)
_optional_out = click.option(
    "-o", "--output", metavar="OUT", help="Write here, not to standard output."
)


@click.group("dxbc")
def command() -> None:
    """Show and edit the chunks of DXBC containers.

    A chunk is named by its FourCC; where there are several, FOURCC:N says which, from 0 on. All
    that is written is signed. A wrong checksum in what is read is a warning, or an error with
    --strict. Exit status: 0 fine, 1 a wrong checksum with sign --check, 2 wrong usage or input.
    """


@command.command("list", short_help="List chunks: number, FourCC, offset and size in bytes.")
@click.argument("files", nargs=-1, required=True, metavar="FILE...")
@click.option("--json", "as_json", is_flag=True, help="Print a JSON list, one object per file.")
@_strict
def list_(files: tuple[str, ...], *, as_json: bool, strict: bool) -> None:
    """List the chunks of containers: number, FourCC, offset and size in bytes."""
    failures = Failures()
    listed: list[dict[str, Any]] = []
    for file in files:
        with failures.guard(file):
            data = _container(file, failures, strict=strict)
            container = parse(data)
            if as_json:
                listed.append(_as_dict(file, container, data))
            else:
                _print(file, container)
    if as_json:
        say(json.dumps(listed, indent=2))
    failures.finish()


@command.command()
@_file
@click.argument("chunk", required=False, metavar="FOURCC[:N]")
@_optional_out
@click.option("--all", "folder", metavar="DIR", help="Write all chunks to files in this folder.")
@_strict
def extract(
    file: str, chunk: str | None, output: str | None, folder: str | None, *, strict: bool
) -> None:
    """Write the data of a chunk, or of all: NUMBER-FOURCC.bin in DIR."""
    if (chunk is None) == (folder is None) or (folder is not None and output is not None):
        raise click.UsageError("wanted either FOURCC[:N] or --all DIR")
    reference = None if chunk is None else _reference(chunk)
    failures = Failures()
    check_extraction(file, output, folder, failures)
    with failures.guard(file):
        container = parse(_container(file, failures, strict=strict))
        if reference is not None:
            index = chunk_index(container, reference)
            write_output(output, container.chunks[index].data)
        elif folder is not None:
            _extract_all(container, Path(folder))
    failures.finish()


@command.command()
@_file
@click.argument("chunk", metavar="FOURCC[:N]")
@_data
@_out
@_strict
def replace(file: str, chunk: str, data: str, output: str, *, strict: bool) -> None:
    """Put the contents of the file DATA into a chunk."""
    reference = _reference(chunk)
    payload = _chunk_data(data, file)
    _edit(file, output, lambda old: replace_chunk(old, reference, payload), strict=strict)


@command.command(short_help="Add a chunk with the contents of the file DATA.")
@_file
@click.argument("fourcc")
@_data
@click.option("--before", metavar="FOURCC[:N]", help="Insert it before this chunk.")
@click.option("--at", type=click.IntRange(0), metavar="N", help="Insert it as chunk number N.")
@_out
@_strict
def add(
    file: str, fourcc: str, data: str, before: str | None, at: int | None, output: str,
    *, strict: bool,
) -> None:  # fmt: skip
    """Add a chunk with the contents of the file DATA, behind all others unless told otherwise."""
    if before is not None and at is not None:
        raise click.UsageError("wanted --before or --at, not both")
    reference = None if before is None else _reference(before)
    payload = _chunk_data(data, file)

    def edited(old: bytes) -> bytes:
        index = at if reference is None else chunk_index(parse(old), reference)
        return add_chunk(old, fourcc, payload, index)

    _edit(file, output, edited, strict=strict)


@command.command()
@_file
@click.argument("chunks", nargs=-1, required=True, metavar="FOURCC[:N]...")
@_out
@_strict
def remove(file: str, chunks: tuple[str, ...], output: str, *, strict: bool) -> None:
    """Remove chunks; a FOURCC without N is all chunks that have it."""
    references = [_reference(chunk) for chunk in chunks]
    _edit(file, output, lambda old: remove_chunks(old, references), strict=strict)


def _container(file: str, failures: Failures, *, strict: bool) -> bytes:
    """Return the bytes of a container.

    Raises:
        OSError: it cannot be read. ShaderError: it is something else, or wrongly signed.
    """
    data = read_shader(file, failures, strict=strict)
    if not is_container(data):
        from softd3d.shaders.not_shaders import refusal  # noqa: PLC0415 - in an error only

        raise refusal(data, "a DXBC container")
    return data


def _strip_options(function: _Command) -> _Command:
    for name, flag in reversed(_STRIP_OPTIONS.items()):
        text = flag.name.lower().replace("_", " ") if flag.name else name
        function = click.option(f"--{name}", is_flag=True, help=f"Remove {text}.")(function)
    return function


@command.command("strip")
@_file
@_strip_options
@_out
@_strict
def strip_(file: str, output: str, *, strict: bool, **kinds: bool) -> None:
    """Remove kinds of chunks, as D3DStripShader does."""
    flags = StripFlags.NONE
    for name, flag in _STRIP_OPTIONS.items():
        flags |= flag if kinds[name] else StripFlags.NONE
    if not flags:
        raise click.UsageError(f"wanted one of --{', --'.join(_STRIP_OPTIONS)}")
    _edit(file, output, lambda old: strip(old, flags), strict=strict)


@command.command("sign", short_help="Write the correct checksum and change nothing else.")
@_file
@click.option("-o", "--output", metavar="OUT", help="Where the result goes; may be FILE.")
@click.option("--check", is_flag=True, help="Write nothing; exit with 1 if it is wrong.")
def sign_(file: str, output: str | None, *, check: bool) -> None:
    """Write the right checksum into a container, and change nothing else."""
    if check == (output is not None):
        raise click.UsageError("wanted either -o OUT or --check")
    failures = Failures()
    with failures.guard(output or file):
        check_output(output)
    failures.finish()
    with failures.guard(file):
        data = read_input(file)
        if not check:
            write_output(output, sign(data))
        elif stored_checksum_kind(data) is None:
            failures.report(file, WRONG_CHECKSUM, FAILED)
    failures.finish()


@command.command("get")
@_file
@click.argument("part")
@_optional_out
@_strict
def get_(file: str, part: str, output: str | None, *, strict: bool) -> None:
    """Write a part of a container, as D3DGetBlobPart does.

    \b
    PART is a number of D3D_BLOB_PART, or one of
    input-signature, output-signature, input-and-output-signatures,
    patch-constant-signature, all-signatures, debug-info, legacy-shader,
    xna-prepass, xna-shader, pdb, private-data, root-signature, debug-name,
    test-alternate-shader, test-compile-details, test-compile-perf,
    test-compile-report.
    """  # noqa: D301 - \b is click's
    wanted = _part(part)
    failures = Failures()
    with failures.guard(output or file):
        check_output(output)
        check_not_input(output, file)
    failures.finish()
    with failures.guard(file):
        write_output(output, get_part(_container(file, failures, strict=strict), wanted))
    failures.finish()


@command.command("set", short_help="Put the contents of the file DATA in as a part.")
@_file
@click.argument("part")
@_data
@_out
@_strict
def set_(file: str, part: str, data: str, output: str, *, strict: bool) -> None:
    """Put the contents of the file DATA into a container as a part, as D3DSetBlobPart does.

    PART is private-data, root-signature or debug-name, or its number.
    """
    wanted = _part(part)
    if wanted not in SETTABLE_PARTS:
        raise click.UsageError(f"the part {wanted.label} cannot be set")
    payload = _payload(data, file)
    failures = Failures()
    with failures.guard(data):  # put into an empty container, only the payload can be wrong
        set_part(build([]), wanted, payload)
    failures.finish()
    _edit(file, output, lambda old: set_part(old, wanted, payload), strict=strict)


def _part(text: str) -> BlobPart:
    """Return a part by its name or number (decimal, or hexadecimal with 0x)."""
    for part in BlobPart:
        if text.lower() in {part.label, str(part.value), hex(part)}:
            return part
    labels = ", ".join(part.label for part in BlobPart)
    raise click.UsageError(f"found {text!r}, wanted a part: one of {labels}, or its number")


def _edit(file: str, output: str, edited: Callable[[bytes], bytes], *, strict: bool) -> None:
    failures = Failures()
    with failures.guard(output):
        check_output(output)
    failures.finish()
    with failures.guard(file):
        write_output(output, edited(_container(file, failures, strict=strict)))
    failures.finish()


def _payload(name: str, file: str) -> bytes:
    """Return the file that goes into the container `file`, or end the program with a line."""
    if name == file == "-":
        raise click.UsageError("FILE and DATA cannot both be standard input")
    failures = Failures()
    payload = b""
    with failures.guard(name):
        payload = read_input(name)
    failures.finish()
    return payload


def _chunk_data(name: str, file: str) -> bytes:
    """Return the file that becomes a chunk; warn if the chunks behind it will not be aligned."""
    payload = _payload(name, file)
    if len(payload) % _ALIGNMENT:
        say(
            f"softd3d: {name}: warning: {len(payload)} bytes are no multiple of {_ALIGNMENT}; "
            "chunks behind this one are not aligned, as with Microsoft's tools",
            err=True,
        )
    return payload


def _reference(text: str) -> ChunkReference:
    try:
        return parse_reference(text)
    except ContainerError as error:
        raise click.UsageError(error.message) from None


def _extract_all(container: Container, folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for number, chunk in enumerate(container.chunks):
        name = re.sub(r"[^A-Za-z0-9_]", "_", chunk.fourcc)
        write_output(str(folder / f"{number:02}-{name}.bin"), chunk.data)


def _print(file: str, container: Container) -> None:
    say(f"{printable(file)}: {container.size} bytes, {len(container.chunks)} chunks")
    for number, chunk in enumerate(container.chunks):
        say(f"  {number:>3}  {printable(chunk.fourcc)}  {chunk.offset:#08x}  {len(chunk.data):>8}")


def _as_dict(file: str, container: Container, data: bytes) -> dict[str, Any]:
    kind = container.checksum_kind
    return {
        "file": file,
        "bytes": container.size,
        "trailing_bytes": len(data) - container.size,
        "checksum": container.checksum.hex(),
        "checksum_ok": kind is not None,
        "checksum_kind": kind,
        "chunks": [
            {"number": n, "fourcc": c.fourcc, "offset": c.offset, "bytes": len(c.data)}
            for n, c in enumerate(container.chunks)
        ],
    }
