"""Verdicts on execution cases: the shipped ones pass, and a changed output is noticed."""

from __future__ import annotations

import shutil
from importlib.resources import as_file
from pathlib import Path

import numpy as np
import pytest

from softd3d.device.verdict import disagreements, run_case
from softd3d.errors import ResourceError
from softd3d.resources.cases.file import read_case
from softd3d.samples import sample

NAMES = ["cs_mandelbrot", "cs_atomic_compare_store_typed"]
ENGINES = ["jit", "interpreter"]


@pytest.fixture
def library(tmp_path) -> Path:
    """A copy of the shipped cases, to be damaged."""
    with as_file(sample("")) as folder:
        shutil.copytree(folder, tmp_path / "library")
    return tmp_path / "library"


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("name", NAMES)
def test_shipped_cases_pass(library, name, engine):
    result = run_case(read_case(library / "cases" / f"{name}.json"), engine)
    assert result.differences == ()
    assert all(result.outputs.values())


def test_a_wrong_dword_is_found(library):
    path = library / "cases" / "cs_mandelbrot.u0.out.bin"
    words = np.fromfile(path, np.uint32)
    words[[3, 900]] += 1
    words.tofile(path)
    result = run_case(read_case(library / "cases" / "cs_mandelbrot.json"), "interpreter")
    (difference,) = result.differences
    assert (difference.register, difference.dwords) == ("u0", 1024)
    assert [m.index for m in difference.mismatches] == [3, 900]


def test_engines_are_compared_bit_by_bit(library):
    case = read_case(library / "cases" / "cs_mandelbrot.json")
    one, other = (run_case(case, engine) for engine in ENGINES)
    assert disagreements(case, one, other) == ()
    changed = bytearray(other.outputs["u0"])
    changed[40] ^= 1
    other.outputs["u0"] = bytes(changed)
    ((difference),) = disagreements(case, one, other)
    assert [m.index for m in difference.mismatches] == [10]


def test_missing_files_are_named(library):
    case = read_case(library / "cases" / "cs_mandelbrot.json")
    (library / "cs_mandelbrot.cs_5_0.dxbc").unlink()
    with pytest.raises(ResourceError, match=r"cs_mandelbrot.cs_5_0.dxbc: No such file"):
        run_case(case, "interpreter")
