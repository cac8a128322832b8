"""The calls that apply a pass to a device, in the order of its states; lights and material last."""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterable
from dataclasses import field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from softd3d.classes import dataclass
from softd3d.container.comments.ctab import ParameterType, RegisterSet
from softd3d.container.effects.d3d9.states import StateGroup
from softd3d.device.effects9.assignments import Assignment
from softd3d.device.effects9.calls import EffectDevice
from softd3d.device.effects9.programs import EffectProgram, Registers
from softd3d.device.effects9.registers import Lookup
from softd3d.device.effects9.slots import Slot
from softd3d.device.effects9.store import Store
from softd3d.errors import ResourceError
from softd3d.isa.d3d9.states import TransformState
from softd3d.isa.sm1.enums import ProgramType
from softd3d.isa.sm1.limits import FIRST_VERTEX_SAMPLER

__all__ = ["Application", "Lighting", "SamplerOf", "ShaderOf", "set_constants"]

SamplerOf = Callable[[Slot, Store], Iterable[Assignment]]
"""Gives the states of a sampler."""
ShaderOf = Callable[[Assignment], EffectProgram | None]
"""Gives the shader that a state is set to."""

_SIDE = 4
_MATRIX = 16
_TRANSFORMS = {
    "ProjectionTransform": TransformState.PROJECTION,
    "ViewTransform": TransformState.VIEW,
    "WorldTransform": TransformState.WORLD,
    "TextureTransform": TransformState.TEXTURE0,
}
# Direct3D's members, by the names of states without Light or Material
_FIELDS = {
    "Type": ("type", 1),
    "Diffuse": ("diffuse", 4),
    "Specular": ("specular", 4),
    "Ambient": ("ambient", 4),
    "Emissive": ("emissive", 4),
    "Power": ("power", 1),
    "Position": ("position", 3),
    "Direction": ("direction", 3),
    "Range": ("range", 1),
    "Falloff": ("falloff", 1),
    "Attenuation0": ("attenuation0", 1),
    "Attenuation1": ("attenuation1", 1),
    "Attenuation2": ("attenuation2", 1),
    "Theta": ("theta", 1),
    "Phi": ("phi", 1),
}


@dataclass(slots=True)
class Lighting:
    """What passes of an effect have set of lights and of the material: members by name."""

    lights: dict[int, dict[str, Any]] = field(default_factory=dict[int, dict[str, Any]])
    material: dict[str, Any] = field(default_factory=dict[str, Any])


