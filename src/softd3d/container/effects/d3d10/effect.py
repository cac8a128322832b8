"""Effects of fx_4_0, fx_4_1 and fx_5_0: the FX10 chunk, or the same data without a container.

The compiler puts fx_4_x effects into a container with one FX10 chunk and writes fx_5_0 effects
bare. An effect is a header of counts, an "unstructured" area of names, types, values and shaders
at any alignment, and the "structured" records of its variables and techniques, which refer to it.

Spec: names follow SBinaryHeader5 of Microsoft's Effects 11; measured on the compiler's output.
"""

from __future__ import annotations

import struct
from dataclasses import asdict

from softd3d.bits import ByteReader
from softd3d.classes import dataclass
from softd3d.container.dxbc.container import HEADER_SIZE, MAGIC, Chunk
from softd3d.container.dxbc.pool import dwords
from softd3d.container.effects.magic import EffectVersion
from softd3d.container.reflection.enums import enumerated
from softd3d.errors import ContainerError

__all__ = [
    "Effect",
    "EffectCounts",
    "EffectVersion",
    "EmbeddedContainer",
    "build_effect",
    "parse_effect",
    "parse_effect_data",
]

_SIZE_FIELD = 24  # of a container's header
_COUNTS_BEFORE_SIZE = 7


@dataclass(frozen=True, slots=True)
class EffectCounts:
    """How many records of each kind the effect has, in the order of the header.

    Shared ones live in an effect pool (compiled as a child effect). inline_shaders: those of
    `shaders` that are written within a pass. From `groups` on: fx_5_0 only.
    """

    constant_buffers: int = 0
    numeric_variables: int = 0
    object_variables: int = 0
    shared_constant_buffers: int = 0
    shared_numeric_variables: int = 0
    shared_object_variables: int = 0
    techniques: int = 0
    strings: int = 0
    shader_resources: int = 0
    depth_stencil_blocks: int = 0
    blend_state_blocks: int = 0
    rasterizer_state_blocks: int = 0
    samplers: int = 0
    render_target_views: int = 0
    depth_stencil_views: int = 0
    shaders: int = 0
    inline_shaders: int = 0
    groups: int = 0
    unordered_access_views: int = 0
    interface_variables: int = 0
    interface_variable_elements: int = 0
    class_instance_elements: int = 0


@dataclass(frozen=True, slots=True)
class EmbeddedContainer:
    """A whole DXBC container in an effect: a shader, or an expression (a FXLC chunk).

    offset: bytes from the start of `Effect.unstructured`. Shaders may occur more than once, and
    null shaders leave nothing: there need not be as many as `EffectCounts.shaders`.
    """

    offset: int
    data: bytes


@dataclass(frozen=True, slots=True)
class Effect:
    """An effect: what it counts, and its two areas as they are."""

    version: EffectVersion
    counts: EffectCounts
    unstructured: bytes
    structured: bytes

    @property
    def header_size(self) -> int:
        """Bytes before the unstructured area: its offsets count from there."""
        return 4 * (self.version.count_fields + 2)

    @property
    def is_child(self) -> bool:
        """Whether it needs an effect pool: it refers to variables there."""
        c = self.counts
        return bool(
            c.shared_constant_buffers or c.shared_numeric_variables or c.shared_object_variables
        )

    @property
    def containers(self) -> tuple[EmbeddedContainer, ...]:
        """What is embedded in the unstructured area, found by size and header; not checked."""
        return _containers(self.unstructured)


def parse_effect(chunk: Chunk) -> Effect:
    """Read an FX10 chunk.

    Raises:
        ContainerError: the version is not defined, or the areas leave the chunk.
    """
    return _effect(chunk.reader())


def parse_effect_data(data: bytes) -> Effect:
    """Read an effect without a container, as the compiler writes it for fx_5_0.

    Raises:
        ContainerError: as `parse_effect`.
    """
    return _effect(ByteReader(data, what="effect"))


def _effect(reader: ByteReader) -> Effect:
    version = enumerated(
        EffectVersion, reader.u32(0), f"{reader.what}: version", reader.location(0)
    )
    numbers = reader.dwords(4, version.count_fields + 1)
    size = numbers[_COUNTS_BEFORE_SIZE]
    counts = numbers[:_COUNTS_BEFORE_SIZE] + numbers[_COUNTS_BEFORE_SIZE + 1 :]
    start = 4 + 4 * len(numbers)
    return Effect(
        version,
        EffectCounts(*counts),
        reader.bytes(start, size),
        reader.bytes(start + size, len(reader) - start - size),
    )


def _containers(area: bytes) -> tuple[EmbeddedContainer, ...]:
    """Return every container that its byte size precedes; they do not overlap."""
    found: list[EmbeddedContainer] = []
    at = area.find(MAGIC)
    while at >= 0:
        size = _container_size(area, at)
        if size:
            found.append(EmbeddedContainer(at, area[at : at + size]))
        at = area.find(MAGIC, at + max(size, 1))
    return tuple(found)


def _container_size(area: bytes, at: int) -> int:
    """Return the bytes of the container at `at`, 0 if it is none."""
    if at < 4 or at + HEADER_SIZE > len(area):
        return 0
    (stated,) = struct.unpack_from("<I", area, at - 4)
    (own,) = struct.unpack_from("<I", area, at + _SIZE_FIELD)
    return own if stated == own and HEADER_SIZE <= own <= len(area) - at else 0


def build_effect(effect: Effect) -> bytes:
    """Write the data of an FX10 chunk, or of a bare effect.

    Raises:
        ContainerError: a count does not fit 32 bits, or an fx_4_x effect counts what only fx_5_0
            has.
    """
    counts = list(asdict(effect.counts).items())
    stored, extra = counts[: effect.version.count_fields], counts[effect.version.count_fields :]
    if any(count for _, count in extra):
        raise ContainerError(f"FX10: {effect.version.name} cannot count groups, UAVs or interfaces")
    stored.insert(_COUNTS_BEFORE_SIZE, ("unstructured_size", len(effect.unstructured)))
    header = dwords("FX10", version=effect.version, **dict(stored))
    return header + effect.unstructured + effect.structured
