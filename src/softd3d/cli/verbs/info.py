"""`softd3d info`: what a file is, what is in it, what it wants bound."""

from __future__ import annotations

import json
from typing import Any

import click

from softd3d.cli.files import UNUSABLE, Failures
from softd3d.cli.inputs import each_input
from softd3d.cli.printing import printable, say, say_table
from softd3d.source import MAX_ARRAY_BYTES

__all__ = ["command"]


_CHECKSUM_STATES = {
    "retail": "ok",
    "debug": "ok with the debug layer only",
    None: "WRONG, Direct3D refuses the file",
}


@click.command("info")
@click.argument("paths", nargs=-1, required=True, metavar="PATH...")
@click.option("--json", "as_json", is_flag=True, help="Print a JSON list, one object per file.")
@click.option("--strict", is_flag=True, help="Reject DDS files that break the rules.")
def command(paths: tuple[str, ...], *, as_json: bool, strict: bool) -> None:
    """Show what files are: kind, chunks, checksum, version, counts, bindings; also textures.

    A folder stands for all shaders and textures in it.
    """
    from softd3d.shaders.identify import SHADER_KINDS, Kind  # noqa: PLC0415 - when it is needed
    from softd3d.tools.summary.inputs import summarise  # noqa: PLC0415 - only when it is needed

    failures = Failures()
    found: list[dict[str, Any]] = []
    for file, data in each_input(paths, failures, SHADER_KINDS | {Kind.DDS}, MAX_ARRAY_BYTES):
        with failures.guard(file):
            summary = {"file": file, **summarise(data, strict=strict)}
            found.append(summary)
            if not as_json:
                _print(summary)
            for problem in summary["problems"]:
                failures.report(file, problem, UNUSABLE)
    if as_json:
        say(json.dumps(found, indent=2))
    failures.finish()


def _print(summary: dict[str, Any]) -> None:
    profile = f", {summary['profile']}" if summary["profile"] else ""
    say(f"{printable(summary['file'])}: {summary['kind']}{profile}, {summary['bytes']} bytes")
    say(f"  SHA-256   {summary['sha256']}")
    container = summary.get("container")
    if container:
        state = _CHECKSUM_STATES[container["checksum_kind"]]
        say(f"  checksum  {container['checksum']} ({state})")
        chunks = ", ".join(f"{c['fourcc']} {c['bytes']}" for c in container["chunks"])
        say(f"  chunks    {chunks or 'none'} (bytes)")
    if summary.get("creator"):
        say(f"  compiler  {summary['creator']}")
    if "texture" in summary:
        _print_texture(summary["texture"])
    _print_legacy(summary)
    _print_program(summary)


def _print_legacy(summary: dict[str, Any]) -> None:
    shader, effect = summary.get("shader9"), summary.get("effect9")
    if shader:
        if shader["creator"]:
            say(f"  compiler  {shader['creator']}")
        slots = f"{shader['arithmetic_slots']} arithmetic, {shader['texture_slots']} texture"
        say(f"  program   {shader['instructions']} instructions, slots: {slots}")
        comments = ", ".join(f"{c['tag'] or '-'} {c['bytes']}" for c in shader["comments"])
        say(f"  comments  {comments or 'none'} (bytes)")
        say(f"  constants {', '.join(shader['constants']) or 'not named'}")
        if not shader["constants"]:
            from softd3d.tools.reflection.declared import declared_lines9  # noqa: PLC0415 - stripped ones

            for line in declared_lines9(shader["declarations"]):
                say(f"  declared  {line}")
    if effect:
        say(f"  effect    {effect['parameters']} parameters, "
                      f"{effect['techniques']} techniques")  # fmt: skip
    effect10 = summary.get("effect10")
    if effect10:
        _print_effect10(effect10)
    effect = effect or effect10
    if effect:
        for number, found in enumerate(effect["shaders"]):
            say(f"  shader    {number}: {found['profile']}, {found['bytes']} bytes, "
                          f"{found['place']}")  # fmt: skip


def _print_effect10(effect: dict[str, Any]) -> None:
    counts = ", ".join(
        f"{len(effect[name])} {name}" for name in ("buffers", "objects", "techniques")
    )
    child = ", needs an effect pool" if effect["is_child"] else ""
    say(f"  effect    {counts}{child}")


def _print_texture(texture: dict[str, Any]) -> None:
    dxgi = texture["dxgi_format"]
    name = "" if dxgi in (None, texture["format"]) else f", {dxgi} in DXGI"
    code = f", FourCC {texture['four_cc']}" if texture["four_cc"] is not None else ""
    axes = ("width", "height", "depth")[: int(texture["dimension"][0])]
    size = " x ".join(str(texture[axis]) for axis in axes)
    say(f"  header    {texture['header']}{code}")
    say(f"  format    {texture['format']}{name}, alpha {texture['alpha_mode']}")
    say(f"  texture   {texture['dimension']}, {size}, {texture['mips']} mips, "
                  f"array of {texture['array_size']}, {texture['texel_bytes']} bytes")  # fmt: skip
    if texture["faces"]:
        say(f"  faces     {' '.join(texture['faces'])}")
    for warning in texture["warnings"]:
        say(f"  warning   {warning['code']}: {warning['message']} "
                      f"(byte offset {warning['offset']:#x})")  # fmt: skip


def _print_program(summary: dict[str, Any]) -> None:
    program = summary.get("program")
    if program:
        kinds = ", ".join(f"{count} {kind}" for kind, count in program["by_kind"].items())
        say(f"  program   {program['instructions']} instructions ({kinds}), "
                      f"{program['declarations']} declarations")  # fmt: skip
        if program["slots"] is not None:
            say(f"  slots     {program['slots']} by the compiler's count")
    compute = summary.get("compute")
    if compute:
        x, y, z = compute["thread_group"]
        say(f"  group     {x} x {y} x {z} threads, {compute['temps']} temps, "
                      f"{compute['shared_bytes']} bytes of group-shared memory")  # fmt: skip
    _print_bindings(summary.get("bindings", []))
    _print_linkage(summary.get("linkage"))


def _print_linkage(linkage: dict[str, Any] | None) -> None:
    if linkage is None:
        return
    for slot in linkage["slots"]:
        name = slot["name"] or "not used"
        say(f"  interface {slot['slot']} ({name}): {slot['interface'] or 'an instance'} "
                      f"of {', '.join(slot['classes'])}")  # fmt: skip
    for one in linkage["instances"]:
        elements = f"[{one['elements']}]" if one["elements"] > 1 else ""
        say(f"  instance  {one['name']}{elements} of {one['class']}")


def _print_bindings(bindings: list[dict[str, Any]]) -> None:
    if not bindings:
        return
    rows = [
        (b["register"], b["name"], b["type"], b["holds"], str(b["count"] or "unbounded"))
        for b in bindings
    ]
    say_table("", ("register", "name", "is", "holds", "count"), rows)
