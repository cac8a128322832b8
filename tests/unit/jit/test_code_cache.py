"""The code cache: what is in a kernel's key, what is kept with it, and what is not believed."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import fields, is_dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import softd3d
from softd3d.device.bind import bind
from softd3d.errors import InternalError
from softd3d.jit import engine
from softd3d.jit.cache import disk as cache
from softd3d.jit.cache import key
from softd3d.jit.cache.disk import DiskCache, default_store
from softd3d.jit.compiling.build import build_kernel
from softd3d.jit.facts import Facts
from softd3d.lower.bound import BoundProgram
from softd3d.lower.to_ir import lower
from softd3d.samples import sample

FACTS = Facts(4, 256, 64, (("u0", "misaligned"), ("g0", "outside")), (3, 9))
NAME = "0123456789abcdef" * 4


def bound(fmt: str = "R32_UINT", *, is_bound: bool = True, size: int = 16) -> BoundProgram:
    """The shipped sample with a typed and a raw UAV."""
    shader = softd3d.load(sample("cs_atomic_compare_store_typed.cs_5_0.dxbc").read_bytes())
    data = np.zeros(size, np.uint32 if fmt == "R32_UINT" else np.int32)
    first = softd3d.TypedBuffer(np.zeros(size, np.uint32), "R32_UINT") if is_bound else None
    return bind(shader, uavs={0: first, 1: softd3d.Texture1D(data, "R32_SINT")})


class Counting:
    """A store in memory that counts."""

    def __init__(self) -> None:
        self.kept: dict[str, tuple[bytes, Facts]] = {}
        self.hits = 0

    def get(self, name: str) -> tuple[bytes, Facts] | None:
        found = self.kept.get(name)
        self.hits += found is not None
        return found

    def put(self, name: str, code: bytes, facts: Facts) -> None:
        self.kept[name] = code, facts


# The folder


def test_what_is_kept_comes_back(tmp_path: Path):
    store = DiskCache(tmp_path / "new" / "folder")
    assert store.get(NAME) is None
    store.put(NAME, b"object", FACTS)
    assert store.get(NAME) == (b"object", FACTS)
    assert [p.name for p in (tmp_path / "new" / "folder").iterdir()] == [NAME]


def test_damaged_cut_and_foreign_files_are_ignored(tmp_path: Path):
    store, path = DiskCache(tmp_path), tmp_path / NAME
    store.put(NAME, b"object" * 50, FACTS)
    good = path.read_bytes()
    for place in range(0, len(good), 3):
        path.write_bytes(good[:place] + bytes([good[place] ^ 1]) + good[place + 1 :])
        assert store.get(NAME) is None, place
        path.write_bytes(good[:place])
        assert store.get(NAME) is None, place
    path.write_bytes(b"\x7fELF" + good)
    assert store.get(NAME) is None
    path.unlink()
    path.mkdir()
    assert store.get(NAME) is None
    store.put(NAME, b"object", FACTS)  # no error either
    assert [p.name for p in tmp_path.iterdir()] == [NAME]


@pytest.mark.parametrize("text", [b"", b"[]", b"{}", b"\xff", b'{"waves": 1}', b"null"])
def test_facts_that_are_not_ours_are_none(text: bytes):
    assert Facts.decode(text) is None
    assert Facts.decode(FACTS.encode()) == FACTS


def test_the_oldest_go_when_the_folder_is_full(tmp_path: Path):
    store = DiskCache(tmp_path, limit_bytes=60_000)
    foreign = tmp_path / "notes.txt"
    foreign.write_bytes(b"not a kernel" * 10_000)
    names = [f"{n * 2654435761 % (1 << 32):08x}" + NAME[8:] for n in range(400)]
    for age, name in enumerate(names):
        store.put(name, b"x" * 1000, FACTS)
        os.utime(tmp_path / name, (1e9 + age, 1e9 + age))
    left = {p.name for p in tmp_path.iterdir()} - {foreign.name}
    assert foreign.exists()
    assert names[-1] in left
    assert names[0] not in left
    assert len(left) < 200
    assert left == set(names[-len(left) :])


def test_use_makes_a_file_young(tmp_path: Path):
    store = DiskCache(tmp_path)
    store.put(NAME, b"object", FACTS)
    os.utime(tmp_path / NAME, (1e9, 1e9))
    assert store.get(NAME) is not None
    assert (tmp_path / NAME).stat().st_mtime > 1e9


def test_the_folder_is_chosen_by_the_environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv(cache.VARIABLE, str(tmp_path))
    assert default_store().folder == tmp_path
    for nothing in ("", "0"):
        monkeypatch.setenv(cache.VARIABLE, nothing)
        store = default_store()
        assert store.folder is None
        store.put(NAME, b"object", FACTS)
        assert store.get(NAME) is None
    monkeypatch.delenv(cache.VARIABLE)
    folder = default_store().folder
    assert folder is not None
    assert folder.name == "kernels"


def test_a_folder_that_cannot_be_made_is_only_slower(tmp_path: Path):
    (tmp_path / "file").write_bytes(b"")
    store = DiskCache(tmp_path / "file" / "folder")
    store.put(NAME, b"object", FACTS)
    assert store.get(NAME) is None


# The key


def test_the_key_is_the_program_and_the_kind_of_its_bindings():
    first = key.kernel_key(bound(), 8)
    assert len(first) == 64
    assert key.kernel_key(bound(), 8) == first
    assert key.kernel_key(bound(size=64), 8) == first  # sizes are read at run time
    assert key.kernel_key(bound(), 16) != first
    assert key.kernel_key(bound(is_bound=False), 8) != first
    other = bound()
    views = {k: replace(v, stride=v.stride * 2) for k, v in other.views.items()}
    assert key.kernel_key(replace(other, views=views), 8) != first


def test_a_changed_program_is_not_taken_for_its_bytes():
    b = bound()
    shorter = replace(b.program, instructions=b.program.instructions[:-1])
    without = replace(b, source=None)
    assert key.kernel_key(replace(b, program=shorter), 8) != key.kernel_key(b, 8)
    again = replace(b, program=replace(b.program))  # equal, but not what was decoded
    assert key.kernel_key(again, 8) == key.kernel_key(without, 8)


def test_every_field_of_a_program_is_part_of_the_key():
    """Whatever the reprs of programs, instructions and operands leave out."""
    b = replace(bound(), source=None)
    seen = {key.kernel_key(b, 8)}
    for number, old in enumerate(b.program.instructions):
        for new in changed(old):
            instructions = list(b.program.instructions)
            instructions[number] = new
            program = replace(b.program, instructions=tuple(instructions))
            found = key.kernel_key(replace(b, program=program), 8)
            assert found not in seen, new
            seen.add(found)
    assert len(seen) > 100


def changed(record: Any) -> Iterator[Any]:
    """Yield a record with one field changed, however deep, for each of them."""
    for f in fields(record):
        value = getattr(record, f.name)
        if not f.compare:
            continue
        if isinstance(value, int):
            yield replace(record, **{f.name: int(value) + 1})
        elif isinstance(value, tuple):
            yield replace(record, **{f.name: (*value, 77)})
            for n, item in enumerate(value):
                others = changed(item) if is_dataclass(item) else [item + 1]
                for other in others:
                    yield replace(record, **{f.name: (*value[:n], other, *value[n + 1 :])})
        elif value is None:
            yield replace(record, **{f.name: 1})


def test_a_sampler_is_part_of_the_key():
    b = bound()
    keys = {
        key.kernel_key(replace(b, samplers={(0, 0): state}), 8)
        for state in (softd3d.SamplerState(), softd3d.SamplerState(max_lod=3.0))
    }
    assert len(keys | {key.kernel_key(b, 8)}) == 3


def test_a_hidden_counter_is_part_of_the_key():
    b = bound()
    first, *rest = b.descriptors
    counted = replace(first, counter=np.zeros(1, np.uint32))
    assert key.kernel_key(replace(b, descriptors=(counted, *rest)), 8) != key.kernel_key(b, 8)


def test_a_binding_without_a_value_of_its_own_is_an_error():
    with pytest.raises(InternalError, match="no value of its own"):
        key.kernel_key(replace(bound(), buffers={(0, 0): object()}), 8)  # type: ignore[dict-item]


def test_lowering_sees_nothing_that_is_read_at_run_time():
    class Blind:
        """A descriptor of which only the counter's being there may be asked."""

        counter = None

        def __getattr__(self, name: str) -> object:
            raise AssertionError(f"lowering asked for {name}")

    b = bound()
    blind = replace(b, descriptors=tuple(Blind() for _ in b.descriptors), constants=())  # type: ignore[arg-type]
    assert len(lower(blind).block) == len(lower(b).block)


