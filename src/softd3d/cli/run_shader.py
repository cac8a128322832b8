"""One shader on NumPy arrays, from the command line."""

from __future__ import annotations

import io
import time
from typing import Any

import click
import numpy as np
from numpy.typing import NDArray

from softd3d.cli.arguments import (
    Given,
    arguments_buffer,
    constants_of,
    given_view,
    group_counts,
    parse_key,
    sampler_of,
    split_key,
)
from softd3d.cli.files import FAILED, Failures, read_input, write_output
from softd3d.cli.make_view import make_view
from softd3d.cli.progress import progress_bar
from softd3d.cli.said import said_lines
from softd3d.device.dispatch import ENGINES, Dispatch
from softd3d.device.indirect import indirect_groups
from softd3d.device.registers import Key, Register, RegisterKind, resolve, wanted_registers
from softd3d.device.shader import Shader, load
from softd3d.errors import ExecutionError, ResourceError
from softd3d.lower.messages import DEFAULT_MESSAGES
from softd3d.lower.outcome import Outcome

__all__ = ["run"]

_Place = tuple[int, int]


def run(file: str, engine: str, options: dict[str, Any], failures: Failures) -> None:
    """Run a shader and save or print its UAVs.

    Raises:
        ShaderError: shader, arguments or arrays are wrong, or the run failed.
        OSError: a file cannot be read or written.
    """
    groups = _groups(options)
    shader = load(read_input(file))
    plan = _Plan(shader, options)
    finished = [plan.run(name, groups) for name in (ENGINES if engine == "both" else (engine,))]
    plan.output(finished[0])
    if plan.has_aborted:
        failures.status = max(failures.status, FAILED)
    if len(finished) > 1:
        _compare(finished, failures)


def _groups(options: dict[str, Any]) -> tuple[int, int, int]:
    given, source = options["groups"], options["groups_from"]
    if bool(given) == bool(source):
        raise ResourceError("running a shader needs --groups X,Y,Z or --groups-from FILE")
    if given:
        return group_counts(given)
    buffer, offset = arguments_buffer(source)
    try:
        return indirect_groups(buffer, offset)
    except ResourceError as error:
        raise ResourceError(f"--groups-from: {error.message}") from None


