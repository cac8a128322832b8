"""Wrap an array as the kind of view that a register is declared to hold."""

from __future__ import annotations

from typing import Any

from softd3d.cli.arguments import Given
from softd3d.device.arrays import view_of_array
from softd3d.device.registers import Register
from softd3d.errors import ResourceError, ShaderError
from softd3d.lower.declared import ViewDeclaration

__all__ = ["make_view"]


def make_view(register: Register, given: Given, counter: int | None) -> Any:
    """Return a resource over the array, or None where nothing is to be bound.

    Raises:
        ResourceError: the array or format does not fit the register.
    """
    declaration = register.declaration
    if given.array is None or not isinstance(declaration, ViewDeclaration):
        return None
    try:
        return view_of_array(declaration, given.array, given.format, counter)
    except ShaderError as error:
        raise ResourceError(f"{register}: {error.message}", error.location) from error
