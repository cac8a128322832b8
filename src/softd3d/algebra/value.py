"""`Value`, its operators, and the table of primitives: the whole contract of an algebra.

A value is one component of one operand for all lanes. Float32 arithmetic and comparison primitives
treat denormal operands as zeros of the same sign and return no denormals; selecting, moving,
negating and taking absolute values are bit operations and never flush. Float64 never flushes.
Rounding is to nearest even; a float32 result is flushed when the exact value, rounded to 24 bits
without a lower limit on the exponent, is below 2**-126 (what x86 hardware with FTZ does).
NaN bits are free. Integers wrap. See docs/numbers.md.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum
from typing import Any, Protocol

from softd3d.classes import dataclass

__all__ = [
    "BOOL",
    "F32",
    "F64",
    "I32",
    "PRIMITIVES",
    "U32",
    "Algebra",
    "DataType",
    "Primitive",
    "Value",
]


class DataType(Enum):
    """The type of a value; the member's value is its name in listings."""

    F32 = "f32"
    F64 = "f64"
    I32 = "i32"
    U32 = "u32"
    BOOL = "bool"

    # Types are in the keys of every recorded value; Enum's own hash is a function in Python.
    __hash__ = object.__hash__

    @property
    def is_float(self) -> bool:
        return self is F32 or self is F64


F32, F64, I32, U32, BOOL = DataType


@dataclass(frozen=True, slots=True)
class Primitive:
    """One primitive. operands: type of each, `T` being one common type out of `types`.

    result: a type, or `T`. A `convert`-like primitive names its types outright.
    """

    name: str
    operands: tuple[str, ...]
    result: str
    types: frozenset[DataType]
    doc: str


PRIMITIVES: dict[str, Primitive] = {}


def _define(name: str, signature: str, types: Sequence[DataType], doc: str) -> None:
    result, _, operands = signature.partition("=")
    PRIMITIVES[name] = Primitive(name, tuple(operands.split()), result, frozenset(types), doc)


_FLOAT, _INTEGER = (F32, F64), (I32, U32)
_NUMBER = (*_FLOAT, *_INTEGER)
for _row in (
    ("add", "T=T T", _NUMBER, "a + b"),
    ("sub", "T=T T", _NUMBER, "a - b"),
    ("mul", "T=T T", _NUMBER, "a * b, the low 32 bits for integers"),
    ("div", "T=T T", _FLOAT, "a / b, correctly rounded"),
    ("fma", "T=T T T", _FLOAT, "a * b + c, rounded once"),
    ("sqrt", "T=T", _FLOAT, "square root, correctly rounded"),
    ("neg", "T=T", _NUMBER, "-a: the sign bit of a float, two's complement of an integer"),
    ("abs", "T=T", _FLOAT, "a without its sign bit"),
    ("floor", "T=T", _FLOAT, "round towards minus infinity"),
    ("ceil", "T=T", _FLOAT, "round towards plus infinity"),
    ("trunc", "T=T", _FLOAT, "round towards zero"),
    ("rint", "T=T", _FLOAT, "round to the nearest integer, ties to even"),
    ("umul_hi", "u32=u32 u32", (), "high half of the 64-bit unsigned product"),
    ("imul_hi", "i32=i32 i32", (), "high half of the 64-bit signed product"),
    ("udiv", "u32=u32 u32", (), "unsigned quotient; b must not be 0"),
    ("urem", "u32=u32 u32", (), "unsigned remainder; b must not be 0"),
    ("and", "T=T T", (*_INTEGER, BOOL), "bitwise and"),
    ("or", "T=T T", (*_INTEGER, BOOL), "bitwise or"),
    ("xor", "T=T T", (*_INTEGER, BOOL), "bitwise exclusive or"),
    ("not", "T=T", (*_INTEGER, BOOL), "bitwise complement"),
    ("shl", "T=T T", _INTEGER, "shift left; b must be below 32"),
    ("shr", "T=T T", _INTEGER, "shift right, arithmetic for i32; b must be below 32"),
    ("popcount", "u32=u32", (), "number of set bits"),
    ("clz", "u32=u32", (), "leading zeros, 32 for 0"),
    ("ctz", "u32=u32", (), "trailing zeros, 32 for 0"),
    ("bitreverse", "u32=u32", (), "bits in reverse order"),
    ("lt", "bool=T T", _NUMBER, "a < b, false with a NaN"),
    ("ge", "bool=T T", _NUMBER, "a >= b, false with a NaN"),
    ("eq", "bool=T T", _NUMBER, "a == b, false with a NaN"),
    ("ne", "bool=T T", _NUMBER, "a != b, true with a NaN"),
    ("select", "T=bool T T", (*_NUMBER, BOOL), "b where a is true, else c"),
    ("bitcast", "?=?", (), "the same 32 bits as another 32-bit type"),
    ("i32_to_f32", "f32=i32", (), "nearest float32"),
    ("u32_to_f32", "f32=u32", (), "nearest float32"),
    ("f32_to_i32", "i32=f32", (), "truncate; a must be in range"),
    ("f32_to_u32", "u32=f32", (), "truncate; a must be in range"),
    ("f32_to_f64", "f64=f32", (), "exact; denormals flush"),
    ("f64_to_f32", "f32=f64", (), "nearest float32; denormal results flush"),
    ("i32_to_f64", "f64=i32", (), "exact"),
    ("u32_to_f64", "f64=u32", (), "exact"),
    ("f64_to_i32", "i32=f64", (), "truncate; a must be in range"),
    ("f64_to_u32", "u32=f64", (), "truncate; a must be in range"),
    ("pack64", "f64=u32 u32", (), "float64 from its low and high dword"),
    ("low32", "u32=f64", (), "low dword of a float64"),
    ("high32", "u32=f64", (), "high dword of a float64"),
):
    _define(*_row)


