"""Run execution cases of single shaders of Direct3D 9.

Of a `quad` layout the pixels get what a strip over the whole target has at their places; those
beyond the edge of the target that fill quads are extrapolated.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from softd3d.device.evaluation import evaluate
from softd3d.device.verdict import CaseResult, Difference
from softd3d.errors import ResourceError
from softd3d.formats.layout import Format
from softd3d.isa.d3d9.enums import DeclType
from softd3d.isa.sm1.decode import decode
from softd3d.isa.sm1.enums import ProgramType, RegisterType, Usage
from softd3d.isa.sm1.profile import DEFAULT
from softd3d.isa.sm1.program import Program
from softd3d.lower.d3d9.register_files import place_name
from softd3d.lower.d3d9.semantics import declared_registers
from softd3d.lower.outcome import Outcome
from softd3d.lower.watch import Watch
from softd3d.pipeline.d3d9.elements import element_format
from softd3d.resources.cases.comparison import Mismatch, RuleType, Tolerance, compare_dwords
from softd3d.resources.cases.shader9 import Element, ShaderCase
from softd3d.resources.transfer.conversion import decode as decode_texels

__all__ = ["found_words", "known_answer", "run_shader_case", "shader_disagreements"]

Words = NDArray[np.uint32]
Registers = Mapping[str, NDArray[Any]]
_COMPONENTS = 4


def run_shader_case(
    case: ShaderCase, engine: str, *, lanes: int = 0, profile: str = DEFAULT.name,
    timeout: float | None = None,
) -> CaseResult:  # fmt: skip
    """Run a case and compare what it gives with what is expected.

    timeout: seconds that compiling and running may take together; None for no limit.

    Raises:
        ShaderError: a file of the case is malformed, or the run failed.
    """
    found = found_words(case, engine, lanes=lanes, profile=profile, timeout=timeout).tobytes()
    bad = _bad(case, case.expected, found)
    return CaseResult(engine, {case.output: found}, tuple(_difference(case, bad)), Outcome())


def _bad(case: ShaderCase, wanted: Words, found: bytes) -> list[Mismatch]:
    rule = Tolerance(RuleType.FLOAT32, ulp=case.ulp, abs=case.abs, zero_sign=False)
    return compare_dwords(wanted.tobytes(), found, [rule])


def known_answer(case: ShaderCase, result: CaseResult) -> str | None:
    """Return the source of the answer that a run gave, None if the case has none such."""
    found = result.outputs[case.output]
    return next((who for who, words in case.answers if not _bad(case, words, found)), None)


def shader_disagreements(
    case: ShaderCase, one: CaseResult, other: CaseResult
) -> tuple[Difference, ...]:
    """Return where two runs differ in any bit, but for those of NaN."""
    rule = Tolerance(RuleType.FLOAT32, zero_sign=True)
    bad = compare_dwords(one.outputs[case.output], other.outputs[case.output], [rule])
    return tuple(_difference(case, bad))


def _difference(case: ShaderCase, bad: list[Mismatch]) -> Iterator[Difference]:
    if bad:
        yield Difference(case.output, case.expected.size, tuple(bad))


def found_words(
    case: ShaderCase, engine: str, *, lanes: int = 0, profile: str = DEFAULT.name,
    timeout: float | None = None,
) -> Words:  # fmt: skip
    """Return what a case observes: uint32, (pixels * targets, 4).

    Raises:
        ShaderError: as `run_shader_case`.
    """
    try:
        program = decode(case.shader.read_bytes())
    except OSError as error:
        raise ResourceError(f"{case.shader.name}: {error.strerror}") from error
    width, height, _ = case.target
    columns, rows = (width + width % 2, height + height % 2) if case.is_quad else (width, height)
    places = _places(columns, rows, is_quad=case.is_quad)
    inputs = _inputs(case, program, places)
    registers = evaluate(
        program, inputs, case.constants, case.textures, quads=case.is_quad, profile=profile,
        engine=engine, lanes=lanes,
        watch=Watch(seconds=timeout),
    )  # fmt: skip
    seen = np.lexsort((places[:, 0], places[:, 1]))
    inside = (places[seen] < (width, height)).all(axis=1)
    return _observed(case, program, registers, seen[inside])


def _places(columns: int, rows: int, *, is_quad: bool) -> NDArray[np.int64]:
    """Return x and y of each lane, (lanes, 2): quad by quad, or row by row."""
    y, x = np.divmod(np.arange(columns * rows), columns)
    places = np.stack((x, y), axis=-1)
    if not is_quad:
        return places
    return places.reshape(rows // 2, 2, columns // 2, 2, 2).transpose(0, 2, 1, 3, 4).reshape(-1, 2)


def _inputs(
    case: ShaderCase, program: Program, places: NDArray[np.int64]
) -> dict[str, NDArray[Any]]:
    """Return what registers begin with, (lanes, 4) each; r0 says how many lanes there are."""
    names = _declared(program, RegisterType.INPUT)
    found = {"r0": np.zeros((len(places), _COMPONENTS), np.float32)}
    for name, words in case.inputs.items():
        register = names.get(name) if name in names or name.isupper() else name
        if register is not None:  # else an element that the shader does not read
            found[register] = _spread(case, words.view(np.float32), places)
    for element in case.elements:
        if element.semantic not in names:
            raise ResourceError(f"{case.name}: the shader declares no {element.semantic}")
        found[names[element.semantic]] = np.repeat(_numbers(element), len(places), axis=0)
    if program.type is ProgramType.PS and program.version >= (3, 0):
        found["vPos"] = np.pad(places, ((0, 0), (0, 2))).astype(np.float32)
        found["vFace"] = np.ones((len(places), _COMPONENTS), np.float32)
    return found


def _spread(
    case: ShaderCase, numbers: NDArray[np.float32], places: NDArray[np.int64]
) -> NDArray[np.float32]:
    """Return a register of each lane."""
    if len(numbers) == 1:
        return np.repeat(numbers, len(places), axis=0)
    wanted = _COMPONENTS if case.is_quad else len(places)
    if len(numbers) != wanted:
        raise ResourceError(f"{case.name}: found {len(numbers)} rows of an input, wanted {wanted}")
    if not case.is_quad:
        return numbers
    width, height, _ = case.target
    x, y = ((places + 0.5) / (width, height)).T[..., None]
    left_top, right_top, left_bottom, right_bottom = numbers.astype(np.float64)
    top = left_top * (1 - x) + right_top * x
    bottom = left_bottom * (1 - x) + right_bottom * x
    return (top * (1 - y) + bottom * y).astype(np.float32)


def _numbers(element: Element) -> NDArray[np.float32]:
    """Return a vertex element as shaders see it, (rows, 4)."""
    format_: Format = element_format(DeclType(element.type))
    rows = [np.frombuffer(row, np.uint8) for row in element.rows]
    if any(row.size != format_.bytes_per_texel for row in rows):
        raise ResourceError(
            f"{element.semantic}: found rows that are not {format_.bytes_per_texel} bytes"
        )
    values: NDArray[Any] = decode_texels(np.stack(rows), format_)
    return values.reshape(len(rows), _COMPONENTS).astype(np.float32)


def _observed(
    case: ShaderCase, program: Program, registers: Registers, lanes: NDArray[np.int64]
) -> Words:
    """Return the observed register in the order of pixels, one target after another."""
    if program.type is ProgramType.VS:
        names = _declared(program, RegisterType.OUTPUT)
        return registers[names.get(case.output, case.output)][lanes].view(np.uint32)
    drawn = np.ones(len(lanes), np.bool_)
    if "killed" in registers:
        drawn &= ~registers["killed"][lanes]
    if case.clear_depth is not None:
        depth = np.full(len(lanes), case.position_depth, np.float32)
        if "oDepth" in registers:
            depth = np.clip(registers["oDepth"][lanes, 0], 0, 1)
        drawn &= depth < np.float32(case.clear_depth)
    nothing = np.zeros((len(lanes), _COMPONENTS), np.uint32)
    targets = ["r0"] if program.major == 1 else [f"oC{n}" for n in range(case.target[2])]
    found = [registers[t][lanes].view(np.uint32) if t in registers else nothing for t in targets]
    return np.concatenate([np.where(drawn[:, None], target, 0) for target in found])


def _declared(program: Program, type_: RegisterType) -> dict[str, str]:
    """Return the names of declared registers by semantic, such as TEXCOORD0."""
    return {
        f"{Usage(d.semantic[0]).name}{d.semantic[1]}": place_name(d.place)
        for d in declared_registers(program)
        if d.type is type_
    }
