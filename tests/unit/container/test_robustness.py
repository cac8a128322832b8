"""Broken chunks: each names its place; random damage gives a result or a ShaderError."""

from __future__ import annotations

import random
import struct
from pathlib import Path

import pytest

from softd3d.container.dxbc.container import Chunk, Container, parse
from softd3d.container.reflection.constants import constant_leaves
from softd3d.container.reflection.features import parse_features
from softd3d.container.reflection.rdef import parse_rdef
from softd3d.container.reflection.signature import parse_signature
from softd3d.container.reflection.stat import parse_stat
from softd3d.errors import ContainerError, ShaderError

MUTATIONS = 3000
INTERESTING = (0, 1, 2, 3, 7, 16, 0x7F, 0x80, 0xFF, 0xFFFF, 0x10000, 0x7FFFFFFF, 0xFFFFFFFF)
SIGNATURES = ("ISGN", "OSGN", "PCSG", "OSG5", "ISG1", "OSG1", "PSG1")


def read_chunk(chunk: Chunk) -> None:
    """Run the parser of the chunk's kind, for RDEF with everything that follows from it."""
    if chunk.fourcc == "RDEF":
        definitions = parse_rdef(chunk)
        assert definitions.profile
        assert len(repr(definitions)) < 1 << 28
        for buffer in definitions.constant_buffers:
            constant_leaves(buffer)
    elif chunk.fourcc in SIGNATURES:
        parse_signature(chunk)
    elif chunk.fourcc == "STAT":
        parse_stat(chunk)
    elif chunk.fourcc == "SFI0":
        parse_features(chunk)


def mutated(data: bytes, container: Container, source: random.Random) -> bytes:
    """Return `data` with one to four bytes or dwords replaced, mostly in one chunk, or cut."""
    chunk = source.choice(container.chunks)
    start, end = chunk.data_offset, chunk.data_offset + len(chunk.data)
    if source.random() < 0.1 or start + 4 > end:
        start, end = 0, min(len(data), 96)
    changed = bytearray(data)
    for _ in range(source.randint(1, 4)):
        at = source.randrange(start, end - 3)
        kind = source.random()
        if kind < 0.4:
            changed[at] = source.randrange(256)
        elif kind < 0.5:
            changed[at] ^= 1 << source.randrange(8)
        else:
            aligned = at - (at - start) % 4
            value = source.choice(INTERESTING) if kind < 0.7 else source.randrange(len(data))
            struct.pack_into("<I", changed, aligned, value)
    return bytes(changed[: source.randrange(len(data))] if source.random() < 0.05 else changed)


def test_random_mutations_raise_only_shader_errors(small_containers: list[Path]) -> None:
    source = random.Random(20090713)
    originals = [path.read_bytes() for path in small_containers]
    parsed = [parse(data) for data in originals]
    read = refused = 0
    for _ in range(MUTATIONS):
        index = source.randrange(len(originals))
        data = mutated(originals[index], parsed[index], source)
        try:
            for chunk in parse(data).chunks:
                read_chunk(chunk)
            read += 1
        except ShaderError as error:
            refused += 1
            assert error.location is not None, error
            assert error.location.offset is not None
            assert 0 <= error.location.offset <= len(data)
    assert read > MUTATIONS // 10
    assert refused > MUTATIONS // 10


