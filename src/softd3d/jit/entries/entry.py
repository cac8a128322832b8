"""What an entry point has to say.

The body of a wave knows none of it: it asks for inputs by name, and hands outputs over by name.
Inputs are values that an entry makes, from numbers, memory or other values; what becomes of outputs
is its business, too.
"""

from __future__ import annotations

from typing import Protocol, TypeAlias

from softd3d.ir.analysis import VARYING, Shape, Shapes, analyse_shapes
from softd3d.ir.graph import Graph
from softd3d.jit.abi import CONTEXT
from softd3d.jit.codegen.writer import Writer
from softd3d.jit.runtime import runtime

__all__ = ["TABLES", "Entry", "Inputs", "claims", "parameters", "part_shapes", "passed"]

Inputs: TypeAlias = "dict[str, tuple[str | None, str | None]]"
"""(scalar, vector) names: what a part of a wave starts with, `lane_mask` and `flat` among it."""
TABLES = (
    "ptr %context", "ptr %state", "ptr %views", "ptr %constants", "ptr %shared", "ptr %site",
)  # fmt: skip
"""What every wave's function is given first."""


class Entry(Protocol):
    """A native entry point: the loops around waves, and what a wave is given.

    arguments: parameters of the wave's function behind `TABLES`.
    """

    @property
    def arguments(self) -> tuple[str, ...]: ...

    def waves(self, width: int) -> int:
        """Return how many waves of so many lanes may wait for each other: those of a group."""
        ...

    def is_full(self, width: int) -> bool:
        """Tell whether waves of so many lanes pay: few lanes of them are idle."""
        ...

    def row(self, lanes: int) -> int:
        """Return how many lanes, from the first on, lie side by side along x."""
        ...

    def shapes(self, lanes: int) -> dict[str, Shape]:
        """Return the shapes of inputs in a vector of lanes."""
        ...

    def differing(self, lanes: int, parts: int) -> frozenset[str]:
        """Return the inputs that are not the same in all parts of a wave."""
        ...

    def between(self, lanes: int, parts: int) -> dict[str, Shape]:
        """Return by how much inputs grow from part to part of a wave, in each lane."""
        ...

    def begin(self, w: Writer, lanes: int, parts: int, part: int) -> Inputs:
        """Emit what a part of a wave starts with, at the start of the wave's function.

        flat: a scalar, that of lane 0, which lanes count up from. lane_mask: the lanes that
        execute; full if it is a scalar.
        """
        ...

    def read(self, w: Writer, inputs: Inputs, name: str) -> tuple[str | None, str | None]:
        """Emit another input where it is wanted; inputs: of `begin`, for the same part."""
        ...

    def take(self, w: Writer, inputs: Inputs, name: str, value: str) -> None:
        """Emit what becomes of an output. value: a vector of i32."""
        ...

    def group(self, w: Writer, inputs: Inputs, lanes: str | None = None) -> str:
        """Emit the number of the wave's group, an i64; of the first one among lanes, if given.

        lanes: an integer with a bit for each, not 0.
        """
        ...

    def place(self, w: Writer, inputs: Inputs, group: str, lane: str) -> str:
        """Emit the place of a lane's message, an i64. group: the outcome of `group`."""
        ...

    def loops(self, width: int, *, suspends: bool, says: bool, aborts: bool) -> str:
        """Return the functions that call the wave's function, `softd3d_all` among them.

        suspends: waves are coroutines. says: messages ask for the numbers of groups.
        """
        ...


def part_shapes(
    graph: Graph, entry: Entry, lanes: int, parts: int, *, between: bool = False
) -> Shapes:
    """Return the shapes in a part of a wave, which know those in the whole wave.

    between: those between its parts are wanted, too.
    """
    whole_inputs = entry.shapes(lanes * parts)
    if parts > 1 and "lane" in whole_inputs:
        whole_inputs["lane"] = VARYING  # it begins again in each
    whole = analyse_shapes(graph, whole_inputs)
    if parts == 1:
        return whole
    mask = {"lane_mask": whole_inputs["lane_mask"]}
    shapes = analyse_shapes(graph, entry.shapes(lanes) | mask, whole)
    if between:
        shapes.between = analyse_shapes(graph, entry.between(lanes, parts), whole)
    return shapes


def parameters(arguments: tuple[str, ...]) -> str:
    """Return the parameters of a wave's function; its pointers lead to different memory."""
    return ", ".join(a.replace("ptr ", "ptr noalias ") for a in (*TABLES, *arguments))


def passed(arguments: tuple[str, ...]) -> str:
    """Return the arguments of a call whose caller has them under the same names."""
    return ", ".join((*TABLES, *arguments))


_POINTERS = frozenset({"state", "views", "constants", "shared", "inputs", "outputs"})


def claims(
    body: str, group: str, further: tuple[str, ...], *, aborts: bool, **filled_in: object
) -> str:
    """Return the function that each thread runs.

    body: the file that calls for a claimed number, `%g`. group: the name of the number of its
    group, where one that aborts ends those behind it. further: slots of the context that it needs.
    """
    loads = "".join(
        f"  %{name}_at = getelementptr i64, ptr %context, i64 {CONTEXT[name]}\n"
        f"  %{name} = load {'ptr' if name in _POINTERS else 'i64'}, ptr %{name}_at\n"
        for name in ("state", "views", "constants", "shared", *further, "groups", "pieces")
    )
    past = runtime("past", group=group) if aborts else ""
    return runtime("claims", loads=loads, body=runtime(body, past=past, **filled_in))
