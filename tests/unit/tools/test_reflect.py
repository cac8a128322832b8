"""Reflection as JSON against what Microsoft's D3DReflect says of the same files, field by field."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import softd3d
from softd3d.container.reflection.enums import (
    CbufferType,
    MinPrecision,
    RegisterComponentType,
    ResourceReturnType,
    ShaderCbufferFlags,
    ShaderInputFlags,
    ShaderInputType,
    ShaderVariableClass,
    ShaderVariableFlags,
    ShaderVariableType,
    SrvDimension,
    SystemValue,
)
from softd3d.container.reflection.features import ShaderFeatures
from softd3d.tools.reflection.shader import SCHEMA, SCHEMA_VERSION, reflect

Json = dict[str, Any]
DATA = Path(__file__).parents[1] / "container/data"
STAGES = ("ps", "vs", "gs", "hs", "ds", "cs")
STATISTICS = {
    "InstructionCount": "instruction_count",
    "TempRegisterCount": "temp_register_count",
    "TempArrayCount": "temp_array_count",
    "DefCount": "def_count",
    "DclCount": "dcl_count",
    "TextureNormalInstructions": "texture_normal_instructions",
    "TextureLoadInstructions": "texture_load_instructions",
    "TextureCompInstructions": "texture_comp_instructions",
    "TextureBiasInstructions": "texture_bias_instructions",
    "TextureGradientInstructions": "texture_gradient_instructions",
    "FloatInstructionCount": "float_instruction_count",
    "IntInstructionCount": "int_instruction_count",
    "UintInstructionCount": "uint_instruction_count",
    "StaticFlowControlCount": "static_flow_control_count",
    "DynamicFlowControlCount": "dynamic_flow_control_count",
    "MacroInstructionCount": "macro_instruction_count",
    "ArrayInstructionCount": "array_instruction_count",
    "CutInstructionCount": "cut_instruction_count",
    "EmitInstructionCount": "emit_instruction_count",
    "GSOutputTopology": "gs_output_topology",
    "GSMaxOutputVertexCount": "gs_max_output_vertex_count",
    "InputPrimitive": "gs_input_primitive",
    "cGSInstanceCount": "gs_instance_count",
    "cControlPoints": "control_points",
    "HSOutputPrimitive": "hs_output_primitive",
    "HSPartitioning": "hs_partitioning",
    "TessellatorDomain": "tessellator_domain",
    "cBarrierInstructions": "barrier_instructions",
    "cInterlockedInstructions": "interlocked_instructions",
    "cTextureStoreInstructions": "texture_store_instructions",
}
OUTER_STATISTICS = {
    "MovInstructionCount": "mov_instruction_count",
    "MovcInstructionCount": "movc_instruction_count",
    "ConversionInstructionCount": "conversion_instruction_count",
    "BitwiseInstructionCount": "bitwise_instruction_count",
    "GSInputPrimitive": "gs_input_primitive",
    "IsSampleFrequencyShader": "is_sample_frequency_shader",
}
LEVELS = {
    "9_1": 0x9100,
    "9_3": 0x9300,
    "10_0": 0xA000,
    "10_1": 0xA100,
    "11_0": 0xB000,
    "11_1": 0xB100,
}


def number(enumeration: Any, name: str) -> int:
    return int(enumeration[name.upper()])


def bits(enumeration: Any, names: list[str]) -> int:
    return sum(
        int(name, 16) if name.startswith("0x") else int(enumeration[name.upper()]) for name in names
    )


def or_minus_one(value: int | None) -> int:
    return -1 if value is None else value


def as_microsoft(document: Json) -> Json:
    """Return our document in the form in which the reflection files have Microsoft's."""
    definitions, statistics = document["definitions"], document["statistics"]
    stage, major, minor = document["profile"].split("_")
    x, y, z = document["thread_group_size"]
    signatures = {kind: found or [] for kind, found in document["signatures"].items()}
    buffers = [buffer(b) for b in definitions["constant_buffers"]]
    bindings = [binding(b) for b in definitions["bindings"]]
    return {
        "desc": {
            "Version": STAGES.index(stage) << 16 | int(major) << 4 | int(minor),
            "Creator": definitions["creator"],
            "Flags": definitions["compile_flags"],
            "ConstantBuffers": len(buffers),
            "BoundResources": len(bindings),
            "InputParameters": len(signatures["input"]),
            "OutputParameters": len(signatures["output"]),
            "PatchConstantParameters": len(signatures["patch_constant"]),
            **{theirs: statistics[ours] for theirs, ours in STATISTICS.items()},
        },
        **{theirs: statistics[ours] for theirs, ours in OUTER_STATISTICS.items()},
        "NumInterfaceSlots": definitions["interface_slots"],
        "MinFeatureLevel": LEVELS[document["min_feature_level"]],
        "ThreadGroupSize": [x, y, z, x * y * z],
        "RequiresFlags": requires(document["requires"]),
        "constant_buffers": buffers,
        "bindings": bindings,
        "inputs": [element(e) for e in signatures["input"]],
        "outputs": [element(e) for e in signatures["output"]],
        "patch_constants": [element(e) for e in signatures["patch_constant"]],
    }


