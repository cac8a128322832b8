"""The register files: who may read and write them where, their indices and components.

Spec: D3D11.3 functional specification chapters 22 and 26; d3d12TokenizedProgramFormat.hpp.
"""

from __future__ import annotations

from softd3d.classes import dataclass
from softd3d.isa.sm4.enums import Opcode, OperandType

__all__ = [
    "DECLARED_FILES",
    "REGISTERS",
    "RegisterFile",
]

_O, _T = Opcode, OperandType


@dataclass(frozen=True, slots=True)
class RegisterFile:
    """One register file.

    access: r and w, for use as a value; empty where only named by special operands. stages: of
    which a program's stage must be one. indices: how many indices a use takes, before 5.1 and
    since. components: the operand's possible component counts. phases: of a hull shader, those
    that have it, by letters (c control point, f fork, j join).
    """

    access: str
    stages: str = "vs hs ds gs ps cs"
    indices: tuple[int, ...] = (0,)
    indices_5_1: tuple[int, ...] = ()
    components: tuple[int, ...] = (4,)
    since: tuple[int, int] = (4, 0)
    phases: str = "cfj"

    def counts(self, version: tuple[int, int]) -> tuple[int, ...]:
        """Return how many indices an operand may have."""
        return self.indices_5_1 if self.indices_5_1 and version >= (5, 1) else self.indices


_ONE = (1,)
_SCALAR = (0, 1, 4)  # a mask or select may be written, though there is one component only
_SM4_1, _SM5 = (4, 1), (5, 0)

REGISTERS: dict[OperandType, RegisterFile] = {
    _T.TEMP: RegisterFile("rw", indices=_ONE),
    _T.INPUT: RegisterFile("r", "vs hs gs ps", (1, 2), phases="c"),
    _T.OUTPUT: RegisterFile("w", "vs hs ds gs ps", _ONE),
    _T.INDEXABLE_TEMP: RegisterFile("rw", indices=(2,)),
    _T.IMMEDIATE32: RegisterFile("r", components=(1, 4)),
    _T.IMMEDIATE64: RegisterFile("r", since=_SM5),
    _T.SAMPLER: RegisterFile("", indices=_ONE, indices_5_1=(2,), components=(0, 4)),
    _T.RESOURCE: RegisterFile("", indices=_ONE, indices_5_1=(2,)),
    _T.CONSTANT_BUFFER: RegisterFile("r", indices=(2,), indices_5_1=(3,)),
    _T.IMMEDIATE_CONSTANT_BUFFER: RegisterFile("r", indices=_ONE),
    _T.LABEL: RegisterFile("", indices=_ONE, components=(0,)),
    _T.INPUT_PRIMITIVEID: RegisterFile("r", "hs ds gs", components=_SCALAR),
    _T.OUTPUT_DEPTH: RegisterFile("w", "ps", components=_SCALAR),
    _T.NULL: RegisterFile("", components=(0,)),
    _T.RASTERIZER: RegisterFile("", "ps", components=(0, 4), since=_SM4_1),
    _T.OUTPUT_COVERAGE_MASK: RegisterFile("w", "ps", components=_SCALAR, since=_SM4_1),
    _T.STREAM: RegisterFile("", "gs", _ONE, components=(0,), since=_SM5),
    _T.FUNCTION_BODY: RegisterFile("", indices=_ONE, components=(0,), since=_SM5),
    _T.INTERFACE: RegisterFile("", indices=(2,), components=(0,), since=_SM5),
    _T.OUTPUT_CONTROL_POINT_ID: RegisterFile("r", "hs", components=_SCALAR, since=_SM5, phases="c"),
    _T.INPUT_FORK_INSTANCE_ID: RegisterFile("r", "hs", components=_SCALAR, since=_SM5, phases="f"),
    _T.INPUT_JOIN_INSTANCE_ID: RegisterFile("r", "hs", components=_SCALAR, since=_SM5, phases="j"),
    _T.INPUT_CONTROL_POINT: RegisterFile("r", "hs ds", (2,), since=_SM5, phases="fj"),
    _T.OUTPUT_CONTROL_POINT: RegisterFile("r", "hs", (2,), since=_SM5, phases="fj"),
    _T.INPUT_PATCH_CONSTANT: RegisterFile("r", "hs ds", _ONE, since=_SM5, phases="fj"),
    _T.INPUT_DOMAIN_POINT: RegisterFile("r", "ds", since=_SM5),
    _T.THIS_POINTER: RegisterFile("r", indices=(1, 2), since=_SM5),
    _T.UNORDERED_ACCESS_VIEW: RegisterFile("", indices=_ONE, indices_5_1=(2,), components=(0, 4)),
    _T.THREAD_GROUP_SHARED_MEMORY: RegisterFile("", "cs", _ONE, components=(0, 4)),
    _T.INPUT_THREAD_ID: RegisterFile("r", "cs"),
    _T.INPUT_THREAD_GROUP_ID: RegisterFile("r", "cs"),
    _T.INPUT_THREAD_ID_IN_GROUP: RegisterFile("r", "cs"),
    _T.INPUT_COVERAGE_MASK: RegisterFile("r", "ps", components=_SCALAR, since=_SM5),
    _T.INPUT_THREAD_ID_IN_GROUP_FLATTENED: RegisterFile("r", "cs", components=_SCALAR),
    _T.INPUT_GS_INSTANCE_ID: RegisterFile("r", "gs", components=_SCALAR, since=_SM5),
    _T.OUTPUT_DEPTH_GREATER_EQUAL: RegisterFile("w", "ps", components=_SCALAR, since=_SM5),
    _T.OUTPUT_DEPTH_LESS_EQUAL: RegisterFile("w", "ps", components=_SCALAR, since=_SM5),
    _T.CYCLE_COUNTER: RegisterFile("r", components=_SCALAR, since=_SM5),
    _T.OUTPUT_STENCIL_REF: RegisterFile("w", "ps", components=_SCALAR, since=_SM5),
    _T.INNER_COVERAGE: RegisterFile("r", "ps", components=_SCALAR, since=_SM5),
}
"""The files that operands may name; no program that Direct3D takes has one of another type."""

