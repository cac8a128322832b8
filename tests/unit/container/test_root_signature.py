"""Root signatures: chunk to object to chunk, their text, and what cannot be read or written."""

from __future__ import annotations

import struct
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from softd3d.container.dxbc.container import Chunk, parse
from softd3d.container.reflection.root_signature import (
    FLOAT32_MAX,
    MAX_RANGES,
    OFFSET_APPEND,
    UNBOUNDED,
    DescriptorRange,
    DescriptorTable,
    RootConstants,
    RootDescriptor,
    RootParameter,
    RootSignature,
    StaticSampler,
    build_root_signature,
    parse_root_signature,
)
from softd3d.container.reflection.root_signature_enums import (
    ComparisonFunc,
    DescriptorRangeFlags,
    DescriptorRangeType,
    Filter,
    RootDescriptorFlags,
    RootParameterType,
    RootSignatureFlags,
    RootSignatureVersion,
    ShaderVisibility,
    StaticBorderColor,
    TextureAddressMode,
)
from softd3d.container.reflection.root_signature_text import root_signature_text
from softd3d.errors import ContainerError

DATA = Path(__file__).parent / "data" / "chunk_kinds"
V1_0, V1_1 = RootSignatureVersion.VERSION_1_0, RootSignatureVersion.VERSION_1_1
NO_FLAGS = RootSignatureFlags.NONE
_P, _R = RootParameterType, DescriptorRangeType
_F = DescriptorRangeFlags

