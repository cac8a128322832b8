"""ps_1_0 to ps_1_3: texture stages in order, matrix sequences, and what t# and r# hold."""

from __future__ import annotations

from dataclasses import replace

from softd3d.classes import dataclass
from softd3d.isa.sm1.enums import Opcode, RegisterType, ResultModifier, SourceModifier
from softd3d.isa.sm1.limits import MAX_DEPENDENT_READS
from softd3d.isa.sm1.program import FULL_MASK, IDENTITY, Instruction, SourceParameter
from softd3d.isa.sm1.reads import components_read, selected
from softd3d.isa.sm1.validate.context import CONSTANTS, Context, components, ordinal, same_register
from softd3d.isa.sm1.validate.declarations import paired

__all__ = ["check_pixel_1", "check_texture_sources"]

_T = RegisterType
_M = SourceModifier
_BUMPS = frozenset({Opcode.TEXBEM, Opcode.TEXBEML})
_SIGNED_TOO_LATE = frozenset({Opcode.TEXREG2AR, Opcode.TEXREG2GB}) | _BUMPS
_PADS = {Opcode.TEXM3X2PAD: 2, Opcode.TEXM3X3PAD: 3}
_LAST_ROWS = {
    Opcode.TEXM3X2TEX: 2, Opcode.TEXM3X2DEPTH: 2, Opcode.TEXM3X3: 3, Opcode.TEXM3X3TEX: 3,
    Opcode.TEXM3X3SPEC: 3, Opcode.TEXM3X3VSPEC: 3,
}  # fmt: skip
_UNREADABLE = frozenset({Opcode.TEXKILL, Opcode.TEXM3X2DEPTH, *_PADS})
_NOT_SAMPLING = frozenset({Opcode.TEXCOORD, Opcode.TEXDP3, Opcode.TEXM3X3, *_UNREADABLE})
_SATURATION = frozenset({_M.BIAS, _M.BIASNEG, _M.COMP})
_NEGATIONS = frozenset({_M.NEG, _M.BIASNEG, _M.SIGNNEG})
_SEPARATE = frozenset({Opcode.DP4, Opcode.CMP})


@dataclass(frozen=True, slots=True)
class _Sequence:
    """An unfinished matrix product: rows in all and so far, the next t#, the source."""

    rows: int
    done: int
    next: int
    source: int


@dataclass(frozen=True, slots=True)
class _State:
    """What a register holds: components written, and of those which are saturated.

    reads: texture reads that it depends on. unreadable: components of a row or of coordinates.
    is_bump: the result of texbem. was_bump: components that texbem has read.
    """

    written: int = 0
    saturated: int = 0
    reads: int = 0
    unreadable: int = 0
    is_bump: bool = False
    was_bump: int = 0


_EMPTY = _State()


def check_texture_sources(c: Context, i: Instruction) -> None:
    """Check the sources of a texture instruction before ps_1_4."""
    for n, p in enumerate(i.sources):
        wanted = CONSTANTS if n else frozenset({_T.TEXTURE})
        if p.type not in wanted:
            c.add("REG-004", f"{ordinal(n)} is {c.name(p)}", i)
            continue
        is_signed = p.modifier is _M.SIGN and not n and _takes_signed(c, i)
        if p.modifier and not is_signed:
            c.add("MOD-003", f"{ordinal(n)} has the modifier {p.modifier.name}", i)
        if p.swizzle != IDENTITY:
            c.add("SWZ-002", f"{ordinal(n)} has a swizzle", i)


def _takes_signed(c: Context, i: Instruction) -> bool:
    if c.version < (1, 2):
        return i.opcode in _PADS or i.opcode in _LAST_ROWS
    return i.opcode not in _SIGNED_TOO_LATE


def check_pixel_1(c: Context) -> None:
    """Check the whole of a program before ps_1_4."""
    walk = _Walk(c)
    for i, has_partner in paired(c):
        walk.step(i, has_partner=has_partner)
    walk.end()


