"""The textures of a Direct3D 9 shader: what is bound to its samplers, as both engines take it.

The view of sampler n is that of t# n; where nothing is bound, or a texture of another kind than the
shader declares, lookups give (0, 0, 0, 1). Spec: win32 IDirect3DDevice9::SetTexture; Direct3D 9
shader assembly reference, dcl_samplerType.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, TypeAlias

from softd3d.arguments import instance, integer
from softd3d.isa.machine import Memory, View, ViewKind
from softd3d.isa.sampling.d3d9.sample import Texture
from softd3d.isa.sampling.d3d9.state import SamplerState9
from softd3d.isa.sm1.program import Program
from softd3d.isa.sm4.enums import ResourceDimension
from softd3d.lower.d3d9.register_files import RegisterFiles
from softd3d.resources.d3d9.surfaces import Texture9
from softd3d.resources.views.descriptor import Descriptor

if TYPE_CHECKING:
    from softd3d.lower.bound import BoundProgram

__all__ = ["BoundTextures", "bind_textures", "texture_of"]

Given: TypeAlias = "tuple[Texture9, SamplerState9]"
_LODS = range(1 << 32)  # SetLOD takes a DWORD
_WORDS = {
    ResourceDimension.TEXTURE2D: "a 2D texture",
    ResourceDimension.TEXTURECUBE: "a cube",
    ResourceDimension.TEXTURE3D: "a volume",
}


@dataclass(frozen=True, slots=True)
class BoundTextures:
    """Fields of a `BoundProgram`: views by (memory, number, number), descriptors by slot.

    samplers9: by number. notes: of textures of another kind than the shader declares.
    """

    views: dict[tuple[Memory, int, int], View]
    descriptors: tuple[Descriptor, ...]
    samplers9: dict[int, SamplerState9]
    notes: tuple[tuple[str, str], ...]

    def put_into(self, bound: BoundProgram) -> BoundProgram:
        """Return a program that reads these textures and has no others."""
        return replace(
            bound, views=self.views, descriptors=self.descriptors, samplers9=self.samplers9,
            notes=(*bound.notes, *self.notes),
        )  # fmt: skip


def bind_textures(program: Program, textures: Mapping[int, Given]) -> BoundTextures:
    """Return what a program's lookups read, by the numbers of its samplers.

    textures: textures and states of samplers; those that the program does not use are ignored.

    Raises:
        ResourceError: shaders cannot read a texture's format.
    """
    views: dict[tuple[Memory, int, int], View] = {}
    descriptors: list[Descriptor] = []
    samplers: dict[int, SamplerState9] = {}
    notes: list[tuple[str, str]] = []
    for number, wanted in sorted(RegisterFiles(program).samplers().items()):
        given = textures.get(number)
        if given is None:
            continue
        texture = instance(given[0], Texture9, f"s{number}: texture")
        sampler = instance(given[1], SamplerState9, f"s{number}: sampler")
        found = texture.description(is_srgb=sampler.srgb_texture)
        if wanted not in (None, found.dimension):
            rule = f"{_WORDS[found.dimension]} is bound, the shader declares {_WORDS[wanted]}"
            notes.append((f"s{number}", rule))
            continue
        lod = integer(texture.lod, f"s{number}: Texture9.lod", _LODS)
        views[Memory.RESOURCE, number, number] = View(
            Memory.RESOURCE, f"s{number}", len(descriptors), ViewKind.TYPED, found.dimension,
            found.stride, found.format, min_lod=float(min(lod, texture.layout.mips - 1)),
        )  # fmt: skip
        descriptors.append(found)
        samplers[number] = sampler
    return BoundTextures(views, tuple(descriptors), samplers, tuple(notes))


def texture_of(bound: BoundProgram, number: int) -> Texture:
    """Return what a sampler reads; a view without a format if nothing is bound to it."""
    view = bound.views.get((Memory.RESOURCE, number, number))
    if view is None:
        return _UNBOUND
    return view, bound.samplers9[number]


_UNBOUND = (
    View(
        Memory.RESOURCE, "s", 0, ViewKind.TYPED, ResourceDimension.TEXTURE2D, is_bound=False
    ),
    SamplerState9(),
)  # fmt: skip
