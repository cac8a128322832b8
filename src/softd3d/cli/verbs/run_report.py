"""What `softd3d run SHADER` tells of its runs: lines and arrays, or JSON; whether engines agree."""

from __future__ import annotations

import io
import json
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from softd3d.classes import dataclass
from softd3d.cli.files import FAILED, Failures, write_output
from softd3d.cli.printing import say
from softd3d.cli.said import said_as_json, said_lines
from softd3d.device.registers import Register
from softd3d.lower.outcome import Outcome

__all__ = ["Finished", "compare", "print_arrays", "print_json", "print_run", "save"]

_Saves = Mapping[tuple[int, int], object]


@dataclass(frozen=True, slots=True)
class Finished:
    """One engine's run. groups: in x, y, z. uavs: what was bound, None for nothing."""

    engine: str
    groups: tuple[int, int, int]
    seconds: float
    outcome: Outcome
    uavs: dict[Register, Any]


def print_run(run: Finished) -> None:
    """Print how long it took, the messages, and what has undefined contents."""
    counts = "x".join(str(n) for n in run.groups)
    say(f"{run.engine}: {counts} groups in {run.seconds:.4f} s", err=True)
    for line in said_lines(run.outcome):
        say(f"{run.engine}: {line}", err=True)
    for register, rule in sorted(run.outcome.poisoned):
        say(f"{run.engine}: {register} has undefined contents: {rule}", err=True)


def save(uavs: dict[Register, Any], saves: _Saves) -> None:
    """Write the arrays that have a place in `saves`, by (register, space).

    Raises:
        OSError: a file cannot be written.
    """
    for register, resource in uavs.items():
        path = saves.get((register.number, register.space))
        if resource is not None and path is not None:
            buffer = io.BytesIO()
            np.save(buffer, resource.array)
            write_output(str(path), buffer.getvalue())


def print_arrays(uavs: dict[Register, Any], saves: _Saves) -> None:
    """Print the arrays that are not saved, and all hidden counters."""
    for register, resource in uavs.items():
        if resource is None:
            continue
        if (register.number, register.space) not in saves:
            say(f"{register} {resource!r}:\n{_text(resource.array)}")
        if _counter(resource) is not None:
            say(f"{register} counter: {resource.counter}")


def print_json(runs: Sequence[Finished], saves: _Saves) -> None:
    """Print an object: the runs, and the UAVs with their counters; arrays are in saved files."""
    agreement = {r: _differing(runs, r) for r in runs[0].uavs} if len(runs) > 1 else {}
    uavs = [
        {
            "register": register.register,
            "name": register.name,
            "saved": saves.get((register.number, register.space)),
            "counter": _counter(resource),
            "bytes_that_differ": agreement.get(register),
        }
        for register, resource in runs[0].uavs.items()
    ]
    found = {"groups": runs[0].groups, "runs": [_run_as_json(run) for run in runs], "uavs": uavs}
    say(json.dumps(found, indent=2))


def compare(runs: Sequence[Finished], failures: Failures) -> None:
    """Compare UAVs and counters of two engines; a NaN is as any other in an array of floats.

    After an abort there is nothing to compare: groups after it may or may not have run.
    """
    for register, resource in runs[0].uavs.items():
        count = _differing(runs, register)
        if resource is None:
            continue
        if count is None:
            say(f"{register}: not compared, as groups after an abort may not run", err=True)
        elif count:
            where = _first_difference(runs, register)
            failures.report(str(register), f"the engines disagree{where}", FAILED)
        else:
            bits = "in every bit" if _is_same(runs, register) else "but for the bits of NaNs"
            say(f"{register}: the engines agree {bits}", err=True)


def _run_as_json(run: Finished) -> dict[str, Any]:
    return {
        "engine": run.engine,
        "seconds": round(run.seconds, 4),
        **said_as_json(run.outcome),
        "undefined": [
            {"register": register, "rule": rule} for register, rule in sorted(run.outcome.poisoned)
        ],
    }


def _counter(resource: Any) -> int | None:
    return getattr(resource, "counter", None)


def _differing(runs: Sequence[Finished], register: Register) -> int | None:
    """Return how many bytes differ, the counter's among them; None if none can be compared."""
    one, other = (run.uavs[register] for run in runs)
    if one is None or any(run.outcome.aborted is not None for run in runs):
        return None
    counters = np.array([_counter(r) or 0 for r in (one, other)], np.uint32)
    unlike = int((counters[:1].view(np.uint8) != counters[1:].view(np.uint8)).sum())
    return int(_unlike(one.array, other.array).sum()) + unlike


def _is_same(runs: Sequence[Finished], register: Register) -> bool:
    one, other = (run.uavs[register].array for run in runs)
    return one.tobytes() == other.tobytes()


def _first_difference(runs: Sequence[Finished], register: Register) -> str:
    one, other = (run.uavs[register] for run in runs)
    bad = np.flatnonzero(_unlike(one.array, other.array))
    if bad.size:
        return f" from byte {bad[0]} on, in {bad.size} bytes"
    return f" in the counter: {_counter(one)}, {_counter(other)}"


def _unlike(one: NDArray[Any], other: NDArray[Any]) -> NDArray[np.bool_]:
    """Return for each byte whether it differs, but for NaNs among floats."""
    bad = one.reshape(-1).view(np.uint8) != other.reshape(-1).view(np.uint8)
    if one.dtype.kind == "f":
        both = np.isnan(one.reshape(-1)) & np.isnan(other.reshape(-1))
        bad &= ~np.repeat(both, one.itemsize)
    return bad


def _text(array: NDArray[Any]) -> str:
    return np.array2string(array, threshold=64, edgeitems=4, max_line_width=100)
