"""Effects of Direct3D 9: bytes to records and back, listings, shaders, and hostile files.

The .fx sources are our own; .47 was compiled by d3dcompiler_47, .d24 by d3dx9_24. The .txt are what
D3DXDisassembleEffect prints, the .json what ID3DXEffect says of parameters and annotations.
"""

from __future__ import annotations

import json
import random
import struct
from dataclasses import fields, is_dataclass, replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from softd3d.container.comments.ctab import ParameterClass, ParameterType
from softd3d.container.effects.d3d9.effect import build_effect9, parse_effect9
from softd3d.container.effects.d3d9.listing import disassembled_effect
from softd3d.container.effects.d3d9.records import (
    FX_2_0,
    NO_INDEX,
    Effect9,
    EffectType,
    Numbers,
    ObjectIds,
    Parameter,
    PoolString,
    SamplerStates,
    Structures,
    Technique,
    Variable,
)
from softd3d.container.effects.d3d9.shaders import embedded_shaders, replace_shader
from softd3d.container.effects.d3d9.states import STATES, state_name
from softd3d.container.effects.d3d9.text import effect_text
from softd3d.container.effects.magic import XNA4
from softd3d.errors import ContainerError, ResourceError, ShaderError
from softd3d.isa.sm1.decode import decode
from softd3d.isa.sm1.enums import ProgramType

DATA = Path(__file__).parent / "data/effect9"
PATHS = sorted(DATA.glob("*.fxo"))
LISTED = sorted(path.stem for path in DATA.glob("*.txt"))
MINIMAL = struct.pack("<10I", FX_2_0, 4, 0, 0, 0, 0, 1, 0, 0, 7)[:-4]


def effect_of(name: str) -> Effect9:
    return parse_effect9((DATA / f"{name}.fxo").read_bytes())


@pytest.mark.parametrize("path", PATHS, ids=lambda path: path.stem)
def test_bytes_come_back(path: Path) -> None:
    data = path.read_bytes()
    assert build_effect9(parse_effect9(data)) == data


@pytest.mark.parametrize("path", PATHS, ids=lambda path: path.stem)
def test_only_padding_means_nothing(path: Path) -> None:
    first, *rest = parse_effect9(path.read_bytes()).unreferenced
    assert (first.place, first.data) == (0, bytes(4))
    assert all(len(part.data) < 4 for part in rest)


@pytest.mark.parametrize("name", LISTED)
def test_listings_are_those_of_d3dx(name: str) -> None:
    assert disassembled_effect(effect_of(name)) == (DATA / f"{name}.txt").read_text()


@pytest.mark.parametrize("path", PATHS, ids=lambda path: path.stem)
def test_blocks_are_passes_samplers_and_shaders(path: Path) -> None:
    effect = parse_effect9(path.read_bytes())
    shaders = (ParameterType.VERTEXSHADER, ParameterType.PIXELSHADER)
    passes = [pass_ for technique in effect.techniques for pass_ in technique.passes]
    states = [state for pass_ in passes for state in pass_.states]
    values = [parameter.variable for parameter in effect.parameters]
    found = len(passes) + sum(state.variable.type.type in shaders for state in states)
    for variable in values:
        if isinstance(variable.value, SamplerStates):
            found += len(variable.value.elements)
        elif variable.type.type in shaders:
            found += max(variable.type.elements, 1)
    assert found == effect.block_count


# --- parameters ---------------------------------------------------------------------------------


def numbers(value: object) -> tuple[int, ...]:
    """Return all dwords of a numeric value or structure in order."""
    match value:
        case Numbers(dwords):
            return dwords
        case Structures(elements):
            return tuple(n for members in elements for part in members for n in numbers(part))
        case _:
            return ()


def described(type_: EffectType, value: object, strings: dict[int, bytes]) -> dict[str, object]:
    found: dict[str, object] = {
        "name": type_.name.text or None,
        "semantic": type_.semantic.text or None,
        "class": int(type_.class_),
        "type": int(type_.type),
        "rows": type_.rows,
        "columns": type_.columns,
        "elements": type_.elements,
        "members": len(type_.members),
    }
    if dwords := numbers(value):
        found["value"] = struct.pack(f"<{len(dwords)}I", *dwords).hex()
    if type_.type is ParameterType.STRING and not type_.elements:
        assert isinstance(value, ObjectIds)
        found["string"] = strings.get(value.ids[0], b"").rstrip(b"\0").decode() or None
    return found


