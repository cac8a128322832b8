"""Whole runs: thread ids, batches, barriers, budget, cancelling, what is refused."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from program_builder import build, program

from softd3d.errors import DecodeError, ExecutionError, LoweringError, ShaderError
from softd3d.interp import interpret
from softd3d.interp.machine import Plan
from softd3d.isa.sm4.enums import CustomDataClass, Opcode
from softd3d.isa.sm4.program import Instruction, Program
from softd3d.jit.engine import compile_kernel
from softd3d.lower.bound import BoundProgram
from softd3d.lower.invocations import ThreadGroups
from softd3d.lower.outcome import Outcome
from softd3d.lower.watch import Watch
from softd3d.resources.buffers.buffer import RawBuffer


def test_thread_ids():
    size, groups = (3, 2, 2), (2, 3, 2)
    total = 12 * 12
    out = np.zeros((total, 12), np.uint32)
    text = """
        mov r0.xyz, vThreadID.xyzx
        mov r1.xyz, vThreadGroupID.xyzx
        mov r2.xyz, vThreadIDInGroup.xyzx
        mov r0.w, vThreadIDInGroupFlattened.x
        imad r3.x, r1.z, l(3), r1.y
        imad r3.x, r3.x, l(2), r1.x
        imad r3.x, r3.x, l(12), r0.w
        imul null, r3.x, r3.x, l(48)
        store_raw u0.xyzw, r3.x, r0.xyzw
        iadd r3.x, r3.x, l(16)
        store_raw u0.xyzw, r3.x, r1.xyzw
        iadd r3.x, r3.x, l(16)
        store_raw u0.xyzw, r3.x, r2.xyzw
    """
    interpret(build(text, group=size, uavs={0: RawBuffer(out)}), groups)
    expected = []
    for gz, gy, gx in itertools.product(*(range(n) for n in reversed(groups))):
        for flat, (z, y, x) in enumerate(itertools.product(*(range(n) for n in reversed(size)))):
            thread = [gx * 3 + x, gy * 2 + y, gz * 2 + z]
            expected.append([*thread, flat, gx, gy, gz, 0, x, y, z, 0])
    assert out.tolist() == expected


COUNT = """
    atomic_iadd u0, l(0), l(1)
    iadd r0.x, r0.x, l(1)
    atomic_umax u0, l(4), r0.x     // registers are zero again in every batch
    atomic_iadd u0, l(8), vThreadID.x
