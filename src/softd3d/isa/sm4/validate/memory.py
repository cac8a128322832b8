"""Rules of views and samplers: kinds, dimensions, modes, offsets, counters, atomics.

Spec: D3D11.3 functional specification 22.4, 22.17, 18.7.
"""

from __future__ import annotations

from softd3d.classes import dataclass
from softd3d.isa.machine import ViewKind
from softd3d.isa.sm4 import tokens as t
from softd3d.isa.sm4.enums import (
    ExtendedOpcodeType,
    Opcode,
    OperandType,
    ResourceDimension,
    ReturnType,
    SamplerMode,
    SelectionMode,
)
from softd3d.isa.sm4.program import Instruction, Operand
from softd3d.isa.sm4.rows import TABLE
from softd3d.isa.sm4.rows.resource import COORDINATES
from softd3d.isa.sm4.validate.declared import constant_index
from softd3d.isa.sm4.validate.facts import View
from softd3d.isa.sm4.validate.phases import Context
from softd3d.isa.sm4.validate.reads import view_of

__all__ = ["ACCESSES", "check_counters", "check_memory"]

_O, _T, _D = Opcode, OperandType, ResourceDimension
_COMPONENTS = "xyzw"
_CUBES = frozenset({_D.TEXTURECUBE, _D.TEXTURECUBEARRAY})
_MULTISAMPLED = frozenset({_D.TEXTURE2DMS, _D.TEXTURE2DMSARRAY})
_TEXTURES = frozenset(COORDINATES) - {_D.BUFFER}
_SAMPLED = _TEXTURES - _MULTISAMPLED
_FLAT = frozenset({_D.TEXTURE2D, _D.TEXTURE2DARRAY})
_LOADED = frozenset(COORDINATES) - _CUBES - _MULTISAMPLED
_COMPARED = _SAMPLED - {_D.TEXTURE3D}
_STORED = frozenset(COORDINATES) - _CUBES - _MULTISAMPLED
_OFFSETTABLE = _SAMPLED - _CUBES


@dataclass(frozen=True, slots=True)
class _Access:
    """What an opcode's view must be: of which registers, kind, dimensions; which sampler modes."""

    registers: frozenset[OperandType]
    kinds: frozenset[ViewKind]
    dimensions: frozenset[ResourceDimension] = frozenset()
    mode: SamplerMode | None = None


_SRV = frozenset({_T.RESOURCE})
_UAV = frozenset({_T.UNORDERED_ACCESS_VIEW})
_SHARED = frozenset({_T.THREAD_GROUP_SHARED_MEMORY})
_RASTER = frozenset({_T.RASTERIZER})
_TYPED = frozenset({ViewKind.TYPED})
_RAW = frozenset({ViewKind.RAW})
_STRUCTURED = frozenset({ViewKind.STRUCTURED})
_DEFAULT, _COMPARISON = SamplerMode.DEFAULT, SamplerMode.COMPARISON

_SAMPLE = _Access(_SRV, _TYPED, _SAMPLED, _DEFAULT)
_SAMPLE_C = _Access(_SRV, _TYPED, _COMPARED, _COMPARISON)
_GATHER = _Access(_SRV, _TYPED, _FLAT | _CUBES, _DEFAULT)
_GATHER_C = _Access(_SRV, _TYPED, _FLAT | _CUBES, _COMPARISON)
_GATHER_PO = _Access(_SRV, _TYPED, _FLAT, _DEFAULT)
_GATHER_PO_C = _Access(_SRV, _TYPED, _FLAT, _COMPARISON)
_LD = _Access(_SRV, _TYPED, _LOADED)
_LD_MS = _Access(_SRV, _TYPED, _MULTISAMPLED)
_LD_UAV = _Access(_UAV, _TYPED, _STORED)
_LD_RAW = _Access(_SRV | _UAV | _SHARED, _RAW)
_LD_STRUCTURED = _Access(_SRV | _UAV | _SHARED, _STRUCTURED)
_ATOMIC = _Access(_UAV | _SHARED, _TYPED | _RAW | _STRUCTURED, _STORED)
_COUNTER = _Access(_UAV, _STRUCTURED)

