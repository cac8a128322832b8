"""Statistics and required features counted anew, against what Microsoft's compiler stored.

data/compiler_counts.json holds small shaders of our own, each made to show one rule: what of the
HLSL matters, flags of D3DCompile, and the container (without reflection, deflated, base64).
"""

from __future__ import annotations

import base64
import dataclasses
import json
import random
import zlib
from collections import defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest

from softd3d.container.dxbc.container import Container, parse
from softd3d.container.reflection.features import ShaderFeatures, parse_features
from softd3d.container.reflection.rdef import parse_rdef
from softd3d.container.reflection.required_features import compute_features
from softd3d.container.reflection.stat import Statistics, build_stat, parse_stat
from softd3d.container.reflection.statistics import STATISTICS, compute_statistics
from softd3d.errors import ShaderError
from softd3d.isa.roles import Counts
from softd3d.isa.sm4.decode import decode
from softd3d.isa.sm4.enums import (
    Opcode,
    OperandModifier,
    OperandType,
    ProgramType,
    SelectionMode,
)
from softd3d.isa.sm4.program import Index, Instruction, Operand, Program
from softd3d.isa.sm4.reachability import unreachable_returns
from softd3d.isa.sm4.rows import TABLE

PROBES: list[dict[str, Any]] = json.loads(
    (Path(__file__).parent / "data/compiler_counts.json").read_text()
)
FIELDS = [field.name for field in dataclasses.fields(Statistics)]
# Compilers whose statistics follow the same rules; those of 9.29 and 9.30 count moves otherwise.
COMPILERS = ("10.1", "10.0.10011.0", "6.3.9600.16384")
# A move with a sign to a register that another branch writes too; four builds of one shader.
KNOWN = {
    "float_instruction_count": ("large_pbr_pixel_shader",),
    "mov_instruction_count": ("large_pbr_pixel_shader",),
}


def program_of(container: Container) -> Program:
    chunk = container.program_chunk
    return decode(chunk.data, chunk.data_offset)


def differences(container: Container) -> dict[str, tuple[int, int]]:
    """Fields of the stored statistics that come out otherwise: stored, counted."""
    stat = container.find("STAT")
    assert stat is not None
    stored = dataclasses.asdict(parse_stat(stat))
    counted = dataclasses.asdict(compute_statistics(program_of(container)))
    return {name: (stored[name], counted[name]) for name in FIELDS if stored[name] != counted[name]}


def stored_features(container: Container) -> ShaderFeatures:
    chunk = container.find("SFI0")
    return ShaderFeatures.NONE if chunk is None else parse_features(chunk)


def found_features(container: Container) -> ShaderFeatures:
    chunk = container.find("RDEF")
    definitions = None if chunk is None else parse_rdef(chunk)
    has_level_9 = container.find("Aon9") is not None
    return compute_features(program_of(container), definitions, has_level_9=has_level_9)


@pytest.mark.parametrize("probe", PROBES, ids=[probe["name"] for probe in PROBES])
def test_probe(probe: dict[str, Any]) -> None:
    container = parse(zlib.decompress(base64.b64decode(probe["container"])))
    assert sorted(differences(container)) == probe.get("differs", [])
    assert found_features(container) == stored_features(container)


def test_probes_reach_every_counted_opcode() -> None:
    """If a row states a count, a shader has to show it; see docs/adding-an-opcode.md."""
    containers = [parse(zlib.decompress(base64.b64decode(probe["container"]))) for probe in PROBES]
    seen = {instruction.opcode for c in containers for instruction in program_of(c).instructions}
    counted_opcodes = {code for code, row in TABLE.rows.items() if row.counts}
    assert counted_opcodes - seen == {Opcode.CONTINUEC, Opcode.RETC}


def test_every_count_is_a_field_of_the_statistics() -> None:
    assert list(STATISTICS) == list(Counts)
    assert set(STATISTICS.values()) < set(FIELDS)


def test_small_containers(small_containers: list[Path]) -> None:
    """Shaders of every stage; each has statistics of compiler 10.1."""
    for path in small_containers:
        container = parse(path.read_bytes())
        assert differences(container) == {}, path.name
        assert found_features(container) == stored_features(container), path.name


# The rules on operands, one by one.

R0 = Operand(OperandType.TEMP, 4, SelectionMode.MASK, (0,), (Index(0),))
R1 = Operand(OperandType.TEMP, 4, SelectionMode.SELECT_1, (0,), (Index(1),))
NULL = Operand(OperandType.NULL, 0)
O0 = dataclasses.replace(R0, type=OperandType.OUTPUT)
X0 = dataclasses.replace(R0, type=OperandType.INDEXABLE_TEMP, indices=(Index(0), Index(2)))
CB = dataclasses.replace(R1, type=OperandType.CONSTANT_BUFFER, indices=(Index(0), Index(3)))
G0 = Operand(OperandType.THREAD_GROUP_SHARED_MEMORY, indices=(Index(0),))
T0 = Operand(OperandType.RESOURCE, indices=(Index(0),))
ZEROS = Operand(OperandType.IMMEDIATE32, immediate=(0, 0, 0, 0))
ZERO = Operand(OperandType.IMMEDIATE32, 1, immediate=(0,))
SATURATE = 1 << 13


