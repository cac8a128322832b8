"""What shipping compilers wrote: listed as Microsoft lists it, written back, without a finding.

The files in data/compilers are our own HLSL, compiled by Microsoft's compilers; the listings are
d3dcompiler_47's. The number in a name is that of the d3dcompiler DLL.
"""

from __future__ import annotations

from pathlib import Path

import pytest

import softd3d
from softd3d.container.dxbc.container import parse
from softd3d.container.reflection.rdef import parse_rdef
from softd3d.container.reflection.rdef_writer import build_rdef
from softd3d.container.reflection.stat import build_stat, parse_stat
from softd3d.errors import Severity

DATA = Path(__file__).parent / "data/compilers"
CONTAINERS = sorted(DATA.glob("*.dxbc"))
PATHS = [*CONTAINERS, *sorted(DATA.glob("*.bin"))]
all_files = pytest.mark.parametrize("path", PATHS, ids=lambda path: path.stem)


@all_files
def test_listing_is_microsoft_s(path: Path) -> None:
    golden = path.with_suffix(".asm").read_bytes().decode("latin-1")
    assert softd3d.disassemble(path.read_bytes()) == golden


@all_files
def test_exact_listing_comes_back(path: Path) -> None:
    data = path.read_bytes()
    assert softd3d.assemble(softd3d.disassemble_exact(data)) == data


@all_files
def test_no_error_is_found(path: Path) -> None:
    found = softd3d.validate(path.read_bytes())
    assert [str(f) for f in found if f.severity is Severity.ERROR] == []


@pytest.mark.parametrize("path", CONTAINERS, ids=lambda path: path.stem)
def test_definitions_and_statistics_are_written_as_they_were(path: Path) -> None:
    container = parse(path.read_bytes())
    definitions, statistics = container.find("RDEF"), container.find("STAT")
    if definitions is not None:
        assert build_rdef(parse_rdef(definitions)) == definitions.data
    if statistics is not None:
        assert build_stat(parse_stat(statistics)) == statistics.data
