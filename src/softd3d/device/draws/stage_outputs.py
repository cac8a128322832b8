"""The mesh after a stage of a draw as arrays, with fields named by semantics."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from softd3d.classes import dataclass
from softd3d.container.reflection.enums import RegisterComponentType
from softd3d.container.reflection.signature import Signature, SignatureElement
from softd3d.pipeline.primitives.records import Numbers
from softd3d.shaders.shader import Shader

if TYPE_CHECKING:
    from softd3d.interp.draw.meshes import Mesh

__all__ = ["StageOutputs", "stage_outputs_of"]

_TYPES = {
    RegisterComponentType.UINT32: np.dtype(np.uint32),
    RegisterComponentType.SINT32: np.dtype(np.int32),
}
_FLOAT = np.dtype(np.float32)
_WORDS = 4  # of a register


@dataclass(frozen=True, slots=True)
class StageOutputs:
    """The mesh that a stage of a draw leaves.

    vertices: structured, a field for each output with its semantic's name (TEXCOORD1 is TEXCOORD
        with index 1), of float32, uint32 or int32. Those of a hull shader are control points.
    primitives: int64, (primitives, corners): numbers of vertices, the leading one first. Those of
        a hull shader are patches. Strips come as lists.
    primitive_ids, instance_ids: uint32, (primitives,): SV_PrimitiveID, SV_InstanceID.
    patch_constants: of a hull shader, structured, (patches,), the factors among them; else None.
    """

    vertices: NDArray[Any]
    primitives: NDArray[np.int64]
    primitive_ids: NDArray[np.uint32]
    instance_ids: NDArray[np.uint32]
    patch_constants: NDArray[Any] | None = None


def stage_outputs_of(mesh: Mesh, shader: Shader, stream: int = 0) -> StageOutputs:
    """Return a mesh with fields for the outputs of the shader. stream: that it is of."""
    signatures = shader.signatures
    constants = None
    if mesh.constants is not None:
        words = {
            f"o{n // _WORDS}.{'xyzw'[n % _WORDS]}": column
            for n, column in enumerate(mesh.constants.T)
        }
        constants = _structured(signatures.patch_constant, words, mesh.constants.shape[0])
    return StageOutputs(
        _structured(signatures.output, mesh.outputs, mesh.count, stream), mesh.primitives,
        mesh.number, mesh.instance, constants,
    )  # fmt: skip


def _structured(
    signature: Signature | None, outputs: Mapping[str, Numbers], count: int, stream: int = 0
) -> NDArray[Any]:
    """Return a structured array; without a signature fields are registers."""
    if signature is None or not signature.elements:
        fields = _registers(outputs)
    else:
        fields = _fields(signature, stream)
    shapes = [
        (name, type_, (len(words),) if len(words) > 1 else ()) for name, type_, words in fields
    ]
    found = np.zeros(count, np.dtype(shapes))
    for name, type_, words in fields:
        columns = [outputs.get(word, np.zeros(count, np.uint32)).view(type_) for word in words]
        found[name] = np.stack(columns, axis=1) if len(columns) > 1 else columns[0]
    return found


_Field = tuple[str, np.dtype[Any], tuple[str, ...]]


def _fields(signature: Signature, stream: int) -> list[_Field]:
    """Return names, types and the outputs of a signature's elements; each name once."""
    found: dict[str, _Field] = {}
    for element in signature.elements:
        name = f"{element.name}{element.semantic_index or ''}"
        words = _words(element)
        if element.stream == stream and words:
            found.setdefault(name, (name, _TYPES.get(element.component_type, _FLOAT), words))
    return list(found.values())


def _words(element: SignatureElement) -> tuple[str, ...]:
    if element.register is None:
        return ()
    letters = [letter for n, letter in enumerate("xyzw") if element.mask >> n & 1]
    return tuple(f"o{element.register}.{letter}" for letter in letters)


def _registers(outputs: Mapping[str, Numbers]) -> list[_Field]:
    names = dict.fromkeys(word.partition(".")[0] for word in outputs)
    return [
        (name, _FLOAT, tuple(word for word in outputs if word.partition(".")[0] == name))
        for name in names
    ]
