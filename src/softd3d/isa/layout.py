"""Tokens taken apart: the fields of a dword by name, with their bits, values and meanings.

A `TokenLayout` lists the fields of one kind of token. `decode` gives a `Token`, which knows the
value of each; `encode` makes a dword of values. The positions of the fields are those that the
decoders and encoders of whole programs use.
"""

from __future__ import annotations

from collections.abc import Iterable
from enum import EnumType, IntEnum, IntFlag

from softd3d.arguments import instance, records, shown, whole
from softd3d.bits import Bits, Field, SplitField
from softd3d.classes import dataclass
from softd3d.errors import AssemblyError, DecodeError
from softd3d.isa.record import short

__all__ = ["Component", "Token", "TokenField", "TokenLayout"]

_BITS = 32
_MOST = (1 << _BITS) - 1


class Component(IntEnum):
    """A component of a register, as swizzles name it."""

    X = 0
    Y = 1
    Z = 2
    W = 3


@dataclass(frozen=True, slots=True)
class TokenField:
    """A field of a token.

    name: in small letters. bits: where it lies; printed as `[10:0]`, a field in two places with its
    high part first. meaning: one line. values: the enumeration of its numbers, if there is one.
    default: the number that `TokenLayout.encode` takes where none is given.
    """

    name: str
    bits: Bits
    meaning: str
    values: type[IntEnum | IntFlag] | None = None
    default: int = 0

    def __post_init__(self) -> None:
        """Refuse what is no field: later errors would not say where it comes from.

        Raises:
            TypeError: as said.
        """
        instance(self.name, str, "TokenField: name")
        instance(self.bits, (Field, SplitField), "TokenField: bits")
        instance(self.meaning, str, "TokenField: meaning")
        instance(self.values, (EnumType, type(None)), "TokenField: values")
        instance(self.default, int, "TokenField: default")

    def decode(self, dword: int) -> int:
        """Return the field's number in a token, as a member of `values` where it is one."""
        return self.named(self.bits.get(whole(dword)))

    def named(self, number: int) -> int:
        """Return a number as a member of `values` where it is one."""
        number = whole(number)
        if self.values is None:
            return number
        try:
            return self.values(number)
        except ValueError:
            return number

    def text(self, number: int) -> str:
        """Return a number in decimal, with its name where it has one.

        >>> from softd3d import sm1
        >>> sm1.SOURCE_PARAMETER["modifier"].text(1)
        '1 NEG'
        """
        named = self.named(number)
        name = named.name if isinstance(named, (IntEnum, IntFlag)) else None
        return f"{number:d} {name}" if name else f"{number:d}"

    @property
    def is_kind(self) -> bool:
        """Whether the number says what something is, so that 0 or a default is worth telling."""
        return self.values is not None and self.values is not Component

    def __repr__(self) -> str:
        return short(f"<TokenField {self.bits} {self.name}: {self.meaning}", ">")


