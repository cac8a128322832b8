"""State of the rasteriser: D3D11_RASTERIZER_DESC2, viewports and scissor rectangles.

Spec: D3D11.3 sections 15.2, 15.6, 15.7; CreateRasterizerState2 and RSSetViewports.
"""

from __future__ import annotations

import math

from softd3d.arguments import flag, float32, integer, named, one_of, shown
from softd3d.classes import dataclass
from softd3d.errors import ResourceError
from softd3d.isa.limits import VIEWPORT_BOUNDS
from softd3d.pipeline.state.enums import ConservativeRasterizationMode, CullMode, FillMode
from softd3d.pipeline.state.records import settle

__all__ = ["RasterizerState", "RasterizerState9", "Rect", "ReversibleViewport", "Viewport"]

_INT32 = range(-(1 << 31), 1 << 31)
_SAMPLE_COUNTS = (0, 1, 4, 8, 16)
_LEAST_NORMAL = 2.0**-126
_LEAST, _MOST = VIEWPORT_BOUNDS
_FLAGS = (
    "front_counter_clockwise", "depth_clip_enable", "scissor_enable", "multisample_enable",
    "antialiased_line_enable",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class RasterizerState:
    """D3D11_RASTERIZER_DESC2 with Direct3D's defaults; enums are members, names or numbers.

    forced_sample_count: 0 for none, 1, 4, 8 or 16.

    Raises:
        ResourceError: a value that Direct3D does not allow; the text says which.

    >>> RasterizerState(cull_mode="NONE").cull_mode
    <CullMode.NONE: 1>
    """

    fill_mode: FillMode | str | int = FillMode.SOLID
    cull_mode: CullMode | str | int = CullMode.BACK
    front_counter_clockwise: bool = False
    depth_bias: int = 0
    depth_bias_clamp: float = 0.0
    slope_scaled_depth_bias: float = 0.0
    depth_clip_enable: bool = True
    scissor_enable: bool = False
    multisample_enable: bool = False
    antialiased_line_enable: bool = False
    forced_sample_count: int = 0
    conservative_raster: ConservativeRasterizationMode | str | int = (
        ConservativeRasterizationMode.OFF
    )

    def __post_init__(self) -> None:
        mode = ConservativeRasterizationMode
        clamp, slope = self.depth_bias_clamp, self.slope_scaled_depth_bias
        values: dict[str, object] = {
            "fill_mode": named(FillMode, self.fill_mode, "rasterizer fill_mode", "D3D11_FILL_"),
            "cull_mode": named(CullMode, self.cull_mode, "rasterizer cull_mode", "D3D11_CULL_"),
            "depth_bias": integer(self.depth_bias, "rasterizer depth_bias", _INT32),
            "depth_bias_clamp": float32(clamp, "rasterizer depth_bias_clamp"),
            "slope_scaled_depth_bias": float32(slope, "rasterizer slope_scaled_depth_bias"),
            **{name: flag(getattr(self, name), f"rasterizer {name}") for name in _FLAGS},
            "forced_sample_count": one_of(
                self.forced_sample_count, "rasterizer forced_sample_count", _SAMPLE_COUNTS
            ),
            "conservative_raster": named(
                mode, self.conservative_raster, "rasterizer conservative_raster",
                "D3D11_CONSERVATIVE_RASTERIZATION_MODE_",
            ),
        }  # fmt: skip
        settle(self, values)
        if self.conservative_raster is mode.ON and self.fill_mode is not FillMode.SOLID:
            raise ResourceError(
                "rasterizer conservative_raster: found ON with fill_mode WIREFRAME, wanted SOLID"
            )


@dataclass(frozen=True, slots=True)
class RasterizerState9(RasterizerState):
    """Direct3D 9's. last_pixel: whether lines light the pixel that they end in."""

    last_pixel: bool = False


@dataclass(frozen=True, slots=True)
class Viewport:
    """D3D11_VIEWPORT: where clip space lies in render targets, in pixels, and in depth.

    Raises:
        ResourceError: beyond -32768 to 32767, a negative size, or depths that are not in order
            within 0 to 1.

    >>> Viewport(width=640, height=480).max_depth
    1.0
    """

    top_left_x: float = 0.0
    top_left_y: float = 0.0
    width: float = 0.0
    height: float = 0.0
    min_depth: float = 0.0
    max_depth: float = 1.0

    def __post_init__(self) -> None:
        names = ("top_left_x", "top_left_y", "width", "height", "min_depth", "max_depth")
        for name in names:
            value = getattr(self, name)
            if isinstance(value, float) and math.isinf(value):
                raise ResourceError(f"viewport {name}: found {value:g}, wanted a finite number")
        settle(self, {name: float32(getattr(self, name), f"viewport {name}") for name in names})
        # Shader arithmetic would flush such depths; so they are zeros from the start.
        settle(self, {name: 0.0 for name in names[4:] if abs(getattr(self, name)) < _LEAST_NORMAL})
        for start, size in (("top_left_x", "width"), ("top_left_y", "height")):
            first, extent = getattr(self, start), getattr(self, size)
            if first < _LEAST:
                raise ResourceError(f"viewport {start}: found {first:g}, wanted {_LEAST} or more")
            if extent < 0:
                raise ResourceError(f"viewport {size}: found {extent:g}, wanted 0 or more")
            if first + extent > _MOST:
                end = first + extent
                raise ResourceError(
                    f"viewport {start} + {size}: found {end:g}, wanted {_MOST} or less"
                )
        self._check_depths()

    def _check_depths(self) -> None:
        if not 0 <= self.min_depth <= self.max_depth <= 1:
            raise ResourceError(
                f"viewport min_depth, max_depth: found {self.min_depth:g}, {self.max_depth:g}, "
                "wanted 0 <= min_depth <= max_depth <= 1"
            )

    @property
    def depth_limits(self) -> tuple[float, float]:
        """Between which depths are clamped."""
        return self.min_depth, self.max_depth

    @property
    def scissor(self) -> Rect:
        """The pixels that can be covered: all edges rounded down."""
        x, y = self.top_left_x, self.top_left_y  # sums of float32, exact in double
        edges = (x, y, x + self.width, y + self.height)
        return Rect(*(math.floor(edge) for edge in edges))


@dataclass(frozen=True, slots=True)
class ReversibleViewport(Viewport):
    """D3DVIEWPORT9: depth may also fall from min_depth to max_depth.

    limits: between which depths are clamped, if it is not these two.

    Raises:
        ResourceError: as of `Viewport`, or a depth beyond 0 to 1.
    """

    limits: tuple[float, float] | None = None

    @property
    def depth_limits(self) -> tuple[float, float]:
        """Between which depths are clamped, the lower one first."""
        a, b = self.limits or (self.min_depth, self.max_depth)
        return min(a, b), max(a, b)

    def _check_depths(self) -> None:
        for depth in (self.min_depth, self.max_depth):
            if not 0 <= depth <= 1:
                raise ResourceError(f"viewport: found depth {depth:g}, wanted 0 to 1")


@dataclass(frozen=True, slots=True)
class Rect:
    """D3D11_RECT: pixels from left and top up to, not including, right and bottom.

    It is empty where right <= left or bottom <= top, which is allowed.

    >>> Rect(0, 0, 8, 8) & Rect(4, -1, 12, 3)
    Rect(left=4, top=0, right=8, bottom=3)
    """

    left: int = 0
    top: int = 0
    right: int = 0
    bottom: int = 0

    def __post_init__(self) -> None:
        for name in ("left", "top", "right", "bottom"):
            value = integer(getattr(self, name), f"rectangle {name}", _INT32)
            object.__setattr__(self, name, value)

    def __and__(self, other: Rect) -> Rect:
        """Return the pixels that both have."""
        if not isinstance(other, Rect):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise TypeError(f"rectangle: found {shown(other)}, wanted a Rect")
        return Rect(
            max(self.left, other.left),
            max(self.top, other.top),
            min(self.right, other.right),
            min(self.bottom, other.bottom),
        )

    @property
    def is_empty(self) -> bool:
        return self.right <= self.left or self.bottom <= self.top
