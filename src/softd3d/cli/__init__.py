"""The command line: one module a verb, loaded when it is asked for, so that each starts quickly.

Exit status: 0 fine, 1 a case or a run failed, 2 wrong usage or input that cannot be read, 130
interrupted by Ctrl-C.
"""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from importlib import import_module
from typing import Any

import click

from softd3d import __version__
from softd3d.cli.files import INTERRUPTED, Failures
from softd3d.cli.printing import STANDARD_OUTPUT, say

__all__ = ["main"]

# Verbs in the order of the help: their modules, and what they do in at most 60 characters
_VERBS = {
    "info": ("info", "Show what a file is, what it contains, and what to bind."),
    "dis": ("dis", "List shaders like Microsoft's disassembler, or losslessly."),
    "as": ("assemble", "Assemble a listing to a container or a token stream."),
    "reflect": ("reflect", "Show signatures, constant buffers, bindings, statistics."),
    "val": ("val", "Check shaders against the rules of Direct3D."),
    "run": ("run", "Run execution cases, or a compute shader on arrays."),
    "render": ("render", "Draw any pixel shader on a quad, sphere or cube."),
    "hash": ("hash", "Print checksums, hashes, and the names that mods use."),
    "scan": ("scan", "Find shaders in any files and folders."),
    "dxbc": ("dxbc", "List, extract, replace, add and remove chunks; sign."),
    "convert": ("convert", "Convert textures: DDS, PNG, EXR, NumPy, raw bytes."),
    "effect": ("effect", "List, extract and replace the shaders inside effects."),
    "blt": ("blt", "Copy depth and stencil from one array to another."),
    "view-image": ("view_image", "Make a picture of a depth or stencil buffer."),
    "demo": ("demo", "Show the main features on shipped samples."),
}


class _Verbs(click.Group):
    """A group that imports a verb's module when the verb is named."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002
        return list(_VERBS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        if cmd_name not in _VERBS:
            return None
        return import_module(f"softd3d.cli.verbs.{_VERBS[cmd_name][0]}").command

    def make_context(self, *args: Any, **extra: Any) -> click.Context:
        with _in_a_line():
            return super().make_context(*args, **extra)
        raise AssertionError  # the block ends the process if it does not return

    def invoke(self, ctx: click.Context) -> object:
        with _in_a_line():
            return super().invoke(ctx)
        return None

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        with formatter.section("Commands"):
            formatter.write_dl([(name, text) for name, (_, text) in _VERBS.items()])


@contextmanager
def _in_a_line() -> Generator[None]:
    """Turn Ctrl-C, and what the system refuses outside files, into a line and an exit status."""
    failures = Failures()
    try:
        with failures.guard(STANDARD_OUTPUT):
            yield
    except KeyboardInterrupt:
        say("softd3d: interrupted", err=True)
        raise SystemExit(INTERRUPTED) from None
    failures.finish()


@click.group(cls=_Verbs, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(
    __version__, "-V", "--version", prog_name="softd3d", message="%(prog)s %(version)s"
)
def main() -> None:
    """List, edit and check compiled Direct3D shaders, and run them on the CPU.

    A FILE of - is standard input. Exit status: 0 success, 1 failure or findings, 2 wrong usage or
    input, 130 interrupted.
    """
