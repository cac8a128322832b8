"""The keys of a case file, and a look for misspelt ones.

Files may hold more than what is read (notes, where expected values come from), so a key that is not
known is passed over. One that is nearly a known one is an error: what it says would be ignored, and
the case would pass, or fail, for another reason than the one it was written for.
"""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from typing import cast

from softd3d.resources.cases.json import Entry

__all__ = ["check_keys"]

_LEAST_LIKENESS = 0.8  # a ratio of difflib
_MOST_LETTERS = 40  # of a key that is compared

_SIZES = "width height samples format"
_KNOWN: Mapping[str, frozenset[str]] = {
    place: frozenset(keys.split())
    for place, keys in {
        "case": "name kind shaders dispatch bindings outputs strict interfaces draw draws topology "
                "viewport viewports scissors render_targets depth raster blend sample_mask "
                "input_layout vertex_buffers index_buffer stream_output queries",
        "bindings": f"reg type file stride uav_flags initial_count {_SIZES} depth array mips "
                    "filter address comparison mip_lod_bias max_anisotropy border min_lod max_lod",
        "outputs": "reg expected tolerance_per_dword unordered_rows_of_bytes",
        "tolerance_per_dword": "type ulp rel abs zero_sign",
        "draw": "vertices instances indexed start_vertex start_index base_vertex start_instance "
                "topology indirect state",
        "indirect": "file offset",
        "state": "raster depth blend viewports scissors",
        "viewport": "x y w h zmin zmax samples",
        "render_targets": f"{_SIZES} clear array",
        "depth": f"{_SIZES} clear clear_stencil array enable write func stencil_enable "
                 "stencil_read_mask stencil_write_mask stencil_ref front back",
        "face": "fail depth_fail pass func",
        "raster": "fill cull front_ccw depth_bias depth_bias_clamp slope_scaled_depth_bias "
                  "depth_clip scissor multisample antialiased_line forced_sample_count "
                  "conservative",
        "blend": "alpha_to_coverage independent factor targets",
        "targets": "enable logic src dst op src_alpha dst_alpha op_alpha logic_op write_mask",
        "input_layout": "semantic index format slot offset per_instance step",
        "vertex_buffers": "slot stride offset file",
        "index_buffer": "format offset file",
        "stream_output": "entries buffers stride bytes offset prefill rasterized_stream",
        "entries": "stream semantic index start count slot",
        "buffers": "slot stride bytes offset",
    }.items()
}  # fmt: skip
_SAME = {"draws": "draw", "viewports": "viewport", "front": "face", "back": "face"}
_CLOSED = frozenset({"state"})  # where nothing else makes sense, and would be ignored


def check_keys(case: Entry) -> None:
    """Refuse keys that are nearly known ones, and in a draw's `state` all others.

    Raises:
        ResourceError: as said; the text names the key and what it may have been meant to be.
    """
    _check(case, "case")


def _check(entry: Entry, place: str) -> None:
    known = _KNOWN[place]
    for key, value in entry.data.items():
        if key not in known:
            _check_unknown(entry, key, place)
            continue
        inner = _SAME.get(key, key)
        if inner not in _KNOWN:
            continue
        if isinstance(value, dict):
            _check(entry.entry(key), inner)
        elif isinstance(value, list):
            items = cast("list[object]", value)
            if all(isinstance(item, dict) for item in items):
                for one in entry.entries(key):
                    _check(one, inner)


def _check_unknown(entry: Entry, key: str, place: str) -> None:
    known = sorted(_KNOWN[place])
    close = difflib.get_close_matches(
        key[:_MOST_LETTERS].lower(), known, n=1, cutoff=_LEAST_LIKENESS
    )
    if close:
        raise entry.error(key, f"found no such key; close: {close[0]}")
    if place in _CLOSED:
        raise entry.error(key, f"found no such key, wanted one of {', '.join(known)}")
