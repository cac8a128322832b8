"""The memory that kernels of a draw share, besides what its shaders are bound to.

Everything is looked at as raw views whose slots follow those of the shader's own views.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import IntEnum
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from softd3d.algebra.value import Value
from softd3d.classes import dataclass
from softd3d.errors import LoweringError
from softd3d.formats.codec import units
from softd3d.isa.limits import MAX_RENDER_TARGETS, MAX_VERTEX_BUFFERS, MAX_VIEWPORTS
from softd3d.isa.machine import Memory, View, ViewKind
from softd3d.isa.sm4.enums import ResourceDimension
from softd3d.pipeline.prepared import DrawCall, PreparedDraw, Target
from softd3d.pipeline.stages import runs_per_sample
from softd3d.resources.views.descriptor import MAX_BYTES, Descriptor

__all__ = [
    "BOX_WORDS",
    "BUFFER_WORDS",
    "BUNCH_COLUMN",
    "COUNTERS",
    "DEPTH",
    "DRAWN",
    "HIDDEN",
    "IS_FRONT",
    "IS_TESTED",
    "MOST_WIDTH",
    "PLACES",
    "QUEUED_WAVES",
    "RARE",
    "RECORD_CORNER",
    "TARGET_WORDS",
    "VIEWPORT_WORDS",
    "WORD",
    "Bound",
    "Field",
    "Parameter",
    "Tile",
    "Vertex",
    "band_rows",
    "bunch_bytes",
    "described",
    "known_samples",
    "parameters",
    "planes_of",
    "put_call",
    "queue_lanes",
    "raw_view",
    "record_words",
    "target_descriptor",
    "tile_bytes",
    "tile_lanes",
    "with_call",
]

Number = TypeVar("Number", int, Value)
WORD = 4  # bytes
DEPTH = MAX_RENDER_TARGETS
"""The number of the depth buffer among the targets."""
PLACES = 6
"""Dwords of a message of a pixel: x, y, slice; SV_PrimitiveID, SV_InstanceID, sample."""
VIEWPORT_WORDS, BOX_WORDS, TARGET_WORDS, BUFFER_WORDS = 8, 4, 4, 2


DRAWN, RARE, HIDDEN = 1, 2, 3
"""What becomes of a primitive besides nothing, 0: it is drawn as its record says; it must be
clipped, or split into edges; its box has pixels, but it covers no sample.
"""


class Parameter(IntEnum):
    """Where in the parameters of a draw (uint32) what is known at run time only lies.

    VERTEX: what is added to SV_VertexID. ROW: bytes of a vertex's outputs. WIDTH, HEIGHT: of all
    targets. VIEWPORTS: left, top, width, height, min_depth, depth_range, both depth_limits. BOXES:
    of each viewport, left, top, right, bottom. TARGETS: row pitch, slice pitch, slices; the depth
    buffer last. BUFFERS: stride, offset.
    """

    VERTEX = 0
    INSTANCE = 1
    STENCIL_REF = 2
    ROW = 3
    BLEND_FACTOR = 4
    WIDTH = 8
    HEIGHT = 9
    VIEWPORTS = 12
    BOXES = VIEWPORTS + VIEWPORT_WORDS * MAX_VIEWPORTS
    TARGETS = BOXES + BOX_WORDS * MAX_VIEWPORTS
    BUFFERS = TARGETS + TARGET_WORDS * (MAX_RENDER_TARGETS + 1)
    COUNT = BUFFERS + BUFFER_WORDS * MAX_VERTEX_BUFFERS


class Field(IntEnum):
    """A word of a piece's record: a primitive, or what clipping or wireframe made of one.

    FLAGS: `IS_FRONT`, `IS_TESTED`; of a small triangle, `SmallCover.quads`. LEADING: the row of the
    leading vertex. LEFT to BOTTOM: pixels that it may touch, right and bottom exclusive. FAN: in
    conservative rasterisation, which part of its primitive it is (`fans`). CORNERS: of each vertex
    what `Vertex` says; then come `SmallCover.samples`.
    """

    FLAGS = 0
    VIEWPORT = 1
    SLICE = 2
    NUMBER = 3
    INSTANCE = 4
    LEADING = 5
    LEFT = 6
    TOP = 7
    RIGHT = 8
    BOTTOM = 9
    FAN = 10
    CORNERS = 11


IS_FRONT, IS_TESTED = 1 << 16, 1 << 17
"""Among a record's flags: whether it faces the front; whether samples are tested by depth clip."""


