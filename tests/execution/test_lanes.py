"""Vertex and pixel shaders in batches of lanes: the same bits on both engines."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

import softd3d
from softd3d.device.bind import bind
from softd3d.device.registers import RegisterKind, wanted_registers
from softd3d.errors import ExecutionError, LoweringError, ResourceError
from softd3d.interp import interpret_lanes
from softd3d.jit.engine import compile_kernel
from softd3d.jit.running.memory import Batch
from softd3d.lower.bound import BoundProgram
from softd3d.lower.watch import Watch
from softd3d.shaders.shader import load_shader
from softd3d.tools.text.assembler import assemble_tokens

COUNTS = (0, 1, 3, 15, 17, 1000)
GUARD = 0xA5A5A5A5
HEAD = "dcl_globalFlags refactoringAllowed\n"
VERTEX = f"""vs_5_0
{HEAD}dcl_constantbuffer cb0[2], immediateIndexed
dcl_input v0.xyz
dcl_input_sgv v1.x, vertex_id
dcl_output_siv o0.xyzw, position
dcl_output o1.xy
dcl_output o1.zw
dcl_temps 2
and r0.x, v1.x, l(3)
mov r1.xy, l(0, 0, 0, 0)
loop
  uge r0.y, r1.x, r0.x
  breakc_nz r0.y
  mad r1.y, v0.y, cb0[1].x, r1.y
  iadd r1.x, r1.x, l(1)
  mov o1.x, r1.y
endloop
mad o0.xyz, v0.xyzx, cb0[0].xyzx, v0.zxyz
if_nz r0.x
  mov o0.w, l(1.0)
  retc_nz r1.x
endif
utof o1.z, v1.x
ret
"""
PIXEL = f"""ps_5_0
{HEAD}dcl_uav_raw u1
dcl_input_ps linear v0.xyz
dcl_input_ps_siv linear noperspective v1.xy, position
dcl_input_ps_sgv constant v2.x, is_front_face
dcl_output o0.xyzw
dcl_output oDepth
dcl_temps 2
deriv_rtx_coarse r0.xy, v0.xyxx
deriv_rty_fine r0.zw, v0.xxxy
atomic_iadd u1, l(0), l(1)
lt r1.x, v0.z, l(0.0)
discard_nz r1.x
atomic_iadd u1, l(4), l(1)
movc o0.xyz, v2.xxxx, r0.xyzx, r0.wzyw
deriv_rtx_fine o0.w, v1.x
mov oDepth, v0.z
ret
"""
ENDLESS = f"vs_4_0\n{HEAD}dcl_input v0.x\ndcl_output o0.x\nloop\nendloop\nmov o0.x, v0.x\nret\n"


def bound(text: str, **bindings: object) -> BoundProgram:
    return bind(load_shader(assemble_tokens(text)), **bindings)  # type: ignore[arg-type]


def inputs_of(program: BoundProgram, count: int) -> dict[str, NDArray[np.uint32]]:
    """Return bits of numbers around 0 for everything that a program declares to read."""
    rng = np.random.default_rng(count)
    found: dict[str, NDArray[np.uint32]] = {}
    for register in program.declarations.inputs:
        for component in register.components:
            values = rng.normal(size=count).astype(np.float32)
            found[f"{register.name}.{'xyzw'[component]}"] = values.view(np.uint32)
    return found


def same(one: NDArray[np.uint32], other: NDArray[np.uint32]) -> bool:
    """Compare bits; any NaN is as good as any other."""
    nan = np.isnan(one.view(np.float32)) & np.isnan(other.view(np.float32))
    return bool(((one == other) | nan).all())


def agree(program: BoundProgram, count: int, lanes: int, threads: int) -> dict[str, object]:
    """Run both engines; return the outputs of one, if the other's are equal."""
    given = inputs_of(program, count)
    wanted, outputs = interpret_lanes(program, count, given)
    kernel = compile_kernel(program, lanes=lanes)
    outcome, found = kernel.run_lanes(program, count, given, threads=threads)
    assert set(outcome.poisoned) == set(wanted.poisoned)
    assert found.keys() == outputs.keys()
    for name, array in outputs.items():
        assert array.shape == found[name].shape == (count,)
        assert same(array, found[name]), (name, count, lanes)
    return dict(outputs)


