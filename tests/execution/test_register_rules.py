"""Registers on both engines: results over their operands, arrays, marks of minimum precision.

Spec: D3D11.3 sections 22.3.31 (x#), 7.8 (indices), 22.14 (doubles), 7.20 (minimum precision).
"""

from __future__ import annotations

import itertools
import struct
from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

import softd3d
from softd3d.isa.sm4.decode import decode
from softd3d.isa.sm4.encode import encode
from softd3d.isa.sm4.program import Operand
from softd3d.tools.text.assembler import assemble_tokens

RUNS = [("interpreter", 0), *(("jit", n) for n in (4, 8, 16, 64))]
EVERY_RUN = pytest.mark.parametrize(("engine", "lanes"), RUNS)
MASK = 0xFFFFFFFF
HEAD = """cs_5_0
dcl_globalFlags refactoringAllowed | enableDoublePrecisionFloatOps | enable11_1DoubleExtensions
dcl_resource_structured t0, 16
dcl_uav_structured u0, 16
dcl_input vThreadID.x
dcl_temps 8
{declared}
dcl_thread_group {group}, 1, 1
ld_structured_indexable(structured_buffer, stride=16)(mixed,mixed,mixed,mixed) r0.xyzw, vThreadID.x, l(0), t0.xyzw
{code}
store_structured u0.xyzw, vThreadID.x, l(0), r0.xyzw
ret
"""  # noqa: E501


