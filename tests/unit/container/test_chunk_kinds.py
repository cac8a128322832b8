"""Effects, libraries, shader model 6 chunks, and the table of all kinds of chunks."""

from __future__ import annotations

import random
import struct
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from softd3d.container.dxbc.chunks import CHUNK_KINDS, Blob, describe, read_chunk, write_chunk
from softd3d.container.dxbc.container import MAGIC, Chunk, Container, build, parse
from softd3d.container.dxbc.dxil import (
    DxilProgram,
    DxilShaderKind,
    PipelineStateValidation,
    RuntimeData,
    RuntimeDataPart,
    ShaderDebugName,
    ShaderHash,
    ShaderHashFlags,
)
from softd3d.container.effects.d3d10.effect import (
    Effect,
    EffectCounts,
    EffectVersion,
    EmbeddedContainer,
    build_effect,
    parse_effect,
    parse_effect_data,
)
from softd3d.container.reflection.enums import ShaderVariableClass, ShaderVariableType
from softd3d.container.reflection.library import (
    Level9Stages,
    LibraryEntry,
    LibraryFunction,
    LibraryHeader,
    LibraryParameter,
    LibrarySignature,
    ParameterFlags,
)
from softd3d.errors import ContainerError, ShaderError
from softd3d.isa.sm4.enums import InterpolationMode

DATA = Path(__file__).parent / "data" / "chunk_kinds"
# What is read into objects that hold all of it: anything read can be written and read again.
OWN_KINDS = ("RTS0", "FX10", "LIBH", "LIBF", "LFS0", "DXIL", "ILDB", "ILDN", "HASH", "PSV0", "RDAT")
MUTATIONS = 6000

EFFECT_COUNTS = EffectCounts(
    constant_buffers=1,
    numeric_variables=2,
    object_variables=7,
    techniques=1,
    strings=1,
    shader_resources=1,
    depth_stencil_blocks=1,
    blend_state_blocks=1,
    rasterizer_state_blocks=1,
    samplers=1,
    shaders=2,
    inline_shaders=1,
)


def read(name: str) -> Container:
    return parse((DATA / name).read_bytes())


def chunk_of(name: str, fourcc: str) -> Chunk:
    chunk = read(name).find(fourcc)
    assert chunk is not None
    return chunk


def nested_chunks(container: Container) -> Iterator[Chunk]:
    """Yield the chunks of a container, of its library functions and of its effects' shaders."""
    for chunk in container.chunks:
        yield chunk
        if chunk.fourcc == "LIBF":
            yield from nested_chunks(parse(chunk.data))
        elif chunk.fourcc == "FX10":
            for shader in parse_effect(chunk).containers:
                yield from nested_chunks(parse(shader.data))


def check_round_trips(containers: list[Path]) -> Counter[str]:
    """Check that reading and writing every chunk gives the same bytes; count them by FourCC."""
    seen = Counter[str]()
    for path in containers:
        for chunk in nested_chunks(parse(path.read_bytes())):
            assert write_chunk(chunk.fourcc, read_chunk(chunk)) == chunk.data, (path, chunk.fourcc)
            seen[chunk.fourcc] += 1
    return seen


def test_own_files_round_trip() -> None:
    seen = check_round_trips(sorted(DATA.glob("*.dxbc")))
    assert (seen["RTS0"], seen["FX10"], seen["LIBH"], seen["LIBF"], seen["LFS0"]) == (6, 3, 4, 8, 8)
    assert seen["SHDR"] == 9
    assert seen["Aon9"] == 3
    assert (seen["DXIL"], seen["ILDB"], seen["ILDN"], seen["HASH"]) == (2, 1, 1, 2)
    assert (seen["PSV0"], seen["RDAT"]) == (1, 1)


@pytest.mark.corpus
def test_samples_round_trip(sample_containers: list[Path]) -> None:
    assert check_round_trips(sample_containers)["SHEX"] > 100


