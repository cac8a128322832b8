"""Registers that must be declared or written before they are read.

Versions without flow control, ps_1_x, ps_2_0 and vs_1_1, want every component written before it is
read. Later ones leave that to the shader.
"""

from __future__ import annotations

from collections.abc import Iterator

from softd3d.isa.sm1.enums import Opcode, RegisterType, SourceModifier
from softd3d.isa.sm1.program import DestinationParameter, Instruction, SourceParameter
from softd3d.isa.sm1.reads import components_read, selected
from softd3d.isa.sm1.validate.context import Context, Family, components
from softd3d.isa.sm1.validate.declarations import DEFINITIONS
from softd3d.isa.sm1.validate.known import Facts, Read
from softd3d.isa.sm1.validate.operations import MATRIX_ROWS, TEXTURE_LOADS

__all__ = ["check_data"]

_T = RegisterType
_DECLARED_INPUTS = frozenset({_T.INPUT, _T.TEXTURE, _T.MISCTYPE})
_XYZ = 7


def check_data(c: Context) -> None:
    """Check every read of a register against what has been declared and written."""
    checker = _Reads(c)
    for i, facts in zip(c.items, c.facts, strict=True):
        if i.opcode not in DEFINITIONS:
            checker.read(i, facts)
            checker.write(i)
    checker.end()


