"""What effects declare: buffers, objects, techniques, groups; damage ends in a ContainerError."""

from __future__ import annotations

import struct
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from softd3d.container.dxbc.container import parse
from softd3d.container.effects.d3d10.contents import (
    MAX_TEXT,
    EffectContents,
    EffectType,
    effect_contents,
)
from softd3d.container.effects.d3d10.effect import (
    Effect,
    EffectCounts,
    EffectVersion,
    parse_effect,
    parse_effect_data,
)
from softd3d.container.effects.d3d10.enums import (
    AssignmentType,
    EffectState,
    ObjectType,
    ScalarType,
    VarType,
)
from softd3d.errors import ContainerError

_S, _T = EffectState, AssignmentType
DATA = Path(__file__).parent / "data" / "chunk_kinds"
FLOAT4 = EffectType("float4", VarType.NUMERIC, 0, 16, 16, 16, scalar=ScalarType.FLOAT)
STRING = EffectType("String", VarType.OBJECT, 0, 0, 0, 0, ObjectType.STRING)


def effect_of(name: str) -> Effect:
    data = (DATA / name).read_bytes()
    if name.endswith(".fxo"):
        return parse_effect_data(data)
    chunk = parse(data).find("FX10")
    assert chunk is not None
    return parse_effect(chunk)


def text(effect: Effect, offset: int) -> str:
    return effect.unstructured[offset : effect.unstructured.index(0, offset)].decode()


@pytest.mark.parametrize("name", ["effect.fx_4_0.dxbc", "effect.fx_4_1.dxbc", "effect.fx_5_0.fxo"])
def test_buffers_and_objects(name: str) -> None:
    effect = effect_of(name)
    contents = effect_contents(effect)
    (frame,) = contents.buffers
    assert (frame.name, frame.size, frame.flags, frame.bind_point) == ("Frame", 48, 0, 0)
    tint, weights = frame.variables
    assert (tint.name, tint.type, tint.semantic, tint.offset) == ("tint", FLOAT4, "", 0)
    defaults = struct.unpack_from("<4f", effect.unstructured, tint.default)
    assert defaults == (1.0, 0.5, 0.25, 1.0)
    (note,) = tint.annotations
    assert (note.name, note.type) == ("note", STRING)
    assert text(effect, note.values[0]) == "annotated"
    assert (weights.name, weights.offset, weights.type.elements) == ("weights", 16, 2)
    assert weights.type == EffectType(
        "float", VarType.NUMERIC, 2, 20, 16, 8, scalar=ScalarType.FLOAT
    )
    assert [(o.name, o.type.object_type) for o in contents.objects] == [
        ("colour", ObjectType.TEXTURE_2D),
        ("linear_clamp", ObjectType.SAMPLER),
        ("depth_off", ObjectType.DEPTH_STENCIL),
        ("blend", ObjectType.BLEND),
        ("raster", ObjectType.RASTERIZER),
        ("title", ObjectType.STRING),
        ("shared_ps", ObjectType.PIXEL_SHADER),
    ]
    _, linear, _, blend, _, title, shader = contents.objects
    assert [[a.state for a in block] for block in linear.states] == [
        [EffectState.FILTER, EffectState.ADDRESS_U]
    ]
    # From fx_4_1 on each render target blends on its own.
    targets = 1 if effect.version is EffectVersion.FX_4_0 else 8
    assert [(a.state, a.index) for a in blend.states[0]] == [
        (EffectState.BLEND_ENABLE, 0),
        *((EffectState.SRC_BLEND, target) for target in range(targets)),
    ]
    assert text(effect, title.values[0][0]) == "an effect"
    # A shader is its size, then the container.
    assert shader.values[0][0] + 4 == effect.containers[0].offset


def test_techniques() -> None:
    effect = effect_of("effect.fx_4_0.dxbc")
    (group,) = effect_contents(effect).groups
    (technique,) = group.techniques
    (found,) = technique.passes
    assert (group.name, technique.name, found.name) == ("", "first", "draw")
    (order,) = found.annotations
    assert order.name == "order"
    assert struct.unpack_from("<i", effect.unstructured, order.values[0]) == (1,)
    assert [(a.state, a.type, a.variable) for a in found.assignments] == [
        (_S.VERTEX_SHADER, _T.INLINE_SHADER, ""),
        (_S.GEOMETRY_SHADER, _T.CONSTANT, ""),
        (_S.PIXEL_SHADER, _T.VARIABLE, "shared_ps"),
        (_S.AB_BLEND_FACTOR, _T.CONSTANT, ""),
        (_S.AB_SAMPLE_MASK, _T.CONSTANT, ""),
        (_S.BLEND_STATE, _T.VARIABLE, "blend"),
        (_S.DS_STENCIL_REF, _T.CONSTANT, ""),
        (_S.DEPTH_STENCIL_STATE, _T.VARIABLE, "depth_off"),
        (_S.RASTERIZER_STATE, _T.VARIABLE, "raster"),
    ]


