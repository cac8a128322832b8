"""The constants of one shader by name, as its constant table and its preshader say.

Spec: win32 "ID3DXConstantTable Interface". Direct3D 9 itself does not look at the tables of a
shader: whoever draws with it sets its registers, and runs the preshader if it has one.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from softd3d.container.comments.ctab import (
    ConstantTable,
    ConstantType,
    ParameterClass,
    RegisterSet,
)
from softd3d.container.listing.stream import preshader_of
from softd3d.device.effects9.applying import set_constants
from softd3d.device.effects9.calls import EffectDevice
from softd3d.device.effects9.parameters import EffectParameter, found_parameter
from softd3d.device.effects9.programs import EffectProgram, Registers
from softd3d.device.effects9.registers import gathers_of, set_defaults
from softd3d.device.effects9.slots import Slot, has_numbers
from softd3d.device.effects9.store import Store
from softd3d.errors import ContainerError
from softd3d.shaders.token_stream import Shader9, load9
from softd3d.source import Source

__all__ = ["ShaderParameters"]

MAX_NUMBERS = 1 << 20
_FILES = {RegisterSet.FLOAT4: "c", RegisterSet.INT4: "i", RegisterSet.BOOL: "b"}


class ShaderParameters:
    """The parameters of a shader: `parameters["name"]` is a value, as in an `Effect`.

    They begin as the constant table says. Samplers are not among them: `Shader9.constant_table`
    has their numbers.
    """

    def __init__(self, source: Shader9 | Source) -> None:
        """Read the tables of a shader.

        Raises:
            OSError: the file cannot be read.
            DecodeError: it is no shader of model 1 to 3.
            ContainerError: a table, or the preshader, is malformed.
        """
        self.shader = source if isinstance(source, Shader9) else load9(source)
        self._program = EffectProgram(self.shader.data, self._lookup)
        preshader = preshader_of(self.shader.program)
        both = self.shader.constant_table, None if preshader is None else preshader.constants
        tables = [table for table in both if table is not None]
        found: dict[str, EffectParameter] = {}
        for table in tables:
            _add(table, found)
        self.parameters: Mapping[str, EffectParameter] = MappingProxyType(found)
        for table in tables:
            for register_set in _FILES:
                for gather in gathers_of(table, register_set, self._lookup):
                    set_defaults(gather, register_set)

    def parameter(self, path: str) -> EffectParameter:
        """Return a parameter, or a member or element of one: `lights[1].color`.

        Raises:
            ResourceError: there is no such one.
        """
        return found_parameter(self.parameters, path)

    def __getitem__(self, path: str) -> Any:
        """Return a value; see `EffectParameter.value`."""
        return self.parameter(path).value

    def __setitem__(self, path: str, value: Any) -> None:
        """Set a value; see `EffectParameter.value`."""
        self.parameter(path).value = value

    def constants(self) -> dict[str, NDArray[Any]]:
        """Return the registers for the parameters as they are, by the first of each run.

        `c0`: float32 (n, 4); `i0`: int32 (n, 4); `b0`: bool (n,): what `softd3d.evaluate` takes.

        Raises:
            ContainerError: the preshader is malformed.
        """
        runs: dict[str, NDArray[Any]] = {}
        for registers in self._registers():
            name = f"{_FILES[registers.register_set]}{registers.start}"
            values = np.array(registers.values)
            if name in runs and len(runs[name]) > len(values):
                runs[name][: len(values)] = values
            else:
                runs[name] = values
        return runs

    def apply(self, device: EffectDevice) -> None:
        """Set the registers of the shader's stage on a device.

        Raises:
            ShaderError: the preshader is malformed, or the device refuses a register.
        """
        for registers in self._registers():
            set_constants(device, self._program.stage, registers)

    def _registers(self) -> list[Registers]:
        """Return registers in order, with those of the preshader over those of the table."""
        return [r for r in self._program.registers() if len(r.values)]

    def _lookup(self, name: str) -> tuple[Slot, Store] | None:
        found = self.parameters.get(name)
        return None if found is None else (found.slot, found.store)

    def __repr__(self) -> str:
        return f"<ShaderParameters of {self.shader.profile}, {len(self.parameters)}>"


def _add(table: ConstantTable, found: dict[str, EffectParameter]) -> None:
    """Add the parameters of a table that are not there yet.

    Raises:
        ContainerError: they have more numbers than any device has room for.
    """
    for constant in table.constants:
        if constant.register_set is RegisterSet.SAMPLER or constant.name in found:
            continue
        slot = _slot(constant.name, constant.type, 0)
        if slot.size > MAX_NUMBERS:
            raise ContainerError(
                f"constant table: {constant.name} has {slot.size} numbers, wanted at most "
                f"{MAX_NUMBERS}"
            )
        found[constant.name] = EffectParameter(constant.name, slot, Store(slot.size, -1))


def _slot(name: str, type_: ConstantType, start: int) -> Slot:
    members: list[Slot] = []
    at = start
    for member in type_.members:
        members.append(_slot(member.name, member.type, at))
        at += members[-1].size
    if type_.class_ is ParameterClass.STRUCT:
        units = at - start
    else:
        units = type_.rows * type_.columns if has_numbers(type_.class_, type_.type) else 1
    slot = Slot(
        name, "", type_.class_, type_.type, type_.rows, type_.columns,
        0 if type_.elements <= 1 else type_.elements, start, units, tuple(members),
    )  # fmt: skip
    if slot.is_numeric and math.prod(slot.shape) != slot.size:
        raise ContainerError(
            f"constant table: {name} is a {type_.class_.name.lower()} with {type_.rows} rows and "
            f"{type_.columns} columns"
        )
    return slot
