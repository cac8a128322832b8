"""Outputs of vertices as the arrays that the next stage reads: [primitive][vertex][register][4]."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from softd3d.lower.stage_memory import StageArray
from softd3d.pipeline.primitives.blocks import Block
from softd3d.pipeline.primitives.means import Means
from softd3d.pipeline.primitives.records import Numbers
from softd3d.pipeline.primitives.vertex_rows import VertexRows, register_words

__all__ = ["fitted", "gathered", "output_words"]


def output_words(outputs: Mapping[str, Numbers], count: int, registers: int) -> Numbers:
    """Return outputs of `count` vertices as rows of o0 to the last register, what lacks as 0."""
    if isinstance(outputs, VertexRows) and _are_registers(outputs, registers):
        return outputs.rows
    found = np.zeros((count, 4 * registers), np.uint32)
    for name, word in register_words(registers).items():
        if name in outputs:
            found[:, word] = outputs[name]
    return found


def gathered(block: Block, array: StageArray, means: Means) -> Numbers:
    """Return the array of primitives with the vertices of a block."""
    outputs, where = block.outputs, block.where
    shape = where.shape[1], where.shape[0], 4 * array.registers
    if isinstance(outputs, VertexRows) and _are_registers(outputs, array.registers):
        if block.in_order:
            return fitted(outputs.rows.reshape(shape), array)
        found = means.dwords(array.name, where.size * shape[2]).reshape(-1, shape[2])
        means.move(outputs.rows, found, [(0, 0, shape[2])], where)
        return fitted(found.reshape(shape), array)
    count = next((output.size for output in outputs.values()), 0)
    if count and where.size > count:  # vertices are shared: rows of them are copied
        return fitted(output_words(outputs, count, array.registers)[where.T], array)
    found = np.zeros(shape, np.uint32)
    for name, word in register_words(array.registers).items():
        if name in outputs:
            found[:, :, word] = outputs[name][where.T]
    return fitted(found, array)


def _are_registers(outputs: VertexRows, registers: int) -> bool:
    """Whether rows are just o0 to the last register."""
    return outputs.words == register_words(registers)


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
