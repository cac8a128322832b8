"""Small programs of SM4-5.1 made by hand, from operands in the listing's syntax."""

from __future__ import annotations

import re
import struct
from collections.abc import Iterable
from dataclasses import replace

from softd3d.isa.sm4.enums import (
    CustomDataClass,
    Domain,
    ExtendedOpcodeType,
    GlobalFlags,
    Opcode,
    OperandModifier,
    OperandType,
    OutputPrimitive,
    Partitioning,
    Primitive,
    PrimitiveTopology,
    ProgramType,
    ResourceDimension,
    SelectionMode,
    SyncFlags,
    SystemName,
)
from softd3d.isa.sm4.program import Index, Instruction, Operand, Program

O = Opcode  # noqa: E741 - as in the rows
T = OperandType
_FILES = {
    "r": T.TEMP, "v": T.INPUT, "o": T.OUTPUT, "x": T.INDEXABLE_TEMP, "s": T.SAMPLER,
    "t": T.RESOURCE, "cb": T.CONSTANT_BUFFER, "icb": T.IMMEDIATE_CONSTANT_BUFFER,
    "label": T.LABEL, "fb": T.FUNCTION_BODY, "fp": T.INTERFACE, "m": T.STREAM, "null": T.NULL,
    "u": T.UNORDERED_ACCESS_VIEW, "g": T.THREAD_GROUP_SHARED_MEMORY, "oDepth": T.OUTPUT_DEPTH,
    "oDepthGE": T.OUTPUT_DEPTH_GREATER_EQUAL, "oMask": T.OUTPUT_COVERAGE_MASK,
    "vicp": T.INPUT_CONTROL_POINT, "vocp": T.OUTPUT_CONTROL_POINT, "vpc": T.INPUT_PATCH_CONSTANT,
    "vDomain": T.INPUT_DOMAIN_POINT, "vThreadID": T.INPUT_THREAD_ID,
    "vThreadIDInGroup": T.INPUT_THREAD_ID_IN_GROUP,
    "vThreadIDInGroupFlattened": T.INPUT_THREAD_ID_IN_GROUP_FLATTENED,
    "vForkInstanceID": T.INPUT_FORK_INSTANCE_ID, "vPrim": T.INPUT_PRIMITIVEID,
    "vJoinInstanceID": T.INPUT_JOIN_INSTANCE_ID, "vGSInstanceID": T.INPUT_GS_INSTANCE_ID,
    "vOutputControlPointID": T.OUTPUT_CONTROL_POINT_ID, "vCoverage": T.INPUT_COVERAGE_MASK,
    "vInnerCoverage": T.INNER_COVERAGE, "rasterizer": T.RASTERIZER, "fi": T.FUNCTION_INPUT,
}  # fmt: skip
_OPERAND = re.compile(r"(-?\|?)([a-zA-Z]+)(\d*)((?:\[[^\]]*\])*)(?:\.([xyzw]*))?(\|?)$")


def index(text: str) -> Index:
    """Read `3`, `r0.x` or `r0.x + 3`."""
    if text.isdigit():
        return Index(int(text))
    register, _, number = text.partition(" + ")
    return Index(int(number or 0), src(register), 3 if number else 2)


def _parts(text: str) -> tuple[OperandType, tuple[Index, ...], str | None, OperandModifier]:
    found = _OPERAND.match(text)
    assert found, text
    sign, name, number, indices, components, _ = found.groups()
    modifier = OperandModifier(2 * ("|" in sign) + ("-" in sign))
    if name in ("v", "x", "icb", "vicp") and not number and not indices:
        number = "0"
    inner = [index(one) for one in re.findall(r"\[([^\]]*)\]", indices)]
    return _FILES[name], (*([index(number)] if number else []), *inner), components, modifier


def dst(text: str) -> Operand:
    """Read a result: components are a mask."""
    kind, indices, components, modifier = _parts(text)
    if components is None:
        return Operand(kind, 0, indices=indices, modifier=modifier)
    mask = tuple("xyzw".index(c) for c in components)
    return Operand(kind, 4, SelectionMode.MASK, mask, indices, modifier)


