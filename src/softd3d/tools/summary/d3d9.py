"""What can be said of Direct3D 9 shaders and effects at a glance, as plain JSON data."""

from __future__ import annotations

from typing import Any

from softd3d.isa.asm.sm1.slots import slots_so_far
from softd3d.isa.sm1.program import Comment
from softd3d.shaders.effects.d3d9 import load_effect9
from softd3d.shaders.effects.loading import shader_entries
from softd3d.shaders.token_stream import load9
from softd3d.tools.reflection.constant_table import reflect9

__all__ = ["summarise_effect9", "summarise_shader9"]


def summarise_shader9(data: bytes) -> dict[str, Any]:
    """Return counts, comments and constants of a shader of model 1 to 3.

    Raises:
        ShaderError: it is malformed.
    """
    shader = load9(data)
    texture, arithmetic = [(0, 0), *slots_so_far(shader.program)][-1]
    document = reflect9(shader)
    table = document["constant_table"]
    comments = [c for c in shader.program.instructions if isinstance(c, Comment)]
    return {
        "instructions": document["instructions"],
        "texture_slots": texture,
        "arithmetic_slots": arithmetic,
        "comments": [{"tag": c.tag.decode("latin-1"), "bytes": len(c.payload)} for c in comments],
        "trailing_bytes": len(shader.program.trailing),
        "creator": None if table is None else table["creator"],
        "declarations": document["declarations"],
        "constants": [] if table is None else [c["name"] for c in table["constants"]],
    }


def summarise_effect9(data: bytes) -> dict[str, Any]:
    """Return the counts of an effect, and its shaders.

    Raises:
        ShaderError: it is malformed.
    """
    effect = load_effect9(data)
    return {
        "parameters": len(effect.records.parameters),
        "techniques": len(effect.records.techniques),
        "shaders": [entry.summary for entry in shader_entries(effect)],
    }
