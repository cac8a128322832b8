"""Outputs of vertices as rows of memory, which the next stage may take as they are."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import cache

from softd3d.isa.sm4.enums import OperandType
from softd3d.lower.stage import component_name, register_name
from softd3d.pipeline.primitives.records import Numbers

__all__ = ["Run", "VertexRows", "register_words", "runs_of"]

Run = tuple[int, int, int]
"""Words of a row that are moved: from which on, to which, how many."""


class VertexRows(Mapping[str, Numbers]):
    """Outputs by name, such as `o1.x`, which are columns of rows.

    rows: uint32, (vertices, words). words: the word of each output.
    """

    def __init__(self, rows: Numbers, words: Mapping[str, int]) -> None:
        self.rows = rows
        self.words = words

    def __getitem__(self, name: str) -> Numbers:
        return self.rows[:, self.words[name]]

    def __iter__(self) -> Iterator[str]:
        return iter(self.words)

    def __len__(self) -> int:
        return len(self.words)


@cache
def register_words(registers: int) -> Mapping[str, int]:
    """Return the words of o0 to the last register, each with four components."""
    return {
        component_name(register_name(OperandType.OUTPUT, register), c): 4 * register + c
        for register in range(registers)
        for c in range(4)
    }


def runs_of(words: Mapping[str, int], wanted: Iterable[tuple[int, str]]) -> tuple[Run, ...] | None:
    """Return what is moved from rows to others; None if an output is not there.

    words: of outputs in the rows. wanted: words of the others, and their outputs.

    >>> runs_of({"o1.x": 3, "o1.y": 4, "o0.x": 0}, [(0, "o1.x"), (1, "o1.y"), (2, "o0.x")])
    ((3, 0, 2), (0, 2, 1))
    """
    runs: list[Run] = []
    for to, name in wanted:
        if name not in words:
            return None
        at = words[name]
        if runs and (at, to) == (runs[-1][0] + runs[-1][2], runs[-1][1] + runs[-1][2]):
            runs[-1] = (*runs[-1][:2], runs[-1][2] + 1)
        else:
            runs.append((at, to, 1))
    return tuple(runs)