def run(
    code: str, inputs: np.ndarray, engine: str, lanes: int, declared: str = "", group: int = 64
) -> np.ndarray:
    """Return r0 of each thread as uint32, (n, 4), after code that begins with its inputs in r0."""
    text = HEAD.format(declared=declared, code=code, group=group).replace("\n\n", "\n")
    out = np.zeros_like(inputs)
    softd3d.dispatch(
        softd3d.load(assemble_tokens(text)), (len(inputs) // group, 1, 1),
        srvs={0: softd3d.StructuredBuffer(inputs, 16)},
        uavs={0: softd3d.StructuredBuffer(out, 16)}, engine=engine, lanes=lanes, threads=2,
    )  # fmt: skip
    return out


# Results over operands: all are read before anything is written


def double(low: int, high: int) -> float:
    return struct.unpack("<d", struct.pack("<II", low, high))[0]


def pair(value: float) -> tuple[int, int]:
    return struct.unpack("<II", struct.pack("<d", value))


def bits(value: float) -> int:
    return struct.unpack("<I", struct.pack("<f", value))[0]


Model = Callable[[int, int, int, int], tuple[int, ...]]


def signed(word: int) -> int:
    return word - (word >> 31 << 32)


def high_product(a: int, b: int) -> int:
    return (signed(a) * signed(b) >> 32) & MASK


def less(a: int, b: int, c: int, d: int) -> int:
    return MASK if double(a, b) < double(c, d) else 0


def summed(a: int, b: int, c: int, d: int) -> tuple[int, ...]:
    return pair(double(a, b) + double(c, d))


def product(a: int, b: int, c: int, d: int) -> tuple[int, ...]:
    return pair(double(a, b) * double(c, d))


OVERLAPS: list[tuple[str, Model]] = [
    ("swapc r0.x, r0.y, r0.z, r0.x, r0.y", lambda a, b, c, d: (*((b, a) if c else (a, b)), c, d)),
    ("swapc r0.x, r0.y, r0.z, r0.y, r0.x", lambda a, b, c, d: (*((a, b) if c else (b, a)), c, d)),
    (
        # Component by component: the condition of x is w, of y z, of z y, of w x.
        "swapc r0.xy, r0.zw, r0.wzyx, r0.zwxy, r0.xyzw",
        lambda a, b, c, d: (a if d else c, b if c else d, a if b else c, b if a else d),
    ),
    (
        "movc r0.xyzw, r0.yzwx, r0.zwxy, r0.wxyz",
        lambda a, b, c, d: (c if b else d, d if c else a, a if d else b, b if a else c),
    ),
    (
        "dmovc r0.zw, r0.xyxy, r0.xyxy, r0.zwzw",
        lambda a, b, c, d: (a, b, *((a, b) if b else (c, d))),
    ),
    (
        "dmovc r0.xyzw, r0.zwxy, r0.zwxy, r0.xyzw",
        lambda a, b, c, d: (*((c, d) if c else (a, b)), *((a, b) if d else (c, d))),
    ),
    ("dmov r0.xyzw, r0.zwxy", lambda a, b, c, d: (c, d, a, b)),
    (
        "dadd r0.xyzw, r0.zwxy, r0.zwzw",
        lambda a, b, c, d: (*summed(c, d, c, d), *summed(a, b, c, d)),
    ),
    ("dmul r0.zw, r0.xyxy, r0.zwzw", lambda a, b, c, d: (a, b, *product(a, b, c, d))),
    (
        "dlt r0.xy, r0.xyzw, r0.zwxy",
        lambda a, b, c, d: (less(a, b, c, d), less(c, d, a, b), c, d),
    ),
    ("dtof r0.y, r0.xyxy", lambda a, b, c, d: (a, bits(double(a, b)), c, d)),
    ("itod r0.xy, r0.x", lambda a, _, c, d: (*pair(float(signed(a))), c, d)),
    ("utod r0.zw, r0.z", lambda a, b, c, _: (a, b, *pair(float(c)))),
    ("imul r0.x, r0.y, r0.x, r0.y", lambda a, b, c, d: (high_product(a, b), a * b & MASK, c, d)),
    ("umul r0.y, r0.x, r0.x, r0.y", lambda a, b, c, d: (a * b & MASK, a * b >> 32, c, d)),
    ("uaddc r0.x, r0.y, r0.y, r0.x", lambda a, b, c, d: (a + b & MASK, a + b >> 32, c, d)),
    ("usubb r0.y, r0.x, r0.y, r0.x", lambda a, b, c, d: (int(a > b), b - a & MASK, c, d)),
    (
        "msad r0.xy, r0.yxyx, r0.xyxy, r0.xxxx",
        lambda a, b, c, d: (msad(b, a, a), msad(a, b, a), c, d),
    ),
]


def msad(reference: int, source: int, total: int) -> int:
    for shift in (0, 8, 16, 24):
        r = reference >> shift & 255
        total += abs(r - (source >> shift & 255)) if r else 0
    return total & MASK


def overlap_inputs() -> np.ndarray:
    """Return uint32, (128, 4): pairs are doubles of moderate size; a quarter are zeros."""
    random = np.random.default_rng(11)
    found = (random.normal(size=(128, 2)) * 1000).view(np.uint32).copy()
    found[random.random((128, 4)) < 0.25] = 0
    return found


@EVERY_RUN
@pytest.mark.parametrize(
    ("code", "model"), OVERLAPS, ids=[code.split("\n")[0] for code, _ in OVERLAPS]
)
def test_results_over_their_operands(engine: str, lanes: int, code: str, model: Model) -> None:
    inputs = overlap_inputs()
    found = run(code, inputs, engine, lanes)
    assert found.tolist() == [list(model(*row)) for row in inputs.tolist()]


# Arrays: random programs over three of them

SIZES = {0: 5, 1: 1, 2: 16}
ARRAYS = "".join(f"dcl_indexableTemp x{n}[{size}], 4\n" for n, size in SIZES.items()).rstrip()


class Arrays:
    """What a thread holds: temps r1 to r4, and the arrays; outside of these all is 0."""

    def __init__(self, inputs: list[int]) -> None:
        self.temps = [list(inputs), *([0] * 4 for _ in range(7))]
        self.arrays = {n: [[0] * 4 for _ in range(size)] for n, size in SIZES.items()}

    def read(self, array: int, index: int) -> list[int]:
        return self.arrays[array][index] if index < SIZES[array] else [0] * 4

    def write(self, array: int, index: int, mask: list[int], values: list[int]) -> None:
        if index < SIZES[array]:
            for c in mask:
                self.arrays[array][index][c] = values[c]


Step = tuple[str, Callable[[Arrays], None]]


def masked(random: np.random.Generator) -> tuple[str, list[int]]:
    chosen_ = sorted(random.choice(4, random.integers(1, 5), replace=False).tolist())
    return "".join("xyzw"[c] for c in chosen_), chosen_


def place(random: np.random.Generator, array: int) -> tuple[str, Callable[[Arrays], int]]:
    """Return an index of an array: a literal, or a register with an offset, at times outside."""
    if random.random() < 0.2:
        literal = int(random.integers(0, SIZES[array]))
        return str(literal), lambda _: literal
    temp, c, offset = (int(random.integers(0, n)) for n in (4, 4, 4))
    return (
        f"r{temp}.{'xyzw'[c]} + {offset}",
        lambda state: state.temps[temp][c] + offset & MASK,
    )


def step(random: np.random.Generator) -> Step:
    """Return one instruction, and what it does to the state of a thread."""
    kinds = (write_step, read_step, change_step, small_step, some_step)
    return kinds[int(random.integers(0, len(kinds)))](random)


def any_temp(random: np.random.Generator) -> tuple[int, list[int], str]:
    """Return a temp's number, and a swizzle with its letters."""
    swizzle = random.integers(0, 4, 4).tolist()
    return int(random.integers(0, 4)), swizzle, "".join("xyzw"[c] for c in swizzle)


def any_array(random: np.random.Generator) -> tuple[int, str, Callable[[Arrays], int]]:
    array = int(random.choice(list(SIZES)))
    return array, *place(random, array)


def write_step(random: np.random.Generator) -> Step:
    array, text, index = any_array(random)
    mask, at = masked(random)
    temp, swizzle, letters = any_temp(random)

    def write(state: Arrays) -> None:
        state.write(array, index(state), at, [state.temps[temp][c] for c in swizzle])

    return f"mov x{array}[{text}].{mask}, r{temp}.{letters}", write


def read_step(random: np.random.Generator) -> Step:
    array, text, index = any_array(random)
    mask, at = masked(random)
    temp, swizzle, letters = any_temp(random)

    def read(state: Arrays) -> None:
        values = state.read(array, index(state))
        for c in at:
            state.temps[temp][c] = values[swizzle[c]]

    return f"mov r{temp}.{mask}, x{array}[{text}].{letters}", read


def change_step(random: np.random.Generator) -> Step:
    """Add elements of two arrays, which may be one, into the first."""
    array, text, index = any_array(random)
    other, source, from_ = any_array(random)
    mask, at = masked(random)
    _, swizzle, letters = any_temp(random)

    def add(state: Arrays) -> None:
        a, b = state.read(array, index(state)), state.read(other, from_(state))
        new = [(a[c] + b[swizzle[c]]) & MASK for c in range(4)]
        state.write(array, index(state), at, new)

    target = f"x{array}[{text}]"
    return f"iadd {target}.{mask}, {target}.xyzw, x{other}[{source}].{letters}", add


def small_step(random: np.random.Generator) -> Step:
    """Make numbers small again, so that indices hit."""
    mask, at = masked(random)
    temp, _, _ = any_temp(random)

    def small(state: Arrays) -> None:
        for c in at:
            state.temps[temp][c] &= 7

    return f"and r{temp}.{mask}, r{temp}.xyzw, l(7, 7, 7, 7)", small


def some_step(random: np.random.Generator) -> Step:
    """Do another step in some threads only."""
    inner, action = step(random)
    temp, (c, *_), letters = any_temp(random)
    bit = 1 << int(random.integers(0, 3))

    def some(state: Arrays) -> None:
        if state.temps[temp][c] & bit:
            action(state)

    return f"and r6.x, r{temp}.{letters[0]}, l({bit})\nif_nz r6.x\n{inner}\nendif", some


@pytest.mark.parametrize("seed", range(8))
def test_arrays_with_computed_indices(seed: int) -> None:
    """Steps in a loop that threads leave one by one, against the same in Python."""
    random = np.random.default_rng(seed)
    steps = [step(random) for _ in range(14)]
    inputs = random.integers(0, 8, (128, 4)).astype(np.uint32)
    inputs[random.random((128, 4)) < 0.05] = MASK - 1
    wanted: list[list[int]] = []
    for row in inputs.tolist():
        state = Arrays(row)
        for _ in range(1 + (row[0] & 3)):
            for _, action in steps:
                action(state)
        wanted.append(state.temps[0])
    code = "\n".join(
        ["and r5.x, r0.x, l(3)", "loop", *(text for text, _ in steps), "breakc_z r5.x",
         "iadd r5.x, r5.x, l(-1)", "endloop"]
    )  # fmt: skip
    for engine, lanes in RUNS:
        found = run(code, inputs, engine, lanes, ARRAYS, group=64)
        assert found.tolist() == wanted, (engine, lanes)


# Minimum precision: a hint that changes nothing

PRECISE = """
mov x0[0].xyzw, r0.xyzw
and r1.x, r0.x, l(1)
mov x0[r1.x + 1].xyzw, r0.wzyx
mad r2.xyzw, r0.xyzw, l(3.0, 5.0, 7.0, 1000000.0), x0[r1.x + 1].xyzw
imad r3.xyzw, r0.xyzw, l(3, 70000, 7, 9), cb0[r1.x + 1].xyzw
sincos r4.x, r4.y, r2.x
movc r4.z, r1.x, r2.y, -|r3.w|
swapc r2.x, r2.y, r1.x, r2.z, r2.w
udiv r5.x, r5.y, r3.x, r3.y
ld_structured r6.xyzw, r1.x, l(4), t0.xyzw
if_nz r1.x
  iadd r3.xyzw, r3.xyzw, icb[r1.x + 0].xyzw
endif
switch r1.x
  case l(1)
    add r2.xyzw, r2.xyzw, l(0.25, 0.25, 0.25, 0.25)
    break
endswitch
loop
  ieq r5.w, r5.z, l(2)
  breakc_nz r5.w
  iadd r5.z, r5.z, l(1)
endloop
dadd r0.xy, r0.xyxy, r0.zwzw
iadd r2.xyzw, r2.xyzw, r3.xyzw
iadd r2.xyzw, r2.xyzw, r4.xyzw
iadd r2.xyzw, r2.xyzw, r5.xyzw
iadd r2.xyzw, r2.xyzw, r6.xyzw
iadd r0.xyzw, r2.xyzw, r0.xyzw
"""
ENOUGH = """dcl_indexableTemp x0[4], 4
dcl_constantbuffer cb0[4], dynamicIndexed
dcl_immediateConstantBuffer { { 1, 2, 3, 4}, { 100000, 6, 7, 8} }"""


def marked(operand: Operand, precision: int) -> Operand:
    """Return an operand with a minimum precision, on the registers in its indices too."""
    indices = tuple(
        replace(i, relative=marked(i.relative, precision)) if i.relative is not None else i
        for i in operand.indices
    )
    return replace(operand, indices=indices, min_precision=precision)


@EVERY_RUN
def test_a_minimum_precision_changes_nothing(engine: str, lanes: int) -> None:
    """Every operand of every instruction carries one: min16f, min2_8f, min16i, min16u by turns."""
    precisions = itertools.cycle([1, 2, 4, 5])
    text = HEAD.format(declared=ENOUGH, code=PRECISE.strip(), group=64)
    plain = decode(assemble_tokens(text))
    names = {"DCL", "CUSTOMDATA"}
    changed = replace(
        plain,
        instructions=[
            i if any(i.opcode.name.startswith(n) for n in names)
            else replace(i, operands=tuple(marked(o, next(precisions)) for o in i.operands))
            for i in plain.instructions
        ],
    )  # fmt: skip
    assert encode(changed) != encode(plain)
    inputs = np.random.default_rng(2).normal(size=(128, 4)).astype(np.float32).view(np.uint32)
    found: list[np.ndarray] = []
    for program in (plain, changed):
        out = np.zeros((128, 4), np.uint32)
        softd3d.dispatch(
            softd3d.load(encode(program)), (2, 1, 1), engine=engine, lanes=lanes,
            constants={0: np.arange(16, dtype=np.uint32) * 99999},
            srvs={0: softd3d.StructuredBuffer(inputs, 16)},
            uavs={0: softd3d.StructuredBuffer(out, 16)},
        )  # fmt: skip
        found.append(out)
    np.testing.assert_array_equal(*found)
    assert len(np.unique(found[0])) > 400
