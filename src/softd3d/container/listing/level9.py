"""The listing's part on level 9: where Direct3D 9's registers come from, and its code."""

from __future__ import annotations

from softd3d.container.dxbc.container import Container
from softd3d.container.dxbc.level9 import (
    LEVEL9_CHUNKS,
    ConstantMapping,
    Conversion,
    Level9Program,
    RegisterMapping,
    RuntimeConstant,
    parse_level9,
)
from softd3d.container.listing.stream import stream_listing
from softd3d.isa.asm.options import PLAIN, ListingOptions
from softd3d.isa.sm1.decode import decode

__all__ = ["level9_lines"]

_TITLES = {"Aon9": "Level9", "XNAP": "XNA Prepass", "XNAS": "XNA"}
_CONVERSIONS: dict[int, str] = {
    Conversion.FLOAT: " FLT",
    Conversion.BOOL: "BOOL",
    Conversion.INT: " INT",
    Conversion.UINT: "UINT",
}
_UNKNOWN_CONVERSION = "UNKN"
_RUNTIME_CONSTANTS: dict[int, str] = {
    RuntimeConstant.POSITION_OFFSET: "Vertex Shader position offset",
    RuntimeConstant.INSTANCE_ID: "Instance ID",
}
_UNKNOWN_CONSTANT = "Unknown Value"
_MARGIN = "    "
_LIBRARY_PREFIX = "lib_4_0_"
_LIBRARY_STAGES = {b"VL": b"\xfe\xff", b"PL": b"\xff\xff"}


def level9_lines(container: Container, options: ListingOptions = PLAIN) -> list[str]:
    """Return the sections on all level 9 programs, nothing if there are none.

    Raises:
        ContainerError: a chunk is malformed.
        DecodeError: a program is malformed.
    """
    lines: list[str] = []
    for fourcc in LEVEL9_CHUNKS:
        for chunk in container.chunks:
            if chunk.fourcc == fourcc:
                lines += _program_lines(parse_level9(chunk), _TITLES[fourcc], options)
    return lines


def _program_lines(program: Level9Program, title: str, options: ListingOptions) -> list[str]:
    lines = ["//", *_constants(program), *_runtime_constants(program), *_samplers(program)]
    lines += [f"// {title} shader bytecode:", "//"]
    stage = program.code[2:4]
    if stage not in _LIBRARY_STAGES:
        return lines + _code_lines(program.code, program.code_offset, options)
    # Of functions only the version differs, which here gets that of a whole shader
    code = program.code[:2] + _LIBRARY_STAGES[stage] + program.code[4:]
    first, *others = _code_lines(code, program.code_offset, options)
    return [*lines, f"{_MARGIN}{_LIBRARY_PREFIX}{first.removeprefix(_MARGIN)}", *others]


def _code_lines(code: bytes, offset: int, options: ListingOptions) -> list[str]:
    return stream_listing(decode(code, offset), options).split("\n")[:-1]


def _constants(program: Level9Program) -> list[str]:
    if not (program.constants or program.loops or program.booleans):
        return []
    return [
        "// Constant buffer to DX9 shader constant mappings:",
        "//",
        *_registers("b", program.booleans),
        *_registers("i", program.loops),
        *_constant_table(program.constants),
        "//",
    ]


def _registers(letter: str, mappings: tuple[RegisterMapping, ...]) -> list[str]:
    if not mappings:
        return []
    return [
        "// Target Reg Buffer  Source Reg Component",
        "// ---------- ------- ---------- ---------",
        *(
            f"// {f'{letter}{m.target}':<10} {f'cb{m.buffer}':<7} {m.register:10} {m.component:9}"
            for m in mappings
        ),
        "//",
    ]


def _constant_table(mappings: tuple[ConstantMapping, ...]) -> list[str]:
    if not mappings:
        return []
    lines = [
        "// Target Reg Buffer  Start Reg # of Regs        Data Conversion",
        "// ---------- ------- --------- --------- ----------------------",
    ]
    for m in mappings:
        texts = (_CONVERSIONS.get(kind, _UNKNOWN_CONVERSION) for kind in m.conversions)
        place = f"{f'c{m.target}':<10} {f'cb{m.buffer}':<7} {m.start:9} {m.count:9}"
        lines.append(f"// {place}  ({','.join(texts)})")
    return [*lines, "//"]


def _runtime_constants(program: Level9Program) -> list[str]:
    if not program.runtime_constants:
        return []
    return [
        "// Runtime generated constant mappings:",
        "//",
        "// Target Reg                               Constant Description",
        "// ---------- --------------------------------------------------",
        *(
            f"// {f'c{m.target}':<10} {_RUNTIME_CONSTANTS.get(m.value, _UNKNOWN_CONSTANT):>50}"
            for m in program.runtime_constants
        ),
        "//",
        "//",
    ]


def _samplers(program: Level9Program) -> list[str]:
    if not program.samplers:
        return []
    return [
        "// Sampler/Resource to DX9 shader sampler mappings:",
        "//",
        "// Target Sampler Source Sampler  Source Resource",
        "// -------------- --------------- ----------------",
        *(
            f"// {f's{m.target}':<14} {f's{m.sampler}':<15} {f't{m.resource}':<17}"
            for m in program.samplers
        ),
        "//",
        "//",
    ]
