"""Dispatches: both engines run what is bound; arguments that are wrong say how."""

from __future__ import annotations

import copy
import itertools
import pickle

import numpy as np
import pytest

import softd3d
from softd3d.errors import ContainerError, ExecutionError, ResourceError
from softd3d.samples import sample

ENGINES = ["jit", "interpreter"]


def mandelbrot():
    return softd3d.load(sample("cs_mandelbrot.cs_5_0.dxbc").read_bytes())


def variables(limit: int = 50) -> dict[str, object]:
    return {"P": {"origin": [-2.0, -1.0], "step": 1 / 16, "maxIter": limit}}


def reference(limit: int) -> np.ndarray:
    """The set by the definition, in float32 with separate roundings."""
    y, x = np.indices((32, 32), np.float32) / np.float32(16)
    cx, cy = x - np.float32(2), y - np.float32(1)
    zx, zy, counts = np.zeros_like(cx), np.zeros_like(cx), np.zeros((32, 32), np.uint32)
    inside = np.ones((32, 32), bool)
    for _ in range(limit):
        xx, yy = zx * zx, zy * zy
        inside &= ~(xx + yy > 4)
        xy = zx * zy
        zx, zy = np.where(inside, xx - yy + cx, zx), np.where(inside, xy + xy + cy, zy)
        counts += inside
    return counts


@pytest.mark.parametrize("engine", ENGINES)
def test_a_dispatch_writes_the_callers_array(engine):
    counts = np.zeros((32, 32), np.uint32)
    buffer = softd3d.StructuredBuffer(counts, 4)
    outcome = softd3d.dispatch(
        mandelbrot(), (4, 4, 1), constants=variables(), uavs={"Dst": buffer}, engine=engine
    )
    assert outcome.poisoned == ()
    assert np.array_equal(counts, reference(50))


@pytest.mark.parametrize("engine", ENGINES)
def test_a_prepared_dispatch_runs_again_on_what_the_array_holds(engine):
    counts = np.zeros(1024, np.uint32)
    job = softd3d.Dispatch(
        mandelbrot(), (4, 4, 1), constants=variables(5),
        uavs={0: softd3d.StructuredBuffer(counts)}, engine=engine,
    )  # fmt: skip
    assert not counts.any()
    job()
    first = counts.copy()
    counts[:] = 0
    job()
    assert first.any()
    assert np.array_equal(first, counts)


@pytest.mark.parametrize("engine", ENGINES)
def test_nothing_is_bound_and_nothing_happens(engine):
    softd3d.dispatch(mandelbrot(), (1, 1, 1), constants={0: None}, uavs={0: None}, engine=engine)


@pytest.mark.parametrize("engine", ENGINES)
def test_no_groups_run_nothing(engine):
    counts = np.full(1024, 7, np.uint32)
    softd3d.dispatch(
        mandelbrot(), (0, 4, 1), constants=variables(),
        uavs={0: softd3d.StructuredBuffer(counts)}, engine=engine,
    )  # fmt: skip
    assert (counts == 7).all()


@pytest.mark.parametrize("engine", ENGINES)
def test_progress_ends_with_all_groups_or_is_never_called(engine):
    seen: list[tuple[int, int]] = []
    softd3d.dispatch(
        mandelbrot(), (4, 4, 1), constants=variables(), uavs={0: None}, engine=engine,
        progress=lambda done, total: seen.append((done, total)),
    )  # fmt: skip
    assert all(0 <= done <= total == 16 for done, total in seen)
    assert engine == "jit" or seen[-1] == (16, 16)


@pytest.mark.parametrize("engine", ENGINES)
def test_an_endless_loop_ends_with_the_budget(engine):
    with pytest.raises(ExecutionError, match="an endless loop"):
        softd3d.dispatch(
            mandelbrot(), (4, 4, 1), constants=variables(0xFFFFFFFF), uavs={0: None},
            engine=engine, budget=2000,
        )  # fmt: skip


