"""What a text could be for the assembler, and of which family of shader models."""

from __future__ import annotations

import re

from softd3d.container.listing.exact import is_exact_listing

__all__ = ["is_legacy", "is_listing"]

# What numbering a listing has before the version; bounded, as is all that a text may be
_NUMBERING = r"^[ \t]{0,64}(?:\d{1,8}:?[ \t]{0,8})?(?:0x[0-9a-f]{1,8}:[ \t]{0,8})?"
_FLAGS = re.IGNORECASE | re.MULTILINE
# Listings of level 9 shaders have code of both families; the modern one counts.
_MODERN = re.compile(_NUMBERING + r"[a-z]{1,4}_[45]_[01]\b", _FLAGS)
_LEGACY = re.compile(_NUMBERING + r"[vp]s[_.][123][_.]\w", _FLAGS)


def is_listing(text: str) -> bool:
    r"""Tell whether a text could be meant for the assembler: it names a version.

    >>> is_listing("// made by hand\nps_2_0\n"), is_listing("hello")
    (True, False)
    """
    return is_exact_listing(text) or any(p.search(text) for p in (_MODERN, _LEGACY))


def is_legacy(text: str) -> bool:
    r"""Tell whether a text is of shader model 1 to 3.

    >>> is_legacy("ps_2_0"), is_legacy("    ps_2_0\n    ret\nps_4_0"), is_legacy("hello")
    (True, False, False)
    """
    is_modern = is_exact_listing(text) or _MODERN.search(text) is not None
    return not is_modern and _LEGACY.search(text) is not None