@dataclass(frozen=True, slots=True, init=False, repr=False)
class TokenLayout:
    """The fields of one kind of token, from bit 0 up; bits without meaning are fields too.

    Those are named by their place, `reserved_15_14`, so that `encode` can give back any dword.
    """

    name: str
    fields: tuple[TokenField, ...]

    def __init__(self, name: str, fields: Iterable[TokenField]) -> None:
        given = records(fields, (TokenField,), "TokenLayout: fields")
        whole = sorted((*given, *_reserved(given)), key=lambda field: field.bits.lowest)
        object.__setattr__(self, "name", instance(name, str, "TokenLayout: name"))
        object.__setattr__(self, "fields", tuple(whole))

    def __hash__(self) -> int:
        return hash(self.name)  # of all fields it would take as long as decoding

    def __getitem__(self, name: str) -> TokenField:
        """Return a field.

        Raises:
            AssemblyError: there is none of this name.
        """
        for field in self.fields:
            if field.name == name:
                return field
        names = ", ".join(field.name for field in self.fields)
        raise AssemblyError(f"{self.name}: no field {name!s:.60}, wanted one of {names}")

    def decode(self, dword: int) -> Token:
        """Take a dword apart. Any dword is a token; a number without meaning stays a number.

        Raises:
            DecodeError: it is negative, or has more than 32 bits.
        """
        dword = whole(dword)
        if not 0 <= dword <= _MOST:
            raise DecodeError(f"{self.name}: found {dword}, wanted a dword, 0 to 0xffffffff")
        return Token(self, dword)

    def encode(self, **values: int) -> Token:
        """Make a token of values by field; fields that are not given have their defaults.

        Raises:
            AssemblyError: there is no such field, or a value does not fit it.
        """
        dword = 0
        for field in self.fields:
            dword |= self._put(field, values.pop(field.name, field.default))
        for name in values:
            self[name]
        return Token(self, dword)

    def _put(self, field: TokenField, value: int) -> int:
        try:
            return field.bits.put(int(value) if isinstance(value, bool) else whole(value))
        except (TypeError, ValueError):
            low, high = field.bits.range
            raise AssemblyError(
                f"{self.name}: {field.name} is {shown(value)}, wanted {low} to {high}"
            ) from None

    def __repr__(self) -> str:
        return short(f"<TokenLayout {self.name}: {', '.join(f.name for f in self.fields)}", ">")


@dataclass(frozen=True, slots=True, repr=False)
class Token:
    """A dword and what its fields say. `str` is a table of them; `int` is the dword."""

    layout: TokenLayout
    dword: int

    def __post_init__(self) -> None:
        """Refuse what is no layout or no whole number.

        Raises:
            TypeError: as said.
        """
        instance(self.layout, TokenLayout, "Token: layout")
        object.__setattr__(self, "dword", whole(self.dword))

    def __getitem__(self, name: str) -> int:
        """Return a field's number, as a member of its enumeration where it is one.

        Raises:
            AssemblyError: there is no such field.
        """
        return self.layout[name].decode(self.dword)

    def values(self) -> dict[str, int]:
        """Return the numbers of all fields by name; `layout.encode(**values)` is the same token."""
        return {field.name: field.decode(self.dword) for field in self.layout.fields}

    def replace(self, **values: int) -> Token:
        """Return the token with other values in some fields.

        Raises:
            AssemblyError: there is no such field, or a value does not fit it.
        """
        return self.layout.encode(**{**self.values(), **values})

    def __int__(self) -> int:
        return self.dword

    def __index__(self) -> int:
        return self.dword

    def __repr__(self) -> str:
        told = [
            f"{field.name}={field.text(number).rpartition(' ')[2]}"
            for field in self.layout.fields
            if (number := field.bits.get(self.dword)) != field.default or field.is_kind
        ]
        return short(f"<{self.layout.name} {self.dword:#010x}: {', '.join(told)}", ">")

    def __str__(self) -> str:
        rows = [
            (str(f.bits), f.name, f.text(f.bits.get(self.dword)), f.meaning)
            for f in self.layout.fields
        ]
        widths = [max(len(row[column]) for row in rows) for column in range(3)]
        lines = [
            "  ".join(
                [*(text.ljust(width) for text, width in zip(row, widths, strict=False)), row[3]]
            )
            for row in rows
        ]
        return "\n".join([f"{self.dword:#010x}, {self.layout.name}", *map(str.rstrip, lines)])


def _reserved(fields: tuple[TokenField, ...]) -> list[TokenField]:
    """Return fields for the bits that no field has.

    Raises:
        AssemblyError: two fields share a bit.
    """
    used = 0
    for field in fields:
        if used & field.bits.mask:
            raise AssemblyError(f"field {field.name} has bits of another")
        used |= field.bits.mask
    found: list[TokenField] = []
    low = 0
    while low < _BITS:
        high = low
        while high < _BITS and not used >> high & 1:
            high += 1
        if high > low:
            bits = Field(high - 1, low)
            found.append(TokenField(_name_of(bits), bits, "no meaning"))
        low = high + 1
    return found


def _name_of(bits: Field) -> str:
    return f"reserved_{bits.hi}" if bits.hi == bits.lo else f"reserved_{bits.hi}_{bits.lo}"