PLAIN = RootSignature(
    V1_0,
    RootSignatureFlags.ALLOW_INPUT_ASSEMBLER_INPUT_LAYOUT
    | RootSignatureFlags.DENY_HULL_SHADER_ROOT_ACCESS
    | RootSignatureFlags.DENY_DOMAIN_SHADER_ROOT_ACCESS
    | RootSignatureFlags.ALLOW_STREAM_OUTPUT,
    (
        RootParameter(_P.CBV, RootDescriptor(0, 1), ShaderVisibility.VERTEX),
        RootParameter(_P.SRV, RootDescriptor(7)),
        RootParameter(_P.UAV, RootDescriptor(2, 3), ShaderVisibility.PIXEL),
        RootParameter(_P.CONSTANTS_32BIT, RootConstants(4, 2, 5), ShaderVisibility.GEOMETRY),
        RootParameter(
            _P.DESCRIPTOR_TABLE,
            DescriptorTable(
                (
                    DescriptorRange(_R.SRV, 4, 0),
                    DescriptorRange(_R.UAV, 3, 0, space=4),
                    DescriptorRange(_R.CBV, 1, 1, offset=9),
                    DescriptorRange(_R.SRV, UNBOUNDED, 100, space=5),
                )
            ),
            ShaderVisibility.HULL,
        ),
        RootParameter(
            _P.DESCRIPTOR_TABLE,
            DescriptorTable((DescriptorRange(_R.SAMPLER, 2, 0, space=6),)),
            ShaderVisibility.DOMAIN,
        ),
    ),
    (
        StaticSampler(3),
        StaticSampler(
            4,
            space=8,
            filter=Filter.MIN_MAG_POINT_MIP_LINEAR,
            address_u=TextureAddressMode.CLAMP,
            address_v=TextureAddressMode.BORDER,
            address_w=TextureAddressMode.MIRROR_ONCE,
            mip_lod_bias=-1.10000002384185791015625,
            max_anisotropy=7,
            comparison_func=ComparisonFunc.GREATER,
            border_color=StaticBorderColor.TRANSPARENT_BLACK,
            min_lod=1.25,
            max_lod=9.0,
            visibility=ShaderVisibility.PIXEL,
        ),
    ),
)
FLAGS = RootSignature(
    V1_1,
    RootSignatureFlags.DENY_VERTEX_SHADER_ROOT_ACCESS
    | RootSignatureFlags.DENY_GEOMETRY_SHADER_ROOT_ACCESS
    | RootSignatureFlags.DENY_PIXEL_SHADER_ROOT_ACCESS,
    (
        RootParameter(_P.CBV, RootDescriptor(0, 0, RootDescriptorFlags.DATA_STATIC)),
        RootParameter(_P.SRV, RootDescriptor(0, 0, RootDescriptorFlags.DATA_VOLATILE)),
        RootParameter(
            _P.UAV,
            RootDescriptor(0, 0, RootDescriptorFlags.DATA_STATIC_WHILE_SET_AT_EXECUTE),
            ShaderVisibility.HULL,
        ),
        RootParameter(
            _P.DESCRIPTOR_TABLE,
            DescriptorTable(
                (
                    DescriptorRange(_R.SRV, 1, 1, 0, _F.DESCRIPTORS_VOLATILE),
                    DescriptorRange(_R.UAV, 1, 1, 0, _F.DESCRIPTORS_VOLATILE | _F.DATA_VOLATILE),
                    DescriptorRange(_R.SRV, 1, 3, 0, _F.DATA_STATIC),
                    DescriptorRange(
                        _R.SRV, 1, 4, 0, _F.DESCRIPTORS_STATIC_KEEPING_BUFFER_BOUNDS_CHECKS, 40
                    ),
                    DescriptorRange(_R.CBV, 1, 5),
                )
            ),
        ),
        RootParameter(
            _P.DESCRIPTOR_TABLE,
            DescriptorTable(
                (
                    DescriptorRange(_R.SAMPLER, 1, 1, 0, _F.DESCRIPTORS_VOLATILE),
                    DescriptorRange(_R.SAMPLER, 1, 2),
                )
            ),
        ),
    ),
)
SHADER = RootSignature(
    V1_1,
    NO_FLAGS,
    (
        RootParameter(_P.CBV, RootDescriptor(0)),
        RootParameter(_P.DESCRIPTOR_TABLE, DescriptorTable((DescriptorRange(_R.SRV, 1, 0),))),
    ),
    (StaticSampler(0, filter=Filter.MIN_MAG_MIP_POINT),),
)
# As `root_signature.hlsl` has them, what is default left out.
PLAIN_TEXT = """\
RootFlags(ALLOW_INPUT_ASSEMBLER_INPUT_LAYOUT | DENY_HULL_SHADER_ROOT_ACCESS |\
 DENY_DOMAIN_SHADER_ROOT_ACCESS | ALLOW_STREAM_OUTPUT),
CBV(b0, space = 1, visibility = SHADER_VISIBILITY_VERTEX),
SRV(t7),
UAV(u2, space = 3, visibility = SHADER_VISIBILITY_PIXEL),
RootConstants(num32BitConstants = 5, b4, space = 2, visibility = SHADER_VISIBILITY_GEOMETRY),
DescriptorTable(SRV(t0, numDescriptors = 4), UAV(u0, numDescriptors = 3, space = 4),\
 CBV(b1, offset = 9), SRV(t100, numDescriptors = unbounded, space = 5),\
 visibility = SHADER_VISIBILITY_HULL),
DescriptorTable(Sampler(s0, numDescriptors = 2, space = 6),\
 visibility = SHADER_VISIBILITY_DOMAIN),
StaticSampler(s3),
StaticSampler(s4, filter = FILTER_MIN_MAG_POINT_MIP_LINEAR, addressU = TEXTURE_ADDRESS_CLAMP,\
 addressV = TEXTURE_ADDRESS_BORDER, addressW = TEXTURE_ADDRESS_MIRROR_ONCE,\
 mipLODBias = -1.1f, maxAnisotropy = 7, comparisonFunc = COMPARISON_GREATER,\
 borderColor = STATIC_BORDER_COLOR_TRANSPARENT_BLACK, minLOD = 1.25f, maxLOD = 9f, space = 8,\
 visibility = SHADER_VISIBILITY_PIXEL)"""