@pytest.mark.corpus
def test_corpus_round_trips(corpus_containers: list[Path]) -> None:
    seen = check_round_trips(corpus_containers)
    assert seen["RTS0"] >= 30
    assert seen["DXIL"] == seen["HASH"] == seen["PSV0"] >= 20


# Effects


@pytest.mark.parametrize(
    ("name", "version"),
    [("effect.fx_4_0.dxbc", EffectVersion.FX_4_0), ("effect.fx_4_1.dxbc", EffectVersion.FX_4_1)],
)
def test_effect(name: str, version: EffectVersion) -> None:
    effect = parse_effect(chunk_of(name, "FX10"))
    assert effect.version is version
    assert effect.counts == EFFECT_COUNTS
    assert effect.header_size == 0x4C
    shaders = [parse(shader.data) for shader in effect.containers]
    assert [container.program_chunk.fourcc for container in shaders] == ["SHDR"] * 2
    assert [shader.data[:4] for shader in effect.containers] == [MAGIC] * 2


def test_bare_effects() -> None:
    """fx_5_0 has no container; what FX10 says of the older profiles is the same."""
    data = (DATA / "effect.fx_5_0.fxo").read_bytes()
    effect = parse_effect_data(data)
    assert effect.counts == replace(EFFECT_COUNTS, groups=1)
    assert effect.header_size == 0x60
    assert build_effect(effect) == data
    old = parse_effect(chunk_of("effect.fx_4_0.dxbc", "FX10"))
    assert [s.data for s in effect.containers] == [s.data for s in old.containers]


def test_effect_of_groups_and_interfaces() -> None:
    data = (DATA / "effect_groups.fx_5_0.fxo").read_bytes()
    effect = parse_effect_data(data)
    assert build_effect(effect) == data
    assert effect.counts == EffectCounts(
        constant_buffers=1,
        numeric_variables=1,
        object_variables=1,
        techniques=1,
        shaders=1,
        inline_shaders=1,
        groups=1,
        unordered_access_views=1,
        interface_variables=1,
        interface_variable_elements=2,
        class_instance_elements=1,
    )
    (shader,) = effect.containers
    assert parse(shader.data).find("IFCE") is not None


def test_only_whole_shaders_are_found() -> None:
    """A shader has its size before it and in its header, and ends within the area."""
    shader = build([Chunk("PRIV", b"1234")])
    size, other = struct.pack("<I", len(shader)), struct.pack("<I", len(shader) + 1)
    area = MAGIC + bytes(41) + size + shader + b"?" + other + shader + size + shader[:-1]
    effect = Effect(EffectVersion.FX_4_0, EffectCounts(), area, b"")
    assert effect.containers == (EmbeddedContainer(49, shader),)


@pytest.mark.parametrize(
    ("dword", "value", "words"),
    [(0, 0xFEFF0901, "version"), (8, 1 << 31, "leave"), (8, 0xFFFFFFFF, "leave")],
)
def test_broken_effect(dword: int, value: int, words: str) -> None:
    data = bytearray(chunk_of("effect.fx_4_0.dxbc", "FX10").data)
    struct.pack_into("<I", data, 4 * dword, value)
    with pytest.raises(ContainerError, match=words):
        parse_effect(Chunk("FX10", bytes(data)))


def test_old_effects_have_no_groups() -> None:
    with pytest.raises(ContainerError, match="FX_4_1 cannot count groups"):
        build_effect(Effect(EffectVersion.FX_4_1, EffectCounts(groups=1), b"", b""))
    with pytest.raises(ContainerError, match="shaders -1 does not fit"):
        build_effect(Effect(EffectVersion.FX_4_1, EffectCounts(shaders=-1), b"", b""))


# Libraries


def parameter(name: str, **fields: object) -> LibraryParameter:
    """Return an input scalar float in v0.x, but for what `fields` say."""
    plain = LibraryParameter(
        name,
        "",
        ShaderVariableType.FLOAT,
        ShaderVariableClass.SCALAR,
        1,
        1,
        InterpolationMode.UNDEFINED,
        ParameterFlags.IN,
        0,
        0,
        None,
        None,
    )
    return replace(plain, **fields)  # type: ignore[arg-type]


