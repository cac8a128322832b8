"""Lighting: what a vertex program has for each light, and for the material.

Spec: win32 "Ambient Lighting", "Diffuse Lighting", "Specular Lighting", "Emissive Lighting",
"Attenuation and Spotlight Factor". The viewer at infinity looks along z, as cards have it.
"""

from __future__ import annotations

from softd3d.classes import dataclass
from softd3d.isa.d3d9.enums import LightType, MaterialColorSource
from softd3d.pipeline.fixed9.eye_space import HUGE, EyeSpace, length, normalize
from softd3d.pipeline.fixed9.vertex_key import VertexKey
from softd3d.pipeline.fixed9.writer import Writer

__all__ = ["write_colors"]

_SOURCES = {MaterialColorSource.COLOR1: "color", MaterialColorSource.COLOR2: "color1"}


def write_colors(w: Writer, key: VertexKey, eye: EyeSpace | None) -> None:
    """Write COLOR0 and COLOR1; eye: None where nothing is lit."""
    if eye is None or key.lights is None:
        _plain_diffuse(w, key)
        _plain_specular(w, key)
        return
    sums = _lit(w, key, eye)
    w.note("colours")
    diffuse, ambient, specular, emissive = key.sources
    own = _material(w, "diffuse", diffuse)
    output = w.output("color")
    with w.scope():
        total = w.temporary()
        w.emit("mul", f"{total}.xyz", _material(w, "ambient", ambient), sums.ambient)
        w.emit("add", f"{total}.xyz", total, _material(w, "emissive", emissive))
        if sums.diffuse:
            w.emit("mad", f"{total}.xyz", own, sums.diffuse, total)
        w.emit("mov_sat", f"{output}.xyz", total)
        w.emit("mov_sat", f"{output}.w", f"{own}.w")
    if not key.has_specular:
        _plain_specular(w, key)
    elif sums.specular:
        shine = _material(w, "specular", specular)
        w.emit("mul_sat", w.output("color1"), shine, sums.specular)
    else:
        w.emit("mov", w.output("color1"), w.number(0.0))


def _material(w: Writer, name: str, source: int) -> str:
    """Return a colour of the material, which may be one of the vertex."""
    if source:
        return w.input(_SOURCES[MaterialColorSource(source)])
    return w.constant(f"material_{name}")


def _plain_diffuse(w: Writer, key: VertexKey) -> None:
    w.note("colours")
    given = w.input("color") if key.has_colors[0] else w.number(1.0)
    w.emit("mov_sat", w.output("color"), given)


def _plain_specular(w: Writer, key: VertexKey) -> None:
    given = w.input("color1") if key.has_colors[1] else w.number(0.0)
    w.emit("mov_sat", w.output("color1"), given)


@dataclass(slots=True)
class _Sums:
    """Registers with what the lights give; empty where none gives anything."""

    ambient: str
    diffuse: str = ""
    specular: str = ""


@dataclass(frozen=True, slots=True)
class _Lamp:
    """A light at a vertex: which it is, where it is from there, its intensity if not 1."""

    index: int
    direction: str
    intensity: str


def _lit(w: Writer, key: VertexKey, eye: EyeSpace) -> _Sums:
    """Write the sums over all lights."""
    lights = key.lights or ()
    ambient = w.constant("ambient")
    if not lights:
        return _Sums(ambient)
    normal = eye.normal
    w.note("sums of lights: ambient, diffuse, specular")
    sums = _Sums(w.temporary())
    w.emit("mov", sums.ambient, ambient)
    if normal is not None:
        sums.diffuse = w.temporary()
        w.emit("mov", sums.diffuse, w.number(0.0))
        if key.has_specular:
            sums.specular = w.temporary()
            w.emit("mov", sums.specular, w.number(0.0))
    if any(kind != LightType.DIRECTIONAL for kind in lights):
        _ = eye.position  # kept beyond a light's scope
    if sums.specular and key.is_local:
        _ = eye.direction
    for index, kind in enumerate(lights):
        w.note(f"light {index}: {LightType(kind).name.lower()}")
        with w.scope():
            lamp = _lamp(w, index, kind, eye)
            _add_light(w, lamp, sums, normal, eye if key.is_local else None)
    return sums


