"""Effects of Direct3D 9 (fx_2_0) that run: parameters by name, techniques applied to a device.

Spec: win32 "ID3DXEffect Interface", "Effects (Direct3D 9)"; what applying sets was measured on
d3dx9_43, and docs/effects.md says where it is not followed.
"""

from __future__ import annotations

from collections.abc import Generator, Iterable, Iterator, Mapping
from contextlib import contextmanager
from types import MappingProxyType
from typing import Any, cast
from weakref import WeakKeyDictionary

from softd3d.arguments import instance, numbered
from softd3d.container.effects.d3d9.records import (
    NO_INDEX,
    ParameterFlags,
    State,
)
from softd3d.container.effects.d3d9.records import Effect9 as EffectRecords
from softd3d.container.effects.d3d9.records import Pass as PassRecord
from softd3d.container.effects.d3d9.references import ObjectPlace, resources_by_state
from softd3d.device.effects9.applying import Application, Lighting
from softd3d.device.effects9.assignments import Assignment, assignment_of
from softd3d.device.effects9.calls import EffectDevice
from softd3d.device.effects9.parameters import (
    EffectParameter,
    annotation_values,
    found_parameter,
    listed,
    parameter_of,
)
from softd3d.device.effects9.programs import EffectProgram
from softd3d.device.effects9.slots import Slot
from softd3d.device.effects9.store import Store
from softd3d.errors import ResourceError
from softd3d.isa.sm1.enums import ProgramType
from softd3d.shaders.effects.d3d9 import Effect9, load_effect9
from softd3d.source import Source

__all__ = ["Effect", "EffectPass", "EffectPool", "EffectTechnique"]


class EffectPool:
    """Parameters that effects share: those declared `shared`, by name."""

    def __init__(self) -> None:
        self.parameters: dict[str, EffectParameter] = {}

    def joined(self, parameter: EffectParameter) -> EffectParameter:
        """Return the pool's parameter of the same name; the first one is kept.

        Raises:
            ResourceError: it has another type.
        """
        kept = self.parameters.setdefault(parameter.name, parameter)
        if kept.slot != parameter.slot:
            raise ResourceError(
                f"effect: shared parameter {parameter.name}: found {parameter!r}, wanted {kept!r} "
                "of the pool"
            )
        return kept


class Effect:
    """An effect: parameters, and techniques that are applied to a device.

    `effect["name"]` is a parameter's value, also of a member or element (`effect["mat.b[1]"]`).
    source: the effect that was loaded. parameters: by name. techniques: in the file's order.
    """

    def __init__(self, source: Effect9 | Source, *, pool: EffectPool | None = None) -> None:
        """Load an effect (fx_2_0, compiled); pool: of parameters to share with others.

        Raises:
            OSError: the file cannot be read.
            DecodeError: it is no compiled effect of Direct3D 9; the message names it.
            ContainerError: it is malformed.
            ResourceError: a shared parameter has another type in the pool.
        """
        self.source = source if isinstance(source, Effect9) else load_effect9(source)
        self._records = records = self.source.records
        self._data = {stored.id: stored.data for stored in records.objects}
        self._resources = resources_by_state(records)
        found: dict[str, EffectParameter] = {}
        for number, record in enumerate(records.parameters):
            parameter = parameter_of(record, number, self._data)
            if pool is not None and record.flags & ParameterFlags.SHARED:
                parameter = instance(pool, EffectPool, "Effect: pool").joined(parameter)
            found[parameter.name] = parameter
        self.parameters: Mapping[str, EffectParameter] = MappingProxyType(found)
        self.techniques = tuple(
            EffectTechnique(self, number) for number in range(len(records.techniques))
        )
        self._lighting = Lighting()
        self._programs: dict[bytes, EffectProgram] = {}
        self._samplers: dict[tuple[int, int], list[Assignment]] = {}
        self._created: WeakKeyDictionary[EffectDevice, dict[bytes, Any]] = WeakKeyDictionary()

    @property
    def records(self) -> EffectRecords:
        """What the file says."""
        return self._records

    def parameter(self, path: str) -> EffectParameter:
        """Return a parameter, or a member or element of one: `mat`, `mat.b[1]`.

        Raises:
            ResourceError: there is no such one.
        """
        return found_parameter(self.parameters, path)

    def by_semantic(self, semantic: str) -> EffectParameter:
        """Return the first parameter with a semantic; upper and lower case are the same.

        Raises:
            ResourceError: there is none.
        """
        wanted = instance(semantic, str, "effect: semantic").lower()
        for parameter in self.parameters.values():
            if parameter.semantic.lower() == wanted:
                return parameter
        raise ResourceError(f"effect: no parameter has the semantic {semantic!r}")

    def __getitem__(self, path: str) -> Any:
        """Return a value; see `EffectParameter.value`."""
        return self.parameter(path).value

    def __setitem__(self, path: str, value: Any) -> None:
        """Set a value; see `EffectParameter.value`."""
        self.parameter(path).value = value

    def technique(self, name: str | int) -> EffectTechnique:
        """Return a technique by its name or number.

        Raises:
            ResourceError: there is no such one.
        """
        if isinstance(name, int):
            return numbered(self.techniques, name, "effect: technique")
        for technique in self.techniques:
            if technique.name == name:
                return technique
        names = listed(technique.name for technique in self.techniques)
        raise ResourceError(f"effect: no technique {name!r}, wanted one of {names}")

    def apply(self, device: EffectDevice, assignments: Iterable[Assignment]) -> None:
        """Make the calls of a pass; `EffectPass.apply` is what programs use."""
        application = Application(
            device,
            lambda program: self._shader_on(device, program),
            self._sampler_states,
            self._program,
            self._lighting,
        )
        application.run(assignments, self.lookup)

    def assignments(self, pass_: PassRecord, place: ObjectPlace, words: str) -> list[Assignment]:
        """Return what a pass assigns; place: of its first state.

        Raises:
            ContainerError: a state is malformed.
        """
        technique, index, element, _ = place
        return [
            assignment_of(
                state, self._resources.get((technique, index, element, n)), self.lookup, words
            )
            for n, state in enumerate(pass_.states)
        ]

    def annotations(self, record: Any) -> Mapping[str, Any]:
        """Return the annotations of a technique or pass."""
        return MappingProxyType(annotation_values(record.annotations, self._data))

    def lookup(self, name: str) -> tuple[Slot, Store] | None:
        """Return where a parameter is kept; None if there is none."""
        found = self.parameters.get(name)
        return None if found is None else (found.slot, found.store)

    def _program(self, assignment: Assignment) -> EffectProgram | None:
        """Return the shader that a state is set to now."""
        if assignment.program is not None:
            return assignment.program
        found = assignment.unit()
        if found is None:
            return None
        slot, store = found
        tokens = store.objects.get(slot.start)
        if tokens is None:
            return None
        if not isinstance(tokens, bytes):
            raise ResourceError(f"{assignment.place}: {slot.name} is no shader")
        program = self._programs.get(tokens)
        if program is None:
            program = self._programs[tokens] = EffectProgram(tokens, self.lookup)
        return program

    def _sampler_states(self, slot: Slot, store: Store) -> list[Assignment]:
        """Return the states of a sampler."""
        found_states = store.objects.get(slot.start)
        if not isinstance(found_states, tuple):
            raise ResourceError(f"effect: {slot.name} is no sampler")
        states = cast("tuple[State, ...]", found_states)
        key = store.parameter, slot.start
        found = self._samplers.get(key)
        if found is None:
            place = f"sampler {slot.name}"
            found = [
                assignment_of(state, self._resources.get((NO_INDEX, *key, n)), self.lookup, place)
                for n, state in enumerate(states)
            ]
            self._samplers[key] = found
        return found

    def _shader_on(self, device: EffectDevice, program: EffectProgram) -> Any:
        """Return a device's shader, which is created once."""
        shaders = self._created.setdefault(device, {})
        if program.tokens not in shaders:
            is_vertex = program.stage is ProgramType.VS
            create = device.create_vertex_shader if is_vertex else device.create_pixel_shader
            shaders[program.tokens] = create(program.tokens)
        return shaders[program.tokens]

    def __repr__(self) -> str:
        return f"<Effect, {len(self.parameters)} parameters, {len(self.techniques)} techniques>"


