"""What a resource must be for a register: each rule is one function that raises a ResourceError.

Spec: D3D11.3 sections 5.3.10 (view kinds), 22.3.44 and following (declarations), 7.14 (counters).
"""

from __future__ import annotations

from softd3d.classes import dataclass
from softd3d.device.registers import Register
from softd3d.errors import ResourceError
from softd3d.formats.layout import ChannelType, Format
from softd3d.formats.shader_views import is_readable, is_unordered
from softd3d.isa.machine import Memory, ViewKind
from softd3d.isa.sampling.state import Filter, SamplerState
from softd3d.isa.sm4.enums import ResourceDimension, ReturnType
from softd3d.lower.declared import SamplerDeclaration, ViewDeclaration
from softd3d.resources.views.descriptor import Descriptor

__all__ = ["Mismatch", "check_overlaps", "check_sampler", "check_view", "mismatch"]

_COUNTER_MNEMONICS = frozenset({"imm_atomic_alloc", "imm_atomic_consume"})
_ATOMIC_PREFIXES = ("atomic_", "imm_atomic_")
_BUFFERS = frozenset(
    {ResourceDimension.BUFFER, ResourceDimension.RAW_BUFFER, ResourceDimension.STRUCTURED_BUFFER}
)
_ATOMIC_FORMATS = frozenset({"R32_UINT", "R32_SINT"})


def check_view(register: Register, wanted: ViewDeclaration, found: Descriptor) -> None:
    """Check a resource against the declaration of its register.

    Raises:
        ResourceError: kind, dimension, stride, format or access differ.
    """
    _check_kind(register, wanted, found)
    if found.dimension is not wanted.dimension:
        return  # it is not looked at: see `mismatch`
    if wanted.kind is ViewKind.STRUCTURED and found.stride != wanted.stride:
        raise ResourceError(
            f"{register}: found structures of {found.stride} bytes, wanted {wanted.stride}"
        )
    if wanted.kind is ViewKind.TYPED:
        _check_format(register, wanted, found)
    if wanted.memory is Memory.UAV and not found.writable:
        raise ResourceError(
            f"{register}: the array of a UAV must be writable, found a read-only one"
        )
    if register.mnemonics & _COUNTER_MNEMONICS and found.counter is None:
        raise ResourceError(
            f"{register}: the shader counts with it ({_counting(register)}), found no hidden "
            "counter; give the buffer one with counter=0"
        )


@dataclass(frozen=True, slots=True)
class Mismatch:
    """A view that is not what the shader declares, which Direct3D leaves undefined.

    is_readable: whether the shader sees the bits as they are, else 0, and its writes are dropped.
    """

    found: str
    wanted: str
    is_readable: bool

    def __str__(self) -> str:
        what = "its bits are read as they are" if self.is_readable else "reads 0, drops writes"
        return f"found {self.found}, the shader declares {self.wanted}: {what}"


def mismatch(wanted: ViewDeclaration, found: Descriptor) -> Mismatch | None:
    """Return how a view differs from its declaration where a shader runs all the same.

    A view of another dimension is as good as none: loads and resinfo give 0, writes are dropped. A
    format of another type of the same class (UINT and SINT; FLOAT, UNORM and SNORM) is used as it
    is, so integers of 32 bits keep their bits. Direct3D leaves both undefined.
    """
    if found.dimension is not wanted.dimension:
        return Mismatch(_described(found), _wanted(wanted), is_readable=False)
    format_ = found.view_format
    if wanted.kind is not ViewKind.TYPED or format_ is None:
        return None
    allowed = (_CHANNEL_TYPES.get(type_) for type_ in _return_types(wanted))
    if all(types is None or format_.component_types <= types for types in allowed):
        return None
    return Mismatch(_described(found), _wanted(wanted), is_readable=True)


def check_sampler(register: Register, wanted: SamplerDeclaration, found: object) -> SamplerState:
    """Return the state for a sampler register; None is the default state.

    Raises:
        ResourceError: it is none, or compares where the shader does not, or the other way round.
    """
    if found is None:
        return wanted.default
    if not isinstance(found, SamplerState):
        raise ResourceError(f"{register}: found {type(found).__name__}, wanted a SamplerState")
    if found.is_comparison != wanted.is_comparison:
        kinds = ("one that does not compare", "a comparison filter (COMPARISON_...)")
        raise ResourceError(
            f"{register}: found the filter {Filter(found.filter).name}, "
            f"the shader wants {kinds[wanted.is_comparison]}"
        )
    return found


def check_overlaps(
    srvs: list[tuple[Register, Descriptor]], uavs: list[tuple[Register, Descriptor]]
) -> None:
    """Refuse memory that a shader reads through an SRV and may write through a UAV.

    Raises:
        ResourceError: a byte belongs to both.
    """
    ranges = [(*_range(d), r, False) for r, d in srvs] + [(*_range(d), r, True) for r, d in uavs]
    ranges = sorted((x for x in ranges if x[0] < x[1]), key=lambda x: x[:2])
    last: dict[bool, tuple[int, Register]] = {}
    for start, end, register, is_uav in ranges:
        other = last.get(not is_uav)
        if other is not None and start < other[0]:
            srv, uav = (other[1], register) if is_uav else (register, other[1])
            raise ResourceError(
                f"{uav}: shares memory with {srv}; Direct3D does not allow one resource as UAV "
                "and SRV at once"
            )
        if is_uav not in last or end > last[is_uav][0]:
            last[is_uav] = end, register


