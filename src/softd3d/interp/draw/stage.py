"""One shader of a draw, run for batch after batch of its invocations."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from softd3d.interp.engine import Counter, interpret_lanes
from softd3d.lower.bound import BoundProgram
from softd3d.lower.invocations import Interpolate
from softd3d.lower.messages import Message
from softd3d.lower.watch import Watch
from softd3d.pipeline.primitives.records import Numbers

__all__ = ["Stage"]


class Stage:
    """A shader, and what its invocations have said so far.

    name: `vs` or `ps`. counter: of the draw's instructions, None if the caller gives no budget.
    most: how many messages are kept.
    """

    def __init__(
        self, name: str, bound: BoundProgram, counter: Counter | None, watch: Watch, most: int
    ) -> None:
        self.name = name
        self.bound = bound
        self.counter = counter
        self.watch = watch
        self.most = most
        self.poisoned = {(f"{name} {register}", rule) for register, rule in bound.notes}
        self.messages: list[Message] = []
        self.dropped = 0
        self.aborted: tuple[int, int, int] | None = None

    def run(
        self, count: int, inputs: Mapping[str, Numbers], places: Sequence[Numbers],
        details: Sequence[Numbers], interpolate: Interpolate | None = None,
    ) -> dict[str, Numbers]:  # fmt: skip
        """Run invocations and return their outputs by name.

        places, details: three numbers of each, which messages show as their group and thread.
        """
        outcome, outputs = interpret_lanes(
            self.bound, count, inputs, counter=self.counter, watch=self.watch,
            max_messages=self.most - len(self.messages), interpolate=interpolate,
        )  # fmt: skip
        self.poisoned.update((f"{self.name} {r}", rule) for r, rule in outcome.poisoned)
        for message in outcome.messages:
            lane = message.group[0]
            group, thread = (_at(numbers, lane) for numbers in (places, details))
            self.messages.append(replace(message, group=group, thread=thread))
        self.dropped += outcome.messages_dropped
        if outcome.aborted is not None:
            self.aborted = _at(places, outcome.aborted[0])
        return outputs


def _at(numbers: Sequence[Numbers], lane: int) -> tuple[int, int, int]:
    x, y, z = (int(n[lane]) for n in numbers)
    return x, y, z