class _Reads:
    """written: components by register; predicate: those of p0. needs_writes: what is checked.

    is_direct3d_8: a vertex shader without dcl, of which one finding says so (is_told).
    """

    def __init__(self, c: Context) -> None:
        self.c = c
        self.written: dict[tuple[RegisterType, int], int] = {}
        self.declares = c.family not in (Family.PS_1, Family.PS_1_4)
        self.needs_writes = c.version in ((1, 0), (1, 1), (2, 0)) and (
            c.family is Family.VS_1 or c.version == (2, 0)
        )
        if c.family is Family.VS_2:
            self.needs_writes = False
        if c.version == (1, 0):  # Direct3D 8 declares inputs outside the shader
            self.declares = False
        self.is_direct3d_8 = c.family is Family.VS_1 and not any(
            i.opcode is Opcode.DCL for i in c.items
        )
        self.is_told = False

    def read(self, i: Instruction, facts: Facts) -> None:
        c, d = self.c, i.destination
        reads = facts.reads
        if reads is None:
            reads = tuple(self._reads_of(i))
            if i.opcode not in TEXTURE_LOADS:  # whose samplers' declarations count
                facts.reads = reads
        for p, number, mask, is_address in reads:
            if p.type is _T.SAMPLER:
                if number not in c.sampler_dimensions:
                    c.add("DATA-003", f"{c.name(p)} is not declared", i)
            elif is_address:
                self._need(i, p, number, mask)
            else:
                self._register(i, p, number, mask)
        if i.predicate is not None and d is not None and c.family is Family.VS_2:
            mask = selected(i.predicate.swizzle, d.write_mask)
            missing = mask & ~self.written.get((_T.PREDICATE, 0), 0)
            if missing:
                c.add("PRED-004", f"p0.{components(missing)} has not been set", i)

    def _reads_of(self, i: Instruction) -> Iterator[Read]:
        """Yield what an instruction reads of the registers that matter, in order."""
        c, row = self.c, self.c.row(i)
        for n, p in enumerate(i.sources):
            if row.sources[n].letter == "S":
                if p.type is _T.SAMPLER:
                    yield p, p.number, 0, False
                continue
            if self._matters(p):
                places = components_read(i, row, n, self._dimensions(i))
                rows = MATRIX_ROWS.get(i.opcode, 1) if n == 1 else 1
                for row_number in range(rows):
                    yield p, p.number + row_number, selected(p.swizzle, places), False
            if c.family is Family.VS_1 and p.relative is not None:
                yield p.relative, 0, selected(p.relative.swizzle, 1), True
        d = i.destination
        if i.opcode is Opcode.TEXKILL and d is not None and self._matters(d):
            yield d, d.number, _XYZ if c.version < (3, 0) else d.write_mask, False

    def _matters(self, p: SourceParameter | DestinationParameter) -> bool:
        """Tell whether a register must be declared or written, in this stage and version."""
        return self._is_input(p) or (p.type is _T.TEMP and self.needs_writes)

    def _is_input(self, p: SourceParameter | DestinationParameter) -> bool:
        return p.type in _DECLARED_INPUTS and not (p.type is _T.TEXTURE and not self.c.is_ps)

    def _dimensions(self, i: Instruction) -> int:
        if i.opcode in TEXTURE_LOADS and len(i.sources) > 1:
            return self.c.sampler_dimensions.get(i.sources[1].number, 1)
        return 3

    def _register(
        self,
        i: Instruction,
        p: SourceParameter | DestinationParameter,
        number: int,
        mask: int,
    ) -> None:
        c = self.c
        is_input = self._is_input(p)
        if is_input and self.is_direct3d_8:
            if not self.is_told:
                self.is_told = True
                c.add("DCL-011", f"{c.name(p)} is read, and no input is declared", i)
        elif is_input and self.declares:
            missing = mask & ~c.declared.get((p.type, number), 0)
            if missing and p.relative is None:
                c.add("DATA-002", f"{_shown(c, p, number, missing)} is not declared", i)
        elif p.type is _T.TEMP and self.needs_writes:
            self._need(i, p, number, mask)

    def _need(
        self,
        i: Instruction,
        p: SourceParameter | DestinationParameter,
        number: int,
        mask: int,
    ) -> None:
        missing = mask & ~self.written.get((p.type, number), 0)
        if missing:
            shown = _shown(self.c, p, number, missing)
            self.c.add("DATA-001", f"{shown} is read before it is written", i)

    def write(self, i: Instruction) -> None:
        c, d = self.c, i.destination
        if d is None or i.opcode is Opcode.TEXKILL:
            return
        if c.family is Family.VS_3 and d.type is _T.OUTPUT and d.relative is None:
            missing = d.write_mask & ~c.declared.get((d.type, d.number), 0)
            if missing:
                c.add("DATA-004", f"{_shown(c, d, d.number, missing)} is not declared", i)
        place = (d.type, d.number)
        before = self.written.get(place, 0)
        if before and c.version == (2, 0) and d.type in (_T.COLOROUT, _T.DEPTHOUT):
            c.add("OUT-011", f"{c.name(d)} has been written before", i)
        if i.opcode is Opcode.SINCOS and c.version < (3, 0):
            before &= ~_XYZ  # what the series leaves there has no meaning
        self.written[place] = before | d.write_mask

    def end(self) -> None:
        """Check what the whole program must have written."""
        c = self.c
        position = self.written.get((_T.RASTOUT, 0), 0)
        if c.family is Family.VS_1 and position != 15:
            c.add_at_end("OUT-006", f"oPos.{components(15 & ~position)} is not written")
        if c.family is Family.VS_1:
            for number in range(8):
                mask = self.written.get((_T.TEXCRDOUT, number), 0)
                if mask & (mask + 1):
                    c.add_at_end("OUT-007", f"oT{number}.{components(mask)} is written")
        if c.program.type.name == "PS" and c.version == (2, 0):
            self._colours()

    def _colours(self) -> None:
        c = self.c
        written = [n for n in range(4) if (_T.COLOROUT, n) in self.written]
        if 0 not in written:
            c.add_at_end("OUT-008", "oC0 is not written")
        elif written != list(range(len(written))):
            c.add_at_end("OUT-009", f"written are oC{', oC'.join(map(str, written))}")


def _shown(c: Context, p: SourceParameter | DestinationParameter, number: int, mask: int) -> str:
    name = c.name(SourceParameter(p.type, number, modifier=SourceModifier.NONE))
    return f"{name}.{components(mask)}"
