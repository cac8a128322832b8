"""The thread ids of a wave: their shapes, what parts of a wave share, and the code for them."""

from __future__ import annotations

from softd3d.ir.analysis import VARYING, Shape, Shapes, analyse_shapes
from softd3d.ir.graph import Graph
from softd3d.jit.effects import Inputs
from softd3d.jit.types import iota
from softd3d.jit.writer import Writer

__all__ = ["differing_inputs", "emit_inputs", "part_shapes"]


def part_shapes(graph: Graph, size: tuple[int, int, int], lanes: int, parts: int) -> Shapes:
    """Return the shapes in a part of a wave, which know those in the whole wave."""
    whole_inputs = _input_shapes(size, lanes * parts)
    whole = analyse_shapes(graph, whole_inputs)
    if parts == 1:
        return whole
    mask = {"lane_mask": whole_inputs["lane_mask"]}
    return analyse_shapes(graph, _input_shapes(size, lanes) | mask, whole)


def differing_inputs(size: tuple[int, int, int], lanes: int, parts: int) -> frozenset[str]:
    """Return the inputs that are not the same in all parts of a wave."""
    x, y, z = size
    same = {f"group.{c}" for c in "xyz"}
    if lanes % x == 0 and y * z > 1:
        same.add("local.x")
    if lanes % (x * y) == 0 and z > 1:
        same.add("local.y")
    if x * y * z % (lanes * parts) == 0:
        same.add("lane_mask")
    return frozenset(_input_shapes(size, lanes)) - same


def _input_shapes(size: tuple[int, int, int], lanes: int) -> dict[str, Shape]:
    x, y, z = size
    shapes: dict[str, Shape] = {f"group.{c}": 0 for c in "xyz"}
    shapes["flat"] = 1
    shapes["lane_mask"] = 0 if x * y * z % lanes == 0 else VARYING
    if y * z == 1:
        local: tuple[Shape, ...] = (1, 0, 0)
    elif x % lanes == 0:
        local = (1, 0, 0)
    elif x * y % lanes == 0:
        local = (VARYING, VARYING, 0)
    else:
        local = (VARYING,) * 3
    return shapes | {f"local.{c}": s for c, s in zip("xyz", local, strict=True)}


def emit_inputs(w: Writer, size: tuple[int, int, int], lanes: int, parts: int, part: int) -> Inputs:
    """Emit thread ids of a part; return names in the form that their shapes say."""
    x, y, z = size
    names: Inputs = {f"group.{c}": (f"%group_{c}", None) for c in "xyz"}
    first = w.emit(f"mul i32 %wave, {lanes * parts}")
    if part:
        first = w.emit(f"add i32 {first}, {lanes * part}")
    names["flat"] = (first, None)
    vector = f"<{lanes} x i32>"
    flat = w.emit(f"add {vector} {w.splat('i32', first)}, {iota(lanes)}")
    if x * y * z % (lanes * parts) == 0:
        names["lane_mask"] = ("true", None)
    else:
        count = w.splat("i32", str(x * y * z))
        names["lane_mask"] = (None, w.emit(f"icmp ult {vector} {flat}, {count}"))
    shapes = _input_shapes(size, lanes)
    for c, divisor, modulus in (("x", 1, x), ("y", x, y), ("z", x * y, z)):
        scalar = shapes[f"local.{c}"] is not VARYING
        ty, value = ("i32", first) if scalar else (vector, flat)
        a, b = (str(n) if scalar else w.splat("i32", str(n)) for n in (divisor, modulus))
        value = w.emit(f"udiv {ty} {value}, {a}")
        if c == "x" and y * z == 1:
            pass  # a row: the position is the flat index itself
        else:
            value = w.emit(f"urem {ty} {value}, {b}")
        names[f"local.{c}"] = (value, None) if scalar else (None, value)
    return names
