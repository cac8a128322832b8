"""Queries: what draws between their beginning and end have counted.

Spec: win32 IDirect3DQuery9, D3DQUERYTYPE, "Queries (Direct3D 9)".
"""

from __future__ import annotations

import time
from enum import IntEnum

from softd3d.arguments import named
from softd3d.errors import ResourceError
from softd3d.pipeline.queries import DrawResult

__all__ = ["IssueFlags", "Query9", "QueryType"]

_FREQUENCY = 1_000_000_000  # of TIMESTAMP, which is in nanoseconds


class QueryType(IntEnum):
    """D3DQUERYTYPE, those that there are here."""

    EVENT = 8
    OCCLUSION = 9
    TIMESTAMP = 10
    TIMESTAMPDISJOINT = 11
    TIMESTAMPFREQ = 12


class IssueFlags(IntEnum):
    """D3DISSUE."""

    END = 1
    BEGIN = 2


_MOMENTS = (QueryType.EVENT, QueryType.TIMESTAMP, QueryType.TIMESTAMPFREQ)


class Query9:
    """IDirect3DQuery9; `device.create_query` makes one. counting: those that are on."""

    def __init__(self, type_: object, counting: list[Query9]) -> None:
        self.type = named(QueryType, type_, "query", "D3DQUERYTYPE_")
        self._counting = counting
        self._samples = 0
        self._data: int | bool | None = None

    def begin(self) -> None:
        """Begin to count, from 0 on: Issue with BEGIN.

        Raises:
            ResourceError: a query of a type that only ends.
        """
        if self.type in _MOMENTS:
            raise ResourceError(f"query {self.type.name}: found begin, wanted end alone")
        self._samples = 0
        self._data = None
        if self not in self._counting:
            self._counting.append(self)

    def end(self) -> None:
        """End counting: Issue with END; the data are there then."""
        if self in self._counting:
            self._counting.remove(self)
        match self.type:
            case QueryType.OCCLUSION:
                self._data = self._samples
            case QueryType.TIMESTAMP:
                self._data = time.perf_counter_ns()
            case QueryType.TIMESTAMPFREQ:
                self._data = _FREQUENCY
            case _:
                self._data = self.type is QueryType.EVENT

    def issue(self, flags: object) -> None:
        """Begin or end.

        Raises:
            ResourceError: as `begin`, or no flag.
        """
        is_begin = named(IssueFlags, flags, "issue", "D3DISSUE_") is IssueFlags.BEGIN
        (self.begin if is_begin else self.end)()

    def get_data(self) -> int | bool:
        """Return what was counted: GetData, for which nobody has to wait.

        OCCLUSION: samples that passed the tests. EVENT: True. TIMESTAMP: nanoseconds, of which
        there are TIMESTAMPFREQ in a second. TIMESTAMPDISJOINT: False.

        Raises:
            ResourceError: the query was not ended.
        """
        if self._data is None:
            raise ResourceError(f"query {self.type.name}: found no end before get_data")
        return self._data

    def count(self, result: DrawResult) -> None:
        """Count a draw."""
        self._samples += result.samples_passed

    def __repr__(self) -> str:
        return f"<Query9 {self.type.name}>"
