"""Code for processors and systems other than this one: the same bits, and nothing of a library."""

from __future__ import annotations

import llvmlite.binding as llvm
import numpy as np
import pytest
from object_files import undefined_symbols

from softd3d import LoweringError, assemble, dispatch, load
from softd3d.algebra.value import F32, Value
from softd3d.device.bind import bind
from softd3d.jit.cache.key import text_key
from softd3d.jit.codegen.processors import Emitting, Primitives
from softd3d.jit.codegen.writer import Writer
from softd3d.jit.compiling import build
from softd3d.jit.compiling.target import Processor, Target, code_for, host
from softd3d.lower.to_ir import lower
from softd3d.resources.buffers.buffer import RawBuffer

LINUX, WINDOWS, MAC = "unknown-linux-gnu", "pc-windows-msvc", "apple-darwin23.0.0"
TARGETS = [
    Target(f"x86_64-{LINUX}", "x86-64", ""),
    Target(f"x86_64-{LINUX}", "x86-64-v2", ""),
    Target(f"x86_64-{LINUX}", "x86-64-v3", ""),
    Target(f"x86_64-{LINUX}", "x86-64-v4", "+avx512f"),
    Target(f"aarch64-{LINUX}", "generic", ""),
    Target(f"x86_64-{WINDOWS}", "x86-64-v2", ""),
    Target(f"x86_64-{WINDOWS}", "x86-64-v3", ""),
    Target(f"aarch64-{WINDOWS}", "generic", ""),
    Target(f"x86_64-{MAC}", "x86-64-v2", ""),
    Target(f"arm64-{MAC}", "apple-m1", ""),
]
OLD = {  # processors without FMA, and without SSE4.1 too
    "x86-64": Processor(fuses=False, rounds=False),
    "x86-64-v2": Processor(fuses=False, rounds=True),
}
# All that LLVM might call a library for: float operations, memory to clear, a large frame.
EVERYTHING = """cs_5_0
dcl_globalFlags refactoringAllowed | enableDoublePrecisionFloatOps | enable11_1DoubleExtensions
dcl_uav_raw u0
dcl_input vThreadIDInGroup.x
dcl_temps 3
dcl_indexableTemp x0[4000], 4
dcl_tgsm_raw g0, 16384
dcl_thread_group 64, 1, 1
mov r0.xyzw, vThreadIDInGroup.xxxx
ld_raw r1.xyzw, r0.x, g0.xyzw
mov x0[r0.x + 0].xyzw, r1.xyzw
mov r2.xyzw, x0[r0.y + 3].xyzw
round_ne r1.x, r1.x
round_ni r1.y, r1.y
round_pi r1.z, r1.z
round_z r1.w, r1.w
mad r1.xyzw, r1.xyzw, r2.xyzw, r1.wzyx
sqrt r2.x, r1.x
exp r2.y, r1.y
log r2.z, r1.z
sincos r2.w, null, r1.w
div r2.xyzw, r2.xyzw, r1.xyzw
sync_g_t
atomic_iadd g0, r0.x, r2.x
ftou r2.x, r2.x
utof r2.y, r2.y
udiv r0.x, r0.y, r0.x, r2.y
store_raw u0.xyzw, r0.x, r2.xyzw
ret
"""
DOUBLES = EVERYTHING.replace("sync_g_t", """dadd r1.xy, r1.xyxy, r2.xyxy
dfma r1.xy, r1.xyxy, r2.xyxy, r1.zwzw
dtof r1.z, r1.xyxy
dtou r1.w, r1.xyxy
ddiv r1.xy, r1.xyxy, r2.zwzw
store_raw u0.xyzw, r0.x, r1.xyzw
sync_g_t""")  # fmt: skip
ALONE = EVERYTHING.replace("sync_g_t\n", "")  # temps are on the stack, not in coroutine frames


@pytest.fixture(scope="module", autouse=True)
def _all_targets() -> None:
    llvm.initialize_all_targets()
    llvm.initialize_all_asmprinters()


def module(text: str, lanes: int = 0) -> build.Module:
    bound = bind(load(assemble(text)), uavs={0: RawBuffer(np.zeros(64, np.uint32))})
    return build.module_text(lower(bound), bound.declarations, lanes)


@pytest.mark.parametrize("target", TARGETS, ids=lambda t: f"{t.triple}-{t.cpu}")
@pytest.mark.parametrize("text", [EVERYTHING, DOUBLES, ALONE], ids=["flushing", "doubles", "alone"])
@pytest.mark.parametrize("lanes", [0, 4])
def test_code_calls_nothing_of_a_library(target: Target, text: str, lanes: int) -> None:
    with code_for(target):
        code, _ = build.compile_module(module(text, lanes))
    # The linker knows where the table of offsets is; no function has this name.
    assert undefined_symbols(code) - {"_GLOBAL_OFFSET_TABLE_"} == set()


@pytest.mark.parametrize("target", TARGETS, ids=lambda t: f"{t.triple}-{t.cpu}")
def test_no_assembly_is_parsed(target: Target) -> None:
    with code_for(target):
        assert " asm " not in module(EVERYTHING).text


def test_the_probe() -> None:
    found = {t.cpu: t.processor for t in TARGETS}
    assert {cpu: found[cpu] for cpu in OLD} == OLD
    assert found["x86-64-v3"] == found["x86-64-v4"] == Processor()
    assert found["apple-m1"] == found["generic"] == Processor(flushes_early=True)


def test_an_unknown_processor_is_named() -> None:
    shader = load(assemble(EVERYTHING))
    uavs = {0: RawBuffer(np.zeros(64, np.uint32))}
    with code_for(Target("riscv64-unknown-linux-gnu", "generic", "")):
        with pytest.raises(LoweringError, match=r"found riscv64; use engine='interpreter'"):
            dispatch(shader, (1, 1, 1), uavs=uavs)
        dispatch(shader, (1, 1, 1), uavs=uavs, engine="interpreter")


def test_code_for_one_processor_is_kept_apart() -> None:
    keys = set[str]()
    for target in TARGETS:
        with code_for(target):
            assert host() == target
            keys.add(text_key(""))
    assert len(keys) == len(TARGETS)
    assert host() not in TARGETS


def code_of(processor: Processor, op: str, *, flushes: bool) -> str:
    w = Writer(8)
    k = Emitting(Primitives(w, processor, flushes=flushes), 8)
    count = {"fma": 3, "mul": 2, "div": 2}.get(op, 1)
    k.apply(op, F32, tuple(Value(k, F32, f"%x{n}") for n in range(count)))
    return "\n".join(w.lines)


@pytest.mark.parametrize("op", ["fma", "mul", "div", "floor", "sqrt"])
def test_a_processor_with_everything_needs_one_instruction(op: str) -> None:
    assert code_of(Processor(), op, flushes=True).count("\n") == 0


def test_only_products_in_flush_mode_are_flushed_too_early() -> None:
    arm = Processor(flushes_early=True)
    assert {op for op in ("fma", "mul", "div", "floor", "sqrt")
            if "\n" in code_of(arm, op, flushes=True)} == {"fma", "mul"}  # fmt: skip
    assert "\n" not in code_of(arm, "mul", flushes=False)
