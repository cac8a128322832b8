"""Load anything that Direct3D calls a compiled shader or effect: the content says what it is."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from softd3d.container.dxbc.container import parse
from softd3d.shaders.identify import Kind, identify
from softd3d.shaders.shader import Shader, collection_chunk, load_shader
from softd3d.source import Source, read_source

if TYPE_CHECKING:
    from softd3d.shaders.effects.d3d9 import Effect9
    from softd3d.shaders.effects.d3d10 import Effect10, Library
    from softd3d.shaders.token_stream import Shader9

__all__ = ["Loaded", "load"]

Loaded: TypeAlias = "Shader | Shader9 | Effect9 | Effect10 | Library"


def load(source: Source) -> Loaded:
    """Read a compiled shader, effect or library, whatever kind it is.

    Args:
        source: a path (a str or `pathlib.Path`), or the contents (bytes, bytearray, memoryview,
            anything with the buffer protocol). A str is always a path.

    Returns:
        A `Shader` for shader model 4 to 5.1, in a DXBC container or as bare tokens; a `Shader9` for
        tokens of shader model 1 to 3; an `Effect9` for fx_2_0, also XNA's, bare or in an .xnb
        file; an `Effect10` for fx_4_0 to fx_5_0; a `Library` for lib_4_0 to lib_5_0.

    Raises:
        OSError: the file cannot be read.
        ContainerError: the container is malformed, or holds none of these.
        DecodeError: it is something else, such as HLSL, a listing or DXIL; the message names it
            and says what to do with it.
        TypeError: neither a path nor bytes.
    """
    data = read_source(source)
    kind = identify(data).kind
    if kind is Kind.CONTAINER:
        return _in_container(data)
    if kind is Kind.TOKENS:
        return load_shader(data)
    if kind is Kind.EFFECT10:
        from softd3d.shaders.effects.d3d10 import Effect10  # noqa: PLC0415 - when one comes

        return Effect10(data, None, None)
    if kind is Kind.SM1_TOKENS:
        from softd3d.shaders.token_stream import Shader9  # noqa: PLC0415 - when one comes

        return Shader9(data)
    if kind in (Kind.EFFECT, Kind.XNB):
        from softd3d.shaders.effects.d3d9 import Effect9  # noqa: PLC0415 - when one comes

        return Effect9(data)
    from softd3d.shaders.not_shaders import refusal  # noqa: PLC0415 - when it must be told

    raise refusal(data, "a compiled shader or effect")


def _in_container(data: bytes) -> Shader | Effect10 | Library:
    container = parse(data)
    other = collection_chunk(container)
    if other is None:
        return Shader(data, container, container.program_chunk)
    from softd3d.shaders.effects.d3d10 import Effect10, Library  # noqa: PLC0415 - when one comes

    if other.fourcc == "FX10":
        return Effect10(data, container, other)
    return Library(data, container)
