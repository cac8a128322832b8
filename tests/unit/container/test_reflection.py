"""RDEF, signatures, STAT and SFI0 against what Microsoft's reflection says of the same files."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from softd3d.container.dxbc import Container, parse
from softd3d.container.enums import MinPrecision, ShaderVariableFlags, SystemValue
from softd3d.container.features import (
    FEATURE_TEXTS,
    ShaderFeatures,
    feature_texts,
    parse_features,
)
from softd3d.container.rdef import (
    Binding,
    ConstantBuffer,
    ResourceDefinitions,
    Variable,
    VariableType,
    parse_rdef,
)
from softd3d.container.signature import (
    INPUT_SIGNATURES,
    OUTPUT_SIGNATURES,
    PATCH_CONSTANT_SIGNATURES,
    parse_signature,
)
from softd3d.container.stat import Statistics, parse_stat

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

Json = dict[str, Any]


def or_minus_one(value: int | None) -> int:
    return -1 if value is None else value


def type_json(type_: VariableType, offset: int = 0) -> Json:
    """Return a type as the reflection files write it."""
    result: Json = {
        "Class": type_.class_,
        "Type": type_.type,
        "Rows": type_.rows,
        "Columns": type_.columns,
        "Elements": type_.elements,
        "Members": len(type_.members),
        "Offset": offset,
        "Name": type_.name or None,
    }
    if type_.members:
        result["members"] = [
            {"name": member.name, "type": type_json(member.type, member.offset)}
            for member in type_.members
        ]
    if type_.interfaces:
        result["NumInterfaces"] = len(type_.interfaces)
    return result


def variable_json(variable: Variable) -> Json:
    is_interface = ShaderVariableFlags.INTERFACE_POINTER in variable.flags
    return {
        "Name": variable.name,
        "StartOffset": variable.offset,
        "Size": variable.size,
        "uFlags": variable.flags,
        "StartTexture": or_minus_one(variable.start_texture),
        "TextureSize": variable.texture_count,
        "StartSampler": or_minus_one(variable.start_sampler),
        "SamplerSize": variable.sampler_count,
        "DefaultValue": None if variable.default is None else variable.default.hex(),
        "InterfaceSlot": variable.offset if is_interface else -1,
        "type": type_json(variable.type),
    }


def buffer_json(buffer: ConstantBuffer) -> Json:
    return {
        "Name": buffer.name,
        "Type": buffer.type,
        "Size": buffer.size,
        "uFlags": buffer.flags,
        "variables": [variable_json(variable) for variable in buffer.variables],
    }


def binding_json(binding: Binding) -> Json:
    return {
        "Name": binding.name,
        "Type": binding.type,
        "BindPoint": binding.bind_point,
        "BindCount": binding.bind_count,
        "uFlags": binding.flags,
        "ReturnType": binding.return_type,
        "Dimension": binding.dimension,
        "NumSamples": or_minus_one(binding.sample_count),
    }


def signature_json(container: Container, fourccs: tuple[str, ...]) -> list[Json]:
    chunk = container.find(*fourccs)
    if chunk is None:
        return []
    return [
        {
            "SemanticName": element.name,
            "SemanticIndex": element.semantic_index,
            "Register": or_minus_one(element.register),
            "SystemValueType": element.meaning,
            "ComponentType": element.component_type,
            "Mask": element.mask,
            "ReadWriteMask": element.rw_mask,
            "Stream": element.stream,
            "MinPrecision": element.min_precision,
        }
        for element in parse_signature(chunk).elements
    ]


def check_statistics(statistics: Statistics, wanted: Json) -> None:
    for key, name in STATISTICS.items():
        assert getattr(statistics, name) == wanted["desc"][key], key
    for key, name in OUTER_STATISTICS.items():
        assert getattr(statistics, name) == wanted[key], key


def check_definitions(definitions: ResourceDefinitions, wanted: Json) -> None:
    desc = wanted["desc"]
    stage, major, minor = desc["Version"] >> 16, desc["Version"] >> 4 & 15, desc["Version"] & 15
    assert definitions.profile == f"{STAGES[stage]}_{major}_{minor}"
    assert definitions.creator == desc["Creator"]
    assert definitions.flags == desc["Flags"]
    assert definitions.interface_slots == wanted["NumInterfaceSlots"]
    assert len(definitions.constant_buffers) == desc["ConstantBuffers"]
    assert len(definitions.bindings) == desc["BoundResources"]
    assert [buffer_json(b) for b in definitions.constant_buffers] == wanted["constant_buffers"]
    assert [binding_json(b) for b in definitions.bindings] == wanted["bindings"]


def check_against_reflection(path: Path) -> None:
    wanted = json.loads(path.with_suffix(".refl.json").read_text())
    container = parse(path.read_bytes())
    rdef, stat, sfi0 = (container.find(fourcc) for fourcc in ("RDEF", "STAT", "SFI0"))
    assert rdef is not None
    assert stat is not None
    check_definitions(parse_rdef(rdef), wanted)
    check_statistics(parse_stat(stat), wanted)
    assert signature_json(container, INPUT_SIGNATURES) == wanted["inputs"]
    assert signature_json(container, OUTPUT_SIGNATURES) == wanted["outputs"]
    assert signature_json(container, PATCH_CONSTANT_SIGNATURES) == wanted["patch_constants"]
    # Bit 1 means different things in the chunk and in the reflection interface.
    features = 0 if sfi0 is None else parse_features(sfi0)
    assert features & ~2 == wanted["RequiresFlags"] & ~2


def test_small_containers(small_containers: list[Path]) -> None:
    for path in small_containers:
        check_against_reflection(path)


def test_sample_containers(sample_containers: list[Path]) -> None:
    for path in sample_containers:
        check_against_reflection(path)


def noted_features(listing: str) -> list[str]:
    """Return the lines under the note about additional functionality at a listing's head."""
    note = "// Note: shader requires additional functionality:\n"
    block = listing.partition(note)[2].partition("\n//\n")[0]
    return [line.removeprefix("//       ") for line in block.splitlines()]