def check(theirs: dict, variable: Variable, strings: dict[int, bytes]) -> None:
    ours = described(variable.type, variable.value, strings)
    assert {key: theirs[key] for key in ours} == ours


@pytest.mark.parametrize("name", ["structs.47", "annots.47"])
def test_parameters_are_what_d3dx_says(name: str) -> None:
    effect = effect_of(name)
    strings = {stored.id: stored.data for stored in effect.objects}
    theirs = json.loads((DATA / f"{name}.json").read_text())
    for described_, parameter in zip(theirs["parameters"], effect.parameters, strict=True):
        check(described_, parameter.variable, strings)
        annotations = described_.get("annotations", [])
        for annotation, variable in zip(annotations, parameter.annotations, strict=True):
            check(annotation, variable, strings)
    for described_, technique in zip(theirs["techniques"], effect.techniques, strict=True):
        for annotation, variable in zip(
            described_["annotations"], technique.annotations, strict=True
        ):
            check(annotation, variable, strings)
        names = [pass_["name"] or "" for pass_ in described_["passes"]]
        assert names == [pass_.name.text for pass_ in technique.passes]


def test_samplers_have_states() -> None:
    effect = effect_of("samplers.47")
    by_name = {p.variable.type.name.text: p.variable.value for p in effect.parameters}
    value = by_name["sarr"]
    assert isinstance(value, SamplerStates)
    assert [[state_name(s.operation) for s in states] for states in value.elements] == [
        ["Texture"],
        ["Texture", "MinFilter"],
    ]
    assert by_name["s9"] == SamplerStates(((),))


# --- states -------------------------------------------------------------------------------------


def test_state_numbers_have_no_gaps() -> None:
    assert sorted(STATES) == list(range(0xB3))
    assert all(number == info.number for number, info in STATES.items())


def test_text_of_states_is_the_source_that_was_compiled() -> None:
    text = effect_text(effect_of("values.47"))
    assert text.splitlines()[2:] == (DATA / "values.fx").read_text().splitlines()
    states = [s for p in effect_of("values.47").techniques[0].passes for s in p.states]
    assert {s.operation for s in states} >= set(range(0x7B))


@pytest.mark.parametrize(
    ("name", "lines"),
    [
        ("annots.47", ["float4 a : SEM", '    string n = "x";', "technique T", "    pass P"]),
        ("samplers.47", ["    Texture = <t0>;", "    BorderColor = 0xff00ff00;", "texture2D t1;"]),
        ("shaders.47", ["        VertexShader = <vs_a>;", "        PixelShader = NULL;"]),
        ("shaders.47", ["        PixelShader = <pa[0]>;", "PixelShader pa[3] ="]),
        ("exprs.47", ["        AlphaRef = the value of", "                mul c0.x, c0.x, (16)"]),
        ("exprs.47", ["        ColorArg1[0] = TEXTURE | COMPLEMENT;"]),
        ("structs.47", ["int3 i3 = { 1, 2, 3 };", "    float4 v : VSEM;", "} ga[2];"]),
    ],
)
def test_text_shows_what_the_source_says(name: str, lines: list[str]) -> None:
    text = effect_text(effect_of(name)).splitlines()
    assert [line for line in lines if line not in text] == []


# --- shaders ------------------------------------------------------------------------------------


ZEROS = DATA / "zeros_after_preshader.bin"


def test_zeros_may_follow_a_preshader() -> None:
    """As in effects that other programs' tests cut by hand, and that Direct3D takes."""
    text = effect_text(parse_effect9(ZEROS.read_bytes()))
    assert "add c0, r0, c2" in text
    assert "LightEnable" in text


def test_a_malformed_expression_does_not_hide_the_rest() -> None:
    code = ZEROS.read_bytes()
    at = code.index(b"FXLC") + 8  # the components of its first instruction
    text = effect_text(parse_effect9(code[:at] + b"\x09" + code[at + 1 :]))
    assert "// FXLC: 9 components, wanted 1 to 4" in text
    assert "LightEnable" in text


