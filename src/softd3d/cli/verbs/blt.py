"""`softd3d blt`: copy depth and stencil between two arrays of texels."""

from __future__ import annotations

import io
import re

import click
import numpy as np

from softd3d.cli.arguments import given_view
from softd3d.cli.files import Failures, check_not_input, check_output, write_output
from softd3d.device.blt import blt
from softd3d.device.blt_engines import ENGINES
from softd3d.errors import ResourceError
from softd3d.formats.depth_stencil import DEPTH_STENCIL_FORMATS, Readings
from softd3d.resources.textures.depth_stencil import Surface

__all__ = ["command", "surface_from"]

_EPILOG = "\b\n" + "\n".join(
    ["Readings, the default first:"]
    + [f"  {name} = {' | '.join(words)}" for name, words in Readings.choices().items()]
    + ["Formats (or their numbers):"]
    + [
        "  " + " ".join(list(DEPTH_STENCIL_FORMATS)[at : at + 8])
        for at in range(0, len(DEPTH_STENCIL_FORMATS), 8)
    ]
)


@click.command("blt", epilog=_EPILOG)
@click.argument("source", metavar="SRC.npy")
@click.argument("destination", metavar="DST.npy")
@click.option("--from", "from_", required=True, metavar="FORMAT", help="Format of SRC.")
@click.option("--to", required=True, metavar="FORMAT", help="Format of DST.")
@click.option("--source-rect", metavar="X0,Y0,X1,Y1",
              help="Copy these texels only; X1 and Y1 are exclusive.")  # fmt: skip
@click.option("--point", metavar="X,Y", default="0,0", help="Where they go in DST.")
@click.option("--reading", "readings", multiple=True, metavar="NAME=WORD",
              help="Read the specification otherwise; repeatable, see below.")  # fmt: skip
@click.option("--engine", type=click.Choice(ENGINES), help="By default what is quicker.")
@click.option("-o", "--output", required=True, metavar="OUT.npy",
              help="Where DST goes after the copy; may be DST.npy; - is stdout.")  # fmt: skip
def command(
    source: str, destination: str, from_: str, to: str, source_rect: str | None, point: str,
    readings: tuple[str, ...], engine: str | None, output: str,
) -> None:  # fmt: skip
    """Copy depth and stencil from SRC.npy to DST.npy, and write the latter to OUT.npy.

    The arrays are of raw texels, (height, width). DST gives the size of the result and what stays:
    channels that SRC lacks, and texels around the rectangle. zeros:HEIGHTxWIDTH:DTYPE will do.
    """
    failures = Failures()
    with failures.guard(output):
        check_output(output)
        check_not_input(output, source)
    failures.finish()
    surfaces: list[Surface] = []
    for file, format_ in ((source, from_), (destination, to)):
        with failures.guard(file):
            surfaces.append(surface_from(file, format_))
    failures.finish()
    here, there = surfaces
    with failures.guard(source):
        rect = _integers(source_rect, 4, "--source-rect") if source_rect else None
        place = _integers(point, 2, "--point")
        blt(here, there, rect, place, readings=_readings(readings), engine=engine)
    failures.finish()
    with failures.guard(output):
        buffer = io.BytesIO()
        np.save(buffer, there.array)
        write_output(output, buffer.getvalue())
    failures.finish()


def surface_from(text: str, format_: str) -> Surface:
    """Return a surface over the array of an .npy file, or of zeros:SHAPE:DTYPE.

    Raises:
        ResourceError: the file, its array or the format does not fit. OSError: it cannot be read.
    """
    given = given_view(text)
    if given.array is None or given.format:
        raise ResourceError(f"found {text!r:.60}, wanted FILE.npy or zeros:SHAPE:DTYPE")
    return Surface(given.array, int(format_) if re.fullmatch(r"\d{1,9}", format_) else format_)


def _integers(text: str, count: int, option: str) -> list[int]:
    """Read integers with commas between them."""
    parts = text.split(",")
    if len(parts) != count or not all(re.fullmatch(r"-?\d{1,9}", p.strip()) for p in parts):
        raise ResourceError(f"{option}: found {text!r:.60}, wanted {count} integers like 0,0")
    return [int(p) for p in parts]


def _readings(texts: tuple[str, ...]) -> Readings:
    chosen: dict[str, str] = {}
    for text in texts:
        name, separator, word = text.partition("=")
        if not separator or name not in Readings.choices():
            names = ", ".join(Readings.choices())
            raise ResourceError(f"--reading: found {text!r:.60}, wanted NAME=WORD with {names}")
        chosen[name] = word
    return Readings(**chosen)  # pyright: ignore[reportArgumentType] - it checks the words itself
