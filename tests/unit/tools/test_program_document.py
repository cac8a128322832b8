"""`dis --json`: every dword of every program is in it, and nothing that JSON does not have."""

from __future__ import annotations

import json
import struct
from pathlib import Path

import pytest

from softd3d.errors import ShaderError
from softd3d.samples import sample
from softd3d.shaders.identify import Kind, identify
from softd3d.tools.text.document import document_text, program_document

MANDELBROT = sample("cs_mandelbrot.cs_5_0.dxbc").read_bytes()
DATA = Path(__file__).parents[1] / "container/data"
END_TOKEN = 0x0000FFFF
ENDINGS = {".dxbc", ".bin", ".cso", ".fxo"}


@pytest.fixture(scope="module")
def documents(shared: Path):
    """Bytes and document, as it is read back, of every third sample that has one."""
    files = [p for p in sorted((shared / "samples").rglob("*")) if p.suffix in ENDINGS]
    found = []
    for data in sorted({path.read_bytes() for path in files})[::3]:
        if identify(data).kind in {Kind.UNKNOWN, Kind.DDS}:
            continue
        try:
            document = program_document(data)
        except ShaderError:
            continue
        found.append((data, json.loads(document_text(document))))
    return found


def stream(program):
    """Return a program's token stream, made from its document alone."""
    words = [program["version_token"]]
    for i in program["instructions"]:
        words += i["words"]
    if program["family"] == "sm1":
        words.append(END_TOKEN)
    else:
        words.insert(1, len(words) + 1)
    return struct.pack(f"<{len(words)}I", *words) + bytes.fromhex(program.get("trailing", ""))


def test_documents_have_every_dword_of_the_programs(documents):
    places = set()
    for data, document in documents:
        kind = identify(data).kind
        for program in document["programs"]:
            tokens = stream(program)
            places.add((program["family"], program["place"].split()[0]))
            if kind in {Kind.EFFECT, Kind.XNB}:
                assert tokens in data
            else:
                assert data[program["offset"] :][: len(tokens)] == tokens
    assert {("sm4", "SHEX"), ("sm4", "SHDR"), ("sm1", "tokens"), ("sm1", "technique")} <= places


def test_parts_lie_inside_their_instruction(documents):
    for _, document in documents:
        for program in document["programs"]:
            for i in program["instructions"]:
                end = i["offset"] + 4 * len(i["words"])
                for operand in i["operands"]:
                    assert i["offset"] < operand["offset"] < end
                for value in i["values"]:
                    first = (value["offset"] - i["offset"]) // 4
                    assert i["words"][first : first + len(value["words"])] == value["words"]


@pytest.mark.parametrize(
    ("name", "wanted"),
    [
        (
            "listing/functions.lib_5_0.dxbc",
            ["function 0 lib_5_0", "function 1 lib_5_0", "function 2 lib_5_0"],
        ),
        ("vs_transform.vs_4_0_level_9_1.dxbc", ["SHDR vs_4_0", "level 9 vs_2_0"]),
        (
            "effects10/minimal.fx_4_0.dxbc",
            ["container 0 vs_4_0"],
        ),
        (
            "effects10/shaders.fx_5_0.fxo",
            [
                "container 0 vs_4_0",
                "container 1 vs_4_0",
                "level 9 vs_2_0",
                "container 2 ps_5_0",
                "container 3 vs_5_0",
                "container 4 gs_5_0",
                "container 5 cs_5_0",
                "container 7 ps_5_0",
                "container 9 vs_5_0",
            ],
        ),
        ("cs_sm51_spaces.cs_5_1.dxbc", ["SHEX cs_5_1"]),
    ],
)
def test_all_programs_of_a_container_are_there(name, wanted):
    data = (DATA / name).read_bytes()
    programs = program_document(data)["programs"]
    assert [f"{p['place']} {p['profile']}" for p in programs] == wanted
    for program in programs:
        tokens = stream(program)
        assert data[program["offset"] :][: len(tokens)] == tokens


def test_an_instruction_is_one_object():
    lines = document_text(program_document(MANDELBROT)).split("\n")
    line = next(line for line in lines if '"text": "lt ' in line)
    assert json.loads(line.rstrip(",")) == {
        "index": 16,
        "offset": 992,
        "opcode": 49,
        "name": "LT",
        "mnemonic": "lt",
        "text": "lt [precise(w)] r1.w, l(4.000000), r1.w",
        "words": [0x07400031, 0x00100082, 1, 0x00004001, 0x40800000, 0x0010003A, 1],
        "fields": {"opcode": 49, "precise": 8, "length": 7, "extended": 0},
        "extended": [],
        "operands": [
            operand("dst", 996, 2, "r1.w", mask="w"),
            operand("src0", 1004, 2, "l(4.000000)", immediate=[0x40800000]),
            operand("src1", 1012, 2, "r1.w", component="w"),
        ],
        "values": [],
    }


def operand(name, offset, length, text, immediate=(), **chosen):
    return {
        "name": name,
        "offset": offset,
        "length": length,
        "text": text,
        "type": "IMMEDIATE32" if immediate else "TEMP",
        "components": 1 if immediate else 4,
        **chosen,
        "indices": [] if immediate else [{"immediate": 1, "register": None}],
        "modifier": "NONE",
        "min_precision": "DEFAULT",
        "non_uniform": False,
        "immediate": list(immediate),
    }
