"""Draw cases with other builds of their shaders: other models, optimisation off, flags."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from softd3d.resources.cases.file import Case, read_case

__all__ = ["SAMPLES", "draw_builds"]

SAMPLES = Path(__file__).parents[4] / "shared/samples"
_FLAGS = {"Od", "O3", "Zpr", "Gec", "Gfa", "Gfp", "Gis", "Ges", "Vd"}


def draw_builds() -> Iterator[tuple[str, Case]]:
    """Yield the name of a build, and the case with it in place of the case's own."""
    for path in sorted((SAMPLES / "sm4_5/cases").glob("*.json")):
        case = read_case(path)
        for stage, own in case.shaders.items() if case.kind == "draw" else ():
            for other in sorted(own.parent.glob(f"{own.name.split('.')[0]}.{stage}_*.dxbc")):
                if other != own and _entry(other) == _entry(own):
                    shaders = {**case.shaders, stage: other}
                    yield f"{case.name}-{other.stem}", replace(case, shaders=shaders)


def _entry(path: Path) -> list[str]:
    """Return entry and definitions of a build, without its profile and flags."""
    _, _, *rest = path.stem.split(".")
    return [part for part in rest if part not in _FLAGS and part != "main"]
