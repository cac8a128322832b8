"""Chunks with Direct3D 9 code for feature level 9: Aon9, and XNAS and XNAP of level 9_0.

Layout: size of the chunk, version and stage, size and offset of the code, a count and an offset for
each of five tables; the tables; the code, a token stream of shader model 2. The tables say where
the values of the code's registers come from, in Direct3D 10's terms.
"""

from __future__ import annotations

import struct
from enum import IntEnum
from typing import TYPE_CHECKING

from softd3d.bits import ByteReader
from softd3d.classes import dataclass
from softd3d.container.dxbc.container import Chunk, Container
from softd3d.errors import ContainerError

if TYPE_CHECKING:
    from softd3d.isa.sm1.program import Program

__all__ = [
    "LEVEL9_CHUNKS",
    "ConstantMapping",
    "Conversion",
    "Level9Program",
    "RegisterMapping",
    "RuntimeConstant",
    "RuntimeConstantMapping",
    "SamplerMapping",
    "build_level9",
    "level9_programs",
    "parse_level9",
]

LEVEL9_CHUNKS = ("Aon9", "XNAP", "XNAS")
"""Direct3D 9's program, its version for XNA, and that without what only pixel shaders need."""

_HEAD = struct.Struct("<IBBHII10H")
_CONSTANT = struct.Struct("<4H4B")
_REGISTER = struct.Struct("<4H")
_SAMPLER = struct.Struct("<4B")
_RUNTIME = struct.Struct("<2H")


class Conversion(IntEnum):
    """What a component is in the constant buffer; Direct3D 9's constants are floats."""

    FLOAT = 0
    BOOL = 1
    INT = 2
    UINT = 3


class RuntimeConstant(IntEnum):
    """Values that no constant buffer has."""

    POSITION_OFFSET = 0
    INSTANCE_ID = 1


@dataclass(frozen=True, slots=True)
class ConstantMapping:
    """`count` registers from c`target` on are those of cb`buffer` from `start` on.

    conversions: of the components x to w, as `Conversion`; other numbers occur only by damage.
    """

    buffer: int
    start: int
    count: int
    target: int
    conversions: tuple[int, int, int, int]


@dataclass(frozen=True, slots=True)
class RegisterMapping:
    """Register b`target` or i`target` is one component of a register of cb`buffer`."""

    buffer: int
    register: int
    component: int
    target: int


@dataclass(frozen=True, slots=True)
class SamplerMapping:
    """s`target` is t`resource` read with s`sampler`. unused: a byte, 0 wherever looked at."""

    resource: int
    sampler: int
    target: int
    unused: int = 0


@dataclass(frozen=True, slots=True)
class RuntimeConstantMapping:
    """c`target` has the value of that number, as `RuntimeConstant`."""

    value: int
    target: int


@dataclass(frozen=True, slots=True)
class Level9Program:
    """A parsed chunk. version: minor, major; stage: 0xFFFE of vertex, 0xFFFF of pixel shaders.

    code: the token stream, from its version to its end. code_offset: where it lies, in bytes from
    the start of the container.
    """

    version: tuple[int, int]
    stage: int
    code: bytes
    constants: tuple[ConstantMapping, ...] = ()
    loops: tuple[RegisterMapping, ...] = ()
    booleans: tuple[RegisterMapping, ...] = ()
    samplers: tuple[SamplerMapping, ...] = ()
    runtime_constants: tuple[RuntimeConstantMapping, ...] = ()
    code_offset: int = 0

    @property
    def program(self) -> Program:
        """The decoded code; positions count from the start of the container.

        Raises:
            DecodeError: the tokens are malformed.
        """
        from softd3d.isa.sm1.decode import decode  # noqa: PLC0415 - few containers have such code

        return decode(self.code, self.code_offset)


def parse_level9(chunk: Chunk) -> Level9Program:
    """Read an Aon9, XNAS or XNAP chunk.

    Raises:
        ContainerError: the tables or the code leave the chunk.
    """
    reader = chunk.reader()
    _, minor, major, stage, size, offset, *tables = _HEAD.unpack(reader.bytes(0, _HEAD.size))
    constants, loops, booleans, samplers, runtime = (
        _records(reader, layout, count, at)
        for layout, count, at in zip(
            (_CONSTANT, _REGISTER, _REGISTER, _SAMPLER, _RUNTIME),
            tables[::2],
            tables[1::2],
            strict=True,
        )
    )
    return Level9Program(
        (minor, major),
        stage,
        reader.bytes(offset, size),
        tuple(
            ConstantMapping(buffer, start, count, target, (x, y, z, w))
            for buffer, start, count, target, x, y, z, w in constants
        ),
        tuple(RegisterMapping(*record) for record in loops),
        tuple(RegisterMapping(*record) for record in booleans),
        tuple(SamplerMapping(*record) for record in samplers),
        tuple(RuntimeConstantMapping(*record) for record in runtime),
        chunk.data_offset + offset,
    )


def level9_programs(container: Container) -> tuple[Level9Program, ...]:
    """Return what all chunks for level 9 hold, in the order of `LEVEL9_CHUNKS`.

    Raises:
        ContainerError: one of them is malformed.
    """
    chunks = container.chunks
    return tuple(parse_level9(c) for name in LEVEL9_CHUNKS for c in chunks if c.fourcc == name)


def _records(
    reader: ByteReader, layout: struct.Struct, count: int, at: int
) -> list[tuple[int, ...]]:
    data = reader.bytes(at, layout.size * count) if count else b""
    return list(layout.iter_unpack(data))


def build_level9(program: Level9Program) -> bytes:
    """Return the data of a chunk, laid out as the compiler does it.

    What `parse_level9` made of a compiler's chunk gives the same bytes again.

    Raises:
        ContainerError: a number does not fit its field.
    """
    try:
        # In the order of the file; the head's order is another.
        packed = {
            "samplers": [
                _SAMPLER.pack(m.resource, m.sampler, m.target, m.unused) for m in program.samplers
            ],
            "constants": [
                _CONSTANT.pack(m.buffer, m.start, m.count, m.target, *m.conversions)
                for m in program.constants
            ],
            "booleans": [_packed_register(m) for m in program.booleans],
            "loops": [_packed_register(m) for m in program.loops],
            "runtime": [_RUNTIME.pack(m.value, m.target) for m in program.runtime_constants],
        }
        body, places = b"", dict[str, tuple[int, int]]()
        for name, records in packed.items():
            places[name] = len(records), _HEAD.size + len(body)
            body += b"".join(records)
        tables = (*places["constants"], *places["loops"], *places["booleans"])
        tables += (*places["samplers"], *places["runtime"])
        offset = _HEAD.size + len(body)
        size = len(program.code)
        head = _HEAD.pack(offset + size, *program.version, program.stage, size, offset, *tables)
    except struct.error as error:
        raise ContainerError(f"level 9 program: cannot be built, {error}") from error
    return head + body + program.code


def _packed_register(mapping: RegisterMapping) -> bytes:
    return _REGISTER.pack(mapping.buffer, mapping.register, mapping.component, mapping.target)
