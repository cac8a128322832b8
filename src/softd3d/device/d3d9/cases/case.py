"""Draw cases of Direct3D 9: resources, calls in order, and the pixels that they leave.

docs/cases.md lists the keys.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeAlias, TypeVar, cast

import numpy as np
from numpy.typing import NDArray

from softd3d.device.d3d9.buffers import Buffer9, IndexBuffer9, VertexBuffer9
from softd3d.device.d3d9.creation_calls import UsageFlags
from softd3d.device.d3d9.declarations import VertexDeclaration9
from softd3d.device.d3d9.device import Device
from softd3d.device.d3d9.queries import Query9
from softd3d.device.d3d9.shaders import PixelShader9, ProgramShader9, VertexShader9, shader_of
from softd3d.device.d3d9.state import Viewport9
from softd3d.errors import Location, ResourceError
from softd3d.pipeline.fixed9.state import Material
from softd3d.pipeline.state import Rect
from softd3d.resources.cases.json import Entry, read_json
from softd3d.resources.d3d9.surfaces import Surface9, Texture9

__all__ = ["Case9", "Found9", "is_case9", "read_case9", "run_case9"]

_Shader = TypeVar("_Shader", bound=ProgramShader9)
Made: TypeAlias = "Surface9 | Texture9 | Buffer9"
_MOST = 1 << 14
_MALFORMED = (KeyError, TypeError, ValueError, IndexError)


@dataclass(frozen=True, slots=True)
class Case9:
    """A case. commands: calls with their arguments, as in the file."""

    name: str
    path: Path
    entry: Entry
    commands: tuple[list[Any], ...]


@dataclass(frozen=True, slots=True)
class Found9:
    """What is there after a case's calls: contents of surfaces, by name, and of queries."""

    surfaces: dict[str, NDArray[Any]] = field(default_factory=dict[str, NDArray[Any]])
    queries: dict[str, int] = field(default_factory=dict[str, int])


def is_case9(data: Mapping[str, Any]) -> bool:
    """Whether the contents of a case file are calls of Direct3D 9."""
    return data.get("kind") == "draw" and "commands" in data


def read_case9(path: Path) -> Case9:
    """Read a case.

    Raises:
        ResourceError: it is malformed.
    """
    entry = Entry(read_json(path), "", path, path.parent)
    commands: object = entry.data.get("commands")
    no_calls: list[list[Any]] = [[]]
    calls = cast("list[list[Any]]", commands) if isinstance(commands, list) else no_calls
    if not all(isinstance(call, list) and call for call in calls):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise entry.error("commands", "found no list of calls")
    return Case9(entry.text("name"), path, entry, tuple(calls))


def run_case9(
    case: Case9, *, profile: str = "driver", engine: str = "jit", threads: int = 0, lanes: int = 0,
    timeout: float | None = None,
) -> Found9:  # fmt: skip
    """Carry out the calls of a case on a new device.

    Raises:
        LoweringError: a call needs what is not supported yet.
        ShaderError: the case is malformed, or a call failed.
    """
    device = Device(
        1, 1, profile=profile, engine=engine, threads=threads, lanes=lanes, timeout=timeout
    )
    run = _Run(case, device)
    for number, (name, *arguments) in enumerate(case.commands):
        try:
            run.call(name, arguments)
        except _MALFORMED as error:
            text = f"commands[{number}]: {name}: {error!r:.80}"
            raise _error(case, text) from error
    return run.found()


def _error(case: Case9, text: str) -> ResourceError:
    return ResourceError(text, Location(source=str(case.path)))


