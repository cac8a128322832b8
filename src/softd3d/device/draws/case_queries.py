"""Queries of draw cases: their names, and their results as Direct3D stores them."""

from __future__ import annotations

import struct
from collections.abc import Callable
from dataclasses import astuple
from functools import partial
from typing import cast

from softd3d.isa.limits import MAX_STREAMS
from softd3d.pipeline.queries import DrawResult
from softd3d.resources.cases.json import Entry

__all__ = ["query_bytes", "query_types"]


def query_types(entry: Entry) -> list[str]:
    """Return the types of queries of a case, in order.

    Raises:
        ResourceError: not a list of such types.
    """
    queries = cast("list[object]", entry.data.get("queries") or [])
    if not isinstance(queries, list) or not all(isinstance(q, str) for q in queries):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise entry.error("queries", "wanted a list of query types as texts")
    for query in queries:
        if query not in _QUERIES:
            raise entry.error("queries", f"found {query!r:.60}, wanted {', '.join(_QUERIES)}")
    return [str(query) for query in queries]


def query_bytes(name: str, outcome: DrawResult) -> bytes:
    """Return a query's result: UINT64s, or a BOOL as a dword."""
    return _QUERIES[name](outcome)


def _occlusion(outcome: DrawResult) -> bytes:
    return struct.pack("<Q", outcome.samples_passed)


def _occlusion_predicate(outcome: DrawResult) -> bytes:
    return struct.pack("<I", outcome.occlusion_predicate)


def _statistics(outcome: DrawResult) -> bytes:
    return struct.pack("<11Q", *astuple(outcome.statistics))


def _so_statistics(stream: int, outcome: DrawResult) -> bytes:
    return struct.pack("<2Q", *astuple(outcome.so_statistics[stream]))


def _so_overflow(stream: int, outcome: DrawResult) -> bytes:
    return struct.pack("<I", outcome.so_statistics[stream].overflow)


def _any_overflow(outcome: DrawResult) -> bytes:
    return struct.pack("<I", outcome.so_overflow_predicate)


_QUERIES: dict[str, Callable[[DrawResult], bytes]] = {
    "OCCLUSION": _occlusion,
    "OCCLUSION_PREDICATE": _occlusion_predicate,
    "PIPELINE_STATISTICS": _statistics,
    "SO_STATISTICS": partial(_so_statistics, 0),
    "SO_OVERFLOW_PREDICATE": _any_overflow,
    **{f"SO_STATISTICS_STREAM{n}": partial(_so_statistics, n) for n in range(MAX_STREAMS)},
    **{f"SO_OVERFLOW_PREDICATE_STREAM{n}": partial(_so_overflow, n) for n in range(MAX_STREAMS)},
}
