"""A pixel shader on a mesh: everything that a draw of it needs, and the picture it makes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, Unpack

import numpy as np
from numpy.typing import NDArray

from softd3d.arguments import flag, integers, one_of, shown
from softd3d.classes import dataclass
from softd3d.container.reflection.signature import SignatureElement
from softd3d.device.draw import Draw
from softd3d.device.draws.vertices import VertexBuffer
from softd3d.device.registers import Key, RegisterKind, resolve, wanted_registers
from softd3d.device.render.constants import constants_of
from softd3d.device.render.defaults import default_bindings, default_interfaces, default_text
from softd3d.device.render.feeds import Surface, feed_of, values_of
from softd3d.device.render.meshes import camera_of
from softd3d.device.render.patches import shape_of
from softd3d.device.render.targets import (
    ColorTarget,
    check_size,
    clear_depth,
    codes_of,
    colors_text,
    depth_texture,
)
from softd3d.device.render.vertex_shader import Vertices, fed_parameters, made_vertex_shader
from softd3d.device.run_options import RunArguments
from softd3d.device.runnable import STAGE_NAMES, runnable_shader
from softd3d.errors import ResourceError
from softd3d.isa.sm4.enums import ProgramType
from softd3d.pipeline.input_layout import is_generated
from softd3d.pipeline.queries import DrawResult
from softd3d.pipeline.state import InputElement, RasterizerState
from softd3d.shaders.shader import Shader

__all__ = ["Rendering", "Scene"]

_K = TypeVar("_K")
_SAMPLES = (1, 2, 4, 8, 16)
_ELEMENT_BYTES = 16
_MOST_NAMES = 6


@dataclass(frozen=True, slots=True)
class Rendering:
    """A picture. colors: float32, uint32 or int32, (height, width, 4), as the shader wrote them."""

    colors: NDArray[Any]
    outcome: DrawResult

    def image(self, *, has_alpha: bool = False) -> NDArray[np.uint8]:
        """Return the picture's codes of 8 bits; see `codes_of`."""
        return codes_of(self.colors, has_alpha=flag(has_alpha, "has_alpha"))

    @property
    def text(self) -> str:
        """What is in the picture, in a line."""
        return colors_text(self.colors)


