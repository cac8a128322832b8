"""Linkage: which output of one stage feeds which input of the next, and what the rasteriser takes.

Stages are linked by register and component; semantic names take no part. Spec: D3D11.3 sections
4.4.3 to 4.4.5.
"""

from __future__ import annotations

from collections.abc import Sequence

from softd3d.classes import dataclass
from softd3d.errors import ResourceError
from softd3d.isa.roles import Counts
from softd3d.isa.sm4.enums import (
    GlobalFlags,
    InterpolationMode,
    OperandType,
    ProgramType,
    SystemName,
)
from softd3d.isa.sm4.program import Instruction
from softd3d.isa.sm4.rows import TABLE
from softd3d.lower.bound import BoundProgram
from softd3d.lower.declarations import Declarations
from softd3d.lower.stage import StageRegister, component_name, register_name

__all__ = [
    "CENTROID_MODES",
    "NOPERSPECTIVE_MODES",
    "SAMPLE_MODES",
    "UNFED",
    "Link",
    "RasterizerInputs",
    "links_of",
    "output_names",
    "rasterizer_inputs",
    "runs_per_sample",
    "sees_earlier_pixels",
    "tests_early",
    "unwritten",
]

UNFED = "read, but not written by the stage before"
"""What is noted of an input register that no output feeds; it is 0."""
_M = InterpolationMode
CENTROID_MODES = frozenset({_M.LINEAR_CENTROID, _M.LINEAR_NOPERSPECTIVE_CENTROID})
SAMPLE_MODES = frozenset({_M.LINEAR_SAMPLE, _M.LINEAR_NOPERSPECTIVE_SAMPLE})
NOPERSPECTIVE_MODES = frozenset(
    {_M.LINEAR_NOPERSPECTIVE, _M.LINEAR_NOPERSPECTIVE_CENTROID, _M.LINEAR_NOPERSPECTIVE_SAMPLE}
)
_SHADERS = {ProgramType.VS: "vertex", ProgramType.DS: "domain", ProgramType.GS: "geometry"}
_PRIMITIVE_ID = SystemName.PRIMITIVE_ID
_MADE_BY_RASTERIZER = frozenset(
    {
        SystemName.POSITION, SystemName.IS_FRONT_FACE, SystemName.SAMPLE_INDEX,
        SystemName.PRIMITIVE_ID,
    }
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Link:
    """One component of a pixel shader's input.

    name: such as `v1.x`. source: the output that feeds it, such as `o1.x`; None if the stage before
    does not write it, and for what the rasteriser makes: that is what file, system_value and
    component say.
    """

    name: str
    source: str | None
    mode: InterpolationMode
    system_value: SystemName
    file: OperandType
    component: int

    @property
    def is_made_by_rasterizer(self) -> bool:
        return self.file is not OperandType.INPUT or self.system_value in _MADE_BY_RASTERIZER


@dataclass(frozen=True, slots=True)
class RasterizerInputs:
    """The outputs of the last stage before the rasteriser that it interprets, by name.

    clip, cull: components of the distances. Indices are None where the stage writes none.
    """

    position: tuple[str, str, str, str]
    clip: tuple[str, ...]
    cull: tuple[str, ...]
    viewport_index: str | None
    slice_index: str | None


def links_of(before: Declarations, pixel: Declarations, stream: int = 0) -> tuple[Link, ...]:
    """Return the inputs of a pixel shader in the order of their declarations.

    stream: of a geometry shader, the one that is rasterised.
    """
    written = frozenset(output_names(before, stream))
    found: dict[str, Link] = {}
    for r in pixel.inputs:
        is_passed = r.file is OperandType.INPUT and r.system_value not in _MADE_BY_RASTERIZER
        for component in r.components:
            name = component_name(r.name, component)
            source = component_name(register_name(OperandType.OUTPUT, r.number), component)
            found[name] = Link(
                name, source if is_passed and source in written else None, r.interpolation,
                r.system_value, r.file, component,
            )  # fmt: skip
    return tuple(found.values())


def unwritten(
    links: Sequence[Link], before: Declarations, stream: int = 0
) -> tuple[tuple[str, str], ...]:
    """Return (register, rule) of inputs that no output feeds: they are 0, Direct3D says nothing.

    links: of the stage before, and its stream. Behind a geometry shader SV_PrimitiveID is one.
    """
    names = [k.name for k in links if k.source is None and not k.is_made_by_rasterizer]
    if before.stage is ProgramType.GS and not _named(_outputs(before, stream), _PRIMITIVE_ID):
        names += [k.name for k in links if k.system_value is _PRIMITIVE_ID]
    registers = dict.fromkeys(name.split(".")[0] for name in names)
    return tuple((name, UNFED) for name in registers)


def rasterizer_inputs(before: Declarations, stream: int = 0) -> RasterizerInputs:
    """Return what the rasteriser takes from a stage, or from a stream of a geometry shader.

    Raises:
        ResourceError: the stage writes no SV_Position.
    """
    outputs = _outputs(before, stream)
    position = _named(outputs, SystemName.POSITION)
    if len(position) != 4:
        raise ResourceError(
            f"{_SHADERS[before.stage]} shader: found no output SV_Position of four components, "
            "which the rasteriser needs"
        )
    x, y, z, w = position
    viewport = _named(outputs, SystemName.VIEWPORT_ARRAY_INDEX)
    slices = _named(outputs, SystemName.RENDER_TARGET_ARRAY_INDEX)
    return RasterizerInputs(
        (x, y, z, w), _named(outputs, SystemName.CLIP_DISTANCE),
        _named(outputs, SystemName.CULL_DISTANCE),
        viewport[0] if viewport else None, slices[0] if slices else None,
    )  # fmt: skip


def runs_per_sample(pixel: Declarations) -> bool:
    """Whether a pixel shader runs once for each covered sample. Spec: D3D11.3 3.5.4.1."""
    return any(
        r.interpolation in SAMPLE_MODES or r.system_value is SystemName.SAMPLE_INDEX
        for r in pixel.inputs
    )


def tests_early(pixel: Declarations) -> bool:
    """Whether depth and stencil are tested before the shader. Spec: D3D11.3 16.12."""
    return GlobalFlags.FORCE_EARLY_DEPTH_STENCIL in pixel.flags


def sees_earlier_pixels(pixel: BoundProgram) -> bool:
    """Whether a pixel shader may see what others left in UAVs: it loads, or the views are ordered.

    All that a rasteriser ordered view is accessed with is in the order of primitives at each pixel.
    """
    views = pixel.declarations.views.values()
    return any(view.is_rasterizer_ordered for view in views) or any(
        TABLE[i.opcode].counts is Counts.TEXTURE_LOAD
        and any(o.type is OperandType.UNORDERED_ACCESS_VIEW for o in i.operands)
        for i in pixel.program.instructions
        if isinstance(i, Instruction)
    )


def output_names(before: Declarations, stream: int = 0) -> tuple[str, ...]:
    """Return the outputs of a stage, or of a stream of a geometry shader, such as `o1.x`."""
    registers = _outputs(before, stream)
    return tuple(dict.fromkeys(component_name(r.name, c) for r in registers for c in r.components))


def _outputs(before: Declarations, stream: int) -> Sequence[StageRegister]:
    if before.stage is not ProgramType.GS:
        return before.outputs
    found = before.primitives.streams.get(stream)
    return () if found is None else found.outputs


def _named(outputs: Sequence[StageRegister], value: SystemName) -> tuple[str, ...]:
    found = [r for r in outputs if r.system_value is value]
    found.sort(key=lambda r: r.number)
    return tuple(component_name(r.name, c) for r in found for c in r.components)