class Application:
    """One application of a pass."""

    def __init__(
        self,
        device: EffectDevice,
        created: Callable[[EffectProgram], Any],
        sampler_of: SamplerOf,
        shader_of: ShaderOf,
        lighting: Lighting,
    ) -> None:
        """Apply to a device; created: gives the device's shader; lighting: of the effect so far."""
        self.device = device
        self.created = created
        self.sampler_of = sampler_of
        self.shader_of = shader_of
        self.lighting = lighting
        self.lights: set[int] = set()
        self.has_material = False

    def run(self, assignments: Iterable[Assignment], lookup: Lookup) -> None:
        """Carry out the assignments.

        Raises:
            ShaderError: a value cannot be told, or the device refuses it.
        """
        self.lookup = lookup
        for assignment in assignments:
            _CALLS[assignment.info.group](self, assignment)
        for index in sorted(self.lights):
            self.device.set_light(index, self.lighting.lights[index])
        if self.has_material:
            self.device.set_material(self.lighting.material)

    def render(self, a: Assignment) -> None:
        self.device.set_render_state(a.info.target, a.dword())

    def texture_stage(self, a: Assignment) -> None:
        self.device.set_texture_stage_state(a.index, a.info.target, a.dword())

    def patch(self, a: Assignment) -> None:
        self.device.set_n_patch_mode(_float(a.dword()))

    def fvf(self, a: Assignment) -> None:
        self.device.set_fvf(a.dword())

    def transform(self, a: Assignment) -> None:
        floats = a.floats()
        if floats.size < _MATRIX:
            raise ResourceError(f"{a.place}: {floats.size} numbers, wanted {_MATRIX}")
        matrix = floats[:_MATRIX].reshape(_SIDE, _SIDE)
        # A list of 16 numbers is one column, and gives columns
        transposed = a.shape[1] > _SIDE
        self.device.set_transform(
            _TRANSFORMS[a.info.name] + a.index, (matrix.T if transposed else matrix).copy()
        )

    def light(self, a: Assignment) -> None:
        name, value = _field(a, "Light")
        self.lighting.lights.setdefault(a.index, {})[name] = value
        self.lights.add(a.index)

    def of_material(self, a: Assignment) -> None:
        name, value = _field(a, "Material")
        self.lighting.material[name] = value
        self.has_material = True

    def light_enable(self, a: Assignment) -> None:
        self.device.light_enable(a.index, a.dword() != 0)

    def vertex_shader(self, a: Assignment) -> None:
        self.shader(a, ProgramType.VS)

    def pixel_shader(self, a: Assignment) -> None:
        self.shader(a, ProgramType.PS)

    def shader(self, a: Assignment, stage: ProgramType) -> None:
        """Set a shader, its constants and its samplers."""
        program = self.shader_of(a)
        is_vertex = stage is ProgramType.VS
        set_shader = self.device.set_vertex_shader if is_vertex else self.device.set_pixel_shader
        if program is None:
            set_shader(None)
            return
        if program.stage is not stage:
            raise ResourceError(
                f"{a.place}: found a shader for {program.stage.name}, wanted {stage.name}"
            )
        set_shader(self.created(program))
        for registers in program.registers():
            set_constants(self.device, stage, registers)
        first = FIRST_VERTEX_SAMPLER if is_vertex else 0
        for constant in program.samplers:
            found = self.lookup(constant.name)
            if found is None:
                continue
            slot, store = found
            for number in range(min(constant.register_count, max(slot.elements, 1))):
                element = slot.element(number) if slot.elements else slot
                self.sampler_states(first + constant.register_index + number, element, store)

    def vertex_constant(self, a: Assignment) -> None:
        self.constant(a, ProgramType.VS)

    def pixel_constant(self, a: Assignment) -> None:
        self.constant(a, ProgramType.PS)

    def constant(self, a: Assignment, stage: ProgramType) -> None:
        """Set registers: a column of numbers is one, four of them at most; of bools only the first.

        Raises:
            ResourceError: the numbers are not those of a list or an array.
        """
        if a.info.type is ParameterType.BOOL:
            integers = a.integers()
            bools = np.zeros(integers.size, np.bool_)
            bools[:1] = integers[:1] != 0
            set_constants(self.device, stage, Registers(RegisterSet.BOOL, a.index, bools))
            return
        is_float = a.info.type is ParameterType.FLOAT
        numbers: NDArray[Any] = a.floats() if is_float else a.integers()
        elements, rows, columns = a.shape
        if numbers.size != elements * rows * columns:
            raise ResourceError(f"{a.place}: {numbers.size} numbers, wanted {a.shape}")
        taken = numbers.reshape(a.shape).transpose(0, 2, 1)[..., :_SIDE]
        each = (rows + _SIDE - 1) // _SIDE
        registers = np.zeros((elements, columns, each, _SIDE), numbers.dtype)
        registers[:, :, :1, : taken.shape[-1]] = taken[:, :, None]
        kind = RegisterSet.FLOAT4 if is_float else RegisterSet.INT4
        found = Registers(kind, a.index, registers.reshape(-1, _SIDE))
        set_constants(self.device, stage, found)

    def texture(self, a: Assignment) -> None:
        self.set_texture(a, a.index)

    def sampler(self, a: Assignment) -> None:
        self.device.set_sampler_state(a.index, a.info.target, a.dword())

    def sampler_object(self, a: Assignment) -> None:
        found = a.unit()
        if found is not None:
            self.sampler_states(a.index, *found)

    def sampler_states(self, sampler: int, slot: Slot, store: Store) -> None:
        """Set the texture and the states of a sampler parameter for a sampler of the device."""
        for a in self.sampler_of(slot, store):
            if a.info.group is StateGroup.TEXTURE:
                self.set_texture(a, sampler)
            elif a.info.group is StateGroup.SAMPLER:
                self.device.set_sampler_state(sampler, a.info.target, a.dword())
            else:
                raise ResourceError(f"{a.place}: is no state of a sampler")

    def set_texture(self, a: Assignment, sampler: int) -> None:
        found = a.unit()
        texture = None if found is None else found[1].objects.get(found[0].start)
        self.device.set_texture(sampler, texture)


def set_constants(device: EffectDevice, stage: ProgramType, registers: Registers) -> None:
    """Set constant registers of a stage."""
    d = device
    is_vertex = stage is ProgramType.VS
    match registers.register_set:
        case RegisterSet.FLOAT4:
            call = d.set_vertex_shader_constant_f if is_vertex else d.set_pixel_shader_constant_f
        case RegisterSet.INT4:
            call = d.set_vertex_shader_constant_i if is_vertex else d.set_pixel_shader_constant_i
        case _:
            call = d.set_vertex_shader_constant_b if is_vertex else d.set_pixel_shader_constant_b
    call(registers.start, registers.values)


def _float(dword: int) -> float:
    return struct.unpack("<f", struct.pack("<I", dword))[0]


def _field(a: Assignment, prefix: str) -> tuple[str, Any]:
    """Return a member of a light or material and its value: a number, or a tuple of them."""
    name, count = _FIELDS[a.info.name.removeprefix(prefix)]
    if a.info.type is ParameterType.INT:
        return name, a.dword()
    floats = a.floats()
    if floats.size < count:
        raise ResourceError(f"{a.place}: {floats.size} numbers, wanted {count}")
    numbers = tuple(floats[:count].tolist())
    return name, numbers if count > 1 else numbers[0]


_CALLS: dict[StateGroup, Callable[[Application, Assignment], None]] = {
    StateGroup.RENDER: Application.render,
    StateGroup.TEXTURE_STAGE: Application.texture_stage,
    StateGroup.PATCH: Application.patch,
    StateGroup.FVF: Application.fvf,
    StateGroup.TRANSFORM: Application.transform,
    StateGroup.MATERIAL: Application.of_material,
    StateGroup.LIGHT: Application.light,
    StateGroup.LIGHT_ENABLE: Application.light_enable,
    StateGroup.VERTEX_SHADER: Application.vertex_shader,
    StateGroup.PIXEL_SHADER: Application.pixel_shader,
    StateGroup.VERTEX_CONSTANT: Application.vertex_constant,
    StateGroup.PIXEL_CONSTANT: Application.pixel_constant,
    StateGroup.TEXTURE: Application.texture,
    StateGroup.SAMPLER: Application.sampler,
    StateGroup.SAMPLER_OBJECT: Application.sampler_object,
}
