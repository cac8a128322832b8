"""Direct3D 10 effects are listed as Microsoft lists them.

The effects in data/effects10 are our own, compiled by d3dcompiler_47; the listings are its own too.
"""

from __future__ import annotations

import struct
from dataclasses import replace
from pathlib import Path

import pytest

import softd3d
from softd3d.container.dxbc.container import parse
from softd3d.container.effects.d3d10.contents import effect_contents
from softd3d.container.effects.d3d10.effect import (
    Effect,
    EffectCounts,
    EffectVersion,
    build_effect,
    parse_effect,
    parse_effect_data,
)
from softd3d.container.listing.container import bare_effect_listing
from softd3d.errors import ContainerError, ShaderError
from softd3d.isa.asm.options import PLAIN, Dialect, ListingOptions, Literals

DATA = Path(__file__).parent / "data/effects10"
PATHS = sorted([*DATA.glob("*.dxbc"), *DATA.glob("*.fxo")])
all_files = pytest.mark.parametrize("path", PATHS, ids=lambda path: path.stem)


def effect_of(data: bytes) -> Effect:
    if data[:4] != b"DXBC":
        return parse_effect_data(data)
    chunk = parse(data).find("FX10")
    assert chunk is not None
    return parse_effect(chunk)


def listed(data: bytes, options: ListingOptions = PLAIN) -> str:
    return bare_effect_listing(effect_of(data), options)


@all_files
def test_listing_is_microsoft_s(path: Path) -> None:
    golden = path.with_suffix(".asm").read_bytes().decode("latin-1")
    assert listed(path.read_bytes()) == golden


def test_containers_are_listed() -> None:
    path = DATA / "minimal.fx_4_0.dxbc"
    assert softd3d.disassemble(path.read_bytes()) == path.with_suffix(".asm").read_text()


@all_files
def test_both_areas_are_written_as_they_were(path: Path) -> None:
    data = path.read_bytes()
    chunk = parse(data).find("FX10") if path.suffix == ".dxbc" else None
    assert build_effect(effect_of(data)) == (data if chunk is None else chunk.data)


@pytest.mark.parametrize("path", sorted(DATA.glob("*.dxbc")), ids=lambda path: path.stem)
def test_exact_listings_come_back(path: Path) -> None:
    data = path.read_bytes()
    assert softd3d.assemble(softd3d.disassemble_exact(data)) == data


def test_options_do_not_reach_shaders() -> None:
    """Numbers and offsets are not shown, and literals of programs are not in hexadecimal."""
    data = (DATA / "minimal.fx_4_0.dxbc").read_bytes()
    options = ListingOptions(literals=Literals.HEX, numbers=True, offsets=True, debug=False)
    assert listed(data, options) == listed(data)


def test_hexadecimal_literals_end_at_the_first_shader() -> None:
    expressions = listed(
        (DATA / "expressions.fx_4_0.dxbc").read_bytes(), ListingOptions(literals=Literals.HEX)
    )
    assert "iadd expr.x, ij.y, (0x00000001)" in expressions
    child = listed((DATA / "child.fx_4_0.dxbc").read_bytes(), ListingOptions(literals=Literals.HEX))
    assert "iadd expr.x, pi.x, (1)" in child


def test_dialects_reach_shaders() -> None:
    data = (DATA / "minimal.fx_4_0.dxbc").read_bytes()
    assert "dcl_constantbuffer cb0[1]" in listed(data, ListingOptions(Dialect.D3D9_29))


def test_code_alone_is_refused() -> None:
    data = (DATA / "minimal.fx_4_0.dxbc").read_bytes()
    with pytest.raises(ContainerError, match="no listing of code alone"):
        listed(data, ListingOptions(code_only=True))


def test_nothing() -> None:
    """What d3dcompiler_47 prints for empty sources."""
    nothing = Effect(EffectVersion.FX_5_0, EffectCounts(), b"", b"")
    assert bare_effect_listing(nothing) == "//\n// FX Version: fx_5_0\n"
    assert bare_effect_listing(replace(nothing, version=EffectVersion.FX_4_1)) == (
        "//\n// FX Version: fx_4_1\n// Child effect (requires effect pool): false\n"
    )