def test_shaders_have_places() -> None:
    shaders = embedded_shaders(effect_of("shaders.47"))
    places = [(shader.stage.name, shader.place) for shader in shaders]
    assert places == [
        ("VS", "parameter va[0]"),
        ("VS", "parameter va[1]"),
        ("PS", "parameter pa[0]"),
        ("PS", "parameter pa[1]"),
        ("PS", "parameter pa[2]"),
        ("VS", "parameter vs_a"),
        ("PS", "parameter ps_a"),
        ("PS", "technique U, pass A"),
        ("VS", "technique U, pass A"),
        ("PS", "technique T, pass D"),
        ("VS", "technique T, pass D"),
    ]
    assert all(decode(shader.tokens).type is shader.stage for shader in shaders)
    last = shaders[-1]
    assert (last.technique, last.pass_, last.state, last.parameter) == (0, 3, 0, None)


@pytest.mark.parametrize("number", range(11))
def test_replacing_a_shader_changes_nothing_else(number: int) -> None:
    data = (DATA / "shaders.47.fxo").read_bytes()
    before = embedded_shaders(parse_effect9(data))
    stage = before[number].stage
    other = next(s.tokens for s in before if s.stage is stage and s.tokens != before[number].tokens)
    changed = replace_shader(data, number, other)
    after = embedded_shaders(parse_effect9(changed))
    expected = [replace(s, tokens=other) if n == number else s for n, s in enumerate(before)]
    assert list(after) == expected
    assert replace_shader(changed, number, before[number].tokens) == data


def test_replacing_needs_a_shader_of_the_stage() -> None:
    data = (DATA / "shaders.47.fxo").read_bytes()
    pixel = next(
        s.tokens for s in embedded_shaders(parse_effect9(data)) if s.stage is ProgramType.PS
    )
    with pytest.raises(ContainerError, match="a shader for PS is to replace one for VS, of param"):
        replace_shader(data, 0, pixel)
    with pytest.raises(ResourceError, match="shader: found 11, wanted 0 to 10"):
        replace_shader(data, 11, pixel)
    with pytest.raises(ShaderError):
        replace_shader(data, 2, b"text")


# --- edited and new effects ---------------------------------------------------------------------


def unplaced(record: object) -> object:
    """Return a record without the places of what is in the pool."""
    if isinstance(record, tuple):
        return tuple(unplaced(part) for part in record)
    if not is_dataclass(record) or isinstance(record, type):
        return record
    changes = {
        field.name: None if "place" in field.name else unplaced(getattr(record, field.name))
        for field in fields(record)
    }
    return replace(record, **changes)


@pytest.mark.parametrize("path", PATHS, ids=lambda path: path.stem)
def test_parts_without_places_are_laid_out_anew(path: Path) -> None:
    effect = replace(parse_effect9(path.read_bytes()), unreferenced=(), pool_size=0)
    fresh = unplaced(effect)
    assert isinstance(fresh, Effect9)
    again = parse_effect9(build_effect9(fresh))
    assert unplaced(replace(again, unreferenced=(), pool_size=0)) == fresh


def test_values_and_names_can_be_changed() -> None:
    effect = effect_of("annots.47")
    first = effect.parameters[0]
    type_ = replace(first.variable.type, name=PoolString(b"a_longer_name\0"))
    variable = replace(first.variable, type=type_, value=Numbers((9, 8, 7, 6)))
    changed = replace(
        effect, parameters=(replace(first, variable=variable), *effect.parameters[1:])
    )
    again = parse_effect9(build_effect9(changed))
    assert again.parameters[0].variable.type.name.text == "a_longer_name"
    assert again.parameters[0].variable.value == Numbers((9, 8, 7, 6))
    assert again.parameters[1:] == effect.parameters[1:]
    assert again.techniques == effect.techniques


def float_parameter(value: object, **changes: int) -> Effect9:
    type_ = EffectType(
        ParameterClass.SCALAR, ParameterType.FLOAT, PoolString(b"f\0"), rows=1, columns=1
    )
    variable = Variable(replace(type_, **changes), value)  # type: ignore[arg-type]
    return Effect9((Parameter(variable),), (Technique(PoolString(b"T\0"), ()),))


