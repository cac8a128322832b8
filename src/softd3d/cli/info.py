"""`softd3d info`: what a file is, what is in it, what it wants bound."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import click

from softd3d.cli.files import UNUSABLE, Failures, read_input

if TYPE_CHECKING:
    from rich.console import Console

__all__ = ["command"]


_CHECKSUM_STATES = {
    "retail": "ok",
    "debug": "ok with the debug layer only",
    None: "WRONG, Direct3D refuses the file",
}


@click.command("info")
@click.argument("files", nargs=-1, required=True, metavar="FILE...")
@click.option("--json", "as_json", is_flag=True, help="Print a JSON list, one object a file.")
@click.option("--strict", is_flag=True, help="Refuse DDS files that break the rules.")
def command(files: tuple[str, ...], *, as_json: bool, strict: bool) -> None:
    """Tell what files are: kind, chunks, checksum, version, counts, bindings; textures too."""
    from softd3d.device.summary import summarise  # noqa: PLC0415 - only when it is needed

    failures = Failures()
    found: list[dict[str, Any]] = []
    for file in files:
        with failures.guard(file):
            summary = {"file": file, **summarise(read_input(file), strict=strict)}
            found.append(summary)
            if not as_json:
                _print(summary)
            for problem in summary["problems"]:
                failures.report(file, problem, UNUSABLE)
    if as_json:
        click.echo(json.dumps(found, indent=2))
    failures.finish()


def _print(summary: dict[str, Any]) -> None:
    from rich.console import Console  # noqa: PLC0415 - not needed for JSON

    console = Console(highlight=False, soft_wrap=True, emoji=False, markup=False)
    profile = f", {summary['profile']}" if summary["profile"] else ""
    console.print(f"{summary['file']}: {summary['kind']}{profile}, {summary['bytes']} bytes")
    console.print(f"  SHA-256   {summary['sha256']}")
    container = summary.get("container")
    if container:
        state = _CHECKSUM_STATES[container["checksum_kind"]]
        console.print(f"  checksum  {container['checksum']} ({state})")
        chunks = ", ".join(f"{c['fourcc']} {c['bytes']}" for c in container["chunks"])
        console.print(f"  chunks    {chunks or 'none'} (bytes)")
    if summary.get("creator"):
        console.print(f"  compiler  {summary['creator']}")
    if "texture" in summary:
        _print_texture(console, summary["texture"])
    _print_legacy(console, summary)
    _print_program(console, summary)


def _print_legacy(console: Console, summary: dict[str, Any]) -> None:
    shader, effect = summary.get("shader9"), summary.get("effect9")
    if shader:
        if shader["creator"]:
            console.print(f"  compiler  {shader['creator']}")
        slots = f"{shader['arithmetic_slots']} arithmetic, {shader['texture_slots']} texture"
        console.print(f"  program   {shader['instructions']} instructions, slots: {slots}")
        comments = ", ".join(f"{c['tag'] or '-'} {c['bytes']}" for c in shader["comments"])
        console.print(f"  comments  {comments or 'none'} (bytes)")
        console.print(f"  constants {', '.join(shader['constants']) or 'not told'}")
    if effect:
        console.print(f"  effect    {effect['parameters']} parameters, "
                      f"{effect['techniques']} techniques")  # fmt: skip
        for number, found in enumerate(effect["shaders"]):
            console.print(f"  shader    {number}: {found['profile']}, {found['bytes']} bytes, "
                          f"{found['place']}")  # fmt: skip


def _print_texture(console: Console, texture: dict[str, Any]) -> None:
    dxgi = texture["dxgi_format"]
    name = "" if dxgi in (None, texture["format"]) else f", {dxgi} in DXGI"
    code = f", FourCC {texture['four_cc']}" if texture["four_cc"] is not None else ""
    axes = ("width", "height", "depth")[: int(texture["dimension"][0])]
    size = " x ".join(str(texture[axis]) for axis in axes)
    console.print(f"  header    {texture['header']}{code}")
    console.print(f"  format    {texture['format']}{name}, alpha {texture['alpha_mode']}")
    console.print(f"  texture   {texture['dimension']}, {size}, {texture['mips']} mips, "
                  f"array of {texture['array_size']}, {texture['texel_bytes']} bytes")  # fmt: skip
    if texture["faces"]:
        console.print(f"  faces     {' '.join(texture['faces'])}")
    for warning in texture["warnings"]:
        console.print(f"  warning   {warning['code']}: {warning['message']} "
                      f"(byte offset {warning['offset']:#x})")  # fmt: skip


def _print_program(console: Console, summary: dict[str, Any]) -> None:
    program = summary.get("program")
    if program:
        kinds = ", ".join(f"{count} {kind}" for kind, count in program["by_kind"].items())
        console.print(f"  program   {program['instructions']} instructions ({kinds}), "
                      f"{program['declarations']} declarations")  # fmt: skip
        if program["slots"] is not None:
            console.print(f"  slots     {program['slots']} by the compiler's count")
    compute = summary.get("compute")
    if compute:
        x, y, z = compute["thread_group"]
        console.print(f"  group     {x} x {y} x {z} threads, {compute['temps']} temps, "
                      f"{compute['shared_bytes']} bytes of group-shared memory")  # fmt: skip
    _print_bindings(console, summary.get("bindings", []))
    _print_linkage(console, summary.get("linkage"))


def _print_linkage(console: Console, linkage: dict[str, Any] | None) -> None:
    if linkage is None:
        return
    for slot in linkage["slots"]:
        name = slot["name"] or "not used"
        console.print(f"  interface {slot['slot']} ({name}): {slot['interface'] or 'an instance'} "
                      f"of {', '.join(slot['classes'])}")  # fmt: skip
    for one in linkage["instances"]:
        elements = f"[{one['elements']}]" if one["elements"] > 1 else ""
        console.print(f"  instance  {one['name']}{elements} of {one['class']}")


def _print_bindings(console: Console, bindings: list[dict[str, Any]]) -> None:
    from rich import box  # noqa: PLC0415 - not needed for JSON
    from rich.padding import Padding  # noqa: PLC0415
    from rich.table import Table  # noqa: PLC0415

    if not bindings:
        return
    table = Table("register", "name", "is", "holds", "count", box=box.SIMPLE_HEAD, pad_edge=False)
    for b in bindings:
        count = "unbounded" if b["count"] == 0 else str(b["count"])
        table.add_row(b["register"], b["name"], b["type"], b["holds"], count)
    console.print(Padding(table, (0, 0, 0, 2), expand=False))
