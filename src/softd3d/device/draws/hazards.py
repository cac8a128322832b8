"""Memory that a draw would read and write at once, or write through two views; it is refused.

Direct3D unbinds such an input without a word. Spec: D3D11.3 section 17.14;
OMSetRenderTargets, remarks.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from softd3d.classes import dataclass
from softd3d.device.draws.targets import ShownTarget
from softd3d.device.draws.vertices import BoundBuffer
from softd3d.errors import ResourceError
from softd3d.isa.machine import Memory
from softd3d.lower.bound import BoundProgram
from softd3d.pipeline.prepared import Target
from softd3d.resources.textures.subresources import FACES
from softd3d.resources.views.descriptor import Descriptor

__all__ = ["check_hazards"]

Range = tuple[int, int]


@dataclass(frozen=True, slots=True)
class _Use:
    """Memory in use. ranges: first byte and the one after the last, in order of addresses.

    kind: "input", "output" (a target, or a buffer of stream output) or "uav". reads: parts of depth
    and stencil that are read.
    """

    name: str
    kind: str
    ranges: tuple[Range, ...]
    reads: str = ""
    writes: str = ""

    @property
    def bounds(self) -> Range:
        return self.ranges[0][0], max(end for _, end in self.ranges)


def check_hazards(
    stages: Mapping[str, BoundProgram], targets: Iterable[ShownTarget],
    buffers: Iterable[BoundBuffer], streamed: Iterable[BoundBuffer] = (),
) -> None:  # fmt: skip
    """Refuse memory that an output shares with an input or another output.

    stages: by their names for messages. buffers: that are read. streamed: that stream output
    writes.

    Raises:
        ResourceError: as said; the text names both.
    """
    uses = [*_targets(targets), *_buffers(streamed, "output"), *_buffers(buffers, "input")]
    for name, bound in stages.items():
        uses += _views(name, bound)
    written = [use for use in uses if use.kind != "input"]
    for number, one in enumerate(written):
        others = [use for use in uses if use.kind == "input"] + written[number + 1 :]
        for other in others:
            if _is_hazard(one, other) and _meet(one, other):
                raise ResourceError(
                    f"{one.name}: shares memory with {other.name}; Direct3D does not allow one "
                    "resource as output and input, or as two outputs, at once"
                )


def _is_hazard(written: _Use, other: _Use) -> bool:
    if written.kind == other.kind == "uav":
        return False  # as in a dispatch: the shader's own affair
    return not (other.kind == "input" and other.reads and other.reads not in written.writes)


def _meet(one: _Use, other: _Use) -> bool:
    (a, b), (c, d) = one.bounds, other.bounds
    if a >= d or c >= b:
        return False
    ranges = sorted([*((*r, 0) for r in one.ranges), *((*r, 1) for r in other.ranges)])
    ends = [0, 0]
    for start, end, owner in ranges:
        if start < ends[1 - owner]:
            return True
        ends[owner] = max(ends[owner], end)
    return False


def _targets(targets: Iterable[ShownTarget]) -> Iterator[_Use]:
    for shown in targets:
        ranges = tuple(_of_target(shown.target))
        has_stencil = any(c.component == "s" for c in shown.target.format.channels)
        is_color = not any(c.component == "d" for c in shown.target.format.channels)
        writes = "ds" if is_color else ""
        if not is_color:
            writes += "" if shown.read_only_depth else "d"
            writes += "" if shown.read_only_stencil or not has_stencil else "s"
        if ranges and writes:
            yield _Use(shown.target.name, "output", ranges, "", writes)


def _buffers(buffers: Iterable[BoundBuffer], kind: str) -> Iterator[_Use]:
    for buffer in buffers:
        if buffer.data.size:
            start = buffer.data.ctypes.data
            writes = "ds" if kind == "output" else ""
            yield _Use(buffer.name, kind, ((start, start + buffer.data.size),), "", writes)


def _views(stage: str, bound: BoundProgram) -> Iterator[_Use]:
    for view in bound.memory_views:
        descriptor = bound.descriptors[view.slot]
        ranges = tuple(_of_view(descriptor)) if view.is_bound else ()
        if ranges:
            name = f"{stage} {view.register}"
            if view.memory is Memory.UAV:
                yield _Use(name, "uav", ranges, "", "ds")
            else:
                yield _Use(name, "input", ranges, _part_read(descriptor))


def _part_read(descriptor: Descriptor) -> str:
    """Return which part of depth and stencil a view reads, should its memory be of that kind."""
    format_ = descriptor.view_format
    if format_ is None:
        return ""
    is_stencil = format_.name in ("X24_TYPELESS_G8_UINT", "X32_TYPELESS_G8X24_UINT")
    return "s" if is_stencil else "d"


def _of_target(target: Target) -> Iterator[Range]:
    start = target.data.ctypes.data + target.offset
    size = target.row_pitch * target.height
    for number in range(target.slices if size else 0):
        at = start + number * target.slice_pitch
        yield at, at + size


def _of_view(descriptor: Descriptor) -> Iterator[Range]:
    """Yield the memory of a view: its levels in each slice, or all of a buffer."""
    if descriptor.decoded is not None:
        source = descriptor.decoded.source
        yield source.ctypes.data, source.ctypes.data + source.nbytes
        return
    start = descriptor.data.ctypes.data
    if not descriptor.mips:
        if descriptor.size:
            yield start, start + descriptor.size
        return
    slices = descriptor.array_size * (FACES if "CUBE" in descriptor.dimension.name else 1)
    for number in range(slices):
        for level in range(descriptor.mip_count):
            offset, _, whole = descriptor.mips[level]
            at = start + number * descriptor.array_pitch + offset
            yield at, at + whole * max(1, descriptor.depth >> level)
