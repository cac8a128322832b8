"""Where the numbers of a constant buffer lie: its variables flattened to leaves.

RDEF gives the offsets of variables and members; strides inside arrays and matrices follow from
HLSL's packing rules. In constant and texture buffers every array element, matrix vector and
structure in an array starts at a multiple of 16 bytes; elements of structured buffers are packed
without gaps, but for what 8-byte doubles need.

Spec: HLSL "Packing Rules for Constant Variables"; checked against the compiler's variable sizes.
"""

from __future__ import annotations

from collections.abc import Iterator

from softd3d.classes import dataclass
from softd3d.container.reflection.enums import CbufferType, ShaderVariableClass, ShaderVariableType
from softd3d.container.reflection.resources import ConstantBuffer, VariableType
from softd3d.errors import ContainerError, Location

__all__ = ["BASE_PART", "Leaf", "Packing", "constant_leaves", "type_size"]

MAX_LEAVES = 1 << 16
MAX_PATH_LENGTH = 4096
MAX_PATH_CHARACTERS = 1 << 24
_REGISTER = 16
_COMPONENT_SIZES = {
    ShaderVariableType.BOOL: 4,
    ShaderVariableType.INT: 4,
    ShaderVariableType.UINT: 4,
    ShaderVariableType.FLOAT: 4,
    ShaderVariableType.DOUBLE: 8,
    # Minimum precision is a permission to compute with less; storage stays 32 bits.
    ShaderVariableType.MIN8FLOAT: 4,
    ShaderVariableType.MIN10FLOAT: 4,
    ShaderVariableType.MIN16FLOAT: 4,
    ShaderVariableType.MIN12INT: 4,
    ShaderVariableType.MIN16INT: 4,
    ShaderVariableType.MIN16UINT: 4,
}
BASE_PART = "$super"  # what a derived class calls what it inherits
_NUMERIC = (
    ShaderVariableClass.SCALAR,
    ShaderVariableClass.VECTOR,
    ShaderVariableClass.MATRIX_ROWS,
    ShaderVariableClass.MATRIX_COLUMNS,
)


@dataclass(frozen=True, slots=True)
class Leaf:
    """A scalar, vector or matrix, or an array of them, and where its components lie.

    path: as HLSL would write it, e.g. "lights[2].color". offset: bytes from the start of the
    buffer. elements: 0 if it is not an array; stride: bytes from one element to the next.
    row_major: whether a stored vector is a row (`rows` vectors of `columns` components) or a
    column; vectors and scalars are one row. vector_stride: bytes from one vector to the next.
    """

    path: str
    offset: int
    component_type: ShaderVariableType
    rows: int
    columns: int
    row_major: bool
    elements: int
    stride: int
    vector_stride: int

    @property
    def component_size(self) -> int:
        """Bytes of a component: 8 for doubles, else 4."""
        return _COMPONENT_SIZES[self.component_type]

    @property
    def size(self) -> int:
        """Bytes from the first to behind the last component."""
        vectors, components = _vectors(self.rows, self.columns, row_major=self.row_major)
        last = (max(self.elements, 1) - 1) * self.stride + (vectors - 1) * self.vector_stride
        return last + components * self.component_size


def constant_leaves(buffer: ConstantBuffer) -> tuple[Leaf, ...]:
    """Return the leaves of all variables, in declaration order; arrays of numbers are one leaf.

    Objects, such as textures in a structure, and interface pointers have no numbers and give none.

    Raises:
        ContainerError: a type is not what its class says, a leaf leaves its variable or its
            buffer, or there are more than `MAX_LEAVES`.
    """
    if buffer.type is CbufferType.INTERFACE_POINTERS:
        return ()
    leaves: list[Leaf] = []
    visits = characters = 0
    for variable in buffer.variables:
        where = Location(offset=variable.record_offset)
        registers = buffer.type is not CbufferType.RESOURCE_BIND_INFO
        walker = Packing(where, registers=registers)
        end = min(variable.offset + variable.size, buffer.size)
        for leaf in walker.walk(variable.name, variable.type, variable.offset):
            visits += 1
            if leaf is not None:
                _check_end(leaf, end, buffer.name, where)
                leaves.append(leaf)
                characters += len(leaf.path)
            if visits > MAX_LEAVES or characters > MAX_PATH_CHARACTERS:
                raise ContainerError(
                    f"{buffer.name}: more than {MAX_LEAVES} leaves, or too long names", where
                )
    return tuple(leaves)


def type_size(type_: VariableType, *, registers: bool) -> int:
    """Return the bytes a value takes from its first to behind its last component.

    registers: whether it lies in a constant or texture buffer, in registers of 16 bytes.

    Raises:
        ContainerError: the type is not what its class says.
    """
    return Packing(None, registers=registers).size(type_)


