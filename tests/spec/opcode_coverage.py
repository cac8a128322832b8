"""What is tested of each opcode: a table of opcodes, engines and values, made by running them.

    python tests/spec/opcode_coverage.py [--markdown] [--draws] [--programs N] [MNEMONIC...]

Every executable row of compute shaders is run on the interpreter and the JIT:

* pure rows over the special values of their operand types, engine against engine and against
  special_values.txt;
* rows that touch memory on every kind of view at hostile addresses (hostile_access.py), where
  outside of the view the results are specified;
* control flow over special conditions, with the outcome of the test as expectation;
* all of them in random programs, and in the execution cases that are at hand, those of ../shared
  included: dispatches, and draws, whose shaders have the rows of all stages.

With mnemonics, only these rows are measured, without random programs and cases (seconds for pure
rows), and only their lines of the page change. With --draws only draw cases are run. The exit
status is 1 if a row has a gap. --markdown writes docs/coverage.md.
"""

from __future__ import annotations

import argparse
import itertools
import sys
from collections import Counter
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1] / "spec"))
sys.path.insert(0, str(Path(__file__).parents[1] / "differential"))
sys.path.insert(0, str(Path(__file__).parents[1] / "execution"))
sys.path.insert(0, str(Path(__file__).parents[1] / "fuzz"))
sys.path.insert(0, str(Path(__file__).parents[1] / "unit/interp"))

from hostile_access import KINDS, LANES, allowed, expects, problems
from program_builder import build
from program_campaign import campaign, mnemonics
from rows import GROUP, Words, run_native, run_numpy, same, words_of
from stage_coverage import STAGES, check_draws
from test_engines import SHARED, SHIPPED, check
from test_special_values import CASES, TYPES, bits_of, is_nan

from softd3d.algebra.value import F64
from softd3d.device.dispatch import ENGINES
from softd3d.device.verdict import run_case
from softd3d.interp import interpret
from softd3d.isa.row import Kind, Row
from softd3d.isa.sm4.decode import decode
from softd3d.isa.sm4.rows import TABLE
from softd3d.jit.engine import compile_kernel
from softd3d.lower.bound import BoundProgram
from softd3d.lower.declarations import read_declarations
from softd3d.lower.linkage import Linkage, LinkedObject, read_linkage
from softd3d.lower.outcome import Outcome
from softd3d.resources.buffers.buffer import RawBuffer
from softd3d.resources.cases.file import read_case
from softd3d.shaders.shader import load_shader
from softd3d.tools.text.assembler import assemble_tokens

PAGE = Path(__file__).parents[2] / "docs/coverage.md"
HEADER = (
    f"| opcode | kind | values | engines | expected | programs | cases | {' | '.join(STAGES)} |",
    f"| --- | --- | --- |{' ---: |' * (4 + len(STAGES))}",
)
_PROGRAMS, _STAGES = 6, 8  # columns of a line that is split at its bars
PROGRAMS = 200  # random ones, of the page
WIDTHS = (4, 16)
FLOATS = (
    0, 0x80000000, 1, 0x80000001, 0x7FFFFF, 0x807FFFFF, 0x800000, 0x80800000, 0x3F800000,
    0xBF800000, 0x3F000000, 0x4F000000, 0x7F7FFFFF, 0xFF7FFFFF, 0x7F800000, 0xFF800000, 0x7FC00000,
    0xFFC00001, 0x7F800001,
)  # fmt: skip
INTEGERS = (0, 1, 2, 31, 32, 0xFFFF, 0x7FFFFFFF, 0x80000000, 0x80000001, 0xFFFFFFFE, 0xFFFFFFFF)
DOUBLES = (
    0, 1 << 63, 1, 1 << 63 | 1, 0xFFFFFFFFFFFFF, 1 << 52, 0x3FF << 52, 0xBFF << 52, 0x3FE << 52,
    0x41E << 52, 0x41DFFFFFFFC00000, (0x7FF << 52) - 1, 0x7FF << 52, 0xFFF << 52, 0x7FF8 << 48,
    0xFFF8 << 48 | 1, 0x7FF << 52 | 1,
)  # fmt: skip
_MOST = 40_000  # combinations of one row; of more, some are drawn
# Flow that threads take or not by conditions of their own: r1.x becomes 1 where the test holds.
CONDITIONAL = {
    "if_nz": "if_nz r0.x\nmov r1.x, l(1)\nelse\nmov r1.x, l(0)\nendif",
    "if_z": "mov r1.x, l(1)\nif_z r0.x\nmov r1.x, l(0)\nendif",
    "breakc": "loop\nmov r1.x, l(1)\nbreakc_nz r0.x\nmov r1.x, l(0)\nbreak\nendloop",
    "breakc_z": "loop\nmov r1.x, l(0)\nbreakc_z r0.x\nmov r1.x, l(1)\nbreak\nendloop",
    "continuec": "loop\nbreakc_nz r1.y\nmov r1.y, l(1)\nmov r1.x, l(1)\ncontinuec_nz r0.x\n"
    "mov r1.x, l(0)\ncontinue\nendloop",
    "retc": "call label0\nnop\ndebug_break\nlabel0\nlabel label0\nmov r1.x, l(1)\nretc_nz r0.x\n"
    "mov r1.x, l(0)\nret",
    "callc": "callc_nz r0.x, label0\nlabel0\nlabel label0\nmov r1.x, l(1)\nret",
    "switch": "switch r0.x\ncase l(0)\nmov r1.x, l(0)\nbreak\ndefault\nmov r1.x, l(1)\nbreak\n"
    "endswitch\nsync_g_t",
}


