"""Filtered reads of textures: sample*, gather4*, lod, and their forms that give a mapping status.

The `_s` forms have a second destination for the status; those with `_cl` also take a lower limit of
the level of detail. The rules are in `isa/sampling`, imported when one is first carried out: who
decodes, lists or runs compiled code needs none of them. Spec: D3D11.3 sections 7.18 and 22.4.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, TypeAlias

from softd3d.algebra.operations import bitcast
from softd3d.algebra.value import F32, I32, U32, Value
from softd3d.isa.derivatives import derivative
from softd3d.isa.machine import Machine, View
from softd3d.isa.roles import Counts
from softd3d.isa.row import Controls
from softd3d.isa.sm4.enums import Opcode
from softd3d.isa.sm4.rows.table import TABLE

if TYPE_CHECKING:
    from softd3d.isa.sampling.sample import Result
    from softd3d.isa.sampling.state import SamplerState

__all__: list[str] = []

Vector: TypeAlias = "tuple[Value, ...]"
Texels: TypeAlias = "tuple[int, int, int]"  # immediate offsets
Gather: TypeAlias = "tuple[SamplerState, int]"  # and the component that its operand selects
_OFFSETS = Controls.OFFSETS | Controls.PRECISE
_STATUS = _OFFSETS | Controls.FEEDBACK
_SM41, _SM5 = (4, 1), (5, 0)
_MAPPED = 0xFFFFFFFF  # nothing here is tiled


def _at_lod(
    m: Machine, address: Vector, view: View, sampler: SamplerState, lod: Value, offsets: Texels,
    reference: Value | None = None,
) -> Result:  # fmt: skip
    """Sample at a level of detail, to which the sampler's bias and clamps are applied."""
    from softd3d.isa.sampling.level import clamped_lod  # noqa: PLC0415 - see above
    from softd3d.isa.sampling.sample import sample as sampled  # noqa: PLC0415

    return sampled(
        m, view, sampler, address, clamped_lod(m, view, sampler, lod), offsets, reference=reference
    )


def _by_derivatives(
    m: Machine, address: Vector, view: View, sampler: SamplerState, dx: Vector, dy: Vector,
    offsets: Texels, *, bias: Value | None = None, reference: Value | None = None,
    limit: Value | None = None,
) -> Result:  # fmt: skip
    from softd3d.isa.sampling.level import clamped_lod  # noqa: PLC0415 - see above
    from softd3d.isa.sampling.sample import level_of_detail  # noqa: PLC0415
    from softd3d.isa.sampling.sample import sample as sampled  # noqa: PLC0415

    lod, footprint = level_of_detail(m, view, sampler, address, dx, dy)
    found = clamped_lod(m, view, sampler, lod, bias, limit)
    return sampled(
        m, view, sampler, address, found, offsets, reference=reference, footprint=footprint
    )


def _in_quad(
    m: Machine, address: Vector, view: View, sampler: SamplerState, offsets: Texels, *,
    bias: Value | None = None, reference: Value | None = None, limit: Value | None = None,
) -> Result:  # fmt: skip
    """Sample with the derivatives of the address in the quad, one level for all of it."""
    dx, dy = (tuple(derivative(m, c, axis, is_fine=False) for c in address[:3]) for axis in (0, 1))
    return _by_derivatives(
        m, address, view, sampler, dx, dy, offsets, bias=bias, reference=reference, limit=limit
    )


@TABLE.effect(
    Opcode.SAMPLE, "sample", "f=xVS", _OFFSETS, counts=Counts.TEXTURE_NORMAL, spec="inst_SAMPLE",
    stages="ps",
)  # fmt: skip
def sample(
    m: Machine, address: Vector, view: View, sampler: SamplerState, offsets: Texels
) -> Result:
    """Sample; the address's differences in the quad give the level."""
    return _in_quad(m, address, view, sampler, offsets)


@TABLE.effect(
    Opcode.SAMPLE_B, "sample_b", "f=xVSf1", _OFFSETS, counts=Counts.TEXTURE_BIAS,
    spec="inst_SAMPLE_B", stages="ps",
)  # fmt: skip
def sample_b(
    m: Machine, address: Vector, view: View, sampler: SamplerState, bias: Value, offsets: Texels
) -> Result:
    """Sample with a bias added to the level."""
    return _in_quad(m, address, view, sampler, offsets, bias=bias)


