"""Loading: what input is, by content; lazy parts; error texts with their places."""

from __future__ import annotations

import struct

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import softd3d
from softd3d.container.dxbc import container as dxbc
from softd3d.errors import ContainerError, DecodeError, ShaderError
from softd3d.isa.sm4.enums import SystemName
from softd3d.samples import sample
from softd3d.shaders.identify import Kind, identify
from softd3d.shaders.shader import load_shader

MANDELBROT = sample("cs_mandelbrot.cs_5_0.dxbc").read_bytes()
TOKENS = dxbc.parse(MANDELBROT).program_chunk.data


def token(value: int) -> bytes:
    return struct.pack("<II", value, 2)


IDENTITIES = [
    (MANDELBROT, Kind.CONTAINER, ""),
    (TOKENS, Kind.TOKENS, "cs_5_0"),
    (token(0x00000040), Kind.TOKENS, "ps_4_0"),
    (token(0x00050051), Kind.TOKENS, "cs_5_1"),
    (token(0xFFFE0101), Kind.SM1_TOKENS, "vs_1_1"),
    (token(0xFFFF0200), Kind.SM1_TOKENS, "ps_2_0"),
    (token(0xFFFF0201), Kind.SM1_TOKENS, "ps_2_x"),
    (token(0xFFFE02FF), Kind.SM1_TOKENS, "vs_2_sw"),
    (token(0xFFFF0300), Kind.SM1_TOKENS, "ps_3_0"),
    (token(0xFEFF0901), Kind.EFFECT, ""),
    (token(0xBCF00BCF), Kind.EFFECT, ""),
    (b"BC\xc0\xde" + bytes(8), Kind.BITCODE, ""),
    (token(0x00050060), Kind.DXIL_PROGRAM, "cs_6_0"),
    (b"", Kind.UNKNOWN, ""),
    (token(0xFEFF1001), Kind.EFFECT10, "fx_4_0"),
    (token(0xFEFF2001), Kind.EFFECT10, "fx_5_0"),
    (b"abc", Kind.UNKNOWN, ""),
    (b"// a listing\n", Kind.UNKNOWN, ""),
]


@pytest.mark.parametrize(("data", "kind", "profile"), IDENTITIES)
def test_content_decides_what_input_is(data, kind, profile):
    found = identify(data)
    assert (found.kind, found.profile) == (kind, profile)


ERRORS = [
    (
        b"",
        DecodeError,
        (
            "not a shader: the input is empty, wanted a program of shader model 4 or 5 "
            "(byte offset 0x0)"
        ),
    ),
    (
        b"DDS |rest",
        DecodeError,
        (
            "not a shader: the input starts with b'DDS ', wanted a program of shader model 4 or 5 "
            "(byte offset 0x0)"
        ),
    ),
    (
        token(0xFFFF0300),
        DecodeError,
        (
            "token stream of shader model 1 to 3, ps_3_0: wanted a program of shader model 4 or 5 "
            "(byte offset 0x0)"
        ),
    ),
    (
        token(0xFEFF0901),
        DecodeError,
        (
            "effect of Direct3D 9 (fx_2_0): wanted a program of shader model 4 or 5; "
            "`softd3d effect extract` gives the shaders inside (byte offset 0x0)"
        ),
    ),
    (
        b"BC\xc0\xde",
        DecodeError,
        (
            "LLVM bitcode (DXIL, shader model 6): wanted a program of shader model 4 or 5; "
            "fxc compiles the same HLSL for shader model 5.1 and below (byte offset 0x0)"
        ),
    ),
    (
        dxbc.build([dxbc.Chunk("DXIL", bytes(8))]),
        ContainerError,
        (
            "the program is DXIL (shader model 6), wanted a SHDR or SHEX chunk (shader model 4 to "
            "5.1) (byte offset 0x24)"
        ),
    ),
    (
        MANDELBROT[:100],
        ContainerError,
        "container: header says 1460 bytes, found 100 (byte offset 0x18)",
    ),
]


@pytest.mark.parametrize(("data", "kind", "text"), ERRORS)
def test_what_is_no_shader_is_named(data, kind, text):
    with pytest.raises(kind) as caught:
        load_shader(data)
    assert str(caught.value) == text


