"""Bindings of the stages of a draw: dictionaries by stage, or one for all, bound to each shader."""

from __future__ import annotations

from collections.abc import Mapping
from typing import cast

import numpy as np
from numpy.typing import NDArray

from softd3d.arguments import shown
from softd3d.classes import dataclass
from softd3d.device.bind import bind
from softd3d.device.registers import Key, RegisterKind, has_register, listed
from softd3d.device.runnable import STAGE_NAMES
from softd3d.errors import LoweringError, ResourceError
from softd3d.isa.machine import Memory
from softd3d.lower.bound import BoundProgram
from softd3d.shaders.shader import Shader

__all__ = ["STAGES", "Stage", "StageArguments", "bind_stages"]

STAGES = ("vs", "hs", "ds", "gs", "ps")
"""The stages of a draw that run shaders, in their order."""
_WORDS = frozenset({*STAGES, "cs"})
_OWN_UAVS = 5, 1


@dataclass(frozen=True, slots=True)
class Stage:
    """A shader of a draw. word: the key of its dictionaries, such as "vs"."""

    word: str
    shader: Shader

    @property
    def name(self) -> str:
        return STAGE_NAMES[self.shader.program.type]

    @property
    def has_own_uavs(self) -> bool:
        """Whether u# are this stage's own, as in Direct3D 12.

        Up to shader model 5.0 they are one row for all stages, together with render targets.
        """
        program = self.shader.program
        return (program.major, program.minor) >= _OWN_UAVS


StageArguments = Mapping[str, object]
"""constants, srvs, uavs, samplers and interfaces as callers give them."""


def bind_stages(
    stages: tuple[Stage, ...], arguments: StageArguments, *, strict: bool
) -> dict[str, BoundProgram]:
    """Bind each stage's shader, by the stage's word.

    Each argument is a dictionary by stage of the dictionaries that `bind` takes, or one such
    dictionary whose keys tell which stage they belong to: only one has such a register or variable.
    A key of u# may belong to several: up to shader model 5.0 they are the same for all stages.

    Raises:
        ResourceError, LoweringError: as `bind`; a stage that the draw does not have; a key that
            several stages have, or none. The text begins with the stage.
    """
    given = {
        kind.argument: _by_stage(kind, arguments.get(kind.argument), stages)
        for kind in RegisterKind
    }
    interfaces = _interfaces(arguments.get("interfaces"), stages)
    found: dict[str, BoundProgram] = {}
    for stage in stages:
        values = {argument: each[stage.word] for argument, each in given.items()}
        try:
            found[stage.word] = bind(
                stage.shader, **values, interfaces=interfaces[stage.word], strict=strict
            )
        except ResourceError as error:
            raise ResourceError(f"{stage.name}: {error.message}", error.location) from None
        except LoweringError as error:
            raise LoweringError(f"{stage.name}: {error.message}", error.location) from None
    _check_shared_uavs({s.word: found[s.word] for s in stages if not s.has_own_uavs})
    return found


def _by_stage(
    kind: RegisterKind, given: object, stages: tuple[Stage, ...]
) -> dict[str, Mapping[Key, object]]:
    """Return a dictionary for each stage."""
    values = _dictionary(kind.argument, given)
    named = _named(kind.argument, values, stages)
    if named is not None:
        return cast("dict[str, Mapping[Key, object]]", named)
    found: dict[str, dict[Key, object]] = {stage.word: {} for stage in stages}
    for key, value in cast("Mapping[Key, object]", values).items():
        for stage in _owners(kind, key, stages):
            found[stage.word][key] = value
    return cast("dict[str, Mapping[Key, object]]", found)


def _owners(kind: RegisterKind, key: Key, stages: tuple[Stage, ...]) -> tuple[Stage, ...]:
    """Return the stages that a key belongs to."""
    if len(stages) == 1:
        return stages
    owners = tuple(stage for stage in stages if has_register(kind, key, stage.shader))
    if len(owners) == 1 or (owners and kind is RegisterKind.UAVS):
        return owners
    names = " and ".join(stage.name for stage in stages)
    words = " or ".join(f'{kind.argument}={{"{stage.word}": {{...}}}}' for stage in stages)
    if owners:
        raise ResourceError(
            f"{kind.argument}: {shown(key)} is in {names}; say which one is meant: {words}"
        )
    if isinstance(key, str) and key.lower() in _WORDS:
        raise ResourceError(f"{kind.argument}: found stage {key!r}, wanted {key.lower()!r}")
    has = "; ".join(f"{stage.name}: {listed(kind, stage.shader)}" for stage in stages)
    raise ResourceError(
        f"{kind.argument}: neither {names.replace(' and ', ' nor ')} has {shown(key)}; {has}"
    )


def _interfaces(
    given: object, stages: tuple[Stage, ...]
) -> dict[str, Mapping[int | str, object] | None]:
    values = _dictionary("interfaces", given)
    named = _named("interfaces", values, stages)
    if named is None:
        owners = [stage for stage in stages if stage.shader.interfaces is not None]
        if values and len(owners) != 1:
            names = " and ".join(stage.name for stage in stages)
            raise ResourceError(
                f"interfaces: found none or several of {names} with interfaces; give them by "
                'stage, as in interfaces={"ps": {...}}'
            )
        named = {stage.word: values for stage in owners}
    by_word = cast("dict[str, Mapping[int | str, object]]", named)
    return {stage.word: by_word.get(stage.word) or None for stage in stages}


def _dictionary(argument: str, given: object) -> Mapping[object, object]:
    if given is None:
        return {}
    if not isinstance(given, Mapping):
        raise ResourceError(
            f"{argument}: found {type(given).__name__}, wanted a dictionary, by stage or of "
            "registers"
        )
    return cast("Mapping[object, object]", given)


def _named(
    argument: str, values: Mapping[object, object], stages: tuple[Stage, ...]
) -> dict[str, Mapping[object, object]] | None:
    """Return dictionaries by stage, None if the keys are no stages."""
    is_named = bool(values) and all(
        isinstance(key, str) and key in _WORDS and (value is None or isinstance(value, Mapping))
        for key, value in values.items()
    )
    if not is_named:
        return None
    words = [stage.word for stage in stages]
    for word in cast("Mapping[str, object]", values):
        if word not in words:
            raise ResourceError(
                f"{argument}: found stage {word!r}, the draw has {' and '.join(words)}"
            )
    return {
        word: cast("Mapping[object, object]", values.get(word) or {}) for word in words
    }  # fmt: skip


def _check_shared_uavs(bound: Mapping[str, BoundProgram]) -> None:
    """Refuse two views in one slot, where slots of UAVs are the same for all stages."""
    first: dict[int, NDArray[np.uint8]] = {}
    for program in bound.values():
        for (memory, _, number), view in program.views.items():
            if memory is not Memory.UAV or not view.is_bound:
                continue
            data = program.descriptors[view.slot].data
            if _place(first.setdefault(number, data)) != _place(data):
                raise ResourceError(
                    f"uavs: u{number} is bound to different views in two stages; up to shader "
                    "model 5.0 there is one u# for all stages of a draw"
                )


def _place(data: NDArray[np.uint8]) -> tuple[int, int]:
    return data.ctypes.data, data.size
