"""Shader messages on both engines: order, limit, abort; the same for any lanes and threads."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import softd3d
from softd3d.errors import ExecutionError, LoweringError, ResourceError, ShaderError
from softd3d.isa.shader_message import MessageKind
from softd3d.lower.outcome import Outcome
from softd3d.tools.text.assembler import assemble_tokens

RUNS = [
    {"engine": "interpreter"},
    {"lanes": 4, "threads": 1},
    {"lanes": 4, "threads": 3},
    {"lanes": 32, "threads": 2},
]


def shader(body: str, group: int = 8, declarations: str = "", temps: int = 4) -> softd3d.Shader:
    return softd3d.load(
        softd3d.assemble(
            f"cs_5_0\ndcl_globalFlags refactoringAllowed\ndcl_uav_raw u0\n{declarations}\n"
            "dcl_input vThreadID.xyz\ndcl_input vThreadGroupID.xyz\n"
            "dcl_input vThreadIDInGroup.xyz\ndcl_input vThreadIDInGroupFlattened\n"
            f"dcl_temps {temps}\ndcl_thread_group {group}, 1, 1\n{body}\nret\n"
        )
    )


def run_all(
    code: softd3d.Shader, groups: tuple[int, int, int], words: int = 64, **options: object
) -> tuple[Outcome, np.ndarray]:
    """Run in every way; messages must not differ. Returns the interpreter's outcome and words."""
    found: list[tuple[Outcome, np.ndarray]] = []
    for run in RUNS:
        data = np.zeros(words, np.uint32)
        outcome = softd3d.dispatch(
            code, groups, uavs={0: softd3d.RawBuffer(data)}, **{**options, **run}
        )
        found.append((outcome, data))
    first = found[0][0]
    for run, (outcome, _) in zip(RUNS, found, strict=True):
        assert outcome.messages == first.messages, run
        assert outcome.messages_dropped == first.messages_dropped, run
        assert outcome.aborted == first.aborted, run
    return found[0]


LOOPS = """
    and r0.x, vThreadID.x, l(3)
    loop
      uge r0.y, r0.z, r0.x
      breakc_nz r0.y
      printf "%u.%u", vThreadID.x, r0.z
      iadd r0.z, r0.z, l(1)
    endloop
"""


def test_messages_come_by_group_then_thread_then_order_of_execution():
    outcome, _ = run_all(shader(LOOPS), (5, 1, 1))
    wanted = [f"{thread}.{n}" for thread in range(40) for n in range(thread & 3)]
    assert [m.text for m in outcome.messages] == wanted
    assert outcome.messages_dropped == 0
    assert outcome.messages[0].group == (0, 0, 0)
    assert outcome.messages[0].thread == (1, 0, 0)
    assert outcome.messages[-1].group == (4, 0, 0)
    assert outcome.messages[-1].thread == (7, 0, 0)


@pytest.mark.parametrize("limit", [0, 1, 7, 12, 13, 59, 60, 61])
def test_the_first_messages_are_kept_and_the_others_counted(limit: int):
    outcome, _ = run_all(shader(LOOPS), (5, 1, 1), max_messages=limit)
    wanted = [f"{thread}.{n}" for thread in range(40) for n in range(thread & 3)]
    assert [m.text for m in outcome.messages] == wanted[:limit]
    assert outcome.messages_dropped == max(0, len(wanted) - limit)


def test_messages_are_kept_in_order_though_barriers_mix_the_waves():
    body = """
        printf "a %u", vThreadIDInGroup.x
        sync_g_t
        printf "b %u", vThreadIDInGroup.x
        sync_g_t
        printf "c %u", vThreadIDInGroup.x
    """
    code = shader(body, 37, "dcl_tgsm_raw g0, 16")
    outcome, _ = run_all(code, (3, 1, 1), max_messages=40)
    wanted = [f"{letter} {n}" for _ in range(3) for n in range(37) for letter in "abc"]
    assert [m.text for m in outcome.messages] == wanted[:40]
    assert outcome.messages_dropped == 3 * 37 * 3 - 40


def test_groups_are_ordered_x_first_and_ids_have_three_coordinates():
    code = shader('printf "%u %u %u", vThreadGroupID.x, vThreadGroupID.y, vThreadGroupID.z', 1)
    outcome, _ = run_all(code, (2, 3, 2))
    wanted = [(x, y, z) for z in range(2) for y in range(3) for x in range(2)]
    assert [m.group for m in outcome.messages] == wanted
    assert [m.text for m in outcome.messages] == [f"{x} {y} {z}" for x, y, z in wanted]