def returned(name: str, **fields: object) -> LibraryParameter:
    place = {"first_in_register": None, "first_in_component": None}
    place |= {"first_out_register": 0, "first_out_component": 0}
    return parameter(name, **{"flags": ParameterFlags.OUT, **place, **fields})


VECTOR, MATRIX = ShaderVariableClass.VECTOR, ShaderVariableClass.MATRIX_COLUMNS
SIGNATURES = [
    (
        returned("shade", semantic="COLOR0", class_=VECTOR, columns=4),
        parameter("a", class_=VECTOR, columns=4),
        parameter(
            "b",
            class_=VECTOR,
            columns=3,
            flags=ParameterFlags.IN | ParameterFlags.OUT,
            first_in_register=1,
            first_out_register=1,
            first_out_component=0,
        ),
        returned("c", type=ShaderVariableType.INT, first_out_register=2),
        parameter("m", class_=MATRIX, rows=4, columns=4, first_in_register=2),
        parameter(
            "r",
            class_=ShaderVariableClass.MATRIX_ROWS,
            rows=2,
            columns=3,
            first_in_register=6,
        ),
        parameter(
            "uv",
            semantic="TEXCOORD3",
            class_=VECTOR,
            columns=2,
            interpolation=InterpolationMode.CONSTANT,
            first_in_register=8,
        ),
    ),
    (
        returned("twice"),
        parameter("shade", semantic="TWICE"),
        parameter(
            "twice1",
            type=ShaderVariableType.BOOL,
            interpolation=InterpolationMode.LINEAR_NOPERSPECTIVE_CENTROID,
            first_in_register=1,
        ),
    ),
    (
        returned(
            "nothing",
            type=ShaderVariableType.VOID,
            rows=0,
            columns=0,
            flags=ParameterFlags.NONE,
            first_out_register=None,
            first_out_component=None,
        ),
    ),
]


@pytest.mark.parametrize("name", ["library.lib_4_0.dxbc", "library.lib_5_0.dxbc"])
def test_library(name: str) -> None:
    container = read(name)
    header = read_chunk(chunk_of(name, "LIBH"))
    names = ("shade", "twice", "nothing")
    assert header == LibraryHeader(
        "Microsoft (R) HLSL Shader Compiler 10.1",
        tuple(LibraryEntry(function, Level9Stages.NONE) for function in names),
    )
    functions = [read_chunk(chunk) for chunk in container.chunks if chunk.fourcc == "LIBF"]
    signatures: list[object] = []
    for function in functions:
        assert isinstance(function, LibraryFunction)
        chunk = function.container.find("LFS0")
        assert chunk is not None
        signatures.append(read_chunk(chunk))
    assert signatures == [LibrarySignature(parameters) for parameters in SIGNATURES]


@pytest.mark.parametrize(
    ("profile", "stages"),
    [
        ("lib_4_0_level_9_1", Level9Stages.VERTEX | Level9Stages.PIXEL),
        ("lib_4_0_level_9_3_ps_only", Level9Stages.PIXEL),
    ],
)
def test_library_with_direct3d_9_code(profile: str, stages: Level9Stages) -> None:
    header = read_chunk(chunk_of(f"library_level_9.{profile}.dxbc", "LIBH"))
    assert isinstance(header, LibraryHeader)
    assert header.functions == (LibraryEntry("mix", stages),)


def test_libraries_do_not_nest() -> None:
    function = read("library.lib_5_0.dxbc").chunks[0]
    library = build([Chunk("PRIV", b"1234"), function])
    with pytest.raises(ContainerError, match="cannot contain a library") as caught:
        read_chunk(Chunk("LIBF", library, 1000))
    assert caught.value.location is not None
    assert caught.value.location.offset == 1008 + 52


def test_a_function_is_a_container() -> None:
    with pytest.raises(ContainerError, match="LIBF: container: header says 44") as caught:
        read_chunk(Chunk("LIBF", build([Chunk("PRIV", b"")])[:-1], 1000))
    assert caught.value.location is not None
    assert caught.value.location.offset == 1008 + 24


