"""Vertices in eye space: position, normal and what is made of them, each written when asked for.

Spec: win32 "Geometry Blending", "Vertex Tweening", D3DRENDERSTATETYPE (VERTEXBLEND,
INDEXEDVERTEXBLENDENABLE, TWEENFACTOR, NORMALIZENORMALS).
"""

from __future__ import annotations

from softd3d.isa.d3d9.enums import DeclType
from softd3d.isa.sm1.limits import WORLD_MATRICES
from softd3d.pipeline.fixed9.vertex_key import VertexKey
from softd3d.pipeline.fixed9.writer import Writer

__all__ = ["HUGE", "TINY", "EyeSpace", "length", "normalize"]

TINY, HUGE = 1.17549435e-38, 3.40282347e38
"""The least and the largest float32: a squared length between them has a finite inverse root."""
_MATRIX = 4
_ROWS_OF_NORMALS = 3
_COMPONENTS = "xyzw"
_BYTE = 255.0
_NO_POSITION = (0.0, 0.0, 0.0, 1.0)
_COLOR_ORDER = "zyxw"
"""A D3DCOLOR has its lowest byte in z."""


def length(w: Writer, vector: str, root: str) -> None:
    """Write 1 / |vector| to root.x and |vector| to root.y; of 0 they are a large number and 0."""
    w.emit("dp3", f"{root}.y", vector, vector)
    w.emit("min", f"{root}.y", f"{root}.y", w.number(HUGE))
    w.emit("max", f"{root}.x", f"{root}.y", w.number(TINY))
    w.emit("rsq", f"{root}.x", f"{root}.x")
    w.emit("mul", f"{root}.y", f"{root}.y", f"{root}.x")


def normalize(w: Writer, target: str, vector: str) -> None:
    """Write a vector of length 1; 0 stays 0, which `nrm` does not promise in all profiles."""
    with w.scope():
        root = w.temporary()
        w.emit("dp3", f"{root}.w", vector, vector)
        w.emit("max", f"{root}.w", f"{root}.w", w.number(TINY))
        w.emit("rsq", f"{root}.w", f"{root}.w")
        w.emit("mul", f"{target}.xyz", vector, f"{root}.w")


