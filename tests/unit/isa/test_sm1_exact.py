"""The exact dialect of SM1-3 gives every stream back to the last bit."""

from __future__ import annotations

import re
import struct
from pathlib import Path

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from softd3d.errors import AssemblyError, DecodeError
from softd3d.isa.asm.sm1.assembler import assemble_stream
from softd3d.isa.asm.sm1.exact import exact_code
from softd3d.isa.sm1 import tokens as t
from softd3d.isa.sm1.decode import decode
from softd3d.isa.sm1.enums import Opcode, ProgramType
from softd3d.isa.sm1.program import Comment, Program

DATA = sorted((Path(__file__).parent / "data/sm1").glob("*.bin"))
VS_1_1, VS_2_0, VS_2_X, PS_2_0 = 0xFFFE0101, 0xFFFE0200, 0xFFFE0201, 0xFFFF0200
END = 0xFFFF


def stream(*words: int) -> bytes:
    return struct.pack(f"<{len(words)}I", *words)


def exact_lines(data: bytes) -> list[str]:
    """Return the lines of a stream without the version, after they were assembled again."""
    text = exact_code(decode(data))
    assert assemble_stream(text) == data
    return [line.strip() for line in text.splitlines()[1:]]


@pytest.mark.parametrize("path", DATA, ids=lambda path: path.stem)
def test_own_samples_come_back(path: Path) -> None:
    exact_lines(path.read_bytes())


def test_literals_are_exact() -> None:
    bits = (0x3F800000, 0x3DCCCCCD, 0x80000000, 0x00000001)
    assert exact_lines(stream(VS_2_0, 0x05000051, 0xA00F0000, *bits, END)) == [
        "def c0, 1.0, 0.1, -0.0, 1.4013e-45"
    ]
    bits = (0x7F800000, 0xFF800000, 0x7FC00000, 0xFFC00000)
    assert exact_lines(stream(VS_2_0, 0x05000051, 0xA00F0000, *bits, END)) == [
        "def c0, 1.#INF, -1.#INF, asfloat(0x7fc00000), asfloat(0xffc00000)"
    ]


def test_what_the_text_does_not_say_is_written_as_dwords() -> None:
    sub = (0x03000003, 0x800F0000, 0x90E40000, 0xA0E40000)
    assert exact_lines(stream(VS_2_0, *sub, END)) == [
        ".tokens 0x03000003, 0x800f0000, 0x90e40000, 0xa0e40000  // sub r0, v0, c0"
    ]
    reserved = (0x02000001, 0x800F0000, 0x10E40000)
    assert exact_lines(stream(VS_2_0, *reserved, END)) == [
        ".tokens 0x02000001, 0x800f0000, 0x10e40000  // mov r0, v0"
    ]
    rcp = (6, 0x800F0000, 0x80E40001)
    assert exact_lines(stream(VS_1_1, *rcp, END)) == [
        ".tokens 0x00000006, 0x800f0000, 0x80e40001  // rcp r0, r1"
    ]


def test_coissue_of_dwords_has_no_mark_outside_them() -> None:
    data = stream(0xFFFF0101, 0x40000001, 0x800F0000, 0x10E40000, END)
    assert exact_lines(data) == [".tokens 0x40000001, 0x800f0000, 0x10e40000  // mov r0, v0"]


@pytest.mark.parametrize("text", ["+mov r0, r1", "+nop", "+tex t0", "+def c0, 1, 2, 3, 4"])
def test_every_coissue_is_marked(text: str) -> None:
    (line,) = exact_lines(assemble_stream(f"ps_1_1 {text}"))
    assert line.startswith("+")


def test_breakp_has_its_own_word() -> None:
    assert exact_lines(stream(VS_2_X, 0x01000060, 0xBD001000, END)) == ["breakp !p0.x"]


def test_comments_and_trailing_bytes() -> None:
    data = stream(PS_2_0, 0x0009FFFE, 0x42415443, *range(8), 0xFFFE, 0x8001FFFE, 5, END) + b"\1\2"
    assert exact_lines(data) == [
        f".comment {', '.join([f'0x{n:08x}' for n in (0x42415443, *range(7))])},  // CTAB",
        "0x00000007",
        ".comment",
        ".tokens 0x8001fffe, 0x00000005",
        ".trailing 0x01, 0x02",
    ]


def test_blocks_are_indented() -> None:
    code = exact_code(decode(assemble_stream("ps_2_x if_gt r0.x, r1.x add r0, r0, r1 endif")))
    assert [re.match(" *", line).end() for line in code.splitlines()] == [4, 4, 6, 4]  # type: ignore[union-attr]


def test_what_no_stream_can_have_is_an_error() -> None:
    with pytest.raises(AssemblyError):
        exact_code(Program(ProgramType.VS, 2, 0, (Comment(b"123"),)))


@st.composite
def streams(draw: st.DrawFn) -> bytes:
    """Streams whose instructions have the right lengths and any bits otherwise."""
    stage = draw(st.sampled_from(ProgramType))
    version = draw(st.sampled_from(sorted(t.VERSIONS[stage])))
    major, minor = version
    words = [stage << 16 | major << 8 | minor]
    opcodes = st.sampled_from(sorted(set(Opcode) - {Opcode.COMMENT, Opcode.END}))
    dwords = st.integers(0, 0xFFFFFFFF)
    for opcode in draw(st.lists(opcodes, max_size=4)):
        layout = t.layout(opcode, stage, version)
        assert layout is not None
        count = layout.has_usage + layout.has_destination + layout.sources
        plain = ~t.RELATIVE.put(1) & ~0x08001000  # modifiers and registers that are defined
        sizes = [draw(dwords) & plain for _ in range(count)]
        sizes += [draw(dwords) for _ in range(layout.immediates)]
        token = opcode | (draw(dwords) & 0x00FF0000 if draw(st.booleans()) else 0)
        if t.instruction_fields(version).has_length:
            token |= t.LENGTH.put(len(sizes))
        words += [token, *sizes]
    return stream(*words, END) + draw(st.binary(max_size=3))


@given(streams())
def test_any_stream_comes_back(data: bytes) -> None:
    try:
        program = decode(data)
    except DecodeError:
        assume(False)
    else:
        assert assemble_stream(exact_code(program)) == data


@pytest.mark.corpus
@pytest.mark.parametrize(
    ("folder", "least"),
    [("samples/sm1_3", 700), pytest.param("corpus/binaries", 400, marks=pytest.mark.slow)],
)
def test_every_real_stream_comes_back(shared, folder: str, least: int) -> None:
    found: set[bytes] = set()
    for path in (shared / folder).glob("**/*.bin"):
        data = path.read_bytes()
        version = int.from_bytes(data[:4], "little")
        is_stream = version >> 16 in set(ProgramType) and version & 0xFFFF < 0x400
        if is_stream and not len(data) % 4 and not path.name.startswith("m_"):
            found.add(data)
    wrong = [data[:16] for data in found if assemble_stream(exact_code(decode(data))) != data]
    assert wrong == []
    assert len(found) > least