class Scene:
    """A pixel shader on a mesh, ready to be drawn with other constants and again.

    said: what was chosen for the shader, line by line.
    """

    def __init__(
        self, ps: object, vs: object = None, *, hs: object = None, ds: object = None,
        gs: object = None, mesh: str = "quad", size: tuple[int, int] = (512, 512), samples: int = 1,
        textures: Mapping[Key, object] | None = None,
        samplers: Mapping[Key, object] | None = None,
    ) -> None:  # fmt: skip
        """Load the shaders, and make what they read.

        Args:
            ps: a pixel shader: what `softd3d.load` returns, a path, or contents as bytes.
            vs: a vertex shader; None for one that feeds the shader behind it.
            hs: a hull shader, of patches of 3 control points, or of a square number.
            ds: a domain shader, to which it belongs.
            gs: a geometry shader of triangles, lines or points.
            mesh: quad (the whole picture), sphere or cube.
            size: width and height of the picture.
            samples: of a pixel: 1, 2, 4, 8 or 16.
            textures: of the pixel shader, by register or name.
            samplers: likewise; None for the default state.

        Raises:
            ShaderError: it cannot be rendered; the text says why.
        """
        self.pixel = runnable_shader(ps, "ps", ProgramType.PS)
        self.samples = one_of(samples, "samples", _SAMPLES)
        self.width, self.height = _checked_size(size, self.samples)
        self.target = ColorTarget.of(self.pixel)
        between = _between(hs=hs, ds=ds, gs=gs)
        self.shape = shape_of(mesh, between.get("hs"), between.get("gs"))
        self.camera = camera_of(self.shape.mesh, self.width / self.height)
        srvs = default_bindings(self.pixel)[RegisterKind.SRVS]
        self._surface = surface = Surface(self.shape.mesh, self.camera, is_textured=bool(srvs))
        self.is_made = vs is None
        self.reader = between.get("hs") or between.get("gs") or self.pixel
        if vs is None:
            self.vertices = made_vertex_shader(self.reader, surface)
        else:
            self.vertices = _vertices_of(runnable_shader(vs, "vs", ProgramType.VS), surface)
        self._shaders = {"vs": self.vertices.shader, **between, "ps": self.pixel}
        self._views: dict[str, dict[str, object]] = {"srvs": {}, "uavs": {}, "samplers": {}}
        self._defaults: dict[str, list[str]] = {}  # registers, by what they get
        self._interfaces = {w: default_interfaces(s) for w, s in self._shaders.items()}
        given = {
            RegisterKind.SRVS: _dictionary(textures, "textures"),
            RegisterKind.SAMPLERS: _dictionary(samplers, "samplers"),
        }
        for stage, shader in self._shaders.items():
            self._bind(stage, shader, given if stage == "ps" else {})

    def render(
        self, constants: Mapping[str, object] | None = None, **run: Unpack[RunArguments]
    ) -> Rendering:
        """Draw the picture.

        Args:
            constants: numbers by the names of variables, whichever stage has them; a dictionary
                under the name of a buffer, of "vs" or "ps"; `b0[2]` for a vector of a register.
            run: engine, threads, timeout and so on, as for `Draw`; the time limit counts all of it.

        Raises:
            ShaderError: a constant is wrong, or what `Draw` raises.
        """
        found = constants_of(self._shaders, self.camera, _dictionary(constants, "constants"))
        shape = self.width, self.height, self.samples
        target, depth = self.target.texture(*shape), depth_texture(*shape)
        draw = Draw(
            vs=self.vertices.shader, hs=self._shaders.get("hs"), ds=self._shaders.get("ds"),
            gs=self._shaders.get("gs"), ps=self.pixel,
            input_layout=self.vertices.layout, topology=self.shape.topology,
            vertex_buffers=self._vertex_buffers(), index_buffer=self.shape.mesh.indices,
            rasterizer=RasterizerState(cull_mode="NONE", multisample_enable=self.samples > 1),
            constants={stage: constants.bound() for stage, constants in found.items()},
            render_targets=[*[None] * self.target.slot, target],
            depth_stencil_view=depth, srvs=self._views["srvs"],
            uavs=self._views["uavs"], samplers=self._views["samplers"],
            interfaces=self._interfaces, **run,
        )  # fmt: skip
        self.target.clear(target, draw.watch)
        clear_depth(depth, draw.watch)
        is_fed = bool(self.vertices.layout)
        count = self.shape.mesh.indices.size if is_fed else self.shape.corners
        outcome = draw.once(index_count=count) if is_fed else draw.once(count)
        return Rendering(self.target.resolved(target, draw.watch), outcome)

    def zeros(self, constants: Mapping[str, object] | None = None) -> list[str]:
        """Return the constants that are read and 0, since nothing is known of them.

        Names with the shape of their numbers, or vectors of registers of a stripped shader.
        """
        found = constants_of(self._shaders, self.camera, _dictionary(constants, "constants"))
        return list(dict.fromkeys(name for c in found.values() for name in c.zeros()))

    def said(
        self, constants: Mapping[str, object] | None = None, *, all_names: bool = False
    ) -> list[str]:
        """Return what was chosen: feeds, textures, samplers, target, the camera's constants.

        At the end stand those constants that are 0, the first six of them unless all_names.
        """
        parameters = fed_parameters(self.reader) if self.is_made else _fed(self.vertices.shader)
        lines = [f"{_label(p)} gets {feed_of(p, self._surface).says}" for p in parameters]
        lines += [
            f"{', '.join(names)} {'gets' if len(names) == 1 else 'get'} {text}"
            for text, names in self._defaults.items()
        ]
        if self.target.slot:
            lines.append(f"SV_Target{self.target.slot} is shown, the first that is written")
        lines += [
            f"interface slot {slot} is {getattr(instance, 'type', instance)}"
            for slots in self._interfaces.values()
            for slot, instance in slots.items()
        ]
        found = constants_of(self._shaders, self.camera, _dictionary(constants, "constants"))
        lines += dict.fromkeys(line for c in found.values() for line in c.by_camera())
        zeros = self.zeros(constants)
        if zeros:
            most = len(zeros) if flag(all_names, "all_names") else _MOST_NAMES
            more = f" and {len(zeros) - most} more" if len(zeros) > most else ""
            lines.append(f"constants that are 0: {', '.join(zeros[:most])}{more}")
        return lines

    def _bind(
        self, stage: str, shader: Shader, given: Mapping[RegisterKind, Mapping[Key, object]]
    ) -> None:
        wanted = wanted_registers(shader.program, shader.declarations, shader.reflection, given)
        for kind, defaults in default_bindings(shader).items():
            chosen = resolve(kind, given.get(kind, {}), wanted[kind], shader.reflection)
            for register in wanted[kind]:
                if (register.number, register.space) not in chosen:
                    of_stage = (
                        "" if stage == "ps" else f" of the {STAGE_NAMES[shader.program.type]}"
                    )
                    names = self._defaults.setdefault(default_text(register), [])
                    names.append(f"{register}{of_stage}")
            self._views[kind.argument][stage] = {**defaults, **chosen}

    def _vertex_buffers(self) -> dict[int, object]:
        data = self.vertices.data
        if not self.vertices.layout:
            return {}
        return {0: VertexBuffer(data, stride=data.shape[1] * _ELEMENT_BYTES)}


def _between(**given: object) -> dict[str, Shader]:
    """Return the shaders between vertices and pixels that are given, by stage."""
    return {
        stage: runnable_shader(source, stage, ProgramType[stage.upper()])
        for stage, source in given.items()
        if source is not None
    }


def _dictionary(given: Mapping[_K, object] | None, what: str) -> Mapping[_K, object]:
    if given is None:
        return {}
    if not isinstance(given, Mapping):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise ResourceError(f"{what}: found {shown(given)}, wanted a dictionary")
    return given


def _checked_size(size: tuple[int, int], samples: int) -> tuple[int, int]:
    width, height = integers(size, 2, "size", "width, height as integers")
    check_size(width, height, samples)
    return width, height


def _fed(vertex: Shader) -> list[SignatureElement]:
    signature = vertex.signatures.input
    found = () if signature is None else signature.elements
    return [p for p in found if p.register is not None and not is_generated(p)]


def _vertices_of(vertex: Shader, surface: Surface) -> Vertices:
    """Return a caller's vertex shader with data for its inputs."""
    parameters = _fed(vertex)
    layout = [
        InputElement(p.name, p.semantic_index, "R32G32B32A32_UINT", 0, _ELEMENT_BYTES * n)
        for n, p in enumerate(parameters)
    ]
    data = np.zeros((len(surface.mesh.positions), len(parameters), 4), np.uint32)
    for n, p in enumerate(parameters):
        data[:, n] = values_of(p, surface)
    return Vertices(vertex, layout, data)


def _label(p: SignatureElement) -> str:
    return f"{p.name}{p.semantic_index}"
