"""`softd3d view-image`: a depth buffer or stencil buffer as a picture."""

from __future__ import annotations

import math
from typing import Any

import click
import numpy as np
from numpy.typing import NDArray

from softd3d.cli.files import Failures, check_not_input, check_output, write_output
from softd3d.cli.png import png_bytes
from softd3d.cli.printing import say
from softd3d.cli.verbs.blt import surface_from
from softd3d.errors import ResourceError
from softd3d.resources.textures.depth_stencil import Surface

__all__ = ["command"]

_LEVELS = 256
_NO_NUMBER = (255, 0, 255)  # NaN: a colour of neither map
# Colours of evenly spaced numbers; between them they are interpolated.
_MAPS = {
    "gray": ((0, 0, 0), (255, 255, 255)),
    "color": ((20, 10, 70), (30, 80, 150), (40, 150, 140), (130, 205, 80), (255, 235, 90)),
}


@click.command("view-image")
@click.argument("file", metavar="DEPTH.npy")
@click.option("--format", "format_", required=True, metavar="FORMAT",
              help="Depth-stencil format of the texels, by name (D24S8) or number.")  # fmt: skip
@click.option("--channel", type=click.Choice(["depth", "stencil"]),
              help="By default depth, if the format has it.")  # fmt: skip
@click.option("--range", "range_", metavar="LOW,HIGH",
              help="Numbers that get the first and the last colour; by default the smallest and "
              "largest there are.")  # fmt: skip
@click.option("--map", "map_", type=click.Choice(list(_MAPS)), default="gray", show_default=True,
              help="Colours from low to high: black to white, or dark blue to yellow.")  # fmt: skip
@click.option("-o", "--output", required=True, metavar="OUT.png",
              help="The picture; - for standard output.")  # fmt: skip
def command(
    file: str, format_: str, channel: str | None, range_: str | None, map_: str, output: str
) -> None:
    """Make a PNG picture of raw depth-stencil texels, (height, width), and print their range.

    NaN is magenta. Numbers outside the range get the colour of its nearer end.
    """
    failures = Failures()
    with failures.guard(output):
        check_output(output)
        check_not_input(output, file)
    failures.finish()
    with failures.guard(file):
        surface = surface_from(file, format_)
        name = channel or ("stencil" if surface.format.depth is None else "depth")
        numbers = surface.stencil if name == "stencil" else surface.depth
        low, high = _given_range(range_) if range_ else _found_range(numbers, name)
        write_output(output, png_bytes(_picture(numbers, low, high, map_)))
        say(f"{name} {low:.9g} to {high:.9g}{_remarks(numbers, surface)}", err=True)
    failures.finish()


def _given_range(text: str) -> tuple[float, float]:
    try:
        low, high = (float(part) for part in text.split(","))
    except ValueError:
        low = high = math.nan
    if not low < high or math.isinf(high - low):
        raise ResourceError(f"--range: found {text!r:.60}, wanted LOW,HIGH with LOW below HIGH")
    return low, high


def _found_range(numbers: NDArray[Any], channel: str) -> tuple[float, float]:
    """Return the smallest and largest finite number; where all are equal, the channel's range."""
    finite = numbers[np.isfinite(numbers)]
    if finite.size and finite.min() < finite.max():
        return float(finite.min()), float(finite.max())
    value = float(finite[0]) if finite.size else 0.0
    top = 255.0 if channel == "stencil" else 1.0
    return min(0.0, value), max(top, value)


def _picture(numbers: NDArray[Any], low: float, high: float, map_: str) -> NDArray[np.uint8]:
    """Return the picture, uint8 (height, width, 3)."""
    colors = _MAPS[map_]
    places = np.linspace(0, _LEVELS - 1, len(colors))
    levels = np.arange(_LEVELS)
    table = np.array([np.interp(levels, places, [c[n] for c in colors]) for n in range(3)]).T
    table = np.concatenate([np.rint(table), [_NO_NUMBER]]).astype(np.uint8)
    with np.errstate(invalid="ignore", over="ignore"):
        level = np.clip((numbers - low) / (high - low), 0, 1) * (_LEVELS - 1)
        index = np.where(np.isnan(level), _LEVELS, np.rint(level)).astype(np.intp)
    return table[index]


def _remarks(numbers: NDArray[Any], surface: Surface) -> str:
    text = f", {surface.width} x {surface.height} texels"
    without = numbers.size - int(np.isfinite(numbers).sum())
    return f"{text}, {without} of them not finite" if without else text
