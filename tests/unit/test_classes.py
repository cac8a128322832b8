"""Dataclasses made later are the standard ones, but for when their methods are made."""

from __future__ import annotations

import copy
import dataclasses
import inspect
import pickle
from collections.abc import Callable
from dataclasses import FrozenInstanceError, field
from typing import Any

import pytest

from softd3d.classes import dataclass
from softd3d.errors import Location


def makes(make: Callable[..., Any]) -> dict[str, Any]:
    """Return classes that use each feature, made by one decorator."""

    @make(frozen=True, slots=True)
    class Plain:
        """A frozen one with defaults."""

        a: int
        b: list[int] = field(default_factory=list[int])
        c: str = "c"
        d: object = field(default=None, compare=False)
        e: int = field(default=7, repr=False)

        def __post_init__(self) -> None:
            if self.a < 0:
                raise ValueError("a")

    @make(frozen=True, slots=True)
    class Inherited(Plain):
        """One with more fields, and its own text."""

        f: float = 0.5
        c: str = "other"

        def __repr__(self) -> str:
            return f"<{self.f}>"

    @make(slots=True)
    class Changing:
        """One that may be changed, with a field that no caller gives."""

        a: int
        b: int = field(init=False)
        c: list[int] = field(init=False, default_factory=list[int])
        d: int = field(init=False, default=4)

    @make(slots=True, eq=False)
    class Alone:
        """One that equals itself only."""

        a: int = 0

    @make(slots=True, unsafe_hash=True)
    class Record:
        """One that is hashed, but not frozen."""

        a: int
        b: int = field(default=0, hash=False)

    @make(frozen=True, slots=True, init=False, repr=False)
    class ByHand:
        """One with its own `__init__`, `__eq__` and `__hash__`."""

        a: int

        def __init__(self, a: int, b: int) -> None:
            object.__setattr__(self, "a", a + b)

        def __eq__(self, other: object) -> bool:
            return isinstance(other, int) and other == self.a

        def __hash__(self) -> int:
            return self.a

    @make(frozen=True, slots=True)
    class HashedByEq:  # noqa: PLW1641 - as is tested
        """One whose `__eq__` alone is its own."""

        a: int

        def __eq__(self, other: object) -> bool:
            return type(self) is type(other)

    @make(frozen=True, slots=True, kw_only=True)
    class Named(Plain):
        """One with fields that are given by name."""

        g: int
        h: int = field(default=2, kw_only=False)

    classes = (Named, Plain, Inherited, Changing, Alone, Record, ByHand, HashedByEq)
    return {cls.__name__: cls for cls in classes}


OURS, THEIRS = makes(dataclass), makes(dataclasses.dataclass)
NAMES = sorted(OURS)
CALLS: list[tuple[str, tuple[Any, ...], dict[str, Any]]] = [
    ("Plain", (1,), {}), ("Plain", (1, [2], "x", 3, 4), {}), ("Plain", (), {"c": "", "a": 0}),
    ("Plain", (), {}), ("Plain", (-1,), {}), ("Plain", (1, 2, 3, 4, 5, 6), {}),
    ("Inherited", (1,), {"f": 2.0}), ("Inherited", (1, [1], "c", 0, 1, 2.0), {}),
    ("Named", (1,), {"g": 2}), ("Named", (1, [1], "c", 0, 1, 3), {"g": 4}), ("Named", (1, 2), {}),
    ("Changing", (1,), {}), ("Changing", (1, 2), {}), ("Alone", (), {}), ("Alone", (3,), {}),
    ("Record", (1,), {}), ("Record", (1, 2), {}), ("ByHand", (1, 2), {}), ("HashedByEq", (1,), {}),
]  # fmt: skip


def outcome(function: Callable[[], Any]) -> object:
    """Return a result or, of an error, its type and what is not the name of a scope."""
    try:
        return function()
    except Exception as error:  # noqa: BLE001 - the same one is wanted of both
        return type(error), str(error).rpartition(".")[2]


def seen(cls: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> list[object]:
    """Return all that an object shows of itself."""
    try:
        one, same = cls(*args, **kwargs), cls(*args, **kwargs)
    except Exception as error:  # noqa: BLE001 - as above
        return [type(error), str(error).rpartition(".")[2]]
    changed: list[object] = []
    changed.append(outcome(lambda: setattr(copy.copy(one), "a", 1)))
    changed.append(outcome(lambda: delattr(copy.copy(one), "a")))
    hashed = outcome(lambda: hash(one) == hash(same))
    return [
        outcome(lambda: repr(one).rpartition(".")[2].partition(" object at")[0]), one == 3,
        outcome(lambda: one == same), outcome(lambda: one != same), hashed, changed,
        outcome(lambda: dataclasses.asdict(one)),
        outcome(lambda: repr(dataclasses.replace(one, a=5)).rpartition(".")[2]),
        outcome(lambda: copy.deepcopy(one) == one), cls.__match_args__,
    ]  # fmt: skip


@pytest.mark.parametrize(("name", "args", "kwargs"), CALLS)
def test_objects_are_those_of_standard_classes(
    name: str, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> None:
    assert seen(OURS[name], args, kwargs) == seen(THEIRS[name], args, kwargs)


@pytest.mark.parametrize("name", NAMES)
def test_classes_look_like_standard_ones(name: str) -> None:
    ours, theirs = OURS[name], THEIRS[name]
    for cls in (ours, theirs):
        assert dataclasses.is_dataclass(cls)
        assert "__dict__" not in dir(cls)
    assert [f.name for f in dataclasses.fields(ours)] == [
        f.name for f in dataclasses.fields(theirs)
    ]
    assert ours.__slots__ == theirs.__slots__
    assert ours.__doc__ == theirs.__doc__
    shown = [
        [(p.name, p.kind, p.annotation) for p in inspect.signature(cls).parameters.values()]
        for cls in (ours, theirs)
    ]
    assert shown[0] == shown[1]
    assert (ours.__hash__ is None) == (theirs.__hash__ is None)


def test_fresh_values_are_not_shared() -> None:
    one, other = OURS["Plain"](1), OURS["Plain"](1)
    one.b.append(3)
    assert (one.b, other.b) == ([3], [])


def test_subclasses_that_are_no_dataclasses_may_have_more() -> None:
    class More(OURS["Plain"]):  # pyright: ignore[reportUntypedBaseClass]
        """With a `__dict__`."""

    more: Any = More(1)
    more.new = 2
    assert more.new == 2
    with pytest.raises(FrozenInstanceError):
        more.a = 2


def test_pickles_of_frozen_ones_are_read() -> None:
    place = Location(offset=4, chunk="SHEX")
    assert pickle.loads(pickle.dumps(place)) == place  # noqa: S301 - our own


def test_methods_are_made_by_their_first_use() -> None:
    @dataclass(frozen=True, slots=True)
    class Two:
        """A class of this test."""

        a: int

    before = {name: type(vars(Two)[name]).__name__ for name in ("__init__", "__repr__", "__eq__")}
    assert set(before.values()) == {"_Later"}
    Two(1)
    assert inspect.isfunction(vars(Two)["__init__"])
    assert type(vars(Two)["__eq__"]).__name__ == "_Later"
