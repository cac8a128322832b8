"""How many vectors of lanes a wave of fragments has, that are shaded in step.

One vector waits for results most of the time. CPU time of the kit's draws with 1, 2, 4 vectors, ms:
heavy 196, 129, 102; mesh 72, 62, 68; small 255, 223; fill 210, 210, 215.
"""

from __future__ import annotations

from softd3d.isa.row import Kind
from softd3d.lower.structure import analyse
from softd3d.lower.tree import Call, Loop, Operation, Switch
from softd3d.pipeline.prepared import PreparedDraw
from softd3d.pipeline.primitives.effects import writes_views

__all__ = ["vectors_shaded"]

_MOST_IN_PAIRS = 200  # items: what is longer fills the time itself, and takes long to compile
_MOST_IN_FOUR = 60


def vectors_shaded(draw: PreparedDraw) -> int:
    """Return how many vectors suit a draw's pixel shader."""
    pixel = draw.pixel
    if pixel is None or writes_views(pixel):
        return 1
    structure = analyse(pixel.program, pixel.linkage)
    items = list(structure.every())
    if structure.messages or len(items) > _MOST_IN_PAIRS or any(map(_branches, items)):
        return 1
    computes = not any(isinstance(i, Operation) and i.row.kind is Kind.EFFECT for i in items)
    loops = any(isinstance(item, Loop) for item in items)
    return 4 if loops and computes and len(items) <= _MOST_IN_FOUR else 2


def _branches(item: object) -> bool:
    """Whether lanes that go different ways make an item dearer in wide waves."""
    return isinstance(item, Call | Switch)
