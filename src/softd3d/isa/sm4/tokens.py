"""Bit fields of SM4.0-5.1 tokens, and what follows an opcode token, for decoder and encoder alike.

Layouts: d3d12TokenizedProgramFormat.hpp; D3D11.3 functional specification section 22.
"""

from __future__ import annotations

from functools import lru_cache

from softd3d.bits import Field, SignedField
from softd3d.classes import dataclass
from softd3d.isa.row import Kind
from softd3d.isa.sm4.enums import Opcode
from softd3d.isa.sm4.rows.table import TABLE

__all__ = ["Layout", "layout"]

# Version token
VERSION_MINOR = Field(3, 0)
VERSION_MAJOR = Field(7, 4)
VERSION_TYPE = Field(31, 16)
VERSIONS = frozenset({(4, 0), (4, 1), (5, 0), (5, 1)})
HEADER_DWORDS = 2

# Opcode token; customdata has a class in place of controls and length
OPCODE = Field(10, 0)
CONTROLS = Field(23, 11)
LENGTH = Field(30, 24)
EXTENDED = Field(31, 31)
CUSTOM_CLASS = Field(31, 11)
CONTROLS_MASK = 0x00FFF800
MAX_LENGTH = 127
UNBOUNDED = 0xFFFFFFFF  # the upper bound of a range without end
CUSTOM_HEADER_DWORDS = 2

# Extended opcode token, by type
EXTENDED_OPCODE_TYPE = Field(5, 0)
TEXEL_OFFSETS = (SignedField(12, 9), SignedField(16, 13), SignedField(20, 17))
EXTENDED_DIMENSION = Field(10, 6)
EXTENDED_STRIDE = Field(22, 11)
EXTENDED_RETURN_TYPES = (Field(9, 6), Field(13, 10), Field(17, 14), Field(21, 18))

# The dword of that name of declarations of typed views
RETURN_TYPES = (Field(3, 0), Field(7, 4), Field(11, 8), Field(15, 12))

# Operand token
COMPONENTS = Field(1, 0)
MODE = Field(3, 2)
MASK = Field(7, 4)
SWIZZLE = (Field(5, 4), Field(7, 6), Field(9, 8), Field(11, 10))
OPERAND_TYPE = Field(19, 12)
DIMENSIONS = Field(21, 20)
REPRESENTATIONS = (Field(24, 22), Field(27, 25), Field(30, 28))
COMPONENT_COUNTS = (0, 1, 4)  # of the two-bit codes 0 to 2

# Extended operand token
EXTENDED_OPERAND_TYPE = Field(5, 0)
MODIFIER = Field(13, 6)
MIN_PRECISION = Field(16, 14)
NON_UNIFORM = Field(17, 17)
EXTENDED_EMPTY = 0
EXTENDED_OPERAND_MODIFIER = 1

# Index representations: how many dwords, and whether an operand follows them
REPRESENTATION_DWORDS = (1, 2, 0, 1, 2)
REPRESENTATION_IS_RELATIVE = (False, False, True, True, True)

# Controls of single opcodes
DECLARED_DIMENSION = Field(15, 11)
DECLARED_SAMPLES = Field(22, 16)
SAMPLER_MODE = Field(14, 11)
INTERPOLATION = Field(14, 11)
DYNAMIC_INDEXED = Field(11, 11)
OUTPUT_TOPOLOGY = Field(17, 11)
INPUT_PRIMITIVE = Field(16, 11)
CONTROL_POINTS = Field(16, 11)
DOMAIN = Field(12, 11)
PARTITIONING = Field(13, 11)
OUTPUT_PRIMITIVE = Field(13, 11)
RESINFO_TYPE = Field(12, 11)
SAMPLEINFO_TYPE = Field(11, 11)

_NAME = ("name",)
_ID = ("id",)
_COUNT = ("count",)
_VIEW = ("space",)
_TYPED_VIEW = ("return type", "space")
_STRUCTURED_VIEW = ("stride", "space")

