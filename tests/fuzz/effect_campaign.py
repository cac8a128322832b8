"""Damage effects of Direct3D 9 and use them: values set and asked for, passes applied.

Run as a script for long campaigns:  python tests/fuzz/effect_campaign.py --count 100000 [--start N]
A failure prints the seed that repeats it.
"""

from __future__ import annotations

import argparse
import random
import sys
import time
import warnings
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from mutate import mutated, scrambled

from softd3d.device.effects9.effect import Effect
from softd3d.device.effects9.parameters import EffectParameter
from softd3d.device.effects9.scene import EffectScene
from softd3d.device.effects9.shader_parameters import ShaderParameters
from softd3d.errors import InternalError, ResourceError, ShaderError

MOST_REGISTERS = 8192
SLOWEST = 20.0  # seconds for one effect


class NullDevice:
    """Takes all calls, and refuses registers and samplers as a device does."""

    def __getattr__(self, name: str) -> Any:
        if not name.startswith(("set_", "create_", "light_")):
            raise AttributeError(name)
        return self._constants if "_constant_" in name else self._accepted

    def _accepted(self, *arguments: object) -> object:
        first = arguments[0]
        if isinstance(first, int) and not 0 <= first < 1 << 16:
            raise ResourceError(f"no number {first}")
        return arguments[-1]

    def _constants(self, start: int, values: Any) -> None:
        assert np.asarray(values).ndim in (1, 2)
        if not 0 <= start <= MOST_REGISTERS - len(values):
            raise ResourceError(f"no register {start}")


def damaged(data: bytes, rng: random.Random) -> bytes:
    """Return an effect with changed bytes: anywhere, or within one part of an expression."""
    places = [at for tag in (b"FXLC", b"CLIT", b"CTAB") for at in _found(data, tag)]
    if places and rng.random() < 0.4:
        start = rng.choice(places)
        size = 4 * (int.from_bytes(data[start - 2 : start], "little") & 0x7FFF)
        part = data[start + 4 : start + size]
        if len(part) >= 4:
            return data[: start + 4] + scrambled(part, rng) + data[start + size :]
    return mutated(data, rng)


def _found(data: bytes, tag: bytes) -> Iterator[int]:
    at = data.find(tag)
    while at >= 0:
        yield at
        at = data.find(tag, at + 1)


def attempt(data: bytes, rng: random.Random, *, is_drawn: bool) -> str:
    """Use an effect in every way; anything but a ShaderError propagates.

    is_drawn: its first technique is drawn, too, by the interpreter.
    """
    try:
        effect = Effect(data)
    except InternalError:
        raise
    except ShaderError:
        return "refused"
    outcome = "loaded"
    for parameter in list(effect.parameters.values()):
        _use(parameter, rng)
    device = NullDevice()
    for technique in effect.techniques:
        for pass_ in technique.passes:
            outcome = _tried(lambda p=pass_: p.apply(device), outcome, "applied")
    _tried(lambda: _look_at_shaders(effect), "", "")
    if is_drawn:
        outcome = _tried(lambda: _draw(data), "loaded", "drawn")
    return outcome


def _draw(data: bytes) -> None:
    EffectScene(data, size=(6, 4), engine="interpreter", timeout=SLOWEST).render()


def _look_at_shaders(effect: Effect) -> None:
    for shader in effect.source.shaders[:4]:
        parameters = ShaderParameters(shader.tokens)
        for parameter in parameters.parameters.values():
            parameter.value = parameter.value
        parameters.constants()


def _use(parameter: EffectParameter, rng: random.Random) -> None:
    """Set a value to what it was, and numbers to others."""
    value = parameter.value
    _tried(lambda: setattr(parameter, "value", value), "", "")
    if parameter.dtype is not None:
        words = np.frombuffer(rng.randbytes(4), np.uint32)
        parameter.store.numbers[parameter.slot.start :][: parameter.slot.size] = words


def _tried(use: Any, before: str, after: str) -> str:
    try:
        use()
    except InternalError:
        raise
    except ShaderError as error:
        return type(error).__name__ if before in ("loaded", "applied") else before
    return after


def campaign(samples: list[bytes], first: int, count: int, *, drawn_every: int) -> Iterator[str]:
    """Yield how each of `count` damaged effects ended."""
    for seed in range(first, first + count):
        rng = random.Random(seed)
        data = damaged(rng.choice(samples), rng)
        start = time.process_time()
        try:
            outcome = attempt(data, rng, is_drawn=drawn_every > 0 and seed % drawn_every == 0)
        except Exception as error:
            raise AssertionError(f"seed {seed}: {type(error).__name__}: {error}") from error
        taken = time.process_time() - start
        assert taken < SLOWEST, f"seed {seed}: {taken:.1f} s"
        yield outcome


def samples() -> list[bytes]:
    """Return the effects that tests have."""
    unit = Path(__file__).parents[1] / "unit"
    paths = [*unit.glob("container/data/effect9/*.fxo")]
    paths += unit.glob("device/effects9/data/**/*.fxo")
    return [path.read_bytes() for path in sorted(paths)]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=100_000)
    parser.add_argument("--start", type=int, default=0)
    parser.add_argument("--drawn-every", type=int, default=8)
    options = parser.parse_args()
    warnings.simplefilter("error")
    counts = Counter(
        campaign(samples(), options.start, options.count, drawn_every=options.drawn_every)
    )
    for outcome, number in counts.most_common():
        print(f"{number:8} {outcome}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
