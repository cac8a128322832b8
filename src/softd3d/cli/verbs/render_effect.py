"""`softd3d render` of an effect of Direct3D 9: a technique on a mesh."""

from __future__ import annotations

from typing import Any

from softd3d.classes import dataclass
from softd3d.cli.progress import progress_bar
from softd3d.cli.render_arguments import (
    Sweep,
    constants_from,
    size_of,
    sweep_of,
    textures9_from,
)
from softd3d.cli.render_frames import check_frames, frame_error, frame_file
from softd3d.device.effects9.scene import EffectPicture, EffectScene
from softd3d.errors import ResourceError

__all__ = ["EffectFrames"]


@dataclass(slots=True)
class EffectFrames:
    """An effect's scene and what is to be made of it. said: lines for the user, after `file`."""

    scene: EffectScene
    sweep: Sweep | None
    options: dict[str, Any]
    warnings: list[str]
    said: list[str]

    @classmethod
    def of(cls, effect: bytes, others: list[bytes], options: dict[str, Any]) -> EffectFrames:
        """Read the options and make the scene.

        Raises:
            ShaderError: an option, a file or the effect is wrong. OSError: a file cannot be read.
        """
        if others or options["samplers"]:
            what = "--sampler" if options["samplers"] else "another shader"
            raise ResourceError(f"found {what} with an effect, which has shaders and samplers")
        samples = int(options["samples"])
        textures, warnings = textures9_from(options["textures"])
        named = options["technique"]
        sweep = None if options["sweep"] is None else sweep_of(options["sweep"])
        values = {**textures, **constants_from(options["constants"])}
        if sweep is not None:
            values[sweep.name] = sweep.values[0]
        scene = EffectScene(
            effect, 0 if named is None else named, mesh=options["mesh"],
            size=size_of(options["size"], samples), samples=samples, values=values,
            engine=options["engine"], threads=options["threads"], timeout=options["timeout"],
        )  # fmt: skip
        return cls(scene, sweep, options, warnings, [])

    def file(self, suffix: str) -> bytes:
        """Draw, and return the contents of a file of this kind.

        Raises:
            ShaderError: what a draw raises, or Pillow is missing for a GIF file.
        """
        values = [None] if self.sweep is None else self.sweep.values
        check_frames(len(values), *self.scene.size)
        frames: list[EffectPicture] = []
        with progress_bar("drawing", "frames") as show:
            for value in values:
                if show is not None:
                    show(len(frames), len(values))
                frames.append(self._frame(value))
        self.said = [*self.scene.said, f"{frames[0].text}"]
        self.said += [f"{name}: {rule}" for name, rule in frames[0].notes]
        images = [frame.image(has_alpha=self.options["alpha"]) for frame in frames]
        is_sweep = self.sweep is not None
        return frame_file(suffix, frames[0].codes, images, self.options["rate"], is_sweep=is_sweep)

    def _frame(self, value: object) -> EffectPicture:
        try:
            return self.scene.render({} if self.sweep is None else {self.sweep.name: value})
        except ResourceError as error:
            raise frame_error(error, self.sweep) from error
