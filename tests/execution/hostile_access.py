"""Every instruction that touches memory, on every kind of view, at hostile addresses.

Run as a script, which prints a line of JSON for each kind of view and dies if anything outside of a
view is touched: the views lie beside protected pages. A kind's program has all rows of the table
that the validator lets it have, so that a new row is included by itself.
"""

from __future__ import annotations

import itertools
import json
import random
import sys
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from guarded_memory import Guarded, guarded, relocate

sys.path.insert(0, str(Path(__file__).parents[1] / "fuzz"))
from random_resources import Slot

from softd3d.device.bind import bind
from softd3d.errors import Severity
from softd3d.interp import interpret
from softd3d.isa.machine import Info
from softd3d.isa.row import Controls, Kind, Row
from softd3d.isa.sampling.state import SamplerState
from softd3d.isa.sm4.decode import decode
from softd3d.isa.sm4.rows import TABLE
from softd3d.isa.sm4.validate import validate_program
from softd3d.jit.engine import compile_kernel
from softd3d.lower.outcome import Outcome
from softd3d.resources.buffers.buffer import RawBuffer
from softd3d.shaders.shader import load_shader
from softd3d.tools.text.assembler import assemble_tokens

__all__ = ["KINDS", "LANES", "allowed", "expects", "memory_rows", "problems"]

LANES = 512  # threads, all of one group
SLOT = 20  # bytes of a row's results for each thread: four components and a status
_STORED = 0x12345678
FILTERED = "t filtered"
# Anisotropic, so that as many texels are read as can be; borders and mirrors.
_SAMPLERS = {
    0: SamplerState("ANISOTROPIC", "BORDER", "MIRROR", "WRAP", max_anisotropy=16),
    1: SamplerState("COMPARISON_MIN_MAG_MIP_LINEAR", "MIRROR_ONCE", "WRAP", "BORDER",
                    comparison_func="LESS"),
}  # fmt: skip
SHARED = {"g raw": ("dcl_tgsm_raw g1, 52", 52, 1), "g structured": ("dcl_tgsm_structured g1, 12, 5",
                                                                   60, 12)}  # fmt: skip


def memory_rows() -> list[Row]:
    """Return the executable rows of compute shaders that name a view."""
    found: list[Row] = []
    for row in TABLE.rows.values():
        letters = [spec.letter for spec in (*row.destinations, *row.sources)]
        is_run = row.kind is Kind.EFFECT and row.covers("cs", (5, 0))
        if is_run and ("V" in letters or "U" in letters):
            found.append(row)
    return found


def _slots() -> dict[str, Slot | None]:
    textures = ("texture1d", "texture1darray", "texture2d", "texture2darray", "texture3d")
    read = ("texture2dms(4)", "texture2dmsarray(2)", "texturecube", "texturecubearray")
    found: dict[str, Slot | None] = dict.fromkeys(SHARED)
    for letter in "tu":
        name = f"{letter}1"
        for size in (52, 0, None):
            found[f"{name[0]} raw {size}"] = Slot(name, "raw", size)
        for size in (60, 0, None):
            found[f"{letter} structured {size}"] = Slot(name, "structured", size, 12)
        for format_ in ("R32_UINT", "R8_UINT", "R32G32B32A32_UINT"):
            found[f"{letter} buffer {format_}"] = Slot(name, "buffer", 48, format=format_)
        found[f"{letter} buffer 0"] = Slot(name, "buffer", 0, format="R32_UINT")
        for kind in textures + read * (letter == "t"):
            found[f"{letter} {kind}"] = Slot(name, kind, format="R32_UINT")
        found[f"{letter} texture2d None"] = Slot(name, "texture2d", None, format="R32_UINT")
    found["t texture2d mips"] = Slot("t1", "texture2d", format="R32_UINT", mips=2)
    found["t texture3d mips"] = Slot("t1", "texture3d", format="R16_UINT", mips=2)
    for kind in ("texture1darray", "texture2d", "texture2darray", "texture3d", "texturecubearray"):
        found[f"t filtered {kind}"] = Slot("t1", kind, format="R32_FLOAT", mips=2)
    found["t filtered None"] = Slot("t1", "texture2d", None, format="R32_FLOAT")
    for counter in ("alloc", "consume"):
        found[f"u structured {counter}"] = Slot("u1", "structured", 60, 12, counter=counter)
    return found


