"""LLVM spellings of types, constants and primitives, for scalars and vectors of lanes."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from softd3d.algebra.value import BOOL, F32, F64, I32, U32, DataType
from softd3d.errors import InternalError

__all__ = ["constant", "iota", "llvm_type", "primitive", "splat_of"]

SCALARS = {F32: "float", F64: "double", I32: "i32", U32: "i32", BOOL: "i1"}


def llvm_type(type_: DataType, lanes: int) -> str:
    """Return the LLVM type of a value; lanes 0 is a scalar."""
    scalar = SCALARS[type_]
    return f"<{lanes} x {scalar}>" if lanes else scalar


def constant(type_: DataType, bits: int, lanes: int) -> str:
    """Return an LLVM constant with these bits."""
    text = _scalar(type_, bits)
    return splat_of(SCALARS[type_], text) if lanes else text


def splat_of(scalar: str, text: str) -> str:
    """Return the vector constant with `text` in every lane."""
    return f"splat ({scalar} {text})"


def _scalar(type_: DataType, bits: int) -> str:
    if type_ is BOOL:
        return "true" if bits else "false"
    if type_ is F64:
        return f"0x{bits:016X}"
    if type_ is F32:
        return f"0x{_widened(bits):016X}"
    return str(bits - (1 << 32) if bits >> 31 else bits)


def _widened(bits: int) -> int:
    """Return the float64 bits that LLVM prints for a float32 constant; NaN bits are kept."""
    sign, exponent, fraction = bits >> 31, bits >> 23 & 255, bits & 0x7FFFFF
    if exponent == 0 and fraction:  # denormal
        shift = 24 - fraction.bit_length()
        exponent, fraction = 1 - shift, fraction << shift & 0x7FFFFF
        wide = exponent + 896
    else:
        wide = {0: 0, 255: 2047}.get(exponent, exponent + 896)
    return sign << 63 | wide << 52 | fraction << 29


def iota(lanes: int, step: int = 1, start: int = 0) -> str:
    """Return the vector constant start, start + step, start + 2 * step ..., modulo 2**32."""
    return "<" + ", ".join(f"i32 {(start + k * step) % (1 << 32)}" for k in range(lanes)) + ">"


_FLOAT_OPS = {"add": "fadd", "sub": "fsub", "mul": "fmul", "div": "fdiv"}
_INTEGER_OPS = {"add": "add", "sub": "sub", "mul": "mul", "udiv": "udiv", "urem": "urem"}
_BIT_OPS = {"and": "and", "or": "or", "xor": "xor", "shl": "shl"}
_INTRINSICS = {
    "fma": "fma", "sqrt": "sqrt", "floor": "floor", "ceil": "ceil", "trunc": "trunc",
    "rint": "rint", "abs": "fabs", "popcount": "ctpop", "bitreverse": "bitreverse",
    "clz": "ctlz", "ctz": "cttz", "fence": "arithmetic.fence",
}  # fmt: skip
_COMPARE = {
    "lt": ("olt", "slt", "ult"), "ge": ("oge", "sge", "uge"),
    "eq": ("oeq", "eq", "eq"), "ne": ("une", "ne", "ne"),
}  # fmt: skip
_CONVERT = {
    "i32_to_f32": "sitofp", "u32_to_f32": "uitofp", "f32_to_i32": "fptosi",
    "f32_to_u32": "fptoui", "f32_to_f64": "fpext", "f64_to_f32": "fptrunc",
    "i32_to_f64": "sitofp", "u32_to_f64": "uitofp", "f64_to_i32": "fptosi",
    "f64_to_u32": "fptoui",
}  # fmt: skip
_SUFFIX = {F32: "f32", F64: "f64", I32: "i32", U32: "i32"}

Emit: TypeAlias = "Callable[[str], str]"  # takes the right side of an assignment, returns its name


def primitive(
    emit: Emit, declare: Callable[[str], None], name: str, type_: DataType,
    operands: list[tuple[DataType, str]], lanes: int,
) -> str:  # fmt: skip
    """Emit one primitive on scalars (lanes 0) or vectors; return the result's name."""
    first, a = operands[0]
    ty, out = llvm_type(first, lanes), llvm_type(type_, lanes)
    rest = ", ".join(text for _, text in operands)
    if name in _FLOAT_OPS and type_.is_float:
        return emit(f"{_FLOAT_OPS[name]} {ty} {rest}")
    if name in _INTEGER_OPS:
        return emit(f"{_INTEGER_OPS[name]} {ty} {rest}")
    if name in _BIT_OPS:
        return emit(f"{_BIT_OPS[name]} {ty} {rest}")
    if name == "shr":
        return emit(f"{'ashr' if first is I32 else 'lshr'} {ty} {rest}")
    if name in _INTRINSICS:
        return _intrinsic(emit, declare, name, operands, lanes)
    if name in _COMPARE:
        ordered, signed, unsigned = _COMPARE[name]
        if first.is_float:
            return emit(f"fcmp {ordered} {ty} {rest}")
        return emit(f"icmp {signed if first is I32 else unsigned} {ty} {rest}")
    if name in _CONVERT:
        return emit(f"{_CONVERT[name]} {ty} {a} to {out}")
    return _special(emit, name, type_, operands, lanes)


