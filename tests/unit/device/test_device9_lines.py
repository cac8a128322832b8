"""The end pixels of lines in Direct3D 9: LASTPIXEL counts in the profile `documented`."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from softd3d.d3d9 import Device, Fvf

ENGINES = ["interpreter", "jit"]
CORNER = ((0, 0), (2, 0), (2, 2))
STRIP = {(0, 0): 1, (1, 0): 1, (2, 0): 1, (2, 1): 1}


def made(engine: str, profile: str = "documented", last: int = 1) -> Device:
    """Return a device whose lines add 1 to each pixel that they light."""
    device = Device(4, 4, "A32B32G32R32F", engine=engine, profile=profile)
    for state, value in (("LASTPIXEL", last), ("ALPHABLENDENABLE", 1), ("DESTBLEND", "ONE")):
        device.set_render_state(state, value)
    device.set_fvf(Fvf.XYZRHW)
    return device


def points(*places: tuple[float, float]) -> Any:
    return np.array([(x, y, 0.5, 1) for x, y in places], np.float32)


def lit(device: Device) -> dict[tuple[int, int], int]:
    """Return how often each pixel was lit."""
    counts = device.back_buffer.array[..., 0].astype(int)
    return {(x, y): n for y, row in enumerate(counts.tolist()) for x, n in enumerate(row) if n}


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize(
    ("profile", "last", "has_last"),
    [("documented", 1, True), ("documented", 0, False), ("driver", 1, False), ("ieee", 1, False)],
)
def test_the_last_pixel_of_each_line_of_a_list(
    engine: str, profile: str, last: int, *, has_last: bool
) -> None:
    device = made(engine, profile, last)
    lines = points((0, 1), (2, 1), (3, 3), (1, 2))  # right, and to the left and up
    result = device.draw_primitive_up("LINELIST", 2, lines, 16)
    wanted = {(0, 1): 1, (1, 1): 1, (3, 3): 1, (2, 2): 1} | (
        {(2, 1): 1, (1, 2): 1} if has_last else {}
    )
    # At x = 2 the second line is at y = 2.5, on the border of rows 2 and 3.
    assert lit(device) == wanted
    assert result.samples_passed == len(wanted)


@pytest.mark.parametrize("engine", ENGINES)
def test_lines_that_end_before_a_pixel_s_middle(engine: str) -> None:
    device = made(engine)
    device.draw_primitive_up("LINELIST", 1, points((0, 0), (1.75, 0)), 16)  # ends in (2, 0)
    assert lit(device) == {(0, 0): 1, (1, 0): 1, (2, 0): 1}
    device.draw_primitive_up("LINELIST", 1, points((3, 3), (3.25, 3)), 16)  # within one pixel
    device.draw_primitive_up("LINELIST", 1, points((0, 3), (1.5, 3.25)), 16)  # in no diamond
    device.draw_primitive_up("LINELIST", 1, points((2, 2), (2, 2)), 16)  # no length
    more = {(3, 3): 1, (0, 3): 1, (1, 3): 1}
    assert lit(device) == {(0, 0): 1, (1, 0): 1, (2, 0): 1} | more


@pytest.mark.parametrize("engine", ENGINES)
def test_a_strip_has_one_last_pixel(engine: str) -> None:
    device = made(engine)
    result = device.draw_primitive_up("LINESTRIP", 2, points(*CORNER), 16)
    assert lit(device) == STRIP | {(2, 2): 1}
    assert (result.samples_passed, result.statistics.c_primitives) == (5, 2)
    other = made(engine, last=0)
    other.draw_primitive_up("LINESTRIP", 2, points(*CORNER), 16)
    assert lit(other) == STRIP


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("last_index", [2, 0xFFFF])
def test_indexed_strips(engine: str, last_index: int) -> None:
    device = made(engine)
    vertices = np.zeros((0x10000, 4), np.float32)
    vertices[[0, 1, last_index]] = points(*CORNER)
    device.set_stream_source(0, device.create_vertex_buffer(vertices), 0, 16)
    indices = np.array([9, 0, 1, last_index], np.uint16)
    device.set_indices(device.create_index_buffer(indices))
    query = device.create_query("OCCLUSION")
    query.begin()
    device.draw_indexed_primitive("LINESTRIP", 0, 0, 0x10000, 1, 2)
    query.end()
    assert lit(device) == STRIP | {(2, 2): 1}
    assert query.get_data() == 5
    device.set_stream_source_freq(0, 0x40000002)  # two instances
    device.draw_indexed_primitive("LINESTRIP", 0, 0, 0x10000, 1, 2)
    assert lit(device) == dict.fromkeys(STRIP | {(2, 2): 1}, 3)


@pytest.mark.parametrize("engine", ENGINES)
def test_edges_of_triangles_start_where_others_end(engine: str) -> None:
    device = made(engine)
    device.set_render_state("FILLMODE", "WIREFRAME")
    device.draw_primitive_up("TRIANGLELIST", 1, points((0, 0), (2, 0), (0, 2)), 16)
    assert set(lit(device).values()) == {1}
