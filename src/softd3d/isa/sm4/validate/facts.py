"""The things a program declares, as plain facts: elements, views, samplers, buffers, arrays."""

from __future__ import annotations

from softd3d.classes import dataclass
from softd3d.isa.machine import ViewKind
from softd3d.isa.sm4.enums import OperandType
from softd3d.isa.sm4.program import Instruction

__all__ = ["Array", "Buffer", "Element", "IndexRange", "Interface", "Sampler", "View"]


@dataclass(frozen=True, slots=True)
class Element:
    """A declared input or output. name: its system value; vertices: of a vertex array, else 0.

    mask: bits, x is 1. stream: of a geometry shader's output.
    """

    instruction: Instruction
    type: OperandType
    register: int
    mask: int
    name: int
    interpolation: int
    vertices: int = 0
    stream: int = 0


@dataclass(frozen=True, slots=True)
class View:
    """A declared t#, u# or g#. register: its number or, from 5.1 on, that of its range.

    lower, upper: the registers it covers, in register space `space`. returns: the dword of return
    types. stride: bytes of a structure. size: bytes of a g#.
    """

    instruction: Instruction
    type: OperandType
    register: int
    kind: ViewKind
    dimension: int
    lower: int
    upper: int
    space: int = 0
    returns: int = 0
    stride: int = 0
    size: int = 0
    has_counter: bool = False


@dataclass(frozen=True, slots=True)
class Sampler:
    """A declared s#."""

    instruction: Instruction
    register: int
    mode: int
    lower: int
    upper: int
    space: int = 0


@dataclass(frozen=True, slots=True)
class Buffer:
    """A declared constant buffer of `size` vectors, 0 if that is not known."""

    instruction: Instruction
    register: int
    size: int
    is_dynamic: bool
    lower: int
    upper: int
    space: int = 0


@dataclass(frozen=True, slots=True)
class Array:
    """A declared x#: how many vectors of how many components."""

    instruction: Instruction
    count: int
    components: int


@dataclass(frozen=True, slots=True)
class IndexRange:
    """Registers that relative indices may reach."""

    instruction: Instruction
    type: OperandType
    first: int
    count: int
    mask: int


@dataclass(frozen=True, slots=True)
class Interface:
    """A declared fp#: how many pointers, how many call sites, which tables."""

    instruction: Instruction
    length: int
    sites: int
    tables: tuple[int, ...]