class EyeSpace:
    """Registers of a vertex in eye space. To be asked for outside of `Writer.scope`."""

    def __init__(self, w: Writer, key: VertexKey) -> None:
        self._w, self._key = w, key
        self._known: dict[str, str] = {}
        self._given = self._tweened("position", 0) if key.has_position else w.vector(*_NO_POSITION)
        if self._is_blended:
            self._known["vertex"] = self._blended()
            w.note("position: projection")
            w.emit(
                "m4x4", w.output("position"), self.vertex, w.constant("projection", rows=_MATRIX)
            )
        else:
            w.note("position: world, view and projection")
            matrix = w.constant("world_view_projection", rows=_MATRIX)
            w.emit("m4x4", w.output("position"), self._given, matrix)

    @property
    def _is_blended(self) -> bool:
        weights = self._key.weights
        return weights is not None and (weights > 0 or self._key.indices is not None)

    def _tweened(self, usage: str, which: int) -> str:
        """Return an element, or what lies between it and the one that it moves to."""
        w, first = self._w, self._w.input(usage)
        if self._key.tweens is None or not self._key.tweens[which]:
            return first
        target = w.temporary()
        w.note(f"tweening of {usage}")
        w.emit("lrp", target, w.constant("tween_factor") + ".x", w.input(f"{usage}1"), first)
        return target

    # Vertex blending

    def _blended(self) -> str:
        """Write the sum over the matrices; of the normal, too, if there is one."""
        w, key, last = self._w, self._key, self._key.weights or 0
        vertex = w.temporary()
        normal = ""
        if key.has_normal:
            normal = self._known["normal"] = w.temporary()
        w.note(f"vertex blending: {last} weights")
        with w.scope():
            weights, part = self._blend_weights(last), w.temporary()
            for number in range(last + 1):
                matrix = self._blend_matrix(number)
                self._weighted("m4x4", vertex, "", self._given, matrix, weights, number, part)
                if normal:
                    self._weighted(
                        "m3x3", normal, ".xyz", w.input("normal"), matrix, weights, number, part
                    )
        if normal and key.is_normalized:
            normalize(w, normal, normal)
        return vertex

    def _blend_weights(self, last: int) -> str:
        """Write all weights; the last is what the others leave of 1."""
        w, weights = self._w, self._w.temporary()
        given = w.input("blendweight") if self._key.has_weights and last else w.number(0.0)
        w.emit("mov", weights, given)
        rest = f"{weights}.{_COMPONENTS[last]}"
        w.emit("mov", rest, w.number(1.0))
        for number in range(last):
            w.emit("add", rest, rest, f"-{weights}.{_COMPONENTS[number]}")
        return weights

    def _blend_matrix(self, number: int) -> str:
        """Return the matrix of a weight, by number or by index."""
        w, kind = self._w, self._key.indices
        if kind is None:
            return w.constant("world_view", number, _MATRIX)
        is_color = kind == DeclType.D3DCOLOR
        component = (_COLOR_ORDER if is_color else _COMPONENTS)[number]
        first = w.constant("world_views", rows=_MATRIX * WORLD_MATRICES)[1:]
        with w.scope():
            index = f"{w.temporary()}.x"
            given = f"{w.input('blendindices')}.{component}"
            # Rounded before it counts rows
            w.emit("mul", index, given, w.number(_BYTE if is_color else 1.0))
            w.emit("max", index, index, w.number(0.0))
            w.emit("min", index, index, w.number(WORLD_MATRICES - 1.0))
            w.emit("add", index, index, w.number(0.5))
            w.emit("frc", index.replace(".x", ".y"), index)
            w.emit("add", index, index, "-" + index.replace(".x", ".y"))
            w.emit("mul", index, index, w.number(float(_MATRIX)))
            w.emit("mova", "a0.x", index)
        return f"c[a0.x + {first}]"

    def _weighted(
        self, product: str, target: str, mask: str, vector: str, matrix: str, weights: str,
        number: int, part: str,
    ) -> None:  # fmt: skip
        w, weight = self._w, f"{weights}.{_COMPONENTS[number]}"
        w.emit(product, part + mask, vector, matrix)
        if number:
            w.emit("mad", target + mask, part, weight, target)
        else:
            w.emit("mul", target + mask, part, weight)

    # What others ask for

    @property
    def vertex(self) -> str:
        """The vertex in eye space, with its w."""
        if "vertex" not in self._known:
            w = self._w
            self._known["vertex"] = w.temporary()
            w.note("vertex in eye space")
            w.emit("m4x4", self._known["vertex"], self._given, w.constant("world_view", 0, _MATRIX))
        return self._known["vertex"]

    @property
    def position(self) -> str:
        """Its x, y and z, divided by w."""
        if "position" not in self._known:
            w, vertex = self._w, self.vertex
            position = self._known["position"] = w.temporary()
            w.emit("rcp", f"{position}.w", f"{vertex}.w")
            w.emit("mul", f"{position}.xyz", vertex, f"{position}.w")
        return self._known["position"]

    @property
    def normal(self) -> str | None:
        """The normal; None if the vertices have none."""
        w, key = self._w, self._key
        if key.has_normal and "normal" not in self._known:
            given = self._tweened("normal", 1)
            normal = self._known["normal"] = w.temporary()
            w.note("normal in eye space")
            w.emit("m3x3", f"{normal}.xyz", given, w.constant("normals", rows=_ROWS_OF_NORMALS))
            if key.is_normalized:
                normalize(w, normal, normal)
        return self._known.get("normal")

    @property
    def distance(self) -> str:
        """The distance of the eye, in y; x has its inverse."""
        if "distance" not in self._known:
            position = self.position
            self._known["distance"] = self._w.temporary()
            length(self._w, position, self._known["distance"])
        return self._known["distance"]

    @property
    def direction(self) -> str:
        """Where the vertex is from the eye, of length 1."""
        if "direction" not in self._known:
            position = self.position
            self._known["direction"] = self._w.temporary()
            normalize(self._w, self._known["direction"], position)
        return self._known["direction"]

    @property
    def reflection(self) -> str:
        """That direction, reflected at the surface."""
        if "reflection" not in self._known:
            w, incoming, normal = self._w, self.direction, self.normal
            reflected = self._known["reflection"] = w.temporary()
            w.note("reflection")
            if normal is None:
                w.emit("mov", f"{reflected}.xyz", incoming)
            else:
                w.emit("dp3", f"{reflected}.w", normal, incoming)
                w.emit("add", f"{reflected}.w", f"{reflected}.w", f"{reflected}.w")
                w.emit("mad", f"{reflected}.xyz", f"-{reflected}.w", normal, incoming)
        return self._known["reflection"]
