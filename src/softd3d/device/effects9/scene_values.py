"""What parameters of an effect get in pictures: the camera by name or semantic, checkers, a light.

Only parameters that the file gives no value (all numbers 0, textures) get one.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from softd3d.container.comments.ctab import ParameterClass, ParameterType, RegisterSet
from softd3d.container.effects.d3d9.records import ResourceUsage, SamplerStates
from softd3d.container.effects.d3d9.references import parameter_name
from softd3d.container.listing.stream import constant_table_of
from softd3d.device.effects9.effect import Effect
from softd3d.device.effects9.parameters import EffectParameter
from softd3d.device.effects9.textures import default_texture, is_normal_map
from softd3d.device.render.meshes import Camera
from softd3d.errors import ShaderError
from softd3d.isa.sm1.enums import RegisterType
from softd3d.isa.sm1.program import Instruction, Program

__all__ = ["LIGHT", "give_defaults"]

LIGHT = np.array([-1.0, 2.0, -3.0]) / np.sqrt(14.0)
"""The direction to the light."""
_LIGHT_DISTANCE = 5.0
_SIDE = 4
_VIEW = re.compile(r"view|wvp|mvp|wv\b|^vp$")
_PROJECTION = re.compile(r"proj|wvp|mvp|^vp$")
_INVERSE = re.compile(r"inv")
_TRANSPOSED = re.compile(r"transp|it$")
_EYE = re.compile(r"eye|(?:camera|view)_?pos")
_LIGHT_POSITION = re.compile(r"light.*pos|pos.*light")
_LIGHT_DIRECTION = re.compile(r"light.*(?:dir|vec)|(?:dir|vec).*light|^light$|sun")
_MATRICES = (ParameterClass.MATRIX_ROWS, ParameterClass.MATRIX_COLUMNS)
_TEXTURES = range(ParameterType.TEXTURE, ParameterType.TEXTURECUBE + 1)
_DOTS = re.compile(r"dp\d|m\dx\d")


def give_defaults(effect: Effect, given: Iterable[str], camera: Camera) -> list[str]:
    """Set parameters that have no value, and return what was chosen, line by line.

    given: names that are left alone. Matrices are for row vectors unless instructions show that a
    shader has its vectors as columns.
    """
    kept = set(given)
    lines: list[str] = []
    readers = _readers(effect)
    kinds = _sampler_kinds(effect)
    for name, parameter in effect.parameters.items():
        if name in kept:
            continue
        if parameter.type in _TEXTURES and not parameter.elements:
            kind = kinds.get(name, parameter.type)
            parameter.value = texture = default_texture(name, kind)
            top = texture.surface()
            what = "a flat normal map" if is_normal_map(name) else "a checker"
            lines.append(f"texture {name}: {what} of {top.width} x {top.height}")
        elif parameter.dtype is not None and not np.any(parameter.value):
            words = (parameter.semantic or name).lower()
            lines += _numbers(parameter, words, camera, name in readers)
    return lines


def _numbers(
    parameter: EffectParameter,
    words: str,
    camera: Camera,
    is_column: bool,  # noqa: FBT001
) -> list[str]:
    name, shape = parameter.name, parameter.shape
    if parameter.type is not ParameterType.FLOAT:
        return [f"{name}: 0"]
    if parameter.class_ in _MATRICES and min(shape[-2:]) >= _SIDE - 1:
        matrix = _matrix(words, camera)
        if is_column != bool(_TRANSPOSED.search(words)):
            matrix = matrix.T
        part = matrix[: shape[-2], : shape[-1]].astype(np.float32)
        parameter.value = np.broadcast_to(part, shape).copy()
        return [f"matrix {name}: {_matrix_text(words)}"]
    if parameter.class_ is ParameterClass.VECTOR and shape[-1] >= _SIDE - 1 and len(shape) == 1:
        vector, text = _vector(words, camera)
        if vector is not None:
            parameter.value = np.append(vector, 1.0)[: shape[0]].astype(np.float32)
            return [f"{name}: {text}"]
    return [f"{name}: 0, of shape {shape}"]


def _vector(words: str, camera: Camera) -> tuple[NDArray[np.float64] | None, str]:
    if _EYE.search(words):
        return camera.eye, "the eye's position"
    if _LIGHT_POSITION.search(words):
        return LIGHT * _LIGHT_DISTANCE, "the position of a light above the viewer's left shoulder"
    if _LIGHT_DIRECTION.search(words):
        return LIGHT, "the direction to a light above the viewer's left shoulder"
    return None, ""


def _matrix(words: str, camera: Camera) -> NDArray[Any]:
    product = np.eye(_SIDE)
    if _VIEW.search(words):
        product = product @ camera.view
    if _PROJECTION.search(words):
        product = product @ camera.projection
    return np.linalg.inv(product) if _INVERSE.search(words) else product


def _matrix_text(words: str) -> str:
    parts = [
        word
        for word, pattern in (("view", _VIEW), ("projection", _PROJECTION))
        if pattern.search(words)
    ]
    product = " x ".join(parts) or "the identity"
    return f"the inverse of {product}" if parts and _INVERSE.search(words) else product


def _sampler_kinds(effect: Effect) -> dict[str, ParameterType]:
    """Return the types of the samplers that read textures, by the textures' names."""
    kinds: dict[str, ParameterType] = {}
    for resource in effect.records.resources:
        parameters = effect.records.parameters
        if resource.usage is ResourceUsage.PARAMETER and resource.index < len(parameters):
            variable = parameters[resource.index].variable
            if isinstance(variable.value, SamplerStates):
                kinds.setdefault(parameter_name(resource), variable.type.type)
    return kinds


def _readers(effect: Effect) -> set[str]:
    """Return the matrices that shaders multiply by from the left: with vectors as columns."""
    found: set[str] = set()
    for shader in effect.source.shaders:
        try:
            program = shader.program
            table = constant_table_of(program)
        except ShaderError:
            continue  # applying the pass will say what is wrong
        dotted = _dotted(program)
        for constant in () if table is None else table.constants:
            if constant.register_set is RegisterSet.FLOAT4 and constant.type.class_ in _MATRICES:
                by_columns = constant.type.class_ is ParameterClass.MATRIX_COLUMNS
                end = constant.register_index + constant.register_count
                if bool(dotted & set(range(constant.register_index, end))) != by_columns:
                    found.add(constant.name)
    return found


def _dotted(program: Program) -> set[int]:
    """Return the constant registers that dot products read."""
    return {
        source.number
        for i in program.instructions
        if isinstance(i, Instruction) and _DOTS.match(i.mnemonic)
        for source in i.sources
        if source.type is RegisterType.CONST
    }
