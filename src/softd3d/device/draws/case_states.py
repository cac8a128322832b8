"""States of draw cases: the numbers of a case file as state objects.

Keys and their defaults are those of docs/cases.md; numbers are those of d3d11.h.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, TypeVar, cast

from softd3d.errors import Location, ResourceError
from softd3d.pipeline.state import (
    BlendState,
    DepthStencilOpDesc,
    DepthStencilState,
    InputElement,
    RasterizerState,
    Rect,
    RenderTargetBlendDesc,
    Viewport,
)
from softd3d.resources.cases.json import Entry

__all__ = ["changed", "input_layout", "rectangles", "states", "viewports"]

_RASTER = {
    "fill": ("fill_mode", 3), "cull": ("cull_mode", 1),
    "front_ccw": ("front_counter_clockwise", 0),
    "depth_bias": ("depth_bias", 0), "depth_bias_clamp": ("depth_bias_clamp", 0),
    "slope_scaled_depth_bias": ("slope_scaled_depth_bias", 0),
    "depth_clip": ("depth_clip_enable", 1),
    "scissor": ("scissor_enable", 0), "multisample": ("multisample_enable", 0),
    "antialiased_line": ("antialiased_line_enable", 0),
    "forced_sample_count": ("forced_sample_count", 0), "conservative": ("conservative_raster", 0),
}  # fmt: skip
_DEPTH = {
    "enable": ("depth_enable", 1), "write": ("depth_write_mask", 1), "func": ("depth_func", 2),
    "stencil_enable": ("stencil_enable", 0), "stencil_read_mask": ("stencil_read_mask", 255),
    "stencil_write_mask": ("stencil_write_mask", 255),
}  # fmt: skip
_FACE = {
    "fail": ("stencil_fail_op", 1), "depth_fail": ("stencil_depth_fail_op", 1),
    "pass": ("stencil_pass_op", 1), "func": ("stencil_func", 8),
}  # fmt: skip
_TARGET = {
    "enable": ("blend_enable", 0), "logic": ("logic_op_enable", 0), "src": ("src_blend", 2),
    "dst": ("dest_blend", 1), "op": ("blend_op", 1), "src_alpha": ("src_blend_alpha", 2),
    "dst_alpha": ("dest_blend_alpha", 1), "op_alpha": ("blend_op_alpha", 1),
    "logic_op": ("logic_op", 4), "write_mask": ("render_target_write_mask", 15),
}  # fmt: skip
_FLAGS = frozenset(
    {
        "front_ccw", "depth_clip", "scissor", "multisample", "antialiased_line", "enable",
        "stencil_enable", "logic",
    }
)  # fmt: skip
_FLOATS = frozenset({"depth_bias_clamp", "slope_scaled_depth_bias"})
_INT32 = -(1 << 31), (1 << 32) - 1
_State = TypeVar("_State")


def changed(case: Entry, draw: Entry, key: str) -> Entry | None:
    """Return an object of the case with what a draw's `state` changes; None for null or nothing."""
    base = _object(case, key)
    change = _object(draw.entry("state"), key) if draw.data.get("state") is not None else None
    if base is None or change is None:
        return base or change
    return replace(change, data={**base.data, **change.data})


def states(case: Entry, draw: Entry) -> dict[str, Any]:
    """Return the states of a draw, as arguments of `Draw`.

    Raises:
        ResourceError: a number is missing or not allowed.
    """
    raster = changed(case, draw, "raster")
    depth = changed(case, draw, "depth")
    blend = changed(case, draw, "blend")
    found: dict[str, Any] = {"rasterizer": _state(raster, RasterizerState, _RASTER)}
    if depth is None:
        found["depth_stencil"] = DepthStencilState(depth_enable=False)
    else:
        faces = {
            f"{face}_face": _state(_object(depth, face), DepthStencilOpDesc, _FACE)
            for face in ("front", "back")
        }
        found["depth_stencil"] = _state(depth, DepthStencilState, _DEPTH, **faces)
        found["stencil_ref"] = _whole(depth, "stencil_ref", 0)
    targets = blend.entries("targets") if blend is not None and "targets" in blend else []
    found["blend"] = BlendState(
        bool(_whole(blend, "alpha_to_coverage", 0)), bool(_whole(blend, "independent", 0)),
        [_state(target, RenderTargetBlendDesc, _TARGET) for target in targets],
    )  # fmt: skip
    if blend is not None and "factor" in blend:
        found["blend_factor"] = blend.numbers("factor", 4)
    if case.data.get("sample_mask") is not None:
        found["sample_mask"] = case.integer("sample_mask", 0, 0xFFFFFFFF)
    return found


