"""What Direct3D rejects in a draw's targets, states and bindings: one function for each rule.

Spec: D3D11.3 sections 17.1 to 17.16 and 3.5.6; OMSetRenderTargetsAndUnorderedAccessViews.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from softd3d.container.reflection.enums import RegisterComponentType
from softd3d.container.reflection.signature import Signature
from softd3d.device.draws.bindings import Stage
from softd3d.device.draws.targets import ShownTarget
from softd3d.errors import ResourceError
from softd3d.formats.layout import ChannelType, Format
from softd3d.isa.machine import Memory
from softd3d.pipeline.output import check_target
from softd3d.pipeline.prepared import PreparedDraw
from softd3d.pipeline.primitives.stage_programs import rasterized_corners
from softd3d.pipeline.rasterizer.samples import SAMPLE_COUNTS
from softd3d.pipeline.state import BlendState, PrimitiveTopology, RasterizerState

__all__ = [
    "blending_notes",
    "check_blending",
    "check_forced_samples",
    "check_targets",
    "check_uav_slots",
    "conservative_notes",
    "is_float_output",
    "output_notes",
]

Note = tuple[str, str]
_INTEGERS = {
    ChannelType.UINT: RegisterComponentType.UINT32,
    ChannelType.SINT: RegisterComponentType.SINT32,
}
_WORDS = {
    RegisterComponentType.UINT32: "uint",
    RegisterComponentType.SINT32: "int",
    RegisterComponentType.FLOAT32: "float",
}


def check_targets(targets: Sequence[ShownTarget]) -> None:
    """Refuse targets, the depth-stencil view among them, that differ in what all must share.

    Raises:
        ResourceError: kind of resource, size, slices or samples differ; the text names both.
    """
    if not targets:
        return
    first = targets[0]
    if first.target.samples not in SAMPLE_COUNTS:
        raise ResourceError(
            f"{first.target.name}: found {first.target.samples} samples, wanted 1, 2, 4, 8 or 16"
        )
    for other in targets[1:]:
        for what, one, two in (
            ("kind of resource", first.kind, other.kind),
            ("size", *(" x ".join(str(n) for n in t.size) for t in (first, other))),
            ("number of slices", first.target.slices, other.target.slices),
            ("number of samples", first.target.samples, other.target.samples),
            ("sample pattern", *(_pattern(t) for t in (first, other))),
        ):
            if one != two:
                raise ResourceError(
                    f"{other.target.name}: found {what} {two}, wanted {one} as "
                    f"{first.target.name} has"
                )


def _pattern(shown: ShownTarget) -> str:
    return "of the centre" if shown.is_centered else "standard"


def check_uav_slots(stages: Iterable[Stage], targets: int) -> None:
    """Refuse u# below the number of render-target slots in use, which share numbers with them.

    Those of shader model 5.1 do not, which is Direct3D 12's.

    Raises:
        ResourceError: as said.
    """
    beside = f"{targets} render target{'s' if targets > 1 else ''}"
    for stage in stages:
        if stage.has_own_uavs:
            continue
        for view in stage.shader.declarations.views.values():
            if view.memory is Memory.UAV and view.lower < targets:
                raise ResourceError(
                    f"{stage.name}: found u{view.lower} beside {beside}, wanted u{targets} or "
                    "higher; up to shader model 5.0 u# and render targets share numbers"
                )


def check_forced_samples(
    rasterizer: RasterizerState, targets: Sequence[ShownTarget], depth: ShownTarget | None
) -> None:
    """Refuse what ForcedSampleCount does not go with. Spec: D3D11.3 section 3.5.6.

    Raises:
        ResourceError: a depth-stencil view, or several samples in a target and in the rasteriser.
    """
    count = rasterizer.forced_sample_count
    if not count:
        return
    if depth is not None:
        raise ResourceError(
            f"rasterizer forced_sample_count: found {count} with a depth-stencil view, wanted none"
        )
    for shown in targets:
        if count > 1 and shown.target.samples > 1:
            raise ResourceError(
                f"rasterizer forced_sample_count: found {count} with "
                f"{shown.target.samples} samples in {shown.target.name}, wanted 1"
            )


def check_blending(blend: BlendState, targets: Sequence[ShownTarget | None]) -> None:
    """Refuse logic operations in targets that cannot have them.

    Raises:
        ResourceError: as said.
    """
    for slot, shown in enumerate(targets):
        if shown is not None:
            check_target(blend.description(slot), shown.target.format, slot)


def conservative_notes(draw: PreparedDraw) -> tuple[Note, ...]:
    """Return what Direct3D leaves undefined of conservative rasterisation.

    These are points and lines, and SV_InnerCoverage without it.
    """
    found: list[Note] = []
    if draw.is_conservative and _draws_points_or_lines(draw):
        rule = "points and lines are drawn as without it"
        found.append(("rasterizer conservative_raster", rule))
    if draw.reads_inner_coverage and not draw.is_conservative:
        rule = "read without conservative rasterization: it is 0"
        found.append(("ps vInnerCoverage", rule))
    return tuple(found)


def _draws_points_or_lines(draw: PreparedDraw) -> bool:
    if draw.topology is PrimitiveTopology.UNDEFINED or not draw.rasterizes:
        return False
    return rasterized_corners(draw) < 3


def blending_notes(
    blend: BlendState, targets: Sequence[ShownTarget | None], signature: Signature | None
) -> tuple[Note, ...]:
    """Return what Direct3D leaves undefined of blending.

    It is ignored in targets of integers. The second source goes with render target 0 alone; what
    the pixel shader does not write of it is 0. signature: the pixel shader's outputs, None if there
    is none.
    """
    notes: list[Note] = []
    bound = [(slot, shown) for slot, shown in enumerate(targets) if shown is not None]
    for slot, shown in bound:
        if blend.description(slot).blend_enable and shown.target.format.is_integer:
            rule = f"blend_enable with format {shown.target.format.name}: it is not blended"
            notes.append((shown.target.name, rule))
    second = [slot for slot, _ in bound if blend.description(slot).second_source]
    if second:
        rule = "blending with the second source goes with render target 0 alone"
        notes += ((shown.target.name, rule) for slot, shown in bound if slot)
    wanted = blend.description(0).second_source if 0 in second else 0
    missing = 0 if signature is None else wanted & ~_written(signature, 1)
    if missing:
        parts = "".join(letter for n, letter in enumerate("xyzw") if missing >> n & 1)
        rule = "the second source of blending, which the shader does not write: it is 0"
        notes.append((f"ps o1.{parts}", rule))
    return tuple(notes)


def _written(signature: Signature, register: int) -> int:
    """Return the components of an output register that a shader has, x in bit 0."""
    found = 0
    for element in signature.elements:
        found |= element.mask if element.register == register else 0
    return found


def is_float_output(signature: Signature | None, slot: int) -> bool:
    """Whether a pixel shader gives floats to a render target, or nothing that says otherwise."""
    type_ = _output_type(signature, slot)
    return type_ is None or type_ is RegisterComponentType.FLOAT32


def output_notes(
    signature: Signature | None, targets: Sequence[ShownTarget | None]
) -> tuple[Note, ...]:
    """Return what Direct3D leaves undefined of a pixel shader's outputs and the bound targets.

    These are outputs of another type than the target's, and targets without an output, which are
    left as they are.
    """
    notes: list[Note] = []
    for slot, shown in enumerate(targets):
        if shown is None or signature is None:
            continue
        type_, format_ = _output_type(signature, slot), shown.target.format
        if type_ is None:
            rule = "the pixel shader writes no such output: the target is left as it is"
            notes.append((shown.target.name, rule))
        elif type_ is not _wanted(format_) and type_ in _WORDS:
            rule = (
                f"the pixel shader writes {_WORDS[type_]}, the format is {format_.name}: the bits "
                "are taken as they are"
            )
            notes.append((shown.target.name, rule))
    return tuple(notes)


def _wanted(format_: Format) -> RegisterComponentType:
    return _INTEGERS.get(format_.type, RegisterComponentType.FLOAT32)


def _output_type(signature: Signature | None, slot: int) -> RegisterComponentType | None:
    """Return the type of output o#, None where the shader has none."""
    for element in () if signature is None else signature.elements:
        if element.register == slot:
            return element.component_type
    return None