def signed(modifier: OperandModifier) -> Operand:
    return dataclasses.replace(R1, modifier=modifier)


def program(*instructions: Instruction, stage: ProgramType = ProgramType.PS) -> Program:
    return Program(stage, 5, 0, instructions)


def counted(*instructions: Instruction, stage: ProgramType = ProgramType.PS) -> dict[str, int]:
    """Every statistic that is not zero, but the number of instructions."""
    found = dataclasses.asdict(compute_statistics(program(*instructions, stage=stage)))
    hidden = {"instruction_count", "has_sm5_fields", "has_sample_frequency"}
    return {name: value for name, value in found.items() if value and name not in hidden}


@pytest.mark.parametrize(
    ("instruction", "fields"),
    [
        (Instruction(Opcode.MOV, (R0, R1)), {"mov_instruction_count": 1}),
        (
            Instruction(Opcode.MOV, (R0, signed(OperandModifier.NEG))),
            {"float_instruction_count": 1},
        ),
        (
            Instruction(Opcode.MOV, (R0, signed(OperandModifier.ABSNEG))),
            {"float_instruction_count": 1},
        ),
        (Instruction(Opcode.MOV, (R0, signed(OperandModifier.ABS))), {}),
        (
            Instruction(Opcode.MOV, (R0, signed(OperandModifier.NEG)), SATURATE),
            {"mov_instruction_count": 1},
        ),
        (Instruction(Opcode.MOV, (X0, R1)), {"array_instruction_count": 1}),
        (Instruction(Opcode.DMOV, (X0, R1)), {"array_instruction_count": 1}),
        (Instruction(Opcode.SINCOS, (R0, NULL, R1)), {"float_instruction_count": 1}),
        (Instruction(Opcode.SINCOS, (R0, R0, R1)), {}),
        (Instruction(Opcode.UDIV, (NULL, R0, R1, R1)), {"uint_instruction_count": 1}),
        (Instruction(Opcode.UDIV, (R0, R0, R1, R1)), {}),
        (Instruction(Opcode.NE, (R0, R1, ZERO)), {"float_instruction_count": 1}),
        (Instruction(Opcode.NE, (R0, ZERO, R1)), {"float_instruction_count": 1}),
        (Instruction(Opcode.NE, (R0, ZEROS, R1)), {"conversion_instruction_count": 1}),
        (Instruction(Opcode.INE, (R0, ZEROS, R1)), {"conversion_instruction_count": 1}),
        (Instruction(Opcode.IF, (R1,)), {"dynamic_flow_control_count": 1}),
        (Instruction(Opcode.IF, (CB,)), {"static_flow_control_count": 1}),
        (Instruction(Opcode.SWITCH, (CB,)), {"static_flow_control_count": 1}),
        (Instruction(Opcode.RETC, (CB,)), {"static_flow_control_count": 1}),
        (Instruction(Opcode.RETC, (R1,)), {"dynamic_flow_control_count": 1}),
        (Instruction(Opcode.LD_RAW, (R0, R1, T0)), {"texture_load_instructions": 1}),
        (Instruction(Opcode.LD_RAW, (R0, R1, G0)), {}),
        (Instruction(Opcode.STORE_RAW, (G0, R1, R1)), {}),
        (Instruction(Opcode.ATOMIC_IADD, (G0, R1, R1)), {"interlocked_instructions": 1}),
        (
            Instruction(Opcode.ROUND_NE, (R0, R1)),
            {"float_instruction_count": 1, "conversion_instruction_count": 1},
        ),
        (Instruction(Opcode.GATHER4, (R0, R1, T0, T0)), {"gather_instructions": 1}),
        (Instruction(Opcode.GATHER4_C, (R0, R1, T0, T0, R1)), {}),
        (Instruction(Opcode.RCP, (R0, R1)), {}),
        (Instruction(Opcode.DFMA, (R0, R1, R1, R1)), {"float_instruction_count": 1}),
        (Instruction(Opcode.DADD, (R0, R1, R1)), {}),
    ],
    ids=lambda value: value.opcode.name if isinstance(value, Instruction) else "",
)
def test_rule(instruction: Instruction, fields: dict[str, int]) -> None:
    assert counted(instruction) == fields


def test_outputs_of_a_geometry_shader_are_part_of_emitting() -> None:
    move = Instruction(Opcode.MOV, (O0, R1))
    assert counted(move, stage=ProgramType.GS) == {}
    assert counted(move, stage=ProgramType.HS) == {"mov_instruction_count": 1}


def test_phases_share_registers() -> None:
    """Two inputs of one phase and one output of another."""
    phase = Instruction(Opcode.HS_FORK_PHASE)
    read = Instruction(Opcode.DCL_INPUT, (R1,))
    write = Instruction(Opcode.DCL_OUTPUT, (O0,))
    instructions = (phase, read, read, phase, read, write, phase, write)
    assert counted(*instructions, stage=ProgramType.HS) == {"dcl_count": 3}


