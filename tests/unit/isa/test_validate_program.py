"""Rules of programs: good ones have no findings, broken ones have a code at an instruction."""

from __future__ import annotations

import random
import struct
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from sm4_programs import (
    DOUBLES,
    GOOD,
    LINEAR,
    NZ,
    PRECISE,
    REFACTOR,
    RET,
    SAT,
    O,
    T,
    buffer,
    constants,
    dcl,
    dst,
    flow,
    index,
    ins,
    lit,
    lit64,
    offsets,
    points,
    program,
    src,
    stated,
    texture,
    uav,
)

from softd3d.container.dxbc import container as dxbc
from softd3d.errors import DecodeError, Severity
from softd3d.isa.row import Controls, Kind
from softd3d.isa.sm4.decode import decode
from softd3d.isa.sm4.enums import (
    Domain,
    GlobalFlags,
    OutputPrimitive,
    PrimitiveTopology,
    ResourceDimension,
    SelectionMode,
    SyncFlags,
    SystemName,
)
from softd3d.isa.sm4.program import Index, Instruction, Operand, Program
from softd3d.isa.sm4.rows import TABLE
from softd3d.isa.sm4.validate import PROGRAM_RULES, validate_program

_D, _N, _S, _P = ResourceDimension, SystemName, SyncFlags, OutputPrimitive
Edit = Callable[[list[Instruction]], list[Instruction]]


def put(at: int, *new: Instruction) -> Edit:
    """Replace instruction `at`."""
    return lambda old: [*old[:at], *new, *old[at + 1 :]]


def add(at: int, *new: Instruction) -> Edit:
    """Insert before instruction `at`."""
    return lambda old: [*old[:at], *new, *old[at:]]


def cut(at: int, end: int | None = None) -> Edit:
    """Remove instruction `at`, or those up to `end`."""
    return lambda old: [*old[:at], *old[at + 1 if end is None else end :]]


def domain(kind: Domain) -> Instruction:
    return dcl(O.DCL_TESS_DOMAIN, controls=kind << 11)


def per(text: str, precision: int) -> Operand:
    return replace(src(text), min_precision=precision)


IF = flow(O.IF, "r0.x", controls=NZ)
ENDIF = flow(O.ENDIF)
MOV = ins(O.MOV, "r0.x", "r0.x")
PHASE = dcl(O.HS_FORK_PHASE)
XYZW = (0, 1, 2, 3)
WIDE = Operand(T.CONSTANT_BUFFER, 4, SelectionMode.SWIZZLE, XYZW, (Index(0), Index(1, None, 1)))

