"""`load` takes every kind from paths and bytes; what is none is named, with what to do about it."""

from __future__ import annotations

import mmap
from array import array
from pathlib import Path

import numpy as np
import pytest

import softd3d
from softd3d.container.dxbc import container as dxbc
from softd3d.container.dxbc.hashes import HashKind, hashes
from softd3d.errors import ContainerError, DecodeError, ResourceError
from softd3d.samples import sample
from softd3d.shaders.not_shaders import what_text
from softd3d.source import decode_text, read_source
from softd3d.tools.scan.files import scan_file

CONTAINER = Path(__file__).parents[1] / "container/data"
KINDS = CONTAINER / "chunk_kinds"
MANDELBROT = Path(str(sample("cs_mandelbrot.cs_5_0.dxbc")))
HLSL = Path(str(sample("cs_mandelbrot.hlsl")))
TOKENS = dxbc.parse(MANDELBROT.read_bytes()).program_chunk.data
EFFECT9 = next(iter(sorted((CONTAINER / "effect9").glob("*.fxo"))))
LEGACY = softd3d.assemble("ps_2_0\nmov oC0, c0\n")
INPUTS = {
    "container": (MANDELBROT.read_bytes(), softd3d.Shader),
    "tokens": (TOKENS, softd3d.Shader),
    "SM1-3 tokens": (LEGACY, softd3d.Shader9),
    "effect of Direct3D 9": (EFFECT9.read_bytes(), softd3d.Effect9),
    "effect in a container": ((KINDS / "effect.fx_4_0.dxbc").read_bytes(), softd3d.Effect10),
    "bare effect": ((KINDS / "effect.fx_5_0.fxo").read_bytes(), softd3d.Effect10),
    "library": ((KINDS / "library.lib_5_0.dxbc").read_bytes(), softd3d.Library),
}


@pytest.mark.parametrize("kind", INPUTS)
def test_every_kind_from_everything(kind, tmp_path):
    data, wanted = INPUTS[kind]
    path = tmp_path / "any name.bin"
    path.write_bytes(data)
    with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as mapped:
        given = [
            str(path), path, data, bytearray(data), memoryview(data), array("B", data), mapped,
            np.frombuffer(data, np.uint8),
        ]  # fmt: skip
        for source in given:
            loaded = softd3d.load(source)
            assert type(loaded) is wanted
            assert loaded.data == data
    assert repr(loaded).startswith(f"<{wanted.__name__} ") or "Effect" in repr(loaded)


def test_functions_take_paths_and_bytes(tmp_path):
    path, data = MANDELBROT, MANDELBROT.read_bytes()
    for function in (softd3d.disassemble, softd3d.disassemble_exact, softd3d.reflect, hashes):
        assert function(str(path)) == function(path) == function(bytearray(data))
    assert softd3d.validate(str(path)) == softd3d.validate(path) == softd3d.validate(data) == []
    assert hashes(str(path), [HashKind.CRC32]) == hashes(data, [HashKind.CRC32])
    assert [f.offset for f, _ in scan_file(str(path), [])] == [0]
    legacy = tmp_path / "legacy.pso"
    legacy.write_bytes(LEGACY)
    assert softd3d.load9(str(legacy)).profile == softd3d.load9(legacy).profile == "ps_2_0"
    assert softd3d.reflect(legacy) == softd3d.reflect9(softd3d.load9(legacy))
    assert softd3d.load_effect9(str(EFFECT9)).data == EFFECT9.read_bytes()


def test_assemble_takes_a_text_a_path_and_bytes(tmp_path):
    text = softd3d.disassemble_exact(MANDELBROT)
    path = tmp_path / "a.asm"
    path.write_text(text)
    wanted = MANDELBROT.read_bytes()
    for source in (text, path, text.encode(), text.encode("utf-16")):
        assert softd3d.assemble(source) == wanted
    code = softd3d.disassemble(MANDELBROT)
    assert softd3d.assemble(code, str(MANDELBROT)) == softd3d.assemble(code, wanted)


@pytest.mark.parametrize(
    ("source", "error", "text"),
    [
        (7, TypeError, "found int, wanted a path"),
        (None, TypeError, "found NoneType, wanted a path"),
        (["a"], TypeError, "found list, wanted a path"),
        ("ps_2_0\nret\n", ResourceError, "a str is one; contents are given as bytes"),
        ("a\0b", ResourceError, "wanted a path"),
        ("\ud800", ResourceError, "which is no path"),
        ("", OSError, "directory"),
        ("no such file", FileNotFoundError, "no such file"),
        ("x" * 10_000, OSError, "too long"),
    ],
)
def test_what_is_no_source(source, error, text):
    functions = (
        softd3d.load, softd3d.load9, softd3d.load_effect9, softd3d.disassemble,
        softd3d.disassemble_exact, softd3d.reflect, softd3d.validate, read_source,
    )  # fmt: skip
    for function in functions:
        with pytest.raises(error, match=text):
            function(source)


