"""The programs between the vertex shader and the rasteriser: phases of hull shaders, and others."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

from softd3d.classes import dataclass
from softd3d.errors import ResourceError
from softd3d.isa.sm4.limits import MAX_PHASE_INSTANCES
from softd3d.lower.bound import BoundProgram
from softd3d.lower.hull import hull_phases
from softd3d.lower.primitive_stage import Phase
from softd3d.lower.stage_memory import StageArray, stage_arrays
from softd3d.pipeline.prepared import PreparedDraw
from softd3d.pipeline.primitives.records import Numbers
from softd3d.pipeline.primitives.reports import PlacesOf, StageReport
from softd3d.pipeline.state.enums import PrimitiveTopology
from softd3d.pipeline.tessellator.counting import corner_count
from softd3d.pipeline.topology import primitive_size

__all__ = ["MOST_BYTES", "RunStage", "StageProgram", "rasterized_corners", "stage_programs"]

MOST_BYTES = 1 << 24
"""Of stage memory that the primitives which a stage runs for together have."""

_T = PrimitiveTopology

_EMITTED = frozenset({_T.POINTLIST, _T.LINESTRIP, _T.TRIANGLESTRIP})


@dataclass(frozen=True, slots=True)
class StageProgram:
    """A program that runs for primitives, and its arrays in stage memory.

    stage: `hs`, `ds` or `gs`. number: of the phase of a hull shader. kind: its kind, None of other
    shaders. instances: runs for each primitive.
    """

    stage: str
    number: int
    bound: BoundProgram
    arrays: tuple[StageArray, ...]
    kind: Phase | None = None
    instances: int = 1

    def array(self, name: str) -> StageArray | None:
        """Return the layout of an array, None if the program has none of the name."""
        return next((array for array in self.arrays if array.name == name), None)

    def memory(self, arrays: Mapping[str, Numbers]) -> tuple[Numbers, ...]:
        """Return arrays in the order of their slots."""
        return tuple(arrays[array.name] for array in self.arrays)


class RunStage(Protocol):
    """How an engine runs a program for lanes; what they report goes to `report`.

    inputs: by name, (count,) each. arrays: of stage memory, by name; those that are written change.
    places: of the lanes, for messages. Returns the outputs by name.
    """

    def __call__(
        self, report: StageReport, program: StageProgram, count: int,
        inputs: Mapping[str, Numbers], arrays: Mapping[str, Numbers], places: PlacesOf,
    ) -> Mapping[str, Numbers]: ...  # fmt: skip


def stage_programs(draw: PreparedDraw) -> tuple[StageProgram, ...]:
    """Return the programs of a draw between vertices and the rasteriser, in their order.

    Raises:
        ResourceError: they do not say what they must.
        DecodeError: a declaration of a phase is malformed or exceeds a limit.
    """
    _check_defined(draw)
    found: list[StageProgram] = []
    if draw.hull is not None:
        for number, phase in enumerate(hull_phases(draw.hull)):
            arrays = stage_arrays(phase.bound.declarations)
            _check_instances(phase.instances)
            found.append(
                StageProgram("hs", number, phase.bound, arrays, phase.kind, phase.instances)
            )
    for stage, bound in (("ds", draw.domain), ("gs", draw.geometry)):
        if bound is not None:
            instances = bound.declarations.primitives.instances
            arrays = stage_arrays(bound.declarations)
            found.append(StageProgram(stage, 0, bound, arrays, None, instances))
    return tuple(found)


def _check_instances(instances: int) -> None:
    if instances > MAX_PHASE_INSTANCES:
        raise ResourceError(
            f"hull shader: found a phase of {instances} instances, wanted at most "
            f"{MAX_PHASE_INSTANCES}"
        )


def _check_defined(draw: PreparedDraw) -> None:
    """Refuse shaders that leave open what the stages behind them must know."""
    if draw.hull is not None:
        hull = draw.hull.declarations.primitives
        known = hull.domain, hull.partitioning, hull.output
        if not all(known):  # UNDEFINED is 0
            names = ", ".join(value.name for value in known)
            raise ResourceError(
                f"hull shader: found domain, partitioning and output {names}, wanted all defined"
            )
    streams = {} if draw.geometry is None else draw.geometry.declarations.primitives.streams
    for stream in streams.values():
        if PrimitiveTopology(stream.topology) not in _EMITTED:
            raise ResourceError(
                f"geometry shader: found output topology {stream.topology.name} of stream "
                f"{stream.number}, wanted POINTLIST, LINESTRIP or TRIANGLESTRIP"
            )


def rasterized_corners(draw: PreparedDraw) -> int:
    """Return how many vertices the primitives have that the last stage makes."""
    if draw.geometry is not None:
        streams = draw.geometry.declarations.primitives.streams
        stream = streams.get(draw.rasterized_stream or 0)
        topology = _T.POINTLIST if stream is None else PrimitiveTopology(stream.topology)
        return primitive_size(topology)
    return primitive_size(draw.topology) if draw.hull is None else _patch_corners(draw.hull)


def _patch_corners(hull: BoundProgram) -> int:
    declared = hull.declarations.primitives
    return corner_count(declared.domain, declared.output)
