"""The device of Direct3D 9: its states, its draws, and what is made for them.

docs/direct3d9.md is the guide.
"""

from __future__ import annotations

from typing import NoReturn

from softd3d.arguments import one_of
from softd3d.device.d3d9.process_calls import ProcessingCalls
from softd3d.device.d3d9.state import Part, new_state
from softd3d.device.run_options import SIDE_BY_SIDE, Cancel, run_options
from softd3d.errors import ResourceError
from softd3d.isa.d3d9.states import RenderState
from softd3d.isa.sm1.profile import DEFAULT, profile_named
from softd3d.resources.d3d9.copies import get_render_target_data
from softd3d.resources.d3d9.stretch import stretch_rect
from softd3d.resources.d3d9.surfaces import Pool, Surface9

__all__ = ["Device"]

_FRONT = "A8R8G8B8"


class Device(ProcessingCalls):
    """IDirect3DDevice9, over NumPy arrays.

    Methods have Direct3D's names and arguments, in Python's spelling; states are set by name.
    Draws are carried out at once. A device belongs to one thread at a time.

    width, height: of the back buffer. profile: the rules that are in dispute.

    >>> device = Device(4, 4)
    >>> device.clear(color=0xFF00FF00)
    >>> hex(device.back_buffer.array.view("<u4")[0, 0, 0])
    '0xff00ff00'
    """

    def __init__(
        self, width: int = 640, height: int = 480,
        format: str | int = "A8R8G8B8", *,  # noqa: A002 - Direct3D's name
        depth_stencil_format: str | int | None = None, samples: int = 1,
        profile: str = DEFAULT.name, engine: str = "jit", threads: int = 0, lanes: int = 0,
        budget: int | None = None, timeout: float | None = None, cancel: Cancel | None = None,
    ) -> None:  # fmt: skip
        """Make a device with a back buffer, which is render target 0 at first.

        format, samples: of the back buffer. depth_stencil_format: of a depth-stencil surface that
            is bound at first, so that ZENABLE is on; None for none.
        profile: "driver", "documented" or "ieee": docs/numbers-d3d9.md.
        engine, threads, lanes, budget, timeout, cancel: of every draw, as for `Draw`.

        Raises:
            ResourceError: a value that is not allowed.
        """
        one_of(lanes, "lanes", SIDE_BY_SIDE)
        options = run_options(
            engine=engine, threads=threads, lanes=lanes, budget=budget, timeout=timeout,
            cancel=cancel,
        )  # fmt: skip
        super().__init__(profile_named(profile).name, options)
        self._frame = width, height, format, depth_stencil_format, samples
        self._begin()

    def __reduce__(self) -> NoReturn:
        """Refuse to be pickled or copied.

        Raises:
            TypeError: always, as pickle expects it.
        """
        raise TypeError("a Device cannot be pickled or copied")

    @property
    def back_buffer(self) -> Surface9:
        """The surface that is render target 0 of a new device."""
        return self._back_buffer

    def get_back_buffer(self, swap_chain: int = 0, index: int = 0) -> Surface9:
        """Return the back buffer; there is one.

        Raises:
            ResourceError: another one is wanted.
        """
        if swap_chain or index:
            raise ResourceError(f"get_back_buffer: found {swap_chain}, {index}, wanted 0, 0")
        return self._back_buffer

    def get_front_buffer_data(self, swap_chain: int, destination: Surface9) -> None:
        """Copy what is shown, here the back buffer, to a surface of A8R8G8B8 in system memory.

        Raises:
            ResourceError: another swap chain than 0, or another size, format or pool.
        """
        shown_now = self.get_back_buffer(swap_chain)
        is_right = destination.format.name == _FRONT and destination.pool is Pool.SYSTEMMEM
        sizes = [(s.width, s.height) for s in (shown_now, destination)]
        if not is_right or sizes[0] != sizes[1]:
            raise ResourceError(
                f"get_front_buffer_data: found {destination}, wanted {_FRONT} in SYSTEMMEM of the "
                f"size of {shown_now}"
            )
        middle = self.create_render_target(shown_now.width, shown_now.height, _FRONT)
        stretch_rect(shown_now, None, middle)
        get_render_target_data(middle, destination)

    def begin_scene(self) -> None:
        """Do nothing: draws need no scene around them."""

    def end_scene(self) -> None:
        """Do nothing."""

    def present(self) -> Surface9:
        """Return the back buffer, whose contents stay."""
        return self._back_buffer

    def reset(
        self, width: int | None = None, height: int | None = None,
        format: str | int | None = None,  # noqa: A002 - Direct3D's name
        *, depth_stencil_format: str | int | None = None, samples: int | None = None,
    ) -> None:  # fmt: skip
        """Give all states their defaults, and the device a new back buffer.

        What is not said stays as it was.

        Raises:
            ResourceError: a value that is not allowed.
        """
        old = self._frame
        self._frame = (
            old[0] if width is None else width, old[1] if height is None else height,
            old[2] if format is None else format,
            old[3] if depth_stencil_format is None else depth_stencil_format,
            old[4] if samples is None else samples,
        )  # fmt: skip
        try:
            self._begin()
        except ResourceError:
            self._frame = old
            raise

    def _begin(self) -> None:
        """Make the back buffer, and states as of a new device."""
        width, height, format_, depth_format, samples = self._frame
        back = self.create_render_target(width, height, format_, samples, lockable=True)
        depth = None
        if depth_format is not None:
            depth = self.create_depth_stencil_surface(width, height, depth_format, samples)
        self._back_buffer = back
        self.state = new_state(self.profile)
        self.recording = None
        self._counting.clear()
        self.set_render_target(0, back)
        self.set_depth_stencil_surface(depth)
        self.state.render[RenderState.ZENABLE] = int(depth is not None)
        self.dirty = int(Part.ALL)

    def __repr__(self) -> str:
        return f"<Device {self._back_buffer}, profile {self.profile}>"
