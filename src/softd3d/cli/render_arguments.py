"""The arguments of `softd3d render`: texts to textures, constants, sizes and sweeps."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np

from softd3d.classes import dataclass
from softd3d.cli.arguments import sampler_of, split_key
from softd3d.cli.files import is_there, read_input
from softd3d.cli.verbs.convert_image import Layout, read_image
from softd3d.device.registers import Key
from softd3d.device.render.defaults import mipmapped
from softd3d.device.render.targets import check_size
from softd3d.errors import ResourceError
from softd3d.isa.sampling.state import SamplerState
from softd3d.resources.cases.json import json_object
from softd3d.resources.dds.header import Dimension
from softd3d.resources.dds.image import DdsImage
from softd3d.resources.dds.texels import to_texture
from softd3d.resources.textures.texture import Texture
from softd3d.source import MAX_ARRAY_BYTES

__all__ = [
    "Sweep",
    "constants_from",
    "samplers_from",
    "size_of",
    "sweep_of",
    "textures9_from",
    "textures_from",
]

_K = TypeVar("_K")
_SIZE = re.compile(r"(\d{1,9})x(\d{1,9})")
_MOST_FRAMES = 1000
_MIPMAPPED = frozenset({"R8_UNORM", "R16_UNORM", "R8G8B8A8_UNORM"})  # what PNG files become
_PLAIN = Layout(None, 1, 1, is_cube=False, is_volume=False)


@dataclass(frozen=True, slots=True)
class Sweep:
    """A constant and the values it takes, one for each frame."""

    name: str
    values: list[object]


def size_of(text: str, samples: int = 1) -> tuple[int, int]:
    """Read WxH. samples: of a pixel.

    Raises:
        ResourceError: it is no size, or a picture of it is too large.

    >>> size_of("640x360")
    (640, 360)
    """
    match = _SIZE.fullmatch(text)
    if match is None:
        raise ResourceError(f"--size: found {text!r:.40}, wanted WxH such as 640x360")
    width, height = int(match[1]), int(match[2])
    check_size(width, height, samples, "--")
    return width, height


def sweep_of(text: str) -> Sweep:
    """Read NAME=FROM:TO:COUNT; FROM and TO are numbers, or lists of as many.

    Values between whole numbers stay whole if all of them are, as integer constants want them.

    Raises:
        ResourceError: it is no sweep.

    >>> sweep_of("time=0:1:3").values
    [0.0, 0.5, 1.0]
    """
    name, _, rest = text.partition("=")
    parts = rest.split(":")
    wanted = "wanted NAME=FROM:TO:COUNT such as time=0:1:30"
    if not name or len(parts) != 3 or not re.fullmatch(r"\d{1,4}", parts[2]):
        raise ResourceError(f"--sweep: found {text!r:.60}, {wanted}")
    first, last = (np.asarray(_json(part, "--sweep")) for part in parts[:2])
    count = int(parts[2])
    if not 1 <= count <= _MOST_FRAMES:
        raise ResourceError(f"--sweep: found {count} frames, wanted 1 to {_MOST_FRAMES}")
    if first.shape != last.shape or any(end.dtype.kind not in "iuf" for end in (first, last)):
        raise ResourceError(f"--sweep: found {parts[0]!r:.20} and {parts[1]!r:.20}, {wanted}")
    values = np.linspace(first, last, count)
    if all(end.dtype.kind in "iu" for end in (first, last)) and bool((values % 1 == 0).all()):
        values = values.astype(np.int64)
    return Sweep(name, list(values.tolist()))


def constants_from(texts: tuple[str, ...]) -> dict[str, object]:
    """Collect JSON files with names and values, and NAME=VALUE; later ones win.

    Raises:
        ResourceError: a text or file is malformed. OSError: a file cannot be read.

    >>> constants_from(("tint=[1, 0, 0]", "gain=2"))
    {'tint': [1, 0, 0], 'gain': 2}
    """
    found: dict[str, object] = {}
    for text in texts:
        if "=" in text and not is_there(text):
            name, _, value = text.partition("=")
            found[name] = _json(value, f"--constants {name}")
            continue
        if text != "-" and not is_there(text) and not text.endswith(".json"):
            raise ResourceError(
                f"--constants: found {text!r:.60}, wanted NAME=VALUE or the name of a JSON file"
            )
        found.update(json_object(read_input(text), text))
    return found


def textures_from(texts: tuple[str, ...]) -> tuple[dict[Key, object], list[str]]:
    """Read KEY=FILE: DDS, PNG, EXR or NumPy files as textures, and warnings; `none` for no texture.

    A picture of one level gets mips where its format can be filtered so.

    Raises:
        ResourceError: a text or file is malformed. OSError: a file cannot be read.
    """
    return _read_textures([_split(text, "--texture") for text in texts], _texture)


def textures9_from(texts: tuple[str, ...]) -> tuple[dict[str, object], list[str]]:
    """Read NAME=FILE as textures of Direct3D 9, for parameters of effects; `none` for no texture.

    Raises:
        ResourceError: a text or file is malformed. OSError: a file cannot be read.
    """
    from softd3d.device.effects9.textures import texture_of_image  # noqa: PLC0415 - for effects

    parts = [text.partition("=") for text in texts]
    for name, equals, file in parts:
        if not (name and equals and file):
            raise ResourceError(f"--texture: found {name!r:.40}, wanted NAME=FILE")
    return _read_textures([(name, file) for name, _, file in parts], texture_of_image)


def _read_textures(
    files: list[tuple[_K, str]], made: Callable[[DdsImage], object]
) -> tuple[dict[_K, object], list[str]]:
    """Return what is made of images in files, by key, and warnings."""
    found: dict[_K, object] = {}
    warnings: list[str] = []
    for key, name in files:
        if name == "none":
            found[key] = None
            continue
        data = read_input(name, MAX_ARRAY_BYTES)
        try:
            image, said = read_image(data, name, _PLAIN, None, strict=False, wanted=None, hint="")
            found[key] = made(image)
        except ResourceError as error:
            raise ResourceError(f"{name}: {error.message}", error.location) from None
        warnings += [f"{name}: {warning}" for warning in said]
    return found, warnings


def samplers_from(texts: tuple[str, ...]) -> dict[Key, SamplerState | None]:
    """Read KEY=FILTER[:ADDRESS][:NAME=VALUE...]."""
    return {key: sampler_of(value) for key, value in (_split(t, "--sampler") for t in texts)}


def _split(text: str, option: str) -> tuple[Key, str]:
    try:
        return split_key(text)
    except ResourceError as error:
        raise ResourceError(f"{option}: {error.message}") from None


def _texture(image: DdsImage) -> Texture:
    is_flat = image.dimension is Dimension.TEXTURE2D and image.slices == image.mips == 1
    if is_flat and image.format.name in _MIPMAPPED:
        return mipmapped(to_texture(image).array, image.format.name)
    return to_texture(image)


def _json(text: str, what: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        raise ResourceError(
            f"{what}: found {text!r:.40}, wanted a number or a list such as [1, 2]"
        ) from None
