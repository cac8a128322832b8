"""Calls of a device that set and return states: numbers, matrices, lights, areas.

Spec: win32 IDirect3DDevice9, "Methods".
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import fields
from typing import Any, TypeVar, cast

import numpy as np
from numpy.typing import NDArray

from softd3d.arguments import flag, integer, integers, items, named, real, shown
from softd3d.device.d3d9.draws.vendor_codes import COMMANDS, carry_out
from softd3d.device.d3d9.recording import Item, Recorded
from softd3d.device.d3d9.state import SAMPLERS, Part, Viewport9, parts_of_render_state
from softd3d.device.d3d9.values import (
    RENDER,
    SAMPLER,
    STAGE,
    dword,
    floats_of,
    transform_number,
)
from softd3d.errors import ResourceError
from softd3d.isa.d3d9.enums import LightType
from softd3d.isa.d3d9.states import RenderState
from softd3d.isa.sm1.limits import MAX_CLIP_PLANES, TEXTURE_STAGES
from softd3d.pipeline.fixed9.state import Light, Material
from softd3d.pipeline.state import Rect
from softd3d.resources.d3d9.surfaces import Texture9

__all__ = ["StateCalls"]

_T = TypeVar("_T", Material, Light)
_MOST_LIGHTS = 1 << 16
_IDENTITY = np.eye(4, dtype=np.float32)
_IDENTITY.flags.writeable = False
_PIXELS = range(-(1 << 15), 1 << 15)
_STAGES = range(TEXTURE_STAGES)
_POINT_SIZE = RenderState.POINTSIZE
_DWORDS = range(1 << 32)


class StateCalls(Recorded):
    """Set and get states. A call while a state block is recorded goes to the block."""

    # Render, sampler and texture stage states

    def set_render_state(self, state: object, value: object) -> None:
        """Set a render state (D3DRS): a member, a name or a number, and what becomes its DWORD.

        value: an integer is the DWORD, a float its bits, a bool 0 or 1, a text the names of values.
        What a value means, and whether it is allowed, is looked at by draws that need it. Codes of
        vendors for POINTSIZE that are commands (RESZ) are carried out, and not kept.

        Raises:
            ResourceError: there is no such state, or no such value, or a command cannot be done.
        """
        number = RENDER.number(state)
        word = value if type(value) is int and 0 <= value < 1 << 32 else RENDER.value(number, value)
        if self.recording is not None:
            self.recording[Item.RENDER, number] = word
            return
        if word in COMMANDS and number == _POINT_SIZE:
            carry_out(word, self.state)
            return
        words = self.state.render
        if words[number] != word:
            words[number] = word
            self.dirty |= parts_of_render_state(number)

    def get_render_state(self, state: object) -> int:
        """Return the DWORD of a render state."""
        return self.state.render[RENDER.number(state)]

    def set_sampler_state(self, sampler: int, type_: object, value: object) -> None:
        """Set a state (D3DSAMP) of a sampler: 0 to 15 of pixels, 256, 257 to 260 of vertices.

        Raises:
            ResourceError: there is no such sampler, state or value.
        """
        slot, number = _sampler(sampler), SAMPLER.number(type_)
        word = SAMPLER.value(number, value)
        if self.recording is not None:
            self.recording[Item.SAMPLER, slot, number] = word
            return
        words = self.state.samplers[slot]
        if words[number] != word:
            words[number] = word
            self.dirty |= Part.TEXTURES

    def get_sampler_state(self, sampler: int, type_: object) -> int:
        """Return the DWORD of a sampler's state."""
        return self.state.samplers[_sampler(sampler)][SAMPLER.number(type_)]

    def set_texture_stage_state(self, stage: int, type_: object, value: object) -> None:
        """Set a state (D3DTSS) of a texture stage, 0 to 7.

        As runtimes have it, a larger number is that of the last stage, or state.

        Raises:
            ResourceError: there is no such stage, state or value.
        """
        slot, number = _stage(stage), _stage_state(type_)
        word = STAGE.value(number, value)
        if self.recording is not None:
            self.recording[Item.STAGE, slot, number] = word
            return
        words = self.state.fixed.texture_stage_states[slot]
        if words[number] != word:
            words[number] = word
            self.dirty |= Part.PROGRAMS | Part.WORDS | Part.FIXED

    def get_texture_stage_state(self, stage: int, type_: object) -> int:
        """Return the DWORD of a texture stage's state."""
        return self.state.fixed.texture_stage_states[_stage(stage)][_stage_state(type_)]

    def set_texture(self, sampler: int, texture: Texture9 | None) -> None:
        """Bind a texture to a sampler, None for none.

        Raises:
            ResourceError: no such sampler, or no texture.
        """
        slot = _sampler(sampler)
        if texture is not None and not isinstance(texture, Texture9):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise ResourceError(
                f"set_texture: found {type(texture).__name__}, wanted a Texture9 or None"
            )
        if self.recording is not None:
            self.recording[Item.TEXTURE, slot] = texture
        elif self.state.textures[slot] is not texture:
            self.state.textures[slot] = texture
            self.dirty |= Part.TEXTURES

    def get_texture(self, sampler: int) -> Texture9 | None:
        """Return the texture of a sampler."""
        return self.state.textures[_sampler(sampler)]

    # Transforms

    def set_transform(self, state: object, matrix: object) -> None:
        """Set a matrix (D3DTS): 4 x 4 numbers in rows; vectors are rows, so v M.

        Raises:
            ResourceError: no such transform, or no 16 numbers.
        """
        number = transform_number(state)
        found = floats_of(matrix, (4, 4), "set_transform")
        if self.recording is not None:
            self.recording[Item.TRANSFORM, number] = found
        else:
            self.put_transform(number, found)

    def multiply_transform(self, state: object, matrix: object) -> None:
        """Put a matrix in front of the one that is set: M * T. State blocks do not record it.

        Raises:
            ResourceError: as `set_transform`.
        """
        number = transform_number(state)
        found = floats_of(matrix, (4, 4), "multiply_transform")
        with np.errstate(all="ignore"):
            self.put_transform(number, found @ self.state.fixed.transforms.get(number, _IDENTITY))

    def get_transform(self, state: object) -> NDArray[np.float32]:
        """Return a copy of a matrix, float32, (4, 4)."""
        return self.state.fixed.transforms.get(transform_number(state), _IDENTITY).copy()

    # Lighting

    def set_material(self, material: Material | Mapping[str, object]) -> None:
        """Set the material: a `Material`, or a dictionary of its members; others are 0.

        Raises:
            ResourceError: a member that it has not, or no numbers.
        """
        found = _record(Material, material, "set_material")
        if self.recording is not None:
            self.recording[Item.MATERIAL,] = found
        elif found != self.state.fixed.material:
            self.put((Item.MATERIAL,), found)

    def get_material(self) -> Material:
        """Return the material."""
        return self.state.fixed.material

    def set_light(self, index: int, light: Light | Mapping[str, object]) -> None:
        """Set a light: a `Light`, or a dictionary of its members; what it leaves out is 0.

        Raises:
            ResourceError: as `set_material`, or no index.
        """
        number = _light(index)
        found = _record(Light, light, "set_light")
        if self.recording is not None:
            self.recording[Item.LIGHT, number] = found
        else:
            self.put_light(number, found)

    def get_light(self, index: int) -> Light:
        """Return a light.

        Raises:
            ResourceError: none was set or enabled with this index.
        """
        found = self.state.fixed.lights.get(_light(index))
        if found is None:
            raise ResourceError(f"get_light: found no light {index}")
        return found

    def light_enable(self, index: int, enable: object) -> None:
        """Switch a light on or off; where none was set, it is a white directional one.

        Raises:
            ResourceError: no index, or no bool.
        """
        number, is_on = _light(index), flag(enable, "light_enable")
        if self.recording is not None:
            self.recording[Item.LIGHT_ENABLE, number] = is_on
        else:
            self.put_light_enable(number, is_on)

    def get_light_enable(self, index: int) -> bool:
        """Return whether a light is on."""
        return _light(index) in self.state.fixed.enabled_lights

    # Areas, planes and patches

    def set_n_patch_mode(self, segments: float) -> None:
        """Set how many segments N-patches have. It is kept; the tessellator is not there.

        Raises:
            ResourceError: no number.
        """
        found = real(segments, "set_n_patch_mode")
        if self.recording is not None:
            self.recording[Item.N_PATCH_MODE,] = found
        else:
            self.state.n_patch_mode = found

    def get_n_patch_mode(self) -> float:
        """Return the number of segments of N-patches."""
        return self.state.n_patch_mode

    def set_clip_plane(self, index: int, plane: object) -> None:
        """Set a user clip plane, 0 to 5: what has a x + b y + c z + d w >= 0 stays.

        Raises:
            ResourceError: no such plane, or no four numbers.
        """
        number = integer(index, "clip plane", range(MAX_CLIP_PLANES))
        found = floats_of(plane, (4,), "set_clip_plane").tolist()
        if self.recording is not None:
            self.recording[Item.CLIP_PLANE, number] = found
        else:
            self.put_clip_plane(number, found)

    def get_clip_plane(self, index: int) -> tuple[float, float, float, float]:
        """Return a plane's four numbers."""
        return self.clip_plane(integer(index, "clip plane", range(MAX_CLIP_PLANES)))

    def set_viewport(
        self, x: object, y: object = 0, width: object = 0, height: object = 0,
        min_z: object = 0.0, max_z: object = 1.0,
    ) -> None:  # fmt: skip
        """Set the viewport: a `Viewport9` alone, or its members, also as one sequence.

        Depths are clamped to 0 to 1. The first may be the larger one.

        Raises:
            ResourceError: no pixels, or no numbers.
        """
        found = _viewport(x, (y, width, height, min_z, max_z))
        if self.recording is not None:
            self.recording[Item.VIEWPORT,] = found
        elif found != self.state.viewport:
            self.state.viewport = found
            self.dirty |= Part.TARGETS | Part.WORDS | Part.FIXED

    def get_viewport(self) -> Viewport9:
        """Return the viewport."""
        return self.state.viewport

    def set_scissor_rect(
        self, left: object, top: object = 0, right: object = 0, bottom: object = 0
    ) -> None:
        """Set the scissor rectangle: a `Rect` alone, or left, top, right, bottom, also as a list.

        right, bottom: exclusive.

        Raises:
            ResourceError: no integers.
        """
        if isinstance(left, Rect):
            found = left
        else:
            sides: object = (left, top, right, bottom)
            if isinstance(left, (list, tuple)):
                sides = cast("object", left)
            names = "left, top, right, bottom as integers"
            found = Rect(*integers(sides, 4, "set_scissor_rect", names))
        if self.recording is not None:
            self.recording[Item.SCISSOR,] = found
        elif found != self.state.scissor:
            self.state.scissor = found
            self.dirty |= Part.TARGETS

    def get_scissor_rect(self) -> Rect:
        """Return the scissor rectangle."""
        return self.state.scissor