@pytest.fixture
def guards(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[NDArray[np.uint32]]]:
    """Put what native code writes between words that nobody may touch."""
    wholes: list[NDArray[np.uint32]] = []
    results: list[tuple[NDArray[np.uint32], NDArray[np.uint32]]] = []
    begin = Batch.__init__

    def guarded(self: Batch, count: int, inputs: object, outputs: list[NDArray[np.uint32]]):
        inner: list[NDArray[np.uint32]] = []
        for array in outputs:
            whole = np.full(count + 64, GUARD, np.uint32)
            wholes.append(whole)
            inner.append(whole[32 : 32 + count])
            results.append((array, inner[-1]))
        begin(self, count, inputs, inner)  # type: ignore[arg-type]

    monkeypatch.setattr(Batch, "__init__", guarded)
    yield wholes
    for whole in wholes:
        assert (whole[:32] == GUARD).all()
        assert (whole[-32:] == GUARD).all()


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("lanes", [4, 8, 16, 64])
@pytest.mark.parametrize("count", COUNTS)
def test_vertices_come_out_the_same_on_both_engines(count: int, lanes: int, threads: int):
    constants = {0: np.array([2, 3, 4, 0, 0.5, 0, 0, 0], np.float32)}
    outputs = agree(bound(VERTEX, constants=constants), count, lanes, threads)
    assert list(outputs) == ["o0.x", "o0.y", "o0.z", "o0.w", "o1.x", "o1.y", "o1.z", "o1.w"]


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("lanes", [4, 8, 16, 64])
@pytest.mark.parametrize("count", COUNTS)
def test_pixels_come_in_quads_whose_helpers_have_no_effects(count: int, lanes: int, threads: int):
    counted: list[list[int]] = []
    for engine in ("interpreter", "jit"):
        memory = np.zeros(2, np.uint32)
        program = bound(PIXEL, uavs={1: softd3d.RawBuffer(memory)})
        given = inputs_of(program, count)
        if engine == "jit":
            kernel = compile_kernel(program, lanes=lanes)
            _, outputs = kernel.run_lanes(program, count, given, threads=threads)
        else:
            _, outputs = interpret_lanes(program, count, given)
        kept = given["v0.z"].view(np.float32) >= 0
        assert outputs["covered"].tolist() == kept.astype(int).tolist()
        assert outputs["oDepth.x"].tolist() == given["v0.z"].tolist()
        assert memory.tolist() == [count, kept.sum()]
        counted.append([*np.concatenate(list(outputs.values())).tolist()])
    assert counted[0] == counted[1]


@pytest.mark.parametrize("lanes", [4, 16])
def test_helpers_may_be_given(lanes: int):
    found: list[list[int]] = []
    for engine in ("interpreter", "jit"):
        memory = np.zeros(2, np.uint32)
        program = bound(PIXEL, uavs={1: softd3d.RawBuffer(memory)})
        given = inputs_of(program, 40) | {"covered": np.arange(40, dtype=np.uint32) % 3}
        if engine == "jit":
            _, outputs = compile_kernel(program, lanes=lanes).run_lanes(program, 40, given)
        else:
            _, outputs = interpret_lanes(program, 40, given)
        found.append([*memory.tolist(), *np.concatenate(list(outputs.values())).tolist()])
    assert found[0] == found[1]
    assert found[0][0] == np.count_nonzero(np.arange(40) % 3)


@pytest.mark.parametrize("count", [1, 15, 17])
def test_nothing_is_written_beyond_the_last_lane(
    count: int, guards: list[NDArray[np.uint32]]
) -> None:
    program = bound(VERTEX, constants={0: None})
    for lanes in (4, 16, 64):
        compile_kernel(program, lanes=lanes).run_lanes(program, count, inputs_of(program, count))
    assert len(guards) == 3 * 8
    assert not any((whole[32 : 32 + count] == GUARD).any() for whole in guards)


def test_a_batch_stops_at_its_budget_at_a_time_limit_and_when_cancelled():
    program = bound(ENDLESS)
    given = inputs_of(program, 40)
    kernel = compile_kernel(program, lanes=8)
    for run in (lambda **limits: kernel.run_lanes(program, 40, given, threads=2, **limits),
                lambda **limits: interpret_lanes(program, 40, given, **limits)):  # fmt: skip
        with pytest.raises(ExecutionError, match="budget") as caught:
            run(budget=1000)
        assert caught.value.location is not None
        with pytest.raises(ExecutionError, match="time limit"):
            run(watch=Watch(seconds=0.05))
        with pytest.raises(ExecutionError, match="cancelled"):
            run(watch=Watch(should_stop=lambda: True))


DIVERGENT = f"""ps_5_0
{HEAD}dcl_input_ps linear v0.xy
dcl_output o0.xyzw
dcl_temps 2
lt r0.x, v0.x, l(0.0)
if_nz r0.x
  add r1.x, v0.y, l(1.0)
  deriv_rtx_fine o0.x, r1.x
  deriv_rty_coarse o0.y, r1.x
  retc_nz r0.x
endif
deriv_rtx_coarse o0.z, v0.y
mul r1.y, v0.x, v0.y
deriv_rty_fine o0.w, r1.y
ret
"""