WANTED = "wanted a number or up to three of them, (x, y, z)"
ARGUMENTS = [
    *(
        (
            {"groups": wrong},
            f"groups: found {wrong!r}, {WANTED}",
        )
        for wrong in ((), (1, 1, 1, 1), (1, 0.5, 1), "4", None, 1.0, True, (1, True), {1: 2}, {1})
    ),
    ({"groups": 1 << 40}, f"groups: found {(1 << 40, 1, 1)}, each may be 0 to 65535"),
    ({"groups": (1, 65536, 1)}, "groups: found (1, 65536, 1), each may be 0 to 65535"),
    ({"groups": (1, -1, 1)}, "groups: found (1, -1, 1), each may be 0 to 65535"),
    ({"engine": "gpu"}, "engine: found 'gpu', wanted jit or interpreter"),
    ({"threads": -1}, "threads: found -1, wanted 0 to 1024"),
    ({"threads": True}, "threads: found True, wanted a whole number"),
    ({"threads": "all"}, "threads: found 'all', wanted a whole number"),
    ({"lanes": 3}, "lanes: found 3, wanted 0, 4, 8, 16, 32, 64, 128 or 256"),
    ({"budget": 0}, f"budget: found 0, wanted 1 to {(1 << 62) - 1}"),
]


@pytest.mark.parametrize(("changes", "text"), ARGUMENTS)
def test_wrong_arguments(changes, text):
    arguments = {"groups": (1, 1, 1), "constants": {0: None}, "uavs": {0: None}, **changes}
    with pytest.raises(ResourceError) as caught:
        softd3d.dispatch(mandelbrot(), **arguments)
    assert str(caught.value) == text


@pytest.mark.parametrize("engine", ENGINES)
def test_a_dispatch_is_not_pickled_or_copied(engine):
    buffer = softd3d.StructuredBuffer(np.zeros(1024, np.uint32))
    job = softd3d.Dispatch(
        mandelbrot(), (1, 1, 1), constants=variables(), uavs={0: buffer}, engine=engine
    )
    for attempt in (pickle.dumps, copy.copy, copy.deepcopy):
        with pytest.raises(TypeError, match="pickle its shader and arguments"):
            attempt(job)


@pytest.mark.parametrize("shader", [None, 7, ["a.dxbc"]])
def test_what_is_no_shader_is_named(shader):
    with pytest.raises(ResourceError, match=f"shader: found {type(shader).__name__}, wanted"):
        softd3d.dispatch(shader, (1, 1, 1))


def test_a_shader_may_be_given_as_its_file():
    path = sample("cs_mandelbrot.cs_5_0.dxbc")
    for shader in (str(path), path, path.read_bytes(), bytearray(path.read_bytes())):
        job = softd3d.Dispatch(shader, 1, constants=variables(), uavs={0: None})
        assert job.groups == (1, 1, 1)
    with pytest.raises(ContainerError):
        softd3d.dispatch(b"DXBC", 1)
    with pytest.raises(FileNotFoundError):
        softd3d.dispatch("none.dxbc", 1)
    legacy = softd3d.load(softd3d.assemble("ps_2_0\n"))
    with pytest.raises(
        ResourceError, match=r"shader: found <Shader9 ps_2_0, 8 bytes>, wanted a com"
    ):
        softd3d.dispatch(legacy, 1)


@pytest.mark.parametrize(
    ("groups", "meant"),
    [
        (4, (4, 1, 1)),
        ((4,), (4, 1, 1)),
        ([4, 5], (4, 5, 1)),
        (np.int64(3), (3, 1, 1)),
        (np.array([2, 3], np.uint8), (2, 3, 1)),
        (np.array(6), (6, 1, 1)),
        ((np.uint16(1), 2, np.int32(3)), (1, 2, 3)),
        (iter([1, 2]), (1, 2, 1)),
    ],
)
def test_groups_are_one_to_three_numbers(groups, meant):
    job = softd3d.Dispatch(mandelbrot(), groups, constants=variables(), uavs={0: None})
    assert job.groups == meant


def test_endless_groups_are_refused():
    with pytest.raises(ResourceError, match="groups: found count"):
        softd3d.Dispatch(mandelbrot(), itertools.count(1), constants=variables(), uavs={0: None})