def _check_end(leaf: Leaf, end: int, buffer: str, where: Location) -> None:
    if leaf.offset + leaf.size > end:
        raise ContainerError(
            f"{leaf.path}: ends at byte {leaf.offset + leaf.size} of {buffer}, "
            f"wanted at most {end}",
            where,
        )


def _vectors(rows: int, columns: int, *, row_major: bool) -> tuple[int, int]:
    """Return how many vectors are stored, and of how many components."""
    return (rows, columns) if row_major else (columns, rows)


class Packing:
    """HLSL's packing rules for one kind of buffer; `where` is blamed in errors.

    registers: whether it is a constant or texture buffer, in registers of 16 bytes.
    """

    def __init__(self, where: Location | None, *, registers: bool) -> None:
        self.registers = registers
        self.where = where

    def walk(self, path: str, type_: VariableType, offset: int) -> Iterator[Leaf | None]:
        """Yield the leaves below a type, and None for every other thing passed."""
        if len(path) > MAX_PATH_LENGTH:
            raise ContainerError(
                f"{path[:32]}...: the name has more than {MAX_PATH_LENGTH} characters", self.where
            )
        if type_.class_ in _NUMERIC:
            yield self.leaf(path, type_, offset)
            return
        yield None
        if type_.class_ is not ShaderVariableClass.STRUCT:
            return
        stride = self.stride(type_)
        for index in range(max(type_.elements, 1)):
            yield None
            prefix = f"{path}[{index}]" if type_.elements else path
            start = offset + index * stride
            for member in type_.members:
                # HLSL names inherited members as if they were the class's own.
                name = prefix if member.name == BASE_PART else f"{prefix}.{member.name}"
                yield from self.walk(name, member.type, start + member.offset)

    def leaf(self, path: str, type_: VariableType, offset: int) -> Leaf:
        return Leaf(
            path,
            offset,
            type_.type,
            type_.rows,
            type_.columns,
            type_.class_ is not ShaderVariableClass.MATRIX_COLUMNS,
            type_.elements,
            self.stride(type_),
            self.vector_stride(type_),
        )

    def component_size(self, type_: VariableType) -> int:
        size = _COMPONENT_SIZES.get(type_.type)
        if size is None:
            raise ContainerError(f"a number cannot be of type {type_.type.name}", self.where)
        return size

    def shape(self, type_: VariableType) -> tuple[int, int]:
        """Return the vectors and components of a number, checked."""
        is_matrix = type_.class_ in (
            ShaderVariableClass.MATRIX_ROWS,
            ShaderVariableClass.MATRIX_COLUMNS,
        )
        most_rows = 4 if is_matrix else 1
        most_columns = 1 if type_.class_ is ShaderVariableClass.SCALAR else 4
        if not (1 <= type_.rows <= most_rows and 1 <= type_.columns <= most_columns):
            raise ContainerError(
                f"{type_.class_.name} cannot have {type_.rows} rows and {type_.columns} columns",
                self.where,
            )
        row_major = type_.class_ is not ShaderVariableClass.MATRIX_COLUMNS
        return _vectors(type_.rows, type_.columns, row_major=row_major)

    def vector_stride(self, type_: VariableType) -> int:
        _, components = self.shape(type_)
        return self.padded(components * self.component_size(type_))

    def element_size(self, type_: VariableType) -> int:
        """Return the bytes of one element up to behind its last component."""
        if type_.class_ in _NUMERIC:
            vectors, components = self.shape(type_)
            last = (vectors - 1) * self.vector_stride(type_)
            return last + components * self.component_size(type_)
        if type_.class_ is not ShaderVariableClass.STRUCT:
            return 0
        size = max((m.offset + self.size(m.type) for m in type_.members), default=0)
        return size if self.registers else size + -size % self.alignment(type_)

    def size(self, type_: VariableType) -> int:
        """Return the bytes of all elements up to behind the last component."""
        size = self.element_size(type_)
        return (type_.elements - 1) * self.padded(size) + size if type_.elements else size

    def stride(self, type_: VariableType) -> int:
        """Return the bytes from one element of an array to the next."""
        return self.padded(self.element_size(type_))

    def padded(self, size: int) -> int:
        return size + -size % _REGISTER if self.registers else size

    def alignment(self, type_: VariableType) -> int:
        """Return 8 for what contains doubles, else 4."""
        if type_.class_ in _NUMERIC:
            return self.component_size(type_)
        return max((self.alignment(member.type) for member in type_.members), default=4)
