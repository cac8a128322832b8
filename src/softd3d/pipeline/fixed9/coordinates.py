"""Texture coordinates: sets of the vertex or generated ones, and their matrices.

Spec: win32 D3DTEXTURESTAGESTATETYPE (TEXCOORDINDEX, TEXTURETRANSFORMFLAGS), "Texture Coordinate
Transformations".
"""

from __future__ import annotations

from collections.abc import Sequence

from softd3d.isa.d3d9.enums import TextureCoordinates
from softd3d.pipeline.fixed9.eye_space import TINY, EyeSpace
from softd3d.pipeline.fixed9.vertex_key import Coordinates
from softd3d.pipeline.fixed9.writer import Writer

__all__ = ["write_coordinates"]

_COMPONENTS = "xyzw"
_GENERATE = TextureCoordinates


def write_coordinates(w: Writer, coordinates: Sequence[Coordinates], eye: EyeSpace | None) -> None:
    """Write the TEXCOORD outputs of all stages; eye: None for processed vertices."""
    for c in coordinates:
        output = w.output(_usage("texcoord", c.stage))
        w.note(f"coordinates of stage {c.stage}")
        if not c.size:
            w.emit("mov", output, w.number(0.0))
            continue
        base = w.input(_usage("texcoord", c.set)) if not c.generator or eye is None else None
        generated = _generated(w, c.generator, eye) if base is None and eye is not None else ""
        with w.scope():
            source, size = base or generated, c.size
            if c.count:
                source, size = _transformed(w, c, source), c.count
            _kept(w, output, source, size, is_projected=c.is_projected)


def _usage(name: str, index: int) -> str:
    return f"{name}{index or ''}"


def _kept(w: Writer, output: str, source: str, size: int, *, is_projected: bool) -> None:
    """Write the components that count, 0 for others, and the divisor in w."""
    if size == len(_COMPONENTS):
        w.emit("mov", output, source)
        return
    zeros = _COMPONENTS[size:-1] if is_projected else _COMPONENTS[size:]
    w.emit("mov", f"{output}.{_COMPONENTS[:size]}", source)
    if zeros:
        w.emit("mov", f"{output}.{zeros}", w.number(0.0))
    if is_projected:
        w.emit("mov", f"{output}.w", f"{source}.{_COMPONENTS[size - 1]}")


def _transformed(w: Writer, c: Coordinates, source: str) -> str:
    """Write the product with the stage's matrix; behind what is given comes 1, then 0."""
    given, target = source, w.temporary()
    if c.size < len(_COMPONENTS):
        given = w.temporary()
        w.emit("mov", given, w.number(0.0))
        w.emit("mov", f"{given}.{_COMPONENTS[: c.size]}", source)
        w.emit("mov", f"{given}.{_COMPONENTS[c.size]}", w.number(1.0))
    first = int(w.constant("texture_matrix", c.stage, len(_COMPONENTS))[1:])
    for number in range(c.count):
        w.emit("dp4", f"{target}.{_COMPONENTS[number]}", given, f"c{first + number}")
    return target


def _generated(w: Writer, generator: int, eye: EyeSpace) -> str:
    """Return a register with a direction or a position of eye space."""
    match generator:
        case _GENERATE.CAMERASPACENORMAL:
            return eye.normal or w.vector(0.0, 0.0, 0.0, 0.0)
        case _GENERATE.CAMERASPACEPOSITION:
            return eye.position
        case _GENERATE.CAMERASPACEREFLECTIONVECTOR:
            return eye.reflection
        case _:
            return _sphere(w, eye.reflection)


def _sphere(w: Writer, reflection: str) -> str:
    """Write where on a sphere's picture a reflection is seen: x / m + 1/2 with m = 2 |R + z|."""
    target = w.temporary()
    w.emit("add", f"{target}.xyz", reflection, w.vector(0.0, 0.0, 1.0))
    w.emit("dp3", f"{target}.w", target, target)
    w.emit("max", f"{target}.w", f"{target}.w", w.number(TINY))
    w.emit("rsq", f"{target}.w", f"{target}.w")
    half = w.number(0.5)
    w.emit("mul", f"{target}.w", f"{target}.w", half)
    w.emit("mad", f"{target}.xy", reflection, f"{target}.w", half)
    w.emit("mov", f"{target}.z", w.number(0.0))
    return target