class _Plan:
    """The arguments, resolved against the shader once; each run gets fresh copies of the UAVs."""

    def __init__(self, shader: Shader, options: dict[str, Any]) -> None:
        self.shader = shader
        self.options = options
        given = {
            kind: [split_key(text)[0] for text in options[option]]
            for kind, option in (
                (RegisterKind.SRVS, "srvs"),
                (RegisterKind.UAVS, "uavs"),
                (RegisterKind.SAMPLERS, "samplers"),
            )
        }
        self.wanted = wanted_registers(
            shader.program, shader.declarations, shader.reflection, given
        )
        self.has_aborted = False
        limit = options["max_messages"]
        self.limit: int = DEFAULT_MESSAGES if limit is None else limit
        self.interfaces = _interfaces(options["interfaces"])
        self.constants = constants_of(options["constants"])
        self.srvs = self._given(RegisterKind.SRVS, "srvs")
        self.uavs = self._given(RegisterKind.UAVS, "uavs")
        self.samplers = {
            r: sampler_of(text)
            for r, text in self._texts(RegisterKind.SAMPLERS, "samplers").items()
        }
        self.counters = self._numbers(options["counters"])
        self.saves = self._resolved(
            RegisterKind.UAVS, dict(split_key(text) for text in options["saves"])
        )

    def run(self, engine: str, groups: tuple[int, int, int]) -> dict[Register, Any]:
        """Run on one engine; return the UAVs."""
        srvs = {r: make_view(r, given, None) for r, given in self.srvs.items()}
        uavs = {
            r: make_view(r, _copy(given), self.counters.get((r.number, r.space)))
            for r, given in self.uavs.items()
        }
        job = Dispatch(
            self.shader, groups, constants=self.constants, srvs=_keyed(srvs), uavs=_keyed(uavs),
            samplers=_keyed(self.samplers),
            engine=engine, threads=self.options["threads"], budget=self.options["budget"],
            interfaces=self.interfaces, max_messages=self.limit,
        )  # fmt: skip
        start = time.perf_counter()
        try:
            with progress_bar(engine) as job.progress:
                outcome = job()
        except ExecutionError as error:
            if error.outcome is not None:
                self._report(engine, error.outcome)
            raise
        seconds = time.perf_counter() - start
        click.echo(
            f"{engine}: {'x'.join(str(n) for n in groups)} groups in {seconds:.4f} s", err=True
        )
        self._report(engine, outcome)
        for register, rule in sorted(outcome.poisoned):
            click.echo(f"{engine}: {register} has undefined contents: {rule}", err=True)
        return uavs

    def _report(self, engine: str, outcome: Outcome) -> None:
        """Print what threads had to say."""
        for line in said_lines(outcome):
            click.echo(f"{engine}: {line}", err=True)
        if outcome.aborted is not None:
            self.has_aborted = True

    def output(self, uavs: dict[Register, Any]) -> None:
        """Write the arrays that are to be saved, print the others."""
        for register, resource in uavs.items():
            if resource is None:
                continue
            path = self.saves.get((register.number, register.space))
            if path is not None:
                buffer = io.BytesIO()
                np.save(buffer, resource.array)
                write_output(str(path), buffer.getvalue())
            else:
                click.echo(f"{register} {resource!r}:\n{_text(resource.array)}")
            if getattr(resource, "counter", None) is not None:
                click.echo(f"{register} counter: {resource.counter}")

    def _given(self, kind: RegisterKind, option: str) -> dict[Register, Given]:
        return {r: given_view(text) for r, text in self._texts(kind, option).items()}

    def _texts(self, kind: RegisterKind, option: str) -> dict[Register, str]:
        """Return what is given for each register that must be given."""
        values = self._resolved(kind, dict(split_key(text) for text in self.options[option]))
        texts: dict[Register, str] = {}
        for register in self.wanted[kind]:
            text = values.get((register.number, register.space))
            if text is None:
                flag = option.removesuffix("s")
                raise ResourceError(
                    f"{register}: give it with --{flag} {register.register}=..., or =none"
                )
            texts[register] = str(text)
        return texts

    def _resolved(self, kind: RegisterKind, values: dict[Key, Any]) -> dict[_Place, object]:
        return resolve(kind, values, self.wanted[kind], self.shader.reflection)

    def _numbers(self, texts: tuple[str, ...]) -> dict[_Place, int]:
        found: dict[Key, Any] = {}
        for text in texts:
            key, _, number = text.partition("=")
            if not number.isdecimal() or len(number) > 10:
                raise ResourceError(f"--counter: found {text!r}, wanted KEY=N")
            found[parse_key(key)] = int(number)
        resolved = self._resolved(RegisterKind.UAVS, found)
        return {place: int(str(value)) for place, value in resolved.items()}


def _interfaces(texts: tuple[str, ...]) -> dict[int | str, object]:
    """Return instances by slot; a number is one, anything else a variable's name."""
    found: dict[int | str, object] = {}
    for text in texts:
        slot, _, instance = text.partition("=")
        if not slot or not instance:
            raise ResourceError(f"--interface: found {text!r}, wanted SLOT=INSTANCE")
        key = int(slot) if slot.isdecimal() and len(slot) < 10 else slot
        if key in found:
            raise ResourceError(f"--interface: {slot} is given twice")
        found[key] = instance
    return found


def _copy(given: Given) -> Given:
    return Given(None if given.array is None else given.array.copy(), given.format)


def _keyed(views: dict[Register, Any]) -> dict[Key, Any]:
    return {(r.number, r.space): view for r, view in views.items()}


def _text(array: NDArray[Any]) -> str:
    return np.array2string(array, threshold=64, edgeitems=4, max_line_width=100)


def _compare(finished: list[dict[Register, Any]], failures: Failures) -> None:
    first, second = finished
    for register, resource in first.items():
        if resource is None:
            continue
        one, other = (r.array.reshape(-1).view(np.uint8) for r in (resource, second[register]))
        bad = np.flatnonzero(one != other)
        if bad.size:
            failures.report(
                str(register), f"the engines disagree from byte {bad[0]} on, in {bad.size} bytes",
                FAILED,
            )  # fmt: skip
        else:
            click.echo(f"{register}: the engines agree in every bit", err=True)