# Dwords after the operands. `space` is there from 5.1 on only, as is the size of a constant buffer
# (before, the operand's second index has it).
DWORDS: dict[Opcode, tuple[str, ...]] = {
    Opcode.DCL_RESOURCE: _TYPED_VIEW,
    Opcode.DCL_RESOURCE_RAW: _VIEW,
    Opcode.DCL_RESOURCE_STRUCTURED: _STRUCTURED_VIEW,
    Opcode.DCL_UNORDERED_ACCESS_VIEW_TYPED: _TYPED_VIEW,
    Opcode.DCL_UNORDERED_ACCESS_VIEW_RAW: _VIEW,
    Opcode.DCL_UNORDERED_ACCESS_VIEW_STRUCTURED: _STRUCTURED_VIEW,
    Opcode.DCL_CONSTANT_BUFFER: ("size", "space"),
    Opcode.DCL_SAMPLER: _VIEW,
    Opcode.DCL_INDEX_RANGE: _COUNT,
    Opcode.DCL_MAX_OUTPUT_VERTEX_COUNT: _COUNT,
    Opcode.DCL_GS_INSTANCE_COUNT: _COUNT,
    Opcode.DCL_INPUT_SGV: _NAME,
    Opcode.DCL_INPUT_SIV: _NAME,
    Opcode.DCL_INPUT_PS_SGV: _NAME,
    Opcode.DCL_INPUT_PS_SIV: _NAME,
    Opcode.DCL_OUTPUT_SGV: _NAME,
    Opcode.DCL_OUTPUT_SIV: _NAME,
    Opcode.DCL_TEMPS: _COUNT,
    Opcode.DCL_INDEXABLE_TEMP: ("register", "count", "components"),
    Opcode.DCL_FUNCTION_BODY: _ID,
    Opcode.DCL_FUNCTION_TABLE: ("id", "count"),
    Opcode.DCL_INTERFACE: ("id", "table length", "counts"),
    Opcode.DCL_HS_MAX_TESSFACTOR: ("factor",),
    Opcode.DCL_HS_FORK_PHASE_INSTANCE_COUNT: _COUNT,
    Opcode.DCL_HS_JOIN_PHASE_INSTANCE_COUNT: _COUNT,
    Opcode.DCL_THREAD_GROUP: ("x", "y", "z"),
    Opcode.DCL_THREAD_GROUP_SHARED_MEMORY_RAW: ("bytes",),
    Opcode.DCL_THREAD_GROUP_SHARED_MEMORY_STRUCTURED: ("stride", "count"),
}
_NOT_BEFORE_5_1 = frozenset({"size", "space"})

# The last named dword counts ids that follow it; the mask takes the count out of it.
COUNTED: dict[Opcode, int] = {
    Opcode.DCL_FUNCTION_TABLE: 0xFFFFFFFF,
    Opcode.DCL_INTERFACE: 0xFFFF,
}

# Dwords between the opcode token and the operands.
LEADING: dict[Opcode, tuple[str, ...]] = {Opcode.INTERFACE_CALL: ("call site",)}


@dataclass(frozen=True, slots=True)
class Layout:
    """What follows an opcode token and its extended tokens.

    leading: names of dwords before the operands; operands: the operands' names; dwords: names of
    the dwords after them; count_mask: takes the number of further dwords out of the last one, 0 if
    there are no further ones.
    """

    mnemonic: str
    leading: tuple[str, ...]
    operands: tuple[str, ...]
    dwords: tuple[str, ...]
    count_mask: int


@lru_cache(maxsize=2048)
def layout(opcode: Opcode, version: tuple[int, int]) -> Layout:
    """Return what follows the token of `opcode` in a version."""
    row = TABLE.rows[opcode]
    named = _numbered("dst", len(row.destinations)) + _numbered("src", len(row.sources))
    if row.kind is Kind.DECLARATION:
        named = ("register",) * len(named)
    dwords = DWORDS.get(opcode, ())
    if version < (5, 1):
        dwords = tuple(name for name in dwords if name not in _NOT_BEFORE_5_1)
    return Layout(
        row.mnemonic, LEADING.get(opcode, ()), named, dwords, COUNTED.get(opcode, 0)
    )  # fmt: skip


def _numbered(word: str, count: int) -> tuple[str, ...]:
    return (word,) if count == 1 and word == "dst" else tuple(f"{word}{i}" for i in range(count))
