"""The tree of blocks that a program is: what instructions do, with their rows, nested as they are.

`lower/structure.py` reads it; the engines walk over it.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, TypeAlias

from softd3d.classes import dataclass
from softd3d.isa.roles import Flow
from softd3d.isa.row import Row
from softd3d.isa.shader_message import MessageSite
from softd3d.lower.linkage import Label

if TYPE_CHECKING:
    from softd3d.isa.sm1 import program as sm1
    from softd3d.isa.sm4 import program as sm4

__all__ = [
    "Block", "Call", "Case", "If", "Instruction", "Item", "Jump", "Loop", "Message", "Operation",
    "Program", "Switch",
]  # fmt: skip

Instruction: TypeAlias = "sm1.Instruction | sm4.Instruction"
Program: TypeAlias = "sm1.Program | sm4.Program"


@dataclass(frozen=True, slots=True)
class Block:
    """Items executed one after another. Declarations are none."""

    items: tuple[Item, ...]

    def every(self) -> Iterator[Item]:
        """Yield every item of the block and its nested blocks, in program order."""
        for item in self.items:
            yield item
            for block in item.blocks:
                yield from block.every()


@dataclass(frozen=True, slots=True)
class Operation:
    """An instruction that computes; with it the paired ones, which happen at once (SM1-3)."""

    instruction: Instruction
    row: Row
    paired: tuple[tuple[Instruction, Row], ...] = ()

    @property
    def blocks(self) -> tuple[Block, ...]:
        return ()


@dataclass(frozen=True, slots=True)
class Message:
    """An instruction that says something; `abort` then ends its lanes."""

    instruction: Instruction
    site: MessageSite

    @property
    def blocks(self) -> tuple[Block, ...]:
        return ()


@dataclass(frozen=True, slots=True)
class Jump:
    """A flow instruction that opens no block and calls nothing, `nop` among them."""

    instruction: Instruction
    row: Row
    role: Flow
    is_conditional: bool

    @property
    def is_idle(self) -> bool:
        """Whether it does nothing."""
        return self.role in (Flow.NOP, Flow.PHASE)

    @property
    def blocks(self) -> tuple[Block, ...]:
        return ()


@dataclass(frozen=True, slots=True)
class Call:
    """A call of a subroutine, or of methods (label None), of which linkage knows."""

    instruction: Instruction
    row: Row
    label: Label | None
    is_conditional: bool

    @property
    def blocks(self) -> tuple[Block, ...]:
        return ()


@dataclass(frozen=True, slots=True)
class If:
    """`if` and its two sides."""

    instruction: Instruction
    row: Row
    then: Block
    else_: Block

    @property
    def blocks(self) -> tuple[Block, ...]:
        return self.then, self.else_


@dataclass(frozen=True, slots=True)
class Loop:
    """`loop` to `endloop`; of SM1-3 counted, and `rep` to `endrep` likewise.

    number: of the loops that end before it.
    """

    instruction: Instruction
    row: Row
    body: Block
    number: int

    @property
    def is_counted(self) -> bool:
        return bool(self.row.sources)

    @property
    def blocks(self) -> tuple[Block, ...]:
        return (self.body,)


@dataclass(frozen=True, slots=True)
class Case:
    """A body of a switch and what enters it: label values, `default`, or falling through."""

    values: tuple[int, ...]
    is_default: bool
    body: Block


@dataclass(frozen=True, slots=True)
class Switch:
    """`switch` to `endswitch`; labels without instructions between them share a case."""

    instruction: Instruction
    row: Row
    cases: tuple[Case, ...]

    @property
    def blocks(self) -> tuple[Block, ...]:
        return tuple(case.body for case in self.cases)


Item: TypeAlias = "Operation | Message | Jump | Call | If | Loop | Switch"
