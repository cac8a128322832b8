"""Frames of `softd3d render`: how many there may be, and the file they become."""

from __future__ import annotations

import io
from typing import Any

import numpy as np
from numpy.typing import NDArray

from softd3d.cli.picture_files import gif_file
from softd3d.cli.png import apng_bytes, png_bytes
from softd3d.cli.render_arguments import Sweep
from softd3d.errors import ResourceError

__all__ = ["check_frames", "frame_error", "frame_file"]

_MOST_PIXELS = 1 << 28


def check_frames(count: int, width: int, height: int) -> None:
    """Refuse animations whose frames need more than a gigabyte.

    Raises:
        ResourceError: they do.
    """
    if count * width * height > _MOST_PIXELS:
        raise ResourceError(
            f"--sweep: found {count} frames of {width} x {height} pixels, wanted at most "
            f"{_MOST_PIXELS} pixels together"
        )


def frame_file(
    suffix: str, colors: NDArray[Any], images: list[NDArray[np.uint8]], rate: int, *, is_sweep: bool
) -> bytes:
    """Return the contents of a file of this kind.

    colors: the numbers of the first frame, for .npy; images: of all frames; rate: frames a second.

    Raises:
        ResourceError: Pillow is missing for a GIF file.
    """
    if suffix == ".npy":
        file = io.BytesIO()
        np.save(file, colors)
        return file.getvalue()
    if suffix == ".gif":
        return gif_file(images, rate)
    return apng_bytes(images, rate) if is_sweep else png_bytes(images[0])


def frame_error(error: ResourceError, sweep: Sweep | None) -> ResourceError:
    """Return what to tell of an error in a frame: of a swept constant, that it was the sweep."""
    if sweep is None or f"{sweep.name}: " not in error.message:
        return error
    return ResourceError(
        f"--sweep: {error.message}; for a vector, FROM and TO are lists such as "
        f"{sweep.name}=[0,0]:[1,1]:30"
    )