def test_chunks_cut_anywhere(small_containers: list[Path]) -> None:
    """Every prefix of a chunk is refused or gives a result, and no prefix crashes."""
    for path in small_containers:
        for chunk in parse(path.read_bytes()).chunks:
            if chunk.fourcc in ("SHEX", "SHDR", "Aon9"):
                continue
            for size in range(0, len(chunk.data), 1 + len(chunk.data) // 50):
                try:
                    read_chunk(Chunk(chunk.fourcc, chunk.data[:size], chunk.offset))
                except ContainerError as error:
                    assert error.location is not None
                    assert error.location.offset is not None
                    assert chunk.data_offset <= error.location.offset <= chunk.data_offset + size


def sm4_rdef(
    buffers: bytes = b"", counts: tuple[int, int] = (0, 0), target: int = 0xFFFF0400
) -> bytes:
    """Return an RDEF of shader model 4 whose records start at 28, the creator at 0."""
    return struct.pack("<7I", counts[0], 28, counts[1], 28, target, 0, 0) + buffers


def sm4_type(class_: int, members: int, members_at: int) -> bytes:
    return struct.pack("<6HI", class_, 0, 1, 1, 0, members, members_at)


def one_variable(types: bytes) -> bytes:
    """Return an RDEF with a buffer at 28, a variable at 52 and `types` from 76 on."""
    buffer = struct.pack("<6I", 0, 1, 52, 16, 0, 0)
    variable = struct.pack("<6I", 0, 0, 16, 2, 76, 0)
    return sm4_rdef(buffer + variable + types, (1, 0))


@pytest.mark.parametrize(
    ("data", "words", "blamed"),
    [
        (sm4_rdef()[:24], "28 bytes at 0x0", 0),
        (sm4_rdef(target=0x12340400), "no known stage", 16),
        (sm4_rdef(target=0xFFFF0500) + bytes(32), "header tag", 28),
        (sm4_rdef(counts=(1, 0)), "1 records of 24 bytes at 0x1c", 28),
        (sm4_rdef(counts=(0, 1)), "1 records of 32 bytes", 28),
        (sm4_rdef(counts=(0xFFFFFFFF, 0)), "more than 262144 objects", 28),
        (sm4_rdef(struct.pack("<8I", 0, 13, *[0] * 6), (0, 1)), "binding type 13", 28),
        (sm4_rdef(struct.pack("<8I", 0, 0, 9, *[0] * 5), (0, 1)), "return type 9", 28),
        (sm4_rdef(struct.pack("<8I", 0, 0, 0, 12, *[0] * 4), (0, 1)), "dimension 12", 28),
        (sm4_rdef(struct.pack("<6I", 0, 0, 0, 0, 0, 4), (1, 0)), "buffer type 4", 28),
        (sm4_rdef(struct.pack("<6I", 99, 0, 0, 0, 0, 0), (1, 0)), "no string at 0x63", 0),
        (one_variable(sm4_type(8, 0, 0)), "class 8", 76),
        (one_variable(sm4_type(5, 1, 92) + struct.pack("<3I", 0, 76, 0)), "contains itself", 76),
        (one_variable(sm4_type(5, 9, 92)), "9 records of 12 bytes", 92),
        (one_variable(b""), "16 bytes at 0x4c", 76),
    ],
)
def test_broken_rdef(data: bytes, words: str, blamed: int) -> None:
    with pytest.raises(ContainerError, match=words) as caught:
        parse_rdef(Chunk("RDEF", data, 1000))
    assert caught.value.location is not None
    assert caught.value.location.offset == 1008 + blamed


def nested_types(depth: int, width: int) -> bytes:
    """Return structures, each with `width` members of the next, the last one empty."""
    size = 16 + 12 * width
    types = b""
    for level in range(depth):
        at = 76 + level * size
        members = struct.pack("<3I", 0, at + size, 0) * width
        types += sm4_type(5, width, at + 16) + members
    return one_variable(types + sm4_type(5, 0, 0))


def test_types_may_nest_but_not_endlessly() -> None:
    parse_rdef(Chunk("RDEF", nested_types(31, 1)))
    for depth in (32, 33, 5000):
        with pytest.raises(ContainerError, match="nest more than 32 deep"):
            parse_rdef(Chunk("RDEF", nested_types(depth, 1)))


def test_shared_types_cannot_explode() -> None:
    """Thirty levels of two equal members are a kilobyte that would print as a billion types."""
    parse_rdef(Chunk("RDEF", nested_types(10, 2)))
    with pytest.raises(ContainerError, match="expand to more than"):
        parse_rdef(Chunk("RDEF", nested_types(30, 2)))


def test_depth_counts_types_read_before() -> None:
    """A chain cannot grow by pieces that are each short enough."""
    pieces = 40
    types = sm4_type(5, 0, 0)
    at = 28 + 24 + 24 * pieces
    starts = [at]
    for index in range(pieces * 20):
        here = at + 16 + 28 * index
        types += sm4_type(5, 1, here + 16) + struct.pack("<3I", 0, starts[-1], 0)
        starts.append(here)
    variables = b"".join(
        struct.pack("<6I", 0, 0, 16, 2, starts[20 * (piece + 1)], 0) for piece in range(pieces)
    )
    buffer = struct.pack("<6I", 0, pieces, 52, 16, 0, 0)
    with pytest.raises(ContainerError, match="nest more than 32 deep"):
        parse_rdef(Chunk("RDEF", sm4_rdef(buffer + variables + types, (1, 0))))


def test_shared_defaults_cannot_explode() -> None:
    size = 1 << 20
    types_at = 52 + 24 * 100
    variable = struct.pack("<6I", 0, 0, size, 2, types_at, types_at)
    buffer = struct.pack("<6I", 0, 100, 52, 16, 0, 0)
    body = buffer + variable * 100 + sm4_type(0, 0, 0).ljust(size, b"\0")
    with pytest.raises(ContainerError, match="take more than 16777216 bytes"):
        parse_rdef(Chunk("RDEF", sm4_rdef(body, (1, 0))))


def test_shared_names_cannot_explode() -> None:
    """A long name can be named from each of its characters on, and become millions of them."""
    areas, length = 3, 4095
    count = areas * length
    names_at = 68 + 24 * count
    variables = b"".join(
        struct.pack("<6I", names_at + index + index // length, 0, 16, 2, 52, 0)
        for index in range(count)
    )
    names = (b"n" * length + b"\0") * areas
    buffer = struct.pack("<6I", 0, count, 68, 16, 0, 0)
    body = buffer + sm4_type(0, 0, 0) + variables + names
    with pytest.raises(ContainerError, match="take more than 16777216 bytes"):
        parse_rdef(Chunk("RDEF", sm4_rdef(body, (1, 0))))


def element(name: int = 32, value: int = 0, component_type: int = 3) -> bytes:
    return struct.pack("<6I", name, 0, value, component_type, 0, 0x0F0F)


@pytest.mark.parametrize(
    ("fourcc", "data", "words", "blamed"),
    [
        ("STAT", b"", "not a signature", 0),
        ("ISGN", b"1234", "8 bytes at 0x0", 0),
        ("ISGN", struct.pack("<2I", 1025, 8), "1025 elements", 0),
        ("ISGN", struct.pack("<2I", 1, 8), "24 bytes at 0x8", 8),
        ("OSG5", struct.pack("<2I", 1, 8) + element(), "24 bytes at 0xc", 12),
        ("ISGN", struct.pack("<2I", 1, 8) + element(), "no string at 0x20", 0),
        ("ISGN", struct.pack("<2I", 1, 8) + element() + b"ABCD", "without end", 32),
        ("ISGN", struct.pack("<2I", 1, 8) + element(value=17) + b"A\0", "system value 17", 8),
        (
            "OSGN",
            struct.pack("<2I", 1, 8) + element(component_type=10) + b"A\0",
            "component type 10",
            8,
        ),
        (
            "ISG1",
            struct.pack("<3I", 1, 8, 0) + element(40) + struct.pack("<I", 6) + b"A\0",
            "minimum precision 6",
            8,
        ),
    ],
)
def test_broken_signature(fourcc: str, data: bytes, words: str, blamed: int) -> None:
    with pytest.raises(ContainerError, match=words) as caught:
        parse_signature(Chunk(fourcc, data, 500))
    assert caught.value.location is not None
    assert caught.value.location.offset == 508 + blamed


@pytest.mark.parametrize("size", [0, 115, 117, 144, 152, 4096])
def test_broken_stat(size: int) -> None:
    with pytest.raises(ContainerError, match="wanted 112 or 116") as caught:
        parse_stat(Chunk("STAT", bytes(size), 500))
    assert caught.value.location is not None
    assert caught.value.location.offset == 508


def test_broken_features() -> None:
    with pytest.raises(ContainerError, match="SFI0") as caught:
        parse_features(Chunk("SFI0", bytes(7), 500))
    assert caught.value.location is not None
    assert caught.value.location.offset == 508
