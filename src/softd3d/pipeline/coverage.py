"""Which samples of a pixel reach the targets: masks of bits, sample 0 in bit 0.

Spec: D3D11.3 sections 16.9.4 (output coverage), 17.17 (sample mask), 17.18 (alpha to coverage).
"""

from __future__ import annotations

from softd3d.algebra.operations import bitcast, convert, floor, select
from softd3d.algebra.value import I32, U32, Value
from softd3d.classes import dataclass

__all__ = ["SampleRule", "alpha_coverage", "masked", "output_coverage"]


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


@dataclass(frozen=True, slots=True)
class SampleRule:
    """How covered samples of the rasteriser become samples of the targets.

    They are the same ones, but under a ForcedSampleCount: there an invocation stands for all
    samples of the targets that SampleMask has. Spec: D3D11.3 3.5.6, 16.11, 20.4.6.

    count: samples of the rasteriser. outputs: of a target's texel. mask: SampleMask.
    """

    count: int
    outputs: int
    mask: int
    is_forced: bool = False

    @property
    def coverage_mask(self) -> int:
        """What SV_Coverage and the centroid's rules see of the sample mask."""
        return 0xFFFFFFFF if self.is_forced else self.mask

    def shaded(self, coverage: Value) -> Value:
        """Return the samples of the targets that a pixel may write; 0: it is not shaded."""
        if not self.is_forced:
            return masked(coverage, self.count, self.mask)
        written = self.mask & ((1 << self.outputs) - 1)
        return select(coverage.ne(0), coverage.like(written), 0)

    def counted(self, coverage: Value, left: Value) -> Value:
        """Return the samples that an occlusion query counts of an invocation.

        coverage: of the primitive. left: samples of the targets that are left after all tests.
        """
        return select(left.ne(0), coverage, 0) if self.is_forced else left
