"""A software Direct3D: load compiled shaders, list them, run them on NumPy arrays.

    shader = softd3d.load("histogram.dxbc")
    bins = softd3d.RawBuffer(np.zeros(256, np.uint32))
    values = softd3d.TypedBuffer(array, "R32_UINT")
    softd3d.dispatch(shader, groups=(64, 1, 1), srvs={0: values}, uavs={0: bins})

Names are imported when they are first used, so that importing the package stays quick.
"""

from __future__ import annotations

import time
from importlib import import_module

import softd3d.forking as _forking  # pyright: ignore[reportUnusedImport] # watches forks  # noqa: F401

__version__ = "0.1.0"
IMPORTED_NS = time.time_ns()  # files that are newer may differ from the modules in memory


def _exports() -> dict[str, str]:
    """Return the module of each name that `__init__.pyi` exports, from its lines of one import."""
    stub = __spec__.loader.get_data(f"{__path__[0]}/__init__.pyi").decode()
    imports = [line.split() for line in stub.splitlines() if line.startswith("from softd3d")]
    return {name: home for _, home, _, name, *_ in imports}


_HOMES = _exports()
__all__ = ["__version__"]
__all__ += list(_HOMES)  # pyright: ignore[reportUnsupportedDunderAll] # it reads the stub


def __getattr__(name: str) -> object:
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from softd3d.imports import without_collecting  # noqa: PLC0415 - as all others

    with without_collecting():
        if home == __name__:
            return import_module(f"{home}.{name}")
        value = getattr(import_module(home), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
