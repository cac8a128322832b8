"""Dataclasses whose methods are made when they are first used, so that importing them costs little.

The standard ones compile four to six methods for each class, which was half of the time that the
first shader of a process took. Most classes of a process are never used.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator
from dataclasses import MISSING, Field, FrozenInstanceError
from reprlib import recursive_repr
from typing import TYPE_CHECKING, Any

__all__ = ["dataclass"]

if TYPE_CHECKING:
    from dataclasses import dataclass
else:

    def dataclass(
        *, slots: bool,  # noqa: ARG001 - they always have them
        frozen: bool = False, eq: bool = True, unsafe_hash: bool = False,
        init: bool = True, kw_only: bool = False,
        repr: bool = True,  # noqa: A002 - the standard one's name
    ) -> Callable[[type], type]:  # fmt: skip
        """Do as the standard decorator does with slots; the methods are made later.

        Classes with a `__dict__` and order have no use here.
        """
        wanted = {
            "__init__": init, "__repr__": repr, "__eq__": eq,
            "__hash__": unsafe_hash or (eq and frozen), **dict.fromkeys(_DESCRIBED, True),
        }  # fmt: skip
        own_hash = {} if wanted["__hash__"] or not eq else {"__hash__": None}

        def make(cls: type) -> type:
            own = vars(cls)
            names = [n for n, hint in cls.__annotations__.items() if not _is_of_class(hint)]
            kept = {
                name: value for name, value in own.items()
                if not (name in _REPLACED or name in names or _is_pythons(own, name))
            }  # fmt: skip
            later = {
                name: _Later(cls, name, maker, frozen=frozen, kw_only=kw_only)
                for name, maker in _MAKERS.items() if wanted[name]
            }  # fmt: skip
            members = own_hash | later | (_FROZEN if frozen else {}) | kept
            inherited = {n for base in cls.__mro__[1:] for n in vars(base).get("__slots__", ())}
            members["__slots__"] = tuple(n for n in names if n not in inherited)
            members["__qualname__"] = cls.__qualname__
            return type(cls)(cls.__name__, cls.__bases__, members)

        return make


_REPLACED = ("__dict__", "__weakref__", "__slots__")
_DESCRIBED = ("__dataclass_fields__", "__dataclass_params__", "__match_args__")


def _is_of_class(hint: object) -> bool:
    return str(hint).startswith("ClassVar")


def _is_pythons(own: Any, name: str) -> bool:
    """Whether Python put it there itself: a `__hash__` of None, for a class's own `__eq__`."""
    return name == "__hash__" and own[name] is None and "__eq__" in own


class _Later:
    """Stands for a member of a class until somebody asks for it.

    described: the class without slots, as it was written. kw_only: its fields have no place.
    """

    __slots__ = ("_cls", "_frozen", "_maker", "_name", "described", "kw_only")

    def __init__(
        self, described: type, name: str, maker: _Maker, *, frozen: bool, kw_only: bool
    ) -> None:
        self.described, self.kw_only = described, kw_only
        self._name, self._maker, self._frozen = name, maker, frozen

    def __set_name__(self, owner: type, name: str) -> None:
        self._cls = owner

    def written(self) -> Iterator[Field[Any]]:
        """Yield the fields that the class itself was written with."""
        given = vars(self.described)
        for name, hint in self.described.__annotations__.items():
            if not _is_of_class(hint):
                found: Any = given.get(name, MISSING)
                if type(found) is not Field:
                    found = dataclasses.field(default=found)
                if found.kw_only is MISSING:
                    found.kw_only = self.kw_only
                found.name, found.type = name, hint
                yield found

    def __get__(self, instance: object, owner: type | None = None) -> Any:
        member = self._maker(self._cls, self, self._frozen)
        setattr(self._cls, self._name, member)
        if not callable(member):
            return member
        member.__qualname__ = f"{self._cls.__qualname__}.{self._name}"
        member.__module__ = self._cls.__module__
        return member if instance is None else member.__get__(instance, owner)


_Maker = Callable[[type, _Later, bool], Any]


def _compiled(name: str, parameters: str, lines: list[str], names: dict[str, Any]) -> Any:
    """Return a function of these lines, which may use these names."""
    body = "\n ".join(lines or ["pass"])
    exec(f"def {name}({parameters}):\n {body}", names)  # noqa: S102 - names of fields
    return names.pop(name)


def _fields_of(cls: type) -> list[Field[Any]]:
    """Return the fields of a class and its bases, without all that the standard decorator does."""
    found: dict[str, Field[Any]] = {}
    for base in reversed(cls.__mro__):
        known = vars(base).get("__dataclass_fields__")
        if isinstance(known, _Later):
            found.update((field.name, field) for field in known.written())
        elif known is not None:
            found.update((field.name, field) for field in dataclasses.fields(base))
    return list(found.values())


