"""Which states decide what texture stages do, and how they are read.

Spec: win32 D3DTEXTURESTAGESTATETYPE, D3DTEXTUREOP, D3DTA; choices of the profiles:
docs/direct3d9.md.
"""

from __future__ import annotations

from softd3d.classes import dataclass
from softd3d.isa.d3d9.enums import TextureArgument, TextureOp, TextureTransformFlags
from softd3d.isa.d3d9.states import RenderState, TextureStageState
from softd3d.isa.sm1.enums import TextureType
from softd3d.isa.sm1.limits import TEXTURE_STAGES
from softd3d.pipeline.fixed9.operations import (
    ARGUMENTS,
    BUMPS,
    COLOR_ONLY,
    is_clamped,
    reads_texture,
    used_arguments,
)  # fmt: skip
from softd3d.pipeline.fixed9.state import FixedFunctionState

__all__ = ["Half", "PixelKey", "Stage", "pixel_key"]

_T = TextureStageState
_W = 3
_COUNTS = range(2, 5)


@dataclass(frozen=True, slots=True)
class Half:
    """What a stage does for its colour or its alpha. arguments: ARG0, ARG1, ARG2."""

    operation: int
    arguments: tuple[int, int, int]
    is_clamped: bool


@dataclass(frozen=True, slots=True)
class Stage:
    """A stage that is on. alpha: None if it leaves alpha alone.

    texture: what is looked up; None if nobody looks or nothing is bound. divisor: the component
    that the others are divided by before; None for none. is_temporary: the result goes to TEMP.
    """

    color: Half
    alpha: Half | None
    is_temporary: bool
    texture: int | None
    divisor: int | None


@dataclass(frozen=True, slots=True)
class PixelKey:
    """What a generated pixel program depends on: the stages up to the first that is off.

    adds_specular: SPECULARENABLE. has_specular: COLOR1 arrives; without it is 0.
    """

    active: tuple[Stage, ...]
    adds_specular: bool
    has_specular: bool

    @property
    def stages(self) -> tuple[int, ...]:
        """The stages whose coordinates are read, and whose textures."""
        return tuple(n for n, stage in enumerate(self.active) if stage.texture is not None)


def pixel_key(
    state: FixedFunctionState, *, shader: bool = False, specular: bool = True
) -> PixelKey:
    """Return what the pixel program of a state depends on.

    shader: a vertex shader runs before, and coordinates are as it leaves them. specular: COLOR1
    arrives.
    """
    active: list[Stage] = []
    for number in range(TEXTURE_STAGES):
        color = _half(state, number, _T.COLOROP, (_T.COLORARG0, _T.COLORARG1, _T.COLORARG2))
        if color is None or _misses_texture(state, number, color):
            break
        alpha = _half(state, number, _T.ALPHAOP, (_T.ALPHAARG0, _T.ALPHAARG1, _T.ALPHAARG2))
        before = active[-1] if active else None
        active.append(_stage(state, number, color, alpha, before, shader=shader))
    adds = state.render(RenderState.SPECULARENABLE) != 0
    return PixelKey(tuple(active), adds, specular)


def _half(
    state: FixedFunctionState, number: int, operation: _T, arguments: tuple[_T, _T, _T]
) -> Half | None:
    """Return what a stage computes; None for DISABLE and for what is no operation."""
    op = state.stage(number, operation)
    if op not in frozenset(TextureOp) or op == TextureOp.DISABLE:
        return None
    if operation is _T.ALPHAOP and op in COLOR_ONLY:
        op = TextureOp.SELECTARG1
    first, second, third = (_argument(state.stage(number, name)) for name in arguments)
    used = used_arguments(op)
    kept = tuple(a if n in used else 0 for n, a in enumerate((first, second, third)))
    return Half(int(op), (kept[0], kept[1], kept[2]), is_clamped(op, state.profile))


def _argument(word: int) -> int:
    """Return an argument without bits that mean nothing; what does not exist is CURRENT."""
    source = word & TextureArgument.SELECTMASK
    if source not in ARGUMENTS:
        source = TextureArgument.CURRENT
    flags = TextureArgument.COMPLEMENT | TextureArgument.ALPHAREPLICATE
    return int(source | word & flags)


def _is_texture(argument: int) -> bool:
    return argument & TextureArgument.SELECTMASK == TextureArgument.TEXTURE


def _misses_texture(state: FixedFunctionState, number: int, color: Half) -> bool:
    """Tell whether the colour needs a texture and none is bound: this stage and all later are off.

    What alpha reads, and factors that operations take by themselves, do not count.
    """
    if number in state.textures:
        return False
    return any(_is_texture(color.arguments[n]) for n in used_arguments(color.operation))


def _stage(
    state: FixedFunctionState, number: int, color: Half, alpha: Half | None, before: Stage | None,
    *, shader: bool,
) -> Stage:  # fmt: skip
    bumped = color.operation in BUMPS
    if bumped or color.operation == TextureOp.DOTPRODUCT3:
        alpha = None  # all four channels, or none, are the colour operation's
    texture = state.textures.get(number)
    divisor = None
    if not _looks_up(color, alpha, before):
        texture = None
    elif texture is not None and texture != TextureType.CUBE:
        divisor = _divisor(state.stage(number, _T.TEXTURETRANSFORMFLAGS), shader=shader)
    kind = None if texture is None else int(texture)
    to_temporary = state.stage(number, _T.RESULTARG) == TextureArgument.TEMP
    return Stage(color, alpha, to_temporary, kind, divisor)


def _looks_up(color: Half, alpha: Half | None, before: Stage | None) -> bool:
    halves = [half for half in (color, alpha) if half is not None]
    if any(reads_texture(half.operation) for half in halves):
        return True
    if any(
        _is_texture(half.arguments[n]) for half in halves for n in used_arguments(half.operation)
    ):
        return True
    earlier = (before.color, before.alpha) if before is not None else ()
    return any(half is not None and half.operation == TextureOp.PREMODULATE for half in earlier)


def _divisor(flags: int, *, shader: bool) -> int | None:
    """Return the component that coordinates are divided by; vertex processing has it in w."""
    if not flags & TextureTransformFlags.PROJECTED:
        return None
    count = flags & 0xFF
    return count - 1 if shader and count in _COUNTS else _W
