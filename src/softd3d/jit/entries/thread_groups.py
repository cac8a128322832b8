"""The entry point of dispatches: groups of threads, whose ids are numbers that count up.

Each CPU thread claims chunks of groups until none are left. A program with barriers is a coroutine
for each wave of a group, resumed in turn.
"""

from __future__ import annotations

from softd3d.classes import dataclass
from softd3d.errors import InternalError
from softd3d.ir.analysis import VARYING, Shape
from softd3d.jit.codegen.messages import divergence
from softd3d.jit.codegen.types import iota
from softd3d.jit.codegen.writer import Writer
from softd3d.jit.entries.entry import Inputs, claims, parameters, passed
from softd3d.jit.runtime import runtime
from softd3d.lower.messages import PLACE_SHIFT

__all__ = ["ThreadGroupEntry"]

_GROUP = ("i32 %group_x", "i32 %group_y", "i32 %group_z")
_NUMBER = f"call i64 @softd3d_group_number(ptr %context, {', '.join(_GROUP)})"


@dataclass(frozen=True, slots=True)
class ThreadGroupEntry:
    """size: threads of a group in x, y and z. shared_bytes: of its memory, cleared before it."""

    size: tuple[int, int, int]
    shared_bytes: int

    @property
    def arguments(self) -> tuple[str, ...]:
        return ("i32 %wave", *_GROUP)

    @property
    def threads(self) -> int:
        x, y, z = self.size
        return x * y * z

    def waves(self, width: int) -> int:
        return -(-self.threads // width)

    def is_full(self, width: int) -> bool:
        return self.threads % width == 0

    def row(self, lanes: int) -> int:
        return min(lanes, self.size[0])

    def shapes(self, lanes: int) -> dict[str, Shape]:
        x, y, z = self.size
        shapes: dict[str, Shape] = {f"group.{c}": 0 for c in "xyz"}
        shapes["flat"] = shapes["lane"] = 1
        shapes["lane_mask"] = 0 if x * y * z % lanes == 0 else VARYING
        if y * z == 1:
            local: tuple[Shape, ...] = (1, 0, 0)
        elif x % lanes == 0:
            local = (1, 0, 0)
        elif x * y % lanes == 0:
            local = (VARYING, VARYING, 0)
        else:
            local = (VARYING,) * 3
        return shapes | {f"local.{c}": s for c, s in zip("xyz", local, strict=True)}

    def differing(self, lanes: int, parts: int) -> frozenset[str]:
        x, y, z = self.size
        same = {"lane", *(f"group.{c}" for c in "xyz")}
        if lanes % x == 0 and y * z > 1:
            same.add("local.x")
        if lanes % (x * y) == 0 and z > 1:
            same.add("local.y")
        if x * y * z % (lanes * parts) == 0:
            same.add("lane_mask")
        return frozenset(self.shapes(lanes)) - same

    def between(self, lanes: int, parts: int) -> dict[str, Shape]:
        x, y, z = self.size
        wave = lanes * parts
        steps: dict[str, Shape] = dict.fromkeys(self.shapes(lanes), VARYING)
        steps |= {f"group.{c}": 0 for c in "xyz"} | {"flat": lanes}
        steps |= dict.fromkeys(steps.keys() - self.differing(lanes, parts), 0)
        if y * z == 1 or x % wave == 0:
            steps |= {"local.x": lanes, "local.y": 0, "local.z": 0}
        elif x * y % wave == 0:
            steps["local.z"] = 0
            if lanes % x == 0:  # a part is some rows
                steps["local.y"] = lanes // x
        return steps

    def begin(self, w: Writer, lanes: int, parts: int, part: int) -> Inputs:
        names: Inputs = {f"group.{c}": (f"%group_{c}", None) for c in "xyz"}
        first = "0"
        if self.waves(lanes * parts) > 1:
            first = w.emit(f"mul i32 %wave, {lanes * parts}")
        if part:
            first = w.emit(f"add i32 {first}, {lanes * part}")
        names["flat"], names["lane"] = (first, None), ("0", None)
        vector = f"<{lanes} x i32>"
        flat = w.emit(f"add {vector} {w.splat('i32', first)}, {iota(lanes)}")
        if self.is_full(lanes * parts):
            names["lane_mask"] = ("true", None)
        else:
            count = w.splat("i32", str(self.threads))
            names["lane_mask"] = (None, w.emit(f"icmp ult {vector} {flat}, {count}"))
        return names | self._local(w, lanes, first, flat)

    def _local(self, w: Writer, lanes: int, first: str, flat: str) -> Inputs:
        """Emit a thread's place in its group; first: of lane 0, flat: of all lanes."""
        x, y, z = self.size
        shapes = self.shapes(lanes)
        names: Inputs = {}
        for c, divisor, modulus in (("x", 1, x), ("y", x, y), ("z", x * y, z)):
            scalar = shapes[f"local.{c}"] is not VARYING
            ty, value = ("i32", first) if scalar else (f"<{lanes} x i32>", flat)
            a, b = (str(n) if scalar else w.splat("i32", str(n)) for n in (divisor, modulus))
            value = w.emit(f"udiv {ty} {value}, {a}")
            if c == "x" and y * z == 1:
                pass  # a row: the position is the flat index itself
            else:
                value = w.emit(f"urem {ty} {value}, {b}")
            names[f"local.{c}"] = (value, None) if scalar else (None, value)
        return names

    def read(self, w: Writer, inputs: Inputs, name: str) -> tuple[str | None, str | None]:
        del w, inputs
        raise InternalError(f"threads of groups have no input {name}")

    def take(self, w: Writer, inputs: Inputs, name: str, value: str) -> None:
        del w, inputs, value
        raise InternalError(f"threads of groups have no output {name}")

    def group(self, w: Writer, inputs: Inputs, lanes: str | None = None) -> str:
        del inputs, lanes
        return w.emit(_NUMBER)

    def place(self, w: Writer, inputs: Inputs, group: str, lane: str) -> str:
        first, _ = inputs["flat"]
        thread = w.emit(f"zext i32 {w.emit(f'add i32 {first}, {lane}')} to i64")
        return w.emit(f"or i64 {w.emit(f'shl i64 {group}, {PLACE_SHIFT}')}, {thread}")

    def loops(self, width: int, *, suspends: bool, says: bool, aborts: bool) -> str:
        waves, further = self.waves(width), ("groups_x", "groups_y")
        size = (self.shared_bytes + 63) // 64 * 64
        clear = (
            f"  call void @llvm.memset.p0.i64(ptr align 64 %shared, i8 0, i64 {size}, i1 false)\n"
            if self.shared_bytes
            else ""
        )
        group = runtime(
            "coroutines" if suspends else "waves", waves=waves, clear=clear,
            arguments=parameters(_GROUP), names=passed(self.arguments),
            **({"divergence": self._divergence(aborts=aborts)} if suspends else {}),
        )  # fmt: skip
        number = runtime("group_number") if says else ""
        return group + claims("call_group", "%g", further, aborts=aborts) + number

    def _divergence(self, *, aborts: bool) -> str:
        """Return what follows where the waves of a group do not come to the same barrier."""
        if not aborts:
            return f"  {divergence('%dsite', None)}"
        return f"  %dgroup = {_NUMBER}\n  {divergence('%dsite', '%dgroup')}"
