"""Predication: work that is skipped by what a query has found. Spec: D3D11.3 section 20.3.6."""

from __future__ import annotations

from softd3d.arguments import flag
from softd3d.classes import dataclass
from softd3d.errors import ResourceError

__all__ = ["Predicate", "is_skipped"]


@dataclass(frozen=True, slots=True)
class Predicate:
    """SetPredication: work is skipped while `result` is `value`.

    Draws, dispatches, clears, copies, updates, resolves and the making of mips take one.
    result: of a predicate query, as `DrawResult.occlusion_predicate` or `so_overflow_predicate`.
    value: with False, an occlusion predicate skips what is hidden.

    Raises:
        ResourceError: they are not True or False.

    >>> Predicate(result=False).skips
    True
    """

    result: bool
    value: bool = False

    def __post_init__(self) -> None:
        for name in ("result", "value"):
            object.__setattr__(self, name, flag(getattr(self, name), f"predicate {name}"))

    @property
    def skips(self) -> bool:
        """Whether work is skipped."""
        return self.result == self.value


def is_skipped(predicate: object) -> bool:
    """Return whether a predicate skips work; None never does.

    Raises:
        ResourceError: it is no predicate.
    """
    if predicate is None:
        return False
    if not isinstance(predicate, Predicate):
        raise ResourceError(
            f"predicate: found {type(predicate).__name__}, wanted a Predicate, or None"
        )
    return predicate.skips