def src(text: str) -> Operand:
    """Read a source: four components are a swizzle, one is selected."""
    kind, indices, components, modifier = _parts(text)
    if components is None:
        return Operand(kind, 0, indices=indices, modifier=modifier)
    selection = tuple("xyzw".index(c) for c in components)
    mode = SelectionMode.SELECT_1 if len(selection) == 1 else SelectionMode.SWIZZLE
    return Operand(kind, 4, mode, selection, indices, modifier)


def lit(*values: int) -> Operand:
    """Return a literal of one or four dwords."""
    return Operand(T.IMMEDIATE32, len(values), immediate=values)


def lit64(*values: int) -> Operand:
    return Operand(T.IMMEDIATE64, 4, immediate=values)


def ins(
    opcode: Opcode, *operands: str | Operand, results: int = 1, **fields: object
) -> Instruction:
    """Return an instruction; the first `results` operands given as text are results."""
    read = [
        o if isinstance(o, Operand) else dst(o) if at < results else src(o)
        for at, o in enumerate(operands)
    ]
    return replace(Instruction(opcode, tuple(read)), **fields)


def flow(opcode: Opcode, *operands: str | Operand, **fields: object) -> Instruction:
    """Return an instruction without results."""
    return ins(opcode, *operands, results=0, **fields)


def dcl(
    opcode: Opcode, operand: str | Operand | None = None, *extra: int, controls: int = 0
) -> Instruction:
    """Return a declaration; components of its register are a mask."""
    operands = () if operand is None else (operand,)
    return ins(opcode, *operands, extra=extra, controls=controls)


def buffer(number: int, size: int, *, dynamic: bool = False) -> Instruction:
    operand = Operand(
        T.CONSTANT_BUFFER, 4, SelectionMode.SWIZZLE, (0, 1, 2, 3), (Index(number), Index(size))
    )
    return dcl(O.DCL_CONSTANT_BUFFER, operand, controls=dynamic << 11)


def texture(number: int, dimension: ResourceDimension, returns: int = 0x5555) -> Instruction:
    return dcl(O.DCL_RESOURCE, f"t{number}", returns, controls=dimension << 11)


def uav(number: int, dimension: ResourceDimension, returns: int = 0x4444) -> Instruction:
    code = O.DCL_UNORDERED_ACCESS_VIEW_TYPED
    return dcl(code, f"u{number}", returns, controls=dimension << 11)


def constants(*dwords: int) -> Instruction:
    kind = CustomDataClass.DCL_IMMEDIATE_CONSTANT_BUFFER
    return Instruction(O.CUSTOMDATA, custom_class=kind, custom=dwords)


def offsets(u: int, v: int) -> dict[str, object]:
    """Return the fields of an instruction with texel offsets."""
    token = ExtendedOpcodeType.SAMPLE_CONTROLS | (u & 15) << 9 | (v & 15) << 13
    return {"texel_offsets": (u, v, 0), "extended": (token,)}


def stated(dimension: ResourceDimension, stride: int = 0) -> dict[str, object]:
    """Return the fields of an instruction that states its view's shape."""
    token = ExtendedOpcodeType.RESOURCE_DIM | dimension << 6 | stride << 11
    return {"dimension": dimension, "stride": stride, "extended": (token,)}


def program(profile: str, instructions: Iterable[Instruction]) -> Program:
    """Number the instructions; the byte offsets are four times the numbers."""
    stage, major, minor = profile.split("_")
    numbered = [replace(i, index=n, offset=4 * n) for n, i in enumerate(instructions)]
    return Program(ProgramType[stage.upper()], int(major), int(minor), tuple(numbered))


NZ = 1 << 18
SAT = 1 << 13
PRECISE = 15 << 19
_D = ResourceDimension
REFACTOR = dcl(O.DCL_GLOBAL_FLAGS, controls=GlobalFlags.REFACTORING_ALLOWED)
DOUBLES = GlobalFlags.REFACTORING_ALLOWED | GlobalFlags.ENABLE_DOUBLE_PRECISION_FLOAT_OPS
RET = flow(O.RET)


def _siv(register: str, name: SystemName) -> Instruction:
    return dcl(O.DCL_OUTPUT_SIV, register, name)


def _topology(kind: PrimitiveTopology) -> Instruction:
    return dcl(O.DCL_GS_OUTPUT_PRIMITIVE_TOPOLOGY, controls=kind << 11)