@pytest.mark.parametrize(
    ("fourcc", "dword", "value", "words"),
    [
        ("LIBH", 0, 2, "version 2"),
        ("LIBH", 1, 1000, "no string at"),
        ("LIBH", 3, 5000, "5000 functions"),
        ("LIBH", 3, 4000, "leave"),
        ("LIBH", 4, 100, "leave"),
        ("LFS0", 0, 2000, "2000 parameters"),
        ("LFS0", 0, 1000, "leave"),
        ("LFS0", 2, 1000, "no string at"),
        ("LFS0", 4, 200, "parameter type 200"),
        ("LFS0", 5, 8, "parameter class 8"),
        ("LFS0", 8, 8, "interpolation mode 8"),
    ],
)
def test_broken_library(fourcc: str, dword: int, value: int, words: str) -> None:
    chunks = nested_chunks(read("library.lib_5_0.dxbc"))
    data = bytearray(next(chunk.data for chunk in chunks if chunk.fourcc == fourcc))
    struct.pack_into("<I", data, 4 * dword, value)
    with pytest.raises(ContainerError, match=words):
        read_chunk(Chunk(fourcc, bytes(data)))


@pytest.mark.parametrize("name", ["a\0b", "\u0151", "x" * 5000])
def test_names_that_cannot_be_written(name: str) -> None:
    entries = (LibraryEntry(name, Level9Stages.NONE),)
    with pytest.raises(ContainerError, match="LIBH: the name"):
        write_chunk("LIBH", LibraryHeader("creator", entries))
    with pytest.raises(ContainerError, match="LFS0: the name"):
        write_chunk("LFS0", LibrarySignature((parameter("a", semantic=name),)))


# Shader model 6

DXIL = struct.pack("<2I4s3I", 0x00050066, 9, b"DXIL", 0x106, 20, 6) + b"skip" + b"BC\xc0\xdeab..."
PSV = struct.pack("<4I", 8, 1, 2, 2) + struct.pack("<3I", 4, 10, 20) + b"rest"
RDAT = struct.pack("<4I", 16, 2, 16, 27) + struct.pack("<2I", 1, 3) + b"abc"
RDAT += struct.pack("<2I", 4, 0)


def test_dxil() -> None:
    program = read_chunk(Chunk("DXIL", DXIL))
    assert program == DxilProgram(
        DxilShaderKind.COMPUTE, (6, 6), (1, 6), 9, 20, 6, b"skipBC\xc0\xdeab..."
    )
    assert isinstance(program, DxilProgram)
    assert (program.profile, program.bitcode) == ("cs_6_6", b"BC\xc0\xdeab")
    assert write_chunk("DXIL", program) == DXIL
    assert replace(program, kind=DxilShaderKind.MISS).profile == "lib_6_6"


def test_compiled_for_shader_model_6() -> None:
    found = {chunk.fourcc: read_chunk(chunk) for chunk in read("shader_model_6.ps_6_0.dxbc").chunks}
    digest, name, code, debug = (found[fourcc] for fourcc in ("HASH", "ILDN", "DXIL", "ILDB"))
    assert isinstance(digest, ShaderHash)
    assert digest.flags is ShaderHashFlags.INCLUDES_SOURCE
    assert name == ShaderDebugName(f"{digest.digest.hex()}.pdb")
    for program in (code, debug, found["STAT"]):
        assert isinstance(program, DxilProgram)
        assert program.profile == "ps_6_0"
        assert program.bitcode.startswith(b"BC\xc0\xde")
        assert program.bitcode_size == len(program.body)
    validation = found["PSV0"]
    assert isinstance(validation, PipelineStateValidation)
    assert [len(record) for record in validation.resources] == [24, 24]


def test_library_of_shader_model_6() -> None:
    data = read_chunk(chunk_of("shader_model_6.lib_6_3.dxbc", "RDAT"))
    assert isinstance(data, RuntimeData)
    assert [part.type for part in data.parts] == [1, 3, 4, 2]
    assert b"store\0" in data.parts[0].data