# code, good program, edit, instruction that is to blame
BROKEN: list[tuple[str, str, Edit, int]] = [
    # Tokens
    ("TOK-001", "vs", put(8, ins(O.RCP, "r0.x", "v1.x")), 8),
    ("TOK-001", "gs", add(8, ins(O.LOD, "r0.x", "v[0][0].xyzw", "t0.xyzw", "s0")), 8),
    ("TOK-002", "cs", add(10, flow(O.DISCARD, "r0.x", controls=NZ)), 10),
    ("TOK-002", "vs", add(8, flow(O.EMIT)), 8),
    ("TOK-002", "ps", add(11, dcl(O.DCL_THREAD_GROUP, None, 1, 1, 1)), 11),
    ("TOK-002", "vs", add(8, flow(O.SYNC, controls=_S.UNORDERED_ACCESS_VIEW_MEMORY_GLOBAL)), 8),
    ("TOK-002", "vs", lambda old: [texture(0, _D.TEXTURE2DMS), *old[:8], ins(
        O.LD_MS, "r0.x", "v0.xyzw", "t0.xxxx", lit(0)), *old[8:]], 9),
    ("TOK-004", "vs", put(14, ins(O.IADD, "r0.x", "r0.x", lit(1), controls=SAT)), 14),
    ("TOK-005", "vs", put(8, ins(O.MOV, "r0.x", "v1.x", controls=PRECISE)), 8),
    ("TOK-006", "ds", put(6, ins(O.MUL, "o0.xyzw", "vicp[1][0].xyzw", "vDomain.xxxx",
                                 controls=PRECISE)), 6),
    ("TOK-007", "ps", put(15, ins(O.MOV, "r0.xyzw", "v0.xyzw", controls=1 << 11)), 15),
    ("TOK-008", "ps", put(15, ins(O.MOV, "r0.xyzw", "v0.xyzw", **offsets(1, 1))), 15),
    ("TOK-008", "bound_5_1", add(6, ins(O.MOV, "r0.x", "v0.x", **stated(_D.TEXTURE2D))), 6),
    ("TOK-009", "ps", put(17, ins(O.SAMPLE, "r1.xyzw", "v1.xyxx", "t0.xyzw", "s0",
                                  texel_offsets=(1, 0, 0), extended=(0x80000201, 0x201))), 17),
    ("TOK-010", "ps", put(15, ins(O.MOV, "r0.xyzw", "v0.xyzw", trailing=(1, 2))), 15),
    ("TOK-011", "ps", add(11, Instruction(O.CUSTOMDATA, custom_class=77)), 11),
    ("TOK-012", "cs", put(12, flow(O.SYNC)), 12),
    ("TOK-012", "cs", put(12, flow(O.SYNC, controls=3 << 13)), 12),
    ("TOK-012", "ps", add(15, flow(O.SYNC, controls=_S.THREADS)), 15),
    ("TOK-013", "ps", add(15, ins(O.RESINFO, "r0.x", lit(0), "t0.xyzw", controls=3 << 11)), 15),
    ("TOK-014", "ps", put(15, ins(O.MOV, "r0.xyzw")), 15),
    ("TOK-014", "ps", put(12, dcl(O.DCL_TEMPS)), 12),
    # Global flags
    ("FLAG-001", "doubles", put(0, REFACTOR), 4),
    ("FLAG-002", "doubles", put(5, ins(O.DRCP, "r1.xy", "r0.xyxy")), 5),
    ("FLAG-003", "ps", add(24, ins(O.MSAD, "r1.x", "r0.x", "r0.x", "r0.x")), 24),
    ("FLAG-004", "ps", put(15, ins(O.MOV, "r0.xyzw", per("v0.xyzw", 1))), 15),
    ("FLAG-006", "vs", put(0, dcl(O.DCL_GLOBAL_FLAGS, controls=DOUBLES)), 0),
    ("FLAG-006", "doubles", put(0, dcl(O.DCL_GLOBAL_FLAGS, controls=DOUBLES
                                       | GlobalFlags.FORCE_EARLY_DEPTH_STENCIL)), 0),
    ("FLAG-005", "gs", add(2, dcl(O.DCL_RESOURCE_RAW, "t0")), 2),
    # Declarations
    ("DCL-001", "ps", lambda old: [*old[:12], *old[13:16], old[12], *old[16:]], 15),
    ("DCL-002", "ps", add(13, dcl(O.DCL_TEMPS, None, 3)), 13),
    ("DCL-002", "cs", add(10, dcl(O.DCL_THREAD_GROUP, None, 1, 1, 1)), 10),
    ("DCL-003", "cs", cut(9), 0),
    ("DCL-003", "gs", cut(7), 0),
    ("DCL-003", "gs", cut(3), 0),
    ("DCL-003", "hs", cut(3), 0),
    ("DCL-004", "ps", put(4, dcl(O.DCL_RESOURCE, "u0", 0x5555, controls=3 << 11)), 4),
    ("DCL-004", "ps", put(11, dcl(O.DCL_OUTPUT, "r0.xyzw")), 11),
    ("DCL-005", "ps", put(4, dcl(O.DCL_RESOURCE, "t0[1]", 0x5555, controls=3 << 11)), 4),
    ("DCL-005", "bound_5_1", put(1, dcl(O.DCL_SAMPLER, "s0", 0)), 1),
    ("DCL-006", "ps", put(2, dcl(O.DCL_SAMPLER, "s16")), 2),
    ("DCL-006", "ps", add(2, buffer(15, 1)), 2),
    ("DCL-006", "ps", add(4, texture(128, _D.TEXTURE2D)), 4),
    ("DCL-006", "ps", add(9, uav(64, _D.BUFFER)), 9),
    ("DCL-006", "ps", add(12, dcl(O.DCL_OUTPUT, "o8.x")), 12),
    ("DCL-006", "vs", add(1, dcl(O.DCL_INPUT, "v16.x")), 1),
    ("DCL-007", "ps", add(5, texture(0, _D.TEXTURE3D)), 5),
    ("DCL-007", "ps", add(14, dcl(O.DCL_INDEXABLE_TEMP, None, 0, 4, 2)), 14),
    ("DCL-007", "bound_5_1", add(3, dcl(O.DCL_RESOURCE, "t1[7][9]", 0x5555, 1,
                                        controls=3 << 11)), 3),
    ("DCL-008", "ps", add(11, dcl(O.DCL_INPUT_PS, "v1.yz", controls=LINEAR)), 11),
    ("DCL-009", "ps", add(11, dcl(O.DCL_INPUT_PS, Operand(T.INPUT, 4, SelectionMode.MASK, (),
                                                          (Index(2),)), controls=LINEAR)), 11),
    ("DCL-009", "vs", put(2, dcl(O.DCL_INPUT_SGV, "v1.xy", _N.VERTEX_ID)), 2),
    ("DCL-009", "vs", put(3, dcl(O.DCL_OUTPUT_SIV, "o0.xyz", _N.POSITION)), 3),
    ("DCL-010", "vs", add(6, dcl(O.DCL_OUTPUT, "o3.y"),
                          dcl(O.DCL_OUTPUT_SIV, "o3.x", _N.CLIP_DISTANCE)), 7),
    ("DCL-011", "vs", put(2, dcl(O.DCL_INPUT_SGV, "v1.x", _N.SAMPLE_INDEX)), 2),
    ("DCL-011", "vs", put(2, dcl(O.DCL_INPUT_SGV, "v1.x", 99)), 2),
    ("DCL-012", "ps", put(10, dcl(O.DCL_INPUT_PS, "v1.xy", controls=15 << 11)), 10),
    ("DCL-012", "ps", add(11, dcl(O.DCL_INPUT_PS, "v1.z", controls=1 << 11)), 11),
    ("DCL-013", "ps", put(4, texture(0, _D.RAW_BUFFER)), 4),
    ("DCL-013", "ps", put(8, uav(1, _D.TEXTURECUBE)), 8),
    ("DCL-013", "vs", add(1, texture(0, _D.TEXTURECUBEARRAY)), 1),
    ("DCL-014", "ps", put(4, texture(0, _D.TEXTURE2D, 0x5505)), 4),
    ("DCL-015", "ps", put(6, dcl(O.DCL_RESOURCE_STRUCTURED, "t2", 18)), 6),
    ("DCL-015", "ps", put(6, dcl(O.DCL_RESOURCE_STRUCTURED, "t2", 0)), 6),
    ("DCL-015", "ps", put(6, dcl(O.DCL_RESOURCE_STRUCTURED, "t2", 2052)), 6),
    ("DCL-016", "ps", put(2, dcl(O.DCL_SAMPLER, "s0", controls=3 << 11)), 2),
    ("DCL-017", "cs", put(9, dcl(O.DCL_THREAD_GROUP, None, 1025, 1, 1)), 9),
    ("DCL-017", "cs", put(9, dcl(O.DCL_THREAD_GROUP, None, 8, 0, 1)), 9),
    ("DCL-017", "cs", put(9, dcl(O.DCL_THREAD_GROUP, None, 32, 32, 2)), 9),
    ("DCL-017", "cs_4", put(4, dcl(O.DCL_THREAD_GROUP, None, 769, 1, 1)), 4),
    ("DCL-018", "cs", put(8, dcl(O.DCL_THREAD_GROUP_SHARED_MEMORY_RAW, "g1", 6)), 8),
    ("DCL-018", "cs", put(8, dcl(O.DCL_THREAD_GROUP_SHARED_MEMORY_RAW, "g1", 32768)), 8),
    ("DCL-018", "cs_4", put(3, dcl(O.DCL_THREAD_GROUP_SHARED_MEMORY_STRUCTURED, "g0", 4, 63)), 3),
    ("DCL-019", "ps", put(12, dcl(O.DCL_TEMPS, None, 4097)), 12),
    ("DCL-019", "ps", put(13, dcl(O.DCL_INDEXABLE_TEMP, None, 0, 4095, 2)), 13),
    ("DCL-020", "ps", put(13, dcl(O.DCL_INDEXABLE_TEMP, None, 0, 4, 5)), 13),
    ("DCL-021", "ps", put(1, buffer(0, 4097)), 1),
    ("DCL-022", "ps", add(15, constants(1, 2, 3, 4)), 15),
    ("DCL-022", "ps", put(14, constants(*range(7))), 14),
    ("DCL-023", "gs", put(7, dcl(O.DCL_MAX_OUTPUT_VERTEX_COUNT, None, 0)), 7),
    ("DCL-023", "gs", put(7, dcl(O.DCL_MAX_OUTPUT_VERTEX_COUNT, None, 171)), 7),
    ("DCL-023", "gs_streams", put(9, dcl(O.DCL_MAX_OUTPUT_VERTEX_COUNT, None, 1025)), 9),
    ("DCL-024", "gs", put(3, dcl(O.DCL_GS_INPUT_PRIMITIVE, controls=5 << 11)), 3),
    ("DCL-025", "gs", put(4, dcl(O.DCL_GS_OUTPUT_PRIMITIVE_TOPOLOGY, controls=4 << 11)), 4),
    ("DCL-026", "gs_streams", put(8, dcl(O.DCL_GS_INSTANCE_COUNT, None, 33)), 8),
    ("DCL-027", "gs_streams", put(5, dcl(O.DCL_STREAM, "m4")), 5),
    ("DCL-027", "gs_streams", put(5, dcl(O.DCL_STREAM, "m0")), 5),
    ("DCL-027", "gs_streams", cut(2), 4),
    ("DCL-028", "hs", put(1, points(O.DCL_INPUT_CONTROL_POINT_COUNT, 0)), 1),
    ("DCL-028", "hs", put(2, points(O.DCL_OUTPUT_CONTROL_POINT_COUNT, 33)), 2),
    ("DCL-029", "hs", put(3, dcl(O.DCL_TESS_DOMAIN)), 3),
    ("DCL-029", "hs", put(4, dcl(O.DCL_TESS_PARTITIONING, controls=5 << 11)), 4),
    ("DCL-030", "hs", put(6, dcl(O.DCL_HS_MAX_TESSFACTOR, None, 0)), 6),
    ("DCL-031", "hs", put(17, dcl(O.DCL_HS_FORK_PHASE_INSTANCE_COUNT, None, 0)), 17),
    ("DCL-032", "vs", put(6, dcl(O.DCL_INDEX_RANGE, "o1.xy", 9)), 6),
    ("DCL-032", "vs", put(6, dcl(O.DCL_INDEX_RANGE, "o1.xy", 1)), 6),
    ("DCL-032", "vs", add(7, dcl(O.DCL_INDEX_RANGE, "o1.xy", 2)), 7),
    ("DCL-033", "gs", put(1, dcl(O.DCL_INPUT, "v[2][1].xy")), 1),
    ("DCL-033", "gs", put(1, dcl(O.DCL_INPUT, "v1.xy")), 1),
    ("DCL-033", "hs", put(29, dcl(O.DCL_INPUT, "vocp[4][0].xyzw")), 29),
    ("DCL-034", "bound_5_1", put(1, dcl(O.DCL_SAMPLER, "s0[5][3]", 0)), 1),
    ("DCL-035", "classes", put(2, dcl(O.DCL_FUNCTION_TABLE, None, 0, 1, 5)), 2),
    ("DCL-035", "classes", put(4, dcl(O.DCL_INTERFACE, None, 0, 1, 1 << 16 | 1, 7)), 4),
    ("DCL-036", "vs", add(6, *[dcl(O.DCL_OUTPUT_SIV, f"o{n}.xyzw", _N.CLIP_DISTANCE)
                               for n in (4, 5, 6)]), 8),
    ("DCL-037", "ps", add(11, dcl(O.DCL_INPUT, "vCoverage"),
                          dcl(O.DCL_INPUT, "vInnerCoverage")), 12),
    ("DCL-038", "hs", put(20, dcl(O.DCL_OUTPUT_SIV, "o1.y",
                                  _N.FINAL_TRI_V_EQ_0_EDGE_TESSFACTOR)), 20),
    ("DCL-039", "hs", put(5, dcl(O.DCL_TESS_OUTPUT_PRIMITIVE, controls=_P.LINE << 11)), 5),
    ("DCL-039", "hs", put(3, domain(Domain.ISOLINE)), 5),
    ("DCL-040", "hs", put(3, domain(Domain.QUAD)), 3),
    ("DCL-040", "hs", put(3, domain(Domain.ISOLINE)), 19),
    ("DCL-040", "hs", cut(30), 3),
    ("DCL-040", "ds", put(1, domain(Domain.QUAD)), 2),
    ("DCL-041", "ds", put(1, domain(Domain.QUAD)), 3),
    ("DCL-042", "hs", lambda old: [*old[:2], points(O.DCL_OUTPUT_CONTROL_POINT_COUNT, 4),
                                   *old[3:8], *old[16:]], 2),
    ("DCL-043", "gs_streams", put(3, dcl(O.DCL_GS_OUTPUT_PRIMITIVE_TOPOLOGY,
                                         controls=PrimitiveTopology.LINESTRIP << 11)), 3),
    ("DCL-044", "ps", add(11, dcl(O.DCL_OUTPUT, "oDepth"), dcl(O.DCL_OUTPUT, "oDepthGE")), 12),
    # Operands
    ("OPD-001", "ps", put(15, ins(O.MOV, "v0.xyzw", "v0.xyzw")), 15),
    ("OPD-001", "ps", put(24, ins(O.MOV, "o0.xyzw", "o0.xyzw")), 24),
    ("OPD-001", "ps", put(15, ins(O.MOV, lit(1), "v0.xyzw")), 15),
    ("OPD-001", "ps", put(15, ins(O.MOV, "r0.xyzw", "t0.xyzw")), 15),
    ("OPD-001", "ps", put(15, ins(O.MOV, "r0.xyzw", "s0")), 15),
    ("OPD-001", "ps", put(17, ins(O.SAMPLE, "r1.xyzw", "v1.xyxx", "t0.xyzw", "r0.x")), 17),
    ("OPD-001", "ps", put(17, ins(O.SAMPLE, "r1.xyzw", "v1.xyxx", "cb0[0].xyzw", "s0")), 17),
    ("OPD-001", "ps", put(15, ins(O.MOV, "r0.xyzw", "fi0.xyzw")), 15),
    ("OPD-001", "cs", put(11, ins(O.STORE_STRUCTURED, "r0.x", "vThreadID.x", lit(0), "r0.x")), 11),
    ("OPD-002", "ps", put(15, ins(O.MOV, "r0.x", "vThreadID.x")), 15),
    ("OPD-002", "hs", put(24, ins(O.MOV, "r0.x", "vJoinInstanceID.x")), 24),
    ("OPD-002", "hs", put(13, ins(O.MOV, "r0.x", "vpc0.x")), 13),
    ("OPD-002", "cs", put(1, dcl(O.DCL_INPUT, "v0.x")), 1),
    ("OPD-002", "hs", put(18, dcl(O.DCL_INPUT, "vOutputControlPointID")), 18),
    ("OPD-003", "ps", put(15, ins(O.MOV, "null", "v0.xyzw")), 15),
    ("OPD-003", "cs", put(15, ins(O.IMM_ATOMIC_ALLOC, "null", "u2", results=2)), 15),
    ("OPD-004", "ps", put(15, ins(O.MOV, "r0.xyzw", replace(src("v0.x"), components=1))), 15),
    ("OPD-005", "ps", put(15, ins(O.MOV, src("r0.xyzw"), "v0.xyzw")), 15),
    ("OPD-005", "ps", put(15, ins(O.MOV, replace(dst("r0.x"), selection=()), "v0.xyzw")), 15),
    ("OPD-006", "ps", put(15, ins(O.MOV, "r0.xyzw", dst("v0.xyzw"))), 15),
    ("OPD-007", "ps", put(21, flow(O.IF, "r0.xxxx", controls=NZ)), 21),
    ("OPD-007", "ps", put(21, flow(O.IF, lit(1, 2, 3, 4), controls=NZ)), 21),
    ("OPD-008", "vs", put(14, ins(O.IADD, "r0.x", "|r0.x|", lit(1))), 14),
    ("OPD-009", "ps", put(20, ins(O.AND, "r1.x", "-r0.x", "r0.x")), 20),
    ("OPD-009", "ps", put(20, ins(O.UTOF, "r1.x", "-r0.x")), 20),
    ("OPD-010", "ps", put(15, ins(O.MOV, "-r0.xyzw", "v0.xyzw")), 15),
    ("OPD-010", "ps", put(17, ins(O.SAMPLE, "r1.xyzw", "v1.xyxx", "-t0.xyzw", "s0")), 17),
    ("OPD-011", "doubles", put(4, ins(O.DADD, "r0.yz", "v0.xyxy", "v0.xyxy")), 4),
    ("OPD-011", "doubles", put(4, ins(O.DADD, "r0.x", "v0.xyxy", "v0.xyxy")), 4),
    ("OPD-012", "doubles", put(5, ins(O.DMUL, "r1.xyzw", "v0.xxxx", "v0.xyxy")), 5),
    ("OPD-012", "doubles", put(5, ins(O.DMUL, "r1.xyzw", "v0.x", "v0.xyxy")), 5),
    ("OPD-013", "doubles", put(4, ins(O.DADD, "r0.xy", "v0.xyxy", lit(0, 0, 0, 0))), 4),
    ("OPD-013", "doubles", put(6, ins(O.MOV, "o0.x", lit64(0, 0, 0, 0))), 6),
    ("OPD-014", "ps", put(15, ins(O.MOV, "r0.xyzw", per("v0.xyzw", 3))), 15),
    ("OPD-015", "ps", put(17, ins(O.SAMPLE, "r1.xyzw", "v1.xyxx",
                                  replace(src("t0.xyzw"), non_uniform=True), "s0")), 17),
    ("OPD-016", "cs", put(11, ins(O.STORE_STRUCTURED, "g0.y", "vThreadID.x", lit(0), "r0.x")), 11),
    ("OPD-020", "cs", put(13, ins(O.STORE_UAV_TYPED, "u0.x", "vThreadID.xxxx", "r0.xxxx")), 13),
    ("OPD-017", "cs", put(14, ins(O.ATOMIC_IADD, "g1.x", lit(0), "r0.x")), 14),
    ("OPD-018", "ps", put(20, ins(O.UDIV, "null", "null", "r0.x", "r0.x", results=2)), 20),
    ("OPD-019", "ps", put(22, ins(O.SWAPC, "r1.xy", "r1.yz", "r0.xyxx", "r0.xyxx", "r0.xyxx",
                                  results=2)), 22),
    # Registers
    ("REG-001", "ps", put(15, ins(O.MOV, "r2.x", "v0.x")), 15),
    ("REG-001", "ps", put(12, dcl(O.DCL_TEMPS, None, 1)), 16),
    ("REG-001", "ps", put(20, ins(O.MOV, "r1.x", "icb[r7.x].x")), 20),
    ("REG-002", "ps", put(18, ins(O.MOV, "x1[0].xy", "r0.xyxx")), 18),
    ("REG-003", "ps", put(18, ins(O.MOV, "x0[4].xy", "r0.xyxx")), 18),
    ("REG-004", "ps", put(18, ins(O.MOV, "x0[0].xyz", "r0.xyzx")), 18),
    ("REG-004", "ps", put(20, ins(O.MOV, "r1.x", "x0[r0.x].w")), 20),
    ("REG-005", "ps", put(15, ins(O.MOV, "r0.xyzw", "v5.xyzw")), 15),
    ("REG-005", "cs", put(13, ins(O.STORE_UAV_TYPED, "u0.xyzw", "vThreadIDInGroup.xxxx",
                                  "r0.xxxx")), 13),
    ("REG-005", "hs", put(31, ins(O.ADD, "o3.x", "vpc1.x", "vocp[2][0].x")), 31),
    ("REG-006", "ps", put(15, ins(O.MOV, "r0.xyzw", "v1.xyzw")), 15),
    ("REG-006", "ps", put(17, ins(O.SAMPLE, "r1.xyzw", "v1.xzxx", "t0.xyzw", "s0")), 17),
    ("REG-006", "cs", put(13, ins(O.STORE_UAV_TYPED, "u0.xyzw", "vThreadID.zxxx", "r0.xxxx")), 13),
    ("REG-006", "gs", put(9, ins(O.MOV, "o1.xy", "v[0][1].xzxx")), 9),
    ("REG-007", "ps", put(24, ins(O.MOV, "o1.xyzw", "r1.xyzw")), 24),
    ("REG-007", "ps", put(24, ins(O.MOV, "oDepth.x", "r1.x")), 24),
    ("REG-008", "vs", put(25, ins(O.MOV, "o1.xyz", "r1.xxxx")), 25),
    ("REG-009", "ps", put(16, ins(O.MUL, "r1.xyzw", "r0.xyzw", "cb1[1].xyzw")), 16),
    ("REG-010", "ps", put(16, ins(O.MUL, "r1.xyzw", "r0.xyzw", "cb0[4].xyzw")), 16),
    ("REG-011", "ps", cut(14), 19),
    ("REG-011", "ps", put(20, ins(O.MOV, "r1.x", "icb[2].x")), 20),
    ("REG-012", "ps", put(17, ins(O.SAMPLE, "r1.xyzw", "v1.xyxx", "t9.xyzw", "s0")), 17),
    ("REG-012", "ps", put(17, ins(O.SAMPLE, "r1.xyzw", "v1.xyxx", "t0.xyzw", "s9")), 17),
    ("REG-012", "cs", put(14, ins(O.ATOMIC_IADD, "g5", lit(0), "r0.x")), 14),
    ("REG-013", "bound_5_1", put(6, ins(O.SAMPLE, "r0.xyzw", "v0.xyxx", "t0[3].xyzw", "s0[1]")), 6),
    ("REG-013", "bound_5_1", put(7, ins(O.MUL, "o0.xyzw", "r0.xyzw", "cb0[4][3].xyzw")), 7),
    ("REG-014", "gs", put(8, ins(O.MOV, "o0.xyzw", "v[3][0].xyzw")), 8),
    ("REG-015", "gs_streams", put(11, flow(O.EMIT_STREAM, "m2")), 11),
    ("REG-015", "gs_streams", put(11, flow(O.EMIT)), 11),
    ("REG-016", "vs", put(24, flow(O.CALL, "label7")), 24),
    ("REG-016", "classes", put(6, flow(O.INTERFACE_CALL, "fp3[0]", extra=(0,))), 6),
    ("REG-017", "ps", put(20, ins(O.MOV, "r1.x", "x0[r0.x + 9].x")), 20),
    # Indices
    ("IDX-001", "ps", put(15, ins(O.MOV, "r[r0.x].x", "v0.x")), 15),
    ("IDX-001", "ps", put(24, ins(O.MOV, "o[r0.x].x", "r1.x")), 24),
    ("IDX-001", "cs", put(13, ins(O.STORE_UAV_TYPED, "u[r0.x].xyzw", "vThreadID.xxxx",
                                  "r0.xxxx")), 13),
    ("IDX-002", "ps", put(20, ins(O.MOV, "r1.x", "v[r0.x].x")), 20),
    ("IDX-002", "vs", put(10, ins(O.MOV, "o[r0.x].xy", "v0.xyxx")), 10),
    ("IDX-003", "vs", put(9, ins(O.MUL, "o0.xyzw", "v0.xyzw", "cb0[v1.x].xyzw")), 9),
    ("IDX-003", "vs", put(9, ins(O.MUL, "o0.xyzw", "v0.xyzw", Operand(
        T.CONSTANT_BUFFER, 4, SelectionMode.SWIZZLE, XYZW,
        (Index(0), Index(0, src("-r0.x"), 2))))), 9),
    ("IDX-004", "ps", put(16, ins(O.MUL, "r1.xyzw", "r0.xyzw", "cb0[r0.x].xyzw")), 16),
    ("IDX-005", "ps", put(16, ins(O.MUL, "r1.xyzw", "r0.xyzw", "cb0.xyzw")), 16),
    ("IDX-005", "bound_5_1", put(7, ins(O.MUL, "o0.xyzw", "r0.xyzw", "cb0[3].xyzw")), 7),
    ("IDX-006", "ps", put(16, ins(O.MUL, "r1.xyzw", "r0.xyzw", WIDE)), 16),
    # Memory
    ("MEM-001", "ps", put(20, ins(O.LD_RAW, "r1.x", lit(0), "t2.xxxx")), 20),
    ("MEM-001", "ps", put(17, ins(O.SAMPLE, "r1.xyzw", "v1.xyxx", "t3.xyzw", "s0")), 17),
    ("MEM-001", "ps", put(20, ins(O.LD_STRUCTURED, "r1.x", lit(0), lit(0), "t3.xxxx")), 20),
    ("MEM-002", "ps", put(20, ins(O.LD, "r1.x", "r0.xyzw", "t1.xyzw")), 20),
    ("MEM-002", "ps", put(20, ins(O.LD_MS, "r1.x", "r0.xyzw", "t0.xyzw", lit(0))), 20),
    ("MEM-002", "ps", put(20, ins(O.SAMPLE_INFO, "r1.x", "t0.xyzw")), 20),
    ("MEM-003", "ps", put(17, ins(O.SAMPLE, "r1.xyzw", "v1.xyxx", "t0.xyzw", "s1")), 17),
    ("MEM-003", "ps", put(17, ins(O.SAMPLE_C, "r1.x", "v1.xyxx", "t0.xxxx", "s0", lit(0))), 17),
    ("MEM-004", "ps", put(17, ins(O.SAMPLE, "r1.xyzw", "v0.xyzw", "t1.xyzw", "s0",
                                  **offsets(1, 0))), 17),
    ("MEM-005", "ps", put(17, ins(O.SAMPLE, "r1.xyzw", "v1.xyxx", "t0.xyzw", "s0",
                                  **stated(_D.TEXTURE3D))), 17),
    ("MEM-005", "ps", put(20, ins(O.LD_STRUCTURED, "r1.x", lit(0), lit(0), "t2.xxxx",
                                  **stated(_D.STRUCTURED_BUFFER, 8))), 20),
    ("MEM-006", "cs", add(16, ins(O.IMM_ATOMIC_CONSUME, "r1.x", "u2", results=2)), 16),
    ("MEM-001", "cs", put(15, ins(O.IMM_ATOMIC_ALLOC, "r0.y", "u1", results=2)), 15),
    ("MEM-007", "cs", lambda old: [old[0], uav(0, _D.BUFFER, 0x5555), *old[2:14],
                                   ins(O.ATOMIC_IADD, "u0", lit(0), "r0.x"), *old[15:]], 14),
    ("MEM-008", "cs", put(16, ins(O.STORE_STRUCTURED, "u2.xy", "r0.y", lit(8), "r0.xxxx")), 16),
    ("MEM-008", "cs", put(10, ins(O.LD_RAW, "r0.x", lit(3), "u1.xxxx")), 10),
    ("MEM-009", "cs_4", put(6, ins(O.STORE_STRUCTURED, "g0.x", "r0.x", lit(0), "r0.x")), 6),
    ("MEM-010", "ps", put(17, ins(O.SAMPLE, "r1.xyzw", "v1.xyxx", "t0.xyzw", "s0.y")), 17),
    ("MEM-010", "ps", put(17, ins(O.GATHER4, "r1.xyzw", "v1.xyxx", "t0.xyzw", "s0")), 17),
    ("MEM-011", "ps", put(20, ins(O.LD_UAV_TYPED, "r1.x", "r0.xxxx", "t0.xyzw")), 20),
    ("MEM-012", "cs_4", add(1, dcl(O.DCL_UNORDERED_ACCESS_VIEW_RAW, "u1")), 1),
    # Control flow
    ("FLOW-001", "ps", add(21, ENDIF), 21),
    ("FLOW-001", "vs", put(15, ENDIF), 15),
    ("FLOW-001", "ps", add(15, flow(O.ELSE)), 15),
    ("FLOW-001", "ps", add(23, flow(O.ELSE), flow(O.ELSE)), 24),
    ("FLOW-002", "ps", cut(23), 21),
    ("FLOW-003", "ps", add(22, flow(O.BREAK)), 22),
    ("FLOW-003", "ps", add(24, flow(O.BREAKC, "r0.x", controls=NZ)), 24),
    ("FLOW-004", "vs", put(19, flow(O.CONTINUE)), 19),
    ("FLOW-005", "ps", add(22, flow(O.CASE, lit(1))), 22),
    ("FLOW-005", "ps", add(22, flow(O.DEFAULT)), 22),
    ("FLOW-006", "vs", add(20, flow(O.CASE, lit(1))), 20),
    ("FLOW-006", "vs", add(23, flow(O.DEFAULT)), 23),
    ("FLOW-007", "vs", put(17, flow(O.CASE, "r0.x")), 17),
    ("FLOW-008", "vs", add(17, ins(O.MOV, "r1.x", "r0.x")), 17),
    ("FLOW-009", "ps", put(22, *[IF] * 64, *[ENDIF] * 64), 85),
    ("FLOW-010", "vs", put(26, MOV), 27),
    ("FLOW-010", "vs", add(26, IF, RET), 29),
    ("FLOW-011", "vs", add(30, flow(O.LABEL, "label0"), RET), 30),
    ("FLOW-012", "vs", cut(29), 28),
    ("FLOW-012", "ps", put(25, flow(O.RETC, "r0.x", controls=NZ)), 25),
    ("FLOW-014", "vs", add(29, *[one for n in range(40) for one in (
        flow(O.CALL, f"label{n + 1}"), RET, flow(O.LABEL, f"label{n + 1}"))]), 24),
    ("FLOW-013", "vs", add(28, flow(O.CALL, "label0")), 28),
    ("FLOW-015", "classes", put(9, flow(O.SWITCH, lit(0)), flow(O.CASE, lit(0)),
                                ins(O.MOV, "o0.x", lit(0)), flow(O.DEFAULT), flow(O.BREAK),
                                flow(O.ENDSWITCH)), 12),
    ("FLOW-016", "ps", put(22, ins(O.SAMPLE, "r1.xyzw", "r1.xyxx", "t0.xyzw", "s0")), 22),
    ("FLOW-016", "ps", put(22, ins(O.DERIV_RTX_FINE, "r1.x", "r1.x")), 22),
    ("FLOW-017", "cs", put(12, ins(O.ILT, "r0.y", "vThreadID.x", lit(3)),
                           flow(O.IF, "r0.y", controls=NZ), flow(O.SYNC, controls=_S.THREADS),
                           ENDIF), 14),
    ("FLOW-017", "cs", add(12, flow(O.RETC, "vThreadID.x", controls=NZ)), 13),
    ("FLOW-018", "hs", lambda old: [*old[:8], *old[16:27], *old[8:16], *old[27:]], 19),
    ("FLOW-018", "hs", cut(0), 0),
    ("FLOW-018", "hs", add(8, dcl(O.HS_DECLS)), 8),
    ("FLOW-019", "classes", put(6, flow(O.INTERFACE_CALL, "fp0[0]", extra=(1,))), 6),
    ("FLOW-019", "classes", put(6, flow(O.INTERFACE_CALL, "fp0[1]", extra=(0,))), 6),
    ("FLOW-021", "hs", add(33, *[PHASE, RET] * 1100), 2071),
    ("FLOW-020", "ps", cut(25), 24),
    ("FLOW-020", "hs", cut(26), 25),
    # Data
    ("DATA-001", "ps", cut(15), 15),
    ("DATA-002", "vs", cut(21), 24),
    ("DATA-002", "vs", cut(20, 23), 22),
    ("DATA-002", "vs", put(14, flow(O.IF, "r0.y", controls=NZ), ins(O.MOV, "r1.y", "r0.x"), ENDIF,
                           ins(O.MOV, "r0.x", "r1.y")), 17),
    ("DATA-003", "ps", cut(24), 11),
]  # fmt: skip


