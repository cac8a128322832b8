"""Whatever an exported function is given: a result, a ShaderError, a TypeError or an OSError.

What is called lets through what the caller's own functions raise. Enumerations raise ValueError for
numbers that are no member, as all enumerations of Python do.
"""

from __future__ import annotations

import faulthandler
import itertools
import warnings
from collections.abc import Callable, Iterator
from enum import EnumMeta
from functools import partial
from typing import Any

import numpy as np
import pytest
from calls import CALLS, MODULES, called, exported
from odd import Endless, all_odd

import softd3d
from softd3d.errors import InternalError, ResourceError, ShaderError

NAMES = dict(exported())
ALLOWED = (ShaderError, TypeError, OSError)
CALLBACKS = ("progress", "cancel")  # what they raise is the caller's
TOO_LONG = 60  # seconds


@pytest.fixture(autouse=True)
def _ends() -> Iterator[None]:
    """End the process with its stack if a call hangs: an endless iterator is often read in C."""
    faulthandler.dump_traceback_later(TOO_LONG, exit=True)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield
    faulthandler.cancel_dump_traceback_later()


def test_all_that_is_exported_is_here():
    assert set(NAMES) == set(CALLS)


def problem_of(function: Callable[..., Any], arguments: dict[str, Any]) -> str:
    """Return what went wrong, empty if nothing did."""
    try:
        called(function, arguments)
    except InternalError as error:
        return f"InternalError: {error}"
    except ALLOWED as error:
        return "" if len(str(error)) < 8000 else f"a text of {len(str(error))} characters"
    except Exception as error:  # noqa: BLE001 - this is what is looked for
        return f"{type(error).__name__}: {error!s:.200}"
    return ""


@pytest.mark.parametrize("name", CALLS)
def test_arguments_that_fit(name):
    called(NAMES[name], CALLS[name]())


@pytest.mark.parametrize("step", [5, pytest.param(1, marks=pytest.mark.slow)])
@pytest.mark.parametrize("name", [n for n, make in CALLS.items() if set(make()) - {"self"}])
def test_odd_arguments(name, step):
    """Give each argument odd values, the others fit; by default every fifth, other ones each."""
    found = []
    names = sorted(set(CALLS[name]()) - {"self"})
    for place, argument in enumerate(names, len(name)):
        for value in all_odd()[place % step :: step]:
            if argument in CALLBACKS and callable(value):
                continue
            problem = problem_of(NAMES[name], {**CALLS[name](), argument: value})
            if problem:
                found.append(f"{argument}={type(value).__name__}: {problem}")
    assert found == []


@pytest.mark.parametrize("name", CALLS)
def test_wrong_numbers_and_names_of_arguments(name):
    function, fitting = NAMES[name], CALLS[name]()
    owner = [fitting.pop("self")] if "self" in fitting else []
    for count in (0, 1, 2, 3, 30):
        for value in (None, 0, "x", np.zeros(2), Endless()):
            given = partial(function, *owner, *[value] * count)
            assert problem_of(given, {}) == "", (count, value)
    assert problem_of(function, {**CALLS[name](), "no_such_argument": 1}) == ""


@pytest.mark.parametrize("seed", range(8))
def test_several_odd_arguments_at_once(seed):
    random = np.random.default_rng(seed)
    for name, function in NAMES.items():
        values = [v for v in all_odd() if not callable(v)]
        arguments = CALLS[name]()
        for argument in set(arguments) - {"self"}:
            if random.random() < 0.5:
                arguments[argument] = values[random.integers(len(values))]
        assert problem_of(function, arguments) == "", (name, arguments)


def enumerations() -> list[type]:
    found = [getattr(m, n) for m in MODULES for n in m.__all__]
    return sorted({e for e in found if isinstance(e, EnumMeta)}, key=lambda e: e.__name__)


@pytest.mark.parametrize("enum", enumerations(), ids=lambda e: e.__name__)
def test_enumerations_raise_what_pythons_do(enum):
    for value in (None, "x", 1.5, []):
        with pytest.raises((ValueError, TypeError)):
            enum(value)


def test_endless_iterators_end():
    shader = softd3d.load(CALLS["Shader"]()["data"])
    with pytest.raises(TypeError, match="found a int, wanted Instruction"):
        shader.with_instructions(itertools.count())
    with pytest.raises(ResourceError, match="wanted four numbers"):
        softd3d.SamplerState(border_color=itertools.count())


def test_messages_show_little_of_what_was_given():
    for value in ("x" * 100000, [1] * 100000, 1 << 20000, np.zeros((300, 300))):
        with pytest.raises(ShaderError) as caught:
            softd3d.dispatch(softd3d.load(CALLS["Shader"]()["data"]), value)
        assert len(str(caught.value)) < 200
        assert "\n" not in str(caught.value)