SOURCES = [
    "float4 main() : SV_Target { return 1; }",
    "cbuffer P { float4 a; };\nvoid main(float4 p : POSITION, out float4 q : SV_Position) { }",
    '#line 1 "a.hlsl"\n\n[numthreads(8, 8, 1)]\nvoid Main(uint3 id : SV_DispatchThreadID) {}',
    '#include "common.hlsli"\n',
    "// ps_5_0\n/* vs_2_0\n   mov r0, r1 */\nTexture2D<float4> t : register(t0);\n",
    "sampler2D s : register(s0);\nhalf4 main(half2 uv : TEXCOORD0) : COLOR\n{ return 1; }",
    "technique T { pass P { PixelShader =\ncompile ps_2_0 main(); } }",
    "RWStructuredBuffer<uint> b;",
    HLSL.read_text(),
]  # fmt: skip
ENCODINGS = ("utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be")


@pytest.mark.parametrize("encoding", ENCODINGS)
@pytest.mark.parametrize("text", SOURCES)
def test_hlsl_must_be_compiled_and_the_error_says_how(text, encoding):
    data = text.encode(encoding)
    for function in (softd3d.load, softd3d.load9, softd3d.load_effect9, softd3d.disassemble,
                     softd3d.disassemble_exact, softd3d.reflect):  # fmt: skip
        with pytest.raises(DecodeError, match="found HLSL source, wanted ") as caught:
            function(data)
        for word in ("compile it first", "`fxc /T ", "`wine fxc.exe /T ", "vkd3d-compiler -x hlsl"):
            assert word in str(caught.value)
    (finding,) = softd3d.validate(data)
    assert finding.message.startswith("it is HLSL source; compile it first, with `fxc /T ")


@pytest.mark.parametrize(
    ("text", "profile"),
    [
        (HLSL.read_text(), "cs_5_0"),
        ("float4 main() : SV_Target { return 1; }", "ps_5_0"),
        ("float4 main() : SV_Position { return 1; }", "vs_5_0"),
        ("technique11 T { pass { } }", "fx_5_0"),
        ("technique T { pass { } }", "fx_2_0"),
    ],
)
def test_the_advice_names_a_target(text, profile):
    found = what_text(text.encode())
    assert found
    assert f"fxc /T {profile} " in found[1]


@pytest.mark.parametrize("encoding", ENCODINGS)
@pytest.mark.parametrize(
    "text",
    [
        softd3d.disassemble(MANDELBROT),
        softd3d.disassemble(MANDELBROT) + "\0",
        softd3d.disassemble_exact(MANDELBROT),
        "ps.1.1\n",
        "// float4 main() { }\n\n    vs_2_0\n#define A c0\nmov oPos, A\n",
        "   0: ps_4_0\n",
    ],
)
def test_listings_must_be_assembled(text, encoding):
    with pytest.raises(
        DecodeError, match=r"found assembler text, .*`softd3d as` or softd3d.assemb"
    ):
        softd3d.load(text.encode(encoding))


@pytest.mark.parametrize(
    "data",
    [b"hello", b"", b'{"shaders": "float4 main()"}', b"<p>float4 main()</p>", b"\1float4 a;",
     b"# notes\nCompile with fxc, for texture 2 of the struct.\n", bytes(100)],
)  # fmt: skip
def test_what_is_no_source_text(data):
    assert what_text(data) is None


def test_dxil_is_named():
    for path in KINDS.glob("shader_model_6*.dxbc"):
        for function in (softd3d.load, softd3d.disassemble):
            if function is softd3d.disassemble and "lib" in path.name:
                continue
            with pytest.raises((ContainerError, DecodeError), match="DXIL"):
                function(path)


def test_effects_and_libraries():
    effect = softd3d.load(KINDS / "effect.fx_5_0.fxo")
    assert isinstance(effect, softd3d.Effect10)
    assert {s.profile[:2] for s in effect.shaders} >= {"vs", "ps"}
    assert effect.contents
    assert all(f.code != "DXBC-FILE-009" for f in softd3d.validate(effect))
    library = softd3d.load(KINDS / "library.lib_5_0.dxbc")
    assert isinstance(library, softd3d.Library)
    assert library.names
    for several in (effect, library):
        with pytest.raises(DecodeError, match="wanted a single shader"):
            softd3d.reflect(several)


def test_text_encodings():
    for encoding in ENCODINGS:
        assert decode_text("ps_2_0\nmov r0, c0".encode(encoding)) == "ps_2_0\nmov r0, c0"
    assert decode_text("ü".encode("latin-1")) == "ü"
    assert decode_text(b"") == ""


def test_hlsl_is_to_be_compiled_for_direct3d_9() -> None:
    source = b"float4 main(float4 p : POSITION) : POSITION { return p; }"
    with pytest.raises(DecodeError, match=r"fxc /T vs_3_0 .* -b d3dbc -p vs_3_0 -e main"):
        softd3d.load9(source)