def requires(names: list[str]) -> int:
    early = "early_depth_stencil" in names
    return bits(ShaderFeatures, [n for n in names if n != "early_depth_stencil"]) | early << 1


def buffer(b: Json) -> Json:
    return {
        "Name": b["name"],
        "Type": number(CbufferType, b["type"]),
        "Size": b["size"],
        "uFlags": bits(ShaderCbufferFlags, b["flags"]),
        "variables": [variable(v) for v in b["variables"]],
    }


def variable(v: Json) -> Json:
    return {
        "Name": v["name"],
        "StartOffset": v["offset"],
        "Size": v["size"],
        "uFlags": bits(ShaderVariableFlags, v["flags"]),
        "StartTexture": or_minus_one(v["start_texture"]),
        "TextureSize": v["texture_count"],
        "StartSampler": or_minus_one(v["start_sampler"]),
        "SamplerSize": v["sampler_count"],
        "DefaultValue": v["default"],
        "InterfaceSlot": v["offset"] if "interface_pointer" in v["flags"] else -1,
        "type": type_(v["type"]),
    }


def type_(t: Json, offset: int = 0) -> Json:
    result: Json = {
        "Class": number(ShaderVariableClass, t["class"]),
        "Type": number(ShaderVariableType, t["type"]),
        "Rows": t["rows"],
        "Columns": t["columns"],
        "Elements": t["elements"],
        "Members": len(t["members"]),
        "Offset": offset,
        "Name": t["name"],
    }
    if t["members"]:
        result["members"] = [
            {"name": m["name"], "type": type_(m["type"], m["offset"])} for m in t["members"]
        ]
    if t["interfaces"]:
        result["NumInterfaces"] = len(t["interfaces"])
    return result


def binding(b: Json) -> Json:
    return {
        "Name": b["name"],
        "Type": number(ShaderInputType, b["type"]),
        "BindPoint": b["bind_point"],
        "BindCount": b["bind_count"],
        "uFlags": bits(ShaderInputFlags, b["flags"]),
        "ReturnType": number(ResourceReturnType, b["return_type"]),
        "Dimension": number(SrvDimension, b["dimension"]),
        "NumSamples": or_minus_one(b["samples_or_stride"]),
    }


def element(e: Json) -> Json:
    return {
        "SemanticName": e["semantic_name"],
        "SemanticIndex": e["semantic_index"],
        "Register": or_minus_one(e["register"]),
        "SystemValueType": number(SystemValue, e["system_value"]),
        "ComponentType": number(RegisterComponentType, e["component_type"]),
        "Mask": e["mask"],
        "ReadWriteMask": e["read_write_mask"],
        "Stream": e["stream"],
        "MinPrecision": number(MinPrecision, e["min_precision"]),
    }


def check(path: Path) -> None:
    document = reflect(softd3d.load(path))
    json.dumps(document)
    assert (document["schema"], document["schema_version"]) == (SCHEMA, SCHEMA_VERSION)
    assert as_microsoft(document) == json.loads(path.with_suffix(".refl.json").read_text())


@pytest.mark.parametrize("path", sorted(DATA.glob("*.dxbc")), ids=lambda p: p.stem)
def test_own_samples(path: Path) -> None:
    if not path.with_suffix(".refl.json").exists():
        pytest.skip("no reflection file beside it")
    check(path)


@pytest.mark.parametrize(
    "path", sorted((DATA / "compilers").glob("*.refl.json")), ids=lambda p: p.name
)
def test_what_compilers_wrote(path: Path) -> None:
    check(path.with_name(path.name.removesuffix(".refl.json") + ".dxbc"))


@pytest.mark.corpus
def test_every_sample(shared: Path) -> None:
    paths = sorted((shared / "samples/sm4_5").glob("*.dxbc"))
    assert len(paths) > 200
    for path in paths:
        check(path)


def test_a_bare_program_has_no_definitions() -> None:
    shader = softd3d.load(DATA / "cs_structured_stride.cs_5_0.dxbc")
    assert shader.container is not None
    bare = softd3d.load(shader.container.program_chunk.data)
    document = reflect(bare)
    assert document["definitions"] is None
    assert document["statistics"] is None
    assert document["signatures"] == {"input": None, "output": None, "patch_constant": None}
    assert document["thread_group_size"] == [16, 1, 1]
    assert document["profile"] == "cs_5_0"