def _range(descriptor: Descriptor) -> tuple[int, int]:
    memory = descriptor.data if descriptor.decoded is None else descriptor.decoded.source
    start = memory.ctypes.data
    return start, start + memory.nbytes


def _check_kind(register: Register, wanted: ViewDeclaration, found: Descriptor) -> None:
    """Refuse a buffer for another kind of buffer; what textures are for is a `mismatch`."""
    if found.kind is wanted.kind or _is_texture(found.dimension) or _is_texture(wanted.dimension):
        return
    raise ResourceError(f"{register}: found {_described(found)}, wanted {_wanted(wanted)}")


def _check_format(register: Register, wanted: ViewDeclaration, found: Descriptor) -> None:
    format_ = found.view_format
    if format_ is None:
        raise ResourceError(f"{register}: found a view without a format")
    _check_use(register, wanted, format_)
    kinds = format_.component_types
    for type_ in _return_types(wanted):
        allowed = _CHANNEL_TYPES.get(type_)
        if allowed is not None and not any(kinds <= c and allowed & c for c in _CLASSES):
            raise ResourceError(
                f"{register}: found format {format_.name}, the shader wants "
                f"{type_.name.lower()} components"
            )
    atomics = sorted(_atomics(register))
    if atomics and format_.name not in _ATOMIC_FORMATS:
        raise ResourceError(
            f"{register}: found format {format_.name}, {atomics[0]} wants R32_UINT or R32_SINT"
        )


def _check_use(register: Register, wanted: ViewDeclaration, format_: Format) -> None:
    """Refuse a format that such a view may not have on any device of Direct3D 11.1."""
    if wanted.memory is Memory.UAV and not is_unordered(format_):
        raise ResourceError(
            f"{register}: format {format_.name} cannot be a UAV (wanted one of R32_FLOAT, "
            "R32_UINT, R32_SINT, R8G8B8A8_UNORM, ...)"
        )
    if not is_readable(format_):
        raise ResourceError(f"{register}: format {format_.name} cannot be read by shaders")


def _is_texture(dimension: ResourceDimension) -> bool:
    return dimension not in _BUFFERS


def _return_types(wanted: ViewDeclaration) -> list[ReturnType]:
    """Return the declared types of the components, each once."""
    return [t for t in ReturnType if t in wanted.return_types]


def _atomics(register: Register) -> set[str]:
    return {m for m in register.mnemonics - _COUNTER_MNEMONICS if m.startswith(_ATOMIC_PREFIXES)}


def _counting(register: Register) -> str:
    return ", ".join(sorted(register.mnemonics & _COUNTER_MNEMONICS))


# A shader that says `float` also takes the normalised formats, as those arrive as floats.
_CHANNEL_TYPES: dict[ReturnType, frozenset[ChannelType]] = {
    ReturnType.UNORM: frozenset({ChannelType.UNORM, ChannelType.SRGB}),
    ReturnType.SNORM: frozenset({ChannelType.SNORM}),
    ReturnType.SINT: frozenset({ChannelType.SINT}),
    ReturnType.UINT: frozenset({ChannelType.UINT}),
    ReturnType.FLOAT: frozenset(ChannelType) - {ChannelType.UINT, ChannelType.SINT},
}

_CLASSES = (
    frozenset({ChannelType.UINT, ChannelType.SINT}),
    frozenset(ChannelType) - {ChannelType.UINT, ChannelType.SINT},
)

_DIMENSIONS = {
    ResourceDimension.BUFFER: "typed buffer",
    ResourceDimension.TEXTURE1D: "1D texture",
    ResourceDimension.TEXTURE2D: "2D texture",
    ResourceDimension.TEXTURE2DMS: "multisampled 2D texture",
    ResourceDimension.TEXTURE3D: "3D texture",
    ResourceDimension.TEXTURECUBE: "cube texture",
    ResourceDimension.TEXTURE1DARRAY: "array of 1D textures",
    ResourceDimension.TEXTURE2DARRAY: "array of 2D textures",
    ResourceDimension.TEXTURE2DMSARRAY: "array of multisampled 2D textures",
    ResourceDimension.TEXTURECUBEARRAY: "array of cube textures",
}


def _described(found: Descriptor) -> str:
    if found.kind is ViewKind.RAW:
        return f"a raw buffer ({found.size} bytes)"
    if found.kind is ViewKind.STRUCTURED:
        return f"a structured buffer ({found.count} structures of {found.stride} bytes)"
    name = "" if found.view_format is None else f" ({found.view_format.name})"
    return f"{_with_article(_DIMENSIONS.get(found.dimension, 'typed view'))}{name}"


def _wanted(wanted: ViewDeclaration) -> str:
    if wanted.kind is ViewKind.RAW:
        return "a raw buffer"
    if wanted.kind is ViewKind.STRUCTURED:
        return f"a structured buffer with structures of {wanted.stride} bytes"
    types = " and ".join(t.name.lower() for t in _return_types(wanted))
    return f"{_with_article(_DIMENSIONS[wanted.dimension])} of {types}"


def _with_article(words: str) -> str:
    return f"an {words}" if words[0] in "aeiou" else f"a {words}"
