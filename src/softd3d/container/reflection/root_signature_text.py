"""Root signatures as HLSL writes them: the string of a `[RootSignature("...")]` attribute."""

from __future__ import annotations

import math
import struct
from enum import IntEnum, IntFlag

from softd3d.container.reflection.root_signature import (
    FLOAT32_MAX,
    OFFSET_APPEND,
    UNBOUNDED,
    DescriptorRange,
    DescriptorTable,
    RootConstants,
    RootParameter,
    RootSignature,
    StaticSampler,
)
from softd3d.container.reflection.root_signature_enums import (
    DescriptorRangeType,
    ShaderVisibility,
)

__all__ = ["root_signature_text"]

_VIEWS = {"SRV": "t", "UAV": "u", "CBV": "b"}
_SAMPLER_DEFAULTS = StaticSampler(0)
# Attribute, what HLSL calls it, what it puts before an enumeration's names.
_SAMPLER_FIELDS = (
    ("filter", "filter", "FILTER_"),
    ("address_u", "addressU", "TEXTURE_ADDRESS_"),
    ("address_v", "addressV", "TEXTURE_ADDRESS_"),
    ("address_w", "addressW", "TEXTURE_ADDRESS_"),
    ("mip_lod_bias", "mipLODBias", ""),
    ("max_anisotropy", "maxAnisotropy", ""),
    ("comparison_func", "comparisonFunc", "COMPARISON_"),
    ("border_color", "borderColor", "STATIC_BORDER_COLOR_"),
    ("min_lod", "minLOD", ""),
    ("max_lod", "maxLOD", ""),
)


def root_signature_text(signature: RootSignature) -> str:
    r"""Return the elements of the signature, one a line, joined by commas; defaults are left out.

    The compiler makes the same chunk from it, given the version (profile rootsig_1_0 or
    rootsig_1_1). Flags without a name are written as a number, which HLSL does not take.

    Spec: "Specifying Root Signatures in HLSL" (win32 documentation).

    >>> from softd3d.container.reflection.root_signature import RootDescriptor
    >>> from softd3d.container import root_signature_enums as enums
    >>> cbv = RootParameter(enums.RootParameterType.CBV, RootDescriptor(3, space=1))
    >>> version = enums.RootSignatureVersion.VERSION_1_1
    >>> flags = enums.RootSignatureFlags.ALLOW_STREAM_OUTPUT
    >>> root_signature_text(RootSignature(version, flags, (cbv,)))
    'RootFlags(ALLOW_STREAM_OUTPUT),\nCBV(b3, space = 1)'
    """
    elements: list[str] = []
    if signature.flags:
        elements.append(f"RootFlags({_flag_names(signature.flags)})")
    elements += (_parameter(parameter) for parameter in signature.parameters)
    elements += (_static_sampler(sampler) for sampler in signature.static_samplers)
    return ",\n".join(elements)


def _parameter(parameter: RootParameter) -> str:
    payload = parameter.payload
    visibility = _visibility(parameter.visibility)
    match payload:
        case DescriptorTable(ranges):
            return _call("DescriptorTable", *(_range(found) for found in ranges), *visibility)
        case RootConstants():
            count = f"num32BitConstants = {payload.value_count}"
            register = f"b{payload.register}"
            return _call("RootConstants", count, register, *_space(payload.space), *visibility)
        case _:
            name = parameter.type.name
            register = f"{_VIEWS[name]}{payload.register}"
            flags = _flags(payload.flags)
            return _call(name, register, *_space(payload.space), *visibility, *flags)


def _range(found: DescriptorRange) -> str:
    if found.type is DescriptorRangeType.SAMPLER:
        name, letter = "Sampler", "s"
    else:
        name, letter = found.type.name, _VIEWS[found.type.name]
    parts = [f"{letter}{found.base_register}"]
    if found.descriptor_count != 1:
        unbounded = found.descriptor_count == UNBOUNDED
        parts.append(f"numDescriptors = {'unbounded' if unbounded else found.descriptor_count}")
    parts += _space(found.space)
    if found.offset != OFFSET_APPEND:
        parts.append(f"offset = {found.offset}")
    return _call(name, *parts, *_flags(found.flags))


def _static_sampler(sampler: StaticSampler) -> str:
    parts = [f"s{sampler.register}"]
    for attribute, name, prefix in _SAMPLER_FIELDS:
        value = getattr(sampler, attribute)
        if value != getattr(_SAMPLER_DEFAULTS, attribute):
            parts.append(f"{name} = {prefix}{_value(value)}")
    return _call("StaticSampler", *parts, *_space(sampler.space), *_visibility(sampler.visibility))


def _value(value: IntEnum | float) -> str:
    if isinstance(value, IntEnum):
        return value.name
    return f"{_shortest(value)}f" if isinstance(value, float) else str(value)


def _shortest(value: float) -> str:
    """Return the shortest decimal that reads back as the same float32; 9 digits always do."""
    for digits in range(1, 9):
        text = f"{value:.{digits}g}"
        if math.isfinite(value) and abs(float(text)) <= FLOAT32_MAX and _float32(text) == value:
            return text
    return f"{value:.9g}"


def _float32(text: str) -> float:
    (rounded,) = struct.unpack("<f", struct.pack("<f", float(text)))
    return rounded


def _call(name: str, *parts: str) -> str:
    return f"{name}({', '.join(parts)})"


def _space(space: int) -> tuple[str, ...]:
    return (f"space = {space}",) if space else ()


def _visibility(visibility: ShaderVisibility) -> tuple[str, ...]:
    shown = visibility is not ShaderVisibility.ALL
    return (f"visibility = SHADER_VISIBILITY_{visibility.name}",) if shown else ()


def _flags(flags: IntFlag) -> tuple[str, ...]:
    return (f"flags = {_flag_names(flags)}",) if flags else ()


def _flag_names(flags: IntFlag) -> str:
    names = [flag.name or "" for flag in flags]
    unnamed = flags & ~sum(type(flags))
    return " | ".join([*names, f"{int(unnamed):#x}"] if unnamed else names)