class Vertex(IntEnum):
    """A word of a piece's vertex: on the screen (float32), w in clip space, row of its outputs."""

    X = 0
    Y = 1
    Z = 2
    CLIP_Z = 3
    W = 4
    ROW = 5


RECORD_CORNER = len(Vertex)
_CORNERS_OF_TRIANGLE = 3
_MOST_KNOWN = 4  # samples
_RECORD_STEP = 4  # words that are stored together


COUNTERS = 2
"""What lanes of a tile count, a dword each: samples that passed of all lanes, then invocations."""
MOST_WIDTH = 64
"""Of tiles, in pixels, if the order of invocations does not show."""
QUEUED_WAVES = 32
"""Full waves on the queue that end rasterising for now."""
_LINE = 64  # bytes
_HIGHEST = 4  # rows of a block
_MOST_COLUMNS = 16  # of a queue, besides inputs and depths
BUNCH_COLUMN = 8
"""Bytes of a number of a piece that was set up."""
_BUNCH_COLUMNS, _COLUMNS_OF_LINK = 32, 4


def band_rows(*, in_rows: bool) -> int:
    """Return how many rows of a piece are rasterised before waves are shaded, at most.

    in_rows: quads come in the order of rows, and a tile may be as wide as the targets.
    """
    return 2 if in_rows else 16


def queue_lanes(width: Number, lanes: int, invocations: int, *, in_rows: bool) -> Number:
    """Return how many lanes of fragments a tile's queue has room for.

    A band of a piece goes on it where `QUEUED_WAVES` are there already. width: of the tile; a block
    may reach beyond. invocations: of a pixel.
    """
    rows = band_rows(in_rows=in_rows) * invocations
    return (width + lanes) * rows + (QUEUED_WAVES + 4) * lanes


def bunch_bytes(links: int, lanes: int) -> int:
    """Return how many bytes of numbers pieces have that are set up together, at most."""
    return (_BUNCH_COLUMNS + links * _COLUMNS_OF_LINK) * lanes * BUNCH_COLUMN


def tile_lanes(width: Number, height: Number, lanes: int) -> Number:
    """Return how many dwords a copy of a tile's pixels has; a block may reach beyond."""
    return width * (height + _HIGHEST) + 2 * lanes


class Tile(IntEnum):
    """A word of a tile's row: its pixels, and which entries of the list of pieces are its own."""

    LEFT = 0
    TOP = 1
    RIGHT = 2
    BOTTOM = 3
    START = 4
    END = 5


