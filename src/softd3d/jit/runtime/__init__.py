"""The LLVM text around the body of a wave: files with `${names}` for what is filled in.

Layouts of the memory that native code and Python share are filled in by themselves: `${state_next}`
is the slot `next` of `abi.STATE`.
"""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from string import Template

from softd3d.jit.abi import CONTEXT, LARGEST_CHUNK, MESSAGES, STATE, Status

__all__ = ["runtime"]

_LAYOUTS = {
    f"{table}_{name}": slot
    for table, slots in (("context", CONTEXT), ("state", STATE), ("messages", MESSAGES))
    for name, slot in slots.items()
} | {
    "status_budget": Status.BUDGET,
    "status_divergent_barrier": Status.DIVERGENT_BARRIER,
    "largest_chunk": LARGEST_CHUNK,
}


def runtime(name: str, **filled_in: object) -> str:
    """Return the text of a file; every name in it is a layout's or given."""
    return _template(name).substitute(_LAYOUTS, **filled_in)


@cache
def _template(name: str) -> Template:
    text = files(__name__).joinpath(f"{name}.ll").read_text(encoding="utf-8")
    return Template("".join(line for line in text.splitlines(keepends=True) if line[0] != ";"))
