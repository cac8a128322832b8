"""Imports: the collector's rest, and what code on disk does without."""

from __future__ import annotations

import gc
import os
import subprocess
import sys
from pathlib import Path

import pytest

from softd3d.imports import without_collecting

FIRST = """
import sys
import numpy as np
import softd3d
from softd3d.samples import sample
image = softd3d.Texture2D(np.zeros((8, 8, 4), np.float32), "R32G32B32A32_FLOAT")
shader = softd3d.load(sample("cs_mandelbrot.cs_5_0.dxbc"))
softd3d.dispatch(shader, 1, constants={0: np.ones(64, np.float32)}, uavs={0: image})
print(*sys.modules)
"""
# Packages of which a dispatch from disk needs nothing, and what compiling alone needs
ABSENT = (
    "softd3d.pipeline", "softd3d.isa.d3d9", "softd3d.isa.sm1", "softd3d.interp", "softd3d.ir",
    "softd3d.jit.codegen", "softd3d.jit.entries", "softd3d.jit.draw", "softd3d.tools",
    "softd3d.isa.sampling.sample", "softd3d.isa.sampling.level", "logging", "concurrent",
)  # fmt: skip


@pytest.mark.parametrize("is_on", [True, False])
def test_the_collector_is_as_it_was_before(is_on: bool) -> None:
    assert gc.isenabled()
    try:
        if not is_on:
            gc.disable()
        with without_collecting(), without_collecting():
            assert not gc.isenabled()
        assert gc.isenabled() == is_on
        with pytest.raises(ImportError), without_collecting():
            raise ImportError
        assert gc.isenabled() == is_on
    finally:
        gc.enable()


def test_what_a_program_has_frozen_stays_frozen() -> None:
    gc.freeze()
    try:
        count = gc.get_freeze_count()
        with without_collecting():
            pass
        assert gc.get_freeze_count() >= count - 100  # what is no longer used goes
    finally:
        gc.unfreeze()


def test_a_dispatch_from_disk_imports_only_what_it_needs(tmp_path: Path) -> None:
    environment = {**os.environ, "SOFTD3D_CACHE": str(tmp_path)}
    for _ in range(2):  # the first one compiles
        done = subprocess.run(  # noqa: S603 - our own interpreter
            [sys.executable, "-c", FIRST], env=environment, capture_output=True, text=True,
            check=True,
        )  # fmt: skip
    modules = done.stdout.split()
    assert "softd3d.jit.engine" in modules
    assert [m for m in modules if m.startswith(ABSENT)] == []