"""


def test_a_dispatch_of_many_batches():
    data = np.zeros(3, np.uint32)
    bound = build(COUNT, group=(7, 1, 1), uavs={0: RawBuffer(data)})
    seen: list[tuple[int, int]] = []
    groups = 10_000
    outcome = interpret(bound, (groups, 1, 1), progress=lambda *step: seen.append(step))
    threads = 7 * groups
    assert data.tolist() == [threads, 1, threads * (threads - 1) // 2 % 2**32]
    assert len(seen) >= 2
    assert seen == sorted(seen)
    assert seen[-1] == (groups, groups)
    assert outcome == Outcome()


@pytest.mark.parametrize("groups", [(0, 1, 1), (1, 0, 1), (5, 5, 0)])
def test_an_empty_dispatch_runs_nothing(groups: tuple[int, int, int]):
    data = np.zeros(3, np.uint32)
    assert interpret(build(COUNT, uavs={0: RawBuffer(data)}), groups) == Outcome()
    assert data.tolist() == [0, 0, 0]


@pytest.mark.parametrize(
    "arguments",
    [
        {"temps": 4096, "group": (1, 1, 1)},
        {"temps": 4, "indexable": {0: 4000}, "group": (1, 1, 1)},
        {"temps": 1, "shared": {0: (32768,)}, "group": (1, 1, 1)},
        {"temps": 4096, "group": (1024, 1, 1)},
    ],
)
def test_a_batch_is_bounded_in_bytes(arguments: dict[str, object]):
    bound = build("nop", **arguments)
    d = bound.declarations
    plan = Plan(bound, ThreadGroups((1, 1, 1), d.group_size))
    lanes = plan.groups * d.threads
    indexable = sum(v.size for v in d.indexable.values())
    assert plan.groups >= 1
    assert lanes * (16 * d.temps + indexable) + plan.groups * d.shared_bytes <= 1 << 28


def test_group_shared_memory_is_fresh_in_each_batch():
    data = np.zeros(2, np.uint32)
    text = """
        imm_atomic_iadd r0.x, g0, l(0), l(1)
        atomic_umax u0, l(0), r0.x
        atomic_iadd u0, l(4), l(1)
    """
    arguments = {"shared": {0: (32768,)}, "group": (2, 1, 1)}
    bound = build(text, uavs={0: RawBuffer(data)}, **arguments)
    batches: list[int] = []
    interpret(bound, (20_000, 1, 1), progress=lambda done, _: batches.append(done))
    assert len(batches) >= 2
    assert data.tolist() == [1, 40_000]


# Barriers

BARRIER = "sync_g_t"


def test_uniform_barriers_in_loops_and_branches_pass():
    data = np.zeros(4, np.uint32)
    text = """
        and r0.x, vThreadGroupID.x, l(1)
        if_nz r0.x                         // whole groups only
          loop
            sync_g_t
            iadd r0.y, r0.y, l(1)
            ieq r0.z, r0.y, vThreadGroupID.x
            breakc_nz r0.z
          endloop
        endif
        sync_uglobal_g_t
        atomic_iadd u0, l(0), l(1)
    """
    interpret(build(text, group=(8, 1, 1), uavs={0: RawBuffer(data)}), (6, 1, 1))
    assert data[0] == 48


@pytest.mark.parametrize(
    ("before", "after", "stray"),
    [
        ("ine r0.x, vThreadID.x, l(13)\nif_nz r0.x", "endif", 13),
        ("ieq r0.x, vThreadID.x, l(13)\nretc_nz r0.x", "", 13),
        ("ieq r0.x, vThreadID.x, l(8)\nif_nz r0.x", "endif", 9),
        (
            "loop\nuge r0.y, r0.x, vThreadIDInGroup.x\niadd r0.x, r0.x, l(1)\nbreakc_nz r0.y",
            "endloop",
            0,
        ),
    ],
)
def test_divergent_barriers_name_a_thread_and_the_place(before: str, after: str, stray: int):
    bound = build(f"{before}\n{BARRIER}\n{after}", group=(8, 1, 1))
    with pytest.raises(ExecutionError, match="sync_t in divergent control flow") as caught:
        interpret(bound, (2, 1, 1))
    assert f"thread ({stray}, 0, 0) does not reach it" in caught.value.message
    assert caught.value.location is not None
    place = caught.value.location.instruction
    assert place is not None
    assert bound.program.instructions[place].opcode is Opcode.SYNC


def test_fences_without_t_may_be_divergent():
    text = "and r0.x, vThreadID.x, l(1)\nif_nz r0.x\nsync_uglobal_g\nendif"
    interpret(build(text, group=(8, 1, 1)), (2, 1, 1))


# Budget and cancelling


def test_the_budget_is_exact():
    data = np.zeros(3, np.uint32)
    bound = build(COUNT, group=(8, 1, 1), uavs={0: RawBuffer(data)})
    interpret(bound, (1, 1, 1), budget=4)
    with pytest.raises(ExecutionError, match="budget of 3 instructions is spent at atomic_iadd"):
        interpret(bound, (1, 1, 1), budget=3)
    assert data.tolist() == [16, 1, 28]  # what was done before the end stays


@pytest.mark.parametrize(
    ("text", "mnemonic"), [("loop\nendloop", "loop"), ("loop\nnop\ncontinue\nendloop", "nop|loop")]
)
def test_an_endless_loop_spends_the_budget(text: str, mnemonic: str):
    bound = build(text)
    with pytest.raises(ExecutionError, match=f"budget of 1000 .* at ({mnemonic}):") as caught:
        interpret(bound, (1, 1, 1), budget=1000)
    assert caught.value.location is not None
    assert caught.value.location.instruction is not None


def test_a_run_can_be_cancelled():
    asked: list[int] = []

    def stop() -> bool:
        asked.append(1)
        return len(asked) > 5

    with pytest.raises(ExecutionError, match="cancelled"):
        interpret(build("loop\nendloop"), (1, 1, 1), watch=Watch(stop))
    assert len(asked) == 6


def test_an_interrupt_passes_through():
    def interrupt() -> bool:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interpret(build("loop\nendloop"), (1, 1, 1), watch=Watch(interrupt))


# Not supported


@pytest.mark.parametrize(
    ("opcode", "like", "error", "text"),
    [
        (Opcode.DISCARD, "if_nz r0.x", LoweringError, "discard is not supported yet"),
        (Opcode.INTERFACE_CALL, "label label1", DecodeError, "fcall has no fp#.index. operand"),
    ],
)
def test_unsupported_flow_is_named_before_anything_is_written(
    opcode: Opcode, like: str, error: type[ShaderError], text: str
):
    data = np.zeros(3, np.uint32)
    bad = Instruction(opcode, program(like).instructions[0].operands, index=99)
    bound = _extended(build(COUNT, uavs={0: RawBuffer(data)}), bad)
    with pytest.raises(error, match=text) as caught:
        interpret(bound, (1, 1, 1))
    assert caught.value.location is not None
    assert caught.value.location.instruction == 99
    assert data.tolist() == [0, 0, 0]


def _extended(bound: BoundProgram, extra: Instruction) -> BoundProgram:
    p = bound.program
    longer = Program(p.type, p.major, p.minor, (*p.instructions, extra))
    return BoundProgram(
        longer, bound.declarations, bound.views, bound.descriptors, bound.buffers, bound.constants
    )


def test_malformed_messages_are_refused_and_comments_are_not():
    data = np.zeros(3, np.uint32)
    bound = build(COUNT, uavs={0: RawBuffer(data)})
    message = Instruction(Opcode.CUSTOMDATA, custom_class=CustomDataClass.SHADER_MESSAGE)
    with pytest.raises(DecodeError, match="customdata: not a shader message"):
        interpret(_extended(bound, message), (1, 1, 1))
    assert data.tolist() == [0, 0, 0]
    comment = Instruction(Opcode.CUSTOMDATA, custom_class=CustomDataClass.COMMENT)
    interpret(_extended(bound, comment), (1, 1, 1))
    assert data[0] == 64


def test_debug_break_is_noted_and_nop_does_nothing():
    outcome = interpret(build("debug_break\nnop\nret", group=(2, 1, 1)), (1, 1, 1))
    assert [(m.kind, m.thread) for m in outcome.messages] == [
        ("debug_break", (0, 0, 0)),
        ("debug_break", (1, 0, 0)),
    ]


def test_an_endless_loop_is_stopped_without_a_budget(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("softd3d.interp.engine.BATCH_BUDGET", 1000)
    monkeypatch.setattr("softd3d.jit.running.bound.BASE_BUDGET", 1 << 20)
    bound = build("loop\nendloop", group=(1, 1, 1))
    with pytest.raises(ExecutionError, match="budget of 1000 instructions"):
        interpret(bound, (1, 1, 1))
    with pytest.raises(ExecutionError, match="loop budget of the dispatch is spent"):
        compile_kernel(bound).run(bound, (1, 1, 1))
