"""The machine: everything a row can do besides computing values.

A row with effects is a function of a machine and its source values. It states the *rules* (which
byte of which view, what is in bounds, what is undefined) once, over the algebra; a machine carries
out plain accesses that the rule has declared valid. The interpreter and the JIT each supply one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import field
from enum import StrEnum
from typing import Protocol

from softd3d.algebra.value import Algebra, Value
from softd3d.classes import dataclass
from softd3d.formats.dxgi import Format
from softd3d.isa.shader_message import MessageSite
from softd3d.isa.sm4.enums import ResourceDimension, SyncFlags

__all__ = [
    "RASTERIZER",
    "AtomicOperation",
    "Info",
    "InputComponent",
    "Machine",
    "Memory",
    "MipInfo",
    "Place",
    "Strips",
    "View",
    "ViewKind",
]


class Memory(StrEnum):
    """What a view looks at; the value is the register's listing prefix.

    Constants and indexable temps are addressed by operands, not by load instructions, but with the
    same rules. An indexable temp is private to each lane; its values are vectors of `stride` bytes.
    The rasteriser is no memory, but is asked for its samples as multisampled textures are.
    """

    RESOURCE = "t"
    UAV = "u"
    GROUP_SHARED = "g"
    CONSTANT = "cb"
    IMMEDIATE_CONSTANT = "icb"
    INDEXABLE_TEMP = "x"
    RASTERIZER = "rasterizer"


class ViewKind(StrEnum):
    """How a view is addressed."""

    RAW = "raw"
    STRUCTURED = "structured"
    TYPED = "typed"


@dataclass(frozen=True, slots=True)
class View:
    """What is known of a memory register when a program is specialised for its bindings.

    register: its listing name, e.g. `u0`. slot: its place in the list of its kind: bound views
    (t, u), constant buffers, group-shared blocks, indexable temps. stride: bytes of a structure,
    typed texel or constant vector, 1 if raw. format: of a bound typed view. size: bytes, where the
    program itself declares them (g, icb, x; 0 elsewhere: asked at run time). at: the slot of each
    lane (uint32) where the program computes the register; `slot` is then one of those, which are
    alike in everything else that is said here. min_lod: the least level of detail that reads of a
    texture may use, counted from the view's first level.
    """

    memory: Memory
    register: str
    slot: int
    kind: ViewKind
    dimension: ResourceDimension
    stride: int = 1
    format: Format | None = None
    is_bound: bool = True
    size: int = 0
    at: Value | None = field(default=None, compare=False)  # compared by the node that uses it
    min_lod: float = 0.0


RASTERIZER = View(Memory.RASTERIZER, "rasterizer", 0, ViewKind.TYPED, ResourceDimension.TEXTURE2DMS)
"""What sampleinfo and samplepos of pixel shaders may name; it has facts about samples only."""


class Info(StrEnum):
    """Facts about a bound view that are known at run time only, each a uint32.

    SIZE: bytes. COUNT: structures, typed buffer elements, or bytes if raw. WIDTH to MIP_COUNT: of
    a texture's first mip. STANDARD_SAMPLES: the sample count if samples are where the standard
    pattern has them, 0 if they are at the centre. ARRAY_PITCH: bytes from one array slice to the
    next.
    """

    SIZE = "size"
    COUNT = "count"
    WIDTH = "width"
    HEIGHT = "height"
    DEPTH = "depth"
    ARRAY_SIZE = "array_size"
    MIP_COUNT = "mip_count"
    SAMPLE_COUNT = "sample_count"
    STANDARD_SAMPLES = "standard_samples"
    ARRAY_PITCH = "array_pitch"


class MipInfo(StrEnum):
    """Layout of one mip level of a texture view, in bytes."""

    OFFSET = "offset"
    ROW_PITCH = "row_pitch"
    SLICE_PITCH = "slice_pitch"


class AtomicOperation(StrEnum):
    """What an atomic does with memory; the value is the mnemonic's last part."""

    AND = "and"
    OR = "or"
    XOR = "xor"
    IADD = "iadd"
    IMAX = "imax"
    IMIN = "imin"
    UMAX = "umax"
    UMIN = "umin"
    EXCH = "exch"
    CMP_EXCH = "cmp_exch"