def findings(name: str, edit: Edit) -> list[tuple[str, int | None]]:
    profile, good = GOOD[name]
    found = validate_program(program(profile, edit(list(good))))
    return [(f.code, f.location.instruction) for f in found]


@pytest.mark.parametrize("name", GOOD)
def test_good_programs_break_no_rule(name):
    assert findings(name, list) == []


@pytest.mark.parametrize(
    ("code", "name", "edit", "at"),
    [pytest.param(*b, id=f"{b[0]}-{n}") for n, b in enumerate(BROKEN)],
)
def test_a_broken_program_has_its_code_at_its_instruction(code, name, edit, at):
    assert (f"SM4-{code}", at) in findings(name, edit)


def threads(*size: int) -> Instruction:
    return dcl(O.DCL_THREAD_GROUP, None, *size)


def factor(value: float) -> Instruction:
    (bits,) = struct.unpack("<I", struct.pack("<f", value))
    return dcl(O.DCL_HS_MAX_TESSFACTOR, None, bits)


# code, good program, an edit that goes as far as is allowed, one that goes one further
LIMITS: list[tuple[str, str, Edit, Edit]] = [
    ("DCL-006", "ps", *(add(2, dcl(O.DCL_SAMPLER, f"s{n}")) for n in (15, 16))),
    ("DCL-006", "ps", *(add(2, buffer(n, 1)) for n in (14, 15))),
    ("DCL-006", "ps", *(add(4, texture(n, _D.TEXTURE2D)) for n in (127, 128))),
    ("DCL-006", "ps", *(add(9, uav(n, _D.BUFFER)) for n in (63, 64))),
    ("DCL-006", "ps", *(add(12, dcl(O.DCL_OUTPUT, f"o{n}.x")) for n in (7, 8))),
    ("DCL-006", "vs", *(add(1, dcl(O.DCL_INPUT, f"v{n}.x")) for n in (15, 16))),
    ("DCL-006", "gs", *(add(2, dcl(O.DCL_INPUT, f"v[3][{n}].x")) for n in (15, 16))),
    ("DCL-006", "cs", *(add(8, dcl(O.DCL_THREAD_GROUP_SHARED_MEMORY_RAW, f"g{n}", 4))
                        for n in (8191, 8192))),
    ("DCL-015", "ps", *(put(6, dcl(O.DCL_RESOURCE_STRUCTURED, "t2", n)) for n in (2048, 2052))),
    ("DCL-015", "ps", *(put(6, dcl(O.DCL_RESOURCE_STRUCTURED, "t2", n)) for n in (4, 0))),
    ("DCL-016", "ps", *(put(2, dcl(O.DCL_SAMPLER, "s0", controls=n << 11)) for n in (2, 3))),
    ("DCL-017", "cs", *(put(9, threads(n, 1, 1)) for n in (1024, 1025))),
    ("DCL-017", "cs", *(put(9, threads(1, n, 1)) for n in (1024, 1025))),
    ("DCL-017", "cs", *(put(9, threads(1, 1, n)) for n in (64, 65))),
    ("DCL-017", "cs", *(put(9, threads(32, n, 1)) for n in (32, 33))),
    ("DCL-017", "cs", *(put(9, threads(1, n, 1)) for n in (1, 0))),
    ("DCL-017", "cs_4", *(put(4, threads(n, 1, 1)) for n in (768, 769))),
    ("DCL-017", "cs_4", *(put(4, threads(1, 1, n)) for n in (64, 65))),
    ("DCL-019", "ps", *(put(13, dcl(O.DCL_INDEXABLE_TEMP, None, 0, n, 2)) for n in (4094, 4095))),
    ("DCL-020", "ps", *(put(13, dcl(O.DCL_INDEXABLE_TEMP, None, 0, 4, n)) for n in (4, 5))),
    ("DCL-020", "ps", *(put(13, dcl(O.DCL_INDEXABLE_TEMP, None, 0, 4, n)) for n in (1, 0))),
    ("DCL-020", "ps", *(put(13, dcl(O.DCL_INDEXABLE_TEMP, None, 0, n, 4)) for n in (1, 0))),
    ("DCL-021", "ps", *(put(1, buffer(0, n)) for n in (4096, 4097))),
    ("DCL-022", "ps", *(put(14, constants(*range(n))) for n in (4 * 4096, 4 * 4097))),
    ("DCL-022", "ps", *(put(14, constants(*range(n))) for n in (4, 0))),
    ("DCL-023", "gs", *(put(7, dcl(O.DCL_MAX_OUTPUT_VERTEX_COUNT, None, n)) for n in (170, 171))),
    ("DCL-026", "gs_streams", *(put(8, dcl(O.DCL_GS_INSTANCE_COUNT, None, n)) for n in (32, 33))),
    ("DCL-026", "gs_streams", *(put(8, dcl(O.DCL_GS_INSTANCE_COUNT, None, n)) for n in (1, 0))),
    ("DCL-027", "gs_streams", *(put(5, dcl(O.DCL_STREAM, f"m{n}")) for n in (3, 4))),
    ("DCL-028", "hs", *(put(1, points(O.DCL_INPUT_CONTROL_POINT_COUNT, n)) for n in (1, 0))),
    ("DCL-028", "hs", *(put(1, points(O.DCL_INPUT_CONTROL_POINT_COUNT, n)) for n in (32, 33))),
    ("DCL-030", "hs", *(put(6, factor(n)) for n in (1.0, 0.99))),
    ("DCL-030", "hs", *(put(6, factor(n)) for n in (64.0, 64.01))),
    ("DCL-031", "hs", *(put(17, dcl(O.DCL_HS_FORK_PHASE_INSTANCE_COUNT, None, n)) for n in (1, 0))),
]  # fmt: skip