# Kernels


def test_a_kernel_from_disk_needs_no_compiler(monkeypatch: pytest.MonkeyPatch):
    store = Counting()
    monkeypatch.setattr(engine, "_kernels", type(engine._kernels)())
    made = engine.compile_kernel(bound(), lanes=4, cache=store)
    assert store.hits == 0
    assert engine.compile_kernel(bound(), lanes=4, cache=store) is made  # from memory
    assert store.hits == 0
    engine._kernels.clear()
    monkeypatch.setattr("softd3d.jit.compiling.build.build_kernel", None)
    found = engine.compile_kernel(bound(), lanes=4, cache=store)
    assert store.hits == 1
    assert found.facts == made.facts
    found.run(bound(), (1, 1, 1))


def test_memory_keeps_the_kernels_used_last(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(engine, "_kernels", type(engine._kernels)())
    monkeypatch.setattr(engine, "_KEPT_KERNELS", 2)
    store = Counting()
    first = engine.compile_kernel(bound(), lanes=4, cache=store)
    engine.compile_kernel(bound(), lanes=8, cache=store)
    assert engine.compile_kernel(bound(), lanes=4, cache=store) is first
    engine.compile_kernel(bound(), lanes=16, cache=store)
    assert len(engine._kernels) == 2
    assert engine.compile_kernel(bound(), lanes=4, cache=store) is first
    assert store.hits == 0


def test_facts_name_the_poison_rules_and_places():
    _, facts = build_kernel(bound(), 8)
    assert facts.waves == -(-bound().declarations.threads // 8)
    assert facts.frame_bytes == 0
    assert all(len(rule) == 2 for rule in facts.poison_rules)


# The stamp of the sources


def test_the_stamp_changes_with_the_sources(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    (tmp_path / "jit").mkdir()
    (tmp_path / "jit" / "emit.py").write_text("a = 1\n")
    (tmp_path / "cli").mkdir()
    monkeypatch.setattr(key, "_PACKAGE", tmp_path)
    monkeypatch.setattr(key, "_imported_ns", lambda: 1 << 62)
    stamp = key.source_stamp.__wrapped__
    first = stamp()
    (tmp_path / "cli" / "run.py").write_text("b = 1\n")
    assert stamp() == first
    status = (tmp_path / "jit" / "emit.py").stat()
    (tmp_path / "jit" / "emit.py").write_text("a = 2\n")
    os.utime(tmp_path / "jit" / "emit.py", ns=(status.st_atime_ns, status.st_mtime_ns))
    second = stamp()
    assert second != first  # the same size and time of change; only ctime tells
    (tmp_path / "jit" / "new.py").write_text("")
    third = stamp()
    assert third != second
    (tmp_path / "jit" / "runtime.ll").write_text("; text that code is made of, too\n")
    assert stamp() not in (second, third)


def test_sources_newer_than_the_process_are_not_trusted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    (tmp_path / "emit.py").write_text("a = 1\n")
    changed = (tmp_path / "emit.py").stat().st_ctime_ns
    monkeypatch.setattr(key, "_PACKAGE", tmp_path)
    monkeypatch.setattr(key, "_imported_ns", lambda: changed + 10**9)
    assert key.source_stamp.__wrapped__() is not None
    monkeypatch.setattr(key, "_imported_ns", lambda: changed - 10**9)
    assert key.source_stamp.__wrapped__() is None
    monkeypatch.setattr(key, "_PACKAGE", tmp_path / "archive.zip")
    assert key.source_stamp.__wrapped__() is None


def test_without_a_stamp_nothing_is_kept(monkeypatch: pytest.MonkeyPatch):
    store = Counting()
    monkeypatch.setattr(engine, "_kernels", type(engine._kernels)())
    monkeypatch.setattr(engine, "source_stamp", lambda: None)
    engine.compile_kernel(bound(), lanes=4, cache=store)
    assert not store.kept