def test_groups_and_interfaces() -> None:
    contents = effect_contents(effect_of("effect_groups.fx_5_0.fxo"))
    (chosen,) = contents.interfaces
    assert (chosen.name, chosen.type.name, chosen.type.kind) == (
        "chosen",
        "ILight",
        VarType.INTERFACE,
    )
    assert chosen.type.elements == 2
    (data,) = contents.objects
    assert data.type.object_type is ObjectType.RW_STRUCTURED_BUFFER
    (lights,) = contents.buffers
    assert [(v.name, v.type.name, v.type.kind) for v in lights.variables] == [
        ("sun", "Sun", VarType.STRUCT)
    ]
    (group,) = contents.groups
    assert (group.name, group.techniques[0].name) == ("g", "t")
    (assignment,) = group.techniques[0].passes[0].assignments
    assert assignment.state is EffectState.COMPUTE_SHADER


def test_child_effect() -> None:
    contents = effect_contents(effect_of("effect_pool.fx_4_0.dxbc"))
    assert [(b.name, b.is_shared) for b in contents.buffers] == [
        ("$Globals", False),
        ("Pool", True),
    ]
    assert [v.semantic for v in contents.buffers[0].variables] == ["BIAS", ""]
    assert [(o.name, o.is_shared, len(o.values)) for o in contents.objects] == [
        ("s", False, 0),
        ("none", False, 2),
        ("pooled", True, 0),
    ]
    assert [a.type for a in contents.objects[0].states[0]] == [
        AssignmentType.EXPRESSION,
        AssignmentType.VARIABLE,
    ]
    (technique,) = contents.groups[0].techniques
    assert [[a.type for a in found.assignments] for found in technique.passes] == [
        [_T.EXPRESSION_INDEX],
        [_T.CONST_INDEX],
    ]


def test_expressions_are_containers_too() -> None:
    effect = effect_of("effect_pool.fx_4_0.dxbc")
    assert [[c.fourcc for c in parse(found.data).chunks] for found in effect.containers] == [
        ["CTAB", "CLI4", "FXLC"]
    ] * 2


def test_nothing() -> None:
    nothing = Effect(EffectVersion.FX_5_0, EffectCounts(), b"", b"")
    assert effect_contents(nothing) == EffectContents((), (), (), ())


@pytest.mark.parametrize(
    ("dword", "value", "words"),
    [
        (0, 1 << 31, "no string at"),
        (3, 1 << 31, "leave"),
        (5, 1 << 31, "is not defined in VarType"),
        (7, 1 << 31, "leave"),
        (7, 4, "type .* is not defined in VarType"),
    ],
)
def test_broken(dword: int, value: int, words: str) -> None:
    effect = effect_of("effect.fx_4_0.dxbc")
    structured = bytearray(effect.structured)
    struct.pack_into("<I", structured, 4 * dword, value)
    with pytest.raises(ContainerError, match=words):
        effect_contents(replace(effect, structured=bytes(structured)))


def test_left_over_records() -> None:
    effect = effect_of("effect.fx_4_0.dxbc")
    with pytest.raises(ContainerError, match="4 bytes follow the last record") as caught:
        effect_contents(replace(effect, structured=effect.structured + bytes(4)))
    assert caught.value.location is not None
    end = effect.header_size + len(effect.unstructured) + len(effect.structured)
    assert caught.value.location.offset == end


def test_names_cannot_multiply() -> None:
    """Records of 8 bytes could name 4 KB each, all of the same long string."""
    count = MAX_TEXT // 4000 + 1
    area = bytes(4) + b"a" * 4000 + b"\0"
    groups = struct.pack("<3I", 4, 0, 0) * count
    effect = Effect(EffectVersion.FX_5_0, EffectCounts(groups=count), area, groups)
    with pytest.raises(ContainerError, match="names take more than"):
        effect_contents(effect)


@pytest.mark.parametrize("field", ["constant_buffers", "object_variables", "techniques"])
def test_counts_ask_for_no_more_than_there_is(field: str) -> None:
    counts = replace(EffectCounts(), **{field: 0xFFFFFFFF})
    with pytest.raises(ContainerError, match="leave"):
        effect_contents(Effect(EffectVersion.FX_4_0, counts, b"", bytes(4000)))


EFFECTS = [
    effect_of(name)
    for name in ("effect.fx_4_0.dxbc", "effect_groups.fx_5_0.fxo", "effect_pool.fx_4_0.dxbc")
]


@given(st.sampled_from(EFFECTS), st.data())
def test_mutations(effect: Effect, draw: st.DataObject) -> None:
    """Damage to either area is refused with a place in the effect, or gives a result."""
    areas = [bytearray(effect.unstructured), bytearray(effect.structured)]
    for _ in range(draw.draw(st.integers(1, 3))):
        area = draw.draw(st.sampled_from(areas))
        at = draw.draw(st.integers(0, len(area) - 4))
        values = st.integers(0, 64) | st.just(0xFFFFFFFF) | st.integers(0, 0xFFFFFFFF)
        struct.pack_into("<I", area, at, draw.draw(values))
    damaged = replace(effect, unstructured=bytes(areas[0]), structured=bytes(areas[1]))
    try:
        effect_contents(damaged)
    except ContainerError as error:
        assert error.location is not None
        size = effect.header_size + len(effect.unstructured) + len(effect.structured)
        assert 0 <= (error.location.offset or 0) <= size
