"""Constants of a picture: what the caller names, the camera's matrices, the shader's defaults.

A caller names variables, whichever buffer they are in, buffers, or vectors of a register.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Mapping
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from softd3d.arguments import shown
from softd3d.container.reflection.enums import CbufferType, ShaderVariableClass
from softd3d.container.reflection.resources import ConstantBuffer, VariableType
from softd3d.device.registers import Register, RegisterKind, wanted_registers
from softd3d.device.render.matrices import camera_text, camera_value, dotted_vectors
from softd3d.device.render.meshes import Camera
from softd3d.errors import ResourceError
from softd3d.isa.limits import MAX_CONSTANT_VECTORS
from softd3d.isa.sm4.enums import OperandType
from softd3d.isa.sm4.program import Program
from softd3d.lower.declared import BufferDeclaration
from softd3d.resources.buffers.constants import constant_buffer_bytes
from softd3d.shaders.shader import Shader

__all__ = ["Constants", "constants_of"]

Place = tuple[int, int]
_REGISTER = re.compile(r"b(\d{1,2})(?:,space(\d{1,9}))?(?:\[(\d{1,4})\])?")
_ANY_REGISTER = re.compile(r"b\d{1,2}(?:\[\d{1,9}\]|$)")
_MOST_NAMES = 3


class Constants:
    """The constant buffers of one shader: what is in them by default and by the caller's names."""

    def __init__(self, shader: Shader, camera: Camera) -> None:
        definitions = shader.reflection
        wanted = wanted_registers(shader.program, shader.declarations, definitions)
        self._registers = wanted[RegisterKind.CONSTANTS]
        buffers = () if definitions is None else definitions.constant_buffers
        self._layouts = {
            (r.number, r.space): layout
            for r in self._registers
            if (layout := _layout(r, buffers)) is not None
        }
        self._read = _read_vectors(shader.program)
        dotted = dotted_vectors(shader.program)
        self._vectors: dict[Place, list[tuple[int, NDArray[np.uint32]]]] = {}
        self._named: dict[Place, dict[str, object]] = {
            _place(r): _by_camera(r, self._layouts.get(_place(r)), dotted, camera)
            for r in self._registers
        }
        self._by_camera = {place: dict(named) for place, named in self._named.items()}

    def names(self) -> list[str]:
        """Return the names of variables, and of registers without any."""
        named = [v.name for layout in self._layouts.values() for v in layout.variables]
        bare = [r.register for r in self._registers if _place(r) not in self._layouts]
        return named + bare

    def registers(self) -> list[str]:
        """Return the registers of constant buffers."""
        return [r.register for r in self._registers]

    def zeros(self) -> list[str]:
        """Return the variables that are used, but have neither a default nor a given value.

        Each with the shape of its numbers, if it has several. Where there are no names, they are
        vectors of registers that are read, as ranges.
        """
        names = [
            f"{v.name}{_shape_text(v.type)}"
            for place, layout in self._layouts.items()
            for v in layout.variables
            if v.is_used and v.default is None
            and not self._given(place) & {n // 16 for n in range(v.offset, v.offset + v.size, 4)}
            and all(_head(name) != v.name for name in self._named[place])
        ]  # fmt: skip
        bare = [r for r in self._registers if _place(r) not in self._layouts]
        return names + [text for r in bare for text in self._zero_vectors(r)]

    def by_camera(self) -> list[str]:
        """Return what variables get that are the camera's, a line each."""
        return [
            f"{v.name} gets {camera_text(v)}"
            for place, layout in self._layouts.items()
            for v in layout.variables
            if v.is_used
            and v.name in self._by_camera[place]
            and self._named[place][v.name] is self._by_camera[place][v.name]
        ]

    def _given(self, place: Place) -> set[int]:
        """Return the vectors of which the caller has given numbers."""
        return {
            n // 4
            for first, bits in self._vectors.get(place, ())
            for n in range(first, first + bits.size)
        }

    def _zero_vectors(self, register: Register) -> list[str]:
        """Return the vectors that are read and not given, as ranges."""
        read = self._read.get(register.declaration.id, set())
        every = range(_vectors_of(register))
        wanted = set(every) if read is None else read & set(every)
        left = sorted(wanted - self._given(_place(register)))
        starts = [n for n in left if n - 1 not in left]
        ends = [n for n in left if n + 1 not in left]
        name = register.register
        return [
            f"{name}[{one}]" if one == other else f"{name}[{one}] to {name}[{other}]"
            for one, other in zip(starts, ends, strict=True)
        ]

    def take(self, name: str, value: object) -> bool:
        """Set a variable, a buffer or a vector of a register; tell whether the shader has it.

        Raises:
            ResourceError: the value cannot be one.
        """
        match = _REGISTER.fullmatch(name)
        place = (int(match[1]), int(match[2] or 0)) if match else None
        if match is not None and any(_place(r) == place for r in self._registers):
            self._take_vectors(match, value)
            return True
        is_taken = False
        for where, layout in self._layouts.items():
            if layout.name == name and isinstance(value, Mapping):
                self._named[where].update(cast("Mapping[str, object]", value))
                is_taken = True
            elif any(v.name == _head(name) for v in layout.variables):
                self._named[where][name] = value
                is_taken = True
        return is_taken

    def bound(self) -> dict[Place, NDArray[np.uint32]]:
        """Return the buffers' contents by (register, space); what nothing is known of is 0.

        Raises:
            ResourceError: a value has another shape or type than its variable.
        """
        return {_place(r): self._contents(r) for r in self._registers}

    def _contents(self, register: Register) -> NDArray[np.uint32]:
        place = _place(register)
        layout = self._layouts.get(place)
        named = b"" if layout is None else self._named[place]
        data = constant_buffer_bytes(named, layout, 16 * _vectors_of(register))
        for first, bits in self._vectors.get(place, ()):
            data[first : first + bits.size] = bits
        return data

    def _take_vectors(self, match: re.Match[str], value: object) -> None:
        """Write numbers into a register's vectors: from one on, or from the first."""
        place = int(match[1]), int(match[2] or 0)
        numbers = _numbers(value)
        if numbers is None:
            raise ResourceError(f"constants: {match[0]}: found {shown(value)}, wanted numbers")
        vectors = next(_vectors_of(r) for r in self._registers if _place(r) == place)
        first = 4 * int(match[3] or 0)
        bits = numbers.astype(np.float32).ravel().view(np.uint32)
        if first + bits.size > 4 * vectors:
            last = (first + bits.size - 1) // 4
            raise ResourceError(
                f"constants: {match[0]}: found numbers for vector {last}, the register has 0 to "
                f"{vectors - 1}"
            )
        self._vectors.setdefault(place, []).append((first, bits))


def constants_of(
    shaders: Mapping[str, Shader], camera: Camera, given: Mapping[str, object]
) -> dict[str, Constants]:
    """Return the constants of each stage, with what a caller gives by name.

    A name goes to every stage that has it; {"vs": {...}, "ps": {...}} tells them apart.

    Raises:
        ResourceError: no stage has such a name, or a value cannot be one.
    """
    found = {stage: Constants(shader, camera) for stage, shader in shaders.items()}
    for name, value in given.items():
        if not isinstance(name, str):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise ResourceError(f"constants: found {shown(name)}, wanted the name of a variable")
        if name in found and isinstance(value, Mapping):
            inner = cast("Mapping[str, object]", value)
            _give({name: found[name]}, inner)
        else:
            _give(found, {name: value})
    return found


def _give(stages: Mapping[str, Constants], given: Mapping[str, object]) -> None:
    for name, value in given.items():
        taken = [constants.take(name, value) for constants in stages.values()]
        if not any(taken):
            raise ResourceError(
                f"constants: the shader has no {shown(name)}, {_hint(stages, name)}"
            )


def _hint(stages: Mapping[str, Constants], name: str) -> str:
    """Return what there is instead of an unknown name."""
    register = _ANY_REGISTER.match(name)
    known = [
        known
        for constants in stages.values()
        for known in (constants.registers() if register else constants.names())
    ]
    if not known:
        return "it has no constants"
    if register:
        whole = "; a vector is set as a whole" if name[register.end() :] else ""
        return f"it has {', '.join(dict.fromkeys(known))}{whole}"
    close = difflib.get_close_matches(name, known, _MOST_NAMES)
    left = 0 if close else max(0, len(known) - _MOST_NAMES)
    more = f" and {left} more" if left else ""
    return f"it has {', '.join(close or known[:_MOST_NAMES])}{more}"


def _numbers(value: object) -> NDArray[Any] | None:
    try:
        numbers = np.asarray(value)
    except (ValueError, TypeError, OverflowError):
        return None
    return numbers if numbers.dtype.kind in "iuf" and numbers.size else None


def _place(register: Register) -> Place:
    return register.number, register.space


def _read_vectors(program: Program) -> dict[int, set[int] | None]:
    """Return the vectors that instructions read, by the buffer's id; None where some compute it."""
    found: dict[int, set[int] | None] = {}
    for operand in (o for i in program.instructions for o in i.operands):
        if operand.type is OperandType.CONSTANT_BUFFER and len(operand.indices) > 1:
            id_, vector = operand.indices[0].immediate, operand.indices[-1]
            read = found.setdefault(id_, set())
            if vector.relative is not None or read is None:
                found[id_] = None
            else:
                read.add(vector.immediate)
    return found


def _shape_text(type_: VariableType) -> str:
    """Return how many numbers a variable has, along each axis."""
    shape = [type_.elements] if type_.elements else []
    if type_.class_ in (ShaderVariableClass.MATRIX_ROWS, ShaderVariableClass.MATRIX_COLUMNS):
        shape += [type_.rows, type_.columns]
    elif type_.class_ is ShaderVariableClass.VECTOR:
        shape.append(type_.columns)
    return f" ({' x '.join(str(n) for n in shape)})" if shape else ""


def _head(path: str) -> str:
    """Return the variable of a path such as `lights[2].color`."""
    return re.split(r"[.\[]", path, maxsplit=1)[0]


def _vectors_of(register: Register) -> int:
    declaration = register.declaration
    size = declaration.size if isinstance(declaration, BufferDeclaration) else 0
    return min(size, MAX_CONSTANT_VECTORS) or MAX_CONSTANT_VECTORS


def _layout(register: Register, buffers: tuple[ConstantBuffer, ...]) -> ConstantBuffer | None:
    name = register.name.partition("[")[0]
    for buffer in buffers:
        if name and buffer.name == name and buffer.type is CbufferType.CBUFFER:
            return buffer
    return None


def _by_camera(
    register: Register, layout: ConstantBuffer | None, dotted: frozenset[tuple[int, int]],
    camera: Camera,
) -> dict[str, object]:  # fmt: skip
    """Return the variables whose names say that they are the camera's."""
    return {
        v.name: value
        for v in (() if layout is None else layout.variables)
        if v.default is None
        and (value := camera_value(v, register.declaration.id, dotted, camera)) is not None
    }
