"""What the shaders of a draw report: messages by their invocations, notes, the first abort."""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import TypeAlias

from softd3d.lower.bound import BoundProgram
from softd3d.lower.messages import Message
from softd3d.lower.outcome import Outcome
from softd3d.pipeline.primitives.records import Numbers

__all__ = ["Places", "PlacesOf", "StageReport", "together"]

Places: TypeAlias = Sequence[Numbers]
"""Three numbers of each invocation, which messages show."""
PlacesOf: TypeAlias = Callable[[], Places]
"""The same, asked for only if there is something to show."""
_NOWHERE = (0, 0, 0)
_RUNS_TOGETHER = 8  # whose messages are kept until they are put in order


class StageReport:
    """What invocations of one shader of a draw have reported so far.

    name: `vs`, `hs` and so on. most: how many messages are kept. poisoned: registers with the name
    in front. aborted: the place of the first invocation that aborted. aborted_lane: its lane, if it
    was in the last run.
    """

    def __init__(self, name: str, bound: BoundProgram, most: int) -> None:
        self.name = name
        self.most = most
        self.poisoned: set[tuple[str, str]] = set()
        self.poison(bound.notes)
        self.messages: list[Message] = []
        self.dropped = 0
        self.aborted: tuple[int, int, int] | None = None
        self.aborted_lane: int | None = None
        self._since: int | None = None
        self._aborts: list[tuple[int, int, int]] = []

    @property
    def left(self) -> int:
        """How many messages of a run are wanted."""
        return self.most - (len(self.messages) if self._since is None else self._since)

    def poison(self, notes: Sequence[tuple[str, str]]) -> None:
        """Take what Direct3D leaves undefined: registers and rules."""
        self.poisoned.update((f"{self.name} {register}", rule) for register, rule in notes)

    def note(
        self, outcome: Outcome, places: Places | PlacesOf | None = None,
        details: Places | None = None,
    ) -> None:  # fmt: skip
        """Take what a run reports.

        places, details: of its lanes, which messages show as their group and thread; None if they
        have these already, or no details.
        """
        self.poison(outcome.poisoned)
        self.dropped += outcome.messages_dropped
        aborted = outcome.aborted
        self.aborted_lane = None if aborted is None else aborted[0]
        if places is None:
            self.messages += outcome.messages
        elif outcome.messages or aborted is not None:
            places = places() if callable(places) else places
            for message in outcome.messages:
                lane = message.group[0]
                thread = _NOWHERE if details is None else _at(details, lane)
                self.messages.append(replace(message, group=_at(places, lane), thread=thread))
            aborted = None if aborted is None else _at(places, aborted[0])
        if self._since is not None:
            self._aborts += [] if aborted is None else [aborted]
            if len(self.messages) > self._since + _RUNS_TOGETHER * self.most:
                self._put_in_order(self._since)
        self.aborted = self.aborted or aborted

    @contextmanager
    def by_primitive(self) -> Generator[None]:
        """Put what several runs over the same primitives report in the order of primitives.

        Places are then SV_PrimitiveID, SV_InstanceID, and a number of the invocation.
        """
        self._since = len(self.messages)
        self._aborts = []
        try:
            yield
        finally:
            self._put_in_order(self._since)
            if self._aborts:
                self.aborted = first = min(self._aborts, key=_order)
                self.messages = [m for m in self.messages if _order(m.group) <= _order(first)]
            self._since = None

    def _put_in_order(self, since: int) -> None:
        """Sort the messages of runs over the same primitives, and keep as many as are wanted."""
        mine = sorted(self.messages[since:], key=lambda m: _order(m.group))
        kept = mine[: self.most - since]
        self.dropped += len(mine) - len(kept)
        self.messages[since:] = kept


def together(reports: Sequence[StageReport], most: int) -> Outcome:
    """Return what all stages report, one behind the other. most: messages that are kept."""
    said = [message for report in reports for message in report.messages]
    kept = tuple(said[:most])
    aborted = [report.aborted for report in reports if report.aborted is not None]
    return Outcome(
        tuple(sorted(set[tuple[str, str]]().union(*(report.poisoned for report in reports)))),
        kept, len(said) - len(kept) + sum(report.dropped for report in reports),
        aborted[0] if aborted else None,
    )  # fmt: skip


def _order(place: tuple[int, int, int]) -> tuple[int, int]:
    primitive, instance, _ = place
    return instance, primitive


def _at(numbers: Places, lane: int) -> tuple[int, int, int]:
    x, y, z = (int(n[lane]) for n in numbers)
    return x, y, z