@pytest.mark.parametrize(
    ("code", "name", "good", "bad"),
    [pytest.param(*b, id=f"{b[0]}-{n}") for n, b in enumerate(LIMITS)],
)
def test_limits(code, name, good, bad):
    assert f"SM4-{code}" not in [found for found, _ in findings(name, good)]
    assert f"SM4-{code}" in [found for found, _ in findings(name, bad)]


# An instruction that reads v1, the dimension of t0, and the components that count
READS: list[tuple[Instruction, ResourceDimension, str]] = [
    *((ins(O.SAMPLE, "r0.xyzw", "v1.xyzw", "t0.xyzw", "s0"), d, c) for d, c in (
        (_D.TEXTURE1D, "x"), (_D.TEXTURE2D, "xy"), (_D.TEXTURE3D, "xyz"), (_D.TEXTURECUBE, "xyz"),
        (_D.TEXTURE1DARRAY, "xy"), (_D.TEXTURE2DARRAY, "xyz"), (_D.TEXTURECUBEARRAY, "xyzw"))),
    *((ins(O.LD, "r0.xyzw", "v1.xyzw", "t0.xyzw"), d, c) for d, c in (
        (_D.BUFFER, "x"), (_D.TEXTURE1D, "xw"), (_D.TEXTURE2D, "xyw"), (_D.TEXTURE3D, "xyzw"),
        (_D.TEXTURE1DARRAY, "xyw"), (_D.TEXTURE2DARRAY, "xyzw"))),
    *((ins(O.LOD, "r0.xyzw", "v1.xyzw", "t0.xyzw", "s0"), d, c) for d, c in (
        (_D.TEXTURE2D, "xy"), (_D.TEXTURE2DARRAY, "xy"), (_D.TEXTURECUBE, "xyz"))),
    *((ins(O.SAMPLE_D, "r0.xyzw", "v0.xyzw", "t0.xyzw", "s0", "v1.xyzw", "v0.xyzw"), d, c)
      for d, c in ((_D.TEXTURE2D, "xy"), (_D.TEXTURE2DARRAY, "xy"), (_D.TEXTURE3D, "xyz"))),
    (ins(O.LD_RAW, "r0.x", "v1.xyzw", "t3.xxxx"), _D.TEXTURE2D, "x"),
    (ins(O.LD_STRUCTURED, "r0.x", "v1.xyzw", lit(0), "t2.xxxx"), _D.TEXTURE2D, "x"),
    (ins(O.LD_UAV_TYPED, "r0.x", "v1.xyzw", "u1.xxxx"), _D.TEXTURE2D, "x"),
    (ins(O.EVAL_SNAPPED, "r0.xyzw", "v0.xyzw", "v1.xyzw"), _D.TEXTURE2D, "xy"),
    (ins(O.MOV, "r0.xz", "v1.xyzw"), _D.TEXTURE2D, "xz"),
    (ins(O.ADD, "r0.y", "v1.wzyx", "v0.xyzw"), _D.TEXTURE2D, "z"),
    (ins(O.DP2, "r0.x", "v1.xyzw", "v0.xyzw"), _D.TEXTURE2D, "xy"),
    (ins(O.DP3, "r0.x", "v1.xyzw", "v0.xyzw"), _D.TEXTURE2D, "xyz"),
    (ins(O.DP4, "r0.x", "v1.xyzw", "v0.xyzw"), _D.TEXTURE2D, "xyzw"),
]  # fmt: skip


