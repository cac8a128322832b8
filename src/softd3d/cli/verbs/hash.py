"""`softd3d hash`: the hashes that shader tools know a shader by."""

from __future__ import annotations

import json
from typing import Any

import click

from softd3d.cli.files import Failures
from softd3d.cli.inputs import each_input
from softd3d.cli.printing import printable, say
from softd3d.container.dxbc.container import stored_checksum_kind
from softd3d.container.dxbc.hashes import HashKind, hashes
from softd3d.shaders.identify import SHADER_KINDS

__all__ = ["command"]

_ABSENT = "-"


@click.command("hash")
@click.argument("paths", nargs=-1, required=True, metavar="PATH...")
@click.option("--kind", "kinds", multiple=True, type=click.Choice([k.value for k in HashKind]),
              help="Print only hashes of this kind; may repeat.")  # fmt: skip
@click.option("--json", "as_json", is_flag=True, help="Print a JSON list, one object per file.")
def command(paths: tuple[str, ...], kinds: tuple[str, ...], *, as_json: bool) -> None:
    """Print a file's hashes as DXVK, RenoDX and 3Dmigoto write them, and its checksum.

    Hashes of a container's parts are absent (-) for other files. With one --kind, prints a line
    for each file: the hash and the name. A folder stands for all shaders in it.
    """
    wanted = [HashKind(kind) for kind in dict.fromkeys(kinds)] or list(HashKind)
    failures = Failures()
    listed: list[dict[str, Any]] = []
    for file, data in each_input(paths, failures, SHADER_KINDS):
        with failures.guard(file):
            found = hashes(data, wanted)
            if as_json:
                listed.append({"file": file, "bytes": len(data), **_as_dict(found, data)})
            elif len(kinds) == 1:
                say(f"{found[wanted[0]] or _ABSENT}  {printable(file)}")
            else:
                _print(file, data, found)
    if as_json:
        say(json.dumps(listed, indent=2))
    failures.finish()


def _print(file: str, data: bytes, found: dict[HashKind, str | None]) -> None:
    say(f"{printable(file)}: {len(data)} bytes")
    width = max(len(kind) for kind in found)
    for kind, text in found.items():
        note = ""
        if kind is HashKind.CHECKSUM and text is not None:
            signed = stored_checksum_kind(data)
            note = " (WRONG)" if signed is None else f" (right, {signed})"
        say(f"  {kind:<{width}}  {text or _ABSENT}{note}")


def _as_dict(found: dict[HashKind, str | None], data: bytes) -> dict[str, Any]:
    listed: dict[str, Any] = {kind.value: text for kind, text in found.items()}
    if found.get(HashKind.CHECKSUM) is not None:
        signed = stored_checksum_kind(data)
        listed["checksum_ok"] = signed is not None
        listed["checksum_kind"] = signed
    return listed
