"""Texture stages in double precision: the table of operations, one by one, from raw states.

Without textures a lookup gives its coordinates as they are (`fixed_function_runs.py` replaces
lookups the same way).
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from softd3d.isa.d3d9.states import RenderState as R
from softd3d.isa.d3d9.states import TextureStageState as T
from softd3d.isa.sm1.enums import TextureType
from softd3d.pipeline.fixed9.state import FixedFunctionState, float_of

Lanes = NDArray[np.float64]
CLAMPED = {*range(4, 12), 15, 18, 19, 20, 21, 24, 25}
NEAR = 0.01  # beside a divisor of 0
NO_ALPHA = {18, 19, 20, 21, 22, 23}


def _argb(word: int, lanes: int) -> Lanes:
    channels = [word >> 16 & 255, word >> 8 & 255, word & 255, word >> 24 & 255]
    return np.tile(np.array(channels) / 255, (lanes, 1))


def _dot(x: Lanes, y: Lanes) -> Lanes:
    dot = 4 * ((x[:, :3] - 0.5) * (y[:, :3] - 0.5)).sum(1)
    return np.tile(dot[:, None], (1, 4))


def _operate(op: int, a: list[Lanes], factors: dict[int, Lanes]) -> Lanes:
    """Return all four channels; a: ARG0, ARG1, ARG2."""
    third, x, y = a
    alpha = x[:, 3:]
    if op in factors:
        return x * factors[op] + y * (1 - factors[op])
    results: dict[int, Callable[[], Lanes]] = {
        2: lambda: x, 17: lambda: x, 3: lambda: y,
        4: lambda: x * y, 5: lambda: 2 * x * y, 6: lambda: 4 * x * y,
        7: lambda: x + y, 8: lambda: x + y - 0.5, 9: lambda: 2 * (x + y - 0.5),
        10: lambda: x - y, 11: lambda: x + y * (1 - x), 15: lambda: x + y * (1 - factors[13]),
        18: lambda: x + alpha * y, 19: lambda: x * y + alpha, 20: lambda: x + (1 - alpha) * y,
        21: lambda: (1 - x) * y + alpha, 24: lambda: _dot(x, y), 25: lambda: third + x * y,
        26: lambda: third * x + (1 - third) * y,
    }  # fmt: skip
    return results[op]()


class PixelModel:
    """A state and interpolated inputs: v0, v1, t0 to t7, (lanes, 4).

    lookup: of a stage, at coordinates. shader: a vertex shader has made the coordinates. unsure:
    where a divisor is near 0.
    """

    def __init__(
        self, state: FixedFunctionState, inputs: dict[str, Lanes],
        lookup: Callable[[int, Lanes], Lanes] = lambda _, coordinates: coordinates,
        *, shader: bool = False,
    ) -> None:  # fmt: skip
        self.state, self.lookup, self.shader = state, lookup, shader
        self.inputs = {k: v.astype(np.float64) for k, v in inputs.items()}
        self.diffuse, self.specular = self.inputs["v0"], self.inputs["v1"]
        self.lanes = len(self.diffuse)
        self.unsure = np.zeros(self.lanes, np.bool_)
        self.current, self.temp = self.diffuse.copy(), np.zeros((self.lanes, 4))
        self.bump: tuple[Lanes, int, bool] | None = None
        self.premodulates = (False, False)

    def run(self) -> Lanes:
        for stage in range(8):
            if not self._stage(stage):
                break
        result = self.current.copy()
        if self.state.render(R.SPECULARENABLE):
            result[:, :3] = np.clip(result[:, :3] + self.specular[:, :3], 0, 1)
        return result

    def _lookup(self, stage: int) -> Lanes:
        kind = self.state.textures.get(stage)
        if kind is None:
            return np.tile(np.array([0.0, 0.0, 0.0, 1.0]), (self.lanes, 1))
        c = self.inputs[f"t{stage}"].copy()
        projected = self.state.stage(stage, T.TEXTURETRANSFORMFLAGS) & 256
        if projected and kind != TextureType.CUBE:
            count = self.state.stage(stage, T.TEXTURETRANSFORMFLAGS) & 255
            divisor = c[:, [count - 1 if self.shader and 2 <= count <= 4 else 3]]
            self.unsure |= (np.abs(divisor[:, 0]) < NEAR) & (divisor[:, 0] != 0)
            with np.errstate(all="ignore"):
                c = np.concatenate([c[:, :3] / divisor, 1 / divisor], axis=1)
        if self.bump is None:
            return self.lookup(stage, c)
        offsets, source, has_luminance = self.bump
        number = lambda name: float_of(self.state.stage(source, name))  # noqa: E731
        du, dv = offsets[:, 0], offsets[:, 1]
        c[:, 0] += number(T.BUMPENVMAT00) * du + number(T.BUMPENVMAT10) * dv
        c[:, 1] += number(T.BUMPENVMAT01) * du + number(T.BUMPENVMAT11) * dv
        found = self.lookup(stage, c)
        if not has_luminance:
            return found
        scaled = offsets[:, 2] * number(T.BUMPENVLSCALE) + number(T.BUMPENVLOFFSET)
        return found * np.clip(scaled, 0, 1)[:, None]

    def _stage(self, n: int) -> bool:
        op = self.state.stage(n, T.COLOROP)
        names = (T.COLORARG0, T.COLORARG1, T.COLORARG2)
        colors = [self.state.stage(n, name) for name in names]
        used = {2: [1], 17: [1], 3: [2], 25: [0, 1, 2], 26: [0, 1, 2]}.get(op, [1, 2])
        if not 2 <= op <= 26:
            return False
        if n not in self.state.textures and any(colors[i] & 15 == 2 for i in used):
            return False
        texture = self._lookup(n)
        if op in (22, 23):
            self.bump, self.premodulates = (texture, n, op == 23), (False, False)
            return True
        current = self.current.copy()
        if self.premodulates[0]:
            current[:, :3] *= texture[:, :3]
        if self.premodulates[1]:
            current[:, 3] *= texture[:, 3]
        self.bump = None
        color = self._half(n, op, colors, texture, current)
        target = self.temp if self.state.stage(n, T.RESULTARG) == 5 else self.current
        alpha_op = self.state.stage(n, T.ALPHAOP)
        if op == 24:
            target[:] = color
            self.premodulates = (False, False)
            return True
        old = target[:, 3].copy()
        alpha = None
        if 2 <= alpha_op <= 26:
            arguments = [
                self.state.stage(n, name) for name in (T.ALPHAARG0, T.ALPHAARG1, T.ALPHAARG2)
            ]
            alpha = self._half(
                n, 2 if alpha_op in NO_ALPHA else alpha_op, arguments, texture, current
            )
        target[:, :3] = color[:, :3]
        target[:, 3] = old if alpha is None else alpha[:, 3]
        self.premodulates = (op == 17, alpha is not None and alpha_op == 17)
        return True

    def _half(self, n: int, op: int, words: list[int], texture: Lanes, current: Lanes) -> Lanes:
        factor = _argb(self.state.render(R.TEXTUREFACTOR), self.lanes)
        sources = {
            0: self.diffuse, 1: current, 2: texture, 3: factor, 4: self.specular, 5: self.temp,
            6: _argb(self.state.stage(n, T.CONSTANT), self.lanes),
        }  # fmt: skip
        arguments: list[Lanes] = []
        for word in words:
            value = sources.get(word & 15, current)
            value = 1 - value if word & 0x10 else value
            arguments.append(np.tile(value[:, 3:], (1, 4)) if word & 0x20 else value)
        factors = {
            12: self.diffuse[:, 3:], 13: texture[:, 3:], 14: factor[:, 3:], 16: current[:, 3:]
        }  # fmt: skip
        found = _operate(op, arguments, factors)
        profile = self.state.profile
        clamps = op in CLAMPED if profile == "driver" else profile == "documented"
        return np.clip(found, 0, 1) if clamps else found