def _intrinsic(
    emit: Emit, declare: Callable[[str], None], name: str, operands: list[tuple[DataType, str]],
    lanes: int,
) -> str:  # fmt: skip
    first = operands[0][0]
    ty = llvm_type(first, lanes)
    vector = f"v{lanes}" if lanes else ""
    full = f"llvm.{_INTRINSICS[name]}.{vector}{_SUFFIX[first]}"
    types, args = [ty] * len(operands), [f"{ty} {text}" for _, text in operands]
    if name in ("clz", "ctz"):
        types, args = [*types, "i1"], [*args, "i1 false"]
    declare(f"declare {ty} @{full}({', '.join(types)})")
    return emit(f"call {ty} @{full}({', '.join(args)})")


def _special(
    emit: Emit, name: str, type_: DataType, operands: list[tuple[DataType, str]], lanes: int
) -> str:
    first, a = operands[0]
    ty, out = llvm_type(first, lanes), llvm_type(type_, lanes)
    wide = f"<{lanes} x i64>" if lanes else "i64"
    shift = splat_of("i64", "32") if lanes else "32"
    if name == "select":
        values = ", ".join(f"{out} {text}" for _, text in operands[1:])
        return emit(f"select {ty} {a}, {values}")
    if name == "bitcast":
        return emit(f"bitcast {ty} {a} to {out}") if ty != out else a
    if name == "neg":
        if type_.is_float:
            return emit(f"fneg {ty} {a}")
        return emit(f"sub {ty} {constant(type_, 0, lanes)}, {a}")
    if name == "not":
        ones = constant(type_, 1 if type_ is BOOL else 0xFFFFFFFF, lanes)
        return emit(f"xor {ty} {a}, {ones}")
    if name in ("umul_hi", "imul_hi"):
        extend = "zext" if name == "umul_hi" else "sext"
        x, y = (emit(f"{extend} {ty} {text} to {wide}") for _, text in operands)
        product = emit(f"mul {wide} {x}, {y}")
        return emit(f"trunc {wide} {emit(f'lshr {wide} {product}, {shift}')} to {out}")
    if name == "pack64":
        low, high = (emit(f"zext {ty} {text} to {wide}") for _, text in operands)
        bits = emit(f"or {wide} {low}, {emit(f'shl {wide} {high}, {shift}')}")
        return emit(f"bitcast {wide} {bits} to {out}")
    if name in ("low32", "high32"):
        bits = emit(f"bitcast {ty} {a} to {wide}")
        if name == "high32":
            bits = emit(f"lshr {wide} {bits}, {shift}")
        return emit(f"trunc {wide} {bits} to {out}")
    raise InternalError(f"no LLVM code for primitive {name}")
