"""`softd3d effect`: the shaders inside effects of Direct3D 9."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import click

from softd3d.cli.files import (
    Failures,
    check_folder,
    check_not_input,
    check_output,
    read_input,
    write_output,
)
from softd3d.cli.printing import printable, say
from softd3d.cli.safe_names import safe_words

if TYPE_CHECKING:
    from softd3d.device.effect9 import Effect9

__all__ = ["command"]


@click.group("effect")
def command() -> None:
    """List, extract and replace the shaders inside effects of Direct3D 9.

    An effect is an fx_2_0 file, one with the prefix of XNA 4, or a content file of XNA (.xnb).
    `softd3d dis` prints all of an effect.
    """


@command.command("list")
@click.argument("file")
@click.option("--json", "as_json", is_flag=True, help="Print a JSON list, one object a shader.")
def list_(file: str, *, as_json: bool) -> None:
    """Print number, profile, size and place of each shader."""
    from softd3d.device.identify import identify  # noqa: PLC0415 - when it is needed

    failures = Failures()
    with failures.guard(file):
        rows = [
            {
                "index": index,
                "profile": identify(shader.tokens).profile,
                "bytes": len(shader.tokens),
                "place": shader.place,
            }
            for index, shader in enumerate(_load(file).shaders)
        ]
        if as_json:
            say(json.dumps(rows, indent=2))
        else:
            for row in rows:
                place = printable(str(row["place"]))
                say("{index:4}  {profile:<7} {bytes:7} bytes  ".format(**row) + place)
    failures.finish()


@command.command("extract")
@click.argument("file")
@click.argument("index", type=int, required=False)
@click.option("-o", "--output", metavar="FILE", help="Write here, not to standard output.")
@click.option("--all", "folder", metavar="DIR", help="Write every shader to a file in this folder.")
def extract(file: str, index: int | None, output: str | None, folder: str | None) -> None:
    """Write the token stream of a shader, or of all."""
    if (index is None) == (folder is None) or (folder is not None and output is not None):
        raise click.UsageError("Give either an INDEX, perhaps with -o, or --all DIR.")
    failures = Failures()
    with failures.guard(output or folder or file):
        check_output(output)
        check_not_input(output, file)
        if folder is not None:
            check_folder(folder)
    failures.finish()
    with failures.guard(file):
        effect = _load(file)
        if folder is not None:
            _extract_all(effect, Path(folder))
        elif index is not None:
            write_output(output, effect.shader(index).tokens)
    failures.finish()


@command.command("replace")
@click.argument("file")
@click.argument("index", type=int)
@click.argument("shader")
@click.option("-o", "--output", metavar="FILE", required=True, help="Where to write; may be FILE.")
def replace(file: str, index: int, shader: str, output: str) -> None:
    """Put the token stream in the file SHADER in place of a shader."""
    from softd3d.device.shader9 import load9  # noqa: PLC0415 - when it is needed

    failures = Failures()
    with failures.guard(output):
        check_output(output)
    failures.finish()
    tokens = b""
    with failures.guard(shader):
        tokens = load9(read_input(shader)).data
    failures.finish()
    with failures.guard(file):
        write_output(output, _load(file).with_shader(index, tokens))
    failures.finish()


def _load(file: str) -> Effect9:
    from softd3d.device.effect9 import load_effect9  # noqa: PLC0415 - when it is needed

    return load_effect9(read_input(file))


def _extract_all(effect: Effect9, folder: Path) -> None:
    from softd3d.device.identify import identify  # noqa: PLC0415 - when it is needed

    folder.mkdir(parents=True, exist_ok=True)
    for index, shader in enumerate(effect.shaders):
        name = f"{index:03}.{safe_words(shader.place)}.{identify(shader.tokens).profile}.bin"
        write_output(str(folder / name), shader.tokens)