def test_container_and_bare_tokens_are_the_same_program():
    whole, bare = load_shader(MANDELBROT), load_shader(TOKENS)
    assert bare.container is None
    assert bare.reflection is None
    assert bare.signatures.input is None
    assert whole.profile == bare.profile == "cs_5_0"
    assert [i.opcode for i in whole.program.instructions] == [
        i.opcode for i in bare.program.instructions
    ]


def test_parts_are_read_once_and_when_asked_for():
    shader = load_shader(MANDELBROT)
    assert shader.program is shader.program
    assert shader.reflection is shader.reflection
    assert shader.declarations.group_size == (8, 8, 1)
    assert shader.reflection is not None
    assert [b.name for b in shader.reflection.bindings] == ["Dst", "P"]


def test_positions_count_from_the_start_of_the_file():
    chunk = dxbc.parse(MANDELBROT).program_chunk
    damaged = bytearray(MANDELBROT)
    damaged[chunk.data_offset + 8 : chunk.data_offset + 12] = b"\xff\x07\x00\x01"
    shader = load_shader(damaged)
    with pytest.raises(DecodeError, match="opcode 2047 is not defined") as caught:
        _ = shader.program
    assert caught.value.location is not None
    assert caught.value.location.offset == chunk.data_offset + 8


def test_other_stages_declare_what_goes_in_and_out(shader):
    vertex = shader("vs_transform")
    assert vertex.profile == "vs_5_0"
    assert vertex.signatures.input is not None
    declared = vertex.declarations
    assert [register.name for register in declared.inputs][:1] == ["v0"]
    assert declared.outputs[0].system_value is SystemName.POSITION
    assert declared.threads == 0


def test_text_forms():
    shader = load_shader(MANDELBROT)
    assert "dcl_thread_group 8, 8, 1\n" in str(shader)
    assert repr(shader) == "<Shader cs_5_0, 1460 bytes>"
    html = shader._repr_html_()
    assert html.startswith("<pre>")
    assert "<Shader" not in html


def test_a_damaged_program_still_has_a_repr():
    broken = load_shader(TOKENS[:4] + TOKENS[:4] + TOKENS[8:])
    assert repr(broken) == "<Shader cs_5_0, 624 bytes>"
    assert "length is" in broken._repr_html_()


def test_missing_file_is_an_os_error(tmp_path):
    with pytest.raises(FileNotFoundError):
        load_shader(tmp_path / "none.dxbc")


def test_public_names_are_lazy_and_complete():
    for name in softd3d.__all__:
        assert getattr(softd3d, name) is not None
    assert set(softd3d.__all__) <= set(dir(softd3d))
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = softd3d.nothing


def everything(data: bytes) -> None:
    shader = load_shader(data)
    for part in ("program", "reflection", "signatures", "statistics", "declarations", "listing"):
        try:
            getattr(shader, part)
        except ShaderError:
            continue


@given(st.binary(max_size=200))
def test_any_bytes_end_in_a_shader_error(data):
    try:
        everything(data)
    except ShaderError:
        return


@given(st.data())
def test_damaged_containers_end_in_a_shader_error(data):
    damaged = np.frombuffer(bytearray(MANDELBROT), np.uint8)
    for _ in range(data.draw(st.integers(1, 6))):
        damaged[data.draw(st.integers(0, damaged.size - 1))] = data.draw(st.integers(0, 255))
    try:
        everything(damaged.tobytes())
    except ShaderError:
        return


@pytest.mark.corpus
def test_listings_are_microsofts(shared):
    folder = shared / "samples/sm4_5"
    for name in ("cs_mandelbrot.cs_5_0", "cs_sm51_spaces.cs_5_1", "vs_transform.vs_5_0"):
        expected = (folder / f"{name}.asm").read_bytes().decode("latin-1")
        assert str(load_shader(folder / f"{name}.dxbc")) == expected


def test_every_exported_name_is_there() -> None:
    for name in set(softd3d.__all__) - {"__version__"}:
        found = getattr(softd3d, name)  # a number has no name of its own
        assert getattr(found, "__name__", name) in {name, f"softd3d.{name}"}  # latter: modules