def test_strings_without_a_value() -> None:
    """Microsoft's disassembler fails at these; here they have no value."""
    data = (DATA / "variables.fx_4_0.dxbc").read_bytes()
    effect = effect_of(data)
    text = next(o for o in effect_contents(effect).objects if o.name == "text")
    old = struct.pack("<I", text.values[0][0])
    at = effect.structured.rindex(old)
    structured = effect.structured[:at] + bytes(4) + effect.structured[at + 4 :]
    assert "String  text;\n" in bare_effect_listing(replace(effect, structured=structured))


@all_files
def test_damage_is_refused_or_listed(path: Path) -> None:
    """Some dwords of each area, replaced by what hurts most."""
    effect = effect_of(path.read_bytes())
    for name in ("structured", "unstructured"):
        area: bytes = getattr(effect, name)
        for at in range(0, len(area) - 3, 4 * max(len(area) // 160, 1)):
            for value in (0, 0x7FFFFFFF, len(effect.unstructured) - 1):
                damaged = area[:at] + struct.pack("<I", value) + area[at + 4 :]
                try:
                    bare_effect_listing(replace(effect, **{name: damaged}))
                except ShaderError as error:
                    assert str(error)


def test_listings_cannot_multiply() -> None:
    """A short record could list a long shader once more, and again."""
    inner = softd3d.assemble("ps_4_0\n" + "mov r0.x, l(1.0)\n" * 5000 + "ret")
    area = bytes(4) + struct.pack("<I", len(inner)) + inner
    shader = len(area)
    area += struct.pack("<2I", 4, 0)
    assignments = struct.pack("<4I", 7, 0, 7, shader) * 2000
    structured = struct.pack("<6I", 0, 1, 0, 0, 2000, 0) + assignments
    effect = Effect(EffectVersion.FX_4_0, EffectCounts(techniques=1), area, structured)
    with pytest.raises(ContainerError, match="the listing is longer than"):
        bare_effect_listing(effect)


def test_names_cannot_multiply() -> None:
    """Each element of an interface variable could name the same 4 KB."""
    count = 1 << 12
    area = bytes(4) + b"a" * 4000 + b"\0" * 4
    at = len(area)
    area += struct.pack("<6I", 4, 4, count, 16, 16, 16)
    default = len(area)
    area += struct.pack("<2I", 4, 0) * count
    structured = struct.pack("<5I", 4, at, default, 0, 0)
    counts = EffectCounts(interface_variables=1, interface_variable_elements=count)
    with pytest.raises(ContainerError, match="texts take more than"):
        bare_effect_listing(Effect(EffectVersion.FX_5_0, counts, area, structured))


def test_an_effect_within_an_effect_is_refused() -> None:
    """So that listings do not nest."""
    inner = (DATA / "minimal.fx_4_0.dxbc").read_bytes()
    area = bytes(4) + struct.pack("<I", len(inner)) + inner + struct.pack("<2I", 4, 0)
    structured = struct.pack("<6I", 0, 1, 0, 0, 1, 0) + struct.pack("<4I", 7, 0, 7, len(area) - 8)
    effect = Effect(EffectVersion.FX_4_0, EffectCounts(techniques=1), area, structured)
    with pytest.raises(ContainerError, match="no SHDR or SHEX chunk, found FX10"):
        bare_effect_listing(effect)


def test_single_buffers_say_so() -> None:
    """As d3dcompiler_47 lists `single cbuffer` of fx_5_0."""
    area = bytes(4) + b"X\0\0\0"
    structured = struct.pack("<6I", 4, 16, 2, 0, 2, 0)
    counts = EffectCounts(constant_buffers=1)
    text = bare_effect_listing(Effect(EffectVersion.FX_5_0, counts, area, structured))
    assert text.endswith("//\n// 1 local buffer(s)\n//\ncbuffer single X : register(b2)\n{\n}\n\n")
