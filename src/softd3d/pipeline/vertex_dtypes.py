"""Input layouts out of structured dtypes: fields are named by semantics, such as TEXCOORD1."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, cast

import numpy as np

from softd3d.container.reflection.enums import RegisterComponentType
from softd3d.container.reflection.signature import Signature, SignatureElement
from softd3d.errors import ResourceError
from softd3d.formats.dxgi import DXGI_FORMATS
from softd3d.formats.layout import ChannelType, Format
from softd3d.formats.pipeline_views import is_vertex_element
from softd3d.pipeline.input_layout import is_generated
from softd3d.pipeline.state.input_layout import InputElement

__all__ = ["layout_of_dtype"]

DType = np.dtype[Any]
_NAME = re.compile(r"(.*?)(\d*)", re.DOTALL)
_WIDE = 4  # bytes of a component that is not converted
_KINDS = {"f": "FLOAT", "u": "UINT", "i": "SINT"}
_NORMALISED = {"u": "UNORM", "i": "SNORM"}


def layout_of_dtype(
    dtype: DType, signature: Signature | None = None, slot: int = 0
) -> list[InputElement]:
    """Return the elements of a slot whose vertices have a structured dtype.

    Fields are numbers or vectors of up to 4. Integers of 8 and 16 bits are UNORM or SNORM where the
    shader's input is a float, else UINT or SINT. With a signature, fields that the shader does not
    read may be anything.

    Raises:
        ResourceError: no structured dtype, or a field that no format of vertices fits.

    >>> vertex = np.dtype([("POSITION", "f4", 3), ("COLOR", "u1", 4)])
    >>> [(e.semantic_name, e.texel.name) for e in layout_of_dtype(vertex)]
    [('POSITION', 'R32G32B32_FLOAT'), ('COLOR', 'R8G8B8A8_UINT')]
    """
    if dtype.fields is None or dtype.names is None:
        raise ResourceError(
            f"vertex buffer {slot}: found dtype {dtype}, wanted one with fields named by semantics "
            "such as POSITION, or an input_layout"
        )
    inputs: dict[tuple[str, int], SignatureElement] = {}
    if signature is not None:
        inputs = {
            (e.name.upper(), e.semantic_index): e
            for e in signature.elements
            if not is_generated(e)
        }  # fmt: skip
    elements: list[InputElement] = []
    fields = cast("Mapping[str, tuple[Any, ...]]", dtype.fields)
    for name in dtype.names:
        kind, offset = cast("tuple[DType, int]", fields[name][:2])
        semantic, index = _semantic(name)
        parameter = inputs.get((semantic.upper(), index))
        if signature is not None and parameter is None:
            continue
        format_ = _format(kind, parameter, f"vertex buffer {slot} field {name}")
        elements.append(InputElement(semantic, index, format_, slot, offset))
    return elements


def _semantic(name: str) -> tuple[str, int]:
    match = _NAME.fullmatch(name)
    word, digits = match.groups() if match else (name, "")
    return word, int(digits or 0)


def _format(dtype: DType, parameter: SignatureElement | None, what: str) -> Format:
    """Return the format of a field's numbers, for an input of the shader if one is known."""
    scalar, shape = dtype.base, dtype.shape
    count = shape[0] if len(shape) == 1 else 1 if not shape else 0
    is_float = parameter is None or parameter.component_type is RegisterComponentType.FLOAT32
    is_little = scalar == scalar.newbyteorder("<")
    if 1 <= count <= len("RGBA") and scalar.kind in _KINDS and is_little:
        word = _KINDS[scalar.kind]
        if parameter is not None and is_float and word != "FLOAT":
            # A float that is the bits of an integer is hardly ever meant.
            word = _NORMALISED[scalar.kind] if scalar.itemsize < _WIDE else ""
        letters = "".join(f"{letter}{8 * scalar.itemsize}" for letter in "RGBA"[:count])
        found = DXGI_FORMATS.get(f"{letters}_{word}")
        if found is not None and is_vertex_element(found):
            return found
    names = [f.name for f in _candidates(count, is_float=is_float)]
    wanted = f"wanted numbers as of {', '.join(names)}" if names else "wanted 1 to 4 numbers"
    raise ResourceError(f"{what}: found {dtype}, {wanted}, or an input_layout")


def _candidates(count: int, *, is_float: bool) -> list[Format]:
    """Return formats of so many components of one size that an error may name."""
    types = (ChannelType.UINT, ChannelType.SINT)
    return [
        f
        for f in DXGI_FORMATS.values()
        if is_vertex_element(f)
        and len(f.channels) == count
        and len({c.bits for c in f.channels}) == 1
        and f.name.startswith("R")
        and (f.type in types) is not is_float
    ]
