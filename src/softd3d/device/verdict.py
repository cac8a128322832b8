"""Run execution cases; compare outputs with the expected ones, and engine with engine."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from softd3d.device.dispatch import dispatch
from softd3d.errors import LoweringError, ResourceError
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

    outcome: what the run reports, messages of threads for one.
    """

    engine: str
    outputs: dict[str, bytes]
    differences: tuple[Difference, ...]
    outcome: Outcome


def run_case(
    case: Case, engine: str, *, threads: int = 0, lanes: int = 0, strict: bool = False,
    timeout: float | None = None,
) -> CaseResult:  # fmt: skip
    """Run a compute case on fresh resources and compare its outputs with the expected ones.

    strict: as for `Dispatch`; a case may also ask for it. timeout: seconds that
        compiling and running may take together; None for no limit.

    Raises:
        LoweringError: the case needs what is not supported yet.
        ShaderError: a file of the case is malformed, or the run failed.
    """
    if case.groups is None:
        raise LoweringError(f"{case.kind} cases are not supported yet")
    shader = _shader(case)
    constants, srvs, uavs = bind(case)
    wanted = shader.declarations
    numbers = {
        "b": {b.lower for b in wanted.buffers.values()},
        "t": {v.lower for v in wanted.views.values() if v.memory.value == "t"},
        "u": {v.lower for v in wanted.views.values() if v.memory.value == "u"},
        "s": {s.lower for s in wanted.samplers.values()},
    }
    outcome = dispatch(
        shader, case.groups, constants=_declared(constants, numbers["b"]),
        srvs=_declared(srvs, numbers["t"]), uavs=_declared(uavs, numbers["u"]),
        samplers=_declared(samplers(case), numbers["s"]), engine=engine, threads=threads,
        lanes=lanes, interfaces=_interfaces(case), strict=strict or case.strict,
        timeout=timeout,
    )  # fmt: skip
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


def _declared(values: Mapping[int, Any], wanted: set[int]) -> dict[Any, Any]:
    """Leave out what a case binds though the compiler found no use for it."""
    return {number: value for number, value in values.items() if number in wanted}


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
