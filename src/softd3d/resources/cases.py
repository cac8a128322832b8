"""Execution cases: shaders, inputs and expected outputs as data, with rules of comparison.

A case is a JSON file with raw binary files beside it; paths in it are relative to the folder above
the JSON file's (the sample library's root), and may not leave that folder.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from softd3d.errors import LoweringError, ResourceError
from softd3d.resources import textures
from softd3d.resources.buffers import RawBuffer, StructuredBuffer, TypedBuffer

__all__ = ["Case", "Mismatch", "Output", "bind", "compare", "found_bytes", "read_case"]

Resources = dict[int, Any]
_MAX_FILE = 1 << 30


@dataclass(frozen=True, slots=True)
class Output:
    """One expected output. register: `u0`, or `u0.count` for a hidden counter.

    rules: one dictionary for each dword, cycled. row_bytes: compare as a multiset of rows, if set.
    """

    register: str
    expected: Path
    rules: tuple[dict[str, Any], ...]
    row_bytes: int | None


@dataclass(frozen=True, slots=True)
class Case:
    """An execution case. shaders: by stage (`cs`...); bindings: as in the file."""

    name: str
    kind: str
    path: Path
    shaders: dict[str, Path]
    groups: tuple[int, int, int]
    bindings: tuple[dict[str, Any], ...]
    outputs: tuple[Output, ...]

    @property
    def samplers(self) -> tuple[dict[str, Any], ...]:
        return tuple(b for b in self.bindings if b["reg"].startswith("s"))


@dataclass(frozen=True, slots=True)
class Mismatch:
    """A dword (or row) that is not as expected. ulps: distance of floats, if they are floats."""

    index: int
    expected: int
    found: int
    rule: str
    ulps: int | None

    def __str__(self) -> str:
        distance = "" if self.ulps is None else f", {self.ulps} ULP apart"
        return (
            f"dword {self.index}: expected {self.expected:#010x}, found {self.found:#010x} "
            f"({self.rule}{distance})"
        )


def read_case(path: str | Path) -> Case:
    """Read a case file.

    Raises:
        ResourceError: it is not a case; the text names the place.
    """
    path = Path(path)
    try:
        data = json.loads(path.read_text("utf-8"))
    except OSError as error:
        raise ResourceError(f"{path}: {error.strerror}") from error
    except (ValueError, RecursionError) as error:
        raise ResourceError(f"{path}: not a JSON case: {error}") from error
    root = path.resolve().parent.parent
    try:
        return Case(
            name=str(data["name"]),
            kind=str(data["kind"]),
            path=path,
            shaders={str(k): _inside(root, v) for k, v in data["shaders"].items()},
            groups=_groups(data.get("dispatch")),
            bindings=tuple(_binding(root, b) for b in data["bindings"]),
            outputs=tuple(_output(root, o) for o in data["outputs"]),
        )
    except (KeyError, TypeError, AttributeError, ValueError, IndexError) as error:
        what = f"no entry {error}" if isinstance(error, KeyError) else str(error)
        raise ResourceError(f"{path}: malformed case: {what}") from error


def _groups(value: Any) -> tuple[int, int, int]:
    if value is None:
        return (0, 0, 0)
    x, y, z = (int(n) for n in value)
    return x, y, z


def _inside(root: Path, name: object) -> Path:
    path = (root / str(name)).resolve()
    if not path.is_relative_to(root):
        raise ResourceError(f"path {name!r} leaves the case's library")
    return path


def _binding(root: Path, entry: dict[str, Any]) -> dict[str, Any]:
    register = entry["reg"]
    if not isinstance(register, str) or register[:1] not in "btus" or not register[1:].isdigit():
        raise ValueError(f"register {register!r}")
    return {**entry, "file": _inside(root, entry["file"])} if "file" in entry else dict(entry)


def _output(root: Path, entry: dict[str, Any]) -> Output:
    rules = tuple(dict(r) for r in entry["tolerance_per_dword"])
    if not rules or any(r["type"] not in _RULES for r in rules):
        raise ValueError(f"rules of {entry['reg']}: {rules}")
    rows = entry.get("unordered_rows_of_bytes")
    expected = _inside(root, entry["expected"])
    return Output(str(entry["reg"]), expected, rules, None if rows is None else int(rows))


def read_bytes(path: Path) -> bytes:
    """Read a file of a case."""
    try:
        if path.stat().st_size > _MAX_FILE:
            raise ResourceError(f"{path.name}: larger than {_MAX_FILE} bytes")
        return path.read_bytes()
    except OSError as error:
        raise ResourceError(f"{path}: {error.strerror}") from error


_TEXTURES = {
    "tex1d": textures.Texture1D, "tex1da": textures.Texture1DArray,
    "tex2d": textures.Texture2D, "tex2da": textures.Texture2DArray,
    "tex3d": textures.Texture3D, "cube": textures.TextureCube,
    "cubea": textures.TextureCubeArray, "tex2dms": textures.Texture2DMS,
}  # fmt: skip


def bind(case: Case) -> tuple[Resources, Resources, Resources]:
    """Make fresh resources: (constants, srvs, uavs) by register number; samplers are left out.

    Raises:
        LoweringError: not a compute case. ResourceError: a file or description does not fit.
    """
    if case.kind != "compute":
        raise LoweringError(f"{case.name}: {case.kind} cases are not supported yet")
    tables: dict[str, Resources] = {"b": {}, "t": {}, "u": {}, "s": {}}
    for entry in case.bindings:
        letter, number = entry["reg"][0], int(entry["reg"][1:])
        if letter != "s":
            try:
                tables[letter][number] = _resource(entry)
            except (KeyError, TypeError, ValueError) as error:
                raise ResourceError(f"{case.name}: {entry['reg']}: {error!r}") from error
    return tables["b"], tables["t"], tables["u"]


def _resource(entry: dict[str, Any]) -> Any:
    kind, data = entry["type"], read_bytes(entry["file"])
    if kind == "cbuffer":
        return data
    if kind in _TEXTURES:
        return _TEXTURES[kind].from_bytes(
            data, entry["format"], width=int(entry["width"]), height=int(entry["height"]),
            depth=int(entry["depth"]), mips=int(entry["mips"]), slices=int(entry["array"]),
            samples=int(entry.get("samples", 1)),
        )  # fmt: skip
    array = np.frombuffer(bytearray(data), np.uint8)
    if kind == "raw":
        return RawBuffer(array)
    if kind == "struct":
        has_counter = int(entry.get("uav_flags", 0)) & 6
        count = max(int(entry.get("initial_count", 0)), 0) if has_counter else None
        return StructuredBuffer(array, int(entry["stride"]), count)
    if kind == "typed":
        return TypedBuffer(array, entry["format"])
    raise ResourceError(f"binding type {kind!r} is not known")


def found_bytes(output: Output, uavs: Resources) -> bytes:
    """Return what an output register holds now."""
    register, _, part = output.register.partition(".")
    resource = uavs.get(int(register[1:])) if register[1:].isdigit() else None
    if resource is None:
        raise ResourceError(f"output {output.register} is not bound")
    if part == "count":
        return int(resource.counter).to_bytes(4, "little")
    if isinstance(resource, (RawBuffer, StructuredBuffer, TypedBuffer)):
        return resource.array.tobytes()
    return resource.tobytes()


def compare(expected: bytes, found: bytes, output: Output) -> list[Mismatch]:
    """Return what differs by the output's rules, in order.

    Raises:
        ResourceError: the sizes differ.
    """
    if len(expected) != len(found):
        raise ResourceError(
            f"{output.register}: found {len(found)} bytes, expected {len(expected)}"
        )
    if output.row_bytes:
        expected, found = (_sorted_rows(b, output.row_bytes) for b in (expected, found))
    padding = bytes(-len(expected) % 4)
    want, have = (np.frombuffer(b + padding, np.uint32) for b in (expected, found))
    mismatches: list[Mismatch] = []
    for number, rule in enumerate(output.rules):
        at = np.arange(number, want.size, len(output.rules))
        good = _RULES[rule["type"]](rule, want, have, at)
        for i in at[~good]:
            is_float = rule["type"] == "float32"
            distance = int(_ulps(want[i : i + 1], have[i : i + 1])[0]) if is_float else None
            mismatches.append(Mismatch(int(i), int(want[i]), int(have[i]), rule["type"], distance))
    return sorted(mismatches, key=lambda m: m.index)


def _sorted_rows(data: bytes, size: int) -> bytes:
    return b"".join(sorted(data[i : i + size] for i in range(0, len(data), size)))


Words = NDArray[np.uint32]
Bools = NDArray[np.bool_]


def _ordered(words: Words) -> NDArray[np.int64]:
    """Map float32 bits to integers in the order of the numbers."""
    signed = words.view(np.int32).astype(np.int64)
    return np.where(signed < 0, -(signed & 0x7FFFFFFF), signed)


def _ulps(want: Words, have: Words) -> NDArray[np.int64]:
    return np.abs(_ordered(want) - _ordered(have))


def _is_nan(words: Words) -> Bools:
    return (words & 0x7FFFFFFF) > 0x7F800000  # noqa: PLR2004


def _bits(_: dict[str, Any], want: Words, have: Words, at: NDArray[Any]) -> Bools:
    return want[at] == have[at]


def _ignore(_: dict[str, Any], want: Words, __: Words, at: NDArray[Any]) -> Bools:
    return np.ones(want[at].shape, np.bool_)


def _float32(rule: dict[str, Any], want: Words, have: Words, at: NDArray[Any]) -> Bools:
    w, h = np.ascontiguousarray(want[at]), np.ascontiguousarray(have[at])
    a, b = w.view(np.float32).astype(np.float64), h.view(np.float32).astype(np.float64)
    with np.errstate(all="ignore"):
        gap = np.abs(a - b)
        near = np.isfinite(gap) & (
            (gap <= float(rule.get("abs", 0))) | (gap <= float(rule.get("rel", 0)) * np.abs(a))
        )
    if rule.get("zero_sign", True):
        near &= ~((a == 0) & (b == 0))  # the sign of a zero counts
    else:
        near |= (a == 0) & (b == 0)
    finite = np.isfinite(a) & np.isfinite(b)
    close = finite & (_ulps(w, h) <= int(rule.get("ulp", 0))) & ((a != 0) | (b != 0))
    return (w == h) | close | near | (_is_nan(w) & _is_nan(h))


def _halves(*shifts: int) -> Callable[..., Bools]:
    def same(_: dict[str, Any], want: Words, have: Words, at: NDArray[Any]) -> Bools:
        good = np.ones(want[at].shape, np.bool_)
        for shift in shifts:
            w, h = want[at] >> shift & 0xFFFF, have[at] >> shift & 0xFFFF
            nan = ((w & 0x7FFF) > 0x7C00) & ((h & 0x7FFF) > 0x7C00)  # noqa: PLR2004
            good &= (w == h) | nan
        if len(shifts) == 1:
            good &= want[at] >> 16 == have[at] >> 16
        return good

    return same


def _normalised(dtype: str) -> Callable[..., Bools]:
    def near(rule: dict[str, Any], want: Words, have: Words, at: NDArray[Any]) -> Bools:
        w, h = (np.ascontiguousarray(x[at]).view(dtype).reshape(-1, 4).astype(int)
                for x in (want, have))  # fmt: skip
        if dtype == "i1":
            w, h = np.maximum(w, -127), np.maximum(h, -127)  # two codes mean -1
        return (np.abs(w - h) <= float(rule["ulp"])).all(axis=1)

    return near


def _double(partner: int) -> Callable[..., Bools]:
    """Compare half of a float64; `partner` is where its other half lies."""

    def same(_: dict[str, Any], want: Words, have: Words, at: NDArray[Any]) -> Bools:
        def is_nan(words: Words) -> Bools:
            other = words[at + partner]
            high, low = (words[at], other) if partner < 0 else (other, words[at])
            top = high & 0x7FFFFFFF
            return (top > 0x7FF00000) | ((top == 0x7FF00000) & (low != 0))  # noqa: PLR2004

        return (want[at] == have[at]) | (is_nan(want) & is_nan(have))

    return same


_RULES: dict[str, Callable[..., Bools]] = {
    "bits32": _bits, "ignore": _ignore, "float32": _float32,
    "half_in_low16": _halves(0), "half_pair": _halves(0, 16),
    "unorm8x4": _normalised("u1"), "snorm8x4": _normalised("i1"),
    "float64_lo": _double(1), "float64_hi": _double(-1),
}  # fmt: skip