class _Walk:
    def __init__(self, c: Context) -> None:
        self.c = c
        self.states: dict[tuple[RegisterType, int], _State] = {}
        self.stages: set[int] = set()
        self.sequence: _Sequence | None = None
        self.has_arithmetic = False
        self.pending: Instruction | None = None  # the first of a pair, not written yet

    def step(self, i: Instruction, *, has_partner: bool) -> None:
        is_texture = self.c.is_texture_instruction(i)
        if is_texture:
            self._texture(i)
        else:
            self._arithmetic(i)
        self._read(i)
        if self.pending is not None:
            self._write(self.pending)
            self.pending = None
        if has_partner and not is_texture:
            self.pending = i
        else:
            self._write(i)

    def state(self, p: SourceParameter) -> _State:
        return self.states.get((p.type, p.number), _EMPTY)

    # Texture instructions

    def _texture(self, i: Instruction) -> None:
        c, d = self.c, i.destination
        if self.has_arithmetic:
            c.add("TEX-001", "it follows arithmetic", i)
        if d is None:
            return
        if d.type is not _T.TEXTURE:
            c.add("TEX-002", f"it writes {c.name(d)}", i)
            return
        if d.write_mask != FULL_MASK:
            c.add("MASK-002", f"it writes {c.name(d)}.{components(d.write_mask)}", i)
        if d.modifiers or d.shift:
            c.add("MOD-004", "its result has a modifier", i)
        if d.number in self.stages:
            c.add("TEX-003", f"{c.name(d)} has been used before", i)
        elif self.stages and d.number < max(self.stages):
            c.add("TEX-004", f"{c.name(d)} follows t{max(self.stages)}", i)
        self.stages.add(d.number)
        self._row(i, d.number)

    def _row(self, i: Instruction, number: int) -> None:
        """Follow the rows of matrix products."""
        c, before = self.c, self.sequence
        rows = _PADS.get(i.opcode) or _LAST_ROWS.get(i.opcode)
        if rows is None:
            self.sequence = None
            return
        source = i.sources[0].number
        is_last = i.opcode in _LAST_ROWS
        done = before.done if before is not None and before.rows == rows else 0
        if (
            done != rows - 1
            if is_last
            else (before is not None and done + 1 >= rows) or (before is not None and not done)
        ):
            c.add("TEX-005", "it does not fit the rows before", i)
            self.sequence = None if is_last else _Sequence(rows, 1, number + 1, source)
            return
        if before is not None and (before.next != number or before.source != source):
            c.add("TEX-006", f"it uses t{number} and t{source}", i)
        self.sequence = None if is_last else _Sequence(rows, done + 1, number + 1, source)

    # Arithmetic

    def _arithmetic(self, i: Instruction) -> None:
        c, d = self.c, i.destination
        self.has_arithmetic = True
        if d is None:
            return
        if i.opcode in _SEPARATE and any(same_register(d, p) for p in i.sources):
            c.add("OP-001", f"{c.name(d)} is destination and source", i)
        if i.opcode is Opcode.CND:
            p = i.sources[0]
            is_alpha = p.swizzle == (3, 3, 3, 3) and not p.modifier
            if p.type is not _T.TEMP or p.number or not is_alpha:
                c.add("OP-002", f"its condition is {c.name(p)}", i)
        if i.opcode is Opcode.LRP and i.sources[0].modifier not in (_M.NONE, _M.COMP):
            c.add("MOD-003", f"its weight has the modifier {i.sources[0].modifier.name}", i)

    # Registers

    def _read(self, i: Instruction) -> None:
        c, row = self.c, self.c.row(i)
        for n, p in enumerate(i.sources):
            if p.type not in (_T.TEMP, _T.TEXTURE):
                continue
            mask = selected(p.swizzle, components_read(i, row, n))
            state = self.state(p)
            missing = mask & ~state.written
            if missing:
                c.add("DATA-001", f"{c.name(p)}.{components(missing)} is not written", i)
            if p.type is _T.TEXTURE:
                self._read_texture(i, p, mask, state)
            self._check_range(i, n, p, mask, state)

    def _read_texture(self, i: Instruction, p: SourceParameter, mask: int, state: _State) -> None:
        c, name = self.c, self.c.name(p)
        is_texture = c.is_texture_instruction(i)
        if mask & state.unreadable:
            c.add("TEX-008", f"{name} holds no texel", i)
        if is_texture and state.reads >= MAX_DEPENDENT_READS and i.opcode not in _NOT_SAMPLING:
            c.add("TEX-009", f"{name} depends on {state.reads} texture reads", i)
        if is_texture and state.is_bump:
            c.add("TEX-010", f"{name} is the result of texbem or texbeml", i)
        # As Microsoft's validator, which lets arithmetic on some of the components pass
        is_whole = is_texture or mask == FULL_MASK
        if is_whole and state.was_bump and i.opcode not in _BUMPS:
            c.add("TEX-011", f"{name} has been read by texbem or texbeml", i)
        if i.opcode in _BUMPS:
            self.states[p.type, p.number] = replace(state, was_bump=mask)

    def _check_range(
        self, i: Instruction, n: int, p: SourceParameter, mask: int, state: _State
    ) -> None:
        c = self.c
        written = mask & state.written
        name = c.name(p)
        if p.modifier in _NEGATIONS and c.version < (1, 2) and written & state.saturated:
            c.add("DATA-005", f"{name}.{components(written & state.saturated)} is saturated", i)
        is_weight = i.opcode is Opcode.LRP and n == 0
        wants_saturated = (p.modifier in _SATURATION or is_weight) and p.type is _T.TEMP
        if wants_saturated and written & ~state.saturated:
            c.add("DATA-006", f"{name}.{components(written & ~state.saturated)} is not", i)

    def _write(self, i: Instruction) -> None:
        d = i.destination
        if d is None:
            return
        place = (d.type, d.number)
        before = self.states.get(place, _EMPTY)
        written = before.written | d.write_mask
        if not self.c.is_texture_instruction(i):
            saturates = bool(d.modifiers & ResultModifier.SATURATE)
            saturated = before.saturated & ~d.write_mask | (d.write_mask if saturates else 0)
            self.states[place] = _State(
                written,
                saturated,
                unreadable=before.unreadable & ~d.write_mask,
                was_bump=before.was_bump & ~d.write_mask,
            )
            return
        reads = max((self.state(p).reads for p in i.sources), default=0)
        if i.opcode not in _NOT_SAMPLING:
            reads += 1
        self.states[place] = _State(
            written,
            reads=reads,
            unreadable=FULL_MASK if i.opcode in _UNREADABLE else 0,
            is_bump=i.opcode in _BUMPS,
        )

    def end(self) -> None:
        c = self.c
        if self.sequence is not None:
            c.add_at_end("TEX-007", "the program ends in a matrix product")
        if self.pending is not None:
            self._write(self.pending)
        missing = FULL_MASK & ~self.states.get((_T.TEMP, 0), _EMPTY).written
        if missing:
            c.add_at_end("OUT-010", f"r0.{components(missing)} is not written")
