"""Large modules are compiled in a process of their own: it can be stopped, and its memory bounded.

LLVM's passes cannot be stopped from outside, and hold a lock that all of llvmlite waits for. What
is small is compiled at once; a process pays where compiling takes longer than starting one.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import PurePath
from tempfile import TemporaryFile
from typing import IO

from softd3d.errors import InternalError, LoweringError
from softd3d.jit.compiling.compiler import Target, compile_text, host

__all__ = ["compile_apart"]

_POLL_SECONDS = 0.05
_MEMORY_BYTES = 8 << 30
_HEAD_BYTES = 8
# The child finds modules where this process does, and nothing else decides what it imports.
_PROGRAM = (
    "import sys, json; sys.path[:] = json.loads(sys.argv[1]); "
    "from softd3d.jit.compiling.process import serve; serve()"
)


def compile_apart(
    text: str,
    target: Target,
    check: Callable[[], None],
    *,
    has_barrier: bool,
    is_straight: bool = False,
) -> tuple[bytes, int] | None:
    """Compile a module in a child process; return the object file and the coroutine frame size.

    check: called some twenty times a second; what it raises ends the child and is raised here.
    Returns None where no child can be started; then the caller has to compile.

    Raises:
        LoweringError: compiling takes too much memory, or LLVM gives up.
        InternalError: the text is no module.
    """
    child = None
    # Not a pipe: what is large would have to be written bit by bit. There may be no room for it.
    with suppress(OSError), TemporaryFile() as file:
        file.write(text.encode())
        file.seek(0)
        child = _started(file, target, has_barrier=has_barrier, is_straight=is_straight)
    if child is None:
        return None
    try:
        while True:
            try:
                found, errors = child.communicate(timeout=_POLL_SECONDS)
                break
            except subprocess.TimeoutExpired:
                check()
    except BaseException:
        child.kill()
        child.communicate()
        raise
    return _answer(child.returncode, found, errors)


def _started(
    text: IO[bytes], target: Target, *, has_barrier: bool, is_straight: bool
) -> subprocess.Popen[bytes] | None:
    # A program with Python inside would start itself.
    name = PurePath(sys.executable or "").stem.lower()
    if not name.startswith(("python", "pypy")) or getattr(sys, "frozen", False):
        return None
    places = [os.path.abspath(p) for p in sys.path]  # noqa: PTH100 - "" is the current folder
    facts = [target.triple, target.cpu, target.features, has_barrier, is_straight]
    words = [sys.executable, "-I", "-S", "-c", _PROGRAM, json.dumps(places), json.dumps(facts)]
    pipe = subprocess.PIPE
    with suppress(OSError, ValueError):
        return subprocess.Popen(  # noqa: S603 - this Python, and our own module
            words, stdin=text, stdout=pipe, stderr=pipe, start_new_session=True
        )
    return None


def _answer(status: int, found: bytes, errors: bytes) -> tuple[bytes, int] | None:
    if status == 0 and len(found) > _HEAD_BYTES:
        return found[_HEAD_BYTES:], int.from_bytes(found[:_HEAD_BYTES], "little")
    said = errors.decode(errors="replace").strip()
    last = said.splitlines()[-1:] or [f"status {status}"]
    if _is_out_of_memory(status, said):
        raise LoweringError(
            f"compiling takes more than {_MEMORY_BYTES >> 30} GiB of memory, which the JIT does "
            "not support; use engine='interpreter' (--engine interpreter)"
        )
    if "InternalError" in said:
        raise InternalError(last[0])
    if status == 1:  # Python could not even start: other settings, other files
        return None
    raise LoweringError(
        f"LLVM gave up ({last[0]}); use engine='interpreter' (--engine interpreter)"
    )


def _is_out_of_memory(status: int, said: str) -> bool:
    words = ("MemoryError", "bad_alloc", "out of memory", "Allocation failed", "allocate memory")
    return status != 0 and any(word in said for word in words)


def serve() -> None:
    """Compile what standard input holds: the child's whole work."""
    with suppress(ImportError, ValueError, OSError):
        import resource  # noqa: PLC0415 - Linux and macOS

        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        soft, hard = resource.getrlimit(resource.RLIMIT_AS)
        limits = [_MEMORY_BYTES, *(n for n in (soft, hard) if n != resource.RLIM_INFINITY)]
        resource.setrlimit(resource.RLIMIT_AS, (min(limits), hard))
    host()  # it makes LLVM ready
    *words, has_barrier, is_straight = json.loads(sys.argv[2])
    text = sys.stdin.buffer.read().decode()
    target = Target(*words)
    code, frame = compile_text(text, target, has_barrier=has_barrier, is_straight=is_straight)
    sys.stdout.buffer.write(frame.to_bytes(_HEAD_BYTES, "little") + code)