_ATOMICS = frozenset(
    code for code in Opcode if code.name.startswith(("ATOMIC_", "IMM_ATOMIC_"))
) - {_O.IMM_ATOMIC_ALLOC, _O.IMM_ATOMIC_CONSUME}  # fmt: skip
_ACCESS: dict[Opcode, _Access] = {
    **dict.fromkeys(
        (
            _O.SAMPLE, _O.SAMPLE_B, _O.SAMPLE_L, _O.SAMPLE_D, _O.LOD, _O.SAMPLE_L_FEEDBACK,
            _O.SAMPLE_CLAMP_FEEDBACK, _O.SAMPLE_B_CLAMP_FEEDBACK, _O.SAMPLE_D_CLAMP_FEEDBACK,
        ),
        _SAMPLE,
    ),
    **dict.fromkeys(
        (
            _O.SAMPLE_C, _O.SAMPLE_C_LZ, _O.SAMPLE_C_LZ_FEEDBACK, _O.SAMPLE_C_CLAMP_FEEDBACK,
        ),
        _SAMPLE_C,
    ),
    **dict.fromkeys((_O.GATHER4, _O.GATHER4_FEEDBACK), _GATHER),
    **dict.fromkeys((_O.GATHER4_C, _O.GATHER4_C_FEEDBACK), _GATHER_C),
    **dict.fromkeys((_O.GATHER4_PO, _O.GATHER4_PO_FEEDBACK), _GATHER_PO),
    **dict.fromkeys((_O.GATHER4_PO_C, _O.GATHER4_PO_C_FEEDBACK), _GATHER_PO_C),
    **dict.fromkeys((_O.LD, _O.LD_FEEDBACK), _LD),
    **dict.fromkeys((_O.LD_MS, _O.LD_MS_FEEDBACK), _LD_MS),
    **dict.fromkeys((_O.LD_UAV_TYPED, _O.LD_UAV_TYPED_FEEDBACK, _O.STORE_UAV_TYPED), _LD_UAV),
    **dict.fromkeys((_O.LD_RAW, _O.LD_RAW_FEEDBACK), _LD_RAW),
    **dict.fromkeys((_O.LD_STRUCTURED, _O.LD_STRUCTURED_FEEDBACK), _LD_STRUCTURED),
    _O.STORE_RAW: _Access(_UAV | _SHARED, _RAW),
    _O.STORE_STRUCTURED: _Access(_UAV | _SHARED, _STRUCTURED),
    **dict.fromkeys(_ATOMICS, _ATOMIC),
    **dict.fromkeys((_O.IMM_ATOMIC_ALLOC, _O.IMM_ATOMIC_CONSUME), _COUNTER),
    _O.RESINFO: _Access(_SRV | _UAV, _TYPED, _TEXTURES),
    _O.BUFINFO: _Access(
        _SRV | _UAV, _TYPED | _RAW | _STRUCTURED, frozenset({_D.BUFFER})
    ),
    _O.SAMPLE_INFO: _Access(_SRV | _RASTER, _TYPED, _MULTISAMPLED),
    _O.SAMPLE_POS: _Access(_SRV | _RASTER, _TYPED, _MULTISAMPLED),
}  # fmt: skip
ACCESSES = frozenset(_ACCESS)
"""The opcodes with a view, which `check_memory` looks at."""
_GATHERS = frozenset(code for code in Opcode if code.name.startswith("GATHER4"))
_OWN_OFFSETS = frozenset(
    {_O.GATHER4_PO, _O.GATHER4_PO_C, _O.GATHER4_PO_FEEDBACK, _O.GATHER4_PO_C_FEEDBACK}
)
_STRUCTURED_OFFSETS = frozenset({_O.LD_STRUCTURED, _O.LD_STRUCTURED_FEEDBACK, _O.STORE_STRUCTURED})
_RAW_OFFSETS = frozenset({_O.LD_RAW, _O.LD_RAW_FEEDBACK, _O.STORE_RAW})
_INTEGERS = (ReturnType.UINT, ReturnType.SINT)
_EXCHANGED = (*_INTEGERS, ReturnType.FLOAT)


def check_memory(c: Context, i: Instruction) -> None:
    """Check the view and the sampler of an instruction that has them."""
    access = _ACCESS.get(i.opcode)
    if access is None:
        return
    letters = [s.letter for s in (*TABLE[i.opcode].destinations, *TABLE[i.opcode].sources)]
    for letter, operand in zip(letters, i.operands, strict=False):
        if letter in "VU" and operand.type not in access.registers:
            c.add("MEM-011", f": {c.text(operand)} is not what it accesses", i)
            return
        if letter == "S":
            _check_sampler(c, i, operand, access)
    view = view_of(i, c.declared)
    if view is not None:
        _check_view(c, i, view, access)
    elif i.opcode not in _OFFSET_FREE:
        _check_offsets(c, i, None)
    _check_literal_offset(c, i, view)


_OFFSET_FREE = frozenset({_O.SAMPLE_INFO, _O.SAMPLE_POS})


def _check_view(c: Context, i: Instruction, view: View, access: _Access) -> None:
    if view.kind not in access.kinds:
        wanted = " or ".join(sorted(access.kinds))
        c.add("MEM-001", f": its view is {view.kind}, wanted {wanted}", i)
        return
    if view.kind is ViewKind.TYPED and view.dimension not in access.dimensions:
        c.add("MEM-002", f": its view is {_shape(view.dimension)}", i)
        return
    _check_offsets(c, i, view)
    if i.dimension is not None:
        _check_stated(c, i, view)
    if i.opcode in _ATOMICS and view.kind is ViewKind.TYPED:
        _check_atomic(c, i, view)
    if view.type is _T.THREAD_GROUP_SHARED_MEMORY and c.version < (5, 0):
        _check_own_structure(c, i)


def _shape(dimension: int) -> str:
    return ResourceDimension(dimension).name.lower() if dimension in set(_D) else str(dimension)


