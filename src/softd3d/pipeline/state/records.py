"""What the classes of states share: their members are replaced by what they mean."""

from __future__ import annotations

from collections.abc import Mapping

__all__ = ["settle"]


def settle(record: object, values: Mapping[str, object]) -> None:
    """Set members of a frozen record while it is made."""
    for name, value in values.items():
        object.__setattr__(record, name, value)
