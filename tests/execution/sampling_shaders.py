"""Shaders that sample once an invocation, with everything that varies read from a buffer."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

__all__ = ["GROUP", "Probe", "instruction_of", "records", "text_of"]

GROUP = 32
_WORDS = {"1d": "texture1d", "2d": "texture2d", "3d": "texture3d", "cube": "texturecube"}
# What follows the sampler, by opcode: components of the second float4, or whole registers.
_TAILS = {
    "sample": "", "sample_b": ", r1.w", "sample_l": ", r1.x", "sample_d": ", r2.xyzx, r3.xyzx",
    "sample_c": ", r1.y", "sample_c_lz": ", r1.y", "gather4": "", "gather4_c": ", r1.y",
    "gather4_po": "", "gather4_po_c": ", r1.y", "lod": "",
}  # fmt: skip
_TEXT = """cs_5_0
dcl_globalFlags refactoringAllowed
dcl_sampler s0, {mode}
dcl_resource_{kind} (float,float,float,float) t0
dcl_resource_structured t1, 80
dcl_uav_structured u0, 32
dcl_input vThreadID.x
dcl_temps 7
dcl_thread_group {group}, 1, 1
ld_structured_indexable(structured_buffer, stride=80)(mixed,mixed,mixed,mixed) r0.xyzw, vThreadID.x, l(0), t1.xyzw
ld_structured_indexable(structured_buffer, stride=80)(mixed,mixed,mixed,mixed) r1.xyzw, vThreadID.x, l(16), t1.xyzw
ld_structured_indexable(structured_buffer, stride=80)(mixed,mixed,mixed,mixed) r2.xyzw, vThreadID.x, l(32), t1.xyzw
ld_structured_indexable(structured_buffer, stride=80)(mixed,mixed,mixed,mixed) r3.xyzw, vThreadID.x, l(48), t1.xyzw
ld_structured_indexable(structured_buffer, stride=80)(mixed,mixed,mixed,mixed) r4.xyzw, vThreadID.x, l(64), t1.xyzw
mov r6.x, l(-1)
{instruction}
{check}
store_structured u0.xyzw, vThreadID.x, l(0), r5.xyzw
store_structured u0.x, vThreadID.x, l(16), r6.x
ret
"""  # noqa: E501


@dataclass(frozen=True)
class Probe:
    """One instruction: its opcode, its texture's kind, its modifiers."""

    opcode: str
    kind: str = "2d"
    array: bool = False
    offset: tuple[int, int, int] | None = None
    component: int = 0
    status: bool = False
    clamp: bool = False

    @property
    def compares(self) -> bool:
        """Whether it wants a comparison sampler."""
        return "_c" in self.opcode

    @property
    def gathers(self) -> bool:
        """Whether it is one of the gather4 forms."""
        return self.opcode.startswith("gather4")


def instruction_of(probe: Probe) -> str:
    """Return the instruction as a listing has it."""
    word = _WORDS[probe.kind] + ("array" if probe.array else "")
    name = probe.opcode + ("_cl_s" if probe.clamp else "_s" if probe.status else "")
    if probe.offset is not None:
        name += "_aoffimmi_indexable({},{},{})".format(*probe.offset)
    elif probe.opcode != "lod":
        name += "_indexable"
    swizzle = "xxxx" if probe.opcode.startswith("sample_c") else "xyzw"
    types = "" if probe.opcode == "lod" else f"({word})(float,float,float,float)"
    return "".join(
        [
            f"{name}{types} r5.xyzw, ",
            "r6.x, " if probe.status or probe.clamp else "",
            "r0.xyzw, ",
            "r4.xyzw, " if "_po" in probe.opcode else "",
            f"t0.{swizzle}, s0",
            f".{'xyzw'[probe.component]}" if probe.gathers else "",
            _TAILS[probe.opcode],
            ", r1.z" if probe.clamp else "",
        ]
    )


def text_of(probe: Probe) -> str:
    """Return a compute shader as text."""
    has_status = probe.status or probe.clamp
    return _TEXT.format(
        mode="mode_comparison" if probe.compares else "mode_default",
        kind=_WORDS[probe.kind] + ("array" if probe.array else ""),
        group=GROUP,
        instruction=instruction_of(probe),
        check="check_access_fully_mapped r6.x, r6.x" if has_status else "",
    )


def records(
    coordinates: np.ndarray[Any, Any], *, lod: Any = 0.0, reference: Any = 0.0, clamp: Any = 0.0,
    bias: Any = 0.0, dx: Any = 0.0, dy: Any = 0.0, offsets: Any = 0,
) -> np.ndarray[Any, Any]:  # fmt: skip
    """Return what the shaders read: float32, (invocations, 20), offsets as integers in its bits.

    coordinates: float32, (invocations, 4): one to three of the texture, then the array slice.
    """
    count = len(coordinates)
    found = np.zeros((count, 20), np.float32)
    found[:, 0:4] = coordinates
    for place, values in ((4, lod), (5, reference), (6, clamp), (7, bias)):
        found[:, place] = values
    for place, values in ((8, dx), (12, dy)):
        found[:, place : place + 3] = values
    found[:, 16:18].view(np.int32)[...] = offsets
    return found
