"""Binding ranges of registers whose number is computed: what must be given, and what need not."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from softd3d.device.bind import bind
from softd3d.errors import ResourceError
from softd3d.isa.machine import Memory
from softd3d.resources.buffers.buffer import RawBuffer
from softd3d.shaders.shader import Shader, load_shader
from softd3d.tools.text.assembler import assemble_tokens

ARRAYS = Path(__file__).parents[2] / "execution/indexing/arrays.cs_5_1.dxbc"


def arrays() -> Shader:
    return load_shader(ARRAYS.read_bytes())


def given(**changes: Any) -> dict[str, dict[Any, Any]]:
    """Return bindings of arrays.hlsl with nothing bound; a change of None leaves a key out."""
    srvs: dict[Any, Any] = {0: None, **{f"tex[{n}]": None for n in range(6)}}
    srvs |= {(n, 1): None for n in range(3, 8)}
    uavs: dict[Any, Any] = {0: None, **dict.fromkeys(range(4, 7))}
    constants: dict[Any, Any] = {0: None, **{(n, 4): None for n in range(2, 6)}}
    found = {"srvs": srvs, "uavs": uavs, "constants": constants}
    for kind, keys in changes.items():
        for key, value in keys.items():
            if value == "left out":
                del found[kind][key]
            else:
                found[kind][key] = value
    return found


def buffer() -> RawBuffer:
    return RawBuffer(np.zeros(4, np.uint32))


def test_an_endless_range_holds_what_is_given() -> None:
    """By name, by number, in any order; slots follow the registers."""
    bound = bind(arrays(), **given(uavs={(900, 3): buffer(), "outs[4]": None, (3, 3): buffer()}))
    found = {key[2]: view for key, view in bound.views.items() if key[:2] == (Memory.UAV, 2)}
    assert sorted(found) == [3, 7, 900]
    assert [found[n].is_bound for n in (3, 7, 900)] == [True, False, True]
    first = found[3].slot
    assert [found[n].slot - first for n in (3, 7, 900)] == [0, 1, 2]
    assert found[900].register == "u900,space3"


@pytest.mark.parametrize(
    ("changes", "text"),
    [
        ({"srvs": {"tex[3]": "left out"}}, "t5 (tex[3]): not in srvs; bind it, or None"),
        ({"constants": {(4, 4): "left out"}}, "b4,space4 (cbs[2]): not in constants"),
        (
            {"uavs": {(2, 3): buffer()}},
            (
                "uavs: the shader has no u2,space3, it has u0 (result), u4 (images[0]), "
                "u5 (images[1]), u6 (images[2]), u3,space3 (outs[0]) and what follows it"
            ),
        ),
        ({"srvs": {"tex[6]": None}}, "srvs: the shader has no 'tex[6]'"),
        (
            {"uavs": {(3, 3): buffer(), "outs[0]": buffer()}},
            "u3,space3 (outs[0]): bound twice, by two keys",
        ),
        (
            {"srvs": {(9, 7): buffer()}},
            "t9,space7 (far[7]): found a raw buffer (16 bytes), wanted a 2D texture of float",
        ),
    ],
)
def test_what_is_wrong(changes: dict[str, dict[Any, Any]], text: str) -> None:
    with pytest.raises(ResourceError) as caught:
        bind(arrays(), **given(**changes), strict=True)
    assert str(caught.value).startswith(text)


LARGE = """cs_5_1
dcl_uav_raw U0[0:{upper}], space=0
dcl_input vThreadID.x
dcl_temps 1
dcl_thread_group 1, 1, 1
mov r0.x, vThreadID.x
store_raw U0[r0.x + 0].x, l(0), r0.x
store_raw U0[2].x, l(0), r0.x
ret"""


@pytest.mark.parametrize(("upper", "wanted"), [(1023, 1024), (1024, 1), ("*", 1)])
def test_large_ranges_need_only_the_registers_that_are_named(upper: Any, wanted: int) -> None:
    shader = load_shader(assemble_tokens(LARGE.format(upper=upper)))
    uavs: dict[Any, Any] = dict.fromkeys(range(wanted)) if wanted > 1 else {2: None}
    assert len(bind(shader, uavs=uavs).views) == wanted
    del uavs[2]
    with pytest.raises(ResourceError, match="u2: not in uavs"):
        bind(shader, uavs=uavs)
