"""The reference interpreter: NumPy over all lanes of many thread groups, with an execution mask."""

from softd3d.interp.engine import interpret, interpret_lanes

__all__ = ["interpret", "interpret_lanes"]
