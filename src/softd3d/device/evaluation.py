"""Run Direct3D 9 shaders by themselves: registers in, registers out, no pipeline."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from softd3d.algebra.numpy_algebra import dtype_of
from softd3d.algebra.value import BOOL, F32
from softd3d.arguments import integer, one_of, shown
from softd3d.device.run_options import ENGINES, SIDE_BY_SIDE, needs_llvmlite
from softd3d.errors import ResourceError
from softd3d.interp import interpret_lanes
from softd3d.isa.asm.sm1.parse_registers import register_words
from softd3d.isa.sampling.d3d9.state import SamplerState9
from softd3d.isa.sm1.enums import ProgramType, RegisterType
from softd3d.isa.sm1.limits import TEXTURE_STAGES
from softd3d.isa.sm1.profile import DEFAULT, profile_named
from softd3d.isa.sm1.program import Program
from softd3d.isa.sm4.enums import ProgramType as Stage
from softd3d.lower.bound import BoundProgram, RegisterInterface
from softd3d.lower.d3d9.constant_files import (
    BOOLEANS,
    BUMP_ENVIRONMENTS,
    BUMP_WORDS,
    FLOATS,
    INTEGERS,
    define,
    no_constants,
)
from softd3d.lower.d3d9.register_files import (
    Place,
    RegisterFiles,
    component_type,
    key_name,
    place_name,
)
from softd3d.lower.d3d9.textures import bind_textures
from softd3d.lower.declarations import Declarations
from softd3d.lower.registers import Key
from softd3d.lower.stage import COVERED
from softd3d.lower.watch import Watch
from softd3d.resources.d3d9.surfaces import Texture9

__all__ = ["evaluate"]

Run: TypeAlias = "Callable[..., tuple[object, dict[str, NDArray[np.uint32]]]]"
_NAME = re.compile(r"([A-Za-z]+)([0-9]{1,4})")
_BUMP = re.compile(r"bump([0-7])")
_SAMPLER = re.compile(r"s([0-9]{1,2})")
_BUMP_SHAPES = ((4,), (6,))
_COMPONENTS = 4
_QUAD = 4
_MISSING = (0.0, 0.0, 0.0, 1.0)
"""What vertex elements and pixel shader inputs are that nobody supplies."""
_MAX_LANES = 1 << 24
_CONSTANTS = {
    RegisterType.CONST: (FLOATS, np.dtype(np.float32)),
    RegisterType.CONSTINT: (INTEGERS, np.dtype(np.int32)),
    RegisterType.CONSTBOOL: (BOOLEANS, np.dtype(np.bool_)),
}
_GIVEN = frozenset(
    {
        RegisterType.TEMP,
        RegisterType.INPUT,
        RegisterType.TEXTURE,  # a0 in vertex shaders
        RegisterType.MISCTYPE,
        RegisterType.LOOP,
        RegisterType.PREDICATE,
    }
)


def evaluate(
    program: Program,
    inputs: Mapping[str, ArrayLike],
    constants: Mapping[str, ArrayLike] | None = None,
    textures: Mapping[str, Texture9 | tuple[Texture9, SamplerState9]] | None = None,
    *,
    quads: bool = False,
    projected: Mapping[int, int] | None = None,
    profile: str = DEFAULT.name,
    engine: str = "jit",
    lanes: int = 0,
    budget: int | None = None,
    watch: Watch | None = None,
) -> dict[str, NDArray[Any]]:
    """Run a program once for each lane; return every register that it writes.

    Args:
        program: a decoded program of shader model 1 to 3.
        inputs: first contents by register name (`v0`, `t1`, `r0`, `vPos`, `a0`, `aL`, `p0`), of
            shape (lanes, n), or (n,) for what all lanes share; n up to 4 components, the rest are
            taken from (0, 0, 0, 1), and of a0, aL and p0 from 0. What is not given is 0; of v# and
            t# it is (0, 0, 0, 1).
        constants: `c0`, `c1`..., and `i0`...: (4,), or (n, 4) for n registers from there on;
            `b0`...: a number, or (n,); `bump0` to `bump7`: (4,) or (6,), D3DTSS_BUMPENVMAT00, 01,
            10, 11, BUMPENVLSCALE and BUMPENVLOFFSET of a texture stage. Others are 0. What the
            program itself defines wins.
        textures: by sampler, `s0`...: a texture, or it and the sampler's states, which else are
            the default ones. Where none is, lookups give (0, 0, 0, 1). Up to ps_1_3 the number is
            that of the texture stage.
        quads: four lanes are a quad: upper left, upper right, lower left and lower right pixel,
            between which derivatives are taken; wanted a multiple of four lanes. Otherwise each
            lane is alone, and derivatives are 0.
        projected: of texture stages up to ps_1_3 with D3DTTFF_PROJECTED, by number: by which
            component (1 to 3) coordinates are divided.
        profile: the numeric rules: `driver`, `documented` or `ieee` (docs/numbers-d3d9.md).
        engine: `jit` or `interpreter`; both give the same bits.
        lanes: invocations that the JIT runs side by side (4, 8 or 16), 0 for what suits the CPU.
        budget: of instructions (interpreter) or iterations of loops (JIT), as for a dispatch.
        watch: asked now and then whether to stop.

    Returns:
        By register name, (lanes, 4): float32, int32 for a0, bool for p0. Components that were not
        written hold what they held before: 0, where that is not an input. `oDepth` also has the
        depth of texdepth and texm3x2depth. Of programs with texkill also `killed`: bool, (lanes,).

    Raises:
        ResourceError: a name, a shape or an option is wrong.
        DecodeError: the program contradicts itself.
        ExecutionError: the budget or the time is spent, or the run was cancelled.

    >>> from softd3d.isa.sm1.decode import decode
    >>> words = "0002feff 05000003 00000f80 0000e490 0100e490 ffff0000"  # mul r0, v0, v1
    >>> product = decode(bytes.fromhex(words))
    >>> evaluate(product, {"v0": [0, 2, 3, 4], "v1": [np.inf, 1, 1, 1]})["r0"].tolist()
    [[0.0, 2.0, 3.0, 4.0]]
    """
    profile_named(profile)
    one_of(engine, "engine", ENGINES)
    one_of(lanes, "lanes", SIDE_BY_SIDE)
    bound, given, count = _bound(program, inputs, constants or {}, profile, projected or {})
    bound = bind_textures(program, _textures(textures or {})).put_into(bound)
    copies = _copies(count, is_pixel=program.type is ProgramType.PS, quads=quads)
    bits = {
        name: np.repeat(np.broadcast_to(array, (count,)), copies)
        for place, contents in given.items()
        for name, array in _components(place, contents)
    }
    run = interpret_lanes if engine == "interpreter" else _compiled(bound, lanes, watch)
    _, outputs = run(bound, count * copies, bits, budget=budget, watch=watch)
    outputs = {name: array[::copies] for name, array in outputs.items()}
    assert bound.interface is not None  # noqa: S101 - `_bound` gives it one
    return _by_name(bound.interface.outputs, given, count, outputs)


def _bound(
    program: Program, inputs: Mapping[str, ArrayLike], constants: Mapping[str, ArrayLike],
    profile: str, projected: Mapping[int, int],
) -> tuple[BoundProgram, dict[Place, NDArray[Any]], int]:  # fmt: skip
    """Return a program without textures, its registers with first contents, and how many lanes."""
    given, count = _given(program, inputs)
    results = _results(program)
    registers = {*given, *(key[:2] for key in results)}
    divisors = tuple(
        (integer(stage, "projected: stage", range(TEXTURE_STAGES)),
         integer(component, "projected: component", range(1, _COMPONENTS)))
        for stage, component in sorted(projected.items())
    )  # fmt: skip
    bound = BoundProgram(
        program, Declarations(Stage[program.type.name], temps=len(registers)),
        views={}, descriptors=(), buffers={}, constants=_constants(program, constants),
        interface=_interface(profile, given, results, divisors),
    )  # fmt: skip
    return bound, given, count


def _copies(count: int, *, is_pixel: bool, quads: bool) -> int:
    """Return how often each lane is run: those that are alone fill quads of their own."""
    if quads and count % _QUAD:
        raise ResourceError(f"quads: found {count} lanes, wanted a multiple of {_QUAD}")
    return 1 if quads or not is_pixel else _QUAD


def _textures(
    textures: Mapping[str, Texture9 | tuple[Texture9, SamplerState9]],
) -> dict[int, tuple[Texture9, SamplerState9]]:
    """Return textures and samplers by number.

    Raises:
        ResourceError: a name is no sampler's.
    """
    found: dict[int, tuple[Texture9, SamplerState9]] = {}
    for name, given in textures.items():
        number = _SAMPLER.fullmatch(name)
        if number is None:
            raise ResourceError(f"textures: found {shown(name)}, wanted the name of a sampler: s0")
        found[int(number[1])] = given if isinstance(given, tuple) else (given, SamplerState9())
    return found


def _compiled(bound: BoundProgram, lanes: int, watch: Watch | None) -> Run:
    try:
        from softd3d.jit.engine import compile_kernel  # noqa: PLC0415 - the interpreter needs none
    except ImportError as error:
        raise needs_llvmlite(error) from error
    return compile_kernel(bound, lanes=lanes, watch=watch).run_lanes


def _interface(
    profile: str, given: Iterable[Place], results: Iterable[Key],
    projected: tuple[tuple[int, int], ...],
) -> RegisterInterface:  # fmt: skip
    """Return what names inputs and outputs as the registers that they begin and end in."""
    inputs = ((*place, component) for place in given for component in range(_COMPONENTS))
    return RegisterInterface(
        profile, tuple((key_name(key), key) for key in inputs),
        tuple((COVERED[0] if key == COVERED else key_name(key), key) for key in results),
        projected=projected,
    )  # fmt: skip


def _results(program: Program) -> tuple[Key, ...]:
    """Return the components that a program may write, in the order of its instructions."""
    files = RegisterFiles(program)
    found = tuple(dict.fromkeys(key for i in files.instructions() for key in files.written(i)))
    return (*found, COVERED) if files.discards else found


# Names


def _register(name: str, program: Program) -> tuple[RegisterType, int]:
    """Return the register of a name.

    Raises:
        ResourceError: the program's version has no such register.
    """
    words = register_words(program.type, program.version)
    if name in words.named:
        return words.named[name]
    found = _NAME.fullmatch(name)
    file = words.files.get(found[1]) if found else None
    if found is None or file is None or int(found[2]) >= file.count:
        raise ResourceError(f"{name}: {program.profile} has no such register")
    return file.type, int(found[2])


def _by_name(
    results: Iterable[tuple[str, Key]], given: Mapping[Place, NDArray[Any]], count: int,
    found: Mapping[str, NDArray[np.uint32]],
) -> dict[str, NDArray[Any]]:  # fmt: skip
    named: dict[str, NDArray[Any]] = {}
    for given_name, (file, number, component) in results:
        if file == COVERED[0]:
            named["killed"] = found[given_name] == 0
            continue
        place = file, number
        name = place_name(place)
        type_ = component_type(place)
        if name not in named:
            named[name] = np.zeros((count, _COMPONENTS), dtype_of(type_))
            named[name][:] = given.get(place, 0)
        bits = found[given_name]
        named[name][:, component] = bits != 0 if type_ is BOOL else bits.view(dtype_of(type_))
    return named


def _components(place: Place, contents: NDArray[Any]) -> Iterator[tuple[str, NDArray[np.uint32]]]:
    """Yield the bits of a register's components by name; of p0 they are masks."""
    is_mask = contents.dtype == np.bool_
    bits = np.where(contents, 0xFFFFFFFF, 0).astype(np.uint32) if is_mask else contents
    for component, letter in enumerate("xyzw"):
        yield f"{place_name(place)}.{letter}", bits[..., component].copy().view(np.uint32)