@pytest.mark.parametrize(
    ("effect", "message"),
    [
        (float_parameter(Numbers((1, 2))), "'f' has 2 numbers, wanted 1"),
        (float_parameter(Numbers((1, 2)), elements=3), "'f' has 2 numbers, wanted 3"),
        (float_parameter(ObjectIds((1,))), "'f' of SCALAR FLOAT has ObjectIds for a value"),
        (float_parameter(Numbers((1 << 32,))), "does not fit 32 bits"),
        (float_parameter(Numbers((-1,))), "does not fit 32 bits"),
    ],
)
def test_values_must_have_the_form_of_their_type(effect: Effect9, message: str) -> None:
    with pytest.raises(ContainerError, match=message):
        build_effect9(effect)


def test_parts_that_overlap_must_agree() -> None:
    effect = effect_of("annots.47")
    first = effect.parameters[0]
    moved = replace(first.variable, value_place=first.variable.type_place)
    broken = replace(effect, parameters=(replace(first, variable=moved), *effect.parameters[1:]))
    with pytest.raises(ContainerError, match=r"value at 0x[0-9a-f]+ differs from another record"):
        build_effect9(broken)


# --- the header ---------------------------------------------------------------------------------


def test_the_header_of_xna_is_kept() -> None:
    data = struct.pack("<4I", XNA4, 16, 0, 0) + (DATA / "shaders.47.fxo").read_bytes()
    effect = parse_effect9(data)
    assert effect.prefix == data[:16]
    assert build_effect9(effect) == data
    assert len(embedded_shaders(effect)) == 11


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "4 bytes at 0x0"),
        (struct.pack("<I", FX_2_0), "4 bytes at 0x0"),
        (b"MGFX" + bytes(20), "MonoGame's own format, wanted 0xfeff0901"),
        (struct.pack("<2I", 0xFEFF0801, 0), "version token 0xfeff0801, wanted"),
        (struct.pack("<2I", FX_2_0, 100), "100 bytes at 0x4 leave"),
        (struct.pack("<3I", XNA4, 12, 0), "XNA header of 12 bytes, wanted 8 to 11"),
        (struct.pack("<3I", XNA4, 4, 0), "XNA header of 4 bytes"),
    ],
)
def test_what_is_no_effect_is_an_error(data: bytes, message: str) -> None:
    with pytest.raises(ContainerError, match=message):
        parse_effect9(data)


# --- broken and hostile input -------------------------------------------------------------------


def with_pool(pool: bytes, index: bytes) -> bytes:
    return struct.pack("<2I", FX_2_0, len(pool)) + pool + index


def test_an_effect_may_be_empty() -> None:
    effect = parse_effect9(MINIMAL)
    assert (effect.parameters, effect.techniques, effect.object_count) == ((), (), 1)
    assert build_effect9(effect) == MINIMAL
    assert effect_text(effect).startswith("// fx_2_0")


def test_structures_nest_to_a_limit() -> None:
    levels = [struct.pack("<6I", 0, ParameterClass.STRUCT, 0, 0, 0, 1)] * 40
    pool = bytes(4) + b"".join(levels)
    index = struct.pack("<8I", 1, 0, 0, 1, 4, 4, 0, 0)
    with pytest.raises(ContainerError, match="nest deeper than 16"):
        parse_effect9(with_pool(pool, index))


def test_samplers_that_contain_themselves_are_errors() -> None:
    pool = bytes(4) + struct.pack("<5I", ParameterType.SAMPLER, ParameterClass.OBJECT, 0, 0, 0)
    value = len(pool)
    pool += struct.pack("<5I", 1, 0xB2, 0, 4, value)
    index = struct.pack("<8I", 1, 0, 0, 1, 4, value, 0, 0)
    with pytest.raises(ContainerError, match="nest deeper than 16"):
        parse_effect9(with_pool(pool, index))


def test_structures_of_nothing_are_counted() -> None:
    pool = bytes(4) + struct.pack("<6I", 0, ParameterClass.STRUCT, 0, 0, 0xFFFFFFFF, 0)
    index = struct.pack("<8I", 1, 0, 0, 1, 4, 0, 0, 0)
    with pytest.raises(ContainerError, match="more than 131072 records"):
        parse_effect9(with_pool(pool, index))


