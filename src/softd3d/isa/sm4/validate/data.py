"""Warnings about what registers hold: unwritten values, gradients and barriers in varying flow.

Spec: D3D11.3 functional specification 16.8, 7.3, 22.17.7.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress

from softd3d.isa.row import Row
from softd3d.isa.sm4.enums import InterpolationMode, Opcode, OperandType, ProgramType, SyncFlags
from softd3d.isa.sm4.limits import MAX_NESTING
from softd3d.isa.sm4.program import Instruction, Operand
from softd3d.isa.sm4.validate.dataflow import (
    INITIALISED,
    UNIFORM,
    UNWRITTEN,
    VARYING,
    BudgetError,
    Graph,
    State,
)
from softd3d.isa.sm4.validate.declared import constant_index
from softd3d.isa.sm4.validate.effects import (
    GRADIENTS,
    OUTPUTS,
    TEMPORARY,
    effects_of,
    written_outputs,
)
from softd3d.isa.sm4.validate.facts import View
from softd3d.isa.sm4.validate.flow import nesting
from softd3d.isa.sm4.validate.known import Sound
from softd3d.isa.sm4.validate.phases import Context, row_of
from softd3d.isa.sm4.validate.plain import is_plain
from softd3d.isa.sm4.validate.reads import read_places, view_of
from softd3d.isa.sm4.validate.sources import Source, source_of
from softd3d.isa.sm4.validate.written import ARRAYS, keys_of_loops, keys_of_subroutines

__all__ = ["check_data"]

_O, _T = Opcode, OperandType
_COMPONENTS = "xyzw"
_ALL = (0, 1, 2, 3)
_FIRST = 4  # the place of a register's first component, in a source's keys
_BY_COMPONENT = frozenset("fiubm")


def check_data(c: Context, sound: list[Sound] | None) -> None:
    """Warn of what is read but not written, and of gradients and barriers in varying flow.

    sound: what is known of the phase's instructions, None if some of them are not sound.
    """
    body = c.phase.body
    if nesting(body) > MAX_NESTING:
        return
    if sound is None:
        effects = [effects_of(i, row_of(i, c.stage, c.version)) for i in body]
    else:
        effects = [one.effects for one in sound]
    if not is_plain(c, effects):
        walk = _Walk(c)
        with suppress(BudgetError):  # what has been seen until then is still right
            walk.run()
        walk.judge()
    _check_outputs(c, written_outputs(effects))


class _Walk:
    """Walks the instructions of one phase; what it notes is judged when the graph is complete."""

    def __init__(self, c: Context) -> None:
        self.c = c
        self.graph = Graph()
        self.state = State(self.graph)
        self.reads: list[tuple[Instruction, int, int]] = []
        self.gradients: list[tuple[Instruction, int, int]] = []
        self.flow_of: dict[int, int] = {}
        self.barriers: list[tuple[Instruction, int]] = []
        self.loop_keys = keys_of_loops(c.phase.body)
        self.called_keys = keys_of_subroutines(c.phase.body)
        self.constant_inputs: set[int] = set()
        if c.program.type is ProgramType.PS:
            self.constant_inputs.update(
                e.register for e in c.declared.elements
                if e.type is _T.INPUT and e.interpolation == InterpolationMode.CONSTANT
            )  # fmt: skip

    def run(self) -> None:
        c = self.c
        for i in c.phase.body:
            row = row_of(i, c.stage, c.version)
            view = view_of(i, c.declared)
            shared, by_component = self._inputs(i, row, view)
            if not self.state.is_dead:
                self._note(i, row, view)
                self._write_results(i, row, view, shared, by_component)
            step = _STEPS.get(i.opcode)
            if step is not None:
                step(self, i, shared)

    def _note(self, i: Instruction, row: Row, view: View | None) -> None:
        """Note a gradient of a computed value, or a barrier."""
        if i.opcode in GRADIENTS:
            operand = i.operands[len(row.destinations)]
            if operand.type in TEMPORARY:
                node = self._computed(operand, read_places(i, row, 0, view) or _ALL)
                self.gradients.append((i, self.state.control, node))
        elif i.opcode is _O.SYNC and i.controls & SyncFlags.THREADS:
            self.barriers.append((i, self.state.control))

    def _computed(self, operand: Operand, places: tuple[int, ...]) -> int:
        """Return a node that is uniform if all lanes have a register's value, and the same one.

        That is so where the value is uniform and so was the flow in which it was computed.
        """
        source = source_of(operand)
        values = {self._value(source, place) for place in places}
        flows = {self.flow_of.get(value, VARYING) for value in values}
        return self.graph.node(*values, *flows)

    def _inputs(self, i: Instruction, row: Row, view: View | None) -> tuple[int, list[Source]]:
        """Note what an instruction reads, and return what its results depend on.

        That is a node for all of them, and sources on whose own component each depends.
        """
        shared: set[int] = set()
        by_component: list[Source] = []
        relative: list[Operand] = []
        count = len(row.destinations)
        for place, operand in enumerate(i.operands):
            source = source_of(operand)
            relative += source.relative
            if place < count:
                continue
            spec = row.sources[place - count]
            if spec.letter in _BY_COMPONENT and not spec.reads:
                by_component.append(source)
                if source.keys:
                    self._note_reads(i, source, read_places(i, row, place - count, view) or ())
                continue
            places = read_places(i, row, place - count, view)
            if places is not None:
                self._note_reads(i, source, places)
            if places != ():
                shared.update([self._value(source, n) for n in places or _ALL])
            else:
                shared.add(self._value(source, _FIRST))
        for register in map(source_of, relative):
            self._note_reads(i, register, (0,))
            shared.add(self._value(register, 0))
        shared.discard(UNIFORM)
        return self.graph.node(*shared) if shared else UNIFORM, by_component

    def _note_reads(self, i: Instruction, source: Source, places: tuple[int, ...]) -> None:
        keys, state = source.keys, self.state
        if not keys or state.is_dead:
            return
        for key in sorted({keys[place] for place in places}):
            self.reads.append((i, key, state.read(key)))

    def _value(self, source: Source, place: int) -> int:
        """Return the node of what one place of a source names."""
        state = self.state
        if source.keys:
            return state.nodes.get(source.keys[place], state.default)
        if source.array >= 0:
            return state.nodes.get(source.array, UNIFORM)
        return UNIFORM if source.input in self.constant_inputs else source.node

    def _write_results(
        self, i: Instruction, row: Row, view: View | None, shared: int, by_component: list[Source]
    ) -> None:
        """Give the components that an instruction writes new nodes, after all have been read."""
        if view is not None and view.type is not _T.RESOURCE:  # memory that others write
            shared = VARYING
        new: list[tuple[int, int]] = []
        for operand in i.operands[: len(row.destinations)]:
            if operand.type not in TEMPORARY:
                continue
            number = constant_index(operand, 0)
            if number is None:
                continue
            for component in operand.mask:
                sources = [self._value(source, component) for source in by_component]
                if operand.type is _T.TEMP:
                    node = self.graph.node(shared, *sources)
                    self.flow_of[node] = self.state.control
                    new.append((4 * number + component, node))
                else:  # other elements of the array stay as they are
                    key = ARRAYS + number
                    before = self.state.nodes.get(key, UNIFORM)
                    new.append((key, self.graph.node(before, shared, *sources)))
        for key, node in new:
            self.state.write(key, node)

    # Control flow: blocks that do not fit together are reported elsewhere, and skipped here

    def begin_if(self, i: Instruction, condition: int) -> None:
        del i
        self.state.begin("if", condition)

    def otherwise(self, i: Instruction, condition: int) -> None:
        del i, condition
        block = self.state.blocks[-1]
        if block.kind != "if":
            return
        self._way_out()
        block.has_default = True
        self.state.restore(block)
        self.state.control, self.state.is_dead = block.inner, False

    def _way_out(self) -> None:
        """Note what the innermost block has written where its end is reached."""
        state = self.state
        if not state.is_dead:
            state.blocks[-1].exits.append(state.changes(len(state.blocks) - 1))

    def end_if(self, i: Instruction, condition: int) -> None:
        self._end("if", i, condition)

    def end_switch(self, i: Instruction, condition: int) -> None:
        self._end("switch", i, condition)

    def _end(self, kind: str, i: Instruction, condition: int) -> None:
        del i, condition
        block = self.state.blocks[-1]
        if block.kind != kind:
            return
        self._way_out()
        self.state.restore(block)
        if not block.has_default:
            block.exits.append({})
        self.state.end(block.exits, block.condition)

    def begin_switch(self, i: Instruction, condition: int) -> None:
        del i
        self.state.begin("switch", condition)

    def begin_case(self, i: Instruction, condition: int) -> None:
        del condition
        state = self.state
        block = state.blocks[-1]
        if block.kind != "switch":
            return
        before = {} if state.is_dead else state.changes(len(state.blocks) - 1)
        state.restore(block)
        state.control, state.is_dead = block.inner, False
        for key, node in before.items():
            joined = self.graph.node(block.condition)
            self.graph.join(joined, node)
            self.graph.join(joined, state.read(key))
            state.write(key, joined)
        block.has_default |= i.opcode is _O.DEFAULT

    def begin_loop(self, i: Instruction, condition: int) -> None:
        del condition
        state = self.state
        block = state.begin("loop", self.graph.node())
        for key in self.loop_keys.get(id(i), ()):
            header = self.graph.node(block.condition)
            self.graph.join(header, state.read(key))
            block.headers[key] = header
            state.write(key, header)

    def end_loop(self, i: Instruction, condition: int) -> None:
        del i, condition
        state = self.state
        block = state.blocks[-1]
        if block.kind != "loop":
            return
        if not state.is_dead:
            self._go_on(len(state.blocks) - 1)
        state.restore(block)
        state.end(block.exits, block.condition)

    def _go_on(self, target: int) -> None:
        """Go to the next iteration of a loop."""
        block = self.state.blocks[target]
        for key, node in self.state.changes(target).items():
            header = block.headers.get(key)
            if header is not None and node != header:
                self.graph.join(header, node)

    def _target(self, *kinds: str) -> int | None:
        blocks = self.state.blocks
        return next((n for n in range(len(blocks) - 1, 0, -1) if blocks[n].kind in kinds), None)

    def _vary_loops(self, target: int, condition: int) -> None:
        """Let those who leave a loop, or an iteration of it, decide who runs the others."""
        for block in self.state.blocks[target:]:
            if block.kind == "loop":
                self.graph.depend(block.condition, self.state.control)
                self.graph.depend(block.condition, condition)

    def leave(self, i: Instruction, condition: int) -> None:
        """Leave a loop or switch, or an iteration, or all there is: for all or for some lanes."""
        state = self.state
        kinds, is_conditional = _LEAVES[i.opcode]
        target = self._target(*kinds) if kinds else 0
        if target is None or state.is_dead:
            return
        self._vary_loops(target, condition)
        if i.opcode in _CONTINUES:
            self._go_on(target)
        elif target:
            state.blocks[target].exits.append(state.changes(target))
        state.escape(target, condition)
        if is_conditional:
            state.control = self.graph.node(state.control, condition)
        else:
            state.is_dead = True

    def begin_subroutine(self, i: Instruction, condition: int) -> None:
        del i, condition
        self.state = State(self.graph, INITIALISED)

    def call(self, i: Instruction, condition: int) -> None:
        del i, condition
        self.state.spend(len(self.called_keys))
        for key in self.called_keys:
            self.state.write(key, VARYING)

    def judge(self) -> None:
        """Report what has been noted."""
        c = self.c
        varying, unwritten = self.graph.varying(), self.graph.unwritten()
        for i, control, node in self.gradients:
            if control in varying and node in varying:
                c.add("FLOW-016", ": a gradient of a computed value in varying flow", i)
        for i, control in self.barriers:
            if control in varying:
                c.add("FLOW-017", "_t in varying flow", i)
        seen: set[int] = set()
        for i, key, node in self.reads:
            if node not in unwritten or key in seen:
                continue
            seen.add(key)
            register = f"r{key // 4}.{_COMPONENTS[key % 4]}"
            if node == UNWRITTEN:
                c.add("DATA-001", f": {register} is not written before", i)
            else:
                c.add("DATA-002", f": {register} is not written on every way to here", i)


_LEAVES: dict[Opcode, tuple[tuple[str, ...], bool]] = {
    _O.BREAK: (("loop", "switch"), False),
    _O.BREAKC: (("loop", "switch"), True),
    _O.CONTINUE: (("loop",), False),
    _O.CONTINUEC: (("loop",), True),
    _O.RET: ((), False),
    _O.RETC: ((), True),
}
_CONTINUES = frozenset({_O.CONTINUE, _O.CONTINUEC})
_STEPS: dict[Opcode, Callable[[_Walk, Instruction, int], None]] = {
    _O.IF: _Walk.begin_if,
    _O.ELSE: _Walk.otherwise,
    _O.ENDIF: _Walk.end_if,
    _O.LOOP: _Walk.begin_loop,
    _O.ENDLOOP: _Walk.end_loop,
    _O.SWITCH: _Walk.begin_switch,
    _O.CASE: _Walk.begin_case,
    _O.DEFAULT: _Walk.begin_case,
    _O.ENDSWITCH: _Walk.end_switch,
    **dict.fromkeys(_LEAVES, _Walk.leave),
    _O.LABEL: _Walk.begin_subroutine,
    **dict.fromkeys((_O.CALL, _O.CALLC, _O.INTERFACE_CALL), _Walk.call),
}


def _check_outputs(c: Context, written: dict[tuple[OperandType, int], int]) -> None:
    """Warn of declared outputs that no instruction writes."""
    ranges = {r.type for r in c.declared.ranges}
    for e in c.declared.elements:
        if e.type not in OUTPUTS or e.type in ranges:
            continue
        if not e.mask & written.get((e.type, e.register), 0):
            c.add("DATA-003", ": it is never written", e.instruction)
