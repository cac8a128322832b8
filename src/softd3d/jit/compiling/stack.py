"""How much of a thread's stack compiled code takes, as its instructions say."""

from __future__ import annotations

import re

__all__ = ["stack_bytes"]

_X86 = re.compile(rb"\x48\x81\xec(.{4})|\x48\x83\xec(.)", re.DOTALL)  # sub rsp, number
_SP = 31  # of Arm's registers
_PUSHED = 1 << 12  # registers, return addresses and alignment of all functions together


def stack_bytes(code: bytes, machine: str) -> int:
    """Return an upper bound of the stack that the functions of an object file take together.

    Whatever looks like an instruction that takes some counts, also in data. Code has no frames
    whose size it computes, and no recursion.

    machine: x86_64 or aarch64.
    """
    if machine == "x86_64":
        found = (a or b for a, b in _X86.findall(code))
        return _PUSHED + sum(int.from_bytes(number, "little") for number in found)
    words = memoryview(code[: len(code) // 4 * 4]).cast("I")
    return _PUSHED + sum(map(_taken, words))


def _taken(word: int) -> int:
    """Return what an instruction of Arm takes: sub sp, sp, number, perhaps times 4096."""
    if word & 0xFF800000 != 0xD1000000 or word & 0x1F != _SP or word >> 5 & 0x1F != _SP:
        return 0
    return (word >> 10 & 0xFFF) << (12 if word >> 22 & 1 else 0)
