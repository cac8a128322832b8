"""`softd3d reflect`: signatures, constant buffers, bindings and statistics of shaders."""

from __future__ import annotations

import json
from typing import Any

import click

from softd3d.cli.files import Failures
from softd3d.cli.inputs import each_input
from softd3d.cli.printing import printable, say, say_table

__all__ = ["command"]

_COMPONENTS = "xyzw"


@click.command("reflect")
@click.argument("paths", nargs=-1, required=True, metavar="PATH...")
@click.option("--json", "as_json", is_flag=True, help="Print a JSON list, one object per file.")
def command(paths: tuple[str, ...], as_json: bool) -> None:  # noqa: FBT001 - click's convention
    """Show what D3DReflect reports: signatures, constant buffers, bindings, statistics.

    A folder stands for all shaders in it. The schema of the JSON is described in
    docs/reflection.md.
    """
    from softd3d.shaders.identify import Kind  # noqa: PLC0415 - only when it is needed

    kinds = (Kind.CONTAINER, Kind.TOKENS, Kind.SM1_TOKENS)
    failures = Failures()
    found: list[dict[str, Any]] = []
    for file, data in each_input(paths, failures, kinds):
        with failures.guard(file):
            document = {"file": file, **_reflected(data)}
            found.append(document)
            if not as_json:
                _print(document)
    if as_json:
        say(json.dumps(found, indent=2))
    failures.finish()


def _reflected(data: bytes) -> dict[str, Any]:
    from softd3d.tools.reflection.shader import reflect  # noqa: PLC0415 - only when it is needed

    return reflect(data)


def _print9(document: dict[str, Any]) -> None:
    """Print what is known of a Direct3D 9 shader."""
    say(f"{printable(document['file'])}: {document['profile']}, "
                  f"{document['instructions']} instructions")  # fmt: skip
    table = document["constant_table"]
    if table is None:
        from softd3d.tools.reflection.declared import declared_lines9  # noqa: PLC0415 - of stripped ones

        say("  no constant table (CTAB); the program itself declares:")
        for line in declared_lines9(document["declarations"]):
            say(f"    {line}")
        return
    say(f"  compiler  {table['creator']}")
    heads = ("name", "type", "registers", "default")
    rows = [
        (
            c["name"],
            _type({**c["type"], "name": None, "elements": _elements(c["type"])}),
            f"{c['register_set']} {c['register_index']}, {c['register_count']}",
            "" if c["default"] is None else "yes",
        )
        for c in table["constants"]
    ]
    say_table("constants", heads, rows)


def _elements(type_: dict[str, Any]) -> int:
    """Return 0 for what is no array; the constant table has 1."""
    return type_["elements"] if type_["elements"] > 1 else 0


def _print(document: dict[str, Any]) -> None:
    if "constant_table" in document:
        _print9(document)
        return
    level = document["min_feature_level"]
    say(f"{printable(document['file'])}: {document['profile']}, feature level {level}")
    if document["requires"]:
        say(f"  requires  {', '.join(document['requires'])}")
    if any(document["thread_group_size"]):
        x, y, z = document["thread_group_size"]
        say(f"  group     {x} x {y} x {z} threads")
    is_domain_shader = document["profile"].startswith("ds")
    for kind, signature in document["signatures"].items():
        if signature:
            is_read = kind == "input" or (kind == "patch_constant" and is_domain_shader)
            _print_signature(kind, signature, is_read=is_read)
    definitions = document["definitions"]
    if definitions is None:
        say("  no reflection data (RDEF); the program itself declares:")
        _print_declarations(document["declarations"])
    else:
        say(f"  compiler  {definitions['creator']}")
        _print_bindings(definitions["bindings"])
        for buffer in definitions["constant_buffers"]:
            _print_buffer(buffer)
    if document["statistics"] is not None:
        _print_statistics(document["statistics"])


def _print_statistics(statistics: dict[str, int]) -> None:
    say("  statistics (those that are not 0)")
    for name, count in statistics.items():
        if count:
            say(f"    {name.replace('_', ' ')}: {count}")


def _print_signature(kind: str, signature: list[dict[str, Any]], *, is_read: bool) -> None:
    """Print a signature. is_read: its masks tell what is read, not what is never written."""
    heads = ("semantic", "register", "mask", "used", "system value", "type", "stream")
    rows = [
        (
            f"{e['semantic_name']}{e['semantic_index']}",
            "-" if e["register"] is None else str(e["register"]),
            _mask(e["mask"]),
            _mask(e["read_write_mask"] if is_read else ~e["read_write_mask"] & e["mask"]),
            e["system_value"],
            e["component_type"] if e["min_precision"] == "default" else e["min_precision"],
            str(e["stream"]),
        )
        for e in signature
    ]
    say_table(f"{kind.replace('_', ' ')} signature", heads, rows)


def _print_bindings(bindings: list[dict[str, Any]]) -> None:
    heads = ("name", "type", "dimension", "returns", "bind point", "space", "count")
    rows = [
        (
            b["name"],
            b["type"],
            b["dimension"],
            b["return_type"],
            str(b["bind_point"]),
            str(b["space"]),
            str(b["bind_count"] or "unbounded"),
        )
        for b in bindings
    ]
    if rows:
        say_table("bindings", heads, rows)


def _print_declarations(declarations: list[dict[str, Any]]) -> None:
    from softd3d.tools.reflection.declared import declared_row  # noqa: PLC0415 - of stripped shaders

    rows = [
        (r["register"], r["type"], r["holds"], str(r["count"] or "unbounded"))
        for r in map(declared_row, declarations)
    ]
    if rows:
        say_table("declarations", ("register", "type", "holds", "count"), rows)


def _print_buffer(buffer: dict[str, Any]) -> None:
    heads = ("offset", "size", "type", "variable", "flags", "default")
    rows: list[tuple[str, ...]] = []
    for v in buffer["variables"]:
        facts = (", ".join(v["flags"]), v["default"] or "")
        rows.append((str(v["offset"]), str(v["size"]), _type(v["type"]), v["name"], *facts))
        rows += _members(v["type"], v["offset"], "  ")
    title = f"{buffer['type']} {buffer['name']}, {buffer['size']} bytes"
    say_table(title, heads, rows)


def _members(type_: dict[str, Any], start: int, indent: str) -> list[tuple[str, ...]]:
    rows: list[tuple[str, ...]] = []
    for member in type_["members"]:
        offset = start + member["offset"]
        rows.append((str(offset), "", _type(member["type"]), indent + member["name"], "", ""))
        rows += _members(member["type"], offset, indent + "  ")
    return rows


def _type(type_: dict[str, Any]) -> str:
    """Write a type as HLSL does.

    >>> _type({"class": "vector", "type": "float", "rows": 1, "columns": 3, "elements": 2})
    'float3[2]'
    """
    kind, name = str(type_["class"]), str(type_["type"])
    if kind == "struct":
        name = f"struct {type_['name'] or ''}".strip()
    elif kind == "vector":
        name += str(type_["columns"])
    elif kind in ("matrix_rows", "matrix_columns"):
        order = "row_major " if kind == "matrix_rows" else ""
        name = f"{order}{name}{type_['rows']}x{type_['columns']}"
    return f"{name}[{type_['elements']}]" if type_["elements"] else name


def _mask(mask: int) -> str:
    return "".join(c for n, c in enumerate(_COMPONENTS) if mask >> n & 1) or "-"
