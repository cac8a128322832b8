"""One shader on NumPy arrays, from the command line."""

from __future__ import annotations

import re
import time
from dataclasses import fields
from typing import Any

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
from softd3d.cli.files import FAILED, Failures, check_not_input, check_output, read_input
from softd3d.cli.make_view import make_view
from softd3d.cli.printing import say
from softd3d.cli.progress import progress_bar
from softd3d.cli.said import said_lines
from softd3d.cli.verbs.run_report import (
    Finished,
    compare,
    print_arrays,
    print_json,
    print_run,
    save,
)
from softd3d.device.dispatch import ENGINES, Dispatch
from softd3d.device.indirect import indirect_groups
from softd3d.device.registers import Key, Register, RegisterKind, resolve, wanted_registers
from softd3d.errors import ExecutionError, ResourceError
from softd3d.lower.messages import DEFAULT_MESSAGES
from softd3d.lower.outcome import Outcome
from softd3d.shaders.linkage import ClassInstance
from softd3d.shaders.shader import Shader, load_shader

__all__ = ["run"]

_Place = tuple[int, int]
_FLAGS = {
    RegisterKind.CONSTANTS: "--constants",
    RegisterKind.SRVS: "--srv",
    RegisterKind.UAVS: "--uav",
    RegisterKind.SAMPLERS: "--sampler",
}
_INSTANCE = re.compile(r"(.+?)((?::\w+=\d{1,9})+)")


def run(file: str, engine: str, options: dict[str, Any], failures: Failures) -> None:
    """Run a shader and save or print its UAVs.

    Raises:
        ShaderError: shader, arguments or arrays are wrong, or the run failed.
        OSError: a file cannot be read or written.
    """
    groups = _groups(options)
    shader = load_shader(read_input(file))
    plan = _Plan(shader, options)
    for path in plan.saves.values():
        check_output(str(path))
        check_not_input(str(path), file)
    as_json = options["as_json"]
    finished: list[Finished] = []
    for name in ENGINES if engine == "both" else (engine,):
        finished.append(plan.run(name, groups))
        if not as_json:
            print_run(finished[-1])
    save(finished[0].uavs, plan.saves)
    if as_json:
        print_json(finished, plan.saves)
    else:
        print_arrays(finished[0].uavs, plan.saves)
    if any(run.outcome.aborted is not None for run in finished):
        failures.status = max(failures.status, FAILED)
    if len(finished) > 1:
        compare(finished, failures)


def _groups(options: dict[str, Any]) -> tuple[int, int, int]:
    given, source = options["groups"], options["groups_from"]
    if given and source:
        raise ResourceError("found both --groups and --groups-from, wanted one of them")
    if not given and not source:
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
                (RegisterKind.CONSTANTS, "constants"),
                (RegisterKind.SRVS, "srvs"),
                (RegisterKind.UAVS, "uavs"),
                (RegisterKind.SAMPLERS, "samplers"),
            )
        }
        self.wanted = wanted_registers(
            shader.program, shader.declarations, shader.reflection, given
        )
        limit = options["max_messages"]
        self.limit: int = DEFAULT_MESSAGES if limit is None else limit
        self.interfaces = _interfaces(options["interfaces"])
        self.constants = constants_of(options["constants"])
        self._check_given(RegisterKind.CONSTANTS, self.constants)
        self.srvs = self._given(RegisterKind.SRVS, "srvs")
        self.uavs = self._given(RegisterKind.UAVS, "uavs")
        self.samplers = {
            r: sampler_of(text)
            for r, text in self._texts(RegisterKind.SAMPLERS, "samplers").items()
        }
        self.counters = self._numbers(options["counters"])
        self.saves = self._resolved(RegisterKind.UAVS, _by_key("saves", options["saves"]))

    def run(self, engine: str, groups: tuple[int, int, int]) -> Finished:
        """Run on one engine."""
        srvs = {r: make_view(r, given, None) for r, given in self.srvs.items()}
        uavs = {
            r: make_view(r, _copy(given), self.counters.get((r.number, r.space)))
            for r, given in self.uavs.items()
        }
        job = Dispatch(
            self.shader, groups, constants=self.constants, srvs=_keyed(srvs), uavs=_keyed(uavs),
            samplers=_keyed(self.samplers),
            engine=engine, threads=self.options["threads"], budget=self.options["budget"],
            timeout=self.options["timeout"],
            interfaces=self.interfaces, max_messages=self.limit, strict=self.options["strict"],
        )  # fmt: skip
        start = time.perf_counter()
        try:
            with progress_bar(engine) as job.progress:
                outcome = job.once()
        except ExecutionError as error:
            for line in said_lines(error.outcome or Outcome()):
                say(f"{engine}: {line}", err=True)
            raise
        return Finished(engine, groups, time.perf_counter() - start, outcome, uavs)

    def _given(self, kind: RegisterKind, option: str) -> dict[Register, Given]:
        return {r: given_view(text) for r, text in self._texts(kind, option).items()}

    def _texts(self, kind: RegisterKind, option: str) -> dict[Register, str]:
        """Return what is given for each register that must be given."""
        values = self._check_given(kind, _by_key(option, self.options[option]))
        return {r: str(values[r.number, r.space]) for r in self.wanted[kind]}

    def _check_given(self, kind: RegisterKind, values: dict[Key, Any]) -> dict[_Place, object]:
        """Return the values by register, all of those that must be given."""
        found = self._resolved(kind, values)
        for register in self.wanted[kind]:
            if (register.number, register.space) not in found:
                raise ResourceError(
                    f"{register}: give it with {_FLAGS[kind]} {register.register}=..., or =none"
                )
        return found

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


def _by_key(option: str, texts: tuple[str, ...]) -> dict[Key, str]:
    """Return the values of KEY=VALUE texts."""
    found: dict[Key, str] = {}
    for text in texts:
        key, value = split_key(text)
        if key in found:
            raise ResourceError(f"--{option.removesuffix('s')} {text}: that key is given twice")
        found[key] = value
    return found


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
        found[key] = _instance(instance)
    return found


def _instance(text: str) -> str | ClassInstance:
    """Read an instance's name, or CLASS:constant_buffer=1:vector=2 for one made from a class."""
    made = _INSTANCE.fullmatch(text)
    if made is None:
        return text
    places = dict(part.split("=") for part in made[2][1:].split(":"))
    known = [f.name for f in fields(ClassInstance)][1:]
    unknown = [name for name in places if name not in known]
    if unknown:
        raise ResourceError(f"--interface: found {unknown[0]!r}, wanted one of {', '.join(known)}")
    return ClassInstance(made[1], **{name: int(number) for name, number in places.items()})


def _copy(given: Given) -> Given:
    return Given(None if given.array is None else given.array.copy(), given.format)


def _keyed(views: dict[Register, Any]) -> dict[Key, Any]:
    return {(r.number, r.space): view for r, view in views.items()}
