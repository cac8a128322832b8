"""Execution cases: shaders, inputs and expected outputs as data.

A case is a JSON file with raw binary files. Its paths are relative to its folder, or to the folder
above where it lies in one named "cases", and may not leave that folder. What the reader does not
use (notes, where the expected values come from) is passed over, but for what looks like a misspelt
key. docs/cases.md lists the keys.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeAlias, cast

import numpy as np

from softd3d.classes import dataclass
from softd3d.errors import Location, ResourceError
from softd3d.formats.dxgi import format_named
from softd3d.isa.limits import MAX_ANISOTROPY, MAX_DISPATCH_GROUPS
from softd3d.isa.sampling.state import SamplerState
from softd3d.resources.buffers.buffer import RawBuffer, StructuredBuffer, TypedBuffer
from softd3d.resources.cases.comparison import Mismatch, RuleType, Tolerance, compare_dwords
from softd3d.resources.cases.json import Entry, read_json
from softd3d.resources.cases.keys import check_keys
from softd3d.resources.texels.dtypes import natural_dtype
from softd3d.resources.textures import texture as textures
from softd3d.resources.views.descriptor import MAX_BYTES
from softd3d.source import read_stream

__all__ = [
    "Binding",
    "Case",
    "Instance",
    "Mismatch",
    "Output",
    "Resource",
    "bind",
    "compare",
    "found_bytes",
    "read_bytes",
    "read_case",
    "samplers",
]

Resource = RawBuffer | StructuredBuffer | TypedBuffer | textures.Texture

KINDS = ("compute", "draw")
_PLACES = ("constant_buffer", "vector", "texture", "sampler")
_REGISTER = re.compile(r"([btus])(\d{1,3})")
_COUNTED = 2 | 4  # D3D11_BUFFER_UAV_FLAG_APPEND, _COUNTER
# What a texture has one of unless the case says otherwise, and how many at most.
_COUNTS = {"depth": 1 << 31, "array": 1 << 31, "mips": 1 << 31, "samples": 64}
_ROWS = frozenset({"tex1d", "tex1da"})  # have no height
_TEXTURES: Mapping[str, type[textures.Texture]] = {
    "tex1d": textures.Texture1D,
    "tex1da": textures.Texture1DArray,
    "tex2d": textures.Texture2D,
    "tex2da": textures.Texture2DArray,
    "tex2dms": textures.Texture2DMS,
    "tex2dmsa": textures.Texture2DMSArray,
    "tex3d": textures.Texture3D,
    "cube": textures.TextureCube,
    "cubea": textures.TextureCubeArray,
}


@dataclass(frozen=True, slots=True)
class Binding:
    """What is bound to a register. kind: b, t, u or s; type: as in the file, e.g. "tex2da".

    file: the initial contents, None for a sampler. entry: the whole description.
    """

    kind: str
    number: int
    type: str
    file: Path | None
    entry: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Output:
    """An expected output. register: e.g. "u0", or "u0.count" for its hidden counter.

    rules: one for each dword, cycled. row_bytes: set if the output is a multiset of rows.
    """

    register: str
    expected: Path
    rules: tuple[Tolerance, ...]
    row_bytes: int | None = None


@dataclass(frozen=True, slots=True)
class Instance:
    """A class instance for an interface, by the class's name and the places of its data."""

    type: str
    places: Mapping[str, int]


Interfaces: TypeAlias = "Mapping[int | str, str | Instance | list[str | Instance]]"


@dataclass(frozen=True, slots=True)
class Case:
    """An execution case. kind: "compute" or "draw"; shaders: by stage, e.g. "cs".

    groups: what to dispatch, None for draws, which `entry`, the whole file, describes. interfaces:
    instances (by name, or made from a class; a list for an array) by slot or variable. strict:
    whether views that are not what the shader declares are errors.
    """

    name: str
    kind: str
    path: Path
    shaders: Mapping[str, Path]
    groups: tuple[int, int, int] | None
    bindings: tuple[Binding, ...]
    outputs: tuple[Output, ...]
    interfaces: Interfaces
    strict: bool
    entry: Entry


