"""Reading .npy files: the header is checked before any memory is taken.

NumPy's own reader lets errors of Python's tokenizer through and takes the memory that a header
claims before it looks how much data there is. The format is described in numpy.lib.format.
"""

from __future__ import annotations

import ast
import math
import re
import struct
import warnings
from typing import Any, NoReturn, cast

import numpy as np
from numpy.typing import NDArray

from softd3d.errors import ResourceError

__all__ = ["npy_array"]

_MAGIC = b"\x93NUMPY"
_ZIP = b"PK\x03\x04"
_LENGTHS = {(1, 0): "<H", (2, 0): "<I", (3, 0): "<I"}
_VERSION_AT, _LENGTH_AT = 6, 8
_MAX_HEADER = 10_000  # bytes, NumPy's own limit
_MOST_AXES = 32
_LONGEST_AXIS = (1 << 63) - 1
_KEYS = {"descr", "fortran_order", "shape"}
_LONG = re.compile(r"(?<=\d)L\b")  # integers of Python 2
# What Python's parser and NumPy's dtypes raise on odd text. A bug of ours is none of these.
_PARSING = (ValueError, SyntaxError, TypeError, RecursionError, MemoryError)
_MAKING = (ValueError, SyntaxError, TypeError, RecursionError, MemoryError, LookupError,
           OverflowError, AttributeError)  # fmt: skip


def npy_array(data: bytes, name: str) -> NDArray[Any]:
    r"""Return a copy of the array in an .npy file: writable, C-contiguous, of the file's dtype.

    Files of any version, in C or Fortran order, of numbers or of structures. What follows the
    array is ignored, as NumPy does.

    Raises:
        ResourceError: it is no such file, is damaged or cut off, or holds Python objects. `name`
            is what the text calls it.

    >>> header = b"{'descr': '<u2', 'fortran_order': False, 'shape': (1,)}\n"
    >>> data = b"\x93NUMPY\1\0" + bytes([len(header), 0]) + header + b"\7\0"
    >>> npy_array(data, "in.npy")
    array([7], dtype=uint16)
    """
    text, start = _header_text(data, name)
    dtype, shape, is_fortran = _header(text, name)
    size = math.prod(shape) * dtype.itemsize
    if size > len(data) - start:
        _refuse(name, f"the header tells of {size} bytes, found {len(data) - start}")
    items = np.frombuffer(data, dtype, math.prod(shape), start) if size else np.zeros(0, dtype)
    try:
        array = items.reshape(shape, order="F" if is_fortran else "C")
    except (ValueError, OverflowError) as error:  # an axis that is too long beside one of length 0
        _refuse(name, str(error))
    return np.array(array, order="C")


def _refuse(name: str, why: str) -> NoReturn:
    raise ResourceError(f"{name}: not a NumPy .npy file of numbers: {why}") from None


def _header_text(data: bytes, name: str) -> tuple[str, int]:
    """Return the header and where the array begins."""
    if data[:4] == _ZIP:
        _refuse(name, "it is an archive of arrays (.npz), wanted a single .npy array")
    if data[: len(_MAGIC)] != _MAGIC:
        _refuse(name, f"found {data[:8]!r} at its start" if data else "it is empty")
    version = tuple(data[_VERSION_AT:_LENGTH_AT])
    length_format = _LENGTHS.get(cast("tuple[int, int]", version))
    if length_format is None:
        _refuse(name, f"version {'.'.join(map(str, version))}, wanted 1.0, 2.0 or 3.0")
    first = _LENGTH_AT + struct.calcsize(length_format)
    if len(data) < first:
        _refuse(name, "it ends inside of its header")
    (length,) = struct.unpack_from(length_format, data, _LENGTH_AT)
    if length > _MAX_HEADER:
        _refuse(name, f"a header of {length} bytes, wanted at most {_MAX_HEADER}")
    if len(data) < first + length:
        _refuse(name, "it ends inside of its header")
    encoding = "utf-8" if version >= (3, 0) else "latin-1"
    return data[first : first + length].decode(encoding, "replace"), first + length


def _header(text: str, name: str) -> tuple[np.dtype[Any], tuple[int, ...], bool]:
    """Return the dtype, the shape, and whether the array is in Fortran order."""
    with warnings.catch_warnings():  # old names of dtypes, odd escapes in strings
        warnings.simplefilter("ignore")
        fields = _fields(text, name)
        try:
            dtype = np.lib.format.descr_to_dtype(fields["descr"])
        except _MAKING:
            _refuse(name, f"found the dtype {fields['descr']!r:.60}")
    if dtype.hasobject:
        _refuse(name, "it holds Python objects, wanted numbers")
    if dtype.itemsize <= 0:
        _refuse(name, f"items of {dtype!r:.60} have no bytes, wanted numbers")
    shape, is_fortran = fields["shape"], fields["fortran_order"]
    if not _is_shape(shape):
        _refuse(name, f"found the shape {shape!r:.60}")
    if not isinstance(is_fortran, bool):
        _refuse(name, f"found fortran_order {is_fortran!r:.60}, wanted True or False")
    return dtype, cast("tuple[int, ...]", shape), is_fortran


def _fields(text: str, name: str) -> dict[str, Any]:
    try:
        found: object = ast.literal_eval(_LONG.sub("", text.strip()))
        repr(found)  # or ValueError: Python writes no integer of more than 4,300 digits
    except _PARSING:
        _refuse(name, f"its header {text.strip()!r:.60} cannot be read")
    if not isinstance(found, dict) or set(cast("dict[str, Any]", found)) != _KEYS:
        _refuse(name, f"its header {text.strip()!r:.60} has not the keys descr, fortran_order, "
                      "shape")  # fmt: skip
    return cast("dict[str, Any]", found)


def _is_shape(shape: object) -> bool:
    if not isinstance(shape, tuple) or len(cast("tuple[object, ...]", shape)) > _MOST_AXES:
        return False
    axes = cast("tuple[object, ...]", shape)
    return all(type(n) is int and 0 <= n <= _LONGEST_AXIS for n in axes)
