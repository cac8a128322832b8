"""Rules of Direct3D 10 effects: one broken effect for each, and nothing against the compiler's."""

from __future__ import annotations

import re
import struct
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

import softd3d
from softd3d.container.dxbc.container import Chunk, build, parse
from softd3d.container.effects.d3d10.effect import (
    Effect,
    EffectCounts,
    EffectVersion,
    build_effect,
    parse_effect_data,
)
from softd3d.container.effects.d3d10.enums import AssignmentType, EffectState, ScalarType
from softd3d.container.validate.container import validate_effect
from softd3d.errors import Finding, Severity

DATA = Path(__file__).parent / "data"
PATHS = sorted(
    path
    for folder in ("effects10", "chunk_kinds")
    for pattern in ("*.fx_*.dxbc", "*.fxo")
    for path in (DATA / folder).glob(pattern)
)
S, T = EffectState, AssignmentType


@pytest.mark.parametrize("path", PATHS, ids=lambda path: path.stem)
def test_effects_of_the_compiler_have_no_error(path: Path) -> None:
    """Numbers without a meaning are warnings: the compiler takes them."""
    found = softd3d.validate(path.read_bytes())
    assert [str(f) for f in found if f.severity is Severity.ERROR] == []
    allowed = {"DXBC-FX-006"} if path.stem.startswith("states") else set[str]()
    assert {f.code for f in found} == allowed


def a_pass(state: int, index: int, kind: int, value: int, area: bytes, **counts: int) -> Effect:
    """Return an effect with a pass that makes one assignment."""
    records = struct.pack("<6I", 0, 1, 0, 0, 1, 0) + struct.pack("<4I", state, index, kind, value)
    return Effect(EffectVersion.FX_4_0, EffectCounts(techniques=1, **counts), area, records)


def constants(*pairs: tuple[int, int]) -> bytes:
    return (
        bytes(4) + struct.pack("<I", len(pairs)) + b"".join(struct.pack("<2I", *p) for p in pairs)
    )


ONE = constants((ScalarType.INT, 1))
NAME = bytes(4) + b"name\0\0\0\0"
VERTEX = softd3d.assemble("vs_4_0\nnop\nret")
SHADER = bytes(4) + struct.pack("<I", len(VERTEX)) + VERTEX
INLINE = SHADER + struct.pack("<2I", 4, 0)
ELEMENT = NAME + struct.pack("<2I", 4, 0)


def inline(state: int) -> Effect:
    counts = {"shaders": 1, "inline_shaders": 1}
    return a_pass(state, 0, T.INLINE_SHADER, len(SHADER), INLINE, **counts)


BROKEN: list[tuple[str, Effect, str]] = [
    ("FX-001", a_pass(99, 0, 1, 4, ONE), "state 99 is not defined"),
    ("FX-001", a_pass(S.DS_STENCIL_REF, 0, 1, 99, ONE), "leave"),
    ("FX-001", a_pass(S.DS_STENCIL_REF, 0, T.EXPRESSION, 4, SHADER), "without a chunk FXLC"),
    ("FX-001", inline(S.DS_STENCIL_REF), "DS_STENCIL_REF is assigned a shader"),
    ("FX-002", a_pass(S.DS_STENCIL_REF, 0, 1, 4, ONE, strings=2), "2 strings are counted, found 0"),
    ("FX-003", a_pass(S.FILTER, 0, 1, 4, ONE), "Filter is no state of it"),
    ("FX-003", a_pass(S.DS_STENCIL_REF, 1, 1, 4, ONE), r"DS_StencilRef\[1\], wanted at most 0"),
    ("FX-004", a_pass(S.AB_BLEND_FACTOR, 0, 1, 4, ONE), "has 1 numbers, wanted 4"),
    ("FX-004", a_pass(S.VERTEX_SHADER, 0, 1, 4, ONE), "the only constant is NULL"),
    ("FX-004", a_pass(S.BLEND_STATE, 0, T.VARIABLE, 4, NAME), "there is no variable name"),
    ("FX-004", a_pass(S.BLEND_STATE, 0, T.CONST_INDEX, len(NAME), ELEMENT), "no variable name"),
    ("FX-005", inline(S.PIXEL_SHADER), "a program for vs, wanted ps"),
]  # fmt: skip


