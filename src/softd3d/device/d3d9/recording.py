"""The state of a device as items that state blocks keep: how each is read and written.

Spec: win32 IDirect3DDevice9::CreateStateBlock, ::BeginStateBlock, "Saving All, Vertex, or Pixel
States".
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from enum import IntEnum
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from softd3d.device.d3d9.state import DeviceState, Part, new_state, parts_of_render_state
from softd3d.isa.d3d9.states import TransformState
from softd3d.pipeline.fixed9.state import Color, FixedFunctionState, Light

__all__ = ["Item", "Key", "Recorded"]

Key: TypeAlias = "tuple[Item, *tuple[int, ...]]"


class Item(IntEnum):
    """What a state block can hold; the numbers behind it say which."""

    RENDER = 0
    SAMPLER = 1
    STAGE = 2
    TEXTURE = 3
    TRANSFORM = 4
    MATERIAL = 5
    LIGHT = 6
    LIGHT_ENABLE = 7
    CLIP_PLANE = 8
    VIEWPORT = 9
    SCISSOR = 10
    DECLARATION = 11
    STREAM = 12
    FREQUENCY = 13
    INDICES = 14
    VERTEX_SHADER = 15
    PIXEL_SHADER = 16
    VERTEX_FLOATS = 17
    VERTEX_INTEGERS = 18
    VERTEX_BOOLEANS = 19
    PIXEL_FLOATS = 20
    PIXEL_INTEGERS = 21
    PIXEL_BOOLEANS = 22
    N_PATCH_MODE = 23


_CONSTANTS = {
    Item.VERTEX_FLOATS: ("vertex", 0), Item.VERTEX_INTEGERS: ("vertex", 1),
    Item.VERTEX_BOOLEANS: ("vertex", 2), Item.PIXEL_FLOATS: ("pixel", 0),
    Item.PIXEL_INTEGERS: ("pixel", 1), Item.PIXEL_BOOLEANS: ("pixel", 2),
}  # fmt: skip
_SLOTS = {
    Item.MATERIAL: ("material", Part.FIXED),
    Item.VIEWPORT: ("viewport", Part.TARGETS | Part.WORDS | Part.FIXED),
    Item.SCISSOR: ("scissor", Part.TARGETS),
    Item.DECLARATION: ("declaration", Part.PROGRAMS | Part.BUFFERS | Part.FIXED),
    Item.INDICES: ("indices", Part.BUFFERS),
    Item.N_PATCH_MODE: ("n_patch_mode", 0),
    Item.VERTEX_SHADER: ("vertex_shader", Part.PROGRAMS | Part.VERTEX | Part.WORDS | Part.FIXED),
    Item.PIXEL_SHADER: ("pixel_shader", Part.PROGRAMS | Part.PIXEL | Part.WORDS | Part.FIXED),
}


_STAGES = int(Part.PROGRAMS | Part.WORDS | Part.FIXED)


class Recorded:
    """A device's state, and the block that calls are recorded to instead, if there is one.

    dirty: bits of `Part`. recording: values by item.
    """

    def __init__(self, profile: str) -> None:
        self.profile = profile
        self.state = new_state(profile)
        self.dirty = int(Part.ALL)
        self.recording: dict[Key, Any] | None = None

    # Values that need more than an assignment

    def put_transform(self, number: int, matrix: NDArray[np.float32]) -> None:
        """Set a transform: float32, (4, 4). PROJECTION decides which depth fog takes."""
        self.state.fixed.transforms[number] = matrix
        self.dirty |= Part.FIXED | (Part.PROGRAMS if number == TransformState.PROJECTION else 0)

    def put_light(self, number: int, light: Light) -> None:
        """Set a light; only another type is another program."""
        known = self.state.fixed.lights.get(number)
        if known != light:
            self.state.fixed.lights[number] = light
            is_same = known is not None and known.type is light.type
            self.dirty |= Part.FIXED if is_same else Part.FIXED | Part.PROGRAMS

    def put_light_enable(self, number: int, is_on: bool) -> None:  # noqa: FBT001 - it is the value
        """Switch a light; one that was never set gets its defaults when it goes on."""
        lights = self.state.fixed.enabled_lights
        if is_on == (number in lights):
            return
        if is_on:
            self.state.fixed.lights.setdefault(number, Light())
            lights.add(number)
        else:
            lights.discard(number)
        self.dirty |= Part.FIXED | Part.PROGRAMS

    def put_clip_plane(self, number: int, plane: Color) -> None:
        """Set the four numbers of a clip plane."""
        self.state.fixed.clip_planes[number] = plane
        self.dirty |= Part.WORDS | Part.FIXED

    def clip_plane(self, number: int) -> Color:
        """Return the four numbers of a clip plane."""
        return self.state.fixed.clip_planes.get(number, (0.0, 0.0, 0.0, 0.0))

    def constants_of(self, item: Item) -> NDArray[np.uint32]:
        """Return a file of constants: uint32, (words,), the file itself."""
        stage, number = _CONSTANTS[item]
        state = self.state
        files = state.vertex_constants if stage == "vertex" else state.pixel_constants
        return files.files[number]

    def put_constants(self, item: Item, start: int, words: NDArray[np.uint32]) -> None:
        """Set words of a file of constants from one on: uint32, (n,), which must fit."""
        is_vertex = _CONSTANTS[item][0] == "vertex"
        files = self.state.vertex_constants if is_vertex else self.state.pixel_constants
        files.files[_CONSTANTS[item][1]][start : start + words.size] = words
        files.version += 1
        self.dirty |= Part.VERTEX if is_vertex else Part.PIXEL

    # Items

    def value_of(self, key: Key) -> Any:
        """Return what an item is now; of arrays a copy."""
        item, *numbers = key
        place = self._place(key)
        if place is not None:
            return place[0][place[1]]
        if item in _SLOTS:
            return getattr(self._owner(item), _SLOTS[item][0])
        if item in _CONSTANTS:
            start, count = numbers
            return self.constants_of(item)[start : start + count].copy()
        return _READ[item](self, numbers)

    def put(self, key: Key, value: Any) -> None:
        """Set an item to a value that was checked before."""
        item, *numbers = key
        place = self._place(key)
        if place is not None:
            place[0][place[1]] = value
            self.dirty |= place[2]
        elif item in _SLOTS:
            name, parts = _SLOTS[item]
            setattr(self._owner(item), name, value)
            self.dirty |= parts
        elif item in _CONSTANTS:
            self.put_constants(item, numbers[0], value)
        else:
            _WRITTEN[item](self, numbers, value)

    def _place(self, key: Key) -> tuple[Any, int, int] | None:
        """Return the list or dictionary that has an item, its place there, and what it touches."""
        item, *numbers = key
        state = self.state
        match item:
            case Item.RENDER:
                return state.render, numbers[0], parts_of_render_state(numbers[0])
            case Item.SAMPLER:
                return state.samplers[numbers[0]], numbers[1], Part.TEXTURES
            case Item.STAGE:
                return state.fixed.texture_stage_states[numbers[0]], numbers[1], _STAGES
            case Item.TEXTURE:
                return state.textures, numbers[0], Part.TEXTURES
            case Item.STREAM:
                return state.streams, numbers[0], Part.BUFFERS
            case Item.FREQUENCY:
                return state.frequencies, numbers[0], Part.BUFFERS | Part.PROGRAMS
            case _:
                return None

    def _owner(self, item: Item) -> DeviceState | FixedFunctionState:
        return self.state.fixed if item is Item.MATERIAL else self.state


_READ: Mapping[Item, Callable[[Recorded, Sequence[int]], Any]] = {
    Item.TRANSFORM: lambda device, n: device.state.fixed.transform(n[0]),
    Item.LIGHT: lambda device, n: device.state.fixed.lights.get(n[0], Light()),
    Item.LIGHT_ENABLE: lambda device, n: n[0] in device.state.fixed.enabled_lights,
    Item.CLIP_PLANE: lambda device, n: device.clip_plane(n[0]),
}
_WRITTEN: Mapping[Item, Callable[[Recorded, Sequence[int], Any], None]] = {
    Item.TRANSFORM: lambda device, n, value: device.put_transform(n[0], value),
    Item.LIGHT: lambda device, n, value: device.put_light(n[0], value),
    Item.LIGHT_ENABLE: lambda device, n, value: device.put_light_enable(n[0], value),
    Item.CLIP_PLANE: lambda device, n, value: device.put_clip_plane(n[0], value),
}