def flow(words: str) -> list[Instruction]:
    """Instructions by mnemonic, without operands."""
    return [Instruction(Opcode[word.upper()]) for word in words.split()]


@pytest.mark.parametrize(
    ("words", "unreachable"),
    [
        ("ret", set()),
        ("if ret endif ret", set()),
        ("if ret else ret endif ret", {5}),
        ("if add else ret endif ret", set()),
        ("if if ret else ret endif else endif ret", set()),
        ("switch case ret default ret endswitch ret", {6}),
        ("switch case ret endswitch ret", set()),
        ("switch case break default ret endswitch ret", set()),
        ("switch case default ret endswitch ret", {5}),
        ("loop endloop ret", {2}),
        ("loop breakc endloop ret", set()),
        ("loop if break endif endloop ret", set()),
        ("loop switch break default break endswitch endloop ret", {7}),
        ("loop continue break endloop ret", {4}),
        ("loop continuec break endloop ret", set()),
        ("ret label ret", set()),
        ("ret ret hs_join_phase ret", {1}),
        ("else endif break case endloop ret", {5}),
    ],
)
def test_unreachable_returns(words: str, unreachable: set[int]) -> None:
    assert unreachable_returns(flow(words)) == unreachable


def test_statistics_fill_a_chunk() -> None:
    """Shader model 4 has no field for barriers, of which a compute shader may have some."""
    sync = Instruction(Opcode.SYNC)
    for major, size, barriers in ((4, 116, 0), (5, 148, 1)):
        found = compute_statistics(Program(ProgramType.CS, major, 0, (sync,)))
        assert found.barrier_instructions == barriers
        assert len(build_stat(found)) == size


def test_features_of_a_typed_load_without_definitions() -> None:
    uav = Operand(OperandType.UNORDERED_ACCESS_VIEW, indices=(Index(0),))
    for selection, wanted in (
        ((0,), ShaderFeatures.NONE),
        ((0, 1), ShaderFeatures.TYPED_UAV_LOAD_ADDITIONAL_FORMATS),
    ):
        target = dataclasses.replace(R0, selection=selection)
        load = Instruction(Opcode.LD_UAV_TYPED, (target, R1, uav))
        assert compute_features(program(load)) == wanted


def mutations(containers: Iterable[bytes]) -> Iterator[bytes]:
    """Programs with some bytes changed."""
    source = random.Random(1)
    for data in containers:
        for _ in range(4):
            changed = bytearray(data)
            for _ in range(source.randint(1, 4)):
                changed[source.randrange(8, len(changed))] = source.randrange(256)
            yield bytes(changed)


def test_random_programs_raise_only_shader_errors() -> None:
    survived = 0
    probes = (zlib.decompress(base64.b64decode(probe["container"])) for probe in PROBES)
    for data in mutations(parse(probe).program_chunk.data for probe in probes):
        try:
            found = decode(data)
            build_stat(compute_statistics(found))
            compute_features(found)
            survived += 1
        except ShaderError:
            pass
    assert survived > 100


def corpus(paths: Iterable[Path]) -> Iterator[tuple[str, Container]]:
    for path in paths:
        try:
            container = parse(path.read_bytes())
            program_of(container)
        except ShaderError:  # a program of shader model 6, or a root signature
            continue
        yield path.name, container


@pytest.fixture(scope="module")
def shared_containers(
    shared: Path, sample_containers: list[Path], corpus_containers: list[Path]
) -> dict[str, Container]:
    return dict(corpus(sample_containers + corpus_containers))


@pytest.fixture(scope="module")
def shared_differences(shared_containers: dict[str, Container]) -> dict[str, list[str]]:
    """Names of the files by the field that differs; "" has all that were compared."""
    found: dict[str, list[str]] = defaultdict(list)
    for name, container in shared_containers.items():
        stat, reflection = container.find("STAT"), container.find("RDEF")
        if stat is None or not any(stat.data) or reflection is None:
            continue
        if not parse_rdef(reflection).creator.endswith(COMPILERS):
            continue
        found[""].append(name)
        for field in differences(container):
            found[field].append(name)
    return found


@pytest.mark.corpus
@pytest.mark.parametrize("field", FIELDS)
def test_field_of_real_files(field: str, shared_differences: dict[str, list[str]]) -> None:
    assert len(shared_differences[""]) > 600
    unknown = [
        name for name in shared_differences[field] if not name.startswith(KNOWN.get(field, ("-",)))
    ]
    assert unknown == []


@pytest.mark.corpus
def test_features_of_real_files(shared_containers: dict[str, Container]) -> None:
    """Those without reflection may have been stripped of the features too."""
    compared = [
        name
        for name, container in shared_containers.items()
        if container.find("RDEF") is not None
        and found_features(container) == stored_features(container)
    ]
    with_reflection = [
        name for name, container in shared_containers.items() if container.find("RDEF") is not None
    ]
    assert compared == with_reflection
    assert len(compared) > 600
