"""A vertex shader made on the spot: it hands a shader's inputs through from a vertex buffer.

That is the pixel shader, or the hull or geometry shader before it. Stages are linked by register,
so it writes the registers and components that the shader declares. Spec: D3D11.3 section 4.4.3 and
following.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from softd3d.classes import dataclass
from softd3d.container.assembly.containers import assemble_tokens
from softd3d.container.dxbc.container import Chunk, build
from softd3d.container.reflection.enums import MinPrecision, RegisterComponentType, SystemValue
from softd3d.container.reflection.signature import (
    Signature,
    SignatureElement,
    build_signature,
)
from softd3d.device.render.feeds import Surface, values_of
from softd3d.device.runnable import STAGE_NAMES
from softd3d.errors import ResourceError
from softd3d.isa.sm4.enums import OperandType, ProgramType, SystemName
from softd3d.pipeline.state import InputElement
from softd3d.shaders.shader import Shader, load_shader

__all__ = ["Vertices", "fed_parameters", "made_vertex_shader"]

_REGISTERS = 32  # outputs of a vertex shader
_FULL = 15
# What the rasteriser makes, or what no vertex shader of shader model 5 writes: these are 0
_MADE = frozenset(
    {
        SystemValue.POSITION, SystemValue.IS_FRONT_FACE, SystemValue.SAMPLE_INDEX,
        SystemValue.PRIMITIVE_ID, SystemValue.COVERAGE, SystemValue.INNER_COVERAGE,
        SystemValue.RENDER_TARGET_ARRAY_INDEX, SystemValue.VIEWPORT_ARRAY_INDEX,
        SystemValue.BARYCENTRICS, SystemValue.SHADINGRATE,
    }
)  # fmt: skip
_DISTANCES = (SystemValue.CLIP_DISTANCE, SystemValue.CULL_DISTANCE)
_SEMANTIC = "INPUT"


@dataclass(frozen=True, slots=True)
class Vertices:
    """A vertex shader with its data. data: uint32, (vertices, elements, 4)."""

    shader: Shader
    layout: list[InputElement]
    data: NDArray[np.uint32]


def fed_parameters(reader: Shader) -> tuple[SignatureElement, ...]:
    """Return the inputs of a shader that the vertex shader writes, as it writes them.

    They are those of its signature; a pixel shader without one has its declarations, as texture
    coordinates. No component occurs twice.
    """
    signature = reader.signatures.input
    found = _declared(reader) if signature is None else signature.elements
    taken: dict[int, int] = {}
    fed: list[SignatureElement] = []
    for p in found:
        if p.register is None or p.register >= _REGISTERS or p.meaning in _MADE:
            continue
        mask = p.mask & _FULL & ~taken.get(p.register, 0)
        if mask:
            taken[p.register] = taken.get(p.register, 0) | mask
            fed.append(
                replace(
                    p, stream=0, mask=mask, rw_mask=_FULL & ~mask, mask_rest=0,
                    min_precision=MinPrecision.DEFAULT,
                )
            )  # fmt: skip
    return tuple(fed)


def _declared(reader: Shader) -> Iterator[SignatureElement]:
    if reader.program.type is not ProgramType.PS:
        raise ResourceError(
            f"the {STAGE_NAMES[reader.program.type]} has no input signature, which would say what "
            "it reads; give a vertex shader"
        )
    made = {v.value for v in _MADE}
    inputs = [
        r for r in reader.declarations.inputs
        if r.file is OperandType.INPUT and r.system_value not in made
    ]  # fmt: skip
    for number, r in enumerate(inputs):
        mask = sum(1 << component for component in r.components)
        yield _element(
            "TEXCOORD", number, SystemValue.UNDEFINED, RegisterComponentType.FLOAT32, r.number, mask
        )


def made_vertex_shader(reader: Shader, surface: Surface) -> Vertices:
    """Return a vertex shader that feeds the shader behind it, and what it reads.

    Raises:
        ResourceError: the shader's inputs leave no register for SV_Position.
    """
    parameters = fed_parameters(reader)
    position = _position(reader, parameters)
    registers = sorted({p.register for p in parameters if p.register is not None} | {position})
    mesh, camera = surface.mesh, surface.camera
    world = np.concatenate([mesh.positions, np.ones((len(mesh.positions), 1))], 1)
    data = np.zeros((len(world), len(registers), 4), np.uint32)
    clip = (world @ camera.view @ camera.projection).astype(np.float32)
    data[:, registers.index(position)] = clip.view(np.uint32)
    for p in parameters:
        place = data[:, registers.index(p.register or 0)]
        for component in _components(p.mask):
            place[:, component] = values_of(p, surface)[:, component]
    place = _element(
        "SV_Position", 0, SystemValue.POSITION, RegisterComponentType.FLOAT32, position
    )
    shader = load_shader(_container([place, *parameters], registers))
    layout = [
        InputElement(_SEMANTIC, n, "R32G32B32A32_UINT", 0, 16 * n) for n in range(len(registers))
    ]
    return Vertices(shader, layout, data)


def _position(reader: Shader, parameters: Sequence[SignatureElement]) -> int:
    """Return the register of SV_Position: where the shader has it, or the first free one."""
    for r in reader.declarations.inputs:
        if r.system_value is SystemName.POSITION:
            return r.number
    signature = reader.signatures.input
    for p in () if signature is None else signature.elements:
        if p.meaning is SystemValue.POSITION and p.register is not None:
            return p.register  # hull shaders declare it as any other input
    taken = {p.register for p in parameters}
    taken |= {r.number for r in reader.declarations.inputs if r.file is OperandType.INPUT}
    free = [n for n in range(_REGISTERS) if n not in taken]
    if not free:
        raise ResourceError(
            f"the {STAGE_NAMES[reader.program.type]} has inputs in all 32 registers, which leaves "
            "none for SV_Position; give a vertex shader"
        )
    return free[0]


def _container(parameters: Sequence[SignatureElement], registers: Sequence[int]) -> bytes:
    """Return the shader's container: one input for each output register."""
    inputs = tuple(
        _element(_SEMANTIC, n, SystemValue.UNDEFINED, RegisterComponentType.UINT32, n)
        for n in range(len(registers))
    )
    code = "\n".join(
        [
            "vs_5_0",
            *(f"dcl_input v{n}.xyzw" for n in range(len(registers))),
            *map(_declaration, parameters),
            *(
                f"mov {_output(p)}, v{registers.index(p.register or 0)}.xyzw" for p in parameters
            ),
            "ret",
        ]
    )  # fmt: skip
    return build(
        [
            Chunk("ISGN", build_signature("ISGN", Signature(inputs))),
            Chunk("OSGN", build_signature("OSGN", Signature(tuple(parameters)))),
            Chunk("SHEX", assemble_tokens(code)),
        ]
    )


def _declaration(p: SignatureElement) -> str:
    if p.meaning is SystemValue.POSITION:
        return f"dcl_output_siv {_output(p)}, position"
    if p.meaning in _DISTANCES:
        return f"dcl_output_siv {_output(p)}, {p.meaning.name.lower()}"
    return f"dcl_output {_output(p)}"


def _output(p: SignatureElement) -> str:
    return f"o{p.register}." + "".join("xyzw"[c] for c in _components(p.mask))


def _element(
    name: str, index: int, value: SystemValue, type_: RegisterComponentType, register: int,
    mask: int = _FULL,
) -> SignatureElement:  # fmt: skip
    """Return a parameter of which all components are used."""
    unwritten_or_used = 0 if value is SystemValue.POSITION else mask
    return SignatureElement(
        0, name, index, value, type_, register, mask, unwritten_or_used, MinPrecision.DEFAULT
    )


def _components(mask: int) -> list[int]:
    return [c for c in range(4) if mask >> c & 1]