def test_shared_values_are_bounded() -> None:
    type_ = struct.pack("<7I", ParameterType.FLOAT, ParameterClass.SCALAR, 0, 0, 1000, 1, 1)
    pool = bytes(4) + type_ + bytes(4000)
    index = struct.pack("<4I", 1000, 0, 0, 1) + struct.pack("<4I", 4, 32, 0, 0) * 1000
    with pytest.raises(ContainerError, match="records share more than"):
        parse_effect9(with_pool(pool, index + bytes(8)))


def test_shared_shaders_do_not_make_endless_listings(monkeypatch) -> None:
    monkeypatch.setattr("softd3d.container.effects.shader_texts.MAX_TEXT", 1 << 12)
    with pytest.raises(ContainerError, match="the listing is longer than"):
        disassembled_effect(effect_of("shaders.47"))
    with pytest.raises(ContainerError, match="the listing is longer than"):
        effect_text(effect_of("shaders.47"))


def test_resources_of_no_state_are_errors() -> None:
    effect = effect_of("shaders.47")
    for change in ({"technique": 9}, {"index": 99}, {"state": 99}, {"technique": NO_INDEX}):
        broken = replace(effect, resources=(replace(effect.resources[0], **change),))
        again = parse_effect9(build_effect9(broken))
        with pytest.raises(ContainerError, match="effect: no state"):
            embedded_shaders(again)


def survive(data: bytes) -> str:
    """Read, write and list what may be anything; return how that ended."""
    try:
        effect = parse_effect9(data)
        assert build_effect9(effect) == data
        embedded_shaders(effect)
        assert disassembled_effect(effect)
        assert effect_text(effect).endswith("\n")
    except ShaderError as error:
        assert str(error)
        return "error"
    return "text"


@given(st.sampled_from(PATHS), st.data())
def test_damaged_effects_come_back_or_raise(path: Path, data: st.DataObject) -> None:
    broken = bytearray(path.read_bytes())
    places = st.integers(0, len(broken) // 4 - 1)
    values = st.sampled_from([0, 1, 2, 4, 5, 10, 0xFF, 0xFFFF, 0x7FFFFFFF, 0xFFFFFFFF])
    for place in data.draw(st.lists(places, max_size=4)):
        struct.pack_into("<I", broken, 4 * place, data.draw(values | st.integers(0, 400)))
    survive(bytes(broken[: data.draw(st.integers(0, len(broken)) | st.just(len(broken)))]))


@pytest.mark.parametrize("path", PATHS, ids=lambda path: path.stem)
def test_many_damaged_effects_come_back_or_raise(path: Path) -> None:
    data = path.read_bytes()
    (pool_size,) = struct.unpack_from("<I", data, 4)
    rnd = random.Random(path.name)
    outcomes = set()
    for _ in range(60):
        broken = bytearray(data)
        start, stop = rnd.choice(((2, pool_size // 4), (pool_size // 4, len(data) // 4)))
        for _ in range(rnd.randrange(1, 3)):
            place = rnd.randrange(start, stop)
            struct.pack_into("<I", broken, 4 * place, rnd.choice((0, 1, 3, 4, 0xFFFF, 0xFFFFFFFF)))
        outcomes.add(survive(bytes(broken)))
    assert "error" in outcomes


@given(st.binary(max_size=200))
def test_any_bytes_behind_the_token_read_or_raise(tail: bytes) -> None:
    survive(struct.pack("<I", FX_2_0) + tail)


# --- the sample library -------------------------------------------------------------------------


@pytest.mark.corpus
def test_samples_come_back_and_list_as_d3dx_does(shared) -> None:
    paths = sorted((shared / "samples/sm1_3/hlsl").glob("*.fxo"))
    for path in paths:
        data = path.read_bytes()
        effect = parse_effect9(data)
        assert build_effect9(effect) == data, path.name
        listing = path.with_suffix(".fxtxt")
        if listing.exists():
            assert disassembled_effect(effect) == listing.read_text(), path.name
        for number, shader in enumerate(embedded_shaders(effect)):
            stored = path.with_suffix(f".sh{number}.bin")
            assert not stored.exists() or stored.read_bytes() in data
            assert decode(shader.tokens).type is shader.stage
    assert len(paths) == 18


@pytest.mark.corpus
def test_code_that_has_the_token_is_no_effect(shared) -> None:
    (path,) = (shared / "corpus/binaries/slimshader").glob("*__fx_2_0__*")
    with pytest.raises(ContainerError, match="leave the"):
        parse_effect9(path.read_bytes())
