"""In which stages of draws each opcode is tested: the draw cases, run on both engines.

All builds of their shaders are run. Only cases whose outputs are as expected count; they are in
../shared.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "execution/draws"))

from draw_builds import SAMPLES, draw_builds

from softd3d.device.dispatch import ENGINES
from softd3d.device.draws.bindings import STAGES
from softd3d.device.verdict import run_case
from softd3d.isa.sm4.rows import TABLE
from softd3d.resources.cases.file import Case, read_case
from softd3d.shaders.shader import load_shader

__all__ = ["STAGES", "check_draws"]

FOLDERS = ("pipeline", "sm4_5", "sanitiser")


def check_draws() -> tuple[dict[str, Counter[str]], int]:
    """Return in how many cases a shader of each stage has an opcode; and how many cases ran."""
    found: dict[str, Counter[str]] = {}
    count = 0
    for case in (*draw_cases(), *(build for _, build in draw_builds())):
        if any(run_case(case, engine).differences for engine in ENGINES):
            continue
        count += 1
        for stage, path in case.shaders.items():
            for name in {TABLE[i.opcode].mnemonic for i in load_shader(path).instructions}:
                found.setdefault(name, Counter())[stage] += 1
    return found, count


def draw_cases() -> Iterator[Case]:
    for folder in FOLDERS:
        for path in sorted((SAMPLES / folder / "cases").glob("*.json")):
            case = read_case(path)
            if case.kind == "draw":
                yield case
