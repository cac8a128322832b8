"""The text algebra prints formulas; with it every algebra evaluates every pure row."""

from __future__ import annotations

import pytest

from softd3d.algebra.operations import fma, select
from softd3d.algebra.text import TextAlgebra
from softd3d.algebra.value import F32, F64, I32, U32, Value
from softd3d.isa.row import Kind, OperandSpec
from softd3d.isa.sm4.rows import TABLE

K = TextAlgebra()
TYPES = {"f": F32, "d": F64, "i": I32, "u": U32, "b": U32, "c": U32}
PURE = [row for row in TABLE.rows.values() if row.kind is Kind.PURE]


def test_formulas_read_as_written() -> None:
    a, b = K.name(F32, "a"), K.name(F32, "b")
    assert fma(a, b, 1.0).raw == "fma(a, b, 1.0)"
    assert (-(a * b) + 2.0).raw == "(-(a * b) + 2.0)"
    assert select(a < b, a, 0.0).raw == "select((a < b), a, 0.0)"


def operand(spec: OperandSpec, name: str) -> object:
    if spec.reads:
        return tuple(K.name(TYPES[spec.letter], f"{name}.{c}") for c in "xyzw"[: spec.reads])
    return K.name(TYPES[spec.letter], name)


@pytest.mark.parametrize("row", PURE, ids=lambda row: row.mnemonic)
def test_every_pure_row_has_a_formula_of_all_its_sources(row) -> None:
    names = "abcd"[: len(row.sources)]
    results = row.semantics(*map(operand, row.sources, names))
    text = " ".join(v.raw for v in (results if isinstance(results, tuple) else (results,)))
    assert all(
        isinstance(v, Value) for v in (results if isinstance(results, tuple) else (results,))
    )
    assert all(name in text for name in names)
