"""Strips of lines whose last line lights the pixel that it ends in; the others' ends are starts.

Spec: win32 D3DRS_LASTPIXEL.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields, replace

from softd3d.isa.d3d9.enums import PrimitiveType
from softd3d.pipeline.prepared import DrawCall
from softd3d.pipeline.queries import DrawResult, PipelineStatistics

__all__ = ["strip_parts", "together"]


def strip_parts(type_: PrimitiveType, call: DrawCall) -> Iterator[tuple[DrawCall, bool]]:
    """Yield draws that make up a strip, and whether they are its last line, a list of one.

    type_: LINESTRIP, or LINELIST of a strip whose lines were listed. Instances come one by one.

    >>> [(c.start, c.count) for c, _ in strip_parts(PrimitiveType.LINESTRIP, DrawCall(4, start=1))]
    [(1, 3), (3, 2)]
    """
    last_vertices = 2
    step = 1 if type_ is PrimitiveType.LINESTRIP else last_vertices
    for instance in range(call.start_instance, call.start_instance + call.instances):
        one = replace(call, instances=1, start_instance=instance)
        yield replace(one, count=call.count - step), False
        last = call.start + call.count - last_vertices
        yield replace(one, start=last, count=last_vertices), True


def together(a: DrawResult, b: DrawResult) -> DrawResult:
    """Return what two draws, one after the other, report; of shaders without messages."""
    sums = {
        f.name: getattr(a.statistics, f.name) + getattr(b.statistics, f.name)
        for f in fields(PipelineStatistics)
    }
    return replace(
        b, statistics=PipelineStatistics(**sums),
        samples_passed=a.samples_passed + b.samples_passed,
    )  # fmt: skip
