"""Families, twins, views and copies."""

from __future__ import annotations

import pytest

from softd3d.errors import ResourceError
from softd3d.formats.casts import can_copy, linear_twin, members, srgb_twin, view_formats
from softd3d.formats.dxgi import DXGI_FORMATS, dxgi_format


def test_families() -> None:
    names = [f.name for f in members(dxgi_format("R24G8_TYPELESS"))]
    assert names == ["D24_UNORM_S8_UINT", "R24_UNORM_X8_TYPELESS", "X24_TYPELESS_G8_UINT"]
    assert dxgi_format("R24_UNORM_X8_TYPELESS").is_typeless is False
    assert members(dxgi_format("R8_UNORM")) == ()


def test_twins_are_each_others() -> None:
    for format_ in DXGI_FORMATS.values():
        twin = srgb_twin(format_)
        if twin is not None:
            assert linear_twin(twin) is format_
            assert twin.parent == format_.parent
    assert srgb_twin(dxgi_format("R16_UNORM")) is None
    assert linear_twin(dxgi_format("R8G8B8A8_UNORM")) is None


@pytest.mark.parametrize(
    ("name", "plane", "wanted"),
    [
        ("R8G8B8A8_UNORM", 0, ("R8G8B8A8_UNORM",)),
        ("R16G16_TYPELESS", 0, (
            "R16G16_FLOAT", "R16G16_UNORM", "R16G16_UINT", "R16G16_SNORM", "R16G16_SINT",
            "R32_FLOAT", "R32_UINT", "R32_SINT",
        )),
        ("NV12", 0, ("R8_UNORM", "R8_UINT")),
        ("P010", 1, ("R16G16_UNORM", "R16G16_UINT", "R32_UINT")),
        ("YUY2", 0, ("R8G8B8A8_UNORM", "R8G8B8A8_UINT", "R32_UINT", "R8G8_B8G8_UNORM")),
        ("420_OPAQUE", 0, ()),
    ],
)  # fmt: skip
def test_views(name: str, plane: int, wanted: tuple[str, ...]) -> None:
    found = view_formats(dxgi_format(name), plane)
    assert found == wanted
    assert set(found) <= set(DXGI_FORMATS)


def test_there_is_no_third_plane_of_nv12() -> None:
    with pytest.raises(ResourceError, match="format NV12: there is no plane 2"):
        view_formats(dxgi_format("NV12"), 2)


def test_copies_stay_in_the_family() -> None:
    assert can_copy(dxgi_format("R32_FLOAT"), dxgi_format("D32_FLOAT"))
    assert can_copy(dxgi_format("R11G11B10_FLOAT"), dxgi_format("R11G11B10_FLOAT"))
    assert not can_copy(dxgi_format("R11G11B10_FLOAT"), dxgi_format("R9G9B9E5_SHAREDEXP"))
    assert not can_copy(dxgi_format("R32_FLOAT"), dxgi_format("R16G16_FLOAT"))
