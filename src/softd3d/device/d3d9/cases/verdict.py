"""What draw cases of Direct3D 9 leave, compared with what they expect.

docs/cases.md lists tolerances and candidates.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from softd3d.device.d3d9.cases.case import Case9, Found9
from softd3d.errors import Location, ResourceError
from softd3d.formats.d3d9 import d3d9_format
from softd3d.formats.rules import D3D9
from softd3d.resources.transfer.conversion import decode

__all__ = ["Difference9", "candidates9", "differences9", "disagreements9"]

_FLOATS = "A32B32G32R32F"
_MALFORMED = (KeyError, TypeError, ValueError, IndexError, AttributeError)


@dataclass(frozen=True, slots=True)
class Difference9:
    """A pixel, or a query, that is not as wanted. place: none of a query."""

    name: str
    place: tuple[int, int] | None
    expected: str
    found: str

    def __str__(self) -> str:
        where = "" if self.place is None else f" pixel {self.place}"
        return f"{self.name}{where}: expected {self.expected}, found {self.found}"


def differences9(
    case: Case9, found: Found9, changes: Mapping[str, Sequence[Any]] | None = None
) -> tuple[Difference9, ...]:
    """Return what is not as a case expects, within its tolerance.

    changes: of a candidate, by surface: x, y and the pixel's value.

    Raises:
        ResourceError: what the case expects is malformed.
    """
    try:
        bad: list[Difference9] = []
        for name, wanted in case.entry.entry("expected").data.items():
            rows = [list(row) for row in wanted["rows"]]
            for x, y, value in (changes or {}).get(name, ()):
                rows[y][x] = value
            bad += _surface(case, name, wanted["format"], rows, found.surfaces[name])
        for name, count in case.entry.data.get("expected_queries", {}).items():
            if found.queries[name] != count:
                bad.append(Difference9(name, None, str(count), str(found.queries[name])))
    except _MALFORMED as error:
        source = Location(source=str(case.path))
        raise ResourceError(f"expected: {error!r:.80}", source) from error
    return tuple(bad)


def candidates9(case: Case9, found: Found9) -> tuple[str, ...]:
    """Return the sources of a case's other known answers that what was found agrees with."""
    return tuple(
        candidate["source"]
        for candidate in case.entry.data.get("candidates", ())
        if "differences" in candidate and not differences9(case, found, candidate["differences"])
    )


def disagreements9(one: Found9, other: Found9) -> tuple[Difference9, ...]:
    """Return where two runs differ in any bit; any NaN equals any NaN."""
    bad: list[Difference9] = []
    for name, first in one.surfaces.items():
        second = other.surfaces[name]
        for y, x in np.argwhere((first != second).any(axis=tuple(range(2, first.ndim)))):
            a, b = first[y, x].tobytes(), second[y, x].tobytes()
            if not _are_nans(a, b):
                bad.append(Difference9(name, (int(x), int(y)), a.hex(), b.hex()))
    for name, count in one.queries.items():
        if other.queries[name] != count:
            bad.append(Difference9(name, None, str(count), str(other.queries[name])))
    return tuple(bad)


def _are_nans(a: bytes, b: bytes) -> bool:
    """Whether texels of floats differ in NaNs only."""
    if len(a) % 4:
        return False
    x, y = np.frombuffer(a, np.float32), np.frombuffer(b, np.float32)
    return bool(((x.view(np.uint32) == y.view(np.uint32)) | (np.isnan(x) & np.isnan(y))).all())


def _surface(
    case: Case9, name: str, format_: str, rows: list[list[str]], found: NDArray[Any]
) -> list[Difference9]:
    tolerance: dict[str, Any] = case.entry.data["tolerance"]
    form = d3d9_format(format_)
    texts: list[str]
    if form.name == _FLOATS:
        wanted = np.array([[_float_words(texel) for texel in row] for row in rows], np.float32)
        pixels = found.view(np.float32)
        least, part = float(tolerance["abs"]), float(tolerance["rel"])
        near = np.abs(wanted - pixels) <= np.maximum(least, part * np.abs(wanted))
        near |= (wanted == pixels) | (np.isnan(wanted) & np.isnan(pixels))
        texts = [" ".join(f"{n:g}" for n in texel) for texel in pixels.reshape(-1, 4)]
    else:
        wanted = np.array([[_bytes(texel) for texel in row] for row in rows], np.int64)
        numbers = decode(found if found.shape[-1] > 1 else found[..., 0], form, D3D9)
        pixels = np.rint(numbers.astype(np.float64) * 255).astype(np.int64)
        if form.channel("a") is None:
            pixels[..., 3] = 0
        near = np.abs(wanted - pixels) <= tolerance.get("lsb", 0)
        texts = [
            "".join(f"{int(texel[n]):02x}" for n in (3, 0, 1, 2)) for texel in pixels.reshape(-1, 4)
        ]
    if near.shape[:2] != (len(rows), len(rows[0])):
        raise ValueError(f"{name}: found {near.shape} pixels")
    width = len(rows[0])
    places: list[list[int]] = np.argwhere(~near.all(axis=2)).tolist()
    return [Difference9(name, (x, y), rows[y][x], texts[y * width + x]) for y, x in places]


def _float_words(text: str) -> list[float]:
    return np.array([int(word, 16) for word in text.split()], np.uint32).view(np.float32).tolist()


def _bytes(text: str) -> tuple[int, int, int, int]:
    """Return red, green, blue, alpha of AARRGGBB."""
    word = int(text, 16)
    return word >> 16 & 255, word >> 8 & 255, word & 255, word >> 24
