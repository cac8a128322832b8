"""Damage hull, domain and geometry shaders and run them: ShaderErrors, or the engines agree.

Run as a script for long campaigns:  python tests/fuzz/stage_campaign.py --count 20000 [--start N]
A failure prints the seed that repeats it.
"""

from __future__ import annotations

import argparse
import random
import sys
import warnings
from collections import Counter as Counts
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from mutate import BUDGET, bindings, mutated
from numpy.typing import NDArray

from softd3d.device.bind import bind
from softd3d.errors import ExecutionError, InternalError, ShaderError
from softd3d.interp.draw.stage import Stage
from softd3d.interp.engine import Counter
from softd3d.isa.machine import Memory
from softd3d.isa.sm4.enums import ProgramType
from softd3d.jit.draw.between.stages import StageKernel
from softd3d.jit.running.kernel import Budget
from softd3d.lower.bound import BoundProgram
from softd3d.lower.hull import hull_phases
from softd3d.lower.stage_memory import stage_arrays
from softd3d.lower.watch import Watch
from softd3d.pipeline.primitives.reports import StageReport
from softd3d.shaders.shader import load_shader

Words = NDArray[np.uint32]
COUNT = 9
LANE = np.arange(COUNT, dtype=np.uint32)
PLACES = LANE, LANE * 0, LANE * 0
STAGES = {ProgramType.HS: "hs", ProgramType.DS: "ds", ProgramType.GS: "gs"}


class Differs(Exception):  # noqa: N818 - what is looked for
    """The engines disagree."""


def programs(data: bytes) -> Iterator[tuple[str, BoundProgram]]:
    """Yield what there is to run in a shader: of a hull shader, its phases."""
    shader = load_shader(data)
    stage = STAGES.get(shader.program.type)
    if stage is None:
        return
    program = bind(shader, **bindings(shader.declarations))  # type: ignore[arg-type]
    if stage == "hs":
        yield from ((stage, phase.bound) for phase in hull_phases(program))
    else:
        yield stage, program


def inputs(program: BoundProgram, rng: np.random.Generator) -> dict[str, Words]:
    """Return inputs: no two lanes have one primitive, so that their order never shows."""
    found = {"primitive": LANE, "lane": LANE}
    for register in program.declarations.inputs:
        for component in range(4):
            values = rng.integers(0, 5, COUNT).astype(np.uint32)
            found[f"{register.name}.{'xyzw'[component]}"] = values
    return found


def attempt(stage: str, program: BoundProgram, seed: int, *, native: bool) -> str:
    """Run a program; return how it ended.

    Raises:
        Differs: the engines do not leave the same.
    """
    rng = np.random.default_rng(seed)
    layouts = stage_arrays(program.declarations)
    memory = [rng.integers(0, 1 << 31, (COUNT, *a.shape)).astype(np.uint32) for a in layouts]
    given = inputs(program, rng)
    left: list[list[Words]] = []
    ends: list[str] = []
    for engine in ("interpreter", 4, 16) if native else ("interpreter",):
        mine = [array.copy() for array in memory]
        try:
            outputs = run(engine, stage, program, given, mine)
        except InternalError:
            raise
        except ShaderError as error:
            ends.append(type(error).__name__)
            continue
        left.append([*outputs.values(), *mine])
        ends.append("run")
    has_views = any(kind is Memory.UAV for kind, _ in program.declarations.views)
    if left and not has_views and not all(_same(left[0], other) for other in left[1:]):
        raise Differs(f"{stage} seed {seed}: {ends}")
    return ends[0]


def run(
    engine: str | int, stage: str, program: BoundProgram, given: dict[str, Words],
    memory: list[Words],
) -> dict[str, Words]:  # fmt: skip
    report = StageReport(stage, program, 4)
    if isinstance(engine, str):
        counter = Counter(BUDGET["interpreter"], Watch())
        return Stage(program, report, counter, Watch()).run_with_memory(
            COUNT, given, memory, PLACES
        )
    limit = BUDGET["jit"]
    kernel = StageKernel(program, engine)
    return kernel.run(report, COUNT, given, memory, PLACES, threads=1, budget=Budget(limit, limit))


def _same(one: list[Words], other: list[Words]) -> bool:
    pairs = zip(one, other, strict=True)
    return all(
        bool(((a == b) | (np.isnan(a.view("f4")) & np.isnan(b.view("f4")))).all()) for a, b in pairs
    )


def campaign(
    samples: list[bytes], first: int, count: int, *, jit_every: int
) -> Iterator[tuple[int, str]]:
    """Yield seeds and how they ended; native code runs for one of so many.

    Raises:
        Differs: the engines disagree; others but ShaderErrors propagate, too.
    """
    warnings.simplefilter("error")
    for seed in range(first, first + count):
        rng = random.Random(seed)
        data = mutated(rng.choice(samples), rng)
        end = "nothing to run"
        try:
            for stage, program in programs(data):
                end = attempt(stage, program, seed, native=seed % jit_every == 0)
        except (InternalError, ExecutionError):
            raise
        except ShaderError as error:
            end = type(error).__name__
        except Exception:
            print(f"seed {seed}", file=sys.stderr)
            raise
        yield seed, end


def stage_samples(folder: Path) -> list[bytes]:
    """Return all sample shaders of these stages."""
    names = tuple(f".{stage}_" for stage in STAGES.values())
    files = sorted(folder.glob("*/*.dxbc"))
    return [f.read_bytes() for f in files if any(name in f.name for name in names)]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=2000)
    parser.add_argument("--start", type=int, default=0)
    parser.add_argument("--jit-every", type=int, default=10)
    options = parser.parse_args()
    samples = stage_samples(Path(__file__).parents[3] / "shared/samples")
    found = campaign(samples, options.start, options.count, jit_every=options.jit_every)
    print(Counts(end for _, end in found))
    return 0


if __name__ == "__main__":
    sys.exit(main())
