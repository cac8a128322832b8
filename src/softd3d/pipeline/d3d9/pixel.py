"""Pixel shaders of SM1-3 as stages of a draw, with fog and alpha test behind them.

Spec: Direct3D 9 reference, "Vertex Shader and Pixel Shader Linkage", "Pixel Fog", "Alpha Testing
State"; what is chosen where it is silent is in docs/direct3d9.md.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import Enum

import numpy as np
from numpy.typing import NDArray

from softd3d.errors import ResourceError
from softd3d.isa.d3d9.enums import CmpFunc, FogMode
from softd3d.isa.sm1.enums import MiscType, ProgramType, Usage
from softd3d.isa.sm1.profile import DEFAULT, DOCUMENTED, IEEE
from softd3d.isa.sm1.program import Program
from softd3d.isa.sm4.enums import InterpolationMode, OperandType, SystemName
from softd3d.isa.sm4.enums import ProgramType as Stage
from softd3d.lower.bound import BoundProgram, RegisterInterface, Source
from softd3d.lower.d3d9.register_files import RegisterFiles
from softd3d.lower.d3d9.semantics import (
    COLOR,
    FOG_FACTOR,
    POSITION,
    Semantic,
    Taken,
    places_read,
    taken_semantics,
)
from softd3d.lower.d3d9.surroundings import AlphaTest, Beginning, Fog, Surroundings
from softd3d.lower.declarations import Declarations
from softd3d.lower.registers import Key
from softd3d.lower.stage import COVERED, StageRegister, component_name, register_name
from softd3d.pipeline.d3d9.linkage import (
    COMPONENTS,
    MISSING,
    UNSET,
    StageOutput,
    check_program,
    count_registers,
    stage_constants,
)

__all__ = ["FogSource", "PixelFacts", "compares_bytes", "coordinate_sets", "pixel_stage"]

_M = InterpolationMode
_WHITE = (1.0, 1.0, 1.0, 1.0)
_FACE = 8
"""How far behind the outputs of the stage before the register of vFace is: clip distances are."""


class FogSource(Enum):
    """Where the fog of a draw comes from: nowhere, or a factor or depth that is interpolated.

    VERTEX: FOG0 of the vertex shader. TABLE_Z, TABLE_W: depth on the screen, or w, by the formula
    of FOGTABLEMODE.
    """

    NONE = "none"
    VERTEX = "vertex"
    TABLE_Z = "table z"
    TABLE_W = "table w"


@dataclass(frozen=True, slots=True)
class PixelFacts:
    """The states that a pixel shader's code depends on.

    fog: NONE where FOGENABLE is off; ps_3_0 has none, whatever is said here. fog_mode:
    FOGTABLEMODE. alpha_func: ALWAYS where ALPHATESTENABLE is off. alpha_in_bytes: whether alpha is
    compared as a number of eight bits (`compares_bytes`). is_flat: SHADEMODE. projected: of stages
    with D3DTTFF_PROJECTED up to ps_1_3, by which component (1 to 3) coordinates are divided.
    """

    fog: FogSource = FogSource.NONE
    fog_mode: FogMode = FogMode.LINEAR
    alpha_func: CmpFunc = CmpFunc.ALWAYS
    alpha_in_bytes: bool = True
    is_flat: bool = False
    projected: tuple[tuple[int, int], ...] = ()


def compares_bytes(profile: str, bits: int) -> bool:
    """Return whether an alpha test compares numbers of eight bits.

    bits: the most that a channel of render target 0 has. Where it has more, drivers compare floats.
    """
    if profile == IEEE.name:
        return False
    return profile == DOCUMENTED.name or bits <= 8


def coordinate_sets(program: Program) -> tuple[int, ...]:
    """Return the coordinate sets that a pixel shader takes: those that point sprites replace."""
    taken = {t.semantic for t in taken_semantics(program)}
    return tuple(sorted(index for usage, index in taken if usage == Usage.TEXCOORD))


def pixel_stage(
    program: Program, outputs: Sequence[StageOutput], facts: PixelFacts = PixelFacts(), *,
    profile: str = DEFAULT.name, constants: tuple[NDArray[np.uint32], ...] | None = None,
    source: Source | None = None,
) -> BoundProgram:  # fmt: skip
    """Return a pixel shader as a stage.

    Textures and samplers are not bound yet: `dataclasses.replace` of the result does that.

    Args:
        program: ps_1_0 to ps_3_0.
        outputs: of the stage before the rasteriser.
        facts: the states that its code depends on.
        profile: of numeric rules.
        constants: as of `vertex_stage`.
        source: likewise.

    Raises:
        ResourceError: the program is no pixel shader, takes POSITION0, or there is no such profile.
        DecodeError: the program contradicts itself.
    """
    check_program(program, ProgramType.PS, profile)
    before = {output.semantic: output for output in outputs}
    inputs = _PixelInputs(before, profile, is_flat=facts.is_flat)
    for taken in taken_semantics(program):
        inputs.take(taken, program.version)
    inputs.take_places(places_read(program))
    fog = None if program.version >= (3, 0) else inputs.fog(facts, profile)
    registers, results, color = _targets(program)
    alpha_test = None
    if color and facts.alpha_func is not CmpFunc.ALWAYS:
        alpha_test = AlphaTest(facts.alpha_func, facts.alpha_in_bytes)
    if alpha_test is not None or RegisterFiles(program).discards:
        results.append((COVERED[0], COVERED))
    surroundings = Surroundings(
        tuple(inputs.missing), tuple(inputs.begun), color=color, fog=fog if color else None,
        alpha_test=alpha_test,
    )  # fmt: skip
    declarations = Declarations(
        Stage.PS, inputs.registers, registers, temps=count_registers(inputs.found, results)
    )
    interface = RegisterInterface(
        profile, tuple(inputs.found), tuple(results), surroundings, facts.projected
    )
    files = stage_constants(program) if constants is None else constants
    return BoundProgram(
        program, declarations, {}, (), {}, files, source=source, interface=interface
    )


class _PixelInputs:
    """What a pixel shader is given: registers of the rasteriser, and how its own begin.

    found: names of inputs with keys. missing, begun: as of `Surroundings`.
    """

    def __init__(self, before: dict[Semantic, StageOutput], profile: str, *, is_flat: bool) -> None:
        self.before = before
        self.profile = profile
        self.is_flat = is_flat
        self.registers: list[StageRegister] = []
        self.found: list[tuple[str, Key]] = []
        self.missing: list[tuple[Key, float]] = []
        self.begun: list[tuple[Key, Beginning]] = []

    def take(self, taken: Taken, version: tuple[int, int]) -> None:
        """Let a register begin with a semantic."""
        semantic, place = taken.semantic, taken.place
        if semantic == POSITION:
            raise ResourceError("pixel shader: found an input POSITION0, which none can take")
        output = self.before.get(semantic)
        given = () if output is None else output.components
        rest = _absent(semantic, version, self.profile)
        for c in COMPONENTS:
            key = (*place, c)
            if output is None or c not in given or c not in taken.components:
                self.missing += [(key, rest[c])] if rest[c] else []
                continue
            mode = _M.LINEAR_CENTROID if taken.is_centroid else _M.LINEAR
            if self.is_flat and semantic[0] == COLOR:
                mode = _M.CONSTANT
            self._add(output.number, c, key, mode)
            if version < (3, 0) and semantic[0] == COLOR:
                self.begun.append((key, Beginning.CLAMPED))

    def _add(
        self, number: int, component: int, key: Key, mode: InterpolationMode,
        value: SystemName = SystemName.UNDEFINED,
    ) -> None:  # fmt: skip
        register = StageRegister(OperandType.INPUT, number, (component,), value, mode)
        self.registers.append(register)
        self.found.append((component_name(register.name, component), key))

    def take_places(self, read: Iterable[MiscType]) -> None:
        """Let vPos and vFace begin with what the rasteriser makes."""
        for misc in read:
            if misc is MiscType.POSITION:
                for c in (0, 1):
                    key = ("vPos", 0, c)
                    self._position(c, key)
                    self.begun.append((key, Beginning.PIXEL))
            else:
                number = max((o.number for o in self.before.values()), default=0) + _FACE
                for c in COMPONENTS:  # a scalar, whatever component is named
                    key = ("vFace", 0, c)
                    self._add(number, 0, key, _M.CONSTANT, SystemName.IS_FRONT_FACE)
                    self.begun.append((key, Beginning.FACE))

    def _position(self, component: int, key: Key) -> None:
        self._add(0, component, key, _M.LINEAR_NOPERSPECTIVE, SystemName.POSITION)

    def fog(self, facts: PixelFacts, profile: str) -> Fog | None:
        """Let the fog's factor or depth begin; a factor that nobody writes is 0."""
        key: Key = ("fog", 0, 0)
        if facts.fog is FogSource.NONE:
            return None
        if facts.fog in (FogSource.TABLE_Z, FogSource.TABLE_W):
            self._position(2 if facts.fog is FogSource.TABLE_Z else 3, key)
            return Fog(facts.fog_mode, key, step=profile != IEEE.name)
        output = self.before.get(FOG_FACTOR)
        if output is not None:
            self._add(output.number, output.components[0], key, _M.LINEAR)
        return Fog(FogMode.NONE, key)