@dataclass
class Cell:
    """Counts of one row: combinations compared between engines, and with an expectation."""

    row: Row
    engines: int = 0
    expected: int = 0
    programs: int = 0
    cases: int = 0
    stages: Counter[str] = field(default_factory=Counter[str])
    what: set[str] = field(default_factory=set[str])

    @property
    def is_compute(self) -> bool:
        return any(self.row.covers("cs", version) for version in ((4, 0), (5, 0), (5, 1)))

    @property
    def has_gap(self) -> bool:
        tested = (self.engines or self.cases) and (self.expected or self.cases)
        return self.is_compute and not tested


def executable() -> dict[str, Cell]:
    """Return a cell for each row that is run, of any stage."""
    kinds = (Kind.PURE, Kind.EFFECT, Kind.FLOW, Kind.UNSUPPORTED)
    return {row.mnemonic: Cell(row) for row in TABLE.rows.values() if row.kind in kinds}


def special_inputs(row: Row) -> list[Words]:
    """Return all combinations of special values of the operand types, one column for each dword."""
    choices: list[tuple[int, ...]] = []
    for spec in row.sources:
        values = {"d": DOUBLES, "f": FLOATS}.get(spec.letter, tuple({*INTEGERS, *FLOATS[:6]}))
        values = values if spec.letter != "b" else (*FLOATS, *INTEGERS)
        choices += [values] * max(spec.reads, 1)
    total = int(np.prod([len(c) for c in choices], dtype=np.float64))
    if total <= _MOST:
        combinations = np.array(list(itertools.product(*choices)), np.uint64)
    else:
        rng = np.random.default_rng(row.opcode)
        combinations = np.stack([rng.choice(np.array(c, np.uint64), _MOST) for c in choices], 1)
    padding = -len(combinations) % GROUP
    combinations = np.concatenate([combinations, combinations[:1].repeat(padding, 0)])
    return _columns(row, combinations)


def _columns(row: Row, values: np.ndarray) -> list[Words]:
    """Split values, (lanes, sources), into columns of dwords."""
    columns: list[Words] = []
    at = 0
    for spec in row.sources:
        for _ in range(max(spec.reads, 1)):
            column = np.ascontiguousarray(values[:, at])
            at += 1
            columns.append((column & 0xFFFFFFFF).astype(np.uint32))
            if spec.letter == "d":
                columns.append((column >> np.uint64(32)).astype(np.uint32))
    assert len(columns) == sum(words_of(row))
    return columns


def check_pure(cell: Cell) -> None:
    """Run a pure row over its special values and its lines of special_values.txt."""
    row = cell.row
    columns = special_inputs(row)
    wanted = run_numpy(row, columns)
    for lanes in WIDTHS:
        found = run_native(row, columns, lanes)
        assert all(good.all() for good in same(row, wanted, found)), f"{row.mnemonic}: {lanes}"
    cell.engines += columns[0].size * len(WIDTHS)
    cell.what.add("special values")
    _check_expected(cell)