def _init(cls: type, _: _Later, frozen: bool) -> Any:  # noqa: FBT001 - of a table of makers
    """Return `__init__`: a frozen class's fields are stored by their slots."""
    names: dict[str, Any] = {"_fresh": object()}
    by_place, by_name, lines = ["self"], list[str](), list[str]()
    for field in _fields_of(cls):
        name = value = field.name
        if field.init:
            (by_name if field.kw_only else by_place).append(name + _default(field, names))
        if field.default_factory is not MISSING:
            names[f"_make_{name}"] = field.default_factory
            fresh = f"_make_{name}()"
            value = f"{fresh} if {name} is _fresh else {name}" if field.init else fresh
        elif not field.init:
            if not _default(field, names):
                continue
            value = f"_default_{name}"
        if frozen:
            names[f"_set_{name}"] = getattr(cls, name).__set__
            lines.append(f"_set_{name}(self, {value})")
        else:
            lines.append(f"self.{name} = {value}")
    if hasattr(cls, "__post_init__"):
        lines.append("self.__post_init__()")
    parameters = [*by_place, "*", *by_name] if by_name else by_place
    method = _compiled("__init__", ", ".join(parameters), lines, names)
    types = {field.name: field.type for field in _fields_of(cls) if field.init}
    method.__annotations__ = {**types, "return": None}
    return method


def _default(field: Field[Any], names: dict[str, Any]) -> str:
    """Return how a field's default stands in the list of parameters, and give it its name."""
    if field.default_factory is not MISSING:
        return "=_fresh"
    if field.default is MISSING:
        return ""
    names[f"_default_{field.name}"] = field.default
    return f"=_default_{field.name}"


def _values(of: str, fields: Iterator[Field[Any]]) -> str:
    return "(" + "".join(f"{of}.{field.name}, " for field in fields) + ")"


def _repr(cls: type, *_: object) -> Any:
    shown = ", ".join(f"{f.name}={{self.{f.name}!r}}" for f in _fields_of(cls) if f.repr)
    line = f'return f"{{self.__class__.__qualname__}}({shown})"'
    return recursive_repr()(_compiled("__repr__", "self", [line], {}))


def _eq(cls: type, *_: object) -> Any:
    ours, theirs = (
        _values(of, (f for f in _fields_of(cls) if f.compare)) for of in ("self", "other")
    )
    lines = ["if other.__class__ is self.__class__:", f" return {ours} == {theirs}"]
    return _compiled("__eq__", "self, other", [*lines, "return NotImplemented"], {})


def _hash(cls: type, *_: object) -> Any:
    counted = (f for f in _fields_of(cls) if (f.compare if f.hash is None else f.hash))
    return _compiled("__hash__", "self", [f"return hash({_values('self', counted)})"], {})


def _fields(_: type, later: _Later, *__: object) -> Any:
    """Let the standard decorator look at the class as it was written."""
    make: Any = dataclasses.dataclass(init=False, repr=False, eq=False, kw_only=later.kw_only)
    return make(later.described).__dataclass_fields__


def _params(cls: type, later: _Later, *_: object) -> Any:
    dataclasses.fields(cls)
    made: Any = later.described
    return made.__dataclass_params__


def _match_args(cls: type, *_: object) -> Any:
    return tuple(field.name for field in _fields_of(cls) if field.init and not field.kw_only)


_MAKERS: dict[str, _Maker] = {
    "__init__": _init, "__repr__": _repr, "__eq__": _eq, "__hash__": _hash,
    "__dataclass_fields__": _fields, "__dataclass_params__": _params, "__match_args__": _match_args,
}  # fmt: skip


def _refuse_set(self: object, name: str, value: object) -> None:
    if _is_frozen(self, name):
        raise FrozenInstanceError(f"cannot assign to field {name!r}")
    object.__setattr__(self, name, value)


def _refuse_delete(self: object, name: str) -> None:
    if _is_frozen(self, name):
        raise FrozenInstanceError(f"cannot delete field {name!r}")
    object.__delattr__(self, name)


def _is_frozen(one: Any, name: str) -> bool:
    """Subclasses that are no dataclasses may have members of their own."""
    return not hasattr(one, "__dict__") or name in {f.name for f in dataclasses.fields(one)}


def _state(self: Any) -> list[Any]:
    return [getattr(self, field.name) for field in dataclasses.fields(self)]


def _set_state(self: Any, state: list[Any]) -> None:
    for field, value in zip(dataclasses.fields(self), state, strict=True):
        object.__setattr__(self, field.name, value)


_FROZEN: dict[str, Any] = {
    "__setattr__": _refuse_set, "__delattr__": _refuse_delete,
    "__getstate__": _state, "__setstate__": _set_state,  # pickle cannot set fields otherwise
}  # fmt: skip
