"""Execution cases: the library's, and ones that are broken in every way the reader knows."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from softd3d.errors import ResourceError
from softd3d.isa.sampling.state import SamplerState
from softd3d.resources.buffers.buffer import RawBuffer, StructuredBuffer, TypedBuffer
from softd3d.resources.cases.comparison import RuleType, Tolerance
from softd3d.resources.cases.file import (
    Instance,
    bind,
    compare,
    found_bytes,
    read_bytes,
    read_case,
    samplers,
)
from softd3d.resources.textures.texture import Texture2DArray

CASES = Path("../shared/samples/sm4_5/cases")


def _library() -> list[Path]:
    paths = sorted(CASES.glob("*.json"))
    if not paths:
        pytest.skip(f"{CASES} is not here")
    return paths


def test_every_case_of_the_library_can_be_read() -> None:
    kinds = [read_case(path).kind for path in _library()]
    assert set(kinds) == {"compute", "draw"}
    assert kinds.count("compute") >= 47


def test_expected_contents_agree_with_themselves_only() -> None:
    """Flipping the top bits of a byte is noticed unless the rule ignores the dword."""
    for path in _library():
        for output in read_case(path).outputs:
            data = read_bytes(output.expected)
            assert compare(data, data, output) == []
            at = next(
                (
                    n
                    for n in range(len(data) // 4)
                    if output.rules[n % len(output.rules)].type is not RuleType.IGNORE
                ),
                None,
            )
            if at is not None:
                word = int.from_bytes(data[4 * at : 4 * at + 4], "little")
                # A NaN equals any other: 0 differs from it, and from all that is not small.
                other = 0 if word & 0x7F000000 else 0x4F4F4F4F
                changed = data[: 4 * at] + other.to_bytes(4, "little") + data[4 * at + 4 :]
                assert compare(data, changed, output), (path.name, output.register)


def test_every_compute_case_can_be_bound() -> None:
    for path in _library():
        case = read_case(path)
        if case.kind != "compute":
            continue
        assert case.groups is not None
        assert min(case.groups) >= 1
        constants, srvs, uavs = bind(case)
        assert {*constants} == {b.number for b in case.bindings if b.kind == "b"}
        assert len(srvs) + len(uavs) == sum(b.kind in "tu" for b in case.bindings)
        for output in case.outputs:
            assert len(found_bytes(output, uavs)) == output.expected.stat().st_size
        again = bind(case)[2]
        assert all(not np.shares_memory(again[n].array, uavs[n].array) for n in uavs)


# One small case of our own, and what can be wrong with it.


CASE = {
    "name": "small",
    "kind": "compute",
    "shaders": {"cs": "small.dxbc"},
    "dispatch": [2, 1, 1],
    "bindings": [
        {"reg": "b0", "type": "cbuffer", "file": "cases/16.bin"},
        {"reg": "t0", "type": "raw", "file": "cases/16.bin"},
        {"reg": "t3", "type": "typed", "format": "R16G16_UINT", "file": "cases/16.bin"},
        {
            "reg": "t4", "type": "tex2da", "format": "R8_UINT", "width": 2, "height": 2,
            "depth": 1, "array": 4, "mips": 1, "file": "cases/16.bin",
        },
        {
            "reg": "s0", "type": "sampler", "filter": 21, "address": [1, 2, 3],
            "mip_lod_bias": -0.5, "max_anisotropy": 0, "comparison": 1, "border": [0, 0.5, 1, -2],
            "min_lod": -1, "max_lod": 1000,
        },
        {
            "reg": "u0", "type": "struct", "stride": 8, "uav_flags": 4, "initial_count": 5,
            "file": "cases/16.bin",
        },
        {
            "reg": "u1", "type": "struct", "stride": 8, "uav_flags": 0, "initial_count": -1,
            "file": "cases/16.bin",
        },
    ],
    "outputs": [
        {
            "reg": "u0", "expected": "cases/16.bin",
            "tolerance_per_dword": [
                {"type": "float32", "ulp": 1, "rel": 0.5, "abs": 0.25, "zero_sign": False}
            ],
        },
        {
            "reg": "u0.count", "expected": "cases/16.bin",
            "tolerance_per_dword": [{"type": "bits32"}], "unordered_rows_of_bytes": 8,
        },
    ],
}  # fmt: skip


@pytest.fixture
def write(tmp_path: Path) -> Callable[[object], Path]:
    folder = tmp_path / "library" / "cases"
    folder.mkdir(parents=True)
    (folder.parent / "small.dxbc").write_bytes(b"DXBC")
    (folder / "16.bin").write_bytes(bytes(range(16)))
    (tmp_path / "secret.bin").write_bytes(b"1234")

    def write(data: object) -> Path:
        path = folder / "small.json"
        path.write_bytes(data if isinstance(data, bytes) else json.dumps(data).encode())
        return path

    return write


def test_a_case_and_its_resources(write: Callable[[object], Path]) -> None:
    case = read_case(write(CASE))
    assert (case.name, case.kind, case.groups) == ("small", "compute", (2, 1, 1))
    assert case.shaders["cs"].read_bytes() == b"DXBC"
    assert samplers(case) == {
        0: SamplerState(
            "MIN_MAG_MIP_LINEAR",
            "WRAP",
            "MIRROR",
            "CLAMP",
            -0.5,
            1,
            "NEVER",
            (0, 0.5, 1, -2),
            -1,
            1000,
        )
    }
    assert case.outputs[0].rules == (Tolerance(RuleType.FLOAT32, 1, 0.5, 0.25, False),)
    assert (case.outputs[0].row_bytes, case.outputs[1].row_bytes) == (None, 8)
    constants, srvs, uavs = bind(case)
    assert constants == {0: bytes(range(16))}
    assert isinstance(srvs[0], RawBuffer)
    assert isinstance(srvs[3], TypedBuffer)
    assert isinstance(srvs[4], Texture2DArray)
    np.testing.assert_array_equal(srvs[4].array, np.arange(16, dtype=np.uint8).reshape(4, 2, 2))
    assert isinstance(uavs[0], StructuredBuffer)
    assert isinstance(uavs[1], StructuredBuffer)
    assert (uavs[0].counter, uavs[1].counter) == (5, None)
    assert found_bytes(case.outputs[0], uavs) == bytes(range(16))
    assert found_bytes(case.outputs[1], uavs) == bytes([5, 0, 0, 0])


@pytest.mark.parametrize(
    ("type_", "extent"),
    [
        ("tex1d", {"width": 16}), ("tex1da", {"width": 16}),
        ("tex2d", {"width": 4, "height": 4}), ("tex2da", {"width": 4, "height": 4}),
        ("tex3d", {"width": 4, "height": 4}),
    ],
)  # fmt: skip
def test_one_slice_mip_and_layer_by_default(write, type_, extent) -> None:
    entry = {"reg": "t4", "type": type_, "format": "R8_UINT", "file": "cases/16.bin", **extent}
    layouts = []
    for more in ({}, {"depth": 1, "array": 1, "mips": 1}):
        case = read_case(write({**CASE, "bindings": [{**entry, **more}], "outputs": []}))
        layouts.append(bind(case)[1][4].layout)
    assert layouts[0] == layouts[1]
    assert (layouts[0].depth, layouts[0].slices, layouts[0].mips) == (1, 1, 1)


def test_a_case_may_ask_to_be_strict(write) -> None:
    assert [read_case(write({**CASE, "strict": flag})).strict for flag in (True, False)] == [1, 0]
    assert not read_case(write(CASE)).strict
    for wrong in (1, None, "yes", []):
        with pytest.raises(ResourceError, match=r"strict: .*wanted true or false"):
            read_case(write({**CASE, "strict": wrong}))


def test_interfaces_by_slot_or_variable(write: Callable[[object], Path]) -> None:
    made = {"class": "A", "constant_buffer": 1, "vector": 2}
    case = read_case(write({**CASE, "interfaces": {"3": "a", "m": ["b[0]", made], "o[1]": made}}))
    instance = Instance("A", {"constant_buffer": 1, "vector": 2})
    assert case.interfaces == {3: "a", "m": ["b[0]", instance], "o[1]": instance}
    assert read_case(write(CASE)).interfaces == {}


def test_a_kept_counter_starts_at_0(write: Callable[[object], Path]) -> None:
    case = read_case(write(_changed("bindings", 5, "initial_count", value=-1)))
    assert bind(case)[2][0].counter == 0


def _changed(*keys: str | int, value: object = None) -> dict:
    """Return the case with another value at a path of keys, or without it if that is None."""
    data = json.loads(json.dumps(CASE))
    inner = data
    for key in keys[:-1]:
        inner = inner[key]
    if value is None:
        del inner[keys[-1]]
    else:
        inner[keys[-1]] = value
    return data


RULES = "bits32, float32, half_in_low16, half_pair, unorm8x4, snorm8x4, float64_lo, float64_hi"


@pytest.mark.parametrize(
    ("data", "text"),
    [
        (b"", "no JSON: Expecting value ({path}, line 1:1)"),
        (b'{"name":\n 3 4}', "no JSON: Expecting ',' delimiter ({path}, line 2:4)"),
        (b'{"name": "\xff"}', "no JSON: the text is not UTF-8 ({path}, byte offset 0xa)"),
        (b"[" * 100_000, "no JSON that can be read: numbers or nesting too long ({path})"),
        (b"9" * 10_000, "no JSON that can be read: numbers or nesting too long ({path})"),
        (b"[]", "found a list, wanted an object ({path})"),
        (b"null", "found null, wanted an object ({path})"),
        (_changed("name"), "name: missing ({path})"),
        (_changed("kind", value=3), "kind: found a number, wanted a string ({path})"),
        (_changed("shaders", value=[]), "shaders: found a list, wanted an object ({path})"),
        (_changed("shaders", "cs", value="x.dxbc"), "shaders.cs: found no file 'x.dxbc' ({path})"),
        (
            _changed("shaders", "cs", value="../secret.bin"),
            "shaders.cs: path '../secret.bin' leaves the case's folder ({path})",
        ),
        (
            _changed("shaders", "cs", value="/etc/passwd"),
            "shaders.cs: path '/etc/passwd' leaves the case's folder ({path})",
        ),
        (
            _changed("shaders", "cs", value="a\0b"),
            "shaders.cs: found 'a\\x00b', which is no path ({path})",
        ),
        (_changed("dispatch", value=[1, 1]), "dispatch: found 2 numbers, wanted 3 ({path})"),
        (
            _changed("dispatch", value=[1, -1, 1]),
            "dispatch[1]: found -1, wanted 0 to 65535 ({path})",
        ),
        (
            _changed("dispatch", value=[1, 1, True]),
            "dispatch[2]: found true or false, wanted an integer ({path})",
        ),
        (_changed("bindings", value={}), "bindings: found an object, wanted a list ({path})"),
        (
            _changed("bindings", 1, value=7),
            "bindings[1]: found a number, wanted an object ({path})",
        ),
        (
            _changed("bindings", 0, "reg", value="q0"),
            "bindings[0].reg: found 'q0', wanted e.g. 'b0', 't0', 'u0' ({path})",
        ),
        (_changed("bindings", 0, "file"), "bindings[0].file: missing ({path})"),
        (_changed("interfaces", value=[]), "interfaces: found a list, wanted an object ({path})"),
        (
            _changed("interfaces", value={"o": 3}),
            "interfaces.o: found a number, wanted an object ({path})",
        ),
        (
            _changed("interfaces", value={"o": ["a", {"vector": 1}]}),
            "interfaces.o[1].class: missing ({path})",
        ),
        (
            _changed("interfaces", value={"o": {"class": "A", "texture": -1}}),
            "interfaces.o.texture: found -1, wanted 0 to 65535 ({path})",
        ),
        (
            _changed("outputs", 0, "tolerance_per_dword", value=[]),
            "outputs[0].tolerance_per_dword: found no rule, wanted at least one ({path})",
        ),
        (
            _changed("outputs", 1, "tolerance_per_dword", 0, "type", value="close"),
            (
                "outputs[1].tolerance_per_dword[0].type: found 'close', "
                f"wanted one of {RULES}, ignore ({{path}})"
            ),
        ),
        (
            _changed("outputs", 0, "tolerance_per_dword", 0, "ulp", value=-1),
            ("outputs[0].tolerance_per_dword[0].ulp: found -1, wanted 0 to 1.84467e+19 ({path})"),
        ),
        (
            _changed("outputs", 0, "tolerance_per_dword", 0, "abs", value="1"),
            "outputs[0].tolerance_per_dword[0].abs: found a string, wanted a number ({path})",
        ),
        (
            _changed("outputs", 0, "tolerance_per_dword", 0, "zero_sign", value=1),
            (
                "outputs[0].tolerance_per_dword[0].zero_sign: found int, "
                "wanted true or false ({path})"
            ),
        ),
        (
            _changed("outputs", 1, "unordered_rows_of_bytes", value=6),
            "outputs[1].unordered_rows_of_bytes: found 6, wanted a multiple of 4 ({path})",
        ),
    ],
)
def test_malformed_cases(data: object, text: str, write: Callable[[object], Path]) -> None:
    path = write(data)
    with pytest.raises(ResourceError) as raised:
        read_case(path)
    assert str(raised.value) == text.format(path=path)


@pytest.mark.parametrize(
    ("data", "text"),
    [
        (
            _changed("bindings", 1, "type", value="blob"),
            (
                "t0: found type 'blob', wanted one of tex1d, tex1da, tex2d, tex2da, tex2dms, "
                "tex2dmsa, tex3d, cube, cubea, typed, raw, struct, cbuffer"
            ),
        ),
        (
            _changed("bindings", 2, "format", value="R32G32B32_UINT"),
            "t3: found 16 bytes, wanted a multiple of 12",
        ),
        (
            _changed("bindings", 2, "format", value="R16_TYPELESS"),
            (
                "t3: format R16_TYPELESS has no component type, wanted one of R16_FLOAT, "
                "R16_UNORM, R16_UINT, R16_SNORM, R16_SINT"
            ),
        ),
        (_changed("bindings", 3, "width"), "t4: width: missing"),
        (_changed("bindings", 3, "mips", value=0), "t4: mips: found 0, wanted 1 to 2147483648"),
        (
            _changed("bindings", 3, "width", value=3),
            "t4: Texture2DArray: found 16 bytes, wanted 24",
        ),
        (
            _changed("bindings", 5, "stride", value=12),
            "u0: StructuredBuffer: found 16 bytes, wanted a multiple of the stride 12",
        ),
        (
            _changed("bindings", 5, "initial_count", value=-2),
            "u0: initial_count: found -2, wanted -1 to 4294967295",
        ),
    ],
)
def test_resources_that_do_not_fit(
    data: object, text: str, write: Callable[[object], Path]
) -> None:
    path = write(data)
    with pytest.raises(ResourceError) as raised:
        bind(read_case(path))
    assert str(raised.value) == f"case small: {text} ({path})"


def test_a_missing_case_file(tmp_path: Path) -> None:
    path = tmp_path / "none.json"
    with pytest.raises(ResourceError) as raised:
        read_case(path)
    assert str(raised.value) == f"the file cannot be read: No such file or directory ({path})"


def test_a_link_out_of_the_folder(write: Callable[[object], Path], tmp_path: Path) -> None:
    path = write(_changed("shaders", "cs", value="link.dxbc"))
    (tmp_path / "library" / "link.dxbc").symlink_to(tmp_path / "secret.bin")
    with pytest.raises(ResourceError, match="leaves the case's folder"):
        read_case(path)


@pytest.mark.parametrize(
    ("register", "text"),
    [
        ("u7", "output u7: found no such UAV"),
        ("rt0", "output rt0: found no such UAV"),
        ("u0.size", "output u0.size: found no such UAV"),
        ("u1.count", "output u1.count: found no hidden counter"),
    ],
)
def test_outputs_that_are_not_there(
    register: str, text: str, write: Callable[[object], Path]
) -> None:
    case = read_case(write(CASE))
    with pytest.raises(ResourceError) as raised:
        found_bytes(replace(case.outputs[0], register=register), bind(case)[2])
    assert str(raised.value) == text


def test_outputs_of_other_sizes(write: Callable[[object], Path]) -> None:
    output = read_case(write(CASE)).outputs[0]
    with pytest.raises(ResourceError) as raised:
        compare(bytes(8), bytes(4), output)
    assert str(raised.value) == "u0: found 4 bytes, expected 8"
