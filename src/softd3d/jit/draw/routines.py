"""Bookkeeping of draws as native code: routines whose LLVM text is always the same.

A routine is called with a table of 8-byte words: numbers and addresses by name, then its results.
The interpreter's lock is free meanwhile.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from softd3d.classes import dataclass
from softd3d.jit.cache.key import text_key
from softd3d.jit.compiling.compiler import Code
from softd3d.jit.compiling.target import Target, host
from softd3d.jit.engine import CompiledKernel, kernel_of
from softd3d.jit.facts import Facts
from softd3d.jit.running.threads import run_on_threads
from softd3d.jit.runtime import runtime

__all__ = ["Routine"]

_ATTRIBUTES = "attributes #0 = { nounwind }\nattributes #1 = { nounwind alwaysinline }\n"


@dataclass(frozen=True, slots=True)
class _Box:
    """What a routine is given."""

    words: NDArray[np.int64]

    @property
    def address(self) -> int:
        return self.words.ctypes.data


class Routine:
    """A file of `jit/runtime`, what it is given, and how many results it leaves.

    arrays: names whose words are addresses. numbers: names of the words behind these. filled_in:
    what the text has names for.
    """

    def __init__(
        self, name: str, arrays: tuple[str, ...], numbers: tuple[str, ...], results: int = 1,
        **filled_in: object,
    ) -> None:  # fmt: skip
        self.name = name
        self.words = [(n, "ptr") for n in arrays] + [(n, "i64") for n in numbers]
        self.results = results
        self.filled_in = filled_in
        self._known: dict[Target, CompiledKernel] = {}

    def run(self, arrays: tuple[NDArray[Any], ...], *numbers: int) -> list[int]:
        """Call the routine; return its results.

        arrays: alive until it returns; it trusts that they are as large as it takes them to be.
        """
        box = self._box(arrays, numbers)
        self._code().function(box.address)
        return box.words[-self.results :].tolist()

    def run_parts(
        self, arrays: tuple[NDArray[Any], ...], count: int, *numbers: int, threads: int
    ) -> None:
        """Call a routine whose first two numbers say from which item up to which it works.

        Threads share `count` items. The routine leaves no results.
        """
        ends = [count * n // threads for n in range(threads + 1)]
        boxes = [self._box(arrays, (a, b, *numbers)) for a, b in pairwise(ends)]
        if threads == 1:
            self._code().function(boxes[0].address)
        else:  # nothing can be stopped that ends so soon
            run_on_threads(self._code().function, boxes, lambda: None, lambda: None)

    def _box(self, arrays: tuple[NDArray[Any], ...], numbers: Sequence[int]) -> _Box:
        addresses = [array.ctypes.data for array in arrays]
        return _Box(np.array([*addresses, *numbers, *[0] * self.results], np.int64))

    def _code(self) -> Code:
        target = host()
        kernel = self._known.get(target)
        if kernel is None:
            kernel = self._known[target] = kernel_of(text_key(self._text()), self._built)
        return kernel.code

    def _text(self) -> str:
        loads = "".join(
            f"  %{name}_in_box = getelementptr i64, ptr %box, i64 {n}\n"
            f"  %{name} = load {type_}, ptr %{name}_in_box, align 8\n"
            for n, (name, type_) in enumerate(self.words)
        )
        text = runtime(self.name, loads=loads, results=len(self.words), **self.filled_in)
        return text + _ATTRIBUTES

    def _built(self) -> tuple[bytes, Facts]:
        from softd3d.jit.compiling.compiler import compile_text  # noqa: PLC0415 - for LLVM

        return compile_text(self._text(), host(), has_barrier=False)[0], Facts(1, 0, 0)