def _check_expected(cell: Cell) -> None:
    row = cell.row
    cases = [case for case in CASES if case.mnemonic == row.mnemonic]
    letters = [s.letter for s in row.sources for _ in range(max(s.reads, 1))]
    values = np.array(
        [[bits_of(w, TYPES[x]) for w, x in zip(c.sources, letters, strict=True)] for c in cases],
        np.uint64,
    ).reshape(len(cases), -1)
    values = np.concatenate([values, values[:1].repeat(-len(cases) % GROUP, 0)])
    columns = _columns(row, values)
    for words in (run_numpy(row, columns), run_native(row, columns, WIDTHS[-1])):
        for n, case in enumerate(cases):
            at = 0
            for spec, word in zip(row.destinations, case.results, strict=True):
                type_ = TYPES[spec.letter]
                found = int(words[at][n])
                if type_ is F64:
                    found |= int(words[at + 1][n]) << 32
                at += 2 if type_ is F64 else 1
                target = bits_of(word, type_) * (0xFFFFFFFF if word == "T" else 1)
                both_nan = word == "nan" and is_nan(found, type_)
                assert both_nan or found == target, f"{case}: {found:#x}"
    cell.expected += 2 * len(cases)


def check_memory(cells: dict[str, Cell]) -> None:
    """Run the rows that touch memory on every kind of view, as hostile_access.py does."""
    for kind in KINDS:
        assert not list(problems(kind)), kind
        for row in allowed(kind):
            cell = cells[row.mnemonic]
            cell.engines += 2 * LANES * len(WIDTHS)
            cell.expected += LANES * (1 + len(WIDTHS)) * expects(kind, row)
            cell.what.add("addresses")


def check_flow(cells: dict[str, Cell]) -> None:
    """Run control flow over special conditions on both engines."""
    conditions = np.array(sorted({*FLOATS, *INTEGERS}), np.uint32)
    for name, text in CONDITIONAL.items():
        main, _, rest = text.partition("\nlabel0\n")
        whole = (
            "ishl r7.x, vThreadID.x, l(2)\nld_raw r0.x, r7.x, t0.xxxx\n"
            f"{main}\nstore_raw u0.x, r7.x, r1.x\nret\n{rest}"
        )
        for lanes in (0, *WIDTHS):
            out = np.full(conditions.size, 9, np.uint32)
            bound = build(
                whole, group=(conditions.size, 1, 1), srvs={0: RawBuffer(conditions)},
                uavs={0: RawBuffer(out)}, shared={0: (16,)},
            )  # fmt: skip
            _run(bound, lanes)
            assert (out == (conditions != 0)).all(), f"{name}, {lanes} lanes"
        for mnemonic in set(_plain(whole)) & set(cells):
            if cells[mnemonic].row.kind is Kind.FLOW or mnemonic == "sync":
                cells[mnemonic].engines += conditions.size * len(WIDTHS)
                cells[mnemonic].expected += conditions.size * (1 + len(WIDTHS))
                cells[mnemonic].what.add("conditions")


INTERFACE = """
cs_5_0
dcl_globalFlags refactoringAllowed
dcl_resource_raw t0
dcl_uav_raw u0
dcl_function_body fb0
dcl_function_body fb1
dcl_function_table ft0 = {fb0}
dcl_function_table ft1 = {fb1}
dcl_interface fp0[1][1] = {ft0, ft1}
dcl_input vThreadID.x
dcl_temps 8
dcl_thread_group GROUP, 1, 1
ishl r7.x, vThreadID.x, l(2)
ld_raw r0.x, r7.x, t0.xxxx
fcall fp0[0][0]
store_raw u0.x, r7.x, r1.x
ret
label fb0
movc r1.x, r0.x, l(1), l(0)
ret
label fb1
not r1.x, r0.x
ret
"""


def check_interfaces(cells: dict[str, Cell]) -> None:
    """Call methods of either class at an interface's call site."""
    values = np.array(sorted({*FLOATS, *INTEGERS}), np.uint32)
    text = INTERFACE.strip().replace("GROUP", str(values.size)) + "\n"
    made = decode(assemble_tokens(text))
    for table, results in enumerate(((values != 0).astype(np.uint32), ~values)):
        for lanes in (0, *WIDTHS):
            out = np.zeros(values.size, np.uint32)
            bound = build("ret", srvs={0: RawBuffer(values)}, uavs={0: RawBuffer(out)})
            bound = replace(
                bound, program=made, declarations=read_declarations(made),
                linkage=Linkage(read_linkage(made), {0: LinkedObject(table)}),
            )  # fmt: skip
            _run(bound, lanes)
            assert np.array_equal(out, results), f"fcall, {lanes} lanes"
    cells["fcall"].engines += 2 * values.size * len(WIDTHS)
    cells["fcall"].expected += 2 * values.size * (1 + len(WIDTHS))
    cells["fcall"].what.add("both classes")


