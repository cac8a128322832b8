"""The steps of `softd3d render`: a scene from the options, its frames, a file of them."""

from __future__ import annotations

import re
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from softd3d.classes import dataclass
from softd3d.cli.progress import progress_bar
from softd3d.cli.render_arguments import (
    Sweep,
    constants_from,
    samplers_from,
    size_of,
    sweep_of,
    textures_from,
)
from softd3d.cli.render_frames import check_frames, frame_error, frame_file
from softd3d.device.render.scene import Rendering, Scene
from softd3d.device.run_options import Progress
from softd3d.device.runnable import STAGE_NAMES
from softd3d.errors import ResourceError
from softd3d.shaders.shader import Shader, load_shader

__all__ = ["Picture"]

_VECTOR = re.compile(r"b\d[^ ]*\]")
_OPTIONS = {"srvs": "--texture", "samplers": "--sampler"}  # by arguments of a scene
_STAGES = ("vs", "hs", "ds", "gs")


@dataclass(slots=True)
class Picture:
    """A scene and what is to be made of it. said: lines for the user, after `file`."""

    scene: Scene
    constants: dict[str, object]
    sweep: Sweep | None
    options: dict[str, Any]
    warnings: list[str]
    said: list[str] = field(default_factory=list[str])

    @classmethod
    def of(cls, pixel: bytes, others: list[bytes], options: dict[str, Any]) -> Picture:
        """Read the options and make the scene. others: shaders of other stages, in any order.

        Raises:
            ShaderError: an option, a file or a shader is wrong. OSError: a file cannot be read.
        """
        samples = int(options["samples"])
        size = size_of(options["size"], samples)
        textures, warnings = textures_from(options["textures"])
        with _options_named():
            scene = Scene(
                pixel, **_by_stage(others), mesh=options["mesh"], size=size, samples=samples,
                textures=textures, samplers=samplers_from(options["samplers"]),
            )  # fmt: skip
        sweep = None if options["sweep"] is None else sweep_of(options["sweep"])
        return cls(scene, constants_from(options["constants"]), sweep, options, warnings)

    def file(self, suffix: str) -> bytes:
        """Draw, and return the contents of a file of this kind.

        Raises:
            ShaderError: what a draw raises, or Pillow is missing for a GIF file.
        """
        values = self._values()
        check_frames(len(values), self.scene.width, self.scene.height)
        first, images = self._drawn(values)
        self.said = [*self._chosen(self._with(values[0])), first.text]
        self.said += [f"{name}: {rule}" for name, rule in first.outcome.poisoned]
        rate: int = self.options["rate"]
        return frame_file(suffix, first.colors, images, rate, is_sweep=self.sweep is not None)

    def _chosen(self, constants: dict[str, object]) -> list[str]:
        """Return what the scene chose, with a hint how what is 0 can be set or seen."""
        lines = self.scene.said(constants, all_names=self.options["all_names"])
        zeros = self.scene.zeros(constants)
        if zeros and _VECTOR.match(zeros[0]):
            lines[-1] += f" (set one with --constants '{zeros[0].partition(' ')[0]}=[1,1,1,1]')"
        elif lines and lines[-1].endswith(" more"):
            lines[-1] += " (--all-names tells them)"
        return lines

    def _drawn(self, values: list[object]) -> tuple[Rendering, list[NDArray[np.uint8]]]:
        """Return the first frame and the images of all, with a bar for who waits for them."""
        has_alpha: bool = self.options["alpha"]
        is_sweep = self.sweep is not None
        with progress_bar("drawing", "frames" if is_sweep else "parts") as show:
            first = self._frame(values[0], None if is_sweep else show)
            images = [first.image(has_alpha=has_alpha)]
            for value in values[1:]:
                if show is not None:
                    show(len(images), len(values))
                images.append(self._frame(value, None).image(has_alpha=has_alpha))
        return first, images

    def _values(self) -> list[object]:
        return [None] if self.sweep is None else self.sweep.values

    def _with(self, value: object) -> dict[str, object]:
        """Return the constants of a frame."""
        return self.constants if self.sweep is None else {**self.constants, self.sweep.name: value}

    def _frame(self, value: object, progress: Progress | None) -> Rendering:
        options = self.options
        try:
            return self.scene.render(
                self._with(value), engine=options["engine"], threads=options["threads"],
                timeout=options["timeout"], progress=progress,
            )  # fmt: skip
        except ResourceError as error:
            raise frame_error(error, self.sweep) from error


@contextmanager
def _options_named() -> Generator[None]:
    """Name options where a scene's errors name its arguments."""
    try:
        yield
    except ResourceError as error:
        argument, _, rest = error.message.partition(": ")
        if argument not in _OPTIONS:
            raise
        raise ResourceError(f"{_OPTIONS[argument]}: {rest}", error.location) from None


def _by_stage(contents: list[bytes]) -> dict[str, Shader]:
    """Return shaders by stage.

    Raises:
        ShaderError: one is none, or not of a stage before the pixel shader, or there are two.
    """
    found: dict[str, Shader] = {}
    for data in contents:
        shader = load_shader(data)
        stage = shader.program.type.name.lower()
        if stage not in _STAGES:
            kind = STAGE_NAMES[shader.program.type]
            raise ResourceError(
                f"found a {kind} ({shader.profile}) behind the pixel shader, wanted a vertex, "
                "hull, domain or geometry shader"
            )
        if stage in found:
            kind = STAGE_NAMES[shader.program.type]
            raise ResourceError(f"found two {kind}s, wanted one of each stage")
        found[stage] = shader
    return found
