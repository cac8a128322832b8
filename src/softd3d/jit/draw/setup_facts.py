"""What the setup kernel depends on, known before anything is recorded."""

from __future__ import annotations

from collections.abc import Iterable

from softd3d.classes import dataclass
from softd3d.pipeline.rasterizer.bias import DepthBias
from softd3d.pipeline.stages import RasterizerInputs

__all__ = ["SetupFacts"]


@dataclass(frozen=True, slots=True)
class SetupFacts:
    """What the kernel depends on, besides states.

    inputs: named by their places in a row of outputs, `0`, `1` and so on. So draws with different
    shaders have the same kernel.
    """

    corners: int
    inputs: RasterizerInputs
    bias: DepthBias

    @classmethod
    def of(
        cls, corners: int, outputs: tuple[str, ...], inputs: RasterizerInputs, bias: DepthBias
    ) -> SetupFacts:
        """Return facts for inputs with the names that they have among outputs, those of a row."""

        def placed(names: Iterable[str]) -> tuple[str, ...]:
            return tuple(str(outputs.index(name)) for name in names)

        x, y, z, w = placed(inputs.position)
        indices = (inputs.viewport_index, inputs.slice_index)
        viewport, slice_ = (None if name is None else placed([name])[0] for name in indices)
        clip, cull = placed(inputs.clip), placed(inputs.cull)
        if bias.is_zero:  # whatever the depth buffer's format
            bias = DepthBias()
        return cls(corners, RasterizerInputs((x, y, z, w), clip, cull, viewport, slice_), bias)
