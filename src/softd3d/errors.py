"""The exception family: every failure a caller can cause is a `ShaderError` that says where.

Any bytes, text or binding end in a result or in one of these classes; `InternalError` alone means
that softd3d itself is wrong.
"""

from __future__ import annotations

from collections.abc import Generator, Sequence
from contextlib import contextmanager
from enum import StrEnum
from typing import Any

from softd3d.classes import dataclass

__all__ = [
    "AssemblyError",
    "ContainerError",
    "DecodeError",
    "ExecutionError",
    "Finding",
    "InternalError",
    "Location",
    "LoweringError",
    "ResourceError",
    "Severity",
    "ShaderError",
    "ValidationError",
    "located",
]


@dataclass(frozen=True, slots=True)
class Location:
    """Where something was found: bytes and instruction of a binary, line and column of a text.

    offset: bytes from the start of the input. instruction: 0-based index in the program.
    line, column: 1-based. source: a file name. chunk: the FourCC of a part of a container.
    """

    offset: int | None = None
    instruction: int | None = None
    line: int | None = None
    column: int | None = None
    source: str | None = None
    chunk: str | None = None

    def __str__(self) -> str:
        parts: list[str] = []
        if self.source is not None:
            parts.append(self.source)
        if self.line is not None:
            parts.append(
                f"line {self.line}" if self.column is None else f"line {self.line}:{self.column}"
            )
        if self.chunk is not None:
            parts.append(f"chunk {self.chunk}")
        if self.instruction is not None:
            parts.append(f"instruction {self.instruction}")
        if self.offset is not None:
            parts.append(f"byte offset {self.offset:#x}")
        return ", ".join(parts)


class ShaderError(Exception):
    """Base of all errors of this package; `message` is one sentence, `location` says where."""

    def __init__(self, message: str, location: Location | None = None) -> None:
        if location is not None and not isinstance(location, Location):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise TypeError(f"found {type(location).__name__}, wanted a Location")
        self.message = message
        self.location = location
        where = str(location) if location else ""
        super().__init__(f"{message} ({where})" if where else message)


@contextmanager
def located(location: Location) -> Generator[None, None, None]:
    """Give errors that do not say where they happened this location."""
    try:
        yield
    except ShaderError as error:
        if error.location is None:
            error.location = location
            error.args = (f"{error.message} ({location})",)
        raise


class DecodeError(ShaderError):
    """The bytes are not a program."""


class AssemblyError(ShaderError):
    """The text is not a program."""


class ContainerError(ShaderError):
    """A container, chunk, checksum or signature is malformed."""


class Severity(StrEnum):
    """Whether Direct3D refuses what was found, or it is only suspicious."""

    ERROR = "error"
    WARNING = "warning"


@dataclass(frozen=True, slots=True)
class Finding:
    """One violated rule. code: short and stable; spec: where the rule is written."""

    code: str
    message: str
    location: Location
    spec: str = ""
    severity: Severity = Severity.ERROR

    def __str__(self) -> str:
        return f"{self.code}: {self.message} ({self.location})"


class ValidationError(ShaderError):
    """A well-formed program that breaks rules; `findings` lists them."""

    def __init__(self, findings: Sequence[Finding]) -> None:
        is_sequence = isinstance(findings, (list, tuple)) and bool(findings)
        if not is_sequence or not all(isinstance(f, Finding) for f in findings):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise TypeError(f"found {type(findings).__name__}, wanted a list of findings")
        self.findings = tuple(findings)
        first = self.findings[0]
        more = f", and {len(self.findings) - 1} more" if len(self.findings) > 1 else ""
        super().__init__(f"{first.code}: {first.message}{more}", first.location)


class LoweringError(ShaderError):
    """Valid, but not supported here yet."""


class ExecutionError(ShaderError):
    """A run was stopped: budget, divergent barrier, cancellation (which has no place).

    outcome: the `Outcome` until then, as far as there is one: what threads had said (messages),
    what was undefined. Which groups had run by then depends on threads and time.
    """

    def __init__(self, message: str, location: Location | None = None, outcome: Any = None) -> None:
        super().__init__(message, location)
        self.outcome = outcome


class ResourceError(ShaderError):
    """A binding is missing or has the wrong kind, size, type or format."""


class InternalError(ShaderError):
    """A bug of softd3d. Please report it with the input."""