def test_statistics_of_shader_model_6_are_a_program() -> None:
    assert isinstance(read_chunk(Chunk("STAT", DXIL)), DxilProgram)
    assert write_chunk("STAT", read_chunk(Chunk("STAT", DXIL))) == DXIL


@pytest.mark.parametrize(
    ("dword", "value", "words"),
    [
        (0, 0x00100060, "shader kind 16"),
        (2, 0, "no DXIL program header"),
        (4, 15, "in the header"),
        (4, 1 << 31, "leave"),
        (5, 28, "leave"),
    ],
)
def test_broken_dxil(dword: int, value: int, words: str) -> None:
    data = bytearray(DXIL)
    struct.pack_into("<I", data, 4 * dword, value)
    with pytest.raises(ContainerError, match=words):
        read_chunk(Chunk("DXIL", bytes(data)))


@pytest.mark.parametrize(
    ("fourcc", "data", "content"),
    [
        (
            "HASH",
            b"\1\0\0\0" + bytes(range(16)),
            ShaderHash(ShaderHashFlags.INCLUDES_SOURCE, bytes(range(16))),
        ),
        ("ILDN", b"\0\0\5\0a.pdb\0\0\0", ShaderDebugName("a.pdb")),
        ("ILDN", b"\2\0\3\0abc\0", ShaderDebugName("abc", 2)),
        ("PSV0", struct.pack("<3I", 4, 7, 0), PipelineStateValidation(b"\7\0\0\0", (), b"")),
        (
            "PSV0",
            PSV,
            PipelineStateValidation(
                struct.pack("<2I", 1, 2), (struct.pack("<I", 10), struct.pack("<I", 20)), b"rest"
            ),
        ),
        ("RDAT", RDAT, RuntimeData(16, (RuntimeDataPart(1, b"abc"), RuntimeDataPart(4, b"")))),
        ("VERS", b"12", Blob(b"12")),
    ],
)
def test_small_chunks_of_shader_model_6(fourcc: str, data: bytes, content: object) -> None:
    assert read_chunk(Chunk(fourcc, data)) == content
    assert write_chunk(fourcc, content) == data


@pytest.mark.parametrize(
    ("fourcc", "data", "words"),
    [
        ("HASH", bytes(24), "24 bytes, wanted 20"),
        ("HASH", bytes(19), "wanted 20"),
        ("ILDN", b"\0\0\5\0abc\0", "leave"),
        ("ILDN", b"\0\0\3\0ab\0\0", "does not end after 3"),
        ("ILDN", b"\0\0\3\0abc\0more", "12 bytes, wanted 8"),
        ("PSV0", struct.pack("<4I", 0, 1 << 31, 4, 0), "leave"),
        ("PSV0", struct.pack("<4I", 0, 2, 0, 0), "records of 0 bytes"),
        ("PSV0", struct.pack("<2I", 100, 0), "leave"),
        ("RDAT", RDAT[:-1], "leave"),
        ("RDAT", RDAT + b"?", "36 bytes, wanted 35"),
        ("RDAT", struct.pack("<2I", 16, 1 << 30), "leave"),
        ("RDAT", struct.pack("<6I", 16, 2, 16, 16, 1, 0), "part 1 is at 0x10, wanted 0x18"),
    ],
)
def test_broken_small_chunks(fourcc: str, data: bytes, words: str) -> None:
    with pytest.raises(ContainerError, match=words):
        read_chunk(Chunk(fourcc, data))