def _primitive(kind: Primitive) -> Instruction:
    return dcl(O.DCL_GS_INPUT_PRIMITIVE, controls=kind << 11)


def points(opcode: Opcode, count: int) -> Instruction:
    return dcl(opcode, controls=count << 11)


_IN, _OUT = O.DCL_INPUT_CONTROL_POINT_COUNT, O.DCL_OUTPUT_CONTROL_POINT_COUNT
LINEAR = 2 << 11
LIMIT = struct.unpack("<I", struct.pack("<f", 8.0))[0]

GOOD: dict[str, tuple[str, list[Instruction]]] = {
    "ps": ("ps_5_0", [
        REFACTOR,                                                             # 0
        buffer(0, 4),                                                         # 1
        dcl(O.DCL_SAMPLER, "s0"),                                             # 2
        dcl(O.DCL_SAMPLER, "s1", controls=1 << 11),                           # 3
        texture(0, _D.TEXTURE2D),                                             # 4
        texture(1, _D.TEXTURECUBE),                                           # 5
        dcl(O.DCL_RESOURCE_STRUCTURED, "t2", 16),                             # 6
        dcl(O.DCL_RESOURCE_RAW, "t3"),                                        # 7
        uav(1, _D.BUFFER),                                                    # 8
        dcl(O.DCL_INPUT_PS, "v0.xyzw", controls=LINEAR),                      # 9
        dcl(O.DCL_INPUT_PS, "v1.xy", controls=LINEAR),                        # 10
        dcl(O.DCL_OUTPUT, "o0.xyzw"),                                         # 11
        dcl(O.DCL_TEMPS, None, 2),                                            # 12
        dcl(O.DCL_INDEXABLE_TEMP, None, 0, 4, 2),                             # 13
        constants(*range(8)),                                                 # 14
        ins(O.MOV, "r0.xyzw", "v0.xyzw"),                                     # 15
        ins(O.MUL, "r1.xyzw", "r0.xyzw", "cb0[1].xyzw", controls=SAT),        # 16
        ins(O.SAMPLE, "r1.xyzw", "v1.xyxx", "t0.xyzw", "s0"),                 # 17
        ins(O.MOV, "x0[0].xy", "r0.xyxx"),                                    # 18
        ins(O.FTOU, "r0.x", "r0.x"),                                          # 19
        ins(O.MOV, "r1.x", "icb[r0.x].x"),                                    # 20
        flow(O.IF, "r0.x", controls=NZ),                                      # 21
        ins(O.ADD, "r1.xyzw", "r1.xyzw", "-r0.xyzw"),                         # 22
        flow(O.ENDIF),                                                        # 23
        ins(O.MOV, "o0.xyzw", "r1.xyzw"),                                     # 24
        RET,                                                                  # 25
    ]),
    "cs": ("cs_5_0", [
        REFACTOR,                                                             # 0
        uav(0, _D.BUFFER),                                                    # 1
        dcl(O.DCL_UNORDERED_ACCESS_VIEW_RAW, "u1"),                           # 2
        dcl(O.DCL_UNORDERED_ACCESS_VIEW_STRUCTURED, "u2", 8, controls=1 << 23),  # 3
        dcl(O.DCL_INPUT, "vThreadID.xy"),                                     # 4
        dcl(O.DCL_INPUT, "vThreadIDInGroupFlattened"),                        # 5
        dcl(O.DCL_TEMPS, None, 2),                                            # 6
        dcl(O.DCL_THREAD_GROUP_SHARED_MEMORY_STRUCTURED, "g0", 4, 64),        # 7
        dcl(O.DCL_THREAD_GROUP_SHARED_MEMORY_RAW, "g1", 64),                  # 8
        dcl(O.DCL_THREAD_GROUP, None, 8, 8, 1),                               # 9
        ins(O.LD_RAW, "r0.x", lit(4), "u1.xxxx"),                             # 10
        ins(O.STORE_STRUCTURED, "g0.x", "vThreadID.x", lit(0), "r0.x"),       # 11
        flow(O.SYNC, controls=SyncFlags.THREADS | SyncFlags.THREAD_GROUP_SHARED_MEMORY),  # 12
        ins(O.STORE_UAV_TYPED, "u0.xyzw", "vThreadID.xxxx", "r0.xxxx"),       # 13
        ins(O.ATOMIC_IADD, "g1", lit(0), "r0.x"),                             # 14
        ins(O.IMM_ATOMIC_ALLOC, "r0.y", "u2", results=2),                     # 15
        ins(O.STORE_STRUCTURED, "u2.xy", "r0.y", lit(0), "r0.xxxx"),          # 16
        RET,                                                                  # 17
    ]),
    "cs_4": ("cs_4_0", [
        dcl(O.DCL_UNORDERED_ACCESS_VIEW_RAW, "u0"),                           # 0
        dcl(O.DCL_INPUT, "vThreadIDInGroupFlattened"),                        # 1
        dcl(O.DCL_TEMPS, None, 1),                                            # 2
        dcl(O.DCL_THREAD_GROUP_SHARED_MEMORY_STRUCTURED, "g0", 4, 64),        # 3
        dcl(O.DCL_THREAD_GROUP, None, 64, 1, 1),                              # 4
        ins(O.MOV, "r0.x", "vThreadIDInGroupFlattened.x"),                    # 5
        ins(O.STORE_STRUCTURED, "g0.x", "vThreadIDInGroupFlattened.x", lit(0), "r0.x"),  # 6
        ins(O.STORE_RAW, "u0.x", "r0.x", "r0.x"),                             # 7
        RET,                                                                  # 8
    ]),
    "vs": ("vs_4_0", [
        buffer(0, 4, dynamic=True),                                           # 0
        dcl(O.DCL_INPUT, "v0.xyzw"),                                          # 1
        dcl(O.DCL_INPUT_SGV, "v1.x", SystemName.VERTEX_ID),                   # 2
        _siv("o0.xyzw", SystemName.POSITION),                                 # 3
        dcl(O.DCL_OUTPUT, "o1.xy"),                                           # 4
        dcl(O.DCL_OUTPUT, "o2.xy"),                                           # 5
        dcl(O.DCL_INDEX_RANGE, "o1.xy", 2),                                   # 6
        dcl(O.DCL_TEMPS, None, 2),                                            # 7
        ins(O.MOV, "r0.x", "v1.x"),                                           # 8
        ins(O.MUL, "o0.xyzw", "v0.xyzw", "cb0[r0.x + 1].xyzw"),               # 9
        ins(O.MOV, "o[r0.x + 1].xy", "v0.xyxx"),                              # 10
        flow(O.LOOP),                                                         # 11
        ins(O.IGE, "r0.y", "r0.x", lit(9)),                                   # 12
        flow(O.BREAKC, "r0.y", controls=NZ),                                  # 13
        ins(O.IADD, "r0.x", "-r0.x", lit(1)),                                 # 14
        flow(O.ENDLOOP),                                                      # 15
        flow(O.SWITCH, "r0.x"),                                               # 16
        flow(O.CASE, lit(1)),                                                 # 17
        ins(O.MOV, "r1.x", "r0.x"),                                           # 18
        flow(O.BREAK),                                                        # 19
        flow(O.DEFAULT),                                                      # 20
        ins(O.MOV, "r1.x", lit(2)),                                           # 21
        flow(O.BREAK),                                                        # 22
        flow(O.ENDSWITCH),                                                    # 23
        flow(O.CALL, "label0"),                                               # 24
        ins(O.MOV, "o1.xy", "r1.xxxx"),                                       # 25
        RET,                                                                  # 26
        flow(O.LABEL, "label0"),                                              # 27
        ins(O.MOV, "o2.xy", "v0.xyxx"),                                       # 28
        RET,                                                                  # 29
    ]),
    "gs": ("gs_4_0", [
        dcl(O.DCL_INPUT_SIV, "v[3][0].xyzw", SystemName.POSITION),            # 0
        dcl(O.DCL_INPUT, "v[3][1].xy"),                                       # 1
        dcl(O.DCL_TEMPS, None, 1),                                            # 2
        _primitive(Primitive.TRIANGLE),                                       # 3
        _topology(PrimitiveTopology.TRIANGLESTRIP),                           # 4
        _siv("o0.xyzw", SystemName.POSITION),                                 # 5
        dcl(O.DCL_OUTPUT, "o1.xy"),                                           # 6
        dcl(O.DCL_MAX_OUTPUT_VERTEX_COUNT, None, 3),                          # 7
        ins(O.MOV, "o0.xyzw", "v[2][0].xyzw"),                                # 8
        ins(O.MOV, "o1.xy", "v[0][1].xyxx"),                                  # 9
        flow(O.EMIT),                                                         # 10
        flow(O.CUT),                                                          # 11
        RET,                                                                  # 12
    ]),
    "gs_streams": ("gs_5_0", [
        dcl(O.DCL_INPUT, "v[1][0].xyzw"),                                     # 0
        _primitive(Primitive.POINT),                                          # 1
        dcl(O.DCL_STREAM, "m0"),                                              # 2
        _topology(PrimitiveTopology.POINTLIST),                               # 3
        dcl(O.DCL_OUTPUT, "o0.xyzw"),                                         # 4
        dcl(O.DCL_STREAM, "m1"),                                              # 5
        _topology(PrimitiveTopology.POINTLIST),                               # 6
        dcl(O.DCL_OUTPUT, "o0.xy"),                                           # 7
        dcl(O.DCL_GS_INSTANCE_COUNT, None, 2),                                # 8
        dcl(O.DCL_MAX_OUTPUT_VERTEX_COUNT, None, 2),                          # 9
        ins(O.MOV, "o0.xyzw", "v[0][0].xyzw"),                                # 10
        flow(O.EMIT_STREAM, "m0"),                                            # 11
        flow(O.CUT_STREAM, "m1"),                                             # 12
        RET,                                                                  # 13
    ]),
    "hs": ("hs_5_0", [
        dcl(O.HS_DECLS),                                                      # 0
        points(_IN, 3),                                                       # 1
        points(_OUT, 3),                                                      # 2
        dcl(O.DCL_TESS_DOMAIN, controls=Domain.TRI << 11),                    # 3
        dcl(O.DCL_TESS_PARTITIONING, controls=Partitioning.INTEGER << 11),    # 4
        dcl(O.DCL_TESS_OUTPUT_PRIMITIVE, controls=OutputPrimitive.TRIANGLE_CW << 11),  # 5
        dcl(O.DCL_HS_MAX_TESSFACTOR, None, LIMIT),                            # 6
        buffer(0, 1),                                                         # 7
        dcl(O.HS_CONTROL_POINT_PHASE),                                        # 8
        dcl(O.DCL_INPUT, "vOutputControlPointID"),                            # 9
        dcl(O.DCL_INPUT, "v[3][0].xyzw"),                                     # 10
        dcl(O.DCL_OUTPUT, "o0.xyzw"),                                         # 11
        dcl(O.DCL_TEMPS, None, 1),                                            # 12
        ins(O.MOV, "r0.x", "vOutputControlPointID.x"),                        # 13
        ins(O.MOV, "o0.xyzw", "v[r0.x][0].xyzw"),                             # 14
        RET,                                                                  # 15
        dcl(O.HS_FORK_PHASE),                                                 # 16
        dcl(O.DCL_HS_FORK_PHASE_INSTANCE_COUNT, None, 3),                     # 17
        dcl(O.DCL_INPUT, "vForkInstanceID"),                                  # 18
        _siv("o0.x", SystemName.FINAL_TRI_U_EQ_0_EDGE_TESSFACTOR),            # 19
        _siv("o1.x", SystemName.FINAL_TRI_V_EQ_0_EDGE_TESSFACTOR),            # 20
        _siv("o2.x", SystemName.FINAL_TRI_W_EQ_0_EDGE_TESSFACTOR),            # 21
        dcl(O.DCL_TEMPS, None, 1),                                            # 22
        dcl(O.DCL_INDEX_RANGE, "o0.x", 3),                                    # 23
        ins(O.MOV, "r0.x", "vForkInstanceID.x"),                              # 24
        ins(O.MOV, "o[r0.x].x", "cb0[0].x"),                                  # 25
        RET,                                                                  # 26
        dcl(O.HS_JOIN_PHASE),                                                 # 27
        dcl(O.DCL_INPUT, "vpc0.x"),                                           # 28
        dcl(O.DCL_INPUT, "vocp[3][0].xyzw"),                                  # 29
        _siv("o3.x", SystemName.FINAL_TRI_INSIDE_TESSFACTOR),                 # 30
        ins(O.ADD, "o3.x", "vpc0.x", "vocp[2][0].x"),                         # 31
        RET,                                                                  # 32
    ]),
    "ds": ("ds_5_0", [
        points(_IN, 3),                                                       # 0
        dcl(O.DCL_TESS_DOMAIN, controls=Domain.TRI << 11),                    # 1
        dcl(O.DCL_INPUT_SIV, "vpc0.x", SystemName.FINAL_TRI_U_EQ_0_EDGE_TESSFACTOR),  # 2
        dcl(O.DCL_INPUT, "vDomain.xyz"),                                      # 3
        dcl(O.DCL_INPUT, "vicp[3][0].xyzw"),                                  # 4
        _siv("o0.xyzw", SystemName.POSITION),                                 # 5
        ins(O.MUL, "o0.xyzw", "vicp[1][0].xyzw", "vDomain.xxxx"),             # 6
        RET,                                                                  # 7
    ]),
    "doubles": ("vs_5_0", [
        dcl(O.DCL_GLOBAL_FLAGS, controls=DOUBLES),                            # 0
        dcl(O.DCL_INPUT, "v0.xyzw"),                                          # 1
        dcl(O.DCL_OUTPUT, "o0.x"),                                            # 2
        dcl(O.DCL_TEMPS, None, 2),                                            # 3
        ins(O.DADD, "r0.xy", "v0.xyxy", lit64(0, 1, 0, 1)),                   # 4
        ins(O.DMUL, "r1.xyzw", "v0.zwxy", "-r0.xyxy"),                        # 5
        ins(O.DTOF, "o0.x", "r1.xyxy"),                                       # 6
        RET,                                                                  # 7
    ]),
    "bound_5_1": ("ps_5_1", [
        dcl(O.DCL_CONSTANT_BUFFER,
            Operand(T.CONSTANT_BUFFER, 4, SelectionMode.SWIZZLE, (0, 1, 2, 3),
                    (Index(0), Index(2), Index(3))), 4, 0),                   # 0
        dcl(O.DCL_SAMPLER, "s0[0][1]", 0),                                    # 1
        dcl(O.DCL_RESOURCE, "t0[4][7]", 0x5555, 1, controls=_D.TEXTURE2D << 11),  # 2
        dcl(O.DCL_INPUT_PS, "v0.xy", controls=LINEAR),                        # 3
        dcl(O.DCL_OUTPUT, "o0.xyzw"),                                         # 4
        dcl(O.DCL_TEMPS, None, 1),                                            # 5
        ins(O.SAMPLE, "r0.xyzw", "v0.xyxx", "t0[5].xyzw", "s0[1]"),           # 6
        ins(O.MUL, "o0.xyzw", "r0.xyzw", "cb0[2][3].xyzw"),                   # 7
        RET,                                                                  # 8
    ]),
    "classes": ("ps_5_0", [
        dcl(O.DCL_FUNCTION_BODY, None, 0),                                    # 0
        dcl(O.DCL_FUNCTION_BODY, None, 1),                                    # 1
        dcl(O.DCL_FUNCTION_TABLE, None, 0, 1, 0),                             # 2
        dcl(O.DCL_FUNCTION_TABLE, None, 1, 1, 1),                             # 3
        dcl(O.DCL_INTERFACE, None, 0, 1, 1 << 16 | 2, 0, 1),                  # 4
        dcl(O.DCL_OUTPUT, "o0.x"),                                            # 5
        flow(O.INTERFACE_CALL, "fp0[0]", extra=(0,)),                         # 6
        RET,                                                                  # 7
        flow(O.LABEL, "fb0"),                                                 # 8
        ins(O.MOV, "o0.x", lit(0)),                                           # 9
        RET,                                                                  # 10
        flow(O.LABEL, "fb1"),                                                 # 11
        ins(O.MOV, "o0.x", lit(1)),                                           # 12
        RET,                                                                  # 13
    ]),
}  # fmt: skip
"""Programs by name, with their profiles, that break no rule. Comments are instruction numbers."""