@pytest.mark.parametrize(("code", "effect", "words"), BROKEN)
def test_a_broken_effect_has_its_code(code: str, effect: Effect, words: str) -> None:
    found = validate_effect(build_effect(effect))
    assert [f.code for f in found if f.severity is Severity.ERROR][:1] == [f"DXBC-{code}"]
    assert re.search(words, found[0].message)
    assert found[0].location.offset is not None


def test_a_vertex_shader_has_no_error() -> None:
    assert validate_effect(build_effect(inline(S.VERTEX_SHADER))) == validate_shader(VERTEX, 4)


def validate_shader(data: bytes, start: int) -> list[Finding]:
    """Return the findings of a shader in an effect, which has what a shader alone has."""
    header = 4 * (EffectVersion.FX_4_0.count_fields + 2) + start + 4
    return [
        replace(
            f,
            message=f"technique 0, pass 0: {f.message}",
            location=replace(f.location, offset=(f.location.offset or 0) + header),
        )
        for f in softd3d.validate(data)
    ]


def test_numbers_without_a_meaning_are_warnings() -> None:
    found = softd3d.validate((DATA / "effects10/states.fx_4_1.dxbc").read_bytes())
    assert [f.message for f in found] == [
        "variable s2: Filter is 5000, which has no meaning",
        "variable s2: AddressU is 9, which has no meaning",
        "variable b1: BlendEnable is 5, which has no meaning",
    ]


def edited(name: str, edit: Callable[[bytes], bytes]) -> list[Finding]:
    """Return the findings of an effect whose chunk is edited."""
    (chunk,) = parse((DATA / "effects10" / name).read_bytes()).chunks
    return softd3d.validate(build([Chunk("FX10", edit(chunk.data))]))


def test_places_count_from_the_start_of_the_file() -> None:
    """Those of the effect, and those of the shaders in it."""

    def broken(data: bytes) -> bytes:
        at = data.index(b"SHDR") + 8 + 8
        return data[:at] + struct.pack("<I", 0x7FF) + data[at + 4 :]

    found = edited("minimal.fx_4_0.dxbc", broken)
    (chunk,) = parse((DATA / "effects10/minimal.fx_4_0.dxbc").read_bytes()).chunks
    place = chunk.data_offset + chunk.data.index(b"SHDR") + 16
    assert [(f.code, f.location.offset) for f in found if f.code.startswith("SM4-TOK")] == [
        ("SM4-TOK-015", place)
    ]
    assert found[-1].message.startswith("technique t, pass p: ")


def test_an_index_beyond_the_array() -> None:
    def beyond(data: bytes) -> bytes:
        effect = parse_effect_data(data)
        at = effect.unstructured.index(b"targets\0")
        element = effect.unstructured.index(struct.pack("<2I", at, 1))
        area = bytearray(effect.unstructured)
        struct.pack_into("<I", area, element + 4, 2)
        return build_effect(replace(effect, unstructured=bytes(area)))

    found = edited("variables.fx_4_0.dxbc", beyond)
    assert [f.code for f in found] == ["DXBC-FX-004"]
    assert "targets[2], wanted at most 1" in found[0].message


def test_shaders_that_overlap_are_refused() -> None:
    """So that an effect cannot hold more than its size."""
    area = SHADER * 2
    step = len(SHADER)
    area = bytes(4) + struct.pack("<I", len(area) - 8) + area[8:]
    inner = struct.pack("<4I", 4, 0, step + 4, 0)
    effect = a_pass(S.VERTEX_SHADER, 0, T.INLINE_SHADER, len(area), area + inner)
    records = (
        effect.structured[:16]
        + struct.pack("<2I", 2, 0)
        + b"".join(
            struct.pack("<4I", S.VERTEX_SHADER, 0, T.INLINE_SHADER, len(area) + 8 * n)
            for n in (0, 1)
        )
    )
    found = validate_effect(build_effect(replace(effect, structured=records)))
    assert [f.message for f in found] == ["effect: containers overlap"]