KINDS = _slots()


def _is_filter(row: Row) -> bool:
    return any(spec.letter == "S" for spec in row.sources)


def _filtering(row: Row, register: str) -> str:
    """Return a row that filters: the addresses are bits of coordinates, levels and references."""
    compares = "_c_" in f"{row.mnemonic}_"
    sampler = f"s{int(compares)}" + ".x" * row.mnemonic.startswith("gather4")
    words = {"x": "r0.xyzw", "i": "r0.xyzw", "V": f"{register}.xyzw", "S": sampler, "f": "r0.w"}
    results = ["r1.xyzw", "r3.x"][: len(row.destinations)]
    return f"{row.mnemonic} {', '.join([*results, *(words[s.letter] for s in row.sources)])}"


def statement(row: Row, register: str) -> str:
    """Return a row as text: addresses from r0, values from r2, results in r1 and r3."""
    if _is_filter(row):
        return _filtering(row, register)
    target = register if register[0] != "t" else "u1"  # the validator refuses it then
    results = iter(("r1.xyzw", "r3.x"))
    operands: list[str] = []
    for spec in row.destinations:
        if spec.letter != "U":
            is_scalar = row.mnemonic.startswith("imm_atomic")
            operands.append("r1.x" if is_scalar else next(results))
        else:
            stores = row.sources and row.sources[-1].letter == "b"
            operands.append(f"{target}.xyzw" if stores else target)
    singles = iter(("r0.x", "r0.y", "r0.z"))
    after_vector = iter(("r2.x", "r2.y"))
    seen_vector = False
    for spec in row.sources:
        if spec.letter == "V":
            operands.append(f"{register}.xyzw")
            seen_vector = True
        elif spec.letter == "a":
            operands.append("r0.xyzw")
            seen_vector = True
        elif spec.letter == "b":
            operands.append("r2.xxxx")  # one number, whoever is last
        else:
            is_value = seen_vector and row.mnemonic.partition("_")[0] in ("atomic", "imm")
            operands.append(next(after_vector) if is_value else next(singles))
    return f"{row.mnemonic}{'_uint' * _asks_for_a_type(row)} {', '.join(operands)}"


def _asks_for_a_type(row: Row) -> bool:
    return bool(row.controls & (Controls.RESINFO_TYPE | Controls.SAMPLEINFO_TYPE))


def program(kind: str, rows: list[Row]) -> str:
    """Return a program that runs rows at addresses from t0 and stores the results to u0."""
    slot = KINDS[kind]
    declaration = SHARED[kind][0] if slot is None else slot.declaration(ranges=False)
    lines = [
        "cs_5_0", "dcl_globalFlags refactoringAllowed", "dcl_resource_raw t0", "dcl_uav_raw u0",
        declaration, "dcl_input vThreadID.x", "dcl_input vThreadIDInGroupFlattened", "dcl_temps 6",
    ]  # fmt: skip
    if kind.startswith(FILTERED):
        lines[2:2] = ["dcl_sampler s0, mode_default", "dcl_sampler s1, mode_comparison"]
    if slot is None:  # neighbours that must stay as they are
        lines.insert(4, f"dcl_tgsm_raw g0, {4 * LANES}")
        lines.append(f"dcl_tgsm_raw g2, {4 * LANES}")
    lines += [
        f"dcl_thread_group {LANES}, 1, 1", "ishl r4.x, vThreadID.x, l(4)",
        "ld_raw r0.xyzw, r4.x, t0.xyzw", f"mov r2.xyzw, l({_STORED}, 7, {_STORED}, {_STORED})",
        f"imul null, r4.x, vThreadID.x, l({SLOT * (len(rows) + 1)})",
    ]  # fmt: skip
    if slot is None:
        lines += [
            "ishl r5.x, vThreadIDInGroupFlattened.x, l(2)", "store_raw g0.x, r5.x, l(0x600d)",
            "store_raw g2.x, r5.x, l(0x600d)", "sync_g_t",
        ]  # fmt: skip
    for row in rows:
        lines += [
            "mov r1.xyzw, l(0, 0, 0, 0)", "mov r3.x, l(0)",
            statement(row, "g1" if slot is None else slot.name), "store_raw u0.xyzw, r4.x, r1.xyzw",
            "iadd r4.x, r4.x, l(16)", "store_raw u0.x, r4.x, r3.x", "iadd r4.x, r4.x, l(4)",
        ]  # fmt: skip
        if slot is None or slot.is_uav:  # the next row sees what all threads have written
            lines.append("sync_uglobal_g_t")
    if slot is None:
        lines += [
            "sync_g_t", "ld_raw r1.x, r5.x, g0.xxxx", "ld_raw r1.y, r5.x, g2.xxxx",
            "store_raw u0.xy, r4.x, r1.xyxx",
        ]  # fmt: skip
    return "\n".join([*lines, "ret"]) + "\n"


