"""Carving: what is put among other bytes comes back, and nothing else does."""

from __future__ import annotations

import random
import struct
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from softd3d.container.dxbc.carve import MAX_DEPTH, HitKind, carve, sm1_size
from softd3d.container.dxbc.container import Chunk, build, parse

# texld r0, t0, s0; mov oC0, r0
PS_2_0 = bytes.fromhex(
    "0002ffff 1f000002 00000080 00000fb0 1f000002 00000090 00080fa0"
    "42000003 00000f80 0000e4b0 0008e4a0 01000002 00080f80 0000e480 ffff0000"
)
# vs_1_1: dcl_position v0; mov oPos, c2[a0.x] with a comment before it
VS_1_1 = bytes.fromhex(
    "0101feff feff0200 43544142 ffff0000 1f000000 00000080 00000f90"
    "01000000 00000fc0 0220e4a0 ffff0000"
)
# ps_1_4: texld r0, t0; phase; +mov r0.a, r1
PS_1_4 = bytes.fromhex(
    "0401ffff 42000000 00000f80 0000e4b0 fdff0000 01000040 00000880 0100e480 ffff0000"
)
# vs_3_0: (!p0) mov o0, c1[aL]
VS_3_0 = bytes.fromhex("0003feff 01000014 00000fe0 0010e4bd 0120e4a0 0008e4f0 ffff0000")


def dwords(data: bytes) -> list[int]:
    return list(struct.unpack(f"<{len(data) // 4}I", data))


def packed(words: list[int]) -> bytes:
    return struct.pack(f"<{len(words)}I", *words)


def found(data: bytes, *, nested: bool = False) -> list[tuple[int, int]]:
    return [(hit.offset, hit.size) for hit in carve(data, nested=nested)]


@pytest.mark.parametrize("stream", [PS_2_0, VS_1_1, PS_1_4])
def test_streams_are_measured(stream) -> None:
    assert sm1_size(stream + b"more") == len(stream)
    assert sm1_size(b"?" + stream, 1) == len(stream)
    assert sm1_size(stream[:-4]) == 0
    assert sm1_size(stream[:-1]) == 0


@pytest.mark.parametrize(("length", "size"), [(2, 0), (3, 0), (4, 28), (5, 0), (6, 0)])
def test_predicates_and_address_tokens_are_measured(length, size) -> None:
    """Three tokens at least, and one more for each operand; the fifth here is the end token."""
    words = dwords(VS_3_0)
    words[1] = words[1] & 0xF0FFFFFF | length << 24
    assert sm1_size(packed(words)) == size


@pytest.mark.parametrize(
    ("index", "value"),
    [
        (0, 0xFFFF0204),  # no such version
        (0, 0xFFFD0200),
        (1, 0x02000055 + 0x100),  # no such opcode
        (1, 0x0300001F),  # a wrong length
        (1, 0x8200001F),  # a reserved bit
        (9, 0x30E40000),  # no source parameter
        (2, 0x00000000),  # no usage token
        (14, 0x0001FFFF),  # not quite the end token
    ],
)
def test_what_is_no_stream(index, value) -> None:
    words = dwords(PS_2_0)
    words[index] = value
    assert sm1_size(packed(words)) == 0


def test_a_stream_without_instructions_is_chance() -> None:
    assert sm1_size(bytes.fromhex("0002ffff 00000000 feff0100 00000000 ffff0000")) == 0


@pytest.mark.parametrize("gap", range(5))
def test_any_offset(gap) -> None:
    container = build([Chunk("SHEX", b"12345")])
    data = b"\xff" * gap + container + bytes(gap) + PS_2_0 + VS_1_1 + b"DXBC" + PS_1_4
    hits = list(carve(data))
    assert [data[hit.offset : hit.end] for hit in hits] == [container, PS_2_0, VS_1_1, PS_1_4]
    assert [hit.kind for hit in hits] == [HitKind.CONTAINER, *[HitKind.SM1_TOKENS] * 3]


def test_nested_binaries() -> None:
    inner = build([Chunk("Aon9", PS_2_0)])
    outer = build([Chunk("LIBF", inner), Chunk("PRIV", VS_1_1)])
    data = b"??" + outer + inner
    assert found(data) == [(2, len(outer)), (2 + len(outer), len(inner))]
    hits = list(carve(data, nested=True))
    assert [(h.size, h.parent) for h in hits] == [
        (len(outer), None),
        (len(inner), 2),
        (len(PS_2_0), hits[1].offset),
        (len(VS_1_1), 2),
        (len(inner), None),
        (len(PS_2_0), 2 + len(outer)),
    ]


