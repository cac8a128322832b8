"""Statements of random programs that touch memory; random_programs says what they must heed."""

from __future__ import annotations

import re

from random_operands import COMMUTING, EXACT, FLOAT, GARBAGE, Operands
from random_resources import FORMATS_WRITTEN, TEXTURES

__all__ = ["MemoryStatements"]


class MemoryStatements(Operands):
    """Loads, stores, atomics and questions, on views and on group-shared memory."""

    def memory(self) -> None:
        choices = [self.read, self.read, self.question]
        if self.has_ranges:
            choices += [self.own_access, self.shared_atomic]
        if self.version >= (5, 0):
            choices += [self.own_access, self.own_access, self.shared_atomic, self.count]
            choices += [self.group_shared] * 2
        self.random.choice(choices)()

    def load(self, name: str, result: str, mask: str, operands: str, view: str) -> None:
        """Emit a load, now and then in the form that also says whether the texels are mapped."""
        if f"{name}_s" in self.effects and self.chance(0.15):
            status = f"{self.random.choice(EXACT)}.{self.random.choice('xyzw')}"
            status = "null" if status[:2] == result else status
            self.emit(f"{name}_s {result}.{mask}, {status}, {operands}, {view}")
        else:
            self.emit(f"{name} {result}.{mask}, {operands}, {view}")

    def read(self) -> None:
        """Load from what nobody writes, at any address."""
        names = ["t0", "t1", "t2", "t3"] + ["u6"] * 2 * (self.version >= (5, 0))
        names += ["t5", "t5", "t5", "t9", "t9"] * self.has_ranges
        name = self.random.choice(names)
        slot = self.slots[name]
        view = f"{self.view(name)}.{self.swizzle()}"
        result, mask = self.loaded(slot.format)
        if slot.kind == "raw":
            self.load("ld_raw", result, mask, self.address(slot.size or 0), view)
        elif slot.kind == "structured":
            places = f"{self.address(slot.count)}, {self.address(slot.stride)}"
            self.load("ld_structured", result, mask, places, view)
        elif "ms" in slot.kind:
            sample = self.random.choice((self.exact(1), "l(1)", "l(4)"))
            self._offset_load("ldms", result, mask, f"{view}, {sample}")
        elif slot.kind == "buffer":
            self.load("ld", result, mask, self._spread(self.address(slot.count)), view)
        elif "cube" not in slot.kind:
            self._offset_load("ld", result, mask, view)
        else:
            self.question()

    def _spread(self, address: str) -> str:
        if address.startswith("l("):
            return address
        return re.sub(r"\.(\w)\w*$", lambda m: f".{m[1] * 4}", address)

    def _offset_load(self, name: str, result: str, mask: str, rest: str) -> None:
        if self.version < (4, 1) and name == "ldms":
            return
        if self.chance(0.3):
            offsets = ",".join(str(self.random.randint(-8, 7)) for _ in range(3))
            self.emit(f"{name}_aoffimmi({offsets}) {result}.{mask}, {self.coordinates()}, {rest}")
        else:
            self.load(name, result, mask, self.coordinates(), rest)

    def question(self) -> None:
        """Ask for facts about a view."""
        name = self.random.choice(("t0", "t1", "t2", "t3", "t3", *("t5", "t9") * self.has_ranges))
        slot = self.slots[name]
        if slot.kind in TEXTURES:
            if "ms" in slot.kind and self.version >= (4, 1) and self.chance(0.5):
                kind = self.random.choice(("sampleinfo", "sampleinfo_uint", "samplepos"))
                index = f", {self.exact(1)}" if kind == "samplepos" else ""
                register = EXACT[0] if kind.endswith("uint") else FLOAT[0]
                self.emit(f"{kind} {register}.{self.mask()}, {self.view(name)}.xyzw{index}")
                return
            kind = self.random.choice(("", "_uint", "_rcpFloat"))
            register = self.random.choice(EXACT if kind == "_uint" else FLOAT)
            level = self.random.choice(("l(0)", "l(1)", self.exact(1)))
            view = f"{self.view(name)}.{self.swizzle()}"
            self.emit(f"resinfo{kind} {register}.{self.mask()}, {level}, {view}")
        elif self.version >= (5, 0):
            name = self.random.choice((name, "u1", "u5", "u6"))
            register = self.random.choice(EXACT)
            self.emit(f"bufinfo {register}.{self.mask()}, {self.view(name)}.{self.swizzle()}")

    def own_access(self) -> None:
        """Store to, load from or update the thread's own element of a view."""
        name = self.random.choice(("u1", "u2", "u3", "u5", *("u7", "u7") * self.has_ranges))
        slot, view, action = self.slots[name], self.view(name), self.random.randrange(3)
        result, mask = self.loaded(slot.format)
        is_float = result in FLOAT
        value = f"{result}.{self.swizzle()}" if is_float else self.exact()
        if slot.kind in ("buffer", "texture2d"):
            place = "r8.zwww" if slot.kind == "texture2d" else self._spread(self.own(name))
            if action:
                self.emit(f"store_uav_typed {view}.xyzw, {place}, {value}")
            elif FORMATS_WRITTEN[slot.format].value != "half_pair":
                self.load("ld_uav_typed", result, mask, place, f"{view}.{self.swizzle()}")
            return
        place = self.own(name)
        if slot.kind == "structured":
            place += f", l({self.random.choice((0, 4, 8))})"
        form = "raw" if slot.kind == "raw" else "structured"
        if action == 0:
            self.load(f"ld_{form}", result, mask, place, f"{view}.{self.swizzle()}")
        elif action == 1:
            written = "xyzw"[: self.random.randint(1, 4)]
            self.emit(f"store_{form} {view}.{written}, {place}, {value}")
        else:
            self._own_atomic(view, place if slot.kind == "raw" else self._pair(place))

    def _pair(self, place: str) -> str:
        """Return index and offset in one operand, as atomics on structures want them."""
        index, _, offset = place.partition(", ")
        self.emit(f"mov r9.y, {offset}")
        if index != "r9.x":
            self.emit(f"mov r9.x, {index}")
        return "r9.xyxx"

    def _own_atomic(self, view: str, place: str) -> None:
        kind = self.random.choice((*COMMUTING, "exch", "cmp_exch"))
        values = ", ".join(self.exact(1) for _ in range(1 + (kind == "cmp_exch")))
        result = f"{self.random.choice(EXACT)}.{self.random.choice('xyzw')}"
        if self.chance(0.5) or kind == "exch":
            self.emit(f"imm_atomic_{kind} {result}, {view}, {place}, {values}")
        else:
            kind = "cmp_store" if kind == "cmp_exch" else kind
            self.emit(f"atomic_{kind} {view}, {place}, {values}")

    def shared_atomic(self) -> None:
        """Update a place that other threads update in the same way."""
        name = self.random.choice(("u4", *("u10",) * self.has_ranges))
        self._commute(self.view(name), self.address(self.slots[name].size or 0))

    def _commute(self, view: str, place: str) -> None:
        if self.chance(0.3):
            result = f"{GARBAGE}.{self.random.choice('xyzw')}"
            self.emit(f"imm_atomic_{self.commuting} {result}, {view}, {place}, {self.exact(1)}")
        else:
            self.emit(f"atomic_{self.commuting} {view}, {place}, {self.exact(1)}")

    def count(self) -> None:
        name = f"imm_atomic_{self.slots['u5'].counter}"
        self.emit(f"{name} {GARBAGE}.{self.random.choice('xyzw')}, {self.view('u5')}")

    # Group-shared memory: g0 and g1 by own element, g2 by atomics

    def group_shared(self) -> None:
        kind = self.random.randrange(3)
        if kind == 2:
            self.uses.shared["g2"] = "dcl_tgsm_raw g2, 32"
            self._commute("g2", self.address(32))
            return
        self._declare_shared()
        place = self._own_shared(kind)
        form = ("raw", "structured")[kind]
        if self.chance(0.5):
            mask = "xyzw"[: self.random.randint(1, 4)]
            self.emit(f"store_{form} g{kind}.{mask}, {place}, {self.exact()}")
        elif self.chance(0.7):
            result, mask = self.loaded()
            self.emit(f"ld_{form} {result}.{mask}, {place}, g{kind}.{self.swizzle()}")
        else:
            self._own_atomic(f"g{kind}", place if kind == 0 else self._pair(place))

    def _declare_shared(self) -> None:
        self.uses.shared["g0"] = f"dcl_tgsm_raw g0, {16 * self.threads}"
        self.uses.shared["g1"] = f"dcl_tgsm_structured g1, 20, {self.threads}"

    def _own_shared(self, kind: int) -> str:
        if kind == 1:
            offset = self.random.choice((0, 4))
            return f"vThreadIDInGroupFlattened.x, l({offset})"
        self.emit("ishl r9.x, vThreadIDInGroupFlattened.x, l(4)")
        return "r9.x"

    def barrier(self) -> None:
        """Meet, read what the others have written, meet again."""
        self._declare_shared()
        flags = self.random.choice(("g", "ugroup_g", "uglobal_g"))
        self.emit(f"sync_{flags}_t")
        for _ in range(self.random.randint(1, 3)):
            result, mask = self.loaded()
            which = self.random.randrange(3)
            if which == 2 and "g2" not in self.uses.shared:
                self.uses.shared["g2"] = "dcl_tgsm_raw g2, 32"
            size = (16 * self.threads, self.threads, 32)[which]
            place = self.address(size)
            if which == 1:
                place += f", {self.address(20)}"
            form = "structured" if which == 1 else "raw"
            self.emit(f"ld_{form} {result}.{mask}, {place}, g{which}.{self.swizzle()}")
        self.emit("sync_g_t")
