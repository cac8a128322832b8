"""Before and behind a program of SM1-3 in a draw: rules over the algebra, for both engines.

Spec: Direct3D 9 reference, "Fog Formulas", "Pixel Fog", "Alpha Testing State", "SetClipPlane",
"D3DDECLTYPE"; the choices are in docs/direct3d9.md.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from softd3d.algebra import elementary
from softd3d.algebra.float_rules import saturate
from softd3d.algebra.operations import bitcast, convert, floor, select
from softd3d.algebra.value import BOOL, F32, I32, U32, Algebra, DataType, Value
from softd3d.errors import InternalError
from softd3d.isa.d3d9.enums import FogMode
from softd3d.isa.machine import Machine
from softd3d.isa.sampling.comparison import compare
from softd3d.isa.sampling.state import ComparisonFunc
from softd3d.lower.d3d9.constant_files import STATES
from softd3d.lower.d3d9.state_file import StateWord
from softd3d.lower.d3d9.surroundings import AlphaTest, Beginning, Fog, Surroundings, clip_key
from softd3d.lower.registers import Registers
from softd3d.lower.stage import COVERED

__all__ = ["alpha_passes", "begin", "end", "fog_factor"]

_LOG2_E = 1.4426950408889634
_MOST = 255.0
_PLANE_WORDS = 4


def begin(s: Surroundings, registers: Registers, k: Algebra) -> None:
    """Let registers begin."""
    for key, number in s.missing:
        registers.write(*key, bitcast(k.const(F32, number), U32))
    for key, how in s.begun:
        registers.write(*key, bitcast(_BEGUN[how](registers.read(*key)), U32))


def _face(bits: Value) -> Value:
    return select(bits.ne(0), bits.k.const(F32, 1.0), -1.0)


_BEGUN: Mapping[Beginning, Callable[[Value], Value]] = {
    Beginning.CLAMPED: lambda bits: saturate(bitcast(bits, F32)),
    Beginning.UNSIGNED: lambda bits: convert(bits, F32),
    Beginning.SIGNED: lambda bits: convert(bitcast(bits, I32), F32),
    Beginning.PIXEL: lambda bits: floor(bitcast(bits, F32)),
    Beginning.FACE: _face,
}


def end(s: Surroundings, registers: Registers, m: Machine) -> None:
    """Do what follows the last instruction: clip distances, or fog and alpha test."""
    if s.planes:
        _measure(s, registers, m)
    if s.fog is not None:
        _blend_fog(s, s.fog, registers, m)
    if s.alpha_test is not None:
        alpha = bitcast(registers.read(*s.color[3]), F32)
        reference = _state(m, StateWord.ALPHA_REF, U32)
        passes = alpha_passes(s.alpha_test, alpha, reference)
        registers.write(*COVERED, select(passes, registers.read(*COVERED), 0))


def _state(m: Machine, word: int, type_: DataType = F32) -> Value:
    bits = m.load(STATES, m.k.const(U32, 4 * word), m.k.const(BOOL, 1))
    return bits if type_ is U32 else bitcast(bits, type_)


def _measure(s: Surroundings, registers: Registers, m: Machine) -> None:
    """Leave the distance of the position from each plane: below 0 is clipped."""
    position = [bitcast(registers.read(*key), F32) for key in s.position]
    for number, plane in enumerate(s.planes):
        at = StateWord.CLIP_PLANES + _PLANE_WORDS * plane
        x, y, z, w = (a * _state(m, at + n) for n, a in enumerate(position))
        registers.write(*clip_key(number), bitcast(((x + y) + z) + w, U32))


def _blend_fog(s: Surroundings, fog: Fog, registers: Registers, m: Machine) -> None:
    """Mix red, green and blue with the colour of fog: fog + factor * (colour - fog)."""
    given = bitcast(registers.read(*fog.source), F32)
    factor = saturate(given)
    if fog.mode is not FogMode.NONE:
        words = (StateWord.FOG_START, StateWord.FOG_END, StateWord.FOG_DENSITY)
        start, stop, density = (_state(m, word) for word in words)
        factor = fog_factor(fog, given, start, stop, density)
    else:
        factor = select(given.ne(given), 1.0, factor)
    for n, key in enumerate(s.color[:3]):
        mixed = _state(m, StateWord.FOG_RED + n)
        color = bitcast(registers.read(*key), F32)
        registers.write(*key, bitcast(factor * color + (1.0 - factor) * mixed, U32))


def fog_factor(fog: Fog, depth: Value, start: Value, stop: Value, density: Value) -> Value:
    """Return how much of the colour is left at a depth, 0 to 1; NaN is 1.

    fog: says which formula. depth, start, stop, density: float32.
    """
    match fog.mode:
        case FogMode.EXP:
            found = elementary.exp2(-(density * depth) * _LOG2_E)
        case FogMode.EXP2:
            product = density * depth
            found = elementary.exp2(-(product * product) * _LOG2_E)
        case FogMode.LINEAR:
            found = (stop - depth) / (stop - start)
            if fog.step:
                is_near = select(depth < stop, depth.like(1.0), 0.0)
                found = select(start.eq(stop), is_near, found)
        case FogMode.NONE:
            raise InternalError("fog without a table has no formula")
    return select(found.ne(found), 1.0, saturate(found))


def alpha_passes(test: AlphaTest, alpha: Value, reference: Value) -> Value:
    """Return where the alpha test holds, BOOL.

    alpha: float32. reference: uint32, 0 to 255. In bytes alpha is clamped and rounded to the
    nearest; as a float it is compared with reference / 255, and with a NaN only NOTEQUAL and ALWAYS
    hold.
    """
    a, b = alpha, convert(reference, F32)
    if test.in_bytes:
        a = floor(saturate(alpha) * _MOST + 0.5)
    else:
        b = b / _MOST
    return compare(ComparisonFunc(test.function), a, b)  # the numbers are the same