class EffectTechnique:
    """A way of drawing. passes: to be applied one after another, each before its draws."""

    def __init__(self, effect: Effect, number: int) -> None:
        record = effect.records.techniques[number]
        self.effect = effect
        self.name = record.name.text
        self.annotations = effect.annotations(record)
        self.passes = tuple(EffectPass(self, number, n) for n in range(len(record.passes)))

    @contextmanager
    def begin(
        self, device: EffectDevice, *, save_state: bool = True
    ) -> Generator[tuple[EffectPass, ...]]:
        """Give the passes, and put back afterwards all that any of them sets.

        save_state: False leaves the device as the last pass made it (D3DXFX_DONOTSAVESTATE).

        Raises:
            ShaderError: a pass cannot be applied.
        """
        if not save_state:
            yield self.passes
            return
        device.begin_state_block()
        try:
            for pass_ in self.passes:
                pass_.apply(device)
        finally:
            block = device.end_state_block()
        block.capture()
        try:
            yield self.passes
        finally:
            block.apply()

    def pass_(self, name: str | int) -> EffectPass:
        """Return a pass by its name or number.

        Raises:
            ResourceError: there is no such one.
        """
        if isinstance(name, int):
            return numbered(self.passes, name, f"technique {self.name}: pass")
        for found in self.passes:
            if found.name == name:
                return found
        names = listed(pass_.name for pass_ in self.passes)
        raise ResourceError(f"technique {self.name}: no pass {name!r}, wanted one of {names}")

    def __iter__(self) -> Iterator[EffectPass]:
        return iter(self.passes)

    def __repr__(self) -> str:
        return f"<EffectTechnique {self.name}, {len(self.passes)} passes>"


class EffectPass:
    """States, shaders and their constants for one drawing of the geometry."""

    def __init__(self, technique: EffectTechnique, number: int, index: int) -> None:
        record = technique.effect.records.techniques[number].passes[index]
        self.effect = technique.effect
        self.name = record.name.text
        self.annotations = self.effect.annotations(record)
        self._record = record
        self._place: ObjectPlace = number, index, NO_INDEX, 0
        self._words = f"technique {technique.name or number}, pass {self.name or index}"
        self._assignments: list[Assignment] | None = None

    def apply(self, device: EffectDevice) -> None:
        """Set the pass's states on a device for the parameters as they are now.

        Expressions and preshaders are computed, shaders chosen, and shader constants, textures and
        samplers set by the shaders' constant tables. To draw with other parameters, apply again.

        Raises:
            ShaderError: the effect is malformed, an expression chooses what is not there, or the
                device refuses a call. Calls before it have been made.
        """
        if self._assignments is None:
            self._assignments = self.effect.assignments(self._record, self._place, self._words)
        self.effect.apply(device, self._assignments)

    def __repr__(self) -> str:
        return f"<EffectPass {self.name}, {len(self._record.states)} states>"
