"""The camera in constants: matrices and eye positions, known by the names of variables.

Whether a shader multiplies by a matrix from the left or from the right, its instructions say: dot
products with the stored vectors take them for columns of a matrix for row vectors, products and
sums for rows.
"""

from __future__ import annotations

import re
from typing import Any

import numpy as np
from numpy.typing import NDArray

from softd3d.container.reflection.enums import ShaderVariableClass, ShaderVariableType
from softd3d.container.reflection.resources import Variable
from softd3d.device.render.meshes import Camera
from softd3d.isa.sm4.enums import OperandType
from softd3d.isa.sm4.program import Program
from softd3d.isa.sm4.rows import TABLE

__all__ = ["camera_text", "camera_value", "dotted_vectors"]

_MATRICES = frozenset({ShaderVariableClass.MATRIX_ROWS, ShaderVariableClass.MATRIX_COLUMNS})
_VIEW = re.compile(r"view|wvp|mvp|^vp$")
_PROJECTION = re.compile(r"proj|wvp|mvp|^vp$")
_INVERSE = re.compile(r"inv")
_EYE = re.compile(r"eye|(?:camera|view)_?pos")
_DOTS = frozenset({"dp2", "dp3", "dp4"})
_VECTOR_BYTES = 16
_SIDE = 4  # of a matrix


def dotted_vectors(program: Program) -> frozenset[tuple[int, int]]:
    """Return the constants that dot products read: (id of the buffer, vector)."""
    return frozenset(
        (operand.indices[0].immediate, operand.indices[-1].immediate)
        for i in program.instructions
        if TABLE[i.opcode].mnemonic in _DOTS
        for operand in i.operands
        if operand.type is OperandType.CONSTANT_BUFFER
        and len(operand.indices) > 1
        and all(index.relative is None for index in operand.indices)
    )


def camera_value(
    variable: Variable, buffer_id: int, dotted: frozenset[tuple[int, int]], camera: Camera
) -> NDArray[Any] | None:
    """Return what a variable is by its name, None if the name says nothing.

    Matrices are the product of the view and projection that they name, or the identity; vectors
    the eye's position.
    """
    type_ = variable.type
    name = variable.name.lower()
    if type_.elements or type_.type is not ShaderVariableType.FLOAT:
        return None
    if type_.class_ is ShaderVariableClass.VECTOR and type_.columns > 2 and _EYE.search(name):
        return np.append(camera.eye, 1.0)[: type_.columns].astype(np.float32)
    if type_.class_ not in _MATRICES or min(type_.rows, type_.columns) < _SIDE - 1:
        return None
    for_rows = _named_matrix(name, camera)
    is_dotted = (buffer_id, variable.offset // _VECTOR_BYTES) in dotted
    stored = for_rows.T if is_dotted else for_rows
    by_columns = type_.class_ is ShaderVariableClass.MATRIX_COLUMNS
    value = stored.T if by_columns else stored
    return value[: type_.rows, : type_.columns].astype(np.float32)


def camera_text(variable: Variable) -> str:
    """Say what `camera_value` gives to a variable that is the camera's."""
    name = variable.name.lower()
    if variable.type.class_ is ShaderVariableClass.VECTOR:
        return "the eye's position"
    parts = [word for word, is_in in (("view", _VIEW), ("projection", _PROJECTION))
             if is_in.search(name)]  # fmt: skip
    product = " x ".join(parts) or "the identity"
    return f"the inverse of {product}" if parts and _INVERSE.search(name) else product


def _named_matrix(name: str, camera: Camera) -> NDArray[Any]:
    """Return a matrix for row vectors."""
    product = np.eye(_SIDE)
    if _VIEW.search(name):
        product = product @ camera.view
    if _PROJECTION.search(name):
        product = product @ camera.projection
    return np.linalg.inv(product) if _INVERSE.search(name) else product
