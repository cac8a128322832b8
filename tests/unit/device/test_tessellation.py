"""`softd3d.tessellate`: names of arguments, what it returns, what it refuses."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import softd3d
from softd3d import sm4
from softd3d.errors import ResourceError

TRI: dict[str, Any] = {
    "domain": "tri", "partitioning": "fractional_odd", "output": "triangle_cw",
    "edges": [3, 4.5, 2], "inside": [2.5],
}  # fmt: skip


@pytest.mark.parametrize(
    ("argument", "values"),
    [
        ("domain", [sm4.Domain.TRI, 2, "TRI", "D3D11_TESSELLATOR_DOMAIN_TRI"]),
        ("domain", [np.int64(2), "D3D_TESSELLATOR_DOMAIN_TRI"]),
        ("partitioning", [sm4.Partitioning.FRACTIONAL_ODD, 3, "Fractional_Odd"]),
        ("partitioning", ["D3D11_TESSELLATOR_PARTITIONING_FRACTIONAL_ODD"]),
        ("output", [sm4.OutputPrimitive.TRIANGLE_CW, 3, "TRIANGLE_CW"]),
        ("output", ["D3D11_TESSELLATOR_OUTPUT_TRIANGLE_CW"]),
        ("edges", [(3, 4.5, 2), np.array([3, 4.5, 2]), np.array([3, 4.5, 2], np.float32)]),
        ("inside", [(2.5,), np.array([2.5])]),
    ],
)
def test_an_argument_may_be_given_in_several_ways(argument: str, values: list[Any]) -> None:
    wanted = softd3d.tessellate(**TRI)
    for value in values:
        found = softd3d.tessellate(**TRI | {argument: value})
        np.testing.assert_array_equal(found.locations, wanted.locations)
        np.testing.assert_array_equal(found.indices, wanted.indices)


def test_results_are_arrays_of_their_own() -> None:
    for domain, edges, inside, parts in (
        ("isoline", [3, 2], [], 2), ("tri", [1, 2, 3], [4], 3), ("quad", [1, 2, 3, 4], [5, 6], 2),
    ):  # fmt: skip
        for first in (2.0, 0.0):
            found = softd3d.tessellate(domain, "integer", "point", [first, *edges[1:]], inside)
            count = len(found.indices)
            assert (count > 0) == (first > 0)
            assert (found.fixed.shape, found.fixed.dtype) == ((count, 2), np.int32)
            assert (found.locations.shape, found.locations.dtype) == ((count, parts), np.float32)
            assert (found.indices.shape, found.indices.dtype) == ((count,), np.int32)
            np.testing.assert_array_equal(found.locations[:, :2] * 65536, found.fixed)
            for array in (found.fixed, found.locations, found.indices):
                assert array.flags.c_contiguous
                array[:] = 1  # the next call sees nothing of it
            again = softd3d.tessellate(domain, "integer", "point", [first, *edges[1:]], inside)
            assert again.indices.tolist() == list(range(count))


def test_numbers_beyond_float32_are_infinite() -> None:
    largest = softd3d.tessellate(**TRI | {"edges": [63] * 3})
    for huge in (1e39, 10**400, float("inf")):
        found = softd3d.tessellate(**TRI | {"edges": [huge] * 3})
        np.testing.assert_array_equal(found.fixed, largest.fixed)
    assert softd3d.tessellate(**TRI | {"edges": [-(10**400), 1, 1]}).fixed.size == 0


@pytest.mark.parametrize(
    ("argument", "value", "message"),
    [
        ("domain", "triangle", "domain: found 'triangle', wanted one of UNDEFINED, ISOLINE,"),
        ("domain", 0, "domain: found UNDEFINED, wanted one of ISOLINE, TRI, QUAD"),
        ("domain", 4, "domain: found 4, wanted"),
        ("partitioning", None, "partitioning: found None, wanted"),
        ("output", "triangle", "output: found 'triangle', wanted"),
        ("edges", [1, 2], "edges: found [1, 2], wanted 3 factors (U == 0, V == 0, W == 0)"),
        ("edges", 3, "edges: found 3, wanted 3 factors"),
        ("edges", [1, 2, 3, 4], "edges: found [1, 2, 3, 4], wanted 3 factors"),
        ("edges", [1, "2", 3], "edges[1]: found '2', wanted a number"),
        ("edges", [1, 2, [3]], "edges[2]: found [3], wanted a number"),
        ("edges", [1, 2, 1j], "edges[2]: found 1j, wanted a number"),
        ("inside", [], "inside: found [], wanted 1 factor"),
        ("inside", [1, 2], "inside: found [1, 2], wanted 1 factor"),
    ],
)  # fmt: skip
def test_other_arguments_are_refused_by_name(argument: str, value: Any, message: str) -> None:
    with pytest.raises(ResourceError) as error:
        softd3d.tessellate(**TRI | {argument: value})
    assert str(error.value).startswith(f"tessellate: {message}")


def test_isolines_have_no_insides() -> None:
    with pytest.raises(ResourceError, match=r"inside: found \[1\], wanted none"):
        softd3d.tessellate("isoline", "integer", "line", [1, 1], [1])
