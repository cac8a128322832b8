"""Compiled pipelines with tessellation: the same vertices, pixels and counts on both engines."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import softd3d
from softd3d.device.registers import RegisterKind, wanted_registers
from softd3d.device.render.defaults import default_bindings
from softd3d.pipeline.input_layout import is_generated

SAMPLES = Path(__file__).parents[4] / "shared/samples/sm5_tessellation"
PATCHES, INSTANCES, SIZE = 5, 2, 48
ROOM = 1 << 21  # dwords
FIRST = {"lanes": 8, "threads": 3}
OTHERS = [{"lanes": 4, "threads": 1}, {"lanes": 16, "threads": 2}]


def pipelines() -> list[tuple[str, Path, Path]]:
    """Return the sample, hull and domain shader of each pipeline: hX goes with dX."""
    found: list[tuple[str, Path, Path]] = []
    for hull in sorted(SAMPLES.glob("*.hs_*.dxbc")):
        sample, _, entry = hull.name.split(".")[:3]
        found += [
            (sample, hull, d) for d in sorted(SAMPLES.glob(f"{sample}.ds_*.d{entry[1:]}.dxbc"))
        ]
    return found


def constants_of(shader: softd3d.Shader, random: np.random.Generator) -> dict[Any, Any]:
    """Return random numbers for each constant buffer: none negative, so that factors are not."""
    given = {kind: {} for kind in RegisterKind}
    wanted = wanted_registers(shader.program, shader.declarations, shader.reflection, given)
    found: dict[Any, Any] = {}
    for register in wanted[RegisterKind.CONSTANTS]:
        key = (register.number, register.space) if register.space else register.number
        found[key] = random.uniform(0, 3, (256, 4)).astype(np.float32)
    return found


def vertices_of(shader: softd3d.Shader, count: int, random: np.random.Generator) -> dict[str, Any]:
    """Return layout and vertices: floats around 0, or small integers."""
    signature = shader.signatures.input
    elements = [e for e in (signature.elements if signature else ()) if not is_generated(e)]
    data = np.zeros((count, max(len(elements), 1), 4), np.float32)
    layout: list[softd3d.InputElement] = []
    for n, e in enumerate(elements):
        is_float = e.component_type.name == "FLOAT32"
        form = "R32G32B32A32_FLOAT" if is_float else "R32G32B32A32_UINT"
        layout.append(softd3d.InputElement(e.name, e.semantic_index, form, 0, 16 * n))
        small = random.integers(0, 8, (count, 4)).astype(np.uint32).view(np.float32)
        data[:, n] = random.normal(size=(count, 4)) if is_float else small
    stride = 16 * max(len(elements), 1)
    buffers = [softd3d.VertexBuffer(data, stride=stride)] if elements else []
    return {"input_layout": layout, "vertex_buffers": buffers}


def entries_of(shader: softd3d.Shader) -> list[softd3d.SODeclarationEntry]:
    """Return all outputs of a shader as stream output entries."""
    signature = shader.signatures.output
    assert signature is not None
    return [
        softd3d.SODeclarationEntry(0, e.name, e.semantic_index, 0, e.mask.bit_count())
        for e in signature.elements
    ]


def drawn(sample: str, hull: Path, domain: Path, **way: Any) -> tuple[Any, Any, Any, Any]:
    """Return what is streamed out, pixels, depth and result of a draw with random data."""
    random = np.random.default_rng(len(hull.name))
    paths = {"hs": hull, "ds": domain}
    paths |= {s: SAMPLES / f"{sample}.{s}_5_0.{s[0]}main.dxbc" for s in ("vs", "ps")}
    shaders = {stage: softd3d.load(path) for stage, path in paths.items()}
    points = shaders["hs"].declarations.primitives.input_points
    defaults = {stage: default_bindings(shader) for stage, shader in shaders.items()}
    views = {
        kind.argument: {stage: found[kind] for stage, found in defaults.items()}
        for kind in (RegisterKind.SRVS, RegisterKind.SAMPLERS)
    }
    out = np.zeros(ROOM, np.uint32)
    image = np.zeros((SIZE, SIZE, 4), np.float32)
    depth = np.ones((SIZE, SIZE), np.float32)
    result = softd3d.Draw(
        **shaders, topology=f"{points}_CONTROL_POINT_PATCHLIST",
        **vertices_of(shaders["vs"], PATCHES * points, random),
        constants={stage: constants_of(s, random) for stage, s in shaders.items()}, **views,
        stream_output=softd3d.StreamOutput(entries_of(shaders["ds"])), so_targets=[out],
        render_targets=[image], depth_stencil_view=softd3d.Texture2D(depth, "D32_FLOAT"),
        rasterizer=softd3d.RasterizerState(cull_mode="NONE", depth_clip_enable=False), **way,
    ).instanced(PATCHES * points, INSTANCES)  # fmt: skip
    return out, image.view(np.uint32), depth.view(np.uint32), result


def same(a: Any, b: Any) -> bool:
    """Whether bits are the same, any NaN being any other."""
    floats = a.view(np.float32), b.view(np.float32)
    return bool(((a == b) | (np.isnan(floats[0]) & np.isnan(floats[1]))).all())


def check(sample: str, hull: Path, domain: Path, ways: list[dict[str, int]]) -> None:
    """Compare the reference engine with native code."""
    out, image, depth, wanted = drawn(sample, hull, domain, engine="interpreter")
    assert wanted.statistics.hs_invocations == PATCHES * INSTANCES
    assert wanted.statistics.ds_invocations > 0
    assert wanted.so_statistics[0].num_primitives_written > 0
    assert not wanted.so_overflow_predicate
    for way in ways:
        found = drawn(sample, hull, domain, engine="jit", **way)
        for a, b in zip((out, image, depth), found, strict=False):
            assert same(a, b), way
        assert found[3] == wanted


PIPELINES = pytest.mark.parametrize(
    ("sample", "hull", "domain"), pipelines(), ids=lambda x: getattr(x, "stem", x)
)


@pytest.mark.corpus
@PIPELINES
def test_pipelines_are_the_same_on_both_engines(sample: str, hull: Path, domain: Path) -> None:
    check(sample, hull, domain, [FIRST])


@pytest.mark.corpus
@pytest.mark.slow
@PIPELINES
def test_lanes_and_threads_change_nothing(sample: str, hull: Path, domain: Path) -> None:
    check(sample, hull, domain, OTHERS)
