"""Prepared draws of a device, by everything they depend on; a draw that is known costs a look-up.

The parts of a draw are made by what touches them (`Part`), each once; so a call that changes one
state makes one part again. Buffers, textures and targets are watched without keeping them alive.
"""

from __future__ import annotations

import weakref
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from softd3d.device.d3d9.draws.kept import Kept
from softd3d.device.draws.engines import Engine, engine_of
from softd3d.device.run_options import RunOptions
from softd3d.lower.watch import Watch
from softd3d.pipeline.prepared import DrawCall, PreparedDraw
from softd3d.pipeline.queries import DrawResult
from softd3d.resources.views.origin import Held, check_memory

__all__ = ["Job", "Jobs"]

Key: TypeAlias = Hashable
_MOST_JOBS = 1024
_MOST_ENGINES = 512


@dataclass(slots=True)
class Job:
    """A draw that may be called.

    key: what it was made for. held: memory that must still be there. watched: identities in its
    key.
    """

    key: Key
    engine: Engine
    held: tuple[Held, ...]
    watched: tuple[int, ...]

    def run(self, call: DrawCall, watch: Watch) -> DrawResult:
        """Draw.

        Raises:
            ResourceError: memory is no longer there. ExecutionError: as `Draw`.
        """
        check_memory(self.held)
        return self.engine(call, watch)


class Jobs:
    """Draws that were made, and engines by what compiled code depends on."""

    def __init__(self, options: RunOptions) -> None:
        self._options = options
        self._jobs = Kept[Key, Job](_MOST_JOBS)
        self._engines = Kept[Key, tuple[Engine, Sequence[object]]](_MOST_ENGINES)
        self._watched: dict[int, set[Key]] = {}

    def get(self, key: Key) -> Job | None:
        """Return a job that was made for a key."""
        return self._jobs.get(key)

    def make(
        self, key: Key, static: Key, prepared: PreparedDraw, held: tuple[Held, ...],
        resources: Sequence[object], parts: Sequence[object], watch: Watch,
    ) -> Job:  # fmt: skip
        """Make a job and keep it until it is forgotten, or one of its resources is gone.

        static: what compiled code depends on; with the same one only memory and numbers differ.
        resources: whose identities are in the key. parts: whose identities are in both keys.

        Raises:
            LoweringError, ResourceError, ExecutionError: as `engine_of`.
        """
        like = self._engines.get(static)
        if like is None:
            engine = engine_of(prepared, self._options, watch)
            self._engines.put(static, (engine, parts))
        else:
            engine = like[0].rebound(prepared)
        watched = (*resources, *parts)
        for resource in watched:
            self._watch(resource, key)
        job = Job(key, engine, held, tuple(map(id, watched)))
        gone = self._jobs.put(key, job)
        if gone is not None:
            for number in gone.watched:
                self._watched.get(number, set()).discard(gone.key)
        return job

    def _watch(self, resource: object, key: Key) -> None:
        """Forget a job when a resource is gone: another one may get its identity."""
        number = id(resource)
        keys = self._watched.get(number)
        if keys is None:
            keys = self._watched[number] = set()
            gone = weakref.finalize(resource, _forget, weakref.ref(self), number)
            gone.atexit = False
        keys.add(key)

    def forget(self, number: int) -> None:
        """Drop the jobs that use a resource, by its `id`."""
        for key in self._watched.pop(number, ()):
            self._jobs.drop(key)


def _forget(jobs: weakref.ref[Jobs], number: int) -> None:
    alive = jobs()
    if alive is not None:
        alive.forget(number)
