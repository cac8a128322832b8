"""Which samples reach the targets: sample mask, output coverage, alpha to coverage."""

from __future__ import annotations

import math

import float_model as model
import numpy as np
import pytest
from both_engines import check_both, integers, numbers, on_arrays

from softd3d.algebra.operations import bitcast
from softd3d.algebra.value import F32, Value
from softd3d.pipeline.coverage import alpha_coverage, masked, output_coverage

SAMPLES = (1, 2, 4, 8, 16)


def _mask(alpha: float, samples: int) -> int:
    """Return the first floor(alpha * samples + 0.5) samples, in float32."""
    alpha = model.flush(alpha)
    if math.isnan(alpha) or alpha <= 0:
        return 0
    count = math.floor(model.add(model.multiply(min(alpha, 1.0), samples), 0.5))
    return (1 << count) - 1


@pytest.mark.parametrize("samples", SAMPLES)
def test_alpha_covers_the_first_samples(samples: int) -> None:
    around = [(n + 0.5) / samples for n in range(samples)]
    near = [float(np.nextafter(np.float32(a), np.float32(d))) for a in around for d in (0, 2)]
    alpha = [*around, *near, 0.0, -0.0, -1.0, 1.0, 2.0, math.inf, -math.inf, math.nan, 1e-42]
    column = np.array([model.bits_of(a) for a in alpha], np.uint32)
    (found,) = on_arrays(lambda w: [alpha_coverage(bitcast(w[0], F32), samples)], [column])
    assert found.tolist() == [_mask(model.number_of(a), samples) for a in column.tolist()]


def test_coverage_grows_with_alpha() -> None:
    alpha = np.linspace(0, 1, 501, dtype=np.float32)
    for samples in SAMPLES:
        (found,) = on_arrays(
            lambda w, n=samples: [alpha_coverage(bitcast(w[0], F32), n)], [alpha.view(np.uint32)]
        )
        counts = np.bitwise_count(found)
        assert (np.diff(counts.astype(int)) >= 0).all()
        assert abs(counts.mean() / samples - 0.5) < 0.01


def test_both_engines_cover_the_same_samples() -> None:
    columns = [*integers(2, 1), *numbers(1, 2)]

    def rules(w: list[Value]) -> list[Value]:
        alpha = bitcast(w[2], F32)
        found = [alpha_coverage(alpha, n) for n in SAMPLES]
        found += [masked(w[0], n, 0xA5A5A5A5) for n in SAMPLES]
        found += [output_coverage(w[0], 8, o_mask=w[1], alpha=alpha)]
        found += [output_coverage(w[0], 8, alpha=alpha), output_coverage(w[0], 8)]
        return found

    found = check_both(rules, columns)
    assert (found[-3] == (columns[0] & columns[1])).all()  # oMask turns alpha to coverage off
    assert (found[-2] == (columns[0] & found[3])).all()
    assert (found[-1] == columns[0]).all()


def test_the_sample_mask_counts_for_one_sample_too() -> None:
    column = [np.array([1, 0], np.uint32)]
    found = on_arrays(lambda w: [masked(w[0], 1, 0xFFFFFFFE), masked(w[0], 1, 3)], column)
    assert [f.tolist() for f in found] == [[0, 0], [1, 0]]
