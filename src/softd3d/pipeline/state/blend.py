"""State of blending: D3D11_BLEND_DESC1. Spec: D3D11.3 sections 17.1 to 17.7."""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

from softd3d.arguments import flag, integer, items, named, shown, whole
from softd3d.classes import dataclass
from softd3d.errors import ResourceError
from softd3d.isa.limits import MAX_RENDER_TARGETS
from softd3d.pipeline.state.enums import Blend, BlendOp, ColorWriteEnable, LogicOp
from softd3d.pipeline.state.records import settle

__all__ = ["BlendState", "RenderTargetBlendDesc"]

_FACTORS = ("src_blend", "dest_blend", "src_blend_alpha", "dest_blend_alpha")
_OPERATIONS = ("blend_op", "blend_op_alpha")
_ALL = 15
_COLOR, _ALPHA = 7, 8


@dataclass(frozen=True, slots=True)
class RenderTargetBlendDesc:
    """D3D11_RENDER_TARGET_BLEND_DESC1; enums are members, names or numbers.

    render_target_write_mask: a number, or "ALL", "RED" and so on, joined by "|".

    Raises:
        ResourceError: a value that Direct3D does not allow; the text says which.

    >>> RenderTargetBlendDesc(True, src_blend="SRC_ALPHA", dest_blend="INV_SRC_ALPHA").src_blend
    <Blend.SRC_ALPHA: 5>
    """

    blend_enable: bool = False
    logic_op_enable: bool = False
    src_blend: Blend | str | int = Blend.ONE
    dest_blend: Blend | str | int = Blend.ZERO
    blend_op: BlendOp | str | int = BlendOp.ADD
    src_blend_alpha: Blend | str | int = Blend.ONE
    dest_blend_alpha: Blend | str | int = Blend.ZERO
    blend_op_alpha: BlendOp | str | int = BlendOp.ADD
    logic_op: LogicOp | str | int = LogicOp.NOOP
    render_target_write_mask: ColorWriteEnable | str | int = ColorWriteEnable.ALL

    def __post_init__(self) -> None:
        values: dict[str, object] = {
            **{
                name: flag(getattr(self, name), f"blend {name}")
                for name in ("blend_enable", "logic_op_enable")
            },
            **{
                name: named(Blend, getattr(self, name), f"blend {name}", "D3D11_BLEND_")
                for name in _FACTORS
            },
            **{
                name: named(BlendOp, getattr(self, name), f"blend {name}", "D3D11_BLEND_OP_")
                for name in _OPERATIONS
            },
            "logic_op": named(LogicOp, self.logic_op, "blend logic_op", "D3D11_LOGIC_OP_"),
            "render_target_write_mask": _write_mask(self.render_target_write_mask),
        }
        settle(self, values)
        self._check()

    @property
    def is_dual_source(self) -> bool:
        """Whether blending takes the pixel shader's second output."""
        return self.blend_enable and any(Blend(getattr(self, n)).is_dual_source for n in _FACTORS)

    @property
    def second_source(self) -> int:
        """Components of the pixel shader's second output that blending takes, red in bit 0."""
        found = 0
        for factor in (Blend(getattr(self, n)) for n in _FACTORS if self.blend_enable):
            if factor.is_dual_source:
                found |= _COLOR if factor.is_color else _ALPHA
        return found

    @property
    def write_mask(self) -> int:
        """Bits of the components that are written, red in bit 0."""
        return int(self.render_target_write_mask)

    def _check(self) -> None:
        """Refuse what Direct3D refuses when a state is created."""
        for name in ("src_blend_alpha", "dest_blend_alpha"):
            factor = Blend(getattr(self, name))
            if factor.is_color:
                raise ResourceError(
                    f"blend {name}: found {factor.name}, wanted a factor of no colour "
                    f"such as {factor.name.replace('COLOR', 'ALPHA')}"
                )
        if self.blend_enable and self.logic_op_enable:
            raise ResourceError(
                "blend logic_op_enable: found True with blend_enable, wanted one of them"
            )
        if not self.is_dual_source:
            return
        for name in _OPERATIONS:
            operation = BlendOp(getattr(self, name))
            if operation in (BlendOp.MIN, BlendOp.MAX):
                raise ResourceError(
                    f"blend {name}: found {operation.name} with a factor of the second source, "
                    "wanted ADD, SUBTRACT or REV_SUBTRACT"
                )


@dataclass(frozen=True, slots=True)
class BlendState:
    """D3D11_BLEND_DESC1 with Direct3D's defaults.

    render_target: a description, or up to 8 of them; missing ones have the defaults. Without
    independent_blend_enable the first counts for all targets.

    Raises:
        ResourceError: a value that Direct3D does not allow; the text says which.

    >>> BlendState(render_target=RenderTargetBlendDesc(True)).description(7).blend_enable
    True
    """

    alpha_to_coverage_enable: bool = False
    independent_blend_enable: bool = False
    render_target: RenderTargetBlendDesc | Sequence[RenderTargetBlendDesc] = ()

    def __post_init__(self) -> None:
        values: dict[str, object] = {
            name: flag(getattr(self, name), f"blend {name}")
            for name in ("alpha_to_coverage_enable", "independent_blend_enable")
        }
        values["render_target"] = _descriptions(self.render_target)
        settle(self, values)
        if self.independent_blend_enable and any(d.logic_op_enable for d in self.descriptions):
            raise ResourceError(
                "blend logic_op_enable: found True with independent_blend_enable, "
                "wanted one of them"
            )

    @property
    def descriptions(self) -> tuple[RenderTargetBlendDesc, ...]:
        """All 8 descriptions as they were given."""
        return cast("tuple[RenderTargetBlendDesc, ...]", self.render_target)

    def description(self, slot: int) -> RenderTargetBlendDesc:
        """Return the description that counts for a render target.

        Raises:
            ResourceError: there is no such slot.
        """
        number = integer(slot, "render target", range(MAX_RENDER_TARGETS))
        return self.descriptions[number if self.independent_blend_enable else 0]


def _write_mask(value: object) -> ColorWriteEnable:
    """Return a set of components, of a number or of names joined by "|"."""
    if isinstance(value, str):
        words = [word.strip().upper() for word in value.split("|")]
        words = [word.removeprefix("D3D11_COLOR_WRITE_ENABLE_") for word in words]
        if all(word in ColorWriteEnable.__members__ for word in words):
            mask = ColorWriteEnable(0)
            for word in words:
                mask |= ColorWriteEnable[word]
            return mask
    else:
        try:
            number = whole(value)
        except TypeError:
            number = -1
        if 0 <= number <= _ALL:
            return ColorWriteEnable(number)
    raise ResourceError(
        f"blend render_target_write_mask: found {shown(value)}, "
        "wanted 0 to 15, or RED, GREEN, BLUE, ALPHA, ALL, joined by |"
    )


def _descriptions(value: object) -> tuple[RenderTargetBlendDesc, ...]:
    given = (value,) if isinstance(value, RenderTargetBlendDesc) else value
    found = items(given, MAX_RENDER_TARGETS)
    if found is None or not all(isinstance(d, RenderTargetBlendDesc) for d in found):
        raise ResourceError(
            f"blend render_target: found {shown(value)}, wanted RenderTargetBlendDesc, up to 8"
        )
    if len(found) > MAX_RENDER_TARGETS:
        raise ResourceError("blend render_target: found more than 8 descriptions, wanted up to 8")
    missing = MAX_RENDER_TARGETS - len(found)
    kept = cast("tuple[RenderTargetBlendDesc, ...]", found)
    return (*kept, *(RenderTargetBlendDesc(),) * missing)
