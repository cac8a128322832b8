"""What can be said of Direct3D 10 effects at a glance, as plain JSON data."""

from __future__ import annotations

from typing import Any

from softd3d.shaders.effects.d3d10 import Effect10
from softd3d.shaders.effects.loading import shader_entries

__all__ = ["summarise_effect10"]


def summarise_effect10(effect: Effect10) -> dict[str, Any]:
    """Return what an effect declares, by names, and its shaders.

    Raises:
        ShaderError: it is malformed.
    """
    contents = effect.contents
    techniques = [t for group in contents.groups for t in group.techniques]
    return {
        "is_child": effect.records.is_child,
        "buffers": [buffer.name for buffer in contents.buffers],
        "objects": [{"name": o.name, "type": o.type.name} for o in contents.objects],
        "interfaces": [i.name for i in contents.interfaces],
        "groups": [group.name for group in contents.groups],
        "techniques": [{"name": t.name, "passes": len(t.passes)} for t in techniques],
        "shaders": [entry.summary for entry in shader_entries(effect)],
    }