def viewports(case: Entry, draw: Entry) -> list[Viewport]:
    """Return the viewports of a draw; `viewport`, which also sizes targets, is the default."""
    source = _with_list(case, draw, "viewports")
    entries = [case.entry("viewport")] if source is None else source.entries("viewports")
    return [_viewport(entry) for entry in entries]


def rectangles(case: Entry, draw: Entry) -> list[Rect] | None:
    """Return the scissor rectangles of a draw, None where there are none."""
    source = _with_list(case, draw, "scissors")
    if source is None:
        return None
    rows = source.data["scissors"]
    if not isinstance(rows, list):
        raise source.error("scissors", "wanted a list of left, top, right, bottom")
    named = {f"scissors[{n}]": row for n, row in enumerate(cast("list[object]", rows))}
    each = replace(source, data=named)
    return [Rect(*each.integers(key, 4, *_INT32)) for key in named]


def input_layout(case: Entry) -> list[InputElement]:
    """Return the elements of the input layout."""
    if case.data.get("input_layout") is None:
        return []
    return [
        InputElement(
            entry.text("semantic"), entry.integer("index", 0, 0xFFFFFFFF), entry.text("format"),
            entry.integer("slot", 0, 31), entry.integer("offset", 0, 0xFFFFFFFF),
            int(bool(_whole(entry, "per_instance", 0))), _whole(entry, "step", 0),
        )
        for entry in case.entries("input_layout")
    ]  # fmt: skip


def _viewport(entry: Entry) -> Viewport:
    x, y = (entry.signed(key) if key in entry else 0.0 for key in ("x", "y"))
    depths = entry.number("zmin", 0.0), entry.number("zmax", 1.0)
    return Viewport(x, y, entry.signed("w"), entry.signed("h"), *depths)


def _object(entry: Entry, key: str) -> Entry | None:
    return None if entry.data.get(key) is None else entry.entry(key)


def _with_list(case: Entry, draw: Entry, key: str) -> Entry | None:
    """Return the object that has a list: the draw's changed state, or the case."""
    state = _object(draw, "state")
    for source in (state, case):
        if source is not None and source.data.get(key) is not None:
            return source
    return None


def _state(
    entry: Entry | None, kind: type[_State], table: Mapping[str, tuple[str, int]], **more: Any
) -> _State:
    """Return a state; an error begins with the place of its object in the case."""
    members = _members(entry, table) | more
    try:
        return kind(**members)
    except ResourceError as error:
        if entry is None:
            raise
        raise ResourceError(
            f"{entry.place}: {error.message}", Location(source=str(entry.path))
        ) from None


def _members(entry: Entry | None, table: Mapping[str, tuple[str, int]]) -> dict[str, Any]:
    """Return the members of a state."""
    found: dict[str, Any] = {}
    for key, (member, default) in table.items():
        if key in _FLOATS:
            is_given = entry is not None and key in entry
            found[member] = entry.signed(key) if entry is not None and is_given else 0.0
        else:
            number = _whole(entry, key, default)
            found[member] = bool(number) if key in _FLAGS else number
    return found


def _whole(entry: Entry | None, key: str, default: int) -> int:
    if entry is None or entry.data.get(key) is None:
        return default
    if isinstance(entry.data[key], bool):
        return int(entry.flag(key))
    return entry.integer(key, *_INT32)
