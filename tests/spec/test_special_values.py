"""Every line of special_values.txt, evaluated by the rows over the NumPy algebra."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from softd3d.algebra.numpy_algebra import NumpyAlgebra
from softd3d.algebra.value import BOOL, F32, F64, I32, U32, DataType, Value
from softd3d.isa.row import Kind, Row
from softd3d.isa.sm4.rows import TABLE

FILE = Path(__file__).parent / "special_values.txt"
TYPES = {"f": F32, "d": F64, "i": I32, "u": U32, "b": U32, "c": U32, "m": BOOL}
WORDS = {"d": 1, "-d": 0x80000001, "~0": 0xFFFFFFFF, "T": 1, "F": 0}


@dataclass(frozen=True)
class Case:
    mnemonic: str
    sources: tuple[str, ...]
    results: tuple[str, ...]
    line: int

    def __str__(self) -> str:
        return f"{self.mnemonic}--{'_'.join(self.sources)}--line{self.line}"


def cases() -> Iterator[Case]:
    grid, header = "", ()
    for number, text in enumerate(FILE.read_text().splitlines(), 1):
        words = tuple(text.partition("#")[0].split())
        if not words:
            grid = ""
        elif words[0] == "grid":
            grid, header = words[1], ()
        elif grid and not header:
            header = words
        elif grid:
            for b, result in zip(header, words[1:], strict=True):
                yield Case(grid, (words[0], b), (result,), number)
        else:
            at = words.index("=")
            yield Case(words[0], words[1:at], words[at + 1 :], number)


def bits_of(word: str, type_: DataType) -> int:
    """Return a word of the file as bits of `type_`."""
    if word in WORDS and not (type_ is F64 and word in "d -d"):
        return WORDS[word]
    if word.startswith("0x"):
        return int(word, 16)
    if type_ is F64:
        return struct.unpack("<Q", struct.pack("<d", float(word)))[0]
    if type_ is F32:
        return int(np.float32(word).view(np.uint32))
    return int(word) & 0xFFFFFFFF


def value_of(k: NumpyAlgebra, word: str, type_: DataType) -> Value:
    bits = bits_of(word, type_)
    raw = np.array([bits], np.uint64 if type_ is F64 else np.uint32)
    dtype = {F32: np.float32, F64: np.float64, I32: np.int32, U32: np.uint32}[type_]
    return k.lanes(type_, raw.view(dtype))


def evaluate(row: Row, words: tuple[str, ...]) -> tuple[Value, ...]:
    """Apply a row's function to one component (or to the components that it reads at once)."""
    k, sources, rest = NumpyAlgebra(), [], list(words)
    for spec in row.sources:
        values = tuple(value_of(k, rest.pop(0), TYPES[spec.letter]) for _ in range(spec.reads or 1))
        sources.append(values if spec.reads else values[0])
    assert not rest
    assert row.semantics is not None
    out: Any = row.semantics(*sources)
    return out if isinstance(out, tuple) else (out,)


def is_nan(bits: int, type_: DataType) -> bool:
    if type_ is F64:
        return bits & (1 << 63) - 1 > 0x7FF << 52
    return type_ is F32 and bits & 0x7FFFFFFF > 0x7F800000


CASES = list(cases())


@pytest.mark.parametrize("case", CASES, ids=str)
def test_special(case: Case) -> None:
    row = TABLE.by_mnemonic[case.mnemonic]
    results = evaluate(row, case.sources)
    assert len(results) == len(row.destinations) == len(case.results)
    for value, spec, word in zip(results, row.destinations, case.results, strict=True):
        assert value.type is TYPES[spec.letter]
        raw = np.atleast_1d(value.raw)
        view = raw.view(np.uint64) if value.type is F64 else raw
        found = int(view[0] if value.type in (F64, BOOL) else raw.view(np.uint32)[0])
        wanted = bits_of(word, value.type)
        if value.type is not BOOL and is_nan(wanted, value.type) and word == "nan":
            assert is_nan(found, value.type)
        else:
            assert hex(found) == hex(wanted)


def test_every_pure_row_is_in_the_file() -> None:
    pure = {name for name, row in TABLE.by_mnemonic.items() if row.kind is Kind.PURE}
    assert pure == {case.mnemonic for case in CASES}
