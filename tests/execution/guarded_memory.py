"""Arrays beside pages that nobody may touch: an access one byte outside ends the process.

Only for processes that may die: tests run scripts that use this.
"""

from __future__ import annotations

import ctypes
import mmap
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from softd3d.resources.textures.texture import Texture

__all__ = ["Guarded", "guarded", "relocate"]

_PAGE = mmap.PAGESIZE
_CANARY = 0xA5
_PROT_NONE = 0
_libc = ctypes.CDLL(None, use_errno=True)
_libc.mprotect.argtypes = (ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int)


@dataclass(frozen=True)
class Guarded:
    """An array at an end of its pages. slack: the rest of them, filled with a pattern."""

    array: NDArray[np.uint8]
    slack: NDArray[np.uint8]
    mapping: mmap.mmap

    @property
    def is_intact(self) -> bool:
        """Whether nothing was written beside the array, as far as there are pages."""
        return bool((self.slack == _CANARY).all())


def guarded(size: int, *, at_end: bool) -> Guarded:
    """Return `size` bytes that end at a protected page, or begin right behind one.

    There is one on the other side as well, behind what is left of the pages.
    """
    pages = max(1, -(-size // _PAGE))
    mapping = mmap.mmap(-1, (pages + 2) * _PAGE)
    whole = np.frombuffer(mapping, np.uint8)
    inner = whole[_PAGE : (pages + 1) * _PAGE]
    inner[...] = _CANARY
    start = whole.ctypes.data
    for page in (start, start + (pages + 1) * _PAGE):
        if _libc.mprotect(page, _PAGE, _PROT_NONE):
            raise OSError(ctypes.get_errno(), "mprotect")
    split = inner.size - size if at_end else size
    array, slack = (inner[split:], inner[:split]) if at_end else (inner[:split], inner[split:])
    return Guarded(array, slack, mapping)


def relocate(resource: Any, *, at_end: bool) -> Guarded:
    """Move a resource's memory between protected pages, contents included."""
    # Depth formats have no view for shaders, so these are not asked for one.
    descriptor = resource.whole if isinstance(resource, Texture) else resource.describe()
    memory = guarded(descriptor.data.size, at_end=at_end)
    memory.array[...] = descriptor.data
    resource._descriptor = replace(descriptor, data=memory.array)
    return memory
