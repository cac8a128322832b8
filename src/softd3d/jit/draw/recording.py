"""Recording a kernel of a draw: a shader in loops of its own, with inputs that are values."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence

from softd3d.algebra.operations import bitcast, select
from softd3d.algebra.value import BOOL, I32, U32, DataType, Value
from softd3d.ir.graph import Check, Graph, Pace, no_check
from softd3d.isa.machine import InputComponent, Place, View
from softd3d.isa.shader_message import MessageSite
from softd3d.isa.sm4.enums import ProgramType
from softd3d.isa.sm4.program import Program
from softd3d.jit.draw.memory import WORD
from softd3d.lower.bound import BoundProgram
from softd3d.lower.declarations import Declarations
from softd3d.lower.inputs import outputs_of, rasterizer_fact, registers_given
from softd3d.lower.regions import nothing
from softd3d.lower.registers import Key
from softd3d.lower.stage import COVERED
from softd3d.lower.structure import analyse
from softd3d.lower.to_ir import Lowering
from softd3d.pipeline.pixel_inputs import PixelInputs
from softd3d.pipeline.pull_model import pulled_link
from softd3d.pipeline.rasterizer.samples import SamplePattern
from softd3d.pipeline.stages import Link

__all__ = ["DrawRecording", "empty_program"]

_FEW = 4  # what is known of each number is worth the code


def empty_program(stage: ProgramType) -> BoundProgram:
    """Return a program that does nothing, for kernels without a shader."""
    return BoundProgram(Program(stage, 4, 0, ()), Declarations(stage=stage), {}, (), {}, ())


class DrawRecording(Lowering):
    """A kernel of a draw, being recorded.

    given: inputs of the shader, by name; others are 0. inputs, links: of a pixel shader, for those
    at other places. places: what messages say of their invocation. doubles: whether the shader has
    doubles.

    The rules of the pipeline use float64, too, but none that is denormal: kernels whose shader has
    no doubles may flush.
    """

    def __init__(self, bound: BoundProgram, check: Check = no_check) -> None:
        self.given: dict[str, Value] = {}
        self.inputs: PixelInputs | None = None
        self.links: Sequence[Link] = ()
        self.places: tuple[Value, ...] = ()
        super().__init__(bound, analyse(bound.program, bound.linkage), check)
        for key in (COVERED, *(key for _, key in registers_given(bound))):
            self.env.pop(key, None)
        self.everyone = self.mask
        self.doubles = False
        self.carried: set[Hashable] = set()
        self.loops = 0

    def named(self, name: str) -> Value:
        found = self.given.get(name)
        return self.k.const(U32, 0) if found is None else found

    def pixel_shader(
        self, given: Mapping[str, Value], pattern: SamplePattern, links: Sequence[Link],
        inputs: PixelInputs | None,
    ) -> dict[str, Value]:  # fmt: skip
        """Record the pixel shader; return its outputs by name.

        given: its inputs, U32. inputs: what evaluates them at other places, if that is asked for.
        """
        self.inputs, self.links = inputs, links
        facts = {rasterizer_fact(f): self.k.const(U32, n) for f, n in pattern.facts.items()}
        return self.shader({**given, **facts})

    def shader(self, given: dict[str, Value]) -> dict[str, Value]:
        """Record the shader; return its outputs by name."""
        self.given = given
        for name, key in registers_given(self.bound):
            self.env[key] = self.named(name).raw
        before, self.k.uses_double = self.k.uses_double, False
        self.program()
        self.doubles = self.doubles or self.k.uses_double
        self.k.uses_double = before or self.doubles
        outputs = outputs_of(self.bound)
        return {name: self.read(*key) for name, key in outputs.items()}

    def finished(self) -> Graph:
        """Return the recorded kernel."""
        self.graph.messages = self.structure.messages
        self.graph.places = len(self.places)
        self.graph.uses_double = self.doubles
        return self.graph

    # Values

    def entry(self, name: str) -> Value:
        """Return an input of the kernel's invocations, U32."""
        return self.k.value(self.k.shared("input", U32, (), name))

    @property
    def lane(self) -> Value:
        """The number of a lane in its vector: what hangs on it alone is the same in all parts."""
        return self.entry("lane")

    def true_value(self) -> Value:
        return self.k.const(BOOL, 1)

    def integer(self, value: int) -> Value:
        return self.k.const(I32, value)

    def word(self, view: View, at: Value | int, type_: DataType = U32, size: int = WORD) -> Value:
        """Load from memory of the draw: `size` bytes at a byte offset, which is always inside."""
        place = self.k.const(U32, at) if isinstance(at, int) else at
        args = (place.raw, self.true, self.mask)
        found = self.k.value(self.k.node("load", U32, args, (view, size)))
        return found if type_ is U32 else bitcast(found, type_)

    def put(self, view: View, at: Value, value: Value, mask: Value, size: int = WORD) -> None:
        """Store to memory of the draw, in lanes of a mask that are executing."""
        both = (self.k.value(self.mask) & mask).raw
        if both is not self.false:
            self.k.node("store", None, (at.raw, value.raw, both), (view, size))

    def row(self, view: View, at: Value) -> tuple[Value, Value, Value, Value]:
        """Load four dwords at a byte offset, which lie in memory of the draw that is not empty."""
        first = self.k.node("load_row", U32, (at.raw, self.mask), (view,))
        others = (self.k.node("row_word", U32, (first,), n) for n in range(1, 4))
        second, third, fourth = (self.k.value(node) for node in others)
        return self.k.value(first), second, third, fourth

    def put_row(
        self, view: View, at: Value, values: Sequence[Value], mask: Value, room: int
    ) -> None:
        """Store dwords from a byte offset on, in lanes of a mask that are executing.

        room: how many may be written to there; those behind the values are undefined then.
        """
        both = (self.k.value(self.mask) & mask).raw
        if both is not self.false:
            args = (at.raw, both, *(value.raw for value in values))
            self.k.node("store_row", None, args, (view, room))

    def any_of_quad(self, condition: Value) -> Value:
        """Return whether a lane of the quad has a condition."""
        one = select(condition, self.k.const(U32, 1), 0)
        beside = one | self.quad(one, (1, 0, 3, 2))
        return (beside | self.quad(beside, (2, 3, 0, 1))).ne(0)

    def lane_count(self, condition: Value) -> Value:
        """Return how many lanes have a condition, U32, the same for all."""
        if condition.raw is self.false:
            return self.k.const(U32, 0)
        return self.k.value(self.k.node("lane_count", U32, (condition.raw,)))

    def first_quad(self, value: Value) -> Value:
        """Return what the lanes of the first quad have, in each quad."""
        return self.k.value(self.k.node("first_quad", U32, (value.raw,)))

    def interpolate(
        self, source: InputComponent, place: Place, numbers: tuple[Value, ...]
    ) -> Value:
        if self.inputs is None:
            return super().interpolate(source, place, numbers)
        return self.inputs.pulled(pulled_link(self.links, source), place, numbers)

    def message(self, site: MessageSite, words: tuple[Value, ...]) -> None:
        super().message(site, (*words, *self.places))

    # Variables and flow

    def variable(self, name: str, value: Value) -> Key:
        """Make a variable that loops and branches carry, until `forget`."""
        self.loops += 1
        key = (f"draw {name}", self.loops, 0)
        self.env[key] = value.raw
        self.carried.add(key)
        return key

    def get(self, key: Key) -> Value:
        return self.k.value(self.env[key])

    def set(self, key: Key, value: Value) -> None:
        self.env[key] = value.raw

    def forget(self, key: Key) -> Value:
        """End a variable; return what it holds."""
        self.carried.discard(key)
        return self.k.value(self.env.pop(key))

    def each(
        self, start: Value, end: Value, step: int, body: Callable[[Value], None],
        pace: Pace = Pace.NOTHING,
    ) -> None:  # fmt: skip
        """Record a loop over numbers from start up to end, which all lanes go through together."""
        key = self.variable("number", start)

        def one() -> None:
            body(self.get(key))
            self.set(key, self.get(key) + step)

        self.until(lambda: self.get(key) >= end, one, pace)
        self.forget(key)

    def each_of_few(self, count: int, body: Callable[[Value], None]) -> None:
        """Record something for numbers from 0 up to `count`: one by one if they are few."""
        zero = self.k.const(U32, 0)
        if count > _FEW:
            self.each(zero, zero.like(count), 1, body)
            return
        for number in range(count):
            body(zero.like(number))

    def until(
        self, is_done: Callable[[], Value], body: Callable[[], None], pace: Pace = Pace.NOTHING
    ) -> None:
        """Record a loop that goes on, for all lanes together, until something is so."""
        frame = self.open_repeating(set(self.carried), None)
        frame.body.pace = pace
        self.exit(frame, is_done())
        self._alone(body, self.env)
        self.close_repeating(frame)

    def where(self, condition: Value, body: Callable[[], None]) -> None:
        """Record what lanes with a condition do; it is skipped if none has it."""
        before = self.env
        self.branch(condition, lambda: self._alone(body, before), nothing)

    def _alone(self, body: Callable[[], None], before: Iterable[Hashable]) -> None:
        """Record a body whose registers nobody sees behind it."""
        known = set(before)
        body()
        self.env = {key: node for key, node in self.env.items() if key in known}