def read_case(path: str | Path) -> Case:
    """Read a case file; the files it names must exist, but are not read yet.

    Raises:
        ResourceError: it cannot be read, is no JSON or no case, has a misspelt key, or names a file
            that is missing or outside its folder; the text says where.
    """
    path = Path(path)
    root = path.resolve().parent
    case = Entry(read_json(path), "", path, root.parent if root.name == "cases" else root)
    kind = case.text("kind")
    if kind not in KINDS:
        raise case.error("kind", f"found {kind!r:.40}, wanted {' or '.join(KINDS)}")
    check_keys(case)
    return Case(
        name=case.text("name"),
        kind=kind,
        path=path,
        shaders={stage: shaders.file(stage) for shaders in (case.entry("shaders"),)
                 for stage in shaders},
        groups=_groups(case) if kind == "compute" else None,
        bindings=tuple(_binding(entry) for entry in case.entries("bindings")),
        outputs=tuple(_output(entry) for entry in case.entries("outputs")),
        interfaces=_interfaces(case.entry("interfaces")) if "interfaces" in case else {},
        strict="strict" in case and case.flag("strict"),
        entry=case,
    )  # fmt: skip


def bind(
    case: Case,
) -> tuple[dict[int, bytes], dict[int, Resource], dict[int, Resource]]:
    """Return fresh resources: constants, SRVs and UAVs by register number. See also `samplers`.

    Raises:
        ResourceError: a file cannot be read, or does not fit its description.
    """
    constants: dict[int, bytes] = {}
    views: dict[str, dict[int, Resource]] = {"t": {}, "u": {}}
    for binding in case.bindings:
        try:
            if binding.kind == "b":
                constants[binding.number] = _contents(binding)
            elif binding.kind != "s":
                views[binding.kind][binding.number] = _resource(binding, case)
        except ResourceError as error:
            register = f"{binding.kind}{binding.number}"
            raise ResourceError(
                f"case {case.name}: {register}: {error.message}", error.location or _source(case)
            ) from error
    return constants, views["t"], views["u"]


def samplers(case: Case) -> dict[int, SamplerState]:
    """Return the samplers by register number.

    Raises:
        ResourceError: a description lacks a value, or has one that Direct3D does not allow.
    """
    found: dict[int, SamplerState] = {}
    for binding in case.bindings:
        if binding.kind == "s":
            place = f"case {case.name}: s{binding.number}"
            try:
                found[binding.number] = _sampler(_entry(binding, case))
            except ResourceError as error:
                raise ResourceError(
                    f"{place}: {error.message}", error.location or _source(case)
                ) from error
    return found


def compare(expected: bytes, found: bytes, output: Output) -> list[Mismatch]:
    """Return what differs by the rules of an output, in order.

    Raises:
        ResourceError: the sizes differ.
    """
    try:
        return compare_dwords(expected, found, output.rules, output.row_bytes)
    except ResourceError as error:
        raise ResourceError(f"{output.register}: {error.message}") from error


def found_bytes(output: Output, uavs: Mapping[int, Resource]) -> bytes:
    """Return what an output's register holds now.

    Raises:
        ResourceError: it is not a UAV, not bound, or has no counter.
    """
    register, _, part = output.register.partition(".")
    match = _REGISTER.fullmatch(register)
    resource = uavs.get(int(match[2])) if match and match[1] == "u" else None
    if resource is None or part not in ("", "count"):
        raise ResourceError(f"output {output.register}: found no such UAV")
    if not part:
        return resource.tobytes()
    counter = resource.counter if isinstance(resource, StructuredBuffer) else None
    if counter is None:
        raise ResourceError(f"output {output.register}: found no hidden counter")
    return counter.to_bytes(4, "little")


def read_bytes(path: Path) -> bytes:
    """Return the contents of a file of a case.

    Raises:
        ResourceError: it cannot be read, or is too large.
    """
    try:
        with path.open("rb", buffering=0) as file:
            return read_stream(file, MAX_BYTES)
    except OSError as error:
        raise ResourceError(f"{path.name}: {error.strerror}", Location(source=str(path))) from error
    except ResourceError as error:
        raise ResourceError(f"{path.name}: {error.message}", Location(source=str(path))) from None


def _source(case: Case) -> Location:
    return Location(source=str(case.path))


def _groups(case: Entry) -> tuple[int, int, int]:
    x, y, z = case.integers("dispatch", 3, 0, MAX_DISPATCH_GROUPS)
    return x, y, z


def _interfaces(entry: Entry) -> Interfaces:
    """Return instances by slot: a key of digits is a number, any other a variable's name."""
    found: dict[int | str, str | Instance | list[str | Instance]] = {}
    for key in entry:
        slot = int(key) if key.isdecimal() and len(key) < 10 else key
        value = entry.data[key]
        if isinstance(value, list):
            parts = {f"{key}[{n}]": one for n, one in enumerate(cast("list[Any]", value))}
            found[slot] = [_instance(replace(entry, data=parts), place) for place in parts]
        else:
            found[slot] = _instance(entry, key)
    return found