def _absent(
    semantic: Semantic, version: tuple[int, int], profile: str
) -> tuple[float, float, float, float]:
    """Return what a semantic is that the stage before does not write."""
    usage, index = semantic
    if usage == COLOR:
        if version < (3, 0) and index == 0:
            return _WHITE
        return UNSET if profile == IEEE.name else MISSING
    if version < (3, 0):
        return UNSET if profile == IEEE.name else MISSING
    return UNSET


def _targets(
    program: Program,
) -> tuple[list[StageRegister], list[tuple[str, Key]], tuple[Key, ...]]:
    """Return a pixel shader's outputs as registers and by name, and the keys of the first colour.

    Before ps_2_0 that is r0. A target that no oC# is written for keeps what it has.
    """
    files = RegisterFiles(program)
    keys = dict.fromkeys(key for i in files.instructions() for key in files.written(i))
    places = [("r", 0)] if program.version < (2, 0) else []
    places += sorted({key[:2] for key in keys if key[0] == "oC"})
    registers: list[StageRegister] = []
    results: list[tuple[str, Key]] = []
    color: tuple[Key, ...] = ()
    for place in places:
        target = place[1]
        registers.append(StageRegister(OperandType.OUTPUT, target, COMPONENTS))
        mine: list[Key] = [(*place, c) for c in COMPONENTS]
        name = register_name(OperandType.OUTPUT, target)
        results += [(component_name(name, key[2]), key) for key in mine]
        if target == 0:
            color = tuple(mine)
    depth: Key = ("oDepth", 0, 0)
    if depth in keys:
        registers.append(StageRegister(OperandType.OUTPUT_DEPTH, 0, (0,)))
        results.append((component_name("oDepth", 0), depth))
    return registers, results, color
