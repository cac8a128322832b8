"""The command line: one module a verb, loaded when it is asked for, so that each starts quickly.

Exit status: 0 fine, 1 a case or a run failed, 2 wrong usage or input that cannot be read.
"""

from __future__ import annotations

from importlib import import_module

import click

from softd3d import __version__

__all__ = ["main"]

# Verbs by their modules, in the order of the help
_VERBS = {
    "info": "info",
    "dis": "dis",
    "as": "assemble",
    "reflect": "reflect",
    "val": "val",
    "run": "run",
    "hash": "hash",
    "scan": "scan",
    "dxbc": "dxbc",
    "effect": "effect",
    "demo": "demo",
}


class _Verbs(click.Group):
    """A group that imports a verb's module when the verb is named."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002
        return list(_VERBS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        if cmd_name not in _VERBS:
            return None
        return import_module(f"softd3d.cli.{_VERBS[cmd_name]}").command


@click.group(cls=_Verbs, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="softd3d", message="%(prog)s %(version)s")
def main() -> None:
    """Look into compiled Direct3D shaders and run them on the CPU.

    A FILE of - is standard input. Exit status: 0 fine, 1 failed, 2 wrong usage or input.
    """
