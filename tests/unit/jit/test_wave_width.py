"""How wide waves are, and that programs whose waves have several parts do the same."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from softd3d.interp import interpret
from softd3d.ir.analysis import keeps_step
from softd3d.ir.graph import walk
from softd3d.ir.strides import load_strides
from softd3d.jit.codegen.width import wave_width
from softd3d.jit.compiling.build import build_kernel
from softd3d.jit.compiling.compiler import Target, load_object
from softd3d.jit.engine import CompiledKernel
from softd3d.jit.entries.entry import part_shapes
from softd3d.jit.entries.thread_groups import ThreadGroupEntry
from softd3d.lower.bound import BoundProgram
from softd3d.lower.to_ir import lower
from softd3d.resources.buffers.buffer import RawBuffer

sys.path.insert(0, str(Path(__file__).parents[1] / "interp"))
from program_builder import build

WIDE = Target("x86_64-unknown-linux-gnu", "any", "+avx512f")  # 16 lanes, 32 registers
COUNT = 512

CHAIN = """
    mov r0.y, l(1.0)
    loop
      uge r0.z, r0.w, l(9)
      breakc_nz r0.z
      mad r0.y, r0.y, r0.x, l(0.5)
      iadd r0.w, r0.w, l(1)
    endloop"""
DIVERGENT = """
    loop
      uge r0.z, r0.w, r0.x
      breakc_nz r0.z
      iadd r0.w, r0.w, l(1)
    endloop
    mov r0.y, r0.w"""
SUM = """
    mov r1.x, r7.y
    loop
      uge r0.z, r0.w, l(4)
      breakc_nz r0.z
      ld_raw r1.y, r1.x, t0.xxxx
      iadd r0.y, r0.y, r1.y
      iadd r1.x, r1.x, l(256)
      iadd r0.w, r0.w, l(1)
    endloop"""
EXCHANGE = """
    store_raw g0.x, r7.z, r0.x
    sync_g_t
    xor r7.w, r7.z, l(252)
    ld_raw r0.y, r7.w, g0.xxxx
    sync_g_t"""
BRANCHES = """
    and r1.x, r0.x, l(3)
    if_nz r1.x
      mov r0.y, l(5)
      if_nz r1.x
        ld_raw r0.y, r7.y, t0.xxxx
      endif
    else
      imul null, r0.y, r0.x, r0.x
    endif
    switch r1.x
      case l(1)
        iadd r0.y, r0.y, l(100)
      case l(2)
        iadd r0.y, r0.y, l(1000)
        break
      default
        xor r0.y, r0.y, l(7)
        break
    endswitch"""
ARRAYS = """
    and r1.x, r0.x, l(3)
    mov x0[0].x, l(3)
    mov x0[1].x, r0.x
    mov x0[r1.x].y, r0.x
    mov r0.y, x0[r1.x].x
    iadd r0.y, r0.y, x0[1].y"""
CONTINUED = """
    loop
      uge r0.z, r0.w, l(12)
      breakc_nz r0.z
      iadd r0.w, r0.w, l(1)
      and r1.x, r0.w, r0.x
      continuec_z r1.x
      iadd r0.y, r0.y, r0.w
      ieq r1.y, r0.y, l(21)
      retc_nz r1.y
    endloop"""
ROWS = """
    and r1.x, vThreadIDInGroup.y, l(1)
    if_nz r1.x
      iadd r0.y, vThreadIDInGroup.y, l(100)
      store_raw u0.x, r7.y, l(1)
    else
      ld_raw r0.y, r7.z, t0.xxxx
    endif
    loop
      uge r0.z, r0.w, vThreadIDInGroup.y
      breakc_nz r0.z
      iadd r0.w, r0.w, l(1)
      iadd r0.y, r0.y, r0.w
    endloop
    switch vThreadIDInGroup.y
      case l(1)
        iadd r0.y, r0.y, l(1000)
      case l(2)
        xor r0.y, r0.y, l(7)
        break
      default
        ineg r0.y, r0.y
        break
    endswitch
    utof r1.y, vThreadIDInGroup.y
    mul r1.y, r1.y, l(100000.0)
    sincos r1.y, null, r1.y
    iadd r0.y, r0.y, r1.y"""
COUNTS = """
    store_raw g0.x, r7.z, l(0)
    sync_g_t
    loop
      uge r0.z, r0.w, l(4)
      breakc_nz r0.z
      and r1.x, r0.x, l(252)
      atomic_iadd g0, r1.x, r0.w
      ult r1.y, r1.x, l(32)
      if_nz r1.y
        atomic_iadd g0, r1.x, r0.x
      endif
      iadd r0.x, r0.x, l(12)
      iadd r0.w, r0.w, l(1)
    endloop
    sync_g_t
    ld_raw r0.y, r7.z, g0.xxxx"""
BODIES = {
    "chain": CHAIN, "divergent": DIVERGENT, "sum": SUM, "exchange": EXCHANGE,
    "branches": BRANCHES, "arrays": ARRAYS, "continued": CONTINUED,
    "rows": ROWS, "counts": COUNTS,
}  # fmt: skip


def program(
    body: str, group: tuple[int, int, int] = (256, 1, 1)
) -> tuple[BoundProgram, np.ndarray]:
    """Return a program that reads r0.x, runs the body and writes r0.y, and what it writes."""
    threads = group[0] * group[1] * group[2]
    text = f"""
        imad r7.x, vThreadGroupID.x, l({threads}), vThreadIDInGroupFlattened.x
        ishl r7.y, r7.x, l(2)
        ishl r7.z, vThreadIDInGroupFlattened.x, l(2)
        ld_raw r0.x, r7.y, t0.xxxx
        {body}
        store_raw u0.x, r7.y, r0.y
        ret
    """
    values = np.arange(COUNT, dtype=np.uint32) * 2654435761 >> 27
    out = np.full(COUNT, 0xABCDABCD, np.uint32)
    bound = build(
        text, group=group, shared={0: (4 * 256,)}, indexable={0: 4}, srvs={0: RawBuffer(values)},
        uavs={0: RawBuffer(out)},
    )  # fmt: skip
    return bound, out


def parts(body: str, group: tuple[int, int, int] = (256, 1, 1), target: Target = WIDE) -> int:
    bound, _ = program(body, group)
    entry = ThreadGroupEntry(bound.declarations.group_size, bound.declarations.shared_bytes)
    return wave_width(lower(bound), entry, target)[1]


def test_a_dependent_chain_takes_most_vectors() -> None:
    assert parts(CHAIN) == 8


def test_lanes_that_leave_a_loop_one_by_one_keep_waves_narrow() -> None:
    assert parts(DIVERGENT) == 2


def test_a_group_that_waits_is_one_wave_if_it_fits() -> None:
    assert parts(EXCHANGE) == 16
    assert parts(EXCHANGE, (64, 1, 1)) == 4


def test_atomics_are_together_where_waves_come_back_to_them_and_want_no_answer() -> None:
    assert parts(COUNTS.replace("if_nz r1.y", "if_z r0.w")) == 4
    assert parts(COUNTS.replace("atomic_iadd g0,", "imm_atomic_iadd r1.z, g0,")) == 1
    assert parts("atomic_iadd g0, r7.z, r0.x\nsync_g_t") == 1


def test_groups_are_whole_waves() -> None:
    assert parts(CHAIN, (37, 1, 1)) == 1
    assert parts(CHAIN, (8, 4, 1)) == 2


def test_fewer_registers_make_narrower_waves() -> None:
    body = CHAIN + "".join(f"\nadd r{1 + n}.xyzw, r0.yyyy, l({n}.0, {n}.5, {n}.2, {n}.7)"
                           for n in range(6))  # fmt: skip
    body += "".join(f"\nmad r0.y, r{1 + n}.x, r{1 + n}.y, r0.y" for n in range(6))
    narrow = Target(WIDE.triple, "any", "+avx2,+fma")
    assert parts(body, target=narrow) < parts(body)


def test_rounded_addresses_keep_their_step() -> None:
    """A raw load in a loop rounds its offset down to dwords; lanes still read side by side."""
    bound, _ = program(SUM)
    graph = lower(bound)
    shapes = part_shapes(graph, ThreadGroupEntry((256, 1, 1), 0), 16, 1)
    loads = [n for n in walk(graph.block) if n.op == "load"]
    assert [shapes.of(n.args[0]) for n in loads] == [4, 4]


def test_steps_that_rounding_may_change() -> None:
    assert keeps_step(8, 0xFFFFFFFC)
    assert not keeps_step(2, 0xFFFFFFFC)
    assert not keeps_step(4, 0xFFFFFFFB)  # not a rounding


def test_strides_of_loads_in_loops() -> None:
    bound, _ = program(SUM)
    assert list(load_strides(lower(bound)).values()) == [256]


def test_a_stride_is_found_behind_any_number_of_sums() -> None:
    sums = "iadd r1.y, r1.y, r0.w\n" * 2000
    bound, _ = program(SUM.replace("ld_raw r1.y, r1.x", f"mov r1.y, r1.x\n{sums}ld_raw r1.y, r1.y"))
    assert list(load_strides(lower(bound)).values()) == [256 + 2000]


@pytest.mark.parametrize("width", [(4, 2), (4, 4), (8, 2), (16, 4), (4, 16)])
@pytest.mark.parametrize("group", [(256, 1, 1), (8, 8, 1), (16, 4, 2), (5, 7, 1), (64, 1, 1)])
@pytest.mark.parametrize("name", BODIES)
def test_parts_do_not_change_results(
    monkeypatch: pytest.MonkeyPatch, name: str, group: tuple[int, int, int], width: tuple[int, int]
) -> None:
    wanted = _run(name, group, lambda bound: interpret(bound, _groups(group)))

    def native(bound: BoundProgram) -> None:
        monkeypatch.setattr("softd3d.jit.compiling.build.wave_width", lambda *_: width)
        code, facts = build_kernel(bound, 0)
        CompiledKernel(load_object(code), facts).run(bound, _groups(group))

    assert np.array_equal(_run(name, group, native), wanted)


IDS = [
    *(f"vThreadIDInGroup.{c}" for c in "xyz"), *(f"vThreadGroupID.{c}" for c in "xy"),
    "vThreadIDInGroupFlattened.x", "vThreadID.x", "r0.x", "r7.x",
]  # fmt: skip
SUMS = [
    "iadd {to}, {a}, {b}", "iadd {to}, {a}, -{b}", "imad {to}, {a}, l({n}), {b}",
    "ishl {to}, {a}, l({shift})", "and {to}, {a}, l(-{power})", "and {to}, {a}, l({n})",
    "ishl {to}, {a}, l(2)\nand {to}, {to}, l(0x7c)\nld_raw {to}, {to}, t0.xxxx",
    "and {to}, {a}, l(1)\nmovc {to}, {to}, {b}, {a}", "imin {to}, {a}, {b}",
    "ult {to}, {a}, {b}\nif_nz {to}\niadd {old}, {old}, {a}\nelse\nxor {old}, {old}, {b}\nendif",
    ("mov r6.w, {a}\nand r6.w, r6.w, l(3)\nloop\nbreakc_z r6.w\niadd r6.w, r6.w, l(-1)\n"
    "iadd {old}, {old}, {b}\nendloop\nmov {to}, {old}"),
]  # fmt: skip


def sums_of_ids(seed: int) -> str:
    """Return a random body made of thread ids: sums, rounding, reads, branches and loops."""
    random = np.random.default_rng(seed)
    made: list[str] = []
    lines: list[str] = []
    for number in range(10):
        a, b = (str(random.choice([*IDS, *made])) for _ in range(2))
        old = str(random.choice(made or ["r0.y"]))
        to = f"r{1 + number // 4}.{'xyzw'[number % 4]}"
        power = 1 << int(random.integers(5))
        lines += str(random.choice(SUMS)).format(
            a=a, b=b, to=to, old=old, n=random.integers(1, 40), shift=random.integers(8),
            power=power,
        ).splitlines()  # fmt: skip
        made.append(to)
    lines += [f"imad r0.y, r0.y, l(31), {value}" for value in made]
    return "\n".join(lines)


@pytest.mark.parametrize("seed", range(35))
def test_parts_of_random_sums_of_ids(monkeypatch: pytest.MonkeyPatch, seed: int) -> None:
    """Values that are affine or the same in a part, in the whole wave, in both or in neither."""
    random = np.random.default_rng(seed)
    lanes, parts = ((4, 2), (4, 4), (8, 2), (8, 4), (16, 2))[seed % 5]
    group = [(8, 8, 1), (16, 4, 2), (4, 4, 4), (64, 1, 1), (2, 8, 4), (5, 7, 1), (32, 2, 2)][
        random.integers(7)
    ]
    monkeypatch.setitem(BODIES, "sums", sums_of_ids(seed))
    monkeypatch.setattr("softd3d.jit.compiling.build.wave_width", lambda *_: (lanes, parts))

    def native(bound: BoundProgram) -> None:
        code, facts = build_kernel(bound, 0)
        CompiledKernel(load_object(code), facts).run(bound, _groups(group))

    wanted = _run("sums", group, lambda bound: interpret(bound, _groups(group)))
    assert np.array_equal(_run("sums", group, native), wanted)


def _groups(group: tuple[int, int, int]) -> tuple[int, int, int]:
    return COUNT // (group[0] * group[1] * group[2]), 1, 1


def _run(
    name: str, group: tuple[int, int, int], engine: Callable[[BoundProgram], object]
) -> np.ndarray:
    bound, out = program(BODIES[name], group)
    engine(bound)
    return out
