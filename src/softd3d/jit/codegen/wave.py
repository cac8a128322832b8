"""How wide a wave is, and what else its code depends on besides the program."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field

from softd3d.classes import dataclass
from softd3d.jit.compiling.target import Processor
from softd3d.jit.entries.entry import Entry

__all__ = ["Wave"]


@dataclass(frozen=True, slots=True)
class Wave:
    """parts: vectors of `lanes` lanes in a wave. apart: nodes that are emitted for each part.

    shifts: by how much others, which are emitted for the first part, grow from part to part.
    shared_offsets: of each g#, in bytes, by slot. permutes: a vector of lanes is a row of a mip
    table, and can be looked up in a register. row: as many lanes from the first on as lie side by
    side along x. suspends: a barrier waits for other waves. plain: see `fences`.
    """

    lanes: int
    processor: Processor
    entry: Entry
    shared_offsets: Mapping[int, int]
    parts: int = 1
    apart: frozenset[int] = field(default_factory=frozenset[int])
    shifts: Mapping[int, int] = field(default_factory=dict[int, int])
    permutes: bool = False
    row: int = 1
    suspends: bool = False
    plain: frozenset[int] = field(default_factory=frozenset[int])
