"""A device that writes down the calls effects make, in the words of the goldens."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["Block", "RecordingDevice", "fnv", "state_of"]

_MATERIAL = (("diffuse", 4), ("ambient", 4), ("specular", 4), ("emissive", 4), ("power", 1))
_LIGHT = (
    ("type", 0), ("diffuse", 4), ("specular", 4), ("ambient", 4), ("position", 3),
    ("direction", 3), ("range", 1), ("falloff", 1), ("attenuation0", 1), ("attenuation1", 1),
    ("attenuation2", 1), ("theta", 1), ("phi", 1),
)  # fmt: skip
_SINGLE_VALUE = ("vs", "ps", "fvf", "npatch", "mat")


def fnv(data: bytes) -> int:
    """Return the hash by which goldens name shaders (FNV-1a, 32 bits)."""
    value = 2166136261
    for byte in data:
        value = (value ^ byte) * 16777619 & 0xFFFFFFFF
    return value


class Block:
    """A state block that remembers that it was used."""

    def __init__(self, calls: list[str]) -> None:
        self.calls = calls

    def capture(self) -> None:
        self.calls.append("sb_capture")

    def apply(self) -> None:
        self.calls.append("sb_apply")


class RecordingDevice:
    """calls: what was called, a line each. Textures are ints, shaders hashes of their tokens."""

    def __init__(self) -> None:
        self.calls: list[str] = []
        self.created = 0

    def set_render_state(self, state: int, value: int) -> None:
        self.calls.append(f"rs {state} {value:08x}")

    def set_sampler_state(self, sampler: int, type: int, value: int) -> None:  # noqa: A002
        self.calls.append(f"ss {sampler} {type} {value:08x}")

    def set_texture_stage_state(self, stage: int, type: int, value: int) -> None:  # noqa: A002
        self.calls.append(f"tss {stage} {type} {value:08x}")

    def set_texture(self, sampler: int, texture: Any) -> None:
        self.calls.append(f"tex {sampler} {texture or 0}")

    def set_transform(self, state: int, matrix: NDArray[np.float32]) -> None:
        assert matrix.shape == (4, 4)
        self.calls.append(f"xf {state} {_words(matrix)}")

    def set_material(self, material: Mapping[str, Any]) -> None:
        self.calls.append(f"mat {_fields(material, _MATERIAL)}")

    def set_light(self, index: int, light: Mapping[str, Any]) -> None:
        self.calls.append(f"light {index} {_fields(light, _LIGHT)}")

    def light_enable(self, index: int, enable: bool) -> None:
        self.calls.append(f"lightenable {index} {int(enable)}")

    def set_fvf(self, fvf: int) -> None:
        self.calls.append(f"fvf {fvf:08x}")

    def set_n_patch_mode(self, segments: float) -> None:
        self.calls.append(f"npatch {_words(np.float32(segments))}")

    def create_vertex_shader(self, tokens: bytes) -> int:
        self.created += 1
        return fnv(tokens)

    create_pixel_shader = create_vertex_shader

    def set_vertex_shader(self, shader: int | None) -> None:
        self.calls.append(f"vs {shader or 0:08x}")

    def set_pixel_shader(self, shader: int | None) -> None:
        self.calls.append(f"ps {shader or 0:08x}")

    def set_vertex_shader_constant_f(self, start: int, values: NDArray[np.float32]) -> None:
        self.constants("vsf", start, values, np.float32)

    def set_vertex_shader_constant_i(self, start: int, values: NDArray[np.int32]) -> None:
        self.constants("vsi", start, values, np.int32)

    def set_vertex_shader_constant_b(self, start: int, values: NDArray[np.bool_]) -> None:
        self.constants("vsb", start, values, np.bool_)

    def set_pixel_shader_constant_f(self, start: int, values: NDArray[np.float32]) -> None:
        self.constants("psf", start, values, np.float32)

    def set_pixel_shader_constant_i(self, start: int, values: NDArray[np.int32]) -> None:
        self.constants("psi", start, values, np.int32)

    def set_pixel_shader_constant_b(self, start: int, values: NDArray[np.bool_]) -> None:
        self.constants("psb", start, values, np.bool_)

    def constants(self, name: str, start: int, values: NDArray[Any], dtype: Any) -> None:
        assert values.dtype == dtype
        assert values.shape[1:] == (() if dtype is np.bool_ else (4,))
        shown = values.astype(np.int32) if dtype is np.bool_ else values
        self.calls.append(f"{name} {start} {len(values)} {_words(shown)}")

    def begin_state_block(self) -> None:
        self.calls.append("begin_state_block")

    def end_state_block(self) -> Block:
        self.calls.append("end_state_block")
        return Block(self.calls)


def state_of(calls: list[str]) -> dict[tuple[str, ...], tuple[str, ...]]:
    """Return what calls leave set: by call and number, register by register; NaN is NaN."""
    state: dict[tuple[str, ...], tuple[str, ...]] = {}
    for call in calls:
        name, *rest = call.split()
        if name[1:] in ("sf", "si", "sb"):
            width = 1 if name[2] == "b" else 4
            for n in range(int(rest[1])):
                row = rest[2 + n * width : 2 + (n + 1) * width]
                state[name, str(int(rest[0]) + n)] = tuple(map(_plain, row))
        else:
            keys = 0 if name in _SINGLE_VALUE else 2 if name in ("ss", "tss") else 1
            state[name, *rest[:keys]] = tuple(map(_plain, rest[keys:]))
    return state


def _plain(word: str) -> str:
    is_nan = len(word) == 8 and int(word, 16) & 0x7FFFFFFF > 0x7F800000
    return "nan" if is_nan else word


def _words(values: Any) -> str:
    dwords = np.atleast_1d(np.ascontiguousarray(values)).view(np.uint32).reshape(-1)
    return " ".join(f"{dword:08x}" for dword in dwords.tolist())


def _fields(found: Mapping[str, Any], fields: tuple[tuple[str, int], ...]) -> str:
    assert set(found) <= {name for name, _ in fields}
    words: list[str] = []
    for name, count in fields:
        if count == 0:
            words.append(f"{found.get(name, 0):08x}")
        else:
            value = np.zeros(count, np.float32)
            value[:] = found.get(name, 0)
            words.append(_words(value))
    return " ".join(words)