@pytest.mark.parametrize(("reading", "dimension", "wanted"), READS)
def test_components_that_are_read(reading, dimension, wanted):
    """An input that lacks one of them breaks a rule, one that lacks another does not."""
    for component in "xyzw":
        mask = "xyzw".replace(component, "")
        instructions = list(GOOD["ps"][1])
        instructions[4] = texture(0, dimension)
        instructions[10] = dcl(O.DCL_INPUT_PS, f"v1.{mask}", controls=LINEAR)
        instructions[17] = reading
        found = validate_program(program("ps_5_0", instructions))
        at = [f.location.instruction for f in found if f.code == "SM4-REG-006"]
        assert at == ([17] if component in wanted else []), component


@pytest.mark.parametrize("version", ["4_0", "4_1", "5_0"])
def test_cube_arrays_need_version_4_1(version):
    edited = add(1, texture(0, _D.TEXTURECUBEARRAY))(GOOD["vs"][1])
    found = validate_program(program(f"vs_{version}", edited))
    assert ("SM4-DCL-013" in [f.code for f in found]) == (version == "4_0")


def test_versions_of_opcodes():
    """The header has them in order of age; cs_4_x and messages came with those of version 5."""
    early = {
        O.DCL_THREAD_GROUP, O.DCL_UNORDERED_ACCESS_VIEW_RAW,
        O.DCL_UNORDERED_ACCESS_VIEW_STRUCTURED, O.DCL_THREAD_GROUP_SHARED_MEMORY_STRUCTURED,
        O.DCL_RESOURCE_RAW, O.DCL_RESOURCE_STRUCTURED, O.LD_RAW, O.STORE_RAW, O.LD_STRUCTURED,
        O.STORE_STRUCTURED, O.SYNC, O.ABORT,
    }  # fmt: skip
    for number, row in TABLE.rows.items():
        is_early = number < O.LOD or number in early
        wanted = (4, 0) if is_early else (4, 1) if number <= O.SAMPLE_INFO else (5, 0)
        assert row.since == wanted, row.mnemonic


