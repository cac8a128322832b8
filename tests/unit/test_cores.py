"""Cores that a process may use, by made-up control groups."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from softd3d import cores

UNLIMITED = 1 << 16
V1 = "31 23 0:28 / {at} rw,relatime shared:5 - cgroup cgroup rw,{names}\n"
V2 = "41 31 0:38 {top} {at} rw,relatime - cgroup2 cgroup2 rw\n"


def made(root: Path, group: str, mounts: str, files: dict[str, str]) -> Path:
    """Write a system's files below a folder."""
    for name, text in {"proc/self/cgroup": group, "proc/self/mountinfo": mounts, **files}.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return root


def mount_v2(top: str = "/", at: str = "/sys/fs/cgroup") -> str:
    return "22 28 0:20 / /proc rw - proc proc rw\n" + V2.format(top=top, at=at)


@pytest.mark.parametrize(
    ("limit", "cores_"),
    [
        ("max 100000", UNLIMITED), ("200000 100000", 2), ("150000 100000", 2), ("10000 100000", 1),
        ("100000", UNLIMITED), ("", UNLIMITED), ("a b", UNLIMITED), ("-1 100000", UNLIMITED),
        ("100 0", UNLIMITED),
    ],
)  # fmt: skip
def test_version_2_of_a_container(tmp_path: Path, limit: str, cores_: int) -> None:
    root = made(tmp_path, "0::/\n", mount_v2(), {"sys/fs/cgroup/cpu.max": limit})
    assert cores.cores_granted(root) == cores_


def test_the_least_of_all_groups_around_counts(tmp_path: Path) -> None:
    files = {
        "sys/fs/cgroup/a/b/cpu.max": "max 100000", "sys/fs/cgroup/a/cpu.max": "300000 100000",
        "sys/fs/cgroup/a/c/cpu.max": "100000 100000",
    }  # fmt: skip
    assert cores.cores_granted(made(tmp_path, "0::/a/b\n", mount_v2(), files)) == 3


def test_a_group_is_found_below_what_is_mounted(tmp_path: Path) -> None:
    files = {"sys/fs/cgroup/deep/cpu.max": "400000 100000", "sys/fs/cgroup/cpu.max": "max 100000"}
    mounts = mount_v2(top="/docker/1")
    assert cores.cores_granted(made(tmp_path, "0::/docker/1/deep\n", mounts, files)) == 4


def test_a_group_outside_of_what_is_mounted_is_the_mounted_one(tmp_path: Path) -> None:
    files = {"sys/fs/cgroup/cpu.max": "500000 100000"}
    root = made(tmp_path, "0::/elsewhere\n", mount_v2(top="/docker/1"), files)
    assert cores.cores_granted(root) == 5


@pytest.mark.parametrize(("names", "folder"), [("cpu", "cpu"), ("cpu,cpuacct", "cpu,cpuacct")])
@pytest.mark.parametrize(("quota", "cores_"), [("-1", UNLIMITED), ("250000", 3)])
def test_version_1(tmp_path: Path, names: str, folder: str, quota: str, cores_: int) -> None:
    group = f"5:cpuset:/x\n3:{names}:/box\n0::/\n"
    at = f"/sys/fs/cgroup/{folder}"
    mounts = V1.format(at="/sys/fs/cgroup/cpuset", names="cpuset") + V1.format(at=at, names=names)
    files = {
        f"{at[1:]}/box/cpu.cfs_quota_us": quota, f"{at[1:]}/box/cpu.cfs_period_us": "100000",
        "sys/fs/cgroup/cpuset/x/cpu.cfs_quota_us": "100000",
        "sys/fs/cgroup/cpuset/x/cpu.cfs_period_us": "100000",
    }  # fmt: skip
    assert cores.cores_granted(made(tmp_path, group, mounts, files)) == cores_


@pytest.mark.parametrize("line", ["", "x", "/dev/root / ext4 rw", "22 28 0:20 / / rw -", " - a b"])
def test_lines_of_another_form_are_passed_over(tmp_path: Path, line: str) -> None:
    files = {"sys/fs/cgroup/cpu.max": "300000 100000"}
    group, mounts = f"{line}\n0::/\n", f"{line}\n{mount_v2()}{line}\n"
    assert cores.cores_granted(made(tmp_path, group, mounts, files)) == 3


def test_no_control_groups(tmp_path: Path) -> None:
    assert cores.cores_granted(tmp_path) == UNLIMITED


@pytest.mark.skipif(not hasattr(os, "sched_setaffinity"), reason="no affinity on this system")
def test_affinity_counts() -> None:
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {min(before)})
    try:
        assert cores.available_cores() == 1
    finally:
        os.sched_setaffinity(0, before)


def test_a_granted_share_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cores, "_cores_bound", lambda: 8)
    monkeypatch.setattr(cores, "_cores_granted_here", lambda: 3)
    assert cores.available_cores() == 3