def test_a_divergent_message_is_made_by_active_lanes_only():
    body = """
        and r0.x, vThreadID.x, l(1)
        if_nz r0.x
          errorf "odd %d", vThreadID.x
        else
          debug_break
        endif
    """
    outcome, _ = run_all(shader(body), (1, 1, 1))
    assert [m.kind for m in outcome.messages] == [
        MessageKind.DEBUG_BREAK,
        MessageKind.ERRORF,
    ] * 4
    assert [m.text for m in outcome.messages[1::2]] == ["odd 1", "odd 3", "odd 5", "odd 7"]
    assert outcome.aborted is None


MARK = """
    ishl r2.x, vThreadID.x, l(2)
    store_raw u0.x, r2.x, l(1)
"""
ABORT_AT = """
    ieq r0.x, vThreadID.x, l({})
    if_nz r0.x
      abort
    endif
"""


def test_abort_ends_its_thread_and_the_groups_after():
    body = ABORT_AT.format(21) + ABORT_AT.format(34) + MARK
    outcome, words = run_all(shader(body), (1000, 1, 1), words=8000)
    assert outcome.aborted == (2, 0, 0)
    (message,) = outcome.messages
    assert (message.kind, message.group, message.thread) == ("abort", (2, 0, 0), (5, 0, 0))
    assert message.location.instruction is not None
    for run in RUNS:
        data = np.zeros(8000, np.uint32)
        softd3d.dispatch(shader(body), (1000, 1, 1), uavs={0: softd3d.RawBuffer(data)}, **run)
        # Groups up to the aborting one are complete, but for the thread that ended.
        assert np.flatnonzero(data[:24] == 0).tolist() == [21]
    assert words[:24].sum() == 23


def test_most_groups_after_an_abort_do_not_run():
    data = np.zeros(8 * 60000, np.uint32)
    code = shader(ABORT_AT.format(3) + MARK)
    softd3d.dispatch(code, (60000, 1, 1), uavs={0: softd3d.RawBuffer(data)}, threads=1)
    assert data.sum() == 7
    data[:] = 0
    softd3d.dispatch(code, (60000, 1, 1), uavs={0: softd3d.RawBuffer(data)}, engine="interpreter")
    assert 7 <= data.sum() < 8 * 60000 // 2


def test_abort_leaves_loops_switches_and_subroutines():
    body = """
        loop
          switch vThreadID.x
            case l(3)
              call label1
              break
            default
              break
          endswitch
          iadd r1.x, r1.x, l(1)
          uge r1.y, r1.x, l(4)
          breakc_nz r1.y
        endloop
    """
    after = MARK + 'ret\nlabel label1\nloop\n  abort\n  break\nendloop\nprintf "never"'
    outcome, words = run_all(shader(body + after), (2, 1, 1))
    assert [m.text for m in outcome.messages] == ["shader abort"]
    assert outcome.aborted == (0, 0, 0)
    assert words[:8].tolist() == [1, 1, 1, 0, 1, 1, 1, 1]


def test_an_abort_of_all_threads_skips_the_rest():
    outcome, words = run_all(shader("abort\n" + MARK), (4, 1, 1))
    assert len(outcome.messages) == 8
    assert outcome.aborted == (0, 0, 0)
    assert words[:8].sum() == 0


@pytest.mark.parametrize("group", [8, 20, 64])
def test_an_abort_before_a_barrier_ends_the_group_there(group: int):
    body = """
        ieq r0.x, vThreadIDInGroup.x, l(5)
        ieq r0.y, vThreadGroupID.x, l(1)
        and r0.x, r0.x, r0.y
        if_nz r0.x
          abort
        endif
        printf "before %u", vThreadIDInGroup.x
        sync_g_t
        printf "after %u", vThreadIDInGroup.x
    """
    outcome, _ = run_all(shader(body, group, "dcl_tgsm_raw g0, 16"), (4, 1, 1), max_messages=500)
    assert outcome.aborted == (1, 0, 0)
    first = [f"{word} {n}" for n in range(group) for word in ("before", "after")]
    second = [f"before {n}" if n != 5 else "shader abort" for n in range(group)]
    assert [m.text for m in outcome.messages] == first + second


def test_a_divergent_barrier_without_abort_is_still_an_error():
    body = """
        ieq r0.x, vThreadIDInGroup.x, l(5)
        ieq r0.y, vThreadGroupID.x, l(7)
        and r0.y, r0.x, r0.y
        if_nz r0.y
          abort
        endif
        if_z r0.x
          sync_g_t
        endif
    """
    code = shader(body, 8, "dcl_tgsm_raw g0, 16")
    for run in RUNS:
        with pytest.raises(ExecutionError, match="sync_t in divergent control flow"):
            softd3d.dispatch(code, (2, 1, 1), uavs={0: None}, **run)


