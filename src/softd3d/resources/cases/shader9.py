"""Execution cases of single shaders of Direct3D 9: registers in, one register out.

A case is a JSON file beside its shader. Numbers are the bits of float32, eight hexadecimal digits
each. docs/cases.md lists the keys.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from softd3d.formats.d3d9 import d3d9_format
from softd3d.isa.d3d9.states import (
    BUMP_ENVIRONMENT_STATES,
    SamplerStateType,
    TextureStageState,
)
from softd3d.isa.sampling.d3d9.state import SamplerState9
from softd3d.isa.sm1.limits import FIRST_VERTEX_SAMPLER, MAX_RENDER_TARGETS
from softd3d.resources.cases.json import Entry, read_json
from softd3d.resources.d3d9.surfaces import Texture9, TextureType

__all__ = ["Element", "ShaderCase", "is_shader_case", "read_shader_case"]

Words = NDArray[np.uint32]
_COMPONENTS = 4
_MOST_PIXELS = 1 << 12
_MOST_ROWS = 1 << 14
_HEX = 16
_KINDS = {"2d": TextureType.TEXTURE, "cube": TextureType.CUBE, "vol": TextureType.VOLUME}
_DEFAULT_STATES = {"ADDRESSU": 3, "ADDRESSV": 3, "ADDRESSW": 3}
"""What samplers of cases have unless these say otherwise."""


@dataclass(frozen=True, slots=True)
class Element:
    """A vertex element as bytes. type: a number of D3DDECLTYPE. rows: of a vertex each."""

    semantic: str
    type: int
    rows: tuple[bytes, ...]


@dataclass(frozen=True, slots=True)
class ShaderCase:
    """A case, checked as far as a file can be without its shader.

    inputs: uint32, (rows, 4), by register or semantic; one row is that of all pixels, four of a
    `quad` are those of the corners. target: width, height and number. constants: as `evaluate`
    takes them. textures: by name of the sampler. clear_depth: of a case with a depth test, LESS.
    expected: uint32, (pixels * targets, 4). answers: all that are known, each with its source.
    """

    name: str
    shader: Path
    is_quad: bool
    target: tuple[int, int, int]
    output: str
    inputs: Mapping[str, Words]
    elements: tuple[Element, ...]
    constants: Mapping[str, Any]
    textures: Mapping[str, tuple[Texture9, SamplerState9]]
    position_depth: float
    clear_depth: float | None
    expected: Words
    ulp: float
    abs: float
    answers: tuple[tuple[str, Words], ...]


def is_shader_case(data: Mapping[str, Any]) -> bool:
    """Tell whether the object of a file is such a case; other cases have a kind."""
    return "layout" in data


def read_shader_case(path: Path) -> ShaderCase:
    """Read a case file.

    Raises:
        ResourceError: the file is malformed, or the shader is not there.
    """
    entry = Entry(read_json(path), "", path, path.parent)
    width, height, count = entry.integers("target", 3, 1, _MOST_PIXELS)
    if width * height > _MOST_PIXELS or count > MAX_RENDER_TARGETS:
        raise entry.error("target", f"found {width} x {height}, {count} targets: too much")
    layout = entry.text("layout")
    if layout not in ("points", "quad"):
        raise entry.error("layout", f"found {layout!r:.40}, wanted points or quad")
    expected = _rows(entry, "expected")
    if len(expected) != width * height * count:
        raise entry.error(
            "expected", f"found {len(expected)} rows, wanted {width * height * count}"
        )
    tolerance = entry.entry("tolerance")
    inputs = {name: _rows(entry.entry("inputs"), name) for name in entry.entry("inputs")}
    return ShaderCase(
        entry.text("name"), entry.file("shader"), layout == "quad", (width, height, count),
        entry.text("output"), inputs, _elements(entry), _constants(entry), _textures(entry),
        entry.signed("position_z") if "position_z" in entry else 0.0, _clear_depth(entry),
        expected, tolerance.number("ulp", 0.0), tolerance.number("abs", 0.0),
        _answers(entry, expected),
    )  # fmt: skip


def _word(entry: Entry, key: str, text: object) -> int:
    try:
        number = int(text, _HEX) if isinstance(text, str) else -1
    except ValueError:
        number = -1
    if not 0 <= number < 1 << 32:
        raise entry.error(key, f"found {text!r:.40}, wanted eight hexadecimal digits")
    return number


def _rows(entry: Entry, key: str) -> Words:
    """Return rows of four words."""
    found = entry.data.get(key)
    rows = cast("list[Any]", found) if isinstance(found, list) else []
    is_table = all(isinstance(row, list) and len(cast("Any", row)) == _COMPONENTS for row in rows)
    if not is_table or not 0 < len(rows) <= _MOST_ROWS:
        raise entry.error(key, "found no rows of four words")
    return np.array([[_word(entry, key, word) for word in row] for row in rows], np.uint32)


def _answers(entry: Entry, expected: Words) -> tuple[tuple[str, Words], ...]:
    """Return the known answers, which are given by where they differ from the expected one."""
    found: list[tuple[str, Words]] = []
    for one in entry.entries("candidates") if "candidates" in entry else []:
        words, given = expected.copy(), one.data.get("diffs", [])
        try:
            for row, component, word in cast("list[tuple[int, int, str]]", given):
                words[row, component] = _word(one, "diffs", word)
        except (TypeError, ValueError, IndexError):
            raise one.error(
                "diffs", f"found {given!r:.60}, wanted rows, components and words"
            ) from None
        found.append((one.text("source"), words))
    return tuple(found)


def _elements(entry: Entry) -> tuple[Element, ...]:
    found: list[Element] = []
    for one in entry.entries("raw_inputs") if "raw_inputs" in entry else []:
        rows = cast("list[object]", one.data.get("rows"))
        try:
            data = tuple(bytes.fromhex(cast("str", row)) for row in rows)
        except (TypeError, ValueError):
            raise one.error("rows", "found no bytes in hexadecimal digits") from None
        semantic = one.text("semantic")
        semantic = semantic if semantic[-1:].isdigit() else f"{semantic}0"
        found.append(Element(semantic, one.integer("d3ddecltype", 0, 16), data))
    return tuple(found)


def _constants(entry: Entry) -> dict[str, Any]:
    """Return constants and bump environments by the names that `evaluate` has for them."""
    found: dict[str, Any] = {}
    if "const_f" in entry:
        floats = entry.entry("const_f")
        found |= {f"c{start}": _rows(floats, start).view(np.float32) for start in floats}
    for key, letter in (("const_i", "i"), ("const_b", "b")):
        if key in entry:
            found |= {f"{letter}{start}": rows for start, rows in entry.entry(key).data.items()}
    if "texture_stage_states" not in entry:
        return found
    states = entry.entry("texture_stage_states")
    for stage in states:
        given = states.entry(stage)
        unknown = set(given) - set(TextureStageState.__members__)
        if unknown:
            raise given.error(min(unknown), "found no such texture stage state")
        names = [state.name for state in BUMP_ENVIRONMENT_STATES]
        words = [_word(given, name, given.data.get(name, "0")) for name in names]
        found[f"bump{stage}"] = np.array(words, np.uint32).view(np.float32)
    return found


def _textures(entry: Entry) -> dict[str, tuple[Texture9, SamplerState9]]:
    samplers = entry.entry("samplers") if "samplers" in entry else None
    found: dict[str, tuple[Texture9, SamplerState9]] = {}
    for one in entry.entries("textures") if "textures" in entry else []:
        stage = one.integer("stage", 0, FIRST_VERTEX_SAMPLER + 3)
        number = stage - FIRST_VERTEX_SAMPLER if stage >= FIRST_VERTEX_SAMPLER else stage
        given = samplers and str(stage) in samplers and samplers.entry(str(stage))
        found[f"s{number}"] = _texture(one), _sampler(given or None)
    return found


def _texture(entry: Entry) -> Texture9:
    kind = entry.text("kind")
    if kind not in _KINDS:
        raise entry.error("kind", f"found {kind!r:.40}, wanted one of {', '.join(_KINDS)}")
    type_ = _KINDS[kind]
    axes = {TextureType.TEXTURE: 2, TextureType.CUBE: 1, TextureType.VOLUME: 3}[type_]
    given = entry.data.get("dim")
    count = len(cast("list[object]", given)) if isinstance(given, list) else 0
    extents = entry.integers("dim", max(count, axes), 1, 1 << 14)
    width, height = extents[0], extents[1] if count > 1 else extents[0]
    depth = extents[2] if type_ is TextureType.VOLUME else 1
    texture = Texture9(
        width, height, d3d9_format(entry.text("format")), levels=entry.integer("levels", 1, 15),
        type_=type_, depth=depth,
    )  # fmt: skip
    try:
        data = np.frombuffer(bytes.fromhex(entry.text("data")), np.uint8)
    except ValueError:
        raise entry.error("data", "found no hexadecimal digits") from None
    if data.size != texture.memory.size:
        raise entry.error("data", f"found {data.size} bytes, wanted {texture.memory.size}")
    texture.memory[:] = data
    return texture


def _sampler(entry: Entry | None) -> SamplerState9:
    """Return a sampler of states by Direct3D's names; a text is a raw DWORD."""
    words = {SamplerStateType[name]: value for name, value in _DEFAULT_STATES.items()}
    for name in entry or ():
        assert entry is not None  # noqa: S101 - it has states
        if name not in SamplerStateType.__members__:
            raise entry.error(name, "found no such sampler state")
        given = entry.data[name]
        word = _word(entry, name, given) if isinstance(given, str) else entry.integer(
            name, 0, (1 << 32) - 1
        )  # fmt: skip
        words[SamplerStateType[name]] = word
    return SamplerState9.from_words(words)


def _clear_depth(entry: Entry) -> float | None:
    """Return what the depth buffer is cleared to; None without a depth test."""
    if "render_states" not in entry:
        return None
    states = entry.entry("render_states")
    if dict(states.data) != _DEPTH_TEST:
        raise entry.error("render_states", f"found {states.data!r:.80}, wanted {_DEPTH_TEST}")
    return entry.entry("clear").signed("z")


_DEPTH_TEST = {"ZENABLE": 1, "ZWRITEENABLE": 1, "ZFUNC": 2}
