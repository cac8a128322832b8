"""Operands of random programs: registers by class, views, addresses near and far."""

from __future__ import annotations

import random
from dataclasses import dataclass, field, replace
from functools import cache

from random_resources import DUMP_RULES, FORMATS_READ, FORMATS_WRITTEN, TEXTURES, Slot, word_of

from softd3d.isa.row import Kind, OperandSpec, Row
from softd3d.isa.sm4.rows import TABLE
from softd3d.resources.cases.comparison import Tolerance

__all__ = [
    "ARRAYS",
    "COMMUTING",
    "CONSTANTS",
    "DOUBLE",
    "EXACT",
    "FIRST_COUNTER",
    "FLOAT",
    "GARBAGE",
    "IMMEDIATES",
    "Operands",
    "Uses",
]

_VERSIONS = ((5, 0),) * 14 + ((5, 1),) * 6 + ((4, 0), (4, 1))
_GROUPS = ((1, 1, 1), (8, 1, 1), (3, 5, 1), (16, 1, 1), (4, 4, 2), (37, 1, 1), (32, 1, 1))
# Of these a wave may be several vectors, or a group several waves. Rows as long as a vector are the
# same in y within one and differ between those of a wave.
_LARGE_GROUPS = ((64, 1, 1), (128, 1, 1), (256, 1, 1), (8, 8, 1), (16, 4, 2), (8, 8, 4),
                 (100, 1, 1), (5, 7, 2), (4, 9, 4), (32, 2, 1), (1, 1, 64), (16, 4, 1), (8, 4, 2),
                 (16, 8, 1), (4, 4, 4))  # fmt: skip
_DISPATCHES = ((1, 1, 1), (2, 1, 1), (2, 2, 1), (1, 1, 3), (1, 2, 1), (2, 3, 2))
EXACT, FLOAT, DOUBLE, GARBAGE = ("r0", "r1", "r2", "r3"), ("r4", "r5"), "r6", "r7"
# r9 is for addresses and conditions, r10 for numbers of registers
_OWN, FIRST_COUNTER = "r8", 11
ARRAYS = {"x0": 6, "x1": 5}
CONSTANTS, IMMEDIATES = 6, 5  # vectors
_WORDS = (0, 1, 2, 3, 31, 32, 0xFFFFFFFF, 0x80000000, 0x7FFFFFFF, 0x3F800000, 0xBF000000,
          0x7F800000, 0x7FC00000, 0x00000100, 0x40490FDB, 0x007FFFFF, 0x4F7FFFFF)  # fmt: skip
_DOUBLES = ("0", "1", "-0.5", "3.25", "1e300", "0x7ff0000000000000", "0x7ff8000000000000",
            "0x0000000000000001", "0x8000000000000000", "4294967296.5")  # fmt: skip
COMMUTING = ("and", "or", "xor", "iadd", "imax", "imin", "umax", "umin")
_FLOAT_FORMATS = [f for f in FORMATS_READ if word_of(f) == "float"]
_READ_ADDRESSES = ("wild", "masked", "literal", "number")


@dataclass
class Uses:
    """What the instructions need to have declared."""

    slots: dict[str, Slot] = field(default_factory=dict[str, Slot])
    shared: dict[str, str] = field(default_factory=dict[str, str])
    arrays: set[str] = field(default_factory=set[str])
    samplers: set[int] = field(default_factory=set[int])
    icb: bool = False
    constants: bool = False  # the range of buffers CB1
    counters: int = 0