class _Run:
    """A case on its way: a device, and resources and shaders by name."""

    def __init__(self, case: Case9, device: Device) -> None:
        self.case = case
        self.device = device
        self.made: dict[str, Made] = {
            name: self._resource(entry) for name, entry in _entries(case.entry, "resources")
        }
        self.shaders: dict[tuple[str, type[ProgramShader9]], Any] = {}
        self.queries: dict[str, Query9] = {}

    def call(self, name: str, arguments: list[Any]) -> None:
        """Carry out a call."""
        if name == "Clear":
            self._clear(*arguments)
        elif name == "BeginQuery":
            (query,) = arguments
            if query not in self.queries:
                self.queries[query] = self.device.create_query("OCCLUSION")
            self.queries[query].begin()
        elif name == "EndQuery":
            (query,) = arguments
            self.queries[query].end()
        elif name in _CALLS:
            method, wanted = _CALLS[name]
            given = [how(self, one) for how, one in zip(wanted, arguments, strict=True)]
            getattr(self.device, method)(*given)
        else:
            raise ResourceError(f"found {name!r:.40}, which is no call")

    def _clear(
        self, flags: int, color: str, z: str, stencil: int, rects: list[list[int]] | None = None
    ) -> None:
        depth = float(_floats(self, [z])[0])
        self.device.clear(rects, flags, int(color, 16), depth, stencil)

    def _resource(self, entry: Entry) -> Made:
        kind = entry.text("type")
        has_data = entry.data.get("data") is not None
        data = bytes.fromhex(entry.text("data")) if has_data else b""
        if kind == "vertexbuffer":
            return VertexBuffer9(data)
        if kind == "indexbuffer":
            return IndexBuffer9(data, f"INDEX{entry.integer('bits', 16, 32)}")
        made = self._texels(kind, entry)
        if data:
            _fill(made, data, entry)
        return made

    def _texels(self, kind: str, entry: Entry) -> Surface9 | Texture9:
        device, form = self.device, entry.text("format")
        axes = 3 if kind == "volume" else 2
        size = entry.integers("size", axes, 1, _MOST)
        levels = entry.integer("levels", 0, 15) if "levels" in entry else 1
        usage = entry.integer("usage", 0, 3) if "usage" in entry else 0
        flags = UsageFlags.DYNAMIC | usage
        match kind:
            case "rendertarget":
                return device.create_render_target(size[0], size[1], form)
            case "depthstencil":
                return device.create_depth_stencil_surface(size[0], size[1], form)
            case "surface" | "offscreenplain":
                return device.create_offscreen_plain_surface(size[0], size[1], form)
            case "texture":
                return device.create_texture(size[0], size[1], levels, flags, form)
            case "cube":
                return device.create_cube_texture(size[0], levels, flags, form)
            case "volume":
                width, height, depth = size
                return device.create_volume_texture(width, height, depth, levels, flags, form)
            case _:
                raise entry.error("type", f"found {kind!r:.40}, which is no resource")

    def surface(self, name: str | None) -> Any:
        """Return a surface, of a texture its first level; None for null."""
        if name is None:
            return None
        made = self.made[name]
        return made.surface(0) if isinstance(made, Texture9) else made

    def resource(self, name: str | None) -> Any:
        return None if name is None else self.made[name]

    def shader(self, name: str | None, kind: type[_Shader]) -> _Shader | None:
        if name is None:
            return None
        found = self.shaders.get((name, kind))
        if found is None:
            path = Entry({"file": name}, "shader", self.case.path, self.case.path.parent)
            found = self.shaders[name, kind] = shader_of(path.file("file"), kind)
        return found

    def found(self) -> Found9:
        names = self.case.entry.data.get("observe", [])
        return Found9(
            {name: np.array(self.surface(name).units) for name in names},
            {name: int(query.get_data()) for name, query in self.queries.items()},
        )


def _entries(entry: Entry, key: str) -> Iterator[tuple[str, Entry]]:
    inner = entry.entry(key)
    for name in inner:
        yield name, inner.entry(name)


def _fill(made: Surface9 | Texture9, data: bytes, entry: Entry) -> None:
    """Put tightly packed texels into a resource: level by level, of a cube face by face."""
    rest = np.frombuffer(data, np.uint8)
    if isinstance(made, Surface9):
        surfaces = [made]
    else:
        slices = range(made.slices(0))
        is_cube = made.type.name == "CUBE"
        order = [(n, level) for n in slices for level in range(made.levels)] if is_cube else [
            (n, level) for level in range(made.levels) for n in range(made.slices(level))
        ]  # fmt: skip
        surfaces = [made.surface(level, n) for n, level in order]
    total = sum(surface.units.size for surface in surfaces)
    if rest.size != total:
        raise entry.error("data", f"found {rest.size} bytes, wanted {total}")
    for surface in surfaces:
        units = surface.units
        units[...] = rest[: units.size].reshape(units.shape)
        rest = rest[units.size :]


# Arguments: each is converted by a function of the run and what is in the file


def _plain(_: _Run, given: Any) -> Any:
    return given


def _word(_: _Run, given: int | str) -> int:
    """Return a DWORD: an integer, or eight hex digits."""
    return int(given, 16) if isinstance(given, str) else given


def _floats(_: _Run, words: list[str]) -> NDArray[np.float32]:
    return np.array([int(word, 16) for word in words], np.uint32).view(np.float32)


