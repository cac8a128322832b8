"""Whether the data of a program needs a closer look.

Most programs write each register on every way to where it is read, and take gradients where all
lanes run. That shows in one walk with a bit for each component, a tenth of the work of the graph
of values, which only tells of the others what is wrong with them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from softd3d.classes import dataclass
from softd3d.isa.sm4.enums import Opcode
from softd3d.isa.sm4.validate.effects import Effects, exact_reads
from softd3d.isa.sm4.validate.phases import Context, row_of
from softd3d.isa.sm4.validate.sources import EVERYTHING

__all__ = ["is_plain"]

_O = Opcode


def is_plain(c: Context, effects: Iterable[Effects]) -> bool:
    """Tell whether nothing can be unwritten where it is read, or want lanes that do not run.

    effects: of the phase's instructions. False says nothing.
    """
    walk = _Walk()
    for i, one in zip(c.phase.body, effects, strict=True):
        if one.reads & ~walk.written:
            row = row_of(i, c.stage, c.version)
            if exact_reads(i, row) & ~walk.written:
                return False
        if one.is_watched and walk.varies:
            return False
        walk.written |= one.writes
        if one.is_flow:
            step = _STEPS.get(i.opcode)
            if step is not None and not step(walk):
                return False
    return True


@dataclass(slots=True)
class _Block:
    """An open block: what is written before it, and on all ways out of it so far."""

    opcode: Opcode
    before: int
    after: int = EVERYTHING
    may_pass_by: bool = True


class _Walk:
    """What has been written for sure, at one place; where no control gets to, everything.

    Steps return whether they are sure of what they say: that is so where blocks nest.
    """

    def __init__(self) -> None:
        self.written = 0
        self.blocks: list[_Block] = []
        self.has_left = False  # some lanes may have

    @property
    def varies(self) -> bool:
        """Whether some lanes may not run here."""
        return bool(self.blocks) or self.has_left

    def begin(self, opcode: Opcode) -> bool:
        self.blocks.append(_Block(opcode, self.written))
        return self.written != EVERYTHING  # what stands where no control gets is another rule

    def otherwise(self) -> bool:
        if not self._is_in(_O.IF):
            return False
        block = self.blocks[-1]
        block.after &= self.written
        block.may_pass_by = False
        self.written = block.before
        return True

    def entry(self, *, is_default: bool) -> bool:
        if not self._is_in(_O.SWITCH):
            return False
        block = self.blocks[-1]
        block.may_pass_by &= not is_default
        self.written &= block.before
        return True

    def end(self, opcode: Opcode) -> bool:
        if not self._is_in(opcode):
            return False
        block = self.blocks.pop()
        if opcode is _O.LOOP:
            self.written = block.after
            return True
        self.written &= block.after
        if block.may_pass_by:
            self.written &= block.before
        return True

    def leave(self, *, is_conditional: bool) -> bool:
        target = next((b for b in reversed(self.blocks) if b.opcode is not _O.IF), None)
        if target is None:
            return False
        target.after &= self.written
        if not is_conditional:
            self.written = EVERYTHING
        return True

    def go_on(self, *, is_conditional: bool) -> bool:
        if not is_conditional:
            self.written = EVERYTHING
        return any([b.opcode is _O.LOOP for b in self.blocks])  # noqa: C419 - quicker

    def finish(self, *, is_conditional: bool) -> bool:
        self.has_left |= is_conditional or bool(self.blocks)
        if not is_conditional:
            self.written = EVERYTHING
        return True

    def begin_subroutine(self) -> bool:
        """What callers have written is not known; nothing is said of it."""
        self.blocks.clear()
        self.written = EVERYTHING
        self.has_left = True
        return True

    def _is_in(self, opcode: Opcode) -> bool:
        return bool(self.blocks) and self.blocks[-1].opcode is opcode


_STEPS: dict[Opcode, Callable[[_Walk], bool]] = {
    _O.IF: lambda w: w.begin(_O.IF),
    _O.LOOP: lambda w: w.begin(_O.LOOP),
    _O.SWITCH: lambda w: w.begin(_O.SWITCH),
    _O.ELSE: _Walk.otherwise,
    _O.CASE: lambda w: w.entry(is_default=False),
    _O.DEFAULT: lambda w: w.entry(is_default=True),
    _O.ENDIF: lambda w: w.end(_O.IF),
    _O.ENDLOOP: lambda w: w.end(_O.LOOP),
    _O.ENDSWITCH: lambda w: w.end(_O.SWITCH),
    _O.BREAK: lambda w: w.leave(is_conditional=False),
    _O.BREAKC: lambda w: w.leave(is_conditional=True),
    _O.CONTINUE: lambda w: w.go_on(is_conditional=False),
    _O.CONTINUEC: lambda w: w.go_on(is_conditional=True),
    _O.RET: lambda w: w.finish(is_conditional=False),
    _O.RETC: lambda w: w.finish(is_conditional=True),
    _O.LABEL: _Walk.begin_subroutine,
}