class Algebra(Protocol):
    """What an evaluation must supply; everything else is written over it."""

    def const(self, type_: DataType, value: float) -> Value:
        """Return a constant. Floats are rounded to `type_`; integers are taken modulo 2**32."""
        ...

    def apply(self, name: str, type_: DataType, args: tuple[Value, ...]) -> Value:
        """Return primitive `name` of `args`, a value of `type_`."""
        ...


class Value:
    """One component for all lanes, in algebra `k`; `raw` belongs to the algebra."""

    __slots__ = ("k", "raw", "type")
    __hash__ = None  # pyright: ignore[reportAssignmentType]

    def __init__(self, k: Algebra, type_: DataType, raw: Any) -> None:
        self.k = k
        self.type = type_
        self.raw = raw

    def __repr__(self) -> str:
        return f"Value({self.type.value}, {self.raw!r})"

    def __bool__(self) -> bool:
        raise TypeError("a lane value has no single truth value; use select(condition, a, b)")

    def _with(self, name: str, other: Value | float, type_: DataType | None = None) -> Value:
        return self.k.apply(name, type_ or self.type, (self, self._coerce(other)))

    def _coerce(self, other: Value | float) -> Value:
        if not isinstance(other, Value):
            return self.k.const(self.type, other)
        if other.type is not self.type:
            raise TypeError(f"{self.type.value} does not go with {other.type.value}")
        return other

    def __add__(self, other: Value | float) -> Value:
        return self._with("add", other)

    def __radd__(self, other: float) -> Value:
        return self._coerce(other)._with("add", self)

    def __sub__(self, other: Value | float) -> Value:
        return self._with("sub", other)

    def __rsub__(self, other: float) -> Value:
        return self._coerce(other)._with("sub", self)

    def __mul__(self, other: Value | float) -> Value:
        return self._with("mul", other)

    def __rmul__(self, other: float) -> Value:
        return self._coerce(other)._with("mul", self)

    def __truediv__(self, other: Value | float) -> Value:
        return self._with("div", other)

    def __rtruediv__(self, other: float) -> Value:
        return self._coerce(other)._with("div", self)

    def __and__(self, other: Value | float) -> Value:
        return self._with("and", other)

    def __or__(self, other: Value | float) -> Value:
        return self._with("or", other)

    def __xor__(self, other: Value | float) -> Value:
        return self._with("xor", other)

    def __lshift__(self, other: Value | float) -> Value:
        return self._with("shl", other)

    def __rshift__(self, other: Value | float) -> Value:
        return self._with("shr", other)

    def __invert__(self) -> Value:
        return self.k.apply("not", self.type, (self,))

    def __neg__(self) -> Value:
        return self.k.apply("neg", self.type, (self,))

    def __abs__(self) -> Value:
        return self.k.apply("abs", self.type, (self,))

    def __lt__(self, other: Value | float) -> Value:
        return self._with("lt", other, BOOL)

    def __ge__(self, other: Value | float) -> Value:
        return self._with("ge", other, BOOL)

    def __gt__(self, other: Value | float) -> Value:
        return self._coerce(other)._with("lt", self, BOOL)

    def __le__(self, other: Value | float) -> Value:
        return self._coerce(other)._with("ge", self, BOOL)

    def eq(self, other: Value | float) -> Value:
        return self._with("eq", other, BOOL)

    def ne(self, other: Value | float) -> Value:
        return self._with("ne", other, BOOL)

    def like(self, value: float) -> Value:
        """Return a constant of this value's type and algebra."""
        return self.k.const(self.type, value)