def record_words(corners: int, samples: int) -> int:
    """Return how many words the record of a piece has, with some that fill it up.

    samples: those of `known_samples`.
    """
    words = Field.CORNERS + RECORD_CORNER * corners + 2 * samples
    return -(-words // _RECORD_STEP) * _RECORD_STEP


def known_samples(draw: PreparedDraw, corners: int) -> int:
    """Return of how many samples it is known what small pieces cover: none if they have more."""
    is_filled = corners == _CORNERS_OF_TRIANGLE and not draw.is_conservative
    return draw.pattern.count if is_filled and draw.pattern.count <= _MOST_KNOWN else 0


@dataclass(frozen=True, slots=True)
class Bound:
    """Bindings of a run: those of a shader, and behind them those of the draw."""

    descriptors: tuple[Descriptor, ...]
    constants: tuple[NDArray[np.uint32], ...] = ()


def raw_view(register: str, slot: int) -> View:
    """Return the view of a whole memory that is read and written."""
    return View(Memory.UAV, register, slot, ViewKind.RAW, ResourceDimension.RAW_BUFFER)


def described(data: NDArray[Any]) -> Descriptor:
    """Describe memory as a raw view."""
    flat = data.reshape(-1).view(np.uint8)
    if flat.size > MAX_BYTES:
        raise LoweringError(
            f"found {flat.size} bytes of a buffer or texture, wanted less than 2 GiB; "
            "use engine='interpreter' (--engine interpreter)"
        )
    return Descriptor(
        flat, flat.size, flat.size, 1, 0, 0, 1, 1, 1, 1, 0, (), None, ViewKind.RAW,
        ResourceDimension.RAW_BUFFER, None, writable=True,
    )  # fmt: skip


def target_descriptor(target: Target) -> Descriptor:
    """Describe a target from its first texel on.

    Raises:
        LoweringError: it is so large that offsets do not fit.
    """
    end = target.row_pitch * target.height + target.slice_pitch * (target.slices - 1)
    return described(target.data[target.offset : target.offset + end])


def parameters(draw: PreparedDraw) -> NDArray[np.uint32]:
    """Return what kernels of a draw read at run time, without what a call says."""
    words = np.zeros(Parameter.COUNT, np.uint32)
    floats, signed = words.view(np.float32), words.view(np.int32)
    words[Parameter.STENCIL_REF] = draw.stencil_ref & 0xFFFFFFFF
    words[Parameter.WIDTH], words[Parameter.HEIGHT] = draw.width, draw.height
    floats[Parameter.BLEND_FACTOR : Parameter.BLEND_FACTOR + 4] = draw.blend_factor
    for n, (v, box) in enumerate(zip(draw.viewports, draw.boxes, strict=True)):
        at = Parameter.VIEWPORTS + VIEWPORT_WORDS * n
        depth_range = np.float32(v.max_depth) - np.float32(v.min_depth)
        floats[at : at + 8] = (
            v.top_left_x, v.top_left_y, v.width, v.height, v.min_depth, depth_range,
            *v.depth_limits,
        )  # fmt: skip
        at = Parameter.BOXES + BOX_WORDS * n
        signed[at : at + 4] = box.left, box.top, box.right, box.bottom
    for n, target in _targets(draw):
        at = Parameter.TARGETS + TARGET_WORDS * n
        words[at : at + 3] = target.row_pitch, target.slice_pitch, target.slices
    for slot, stream in draw.vertex_buffers.items():
        at = Parameter.BUFFERS + BUFFER_WORDS * slot
        words[at : at + 2] = stream.stride & 0xFFFFFFFF, stream.offset & 0xFFFFFFFF
    return words


def with_call(words: NDArray[np.uint32], call: DrawCall) -> NDArray[np.uint32]:
    """Return parameters with what a call says."""
    mine = words.copy()
    put_call(mine, call)
    return mine


def put_call(words: NDArray[np.uint32], call: DrawCall) -> None:
    """Put what a call says among parameters."""
    words[Parameter.VERTEX] = (call.base_vertex if call.is_indexed else call.start) & 0xFFFFFFFF
    words[Parameter.INSTANCE] = call.start_instance & 0xFFFFFFFF


def _targets(draw: PreparedDraw) -> Sequence[tuple[int, Target]]:
    found = [(n, t) for n, t in enumerate(draw.targets) if t is not None]
    return found if draw.depth is None else [*found, (DEPTH, draw.depth)]


def planes_of(target: Target) -> int:
    """Return how many planes the copy of a target has: one for each unit and sample."""
    return units(target.format)[1] * target.samples


def tile_bytes(
    draw: PreparedDraw, links: int, lanes: int, tile: tuple[int, int], *,
    in_place: bool,
) -> int:  # fmt: skip
    """Return how many bytes of memory of its own a tile may need."""
    pixel, count = draw.pixel, draw.pattern.count
    per_sample = pixel is not None and runs_per_sample(pixel.declarations)
    columns = links + count + _MOST_COLUMNS
    width = tile[0] if in_place else MOST_WIDTH
    words = columns * queue_lanes(width, lanes, count if per_sample else 1, in_rows=in_place)
    if not in_place:
        targets = [t for t in (*draw.targets, draw.depth) if t is not None]
        words += sum(map(planes_of, targets)) * tile_lanes(*tile, lanes)
    return words * WORD + bunch_bytes(links, lanes) + _LINE