def test_controls_of_operations():
    """Float results and moves saturate, conversions from integers and halves do not."""
    conversions = {O.ITOF, O.UTOF, O.F16TOF32, O.ITOD, O.UTOD}
    moves = {O.MOV, O.MOVC, O.SWAPC}
    for number, row in TABLE.rows.items():
        if row.kind is not Kind.PURE:
            continue
        is_float = all(d.letter in "fd" for d in row.destinations)
        saturates = number in moves or (is_float and number not in conversions)
        assert (Controls.SATURATE in row.controls) == saturates, row.mnemonic
        is_precise = number != O.CHECK_ACCESS_FULLY_MAPPED
        assert (Controls.PRECISE in row.controls) == is_precise, row.mnemonic


def test_every_rule_has_a_broken_program():
    assert {f"SM4-{code}" for code, *_ in BROKEN} | ELSEWHERE == set(PROGRAM_RULES)


ELSEWHERE = {"SM4-TOK-003", "SM4-TOK-015"}  # another profile; no program at all


def test_hull_shaders_need_version_5():
    profile, good = GOOD["hs"]
    found = validate_program(program(profile.replace("5", "4"), good))
    assert "SM4-TOK-003" in [f.code for f in found]


FUNCTION = [
    texture(0, _D.TEXTURE2D),
    dcl(O.DCL_SAMPLER, "s0"),
    dcl(O.DCL_INPUT, "v40.xyzw"),
    dcl(O.DCL_OUTPUT, "o40.xyzw"),
    ins(O.SAMPLE, "o40.xyzw", "v40.xyxx", "t0.xyzw", "s0"),
    RET,
]


