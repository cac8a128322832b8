"""Typed loads and stores, and questions about resources: ld, ldms, resinfo, bufinfo and kin.

Spec: D3D11.3 sections 22.4 and 22.17. A coordinate, array slice or mip level outside loads 0 in
the components that the format has; the others are 0, 0, 0, 1. Unbound views load 0 everywhere.
"""

from __future__ import annotations

from collections.abc import Callable

from softd3d.algebra.operations import bitcast, convert, select
from softd3d.algebra.value import BOOL, F32, U32, Value
from softd3d.errors import DecodeError
from softd3d.formats.codec import pack, units, unpack
from softd3d.isa.machine import Info, Machine, MipInfo, View, ViewKind
from softd3d.isa.roles import Counts
from softd3d.isa.row import Controls
from softd3d.isa.sample_positions import STANDARD_POSITIONS
from softd3d.isa.sampling.texels import COORDINATES, EXTENTS, has_least_level, mip_extent
from softd3d.isa.sm4.enums import Opcode, ResourceDimension
from softd3d.isa.sm4.rows.memory import Components, Place, constant, expect, per_component
from softd3d.isa.sm4.rows.table import TABLE

__all__ = ["texel_place"]

_D = ResourceDimension


def texel_place(
    m: Machine, view: View, address: tuple[Value, ...], level: Value | None,
    sample: Value | None = None, offsets: tuple[int, int, int] = (0, 0, 0),
) -> Place:  # fmt: skip
    """Return the byte offset of a texel and whether it exists.

    level: None for the view's only mip. sample: of a multisampled texture.
    """
    if view.dimension is _D.BUFFER:
        index = address[0] + offsets[0] if offsets[0] else address[0]
        return index * view.stride, index < m.info(view, Info.COUNT)
    count, is_array = COORDINATES[view.dimension]
    valid = m.k.const(BOOL, 1)
    if level is not None:
        valid = level < m.info(view, Info.MIP_COUNT)
        if view.min_lod > 0:
            valid = valid & has_least_level(m, view) & (level >= int(view.min_lod))
        level = select(valid, level, 0)
    at = m.mip(view, MipInfo.OFFSET, constant(m, 0) if level is None else level)
    samples = m.info(view, Info.SAMPLE_COUNT) if sample is not None else None
    pitches = (None, MipInfo.ROW_PITCH, MipInfo.SLICE_PITCH)
    for i in range(count):
        coordinate = address[i] + offsets[i] if offsets[i] else address[i]
        inside = coordinate < mip_extent(m, view, EXTENTS[i], level)
        valid = valid & inside
        pitch = pitches[i]
        if pitch is not None:
            at = at + coordinate * m.mip(view, pitch, constant(m, 0) if level is None else level)
            continue
        if sample is not None and samples is not None:
            valid = valid & (sample < samples)
            coordinate = coordinate * samples + sample
        at = at + coordinate * view.stride
    if is_array:
        valid = valid & (address[count] < m.info(view, Info.ARRAY_SIZE))
        at = at + address[count] * m.info(view, Info.ARRAY_PITCH)
    return at, valid


def load_texel(m: Machine, view: View, place: Place) -> Components:
    """Read and unpack one texel; outside the resource each present component is 0."""
    if view.format is None:  # unbound
        return tuple(constant(m, 0) for _ in range(4))
    size, count = units(view.format)
    at, valid = place
    words = [m.load(view, at + size * i if i else at, valid, size) for i in range(count)]
    return unpack(view.format, words)


@TABLE.effect(Opcode.LD, "ld", "b=aV", Controls.OFFSETS, counts=Counts.TEXTURE_LOAD, spec="inst_LD")
def ld(
    m: Machine, address: tuple[Value, ...], view: View, offsets: tuple[int, int, int]
) -> Components:
    """Read a texel at integer coordinates; the mip level is in the address's fourth component."""
    expect(view, ViewKind.TYPED, "ld")
    level = None if view.dimension is _D.BUFFER else address[3]
    return load_texel(m, view, texel_place(m, view, address, level, offsets=offsets))


@TABLE.effect(
    Opcode.LD_MS, "ldms", "b=aVc", Controls.OFFSETS, counts=Counts.TEXTURE_LOAD, spec="inst_LD_MS"
)
def ldms(
    m: Machine, address: tuple[Value, ...], view: View, sample: Value,
    offsets: tuple[int, int, int],
) -> Components:  # fmt: skip
    """Read one sample of a texel of a multisampled texture; a sample outside is 0."""
    expect(view, ViewKind.TYPED, "ldms")
    return load_texel(m, view, texel_place(m, view, address, None, sample, offsets))


@TABLE.effect(
    Opcode.LD_UAV_TYPED, "ld_uav_typed", "b=aV", counts=Counts.TEXTURE_LOAD,
    spec="inst_LD_UAV_TYPED", since=(5, 0),
)  # fmt: skip
def ld_uav_typed(m: Machine, address: tuple[Value, ...], view: View) -> Components:
    """Read a texel of a typed UAV."""
    expect(view, ViewKind.TYPED, "ld_uav_typed")
    return load_texel(m, view, texel_place(m, view, address, None))


@TABLE.effect(
    Opcode.STORE_UAV_TYPED, "store_uav_typed", "U=ab", counts=Counts.TEXTURE_STORE,
    spec="inst_STORE_UAV_TYPED", since=(5, 0),
)  # fmt: skip
def store_uav_typed(m: Machine, view: View, address: tuple[Value, ...], value: Components) -> None:
    """Convert four components to the view's format and write the texel; outside is dropped."""
    expect(view, ViewKind.TYPED, "store_uav_typed")
    components = [component for component in value if component is not None]
    if len(components) < len(value):
        raise DecodeError("store_uav_typed writes all four components")
    if view.format is None:
        return
    at, valid = texel_place(m, view, address, None)
    size, _ = units(view.format)
    for i, word in enumerate(pack(view.format, components)):
        m.store(view, at + size * i if i else at, word, valid, size)


