"""Constant tables, preshaders and debug information of SM1-3, and whole listings with them."""

from __future__ import annotations

import json
import random
import struct
from pathlib import Path

import pytest

from softd3d.container.comments.ctab import (
    Constant,
    ConstantTable,
    ConstantType,
    ParameterClass,
    ParameterType,
    RegisterSet,
    parse_ctab,
)
from softd3d.container.comments.debug import (
    DebugInformation,
    SourceLine,
    debug_notes,
    parse_debug_comment,
)
from softd3d.container.comments.preshader import PreshaderOpcode, PreshaderTable, parse_preshader
from softd3d.container.listing.constant_table import default_value_lines
from softd3d.container.listing.stream import stream_listing
from softd3d.errors import ContainerError, ShaderError
from softd3d.isa.asm.options import ListingOptions, Literals
from softd3d.isa.sm1.decode import decode
from softd3d.isa.sm1.program import Comment

DATA = Path(__file__).parent / "data/sm1"
NAMES = sorted(path.stem for path in DATA.glob("*.bin"))


def payload(name: str, tag: bytes) -> bytes:
    items = decode((DATA / f"{name}.bin").read_bytes()).instructions
    return next(i.payload[4:] for i in items if isinstance(i, Comment) and i.tag == tag)


@pytest.mark.parametrize("name", NAMES)
def test_own_samples_are_identical(name: str) -> None:
    program = decode((DATA / f"{name}.bin").read_bytes())
    assert stream_listing(program) == (DATA / f"{name}.txt").read_text()


@pytest.mark.parametrize("name", NAMES)
def test_numbers_offsets_and_hex_literals_are_identical(name: str) -> None:
    options = ListingOptions(literals=Literals.HEX, numbers=True, offsets=True)
    program = decode((DATA / f"{name}.bin").read_bytes())
    assert stream_listing(program, options) == (DATA / f"{name}.a4.txt").read_text()


@pytest.mark.parametrize("name", NAMES)
def test_code_without_header_and_debug_information(name: str) -> None:
    program = decode((DATA / f"{name}.bin").read_bytes())
    whole = stream_listing(program)
    code = stream_listing(program, ListingOptions(code_only=True))
    assert whole.endswith(code)
    assert code.startswith(f"    {program.profile}\n")
    bare = stream_listing(program, ListingOptions(debug=False))
    assert "#line" not in bare
    assert (bare == whole) == ("#line" not in whole)


@pytest.mark.corpus
def test_listings_of_compiled_samples_are_identical(shared) -> None:
    paths = sorted((shared / "samples/sm1_3/hlsl").glob("*.bin"))
    different = [
        path.name
        for path in paths
        if stream_listing(decode(path.read_bytes())) != path.with_suffix(".txt").read_text()
    ]
    assert different == []
    assert len(paths) == 347


@pytest.mark.corpus
def test_tables_say_what_d3dx_says(shared) -> None:
    keys = ("Name", "RegisterSet", "RegisterIndex", "RegisterCount", "Class", "Type")
    checked = 0
    for path in sorted((shared / "samples/sm1_3/hlsl").glob("*.ctab.json")):
        items = decode(path.with_name(path.name.replace(".ctab.json", ".bin")).read_bytes())
        comment = next((i for i in items.instructions if isinstance(i, Comment)), None)
        described = json.loads(path.read_text())
        if comment is None or comment.tag != b"CTAB" or "constants" not in described:
            continue
        table = parse_ctab(comment.payload[4:])
        found = [
            (c.name, c.register_set, c.register_index, c.register_count, c.type.class_, c.type.type)
            for c in table.constants
        ]
        assert found == [tuple(c[key] for key in keys) for c in described["constants"]], path.name
        assert table.creator == described["Creator"]
        checked += 1
    assert checked > 300


def test_constants_have_types_and_defaults() -> None:
    table = parse_ctab(payload("defaults.ps_2_0.47", b"CTAB"))
    assert table.target == "ps_2_0"
    assert [c.name for c in table.constants] == ["arr", "f", "s", "v3"]
    assert table.constants[1] == Constant(
        "f",
        RegisterSet.FLOAT4,
        2,
        1,
        ConstantType(ParameterClass.SCALAR, ParameterType.FLOAT, 1, 1, 1),
        (0x3FC00000, 0, 0, 0),
    )
    assert [member.name for member in table.constants[2].type.members] == ["a", "b"]


def test_default_values_are_listed_by_register() -> None:
    program = decode((DATA / "defaults.ps_2_0.47.bin").read_bytes())
    lines = stream_listing(program, ListingOptions(default_values=True)).splitlines()
    start = lines.index("// Default values:")
    assert lines[start + 2 : start + 5] == [
        "//   arr",
        "//     c0   = { 0.1, 0, 0, 0 };",
        "//     c1   = { 0.2, 0, 0, 0 };",
    ]


def test_default_values_of_bool_registers_are_words() -> None:
    type_ = ConstantType(ParameterClass.SCALAR, ParameterType.BOOL, 1, 1, 1)
    constant = Constant("on", RegisterSet.BOOL, 3, 1, type_, (0xFFFFFFFF,))
    lines = default_value_lines(ConstantTable("", "ps_3_0", 0, 0, (constant,)))
    assert lines[3:5] == ["//   on", "//     b3   = true;"]


