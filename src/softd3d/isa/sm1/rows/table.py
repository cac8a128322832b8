"""The table that the row modules of SM1-3 fill, and how they write a row for both stages.

A stage has an opcode from one version to another; `_sw` versions follow the `_x` ones. Spec names
are pages of the Direct3D 9 shader assembly reference.

The function of a pure row takes a numeric profile, then the sources, that of a row with effects the
machine before these. A source of one component (`f1`) comes as a value, not as a tuple of one.
Where no source is read component by component, the function is called once: it returns one value
for all components, or a tuple of the first ones.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

from softd3d.isa.roles import Declares, Flow
from softd3d.isa.row import Controls, Table
from softd3d.isa.sm1.enums import Opcode

__all__ = [
    "ALWAYS", "SM2", "SM2X", "SM3", "TABLE", "TEX1", "Since", "effect", "pure", "row",
]  # fmt: skip

TABLE = Table()

Since: TypeAlias = tuple[tuple[int, int], tuple[int, int] | None]
"""The first version and the last; None for all later ones."""

ALWAYS: Since = ((1, 0), None)
SM2: Since = ((2, 0), None)
SM2X: Since = ((2, 1), None)  # 2_x and 2_sw
SM3: Since = ((3, 0), None)
TEX1: Since = ((1, 0), (1, 3))  # the texture instructions of ps_1_0 to ps_1_3


def row(
    code: Opcode,
    mnemonic: str,
    signature: str,
    doc: str,
    *,
    vs: Since | None = None,
    ps: Since | None = None,
    role: Flow | Declares,
    spec: str = "",
) -> None:
    """Register a row of flow or of a declaration for each stage that has the opcode.

    spec: the page's name before the stage, where it is not the mnemonic.
    """
    for stage, since in (("vs", vs), ("ps", ps)):
        if since is None:
            continue
        place = f"{spec or mnemonic}---{stage}"
        first, last = since
        if isinstance(role, Flow):
            TABLE.flow(
                code, mnemonic, role, signature, spec=place, doc=doc, since=first, until=last,
                stages=stage,
            )  # fmt: skip
        else:
            TABLE.declare(
                code, mnemonic, signature, spec=place, doc=doc, role=role, since=first, until=last,
                stages=stage,
            )  # fmt: skip


def pure(
    code: Opcode,
    mnemonic: str,
    signature: str,
    controls: Controls = Controls.NONE,
    *,
    vs: Since | None = None,
    ps: Since | None = None,
    spec: str = "",
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Register the decorated function as the meaning of an opcode in each stage that has it.

    spec: as for `row`.
    """
    return _registering(TABLE.opcode, code, mnemonic, signature, controls, vs, ps, spec)


def effect(
    code: Opcode,
    mnemonic: str,
    signature: str,
    controls: Controls = Controls.NONE,
    *,
    vs: Since | None = None,
    ps: Since | None = None,
    spec: str = "",
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Do so for an opcode that reads textures or looks at other pixels."""
    return _registering(TABLE.effect, code, mnemonic, signature, controls, vs, ps, spec)


def _registering(
    add: Callable[..., Callable[[Callable[..., Any]], Callable[..., Any]]], code: Opcode,
    mnemonic: str, signature: str, controls: Controls, vs: Since | None, ps: Since | None,
    spec: str,
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:  # fmt: skip
    def register(function: Callable[..., Any]) -> Callable[..., Any]:
        for stage, since in (("vs", vs), ("ps", ps)):
            if since is not None:
                add(
                    code, mnemonic, signature, controls, spec=f"{spec or mnemonic}---{stage}",
                    since=since[0], until=since[1], stages=stage,
                )(function)  # fmt: skip
        return function

    return register