FLAGS_TEXT = """\
RootFlags(DENY_VERTEX_SHADER_ROOT_ACCESS | DENY_GEOMETRY_SHADER_ROOT_ACCESS |\
 DENY_PIXEL_SHADER_ROOT_ACCESS),
CBV(b0, flags = DATA_STATIC),
SRV(t0, flags = DATA_VOLATILE),
UAV(u0, visibility = SHADER_VISIBILITY_HULL, flags = DATA_STATIC_WHILE_SET_AT_EXECUTE),
DescriptorTable(SRV(t1, flags = DESCRIPTORS_VOLATILE),\
 UAV(u1, flags = DESCRIPTORS_VOLATILE | DATA_VOLATILE), SRV(t3, flags = DATA_STATIC),\
 SRV(t4, offset = 40, flags = DESCRIPTORS_STATIC_KEEPING_BUFFER_BOUNDS_CHECKS), CBV(b5)),
DescriptorTable(Sampler(s1, flags = DESCRIPTORS_VOLATILE), Sampler(s2))"""


def chunk_of(name: str) -> Chunk:
    chunk = parse((DATA / name).read_bytes()).find("RTS0")
    assert chunk is not None
    return chunk


@pytest.mark.parametrize(
    ("name", "signature"),
    [
        ("plain.rootsig_1_0.dxbc", PLAIN),
        ("plain.rootsig_1_1.dxbc", replace(PLAIN, version=V1_1)),
        ("flags.rootsig_1_1.dxbc", FLAGS),
        ("empty.rootsig_1_1.dxbc", RootSignature(V1_1, NO_FLAGS)),
        ("root_signature.ps_5_1.dxbc", SHADER),
    ],
)
def test_compiled(name: str, signature: RootSignature) -> None:
    chunk = chunk_of(name)
    assert parse_root_signature(chunk) == signature
    assert build_root_signature(signature) == chunk.data


@pytest.mark.parametrize(
    ("signature", "text"),
    [
        (PLAIN, PLAIN_TEXT),
        (replace(PLAIN, version=V1_1), PLAIN_TEXT),
        (FLAGS, FLAGS_TEXT),
        (RootSignature(V1_0, NO_FLAGS), ""),
        (RootSignature(V1_1, RootSignatureFlags(0x41000)), "RootFlags(0x41000)"),
        (
            RootSignature(V1_1, NO_FLAGS, (), (StaticSampler(0, min_lod=FLOAT32_MAX),)),
            "StaticSampler(s0, minLOD = 3.40282347e+38f)",
        ),
    ],
)
def test_text(signature: RootSignature, text: str) -> None:
    assert root_signature_text(signature) == text


numbers = st.integers(0, 0xFFFFFFFF)
floats = st.floats(width=32, allow_nan=False)
visibilities = st.sampled_from(ShaderVisibility)
ranges = st.builds(
    DescriptorRange,
    st.sampled_from(_R),
    numbers | st.just(UNBOUNDED),
    numbers,
    numbers,
    st.sampled_from(_F),
    numbers | st.just(OFFSET_APPEND),
)
parameters = st.one_of(
    st.builds(
        RootParameter,
        st.sampled_from([_P.CBV, _P.SRV, _P.UAV]),
        st.builds(RootDescriptor, numbers, numbers, st.sampled_from(RootDescriptorFlags)),
        visibilities,
    ),
    st.builds(
        RootParameter,
        st.just(_P.CONSTANTS_32BIT),
        st.builds(RootConstants, numbers, numbers, numbers),
        visibilities,
    ),
    st.builds(
        RootParameter,
        st.just(_P.DESCRIPTOR_TABLE),
        st.builds(DescriptorTable, st.lists(ranges, max_size=4).map(tuple)),
        visibilities,
    ),
)
samplers = st.builds(
    StaticSampler,
    numbers,
    numbers,
    st.sampled_from(Filter),
    st.sampled_from(TextureAddressMode),
    st.sampled_from(TextureAddressMode),
    st.sampled_from(TextureAddressMode),
    floats,
    numbers,
    st.sampled_from(ComparisonFunc),
    st.sampled_from(StaticBorderColor),
    floats,
    floats,
    visibilities,
)
signatures = st.builds(
    RootSignature,
    st.just(V1_1),
    numbers.map(RootSignatureFlags),
    st.lists(parameters, max_size=4).map(tuple),
    st.lists(samplers, max_size=3).map(tuple),
)


