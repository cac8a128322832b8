"""Programs as JSON data, as `softd3d dis --json` prints them: docs/reading-programs.md."""

from __future__ import annotations

import json
from collections.abc import Iterator
from enum import IntEnum, IntFlag
from typing import Any

from softd3d.container.dxbc.container import Container, parse
from softd3d.container.dxbc.level9 import level9_programs
from softd3d.container.reflection.library import parse_library_function
from softd3d.isa.asm.sm1.operand import source_text
from softd3d.isa.layout import Component, Token, TokenLayout
from softd3d.isa.sm1 import layouts as sm1_layouts
from softd3d.isa.sm1 import program as sm1
from softd3d.isa.sm1.decode import decode as decode9
from softd3d.isa.sm1.enums import ResultModifier
from softd3d.isa.sm4 import layouts as sm4_layouts
from softd3d.isa.sm4 import program as sm4
from softd3d.isa.sm4.decode import decode
from softd3d.isa.sm4.enums import MinPrecision, SelectionMode
from softd3d.shaders.effects.d3d9 import Effect9
from softd3d.shaders.effects.d3d10 import Effect10, Library
from softd3d.shaders.loading import load
from softd3d.shaders.token_stream import Shader9

__all__ = ["SCHEMA", "document_text", "program_document"]

SCHEMA = 1
"""The number of the schema; it grows when a key changes its meaning or goes."""

_COMPONENTS = "".join(component.name.lower() for component in Component)
_RESERVED = "reserved_"


def program_document(data: bytes) -> dict[str, Any]:
    """Return all programs of a container, token stream or effect as JSON data.

    Every dword of each is there as an unsigned number, so there are no NaNs in it.

    Raises:
        ShaderError: the input has no program, or a malformed one.
    """
    return {"schema": SCHEMA, "programs": [*_programs(data)]}


def document_text(document: dict[str, Any]) -> str:
    """Return a document as JSON text with one line for each instruction."""
    programs: list[str] = []
    for program in document["programs"]:
        facts = {key: value for key, value in program.items() if key != "instructions"}
        lines = ",\n".join(json.dumps(i, allow_nan=False) for i in program["instructions"])
        programs.append(f'{json.dumps(facts)[:-1]}, "instructions": [\n{lines}\n]}}')
    facts = {key: value for key, value in document.items() if key != "programs"}
    return f'{json.dumps(facts)[:-1]}, "programs": [\n' + ",\n".join(programs) + "\n]}"


def _programs(data: bytes) -> Iterator[dict[str, Any]]:
    loaded = load(data)
    if isinstance(loaded, Shader9):
        yield _sm1(loaded.program, "tokens", 0)
    elif isinstance(loaded, Effect9):
        for shader in loaded.shaders:
            yield _sm1(shader.program, shader.place, 0)
    elif isinstance(loaded, Effect10):
        yield from _effect(loaded)
    elif isinstance(loaded, Library):
        yield from _functions(loaded.container)
    elif loaded.container is None:
        yield _sm4(loaded.program, "tokens", 0)
    else:
        yield _code(loaded.container, 0)
        yield from _level9(loaded.container, 0)


def _effect(effect: Effect10) -> Iterator[dict[str, Any]]:
    """Yield the programs of the shaders inside an effect of Direct3D 10 or 11."""
    chunk = effect.container.find("FX10") if effect.container is not None else None
    start = effect.records.header_size + (0 if chunk is None else chunk.data_offset)
    for number, embedded in enumerate(effect.records.containers):
        container = parse(embedded.data)
        if container.find("SHEX", "SHDR") is not None:
            yield _code(container, start + embedded.offset, f"container {number}")
            yield from _level9(container, start + embedded.offset)


def _functions(library: Container) -> Iterator[dict[str, Any]]:
    """Yield the programs of a library's functions, without their code for level 9."""
    functions = (chunk for chunk in library.chunks if chunk.fourcc == "LIBF")
    for number, chunk in enumerate(functions):
        function = parse_library_function(chunk).container
        yield _code(function, chunk.data_offset, f"function {number}")


def _code(container: Container, base: int, place: str = "") -> dict[str, Any]:
    """Return the program of a container that lies at `base`, in bytes."""
    chunk = container.program_chunk
    offset = base + chunk.data_offset
    return _sm4(decode(chunk.data, offset), place or chunk.fourcc, offset)


def _level9(container: Container, base: int) -> Iterator[dict[str, Any]]:
    for level9 in level9_programs(container):
        offset = base + level9.code_offset
        yield _sm1(decode9(level9.code, offset), "level 9", offset)


def _sm4(program: sm4.Program, place: str, offset: int) -> dict[str, Any]:
    return {
        **_facts("sm4", program, sm4_layouts.VERSION, place, offset),
        "instructions": [_instruction4(i) for i in program.instructions],
    }


