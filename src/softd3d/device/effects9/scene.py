"""Pictures of effects: a technique on a mesh, with everything that it needs made for it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from softd3d.arguments import flag
from softd3d.classes import dataclass
from softd3d.device.d3d9.device import Device
from softd3d.device.effects9.effect import Effect, EffectTechnique
from softd3d.device.effects9.scene_values import LIGHT, give_defaults
from softd3d.device.render.meshes import Mesh, camera_of, mesh_named
from softd3d.device.render.targets import check_size
from softd3d.isa.d3d9.enums import DeclType
from softd3d.isa.sm1.enums import Usage
from softd3d.shaders.effects.d3d9 import Effect9
from softd3d.source import Source

__all__ = ["EffectPicture", "EffectScene"]

_BACKGROUND = 0xFF404040
_SAMPLERS, _COORDINATE_SETS = 16, 8
_AMBIENT = 0xFF303030
_LINEAR = (("MAGFILTER", "LINEAR"), ("MINFILTER", "LINEAR"), ("MIPFILTER", "LINEAR"))
# What vertices have: usage, type, where in the row
_FIXED = (
    (Usage.POSITION, DeclType.FLOAT3, "position"),
    (Usage.NORMAL, DeclType.FLOAT3, "normal"),
)
_SHADER = (
    *_FIXED,
    (Usage.TANGENT, DeclType.FLOAT3, "tangent"),
    (Usage.BINORMAL, DeclType.FLOAT3, "binormal"),
    (Usage.COLOR, DeclType.D3DCOLOR, "color"),
    (Usage.BLENDWEIGHT, DeclType.FLOAT4, "weights"),
    (Usage.BLENDINDICES, DeclType.UBYTE4, "indices"),
)
_VERTEX = np.dtype(
    [("position", "<f4", 3), ("normal", "<f4", 3), ("tangent", "<f4", 3), ("binormal", "<f4", 3),
     ("coordinates", "<f4", 2), ("weights", "<f4", 4), ("color", "<u4"), ("indices", "u1", 4)]
)  # fmt: skip

_OFFSETS = {str(name): int(field[1]) for name, field in (_VERTEX.fields or {}).items()}


@dataclass(frozen=True, slots=True, eq=False)
class EffectPicture:
    """A picture. codes: uint8, (height, width, 4), red, green, blue, alpha.

    notes: undefined behaviour that draws met, as in `Outcome.poisoned`.
    """

    codes: NDArray[np.uint8]
    notes: tuple[tuple[str, str], ...]

    def image(self, *, has_alpha: bool = False) -> NDArray[np.uint8]:
        """Return (height, width, 3), or 4 with alpha."""
        return self.codes if flag(has_alpha, "has_alpha") else self.codes[..., :3]

    @property
    def text(self) -> str:
        """What is in the picture, in a line."""
        first = self.codes[0, 0]
        if bool((self.codes == first).all()):
            return f"every pixel is {', '.join(map(str, first.tolist()))} (of 255)"
        least, most = self.codes[..., :3].min(), self.codes[..., :3].max()
        return f"colours from {least} to {most} (of 255)"


class EffectScene:
    """An effect whose technique is drawn on a mesh, pass after pass, again and again.

    effect: its parameters may be set between pictures. said: what was chosen, line by line.
    """

    def __init__(
        self, source: Effect | Effect9 | Source, technique: str | int = 0, *, mesh: str = "quad",
        size: tuple[int, int] = (512, 512), values: Mapping[str, Any] | None = None,
        samples: int = 1, engine: str = "jit", threads: int = 0, timeout: float | None = None,
    ) -> None:  # fmt: skip
        """Load an effect and make what it reads.

        Args:
            source: an effect, or what it is loaded from.
            technique: its name or number.
            mesh: `quad`, which fills the picture, `sphere` or `cube`.
            size: width and height.
            samples: of a pixel, 1 to 16.
            values: of parameters, members or elements by name; textures as `Texture9`. Others that
                have none get the camera's matrices, checkers and a light by their names.
            engine: `jit` or `interpreter`.
            threads: CPU threads, 0 for as many as the process may use.
            timeout: seconds that a draw may take.

        Raises:
            OSError: the file cannot be read.
            ShaderError: the effect is malformed, or a name or value does not fit.
        """
        self.effect = source if isinstance(source, Effect) else Effect(source)
        self.technique: EffectTechnique = self.effect.technique(technique)
        check_size(*size, samples)
        self.size = size
        self._mesh = mesh_named(mesh)
        self._camera = camera_of(self._mesh, size[0] / size[1])
        given = dict(values or {})
        for name, value in given.items():
            self.effect[name] = value
        names = ", ".join(pass_.name or "without a name" for pass_ in self.technique) or "none"
        self.said = [
            f"technique {self.technique.name or 'without a name'}, passes {names}",
            *give_defaults(self.effect, {_whole(name) for name in given}, self._camera),
        ]
        self.device = Device(
            *size, depth_stencil_format="D24S8", samples=samples, engine=engine, threads=threads,
            timeout=timeout,
        )  # fmt: skip
        self._shown = self.device.create_render_target(*size, lockable=True)
        self._prepare()

    def render(self, values: Mapping[str, Any] | None = None) -> EffectPicture:
        """Draw all passes on a dark grey background; values: of parameters, which keep them.

        Raises:
            ShaderError: a value does not fit, a pass cannot be applied, or a draw fails.
        """
        for name, value in (values or {}).items():
            self.effect[name] = value
        device = self.device
        device.clear(flags="TARGET | ZBUFFER | STENCIL", color=_BACKGROUND)
        notes: dict[tuple[str, str], None] = {}
        with self.technique.begin(device) as passes:
            for pass_ in passes:
                pass_.apply(device)
                has_shader = device.get_vertex_shader() is not None
                device.set_vertex_declaration(self._declarations[has_shader])
                result = device.draw_indexed_primitive(
                    "TRIANGLELIST", 0, 0, len(self._mesh.positions), 0, len(self._mesh.indices) // 3
                )
                notes.update(dict.fromkeys(result.poisoned))
        device.stretch_rect(device.back_buffer, None, self._shown)
        codes = self._shown.array.view(np.uint8).reshape(self.size[1], self.size[0], 4)
        return EffectPicture(np.ascontiguousarray(codes[..., [2, 1, 0, 3]]), tuple(notes))

    def _prepare(self) -> None:
        """Set what effects expect to be set: streams, transforms, a light, filters."""
        device, mesh = self.device, self._mesh
        self._declarations = {
            has_shader: device.create_vertex_declaration(_elements(has_shader=has_shader))
            for has_shader in (False, True)
        }
        vertices = _vertices(mesh)
        device.set_stream_source(0, device.create_vertex_buffer(vertices), 0, _VERTEX.itemsize)
        device.set_indices(device.create_index_buffer(mesh.indices, "INDEX32"))
        device.set_transform("VIEW", self._camera.view)
        device.set_transform("PROJECTION", self._camera.projection)
        device.set_render_state("CULLMODE", "NONE")
        device.set_render_state("AMBIENT", _AMBIENT)
        device.set_light(0, {"type": 3, "diffuse": (1, 1, 1, 1), "direction": tuple(-LIGHT)})
        device.light_enable(0, enable=True)
        device.set_material({"diffuse": (1, 1, 1, 1), "ambient": (1, 1, 1, 1)})
        for sampler in range(_SAMPLERS):
            for type_, filter_ in _LINEAR:
                device.set_sampler_state(sampler, type_, filter_)


def _whole(name: str) -> str:
    """Return the name of the parameter that a path begins with."""
    return name.partition(".")[0].partition("[")[0]


def _elements(*, has_shader: bool) -> list[tuple[int, int, int, int, int, int]]:
    """Return the elements of a declaration: stream, offset, type, method, usage, index."""
    found = [
        (0, _OFFSETS[name], int(type_), 0, int(usage), 0)
        for usage, type_, name in (_SHADER if has_shader else _FIXED)
    ]
    coordinates = (int(DeclType.FLOAT2), 0, int(Usage.TEXCOORD))
    return found + [(0, _OFFSETS["coordinates"], *coordinates, n) for n in range(_COORDINATE_SETS)]


def _vertices(mesh: Mesh) -> NDArray[Any]:
    """Return the mesh's vertices; colours are by position."""
    vertices = np.zeros(len(mesh.positions), _VERTEX)
    vertices["position"], vertices["normal"] = mesh.positions, mesh.normals
    vertices["tangent"], vertices["binormal"] = mesh.tangents, mesh.binormals
    vertices["coordinates"], vertices["weights"][:, 0] = mesh.coordinates, 1
    codes = np.clip(mesh.positions * 127.5 + 128, 0, 255).astype(np.uint32)
    vertices["color"] = 0xFF000000 | codes[:, 0] << 16 | codes[:, 1] << 8 | codes[:, 2]
    return vertices
