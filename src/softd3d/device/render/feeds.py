"""What a mesh gives to a parameter of a signature: values by semantic.

Semantics are names without fixed meaning, so the words in them decide.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from softd3d.classes import dataclass
from softd3d.container.reflection.enums import RegisterComponentType, SystemValue
from softd3d.container.reflection.signature import SignatureElement
from softd3d.device.render.meshes import Camera, Mesh

__all__ = ["Feed", "Surface", "feed_of", "values_of"]

Floats = NDArray[np.float64]
_INTEGERS = frozenset(
    {
        RegisterComponentType.UINT16, RegisterComponentType.SINT16, RegisterComponentType.UINT32,
        RegisterComponentType.SINT32, RegisterComponentType.UINT64, RegisterComponentType.SINT64,
    }
)  # fmt: skip
_LIGHT = np.array([-1.0, 2.0, -3.0]) / np.sqrt(14.0)
_XYZ = 7  # the mask of three components


@dataclass(frozen=True, slots=True)
class Surface:
    """What feeds are made of. is_textured: whether the pixel shader reads textures."""

    mesh: Mesh
    camera: Camera
    is_textured: bool


@dataclass(frozen=True, slots=True)
class Feed:
    """What a parameter gets: a description, and float64 (vertices, up to 4) numbers."""

    says: str
    values: Callable[[Surface], Floats]


_UV = Feed("u, v, 0, 1", lambda s: _wide(s.mesh.coordinates))
_DIRECTION = Feed("the direction from the mesh's centre", lambda s: s.mesh.directions)
_ZERO = Feed("0", lambda s: np.zeros((len(s.mesh.positions), 4)))
_ONE = Feed("1", lambda s: np.ones((len(s.mesh.positions), 4)))
_FIRST_ONE = Feed("1, 0, 0, 0", lambda s: _wide(_ONE.values(s)[:, :1], last=0))
_POSITION = Feed("the position", lambda s: _wide(s.mesh.positions))
_NORMAL = Feed("the normal", lambda s: _wide(s.mesh.normals, last=0))
_TANGENT = Feed("the tangent, 1", lambda s: _wide(s.mesh.tangents))
_BINORMAL = Feed("the binormal", lambda s: _wide(s.mesh.binormals, last=0))
_VIEW = Feed("the direction to the eye", lambda s: _unit(s.camera.eye - s.mesh.positions))
_LIT = Feed(
    "the direction to a light behind the viewer",
    lambda s: np.tile(_LIGHT, (len(s.mesh.positions), 1)),
)
_COLOR = Feed("a colour by position", lambda s: _wide(s.mesh.positions / 2 + 0.5))
_WHITE = Feed("white", _ONE.values)
# Words in names, those first that are in each other
_WORDS = (
    ("BINORMAL", _BINORMAL), ("BITANGENT", _BINORMAL), ("TANGENT", _TANGENT), ("NORMAL", _NORMAL),
    ("COLOR", _COLOR), ("COLOUR", _COLOR), ("DIFFUSE", _COLOR), ("SPECULAR", _ZERO),
    ("POS", _POSITION), ("BLENDWEIGHT", _FIRST_ONE), ("BLENDINDICES", _ZERO), ("PSIZE", _ONE),
    ("FOG", _ONE), ("VIEW", _VIEW), ("EYE", _VIEW), ("CAMERA", _VIEW), ("LIGHT", _LIT),
)  # fmt: skip


def feed_of(parameter: SignatureElement, surface: Surface) -> Feed:
    """Return what a parameter gets.

    Integers are 0. SV_ClipDistance and SV_CullDistance are 1, so nothing is cut off. The first
    colour is white where textures are read, else a gradient; further ones are 0. Texture
    coordinates and names without a word that tells get u, v, 0, 1, or, if they have just x, y and
    z, a direction.
    """
    name = parameter.name.upper()
    if parameter.component_type in _INTEGERS:
        return _ZERO
    if parameter.meaning in (SystemValue.CLIP_DISTANCE, SystemValue.CULL_DISTANCE):
        return _ONE
    if not name.startswith("TEXCOORD"):
        for word, feed in _WORDS:
            if word in name:
                return _color_of(parameter, surface) if feed is _COLOR else feed
    return _DIRECTION if parameter.mask & 15 in (_XYZ, _XYZ << 1) else _UV


def values_of(parameter: SignatureElement, surface: Surface) -> NDArray[np.uint32]:
    """Return the bits of a parameter's components x, y, z, w: (vertices, 4), from its first on.

    A parameter that lies in y and z of a register has its first two numbers there.
    """
    numbers = _wide(feed_of(parameter, surface).values(surface))
    if parameter.component_type in _INTEGERS:
        return numbers.astype(np.uint32)
    first = max(0, ((parameter.mask & 15) & -(parameter.mask & 15)).bit_length() - 1)
    return np.roll(numbers.astype(np.float32), first, 1).view(np.uint32)


def _color_of(parameter: SignatureElement, surface: Surface) -> Feed:
    if parameter.semantic_index:
        return _ZERO
    return _WHITE if surface.is_textured else _COLOR


def _wide(numbers: Floats, last: float = 1) -> Floats:
    """Return four components: 0 for missing ones, `last` for a missing w."""
    found = np.zeros((len(numbers), 4))
    found[:, 3] = last
    found[:, : numbers.shape[1]] = numbers
    return found


def _unit(vectors: Floats) -> Floats:
    return vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-9)
