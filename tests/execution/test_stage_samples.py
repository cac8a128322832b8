"""Every sample hull, domain and geometry shader with random memory: the same on both engines."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from stage_runs import settings

from softd3d.device.bind import bind
from softd3d.device.registers import RegisterKind, wanted_registers
from softd3d.isa.sm4.enums import ProgramType
from softd3d.lower.bound import BoundProgram
from softd3d.lower.declarations import Declarations
from softd3d.lower.hull import hull_phases
from softd3d.lower.primitive_stage import Phase
from softd3d.lower.stage_memory import stage_arrays
from softd3d.shaders.shader import load_shader

Words = NDArray[np.uint32]
SAMPLES = Path(__file__).parents[3] / "shared/samples"
PRIMITIVES, LANES = 11, 37
_BY_STAGE = "gs", "hs", "ds"


def samples() -> list[Path]:
    return [
        path for path in sorted(SAMPLES.glob("*/*.dxbc"))
        if any(f".{stage}_" in path.name for stage in _BY_STAGE)
    ]  # fmt: skip


def unbound(path: Path, random: np.random.Generator) -> BoundProgram:
    """Bind random constants, and nothing else."""
    shader = load_shader(path)
    given = {kind: {} for kind in RegisterKind}
    wanted = wanted_registers(shader.program, shader.declarations, shader.reflection, given)
    nothing = {
        kind.argument: {(r.number, r.space) if r.space else r.number: None for r in registers}
        for kind, registers in wanted.items()
    }
    for register in nothing["constants"]:
        vectors = random.normal(size=4 * 256).astype(np.float32)
        nothing["constants"][register] = vectors.tobytes()
    return bind(shader, **nothing)


def values(random: np.random.Generator, shape: tuple[int, ...]) -> Words:
    """Return floats around 0 and small integers, as what shaders compare and index with."""
    floats = random.normal(size=shape).astype(np.float32).view(np.uint32)
    small = random.integers(0, 5, shape).astype(np.uint32)
    return np.where(random.random(shape) < 0.8, floats, small)


def inputs_of(d: Declarations, random: np.random.Generator) -> dict[str, Words]:
    """Return inputs: small numbers for what the system generates, points of a domain."""
    found = {
        "primitive": random.integers(0, PRIMITIVES, LANES).astype(np.uint32),
        "lane": np.arange(LANES, dtype=np.uint32),
    }
    if d.primitives.phase in (Phase.FORK, Phase.JOIN):
        # A patch has one lane of each instance: no two write one place.
        found["primitive"] = np.arange(LANES, dtype=np.uint32)
    for r in d.inputs:
        for component in r.components:
            name = f"{r.name}.{'xyzw'[component]}"
            if r.name == "vDomain":
                found[name] = random.random(LANES).astype(np.float32).view(np.uint32)
            else:
                found[name] = random.integers(0, 4, LANES).astype(np.uint32)
    return found


def memory_of(d: Declarations, random: np.random.Generator) -> list[Words]:
    return [values(random, (max(PRIMITIVES, LANES), *a.shape)) for a in stage_arrays(d)]


@pytest.mark.corpus
@pytest.mark.parametrize("path", samples(), ids=lambda p: p.stem)
def test_sample_shaders_with_random_memory(path: Path):
    random = np.random.default_rng(len(path.name))
    program = unbound(path, random)
    if program.declarations.stage is not ProgramType.HS:
        stage = program.declarations.stage.name.lower()
        ran = run(stage, program, random)
        emitted = ran.get("emitted")
        assert emitted is None or (emitted <= program.declarations.primitives.max_vertices).all()
        return
    for phase in hull_phases(program):
        run("hs", phase.bound, random)


def run(stage: str, program: BoundProgram, random: np.random.Generator) -> dict[str, Words]:
    d = program.declarations
    return settings(stage, program, LANES, inputs_of(d, random), memory_of(d, random)).outputs