def allowed(kind: str) -> list[Row]:
    """Return the rows that the validator and the binding let a program have with a kind of view."""
    rows = [row for row in memory_rows() if _is_filter(row) == kind.startswith(FILTERED)]
    slot = KINDS[kind]
    if slot is not None and slot.format not in ("", "R32_UINT"):
        rows = [row for row in rows if "atomic" not in row.mnemonic]
    if slot is not None and slot.counter:  # the others are run on one without a counter
        rows = [row for row in rows if "atomic" not in row.mnemonic or row.mnemonic in _COUNTING]
    counting = f"imm_atomic_{slot.counter}" if slot is not None else ""
    rows = [r for r in rows if r.mnemonic == counting or r.mnemonic not in _COUNTING]
    found = decode(assemble_tokens(program(kind, rows)))
    broken = {
        finding.location.instruction
        for finding in validate_program(found)
        if finding.severity is Severity.ERROR
    }
    codes = {found.instructions[n].opcode for n in broken if n is not None}
    return [row for row in rows if row.opcode not in codes]


_COUNTING = frozenset({"imm_atomic_alloc", "imm_atomic_consume"})


@dataclass(frozen=True)
class _Extents:
    """What of an address is outside: sizes of a view's axes, and whether each has a level."""

    axes: tuple[int, ...]
    stride: int = 1


