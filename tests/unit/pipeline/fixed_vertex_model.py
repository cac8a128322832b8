"""Fixed-function vertex processing in double precision: the documents' formulas, one by one.

It reads raw states by itself, and knows nothing of keys, programs and constants. A result near
a place where a formula jumps is marked as unsure.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from softd3d.isa.d3d9.enums import DeclType
from softd3d.isa.d3d9.states import RenderState as R
from softd3d.isa.d3d9.states import TextureStageState as T
from softd3d.isa.sm1.enums import Usage
from softd3d.pipeline.fixed9.state import FixedFunctionState, Light

Lanes = NDArray[np.float64]
LARGEST = 3.40282347e38
NEAR = 1e-4  # beside a jump
SIZES = {
    DeclType.FLOAT1: 1, DeclType.FLOAT2: 2, DeclType.FLOAT3: 3, DeclType.FLOAT4: 4,
    DeclType.D3DCOLOR: 4, DeclType.SHORT2: 2, DeclType.SHORT4: 4, DeclType.UBYTE4: 4,
}  # fmt: skip


@dataclass
class Expected:
    """Outputs by name, (lanes, 4); how large what was added up is; lanes that may jump."""

    outputs: dict[str, Lanes] = field(default_factory=dict[str, Lanes])
    scales: dict[str, Lanes] = field(default_factory=dict[str, Lanes])
    unsure: NDArray[np.bool_] = field(default_factory=lambda: np.zeros(0, np.bool_))


def _unit(v: Lanes) -> Lanes:
    length = np.sqrt((v * v).sum(-1, keepdims=True))
    return np.where(length > 0, v / np.where(length > 0, length, 1), 0.0)


def _dot(a: Lanes, b: Lanes) -> Lanes:
    return (a * b).sum(-1)


def _argb(word: int) -> Lanes:
    return np.array([word >> 16 & 255, word >> 8 & 255, word & 255, word >> 24 & 255]) / 255


class Model:
    """A state and its vertices: `data` by usage and index, (lanes, 4), filled up."""

    def __init__(self, state: FixedFunctionState, data: dict[tuple[int, int], Lanes]) -> None:
        self.state = state
        self.given = {k: v.astype(np.float64) for k, v in data.items()}
        self.lanes = len(next(iter(data.values())))
        self.types = {(e.usage, e.usage_index): e.type for e in state.elements}
        self.result = Expected(unsure=np.zeros(self.lanes, np.bool_))

    def _matrix(self, n: int) -> Lanes:
        return self.state.transform(n).astype(np.float64)

    def _on(self, state: R) -> bool:
        return self.state.render(state) != 0

    def _world_view(self, n: int) -> Lanes:
        return self._matrix(256 + n) @ self._matrix(2)

    def _jumps(self, near: NDArray[np.bool_]) -> None:
        self.result.unsure |= near

    # Positions

    def _element(self, usage: Usage, index: int = 0) -> Lanes | None:
        return self.given.get((usage, index))

    def _tweened(self, usage: Usage) -> Lanes | None:
        first, second = self._element(usage), self._element(usage, 1)
        if first is None or second is None or self.state.render(R.VERTEXBLEND) != 255:
            return first
        t = self.state.number(R.TWEENFACTOR)
        return first * (1 - t) + second * t

    def _blend(self) -> list[tuple[Lanes, Lanes]] | None:
        """Weights (lanes, 1) and matrices (lanes, 4, 4)."""
        mode = self.state.render(R.VERTEXBLEND)
        indices = (
            self._element(Usage.BLENDINDICES) if self._on(R.INDEXEDVERTEXBLENDENABLE) else None
        )
        if mode == 256:
            count = 0
        elif mode in (1, 2, 3):
            count = mode
        else:
            return None
        if count == 0 and indices is None:
            return None
        weights = self._element(Usage.BLENDWEIGHT)
        if weights is None:
            weights = np.zeros((self.lanes, 4))
        parts: list[tuple[Lanes, Lanes]] = []
        rest = np.ones(self.lanes)
        all_ = np.array([self._world_view(n) for n in range(256)])
        for i in range(count + 1):
            weight = rest if i == count else weights[:, i]
            rest = rest - weights[:, i]
            if indices is None:
                matrices = np.broadcast_to(all_[i], (self.lanes, 4, 4))
            else:
                is_color = self.types[Usage.BLENDINDICES, 0] == DeclType.D3DCOLOR
                column = (2, 1, 0, 3)[i] if is_color else i
                number = indices[:, column] * (255 if is_color else 1)
                matrices = all_[np.rint(number).astype(int)]
            parts.append((weight[:, None], matrices))
        return parts

    def run(self, stages: list[int], *, fog: bool, points: bool) -> Expected:
        p = self._tweened(Usage.POSITION)
        assert p is not None
        n = self._tweened(Usage.NORMAL)
        parts = self._blend()
        projection = self._matrix(3)
        if parts is None:
            view = self._world_view(0)
            e = p @ view
            scale = np.abs(p) @ np.abs(view)
            if n is not None:
                n = n[:, :3] @ self._normals(view)
        else:
            e = sum(w * np.einsum("li,lij->lj", p, m) for w, m in parts)
            scale = sum(np.abs(w) * np.einsum("li,lij->lj", np.abs(p), np.abs(m)) for w, m in parts)
            if n is not None:
                n = sum(w * np.einsum("li,lij->lj", n[:, :3], m[:, :3, :3]) for w, m in parts)
        self.result.outputs["position"] = e @ projection
        self.result.scales["position"] = scale @ np.abs(projection)
        if n is not None and self._on(R.NORMALIZENORMALS):
            self._jumps(_dot(n, n) < NEAR)
            n = _unit(n)
        eye = e[:, :3] / e[:, 3:]
        self._jumps(np.abs(e[:, 3]) < 0.05)
        self._colors(eye, n)
        for stage in stages:
            self._coordinates(stage, eye, n)
        if fog:
            self._fog(eye)
        if points:
            self._point_size(eye)
        return self.result

    @staticmethod
    def _normals(view: Lanes) -> Lanes:
        try:
            return np.linalg.inv(view).T[:3, :3]
        except np.linalg.LinAlgError:
            return view[:3, :3]

    # Colours

    def _colors(self, eye: Lanes, normal: Lanes | None) -> None:
        color0, color1 = self._element(Usage.COLOR), self._element(Usage.COLOR, 1)
        plain0 = np.ones((self.lanes, 4)) if color0 is None else color0
        plain1 = np.zeros((self.lanes, 4)) if color1 is None else color1
        out = self.result.outputs
        if not self._on(R.LIGHTING):
            out["color"], out["color1"] = np.clip(plain0, 0, 1), np.clip(plain1, 0, 1)
            return
        material = self.state.material

        def source(state: R, own: tuple[float, ...]) -> Lanes:
            number = self.state.render(state)
            if self._on(R.COLORVERTEX):
                if number == 1 and color0 is not None:
                    return color0
                if number == 2 and color1 is not None:
                    return color1
            return np.broadcast_to(np.array(own, np.float64), (self.lanes, 4))

        diffuse = source(R.DIFFUSEMATERIALSOURCE, material.diffuse)
        ambient = source(R.AMBIENTMATERIALSOURCE, material.ambient)
        specular = source(R.SPECULARMATERIALSOURCE, material.specular)
        emissive = source(R.EMISSIVEMATERIALSOURCE, material.emissive)
        sums = [np.zeros((self.lanes, 4)) for _ in range(3)]
        sums[0] += _argb(self.state.render(R.AMBIENT))
        numbers = [i for i in sorted(self.state.enabled_lights) if self._light(i).type in (1, 2, 3)]
        for number in numbers[:8]:
            self._add_light(self._light(number), eye, normal, sums)
        total = emissive + ambient * sums[0] + diffuse * sums[1]
        total[:, 3] = diffuse[:, 3]
        out["color"] = np.clip(total, 0, 1)
        out["color1"] = np.clip(specular * sums[2] if self._on(R.SPECULARENABLE) else plain1, 0, 1)

    def _light(self, number: int) -> Light:
        return self.state.lights.get(number, Light())

    def _add_light(self, light: Light, eye: Lanes, normal: Lanes | None, sums: list[Lanes]) -> None:
        view = self._matrix(2)
        axis = _unit(np.array(light.direction, np.float64) @ view[:3, :3])
        if light.type == 3:
            to_light = np.broadcast_to(-axis, (self.lanes, 3))
            a = np.ones(self.lanes)
        else:
            place = (np.array([*light.position, 1.0]) @ view)[:3]
            offset = place - eye
            d = np.sqrt(_dot(offset, offset))
            to_light = _unit(offset)
            under = light.attenuation0 + light.attenuation1 * d + light.attenuation2 * d * d
            with np.errstate(divide="ignore"):
                a = np.where(d > light.range, 0.0, np.minimum(1 / under, LARGEST))
            self._jumps(np.abs(d - light.range) < NEAR * (1 + d))
        if light.type == 2:
            rho = _dot(-to_light, axis)
            inner, outer = np.cos(light.theta / 2), np.cos(light.phi / 2)
            with np.errstate(all="ignore"):
                middle = ((rho - outer) / (inner - outer)) ** light.falloff
            a = a * np.where(rho > inner, 1.0, np.where(rho <= outer, 0.0, middle))
            if light.falloff < 1 or inner <= outer + NEAR:
                self._jumps((np.abs(rho - outer) < NEAR) | (np.abs(rho - inner) < NEAR))
        sums[0] += np.array(light.ambient) * a[:, None]
        if normal is None:
            return
        nl = _dot(normal, to_light)
        sums[1] += np.array(light.diffuse) * (a * np.clip(nl, 0, 1))[:, None]
        back = -_unit(eye) if self._on(R.LOCALVIEWER) else np.array([0.0, 0.0, -1.0])
        halfway = _unit(to_light + back)
        nh = _dot(normal, halfway)
        power = self.state.material.power
        lit = (nl > 0) & (nh > 0)
        with np.errstate(all="ignore"):
            shine = np.where(lit, np.where(lit, nh, 1.0) ** power, 0.0)
        sums[2] += np.array(light.specular) * (a * shine)[:, None]
        if self._on(R.SPECULARENABLE):
            self._jumps(((np.abs(nl) < NEAR) & (nh > 0)) | ((np.abs(nh) < 0.02) & (nl > 0)))
            self._jumps(np.abs(_dot(to_light + back, to_light + back)) < NEAR)

    # Coordinates

    def _coordinates(self, stage: int, eye: Lanes, normal: Lanes | None) -> None:
        index, flags = (
            self.state.stage(stage, name) for name in (T.TEXCOORDINDEX, T.TEXTURETRANSFORMFLAGS)
        )
        count, generator = flags & 255, index >> 16
        v = np.zeros((self.lanes, 4))
        n = np.zeros((self.lanes, 3)) if normal is None else normal
        unit = _unit(eye)
        reflected = unit - 2 * _dot(n, unit)[:, None] * n
        size = 3
        if generator == 0:
            given = self._element(Usage.TEXCOORD, index & 0xFFFF)
            if given is None:
                self._write_coordinates(stage, v, np.ones_like(v))
                return
            size = SIZES[DeclType(self.types[Usage.TEXCOORD, index & 0xFFFF])]
            v[:, :size] = given[:, :size]
            if 2 <= count <= 4 and size < 4:
                v[:, size] = 1
        else:
            v[:, :3] = {1: n, 2: eye, 3: reflected}.get(generator, n)
            v[:, 3] = 1
            if generator == 4:
                middle = reflected + np.array([0.0, 0.0, 1.0])
                m = 2 * np.sqrt(_dot(middle, middle))
                self._jumps(m < 0.05)
                with np.errstate(all="ignore"):
                    v[:, :2] = np.where(m[:, None] > 0, reflected[:, :2] / m[:, None], 0) + 0.5
                v[:, 2] = 0
        scale = np.abs(v) + 1
        kept = size
        if 2 <= count <= 4:
            matrix = self._matrix(16 + stage)
            v, scale, kept = v @ matrix, scale @ np.abs(matrix) + 1, count
        v[:, kept:] = 0
        if flags & 256:
            v[:, 3] = v[:, kept - 1]
        self._write_coordinates(stage, v, np.maximum(scale, scale[:, kept - 1 : kept]))

    def _write_coordinates(self, stage: int, v: Lanes, scale: Lanes) -> None:
        self.result.outputs[f"texcoord{stage or ''}"] = v
        self.result.scales[f"texcoord{stage or ''}"] = scale

    # Fog and points

    def _fog(self, eye: Lanes) -> None:
        mode = self.state.render(R.FOGVERTEXMODE)
        d = np.sqrt(_dot(eye, eye)) if self._on(R.RANGEFOGENABLE) else np.abs(eye[:, 2])
        density = self.state.number(R.FOGDENSITY)
        start, end = self.state.number(R.FOGSTART), self.state.number(R.FOGEND)
        color1 = self._element(Usage.COLOR, 1)
        if mode == 1:
            f = np.exp(-(d * density))
        elif mode == 2:
            f = np.exp(-((d * density) ** 2))
        elif mode == 3:
            f = (end - d) / (end - start) if end != start else np.zeros(self.lanes)
        else:
            f = np.zeros(self.lanes) if color1 is None else color1[:, 3]
        self.result.outputs["fog"] = np.broadcast_to(np.clip(f, 0, 1)[:, None], (self.lanes, 4))

    def _point_size(self, eye: Lanes) -> None:
        own = self._element(Usage.PSIZE)
        if own is None and not self._on(R.POINTSCALEENABLE):
            return
        size = np.full(self.lanes, self.state.number(R.POINTSIZE)) if own is None else own[:, 0]
        if self._on(R.POINTSCALEENABLE):
            a, b, c = (
                self.state.number(s) for s in (R.POINTSCALE_A, R.POINTSCALE_B, R.POINTSCALE_C)
            )
            d = np.sqrt(_dot(eye, eye))
            under = a + b * d + c * d * d
            self._jumps(np.abs(under) < 0.01 * (abs(a) + abs(b) * d + abs(c) * d * d))
            with np.errstate(all="ignore"):
                scaled = self.state.viewport[3] * size * np.sqrt(1 / under)
            size = np.where(under > 0, scaled, self.state.number(R.POINTSIZE_MAX))
        self.result.outputs["psize"] = np.broadcast_to(size[:, None], (self.lanes, 4))
        self.result.scales["psize"] = np.abs(self.result.outputs["psize"]) + 1
