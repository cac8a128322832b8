"""Time limits, and what else stops a dispatch: while it compiles, and while it runs."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Callable

import numpy as np
import pytest
from draw_shaders import arguments

import softd3d
from softd3d.errors import ExecutionError, ResourceError
from softd3d.jit.compiling import build
from softd3d.jit.compiling import process as compile_process
from softd3d.lower.watch import Watch

ENGINES = ["jit", "interpreter"]
HEAD = "cs_5_0\ndcl_globalFlags refactoringAllowed\ndcl_uav_raw u0\ndcl_temps 9\n"
ENDLESS = "store_raw u0.x, l(0), l(7)\nloop\n{body}\nendloop\nret\n"
BODIES = {
    "light": "iadd r0.x, r0.x, l(1)",
    "heavy": "\n".join(["sincos r0.xyzw, r1.xyzw, r0.wxyz"] * 60),
    "atomics": "\n".join(["atomic_iadd u0, l(16), l(1)"] * 300),
    "nested": "loop\nloop\niadd r0.x, r0.x, l(1)\nbreakc_nz r0.x\nendloop\nbreakc_nz r0.x\nendloop",
}
LINE = "mad r0.xyzw, r0.yzwx, r0.zwxy, l({n}.5, {n}.25, 1, 2)"
LONG = 3000  # instructions that take LLVM seconds


@pytest.fixture(autouse=True)
def no_cache(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOFTD3D_CACHE", "0")


def shader(body: str, threads: int = 64) -> softd3d.Shader:
    head = f"{HEAD}dcl_input vThreadID.x\ndcl_thread_group {threads}, 1, 1\n"
    return softd3d.load(softd3d.assemble(head + body))


def long_shader(seed: int) -> softd3d.Shader:
    """A program that takes long to compile; another for each seed."""
    lines = [LINE.format(n=n + seed) for n in range(LONG)]
    return shader(
        "utof r0.xyzw, vThreadID.xxxx\n" + "\n".join(lines) + "\nstore_raw u0.x, l(0), r0.x\nret\n"
    )


def buffer() -> softd3d.RawBuffer:
    return softd3d.RawBuffer(np.zeros(64, np.uint32))


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("body", BODIES)
def test_what_does_not_end_is_stopped_by_time(engine: str, body: str) -> None:
    uav = buffer()
    with pytest.raises(
        ExecutionError,
        match=r"^the time limit of 0.3 s has passed (while compiling )?\(timeout, --timeout\)",
    ) as caught:
        softd3d.dispatch(shader(ENDLESS.format(body=BODIES[body]), 1024), (2, 1, 1), uavs={0: uav},
                         engine=engine, timeout=0.3)  # fmt: skip
    assert caught.value.outcome == softd3d.Outcome()
    assert caught.value.location is None


@pytest.mark.parametrize("body", BODIES)
def test_native_loops_stop_soon_after_the_time(body: str) -> None:
    """A group of 1024 threads has many waves, each of which may be in a loop of slow operations."""
    code = shader(ENDLESS.format(body=BODIES[body]), 1024)
    job = softd3d.Dispatch(code, (2, 1, 1), uavs={0: buffer()}, timeout=60)  # to compile
    job._options.timeout = 0.2
    start = time.monotonic()
    with pytest.raises(ExecutionError, match=r"^the time limit of 0.2 s has passed \(timeout"):
        job()
    assert time.monotonic() - start < 20  # a minute before each wave looked at the status


@pytest.mark.parametrize("engine", ENGINES)
def test_each_run_has_its_time(engine: str) -> None:
    code = shader(ENDLESS.format(body=BODIES["light"]))
    job = softd3d.Dispatch(code, (1, 1, 1), uavs={0: buffer()}, engine=engine, timeout=0.2)
    time.sleep(0.3)
    for run in (
        job,
        lambda: job.run((2, 1, 1)),
        lambda: job.run_indirect(softd3d.RawBuffer(np.ones(3, np.uint32))),
    ):
        with pytest.raises(ExecutionError, match="time limit"):
            run()


@pytest.mark.parametrize("engine", ENGINES)
def test_what_ends_in_time_is_not_stopped(engine: str) -> None:
    uav = buffer()
    softd3d.dispatch(
        shader("store_raw u0.x, l(0), l(7)\nret\n"),
        (3, 1, 1),
        uavs={0: uav},
        engine=engine,
        timeout=np.float32(500),
    )
    assert uav.array[0] == 7
    softd3d.dispatch_indirect(
        shader("ret\n"), softd3d.RawBuffer(np.ones(3, np.uint32)), uavs={0: uav}, timeout=500
    )


@pytest.mark.parametrize("timeout", [0, -1, float("nan"), float("inf"), "1", True, [1], 1j])
def test_time_limits_are_numbers_above_0(timeout: object) -> None:
    with pytest.raises(
        ResourceError, match=r"^timeout: found .*, wanted (a number|seconds above 0, or None)"
    ):
        softd3d.Dispatch(shader("ret\n"), (1, 1, 1), uavs={0: None}, timeout=timeout)


# While compiling


def raised_by(act: Callable[[], object]) -> BaseException:
    with pytest.raises((ExecutionError, KeyboardInterrupt)) as caught:
        act()
    return caught.value


def test_compiling_is_stopped_by_time() -> None:
    error = raised_by(
        lambda: softd3d.Dispatch(long_shader(0), (1, 1, 1), uavs={0: buffer()}, timeout=0.05)
    )
    assert str(error) == "the time limit of 0.05 s has passed while compiling (timeout, --timeout)"
    assert error.outcome == softd3d.Outcome()


def test_compiling_is_cancelled() -> None:
    stop = threading.Event()
    stop.set()
    error = raised_by(
        lambda: softd3d.Dispatch(long_shader(1), (1, 1, 1), uavs={0: buffer()}, cancel=stop)
    )
    assert str(error) == "cancelled"


@pytest.mark.skipif(os.name != "posix", reason="signals")
def test_llvm_is_stopped_by_cancel_and_by_an_interrupt(monkeypatch: pytest.MonkeyPatch) -> None:
    """Both come while the child compiles, which is ended."""
    children: list[object] = []
    start = compile_process._started

    def started(*given: object, **options: bool) -> object:
        children.append(start(*given, **options))
        return children[-1]

    stop = threading.Event()
    monkeypatch.setattr(compile_process, "_started", started)
    monkeypatch.setattr(compile_process, "_POLL_SECONDS", 0.01)
    code = long_shader(2)
    old = signal.signal(signal.SIGINT, signal.default_int_handler)  # in the background it is off
    for act in (stop.set, lambda: os.kill(os.getpid(), signal.SIGINT)):
        waiting = len(children)

        def soon(act: Callable[[], None] = act, waiting: int = waiting) -> None:
            while len(children) == waiting:
                time.sleep(0.01)
            act()

        helper = threading.Thread(target=soon, daemon=True)
        helper.start()
        error = raised_by(
            lambda: softd3d.Dispatch(code, (1, 1, 1), uavs={0: buffer()}, cancel=stop)
        )
        helper.join(60)
        stop.clear()
        assert isinstance(error, KeyboardInterrupt) or str(error) == "cancelled"
    signal.signal(signal.SIGINT, old)
    assert all(child.returncode < 0 for child in children)
    assert len(children) == 2


def text_of(code: softd3d.Shader) -> build.Module:
    from softd3d.device.bind import bind
    from softd3d.lower.to_ir import lower

    bound = bind(code, uavs={0: buffer()})
    return build.module_text(lower(bound), bound.declarations, 0)


def test_a_child_makes_the_same_code() -> None:
    from softd3d.jit.compiling.compiler import compile_text

    body = "mov r0.x, vThreadID.x\nsync_g_t\nstore_raw u0.x, l(0), r0.x\nret\n"
    for code, has_barrier in ((shader(body), False), (shader(body, 1024), True)):
        module = text_of(code)
        assert module.has_barrier == has_barrier
        apart = compile_process.compile_apart(
            module.text, module.target, lambda: None, has_barrier=has_barrier
        )
        assert apart == compile_text(module.text, module.target, has_barrier=has_barrier)


@pytest.mark.parametrize(
    ("status", "said", "error"),
    [
        (-6, "LLVM ERROR: out of memory\nAllocation failed", "compiling takes more than 8 GiB"),
        (1, "Traceback\nMemoryError", "compiling takes more than 8 GiB"),
        (-11, "", r"LLVM gave up \(status -11\); use engine='interpreter'"),
        (1, "Traceback\nsoftd3d.errors.InternalError: generated code does not parse", "not parse"),
    ],
)
def test_how_a_child_ends_is_told(status: int, said: str, error: str) -> None:
    with pytest.raises(softd3d.ShaderError, match=error):
        compile_process._answer(status, b"", said.encode())


def test_a_child_that_does_not_start_is_none() -> None:
    assert compile_process._answer(1, b"", b"ModuleNotFoundError: softd3d") is None


def test_without_a_child_it_compiles_here(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(build, "_LINES_AT_ONCE", 0)
    for n, name in enumerate(("", "/nowhere/python3", "/bin/embedding_app")):
        monkeypatch.setattr("sys.executable", name)
        uav = buffer()
        softd3d.dispatch(
            shader(f"store_raw u0.x, l(0), l({n + 50})\nret\n"), (1, 1, 1), uavs={0: uav}
        )
        assert uav.array[0] == n + 50


def test_without_room_for_the_text_it_compiles_here(monkeypatch: pytest.MonkeyPatch) -> None:
    def full() -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(build, "_LINES_AT_ONCE", 0)
    monkeypatch.setattr(compile_process, "TemporaryFile", full)
    uav = buffer()
    code = shader("store_raw u0.x, l(0), l(71)\nret\n")
    softd3d.dispatch(code, (1, 1, 1), uavs={0: uav})
    assert uav.array[0] == 71


def test_exits_that_hand_on_too_much_are_refused_by_the_jit() -> None:
    """Each of many exits keeps each of many registers: more memory than any program is worth."""
    fill = "\n".join(f"mov r{n}.xyzw, vThreadID.xxxx" for n in range(900))
    leave = "\n".join(["iadd r0.x, r0.x, l(1)\nbreakc_nz r0.x"] * 150)
    head = f"{HEAD}dcl_input vThreadID.x\ndcl_thread_group 1, 1, 1\n"
    text = f"{head}{fill}\nloop\n{leave}\nendloop\nret\n"
    code = softd3d.load(softd3d.assemble(text.replace("dcl_temps 9", "dcl_temps 900")))
    with pytest.raises(softd3d.LoweringError, match="exits of loops and calls hand on more than"):
        softd3d.dispatch(code, (1, 1, 1), uavs={0: buffer()})
    softd3d.dispatch(code, (1, 1, 1), uavs={0: buffer()}, engine="interpreter")


def test_many_divisions_are_compiled_quickly() -> None:
    """LLVM takes quadratic time for what becomes code for each lane, unless it need not be good."""
    from softd3d.jit.compiling.compiler import level_of

    lines = "\n".join(["udiv r0.x, r1.y, r0.y, vThreadID.x\niadd r0.y, r0.x, r1.y"] * 400)
    text = text_of(shader(lines + "\nstore_raw u0.x, l(0), r0.x\nret\n")).text
    assert text.count("\n") < 6000
    assert level_of(text) == 0


def test_a_watch_is_not_asked_more_often_than_needed() -> None:
    asked: list[int] = []
    watch = Watch(lambda: bool(asked.append(1)))
    for _ in range(100):
        watch.check()
    assert len(asked) < 100


def test_a_draw_stops_among_the_fragments_of_a_pixel() -> None:
    """Thousands of them: the reference engine takes these one after another, in one go."""
    blend = softd3d.RenderTargetBlendDesc(
        True, src_blend="SRC_ALPHA", dest_blend="INV_SRC_ALPHA", src_blend_alpha="ONE"
    )
    pixel = softd3d.Texture2DMS.from_bytes(
        bytes(32), "R8G8B8A8_UNORM", width=1, height=1, sample_count=8
    )
    scene = arguments(
        render_targets=[pixel], timeout=0.1,
        blend=softd3d.BlendState(render_target=blend),
    )  # fmt: skip
    job = softd3d.Draw(**scene)
    start = time.monotonic()
    with pytest.raises(ExecutionError, match=r"the time limit of 0\.1 s has passed"):
        job.instanced(6, 8000)
    assert time.monotonic() - start < 5
