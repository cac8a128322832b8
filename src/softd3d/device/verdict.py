"""Run execution cases; compare outputs with the expected ones, and engine with engine."""

from __future__ import annotations

from dataclasses import field, replace
from typing import Any

from softd3d.classes import dataclass
from softd3d.device.dispatch import dispatch
from softd3d.device.draws.case import run_draw_case
from softd3d.device.draws.case_streams import CaseStreams
from softd3d.device.run_options import RunArguments
from softd3d.errors import ResourceError
from softd3d.isa.machine import Memory
from softd3d.lower.outcome import Outcome
from softd3d.resources.cases.comparison import Mismatch, Tolerance
from softd3d.resources.cases.file import (
    Case,
    Instance,
    Output,
    bind,
    compare,
    found_bytes,
    samplers,
)
from softd3d.resources.textures.texture import Texture
from softd3d.shaders.linkage import ClassInstance
from softd3d.shaders.shader import Shader, load_shader

__all__ = ["CaseResult", "Difference", "disagreements", "run_case"]


@dataclass(frozen=True, slots=True)
class Difference:
    """An output that is not as wanted. mismatches: dword by dword, at least one."""

    register: str
    dwords: int
    mismatches: tuple[Mismatch, ...]


@dataclass(frozen=True, slots=True)
class CaseResult:
    """What one engine made of a case: the bytes of its outputs, and those that are wrong.

    outcome: what the run reports, messages of threads for one. targets: of a draw, as they are
    now, by the names of outputs. streams: its stream output.
    """

    engine: str
    outputs: dict[str, bytes]
    differences: tuple[Difference, ...]
    outcome: Outcome
    targets: dict[str, Texture] = field(default_factory=dict[str, Texture])
    streams: CaseStreams | None = None


def run_case(
    case: Case, engine: str, *, threads: int = 0, lanes: int = 0, strict: bool = False,
    timeout: float | None = None,
) -> CaseResult:  # fmt: skip
    """Run a case on fresh resources and compare its outputs with the expected ones.

    strict: as for `Dispatch`; a case may also ask for it. timeout: seconds that
        compiling and running may take together; None for no limit.

    Raises:
        LoweringError: the case needs what is not supported yet.
        ShaderError: a file of the case is malformed, or the run failed.
    """
    options: RunArguments = {
        "engine": engine, "threads": threads, "lanes": lanes, "strict": strict or case.strict,
        "timeout": timeout,
    }  # fmt: skip
    if case.groups is None:
        drawn = run_draw_case(case, _declared, options)
        differences = _differences(case, drawn.outputs)
        return CaseResult(
            engine, drawn.outputs, differences, drawn.outcome, drawn.targets, drawn.streams
        )
    shader = _shader(case)
    constants, srvs, uavs = bind(case)
    wanted = _declared(shader)
    values = {"constants": constants, "srvs": srvs, "uavs": uavs, "samplers": samplers(case)}
    given: dict[str, Any] = {
        kind: {n: v for n, v in of_kind.items() if n in wanted[kind]}
        for kind, of_kind in values.items()
    }
    outcome = dispatch(shader, case.groups, **given, interfaces=_interfaces(case), **options)
    outputs = {o.register: found_bytes(o, uavs) for o in case.outputs}
    return CaseResult(engine, outputs, _differences(case, outputs), outcome)


def disagreements(case: Case, one: CaseResult, other: CaseResult) -> tuple[Difference, ...]:
    """Return the outputs in which two runs differ in any bit that the case looks at.

    Any NaN equals any NaN where the case says that floats are stored.
    """
    found: list[Difference] = []
    for output in case.outputs:
        rules = tuple(Tolerance(rule.type) for rule in output.rules)
        data = one.outputs[output.register], other.outputs[output.register]
        found += _difference(*data, replace(output, rules=rules))
    return tuple(found)


def _interfaces(case: Case) -> dict[int | str, object] | None:
    """Return the class instances of a case, None if it has none."""

    def made(given: str | Instance) -> str | ClassInstance:
        return given if isinstance(given, str) else ClassInstance(given.type, **given.places)

    return {
        slot: [made(one) for one in given] if isinstance(given, list) else made(given)
        for slot, given in case.interfaces.items()
    } or None


def _shader(case: Case) -> Shader:
    path = case.shaders.get("cs")
    if path is None:
        raise ResourceError(f"{case.name}: a compute case without a compute shader")
    try:
        return load_shader(path)
    except OSError as error:
        raise ResourceError(f"{path.name}: {error.strerror}") from error


def _declared(shader: Shader) -> dict[str, set[int]]:
    """Return the registers that a shader declares; a case may bind more than the compiler kept."""
    d = shader.declarations
    memory = {"srvs": Memory.RESOURCE, "uavs": Memory.UAV}
    views = {
        kind: {v.lower for v in d.views.values() if v.memory is of}
        for kind, of in memory.items()
    }  # fmt: skip
    return {
        "constants": {b.lower for b in d.buffers.values()}, **views,
        "samplers": {s.lower for s in d.samplers.values()},
    }  # fmt: skip


def _differences(case: Case, outputs: dict[str, bytes]) -> tuple[Difference, ...]:
    found: list[Difference] = []
    for output in case.outputs:
        try:
            expected = output.expected.read_bytes()
        except OSError as error:
            raise ResourceError(f"{output.expected.name}: {error.strerror}") from error
        found += _difference(expected, outputs[output.register], output)
    return tuple(found)


def _difference(expected: bytes, found: bytes, output: Output) -> list[Difference]:
    mismatches = tuple(compare(expected, found, output))
    size = -(-len(expected) // 4)
    return [Difference(output.register, size, mismatches)] if mismatches else []
