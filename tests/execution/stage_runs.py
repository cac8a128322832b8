"""Runs of hull, domain and geometry shaders with stage memory, on both engines."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from softd3d.device.bind import bind
from softd3d.interp.draw.stage import Stage
from softd3d.jit.draw.between.stages import StageKernel
from softd3d.lower.bound import BoundProgram
from softd3d.lower.messages import Message
from softd3d.lower.stage_memory import StageArray, stage_arrays
from softd3d.lower.watch import Watch
from softd3d.pipeline.primitives.reports import StageReport
from softd3d.shaders.shader import load_shader
from softd3d.tools.text.assembler import assemble_tokens

__all__ = ["CONFIGURATIONS", "Ran", "arrays_of", "bound", "run", "same", "settings"]

Words = NDArray[np.uint32]
CONFIGURATIONS = ("interpreter", (4, 1), (8, 2), (16, 1), (0, 2))
"""The interpreter, and native code by lanes of a wave (0: what suits) and threads."""


@dataclass
class Ran:
    """What a run leaves: outputs by name, its arrays, and what it reports."""

    outputs: dict[str, Words]
    memory: list[Words]
    messages: list[Message] = field(default_factory=list[Message])
    poisoned: set[tuple[str, str]] = field(default_factory=set[tuple[str, str]])
    aborted: tuple[int, int, int] | None = None


def bound(text: str, **bindings: object) -> BoundProgram:
    """Bind a program that is given as a listing."""
    return bind(load_shader(assemble_tokens(text)), **bindings)  # type: ignore[arg-type]


def arrays_of(program: BoundProgram) -> dict[str, StageArray]:
    return {array.name: array for array in stage_arrays(program.declarations)}


def run(
    configuration: object, stage: str, program: BoundProgram, count: int,
    inputs: dict[str, Words], memory: list[Words], *, copies: bool = True,
) -> Ran:  # fmt: skip
    """Run a program. Places of messages are (lane, 0, 0).

    copies: whether the arrays given stay as they are.
    """
    mine = [array.copy() if copies else array for array in memory]
    report = StageReport(stage, program, 100)
    lane, zero = np.arange(count, dtype=np.uint32), np.zeros(count, np.uint32)
    places = lane, zero, zero
    if configuration == "interpreter":
        machine = Stage(program, report, None, Watch())
        outputs = machine.run_with_memory(count, inputs, mine, places)
    else:
        assert isinstance(configuration, tuple)
        lanes, threads = configuration
        kernel = StageKernel(program, lanes)
        outputs = kernel.run(report, count, inputs, mine, places, threads=threads)
    return Ran(outputs, mine, report.messages, report.poisoned, report.aborted)


def same(one: Words, other: Words) -> bool:
    """Compare bits; any NaN is as good as any other."""
    nan = np.isnan(one.view(np.float32)) & np.isnan(other.view(np.float32))
    return one.shape == other.shape and bool(((one == other) | nan).all())


def settings(
    stage: str, program: BoundProgram, count: int, inputs: dict[str, Words], memory: list[Words]
) -> Ran:
    """Run with every configuration; return what one leaves, if the others leave the same."""
    wanted = run(CONFIGURATIONS[0], stage, program, count, inputs, memory)
    for configuration in CONFIGURATIONS[1:]:
        found = run(configuration, stage, program, count, inputs, memory)
        assert found.outputs.keys() == wanted.outputs.keys()
        for name, array in wanted.outputs.items():
            assert array.shape == (count,)
            assert same(array, found.outputs[name]), (configuration, name)
        for n, array in enumerate(wanted.memory):
            assert same(array, found.memory[n]), (configuration, n)
        assert [(m.text, m.group) for m in found.messages] == [
            (m.text, m.group) for m in wanted.messages
        ]
        assert found.poisoned == wanted.poisoned
        assert found.aborted == wanted.aborted
    return wanted
