"""One row per opcode: numbers, operand kinds, controls, and the function that is its meaning.

A row is made by one of five decorators or calls in a row module:

    @opcode(Opcode.MAD, "mad", "f=fff", SATURATE | PRECISE, spec="inst_MAD")   pure arithmetic
    def mad(a, b, c): ...
    @effect(Opcode.LD_RAW, "ld_raw", "b=aV", spec="...")                       touches memory
    def ld_raw(m, view, offset): ...
    flow(Opcode.IF, "if", Flow.IF, "=c", TEST, spec="...")                     control flow
    declare(Opcode.DCL_TEMPS, "dcl_temps", role=Declares.TEMPS, spec="...")    declaration
    later(Opcode.TEXKILL, "texkill", "=f", spec="...")                         no meaning yet

All but declarations of SM4-5.1 also have `counts=Counts.FLOAT` or another count, or NONE: what the
statistics of a shader (STAT) count them as.

Signature letters, destinations before `=`, sources after:

    f float32        d float64 in a register pair   i u 32-bit integers    b raw bits
    m condition mask (written as 0xFFFFFFFF or 0)    a address: up to 4 uint components
    V memory view: a t#, u# or g# operand            S sampler state       L label
    U unordered access view or g# as an atomic's target (no components)
    # immediate      c comparison or other one-component uint read (select 1)
    x float vector (all four components are read, e.g. texture coordinates)
    e input register of a pixel shader, evaluated at another place (the function gets its name)
    M rows of a matrix: so many consecutive registers (SM1-3; `M3` is a tuple of three vectors)

A letter followed by a digit reads that many components at once (`f3` in dp3: the function gets a
tuple of three values); without a digit the function is applied component by component. `S1` is the
sampler state and the component that its operand selects, `S` of SM1-3 texture and sampler. An
effect row with plain `f` sources only is applied component by component, too. An effect row with
`emits` is a geometry shader's: its function gets the strips and the number of a stream.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Container
from enum import Flag, IntEnum, StrEnum, auto
from typing import Any

from softd3d.classes import dataclass
from softd3d.isa.roles import Counts, Declares, Extension, Flow

__all__ = ["Controls", "Kind", "OperandSpec", "Row", "Table", "parse_signature"]


class Controls(Flag):
    """What bits [23:11] of the opcode token and the extended tokens may say for an opcode."""

    NONE = 0
    SATURATE = auto()
    PRECISE = auto()
    TEST = auto()
    OFFSETS = auto()  # _aoffimmi
    RESINFO_TYPE = auto()
    SAMPLEINFO_TYPE = auto()
    SYNC = auto()
    FEEDBACK = auto()
    COMPARISON = auto()  # SM1-3: which of six; the function gets it after the sources
    COISSUE = auto()  # SM1-3: likewise whether the instruction is the colour half of a pair
    # SM1-3: what the function gets after the sources as well, in this order; of the texture stage
    # that the destination names, but for the first
    LOOKUP = auto()  # which kind of texld it is
    BUMP_MATRIX = auto()
    LUMINANCE = auto()  # scale and offset
    COORDINATES = auto()  # as interpolated
    PROJECTED = auto()  # the same, divided if the stage says so
    ROWS = auto()  # what texm3x*pad left in the two stages before
    EYE = auto()  # w of the coordinates of the two stages before and of this one
    CONTENTS = auto()  # what the destination holds
    STAGE_TEXTURE = auto()  # texture and sampler
    # SM1-3: what becomes of it
    DEPTH = auto()  # the result is the pixel's depth
    QUAD = auto()  # the function looks at the other pixels of the quad


class Kind(StrEnum):
    """How a row is executed."""

    PURE = "pure"
    EFFECT = "effect"
    FLOW = "flow"
    DECLARATION = "declaration"
    UNSUPPORTED = "unsupported"  # decoded and printed; lowering refuses it by name


@dataclass(frozen=True, slots=True)
class OperandSpec:
    """One letter of a signature and how many components it reads at once (0: per component)."""

    letter: str
    reads: int = 0


@dataclass(frozen=True, slots=True)
class Row:
    """Everything about one opcode of one family, in one version range."""

    opcode: IntEnum
    mnemonic: str
    kind: Kind
    destinations: tuple[OperandSpec, ...]
    sources: tuple[OperandSpec, ...]
    controls: Controls
    semantics: Callable[..., Any] | None
    spec: str
    since: tuple[int, int]
    stages: str
    doc: str
    until: tuple[int, int] | None = None  # the last version that has it; None: all later ones
    flow: Flow | None = None  # of every flow row
    declares: Declares | None = None  # of declarations, None where nobody asks
    counts: Counts = Counts.NONE  # SM4-5.1: every row says it
    extension: Extension | None = None  # of Direct3D 11.1, which has the row
    is_by_component: bool = False  # some source is read component by component
    is_wide: bool = False  # some operand is a double
    emits: bool = False  # of geometry shaders: the function takes `Strips` and a stream's number

    @property
    def is_conditional(self) -> bool:
        """Whether a jump or call has a test; other lanes go on.

        That of texkill in SM1-3 is what its destination holds.
        """
        return bool(self.destinations) or any(spec.letter != "L" for spec in self.sources)

    @property
    def label(self) -> int | None:
        """Which of the sources is a label, if one is."""
        return next((n for n, spec in enumerate(self.sources) if spec.letter == "L"), None)

    @property
    def declares_uav(self) -> bool:
        """Whether it declares a u#."""
        return self.declares in _VIEWS and self.sources[0].letter == "U"

    def covers(self, stage: str, version: tuple[int, int]) -> bool:
        """Tell whether this row is what the opcode means in a stage and version."""
        if stage not in self.stages.split() and self.stages != "all":
            return False
        return self.since <= version and (self.until is None or version <= self.until)


