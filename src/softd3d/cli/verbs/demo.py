"""`softd3d demo`: draw, list and run shaders on both engines, compare, and leave pictures."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import click

from softd3d.cli.files import FAILED, Failures, check_output, write_output
from softd3d.cli.printing import say
from softd3d.cli.progress import progress_bar

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["command"]

_CASE = "cs_atomic_compare_store_typed"
_SIGNED = 20  # where the bytes begin that a container's checksum covers
_PICTURE = "cs_mandelbrot"
_COLUMNS = 32  # the shader writes rows of 32 pixels, so a picture is made of strips
_TILE = 8
_WIDTH, _HEIGHT, _ITERATIONS = 512, 320, 200
_LEFT, _WIDE = -2.2, 3.2  # of the complex plane


@click.command("demo")
@click.option("--scene", default="scene.png", show_default=True, metavar="FILE",
              help="Where the picture of the scene goes.")  # fmt: skip
@click.option("--image", default="mandelbrot.png", show_default=True, metavar="FILE",
              help="Where the picture of the Mandelbrot set goes.")  # fmt: skip
def command(scene: str, image: str) -> None:
    """Draw a scene, list a shader, run a test case and compute a picture, on both engines."""
    failures = Failures()
    for name in (scene, image):
        with failures.guard(name):
            check_output(name)
    failures.finish()
    with failures.guard("demo"):
        _show_scene(scene, failures)
        _show_listing()
        _show_assembly(failures)
        _show_case(failures)
        _show_picture(image, failures)
    failures.finish()


def _show_scene(name: str, failures: Failures) -> None:
    import numpy as np  # noqa: PLC0415

    from softd3d.cli.png import png_bytes  # noqa: PLC0415
    from softd3d.cli.verbs.demo_scene import (  # noqa: PLC0415 - needs NumPy
        HEIGHT,
        SAMPLES,
        WIDTH,
        draw_scene,
    )
    from softd3d.device.dispatch import ENGINES  # noqa: PLC0415

    drawn = {engine: draw_scene(engine) for engine in ENGINES}
    triangles = drawn[ENGINES[0]].triangles
    say(f"A scene of {triangles} triangles, {WIDTH} x {HEIGHT}, {SAMPLES} samples a pixel. Hull\n"
        "and domain shader make the spheres of six patches each:\n")  # fmt: skip
    for engine, one in drawn.items():
        say(f"    {engine:<11}  {one.ran:8.3f} s, {one.invocations} pixels shaded "
            f"({one.prepared:.3f} s to prepare)")  # fmt: skip
    first, second = (one.picture for one in drawn.values())
    bad = int(np.count_nonzero((first != second).any(-1)))
    say(f"    {'the same in every pixel' if not bad else f'{bad} pixels differ'}")
    if bad:
        failures.report("draw_scene", f"{bad} pixels differ between the engines", FAILED)
    write_output(name, png_bytes(first))
    say(f"    written to {name}\n")


def _show_listing() -> None:
    from softd3d.samples import sample  # noqa: PLC0415
    from softd3d.shaders.shader import load_shader  # noqa: PLC0415 - start quickly

    data = sample(f"{_CASE}.cs_5_0.dxbc").read_bytes()
    code = [line for line in str(load_shader(data)).splitlines() if not line.startswith("//")]
    say(f"A compiled shader, {len(data)} bytes of DXBC:\n")
    say("\n".join(f"    {line}" for line in code) + "\n")


def _show_assembly(failures: Failures) -> None:
    from softd3d.container.assembly.containers import assemble  # noqa: PLC0415
    from softd3d.samples import sample  # noqa: PLC0415
    from softd3d.tools.text.disassembler import disassemble_exact  # noqa: PLC0415

    data = sample(f"{_CASE}.cs_5_0.dxbc").read_bytes()
    text = disassemble_exact(data)
    edited = assemble(text.replace("l(500)", "l(700)"))
    changed = sum(a != b for a, b in zip(data[_SIGNED:], edited[_SIGNED:], strict=True))
    again = "the same" if assemble(text) == data else "OTHER"
    say(
        f"Its exact listing, assembled again: {again} {len(data)} bytes. With l(700) for\n"
        f"l(500): {changed} of them change, and the checksum.\n"
    )
    if again != "the same":
        failures.report(_CASE, "the exact listing gives another file", FAILED)


def _show_case(failures: Failures) -> None:
    from importlib.resources import as_file  # noqa: PLC0415

    from softd3d.device.dispatch import ENGINES  # noqa: PLC0415
    from softd3d.device.verdict import disagreements, run_case  # noqa: PLC0415
    from softd3d.resources.cases.file import read_case  # noqa: PLC0415
    from softd3d.samples import sample  # noqa: PLC0415

    with as_file(sample("")) as folder:
        case = read_case(folder / "cases" / f"{_CASE}.json")
        results = [run_case(case, engine) for engine in ENGINES]
    say("Its case; the expected outputs are ours and confirmed by Wine:\n")
    for result in results:
        verdict = "FAIL" if result.differences else "PASS"
        outputs = ", ".join(f"{r} {len(data)} bytes" for r, data in result.outputs.items())
        say(f"    {verdict}  {result.engine:<11}  {outputs}")
    if disagreements(case, *results) or any(r.differences for r in results):
        failures.report(_CASE, "outputs differ", FAILED)


def _show_picture(image: str, failures: Failures) -> None:
    import numpy as np  # noqa: PLC0415

    from softd3d.cli.png import png_bytes  # noqa: PLC0415
    from softd3d.device.dispatch import ENGINES  # noqa: PLC0415

    say(f"\nThe Mandelbrot set, {_WIDTH} x {_HEIGHT}, up to {_ITERATIONS} iterations, by\n"
               f"the compiled {_PICTURE}.cs_5_0:\n")  # fmt: skip
    pictures: list[NDArray[np.uint32]] = []
    for engine in ENGINES:
        counts, prepared, ran = _draw(engine)
        pictures.append(counts)
        rate = int(counts.sum()) / ran / 1e6
        say(f"    {engine:<11}  {ran:8.3f} s, {rate:8.1f} M iterations/s "
                   f"({prepared:.3f} s to prepare)")  # fmt: skip
    bad = int(np.count_nonzero(pictures[0] != pictures[1]))
    say(f"    {'the same in every pixel' if not bad else f'{bad} pixels differ'}")
    if bad:
        failures.report(_PICTURE, f"{bad} pixels differ between the engines", FAILED)
    write_output(image, png_bytes(_coloured(pictures[0])))
    say(f"    written to {image}")


def _draw(engine: str) -> tuple[NDArray[np.uint32], float, float]:
    """Return iteration counts, uint32 (height, width), and seconds to prepare and to run."""
    import numpy as np  # noqa: PLC0415

    from softd3d.device.dispatch import Dispatch  # noqa: PLC0415
    from softd3d.resources.buffers.buffer import StructuredBuffer  # noqa: PLC0415
    from softd3d.samples import sample  # noqa: PLC0415
    from softd3d.shaders.shader import load_shader  # noqa: PLC0415

    start = time.perf_counter()
    shader = load_shader(sample(f"{_PICTURE}.cs_5_0.dxbc").read_bytes())
    step = _WIDE / _WIDTH
    strips = np.zeros((_WIDTH // _COLUMNS, _HEIGHT, _COLUMNS), np.uint32)
    jobs = [
        Dispatch(
            shader, (_COLUMNS // _TILE, _HEIGHT // _TILE, 1), engine=engine,
            constants={
                "P": {
                    "origin": [_LEFT + number * _COLUMNS * step, -step * _HEIGHT / 2],
                    "step": step, "maxIter": _ITERATIONS,
                }
            },
            uavs={"Dst": StructuredBuffer(strip.reshape(-1))},
        )
        for number, strip in enumerate(strips)
    ]  # fmt: skip
    prepared = time.perf_counter()
    with progress_bar(engine, "strips") as show:
        for number, job in enumerate(jobs):
            job()
            if show is not None:
                show(number + 1, len(jobs))
    end = time.perf_counter()
    picture = strips.transpose(1, 0, 2).reshape(_HEIGHT, _WIDTH)
    return picture, prepared - start, end - prepared


def _coloured(counts: NDArray[np.uint32]) -> NDArray[np.uint8]:
    """Colour iteration counts; those that reached the limit are black."""
    import numpy as np  # noqa: PLC0415

    level = np.sqrt(counts / _ITERATIONS)[..., None]
    phase = np.array([0.0, 0.12, 0.25])
    wave = 0.5 - 0.5 * np.cos(2 * np.pi * (0.9 * level + phase))
    colour = 255 * wave * np.minimum(4 * level, 1)
    colour[counts >= _ITERATIONS] = 0
    return colour.astype(np.uint8)
