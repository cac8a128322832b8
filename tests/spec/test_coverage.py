"""The page on coverage has a line for each row of the opcode table, and no gap."""

from __future__ import annotations

from opcode_coverage import CONDITIONAL, PAGE, executable, special_inputs

from softd3d.isa.row import Kind


def _lines() -> dict[str, list[str]]:
    lines = [line.split("|") for line in PAGE.read_text().splitlines() if line.startswith("| `")]
    return {cells[1].strip(" `"): [c.strip() for c in cells[2:-1]] for cells in lines}


def test_the_page_has_the_rows_of_the_table() -> None:
    """After a new row: python tests/spec/opcode_coverage.py --markdown MNEMONIC."""
    assert set(_lines()) == set(executable())


def test_the_page_says_which_rows_compute_shaders_have() -> None:
    cells = executable()
    for name, columns in _lines().items():
        is_compute = columns[1] != "not in compute shaders"
        assert is_compute == cells[name].is_compute, name
        assert columns[0] == cells[name].row.kind, name


def test_there_is_no_gap() -> None:
    gaps = [name for name, columns in _lines().items() if "gap" in columns[1]]
    assert gaps == []
    assert "without a test of either kind: 0." in PAGE.read_text()


def test_pure_rows_have_special_values() -> None:
    """All of one source's values, and every pair of two sources'."""
    for cell in executable().values():
        if cell.row.kind is Kind.PURE and cell.is_compute:
            columns = [column.tolist() for column in special_inputs(cell.row)]
            least = 11 ** min(2, len(cell.row.sources))
            assert len(set(zip(*columns, strict=True))) >= least, cell.row.mnemonic


def test_conditions_of_all_forms() -> None:
    assert {"if_nz", "if_z", "breakc", "continuec", "retc", "callc", "switch"} <= set(CONDITIONAL)