# Arrays


def _given(
    program: Program, inputs: Mapping[str, ArrayLike]
) -> tuple[dict[Place, NDArray[Any]], int]:
    """Return the registers with first contents, (lanes, 4) or (4,) each; and how many lanes."""
    files = RegisterFiles(program)
    missing = np.array(_MISSING, np.float32)
    given: dict[Place, NDArray[Any]] = dict.fromkeys(files.supplied(), missing)
    lanes: int | None = None
    for name, data in inputs.items():
        type_, number = _register(name, program)
        if type_ in _CONSTANTS:
            raise ResourceError(f"{name}: found among the inputs, wanted it among the constants")
        if type_ not in _GIVEN:
            raise ResourceError(f"{name}: found among the inputs, but it has no first contents")
        place = files.place(type_, number)
        array = given[place] = _contents(name, data, place)
        if array.ndim > 1:
            if lanes not in (None, len(array)):
                raise ResourceError(f"{name}: found {len(array)} lanes, others have {lanes}")
            lanes = len(array)
    return given, 1 if lanes is None else lanes


def _contents(name: str, data: ArrayLike, place: Place) -> NDArray[Any]:
    """Return (lanes, 4) or (4,) of the register's type."""
    kind = component_type(place)
    array = _array(name, data, dtype_of(kind))
    if array.ndim not in (1, 2) or not 1 <= array.shape[-1] <= _COMPONENTS:
        raise ResourceError(f"{name}: found shape {array.shape}, wanted (lanes, 4) or (4,)")
    if array.ndim > 1 and not 1 <= len(array) <= _MAX_LANES:
        raise ResourceError(f"{name}: found {len(array)} lanes, wanted 1 to {_MAX_LANES}")
    rest = np.array(_MISSING if kind is F32 else (0,) * _COMPONENTS, array.dtype)
    padded = np.broadcast_to(rest, (*array.shape[:-1], _COMPONENTS)).copy()
    padded[..., : array.shape[-1]] = array
    return padded


