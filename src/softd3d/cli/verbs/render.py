"""`softd3d render`: a picture of any pixel shader of model 4.0 to 5.1, or of an effect."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from softd3d.cli.files import Failures, check_not_input, check_output, read_input, write_output
from softd3d.cli.printing import say
from softd3d.shaders.identify import Kind, identify

if TYPE_CHECKING:
    from softd3d.cli.verbs.render_effect import EffectFrames
    from softd3d.cli.verbs.render_picture import Picture

__all__ = ["command"]

_SUFFIXES = (".png", ".gif", ".npy")
_EPILOG = """\b
What is not given: textures are checkers with mips, those called normal maps are flat; samplers
filter linearly and wrap; constants have the shader's default, matrices are the camera's by name
(world, view, proj), others are 0. The background is a dark grey.
\b
Examples:
  softd3d render water.cso -o water.png --texture 0=noise.png --constants tint=[0,0.4,1]
  softd3d render ps.dxbc vs.dxbc -o cube.png --mesh cube --samples 4 --constants scene.json
  softd3d render ps.dxbc hs.dxbc ds.dxbc -o ball.png --mesh sphere
  softd3d render water.cso -o water.png --sweep time=0:6.28:40
  softd3d render glass.fxo -o glass.png --technique Glass --mesh sphere --texture Sky=sky.dds
  softd3d render water.cso -o water.gif --sweep tint=[1,0,0]:[0,0,1]:40 --rate 25
"""


@click.command("render", epilog=_EPILOG)
@click.argument("pixel_shader", metavar="PS")
@click.argument("others", metavar="[VS|HS|DS|GS]...", nargs=-1)
@click.option("-o", "--output", required=True, metavar="FILE",
              help="The picture: .png; .npy for the numbers; .gif for a sweep.")  # fmt: skip
@click.option("--technique", metavar="NAME", help="Of an effect; the first if not given.")
@click.option("--mesh", type=click.Choice(["quad", "sphere", "cube"]), default="quad",
              show_default=True, help="What it is drawn on; a quad fills the picture.")  # fmt: skip
@click.option("--size", default="512x512", show_default=True, metavar="WxH", help="In pixels.")
@click.option("--samples", type=click.Choice(["1", "2", "4", "8", "16"]), default="1",
              show_default=True, help="Samples of a pixel.")  # fmt: skip
@click.option("--texture", "textures", multiple=True, metavar="KEY=FILE",
              help="A texture by register or name: DDS, NumPy, PNG (extra `images`), EXR (extra "
                   "`exr`); none."
              )  # fmt: skip
@click.option("--sampler", "samplers", multiple=True,
              metavar="KEY=FILTER[:ADDRESS][:NAME=VALUE]...",
              help="A sampler: MIN_MAG_MIP_POINT:CLAMP.")  # fmt: skip
@click.option("--constants", multiple=True, metavar="FILE.json|NAME=VALUE",
              help="Variables by name, in any buffer; b0[2]=[1,2,3,4] is a vector of a register."
              )  # fmt: skip
@click.option("--sweep", metavar="NAME=FROM:TO:COUNT",
              help="Animate a constant, a number or a list of them: an animated PNG, or a GIF "
                   "(extra `images`).")  # fmt: skip
@click.option("--rate", type=click.IntRange(1, 100), default=20, show_default=True,
              help="Frames a second of a sweep.")  # fmt: skip
@click.option("--all-names", is_flag=True,
              help="Tell all constants that are 0, not the first six.")  # fmt: skip
@click.option("--alpha", is_flag=True, help="Keep the alpha that the shader writes.")
@click.option("--engine", type=click.Choice(["jit", "interpreter"]), default="jit",
              show_default=True)  # fmt: skip
@click.option("--threads", type=click.IntRange(0, 1024), default=0,
              help="CPU threads; 0: as many as the process may use.")  # fmt: skip
@click.option("--timeout", type=click.FloatRange(0, min_open=True), metavar="SECONDS",
              help="Stop each frame after this time, including compilation.")  # fmt: skip
def command(pixel_shader: str, others: tuple[str, ...], output: str, **options: Any) -> None:
    """Draw a pixel shader on a mesh, and say what was chosen for it.

    Without VS, a vertex shader is made that feeds the next one by the names of its inputs:
    positions, texture coordinates, normals, tangents, colours. VS gets the same by the names of its
    own inputs. With HS and DS the mesh is patches, with GS what it takes; their order does not
    matter. Sphere and cube are seen from (1.5, 1.2, -3), with a field of view of 45 degrees.

    PS may be a compiled effect of Direct3D 9 (fx_2_0), of which a technique is drawn.
    """
    failures = Failures()
    suffix = Path(output).suffix.lower()
    if suffix not in _SUFFIXES:
        raise click.UsageError(f"{output}: found no suffix of {', '.join(_SUFFIXES)}")
    if suffix == ".npy" and options["sweep"]:
        raise click.UsageError("--sweep makes .png and .gif files, not .npy")
    inputs = [pixel_shader, *others]
    with failures.guard(output):
        check_output(output)
        check_not_input(output, *inputs)
    failures.finish()
    with failures.guard(pixel_shader):
        picture = _picture([read_input(name) for name in inputs], options)
        for warning in picture.warnings:
            failures.report(pixel_shader, f"warning: {warning}", failures.status)
        data = picture.file(suffix)
        for line in picture.said:
            say(line, err=output == "-")
        with failures.guard(output):
            write_output(output, data)
            if output != "-":
                say(f"written to {output}")
    failures.finish()


def _picture(contents: list[bytes], options: dict[str, Any]) -> Picture | EffectFrames:
    """Return what is to be drawn: of an effect, or of shaders."""
    if identify(contents[0]).kind in (Kind.EFFECT, Kind.XNB):
        from softd3d.cli.verbs.render_effect import EffectFrames  # noqa: PLC0415 - needs NumPy

        return EffectFrames.of(contents[0], contents[1:], options)
    if options["technique"] is not None:
        raise click.UsageError("--technique is of an effect of Direct3D 9 (fx_2_0)")
    from softd3d.cli.verbs.render_picture import Picture  # noqa: PLC0415 - needs NumPy

    return Picture.of(contents[0], contents[1:], options)