class Operands:
    """What a program is made of, and the lines that it has so far."""

    def __init__(self, seed: int) -> None:
        self.seed = seed
        self.random = r = random.Random(seed)
        self.version = r.choice(_VERSIONS)
        self.has_doubles = self.version >= (5, 0) and r.random() < 0.2
        self.has_barriers = self.version >= (5, 0) and r.random() < 0.2
        self.has_arrays = r.random() < 0.35
        self.has_ranges = self.version >= (5, 1) and r.random() < 0.7
        is_large = self.version >= (5, 0) and r.random() < 0.3
        self.group = r.choice(_LARGE_GROUPS if is_large else _GROUPS)
        self.groups = r.choice(_DISPATCHES[:4] if is_large else _DISPATCHES)
        self.threads = self.group[0] * self.group[1] * self.group[2]
        self.total = self.threads * self.groups[0] * self.groups[1] * self.groups[2]
        self.lines: list[str] = []
        self.uses = Uses()
        self.cost, self.factor = 0, 1
        self.start = 0  # of the lines after the prologue
        self.function_costs: list[int] = []
        self.may_not_end = False
        self.pure, self.effects = _rows(self.version, has_doubles=self.has_doubles)
        self.commuting = r.choice(COMMUTING)
        self.slots = self._slots()
        self.has_sampling = False

    def chance(self, probability: float) -> bool:
        return self.random.random() < probability

    def emit(self, line: str) -> None:
        self.lines.append(line)
        self.cost += self.factor

    def _slots(self) -> dict[str, Slot]:
        """Return the registers that a program may use; those that it does use are declared."""
        r, total = self.random, self.total
        texture = r.choice([t for t in TEXTURES if self.version > (4, 0) or "cubearray" not in t])
        mips = 2 if r.random() < 0.5 and "ms" not in texture else 1
        written = r.choice(list(FORMATS_WRITTEN))
        painted = r.choice(list(FORMATS_WRITTEN))
        rows = -(-total // 8)
        found = [
            Slot("t0", "raw", r.choice((None, 0, 4, 36, 64, 256, 256))),
            Slot("t1", "structured", 20 * r.choice((0, 1, 5, 9)), 20),
            Slot("t2", "buffer", 16 * r.choice((0, 1, 3)), format=r.choice(FORMATS_READ)),
            Slot("t3", texture, format=r.choice(FORMATS_READ), mips=mips),
            Slot("u0", "structured", 4 * len(DUMP_RULES) * max(1, total - r.choice((0, 0, 0, 1))),
                 4 * len(DUMP_RULES), rules=DUMP_RULES),
            Slot("u1", "raw", max(4, 16 * total - r.choice((0, 0, 4, 8, 16)))),
            self._written("u2", "buffer", written, size=16 * total),
            self._written("u3", "texture2d", painted, shape=(max(1, rows - r.randrange(2)), 8)),
            Slot("u4", "raw", r.choice((4, 20, 64))),
            Slot("u5", "structured", 12 * max(1, total - r.randrange(2)), 12,
                 counter=r.choice(("alloc", "consume"))),
            Slot("u6", *r.choice((("raw", 48), ("structured", 24, 8)))),
        ]  # fmt: skip
        if self.has_ranges:
            found += self._ranges()
        return {slot.name: slot for slot in found}

    def _ranges(self) -> list[Slot]:
        """Return registers whose numbers may be computed; to some nothing is bound."""
        gaps = [frozenset(self.random.sample(range(4), self.random.randrange(3))) for _ in range(4)]
        total = max(4, 16 * self.total - self.random.choice((0, 4)))
        return [
            Slot("t5", "raw", 64, length=4, gaps=gaps[0]),
            Slot("t9", "texture2d", format="R32_FLOAT", length=3, gaps=gaps[1],
                 formats=tuple(self.random.sample(_FLOAT_FORMATS, 3))),
            Slot("u7", "raw", total, length=3, gaps=gaps[2]),
            Slot("u10", "raw", 20, length=3, gaps=gaps[3]),
        ]  # fmt: skip

    @staticmethod
    def _written(name: str, kind: str, format_: str, **facts: object) -> Slot:
        rule = Tolerance(FORMATS_WRITTEN[format_])
        return replace(Slot(name, kind, format=format_, rules=(rule,)), **facts)

    # Operands

    def view(self, name: str) -> str:
        """Return a memory register's name in an operand, and have it declared."""
        slot = self.uses.slots.setdefault(name, self.slots[name])
        if self.version < (5, 1):
            return name
        register = f"{name[0].upper()}{name[1:]}"
        return f"{register}[{self.number(slot.number, slot.length, 'x')}]"

    def number(self, first: int, length: int, component: str) -> str:
        """Return the number of one of a range of registers: a constant, or computed.

        A computed one may be the same for all threads, and may be outside the range.
        """
        kind = self.random.random()
        if length == 1 or kind < 0.25:
            return str(first + self.random.randrange(length))
        register = f"r10.{component}"
        if kind < 0.45:
            vector = self.random.randrange(CONSTANTS)
            self.emit(f"and {register}, CB0[0][{vector}].{self.swizzle(1)}, l(3)")
        elif kind < 0.95:
            source = f"{self.random.choice((*EXACT, _OWN))}.{self.random.choice('xyzw')}"
            self.emit(f"and {register}, {source}, l({self.random.choice((1, 3, 3, 7))})")
        else:
            self.emit(f"mov {register}, {self.random.choice(EXACT)}.{self.swizzle(1)}")
        return f"{register} + {first}"

    def word(self) -> int:
        if self.chance(0.4):
            return self.random.getrandbits(32)
        return self.random.choice(_WORDS) if self.chance(0.6) else self.random.randrange(9)

    def literal(self, count: int) -> str:
        return f"l({', '.join(hex(self.word()) for _ in range(count))})"

    def swizzle(self, count: int = 4) -> str:
        if count == 1 or self.chance(0.3):
            return self.random.choice("xyzw") * count
        return "xyzw" if self.chance(0.3) else "".join(self.random.choices("xyzw", k=4))

    def mask(self) -> str:
        found = "".join(c for c in "xyzw" if self.chance(0.6))
        return found or self.random.choice("xyzw")

    def exact(self, count: int = 4) -> str:
        """Return a source of exact bits with its components."""
        register, components = self.exact_register(), self.swizzle(count)
        if register[0] == "v":
            components = components.replace("w", "x")  # thread ids have three components
        return f"{register}.{components}"

    def exact_register(self) -> str:
        kind = self.random.random()
        if kind < 0.66:
            return self.random.choice(EXACT)
        if kind < 0.78:
            return self.constant()
        if kind < 0.86:
            return self.random.choice((_OWN, "vThreadID", "vThreadIDInGroup", "vThreadGroupID"))
        if kind < (0.96 if self.has_arrays else 0.93):
            return self.element("x0")
        self.uses.icb = True
        return f"icb[{self.index(IMMEDIATES)}]"

    def constant(self, *, fixed: bool = False) -> str:
        """Return a vector of the constant buffer; a fixed one is the same for all threads."""
        prefix = "CB0[0]" if self.version >= (5, 1) else "cb0"
        if self.has_ranges and not fixed and self.chance(0.4):
            self.uses.constants = True
            prefix = f"CB1[{self.number(1, 3, 'z')}]"
        index = self.random.randrange(CONSTANTS) if fixed else self.index(CONSTANTS)
        return f"{prefix}[{index}]"

    def index(self, count: int) -> str:
        """Return an index of an array: a constant, or a register that may point anywhere."""
        if self.chance(0.6):
            return str(self.random.randrange(count))
        register = self.random.choice(EXACT)
        return f"{register}.{self.random.choice('xyzw')} + {self.random.randrange(count)}"

    def element(self, array: str) -> str:
        self.uses.arrays.add(array)
        return f"{array}[{self.index(ARRAYS[array])}]"

    def float_source(self, *, only_exact: bool = False) -> str:
        kind = self.random.random()
        if kind < 0.15:
            return self.literal(4)
        if only_exact or kind < 0.5:
            body = self.exact()
        else:
            register = self.random.choice(FLOAT) if kind < 0.9 else self.element("x1")
            body = f"{register}.{self.swizzle()}"
        if self.chance(0.25):
            body = self.random.choice(("-{}", "|{}|", "-|{}|")).format(body)
        return body

    def double_source(self) -> str:
        if self.chance(0.15):
            one, two = self.random.choices(_DOUBLES, k=2)
            return f"d({one}l, {two}l)"
        register = DOUBLE if self.chance(0.7) else self.random.choice((*EXACT, "r1"))
        body = f"{register}.{self.random.choice(('xyxy', 'zwzw', 'xyzw', 'zwxy'))}"
        if self.chance(0.25):
            body = self.random.choice(("-{}", "|{}|", "-|{}|")).format(body)
        return body

    def source(self, spec: OperandSpec, *, as_float: bool, only_exact: bool) -> str:
        if spec.letter == "d":
            return self.double_source()
        if spec.letter in "fx" or (spec.letter == "b" and as_float):
            return self.float_source(only_exact=only_exact)
        if spec.letter == "c":
            return self.exact(1)
        if self.chance(0.2):
            return self.literal(4)
        sign = "-" if spec.letter == "i" and self.chance(0.2) else ""
        return sign + self.exact()

    def target(self, letter: str, *, as_float: bool) -> tuple[str, str]:
        """Return a result register of the right class, and its mask."""
        if letter == "d":
            return DOUBLE, self.random.choice(("xy", "zw", "xyzw"))
        is_float = letter == "f" or (letter == "b" and as_float)
        if self.chance(0.4 if self.has_arrays else 0.12):
            return self.element("x1" if is_float else "x0"), self.mask()
        return self.random.choice(FLOAT if is_float else EXACT), self.mask()

    # Addresses

    def address(self, size: int) -> str:
        """Return an address of any kind, below, at or far beyond `size`."""
        kind = self.random.choice(_READ_ADDRESSES)
        if kind == "wild":
            return self.exact(1)
        if kind == "number":
            return f"r8.{self.random.choice('xyzw')}"
        if kind == "literal":
            near = (size - 4, size - 1, size, size + 1, size // 2, 0)
            far = (1 << 31, 0xFFFFFFFF, 0xFFFFFFFC, (1 << 32) // 20 + 1, 0x7FFFFFFF)
            return f"l({self.random.choice(near + far) & 0xFFFFFFFF})"
        limit = (1 << max(size, 1).bit_length()) - 1
        component = self.random.choice("xyz")
        self.emit(f"and r9.{component}, {self.exact(1)}, l({limit})")
        return f"r9.{component}"

    def coordinates(self) -> str:
        kind = self.random.random()
        if kind < 0.2:
            return self.exact()
        if kind < 0.4:
            picks = [self.random.choice((0, 1, 3, 7, 0xFFFFFFFF, 1 << 31)) for _ in range(4)]
            return f"l({', '.join(map(str, picks))})"
        self.emit(f"and r9.xyzw, {self.exact()}, l(7, 7, 3, 1)")
        return "r9.xyzw"

    def own(self, name: str) -> str:
        """Return the element of a view that is the thread's, sometimes one that is outside."""
        own = "r8.y" if name in ("u1", "u7") else "r8.x"
        if not self.chance(0.2):
            return own
        self.emit(f"or r9.x, {self.exact(1)}, l({hex(self.random.choice((1 << 31, 3 << 29)))})")
        self.emit(f"movc r9.x, {self.exact(1)}, {own}, r9.x")
        return "r9.x"

    def loaded(self, format_: str = "") -> tuple[str, str]:
        """Return a register for what is read from memory."""
        is_float = bool(format_) and word_of(format_) == "float"
        return self.random.choice(FLOAT if is_float else EXACT), self.mask()


@cache
def _rows(version: tuple[int, int], *, has_doubles: bool) -> tuple[list[Row], set[str]]:
    """Return a version's rows of arithmetic, and the names of those with effects."""
    rows = [row for row in TABLE.rows.values() if row.covers("cs", version)]
    pure = [r for r in rows if r.kind is Kind.PURE and (has_doubles or not _wide(r))]
    return pure, {row.mnemonic for row in rows if row.kind is Kind.EFFECT}


def _wide(row: Row) -> bool:
    return any(spec.letter == "d" for spec in (*row.destinations, *row.sources))