def test_feature_texts_are_the_listing_s(sample_containers: list[Path]) -> None:
    seen = set[str]()
    for path in sample_containers:
        chunk = parse(path.read_bytes()).find("SFI0")
        listing = path.with_suffix(".asm").read_text()
        texts = feature_texts(
            parse_features(chunk) if chunk else ShaderFeatures.NONE,
            forces_early_depth_stencil="forceEarlyDepthStencil" in listing,
        )
        assert texts == noted_features(listing), path.name
        seen.update(texts)
    assert {"Early depth-stencil", "Minimum-precision data types", "Tiled resources"} <= seen
    assert len(seen) >= 7


def test_feature_texts_of_all_bits() -> None:
    """As the disassembler printed a container with all bits of SFI0 set."""
    everything = ShaderFeatures(0xFFFFFFFFFFFFFFFF)
    assert len(feature_texts(everything)) == 13
    texts = feature_texts(everything, forces_early_depth_stencil=True)
    assert texts[:3] == [
        "Double-precision floating point",
        "Early depth-stencil",
        "UAVs at every shader stage",
    ]
    assert len(texts) == len(FEATURE_TEXTS) == 14
    assert feature_texts(ShaderFeatures.RAW_AND_STRUCTURED_BUFFERS) == []


def test_corpus_containers(corpus_containers: list[Path]) -> None:
    profiles = set[str]()
    for path in corpus_containers:
        container = parse(path.read_bytes())
        for chunk in container.chunks:
            if chunk.fourcc in INPUT_SIGNATURES + OUTPUT_SIGNATURES + PATCH_CONSTANT_SIGNATURES:
                parse_signature(chunk)
            elif chunk.fourcc == "SFI0":
                parse_features(chunk)
            elif chunk.fourcc == "STAT" and container.find("DXIL") is None:
                parse_stat(chunk)
            elif chunk.fourcc == "RDEF":
                profiles.add(parse_rdef(chunk).profile)
    assert {"ps_4_0", "gs_4_1", "cs_5_0", "hs_5_1"} <= profiles


@pytest.fixture
def min_precision(small_containers: list[Path]) -> Container:
    (path,) = [p for p in small_containers if p.name.startswith("min_precision")]
    return parse(path.read_bytes())


def test_min_precision_signature(min_precision: Container) -> None:
    chunk = min_precision.find("ISG1")
    assert chunk is not None
    precisions = [element.min_precision for element in parse_signature(chunk).elements]
    assert precisions == [
        MinPrecision.DEFAULT,
        MinPrecision.FLOAT_16,
        MinPrecision.FLOAT_2_8,
        MinPrecision.SINT_16,
        MinPrecision.UINT_16,
    ]


def test_pixel_outputs_mean_what_their_names_say(min_precision: Container) -> None:
    chunk = min_precision.find("OSG1")
    assert chunk is not None
    elements = parse_signature(chunk).elements
    assert {element.system_value for element in elements} == {SystemValue.UNDEFINED}
    assert [(e.name, e.meaning, e.register) for e in elements] == [
        ("SV_Target", SystemValue.TARGET, 1),
        ("SV_Target", SystemValue.TARGET, 3),
        ("SV_Coverage", SystemValue.COVERAGE, None),
    ]


def test_spaces(small_containers: list[Path]) -> None:
    (path,) = [p for p in small_containers if p.name.startswith("cs_sm51")]
    chunk = parse(path.read_bytes()).find("RDEF")
    assert chunk is not None
    places = {b.name: (b.space, b.id, b.bind_point) for b in parse_rdef(chunk).bindings}
    assert places == {
        "A": (3, 0, 0),
        "B": (4, 1, 0),
        "Dst": (2, 0, 5),
        "cb0": (1, 0, 2),
        "cbs": (7, 1, 0),
    }


def test_interfaces_and_bases(small_containers: list[Path]) -> None:
    (path,) = [p for p in small_containers if p.name.startswith("cs_interfaces")]
    chunk = parse(path.read_bytes()).find("RDEF")
    assert chunk is not None
    add, pointer = (
        next(b for b in parse_rdef(chunk).constant_buffers if b.name == name).variables[0].type
        for name in ("$Globals", "$ThisPointer")
    )
    assert [interface.name for interface in add.interfaces] == ["IOp"]
    assert pointer.subtype == add.interfaces[0]
    (path,) = [p for p in small_containers if p.name.startswith("inheritance")]
    chunk = parse(path.read_bytes()).find("RDEF")
    assert chunk is not None
    leaf = parse_rdef(chunk).constant_buffers[0].variables[0].type
    assert leaf.base_class is not None
    assert leaf.base_class.name == "Middle"
    assert leaf.base_class.base_class is not None
    assert leaf.base_class.base_class.name == "Base"