def _instance(entry: Entry, key: str) -> str | Instance:
    if isinstance(entry.data[key], str):
        return entry.text(key)
    made = entry.entry(key)
    places = {place: made.integer(place, 0, 0xFFFF) for place in _PLACES if place in made}
    return Instance(made.text("class"), places)


def _binding(entry: Entry) -> Binding:
    match = _REGISTER.fullmatch(entry.text("reg"))
    if match is None:
        raise entry.error("reg", f"found {entry.text('reg')!r:.40}, wanted e.g. 'b0', 't0', 'u0'")
    kind = match[1]
    file = None if kind == "s" else entry.file("file")
    return Binding(kind, int(match[2]), entry.text("type"), file, entry.data)


def _output(entry: Entry) -> Output:
    rules = tuple(_tolerance(rule) for rule in entry.entries("tolerance_per_dword"))
    if not rules:
        raise entry.error("tolerance_per_dword", "found no rule, wanted at least one")
    row_bytes = None
    if entry.data.get("unordered_rows_of_bytes") is not None:
        row_bytes = entry.integer("unordered_rows_of_bytes", 4, 1 << 20)
        if row_bytes % 4:
            raise entry.error(
                "unordered_rows_of_bytes", f"found {row_bytes}, wanted a multiple of 4"
            )
    return Output(entry.text("reg"), entry.file("expected"), rules, row_bytes)


def _tolerance(entry: Entry) -> Tolerance:
    name = entry.text("type")
    if name not in set(RuleType):
        raise entry.error("type", f"found {name!r:.40}, wanted one of {', '.join(RuleType)}")
    zero_sign = entry.data.get("zero_sign")
    if zero_sign is not None and not isinstance(zero_sign, bool):
        raise entry.error("zero_sign", f"found {type(zero_sign).__name__}, wanted true or false")
    ulp, rel, abs_ = (entry.number(key, 0.0) for key in ("ulp", "rel", "abs"))
    return Tolerance(RuleType(name), ulp, rel, abs_, zero_sign)


def _contents(binding: Binding) -> bytes:
    if binding.file is None:
        raise ResourceError("found no file")
    return read_bytes(binding.file)


def _resource(binding: Binding, case: Case) -> Resource:
    entry = _entry(binding, case)
    contents, type_ = _contents(binding), binding.type
    if type_ in _TEXTURES:
        width = entry.integer("width", 1, 1 << 31)
        is_row = type_ in _ROWS and "height" not in entry
        height = 1 if is_row else entry.integer("height", 1, 1 << 31)
        depth, slices, mips, samples = (
            entry.integer(key, 1, most) if key in entry else 1 for key, most in _COUNTS.items()
        )
        return _TEXTURES[type_].from_bytes(
            contents, entry.text("format"), width, height, depth, slices, mips, samples
        )
    if type_ == "typed":
        format_ = format_named(entry.text("format"))
        if len(contents) % format_.bytes_per_texel:
            raise ResourceError(
                f"found {len(contents)} bytes, wanted a multiple of {format_.bytes_per_texel}"
            )
        dtype, _ = natural_dtype(format_)
        return TypedBuffer(np.frombuffer(bytearray(contents), dtype), format_)
    array = np.frombuffer(bytearray(contents), np.uint8)
    if type_ == "raw":
        return RawBuffer(array)
    if type_ == "struct":
        return StructuredBuffer(array, entry.integer("stride", 1, 1 << 31), _counter(entry))
    known = ", ".join((*_TEXTURES, "typed", "raw", "struct", "cbuffer"))
    raise ResourceError(f"found type {type_!r:.40}, wanted one of {known}")


def _entry(binding: Binding, case: Case) -> Entry:
    return Entry(cast("dict[str, object]", binding.entry), "", case.path, case.path.parent)


def _sampler(entry: Entry) -> SamplerState:
    u, v, w = entry.integers("address", 3, 1, 5)
    return SamplerState(
        entry.integer("filter", 0, 0x1FF), u, v, w,
        mip_lod_bias=entry.signed("mip_lod_bias"),
        max_anisotropy=entry.integer("max_anisotropy", 0, MAX_ANISOTROPY),
        comparison_func=entry.integer("comparison", 1, 8), border_color=entry.numbers("border", 4),
        min_lod=entry.signed("min_lod"), max_lod=entry.signed("max_lod"),
    )  # fmt: skip


def _counter(entry: Entry) -> int | None:
    """Return the first value of the hidden counter: a fresh one that is to be kept (-1) is 0."""
    flags = entry.integer("uav_flags", 0, 0xFFFFFFFF) if "uav_flags" in entry else 0
    if not flags & _COUNTED:
        return None
    first = entry.integer("initial_count", -1, 0xFFFFFFFF)
    return max(first, 0)