def _array(name: str, data: ArrayLike, dtype: np.dtype[Any]) -> NDArray[Any]:
    try:
        with np.errstate(all="ignore"):
            return np.asarray(data, dtype)
    except (TypeError, ValueError, OverflowError) as error:
        raise ResourceError(f"{name}: found no array of numbers ({error})") from None


def _constants(
    program: Program, constants: Mapping[str, ArrayLike]
) -> tuple[NDArray[np.uint32], ...]:
    """Return the constant files by slot: what is set, and what the program defines."""
    files = no_constants(program)
    for name, data in constants.items():
        bump = _BUMP.fullmatch(name)
        if bump:
            _set_bump(name, data, files[BUMP_ENVIRONMENTS.slot][BUMP_WORDS * int(bump[1]) :])
            continue
        type_, number = _register(name, program)
        if type_ not in _CONSTANTS:
            raise ResourceError(f"{name}: found among the constants, wanted it among the inputs")
        view, dtype = _CONSTANTS[type_]
        width = 1 if view is BOOLEANS else _COMPONENTS
        array = _array(name, data, dtype)
        words = np.atleast_1d(array) if width == 1 else np.atleast_2d(array)
        if words.ndim != (1 if width == 1 else 2) or (width > 1 and words.shape[1] != width):
            wanted = "a number or (n,)" if width == 1 else "(4,) or (n, 4)"
            raise ResourceError(f"{name}: found shape {array.shape}, wanted {wanted}")
        count = files[view.slot].size // width
        if number + len(words) > count:
            raise ResourceError(
                f"{name}: found {len(words)} registers from there on, there are {count}"
            )
        bits = words.astype(np.uint32) if width == 1 else words.reshape(-1).view(np.uint32)
        files[view.slot][width * number :][: bits.size] = bits
    define(program, files)
    return files


def _set_bump(name: str, data: ArrayLike, words: NDArray[np.uint32]) -> None:
    array = np.squeeze(_array(name, data, np.dtype(np.float32)))
    if array.shape not in _BUMP_SHAPES:
        raise ResourceError(f"{name}: found shape {array.shape}, wanted (4,) or (6,)")
    words[: array.size] = array.view(np.uint32)