_VIEWS = frozenset({Declares.TYPED_VIEW, Declares.RAW_VIEW, Declares.STRUCTURED_VIEW})
LETTERS = frozenset("fdiubmaVSLU#cxeM")


def parse_signature(signature: str) -> tuple[tuple[OperandSpec, ...], tuple[OperandSpec, ...]]:
    """Split "f=f3f3" into destination and source specs."""
    left, _, right = signature.partition("=")
    return _parse(left), _parse(right)


def _parse(text: str) -> tuple[OperandSpec, ...]:
    specs: list[OperandSpec] = []
    for char in text:
        if char.isdigit():
            specs[-1] = OperandSpec(specs[-1].letter, int(char))
        elif char in LETTERS:
            specs.append(OperandSpec(char))
        else:
            raise ValueError(f"signature letter {char!r} is not known")
    return tuple(specs)


class Table:
    """The rows of one opcode family, filled by the decorators of its row modules.

    has_statistics: whether each row has to state what it counts as (`counts`).
    """

    def __init__(self, *, has_statistics: bool = False) -> None:
        self.has_statistics = has_statistics
        self.rows: dict[int, Row] = {}  # of an opcode with several rows, the first
        self.by_mnemonic: dict[str, Row] = {}  # likewise
        self.variants: dict[int, list[Row]] = {}  # all rows of an opcode

    def __getitem__(self, opcode: int) -> Row:
        return self.rows[opcode]

    def select(self, opcode: int, stage: str, version: tuple[int, int]) -> Row | None:
        """Return the row of an opcode in a stage ("vs", "ps"...) and version, if there is one."""
        found = (row for row in self.variants.get(opcode, ()) if row.covers(stage, version))
        return next(found, None)

    def flows(self) -> dict[int, Flow]:
        """Return the opcodes of control flow with their roles."""
        return {code: row.flow for code, row in self.rows.items() if row.flow is not None}

    def opcodes(self, roles: Container[Flow]) -> frozenset[int]:
        """Return the opcodes that have one of these roles."""
        return frozenset(code for code, role in self.flows().items() if role in roles)

    def opcode(
        self,
        code: IntEnum,
        mnemonic: str,
        signature: str,
        controls: Controls = Controls.NONE,
        *,
        counts: Counts | None = None,
        spec: str,
        since: tuple[int, int] = (4, 0),
        until: tuple[int, int] | None = None,
        stages: str = "all",
        extension: Extension | None = None,
    ) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
        """Register a pure row; the decorated function takes the sources as algebra values."""
        return self._decorator(
            Kind.PURE, code, mnemonic, signature, controls, counts, spec, since, until, stages,
            extension,
        )  # fmt: skip

    def effect(
        self,
        code: IntEnum,
        mnemonic: str,
        signature: str,
        controls: Controls = Controls.NONE,
        *,
        counts: Counts | None = None,
        spec: str,
        since: tuple[int, int] = (4, 0),
        until: tuple[int, int] | None = None,
        stages: str = "all",
        emits: bool = False,
    ) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
        """Register a row that touches memory; the function takes the machine, then the sources.

        emits: it takes the strips of a geometry shader instead, then the number of a stream.
        """
        return self._decorator(
            Kind.EFFECT, code, mnemonic, signature, controls, counts, spec, since, until, stages,
            emits=emits,
        )  # fmt: skip

    def flow(
        self,
        code: IntEnum,
        mnemonic: str,
        role: Flow,
        signature: str = "=",
        controls: Controls = Controls.NONE,
        *,
        counts: Counts | None = None,
        spec: str,
        doc: str,
        since: tuple[int, int] = (4, 0),
        until: tuple[int, int] | None = None,
        stages: str = "all",
    ) -> None:
        """Register a control-flow row; the walkers of structured control flow know its role."""
        self._add(
            Kind.FLOW, code, mnemonic, signature, controls, None, spec, since, until, stages, doc,
            counts=counts, flow=role,
        )  # fmt: skip

    def declare(
        self,
        code: IntEnum,
        mnemonic: str,
        signature: str = "=",
        *,
        spec: str,
        doc: str,
        role: Declares | None = None,
        since: tuple[int, int] = (4, 0),
        until: tuple[int, int] | None = None,
        stages: str = "all",
    ) -> None:
        """Register a declaration row."""
        self._add(
            Kind.DECLARATION, code, mnemonic, signature, Controls.NONE, None, spec, since, until,
            stages, doc, counts=Counts.NONE, declares=role,
        )  # fmt: skip

    def later(
        self,
        code: IntEnum,
        mnemonic: str,
        signature: str = "=",
        controls: Controls = Controls.NONE,
        *,
        counts: Counts | None = None,
        spec: str,
        doc: str,
        since: tuple[int, int] = (4, 0),
        until: tuple[int, int] | None = None,
        stages: str = "all",
    ) -> None:
        """Register a row that is decoded, printed and encoded, but has no semantics yet."""
        self._add(
            Kind.UNSUPPORTED, code, mnemonic, signature, controls, None, spec, since, until,
            stages, doc, counts=counts,
        )  # fmt: skip

    def _decorator(
        self,
        kind: Kind,
        code: IntEnum,
        mnemonic: str,
        signature: str,
        controls: Controls,
        counts: Counts | None,
        spec: str,
        since: tuple[int, int],
        until: tuple[int, int] | None,
        stages: str,
        extension: Extension | None = None,
        *,
        emits: bool = False,
    ) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
        def register(function: Callable[..., Any]) -> Callable[..., Any]:
            doc = inspect.cleandoc(function.__doc__ or "")
            self._add(
                kind, code, mnemonic, signature, controls, function, spec, since, until, stages,
                doc, counts=counts, extension=extension, emits=emits,
            )  # fmt: skip
            return function

        return register

    def _add(
        self,
        kind: Kind,
        code: IntEnum,
        mnemonic: str,
        signature: str,
        controls: Controls,
        semantics: Callable[..., Any] | None,
        spec: str,
        since: tuple[int, int],
        until: tuple[int, int] | None,
        stages: str,
        doc: str,
        *,
        counts: Counts | None,
        flow: Flow | None = None,
        declares: Declares | None = None,
        extension: Extension | None = None,
        emits: bool = False,
    ) -> None:
        if not doc:
            raise ValueError(f"{mnemonic}: no documentation")
        if counts is None and self.has_statistics:
            raise ValueError(f"{mnemonic}: counts= has to say what statistics count it as")
        left, right = parse_signature(signature)
        row = Row(
            code, mnemonic, kind, left, right, controls, semantics, spec, since, stages, doc,
            until, flow, declares, counts or Counts.NONE, extension,
            is_by_component=any(not spec.reads and spec.letter not in "xS" for spec in right),
            is_wide=any(spec.letter == "d" for spec in (*left, *right)), emits=emits,
        )  # fmt: skip
        variants = self.variants.setdefault(code, [])
        if any(_overlap(row, other) for other in variants):
            raise ValueError(f"{mnemonic}: opcode {code} has a row already")
        variants.append(row)
        self.rows.setdefault(code, row)
        self.by_mnemonic.setdefault(mnemonic, row)


def _overlap(a: Row, b: Row) -> bool:
    """Tell whether two rows claim the opcode in one stage and version."""
    shared = "all" in (a.stages, b.stages) or set(a.stages.split()) & set(b.stages.split())
    ends = (a.until is None or b.since <= a.until) and (b.until is None or a.since <= b.until)
    return bool(shared) and ends
