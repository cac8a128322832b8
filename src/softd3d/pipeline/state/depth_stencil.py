"""State of depth and stencil tests: D3D11_DEPTH_STENCIL_DESC. Spec: D3D11.3 17.10 to 17.12."""

from __future__ import annotations

from dataclasses import field

from softd3d.arguments import flag, instance, integer, named
from softd3d.classes import dataclass
from softd3d.isa.sampling.state import ComparisonFunc
from softd3d.pipeline.state.enums import DepthWriteMask, StencilOp
from softd3d.pipeline.state.records import settle

__all__ = ["DepthStencilOpDesc", "DepthStencilState"]

_BYTE = range(256)
_COMPARISON = "D3D11_COMPARISON_"


@dataclass(frozen=True, slots=True)
class DepthStencilOpDesc:
    """D3D11_DEPTH_STENCILOP_DESC: the stencil test of front or back faces, and what follows it.

    Raises:
        ResourceError: no member of the enum.
    """

    stencil_fail_op: StencilOp | str | int = StencilOp.KEEP
    stencil_depth_fail_op: StencilOp | str | int = StencilOp.KEEP
    stencil_pass_op: StencilOp | str | int = StencilOp.KEEP
    stencil_func: ComparisonFunc | str | int = ComparisonFunc.ALWAYS

    def __post_init__(self) -> None:
        ops = ("stencil_fail_op", "stencil_depth_fail_op", "stencil_pass_op")
        what, prefix = "depth-stencil", "D3D11_STENCIL_OP_"
        found = {op: named(StencilOp, getattr(self, op), f"{what} {op}", prefix) for op in ops}
        settle(self, found)
        function = named(ComparisonFunc, self.stencil_func, f"{what} stencil_func", _COMPARISON)
        settle(self, {"stencil_func": function})


@dataclass(frozen=True, slots=True)
class DepthStencilState:
    """D3D11_DEPTH_STENCIL_DESC with Direct3D's defaults; enums are members, names or numbers.

    Raises:
        ResourceError: a value that Direct3D does not allow; the text says which.

    >>> DepthStencilState(depth_func="D3D11_COMPARISON_GREATER").depth_func
    <ComparisonFunc.GREATER: 5>
    """

    depth_enable: bool = True
    depth_write_mask: DepthWriteMask | str | int = DepthWriteMask.ALL
    depth_func: ComparisonFunc | str | int = ComparisonFunc.LESS
    stencil_enable: bool = False
    stencil_read_mask: int = 0xFF
    stencil_write_mask: int = 0xFF
    front_face: DepthStencilOpDesc = field(default_factory=DepthStencilOpDesc)
    back_face: DepthStencilOpDesc = field(default_factory=DepthStencilOpDesc)

    def __post_init__(self) -> None:
        what, mask = "depth-stencil", self.depth_write_mask
        values: dict[str, object] = {
            "depth_enable": flag(self.depth_enable, f"{what} depth_enable"),
            "depth_write_mask": named(
                DepthWriteMask, mask, f"{what} depth_write_mask", "D3D11_DEPTH_WRITE_MASK_"
            ),
            "depth_func": named(
                ComparisonFunc, self.depth_func, f"{what} depth_func", _COMPARISON
            ),
            "stencil_enable": flag(self.stencil_enable, f"{what} stencil_enable"),
            **{
                name: integer(getattr(self, name), f"{what} {name}", _BYTE)
                for name in ("stencil_read_mask", "stencil_write_mask")
            },
        }  # fmt: skip
        settle(self, values)
        for name in ("front_face", "back_face"):
            instance(getattr(self, name), DepthStencilOpDesc, f"{what} {name}")
