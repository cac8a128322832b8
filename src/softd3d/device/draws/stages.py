"""The shaders of a draw, and whether they fit together: what Direct3D rejects when it draws.

Spec: D3D11.3 sections 8.15, 11.7.9, 11.8, 13.2, 13.5 and 22.3.7.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from softd3d.device.draws.bindings import STAGES, Stage
from softd3d.device.runnable import runnable_shader
from softd3d.errors import ResourceError
from softd3d.isa.sm4.enums import OperandType, Primitive, ProgramType
from softd3d.isa.sm4.enums import PrimitiveTopology as OutputTopology
from softd3d.isa.sm4.limits import MAX_CONTROL_POINTS, MAX_GS_OUTPUT_SCALARS, MAX_GS_OUTPUT_VERTICES
from softd3d.lower.bound import BoundProgram
from softd3d.lower.hull import hull_phases
from softd3d.lower.primitive_stage import Phase, PrimitiveDeclarations
from softd3d.lower.stage import StageRegister
from softd3d.pipeline.stages import UNFED
from softd3d.pipeline.state import PrimitiveTopology
from softd3d.pipeline.tessellator.counting import corner_count

__all__ = ["check_stages", "last_stage", "stages_of", "unfed"]

Note = tuple[str, str]
_T = PrimitiveTopology
_PRIMITIVES = {
    _T.POINTLIST: Primitive.POINT,
    **dict.fromkeys((_T.LINELIST, _T.LINESTRIP), Primitive.LINE),
    **dict.fromkeys((_T.TRIANGLELIST, _T.TRIANGLESTRIP), Primitive.TRIANGLE),
    **dict.fromkeys((_T.LINELIST_ADJ, _T.LINESTRIP_ADJ), Primitive.LINE_ADJ),
    **dict.fromkeys((_T.TRIANGLELIST_ADJ, _T.TRIANGLESTRIP_ADJ), Primitive.TRIANGLE_ADJ),
}
_TESSELLATED = (Primitive.POINT, Primitive.LINE, Primitive.TRIANGLE)  # by corners
_POINTS = {n + 1: Primitive(Primitive.PATCH_1 + n) for n in range(MAX_CONTROL_POINTS)}
Stages = Mapping[str, Stage]


def stages_of(given: Mapping[str, object]) -> dict[str, Stage]:
    """Return the shaders of a draw's arguments by the stage's word, in the order of the pipeline.

    Raises:
        ShaderError: as `runnable_shader`.
    """
    return {
        word: Stage(word, runnable_shader(given.get(word), word, ProgramType[word.upper()]))
        for word in STAGES
        if word == "vs" or given.get(word) is not None
    }


def last_stage(stages: Stages) -> Stage:
    """Return the last stage before stream output and the rasteriser."""
    return next(stages[word] for word in ("gs", "ds", "vs") if word in stages)


def check_stages(stages: Stages, topology: PrimitiveTopology) -> None:
    """Refuse shaders that do not go with each other, or with the topology.

    Raises:
        ResourceError: as said; the text names the stage.
    """
    if ("hs" in stages) != ("ds" in stages):
        one, other = ("hull", "domain") if "hs" in stages else ("domain", "hull")
        raise ResourceError(f"{one} shader: found one without a {other} shader, wanted both")
    if topology is _T.UNDEFINED:
        return
    if "hs" in stages:
        _check_patches(_of(stages, "hs"), _of(stages, "ds"), stages["ds"], topology)
    if "gs" in stages:
        _check_primitives(stages, topology)
        _check_emitted(_of(stages, "gs"))


def unfed(programs: Mapping[str, BoundProgram]) -> tuple[Note, ...]:
    """Return inputs of hull, domain and geometry shaders that the stage before does not write.

    They are 0; Direct3D leaves them undefined. Those of pixel shaders are noted by the engines.
    """
    found: list[Note] = []
    before = _written(programs["vs"].declarations.outputs)
    if "hs" in programs:
        phases = hull_phases(programs["hs"])
        points = [p for p in phases if p.kind is Phase.CONTROL_POINT]
        others = [p for p in phases if p.kind is not Phase.CONTROL_POINT]
        read = [r for p in points for r in p.bound.declarations.inputs if r.vertices]
        read += [
            r for p in others for r in p.bound.declarations.inputs
            if r.file is OperandType.INPUT_CONTROL_POINT
        ]  # fmt: skip
        found += _missing("hs", read, before)
        if points:
            before = _written(r for p in points for r in p.bound.declarations.outputs)
        constants = _written(r for p in others for r in p.bound.declarations.outputs)
        inputs = programs["ds"].declarations.inputs
        vicp, vpc = OperandType.INPUT_CONTROL_POINT, OperandType.INPUT_PATCH_CONSTANT
        found += _missing("ds", (r for r in inputs if r.file is vicp), before)
        found += _missing("ds", (r for r in inputs if r.file is vpc), constants)
        before = _written(programs["ds"].declarations.outputs)
    if "gs" in programs:
        inputs = programs["gs"].declarations.inputs
        found += _missing("gs", (r for r in inputs if r.vertices), before)
    return tuple(dict.fromkeys(found))


def _written(registers: Iterable[StageRegister]) -> frozenset[tuple[int, int]]:
    """Return the number and component of all that is written."""
    return frozenset((r.number, c) for r in registers for c in r.components)


def _missing(
    word: str, read: Iterable[StageRegister], written: frozenset[tuple[int, int]]
) -> Iterator[Note]:
    for r in read:
        if any((r.number, c) not in written for c in r.components):
            yield f"{word} {r.name}", UNFED


def _of(stages: Stages, word: str) -> PrimitiveDeclarations:
    return stages[word].shader.declarations.primitives


def _check_patches(
    hull: PrimitiveDeclarations, domain: PrimitiveDeclarations, stage: Stage,
    topology: PrimitiveTopology,
) -> None:  # fmt: skip
    if not topology.control_points:
        raise ResourceError(
            f"topology: found {topology.name} with a hull shader, wanted patches of its "
            f"{hull.input_points} control points, PATCHLIST_{hull.input_points}"
        )
    if topology.control_points != hull.input_points:
        raise ResourceError(
            f"topology: found {topology.name}, wanted PATCHLIST_{hull.input_points}: the hull "
            f"shader takes {hull.input_points} control points"
        )
    if hull.domain is not domain.domain:
        raise ResourceError(
            f"domain shader: found the domain {domain.domain.name}, wanted "
            f"{hull.domain.name} as the hull shader has"
        )
    # Without control points the compiler declares as many as come in, and here none.
    is_read = any(
        r.file is OperandType.INPUT_CONTROL_POINT for r in stage.shader.declarations.inputs
    )
    if is_read and hull.output_points != domain.input_points:
        raise ResourceError(
            f"domain shader: found {domain.input_points} control points, wanted "
            f"{hull.output_points} as the hull shader gives"
        )


def _check_primitives(stages: Stages, topology: PrimitiveTopology) -> None:
    taken = _of(stages, "gs").primitive
    if "hs" in stages:
        hull = _of(stages, "hs")
        given = _TESSELLATED[corner_count(hull.domain, hull.output) - 1]
        source = "as the tessellator makes them"
    else:
        given = _POINTS.get(topology.control_points) or _PRIMITIVES.get(topology)
        source = f"as topology {topology.name} has"
    if given is not taken:
        raise ResourceError(
            f"geometry shader: found that it takes {taken.name}, wanted "
            f"{'none' if given is None else given.name} {source}"
        )


def _check_emitted(gs: PrimitiveDeclarations) -> None:
    """Refuse too many vertices, and strips in several streams."""
    sizes = [len(_written(stream.outputs)) for stream in gs.streams.values()]
    scalars = gs.max_vertices * max(sizes, default=0)
    if scalars > MAX_GS_OUTPUT_SCALARS:
        raise ResourceError(
            f"geometry shader: found {gs.max_vertices} vertices of {max(sizes)} components, wanted "
            f"at most {MAX_GS_OUTPUT_SCALARS} components"
        )
    if gs.max_vertices * gs.instances > MAX_GS_OUTPUT_VERTICES:
        raise ResourceError(
            f"geometry shader: found {gs.instances} instances of {gs.max_vertices} vertices, "
            f"wanted at most {MAX_GS_OUTPUT_VERTICES} vertices"
        )
    for stream in gs.streams.values() if len(gs.streams) > 1 else ():
        if stream.topology is not OutputTopology.POINTLIST:
            raise ResourceError(
                f"geometry shader: found {stream.topology.name} in stream {stream.number} of "
                f"{len(gs.streams)}, wanted POINTLIST in all"
            )