def _dimensions(m: Machine, view: View, level: Value) -> tuple[list[Value], int, Value]:
    """Return x, y, z of resinfo, how many of them are mip sizes, and the mip count."""
    zero = constant(m, 0)
    count, is_array = COORDINATES[view.dimension]
    mips = m.info(view, Info.MIP_COUNT)
    exists = level < mips
    safe = select(exists, level, 0)
    sizes = [select(exists, mip_extent(m, view, EXTENTS[i], safe), 0) for i in range(count)]
    if is_array and view.dimension is not _D.TEXTURECUBEARRAY:
        sizes.append(select(exists, m.info(view, Info.ARRAY_SIZE), 0))
    return [*sizes, *[zero] * (3 - len(sizes))], count, mips


@TABLE.effect(
    Opcode.RESINFO, "resinfo", "b=cV", Controls.RESINFO_TYPE, counts=Counts.NONE,
    spec="inst_RESINFO",
)  # fmt: skip
def resinfo(m: Machine, level: Value, view: View, return_type: int) -> Components:
    """Width, height, depth or array size, and mip count of a texture.

    return_type: 0 float, 1 reciprocal of the sizes (not of array size and mip count), 2 uint.
    A level outside gives sizes of 0 and the true mip count.
    """
    expect(view, ViewKind.TYPED, "resinfo")
    sizes, scaled, mips = _dimensions(m, view, level)
    values = [*sizes, mips]
    if return_type == 2:
        return tuple(values)
    floats = [convert(v, F32) for v in values]
    if return_type == 1:
        floats[:scaled] = [1.0 / v for v in floats[:scaled]]
    return tuple(bitcast(v, U32) for v in floats)


@TABLE.effect(
    Opcode.BUFINFO, "bufinfo", "b=V", counts=Counts.NONE, spec="inst_BUFINFO", since=(5, 0)
)
def bufinfo(m: Machine, view: View) -> Components:
    """Number of elements of a typed buffer, bytes of a raw one, structures of a structured one."""
    count = m.info(view, Info.COUNT)
    return per_component(m, lambda _: count)


@TABLE.effect(
    Opcode.SAMPLE_INFO, "sampleinfo", "b=V", Controls.SAMPLEINFO_TYPE, counts=Counts.NONE,
    spec="inst_SAMPLE_INFO", since=(4, 1),
)  # fmt: skip
def sampleinfo(m: Machine, view: View, return_type: int) -> Components:
    """Number of samples in x, 0 elsewhere; return_type: 0 float, 1 uint. Unbound is 0."""
    count = m.info(view, Info.SAMPLE_COUNT)
    if return_type == 0:
        count = bitcast(convert(count, F32), U32)
    zero = constant(m, 0)
    return count, zero, zero, zero


@TABLE.effect(
    Opcode.SAMPLE_POS, "samplepos", "b=Vc", counts=Counts.NONE, spec="inst_SAMPLE_POS", since=(4, 1)
)
def samplepos(m: Machine, view: View, index: Value) -> Components:
    """Position of a sample in pixels from the pixel's centre; 0 for a sample that is not there."""
    count = m.info(view, Info.STANDARD_SAMPLES)
    x = y = bitcast(constant(m, 0), F32)
    for samples, positions in STANDARD_POSITIONS.items():
        for number, (px, py) in enumerate(positions):
            here = count.eq(samples) & index.eq(number)
            x, y = select(here, px / 16, x), select(here, py / 16, y)
    zero = constant(m, 0)
    return bitcast(x, U32), bitcast(y, U32), zero, zero


def _feedback(row: Callable[..., Components]) -> Callable[..., tuple[Components, Value]]:
    """Wrap a load as its feedback form: nothing here is tiled, so every texel is mapped."""

    def with_status(m: Machine, *arguments: object) -> tuple[Components, Value]:
        return row(m, *arguments), constant(m, 0xFFFFFFFF)

    with_status.__doc__ = f"{row.__doc__}\n\nThe second result says that all texels are mapped."
    return with_status


def _define_feedback() -> None:
    for code, mnemonic in (
        (Opcode.LD_FEEDBACK, "ld"),
        (Opcode.LD_MS_FEEDBACK, "ldms"),
        (Opcode.LD_UAV_TYPED_FEEDBACK, "ld_uav_typed"),
        (Opcode.LD_RAW_FEEDBACK, "ld_raw"),
        (Opcode.LD_STRUCTURED_FEEDBACK, "ld_structured"),
    ):
        base = TABLE.by_mnemonic[mnemonic]
        sources = "".join(spec.letter for spec in base.sources)
        assert base.semantics is not None  # noqa: S101 - an effect row always has a function
        TABLE.effect(
            code, f"{mnemonic}_s", f"bb={sources}", base.controls | Controls.FEEDBACK,
            counts=base.counts, spec=f"inst_{code.name}", since=(5, 0),
        )(_feedback(base.semantics))  # fmt: skip


_define_feedback()


@TABLE.opcode(
    Opcode.CHECK_ACCESS_FULLY_MAPPED, "check_access_fully_mapped", "m=c", counts=Counts.NONE,
    spec="inst_CHECK_ACCESS_FULLY_MAPPED", since=(5, 0),
)  # fmt: skip
def check_access_fully_mapped(status: Value) -> Value:
    """All bits set where the access that gave this status met only mapped texels."""
    return status.ne(0)
