"""RDEF, signatures, STAT and SFI0; `test_reflect` compares them with Microsoft's reflection."""

from __future__ import annotations

from pathlib import Path

import pytest

from softd3d.container.dxbc.container import Container, parse
from softd3d.container.reflection.enums import MinPrecision, SystemValue
from softd3d.container.reflection.features import (
    FEATURE_TEXTS,
    ShaderFeatures,
    feature_texts,
    parse_features,
)
from softd3d.container.reflection.rdef import (
    parse_rdef,
)
from softd3d.container.reflection.signature import (
    INPUT_SIGNATURES,
    OUTPUT_SIGNATURES,
    PATCH_CONSTANT_SIGNATURES,
    parse_signature,
)
from softd3d.container.reflection.stat import parse_stat


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
