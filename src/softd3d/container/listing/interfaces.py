"""The listing's tables of dynamic linkage: classes, their instances, interface slots."""

from __future__ import annotations

from softd3d.container.dxbc.container import Chunk
from softd3d.container.reflection.interfaces import (
    ClassInstance,
    ClassType,
    InterfaceSlots,
    parse_interfaces,
)
from softd3d.errors import ContainerError

__all__ = ["interface_lines"]

_RULE = "// +----------+---------+---------------------------------------"
_CHOICES_PER_LINE = 8


def interface_lines(chunk: Chunk) -> list[str]:
    """Return the tables of an IFCE chunk.

    Raises:
        ContainerError: the chunk is malformed, or an instance is of no type.
    """
    interfaces = parse_interfaces(chunk)
    for instance in interfaces.instances:
        if instance.type >= len(interfaces.types):
            raise ContainerError(
                f"IFCE: {instance.name} is of type {instance.type}, there are "
                f"{len(interfaces.types)}",
                chunk.reader().location(0),
            )
    return [
        "//",
        *_types(interfaces.types),
        *_instances(interfaces.instances),
        f"// Interface slots, {interfaces.total_slots} total:",
        "//",
        "//             Slots",
        _RULE,
        *_slots(interfaces.slots),
    ]


def _types(types: tuple[ClassType, ...]) -> list[str]:
    return [
        "// Available Class Types:",
        "//",
        "// Name                             ID CB Stride Texture Sampler",
        "// ------------------------------ ---- --------- ------- -------",
        *(
            f"// {t.name:<30} {place:4} {t.constant_buffer_stride:9} {t.textures:7} {t.samplers:7}"
            for place, t in enumerate(types)
        ),
        "//",
    ]


def _instances(instances: tuple[ClassInstance, ...]) -> list[str]:
    if not instances:
        return []
    lines = [
        "// Available Class Instances:",
        "//",
        "// Name                        Type CB CB Offset Texture Sampler",
        "// --------------------------- ---- -- --------- ------- -------",
    ]
    for i in instances:
        name = i.name if i.elements == 1 else f"{i.name}[{i.elements}]"
        buffer, offset, texture, sampler = (
            "-" if place is None else str(place)
            for place in (
                i.constant_buffer,
                i.base_constant_buffer_offset,
                i.base_texture,
                i.base_sampler,
            )
        )
        place = f"{i.type:4} {buffer:>2} {offset:>9} {texture:>7} {sampler:>7}"
        lines.append(f"// {name:<27} {place}")
    return [*lines, "//"]


def _slots(records: tuple[InterfaceSlots, ...]) -> list[str]:
    """Return the choices of all slots.

    From the ninth choice on this is wrong as Microsoft's is: each further line of a record leaves
    out one choice, and moves the numbers of the slots that follow.
    """
    lines: list[str] = []
    start = 0
    for record in records:
        end = f"-{start + record.span - 1}" if record.span > 1 else ""
        numbers = f"{start:4}{end:<5}"
        for at in range(0, len(record.types), _CHOICES_PER_LINE + 1):
            row = slice(at, at + _CHOICES_PER_LINE)
            lines.append(f"// | Type ID  |{numbers}|{_row(record.types[row])}")
            lines.append(f"// | Table ID |         |{_row(record.tables[row])}")
            numbers = " " * 9
            start += record.span
        lines.append(_RULE)
    return lines


def _row(numbers: tuple[int, ...]) -> str:
    return "".join(f"{number:<5}" for number in numbers)