def check_abort(cells: dict[str, Cell]) -> None:
    """Abort where a condition holds: the outcome says so, and nothing else runs."""
    text = "ld_raw r0.x, l(0), t0.xxxx\nif_nz r0.x\nabort\nendif\nstore_raw u0.x, l(0), l(7)"
    for condition in sorted({*FLOATS, *INTEGERS}):
        for lanes in (0, *WIDTHS):
            out = np.zeros(1, np.uint32)
            source = RawBuffer(np.array([condition], np.uint32))
            bound = build(text, group=(1, 1, 1), srvs={0: source}, uavs={0: RawBuffer(out)})
            outcome = _run(bound, lanes)
            assert (outcome.aborted is None) == (condition == 0), f"abort, {lanes} lanes"
            assert out[0] == (0 if condition else 7)
        cells["abort"].engines += len(WIDTHS)
        cells["abort"].expected += 1 + len(WIDTHS)
    cells["abort"].what.add("conditions")


def _run(bound: BoundProgram, lanes: int) -> Outcome:
    if lanes:
        return compile_kernel(bound, lanes=lanes).run(bound, (1, 1, 1))
    return interpret(bound, (1, 1, 1))


def _plain(text: str) -> Iterator[str]:
    """Yield the mnemonics of a listing without tests, saturation and the like."""
    for name in mnemonics(text):
        yield name
        yield "sync" if name.startswith("sync_") else name
        for ending in ("_z", "_nz", "_sat", "_uint", "_rcpFloat"):
            if name.endswith(ending):
                yield name.removesuffix(ending)


def check_programs(cells: dict[str, Cell], count: int) -> None:
    """Count in how many random programs that both engines agree on each row is."""
    found: Counter[str] = Counter()
    for program, _ in campaign(0, count):
        found.update(set(_plain(program.text)) & set(cells))
    for name, number in found.items():
        cells[name].programs = number


def check_cases(cells: dict[str, Cell]) -> int:
    """Run the compute cases at hand on both engines; count those that have a row."""
    paths = [*sorted(SHIPPED.glob("*.json")), *sorted(SHARED.glob("*.json"))]
    cases = [read_case(path) for path in paths]
    cases = [case for case in cases if case.kind == "compute"]
    for case in cases:
        for engine in ENGINES:
            check(case, run_case(case, engine))
        shader = load_shader(case.shaders["cs"])
        for name in {TABLE[i.opcode].mnemonic for i in shader.program.instructions} & set(cells):
            cells[name].cases += 1
            cells[name].what.add("cases")
    return len(cases)


def measure(cells: dict[str, Cell], names: Collection[str]) -> None:
    """Run the named rows; those that are not pure need all of their kind."""
    named = [cells[name] for name in names]
    for cell in named:
        if cell.row.kind is Kind.PURE and cell.is_compute:
            check_pure(cell)
    kinds = {cell.row.kind for cell in named}
    if Kind.EFFECT in kinds:
        check_memory(cells)
    if kinds & {Kind.FLOW, Kind.EFFECT}:
        check_flow(cells)
    if Kind.FLOW in kinds:
        check_interfaces(cells)
        check_abort(cells)


def renewed(page: str, names: Collection[str]) -> str:
    """Return the page with the lines of some rows made anew; they keep their programs and cases."""
    lines = page.splitlines()
    first = next(n for n, line in enumerate(lines) if line.startswith("| ---")) + 1
    rows = {line.split("`")[1]: line for line in lines[first:]}
    cells = executable()
    for name in names:
        if name in rows and cells[name].is_compute:
            programs, cases = rows[name].split("|")[_PROGRAMS : _PROGRAMS + 2]
            cells[name].programs, cells[name].cases = (
                int(programs.strip() or 0),
                int(cases.strip() or 0),
            )
            cells[name].what |= {"cases"} if cases.strip() else set()
        counts = rows[name].split("|")[_STAGES:-1] if name in rows else []
        counted = {s: int(n) for s, n in zip(STAGES, counts, strict=False) if n.strip()}
        cells[name].stages = Counter(counted)
    measure(cells, names)
    rows |= {name: line_of(name, cells[name]) for name in names}
    return "\n".join([*lines[:first], *[rows[name] for name in sorted(rows)]]) + "\n"