_INPUTS = {
    _T.INPUT, _T.INPUT_PRIMITIVEID, _T.OUTPUT_CONTROL_POINT_ID, _T.INPUT_FORK_INSTANCE_ID,
    _T.INPUT_JOIN_INSTANCE_ID, _T.INPUT_CONTROL_POINT, _T.OUTPUT_CONTROL_POINT,
    _T.INPUT_PATCH_CONSTANT, _T.INPUT_DOMAIN_POINT, _T.INPUT_THREAD_ID, _T.INPUT_THREAD_GROUP_ID,
    _T.INPUT_THREAD_ID_IN_GROUP, _T.INPUT_THREAD_ID_IN_GROUP_FLATTENED, _T.INPUT_COVERAGE_MASK,
    _T.INPUT_GS_INSTANCE_ID, _T.CYCLE_COUNTER, _T.INNER_COVERAGE,
}  # fmt: skip
_OUTPUTS = {
    _T.OUTPUT, _T.OUTPUT_DEPTH, _T.OUTPUT_DEPTH_GREATER_EQUAL, _T.OUTPUT_DEPTH_LESS_EQUAL,
    _T.OUTPUT_COVERAGE_MASK, _T.OUTPUT_STENCIL_REF,
}  # fmt: skip
_ATTRIBUTES = {_T.INPUT, _T.INPUT_PATCH_CONSTANT, _T.INPUT_CONTROL_POINT, _T.OUTPUT_CONTROL_POINT}
DECLARED_FILES: dict[Opcode, set[OperandType]] = {
    _O.DCL_INPUT: _INPUTS,
    _O.DCL_INPUT_SGV: _ATTRIBUTES,
    _O.DCL_INPUT_SIV: _ATTRIBUTES,
    _O.DCL_INPUT_PS: {_T.INPUT},
    _O.DCL_INPUT_PS_SGV: {_T.INPUT},
    _O.DCL_INPUT_PS_SIV: {_T.INPUT},
    _O.DCL_OUTPUT: _OUTPUTS,
    _O.DCL_OUTPUT_SGV: {_T.OUTPUT},
    _O.DCL_OUTPUT_SIV: {_T.OUTPUT, _T.OUTPUT_DEPTH},
    _O.DCL_RESOURCE: {_T.RESOURCE},
    _O.DCL_RESOURCE_RAW: {_T.RESOURCE},
    _O.DCL_RESOURCE_STRUCTURED: {_T.RESOURCE},
    _O.DCL_UNORDERED_ACCESS_VIEW_TYPED: {_T.UNORDERED_ACCESS_VIEW},
    _O.DCL_UNORDERED_ACCESS_VIEW_RAW: {_T.UNORDERED_ACCESS_VIEW},
    _O.DCL_UNORDERED_ACCESS_VIEW_STRUCTURED: {_T.UNORDERED_ACCESS_VIEW},
    _O.DCL_THREAD_GROUP_SHARED_MEMORY_RAW: {_T.THREAD_GROUP_SHARED_MEMORY},
    _O.DCL_THREAD_GROUP_SHARED_MEMORY_STRUCTURED: {_T.THREAD_GROUP_SHARED_MEMORY},
    _O.DCL_SAMPLER: {_T.SAMPLER},
    _O.DCL_CONSTANT_BUFFER: {_T.CONSTANT_BUFFER},
    _O.DCL_INDEX_RANGE: {*_ATTRIBUTES, _T.OUTPUT},
    _O.DCL_STREAM: {_T.STREAM},
}
"""Which registers a declaration can name."""
