"""Which samples of a pixel reach the targets: masks of bits, sample 0 in bit 0.

Spec: D3D11.3 sections 16.9.4 (output coverage), 17.17 (sample mask), 17.18 (alpha to coverage).
"""

from __future__ import annotations

from softd3d.algebra.operations import bitcast, convert, floor, select
from softd3d.algebra.value import I32, U32, Value

__all__ = ["alpha_coverage", "masked", "output_coverage"]


def masked(coverage: Value, samples: int, sample_mask: int) -> Value:
    """Return covered samples that SampleMask has; bit 0 counts for one sample too."""
    return coverage & (sample_mask & ((1 << samples) - 1))


def alpha_coverage(alpha: Value, samples: int) -> Value:
    """Return the samples (uint32) that an alpha (float32) covers: the first alpha * samples.

    Rounded to nearest, halves up, in float32. NaN covers none.
    """
    inside = select(alpha > 0.0, select(alpha < 1.0, alpha, 1.0), alpha.like(0.0))
    count = convert(floor(inside * float(samples) + 0.5), I32)
    return (bitcast(count, U32).like(1) << bitcast(count, U32)) - 1


def output_coverage(
    coverage: Value, samples: int, *, o_mask: Value | None = None, alpha: Value | None = None
) -> Value:
    """Return the samples that a pixel shader leaves of `coverage`, which SampleMask has masked.

    In sample frequency `coverage` has the invocation's own sample only. o_mask: uint32, what the
    shader wrote to oMask, which turns alpha to coverage off. alpha: float32, o0.a, of targets of
    any format, if AlphaToCoverageEnable is set.
    """
    if o_mask is not None:
        return coverage & o_mask
    if alpha is not None:
        return coverage & alpha_coverage(alpha, samples)
    return coverage
