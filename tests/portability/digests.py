"""Digests of what both engines compute, to be compared between processors.

    python tests/portability/digests.py OUT.json [--cpu CPU] [KIND...]

Kinds: cases (execution cases), sm4 and sm1 (the differential rows), tiny (results around 2^-126).
Writes {"KIND NAME": [interpreter's digest, JIT's]}; a case or row that fails has its error there.
--cpu: LLVM's name of a processor that the JIT makes code for; this one must be able to run it.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import nullcontext
from pathlib import Path
from typing import Any

TESTS = Path(__file__).parents[1]
sys.path[:0] = [str(TESTS / "differential"), str(TESTS / "execution"), str(TESTS.parent / "src")]

import numpy as np
import test_engines
import test_rows
import test_sm1_rows
from rows import Function, Words, native_words, numpy_words, run_native, run_numpy

from softd3d.algebra.operations import bitcast, fma, high32, low32, pack64
from softd3d.algebra.value import F32, U32, Value
from softd3d.device.verdict import run_case
from softd3d.errors import ShaderError
from softd3d.isa.row import Row
from softd3d.jit.compiling.target import Target, code_for, host
from softd3d.resources.cases.file import Case

LANES = 8
NAN, DOUBLE_NAN = 0x7FC00000, 0x7FF8000000000000
Job = tuple[str, Callable[[], list[Words]], Callable[[], list[Words]]]  # name, interpreter, JIT


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("out", type=Path)
    parser.add_argument("kinds", nargs="*", metavar="KIND", help=", ".join(KINDS))
    parser.add_argument("--cpu")
    given = parser.parse_intermixed_args()
    target = Target(host().triple, given.cpu, "") if given.cpu else host()
    found: dict[str, list[str]] = {}
    with code_for(target) if given.cpu else nullcontext():
        for kind in given.kinds or KINDS:
            for name, *engines in KINDS[kind]():
                found[f"{kind} {name}"] = [digest(engine) for engine in engines]
    given.out.write_text(json.dumps(found, indent=0))
    differing = [name for name, (a, b) in found.items() if a != b]
    print(f"{target.triple} {target.cpu}: {len(found)} results, the engines differ in {differing}")


def digest(compute: Callable[[], list[Words]]) -> str:
    try:
        arrays = compute()
    except ShaderError as error:
        return f"{type(error).__name__}: {error}"
    return hashlib.sha256(b"".join(np.ascontiguousarray(a).tobytes() for a in arrays)).hexdigest()


def one_nan(words: Words) -> Words:
    """Return float32 bits with every NaN the same: which one it is, Direct3D leaves free."""
    return np.where(np.isnan(words.view(np.float32)), np.uint32(NAN), words)


def cases() -> Iterator[Job]:
    for parameter in test_engines.compute_cases():
        case: Case = parameter.values[0]  # pyright: ignore[reportAttributeAccessIssue]
        # Rows of any order are compared as sets, not as bytes.
        if not any(o.row_bytes for o in case.outputs):
            yield case.name, partial_case(case, "interpreter"), partial_case(case, "jit")


def partial_case(case: Case, engine: str) -> Callable[[], list[Words]]:
    def compute() -> list[Words]:
        result = run_case(case, engine, threads=2)
        outputs: list[Words] = []
        for output in case.outputs:
            data = result.outputs[output.register]
            words = np.frombuffer(data + bytes(-len(data) % 4), np.uint32)
            has_floats = any("float" in str(rule.type) for rule in output.rules)
            outputs.append(one_nan(words) if has_floats else words)
        return outputs

    return compute


def sm4() -> Iterator[Job]:
    for row in test_rows.PURE:
        inputs = test_rows.inputs(row)
        yield (
            row.mnemonic,
            lambda row=row, inputs=inputs: comparable(row, run_numpy(row, inputs)),
            lambda row=row, inputs=inputs: comparable(row, run_native(row, inputs, LANES)),
        )


def comparable(row: Row, results: list[Words]) -> list[Words]:
    if row.destinations[0].letter == "d":
        numbers = np.stack(results, axis=-1).view(np.float64)[..., 0]
        bits = np.where(np.isnan(numbers), np.uint64(DOUBLE_NAN), numbers.view(np.uint64))
        return [bits.view(np.uint32)]
    pairs = zip(row.destinations, results, strict=True)
    return [one_nan(words) if spec.letter == "f" else words for spec, words in pairs]


def sm1() -> Iterator[Job]:
    for (mnemonic, since), row in test_sm1_rows.PURE.items():
        clean = one_nan if row.destinations[0].letter in "fx" else np.asarray
        for name, function, inputs, wanted in test_sm1_rows.variants(row):
            yield (
                f"{mnemonic} {since} {name}",
                lambda wanted=wanted, clean=clean: list(map(clean, wanted)),
                lambda function=function, inputs=inputs, clean=clean: list(
                    map(clean, native_words(function, inputs, LANES))
                ),
            )


def tiny() -> Iterator[Job]:
    """Operations whose exact results lie within some 2^-24 of 2^-126, relatively."""
    operations: dict[str, Callable[..., Value]] = {
        "mul": lambda a, b, _: a * b,
        "fma": fma,
        "div": lambda a, b, _: a / b,
        "sum": lambda a, b, c: a * b + c,
    }
    for name, operation in operations.items():
        inputs = quotients() if name == "div" else products()
        for beside in ("", " beside float64"):
            function = applied(operation, uses_float64=bool(beside))
            yield (
                name + beside,
                lambda function=function, inputs=inputs: numpy_words(function, inputs),
                lambda function=function, inputs=inputs: native_words(function, inputs, LANES),
            )


def applied(operation: Callable[..., Value], *, uses_float64: bool) -> Function:
    def function(words: list[Value]) -> list[Value]:
        result = bitcast(operation(*(bitcast(w, F32) for w in words)), U32)
        double = pack64(words[0], words[1])
        return [result, low32(double), high32(double)] if uses_float64 else [result]

    return function


def quotients() -> list[Words]:
    """Return a, b and any c: a / b is near to 2^-126."""
    random, count = np.random.default_rng(127), 1 << 14
    b = random.uniform(1, 2, count).astype(np.float32)
    a = np.nextafter(b, random.choice([0, 3], count).astype(np.float32))
    exponent = random.integers(1, 120, count)
    a, b = np.ldexp(a, exponent - 126), np.ldexp(b, exponent)
    return [np.asarray(x, np.float32).view(np.uint32) for x in (a, b, a)]


def products() -> list[Words]:
    """Return a, b and c: a * b is near to 2^-126, or a * b + c is where they cancel."""
    random, count = np.random.default_rng(126), 1 << 14
    a = random.uniform(1, 2, count).astype(np.float32)
    b = (1 / a).astype(np.float32)
    b = np.nextafter(b, random.choice([0, 2], count).astype(np.float32))
    half = random.integers(-60, 60, count)
    a, b = np.ldexp(a, half), np.ldexp(b, -126 - half)
    c = np.ldexp(random.choice([0, 1, -1, 1 + 2**-23], count), -126)
    is_large = random.random(count) < 0.5  # some 2^20 times as large, and most of it taken away
    a = np.where(is_large, np.ldexp(a, 20), a) * random.choice([-1, 1], count)
    product = a.astype(np.float64) * b
    c = np.where(is_large, np.ldexp(random.choice([-1.0, 1.0], count), -126) - product, c)
    return [np.asarray(x, np.float32).view(np.uint32) for x in (a, b, c)]


KINDS: dict[str, Callable[[], Iterable[Any]]] = {
    "tiny": tiny, "sm4": sm4, "cases": cases, "sm1": sm1,
}  # fmt: skip

if __name__ == "__main__":
    main()
