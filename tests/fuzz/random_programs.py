"""Random valid compute programs, made from the opcode table: a seed gives a program.

Both engines must agree on every program, so a program's outcome must not depend on the order in
which threads run, nor on the bits of a NaN, which are free (docs/numbers.md). The discipline:

* Registers have a class. *Exact* ones (r0 to r3, x0) hold the same bits on every engine: their
  values come from integers, comparisons, conversions to integers, and memory that is exact. *Float*
  ones (r4, r5, x1) may hold any NaN; only float sources read them. *Double* ones (r6) likewise.
  Addresses, conditions and integer sources are exact. r7 is *garbage*: written only, by what
  depends on the order of threads (old values of shared atomics, hidden counters).
* Plain stores go to the thread's own element of a view (r8 has its number), or outside the view.
  A view that is stored to is loaded from at the own element only; all others at any address.
* Atomics on shared places are of one kind for each view, so that they commute, and what they
  return is garbage. On the own element any atomic will do, and its result is exact.
* A register of a range whose number is computed (r10) heeds the same rules as any other.
* Group-shared memory that other threads have written is read between two barriers only. Barriers
  stand in uniform flow: conditions there are the same for all threads, and nobody has returned.

Some programs break the last rule, or have a loop that some lanes never leave: then both engines
must give an ExecutionError, and what is in memory is not compared. After an abort it is compared
only where the rules of `Outcome` leave nothing open: one group, no barrier.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace

from random_messages import SITES, MessageStatements
from random_operands import (
    ARRAYS,
    CONSTANTS,
    DOUBLE,
    EXACT,
    FIRST_COUNTER,
    FLOAT,
    IMMEDIATES,
)
from random_resources import Slot
from random_sampling import SAMPLERS, random_sampler

from softd3d.isa.row import Controls, Row
from softd3d.isa.sampling.state import SamplerState
from softd3d.isa.sm4.enums import Opcode

__all__ = ["Generated", "random_program"]

# The sign of a NaN becomes a bit of the result, so only exact bits may go in.
_SHOWS_NAN = frozenset({Opcode.F32TOF16})
_STATEMENTS = (1, 2, 2, 3, 3, 4, 5, 7)  # of the outermost block
_LONGEST = 3000  # instructions of one lane that ends, loops counted


@dataclass(frozen=True)
class Generated:
    """A program and what it runs on. cost: instructions of a lane at most, if it ends."""

    seed: int
    text: str
    groups: tuple[int, int, int]
    slots: tuple[Slot, ...]
    cost: int
    may_not_end: bool
    samplers: tuple[tuple[int, SamplerState | None], ...] = ()
    constants: tuple[int, ...] = (
        0,
    )  # which constant buffers have contents; others of 0-3 have none
    max_messages: int = 1000
    aborts: bool = False
    objects: tuple[int, ...] = ()  # function tables of what is bound to slots of the interface


@dataclass(frozen=True)
class _Flow:
    """Where a statement stands.

    uniform: all threads of the group run it. loop: whether `continue` has a target. jumps: whether
    lanes may part from the others here. ret: likewise by returning. callees: functions below it.
    """

    depth: int
    uniform: bool
    loop: bool = False
    breakable: bool = False
    jumps: bool = True
    ret: bool = True
    callees: int = 0


def random_program(seed: int) -> Generated:
    """Return the program of a seed, always the same."""
    return _Generator(seed).program()


class _Generator(MessageStatements):
    """Makes one program: statements in structured flow, between a prologue and an epilogue."""

    # The whole

    def program(self) -> Generated:
        # Filters take much code, so few programs have them.
        self.has_sampling = self.chance(0.03)
        if self.has_sampling:
            self.slots["t4"] = self.filtered_slot()
        functions = self._functions()
        self.lines, self.cost = [], 0
        self._prologue()
        ret = not self.has_barriers
        callees, depth = len(functions), self.random.choice((1, 2, 2, 3))
        self.block(
            _Flow(depth, uniform=True, ret=ret, callees=callees), self.random.choice(_STATEMENTS)
        )
        if self.chance(0.005) and not self.aborts:
            self._stray_barrier()
        if self.chance(0.005) and not self.aborts:
            self._endless()
        self._epilogue([line for lines in functions for line in lines])
        for number, lines in enumerate(functions):
            self.lines += [f"label {self._label}{number}", *lines, "ret"]
        text = "\n".join([*self._declarations(), *self.lines]) + "\n"
        objects = self.random.choices(range(len(functions)), k=SITES) if self.has_methods else ()
        return Generated(
            self.seed, text, self.groups, tuple(self.uses.slots.values()), self.cost,
            self.may_not_end, tuple(self._samplers()), (0, 1, 3) if self.uses.constants else (0,),
            self.max_messages, self.aborts, tuple(objects),
        )  # fmt: skip

    def _functions(self) -> list[list[str]]:
        """Return the bodies of subroutines; methods of an interface call no others."""
        functions: list[list[str]] = []
        if self.has_methods or self.chance(0.2):
            for number in range(self.random.randint(1, 2)):
                self.lines, self.cost = [], 0
                callees = 0 if self.has_methods else number
                self.block(_Flow(1, uniform=False, callees=callees), 3)
                functions.append(self.lines)
                self.function_costs.append(self.cost + 1)
        return functions

    @property
    def _label(self) -> str:
        return "fb" if self.has_methods else "label"

    def _samplers(self) -> Iterator[tuple[int, SamplerState | None]]:
        for first in sorted(self.uses.samplers):
            for n in range(first, first + SAMPLERS[first]):
                yield n, None if n == 3 else random_sampler(self.random, comparison=first == 1)

    def _prologue(self) -> None:
        """Number the threads (r8.x; column and row of a texture in zw), fill all registers."""
        x, y, _ = self.groups
        self.emit(f"imad r8.x, vThreadGroupID.z, l({y}), vThreadGroupID.y")
        self.emit(f"imad r8.x, r8.x, l({x}), vThreadGroupID.x")
        self.emit(f"imad r8.x, r8.x, l({self.threads}), vThreadIDInGroupFlattened.x")
        self.emit("and r8.z, r8.x, l(7)")
        self.emit("ushr r8.w, r8.x, l(3)")
        self.emit("ishl r8.y, r8.x, l(4)")
        self.emit(f"mov r0.xyzw, {self.random.choice(('vThreadID.xyzx', 'r8.xyzw'))}")
        self.emit(f"ld_raw r1.xyzw, r8.y, {self.view('t0')}.xyzw")
        self.emit(f"mov r2.xyzw, {self.constant(fixed=True)}.xyzw")
        self.emit(f"imad r3.xyzw, r8.xxxx, {self.literal(4)}, {self.constant(fixed=True)}.xyzw")
        self.emit("mov r4.xyzw, r1.wzyx")
        self.emit(f"mov r5.xyzw, {self.constant(fixed=True)}.yxwz")
        if self.has_doubles:
            self.emit("dmov r6.xyzw, r1.xyzw")
        self.emit("mov r9.xyzw, l(0, 0, 0, 0)")
        self.start = len(self.lines)
        if self.has_arrays:
            for _ in range(self.random.randint(1, 3)):
                self.emit(f"mov {self.element('x0')}.{self.mask()}, {self.exact()}")
            self.emit(f"mov {self.element('x1')}.{self.mask()}, {self.random.choice(FLOAT)}.xyzw")

    def _epilogue(self, called: list[str]) -> None:
        """Store the registers and elements of arrays that something may have written."""
        dump = self.view("u0")
        if "x0" in self.uses.arrays:
            for n in range(ARRAYS["x0"]):
                self.emit(f"xor r3.xyzw, r3.xyzw, x0[{n}].xyzw")
        registers = [*EXACT, *FLOAT, *([DOUBLE] if self.has_doubles else [])]
        body = "\n".join([*self.lines[self.start :], *called])
        for n, register in enumerate(registers):
            if f"{register}." in body:  # else it is as the prologue left it
                self.emit(f"store_structured {dump}.xyzw, r8.x, l({16 * n}), {register}.xyzw")
        for n, array in enumerate(("x0", "x0", "x1", "x1"), len(EXACT) + len(FLOAT) + 1):
            if array in self.uses.arrays:
                source = f"{self.element(array)}.{self.swizzle()}"
                self.emit(f"store_structured {dump}.xyzw, r8.x, l({16 * n}), {source}")
        self.emit("ret")

    def _declarations(self) -> Iterator[str]:
        major, minor = self.version
        ranges = self.version >= (5, 1)
        yield f"cs_{major}_{minor}"
        flags = ["refactoringAllowed"]
        if self.has_doubles:
            flags += ["enableDoublePrecisionFloatOps", "enable11_1DoubleExtensions"]
        if major >= 5:
            flags.append("enable11_1ShaderExtensions")
        yield f"dcl_globalFlags {' | '.join(flags)}"
        if self.uses.icb:
            vectors = [", ".join(str(self.word()) for _ in range(4)) for _ in range(IMMEDIATES)]
            inner = ", ".join("{ " + v + "}" for v in vectors)
            yield f"dcl_immediateConstantBuffer {{ {inner} }}"
        name = f"CB0[0:0][{CONSTANTS}]" if ranges else f"CB0[{CONSTANTS}]"
        yield f"dcl_constantbuffer {name}, dynamicIndexed" + (", space=0" if ranges else "")
        if self.uses.constants:
            yield f"dcl_constantbuffer CB1[1:3][{CONSTANTS}], dynamicIndexed, space=0"
        for n in sorted(self.uses.samplers):
            mode = "mode_comparison" if n == 1 else "mode_default"
            yield (
                f"dcl_sampler S{n}[{n}:{n + SAMPLERS[n] - 1}], {mode}, space=0"
                if ranges
                else (f"dcl_sampler s{n}, {mode}")
            )
        for slot in self.uses.slots.values():
            yield slot.declaration(ranges=ranges)
        for register in ("vThreadID.xyz", "vThreadGroupID.xyz", "vThreadIDInGroup.xyz"):
            yield f"dcl_input {register}"
        yield "dcl_input vThreadIDInGroupFlattened"
        yield f"dcl_temps {FIRST_COUNTER + self.uses.counters}"
        for array in sorted(self.uses.arrays):
            yield f"dcl_indexableTemp {array}[{ARRAYS[array]}], 4"
        yield from self.uses.shared.values()
        if self.has_methods:
            numbers = range(len(self.function_costs))
            yield from (f"dcl_function_body fb{n}" for n in numbers)
            yield from (f"dcl_function_table ft{n} = {{fb{n}}}" for n in numbers)
            tables = ", ".join(f"ft{n}" for n in numbers)
            yield f"dcl_interface_dynamicindexed fp0[{SITES}][1] = {{{tables}}}"
        yield "dcl_thread_group {}, {}, {}".format(*self.group)

    # Arithmetic

    def arithmetic(self) -> None:
        row = self.random.choice(self.pure)
        as_float = self.chance(0.5)
        letters = [spec.letter for spec in row.destinations]
        wide = "d" in [s.letter for s in (*row.destinations, *row.sources)]
        results: list[str] = []
        taken: set[str] = set()
        for letter in letters:
            register, mask = self.target(letter, as_float=as_float)
            if wide and letter != "d":
                mask = self.random.choice(("x", "y", "xy", "zw", "w"))
            if results and register in taken:
                register = next(
                    r for r in (FLOAT if register in FLOAT or (register[0] == "x" and letter == "f")
                                else EXACT) if r not in taken
                )  # fmt: skip
            taken.add(register)
            results.append(f"{register}.{mask}")
        if len(results) == 2 and row.opcode != Opcode.SWAPC and self.chance(0.3):
            results[self.random.randrange(2)] = "null"
        only_exact = row.opcode in _SHOWS_NAN
        sources = [
            self.source(spec, as_float=as_float, only_exact=only_exact) for spec in row.sources
        ]
        self.emit(f"{self._name(row, letters, as_float)} {', '.join([*results, *sources])}")

    def _name(self, row: Row, letters: list[str], as_float: bool) -> str:
        name = row.mnemonic
        is_float = letters[0] in "fd" or (letters[0] == "b" and as_float)
        if Controls.SATURATE in row.controls and is_float and self.chance(0.15):
            name += "_sat"
        if Controls.PRECISE in row.controls and self.version >= (5, 0) and self.chance(0.05):
            name += f" [precise({self.mask()})]"
        return name

    # Flow

    def block(self, flow: _Flow, count: int) -> None:
        for _ in range(count):
            self.statement(flow)

    def statement(self, flow: _Flow) -> None:
        if self.has_messages and self.chance(0.2):
            self._speak(flow)
            return
        kind = self.random.random()
        if kind < 0.5:
            if self.has_sampling and self.chance(0.2):
                self.filtered()
            else:
                self.arithmetic()
        elif kind < 0.78:
            self.memory()
        elif flow.uniform and self.has_barriers and kind < 0.86:
            self.barrier()
        elif flow.callees and kind < (0.91 if self.has_methods else 0.88):
            self._call(flow)
        elif kind < 0.92 and flow.jumps and (flow.breakable or flow.ret):
            self._jump(flow)
        elif kind > 0.995:
            self.emit("nop")
        elif flow.depth and self.cost < _LONGEST // 4:
            self.random.choice((self._if, self._if, self._loop, self._switch))(flow)

    def _speak(self, flow: _Flow) -> None:
        if self.may_abort and flow.ret and flow.jumps and self.chance(0.2):
            self.abort()
        else:
            self.say()

    @contextmanager
    def repeated(self, times: int) -> Iterator[None]:
        self.factor *= times
        yield
        self.factor //= times

    def _tested(self, *, uniform: bool) -> str:
        """Emit a condition; return the suffix and operand of a test of it."""
        source = f"{self.constant(fixed=True)}.{self.swizzle(1)}" if uniform else self.exact(1)
        self.emit(f"and r9.w, {source}, l({self.random.choice((1, 2, 3, 0x80000000))})")
        return f"{self.random.choice(('z', 'nz'))} r9.w"

    def _if(self, flow: _Flow) -> None:
        uniform = flow.uniform and self.chance(0.5)
        inner = replace(
            flow, depth=flow.depth - 1, uniform=uniform,
            jumps=flow.jumps and (uniform or not (flow.uniform and self.has_barriers)),
        )  # fmt: skip
        self.emit(f"if_{self._tested(uniform=uniform)}")
        self.block(inner, self.random.randint(1, 3))
        if self.chance(0.5):
            self.emit("else")
            self.block(inner, self.random.randint(1, 3))
        self.emit("endif")

    def _counter(self) -> str:
        self.uses.counters += 1
        return f"r{FIRST_COUNTER + self.uses.counters - 1}"

    def _loop(self, flow: _Flow) -> None:
        """Count down: the same number for all threads where the loop is to be uniform."""
        counter, most = self._counter(), self.random.randint(1, 4)
        uniform = flow.uniform and (self.has_barriers or self.chance(0.5))
        if uniform:
            self.emit(f"mov {counter}.x, l({most})")
        else:
            self.emit(f"and {counter}.x, {self.exact(1)}, l({(1, 1, 1, 3, 3)[most]})")
        self.emit("loop")
        with self.repeated(most):
            self.emit(f"breakc_z {counter}.x")
            self.emit(f"iadd {counter}.x, {counter}.x, l(-1)")
            keeps = uniform and self.has_barriers
            inner = replace(
                flow, depth=flow.depth - 1, uniform=uniform, loop=True, breakable=True,
                jumps=not keeps and flow.jumps,
            )  # fmt: skip
            self.block(inner, self.random.randint(1, 3))
        self.emit("endloop")

    def _switch(self, flow: _Flow) -> None:
        self.emit(f"and r9.w, {self.exact(1)}, l(3)")
        self.emit("switch r9.w")
        labels: list[int | None] = self.random.sample(
            [0, 1, 2, 3, 7, None], self.random.randint(1, 5)
        )
        inner = replace(flow, depth=flow.depth - 1, uniform=False, breakable=True)
        inner = replace(inner, jumps=flow.jumps and not (flow.uniform and self.has_barriers))
        for n, label in enumerate(labels):
            self.emit("default" if label is None else f"case l({label})")
            if n + 1 < len(labels) and self.chance(0.25):
                continue  # shares the next one's body
            self.block(inner, self.random.randint(0, 2))
            self.emit("break")
        self.emit("endswitch")

    def _jump(self, flow: _Flow) -> None:
        choices = ["break"] * 2 * flow.breakable + ["continue"] * 2 * flow.loop + ["ret"] * flow.ret
        name = self.random.choice(choices)
        if self.chance(0.1) and name != "ret":
            self.emit(f"if_{self._tested(uniform=False)}")
            self.emit(name)
            self.emit("endif")
        else:
            self.emit(f"{name}c_{self._tested(uniform=False)}")

    def _call(self, flow: _Flow) -> None:
        if self.has_methods:
            self.method()
            self.cost += self.factor * sum(self.function_costs)  # diverging threads may run both
            return
        number = self.random.randrange(flow.callees)
        test = f"callc_{self._tested(uniform=False)}," if self.chance(0.5) else "call"
        self.emit(f"{test} label{number}")
        self.cost += self.factor * self.function_costs[number]

    # What must end in an error

    def _stray_barrier(self) -> None:
        self.emit(f"if_{self._tested(uniform=False)}")
        self.emit("sync_uglobal_t" if self.version < (5, 0) else "sync_g_t")
        self.emit("endif")

    def _endless(self) -> None:
        """Loop for ever where a condition holds that the loop leaves alone."""
        self.may_not_end = True
        counter = self._counter()
        self.emit(f"and {counter}.x, {self.exact(1)}, l(3)")
        self.emit("loop")
        self.emit(f"breakc_nz {counter}.x")
        self.block(_Flow(1, uniform=False, ret=False, jumps=False), self.random.randint(0, 3))
        self.emit("endloop")