def test_preshaders_have_instructions() -> None:
    preshader = parse_preshader(payload("fx_full.47.sh0", b"PRES"))
    (mul,) = preshader.instructions
    assert mul.opcode is PreshaderOpcode.MUL
    assert mul.is_scalar
    assert [operand.table for operand in mul.inputs] == [PreshaderTable.INPUT] * 2
    assert mul.output.table is PreshaderTable.OUTPUT_FLOAT


def test_debug_notes_name_lines_and_variables() -> None:
    information = parse_debug_comment(payload("half_pp.ps_3_0.47Zi", b"DBUG"))
    assert information.entry == "ps"
    notes = debug_notes(information)
    assert "uv<0,1>" in [note.behind for note in notes]
    assert sum(note.before.startswith("#line 2 ") for note in notes) == 1


@pytest.mark.parametrize(
    ("places", "told"),
    [
        ([(0, 7), (0, 9), (0, 11), (0, 8)], ['#line 7 "a"', "", "", "#line 8"]),
        ([(0, n) for n in range(7, 21, 2)], ['#line 7 "a"', "", "", "", "", "", "#line 19"]),
        ([(0, 7), (1, 7), (0, 7)], ['#line 7 "a"', '#line 7 "b"', '#line 7 "a"']),
        ([(None, 0), (None, 3), (0, 3)], ["", "#line 3", '#line 3 "a"']),
        ([(0, 7), (None, 0), (0, 7)], ['#line 7 "a"', "", '#line 7 "a"']),
    ],
)
def test_lines_are_told_where_the_source_jumps(
    places: list[tuple[int | None, int]], told: list[str]
) -> None:
    lines = tuple(SourceLine(file, line, 0) for file, line in places)
    notes = debug_notes(DebugInformation("", "", ("a", "b"), lines, ()))
    assert [note.before for note in notes] == told


# --- broken and hostile input -------------------------------------------------------------------


def table_bytes(constants: int, types: bytes) -> bytes:
    """Return a table of constants that share a type, which lies behind them."""
    at = 28 + 20 * constants
    name = at + len(types)
    head = struct.pack("<7I", 28, 0, 0, constants, 28, 0, 0)
    record = struct.pack("<IHHHHII", name, 2, 0, 1, 0, at, 0)
    return head + record * constants + types + b"x\0"


def test_types_that_contain_themselves_are_errors() -> None:
    at = 28 + 20
    type_ = struct.pack("<6HI", 5, 0, 1, 1, 1, 1, at + 16) + struct.pack("<II", at + 24, at)
    with pytest.raises(ContainerError, match="nest deeper than 32"):
        parse_ctab(table_bytes(1, type_))


def test_types_that_multiply_are_errors() -> None:
    at = 28 + 20 * 100
    members = b"".join(struct.pack("<II", at, at + 16 + 8 * 1000) for _ in range(1000))
    struct_type = struct.pack("<6HI", 5, 0, 1, 1, 1, 1000, at + 16) + members
    with pytest.raises(ContainerError, match="more than 16384"):
        parse_ctab(table_bytes(100, struct_type + struct.pack("<6HI", 0, 3, 1, 1, 1, 0, 0)))


def test_shared_names_are_bounded() -> None:
    data = table_bytes(1000, struct.pack("<6HI", 0, 3, 1, 1, 1, 0, 0))[:-2]
    with pytest.raises(ContainerError, match="more than 1048576 bytes"):
        parse_ctab(data + b"x" * 4000 + b"\0")


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (bytes(27), "28 bytes at 0x0"),
        (struct.pack("<7I", 4, 0, 0, 0, 0, 0, 0), "header of 4 bytes"),
        (struct.pack("<7I", 28, 0, 0, 9, 28, 0, 0), "9 constants do not fit"),
        (table_bytes(1, struct.pack("<6HI", 6, 3, 1, 1, 1, 0, 0)), "class 6 is not defined"),
        (table_bytes(1, struct.pack("<6HI", 0, 20, 1, 1, 1, 0, 0)), "type 20 is not defined"),
    ],
)
def test_errors_say_what(data: bytes, message: str) -> None:
    with pytest.raises(ContainerError, match=message) as caught:
        parse_ctab(data, 0x40)
    assert caught.value.location is not None


@pytest.mark.parametrize("name", NAMES)
def test_damaged_streams_list_or_raise(name: str) -> None:
    data = (DATA / f"{name}.bin").read_bytes()
    rnd = random.Random(name)
    outcomes = set()
    for _ in range(200):
        broken = bytearray(data)
        for _ in range(rnd.randrange(1, 4)):
            broken[rnd.randrange(8, len(broken))] = rnd.choice((0, 1, 4, 0xFF, rnd.randrange(256)))
        try:
            assert stream_listing(decode(bytes(broken))).endswith("\n")
            outcomes.add("listing")
        except ShaderError as error:
            assert str(error)
            outcomes.add("error")
    assert outcomes == {"error", "listing"}
