"""The operations of texture stages: what each computes, as instructions.

Spec: win32 D3DTEXTUREOP. Its page calls ARG0 the first argument of MULTIPLYADD and LERP.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from softd3d.classes import dataclass
from softd3d.isa.d3d9.enums import TextureArgument, TextureOp
from softd3d.pipeline.fixed9.writer import Writer

__all__ = [
    "ARGUMENTS", "BUMPS", "COLOR_ONLY", "OPERATIONS", "Context", "Operand", "is_clamped",
    "reads_texture", "used_arguments",
]  # fmt: skip

_OP, _A = TextureOp, TextureArgument
ARGUMENTS = frozenset(
    {_A.DIFFUSE, _A.CURRENT, _A.TEXTURE, _A.TFACTOR, _A.SPECULAR, _A.TEMP, _A.CONSTANT}
)
BUMPS = frozenset({_OP.BUMPENVMAP, _OP.BUMPENVMAPLUMINANCE})
COLOR_ONLY = BUMPS | {
    _OP.MODULATEALPHA_ADDCOLOR, _OP.MODULATECOLOR_ADDALPHA, _OP.MODULATEINVALPHA_ADDCOLOR,
    _OP.MODULATEINVCOLOR_ADDALPHA,
}  # fmt: skip
_ARITHMETIC = frozenset(
    {
        _OP.MODULATE, _OP.MODULATE2X, _OP.MODULATE4X, _OP.ADD, _OP.ADDSIGNED, _OP.ADDSIGNED2X,
        _OP.SUBTRACT, _OP.ADDSMOOTH, _OP.BLENDTEXTUREALPHAPM, _OP.MODULATEALPHA_ADDCOLOR,
        _OP.MODULATECOLOR_ADDALPHA, _OP.MODULATEINVALPHA_ADDCOLOR, _OP.MODULATEINVCOLOR_ADDALPHA,
        _OP.DOTPRODUCT3, _OP.MULTIPLYADD,
    }
)  # fmt: skip
_ARG0, _ARG1, _ARG2 = range(3)
_USED: Mapping[int, tuple[int, ...]] = {
    _OP.DISABLE: (),
    _OP.SELECTARG1: (_ARG1,),
    _OP.PREMODULATE: (_ARG1,),
    _OP.SELECTARG2: (_ARG2,),
    _OP.MULTIPLYADD: (_ARG0, _ARG1, _ARG2),
    _OP.LERP: (_ARG0, _ARG1, _ARG2),
}
_READING_TEXTURE = BUMPS | {_OP.BLENDTEXTUREALPHA, _OP.BLENDTEXTUREALPHAPM}


def used_arguments(operation: int) -> tuple[int, ...]:
    """Return which of ARG0, ARG1 and ARG2 an operation reads.

    Bump operations compute nothing of theirs, but a stage that names an unset texture is off.
    """
    return _USED.get(operation, (_ARG1, _ARG2))


def reads_texture(operation: int) -> bool:
    """Tell whether an operation looks up the texture whatever its arguments are."""
    return operation in _READING_TEXTURE


def is_clamped(operation: int, profile: str) -> bool:
    """Tell whether a result is clamped to 0..1: by the page all, by IEEE 754 none."""
    if profile == "driver":
        return operation in _ARITHMETIC
    return profile == "documented"


@dataclass(frozen=True, slots=True)
class Operand:
    """An argument: a register, and whether all its components are its alpha."""

    register: str
    is_replicated: bool = False

    @property
    def alpha(self) -> str:
        """Its alpha, in all components."""
        return f"{self.register}.w"

    def part(self, mask: str) -> str:
        """Return its components for a mask."""
        return self.alpha if self.is_replicated or mask == ".w" else self.register


@dataclass(frozen=True, slots=True)
class Context:
    """What an operation is written with.

    target: where the result goes, with the write mask `mask`. a: ARG0 to ARG2. diffuse, texture,
    current, factor: what the blends take their factor from.
    """

    w: Writer
    target: str
    mask: str
    saturates: bool
    a: tuple[Operand, Operand, Operand]
    diffuse: str
    texture: str
    current: str
    factor: Callable[[], str]

    def result(self, mnemonic: str, *sources: str) -> None:
        """Write the last instruction, which may clamp."""
        suffix = "_sat" if self.saturates else ""
        self.w.emit(mnemonic + suffix, self.target + self.mask, *sources)

    def step(self, mnemonic: str, *sources: str) -> str:
        """Write an instruction to a register of its own."""
        register = self.w.temporary()
        self.w.emit(mnemonic, register, *sources)
        return register

    def part(self, number: int) -> str:
        """Return an argument for the components that are written."""
        return self.a[number].part(self.mask)

    @property
    def first(self) -> str:
        """ARG1."""
        return self.part(_ARG1)

    @property
    def second(self) -> str:
        """ARG2."""
        return self.part(_ARG2)

    def inverse(self, source: str) -> str:
        """Write 1 minus something."""
        return self.step("add", self.w.number(1.0), f"-{source}")


def _select(number: int) -> Callable[[Context], None]:
    return lambda c: c.result("mov", c.part(number))


def _modulate(scale: float) -> Callable[[Context], None]:
    def write(c: Context) -> None:
        if scale == 1:
            c.result("mul", c.first, c.second)
        else:
            c.result("mul", c.step("mul", c.first, c.second), c.w.number(scale))

    return write


def _add_signed(scale: float) -> Callable[[Context], None]:
    def write(c: Context) -> None:
        total = c.step("add", c.first, c.second)
        if scale == 1:
            c.result("add", total, f"-{c.w.number(0.5)}")
        else:
            c.result("mul", c.step("add", total, f"-{c.w.number(0.5)}"), c.w.number(scale))

    return write


def _add_smooth(c: Context) -> None:
    c.result("mad", c.second, c.inverse(c.first), c.first)


def _blend(factor: Callable[[Context], str]) -> Callable[[Context], None]:
    return lambda c: c.result("lrp", factor(c), c.first, c.second)


def _blend_premultiplied(c: Context) -> None:
    c.result("mad", c.second, c.inverse(f"{c.texture}.w"), c.first)


def _modulate_alpha(c: Context) -> None:
    c.result("mad", c.a[_ARG1].alpha, c.second, c.first)


def _modulate_color(c: Context) -> None:
    c.result("mad", c.first, c.second, c.a[_ARG1].alpha)


def _modulate_inverse_alpha(c: Context) -> None:
    c.result("mad", c.inverse(c.a[_ARG1].alpha), c.second, c.first)


def _modulate_inverse_color(c: Context) -> None:
    c.result("mad", c.inverse(c.first), c.second, c.a[_ARG1].alpha)


def _dot(c: Context) -> None:
    """Write 4 times the product of two directions, of colours also where alpha asks."""
    half = c.w.number(0.5)
    first, second = (c.step("add", c.a[n].part(""), f"-{half}") for n in (_ARG1, _ARG2))
    c.result("mul", c.step("dp3", first, second), c.w.number(4.0))


def _multiply_add(c: Context) -> None:
    c.result("mad", c.first, c.second, c.part(_ARG0))


def _lerp(c: Context) -> None:
    c.result("lrp", c.part(_ARG0), c.first, c.second)


OPERATIONS: Mapping[int, Callable[[Context], None]] = {
    _OP.SELECTARG1: _select(_ARG1),
    _OP.SELECTARG2: _select(_ARG2),
    _OP.MODULATE: _modulate(1.0),
    _OP.MODULATE2X: _modulate(2.0),
    _OP.MODULATE4X: _modulate(4.0),
    _OP.ADD: lambda c: c.result("add", c.first, c.second),
    _OP.ADDSIGNED: _add_signed(1.0),
    _OP.ADDSIGNED2X: _add_signed(2.0),
    _OP.SUBTRACT: lambda c: c.result("add", c.first, f"-{c.second}"),
    _OP.ADDSMOOTH: _add_smooth,
    _OP.BLENDDIFFUSEALPHA: _blend(lambda c: f"{c.diffuse}.w"),
    _OP.BLENDTEXTUREALPHA: _blend(lambda c: f"{c.texture}.w"),
    _OP.BLENDFACTORALPHA: _blend(lambda c: f"{c.factor()}.w"),
    _OP.BLENDTEXTUREALPHAPM: _blend_premultiplied,
    _OP.BLENDCURRENTALPHA: _blend(lambda c: f"{c.current}.w"),
    _OP.PREMODULATE: _select(_ARG1),
    _OP.MODULATEALPHA_ADDCOLOR: _modulate_alpha,
    _OP.MODULATECOLOR_ADDALPHA: _modulate_color,
    _OP.MODULATEINVALPHA_ADDCOLOR: _modulate_inverse_alpha,
    _OP.MODULATEINVCOLOR_ADDALPHA: _modulate_inverse_color,
    _OP.DOTPRODUCT3: _dot,
    _OP.MULTIPLYADD: _multiply_add,
    _OP.LERP: _lerp,
}
"""What each operation writes; bump operations write nothing."""