@pytest.mark.parametrize("lanes", [4, 16, 64])
def test_a_lane_that_is_elsewhere_counts_as_the_one_that_asks(lanes: int):
    program = bound(DIVERGENT)
    outputs = agree(program, 200, lanes, 2)
    given = inputs_of(program, 200)
    x, y = (given[name].view(np.float32).reshape(-1, 2, 2) for name in ("v0.x", "v0.y"))
    both = (x < 0).all(axis=2)
    wanted = np.where(both[:, :, None] & (x < 0), (y[..., 1:] + 1) - (y[..., :1] + 1), 0)
    assert np.array_equal(np.asarray(outputs["o0.x"]).view(np.float32), wanted.reshape(-1))


TALKATIVE = f"""vs_5_0
{HEAD}dcl_input v0.x
dcl_output o0.x
dcl_temps 1
and r0.x, v0.x, l(1)
if_nz r0.x
  printf "odd %u", v0.x
endif
mov o0.x, v0.x
{{end}}
ret
"""


@pytest.mark.parametrize("end", ["", "ieq r0.y, v0.x, l(37)\nif_nz r0.y\nabort\nendif"])
def test_messages_say_which_lane_they_are_of(end: str):
    program = bound(TALKATIVE.format(end=end))
    given = {"v0.x": np.arange(100, dtype=np.uint32)}
    wanted, _ = interpret_lanes(program, 100, given, max_messages=30)
    odd = range(1, 38 if end else 100, 2)
    said = [m.text for m in wanted.messages if m.text.startswith("odd")]
    assert said == [f"odd {n}" for n in odd][:30]
    assert [m.group[0] for m in wanted.messages][:19] == [*range(1, 38, 2)]
    assert wanted.aborted == ((37, 0, 0) if end else None)
    for lanes, threads in ((4, 1), (8, 3), (32, 2)):
        kernel = compile_kernel(program, lanes=lanes)
        found, _ = kernel.run_lanes(program, 100, given, threads=threads, max_messages=30)
        assert found.messages == wanted.messages
        assert found.aborted == wanted.aborted


def test_progress_counts_lanes():
    program, seen = bound(VERTEX, constants={0: None}), []
    given = inputs_of(program, 100)
    compile_kernel(program, lanes=8).run_lanes(
        program, 100, given, progress=lambda *n: seen.append(n)
    )
    assert seen[-1] == (100, 100)


def test_inputs_that_do_not_fit_are_named():
    program = bound(VERTEX, constants={0: None})
    given = inputs_of(program, 8)
    kernel = compile_kernel(program, lanes=8)
    for run in (kernel.run_lanes, interpret_lanes_of):
        with pytest.raises(ResourceError, match=r"v1.x is read, but is not among the inputs"):
            run(program, 8, {n: a for n, a in given.items() if n != "v1.x"})
        with pytest.raises(ResourceError, match=r"v0.x: found uint32 \(7,\), wanted uint32 \(8,\)"):
            run(program, 8, {**given, "v0.x": given["v0.x"][:7]})


interpret_lanes_of = interpret_lanes


@pytest.mark.parametrize("engine", ["interpreter", "jit"])
def test_other_stages_are_refused_by_name(engine: str, shared: Path):
    path = shared / "samples/sm4_5/gs_lineadj_to_strip.gs_5_0.dxbc"
    program = bind(softd3d.load(path))
    assert [r.vertices for r in program.declarations.inputs] == [4]
    with pytest.raises(LoweringError, match="gs_5_0: such shaders can be run in draws only"):
        interpret_lanes(program, 1, {}) if engine == "interpreter" else compile_kernel(program)


def samples() -> list[Path]:
    folder = Path(__file__).parents[3] / "shared/samples"
    return [p for p in sorted(folder.glob("*/*.dxbc")) if ".vs_" in p.name or ".ps_" in p.name]


@pytest.mark.parametrize("path", samples(), ids=lambda p: p.stem)
def test_sample_shaders_without_textures(path: Path):
    shader = softd3d.load(path)
    declared = shader.declarations
    given = {kind: {} for kind in RegisterKind}
    wanted = wanted_registers(shader.program, declared, shader.reflection, given)
    if wanted[RegisterKind.SRVS] or "eval_" in str(shader):
        pytest.skip("reads textures or evaluates inputs: draw cases have such shaders")
    nothing = {
        kind.argument: {(r.number, r.space) if r.space else r.number: None for r in registers}
        for kind, registers in wanted.items()
    }
    for register in nothing["constants"]:
        vectors = np.random.default_rng(7).normal(size=4 * 256).astype(np.float32)
        nothing["constants"][register] = vectors.tobytes()
    program = bind(shader, **nothing)
    for count, lanes, threads in ((1, 4, 1), (15, 8, 2), (17, 16, 1), (131, 0, 2)):
        agree(program, count, lanes, threads)