def _stage(stage: object) -> int:
    return min(integer(stage, "texture stage", _DWORDS), _STAGES[-1])


def _stage_state(state: object) -> int:
    """Return the number of a state of stages."""
    is_beyond = type(state) is int and state in _DWORDS and state >= STAGE.count
    return STAGE.count - 1 if is_beyond else STAGE.number(state)


def _sampler(sampler: object) -> int:
    number = sampler if type(sampler) is int else integer(sampler, "sampler")
    if number not in SAMPLERS:
        raise ResourceError(f"sampler: found {shown(sampler)}, wanted 0 to 15, or 256 to 260")
    return number


def _light(index: object) -> int:
    return integer(index, "light", range(_MOST_LIGHTS))


def _viewport(one: object, others: tuple[object, ...]) -> Viewport9:
    given = (one, *others)
    if isinstance(one, Viewport9):
        given = (one.x, one.y, one.width, one.height, one.min_z, one.max_z)
    elif isinstance(one, (list, tuple)):
        members = tuple(cast("Sequence[object]", one))
        if len(members) not in (4, 6):
            raise ResourceError(
                f"viewport: found {shown(members)}, wanted x, y, width, height, min_z, max_z"
            )
        given = (*members, 0.0, 1.0)[:6]
    x, y, width, height = (
        integer(n, f"viewport {name}", _PIXELS)
        for n, name in zip(given, ("x", "y", "width", "height"), strict=False)
    )
    first, last = (min(max(real(n, "viewport min_z, max_z"), 0.0), 1.0) for n in given[4:])
    if x < 0 or y < 0 or width < 0 or height < 0 or x + width >= 1 << 15 or y + height >= 1 << 15:
        raise ResourceError(
            f"viewport: found {width} x {height} pixels at {x}, {y}, wanted them within 0 to 32767"
        )
    return Viewport9(x, y, width, height, first, last)


