"""Random flow: trees that are both printed as programs and executed by Python, thread by thread."""

from __future__ import annotations

import random
from contextlib import suppress

import pytest
from per_thread import each, run


class _Break(Exception):  # noqa: N818 - a jump, no error
    pass


class _Continue(Exception):  # noqa: N818 - a jump, no error
    pass


class _Return(Exception):  # noqa: N818 - a jump, no error
    pass


_SCALES = (3, 5, 7, 11)


class Thread:
    """State of one thread of the model: number, trace, loop counters, subroutines."""

    def __init__(self, number: int, functions: list[list[tuple]]) -> None:
        self.number = number
        self.trace = 0
        self.functions = functions

    def step(self, k: int) -> None:
        self.trace = (self.trace * 31 + k) & 0xFFFFFFFF

    def hash(self, scale: int, k: int) -> int:
        return ((self.number * scale + self.trace + k) >> 2) & 3

    def block(self, block: list[tuple]) -> None:
        for item in block:
            getattr(self, item[0])(*item[1:])

    def if_(self, scale: int, k: int, then: list[tuple], else_: list[tuple]) -> None:
        self.block(then if self.hash(scale, k) & 1 else else_)

    def loop(self, _: int, count: int, body: list[tuple]) -> None:
        for _i in range(count):
            try:
                self.block(body)
            except _Continue:
                pass
            except _Break:
                break

    def switch(self, scale: int, k: int, cases: list[tuple[int | None, list[tuple]]]) -> None:
        value = self.hash(scale, k)
        labels = [label for label, _ in cases]
        if value in labels:
            first = labels.index(value)
        elif None in labels:
            first = labels.index(None)
        else:
            return
        try:
            for _label, body in cases[first:]:
                self.block(body)
        except _Break:
            pass

    def jump(self, kind: str, scale: int, k: int) -> None:
        if self.hash(scale, k) == 0:
            raise {"break": _Break, "continue": _Continue, "ret": _Return}[kind]

    def call(self, number: int) -> None:
        with suppress(_Return):
            self.block(self.functions[number])


class Generator:
    """Makes random trees and their text."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.counters = 0

    def block(self, depth: int, loops: int, breakable: int, callee: int) -> list[tuple]:
        return [
            self.item(depth, loops, breakable, callee) for _ in range(self.random.randint(1, 4))
        ]

    def item(self, depth: int, loops: int, breakable: int, callee: int) -> tuple:
        kinds = ["step"] * 3 + ["jump"]
        if depth:
            kinds += ["if_", "if_", "switch"] + (["loop"] if loops < 2 else [])
        if callee:
            kinds.append("call")
        kind = self.random.choice(kinds)
        scale, k = self.random.choice(_SCALES), self.random.randint(1, 99)
        if kind == "step":
            return "step", k
        if kind == "call":
            return "call", self.random.randrange(callee)
        if kind == "jump":
            jumps = ["ret"] + ["break"] * 3 * bool(breakable) + ["continue"] * 3 * bool(loops)
            return "jump", self.random.choice(jumps), scale, k
        if kind == "if_":
            sides = [self.block(depth - 1, loops, breakable, callee) for _ in range(2)]
            return "if_", scale, k, *sides
        if kind == "loop":
            self.counters += 1
            number = self.counters
            body = self.block(depth - 1, loops + 1, breakable + 1, callee)
            return "loop", number, self.random.randint(1, 4), body
        labels = self.random.sample([0, 1, 2, 3, None], self.random.randint(1, 5))
        return (
            "switch", scale, k,
            [(label, self.block(depth - 1, loops, breakable + 1, callee)) for label in labels],
        )  # fmt: skip


def hashed(scale: int, k: int) -> list[str]:
    return [
        f"imad r2.x, r0.x, l({scale}), r1.x",
        f"iadd r2.x, r2.x, l({k})",
        "ubfe r2.x, l(2), l(2), r2.x",
    ]


def printed(block: list[tuple]) -> list[str]:
    lines: list[str] = []
    for kind, *rest in block:
        if kind == "step":
            lines.append(f"imad r1.x, r1.x, l(31), l({rest[0]})")
        elif kind == "call":
            lines.append(f"call label{rest[0]}")
        elif kind == "jump":
            name, scale, k = rest
            lines += [*hashed(scale, k), f"{name}c_z r2.x"]
        elif kind == "if_":
            scale, k, then, else_ = rest
            lines += [*hashed(scale, k), "and r2.x, r2.x, l(1)", "if_nz r2.x", *printed(then)]
            lines += ["else", *printed(else_), "endif"]
        elif kind == "loop":
            # The counter is a register of its own: body, continue and calls leave it alone.
            number, count, body = rest
            counter = f"r{7 + number}"
            lines += [
                f"mov {counter}.x, l({count})", "loop", f"breakc_z {counter}.x",
                f"iadd {counter}.x, {counter}.x, l(-1)", *printed(body), "endloop",
            ]  # fmt: skip
        else:
            scale, k, cases = rest
            lines += [*hashed(scale, k), "switch r2.x"]
            for label, body in cases:
                lines.append("default" if label is None else f"case l({label})")
                lines += printed(body)
            lines.append("endswitch")
    return lines


@pytest.mark.parametrize("seed", range(150))
def test_random_programs(seed: int):
    generator = Generator(seed)
    functions = [generator.block(2, 0, 0, n) for n in range(3)]
    main = generator.block(4, 0, 0, 3)
    lines = printed(main)
    for n, function in enumerate(functions):
        lines += [f"label label{n}", *printed(function)]
    found = run("\n".join(lines), temps=8 + generator.counters)

    def model(number: int) -> int:
        thread = Thread(number, functions)
        with suppress(_Return):
            thread.block(main)
        return thread.trace

    assert found == each(model)
