"""Generated programs by themselves: vertices or pixels in, named outputs out."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
from numpy.typing import NDArray

from softd3d.device.evaluation import evaluate
from softd3d.isa.asm.sm1.assembler import parse_sm1_program
from softd3d.isa.sm1.enums import Usage
from softd3d.pipeline.fixed9.programs import (
    Generated,
    pixel_constants,
    pixel_key,
    pixel_program,
    vertex_constants,
    vertex_key,
    vertex_program,
)
from softd3d.pipeline.fixed9.state import FixedFunctionState

Outputs = dict[str, NDArray[np.float32]]
_DECLARED = re.compile(r"^dcl_([a-z]+)(\d*) ([vo]\d+)", re.MULTILINE)
_LOOKUP = re.compile(r"^(texldp?) (r\d+), ([rt]\d+), s\d+$", re.MULTILINE)


def run_vertices(
    state: FixedFunctionState, data: dict[tuple[int, int], NDArray[Any]], engine: str, *,
    stages: list[int], fog: bool = False, points: bool = False,
) -> Outputs:  # fmt: skip
    """Run vertex processing of the elements in `data`; return outputs by usage."""
    generated = vertex_program(vertex_key(state, stages=stages, fog=fog, points=points))
    declared = {
        register: (usage, int(index or 0))
        for usage, index, register in _DECLARED.findall(generated.text)
    }
    inputs = {
        register: data[Usage[usage.upper()], index].astype(np.float32)
        for register, (usage, index) in declared.items()
        if register.startswith("v")
    }
    lanes = len(next(iter(data.values())))
    inputs = inputs or {"r31": np.zeros((lanes, 4), np.float32)}
    found = evaluate(
        generated.program, inputs, _constants(generated, vertex_constants(generated, state)),
        engine=engine, profile=state.profile,
    )  # fmt: skip
    return {
        f"{usage}{index or ''}": np.broadcast_to(found[register], (lanes, 4))
        for register, (usage, index) in declared.items()
        if register.startswith("o")
    }


def _constants(generated: Generated, values: NDArray[np.float32]) -> dict[str, Any]:
    return {f"c{c.register}": values[c.register : c.register + c.rows] for c in generated.constants}


def run_pixels(
    state: FixedFunctionState, inputs: dict[str, NDArray[Any]], engine: str, **facts: bool
) -> NDArray[np.float32]:
    """Run texture stages; a lookup gives its coordinates as they are, divided where projected."""
    generated = pixel_program(pixel_key(state, **facts))
    program = parse_sm1_program(_LOOKUP.sub(_coordinates, generated.text))
    constants = _constants(generated, pixel_constants(generated, state))
    return evaluate(program, inputs, constants, engine=engine, profile=state.profile)["oC0"]


def _coordinates(lookup: re.Match[str]) -> str:
    kind, target, source = lookup.groups()
    if kind == "texld":
        return f"mov {target}, {source}"
    return f"rcp r31.x, {source}.w\nmul {target}, {source}, r31.x\nmov {target}.w, r31.x"
