"""The vertex program of a key: positions, colours, coordinates, fog factor and point size.

Spec: win32 D3DRENDERSTATETYPE, "Fog Formulas", "Point Sprites".
"""

from __future__ import annotations

import math

from softd3d.isa.sm1.enums import ProgramType
from softd3d.isa.sm1.limits import limits
from softd3d.pipeline.fixed9.coordinates import write_coordinates
from softd3d.pipeline.fixed9.eye_space import EyeSpace
from softd3d.pipeline.fixed9.lighting import write_colors
from softd3d.pipeline.fixed9.vertex_key import VertexKey
from softd3d.pipeline.fixed9.writer import Generated, Writer

__all__ = ["generate_vertex"]

_OUTPUTS = 12  # o# of vs_3_0; vs_3_sw has more of everything
_LOG2_E = math.log2(math.e)


def generate_vertex(key: VertexKey) -> Generated:
    """Return the vertex program of a key: vs_3_0, or vs_3_sw where that has too few registers."""
    w = Writer()
    eye = None
    if key.is_processed:
        _processed(w)
    else:
        eye = EyeSpace(w, key)
    write_colors(w, key, eye)
    write_coordinates(w, key.coordinates, eye)
    if key.fog is not None:
        _fog(w, key, eye)
    if eye is not None and key.is_point_scaled:
        _scaled_point(w, key, eye)
    elif key.has_point_size:
        w.note("point size")
        w.emit("mov", w.output("psize"), f"{w.input('psize')}.x")
    most = limits(ProgramType.VS, (3, 0)).float_constants
    fits = w.outputs <= _OUTPUTS and w.float_constants <= most
    return w.finish("vs_3_0" if fits else "vs_3_sw")


def _processed(w: Writer) -> None:
    """Write the position that the viewport takes back to what a processed vertex says."""
    given = w.input("positiont")
    w.note("position: from pixels to clip space")
    with w.scope():
        place = w.temporary()
        # w = 1 / rhw, 1 where rhw is 0
        w.emit("rcp", f"{place}.w", f"{given}.w")
        w.emit("setp_eq", "p0.x", f"{given}.w", w.number(0.0))
        w.emit("mov", f"{place}.w", w.number(1.0), when="p0.x")
        w.emit("add", f"{place}.xy", given, f"-{w.constant('viewport_center')}")
        w.emit("mul", f"{place}.xy", place, w.constant("viewport_scale"))
        w.emit("mov", f"{place}.z", f"{given}.z")
        w.emit("mul", f"{place}.xyz", place, f"{place}.w")
        w.emit("mov", w.output("position"), place)


def _fog(w: Writer, key: VertexKey, eye: EyeSpace | None) -> None:
    """Write the fog factor, 1 where there is no fog."""
    output = w.output("fog")
    w.note("fog factor")
    if key.fog == "alpha" or eye is None:
        given = f"{w.input('color1')}.w" if key.has_colors[1] else w.number(0.0)
        w.emit("mov_sat", output, given)
        return
    distance = f"{eye.distance}.y" if key.is_range else f"{eye.position}_abs.z"
    fog = w.constant("fog")
    with w.scope():
        t = f"{w.temporary()}.x"
        match key.fog:
            case "step":
                w.emit("sge", t, f"{fog}.x", distance)
            case "linear":
                w.emit("add", t, f"{fog}.x", f"-{distance}")
                w.emit("mul", t, t, f"{fog}.y")
            case _:
                w.emit("mul", t, distance, f"{fog}.z")
                if key.fog == "exp2":
                    w.emit("mul", t, t, t)
                w.emit("mul", t, t, w.number(_LOG2_E))
                w.emit("exp", t, f"-{t}")
        w.emit("mov_sat", output, t)


def _scaled_point(w: Writer, key: VertexKey, eye: EyeSpace) -> None:
    """Write the size in pixels of a point at its distance."""
    distance = f"{eye.distance}.y"
    w.note("point size, scaled")
    with w.scope():
        t = w.temporary()
        scale, size = w.constant("point_scale"), w.constant("point_size")
        given = f"{w.input('psize')}.x" if key.has_point_size else f"{size}.x"
        w.emit("mul", f"{t}.z", given, f"{size}.y")
        w.emit("mad", f"{t}.x", distance, f"{scale}.z", f"{scale}.y")
        w.emit("mad", f"{t}.x", f"{t}.x", distance, f"{scale}.x")
        w.emit("setp_gt", "p0.x", f"{t}.x", w.number(0.0))
        w.emit("rsq", f"{t}.x", f"{t}.x")
        w.emit("mov", f"{t}.y", f"{size}.z")
        w.emit("mul", f"{t}.y", f"{t}.z", f"{t}.x", when="p0.x")
        w.emit("mov", w.output("psize"), f"{t}.y")
