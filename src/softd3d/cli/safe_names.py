"""Names of new files that are made of names which others chose."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable
from pathlib import PurePath

__all__ = ["safe_path", "safe_words"]

_MOST_BYTES = 200  # of a name in UTF-8; file systems take 255, and a suffix follows some
_MOST_PARTS = 32
_DIGITS = 8
# What Windows refuses, and what steers a terminal
_UNSAFE = re.compile(
    '[\x00-\x1f\x7f-\x9f<>:"|?*\\\\/\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff\ud800-\udfff]'
)
# Names of devices on Windows, whatever their extension
_RESERVED = re.compile(r"(?:con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³])(?:\..*)?", re.IGNORECASE)
_NOT_PLAIN = re.compile(r"[^A-Za-z0-9_.-]+")


def safe_path(parts: Iterable[str], suffix: str) -> PurePath:
    r"""Return a relative path of the parts, the last with the suffix, that any system takes.

    No part leads out of the folder. What had to be changed or cut gets digits of the whole path's
    hash, so that different paths stay different.

    >>> safe_path(["..", "a.zip", "b.cso"], "@0x0.dxbc").as_posix()
    'a.zip/b.cso@0x0.dxbc'
    >>> safe_path(["CON"], ".bin").as_posix()
    '_CON~a3dbc4b6.bin'
    """
    wanted = [part for part in parts if part not in {"", ".", "..", "/"}]
    digest = hashlib.sha256("/".join(wanted).encode("utf-8", "surrogatepass")).hexdigest()
    names = [_safe(part) for part in wanted[-_MOST_PARTS:]] or ["unnamed"]
    if names != wanted:
        names[-1] = f"{names[-1]}~{digest[:_DIGITS]}"
    return PurePath(*names[:-1], names[-1] + suffix)


def safe_words(text: str) -> str:
    """Return a short name of letters, digits, `_`, `-` and `.` for a text.

    >>> safe_words("technique t0, pass p0")
    'technique_t0_pass_p0'
    """
    return _NOT_PLAIN.sub("_", text).strip("_")[:80]


def _safe(part: str) -> str:
    name = _UNSAFE.sub("_", part).rstrip(". ") or "_"
    if _RESERVED.fullmatch(name):
        name = f"_{name}"
    return name.encode()[:_MOST_BYTES].decode("utf-8", "ignore")
