"""The reader of .npy files: NumPy's files of every kind, and damaged ones."""

from __future__ import annotations

import io
import struct
import tracemalloc
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from softd3d.errors import ResourceError
from softd3d.resources.cases.npy import npy_array

OPEN_BRACE = Path("../shared/faults/security/npy_header_open_brace.npy")
ARRAYS = [
    np.arange(24, dtype=np.float32).reshape(2, 3, 4),
    np.asfortranarray(np.arange(24, dtype=np.uint16).reshape(2, 3, 4)),
    np.float64(2.5) * np.ones(()),
    np.zeros((0, 7), np.int8),
    np.arange(6, dtype=">u4"),
    np.zeros(3, [("position", "<f4", 3), ("id", "<u4")]),
    np.array([True, False]),
]


def saved(array: NDArray[Any], version: tuple[int, int] | None = None) -> bytes:
    file = io.BytesIO()
    np.lib.format.write_array(file, array, version)
    return file.getvalue()


def with_header(text: str, data: bytes = bytes(64), version: bytes = b"\1\0") -> bytes:
    raw = text.encode("latin-1")
    length = struct.pack("<H" if version[0] == 1 else "<I", len(raw))
    return b"\x93NUMPY" + version + length + raw + data


def header(descr: str = "'<f4'", order: str = "False", shape: str = "(4,)") -> str:
    return f"{{'descr': {descr}, 'fortran_order': {order}, 'shape': {shape}, }}"


@pytest.mark.parametrize("version", [(1, 0), (2, 0), (3, 0)])
@pytest.mark.parametrize("array", ARRAYS, ids=lambda a: f"{a.dtype.kind}{a.shape}")
def test_files_of_numpy_are_read(array: NDArray[Any], version: tuple[int, int]) -> None:
    found = npy_array(saved(array, version), "a.npy")
    assert found.dtype == array.dtype
    np.testing.assert_array_equal(found, array)
    assert found.flags.c_contiguous
    assert found.flags.writeable
    assert found.flags.owndata


def test_header_of_python_2() -> None:
    found = npy_array(with_header(header(shape="(2L, 3L)")), "a.npy")
    assert (found.shape, found.dtype) == ((2, 3), np.dtype("<f4"))


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "it is empty"),
        (b"\x93NUMPX\1\0", "found b"),
        (b"PK\3\4rest", "an archive of arrays"),
        (with_header(header(), version=b"\4\0"), "version 4.0, wanted 1.0, 2.0 or 3.0"),
        (b"\x93NUMPY\1", "version 1, wanted"),
        (b"\x93NUMPY\1\0\4", "it ends inside of its header"),
        (with_header(header(), b"")[:40], "it ends inside of its header"),
        (with_header(header(), bytes(15)), "tells of 16 bytes, found 15"),
        (with_header(header(shape="(1000000000000000000,)")), "000 bytes, found 64"),
        (with_header(header(shape="(1000000000000000000000,)")), "found the shape (1000000"),
        (with_header(header(shape="(0, 1000000000000000000000)")), "not a NumPy"),
        (with_header(header(shape="(9223372036854775807, 0)")), "not a NumPy"),
        # Integers that Python does not write in decimal
        (with_header(header(shape=f"({'9' * 4000}, {'9' * 4000})")), "found the shape"),
        (with_header(header(shape=f"(0x{'f' * 6000},)")), "cannot be read"),
        (with_header(header(order=f"0x{'f' * 6000}")), "cannot be read"),
        (with_header(header(f"0x{'f' * 6000}")), "cannot be read"),
        (with_header(header(shape="(-1,)")), "found the shape (-1,)"),
        (with_header(header(shape="(True,)")), "found the shape (True,)"),
        (with_header(header(shape="[4]")), "found the shape [4]"),
        (with_header(header(shape="(1.0,)")), "found the shape (1.0,)"),
        (with_header(header(shape=f"({'1,' * 70})")), "found the shape"),
        (with_header(header(order="2")), "found fortran_order 2"),
        (with_header(header("'|O'")), "Python objects"),
        (with_header(header("[('a', '|O')]")), "Python objects"),
        (with_header(header("'|V0'")), "have no bytes"),
        (with_header(header("'nonsense'")), "found the dtype 'nonsense'"),
        (with_header(header("{'a': 1}")), "found the dtype"),
        (with_header(header("[('a', 7, 'b', 'c', 'd')]")), "found the dtype"),
        (with_header(header("'|V99999999999999'")), "found the dtype"),
        (with_header(header("'<f4', 'more': 1")), "has not the keys"),
        (with_header("{'descr': '<f4', 'fortran_order': False}"), "has not the keys"),
        (with_header("[1]"), "has not the keys"),
        (with_header("{" * 200), "cannot be read"),
        (with_header("(" * 9000), "cannot be read"),
        (with_header("-" * 9000 + "1"), "cannot be read"),
        (with_header("{[1]: 2}"), "cannot be read"),
        (with_header("\0"), "cannot be read"),
        (with_header("{'descr' '<f4'"), "cannot be read"),
        (with_header(header().replace("'descr'", "descr")), "cannot be read"),
        (with_header(" " * 20_000, version=b"\2\0"), "a header of 20000 bytes"),
        (with_header("[" * 3000 + "('a', '<f4')" + "]" * 3000), "not a NumPy"),
    ],
)  # fmt: skip
def test_damaged_files_are_refused(data: bytes, message: str) -> None:
    with pytest.raises(ResourceError) as caught:
        npy_array(data, "a.npy")
    assert str(caught.value).startswith("a.npy: not a NumPy .npy file of numbers: ")
    assert message in str(caught.value)


def test_memory_is_bounded() -> None:
    data = with_header(header(shape="(1000000000,)"))
    tracemalloc.start()
    try:
        with pytest.raises(ResourceError):
            npy_array(data, "a.npy")
        assert tracemalloc.get_traced_memory()[1] < 1 << 20
    finally:
        tracemalloc.stop()


@pytest.mark.skipif(not OPEN_BRACE.exists(), reason="needs ../shared/faults")
def test_open_brace_of_a_review() -> None:
    with pytest.raises(ResourceError, match="its header"):
        npy_array(OPEN_BRACE.read_bytes(), "a.npy")


SOUND = st.sampled_from([saved(array) for array in ARRAYS])


@given(SOUND, st.data())
def test_any_change_of_a_file_gives_an_array_or_a_resource_error(
    sound: bytes, data: st.DataObject
) -> None:
    damaged = bytearray(sound)
    for _ in range(data.draw(st.integers(1, 4))):
        at = data.draw(st.integers(0, min(len(sound), 128) - 1))
        damaged[at] = data.draw(st.sampled_from(b"{}[]()',:<>|0123456789LOVabfiuM \\\n\0\xff#"))
    cut = data.draw(st.integers(0, len(sound)) | st.just(len(sound)))
    try:
        found = npy_array(bytes(damaged[:cut]), "a.npy")
    except ResourceError:
        return
    assert not found.dtype.hasobject


@given(st.text("{}[]()',:<>|0123456789LOVabfiuM \\#-+j", max_size=60))
def test_any_text_for_a_descr(text: str) -> None:
    try:
        npy_array(with_header(header(text)), "a.npy")
    except ResourceError as error:
        assert "a.npy" in str(error)