def test_operands_of_every_kind_arrive_as_bits():
    body = """
        utof r0.x, vThreadID.x
        div r0.y, l(1.0), r0.x
        mov r0.z, l(1.5)
        ineg r1.x, vThreadID.x
        printf "%d|%u|%x|%f|%.3e|%g|%f|%f", r1.x, r1.x, r1.x, r0.x, r0.z, r0.z, -r0.x, -|r0.z|
        printf "%5d|%-5d|%05d|%%|%c|%s", l(7), l(7), l(7), l(65), l(255)
        printf "inf %f nan %f", r0.y, l(0x7fc00000)
    """
    outcome, _ = run_all(shader(body, 2), (1, 1, 1))
    texts = [m.text for m in outcome.messages]
    assert texts[3:] == [
        "-1|4294967295|ffffffff|1.000000|1.500e+00|1.5|-1.000000|-1.500000",
        "    7|7    |00007|%|A|0x000000ff",
        "inf 1.000000 nan nan",
    ]
    assert texts[2] == "inf inf nan nan"


def test_doubles_take_two_dwords():
    body = """
        ftod r0.xy, l(-2.5)
        dmul r1.zw, r0.xyxy, r0.xyxy
        printf "%f %u %.2f %f %d", r0.xyxy, vThreadID.x, -r0.xyxy, r1.zwzw, r1.zwzw
    """
    outcome, _ = run_all(shader(body, 2), (1, 1, 1))
    assert [m.text for m in outcome.messages] == [
        "-2.500000 0 2.50 6.250000 0",
        "-2.500000 1 2.50 6.250000 0",
    ]


def test_double_literals_are_operands():
    body = """
        dmov r0.xyzw, d(-1.25, 0.1)
        printf "%.17g %.17g %.17g %u", d(0.1, 3.0), r0.zwzw, d(3.0, -1e300), vThreadID.x
    """
    outcome, _ = run_all(shader(body, 2), (1, 1, 1))
    tenth = "0.10000000000000001"
    assert [m.text for m in outcome.messages] == [f"{tenth} {tenth} 3 {n}" for n in range(2)]


def test_two_programs_that_differ_in_texts_only_say_different_things():
    for text in ("one", "two"):
        outcome, _ = run_all(shader(f'printf "{text}"', 1), (1, 1, 1))
        assert [m.text for m in outcome.messages] == [text]


def test_the_limit_is_checked():
    code = shader('printf "x"', 1)
    for bad in (-1, 65537, "many"):
        with pytest.raises(ShaderError, match="max_messages: found"):
            softd3d.dispatch(code, (1, 1, 1), uavs={0: None}, max_messages=bad)


def test_a_message_of_too_many_operands_is_refused_by_both_engines(
    monkeypatch: pytest.MonkeyPatch,
):
    """Code written by hand has up to 64, as many as the assembler takes too."""
    monkeypatch.setattr("softd3d.isa.sm4.message_sites.MAX_OPERANDS", 2)
    code = shader('printf "refused", l(1), l(2), l(3)', 1)
    for engine in ("interpreter", "jit"):
        with pytest.raises(LoweringError, match="a shader message of 3 operands"):
            softd3d.dispatch(code, (1, 1, 1), uavs={0: None}, engine=engine)


@pytest.mark.corpus
@pytest.mark.parametrize("model", ["4_0", "5_0"])
def test_the_compilers_printf_errorf_and_abort(shared: Path, model: str):
    code = softd3d.load(shared / f"samples/sm4_5/cs_abort_printf.cs_{model}.dxbc")
    values = np.arange(40, dtype=np.uint32)
    values[[20, 29]] = 7, 2000
    others = [{"lanes": n, "threads": t} for n, t in ((8, 1), (8, 2), (16, 1), (16, 2), (64, 1))]
    for run in (*RUNS, *others):
        out = softd3d.StructuredBuffer(np.zeros(40, np.uint32), 4)
        outcome = softd3d.dispatch(
            code, (10, 1, 1), srvs={0: softd3d.StructuredBuffer(values, 4)}, uavs={0: out}, **run
        )
        texts: list[str] = []
        for n, value in enumerate(values[:32]):
            texts.append(f"value {value} of thread {n}\n")
            texts += [f"seven at {n}"] * int(value == 7) + ["shader abort"] * int(value == 2000)
        assert [m.text for m in outcome.messages] == texts
        assert outcome.aborted == (7, 0, 0)
        assert np.array_equal(out.array.reshape(-1)[:29], values[:29])


