"""Writing a generated program: text with its registers, and which constants belong where."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Generator
from contextlib import contextmanager

from softd3d.classes import dataclass
from softd3d.isa.asm.sm1.assembler import parse_sm1_program
from softd3d.isa.sm1.program import Program

__all__ = ["Constant", "Generated", "Writer"]

_COMPONENTS = "xyzw"
_MOST_READS = 2  # of constants by an instruction, in ps_2_x
# Files of which an instruction may read one register only
_ONE_OF = re.compile(r"-?([cv])(\d+|\[[^\]]*\])")


@dataclass(frozen=True, slots=True)
class Constant:
    """Registers that a state fills: `rows` of them from `register` on.

    index: of the light, stage or matrix; None where there is one only.
    """

    name: str
    index: int | None
    register: int
    rows: int


@dataclass(frozen=True, slots=True)
class Generated:
    """A generated program: its listing, itself, and what its constants are.

    rows: how many float constants the program has, from c0 on.
    """

    text: str
    program: Program
    constants: tuple[Constant, ...]
    rows: int


class Writer:
    """Collects a program's statements; registers of each file are given out in order."""

    def __init__(self) -> None:
        self._body: list[str] = []
        self._inputs: dict[str, str] = {}
        self._outputs: dict[str, str] = {}
        self._samplers: list[str] = []
        self._constants: dict[tuple[str, int | None], Constant] = {}
        self._literals: dict[int, list[float]] = {}
        self._vectors: dict[tuple[float, ...], str] = {}
        self._next_constant = 0
        self._next_temporary = 0

    # Registers

    def input(self, usage: str) -> str:
        """Return the v# of an element, such as `texcoord1`."""
        return self._inputs.setdefault(usage, f"v{len(self._inputs)}")

    def output(self, usage: str) -> str:
        """Return the o# of what a vertex program hands on."""
        return self._outputs.setdefault(usage, f"o{len(self._outputs)}")

    def declare(self, text: str) -> None:
        """Declare a register of a pixel program, once."""
        if text not in self._samplers:
            self._samplers.append(text)

    def temporary(self) -> str:
        """Return a register that nobody uses."""
        self._next_temporary += 1
        return f"r{self._next_temporary - 1}"

    @contextmanager
    def scope(self) -> Generator[None]:
        """Free the temporaries taken inside at the end."""
        mark = self._next_temporary
        yield
        self._next_temporary = mark

    def constant(self, name: str, index: int | None = None, rows: int = 1) -> str:
        """Return the first c# of a value that comes from states."""
        key = name, index
        if key not in self._constants:
            self._constants[key] = Constant(name, index, self._take(rows), rows)
        return f"c{self._constants[key].register}"

    def number(self, value: float) -> str:
        """Return a component of a constant that the program defines."""
        for register, values in self._literals.items():
            if value in values:
                return f"c{register}.{_COMPONENTS[values.index(value)]}"
        for register, values in self._literals.items():
            if len(values) < len(_COMPONENTS):
                values.append(value)
                return f"c{register}.{_COMPONENTS[len(values) - 1]}"
        return f"{self.vector(value)}.x"

    def vector(self, *values: float) -> str:
        """Return a constant that the program defines, which begins with some values."""
        if values not in self._vectors:
            register = self._take(1)
            self._literals[register] = list(values)
            self._vectors[values] = f"c{register}"
        return self._vectors[values]

    def _take(self, rows: int) -> int:
        self._next_constant += rows
        return self._next_constant - rows

    # Statements

    def note(self, text: str) -> None:
        """Begin a part of the listing."""
        self._body.append(f"\n// {text}")

    def emit(self, mnemonic: str, destination: str, *sources: str, when: str = "") -> None:
        """Write an instruction; when: a predicate.

        No version lets an instruction read two different c# (or v#), and 2_x none more than
        twice; what is too much goes through temporaries.
        """
        with self.scope():
            legal = self._one_of_each(sources)
            predicate = f"({when}) " if when else ""
            self._body.append(f"{predicate}{mnemonic} {', '.join((destination, *legal))}")

    def _one_of_each(self, sources: tuple[str, ...]) -> list[str]:
        first: dict[str, str] = {}
        reads = Counter[str]()
        legal: list[str] = []
        for source in sources:
            found = _ONE_OF.match(source)
            file = found[1] if found else ""
            reads[file] += 1
            is_legal = file != "c" or reads[file] <= _MOST_READS
            if found is None or (first.setdefault(file, found[2]) == found[2] and is_legal):
                legal.append(source)
                continue
            copy = self.temporary()
            self._body.append(f"mov {copy}, {source[source.startswith('-') : found.end()]}")
            sign = "-" if source.startswith("-") else ""
            legal.append(f"{sign}{copy}{source[found.end() :]}")
        return legal

    # The program

    def finish(self, version: str) -> Generated:
        """Return the program; version: `vs_3_0` and so on."""
        lines = [version]
        for register, values in sorted(self._literals.items()):
            padded = [*values, *(0.0,) * (len(_COMPONENTS) - len(values))]
            lines.append(f"def c{register}, {', '.join(map(_literal, padded))}")
        lines += [f"dcl_{usage} {register}" for usage, register in self._inputs.items()]
        lines += [f"dcl_{usage} {register}" for usage, register in self._outputs.items()]
        lines += self._samplers
        constants = tuple(self._constants.values())
        lines += [f"// {_described(constant)}" for constant in constants]
        text = "\n".join((*lines, *self._body, ""))
        return Generated(text, parse_sm1_program(text), constants, self._next_constant)

    @property
    def float_constants(self) -> int:
        """How many c# the program has by now."""
        return self._next_constant

    @property
    def outputs(self) -> int:
        """How many o# the program has by now."""
        return len(self._outputs)


def _literal(value: float) -> str:
    return f"{value:.9g}"


def _described(constant: Constant) -> str:
    last = constant.register + constant.rows - 1
    end = f" to c{last}" if constant.rows > 1 else ""
    which = "" if constant.index is None else f" {constant.index}"
    return f"c{constant.register}{end}: {constant.name.replace('_', ' ')}{which}"
