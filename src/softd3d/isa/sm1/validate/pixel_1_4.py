"""ps_1_4: two phases, each a block of texture instructions and one of arithmetic."""

from __future__ import annotations

from typing import TypeAlias

from softd3d.isa.sm1.enums import Opcode, RegisterType, ResultModifier, SourceModifier
from softd3d.isa.sm1.limits import MAX_DOUBLED_Z
from softd3d.isa.sm1.program import FULL_MASK, IDENTITY, Instruction, SourceParameter
from softd3d.isa.sm1.reads import components_read, selected
from softd3d.isa.sm1.validate.context import Context, components, ordinal
from softd3d.isa.sm1.validate.declarations import paired

__all__ = ["check_pixel_1_4"]

_T = RegisterType
_M = SourceModifier
_XY, _XYZ, _ALPHA = 3, 7, 8
_Swizzles: TypeAlias = frozenset[tuple[int, int, int, int]]
_XYW_SWIZZLES: _Swizzles = frozenset({(0, 1, 3, 3)})
_XYZ_SWIZZLES: _Swizzles = frozenset({IDENTITY, (0, 1, 2, 2)})
_NO_SWIZZLES: _Swizzles = frozenset()
_DEPTH_REGISTER = 5
_LATE = {Opcode.TEXKILL: "texkill", Opcode.TEXDEPTH: "texdepth"}
_SATURATION = frozenset({_M.BIAS, _M.BIASNEG, _M.COMP})


def check_pixel_1_4(c: Context) -> None:
    """Check the whole of a ps_1_4 program."""
    walk = _Walk(c)
    for i, has_partner in paired(c):
        walk.step(i, has_partner=has_partner)
    walk.end()