def _lamp(w: Writer, index: int, kind: int, eye: EyeSpace) -> _Lamp:
    if kind == LightType.DIRECTIONAL:
        return _Lamp(index, w.constant("light_direction", index), "")
    to_light, a = w.temporary(), w.temporary()
    place, factors = w.constant("light_position", index), w.constant("light_attenuation", index)
    w.emit("add", f"{to_light}.xyz", place, f"-{eye.position}")
    length(w, to_light, a)
    w.emit("mul", f"{to_light}.xyz", to_light, f"{a}.x")
    # 1 / (a0 + a1 d + a2 d d), nothing out of range, which is in the position's w
    w.emit("mad", f"{a}.z", f"{a}.y", f"{factors}.z", f"{factors}.y")
    w.emit("mad", f"{a}.z", f"{a}.z", f"{a}.y", f"{factors}.x")
    w.emit("rcp", f"{a}.z", f"{a}.z")
    w.emit("min", f"{a}.z", f"{a}.z", w.number(HUGE))
    w.emit("sge", f"{a}.w", f"{place}.w", f"{a}.y")
    w.emit("mul", f"{a}.z", f"{a}.z", f"{a}.w")
    if kind == LightType.SPOT:
        _spot(w, index, to_light, a)
    return _Lamp(index, to_light, f"{a}.z")


def _spot(w: Writer, index: int, to_light: str, a: str) -> None:
    """Multiply the intensity in z: 1 inside of the inner cone, 0 outside of the outer one."""
    axis, cone = w.constant("light_direction", index), w.constant("light_cone", index)
    w.emit("dp3", f"{a}.x", to_light, axis)
    w.emit("mov", f"{a}.y", w.number(0.0))
    w.emit("setp_gt", "p0.xy", f"{a}.x", cone)
    w.emit("add", f"{a}.x", f"{a}.x", f"-{cone}.x")
    w.emit("mul_sat", f"{a}.x", f"{a}.x", f"{cone}.z")
    w.emit("pow", f"{a}.y", f"{a}.x", f"{cone}.w", when="p0.x")
    w.emit("mov", f"{a}.y", w.number(1.0), when="p0.y")
    w.emit("mul", f"{a}.z", f"{a}.z", f"{a}.y")


def _add_light(
    w: Writer, lamp: _Lamp, sums: _Sums, normal: str | None, local: EyeSpace | None
) -> None:
    """Add a light to the sums; local: the eye, where it is not far away."""
    _accumulate(w, sums.ambient, w.constant("light_ambient", lamp.index), lamp.intensity)
    if normal is None:
        return
    n = w.temporary()
    w.emit("dp3_sat", f"{n}.x", normal, lamp.direction)
    intensity = f"{n}.x"
    if lamp.intensity:
        intensity = f"{n}.z"
        w.emit("mul", intensity, f"{n}.x", lamp.intensity)
    _accumulate(w, sums.diffuse, w.constant("light_diffuse", lamp.index), intensity)
    if not sums.specular:
        return
    halfway = w.temporary()
    back = f"-{local.direction}" if local else w.vector(0.0, 0.0, -1.0)
    w.emit("add", f"{halfway}.xyz", lamp.direction, back)
    normalize(w, halfway, halfway)
    w.emit("dp3", f"{n}.y", normal, halfway)
    w.emit("min", f"{n}.w", f"{n}.x", f"{n}.y")
    w.emit("setp_gt", "p0.x", f"{n}.w", w.number(0.0))
    w.emit("pow", f"{n}.y", f"{n}.y", f"{w.constant('material_power')}.x")
    if lamp.intensity:
        w.emit("mul", f"{n}.y", f"{n}.y", lamp.intensity)
    color = w.constant("light_specular", lamp.index)
    w.emit("mad", sums.specular, color, f"{n}.y", sums.specular, when="p0.x")


def _accumulate(w: Writer, total: str, color: str, intensity: str) -> None:
    if intensity:
        w.emit("mad", total, color, intensity, total)
    else:
        w.emit("add", total, color, total)
