"""Whom the code cache believes: folders and files of this user that nobody else may write."""

from __future__ import annotations

import hashlib
import json
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from softd3d.jit import engine
from softd3d.jit.cache import disk as cache
from softd3d.jit.cache.disk import DiskCache
from softd3d.jit.facts import Facts

FACTS = Facts(4, 256, 64, (("u0", "misaligned"), ("g0", "outside")), (3, 9))
NAME = "0123456789abcdef" * 4
OTHER = "f" + NAME[1:]

pytestmark = pytest.mark.skipif(not hasattr(os, "geteuid"), reason="files have no owners here")


def kept(folder: Path) -> DiskCache:
    store = DiskCache(folder)
    store.put(NAME, b"object", FACTS)
    assert store.get(NAME) == (b"object", FACTS)
    return store


@contextmanager
def umask(mask: int) -> Iterator[None]:
    old = os.umask(mask)
    try:
        yield
    finally:
        os.umask(old)


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


@pytest.mark.parametrize("mask", [0o000, 0o002, 0o077, 0o277])
def test_new_folders_and_files_are_this_users_alone(tmp_path: Path, mask: int):
    with umask(mask):
        kept(tmp_path / "a" / "b" / "kernels")
    for folder in ("a", "a/b", "a/b/kernels"):
        assert mode(tmp_path / folder) == 0o700
    assert mode(tmp_path / "a/b/kernels" / NAME) == 0o600


@pytest.mark.parametrize("bits", [0o720, 0o702, 0o777])
def test_a_folder_that_others_may_write_is_not_used(tmp_path: Path, bits: int):
    store = kept(tmp_path)
    tmp_path.chmod(bits)
    assert store.get(NAME) is None
    store.put(OTHER, b"object", FACTS)
    assert [p.name for p in tmp_path.iterdir()] == [NAME]
    tmp_path.chmod(0o755)  # others may read it
    assert store.get(NAME) is not None


@pytest.mark.parametrize("bits", [0o620, 0o602, 0o666])
def test_a_file_that_others_may_write_is_a_miss_and_made_anew(tmp_path: Path, bits: int):
    store = kept(tmp_path)
    (tmp_path / NAME).chmod(bits)
    assert store.get(NAME) is None
    kept(tmp_path)
    assert mode(tmp_path / NAME) == 0o600


def test_what_belongs_to_somebody_else_is_a_miss(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    store = kept(tmp_path)
    monkeypatch.setattr(os, "geteuid", lambda: os.getuid() + 1)
    assert store.get(NAME) is None
    store.put(OTHER, b"object", FACTS)
    assert [p.name for p in tmp_path.iterdir()] == [NAME]


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="gives files away")
def test_a_file_and_a_folder_of_another_user(tmp_path: Path):
    store = kept(tmp_path)
    os.chown(tmp_path / NAME, 12345, -1)
    assert store.get(NAME) is None
    store = kept(tmp_path)  # written over
    os.chown(tmp_path, 12345, -1)
    assert store.get(NAME) is None


def test_links_are_not_followed(tmp_path: Path):
    real, link = tmp_path / "real", tmp_path / "link"
    kept(real)
    link.symlink_to(real)
    store = DiskCache(link)
    assert store.get(NAME) is None
    store.put(OTHER, b"object", FACTS)
    assert not (real / OTHER).exists()
    (real / NAME).rename(tmp_path / "elsewhere")
    (real / NAME).symlink_to(tmp_path / "elsewhere")
    assert DiskCache(real).get(NAME) is None


def test_pipes_and_folders_are_misses(tmp_path: Path):
    os.mkfifo(tmp_path / NAME)
    (tmp_path / OTHER).mkdir()
    for name in (NAME, OTHER):
        assert DiskCache(tmp_path).get(name) is None


def test_an_entry_under_another_name_is_a_miss(tmp_path: Path):
    store = kept(tmp_path)
    (tmp_path / NAME).rename(tmp_path / OTHER)
    assert store.get(OTHER) is None


def test_an_entry_larger_than_the_folder_may_be_is_not_read(tmp_path: Path):
    kept(tmp_path)
    assert DiskCache(tmp_path, limit_bytes=10).get(NAME) is None


# Entries with the right hash


def hashed(folder: Path, head: bytes, code: bytes = b"object", *, size: int | None = None) -> None:
    """Write an entry with any facts under the hash that an entry has."""
    count = len(head) if size is None else size
    rest = count.to_bytes(4, "little") + head + code
    checksum = hashlib.sha256(NAME.encode() + rest).digest()
    path = folder / NAME
    path.write_bytes(cache._MAGIC + checksum + rest)
    path.chmod(0o600)


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner),
    max_leaves=5,
)
FIELDS = json.loads(FACTS.encode())


@given(st.sampled_from(sorted(FIELDS)), VALUES)
def test_facts_of_wrong_types_are_a_miss(name: str, value: object):
    text = json.dumps({**FIELDS, name: value}).encode()
    found = Facts.decode(text)
    if found is not None:
        assert json.loads(found.encode()) == {**FIELDS, name: value}
        assert type(getattr(found, name)) is type(getattr(FACTS, name))


@pytest.mark.parametrize(
    "head",
    [
        b"[" * 100_000,
        b'{"waves": ' + b"[" * 50_000,
        FACTS.encode().replace(b":4,", b":true,"),
        FACTS.encode().replace(b":4,", b":4.0,"),
        FACTS.encode().replace(b":4,", b":0,"),
        FACTS.encode().replace(b":4,", b":-1,"),
        FACTS.encode().replace(b":4,", b":100000,"),
        FACTS.encode().replace(b":256,", b":" + b"9" * 30 + b","),
        FACTS.encode().replace(b":256,", b":" + b"9" * 5000 + b","),
        FACTS.encode().replace(b"[3,9]", b'"39"'),
        FACTS.encode().replace(b"[3,9]", b"[3,null]"),
        FACTS.encode().replace(b'["u0","misaligned"]', b'["u0"]'),
        FACTS.encode().replace(b'["u0","misaligned"]', b'"u0"'),
    ],
)
def test_hostile_facts_with_the_right_hash_are_a_miss(tmp_path: Path, head: bytes):
    hashed(tmp_path, FACTS.encode())
    assert DiskCache(tmp_path).get(NAME) == (b"object", FACTS)
    hashed(tmp_path, head)
    assert DiskCache(tmp_path).get(NAME) is None


@pytest.mark.parametrize("size", [0, 1, 1000, 0xFFFFFFFF])
def test_facts_of_a_wrong_length_are_a_miss(tmp_path: Path, size: int):
    hashed(tmp_path, FACTS.encode(), size=size)
    assert DiskCache(tmp_path).get(NAME) is None


@pytest.mark.parametrize("code", [b"", b"object", b"\x7fELF" + bytes(100)])
def test_code_that_cannot_be_linked_is_made_anew(tmp_path: Path, code: bytes):
    class Wrong(DiskCache):
        def get(self, key: str) -> tuple[bytes, Facts] | None:
            hashed(tmp_path, FACTS.encode(), code)
            assert key != NAME
            return super().get(NAME)

    from softd3d.jit.compiling.compiler import compile_text
    from softd3d.jit.compiling.target import host

    text = "define void @softd3d_run(ptr %c) {\nret void\n}\n"
    good, _ = compile_text(text, host(), has_barrier=False)
    made = engine.kernel_of("a" * 63 + str(len(code) % 10), lambda: (good, FACTS), Wrong(tmp_path))
    assert made.code.function