class Place(StrEnum):
    """Where an input of a pixel shader may be evaluated; the numbers that say it more closely.

    CENTROID: none. SAMPLE: the sample's index, uint32. SNAPPED: x and y in sixteenths of a pixel
    from its centre, int32, of which four bits count.
    """

    CENTROID = "centroid"
    SAMPLE = "sample"
    SNAPPED = "snapped"


@dataclass(frozen=True, slots=True)
class InputComponent:
    """A component (0 to 3) of an input register, v# with this number."""

    register: int
    component: int


class Machine(Protocol):
    """Effects, executed for the active lanes only.

    components: those of a result that the instruction needs (after the resource operand's
    swizzle); a row may leave the others None.
    """

    components: tuple[int, ...]

    @property
    def k(self) -> Algebra: ...

    def info(self, view: View, field: Info) -> Value:
        """Return a run-time fact (uint32); 0 for an unbound view."""
        ...

    def mip(self, view: View, field: MipInfo, level: Value) -> Value:
        """Return the layout of mip `level`, which must be below MIP_COUNT or 0."""
        ...

    def load(self, view: View, offset: Value, valid: Value, size: int = 4) -> Value:
        """Return `size` (1, 2, 4) bytes at byte `offset` as uint32, 0 where not `valid`.

        The caller guarantees that valid lanes are aligned to `size` and inside the view.
        """
        ...

    def load_pair(self, view: View, offset: Value, valid: Value) -> tuple[Value, Value]:
        """Return the dwords at byte `offset` and behind it, as two loads do.

        The caller guarantees that valid lanes are aligned to 4 and have both inside the view, which
        is no indexable temp.
        """
        ...

    def store(self, view: View, offset: Value, value: Value, valid: Value, size: int = 4) -> None:
        """Write the low `size` bytes of a uint32; lanes that are inactive or not valid do not."""
        ...

    def store_row(self, view: View, offset: Value, values: Sequence[Value], valid: Value) -> None:
        """Write dwords one behind the other, where no other lane writes; else as `store`.

        view: not one whose slot is computed, nor one that may be unbound.
        """
        ...

    def atomic(
        self, operation: AtomicOperation, view: View, offset: Value, valid: Value,
        operands: tuple[Value, ...], *, returns: bool,
    ) -> Value:  # fmt: skip
        """Update one dword a lane, each lane atomically; return the old value, 0 if not valid.

        operands: the value, or compare and value for CMP_EXCH. With `returns` false the result
        is not looked at.
        """
        ...

    def counter(self, view: View, step: int) -> Value:
        """Add `step` (1, -1) to a hidden counter for each active lane; return its old value."""
        ...

    def quad(
        self, value: Value, lanes: tuple[int, int, int, int], *, of_all: bool = False
    ) -> Value:
        """Return for lane n of each quad (4 adjacent lanes) the value of its lane `lanes[n]`.

        If that lane does not execute the instruction, where Direct3D has it undefined, it is lane
        n's own value; or, with `of_all`, what comes of what that lane's registers hold. Which
        registers lanes name makes no difference.
        """
        ...

    def interpolate(
        self, source: InputComponent, place: Place, numbers: tuple[Value, ...]
    ) -> Value:
        """Return an input of a pixel shader (uint32) at a place; a constant one is what it is.

        Raises:
            LoweringError: the invocations belong to no draw, which alone knows of primitives.
        """
        ...

    def poison(self, view: View, condition: Value, rule: str) -> None:
        """Note that `rule` makes the view's contents undefined where `condition` is true."""
        ...

    def message(self, site: MessageSite, words: tuple[Value, ...]) -> None:
        """Record a message of each active lane. words: the operands' dwords, uint32."""
        ...

    def barrier(self, flags: SyncFlags) -> None:
        """Fence memory and, with SyncFlags.THREADS, wait for the group."""
        ...


class Strips(Protocol):
    """Where the vertices of a geometry shader go, executed for the active lanes only."""

    def emit(self, stream: int) -> None:
        """Append what the outputs hold to a stream; nothing if the shader has emitted its most."""
        ...

    def cut(self, stream: int) -> None:
        """End a stream's strip: its next vertex begins another one."""
        ...