def _rows(run: _Run, rows: list[list[str]]) -> NDArray[np.float32]:
    return np.array([_floats(run, row) for row in rows], np.float32)


def _material(run: _Run, words: list[str]) -> Material:
    numbers = _floats(run, words).tolist()
    colors = (tuple(numbers[n : n + 4]) for n in range(0, 16, 4))
    return Material(*colors, power=numbers[16])


def _light(run: _Run, words: list[str]) -> dict[str, Any]:
    numbers = _floats(run, words[1:]).tolist()
    found: dict[str, Any] = {"type": int(words[0], 16)}
    at = 0
    for name, size in _LIGHT:
        found[name] = numbers[at : at + size] if size > 1 else numbers[at]
        at += size
    return found


_LIGHT = (
    ("diffuse", 4), ("specular", 4), ("ambient", 4), ("position", 3), ("direction", 3),
    ("range", 1), ("falloff", 1), ("attenuation0", 1), ("attenuation1", 1), ("attenuation2", 1),
    ("theta", 1), ("phi", 1),
)  # fmt: skip


def _elements(_: _Run, elements: list[list[Any]]) -> VertexDeclaration9:
    return VertexDeclaration9(elements)


def _viewport(_: _Run, numbers: list[Any]) -> Viewport9:
    return Viewport9(*numbers)


def _rect(_: _Run, sides: list[int]) -> Rect:
    return Rect(*sides)


def _vertex_shader(run: _Run, name: str | None) -> VertexShader9 | None:
    return run.shader(name, VertexShader9)


def _pixel_shader(run: _Run, name: str | None) -> PixelShader9 | None:
    return run.shader(name, PixelShader9)


_Argument: TypeAlias = "Callable[[_Run, Any], Any]"
_CALLS: Mapping[str, tuple[str, tuple[_Argument, ...]]] = {
    "SetRenderTarget": ("set_render_target", (_plain, _Run.surface)),
    "SetDepthStencilSurface": ("set_depth_stencil_surface", (_Run.surface,)),
    "SetViewport": ("set_viewport", (_viewport,)),
    "SetScissorRect": ("set_scissor_rect", (_rect,)),
    "SetRenderState": ("set_render_state", (_plain, _word)),
    "SetSamplerState": ("set_sampler_state", (_plain, _plain, _word)),
    "SetTextureStageState": ("set_texture_stage_state", (_plain, _plain, _word)),
    "SetTexture": ("set_texture", (_plain, _Run.resource)),
    "SetVertexShader": ("set_vertex_shader", (_vertex_shader,)),
    "SetPixelShader": ("set_pixel_shader", (_pixel_shader,)),
    "SetVertexShaderConstantF": ("set_vertex_shader_constant_f", (_plain, _rows)),
    "SetVertexShaderConstantI": ("set_vertex_shader_constant_i", (_plain, _plain)),
    "SetVertexShaderConstantB": ("set_vertex_shader_constant_b", (_plain, _plain)),
    "SetPixelShaderConstantF": ("set_pixel_shader_constant_f", (_plain, _rows)),
    "SetPixelShaderConstantI": ("set_pixel_shader_constant_i", (_plain, _plain)),
    "SetPixelShaderConstantB": ("set_pixel_shader_constant_b", (_plain, _plain)),
    "SetFVF": ("set_fvf", (_word,)),
    "SetVertexDeclaration": ("set_vertex_declaration", (_elements,)),
    "SetStreamSource": ("set_stream_source", (_plain, _Run.resource, _plain, _plain)),
    "SetStreamSourceFreq": ("set_stream_source_freq", (_plain, _word)),
    "SetIndices": ("set_indices", (_Run.resource,)),
    "SetTransform": ("set_transform", (_plain, _floats)),
    "SetMaterial": ("set_material", (_material,)),
    "SetLight": ("set_light", (_plain, _light)),
    "LightEnable": ("light_enable", (_plain, _plain)),
    "SetClipPlane": ("set_clip_plane", (_plain, _floats)),
    "DrawPrimitive": ("draw_primitive", (_plain,) * 3),
    "DrawIndexedPrimitive": ("draw_indexed_primitive", (_plain,) * 6),
    "ColorFill": ("color_fill", (_Run.surface, _plain, _word)),
    "StretchRect": ("stretch_rect", (_Run.surface, _plain, _Run.surface, _plain, _plain)),
}
