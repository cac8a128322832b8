"""Reading JSON objects with errors that name the place: file, line, or key."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any, cast

from softd3d.classes import dataclass
from softd3d.errors import Location, ResourceError
from softd3d.source import read_stream

__all__ = ["Entry", "json_object", "read_json"]

_MAX_BYTES = 1 << 24
_LARGEST = 1e39  # beyond every float32
_LARGEST_OF_ALL = 1 << 64  # of numbers that are not negative


def read_json(path: Path) -> dict[str, Any]:
    """Return the object in a JSON file.

    Raises:
        ResourceError: the file cannot be read, is larger than 16 MiB, no JSON, or no object.
    """
    source = Location(source=str(path))
    try:
        with path.open("rb", buffering=0) as file:
            data = read_stream(file, _MAX_BYTES)
    except ResourceError as error:
        raise ResourceError(error.message, source) from None
    except OSError as error:
        raise ResourceError(f"the file cannot be read: {error.strerror}", source) from error
    return json_object(data, str(path))


def json_object(text: bytes, name: str) -> dict[str, Any]:
    """Return the object in a JSON file's bytes. name: of the file, for errors.

    Raises:
        ResourceError: it is no JSON, or no object; the text says where.
    """
    source = Location(source=name)
    try:
        data = json.loads(text.decode("utf-8"))
    except json.JSONDecodeError as error:
        where = Location(line=error.lineno, column=error.colno, source=name)
        raise ResourceError(f"no JSON: {error.msg}", where) from error
    except UnicodeDecodeError as error:
        where = Location(offset=error.start, source=name)
        raise ResourceError("no JSON: the text is not UTF-8", where) from error
    except (ValueError, RecursionError) as error:
        # A number of thousands of digits, or thousands of nested brackets.
        raise ResourceError(
            "no JSON that can be read: numbers or nesting too long", source
        ) from error
    if not isinstance(data, dict):
        raise ResourceError(f"found {_name(data)}, wanted an object", source)
    return cast("dict[str, Any]", data)


@dataclass(frozen=True, slots=True)
class Entry:
    """An object in a JSON file. place: its name in errors; root: where its paths start."""

    data: dict[str, Any]
    place: str
    path: Path
    root: Path

    def __iter__(self) -> Iterator[str]:
        return iter(self.data)

    def __contains__(self, key: str) -> bool:
        return key in self.data

    def error(self, key: str, message: str) -> ResourceError:
        """Return an error about the value of a key."""
        return ResourceError(f"{self._at(key)}: {message}", Location(source=str(self.path)))

    def text(self, key: str) -> str:
        """Return a string."""
        value = self._value(key)
        if not isinstance(value, str):
            raise self.error(key, f"found {_name(value)}, wanted a string")
        return value

    def flag(self, key: str) -> bool:
        """Return true or false."""
        value = self._value(key)
        if not isinstance(value, bool):
            raise self.error(key, f"found {_name(value)}, wanted true or false")
        return value

    def integer(self, key: str, lowest: int, largest: int) -> int:
        """Return an integer in a range."""
        return self._integer(key, self._value(key), lowest, largest)

    def integers(self, key: str, count: int, lowest: int, largest: int) -> list[int]:
        """Return a list of `count` integers in a range."""
        values = self._list(key)
        if len(values) != count:
            raise self.error(key, f"found {len(values)} numbers, wanted {count}")
        return [
            self._integer(f"{key}[{n}]", value, lowest, largest) for n, value in enumerate(values)
        ]

    def number(self, key: str, default: float) -> float:
        """Return a finite number that is not negative, or the default if the key is missing."""
        value = self.data.get(key, default)
        if isinstance(value, bool) or not isinstance(value, (int, float)):
            raise self.error(key, f"found {_name(value)}, wanted a number")
        if not 0 <= value <= _LARGEST_OF_ALL:
            raise self.error(key, f"found {_shown(value)}, wanted 0 to {_LARGEST_OF_ALL:g}")
        return float(value)

    def signed(self, key: str) -> float:
        """Return a finite number."""
        return self._number(key, self._value(key))

    def numbers(self, key: str, count: int) -> list[float]:
        """Return a list of `count` finite numbers."""
        values = self._list(key)
        if len(values) != count:
            raise self.error(key, f"found {len(values)} numbers, wanted {count}")
        return [self._number(f"{key}[{n}]", value) for n, value in enumerate(values)]

    def _number(self, key: str, value: object) -> float:
        if isinstance(value, bool) or not isinstance(value, (int, float)):
            raise self.error(key, f"found {_name(value)}, wanted a number")
        if not abs(value) <= _LARGEST:
            raise self.error(key, f"found {_shown(value)}, wanted a finite number")
        return float(value)

    def entry(self, key: str) -> Entry:
        """Return an object."""
        return self._entry(key, self._value(key))

    def entries(self, key: str) -> list[Entry]:
        """Return a list of objects."""
        return [self._entry(f"{key}[{n}]", value) for n, value in enumerate(self._list(key))]

    def file(self, key: str) -> Path:
        """Return the path of an existing file below the root."""
        text = self.text(key)
        try:
            path = (self.root / text).resolve()
            inside = path.is_relative_to(self.root.resolve())
            exists = inside and path.is_file()
        except (OSError, ValueError, RuntimeError) as error:
            raise self.error(key, f"found {text!r:.80}, which is no path") from error
        if not inside:
            raise self.error(key, f"path {text!r:.80} leaves the case's folder")
        if not exists:
            raise self.error(key, f"found no file {text!r:.80}")
        return path

    def _at(self, key: str) -> str:
        return f"{self.place}.{key}" if self.place else key

    def _value(self, key: str) -> object:
        if key not in self.data:
            raise self.error(key, "missing")
        return self.data[key]

    def _list(self, key: str) -> list[object]:
        value = self._value(key)
        if not isinstance(value, list):
            raise self.error(key, f"found {_name(value)}, wanted a list")
        return cast("list[object]", value)

    def _integer(self, key: str, value: object, lowest: int, largest: int) -> int:
        if not isinstance(value, int) or isinstance(value, bool):
            found = _shown(value) if isinstance(value, float) else _name(value)
            raise self.error(key, f"found {found}, wanted an integer")
        if not lowest <= value <= largest:
            raise self.error(key, f"found {value!r:.40}, wanted {lowest} to {largest}")
        return value

    def _entry(self, key: str, value: object) -> Entry:
        if not isinstance(value, dict):
            raise self.error(key, f"found {_name(value)}, wanted an object")
        return Entry(cast("dict[str, Any]", value), self._at(key), self.path, self.root)


_NAMES: dict[type[Any], str] = {
    bool: "true or false",
    int: "a number",
    float: "a number",
    str: "a string",
    list: "a list",
    dict: "an object",
}


def _shown(value: float) -> str:
    """Return a number; of a very long one only that it is out of range."""
    if math.isnan(value):
        return "NaN"
    return f"{value:g}" if abs(value) <= _LARGEST else "a number out of range"


def _name(value: object) -> str:
    """Return JSON's name of a value's type."""
    return _NAMES.get(type(value), "null")
