"""ResolveSubresource: the mean of a multisampled texture's samples, texel by texel.

Spec: win32 ID3D11DeviceContext::ResolveSubresource; D3D11.3 section 19.1 for the formats of which
samples can be averaged: no integers, no depth. The order of summation is in `filters.mean`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from softd3d.errors import ResourceError
from softd3d.formats.dxgi import dxgi_format
from softd3d.formats.layout import Format
from softd3d.formats.rules import D3D10, Rules
from softd3d.formats.support import Use, uses
from softd3d.resources.predicate import Predicate, is_skipped
from softd3d.resources.textures.texture import Texture, Texture2D
from softd3d.resources.transfer.conversion import decode, encode
from softd3d.resources.transfer.copies import check_writable
from softd3d.resources.transfer.filters import mean
from softd3d.resources.transfer.regions import Subresource, subresource

__all__ = ["resolve_subresource", "resolved"]

_WHAT = "resolve_subresource"
_BAND = 1 << 18  # samples at a time


def resolve_subresource(
    destination: Texture | NDArray[Any], destination_subresource: int, source: Texture,
    source_subresource: int,
    format: str | int | Format | None = None,  # noqa: A002 - Direct3D's word
    *, predicate: Predicate | None = None,
) -> None:  # fmt: skip
    """Write the mean of the samples of each texel to a texture without samples.

    Numbers are averaged in float32, of sRGB formats as linear ones, and stored as any number is.

    Args:
        destination: a two-dimensional texture that is not multisampled, or an array of texels of
            the source's format.
        destination_subresource: see `subresource_index`.
        source: a multisampled texture.
        source_subresource: see `subresource_index`.
        format: what the texels are. Where a texture is typed, its format; by default that.
        predicate: may skip it.

    Raises:
        ResourceError: textures of other kinds or sizes, formats that do not fit each other, one
            whose samples cannot be averaged; a texture is mapped, the destination read-only.

    >>> from softd3d.resources.textures.texture import Texture2D, Texture2DMS
    >>> samples = Texture2DMS(np.array([[[0.0, 1.0, 1.0, 1.0]]], np.float32), "R32_FLOAT")
    >>> image = Texture2D(np.zeros((1, 1), np.float32), "R32_FLOAT")
    >>> resolve_subresource(image, 0, samples, 0)
    >>> image.array.item()
    0.75
    """
    if is_skipped(predicate):
        return
    target = _checked(destination, source, format)
    there = _unmapped(target, destination_subresource)
    here = _unmapped(source, source_subresource)
    if here.extent != there.extent:
        found = " and ".join(" x ".join(str(n) for n in of.extent[:2]) for of in (here, there))
        raise ResourceError(f"{_WHAT}: found {found} texels, wanted the same dimensions")
    format_ = _checked_format(source.format, target.format, format)
    _, rows, columns, _ = here.units.shape
    samples = here.units.reshape(rows, columns, here.samples, -1)
    for start, band in resolved(samples, format_, D3D10):
        there.units[0, start : start + len(band)] = band


def resolved(
    samples: NDArray[np.uint8], format_: Format, rules: Rules
) -> Iterator[tuple[int, NDArray[np.uint8]]]:
    """Yield bands of rows of texels, each with its first row.

    samples: uint8, (rows, columns, samples, bytes). A band: uint8, (rows, columns, bytes).
    """
    rows, columns, count, size = samples.shape
    step = max(1, _BAND // (columns * count))
    for start in range(0, rows, step):
        band = samples[start : start + step]
        numbers = decode(band if size > 1 else band[..., 0], format_, rules)
        texels = np.ascontiguousarray(encode(mean(numbers, 2), format_, rules))
        yield start, texels.view(np.uint8).reshape(len(band), columns, size)


def _checked(destination: object, source: object, format_: object) -> Texture:
    """Return the destination as a texture; an array has the format in which samples are averaged.

    Raises:
        ResourceError: no textures of the kinds that are wanted.
    """
    if not isinstance(source, Texture) or source.layout.kind.axes != 2:
        raise _unfit(source, "source", "Texture2DMS")
    if isinstance(destination, np.ndarray):
        given = cast("str | int | Format", source.format if format_ is None else format_)
        try:
            there = Texture2D(cast("NDArray[Any]", destination), given)
        except ResourceError as error:
            raise ResourceError(f"{_WHAT}: destination: {error.message}") from None
    elif isinstance(destination, Texture) and destination.layout.kind.axes == 2:
        there = destination
    else:
        raise _unfit(destination, "destination", "Texture2D")
    if source.layout.samples == 1 or there.layout.samples > 1:
        raise ResourceError(
            f"{_WHAT}: found {source.layout.samples} and {there.layout.samples} samples, wanted "
            "several in the source and 1 in the destination"
        )
    check_writable(there, _WHAT)
    return there


def _unfit(found: object, name: str, kind: str) -> ResourceError:
    was = type(found).__name__
    how = '(array, "R8G8B8A8_UNORM")' if isinstance(found, np.ndarray) else ""
    return ResourceError(f"{_WHAT}: found {was} as the {name}, wanted a {kind}{how}")


def _unmapped(texture: Texture, index: int) -> Subresource:
    found = subresource(texture, index)
    if index in texture.mapped:
        raise ResourceError(f"{_WHAT}: {found.name} is mapped")
    return found


def _checked_format(source: Format, destination: Format, given: Any) -> Format:
    """Return the format in which samples are averaged."""
    typed = [f for f in (source, destination) if not f.is_typeless]
    if given is None and not typed:
        raise ResourceError(f"{_WHAT}: found two typeless textures, wanted a format to resolve in")
    format_ = typed[0] if given is None else dxgi_format(given)
    fits = all(f == format_ for f in typed) and all(
        f == format_ or (bool(f.parent) and f.parent == format_.parent)
        for f in (source, destination)
    )
    if not fits or format_.is_typeless:
        raise ResourceError(
            f"{_WHAT}: found {source.name} and {destination.name} resolved as {format_.name}, "
            "wanted one typed format, or a typeless one of its family"
        )
    if Use.MULTISAMPLE_RESOLVE not in uses(format_):
        raise ResourceError(
            f"{_WHAT}: format {format_.name} cannot be resolved (integers, depth and formats that "
            "are not rendered to cannot)"
        )
    return format_
