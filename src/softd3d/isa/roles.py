"""What rows of control flow and of declarations are for, and what statistics count rows as.

Opcodes of several instruction sets share a role: what walks over programs asks for it, and needs no
list of opcodes. Whether a jump or call is conditional follows from its row (`Row.is_conditional`).
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum, Flag, auto

__all__ = [
    "BLOCK_ARMS",
    "BLOCK_ENDS",
    "BLOCK_STARTS",
    "PHASES",
    "Counts",
    "Declares",
    "Extension",
    "Flow",
]


class Flow(Enum):
    """What an instruction of control flow does."""

    IF = auto()
    ELSE = auto()
    ENDIF = auto()
    LOOP = auto()
    ENDLOOP = auto()
    REP = auto()  # SM1-3: rep, a loop that leaves aL alone
    ENDREP = auto()
    BREAK = auto()
    CONTINUE = auto()
    SWITCH = auto()
    CASE = auto()
    DEFAULT = auto()
    ENDSWITCH = auto()
    CALL = auto()
    METHOD_CALL = auto()  # of the object that is bound to an interface
    LABEL = auto()
    RETURN = auto()
    PHASE = auto()
    NOP = auto()
    DISCARD = auto()
    ABORT = auto()
    DEBUG_BREAK = auto()


BLOCK_ENDS: Mapping[Flow, Flow] = {
    Flow.ENDIF: Flow.IF,
    Flow.ENDLOOP: Flow.LOOP,
    Flow.ENDREP: Flow.REP,
    Flow.ENDSWITCH: Flow.SWITCH,
}
"""What ends a block, and what has opened that block."""
BLOCK_STARTS = frozenset(BLOCK_ENDS.values())
BLOCK_ARMS = frozenset({Flow.ELSE, Flow.CASE, Flow.DEFAULT})
"""What begins another part of a block."""


class Extension(Enum):
    """What Direct3D 11.1 added to shader model 5: a program says so in dcl_globalFlags."""

    DOUBLES = auto()
    SHADERS = auto()


class Declares(Enum):
    """What a declaration is of, where somebody asks; views are t# or u# by the row's operand."""

    TEMPS = auto()
    INDEXABLE_TEMP = auto()
    CONSTANT_BUFFER = auto()
    SAMPLER = auto()
    TYPED_VIEW = auto()
    RAW_VIEW = auto()
    STRUCTURED_VIEW = auto()
    RAW_SHARED_MEMORY = auto()
    STRUCTURED_SHARED_MEMORY = auto()
    THREAD_GROUP = auto()
    GLOBAL_FLAGS = auto()
    INPUT = auto()
    OUTPUT = auto()
    INDEX_RANGE = auto()
    INPUT_PRIMITIVE = auto()
    OUTPUT_TOPOLOGY = auto()
    OUTPUT_VERTICES = auto()
    STREAM = auto()
    INSTANCES = auto()  # of a geometry shader, or of a phase of a hull shader
    INPUT_CONTROL_POINTS = auto()
    OUTPUT_CONTROL_POINTS = auto()
    DOMAIN = auto()
    PARTITIONING = auto()
    OUTPUT_PRIMITIVE = auto()
    CONTROL_POINT_PHASE = auto()
    FORK_PHASE = auto()
    JOIN_PHASE = auto()
    FUNCTION_TABLE = auto()
    INTERFACE = auto()
    REGISTER = auto()  # SM1-3: dcl of an input, output or sampler
    CONSTANT = auto()  # SM1-3: def, defi, defb


PHASES = frozenset({Declares.CONTROL_POINT_PHASE, Declares.FORK_PHASE, Declares.JOIN_PHASE})
"""Where a phase of a hull shader begins."""


class Counts(Flag):
    """Which instruction counts of D3D11_SHADER_DESC (STAT) an instruction adds 1 to.

    What compiler 10.1 counts is measured: most operations that are newer than Direct3D 10 add to
    none. Operands may say otherwise (`container/reflection/statistics.py`).
    """

    NONE = 0
    FLOAT = auto()
    INT = auto()
    UINT = auto()
    CONVERSION = auto()
    MOV = auto()
    MOVC = auto()
    STATIC_FLOW = auto()
    DYNAMIC_FLOW = auto()
    CUT = auto()
    EMIT = auto()
    TEXTURE_NORMAL = auto()
    TEXTURE_LOAD = auto()
    TEXTURE_COMP = auto()
    TEXTURE_BIAS = auto()
    TEXTURE_GRADIENT = auto()
    TEXTURE_STORE = auto()
    GATHER = auto()
    LOD = auto()
    BARRIER = auto()
    INTERLOCKED = auto()
