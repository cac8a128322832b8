"""The pixel program of a key: texture stages one after the other, then the specular colour.

Spec: win32 "Texture Blending", D3DTEXTUREOP, D3DTA, "Bump Mapping Formulas".
"""

from __future__ import annotations

from softd3d.isa.d3d9.enums import TextureArgument, TextureOp
from softd3d.isa.sm1.enums import TextureType
from softd3d.pipeline.fixed9.operations import BUMPS, OPERATIONS, Context, Operand
from softd3d.pipeline.fixed9.pixel_key import Half, PixelKey, Stage
from softd3d.pipeline.fixed9.writer import Generated, Writer

__all__ = ["generate_pixel"]

_A = TextureArgument
_DIMENSIONS = {TextureType.CUBE: "cube", TextureType.VOLUME: "volume"}
_W = 3
_COMPONENTS = "xyzw"
_DIFFUSE, _SPECULAR = "v0", "v1"
_NOTHING_BOUND = (0.0, 0.0, 0.0, 1.0)


def generate_pixel(key: PixelKey) -> Generated:
    """Return the pixel program of a key: ps_2_x, so that fog and alpha test follow."""
    writer = _Stages(key)
    for number, stage in enumerate(key.active):
        writer.write(number, stage)
    return writer.finish()


class _Stages:
    """The registers that go from stage to stage."""

    def __init__(self, key: PixelKey) -> None:
        self._key = key
        w = self._w = Writer()
        self._current, self._temp, self._result = (w.temporary() for _ in range(3))
        w.declare(f"dcl {_DIFFUSE}")
        w.note("current: diffuse")
        w.emit("mov", self._current, _DIFFUSE)
        if any(_uses_temp(stage) for stage in key.active):
            w.emit("mov", self._temp, w.number(0.0))
        self._bump: int | None = None
        self._has_luminance = False
        self._before: Stage | None = None

    def write(self, number: int, stage: Stage) -> None:
        """Write a stage."""
        w = self._w
        operation = TextureOp(stage.color.operation)
        w.note(f"stage {number}: {operation.name.lower()}")
        with w.scope():
            texture = self._looked_up(number, stage)
            if operation in BUMPS:
                # Its texture is what displaces the next stage, so it must outlive this one
                w.emit("mov", self._result, texture)
                self._bump = number
                self._has_luminance = operation is TextureOp.BUMPENVMAPLUMINANCE
            else:
                self._combine(number, stage, texture)
                self._bump = None
        self._before = stage

    # Textures

    def _looked_up(self, number: int, stage: Stage) -> str:
        """Return a register with what the stage's texture gives."""
        w = self._w
        if stage.texture is None:
            return w.vector(*_NOTHING_BOUND)
        texture, set_, sampler = w.temporary(), f"t{number}", f"s{number}"
        w.declare(f"dcl_{_DIMENSIONS.get(TextureType(stage.texture), '2d')} {sampler}")
        w.declare(f"dcl {set_}")
        if self._bump is not None:
            self._displaced(number, stage, texture)
            if self._has_luminance:
                with w.scope():
                    light = w.temporary()
                    scale = w.constant("bump_luminance", self._bump)
                    w.emit("mov", light, scale)
                    w.emit("mad_sat", f"{light}.x", f"{self._result}.z", f"{light}.x", f"{light}.y")
                    w.emit("mul", texture, texture, f"{light}.x")
        elif stage.divisor is None:
            w.emit("texld", texture, set_, sampler)
        elif stage.divisor == _W:
            w.emit("texldp", texture, set_, sampler)
        else:
            w.emit("mov", texture, set_)
            w.emit("mov", f"{texture}.w", f"{set_}.{_COMPONENTS[stage.divisor]}")
            w.emit("texldp", texture, texture, sampler)
        return texture

    def _displaced(self, number: int, stage: Stage, texture: str) -> None:
        """Look up where the stage before says: (du, dv) times its matrix is added."""
        w, set_ = self._w, f"t{number}"
        w.emit("mov", texture, set_)
        if stage.divisor is not None:
            w.emit("rcp", f"{texture}.w", f"{set_}.{_COMPONENTS[stage.divisor]}")
            w.emit("mul", f"{texture}.xyz", texture, f"{texture}.w")
        with w.scope():
            matrix = w.temporary()
            w.emit("mov", matrix, w.constant("bump_matrix", self._bump or 0))
            w.emit("mad", f"{texture}.xy", matrix, f"{self._result}.x", texture)
            w.emit("mad", f"{texture}.xy", f"{matrix}.zwzw", f"{self._result}.y", texture)
        w.emit("texld", texture, texture, f"s{number}")

    # Operations

    def _combine(self, number: int, stage: Stage, texture: str) -> None:
        w, current = self._w, self._premodulated(texture)
        target = self._temp if stage.is_temporary else self._current
        if stage.color.operation == TextureOp.DOTPRODUCT3:
            self._operation(number, stage.color, "", texture, current)
            w.emit("mov", target, self._result)
            return
        self._operation(number, stage.color, ".xyz", texture, current)
        if stage.alpha is not None:
            self._operation(number, stage.alpha, ".w", texture, current)
            w.emit("mov", target, self._result)
        else:
            w.emit("mov", f"{target}.xyz", self._result)

    def _premodulated(self, texture: str) -> str:
        """Return what CURRENT is: times this texture, where the stage before says so."""
        before = self._before
        if before is None:
            return self._current
        parts = ((before.color, ".xyz"), (before.alpha, ".w"))
        masks = [m for half, m in parts if half and half.operation == TextureOp.PREMODULATE]
        if not masks:
            return self._current
        product = self._w.temporary()
        self._w.emit("mov", product, self._current)
        for mask in masks:
            self._w.emit("mul", product + mask, self._current, texture)
        return product

    def _operation(self, number: int, half: Half, mask: str, texture: str, current: str) -> None:
        with self._w.scope():
            first, second, third = (
                self._argument(number, a, texture, current) for a in half.arguments
            )
            context = Context(
                self._w, self._result, mask, half.is_clamped, (first, second, third), _DIFFUSE,
                texture, current, lambda: self._w.constant("texture_factor"),
            )  # fmt: skip
            OPERATIONS[half.operation](context)

    def _argument(self, number: int, argument: int, texture: str, current: str) -> Operand:
        w = self._w
        match argument & _A.SELECTMASK:
            case _A.CURRENT:
                register = current
            case _A.TEXTURE:
                register = texture
            case _A.TFACTOR:
                register = w.constant("texture_factor")
            case _A.SPECULAR:
                register = self._specular()
            case _A.TEMP:
                register = self._temp
            case _A.CONSTANT:
                register = w.constant("stage_constant", number)
            case _:
                register = _DIFFUSE
        if argument & _A.COMPLEMENT:
            complement = w.temporary()
            w.emit("add", complement, w.number(1.0), f"-{register}")
            register = complement
        return Operand(register, argument & _A.ALPHAREPLICATE != 0)

    def _specular(self) -> str:
        if not self._key.has_specular:
            return self._w.vector(0.0, 0.0, 0.0, 0.0)
        self._w.declare(f"dcl {_SPECULAR}")
        return _SPECULAR

    def finish(self) -> Generated:
        """Add the specular colour, and return the program."""
        w = self._w
        w.note("result")
        if self._key.adds_specular and self._key.has_specular:
            w.emit("add_sat", f"{self._current}.xyz", self._current, self._specular())
        w.emit("mov", "oC0", self._current)
        return w.finish("ps_2_x")


def _uses_temp(stage: Stage) -> bool:
    halves = [half for half in (stage.color, stage.alpha) if half is not None]
    read = any(a & _A.SELECTMASK == _A.TEMP for half in halves for a in half.arguments)
    return stage.is_temporary or read
