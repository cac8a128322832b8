"""Control flow: blocks, calls, and what they make of aL and of gradients.

A subroutine is called before it stands in the program, so that one walk knows, at each label,
where all its calls are: how deep in blocks, in loops, and under which conditions.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import field

from softd3d.classes import dataclass
from softd3d.isa.roles import BLOCK_ENDS, Flow
from softd3d.isa.sm1.enums import Opcode, RegisterType
from softd3d.isa.sm1.program import Instruction
from softd3d.isa.sm1.rows import TABLE
from softd3d.isa.sm1.validate.conditions import WITH_FLOW_OPERANDS, check_flow_operands
from softd3d.isa.sm1.validate.context import Context, Family
from softd3d.isa.sm1.validate.declarations import DEFINITIONS

__all__ = ["check_flow"]

_T = RegisterType
_IFS = TABLE.opcodes({Flow.IF})
_LOOPS = TABLE.opcodes({Flow.LOOP, Flow.REP})
_ENDS = {code: BLOCK_ENDS[role] for code, role in TABLE.flows().items() if role in BLOCK_ENDS}
_BREAKS = TABLE.opcodes({Flow.BREAK})
_CALLS = TABLE.opcodes({Flow.CALL})
_GRADIENTS = frozenset({Opcode.TEX, Opcode.DSX, Opcode.DSY})
_FEW = 8  # places that a message lists


@dataclass(slots=True)
class _Block:
    """An open if, rep or loop.

    has_break, has_gradients, calls: so far, directly in it or in the ifs inside.
    """

    opener: Instruction
    is_dynamic: bool = False
    has_else: bool = False
    has_break: bool = False
    has_gradients: bool = False
    calls: set[int] = field(default_factory=set[int])


@dataclass(slots=True)
class _Site:
    """The worst of all places where a subroutine is called, its callers' included.

    loops, static, dynamic, calls: depths. is_always_in_loop, is_ever_in_loop: whether aL exists.
    is_varying: some call depends on a dynamic condition.
    """

    loops: int = 0
    static: int = 0
    dynamic: int = 0
    calls: int = 0
    is_always_in_loop: bool = True
    is_ever_in_loop: bool = False
    is_varying: bool = False


def check_flow(c: Context) -> None:
    """Check blocks, calls and labels, aL, and gradients under conditions."""
    walk = _Walk(c)
    for i in c.items:
        if i.opcode not in DEFINITIONS:
            walk.step(i)
    walk.end()


class _Walk:
    def __init__(self, c: Context) -> None:
        self.c = c
        self.blocks: list[_Block] = []
        self.base = _Site(is_always_in_loop=False)  # of the main program or current subroutine
        self.sites: dict[int, _Site] = {}
        self.labels: set[int] = set()
        self.is_in_subroutine = False
        self.has_returned = False  # the instruction before was ret
        self.static_flow = 0
        self.unused: list[int] = []

    def step(self, i: Instruction) -> None:
        if i.opcode in WITH_FLOW_OPERANDS:
            check_flow_operands(self.c, i)
        returned, self.has_returned = self.has_returned, i.opcode is Opcode.RET
        if returned and i.opcode is not Opcode.LABEL:
            self.c.add("FLOW-008", "it follows ret", i)
        if i.opcode is Opcode.LABEL:
            self._label(i, follows_ret=returned)
            return
        _HANDLERS.get(i.opcode, _Walk.plain)(self, i)

    def finish(self, i: Instruction) -> None:
        if self.blocks:
            self.c.add("FLOW-005", "it stands in a block", i)

    # Blocks

    def _depths(self) -> tuple[int, int, int]:
        """Return how many loops, static ifs and dynamic ifs are open, the callers' included."""
        loops = sum(block.opener.opcode in _LOOPS for block in self.blocks)
        ifs = [block for block in self.blocks if block.opener.opcode in _IFS]
        dynamic = sum(block.is_dynamic for block in ifs)
        base = self.base
        return base.loops + loops, base.static + len(ifs) - dynamic, base.dynamic + dynamic

    def open(self, i: Instruction) -> None:
        c, is_dynamic = self.c, _is_dynamic(i)
        loops, static, dynamic = self._depths()
        if i.opcode in _LOOPS:
            depth, most = loops, c.limits.loops
        else:
            depth, most = (dynamic if is_dynamic else static), c.limits.branches
        if depth >= most:
            c.add("FLOW-009", f"it is the {depth + 1}th block in blocks of its kind", i)
        if not is_dynamic:
            self.static_flow += 1
        if len(self.blocks) < _MAX_OPEN:
            self.blocks.append(_Block(i, is_dynamic))

    def _top(self) -> _Block | None:
        return self.blocks[-1] if self.blocks else None

    def otherwise(self, i: Instruction) -> None:
        block = self._top()
        if block is None or block.opener.opcode not in _IFS:
            self.c.add("FLOW-001", "there is no if that it could belong to", i)
            return
        if block.has_else:
            self.c.add("FLOW-002", "its if has one already", i)
        block.has_else = True
        if not block.is_dynamic:
            self.static_flow += 1

    def close_if(self, i: Instruction) -> None:
        block = self._top()
        if block is None or block.opener.opcode not in _IFS:
            self.c.add("FLOW-001", "there is no if that it could end", i)
            return
        self.blocks.pop()

    def close_loop(self, i: Instruction) -> None:
        block = self._top()
        if block is None or TABLE[block.opener.opcode].flow is not _ENDS[i.opcode]:
            self.c.add("FLOW-001", "it does not end the innermost block", i)
            return
        self.blocks.pop()

    def _loop(self) -> _Block | None:
        """Return the innermost loop of this routine."""
        loops = (block for block in reversed(self.blocks) if block.opener.opcode in _LOOPS)
        return next(loops, None)

    def leave(self, i: Instruction) -> None:
        loop = self._loop()
        if loop is None:
            self.c.add("FLOW-003", "it stands in no loop or rep", i)
            return
        loop.has_break = True
        if loop.has_gradients:
            self.c.add("FLOW-014", "the loop takes gradients of r# before it", i)
        for label in loop.calls:
            self.sites[label].is_varying = True
        loop.calls.clear()

    # Subroutines

    def call(self, i: Instruction) -> None:
        c = self.c
        if not i.sources or i.sources[0].type is not _T.LABEL:
            return
        number, is_dynamic = i.sources[0].number, _is_dynamic(i)
        if not is_dynamic:
            self.static_flow += 1
        if number in self.labels:
            c.add("FLOW-006", f"l{number} stands before its call", i)
            return
        if self.base.calls >= c.limits.calls:
            c.add("FLOW-010", f"calls are nested {self.base.calls + 1} deep", i)
        loops, static, dynamic = self._depths()
        dynamic += is_dynamic
        if dynamic > c.limits.branches:
            c.add("FLOW-009", f"it is the {dynamic}th block in blocks of its kind", i)
        site = self.sites.setdefault(number, _Site())
        site.loops, site.static = max(site.loops, loops), max(site.static, static)
        site.dynamic = max(site.dynamic, dynamic)
        site.calls = max(site.calls, self.base.calls + 1)
        has_loop = self._has_counter()
        site.is_always_in_loop = site.is_always_in_loop and has_loop
        site.is_ever_in_loop = site.is_ever_in_loop or has_loop or self.base.is_ever_in_loop
        site.is_varying = site.is_varying or is_dynamic or self._is_varying()
        loop = self._loop()
        if loop is not None:
            loop.calls.add(number)

    def _label(self, i: Instruction, *, follows_ret: bool) -> None:
        c = self.c
        if not i.sources:
            return
        number = i.sources[0].number
        if not follows_ret:
            c.add("FLOW-007", "it does not follow ret", i)
        if number in self.labels:
            c.add("FLOW-011", f"l{number} stands here before", i)
        elif number not in self.sites:
            self.unused.append(number)
        self.labels.add(number)
        self.blocks.clear()
        self.base = self.sites.get(number, _Site(is_always_in_loop=False))
        self.is_in_subroutine = True

    # Instructions in blocks

    def _has_counter(self) -> bool:
        """Tell whether aL exists here, in whatever way the program came."""
        return self.base.is_always_in_loop or any(
            block.opener.opcode is Opcode.LOOP for block in self.blocks
        )

    def _is_varying(self) -> bool:
        """Tell whether pixels may differ in whether they come here."""
        loop = self._loop()
        if self.base.is_varying or (loop is not None and loop.has_break):
            return True
        return any(block.is_dynamic for block in self.blocks)

    def plain(self, i: Instruction) -> None:
        c = self.c
        addresses = [p.relative for p in i.sources if p.relative is not None]
        uses_counter = any([p.type is _T.LOOP for p in addresses])  # noqa: C419 - quicker
        if uses_counter and not self._has_counter():
            c.add("REL-003", "aL is used outside all loops", i)
        d = i.destination
        is_indexed = d is not None and d.relative is not None and d.relative.type is _T.LOOP
        if is_indexed and not self._has_counter() and not self.base.is_ever_in_loop:
            c.add("REL-003", "aL is used outside all loops", i)
        if c.family not in (Family.PS_2, Family.PS_3) or i.opcode not in _GRADIENTS:
            return
        if not i.sources or i.sources[0].type is not _T.TEMP:
            return
        if i.predicate is not None or self._is_varying():
            c.add("FLOW-014", "it takes gradients of r# under a condition", i)
        loop = self._loop()
        if loop is not None:
            loop.has_gradients = True

    def end(self) -> None:
        c = self.c
        for block in self.blocks:
            name = c.row(block.opener).mnemonic
            c.add_at_end("FLOW-004", f"{name} of instruction {block.opener.index} is not ended")
        if self.is_in_subroutine and not self.has_returned:
            c.add_at_end("FLOW-013", "the last subroutine has no ret")
        if self.unused:
            c.add_at_end("FLOW-012", f"never called: {_names(self.unused)}")
        missing = sorted(set(self.sites) - self.labels)
        if missing:
            c.add_at_end("FLOW-015", f"called, but not there: {_names(missing)}")
        most = c.limits.static_flow
        if most is not None and self.static_flow > most:
            c.add_at_end("FLOW-016", f"there are {self.static_flow}, {most} are allowed")


_MAX_OPEN = 256  # beyond every limit: what is nested deeper has been reported


def _is_dynamic(i: Instruction) -> bool:
    """Tell whether a condition is computed by the shader."""
    if i.opcode is Opcode.IFC:
        return True
    return i.opcode in (Opcode.IF, Opcode.CALLNZ) and i.sources[-1].type is _T.PREDICATE


def _names(labels: list[int]) -> str:
    more = f" and {len(labels) - _FEW} more" if len(labels) > _FEW else ""
    return ", ".join(f"l{number}" for number in labels[:_FEW]) + more


_HANDLERS: Mapping[int, Callable[[_Walk, Instruction], None]] = {
    **dict.fromkeys(_IFS | _LOOPS, _Walk.open),
    Opcode.ELSE: _Walk.otherwise,
    **dict.fromkeys(TABLE.opcodes({Flow.ENDIF}), _Walk.close_if),
    **dict.fromkeys(TABLE.opcodes({Flow.ENDLOOP, Flow.ENDREP}), _Walk.close_loop),
    **dict.fromkeys(_BREAKS, _Walk.leave),
    **dict.fromkeys(_CALLS, _Walk.call),
    Opcode.RET: _Walk.finish,
}