@pytest.mark.parametrize(
    ("fourcc", "content", "words"),
    [
        ("HASH", ShaderHash(ShaderHashFlags.NONE, b"short"), "5 bytes, wanted 16"),
        ("ILDN", ShaderDebugName("a\0"), "without NUL"),
        ("ILDN", ShaderDebugName("a", 1 << 16), "flags 65536 does not fit 16 bits"),
        ("PSV0", PipelineStateValidation(b"", (b"a", b"ab"), b""), "wanted one size"),
        ("PSV0", PipelineStateValidation(b"", (b"",), b""), "wanted one size"),
        ("DXIL", DxilProgram(DxilShaderKind.PIXEL, (6, 16), (1, 0), 6, 16, 0, b""), "4 bits"),
    ],
)
def test_small_chunks_that_cannot_be_written(fourcc: str, content: object, words: str) -> None:
    with pytest.raises(ContainerError, match=words):
        write_chunk(fourcc, content)


# The table


def test_every_kind_is_described() -> None:
    texts = [describe(fourcc) for fourcc in CHUNK_KINDS]
    assert len(set(texts)) == len(texts)
    assert describe("RTS0") == "root signature (Direct3D 12)"
    assert describe("????") == "unknown chunk"
    assert all(kind.holds for kind in CHUNK_KINDS.values())


def test_unknown_chunks_stay_as_they_are() -> None:
    chunk = Chunk("????", b"what is it", 44)
    assert read_chunk(chunk) is chunk
    assert write_chunk("????", chunk) == chunk.data
    assert write_chunk("RTS0", Chunk("RTS0", b"as it is")) == b"as it is"


@pytest.mark.parametrize(
    ("fourcc", "content", "words"),
    [
        ("RTS0", Blob(b""), "RTS0: cannot hold a Blob, wanted RootSignature"),
        ("STAT", 5, "cannot hold a int, wanted Statistics or DxilProgram"),
        ("????", Blob(b""), "cannot hold a Blob, wanted Chunk"),
    ],
)
def test_content_must_be_of_the_kind(fourcc: str, content: object, words: str) -> None:
    with pytest.raises(ContainerError, match=words):
        write_chunk(fourcc, content)


# Damage


def originals() -> list[Chunk]:
    chunks = [
        Chunk("DXIL", DXIL),
        Chunk("PSV0", PSV),
        Chunk("ILDN", b"\0\0\5\0a.pdb\0\0\0"),
        Chunk("HASH", bytes(20)),
        Chunk("RDAT", RDAT),
    ]
    for path in sorted(DATA.glob("*.dxbc")):
        chunks += (
            chunk for chunk in nested_chunks(parse(path.read_bytes())) if chunk.fourcc in OWN_KINDS
        )
    return [replace(chunk, offset=0) for chunk in chunks]


ORIGINALS = originals()


@given(st.sampled_from(ORIGINALS), st.data())
def test_mutations(original: Chunk, draw: st.DataObject) -> None:
    """Damaged chunks are refused with a place, or what is read can be written and read again."""
    changed = bytearray(original.data)
    for _ in range(draw.draw(st.integers(1, 3))):
        at = 4 * draw.draw(st.integers(0, len(changed) // 4 - 1))
        small = st.integers(0, 64) | st.integers(0, len(changed)) | st.just(0xFFFFFFFF)
        struct.pack_into("<I", changed, at, draw.draw(small | st.integers(0, 0xFFFFFFFF)))
    size = draw.draw(st.just(len(changed)) | st.integers(0, len(changed)))
    check_damaged(Chunk(original.fourcc, bytes(changed[:size])))


def test_many_mutations() -> None:
    source = random.Random(7)
    for _ in range(MUTATIONS):
        original = source.choice(ORIGINALS)
        changed = bytearray(original.data)
        for _ in range(source.randint(1, 4)):
            changed[source.randrange(len(changed))] = source.choice(
                [0, 1, 255, source.getrandbits(8)]
            )
        check_damaged(Chunk(original.fourcc, bytes(changed)))


def check_damaged(chunk: Chunk) -> None:
    try:
        content = read_chunk(chunk)
    except ShaderError as error:
        assert error.location is not None
        assert error.location.offset is not None
        assert chunk.data_offset <= error.location.offset <= chunk.data_offset + len(chunk.data)
        return
    written = write_chunk(chunk.fourcc, content)
    assert repr(read_chunk(Chunk(chunk.fourcc, written))) == repr(content)
