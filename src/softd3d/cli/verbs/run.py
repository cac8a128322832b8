"""`softd3d run`: execution cases, or one shader on arrays."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import click

from softd3d.cli.files import INTERRUPTED, Failures, is_folder, is_there

__all__ = ["command"]

_EPILOG = """\b
VALUE of --srv and --uav: FILE.npy[:FORMAT], zeros:SHAPE:DTYPE[:FORMAT] (zeros:64x64:float32), or
none. KEY: a number, a shader variable or, if none has that name, a register (u0; t3,space1).
\b
Examples:
  softd3d run cases/
  softd3d run blur.dxbc --groups 8,8 --srv 0=in.npy --uav 0=zeros:64x64:float32 --save 0=out.npy
"""
_SHADER_OPTIONS = {
    "groups": "--groups",
    "groups_from": "--groups-from",
    "constants": "--constants",
    "srvs": "--srv",
    "uavs": "--uav",
    "samplers": "--sampler",
    "counters": "--counter",
    "saves": "--save",
    "budget": "--budget",
    "interfaces": "--interface",
    "max_messages": "--max-messages",
}


@click.command("run", epilog=_EPILOG)
@click.argument("files", nargs=-1, required=True, metavar="CASE.json|DIR... | SHADER")
@click.option("--engine", type=click.Choice(["interpreter", "jit", "both"]),
              help="Default: both for cases, jit for a shader.")  # fmt: skip
@click.option(
    "--threads",
    type=click.IntRange(0, 1024),
    default=0,
    help="CPU threads; 0: as many as the process may use.",
)
@click.option(
    "--strict",
    is_flag=True,
    help="Fail for views that do not match the declarations, and for unsupported cases.",
)
@click.option(
    "--json",
    "as_json",
    is_flag=True,
    help="Print results and messages as JSON; arrays of a shader only with --save.",
)
@click.option("--difference", metavar="FILE.png",
              help="Write a picture of the render targets of the first case in which they differ: "
                   "wanted, found, difference. If none does, an old one is removed.")  # fmt: skip
@click.option("--profile", type=click.Choice(["driver", "documented", "ieee"]), default="driver",
              help="Rules of cases of Direct3D 9.")  # fmt: skip
@click.option("--groups", metavar="X,Y,Z", help="Thread groups of a shader.")
@click.option("--groups-from", metavar="FILE[@OFFSET]",
              help="Read them from a file: three uint32, as DispatchIndirect does.")  # fmt: skip
@click.option("--constants", multiple=True, metavar="KEY=FILE|KEY=NAME=VALUE",
              help="A constant buffer: .npy, raw bytes, or one variable; repeatable.")  # fmt: skip
@click.option("--srv", "srvs", multiple=True, metavar="KEY=VALUE", help="A t# register.")
@click.option("--uav", "uavs", multiple=True, metavar="KEY=VALUE", help="A u# register.")
@click.option("--sampler", "samplers", multiple=True,
              metavar="KEY=FILTER[:ADDRESS][:NAME=VALUE]...",
              help="A s# register: MIN_MAG_MIP_LINEAR:WRAP:max_lod=2, or none.")  # fmt: skip
@click.option("--counter", "counters", multiple=True, metavar="KEY=N",
              help="Give a UAV a hidden counter.")  # fmt: skip
@click.option("--save", "saves", multiple=True, metavar="KEY=FILE.npy",
              help="Write a UAV's array here after the run; others are printed.")  # fmt: skip
@click.option("--interface", "interfaces", multiple=True, metavar="SLOT=INSTANCE",
              help="Bind a class instance to an interface, by name or as "
                   "CLASS:constant_buffer=1:vector=2; repeatable.")  # fmt: skip
@click.option("--max-messages", type=click.IntRange(0, 65536), default=None,
              help="Keep at most this many messages (printf, errorf, abort).")  # fmt: skip
@click.option("--timeout", type=click.FloatRange(0, min_open=True), metavar="SECONDS",
              help="Stop each run after this time, including compilation.")  # fmt: skip
@click.option("--budget", type=click.IntRange(1),
              help="Stop after so many loop iterations of the JIT's waves, or instructions of the "
                   "interpreter's batches. Default: 2^32 iterations and 2^16 for each wave, or "
                   "2^22 instructions for each batch. Costly loops spend it slowly: use --timeout "
                   "for shaders that may not end.")  # fmt: skip
def command(files: tuple[str, ...], engine: str | None, **options: Any) -> None:
    """Run execution cases, or a compute shader with --groups on NumPy arrays.

    Cases print PASS or FAIL with the differences; `both` also compares the engines bit by bit. A
    long run of a shader shows a progress bar in a terminal. Ctrl-C stops it; nothing is saved.
    """
    picture = options["difference"]
    if picture and Path(picture).suffix.lower() != ".png":
        raise click.UsageError(f"--difference {picture}: found no suffix .png")
    failures = Failures()
    is_shader = False
    if len(files) == 1:
        with failures.guard(files[0]):
            is_shader = not _is_case(files[0])
        failures.finish()
    if is_shader:
        if options["difference"]:
            raise click.UsageError("--difference is for cases, not for a shader")
        from softd3d.cli.verbs import run_shader  # noqa: PLC0415 - only when it is needed

        with failures.guard(files[0]), _interruptible(files[0], failures):
            run_shader.run(files[0], engine or "jit", options, failures)
    else:
        _refuse_shader_options(options, files)
        from softd3d.cli.verbs import run_cases  # noqa: PLC0415 - only when it is needed

        with _interruptible("cases", failures):
            run_cases.run(
                files, engine or "both", failures, threads=options["threads"],
                is_strict=options["strict"], as_json=options["as_json"],
                timeout=options["timeout"], profile=options["profile"],
                difference=options["difference"],
            )  # fmt: skip
    failures.finish()


@contextmanager
def _interruptible(name: str, failures: Failures) -> Generator[None]:
    """Turn Ctrl-C into a line and the exit status that shells give it."""
    try:
        yield
    except KeyboardInterrupt:
        failures.report(name, "interrupted", INTERRUPTED)


def _is_case(name: str) -> bool:
    """Tell cases and folders from shaders, by content and name.

    Raises:
        OSError: the file cannot be read.
    """
    if name.endswith(".json") or is_folder(name):
        return True
    if name == "-" or not is_there(name):
        return False
    with Path(name).open("rb") as file:
        return file.read(64).lstrip()[:1] == b"{"


def _refuse_shader_options(options: dict[str, Any], files: tuple[str, ...]) -> None:
    groups, *more = options["groups"] or "", *(name for name in files if name.isdecimal())
    if groups and more:
        raise click.UsageError(f"{more[0]} is no file; wanted --groups {','.join((groups, *more))}")
    for name, flag in _SHADER_OPTIONS.items():
        if options[name] not in (None, ()):
            raise click.UsageError(f"{flag} is for one shader, not for cases")