def _light_type(value: object, what: str) -> int:
    """Return a type of lights; numbers that are none are kept, and such lights do not count."""
    if isinstance(value, str):
        return named(LightType, value, what, "D3DLIGHT_")
    number = dword(value, what)
    return LightType(number) if number in _LIGHT_TYPES else number


_LIGHT_TYPES = frozenset(LightType)


def _zero(default: Any) -> Any:
    """Return what a member is that a dictionary leaves out; of a light's type its default."""
    if isinstance(default, LightType):
        return default
    return (0.0,) * len(cast("tuple[float, ...]", default)) if isinstance(default, tuple) else 0.0


def _record(kind: type[_T], given: object, what: str) -> _T:
    """Return a material or light of numbers of the right type, all of float32."""
    if isinstance(given, kind):
        values: dict[str, Any] = {f.name: getattr(given, f.name) for f in fields(kind)}
    elif isinstance(given, Mapping):
        zeros = {f.name: _zero(f.default) for f in fields(kind)}
        values = zeros | dict(cast("Mapping[str, Any]", given))
    else:
        raise ResourceError(
            f"{what}: found {shown(given)}, wanted a {kind.__name__}, or a dictionary"
        )
    names = {f.name: f.default for f in fields(kind)}
    for name, value in values.items():
        if name not in names:
            raise ResourceError(f"{what}: found {shown(name)}, wanted {', '.join(names)}")
        if name == "type":
            values[name] = _light_type(value, f"{what}: type")
            continue
        default = names[name]
        size = len(cast("Any", default)) if isinstance(default, tuple) else 0
        numbers = items(value, 4) if size else (value,)
        if numbers is None or len(numbers) != max(size, 1):
            raise ResourceError(f"{what}: {name}: found {shown(value)}, wanted {size} numbers")
        found = floats_of(numbers, (len(numbers),), f"{what}: {name}").tolist()
        values[name] = tuple(found) if size else found[0]
    return kind(**values)