def _sm1(program: sm1.Program, place: str, offset: int) -> dict[str, Any]:
    return {
        **_facts("sm1", program, sm1_layouts.VERSION, place, offset),
        "trailing": program.trailing.hex(),
        "instructions": [_instruction1(i, program) for i in program.instructions],
    }


def _facts(
    family: str, target: sm1.Target | sm4.Target, layout: TokenLayout, place: str, offset: int
) -> dict[str, Any]:
    version = layout.encode(type=target.type, major=target.major, minor=target.minor)
    return {
        "place": place,
        "offset": offset,
        "family": family,
        "profile": target.profile,
        "stage": target.type.name,
        "major": target.major,
        "minor": target.minor,
        "version_token": version.dword,
    }


def _instruction4(i: sm4.Instruction) -> dict[str, Any]:
    document = _head(i)
    for part in i.parts:
        if part.operand is not None:
            place = {"name": part.name, "offset": part.offset, "length": len(part.words)}
            document["operands"].append({**place, **_operand(part.operand, part.text)})
        elif part.name == "opcode":
            document["fields"] = _fields(part.tokens[0])
        elif part.name == "extended opcode":
            document["extended"].append(_fields(part.tokens[0]))
        else:
            document["values"].append(_value(part))
    return document


def _instruction1(i: sm1.Instruction | sm1.Comment, target: sm1.Target) -> dict[str, Any]:
    document = _head(i)
    for part in i.parts:
        if part.name.endswith(" address"):
            document["operands"][-1]["length"] += len(part.words)
        elif part.parameter is not None:
            place = {"name": part.name, "offset": part.offset, "length": len(part.words)}
            document["operands"].append({**place, **_parameter(part.parameter, part.text, target)})
        elif part.name in ("instruction", "comment"):
            document["fields"] = _fields(part.tokens[0])
        elif part.name == "usage":
            document["extended"].append(_fields(part.tokens[0]))
        else:
            document["values"].append(_value(part))
    return document


def _head(i: sm1.Instruction | sm1.Comment | sm4.Instruction) -> dict[str, Any]:
    """Return what all instructions have; their parts are filled in."""
    return {
        "index": i.index,
        "offset": i.offset,
        "opcode": int(i.opcode),
        "name": i.opcode.name,
        "mnemonic": i.mnemonic,
        "text": str(i).strip(),
        "words": list(i.words),
        "fields": {},
        "extended": [],
        "operands": [],
        "values": [],
    }


def _value(part: sm1.Part | sm4.Part) -> dict[str, Any]:
    return {
        "name": part.name,
        "offset": part.offset,
        "words": list(part.words),
        **({"fields": _fields(part.tokens[0])} if part.tokens else {}),
    }


def _fields(token: Token) -> dict[str, int]:
    """Return the fields of a token, those without a meaning only where they are not 0."""
    return {
        name: int(number)
        for name, number in token.values().items()
        if number or not name.startswith(_RESERVED)
    }


def _operand(operand: sm4.Operand, text: str) -> dict[str, Any]:
    document: dict[str, Any] = {
        "text": text,
        "type": operand.type.name,
        "components": operand.components,
        **_chosen(operand),
        "indices": [
            {
                "immediate": index.immediate,
                "register": None
                if index.relative is None
                else _operand(index.relative, str(index.relative)),
            }
            for index in operand.indices
        ],
        "modifier": operand.modifier.name,
        "min_precision": _name(MinPrecision, operand.min_precision),
        "non_uniform": operand.non_uniform,
        "immediate": list(operand.immediate),
    }
    return document


def _chosen(operand: sm4.Operand) -> dict[str, str]:
    """Return the mask, swizzle or component of an operand of four; nothing of others."""
    if operand.components != 4:
        return {}
    key = {SelectionMode.MASK: "mask", SelectionMode.SWIZZLE: "swizzle"}
    return {key.get(operand.mode, "component"): _letters(operand.selection)}


def _parameter(parameter: sm1.Parameter, text: str, target: sm1.Target) -> dict[str, Any]:
    document: dict[str, Any] = {
        "text": text,
        "type": parameter.type.name,
        "number": parameter.number,
    }
    if isinstance(parameter, sm1.SourceParameter):
        document["swizzle"] = _letters(parameter.swizzle)
        document["modifier"] = parameter.modifier.name
    else:
        mask = parameter.write_mask
        document["mask"] = _letters(tuple(n for n in range(4) if mask >> n & 1))
        document["modifiers"] = [m.name for m in ResultModifier if m and m in parameter.modifiers]
        document["shift"] = parameter.shift
    relative = parameter.relative
    document["relative"] = (
        None if relative is None else _parameter(relative, source_text(relative, target), target)
    )
    return document


def _letters(components: tuple[int, ...]) -> str:
    return "".join(_COMPONENTS[component] for component in components)


def _name(values: type[IntEnum | IntFlag], number: int) -> str | int:
    found = next((value for value in values if value == number), None)
    return number if found is None else str(found.name)