ENDLESS_AFTER = """
    ieq r0.x, vThreadID.x, l(3)
    if_nz r0.x
      abort
    endif
    {barrier}
    uge r0.x, vThreadGroupID.x, l(1)
    if_nz r0.x
      loop
        imm_atomic_iadd r1.x, u0, l(0), l(1)
        uge r1.y, r1.x, l(0xfffffff0)
        breakc_nz r1.y
      endloop
    endif
"""


@pytest.mark.parametrize(("group", "barrier"), [(8, ""), (64, ""), (64, "sync_g_t\nsync_g_t")])
def test_groups_after_an_abort_are_stopped_in_endless_loops(group: int, barrier: str):
    """Group 0 aborts; on several threads others are in their loops by then, or get there."""
    declared = "dcl_tgsm_raw g0, 16" if barrier else ""
    code = shader(ENDLESS_AFTER.format(barrier=barrier), group, declared)
    outcome, _ = run_all(code, (6, 1, 1))
    assert outcome.aborted == (0, 0, 0)
    assert [m.text for m in outcome.messages] == ["shader abort"]


@pytest.mark.parametrize("lanes", [4, 32])
def test_a_group_that_is_in_its_loop_already_is_stopped(lanes: int):
    """Group 0 waits for another to be in the endless loop before it aborts."""
    wait = """
        if_z vThreadGroupID.x
          loop
            iadd r2.x, r2.x, l(1)
            imm_atomic_iadd r1.x, u0, l(0), l(0)
            uge r1.y, r2.x, l(0x4000000)
            or r1.x, r1.x, r1.y
            breakc_nz r1.x
          endloop
        endif
    """
    data = np.zeros(4, np.uint32)
    outcome = softd3d.dispatch(
        shader(wait + ENDLESS_AFTER.format(barrier="")), (6, 1, 1),
        uavs={0: softd3d.RawBuffer(data)}, lanes=lanes, threads=3,
    )  # fmt: skip
    assert outcome.aborted == (0, 0, 0)
    assert data[0] > 0, "no other group was running: the bound of the wait is too low"


def test_an_error_keeps_what_was_said_before():
    body = """
        printf "before %u", vThreadID.x
        ieq r0.x, vThreadID.x, l(5)
        if_nz r0.x
          loop
          endloop
        endif
    """
    for run in RUNS:
        with pytest.raises(ExecutionError, match="endless loop") as raised:
            softd3d.dispatch(shader(body), (1, 1, 1), uavs={0: None}, budget=1 << 15, **run)
        outcome = raised.value.outcome
        assert [m.text for m in outcome.messages] == [f"before {n}" for n in range(8)]
        assert outcome.aborted is None


@pytest.mark.parametrize("limit", [0, 3])
def test_a_cancelled_run_and_a_divergent_barrier_keep_messages_too(limit: int):
    body = """
        printf "before %u", vThreadID.x
        {}
        ieq r0.x, vThreadIDInGroup.x, l(5)
        if_z r0.x
          sync_g_t
        endif
    """
    diverging = shader(body.format(""), 8, "dcl_tgsm_raw g0, 16")
    endless = shader(body.format("loop\nendloop"), 8, "dcl_tgsm_raw g0, 16")
    for run in RUNS:
        for code, message in ((diverging, "divergent"), (endless, "cancelled")):
            asked: list[int] = []
            with pytest.raises(ExecutionError, match=message) as raised:
                softd3d.dispatch(
                    code, (1, 1, 1), uavs={0: None}, max_messages=limit,
                    cancel=lambda asked=asked: len(asked) > 1 or asked.append(0), **run,
                )  # fmt: skip
            outcome = raised.value.outcome
            assert [m.text for m in outcome.messages] == [f"before {n}" for n in range(limit)]
            # A wave that has not begun when the run is cancelled says nothing.
            all_said = {8 - limit} if code is diverging else {8 - limit, 4 - limit}
            assert outcome.messages_dropped in all_said


RANGE = """cs_5_1
dcl_constantbuffer CB0[2:5][1], immediateIndexed, space=0
dcl_thread_group 1, 1, 1
printf "%u", CB0[3][0].x
ret
"""


@pytest.mark.parametrize("engine", ["interpreter", "jit"])
def test_what_only_a_message_reads_is_bound(engine: str) -> None:
    shader = softd3d.load(assemble_tokens(RANGE))
    constants = {3: np.full(4, 7, np.uint32)}
    outcome = softd3d.dispatch(shader, (1, 1, 1), constants=constants, engine=engine)
    assert [message.text for message in outcome.messages] == ["7"]
    with pytest.raises(ResourceError, match="b3: not in constants"):
        softd3d.dispatch(shader, (1, 1, 1), engine=engine)
