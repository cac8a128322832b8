"""The arguments of `softd3d run SHADER`: KEY=VALUE texts to arrays, and arrays to resources.

The kind of a view comes from the shader's declaration; a typed one also needs a format, which is
guessed from the array unless it is given.
"""

from __future__ import annotations

import json
import math
import re
from dataclasses import fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

from softd3d.classes import dataclass
from softd3d.cli.files import is_there, read_input
from softd3d.device.registers import Key
from softd3d.errors import ResourceError
from softd3d.isa.sampling.state import SamplerState
from softd3d.resources.buffers.buffer import RawBuffer
from softd3d.resources.cases.npy import npy_array
from softd3d.source import MAX_ARRAY_BYTES

__all__ = [
    "Given",
    "arguments_buffer",
    "constants_of",
    "given_view",
    "group_counts",
    "parse_key",
    "sampler_of",
    "split_key",
]

_NUMBER = re.compile(r"(\d{1,9})(?:,space(\d{1,9}))?")
_DTYPES = frozenset(
    {"uint8", "int8", "uint16", "int16", "uint32", "int32", "uint64", "int64", "float16",
     "float32", "float64"}
)  # fmt: skip
_MAX_BYTES = 1 << 34
_ZEROS = "zeros:"
_SAMPLER_FIELDS = tuple(f.name for f in fields(SamplerState))


@dataclass(frozen=True, slots=True)
class Given:
    """A view as given: its array (None: unbound on purpose) and format, empty for a guess."""

    array: NDArray[Any] | None
    format: str = ""


def split_key(text: str) -> tuple[Key, str]:
    """Split KEY=VALUE.

    Raises:
        ResourceError: there is no `=`.

    >>> split_key("0,space1=out.npy"), split_key("Dst=zeros:4:uint32")
    (((0, 1), 'out.npy'), ('Dst', 'zeros:4:uint32'))
    """
    key, separator, value = text.partition("=")
    if not separator or not key:
        raise ResourceError(f"found {text!r}, wanted KEY=VALUE")
    return parse_key(key), value


def parse_key(text: str) -> Key:
    """Return a register's number (`0`; `3,space1`), or else a text.

    A text is a variable's name or, where no variable has that name, a register (`t3,space1`).
    """
    match = _NUMBER.fullmatch(text)
    if match is None:
        return text
    return (int(match[1]), int(match[2])) if match[2] else int(match[1])


def group_counts(text: str) -> tuple[int, int, int]:
    """Read X,Y,Z; what is left out is 1.

    Raises:
        ResourceError: not one to three numbers.
    """
    parts = text.split(",")
    if not 1 <= len(parts) <= 3 or not all(re.fullmatch(r"\d{1,9}", p) for p in parts):
        raise ResourceError(f"--groups: found {text!r}, wanted X,Y,Z")
    x, y, z = (*(int(p) for p in parts), 1, 1)[:3]
    return x, y, z


def arguments_buffer(text: str) -> tuple[RawBuffer, int]:
    """Read FILE[@OFFSET]: the bytes of an .npy or raw file as a buffer, and a place in it.

    Raises:
        ResourceError: the text or the file is malformed. OSError: the file cannot be read.
    """
    path, at, number = text.rpartition("@")
    if is_there(text) or not at:
        path, number = text, "0"
    if not re.fullmatch(r"\d{1,12}", number):
        raise ResourceError(f"--groups-from: found {text!r}, wanted FILE or FILE@OFFSET")
    if path.endswith(".npy"):
        array = _load(path)
        if array.dtype.kind not in "iu" or array.dtype.itemsize != np.uint32().itemsize:
            raise ResourceError(f"{path}: found numbers of type {array.dtype}, wanted uint32")
    else:
        data = read_input(path)
        array = np.frombuffer(data[: len(data) & ~3], np.uint32).copy()
    return RawBuffer(array), int(number)


def given_view(text: str) -> Given:
    """Read `FILE.npy[:FORMAT]`, `zeros:SHAPE:DTYPE[:FORMAT]` or `none`.

    Raises:
        ResourceError: the text or the file is malformed. OSError: the file cannot be read.
    """
    if text == "none":
        return Given(None)
    if text.startswith(_ZEROS):
        return _zeros(text)
    path, format_ = text, ""
    if not is_there(text) and ":" in text:
        path, _, format_ = text.rpartition(":")
    return Given(_load(path), format_)


def constants_of(texts: tuple[str, ...]) -> dict[Key, object]:
    """Collect `KEY=FILE.npy`, `KEY=FILE` (raw bytes) and `KEY=NAME=VALUE`, which may repeat.

    VALUE is JSON: a number or nested lists.

    Raises:
        ResourceError: a text or file is malformed, or a buffer is given twice.
        OSError: a file cannot be read.
    """
    found: dict[Key, object] = {}
    for text in texts:
        key, value = split_key(text)
        name, separator, number = value.partition("=")
        if separator and not is_there(value):
            variables = found.setdefault(key, {})
            if isinstance(variables, dict):
                variables[name] = _number(name, number)
                continue
        if key in found:
            raise ResourceError(f"--constants {key}: given twice")
        found[key] = _constants_from(value)
    return found


def sampler_of(text: str) -> SamplerState | None:
    """Read `FILTER[:ADDRESS][:NAME=VALUE...]` or `none`, which is the default state.

    ADDRESS: of all axes. NAME: of a field of `SamplerState`; a border colour is R,G,B,A.

    Raises:
        ResourceError: the text is malformed, or has what Direct3D does not allow.

    >>> sampler_of("MIN_MAG_MIP_LINEAR:WRAP:max_lod=2").max_lod
    2.0
    """
    if text == "none":
        return None
    filter_, *parts = text.split(":")
    found: dict[str, Any] = {"filter": _word_or_number(filter_)}
    for part in parts:
        name, separator, value = part.partition("=")
        if not separator:
            found.update(dict.fromkeys(("address_u", "address_v", "address_w"), part))
        elif name not in _SAMPLER_FIELDS:
            raise ResourceError(
                f"--sampler: found {name!r:.40}, wanted one of {', '.join(_SAMPLER_FIELDS)}"
            )
        elif name == "border_color":
            found[name] = [_word_or_number(v) for v in value.split(",")]
        else:
            found[name] = _word_or_number(value)
    return SamplerState(**found)


def _word_or_number(text: str) -> str | float:
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text


def _constants_from(value: str) -> object:
    if value == "none":
        return None
    return _load(value) if value.endswith(".npy") else read_input(value)


def _number(name: str, text: str) -> object:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        raise ResourceError(
            f"--constants {name}: found {text!r}, wanted a number or a list like [1, 2]"
        ) from None


def _zeros(text: str) -> Given:
    shape, _, rest = text.removeprefix(_ZEROS).partition(":")
    dtype, _, format_ = rest.partition(":")
    sizes = re.split("[x,]", shape)
    if dtype not in _DTYPES or not all(re.fullmatch(r"\d{1,20}", s) for s in sizes):
        raise ResourceError(f"found {text!r}, wanted zeros:SHAPE:DTYPE like zeros:64x64:float32")
    numbers = [int(s) for s in sizes]
    if math.prod(numbers) * np.dtype(dtype).itemsize > _MAX_BYTES:
        raise ResourceError(f"{text}: more than {_MAX_BYTES >> 30} GiB")
    return Given(np.zeros(numbers, dtype), format_)


def _load(path: str) -> NDArray[Any]:
    return npy_array(read_input(path, MAX_ARRAY_BYTES), path)