def test_functions_of_libraries_are_for_any_stage_and_have_any_number_of_parameters():
    assert validate_program(program("lib_5_0", FUNCTION)) == []


def test_functions_of_libraries_keep_to_the_rules_of_all_stages():
    broken = [*FUNCTION[:4], ins(O.MOV, "o40.xyzw", "v41.xyzw"), ins(O.MOV, "r0.x", lit(0)), RET]
    found = validate_program(program("lib_5_0", broken))
    assert [f.code for f in found] == ["SM4-REG-005", "SM4-REG-001"]


def test_a_block_that_is_not_ended_says_nothing_of_the_ret_in_it():
    profile, good = GOOD["ps"]
    found = validate_program(program(profile, [*good[:24], flow(O.LOOP), *good[24:]]))
    assert [f.code for f in found if "-FLOW-" in f.code] == ["SM4-FLOW-002"]


def test_findings_say_what_was_found_where_and_why():
    profile, good = GOOD["ps"]
    edited = put(15, ins(O.MOV, "r0.xyzw", "v5.xyzw"))(list(good))
    (found,) = [f for f in validate_program(program(profile, edited)) if f.code == "SM4-REG-005"]
    assert found.message == "mov: v5 is not declared"
    assert (found.location.instruction, found.location.offset) == (15, 60)
    assert found.severity is Severity.ERROR
    assert found.spec == "D3D11.3 functional specification 22.3.10"


def test_findings_of_one_rule_are_limited():
    profile, good = GOOD["ps"]
    bad = [ins(O.MOV, "r0.xyzw", "v5.xyzw")] * 500
    found = validate_program(program(profile, [*good[:15], *bad, *good[15:]]))
    mine = [f for f in found if f.code == "SM4-REG-005"]
    assert len(mine) == 100
    assert mine[-1].message.endswith("further ones of this kind are not listed")


LOOP, END = flow(O.LOOP), flow(O.ENDLOOP)
VARYING = {
    "a branch on an input": [IF, "gradient", ENDIF],
    "the other side of a branch": [IF, flow(O.ELSE), "gradient", ENDIF],
    "after a conditional return": [flow(O.RETC, "r0.x", controls=NZ), "gradient"],
    "after a return in a branch": [IF, RET, ENDIF, "gradient"],
    "a loop some leave later": [LOOP, "gradient", IF, flow(O.BREAK), ENDIF, END],
    "a loop left by a condition": [LOOP, flow(O.BREAKC, "r0.x", controls=NZ), "gradient", END],
    "a loop some begin again": [
        LOOP, flow(O.CONTINUEC, "r0.x", controls=NZ), "gradient", flow(O.BREAK), END,
    ],
    "a switch on an input": [flow(O.SWITCH, "r0.x"), flow(O.DEFAULT), "gradient", flow(O.BREAK),
                             flow(O.ENDSWITCH)],
    "a value that a branch chose": [
        ins(O.MOV, "r1.y", "cb0[0].x"), IF, ins(O.MOV, "r1.y", "cb0[1].x"), ENDIF,
        flow(O.IF, "r1.y", controls=NZ), "gradient", ENDIF,
    ],
    "a uniform value that only some lanes have": [
        IF, ins(O.MOV, "r1.xy", "cb0[0].xyxx"), "gradient", ENDIF,
    ],
    "a value from another iteration": [
        ins(O.MOV, "r1.y", "cb0[0].x"), LOOP, flow(O.IF, "r1.y", controls=NZ), "gradient", ENDIF,
        ins(O.MOV, "r1.y", "r0.x"), flow(O.BREAKC, "cb0[0].x", controls=NZ), END,
    ],
}  # fmt: skip
UNIFORM = {
    "no branch": ["gradient"],
    "a branch on a constant": [flow(O.IF, "cb0[0].x", controls=NZ), "gradient", ENDIF],
    "after a branch": [IF, MOV, ENDIF, "gradient"],
    "after a loop": [LOOP, flow(O.BREAKC, "r0.x", controls=NZ), END, "gradient"],
    "after a discard": [flow(O.DISCARD, "r0.x", controls=NZ), "gradient"],
    "a uniform loop": [LOOP, "gradient", flow(O.BREAKC, "cb0[0].x", controls=NZ), END],
    "a value that all lanes have": [
        ins(O.MOV, "r1.xy", "cb0[0].xyxx"), IF, "gradient", ENDIF,
    ],
    "a value computed from constants": [
        ins(O.ADD, "r1.y", "cb0[0].x", "cb0[1].x"), flow(O.IF, "r1.y", controls=NZ), "gradient",
        ENDIF,
    ],
}  # fmt: skip