def addresses(extents: _Extents, rng: random.Random) -> np.ndarray:
    """Return LANES addresses of four dwords around, at and far beyond the ends."""
    lists: list[list[int]] = []
    for n in (*extents.axes, 2, 2, 2)[:4]:
        near = [0, 1, 2, 3, n - 4, n - 1, n, n + 1, n + 4]
        far = [1 << 31, (1 << 31) - 4, (1 << 31) + 4, 0xFFFFFFFF, 0xFFFFFFFC, 0xFFFFFFF0, 1 << 16]
        wrapping = [-(-(1 << 32) // s) + k for s in (extents.stride, 12, 16, 4) for k in (0, 1)]
        lists.append([v & 0xFFFFFFFF for v in (*near, *far, *wrapping)])
    # Each axis alone first, the others at 0; then any mixture.
    alone = [[v if a == axis else 0 for a in range(4)] for axis in range(4) for v in lists[axis]]
    mixed = [[rng.choice(values) for values in lists] for _ in range(LANES - len(alone))]
    return np.array((alone + mixed)[:LANES], np.uint32)


def outside_only(kind: str, found: np.ndarray, extents: _Extents) -> np.ndarray:
    """Replace addresses that are inside by one that is outside for every row."""
    slot = KINDS[kind]
    beyond = np.full_like(found, 0xFFFFFFFC)
    first, second = found[:, 0], found[:, 1]
    if slot is None or slot.kind in ("raw", "structured"):
        is_raw = extents.stride == 1
        out = (first & ~np.uint32(3)) >= extents.axes[0]
        if not is_raw:  # of a structure's offset every dword that is read must be outside
            out = (first >= extents.axes[0]) | ((second & ~np.uint32(3)) >= extents.stride)
    else:
        out = np.zeros(len(found), np.bool_)
        for axis, extent in enumerate(extents.axes):
            out |= found[:, axis] >= extent
    return np.where(out[:, None], found, beyond)


def _extents(kind: str, resource: Any) -> _Extents:
    if KINDS[kind] is None:
        _, size, stride = SHARED[kind]
        return _Extents((size if stride == 1 else size // stride,), stride)
    if resource is None:
        return _Extents((0,))
    d = resource.describe()
    slot = KINDS[kind]
    assert slot is not None
    if slot.kind in ("raw", "structured", "buffer"):
        return _Extents((d.size if slot.kind == "raw" else d.count,), d.stride)
    axes = {"1": 1, "2": 2, "3": 3, "c": 2}[slot.kind[len("texture")]]
    sizes = [getattr(d, f.value) for f in (Info.WIDTH, Info.HEIGHT, Info.DEPTH)[:axes]]
    return _Extents((*sizes, *([d.array_size] if "array" in slot.kind else [])), d.stride)


@dataclass(frozen=True)
class _Run:
    results: np.ndarray  # uint32, (LANES, rows + 1, 5)
    memory: bytes
    counter: int | None
    poisoned: tuple[tuple[str, str], ...]
    is_intact: bool


def _run(kind: str, tokens: bytes, rows: int, at: np.ndarray, lanes: int, *, at_end: bool) -> _Run:
    """Run on fresh guarded memory. lanes: of the JIT, 0 for the interpreter."""
    slot = KINDS[kind]
    resource = None if slot is None else slot.make(np.random.default_rng(list(kind.encode())))
    memories: list[Guarded] = []
    if resource is not None:
        memories.append(relocate(resource, at_end=at_end))
    out = guarded(LANES * SLOT * (rows + 1), at_end=at_end)
    out.array[...] = 0
    source = guarded(16 * LANES, at_end=at_end)
    source.array[...] = at.reshape(-1).view(np.uint8)
    memories += [out, source]
    views: dict[str, dict[Any, object]] = {"t": {0: RawBuffer(source.array)},
                                           "u": {0: RawBuffer(out.array)}}  # fmt: skip
    if slot is not None:
        views[slot.name[0]][1] = resource
    samplers = _SAMPLERS if kind.startswith(FILTERED) else {}
    bound = bind(
        load_shader(tokens), constants={}, srvs=views["t"], uavs=views["u"], samplers=samplers
    )
    groups = 1, 1, 1
    outcome: Outcome
    if lanes:
        outcome = compile_kernel(bound, lanes=lanes).run(bound, groups, threads=1)
    else:
        outcome = interpret(bound, groups)
    return _Run(
        out.array.copy().view(np.uint32).reshape(LANES, rows + 1, 5),
        b"" if resource is None else memories[0].array.tobytes(),
        getattr(resource, "counter", None), tuple(sorted(outcome.poisoned)),
        all(memory.is_intact for memory in memories),
    )  # fmt: skip


def problems(kind: str) -> Iterator[str]:
    """Yield what is wrong with a kind of view."""
    rows = allowed(kind)
    tokens = assemble_tokens(program(kind, rows))
    slot = KINDS[kind]
    plain = None if slot is None else slot.make(np.random.default_rng(list(kind.encode())))
    extents = _extents(kind, plain)
    everywhere = addresses(extents, random.Random(1))
    for (name, at), at_end in itertools.product(
        (("anywhere", everywhere), ("outside", outside_only(kind, everywhere, extents))),
        (True, False),
    ):
        reference = _run(kind, tokens, len(rows), at, 0, at_end=at_end)
        runs = [reference, *(_run(kind, tokens, len(rows), at, n, at_end=at_end) for n in (4, 16))]
        for run, engine in zip(runs, ("interpreter", "4 lanes", "16 lanes"), strict=True):
            where = f"{name}, {engine}, {'at end' if at_end else 'at start'}"
            if not run.is_intact:
                yield f"{where}: wrote beside a view"
            if slot is None and not (run.results[:, -1, :2] == 0x600D).all():
                yield f"{where}: wrote to another group-shared register"
            if name == "outside":
                yield from _not_left_alone(kind, rows, run, plain, at, where)
            yield from _unequal(rows, run, reference, at, where)
            if replace(run, results=at) != replace(reference, results=at):
                yield f"{where}: memory, counter or undefined views differ"


def _unequal(
    rows: list[Row], run: _Run, reference: _Run, at: np.ndarray, where: str
) -> Iterator[str]:
    """Yield the rows whose results are not those of the interpreter."""
    for n, row in enumerate(rows):
        one, other = run.results[:, n], reference.results[:, n]
        if row.mnemonic.startswith("imm_"):  # threads may take turns in any order
            one, other = np.sort(one, axis=0), np.sort(other, axis=0)
        if _is_filter(row):  # any NaN is any other
            one, other = _without_nan(one), _without_nan(other)
        if not np.array_equal(one, other):
            lane = int(np.argmax((one != other).any(axis=1)))
            yield f"{where}: {row.mnemonic} at {at[lane].tolist()} differs"


def _without_nan(words: np.ndarray) -> np.ndarray:
    return np.where(words & 0x7FFFFFFF > 0x7F800000, 0x7FC00000, words)


# Positions of samples in 1/16 pixel, D3D11.3 section 19.2.4.1.
_POSITIONS = {2: ((4, 4), (-4, -4)), 4: ((-2, -6), (6, -2), (-6, 2), (2, 6))}


def wanted(kind: str, row: Row, at: np.ndarray, resource: Any) -> np.ndarray | None:
    """Return what is specified for addresses outside a view, uint32, (LANES, 4).

    None: nothing that is simple enough to be said here, as of a filter on a texture.
    """
    slot, name = KINDS[kind], row.mnemonic
    found = np.zeros((LANES, 4), np.uint32)
    if _is_filter(row):
        return found if resource is None else None
    if name in _COUNTING:
        return None  # each thread another number: `_counted`
    if name in ("bufinfo", "resinfo", "sampleinfo", "samplepos"):
        return found if resource is None else _fact(name, at, resource)
    one_channel = slot is not None and slot.format in ("R32_UINT", "R8_UINT", "R16_UINT")
    if name.startswith("ld") and one_channel and resource is not None:
        found[:, 3] = 1
    return found


def _fact(name: str, at: np.ndarray, resource: Any) -> np.ndarray:
    d = resource.describe()
    found = np.zeros((LANES, 4), np.uint32)
    if name == "bufinfo":
        found[:] = d.count
    elif name == "sampleinfo":
        found[:, 0] = d.sample_count
    elif name == "samplepos":
        for n, position in enumerate(_POSITIONS[d.sample_count]):
            found[at[:, 0] == n, :2] = (np.array(position, np.float32) / 16).view(np.uint32)
    else:
        shape = resource.layout
        sizes = [shape.width, shape.height, shape.depth][: resource.kind.axes]
        for level in range(shape.mips):
            for n, size in enumerate(sizes):
                found[at[:, 0] == level, n] = max(1, size >> level)
            if resource.kind.is_array and resource.kind.faces == 1:
                found[at[:, 0] == level, len(sizes)] = shape.slices
        found[:, 3] = shape.mips
    return found


def _counted(row: Row, column: np.ndarray, start: int) -> bool:
    """Tell whether each thread got a number of its own from the hidden counter."""
    numbers = np.arange(LANES) if row.mnemonic == "imm_atomic_alloc" else -1 - np.arange(LANES)
    return sorted(column.tolist()) == sorted(((start + numbers) & 0xFFFFFFFF).tolist())


def expects(kind: str, row: Row) -> bool:
    """Tell whether a row's results are compared with what is specified, on a kind of view."""
    return not _is_filter(row) or ((slot := KINDS[kind]) is not None and slot.size is None)


def _not_left_alone(
    kind: str, rows: list[Row], run: _Run, plain: Any, at: np.ndarray, where: str
) -> Iterator[str]:
    """Yield what is not as specified where all addresses are outside: zeros, and no writing."""
    before = b"" if plain is None else plain.describe().data.tobytes()
    if run.memory != before:
        yield f"{where}: memory was written"
    for n, row in enumerate(rows):
        found = run.results[:, n, :4]
        if row.mnemonic in _COUNTING:
            good = _counted(row, found[:, 0], plain.counter)
        else:
            specified = wanted(kind, row, at, plain)
            good = specified is None or np.array_equal(found, specified)
        if not good:
            yield f"{where}: {row.mnemonic} gave {found.max(axis=0).tolist()}"


def main() -> int:
    """Check the kinds of views that are asked for, or all."""
    for kind in sys.argv[1:] or KINDS:
        print(json.dumps({"begins": kind}), flush=True)
        found = list(problems(kind))
        rows = [row.mnemonic for row in allowed(kind)]
        print(json.dumps({"kind": kind, "rows": rows, "problems": found}), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
