"""Every write mask, swizzle and shared register of operations that do not take any (SM1-3).

Which are refused is the verdict of Microsoft's validator, asked for each of these programs.
"""

from __future__ import annotations

import itertools

import pytest

from softd3d.errors import Severity
from softd3d.isa.asm.sm1.assembler import assemble_stream
from softd3d.isa.sm1.decode import decode
from softd3d.isa.sm1.validate import validate_program

# Operation: its sources, and the masks that it takes
MASKS: dict[str, tuple[str, set[str]]] = {
    "m4x4": ("v0, c1", {"xyzw"}),
    "m3x4": ("v0, c1", {"xyzw"}),
    "m4x3": ("v0, c1", {"xyz"}),
    "m3x3": ("v0, c1", {"xyz"}),
    "m3x2": ("v0, c1", {"xy"}),
    "crs": ("v0, c1", {"x", "y", "z", "xy", "xz", "yz", "xyz"}),
    "nrm": ("v0", {"xyz", "xyzw"}),
    "sincos": ("v0.x, c1, c2", {"x", "y", "xy"}),
}
EVERY_MASK = ["".join(m) for n in range(1, 5) for m in itertools.combinations("xyzw", n)]
# Operation with its mask, sources that are not the result, those that must not be it
ALIASES: list[tuple[str, str, set[int]]] = [
    ("m4x4 r0", "r1, c1", {0}),
    ("m3x4 r0", "r1, c1", {0}),
    ("m4x3 r0.xyz", "r1, c1", {0}),
    ("m3x3 r0.xyz", "r1, c1", {0}),
    ("m3x2 r0.xy", "r1, c1", {0}),
    ("crs r0.xyz", "r1, r3", {0, 1}),
    ("nrm r0.xyz", "r1", {0}),
    ("sincos r0.xy", "r1.x, c1, c2", {0}),
    ("lrp r0", "r1, r3, c1", {0}),
    ("lrp r0", "r1, c1, r3", {0, 2}),
    ("pow r0.x", "r1.x, r3.x", {1}),
    ("mad r0", "r1, r3, c1", set()),
]


def is_refused(line: str) -> bool:
    """Tell whether a line of vs_2_0 is an error, with nothing else in the program that is one."""
    text = f"""
        vs_2_0
        dcl_position v0
        mov r1, c0
        mov r3, c0
        mov r0, c0
        {line}
        mov oPos, r0
    """
    found = validate_program(decode(assemble_stream(text)))
    errors = {f.location.instruction for f in found if f.severity is Severity.ERROR}
    assert errors <= {4}, found
    return bool(errors)


@pytest.mark.parametrize("name", MASKS)
def test_write_masks(name: str) -> None:
    sources, allowed = MASKS[name]
    refused = {m for m in EVERY_MASK if is_refused(f"{name} r0.{m}, {sources}")}
    assert refused == set(EVERY_MASK) - allowed


@pytest.mark.parametrize(("head", "sources", "wanted"), ALIASES)
def test_sources_that_must_not_be_the_result(head: str, sources: str, wanted: set[int]) -> None:
    assert not is_refused(f"{head}, {sources}")
    names = sources.split(", ")
    for n, name in enumerate(names):
        if name[0] == "r":
            changed = [*names[:n], f"r0{name[2:]}", *names[n + 1 :]]
            assert is_refused(f"{head}, {', '.join(changed)}") == (n in wanted), changed


def test_swizzles_of_ps_2_0() -> None:
    """Replicate ones and four others, for arithmetic."""
    allowed = {"xyzw", "yzxw", "zxyw", "wzyx", "xxxx", "yyyy", "zzzz", "wwww"}
    for letters in itertools.product("xyzw", repeat=4):
        swizzle = "".join(letters)
        text = f"ps_2_0\ndef c0, 1, 2, 3, 4\nmov r0, c0.{swizzle}\nmov oC0, r0"
        found = validate_program(decode(assemble_stream(text)))
        assert bool(found) == (swizzle not in allowed), swizzle
