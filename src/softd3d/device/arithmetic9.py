"""Run the arithmetic of Direct3D 9 shaders: registers in, registers out, no pipeline.

Straight-line programs only, for now: control flow and textures are refused by name.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from softd3d.algebra.numpy_algebra import dtype_of
from softd3d.algebra.value import F32
from softd3d.arguments import one_of
from softd3d.device.dispatch import ENGINES
from softd3d.errors import LoweringError, ResourceError
from softd3d.interp.arithmetic9 import interpret9
from softd3d.isa.asm.sm1.operand import register_name
from softd3d.isa.asm.sm1.parse_registers import register_words
from softd3d.isa.sm1.enums import ProgramType, RegisterType
from softd3d.isa.sm1.profile import DEFAULT, Profile, profile_named
from softd3d.isa.sm1.program import Program
from softd3d.lower.sm1_constants import constant_count, constant_file
from softd3d.lower.sm1_evaluate import TEXTURE_STAGES, Key, type_of
from softd3d.lower.sm1_values import Values

__all__ = ["evaluate"]

Register: TypeAlias = tuple[RegisterType, int]
_NAME = re.compile(r"([A-Za-z]+)([0-9]{1,4})")
_BUMP = re.compile(r"bump([0-7])")
_COMPONENTS = 4
_REST = (0.0, 0.0, 0.0, 1.0)
_MAX_LANES = 1 << 24
_READ_BY_FLOW = frozenset({RegisterType.CONSTINT, RegisterType.CONSTBOOL})
_CONSTANTS = _READ_BY_FLOW | {RegisterType.CONST}
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
    *,
    profile: str = DEFAULT.name,
    engine: str = "jit",
    lanes: int = 0,
) -> dict[str, NDArray[Any]]:
    """Run a straight-line program once for each lane; return every register that it writes.

    Args:
        program: a decoded program of shader model 1 to 3.
        inputs: first contents by register name (`v0`, `t1`, `r0`, `vPos`, `a0`, `aL`, `p0`), of
            shape (lanes, n), or (n,) for what all lanes share; n up to 4 components, the rest are
            taken from (0, 0, 0, 1), and of a0, aL and p0 from 0. What is not given is 0; of v# and
            t# it is (0, 0, 0, 1).
        constants: `c0`, `c1`...: (4,), or (n, 4) for n registers from there on; `bump0` to
            `bump7`: D3DTSS_BUMPENVMAT00, 01, 10, 11 of a texture stage. Others are 0. What the
            program itself defines wins. `i#` and `b#` are accepted, but only control flow reads
            them.
        profile: the numeric rules: `driver`, `documented` or `ieee` (docs/numbers-d3d9.md).
        engine: `jit` or `interpreter`; both give the same bits.
        lanes: invocations that the JIT runs side by side (4, 8 or 16), 0 for what suits the CPU.

    Returns:
        By register name, (lanes, 4): float32, int32 for a0, bool for p0. Components that were not
        written hold what they held before: 0, where that is not an input.

    Raises:
        ResourceError: a name, a shape or an option is wrong.
        LoweringError: control flow, a texture instruction, or an indexed register other than c#.
        DecodeError: the program contradicts itself.

    >>> from softd3d.isa.sm1.decode import decode
    >>> words = "0002feff 05000003 00000f80 0000e490 0100e490 ffff0000"  # mul r0, v0, v1
    >>> product = decode(bytes.fromhex(words))
    >>> evaluate(product, {"v0": [0, 2, 3, 4], "v1": [np.inf, 1, 1, 1]})["r0"].tolist()
    [[0.0, 2.0, 3.0, 4.0]]
    """
    rules = profile_named(profile)
    one_of(engine, "engine", ENGINES)
    if lanes not in (0, 4, 8, 16):
        raise ResourceError(f"lanes: found {lanes}, wanted 0, 4, 8 or 16")
    values = _values(program, inputs, constants or {})
    if engine == "interpreter":
        contents = interpret9(program, rules, values)
    else:
        contents = _compiled(program, rules, values, lanes)
    return _by_name(program, values, contents)


def _compiled(
    program: Program, profile: Profile, values: Values, lanes: int
) -> dict[Key, NDArray[Any]]:
    # llvmlite is optional: the interpreter works without it.
    try:
        from softd3d.jit.arithmetic9 import run9  # noqa: PLC0415
    except ImportError as error:
        raise LoweringError(
            f"engine jit needs llvmlite ({error}); use engine='interpreter'"
        ) from error
    return run9(program, profile, values, lanes=lanes)


# Names


def _register(name: str, program: Program) -> Register:
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
    program: Program, values: Values, contents: Mapping[Key, NDArray[Any]]
) -> dict[str, NDArray[Any]]:
    found: dict[str, NDArray[Any]] = {}
    for type_, number, component in contents:
        name = register_name(type_, number, program)
        if name not in found:
            found[name] = np.stack(
                [_lane_values(values, contents, (type_, number, c)) for c in range(_COMPONENTS)],
                axis=-1,
            )
        found[name][:, component] = contents[type_, number, component]
    return found


def _lane_values(values: Values, contents: Mapping[Key, NDArray[Any]], key: Key) -> NDArray[Any]:
    array = contents.get(key)
    return np.broadcast_to(values.component(key) if array is None else array, (values.lanes,))


# Arrays


def _values(
    program: Program, inputs: Mapping[str, ArrayLike], constants: Mapping[str, ArrayLike]
) -> Values:
    registers: dict[Register, NDArray[Any]] = {}
    lanes: int | None = None
    for name, data in inputs.items():
        type_, number = _register(name, program)
        if type_ in _CONSTANTS:
            raise ResourceError(f"{name}: found among the inputs, wanted it among the constants")
        if type_ not in _GIVEN:
            raise ResourceError(f"{name}: found among the inputs, but it has no first contents")
        array = _contents(name, data, type_, program.type)
        registers[type_, number] = array
        if array.ndim > 1:
            if lanes not in (None, len(array)):
                raise ResourceError(f"{name}: found {len(array)} lanes, others have {lanes}")
            lanes = len(array)
    file, matrices = _constants(program, constants)
    return Values(program.type, 1 if lanes is None else lanes, registers, file, matrices)


def _contents(name: str, data: ArrayLike, type_: RegisterType, stage: ProgramType) -> NDArray[Any]:
    """Return (lanes, 4) or (4,) of the register's type."""
    kind = type_of(type_, stage)
    array = _array(name, data, dtype_of(kind))
    if array.ndim not in (1, 2) or not 1 <= array.shape[-1] <= _COMPONENTS:
        raise ResourceError(f"{name}: found shape {array.shape}, wanted (lanes, 4) or (4,)")
    if array.ndim > 1 and not 1 <= len(array) <= _MAX_LANES:
        raise ResourceError(f"{name}: found {len(array)} lanes, wanted 1 to {_MAX_LANES}")
    rest = np.array(_REST if kind is F32 else (0,) * _COMPONENTS, array.dtype)
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
) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    file = np.zeros((constant_count(program), _COMPONENTS), np.float32)
    matrices = np.zeros((TEXTURE_STAGES, _COMPONENTS), np.float32)
    for name, data in constants.items():
        bump = _BUMP.fullmatch(name)
        type_, number = (None, int(bump[1])) if bump else _register(name, program)
        if type_ in _READ_BY_FLOW:
            continue
        if type_ not in (None, RegisterType.CONST):
            raise ResourceError(f"{name}: found among the constants, wanted it among the inputs")
        target = matrices if type_ is None else file
        array = np.atleast_2d(_array(name, data, target.dtype))
        if array.ndim != 2 or array.shape[1] != _COMPONENTS:
            raise ResourceError(f"{name}: found shape {array.shape}, wanted (4,) or (n, 4)")
        if number + len(array) > len(target):
            raise ResourceError(
                f"{name}: found {len(array)} registers from there on, there are {len(target)}"
            )
        target[number : number + len(array)] = array
    return constant_file(program, file), matrices
