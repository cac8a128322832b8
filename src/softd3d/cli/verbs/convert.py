"""`softd3d convert`: textures between DDS, PNG, EXR, NumPy and raw files, and between formats."""

from __future__ import annotations

from pathlib import Path

import click

from softd3d.cli.files import (
    Failures,
    check_not_input,
    check_output,
    read_input,
    write_output,
)
from softd3d.errors import ResourceError
from softd3d.source import MAX_ARRAY_BYTES

__all__ = ["command"]

_KINDS = ("dds", "png", "npy", "exr", "raw")
_SUFFIXES = {f".{kind}": kind for kind in _KINDS} | {".bin": "raw"}
_HEADERS = ("auto", "legacy", "dx10")
_COUNT = click.IntRange(1, 1 << 20)
_INDEX = click.IntRange(0, 1 << 20)


@click.command("convert")
@click.argument("source", metavar="IN")
@click.argument("target", metavar="OUT")
@click.option("--format", "wanted", metavar="F", help="Convert the texels to this format.")
@click.option("--view", metavar="F",
              help="Take the texels for this format: of raw and typeless ones.")  # fmt: skip
@click.option("--mip", type=_INDEX, help="Only this mip level.")
@click.option("--slice", "slice_", type=_INDEX, help="Only this slice, or face of a cube.")
@click.option("--z", type=_INDEX, help="Only this layer of a volume (PNG and EXR).")
@click.option("--strict", is_flag=True, help="Reject DDS files that break the rules.")
@click.option("--header", type=click.Choice(_HEADERS), default="auto", show_default=True,
              help="The header of a DDS file that is written.")  # fmt: skip
@click.option("--bits", type=click.Choice(["8", "16"]), help="Bits of a PNG file's channels.")
@click.option("--to", "kind", type=click.Choice(_KINDS), help="What OUT is, whatever its name.")
@click.option("--size", metavar="WxH[xD]", help="IN is a raw file of this size.")
@click.option("--mips", type=_COUNT, default=1, help="Mip levels of a raw file.")
@click.option("--slices", type=_COUNT, default=1, help="Slices of a raw file; 6 for each cube.")
@click.option("--cube", is_flag=True, help="The slices of a raw or NumPy file are faces.")
@click.option("--volume", is_flag=True, help="The slices of a NumPy file are layers of a volume.")
def command(
    source: str, target: str, *, wanted: str | None, view: str | None, mip: int | None,
    slice_: int | None, z: int | None, strict: bool, header: str, bits: str | None,
    kind: str | None, size: str | None, mips: int, slices: int, cube: bool, volume: bool,
) -> None:  # fmt: skip
    """Convert a texture: .dds, .png, .npy, .exr, or raw bytes (.raw, .bin).

    What IN is, its content says; what OUT is, its name. Reading PNG needs the extra `images`, EXR
    the extra `exr`.
    """
    failures = Failures()
    kind = kind or _kind_of(target)
    if size is None and (mips, slices) != (1, 1):
        raise click.UsageError("--mips and --slices are of raw files, which --size tells of.")
    if (bits is not None and kind != "png") or (header != "auto" and kind != "dds"):
        raise click.UsageError("--bits is for PNG files that are written, --header for DDS files.")
    with failures.guard(target):
        check_output(target)
        check_not_input(target, source)
    failures.finish()
    from softd3d.cli.verbs import convert_image as steps  # noqa: PLC0415 - needs NumPy

    layout = steps.Layout(size, mips, slices, cube, volume)
    with failures.guard(source):
        image, warnings = steps.read_image(
            read_input(source, MAX_ARRAY_BYTES), source, layout, view, strict=strict, wanted=wanted
        )
        if cube and image.width != image.height:
            raise ResourceError(
                f"faces of a cube are square, found {image.width} x {image.height} texels"
            )
        image = steps.changed(image, view if size is None else None, mip, slice_, wanted)
        data, more = steps.image_file(
            image, kind, header=header, bits=None if bits is None else int(bits), z=z
        )
        for warning in (*warnings, *more):
            failures.report(source, f"warning: {warning}", failures.status)
        with failures.guard(target):
            write_output(target, data)
    failures.finish()


def _kind_of(target: str) -> str:
    kind = _SUFFIXES.get(Path(target).suffix.lower())
    if kind is None:
        raise click.UsageError(f"{target}: found no suffix of {', '.join(_SUFFIXES)}; give --to")
    return kind