class _Walk:
    """early: what may only stand after a phase marker, and has been seen without one."""

    def __init__(self, c: Context) -> None:
        self.c = c
        self.written: dict[int, int] = {}
        self.saturated: dict[int, int] = {}
        self.block: set[int] = set()  # what the texture instructions of this phase have written
        self.selectors: dict[int, bool] = {}  # of t#: whether xyw is read
        self.has_arithmetic = False
        self.has_phase = False
        self.early: set[str] = set()
        self.once: set[Opcode] = set()
        self.dz_count = 0
        self.has_depth = False
        self.pending: Instruction | None = None

    def step(self, i: Instruction, *, has_partner: bool) -> None:
        if i.opcode is Opcode.PHASE:
            self._phase(i)
            return
        is_texture = self.c.is_texture_instruction(i)
        if is_texture:
            self._texture(i)
        else:
            self.has_arithmetic = True
            self._arithmetic(i)
        self._read(i)
        if self.pending is not None:
            self._write(self.pending)
            self.pending = None
        if has_partner and not is_texture:
            self.pending = i
        else:
            self._write(i)

    def _phase(self, i: Instruction) -> None:
        if self.has_phase:
            self.c.add("PHASE-001", "there is one before", i)
        for what in sorted(self.early):
            self.c.add("PHASE-002", f"{what} stands before it", i)
        if self.pending is not None:
            self._write(self.pending)
            self.pending = None
        self.has_phase = True
        self.has_arithmetic = False
        self.block.clear()
        self.written = {number: mask & ~_ALPHA for number, mask in self.written.items()}

    # Texture instructions

    def _texture(self, i: Instruction) -> None:
        c, d = self.c, i.destination
        if self.has_arithmetic:
            c.add("TEX-001", "it follows arithmetic", i)
        if i.opcode in _LATE:
            self.early.add(_LATE[i.opcode])
        if d is None:
            return
        if d.modifiers or d.shift:
            c.add("MOD-004", "its result has a modifier", i)
        for n, p in enumerate(i.sources):
            self._check_coordinates(i, n, p)
        if d.type is not _T.TEMP and i.opcode is not Opcode.TEXKILL:
            c.add("REG-005", f"{c.name(d)} cannot be written here", i)
        self._check_texture_mask(i, d.write_mask)
        if i.opcode is Opcode.TEXDEPTH:
            self._check_depth(i)
        if d.type is not _T.TEMP:
            return
        if d.number in self.block:
            c.add("TEX-003", f"{c.name(d)} has been used before", i)

    def _check_texture_mask(self, i: Instruction, mask: int) -> None:
        wanted = FULL_MASK
        if i.opcode is Opcode.TEXCOORD:
            wanted = _XY if i.sources[0].modifier is _M.DW else _XYZ
        if mask != wanted:
            shown = components(mask)
            self.c.add("MASK-002", f"it writes .{shown}, not .{components(wanted)}", i)

    def _check_depth(self, i: Instruction) -> None:
        c, d = self.c, i.destination
        if d is None:
            return
        if i.opcode in self.once:
            c.add("OP-003", "it stands here before", i)
        self.once.add(i.opcode)
        if d.type is not _T.TEMP or d.number != _DEPTH_REGISTER:
            c.add("OP-004", f"it uses {c.name(d)}", i)

    def _check_coordinates(self, i: Instruction, n: int, p: SourceParameter) -> None:
        c = self.c
        is_coordinate = p.type is _T.TEXTURE
        allowed = (_T.TEXTURE,) if i.opcode is Opcode.TEXCOORD else (_T.TEMP, _T.TEXTURE)
        if p.type not in allowed:
            c.add("REG-004", f"{ordinal(n)} is {c.name(p)}", i)
            return
        if p.modifier is _M.DZ and (is_coordinate or i.opcode is Opcode.TEXCOORD):
            c.add("MOD-007", f"{ordinal(n)} is {c.name(p)}_dz", i)
        elif p.modifier is _M.DW and (not is_coordinate or p.swizzle not in _XYW_SWIZZLES):
            c.add("MOD-007", f"{ordinal(n)} is {c.name(p)}_dw", i)
        elif p.modifier not in (_M.NONE, _M.DZ, _M.DW):
            c.add("MOD-003", f"{ordinal(n)} has the modifier {p.modifier.name}", i)
        if p.modifier is _M.DZ:
            self._count_dz(i)
        self._check_selector(i, n, p)

    def _count_dz(self, i: Instruction) -> None:
        self.dz_count += 1
        self.early.add("_dz")
        if self.dz_count > MAX_DOUBLED_Z:
            self.c.add("MOD-008", f"it is the {self.dz_count}th _dz", i)

    def _check_selector(self, i: Instruction, n: int, p: SourceParameter) -> None:
        c = self.c
        is_xyw = p.swizzle in _XYW_SWIZZLES
        allowed = _XYZ_SWIZZLES | (_XYW_SWIZZLES if p.type is _T.TEXTURE else _NO_SWIZZLES)
        if p.swizzle not in allowed:
            c.add("SWZ-003", f"{ordinal(n)} is neither .xyz nor .xyw", i)
        elif p.type is _T.TEXTURE and self.selectors.setdefault(p.number, is_xyw) != is_xyw:
            c.add("SWZ-004", f"{c.name(p)} is read as .xyz and as .xyw", i)

    # Arithmetic

    def _arithmetic(self, i: Instruction) -> None:
        c, d = self.c, i.destination
        if any(p.type is _T.INPUT for p in i.sources):
            self.early.add("v#")
        if i.opcode is not Opcode.BEM or d is None:
            return
        if i.opcode in self.once:
            c.add("OP-003", "it stands here before", i)
        self.once.add(i.opcode)
        if self.has_phase:
            c.add("PHASE-003", "it follows the phase marker", i)
        if d.write_mask != _XY:
            c.add("MASK-002", f"it writes .{components(d.write_mask)}", i)
        if i.sources[0].type not in (_T.TEMP, _T.CONST):
            c.add("REG-004", f"first source is {c.name(i.sources[0])}", i)
        if i.sources[1].type is not _T.TEMP:
            c.add("REG-004", f"second source is {c.name(i.sources[1])}", i)

    # Registers

    def _read(self, i: Instruction) -> None:
        c, row = self.c, self.c.row(i)
        is_texture = c.is_texture_instruction(i)
        for n, p in enumerate(i.sources):
            if p.type is not _T.TEMP:
                continue
            mask = selected(p.swizzle, components_read(i, row, n))
            self._need(i, p.number, mask)
            if is_texture and p.number in self.block:
                c.add("TEX-012", f"{c.name(p)} is a result of the same block", i)
            self._warn(i, n, p, mask)
        d = i.destination
        if i.opcode in _LATE and d is not None and d.type is _T.TEMP:
            self._need(i, d.number, _XYZ if i.opcode is Opcode.TEXKILL else _XY)

    def _need(self, i: Instruction, number: int, mask: int) -> None:
        missing = mask & ~self.written.get(number, 0)
        if missing:
            self.c.add("DATA-001", f"r{number}.{components(missing)} is not written", i)
        if self.has_depth and number == _DEPTH_REGISTER:
            self.c.add("TEX-013", "r5 is used", i)

    def _warn(self, i: Instruction, n: int, p: SourceParameter, mask: int) -> None:
        is_weight = i.opcode is Opcode.LRP and n == 0
        if p.modifier not in _SATURATION and not is_weight:
            return
        loose = mask & self.written.get(p.number, 0) & ~self.saturated.get(p.number, 0)
        if loose:
            self.c.add("DATA-006", f"r{p.number}.{components(loose)} is not", i)

    def _write(self, i: Instruction) -> None:
        d = i.destination
        if d is None or d.type is not _T.TEMP:
            return
        if self.c.is_texture_instruction(i):
            self.block.add(d.number)
        if i.opcode is Opcode.TEXKILL:
            return
        if i.opcode is Opcode.TEXDEPTH:
            self.has_depth = True
            return
        if self.has_depth and d.number == _DEPTH_REGISTER:
            self.c.add("TEX-013", "r5 is used", i)
        before = self.written.get(d.number, 0)
        if i.opcode is Opcode.TEXCOORD and d.write_mask == _XY:
            before &= ~_XYZ | _XY
        self.written[d.number] = before | d.write_mask
        saturated = self.saturated.get(d.number, 0) & ~d.write_mask
        if d.modifiers & ResultModifier.SATURATE:
            saturated |= d.write_mask
        self.saturated[d.number] = saturated

    def end(self) -> None:
        if self.pending is not None:
            self._write(self.pending)
        missing = FULL_MASK & ~self.written.get(0, 0)
        if missing:
            self.c.add_at_end("OUT-010", f"r0.{components(missing)} is not written")
