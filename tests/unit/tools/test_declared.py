"""What declarations tell of stripped shaders."""

from __future__ import annotations

from pathlib import Path

import pytest

import softd3d
from softd3d.container.dxbc import container as dxbc
from softd3d.tools.summary.inputs import summarise

STRIPPED = Path("../shared/faults/reports/stripped_vs_5_0.cso")
BUFFERS = [("b0", 80), ("b2", 48), ("b3", 16)]
TEXT = """ps_5_0
dcl_constantbuffer CB0[5], immediateIndexed
dcl_constantbuffer CB2[3], dynamicIndexed
dcl_sampler s0, mode_default
dcl_sampler s1, mode_comparison
dcl_resource_texture2d (float,float,float,float) t0
dcl_resource_texture2dms(4) (unorm,unorm,unorm,unorm) t1
dcl_resource_structured t2, 24
dcl_resource_raw t3
dcl_uav_typed_buffer (uint,uint,uint,uint) u1
dcl_uav_structured_opc u2, 8
dcl_uav_raw u3
ret
"""
ROWS = [
    ("b0", "cbuffer", "80 bytes"),
    ("b2", "cbuffer", "48 bytes"),
    ("s0", "sampler", "default"),
    ("s1", "sampler", "comparison"),
    ("t0", "texture", "texture2d of float"),
    ("t1", "texture", "texture2dms of unorm"),
    ("t2", "structured", "24 bytes each"),
    ("t3", "byteaddress", ""),
    ("u1", "uav_rwtyped", "buffer of uint"),
    ("u2", "uav_rwstructured_with_counter", "8 bytes each"),
    ("u3", "uav_rwbyteaddress", ""),
]


def test_every_kind_of_declaration():
    data = dxbc.parse(softd3d.assemble(TEXT)).program_chunk.data
    document = softd3d.reflect(data)
    assert document["definitions"] is None
    assert [(d["register"], d["type"]) for d in document["declarations"]] == [r[:2] for r in ROWS]
    found = [(b["register"], b["type"], b["holds"]) for b in summarise(data)["bindings"]]
    assert found == [("c" * (row[1] == "cbuffer") + row[0], *row[1:]) for row in ROWS]


@pytest.mark.skipif(not STRIPPED.exists(), reason="needs ../shared/faults")
def test_stripped_shader_of_a_report():
    declared = softd3d.reflect(STRIPPED)["declarations"]
    assert [(d["register"], d["size"]) for d in declared] == BUFFERS
    rows = summarise(STRIPPED.read_bytes())["bindings"]
    assert [(b["register"], b["holds"]) for b in rows] == [
        (f"c{r}", f"{n} bytes") for r, n in BUFFERS
    ]


def test_shader_model_2():
    tokens = softd3d.assemble(
        "ps_2_0\ndcl t0.xy\ndcl_2d s0\ndef c1, 1, 0, 0, 1\ntexld r0, t0, s0\n"
        "mad r0, r0, c0, c1\nmov oC0, r0\n"
    )
    found = softd3d.reflect(tokens)["declarations"]
    assert [d["register"] for d in found["declared"]] == ["t0"]
    assert found["samplers"] == [{"register": "s0", "texture_type": "texture_2d"}]
    assert found["defined"] == {"c1": [0x3F800000, 0, 0, 0x3F800000]}
    assert found["constants"] == [
        {"register_set": "float4", "registers": [0], "is_addressed": False}
    ]


def test_relative_addressing_is_told():
    tokens = softd3d.assemble(
        "vs_2_0\ndcl_position v0\ndcl_texcoord1 v1.xy\nmova a0.x, v1.x\n"
        "mov r0, c4[a0.x]\nadd oPos, v0, r0\n"
    )
    found = softd3d.reflect(tokens)["declarations"]
    assert [(d["register"], d["usage"], d["usage_index"]) for d in found["declared"]] == [
        ("v0", "position", 0),
        ("v1", "texcoord", 1),
    ]
    assert found["constants"] == [
        {"register_set": "float4", "registers": [4], "is_addressed": True}
    ]
