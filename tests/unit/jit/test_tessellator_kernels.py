"""The tessellator as native code gives what the reference engine's does, to the bit."""

from __future__ import annotations

import numpy as np
import pytest

from softd3d.isa.sm4.enums import Domain, OutputPrimitive, Partitioning
from softd3d.jit.draw.between.tessellation import CompiledTessellator
from softd3d.jit.draw.kernels import tessellator_kernels
from softd3d.lower.watch import Watch
from softd3d.pipeline.tessellator.factors import FACTORS
from softd3d.pipeline.tessellator.patches import LocatedPoints, Tessellator

SURFACES = [(d, p) for d in (Domain.TRI, Domain.QUAD) for p in Partitioning if p]
OUTPUTS = [output for output in OutputPrimitive if output]
SPECIAL = np.array(
    [0, -1, 1e-45, 0.5, 1, 1 + 2.0**-17, 1 + 2.0**-16, 1.5, 2, 3, 63, 63.5, 64, np.inf, np.nan],
    np.float32,
)


def factors_of(domain: Domain, seed: int, count: int, most: float) -> np.ndarray:
    """Return float32, (count, factors): equal ones, whole ones and odd ones among them."""
    random = np.random.default_rng(seed)
    found = random.uniform(0.9, most, (count, FACTORS[domain]))
    found[: count // 4] = np.rint(found[: count // 4])
    found[count // 8 : count // 3] = found[count // 8 : count // 3, :1]
    odd = random.random(found.shape) < 0.05
    return np.where(odd, random.choice(SPECIAL, found.shape), found.astype(np.float32))


def same(found: LocatedPoints, wanted: LocatedPoints) -> bool:
    """Whether two tessellators have made the same."""
    pairs = [
        (found.patch, wanted.patch), (found.primitive_patch, wanted.primitive_patch),
        *zip(found.locations, wanted.locations, strict=True),
        *zip(found.primitives, wanted.primitives, strict=True),
    ]  # fmt: skip
    return all(a.dtype == b.dtype == np.uint32 and np.array_equal(a, b) for a, b in pairs)


@pytest.mark.parametrize("output", OUTPUTS)
@pytest.mark.parametrize(("domain", "partitioning"), SURFACES)
def test_native_code_tessellates_as_the_reference_engine(
    domain: Domain, partitioning: Partitioning, output: OutputPrimitive
) -> None:
    declared = Tessellator(domain, partitioning, output)
    kernels = tessellator_kernels(declared)
    for seed, most in enumerate((2.5, 9, 66)):
        native = CompiledTessellator(declared, kernels, seed, Watch())
        factors = factors_of(domain, seed, 60, most)
        found, wanted = native.process(factors), declared.process(factors)
        np.testing.assert_array_equal(found.points, wanted.points)
        np.testing.assert_array_equal(found.primitives, wanted.primitives)
        for at_once in (1, 300, 1 << 16):
            slices = list(found.slices(at_once))
            assert slices == list(wanted.slices(at_once))
            assert all(same(found.located(s), wanted.located(s)) for s in slices), factors


def test_lanes_of_a_wave_change_nothing() -> None:
    declared = Tessellator(Domain.QUAD, Partitioning.FRACTIONAL_ODD, OutputPrimitive.TRIANGLE_CW)
    factors = factors_of(Domain.QUAD, 5, 60, 20)
    wanted = declared.process(factors).located(slice(0, 60))
    for lanes in (4, 8, 16):
        native = CompiledTessellator(declared, tessellator_kernels(declared, lanes), 0, Watch())
        assert same(native.process(factors).located(slice(0, 60)), wanted)


def test_all_pairs_of_an_edge_and_an_inside_are_joined_alike() -> None:
    """Rings of a point, of a line and of all lengths; edges of 1 to 64 segments beside each."""
    most = np.arange(1, 65, dtype=np.float32)
    factors = np.stack(np.meshgrid(most, most), axis=-1).reshape(-1, 2)[::7]
    for domain, columns in ((Domain.TRI, [0, 0, 0, 1]), (Domain.QUAD, [0, 1, 0, 0, 1, 1])):
        declared = Tessellator(domain, Partitioning.INTEGER, OutputPrimitive.TRIANGLE_CW)
        native = CompiledTessellator(declared, tessellator_kernels(declared), 0, Watch())
        rows = np.ascontiguousarray(factors[:, columns])
        found, wanted = native.process(rows), declared.process(rows)
        assert all(same(found.located(s), wanted.located(s)) for s in wanted.slices())


def test_patches_of_which_nothing_is_made() -> None:
    declared = Tessellator(Domain.TRI, Partitioning.INTEGER, OutputPrimitive.TRIANGLE_CW)
    native = CompiledTessellator(declared, tessellator_kernels(declared), 0, Watch())
    for count in (0, 5):
        patches = native.process(np.zeros((count, 4), np.float32))
        assert list(patches.slices()) == []
        assert patches.located(slice(0, count)).patch.size == 0
