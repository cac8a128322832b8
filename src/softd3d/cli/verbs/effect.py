"""`softd3d effect`: the shaders inside effects."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import click

from softd3d.cli.files import (
    Failures,
    check_extraction,
    check_output,
    read_input,
    write_output,
)
from softd3d.cli.printing import printable, say
from softd3d.cli.safe_names import safe_words
from softd3d.container.dxbc.container import is_container

if TYPE_CHECKING:
    from softd3d.shaders.effects.d3d9 import Effect9
    from softd3d.shaders.effects.d3d10 import Effect10

__all__ = ["command"]


@click.group("effect")
def command() -> None:
    """List, extract and replace the shaders inside effects.

    An effect is an fx_2_0 file, one with the prefix of XNA 4, a content file of XNA (.xnb), or
    one of Direct3D 10 or 11 (fx_4_0 to fx_5_0), whose shaders are DXBC containers. `softd3d dis`
    prints all of an effect.
    """


@command.command("list")
@click.argument("file")
@click.option("--json", "as_json", is_flag=True, help="Print a JSON list, one object a shader.")
def list_(file: str, *, as_json: bool) -> None:
    """Print number, profile, size and place of each shader."""
    from softd3d.shaders.effects.loading import shader_entries  # noqa: PLC0415 - when it is needed

    failures = Failures()
    with failures.guard(file):
        entries = shader_entries(_load(file))
        rows = [{"index": index, **entry.summary} for index, entry in enumerate(entries)]
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
    """Write one shader or all: token streams or containers."""
    if (index is None) == (folder is None) or (folder is not None and output is not None):
        raise click.UsageError("Give either an INDEX, perhaps with -o, or --all DIR.")
    from softd3d.shaders.effects.loading import shader_entries  # noqa: PLC0415 - when it is needed

    failures = Failures()
    check_extraction(file, output, folder, failures)
    with failures.guard(file):
        effect = _load(file)
        if folder is not None:
            _extract_all(effect, Path(folder))
        elif index is not None:
            effect.shader(index)  # or an error
            write_output(output, shader_entries(effect)[index].data)
    failures.finish()


@command.command("replace")
@click.argument("file")
@click.argument("index", type=int)
@click.argument("shader")
@click.option("-o", "--output", metavar="FILE", required=True, help="Where to write; may be FILE.")
def replace(file: str, index: int, shader: str, output: str) -> None:
    """Put the file SHADER in place of a shader.

    Containers, in effects of Direct3D 10 and 11, can be no longer than the one they replace.
    """
    failures = Failures()
    with failures.guard(output):
        check_output(output)
    failures.finish()
    with failures.guard(file):
        effect = _load(file)
        new = _read_shader(shader, effect, failures)
        write_output(output, effect.with_shader(index, new))
    failures.finish()


def _read_shader(file: str, effect: Effect9 | Effect10, failures: Failures) -> bytes:
    """Return a file with a shader of the kind that the effect holds; end if it is none."""
    from softd3d.shaders.effects.d3d9 import Effect9  # noqa: PLC0415 - when it is needed
    from softd3d.shaders.shader import load_shader  # noqa: PLC0415
    from softd3d.shaders.token_stream import load9  # noqa: PLC0415

    data = b""
    with failures.guard(file):
        load = load9 if isinstance(effect, Effect9) else load_shader
        data = load(read_input(file)).data
    failures.finish()
    return data


def _load(file: str) -> Effect9 | Effect10:
    from softd3d.shaders.effects.loading import load_effect  # noqa: PLC0415 - when it is needed

    return load_effect(read_input(file))


def _extract_all(effect: Effect9 | Effect10, folder: Path) -> None:
    from softd3d.shaders.effects.loading import shader_entries  # noqa: PLC0415 - when it is needed

    folder.mkdir(parents=True, exist_ok=True)
    for index, shader in enumerate(shader_entries(effect)):
        ending = "dxbc" if is_container(shader.data) else "bin"
        name = f"{index:03}.{safe_words(shader.place)}.{shader.profile}.{ending}"
        write_output(str(folder / name), shader.data)