def with_draws(page: str) -> str:
    """Return the page with its columns of stages made anew."""
    found, count = check_draws()
    text, _, table = page.partition("| opcode ")
    before, _, rest = text.partition("* *vs*")
    gaps = rest[rest.index("Executable rows") :].rstrip("\n")
    lines = [before + stage_lines(found, count)[0], *stage_lines(found, count)[1:], "", gaps, "",
             *HEADER]  # fmt: skip
    for line in table.splitlines()[2:]:
        name, columns = line.split("`")[1], line.split("|")[1:_STAGES]
        counts = "|".join(f" {found.get(name, Counter())[s] or ''} " for s in STAGES)
        lines.append(f"|{'|'.join(columns)}|{counts}|")
    return "\n".join(lines) + "\n"


def stage_lines(found: dict[str, Counter[str]], count: int) -> list[str]:
    """Return what the page says of draws."""
    rows = executable()
    totals = [f"{s} {sum(bool(found.get(name, {}).get(s)) for name in rows)}" for s in STAGES]
    return [
        "* *vs* to *ps*: in how many of the draws of all builds of the draw cases, with known",
        f"  outputs, a shader of the stage has it: {count} draws. Opcodes by stage:",
        f"  {', '.join(totals)}.",
    ]


def line_of(name: str, cell: Cell) -> str:
    """Return the line of a row."""
    stages = " | ".join(str(cell.stages[s] or "") for s in STAGES)
    if not cell.is_compute:
        return f"| `{name}` | {cell.row.kind} | not in compute shaders | | | | | {stages} |"
    what = "**gap**" if cell.has_gap else ", ".join(sorted(cell.what))
    numbers = (cell.engines, cell.expected, cell.programs, cell.cases)
    columns = " | ".join(str(n or "") for n in numbers)
    return f"| `{name}` | {cell.row.kind} | {what} | {columns} | {stages} |"


def markdown(cells: dict[str, Cell], programs: int, cases: int, draws: list[str]) -> str:
    """Return the page."""
    gaps = [name for name, cell in cells.items() if cell.has_gap]
    lines = [
        "# Coverage of the opcodes",
        "",
        "Made by `python tests/spec/opcode_coverage.py --markdown`, which runs every row of the",
        "opcode table on both engines; do not edit.",
        "",
        "* *engines*: combinations of operand values on which the interpreter and the JIT",
        f"  ({' and '.join(map(str, WIDTHS))} lanes) agree to the bit;",
        "* *expected*: runs whose result is what the specification or",
        "  `tests/spec/special_values.txt` says; of filters only those on unbound textures: what",
        "  they compute is compared with a model in `tests/execution`;",
        f"* *programs*: how many of {programs} random programs, alike on both engines, it is in;",
        f"* *cases*: in how many of {cases} execution cases, with known outputs, it is;",
        *draws,
        "",
        f"Executable rows of compute shaders without a test of either kind: {len(gaps)}.",
        "",
        *HEADER,
    ]
    lines += [line_of(name, cell) for name, cell in sorted(cells.items())]
    return "\n".join(lines) + "\n"


def main() -> int:
    """Print the table or write it; the exit status is 1 if there is a gap."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--markdown", action="store_true", help="write docs/coverage.md")
    parser.add_argument("--draws", action="store_true", help="run the draw cases only")
    parser.add_argument("--programs", type=int, default=PROGRAMS)
    parser.add_argument("mnemonics", nargs="*", metavar="MNEMONIC")
    options = parser.parse_args()
    if unknown := set(options.mnemonics) - set(executable()):
        parser.error(f"no row that is run: {', '.join(sorted(unknown))}")
    if options.draws:
        page = with_draws(PAGE.read_text())
    elif options.mnemonics:
        page = renewed(PAGE.read_text(), options.mnemonics)
    else:
        cells = executable()
        measure(cells, cells)
        check_programs(cells, options.programs)
        found, count = check_draws()
        for name, cell in cells.items():
            cell.stages = found.get(name, Counter())
        cases = check_cases(cells)
        page = markdown(cells, options.programs, cases, stage_lines(found, count))
    if options.markdown:
        PAGE.write_text(page)
    else:
        print(page, end="")
    gaps = [line.split("`")[1] for line in page.splitlines() if "**gap**" in line]
    if gaps:
        print("gaps:", ", ".join(gaps), file=sys.stderr)
    return 1 if gaps else 0


if __name__ == "__main__":
    sys.exit(main())
