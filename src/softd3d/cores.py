"""How many cores this process may use: its affinity, and what its container grants."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path, PurePosixPath

__all__ = ["available_cores", "cores_granted"]

_COLONS = 2  # in a line about a group
_MOUNT_WORDS = 5  # that say where something is mounted, at least


def available_cores() -> int:
    """Return how many cores are worth using, at least 1.

    A limit of the container is looked up once in a process: the files that tell it are slow.
    """
    return max(1, min(_cores_bound(), _cores_granted_here()))


def _cores_bound() -> int:
    """Return the cores that the process is bound to, or all of the machine's."""
    count: Callable[[], int | None] | None = getattr(os, "process_cpu_count", None)
    if count is not None:  # Python 3.13; heeds PYTHON_CPU_COUNT
        return count() or 1
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


@cache
def _cores_granted_here() -> int:
    return cores_granted(Path("/"))


def cores_granted(root: Path) -> int:
    """Return how many cores Linux's control groups grant this process, rounded up.

    Both versions of the interface are read, and each group up to the outermost that is visible. A
    number larger than any machine's if nothing is limited, or nothing can be read.

    root: where `proc` and `sys` are found.
    """
    shares = [share for folder in _folders(root) if (share := _share(folder)) is not None]
    return max(1, min([-(-quota // period) for quota, period in shares], default=1 << 16))


def _folders(root: Path) -> Iterator[Path]:
    """Yield the folders of the control groups that this process is in and that limit its time."""
    groups = {
        names: PurePosixPath(path)
        for line in _lines(root / "proc/self/cgroup")
        if line.count(":") >= _COLONS
        for _, names, path in [line.split(":", 2)]
    }
    for line in _lines(root / "proc/self/mountinfo"):
        mount, _, system = line.partition(" - ")
        place, kind = mount.split(), system.split()
        if len(place) < _MOUNT_WORDS or not kind:  # some other system's idea of Linux
            continue
        for names, group in groups.items():
            controllers, mounted = set(names.split(",")), set(kind[-1].split(","))
            is_first = kind[0] == "cgroup" and "cpu" in controllers and controllers <= mounted
            # The second version has one hierarchy, whose group is named without a controller.
            if is_first or (kind[0] == "cgroup2" and not names):
                yield from _up(root / place[4].lstrip("/"), PurePosixPath(place[3]), group)


def _up(mounted: Path, top: PurePosixPath, group: PurePosixPath) -> Iterator[Path]:
    """Yield a group's folder and those around it, up to the one that is mounted."""
    inner = group.relative_to(top) if group.is_relative_to(top) else PurePosixPath()
    for path in (inner, *inner.parents):
        yield mounted / path


def _share(folder: Path) -> tuple[int, int] | None:
    """Return a group's quota and period in microseconds, None if it has no limit."""
    words = _lines(folder / "cpu.max")
    if words:
        found = words[0].split()
    else:
        names = ("cpu.cfs_quota_us", "cpu.cfs_period_us")
        found = [line for name in names for line in _lines(folder / name)[:1]]
    try:
        quota, period = map(int, found)
    except ValueError:  # "max", or no such files
        return None
    return (quota, period) if quota > 0 and period > 0 else None


def _lines(path: Path) -> list[str]:
    try:
        return path.read_text().splitlines()
    except (OSError, UnicodeDecodeError):
        return []