def _check_offsets(c: Context, i: Instruction, view: View | None) -> None:
    if not any(t.EXTENDED_OPCODE_TYPE.get(e) == ExtendedOpcodeType.SAMPLE_CONTROLS
               for e in i.extended) and not any(i.texel_offsets):  # fmt: skip
        return
    if i.opcode in _OWN_OFFSETS:
        c.add("MEM-004", ": literal offsets beside those of a register", i)
    elif view is not None and view.dimension not in _OFFSETTABLE | _MULTISAMPLED:
        c.add("MEM-004", f": offsets into a {_shape(view.dimension)}", i)


def _check_stated(c: Context, i: Instruction, view: View) -> None:
    """Compare what extended tokens say with the declaration.

    Compiler 9.26 (d3dcompiler_41) states every raw or structured buffer as a buffer, without a
    stride.
    """
    if view.kind is not ViewKind.TYPED and i.dimension == _D.BUFFER and not i.stride:
        return
    if view.type is _T.THREAD_GROUP_SHARED_MEMORY:
        stated = {ViewKind.RAW: _D.RAW_BUFFER, ViewKind.STRUCTURED: _D.STRUCTURED_BUFFER}[view.kind]
    else:
        stated = view.dimension
    if i.dimension != stated:
        c.add("MEM-005", f": stated dimension {_shape(int(i.dimension or 0))}, declared "
              f"{_shape(stated)}", i)  # fmt: skip
    elif view.kind is ViewKind.STRUCTURED and i.stride != view.stride:
        c.add("MEM-005", f": stated stride {i.stride}, declared {view.stride}", i)
    elif view.kind is ViewKind.TYPED and i.return_types:
        declared = tuple(view.returns >> 4 * n & 0xF for n in range(4))
        if tuple(i.return_types) != declared:
            c.add("MEM-005", ": stated return types are not the declared ones", i)


def _check_atomic(c: Context, i: Instruction, view: View) -> None:
    kind = view.returns & 0xF
    allowed = _EXCHANGED if i.opcode is _O.IMM_ATOMIC_EXCH else _INTEGERS
    if kind not in allowed:
        name = ReturnType(kind).name.lower() if kind in set(ReturnType) else str(kind)
        c.add("MEM-007", f": its view returns {name}, wanted an integer", i)


def _check_sampler(c: Context, i: Instruction, operand: Operand, access: _Access) -> None:
    number = constant_index(operand, 0)
    sampler = None if number is None else c.declared.sampler(number)
    if sampler is not None and access.mode is not None:
        is_mono = sampler.mode == SamplerMode.MONO and i.opcode is _O.SAMPLE_L
        if sampler.mode != access.mode and not is_mono:
            found = SamplerMode(sampler.mode).name if sampler.mode in set(SamplerMode) else "?"
            c.add("MEM-003", f": s{number} is declared {found.lower()}, wanted "
                  f"{access.mode.name.lower()}", i)  # fmt: skip
    any_component = i.opcode in _GATHERS and c.version >= (5, 0)
    if operand.selection and operand.selection != (0,) and not any_component:
        c.add("MEM-010", f": component {_COMPONENTS[operand.selection[0]]} is selected, wanted x",
              i)  # fmt: skip
    elif i.opcode in _GATHERS and operand.mode is not SelectionMode.SELECT_1:
        c.add("MEM-010", ": no component is selected", i)


def _check_literal_offset(c: Context, i: Instruction, view: View | None) -> None:
    if i.opcode in _STRUCTURED_OFFSETS:
        place, stride = 1, view.stride if view is not None else 0
    elif i.opcode in _RAW_OFFSETS:
        place, stride = 0, 0
    else:
        return
    operand = i.operands[len(TABLE[i.opcode].destinations) + place]
    if operand.type is not _T.IMMEDIATE32 or not operand.immediate:
        return
    offset = operand.immediate[0]
    if offset % 4 or (stride and offset >= stride):
        inside = f" below {stride}" if stride else ""
        c.add("MEM-008", f": byte offset {offset}, wanted a multiple of 4{inside}", i)


def _check_own_structure(c: Context, i: Instruction) -> None:
    if i.opcode is not _O.STORE_STRUCTURED:
        return
    index, offset = i.operands[1], i.operands[2]
    if index.type is not _T.INPUT_THREAD_ID_IN_GROUP_FLATTENED or offset.type is not _T.IMMEDIATE32:
        c.add("MEM-009", ": the index is not vThreadIDInGroupFlattened, or the byte offset no "
              "literal", i)  # fmt: skip


def check_counters(c: Context) -> None:
    """Check that no counter goes both up and down."""
    first: dict[tuple[int | None, int | None], Opcode] = {}
    for i in c.phase.body:
        if i.opcode in (_O.IMM_ATOMIC_ALLOC, _O.IMM_ATOMIC_CONSUME):
            key = constant_index(i.operands[1], 0), constant_index(i.operands[1], 1)
            if first.setdefault(key, i.opcode) is not i.opcode:
                c.add("MEM-006", ": the counter goes the other way elsewhere", i)