@TABLE.effect(
    Opcode.SAMPLE_L, "sample_l", "f=xVSf1", _OFFSETS, counts=Counts.TEXTURE_LOAD,
    spec="inst_SAMPLE_L",
)  # fmt: skip
def sample_l(
    m: Machine, address: Vector, view: View, sampler: SamplerState, lod: Value, offsets: Texels
) -> Result:
    """Sample at a given level, which the sampler's bias and clamps still change."""
    return _at_lod(m, address, view, sampler, lod, offsets)


@TABLE.effect(
    Opcode.SAMPLE_D, "sample_d", "f=xVSxx", _OFFSETS, counts=Counts.TEXTURE_GRADIENT,
    spec="inst_SAMPLE_D",
)  # fmt: skip
def sample_d(
    m: Machine, address: Vector, view: View, sampler: SamplerState, dx: Vector, dy: Vector,
    offsets: Texels,
) -> Result:  # fmt: skip
    """Sample with given derivatives."""
    return _by_derivatives(m, address, view, sampler, dx, dy, offsets)


@TABLE.effect(
    Opcode.SAMPLE_C, "sample_c", "f=xVSf1", _OFFSETS, counts=Counts.TEXTURE_COMP,
    spec="inst_SAMPLE_C", stages="ps",
)  # fmt: skip
def sample_c(
    m: Machine, address: Vector, view: View, sampler: SamplerState, reference: Value,
    offsets: Texels,
) -> Result:  # fmt: skip
    """Compare texels with a reference value, and filter the results."""
    return _in_quad(m, address, view, sampler, offsets, reference=reference)


@TABLE.effect(
    Opcode.SAMPLE_C_LZ, "sample_c_lz", "f=xVSf1", _OFFSETS, counts=Counts.TEXTURE_COMP,
    spec="inst_SAMPLE_C_LZ",
)  # fmt: skip
def sample_c_lz(
    m: Machine, address: Vector, view: View, sampler: SamplerState, reference: Value,
    offsets: Texels,
) -> Result:  # fmt: skip
    """Compare and filter at level zero, to which the sampler's bias and clamps are applied."""
    return _at_lod(m, address, view, sampler, m.k.const(F32, 0.0), offsets, reference)


@TABLE.effect(
    Opcode.LOD, "lod", "f=xVS", Controls.PRECISE, counts=Counts.LOD, spec="inst_LOD", since=_SM41,
    stages="ps",
)  # fmt: skip
def lod(m: Machine, address: Vector, view: View, sampler: SamplerState) -> Result:
    """Give the level that sample would use, clamped in x and unclamped in y.

    Both with the sampler's bias. Clamped is to what the sampler and the texture allow; with a point
    filter between levels it is a whole number.
    """
    dx, dy = (tuple(derivative(m, c, axis, is_fine=False) for c in address[:3]) for axis in (0, 1))
    from softd3d.isa.sampling.sample import level_of_detail, query_lod  # noqa: PLC0415 - see above

    level, _ = level_of_detail(m, view, sampler, address, dx, dy)
    zero = m.k.const(F32, 0.0)
    return *query_lod(m, view, sampler, level), zero, zero


def _gathered(
    m: Machine, address: Vector, view: View, sampler: Gather, offsets: Vector | Texels,
    reference: Value | None = None,
) -> Result:  # fmt: skip
    """Give what the four texels hold, or how they compare with a reference value."""
    from softd3d.isa.sampling.sample import gather  # noqa: PLC0415 - see above

    return gather(m, view, *sampler, address, offsets, reference=reference)


@TABLE.effect(
    Opcode.GATHER4, "gather4", "f=xVS1", _OFFSETS, counts=Counts.GATHER, spec="inst_GATHER4",
    since=_SM41,
)  # fmt: skip
def gather4(m: Machine, address: Vector, view: View, sampler: Gather, offsets: Texels) -> Result:
    """Give one component of the four texels that bilinear filtering would blend."""
    return _gathered(m, address, view, sampler, offsets)


@TABLE.effect(
    Opcode.GATHER4_C, "gather4_c", "f=xVS1f1", _OFFSETS, counts=Counts.NONE, spec="inst_GATHER4_C",
    since=_SM5,
)  # fmt: skip
def gather4_c(
    m: Machine, address: Vector, view: View, sampler: Gather, reference: Value, offsets: Texels
) -> Result:
    """Compare the four texels with a reference value: 1.0 or 0.0 for each."""
    return _gathered(m, address, view, sampler, offsets, reference)


@TABLE.effect(
    Opcode.GATHER4_PO, "gather4_po", "f=xi2VS1", _OFFSETS, counts=Counts.GATHER,
    spec="inst_GATHER4_PO", since=_SM5,
)  # fmt: skip
def gather4_po(
    m: Machine, address: Vector, offset: Vector, view: View, sampler: Gather, offsets: Texels
) -> Result:
    """Gather with offsets from a register: their low 6 bits, -32 to 31."""
    del offsets  # the form with immediate ones is another instruction
    return _gathered(m, address, view, sampler, _programmed(offset))


