"""The meshes of the tessellation samples after their stages: points are those of the factors."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import softd3d
from softd3d.isa.sm4.enums import Domain, OutputPrimitive, Partitioning

SAMPLES = Path(__file__).parents[4] / "shared/samples/sm5_tessellation"
CLIP = np.array([[0.6, 0, 0, 0], [0, 0.6, 0, 0], [0, 0, 0.2, 0.2], [0, 0, 0.5, 1]], np.float32)
RANDOM = np.random.default_rng(11)
CONSTANTS: dict[str, dict[str, Any]] = {
    "tess_isoline_hair": {
        "Hair": {
            "clip": CLIP, "density": 5.0, "detail": 3.5, "time": 0.5, "spread": 0.25,
            "weights": RANDOM.uniform(0.5, 2, (8, 4)),
        },
    },
    "tess_patch_constants_only": {
        "Patches": {
            "rect": RANDOM.uniform(-0.2, 0.9, (32, 4)), "inner": RANDOM.uniform(1, 6, (32, 4)),
        },
    },
    "tess_quad_bezier": {
        "View": {
            "clip": CLIP, "eye": [0, 0, -3], "scale": 12.0,
            "planes": RANDOM.uniform(-1, 1, (6, 4)) + np.array([0, 0, 0, 0.5]),
        },
        "Limits": {"least": 1.0, "most": 9.0, "inside": 1.0, "pad": 0.0},
    },
    "tess_tri_pn": {
        "View": {"clip": CLIP, "factors": RANDOM.uniform(0.5, 7, (64, 4)), "height": 0.125},
    },
}  # fmt: skip
PATCHES = 6
FIELDS = {"POSITION": 3, "NORMAL": 3, "TEXCOORD": 2, "WIDTH": 1}


def pipelines() -> list[Any]:
    """Every hull shader with the domain shader of its entry; one of each sample is not slow."""
    found: list[Any] = []
    seen: set[str] = set()
    for hs in sorted(SAMPLES.glob("*.hs_*.dxbc")):
        name, profile, entry = hs.name.split(".")[:3]
        entry = f"d{entry[1:]}"
        ds = SAMPLES / f"{name}.{profile.replace('hs', 'ds')}.{entry}.dxbc"
        ds = ds if ds.is_file() else SAMPLES / f"{name}.ds_5_0.{entry}.dxbc"
        marks = [pytest.mark.slow] if name in seen else []
        found.append(pytest.param(hs, ds, marks=marks, id=hs.name[:-5]))
        seen.add(name)
    return found


def vertices_of(shader: softd3d.Shader, count: int) -> np.ndarray | None:
    signature = shader.signatures.input
    names = [e.name for e in (() if signature is None else signature.elements) if e.name in FIELDS]
    if not names:
        return None
    vertices = np.zeros(count, [(n, "f4", (FIELDS[n],) if FIELDS[n] > 1 else ()) for n in names])
    for name in names:
        least = 0.5 if name == "WIDTH" else -1.0
        vertices[name] = RANDOM.uniform(least, 1, vertices[name].shape)
    return vertices


def arguments(hs: Path, ds: Path) -> dict[str, Any]:
    name = hs.name.split(".")[0]
    shaders = {
        "vs": softd3d.load(SAMPLES / f"{name}.vs_5_0.vmain.dxbc"), "hs": softd3d.load(hs),
        "ds": softd3d.load(ds), "ps": softd3d.load(SAMPLES / f"{name}.ps_5_0.pmain.dxbc"),
    }  # fmt: skip
    given: dict[str, Any] = {"constants": {}, "srvs": {}, "samplers": {}}
    bump = softd3d.Texture2D(RANDOM.random((8, 8), np.float32), "R32_FLOAT")
    wind = RANDOM.uniform(-1, 1, (64, 4)).astype(np.float32)
    constants = CONSTANTS[name]
    if "hforks" in hs.name:  # whose points are far away
        far = CLIP * np.array([[0.1], [0.1], [0.1], [1]], np.float32)
        constants = {"Hair": {**constants["Hair"], "clip": far}}
    for word, shader in shaders.items():
        assert isinstance(shader, softd3d.Shader)
        d = shader.declarations
        buffers = {
            b.name for b in (shader.reflection.constant_buffers if shader.reflection else ())
        }
        given["constants"][word] = {
            key: value for key, value in constants.items() if key in buffers and d.buffers
        }
        given["srvs"][word] = {
            v.lower: bump if v.return_types else wind for v in d.views.values()
        }  # fmt: skip
        given["samplers"][word] = {s.lower: None for s in d.samplers.values()}
    points = shaders["hs"].declarations.primitives.input_points
    return {
        **shaders, **given, "topology": 32 + points,
        "vertex_buffers": [vertices_of(shaders["vs"], PATCHES * points)],
        "rasterizer": softd3d.RasterizerState(cull_mode="NONE"),
    }  # fmt: skip


@pytest.mark.corpus
@pytest.mark.parametrize(("hs", "ds"), pipelines())
def test_its_points_are_those_of_its_factors(hs, ds):
    """The mesh after the domain shader has as many points as factors make, patch by patch."""
    given = arguments(hs, ds)
    job = softd3d.Draw(**given, render_targets=[np.zeros((4, 4, 4), np.float32)])
    count = PATCHES * (given["topology"] - 32)
    patches = softd3d.stage_outputs(job, "hs", vertex_count=count)
    mesh = softd3d.stage_outputs(job, "ds", vertex_count=count)
    p = given["hs"].declarations.primitives
    constants = patches.patch_constants
    assert constants is not None
    assert constants.size == PATCHES
    points = 0
    for number, row in enumerate(constants):
        edges, inside = (
            [float(row[n]) for n in constants.dtype.names if n.startswith(prefix)]
            for prefix in ("SV_TessFactor", "SV_InsideTessFactor")
        )
        made = softd3d.tessellate(
            Domain(p.domain), Partitioning(p.partitioning), OutputPrimitive(p.output), edges, inside
        )
        points += len(made.fixed)
        corners = mesh.primitives.shape[1]
        assert np.count_nonzero(mesh.primitive_ids == number) == len(made.indices) // corners
    assert mesh.vertices.size == points
