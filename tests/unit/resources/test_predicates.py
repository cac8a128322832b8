"""Predication of copies, updates, resolves and mips. Spec: D3D11.3 section 20.3.6."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import softd3d

SKIPS, RUNS = softd3d.Predicate(result=True, value=True), softd3d.Predicate(result=True)


def texture() -> softd3d.Texture2D:
    return softd3d.Texture2D.from_bytes(bytes(4), "R8_UNORM", 2, 2)


def source() -> softd3d.Texture2D:
    return softd3d.Texture2D(np.full((2, 2), 200, np.uint8), "R8_UNORM")


def mips(predicate: softd3d.Predicate) -> list[int]:
    made = softd3d.Texture2D.from_bytes(bytes([200] * 4 + [0]), "R8_UNORM", 2, 2, mip_levels=2)
    softd3d.generate_mips(made, predicate=predicate)
    return made.mip(1).ravel().tolist() * 4


def written(act: Callable[..., None]) -> Callable[[softd3d.Predicate], list[int]]:
    def run(predicate: softd3d.Predicate) -> list[int]:
        target = texture()
        act(target, predicate)
        return target.array.ravel().tolist()

    return run


def resolve(target: softd3d.Texture2D, predicate: Any) -> None:
    samples = softd3d.Texture2DMS(np.full((2, 2, 4), 200, np.uint8), "R8_UNORM")
    softd3d.resolve_subresource(target, 0, samples, 0, predicate=predicate)


WORK = {
    "copy_resource": written(lambda t, p: softd3d.copy_resource(t, source(), predicate=p)),
    "copy_subresource_region": written(
        lambda t, p: softd3d.copy_subresource_region(t, 0, (0, 0, 0), source(), 0, predicate=p)
    ),
    "update_subresource": written(
        lambda t, p: softd3d.update_subresource(t, 0, None, bytes([200] * 4), predicate=p)
    ),
    "resolve_subresource": written(resolve),
    "generate_mips": mips,
}


@pytest.mark.parametrize("name", WORK)
def test_work_is_skipped_while_the_result_is_the_value(name: str) -> None:
    assert WORK[name](SKIPS) == [0] * 4
    assert WORK[name](RUNS) == [200] * 4
    with pytest.raises(softd3d.ResourceError, match="predicate: found bool, wanted a Predicate"):
        WORK[name](True)  # type: ignore[arg-type]
