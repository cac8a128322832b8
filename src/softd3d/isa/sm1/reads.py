"""Which components of its operands an instruction of SM1-3 reads.

From the signature of its row: a source of one to four components, or one applied component by
component. The sources whose components have meanings of their own are listed here.
Spec: Direct3D 9 shader assembly reference, the page of each instruction.
"""

from __future__ import annotations

from collections.abc import Mapping

from softd3d.isa.row import Row
from softd3d.isa.sm1.enums import Opcode, TexldControl
from softd3d.isa.sm1.program import FULL_MASK, Instruction

__all__ = ["components_read", "selected"]

_X, _Y, _Z, _W = 1, 2, 4, 8
_XYZ = _X | _Y | _Z
_LIT_POWER_MASK = _Z  # the component of lit's result that needs more of the source than x
_PER_SOURCE: Mapping[Opcode, tuple[int, ...]] = {
    Opcode.CRS: (_XYZ, _XYZ),
    Opcode.NRM: (_XYZ,),
    Opcode.DST: (_Y | _Z, _Y | _W),
    Opcode.M4X4: (FULL_MASK, FULL_MASK),
    Opcode.M4X3: (FULL_MASK, FULL_MASK),
    Opcode.M3X4: (_XYZ, _XYZ),
    Opcode.M3X3: (_XYZ, _XYZ),
    Opcode.M3X2: (_XYZ, _XYZ),
    Opcode.SINCOS: (_X, FULL_MASK, FULL_MASK),
    Opcode.BEM: (_X | _Y, _X | _Y),
    Opcode.TEXCOORD: (_XYZ,),
    Opcode.TEXBEM: (_X | _Y,),
    Opcode.TEXBEML: (_XYZ,),
    Opcode.TEXREG2AR: (_X | _W,),
    Opcode.TEXREG2GB: (_Y | _Z,),
    Opcode.TEXREG2RGB: (_XYZ,),
    Opcode.TEXM3X2PAD: (_XYZ,),
    Opcode.TEXM3X2TEX: (_XYZ,),
    Opcode.TEXM3X2DEPTH: (_XYZ,),
    Opcode.TEXM3X3PAD: (_XYZ,),
    Opcode.TEXM3X3: (_XYZ,),
    Opcode.TEXM3X3TEX: (_XYZ,),
    Opcode.TEXM3X3SPEC: (_XYZ, _XYZ),
    Opcode.TEXM3X3VSPEC: (_XYZ,),
    Opcode.TEXDP3: (_XYZ,),
    Opcode.TEXDP3TEX: (_XYZ,),
}
_SAMPLING = frozenset({Opcode.TEX, Opcode.TEXLDD, Opcode.TEXLDL})


def components_read(i: Instruction, row: Row, source: int, dimensions: int = 3) -> int:
    """Return a mask of the places of a source's swizzle that are read.

    dimensions: of the texture that is sampled, 1 to 3.
    """
    spec = row.sources[source]
    per_source = _PER_SOURCE.get(i.opcode)
    if spec.letter == "S":
        return 0
    if per_source is not None:
        return per_source[source]
    if spec.reads:
        return (1 << spec.reads) - 1
    if i.opcode in _SAMPLING:
        return _sampled(i, source, dimensions)
    mask = FULL_MASK if i.destination is None else i.destination.write_mask
    if i.opcode is Opcode.LIT:
        return _X | _Y | _W if mask & _LIT_POWER_MASK else _X
    return mask


def _sampled(i: Instruction, source: int, dimensions: int) -> int:
    if source > 1:  # gradients
        return 0
    has_w = i.opcode is Opcode.TEXLDL or i.controls != TexldControl.PLAIN
    return (1 << dimensions) - 1 | (_W if has_w else 0)


def selected(swizzle: tuple[int, int, int, int], places: int) -> int:
    """Return the mask of a register's components that a swizzle puts into the read places.

    >>> selected((2, 2, 0, 1), 0b0011)
    4
    """
    mask = 0
    for place, component in enumerate(swizzle):
        if places >> place & 1:
            mask |= 1 << component
    return mask