@given(signatures)
def test_what_is_written_is_read_again(signature: RootSignature) -> None:
    data = build_root_signature(signature)
    assert parse_root_signature(Chunk("RTS0", data)) == signature
    lines = root_signature_text(signature).count("\n") + 1
    count = len(signature.parameters) + len(signature.static_samplers) + bool(signature.flags)
    assert lines == max(count, 1)


@pytest.mark.parametrize("name", ["plain.rootsig_1_0.dxbc", "flags.rootsig_1_1.dxbc"])
def test_every_prefix_is_refused(name: str) -> None:
    data = chunk_of(name).data
    for size in range(len(data)):
        with pytest.raises(ContainerError) as caught:
            parse_root_signature(Chunk("RTS0", data[:size], 100))
        assert caught.value.location is not None
        assert 108 <= (caught.value.location.offset or 0) <= 108 + size


@pytest.mark.parametrize(
    ("dword", "value", "blamed", "words"),
    [
        (0, 0, 0, "version 0 is not defined in RootSignatureVersion"),
        (0, 3, 0, "version 3"),
        (1, 0xFFFFFFFF, 24, "leave"),
        (2, 0xFFFFFFFC, 352, "leave"),
        (3, 0x10000000, 248, "leave"),
        (6, 5, 24, "parameter type 5"),
        (7, 8, 24, "visibility 8"),
        (8, 348, 348, "8 bytes at 0x15c leave"),
        (35, 4, 140, "descriptor range type 4"),
        (62, 2, 248, "filter 2"),
        (63, 0, 248, "address mode 0"),
        (68, 9, 248, "comparison 9"),
        (69, 5, 248, "border color 5"),
        (74, 8, 248, "visibility 8"),
    ],
)
def test_broken(dword: int, value: int, blamed: int, words: str) -> None:
    data = bytearray(chunk_of("plain.rootsig_1_0.dxbc").data)
    struct.pack_into("<I", data, 4 * dword, value)
    with pytest.raises(ContainerError, match=words) as caught:
        parse_root_signature(Chunk("RTS0", bytes(data), 100))
    assert caught.value.location is not None
    assert caught.value.location.offset == 108 + blamed


def test_tables_cannot_share_ranges_without_end() -> None:
    """A few KB could describe millions of ranges: 512 tables that all show the same 512."""
    head_size = 24 + 12 * 512
    table = struct.pack("<2I", 512, head_size + 8)
    head = struct.pack("<6I", 1, 512, 24, 0, 24, 0)
    head += struct.pack("<3I", 0, 0, head_size) * 512
    with pytest.raises(ContainerError, match=f"more than {MAX_RANGES} descriptor ranges"):
        parse_root_signature(Chunk("RTS0", head + table + bytes(20 * 512)))


@pytest.mark.parametrize(
    ("signature", "words"),
    [
        (replace(FLAGS, version=V1_0), "version 1.0 cannot have descriptor flags"),
        (RootSignature(V1_1, NO_FLAGS, (RootParameter(_P.CBV, RootConstants(0, 0, 1)),)), "CBV"),
        (RootSignature(V1_1, NO_FLAGS, (), (StaticSampler(1 << 32),)), "does not fit"),
        (RootSignature(V1_1, NO_FLAGS, (), (StaticSampler(0, max_lod=1e39),)), "does not fit"),
        (
            RootSignature(V1_1, NO_FLAGS, (RootParameter(_P.SRV, RootDescriptor(-1)),)),
            "register -1 does not fit 32 bits",
        ),
    ],
)
def test_what_cannot_be_written(signature: RootSignature, words: str) -> None:
    with pytest.raises(ContainerError, match=words):
        build_root_signature(signature)