@TABLE.effect(
    Opcode.GATHER4_PO_C, "gather4_po_c", "f=xi2VS1f1", _OFFSETS, counts=Counts.NONE,
    spec="inst_GATHER4_PO_C", since=_SM5,
)  # fmt: skip
def gather4_po_c(
    m: Machine, address: Vector, offset: Vector, view: View, sampler: Gather, reference: Value,
    offsets: Texels,
) -> Result:  # fmt: skip
    """Gather and compare with offsets from a register."""
    del offsets
    return _gathered(m, address, view, sampler, _programmed(offset), reference)


def _programmed(offset: Vector) -> Vector:
    """Return the low 6 bits of offsets (int32), with sign."""
    return tuple(bitcast(o, I32) << 26 >> 26 for o in offset)


# The forms with a status


def _with_status(row: Callable[..., Result]) -> Callable[..., tuple[Result, Value]]:
    """Wrap a row as its feedback form."""

    def with_status(m: Machine, *arguments: object) -> tuple[Result, Value]:
        return row(m, *arguments), m.k.const(U32, _MAPPED)

    with_status.__doc__ = f"{row.__doc__}\n\nThe second result says that all texels are mapped."
    return with_status


def sample_cl(
    m: Machine, address: Vector, view: View, sampler: SamplerState, limit: Value, offsets: Texels
) -> Result:
    """Sample with a least level as last source."""
    return _in_quad(m, address, view, sampler, offsets, limit=limit)


def sample_b_cl(
    m: Machine, address: Vector, view: View, sampler: SamplerState, bias: Value, limit: Value,
    offsets: Texels,
) -> Result:  # fmt: skip
    """sample_b with a least level as last source."""
    return _in_quad(m, address, view, sampler, offsets, bias=bias, limit=limit)


def sample_c_cl(
    m: Machine, address: Vector, view: View, sampler: SamplerState, reference: Value,
    limit: Value, offsets: Texels,
) -> Result:  # fmt: skip
    """sample_c with a least level as last source."""
    return _in_quad(m, address, view, sampler, offsets, reference=reference, limit=limit)


def sample_d_cl(
    m: Machine, address: Vector, view: View, sampler: SamplerState, dx: Vector, dy: Vector,
    limit: Value, offsets: Texels,
) -> Result:  # fmt: skip
    """sample_d with a least level as last source."""
    return _by_derivatives(m, address, view, sampler, dx, dy, offsets, limit=limit)


_O, _C = Opcode, Counts
for _code, _mnemonic, _sources, _stages, _counts, _function in (
    (_O.GATHER4_FEEDBACK, "gather4", "xVS1", "all", _C.GATHER, gather4),
    (_O.GATHER4_C_FEEDBACK, "gather4_c", "xVS1f1", "all", _C.GATHER, gather4_c),
    (_O.GATHER4_PO_FEEDBACK, "gather4_po", "xi2VS1", "all", _C.GATHER, gather4_po),
    (_O.GATHER4_PO_C_FEEDBACK, "gather4_po_c", "xi2VS1f1", "all", _C.GATHER, gather4_po_c),
    (_O.SAMPLE_L_FEEDBACK, "sample_l", "xVSf1", "all", _C.TEXTURE_LOAD, sample_l),
    (_O.SAMPLE_C_LZ_FEEDBACK, "sample_c_lz", "xVSf1", "all", _C.TEXTURE_COMP, sample_c_lz),
    (_O.SAMPLE_CLAMP_FEEDBACK, "sample_cl", "xVSf1", "ps", _C.TEXTURE_NORMAL, sample_cl),
    (_O.SAMPLE_B_CLAMP_FEEDBACK, "sample_b_cl", "xVSf1f1", "ps", _C.TEXTURE_BIAS, sample_b_cl),
    (_O.SAMPLE_D_CLAMP_FEEDBACK, "sample_d_cl", "xVSxxf1", "all", _C.TEXTURE_GRADIENT, sample_d_cl),
    (_O.SAMPLE_C_CLAMP_FEEDBACK, "sample_c_cl", "xVSf1f1", "ps", _C.TEXTURE_COMP, sample_c_cl),
):
    TABLE.effect(
        _code, f"{_mnemonic}_s", f"fb={_sources}", _STATUS, counts=_counts,
        spec=f"inst_{_code.name}", since=_SM5, stages=_stages,
    )(_with_status(_function))  # fmt: skip
