"""Rows of dwords, loaded and stored by transposing vectors."""

from __future__ import annotations

import llvmlite.binding as llvm
import numpy as np
import pytest
from numpy.typing import NDArray

from softd3d.algebra.value import U32
from softd3d.isa.sm4.enums import ProgramType
from softd3d.jit.compiling.build import module_text
from softd3d.jit.compiling.compiler import compile_text
from softd3d.jit.compiling.target import Target, code_for
from softd3d.jit.draw.memory import WORD, Bound, described, raw_view
from softd3d.jit.draw.recording import DrawRecording, empty_program
from softd3d.jit.engine import compile_graph

LANES = [0, 4, 8, 16, 32, 64]
_IN, _OUT = raw_view("in", 0), raw_view("out", 1)
_UNTOUCHED = 0xCDCDCDCD


def _recorded(count: int, stride: int, room: int) -> DrawRecording:
    """Record a kernel that loads a row of 4, and stores sums of these with a number of the column.

    Where lanes load from is given by `from`, which of them store by `on`.
    """
    r = DrawRecording(empty_program(ProgramType.VS))
    loaded = r.row(_IN, r.entry("from") * (WORD * 5))
    values = [loaded[n % 4] + r.k.const(U32, 1000 * n) for n in range(count)]
    row = r.entry("flat") * (WORD * stride)
    r.put_row(_OUT, row, values, r.entry("on").ne(0), room)
    return r


def _run(r: DrawRecording, lanes: int, given: NDArray[np.uint32], where: NDArray[np.uint32],
         on: NDArray[np.uint32], stride: int) -> NDArray[np.uint32]:  # fmt: skip
    kernel = compile_graph(r.finished(), r.bound.declarations, lanes=lanes)
    out = np.full((where.size, stride), _UNTOUCHED, np.uint32)
    kernel.run_lanes(
        Bound((described(given), described(out))), where.size, {"from": where, "on": on}
    )
    return out


@pytest.mark.parametrize("lanes", LANES)
@pytest.mark.parametrize(
    ("count", "stride", "room"),
    [(1, 1, 1), (2, 3, 2), (3, 4, 4), (4, 4, 4), (7, 9, 7), (12, 12, 12), (13, 20, 16),
     (14, 14, 14), (16, 16, 16), (30, 32, 32), (31, 33, 31), (48, 48, 48)],
)  # fmt: skip
def test_rows_come_and_go(lanes: int, count: int, stride: int, room: int) -> None:
    random, size = np.random.default_rng(count), 77
    given = random.integers(0, 1 << 32, (40, 5), np.uint32)
    where = random.integers(0, 40, size, np.uint32)
    for on in (np.ones(size, np.uint32), random.integers(0, 2, size, np.uint32)):
        out = _run(_recorded(count, stride, room), lanes, given, where, on, stride)
        columns = np.arange(count)
        wanted = given[where][:, columns % 4] + (1000 * columns).astype(np.uint32)
        assert np.array_equal(out[on != 0, :count], wanted[on != 0])
        assert (out[on == 0] == _UNTOUCHED).all()
        assert (out[:, room:] == _UNTOUCHED).all()


@pytest.mark.parametrize(
    ("triple", "cpu", "features"),
    [
        ("x86_64-unknown-linux-gnu", "x86-64", ""),
        ("x86_64-pc-windows-msvc", "haswell", "+avx2"),
        ("aarch64-unknown-linux-gnu", "generic", ""),
    ],
)
def test_rows_are_code_on_any_processor(triple: str, cpu: str, features: str) -> None:
    llvm.initialize_all_targets()
    llvm.initialize_all_asmprinters()
    with code_for(Target(triple, cpu, features)):
        r = _recorded(30, 32, 32)
        module = module_text(r.finished(), r.bound.declarations, 0)
        code, _ = compile_text(module.text, module.target, has_barrier=False)
    assert len(code) > 1000
