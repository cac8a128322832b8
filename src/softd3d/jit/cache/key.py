"""What a kernel's code depends on, as one hash, known before the program is lowered."""

from __future__ import annotations

import hashlib
import os
import re
import sys
from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any, cast

import llvmlite
import numpy as np

from softd3d.errors import InternalError
from softd3d.jit.compiling.target import Target, host
from softd3d.lower.bound import BoundProgram

__all__ = ["draw_key", "kernel_key", "source_stamp", "text_key"]

# Read when code runs. Lowering sees nothing of them, except whether a view has a hidden counter.
_AT_RUN_TIME = frozenset({"descriptors", "constants"})
_OF_PROGRAM = frozenset({"program", "source", "declarations"})
_IN_SHORT = re.compile(r"<\w+ ")  # a repr that does not say all, such as <object object at ...>
# Folders whose modules cannot change the code that is made.
_ELSEWHERE = frozenset({"cli", "samples", "interp", "__pycache__"})
_PACKAGE = str(Path(__file__).parents[2])
_CODE = (".py", ".ll")
_CLOCK_STEP_NS = 50_000_000  # file systems stamp files by a clock that is a little late


def kernel_key(bound: BoundProgram, lanes: int) -> str:
    """Return the name of the code for a program, the kind of its bindings, and this machine.

    Every field of the bound program counts, except for what is only read at run time, or follows
    from the others; so a new kind of binding is part of the key without being mentioned here.
    """
    return _hashed(b"kernel", str(lanes).encode(), *_bound_facts(bound))


def draw_key(lanes: int, shader: BoundProgram | None, facts: object) -> str:
    """Return the name of the code for a kernel of a draw, which a shader may be part of.

    facts: what else it depends on, all of it.
    """
    parts = () if shader is None else _bound_facts(shader)
    return _hashed(b"draw", str(lanes).encode(), _text(facts), *parts)


def _bound_facts(bound: BoundProgram) -> tuple[bytes, ...]:
    source = bound.source
    if source is not None and source.program is bound.program:
        program = source.digest
    else:  # not from bytes, or changed since
        program = hashlib.sha256(_whole(bound.program)).digest()
    counters = bytes(d.counter is not None for d in bound.descriptors)
    kinds = [getattr(bound, name) for name in _kinds(type(bound))]
    return program, counters, _text(kinds)


@cache
def _kinds(cls: type[BoundProgram]) -> tuple[str, ...]:
    return tuple(n for n in _compared(cls) if n not in _AT_RUN_TIME | _OF_PROGRAM)


def text_key(text: str) -> str:
    """Return the name of the code for a module's LLVM text."""
    return _hashed(b"text", text.encode())


def _text(value: object) -> bytes:
    """Return a value in words: dataclasses, enums and numbers say all that they hold."""
    text = repr(value)
    if _IN_SHORT.search(text):
        raise InternalError(f"a binding that has no value of its own: {text[:200]}")
    return text.encode()


def _whole(program: object) -> bytes:
    """Return a program in words, all that it holds: the reprs of its records are for readers."""
    words: list[str] = []
    pending = [program]
    while pending:
        item = pending.pop()
        if is_dataclass(item):
            words.append(type(item).__name__)
            pending += [getattr(item, name) for name in _compared(type(item))]
        elif isinstance(item, tuple):
            several = cast("tuple[object, ...]", item)
            words.append(f"tuple {len(several)}")
            pending += several
        else:
            words.append(repr(item))
    return "\n".join(words).encode()


@cache
def _compared(cls: type[Any]) -> tuple[str, ...]:
    return tuple(f.name for f in fields(cls) if f.compare)


def _hashed(*parts: bytes) -> str:
    digest = _of_machine(host()).copy()
    digest.update(b"".join(map(_measured, parts)))
    return digest.hexdigest()


@cache
def _of_machine(target: Target) -> Any:
    """Return the hash that all names of code for a machine begin with."""
    ours = (llvmlite.__version__, np.__version__, sys.version, source_stamp() or "")
    words = (*ours, target.triple, target.cpu, target.features)
    return hashlib.sha256(b"".join(_measured(word.encode()) for word in words))


def _measured(part: bytes) -> bytes:
    """Return a part with its length in front, so that it cannot be taken for another."""
    return len(part).to_bytes(8, "little") + part


@cache
def source_stamp() -> str | None:
    """Return a hash that changes with any source file that code generation may use.

    None if a file is newer than this process, or cannot be seen: the modules in memory may be
    older than the files then, and what they make must not be kept under the files' stamp.
    """
    digest = hashlib.sha256()
    latest = 0
    try:
        for path, status in sorted(_sources(_PACKAGE)):
            digest.update(f"{path}\0{status}\n".encode())
            latest = max(latest, *status[1:])
    except OSError:
        return None
    if latest == 0 or latest + _CLOCK_STEP_NS > _imported_ns():
        return None
    return digest.hexdigest()


def _imported_ns() -> int:
    """Return when the package was imported; by name, since it stands above all layers."""
    package: Any = import_module(__name__.partition(".")[0])
    return package.IMPORTED_NS


def _sources(folder: str) -> Iterator[tuple[str, tuple[int, int, int]]]:
    """Yield each file of code below a folder with size, mtime and ctime in nanoseconds."""
    with os.scandir(folder) as entries:
        for entry in entries:
            if entry.is_dir():
                if entry.name not in _ELSEWHERE:
                    yield from _sources(entry.path)
            elif entry.name.endswith(_CODE):
                s = entry.stat()
                yield entry.path, (s.st_size, s.st_mtime_ns, s.st_ctime_ns)
