"""Outputs of vertices as the arrays that the next stage reads: [primitive][vertex][register][4]."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np

from softd3d.isa.sm4.enums import OperandType
from softd3d.lower.stage import component_name, register_name
from softd3d.lower.stage_memory import StageArray
from softd3d.pipeline.primitives.records import Indices, Numbers

__all__ = ["fitted", "gathered", "output_words"]


def output_words(outputs: Mapping[str, Numbers], count: int, registers: int) -> Numbers:
    """Return outputs of `count` vertices as rows of o0 to the last register, what lacks as 0."""
    found = np.zeros((count, 4 * registers), np.uint32)
    for word, output in _columns(outputs, registers):
        found[:, word] = output
    return found


def gathered(outputs: Mapping[str, Numbers], where: Indices, array: StageArray) -> Numbers:
    """Return the array of primitives whose vertices are at `where`, (corners, primitives)."""
    count = next((output.size for output in outputs.values()), 0)
    if count and where.size > count:  # vertices are shared: rows of them are copied
        return fitted(output_words(outputs, count, array.registers)[where.T], array)
    found = np.zeros((where.shape[1], where.shape[0], array.words), np.uint32)
    for word, output in _columns(outputs, array.registers):
        found[:, :, word] = output[where.T]
    return fitted(found, array)


def _columns(outputs: Mapping[str, Numbers], registers: int) -> Iterator[tuple[int, Numbers]]:
    """Yield the words of o0 to the last register that there are."""
    for register in range(registers):
        for component in range(4):
            name = component_name(register_name(OperandType.OUTPUT, register), component)
            if name in outputs:
                yield 4 * register + component, outputs[name]


def fitted(words: Numbers, array: StageArray) -> Numbers:
    """Return an array with the vertices and registers of a layout, what lacks as 0.

    words: (primitives, vertices, words), or (primitives, words) of patch constants.
    """
    if words.shape[1:] == array.shape:
        return np.ascontiguousarray(words)
    found = np.zeros((words.shape[0], *array.shape), np.uint32)
    common = tuple(
        slice(min(a, b)) for a, b in zip(words.shape[1:], array.shape, strict=True)
    )  # fmt: skip
    found[:, *common] = words[:, *common]
    return found
