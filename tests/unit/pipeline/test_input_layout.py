"""Input layouts: placement, matching by semantic, layouts of dtypes, and every refusal."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from softd3d.container.reflection.enums import MinPrecision, RegisterComponentType, SystemValue
from softd3d.container.reflection.signature import Signature, SignatureElement
from softd3d.errors import ResourceError
from softd3d.formats.dxgi import DXGI_FORMATS
from softd3d.formats.pipeline_views import is_vertex_element
from softd3d.pipeline.input_layout import match_layout, placed
from softd3d.pipeline.state import InputClassification, InputElement
from softd3d.pipeline.state.input_layout import vertex_stride
from softd3d.pipeline.vertex_dtypes import layout_of_dtype

FLOAT = RegisterComponentType.FLOAT32
UINT = RegisterComponentType.UINT32
E = InputElement


def _parameter(
    name: str, index: int = 0, register: int = 0, kind: RegisterComponentType = FLOAT,
    system: SystemValue = SystemValue.UNDEFINED, mask: int = 15, used: int = 15,
) -> SignatureElement:  # fmt: skip
    return SignatureElement(0, name, index, system, kind, register, mask, used, MinPrecision(0))


def _signature(*parameters: SignatureElement) -> Signature:
    return Signature(parameters)


def test_elements_follow_each_other_aligned_to_their_own_size_up_to_4() -> None:
    elements = [
        E("A", 0, "R8_UINT"),
        E("B", 0, "R16_UINT"),
        E("C", 0, "R8G8_UNORM"),
        E("D", 0, "R8_SINT"),
        E("E", 0, "R16G16B16A16_FLOAT"),
        E("F", 0, "R32G32B32_FLOAT", 1),
        E("G", 0, "R8_UNORM", 0, 40),
        E("H", 0, "R32_FLOAT"),
        E("I", 0, "R16_FLOAT", 1),
    ]
    assert [at for _, at in placed(elements)] == [0, 2, 4, 6, 8, 0, 40, 44, 12]


def test_elements_may_overlap_in_any_order() -> None:
    elements = [E("A", 0, "R32_FLOAT", 0, 8), E("A", 1, "R32_UINT", 0, 8), E("B", 0, "R8_UINT")]
    assert [at for _, at in placed(elements)] == [8, 8, 12]


def test_inputs_are_matched_by_semantic_whatever_case_and_order() -> None:
    signature = _signature(
        _parameter("TexCoord", 1, 4, mask=3, used=1),
        _parameter("POSITION", 0, 2),
        _parameter("SV_VertexID", 0, 3, UINT, SystemValue.VERTEX_ID, 1, 1),
    )
    elements = [
        E("position", 0, "R32G32B32_FLOAT"),
        E("UNUSED", 0, "R8_UINT"),
        E("TEXCOORD", 1, "R16G16_SINT", 2, 4, "PER_INSTANCE_DATA", 3),
    ]
    first, second = match_layout(elements, signature)
    assert (first.register, first.mask, first.used, first.slot, first.offset) == (4, 3, 1, 2, 4)
    assert (first.per_instance, first.step_rate) == (True, 3)
    assert first.format.name == "R16G16_SINT"
    assert (second.register, second.offset, second.per_instance) == (2, 0, False)


def test_a_shader_without_inputs_needs_no_elements() -> None:
    assert match_layout([], _signature()) == ()
    assert match_layout([], None) == ()
    ids = _parameter("SV_InstanceID", 0, 0, UINT, SystemValue.INSTANCE_ID)
    assert match_layout([E("A", 0, "R8_UINT")], _signature(ids)) == ()


def test_an_input_without_element_is_named() -> None:
    signature = _signature(_parameter("POSITION"), _parameter("TEXCOORD", 2, 5))
    with pytest.raises(ResourceError) as error:
        match_layout([E("POSITION", 0, "R32_FLOAT"), E("TEXCOORD", 1, "R32_FLOAT")], signature)
    assert error.value.message == (
        "input layout: vertex shader input v5 is TEXCOORD2, "
        "found POSITION, TEXCOORD1, wanted an element TEXCOORD2"
    )


@pytest.mark.parametrize(
    ("elements", "text"),
    [
        (
            [E("A", 0, "R8_UINT"), E("B", 0, "R8_UINT", 0, 4, 1)],
            "B input_slot_class: found PER_INSTANCE_DATA, wanted PER_VERTEX_DATA as A of the same",
        ),
        (
            [E("A", 0, "R8_UINT", 3, 0, 1, 2), E("B", 0, "R8_UINT", 3, 4, 1, 5)],
            "B instance_data_step_rate: found 5, wanted 2 as A of the same slot 3",
        ),
        ([E("A", 1, "R8_UINT"), E("a", 1, "R8_SINT", 2)], "found two elements a1, wanted one"),
        ([E("A", n, "R8_UINT") for n in range(33)], "found more than 32 elements"),
    ],
)
def test_elements_that_do_not_go_together(elements: list[InputElement], text: str) -> None:
    with pytest.raises(ResourceError, match=text):
        placed(elements)


@pytest.mark.parametrize("given", [None, 3, "POSITION", [None], ["POSITION"], {"A": 1}])
def test_what_is_no_layout(given: Any) -> None:
    with pytest.raises(TypeError, match="input layout: found"):
        placed(given)


# Elements


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (("", 0, "R8_UINT"), "semantic_name: found '', wanted a name"),
        (("A", -1, "R8_UINT"), "input element 'A' semantic_index: found -1"),
        (("A", 0, "R8G8B8A8_UNORM_SRGB"), "cannot have format .*, wanted R8G8B8A8_UNORM"),
        (("A", 0, "R32G32_TYPELESS"), "wanted one of R32G32_FLOAT, R32G32_UINT, R32G32_SINT"),
        (("A", 0, "BC1_UNORM"), "input element A: vertices cannot have format BC1_UNORM"),
        (("A", 0, "D32_FLOAT"), "vertices cannot have format D32_FLOAT"),
        (("A", 2, "R8_UINT", 32), "input element A2 input_slot: found 32, wanted 0 to 31"),
        (("A", 0, "R32_UINT", 0, 2), "aligned_byte_offset: found 2, wanted a multiple of 4"),
        (("A", 0, "R16_UINT", 0, 3), "found 3, wanted a multiple of 2 for R16_UINT"),
        (("A", 0, "R16G16_UINT", 0, 6), "found 6, wanted a multiple of 4"),
        (("A", 0, "R8_UINT", 0, 0, "PER_PIXEL"), "wanted one of PER_VERTEX_DATA, PER_INST"),
        (("A", 0, "R8_UINT", 0, 0, 0, 1), "step_rate: found 1 for PER_VERTEX_DATA, wanted 0"),
        (("A", 0, "R8_UINT", 0, 0, 1, -1), "instance_data_step_rate: found -1"),
    ],
)
def test_elements_that_direct3d_refuses(arguments: tuple[Any, ...], text: str) -> None:
    with pytest.raises(ResourceError, match=text):
        InputElement(*arguments)


def test_names_of_classes() -> None:
    element = E("A", 0, "DXGI_FORMAT_R8_UINT", 0, 1, "D3D11_INPUT_PER_INSTANCE_DATA")
    assert element.input_slot_class is InputClassification.PER_INSTANCE_DATA
    assert element.is_per_instance
    assert element.alignment == 1


@pytest.mark.parametrize("stride", [-1, 2049, None, 4.0, "8"])
def test_strides_that_direct3d_refuses(stride: object) -> None:
    with pytest.raises(ResourceError, match="vertex buffer 5 stride: found"):
        vertex_stride(stride, 5)


def test_strides() -> None:
    assert [vertex_stride(n, 0) for n in (0, 12, np.int32(2048))] == [0, 12, 2048]


# Layouts of dtypes


def test_every_format_of_plain_numbers_comes_out_of_a_dtype() -> None:
    found: set[str] = set()
    for kind in "fui":
        for size in (1, 2, 4):
            for count in (1, 2, 3, 4):
                if kind == "f" and size == 1:
                    continue
                letters = "".join(f"{c}{8 * size}" for c in "RGBA"[:count])
                word = {"f": "FLOAT", "u": "UINT", "i": "SINT"}[kind]
                name = f"{letters}_{word}"
                field = f"{kind}{size}" if count == 1 else (f"{kind}{size}", count)
                dtype = np.dtype([("A", *((field,) if isinstance(field, str) else field))])
                known = DXGI_FORMATS.get(name)
                if known is None or not is_vertex_element(known):
                    with pytest.raises(ResourceError, match="field A: found"):
                        layout_of_dtype(dtype)
                    continue
                (element,) = layout_of_dtype(dtype)
                found.add(element.texel.name)
    plain = {
        f.name
        for f in DXGI_FORMATS.values()
        if is_vertex_element(f)
        and f.name.startswith("R")
        and len({c.bits for c in f.channels}) == 1
        and f.name.endswith(("_FLOAT", "_UINT", "_SINT"))
    }
    assert found == plain


def test_small_integers_are_normalised_for_inputs_that_are_floats() -> None:
    vertex = np.dtype([("COLOR", "u1", 4), ("NORMAL", "i2", 2), ("ID", "u1", 4), ("PAD", "f8")])
    signature = _signature(
        _parameter("color"), _parameter("NORMAL", 0, 1), _parameter("ID", 0, 2, UINT)
    )
    elements = layout_of_dtype(vertex, signature, slot=3)
    assert [(e.texel.name, e.aligned_byte_offset, e.input_slot) for e in elements] == [
        ("R8G8B8A8_UNORM", 0, 3), ("R16G16_SNORM", 4, 3), ("R8G8B8A8_UINT", 8, 3),
    ]  # fmt: skip


def test_fields_have_their_own_offsets_and_indices() -> None:
    vertex = np.dtype(
        {
            "names": ["POSITION", "TEXCOORD12", "TEXCOORD0"],
            "formats": [("<f4", (3,)), ("<f2", (2,)), "<f4"],
            "offsets": [4, 20, 0],
            "itemsize": 32,
        }
    )
    found = [
        (e.semantic_name, e.semantic_index, e.aligned_byte_offset) for e in layout_of_dtype(vertex)
    ]
    assert found == [("POSITION", 0, 4), ("TEXCOORD", 12, 20), ("TEXCOORD", 0, 0)]


@pytest.mark.parametrize(
    ("field", "text"),
    [
        (("f8", 3), "wanted numbers as of R32G32B32_FLOAT, or an input_layout"),
        (("f4", 5), "wanted 1 to 4 numbers"),
        (("f4", (2, 2)), "wanted 1 to 4 numbers"),
        (("u1", 3), "found .*'u1', \\(3,\\)"),
        (("?", 1), "found"),
        (("S4", 1), "found"),
        ((">f4", 2), "found .*>f4"),
        (([("X", "f4")], 1), "found"),
        (("u4", 4), "wanted numbers as of .*R32G32B32A32_FLOAT"),
    ],
)
def test_fields_that_no_format_fits(field: tuple[Any, Any], text: str) -> None:
    dtype = np.dtype([("POSITION", *field)])
    with pytest.raises(ResourceError, match=text):
        layout_of_dtype(dtype, _signature(_parameter("POSITION")), 1)


def test_a_dtype_without_fields_is_no_layout() -> None:
    with pytest.raises(
        ResourceError, match="vertex buffer 2: found dtype float32, wanted one with"
    ):
        layout_of_dtype(np.dtype(np.float32), None, 2)


def test_a_field_that_is_not_aligned_is_refused() -> None:
    with pytest.raises(ResourceError, match="element B aligned_byte_offset: found 1, wanted a mul"):
        layout_of_dtype(np.dtype([("A", "u1"), ("B", "f4")]))