def gradient_findings(body: list[Instruction | str]) -> list[str]:
    sample = ins(O.SAMPLE, "r1.xyzw", "r1.xyxx", "t0.xyzw", "s0")
    profile, good = GOOD["ps"]
    inner = [sample if one == "gradient" else one for one in body]
    found = validate_program(program(profile, [*good[:20], *inner, *good[20:]]))
    return [f.code for f in found]


@pytest.mark.parametrize("body", VARYING.values(), ids=VARYING.keys())
def test_gradients_in_varying_flow_are_warned_of(body):
    assert "SM4-FLOW-016" in gradient_findings(body)


@pytest.mark.parametrize("body", UNIFORM.values(), ids=UNIFORM.keys())
def test_gradients_in_uniform_flow_are_not(body):
    assert "SM4-FLOW-016" not in gradient_findings(body)


def nested(depth: int) -> list[Instruction]:
    """Return loops in loops that all write the same registers and are left in many ways."""
    profile, good = GOOD["vs"]
    assert profile == "vs_4_0"
    leave = flow(O.BREAKC, "r0.y", controls=NZ)
    opened = [one for _ in range(depth) for one in (LOOP, good[12], leave)]
    return [*good[:8], good[8], *opened, *[leave, good[14]] * 2000, *[END] * depth, *good[16:]]


@pytest.mark.parametrize("seed", range(40))
def test_a_value_varies_if_it_is_made_of_one_that_does(seed):
    """Random moves and sums, component by component; then a branch on one with a gradient in it."""
    chance = random.Random(seed)
    varying = {(n, c): False for n in range(4) for c in range(4)}
    body = [ins(O.MOV, f"r{n}.xyzw", "cb0[0].xyzw") for n in range(4)]
    for _ in range(chance.randint(1, 14)):
        mask = sorted(chance.sample(range(4), chance.randint(1, 4)))
        to = chance.randrange(4)
        made = dict.fromkeys(mask, False)
        sources = []
        for _ in range(chance.choice((1, 2))):
            swizzle = [chance.randrange(4) for _ in range(4)]
            name = chance.choice(["cb0[1]", "cb0[2]", "v0", "r0", "r1", "r2", "r3", "r1", "r2"])
            sources.append(f"{name}.{''.join('xyzw'[c] for c in swizzle)}")
            for c in mask:
                is_varying = varying[int(name[1]), swizzle[c]] if name[0] == "r" else name == "v0"
                made[c] |= is_varying
        result = f"r{to}.{''.join('xyzw'[c] for c in mask)}"
        body.append(ins(O.MOV if len(sources) == 1 else O.ADD, result, *sources))
        varying |= {(to, c): v for c, v in made.items()}
    body.append(ins(O.ADD, "r4.xy", "v1.xyxx", "v1.yxxx"))
    sample = ins(O.SAMPLE, "r0.xyzw", "r4.xyxx", "t0.xyzw", "s0")
    for (number, component), is_varying in varying.items():
        test = flow(O.IF, f"r{number}.{'xyzw'[component]}", controls=NZ)
        whole = [*GOOD["ps"][1][:12], dcl(O.DCL_TEMPS, None, 5), *body, test, sample, ENDIF,
                 ins(O.MOV, "o0.xyzw", "r0.xyzw"), RET]  # fmt: skip
        codes = [f.code for f in validate_program(program("ps_5_0", whole))]
        assert ("SM4-FLOW-016" in codes) == is_varying, (number, component)


@pytest.mark.parametrize("mode", [1, 2, 4])
@pytest.mark.parametrize("register", ["v0", "v1"])
def test_inputs_that_are_not_interpolated_do_not_vary(mode, register):
    """Mode 1 (constant) is the same for a whole primitive; v1 is interpolated."""
    instructions = list(GOOD["ps"][1])
    instructions[9] = dcl(O.DCL_INPUT_PS, "v0.xyzw", controls=mode << 11)
    test = flow(O.IF, f"{register}.x", controls=NZ)
    sample = ins(O.SAMPLE, "r1.xyzw", "r1.xyxx", "t0.xyzw", "s0")
    found = validate_program(
        program("ps_5_0", [*instructions[:20], test, sample, ENDIF, *instructions[20:]])
    )
    warned = "SM4-FLOW-016" in [f.code for f in found]
    assert warned == (mode != 1 or register == "v1")


def test_deep_loops_with_many_exits_take_time_in_proportion_to_their_length():
    found = validate_program(program("vs_4_0", nested(64)))
    assert [f.code for f in found if f.severity is Severity.ERROR] == []


def test_no_tokens_make_it_fail():
    """Random dwords behind a version token, and good programs with random dwords in them."""
    source = random.Random(5)
    for _ in range(300):
        count = source.randrange(2, 40)
        words = [source.choice((0, 1, source.getrandbits(32), 0x01000000 | source.getrandbits(11)))
                 for _ in range(count)]  # fmt: skip
        header = source.randrange(6) << 16 | source.choice((0x40, 0x41, 0x50, 0x51))
        check(b"".join(w.to_bytes(4, "little") for w in (header, count + 2, *words)))


def check(data: bytes) -> list[str] | None:
    """Return the codes of a token stream's findings, None if it cannot be decoded."""
    try:
        return [f.code for f in validate_program(decode(data))]
    except DecodeError:
        return None


def test_no_fields_make_it_fail():
    """Good programs with operands, numbers and opcodes exchanged at random."""
    source = random.Random(9)
    pool = [i for _, good in GOOD.values() for i in good]
    for _ in range(600):
        profile, good = GOOD[source.choice(list(GOOD))]
        body = [disturbed(i, pool, source) if source.random() < 0.2 else i for i in good]
        source.random() < 0.3 and source.shuffle(body)
        validate_program(program(profile, body))


def disturbed(i: Instruction, pool: list[Instruction], source: random.Random) -> Instruction:
    other = source.choice(pool)
    changes = (
        {"opcode": other.opcode},
        {"operands": other.operands},
        {"extra": other.extra},
        {"controls": source.getrandbits(13) << 11},
        {"custom_class": None, "extra": tuple(source.getrandbits(32) for _ in i.extra)},
        {"operands": tuple(replace(o, indices=(index("9"), index("r0.x"))) for o in i.operands)},
    )
    return replace(i, **source.choice(changes))


def test_an_empty_program_is_no_failure():
    assert validate_program(Program(program("cs_5_0", []).type, 5, 0, ())) == []


@pytest.mark.corpus
def test_output_of_the_real_compiler_breaks_no_rule(shared: Path):
    seen = 0
    for path in sorted((shared / "samples/sm4_5").glob("*.dxbc")):
        chunk = dxbc.parse(path.read_bytes()).program_chunk
        found = validate_program(decode(chunk.data, chunk.data_offset))
        assert [str(f) for f in found] == [], path.name
        seen += 1
    assert seen > 200