def test_what_sticks_out_of_a_container_is_no_nested_binary() -> None:
    inner = build([Chunk("PRIV", b"1234")])
    outer = build([Chunk("LIBF", inner[:-4])])
    assert found(outer + inner[-4:], nested=True) == [(0, len(outer))]


def test_nesting_is_bounded() -> None:
    data = b""
    for _ in range(3 * MAX_DEPTH):
        data = build([Chunk("LIBF", data)])
    assert len(found(data, nested=True)) == MAX_DEPTH + 1


@pytest.mark.parametrize(
    ("offset", "value"),
    [(20, 2), (24, 31), (24, 1 << 20), (28, 3), (28, 1 << 30), (32, 8), (32, 60), (36, 40),
     (44, 100)],
)  # fmt: skip
def test_what_is_no_container(offset, value) -> None:
    data = bytearray(build([Chunk("AAAA", b"1234"), Chunk("BBBB", b"1234")]))
    assert found(bytes(data)) == [(0, 64)]
    struct.pack_into("<I", data, offset, value)
    assert found(bytes(data)) == []


@given(st.binary(max_size=300), st.integers(0, 2))
def test_any_bytes_can_be_carved(noise, where) -> None:
    data = noise[: where * 9] + b"DXBC" + bytes(16) + b"\1\0\0\0" + noise + VS_1_1[:20] + noise
    end = 0
    for hit in carve(data):
        assert end <= hit.offset < hit.end <= len(data)
        end = hit.end
        if hit.kind is HitKind.CONTAINER:
            assert parse(data[hit.offset :]).size == hit.size


def calls_made(work: Callable[[], object]) -> int:
    """Return how many functions are called; unlike seconds, it is the same on every machine."""
    count = 0

    def called(_frame: object, event: str, _argument: object) -> None:
        nonlocal count
        count += event in ("call", "c_call")

    sys.setprofile(called)
    try:
        work()
    finally:
        sys.setprofile(None)
    return count


@pytest.mark.parametrize("source", ["walks that meet", "tables that overlap"])
def test_hostile_sources_take_linear_time(source) -> None:
    """Each version token starts a walk; their walks meet in one long way to nowhere."""
    make = {"walks that meet": meeting_walks, "tables that overlap": overlapping_tables}[source]
    once, twice = (
        calls_made(lambda count=count: found(make(count))) for count in (1000, 2000)
    )  # fmt: skip
    assert twice < 2.2 * once


def overlapping_tables(count: int) -> bytes:
    return (b"DXBC" + bytes(16) + struct.pack("<3I", 1, 1 << 20, 4096)) * count


def meeting_walks(count: int) -> bytes:
    mov = struct.pack("<3I", 0x02000001, 0x800F0000, 0x80E40000)
    walks = b"".join(
        b"\0\2\xff\xff" + struct.pack("<I", min(2 * left - 2, 0x7FFF) << 16 | 0xFFFE)
        for left in range(count, 0, -1)
    )
    return walks + mov * 4 * count


def scattered(binaries: list[bytes], seed: int) -> tuple[bytes, list[tuple[int, int]]]:
    """Return the binaries with random bytes between them, and where they are."""
    source = random.Random(seed)
    out, places = bytearray(), []
    for binary in binaries:
        out += source.randbytes(source.randrange(60))
        places.append((len(out), len(binary)))
        out += binary
    return bytes(out + source.randbytes(50)), places


@pytest.mark.corpus
def test_all_corpus_binaries_come_back(shared: Path) -> None:
    paths = sorted((shared / "corpus" / "binaries").rglob("*.bin"))
    # One is noise that happens to start with a magic number.
    binaries = [path.read_bytes() for path in paths if "__fx_2_0__" not in path.name]
    assert len(binaries) > 1500
    data, places = scattered(binaries, 1)
    assert found(data) == places


@pytest.mark.corpus
def test_all_shaders_of_real_effects_come_back(shared: Path) -> None:
    """An effect of Direct3D 9 holds its shaders as they are."""
    counts = {
        path.name: len(found(path.read_bytes()))
        for path in (shared / "samples" / "sm1_3").rglob("*.fxo")
    }
    assert {counts[f"fx_full.{v}.fxo"] for v in (41, 42, 43, 47)} == {4}
    assert {counts[f"fx_min.{v}.fxo"] for v in (42, 47)} == {0}
