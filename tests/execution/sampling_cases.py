"""Compute shaders that run one sampling instruction an invocation, on both engines."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import softd3d
from softd3d.lower import declarations

__all__ = ["RUNS", "permit_pixel_instructions", "run_instruction"]

Array = NDArray[Any]
LANES = 32
RUNS = [("interpreter", 0), ("jit", 4), ("jit", 8), ("jit", 16)]
_TEXT = """cs_5_0
dcl_globalFlags refactoringAllowed
{sampler}
dcl_resource_{kind} ({type},{type},{type},{type}) t0
dcl_resource_structured t1, 32
dcl_uav_structured u0, 16
dcl_input vThreadID.x
dcl_temps 4
dcl_thread_group 32, 1, 1
ld_structured_indexable(structured_buffer, stride=32)(mixed,mixed,mixed,mixed) r0.xyzw, vThreadID.x, l(0), t1.xyzw
ld_structured_indexable(structured_buffer, stride=32)(mixed,mixed,mixed,mixed) r1.xyzw, vThreadID.x, l(16), t1.xyzw
mov r2.xyzw, l(0, 0, 0, 0)
{code}
store_structured u0.xyzw, vThreadID.x, l(0), r2.xyzw
ret
"""  # noqa: E501


def run_instruction(
    code: str, texture: object, sampler: softd3d.SamplerState | None, inputs: Array, *,
    kind: str = "texture2d", type_: str = "float",
) -> Array:  # fmt: skip
    """Return r2 after `code`, float32 (n, 4), the same bits on both engines at all widths.

    inputs: float32 (n, 8), r0 and r1 of each invocation; n is up to 32.
    """
    mode = "mode_comparison" if sampler is not None and sampler.is_comparison else "mode_default"
    declared = "" if sampler is None else f"dcl_sampler s0, {mode}"
    text = _TEXT.format(sampler=declared, kind=kind, type=type_, code=code)
    shader = softd3d.load(softd3d.assemble(text.replace("\n\n", "\n")))
    records = np.zeros((LANES, 8), np.float32)
    given = np.asarray(inputs, np.float32)
    records[: len(given), : given.shape[1]] = given
    found: list[Array] = []
    for engine, lanes in RUNS:
        target = np.zeros((LANES, 4), np.float32)
        softd3d.dispatch(
            shader, (1, 1, 1), srvs={0: texture, 1: softd3d.StructuredBuffer(records, 32)},
            uavs={0: softd3d.StructuredBuffer(target, 16)},
            samplers={} if sampler is None else {0: sampler}, engine=engine, lanes=lanes,
        )  # fmt: skip
        found.append(target)
    first = found[0].view(np.uint32)
    for other in found[1:]:
        both_nan = np.isnan(found[0]) & np.isnan(other)
        assert ((first == other.view(np.uint32)) | both_nan).all()
    return found[0][: len(given)]


def permit_pixel_instructions(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let compute programs have instructions of pixel shaders, to run their rules."""

    def check(_program: object, _instruction: object) -> None: ...

    monkeypatch.setattr(declarations, "_check_stage", check)
