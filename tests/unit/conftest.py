"""Compiled shaders for tests of binding and running; they lie in device/data."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from softd3d.shaders.shader import Shader, load_shader

DATA = Path(__file__).parent / "device/data"


@pytest.fixture(scope="session")
def shader() -> Callable[[str], Shader]:
    """Load a shader by the start of its file's name."""

    def find(name: str) -> Shader:
        (path,) = DATA.glob(f"{name}.*.dxbc")
        return load_shader(path)

    return find
