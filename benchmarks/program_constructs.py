# ruff: noqa: E501 - a construct is read as one line
"""Programs of any size, each of one construct, for measuring how compile time grows."""

from __future__ import annotations

from collections.abc import Callable

__all__ = ["CONSTRUCTS", "program"]

HEAD = """cs_5_0
dcl_globalFlags refactoringAllowed | enableDoublePrecisionFloatOps
{extra}dcl_uav_raw u0
dcl_uav_structured u1, 16
dcl_resource_raw t0
dcl_input vThreadID.xyz
dcl_input vThreadIDInGroupFlattened
dcl_temps {temps}
dcl_thread_group {threads}, 1, 1
ld_raw r0.xyzw, vThreadID.x, t0.xyzw
ld_raw r1.xyzw, vThreadID.y, t0.xyzw
"""
TAIL = """
ishl r2.x, vThreadID.x, l(4)
store_raw u0.xyzw, r2.x, r0.xyzw
store_raw u0.xyzw, r2.y, r1.xyzw
ret
"""
TEXTURES = (
    "dcl_sampler s0, mode_default\ndcl_resource_texture2d (float,float,float,float) t1\n"
    "dcl_uav_typed_texture2d (float,float,float,float) u2\n"
)
RANGES = (
    "dcl_sampler S0[0:3], mode_default, space=0\n"
    "dcl_resource_texture2d (float,float,float,float) T9[9:12], space=0\n"
)
COLORS = ("x", "y", "z", "w")


def whole(
    body: str, *, extra: str = "", temps: int = 64, threads: int = 64, behind: str = ""
) -> str:
    """Return a program: declarations, inputs, a body, outputs."""
    return HEAD.format(extra=extra, temps=temps, threads=threads) + body + TAIL + behind


def repeated(line: str, count: int) -> str:
    """Return a line for each number; {n} is the number, {c} a component, {d} the next one."""
    return "\n".join(line.format(n=n, c=COLORS[n % 4], d=COLORS[(n + 1) % 4]) for n in range(count))


def lines(line: str, **options: object) -> Callable[[int], str]:
    """Return a maker of programs that repeat a line."""
    return lambda count: whole(repeated(line, count), **options)  # type: ignore[arg-type]


def temps(count: int) -> str:
    """Values that all live to the end."""
    count = min(count, 2000)
    body = repeated("mad r{n}.xyzw, r0.wzyx, r1.xyzw, l({n}.5, 2.0, 3.0, 4.0)", count)
    body = body.replace("mad r0.", "mad r2000.").replace("mad r1.", "mad r2001.")
    ends = "\n".join(f"add r0.xyzw, r0.xyzw, r{n}.xyzw" for n in range(2, count))
    return whole(f"{body}\n{ends}", temps=2002)


def arrays(count: int) -> str:
    """Many indexable temps, read and written by computed indices."""
    number = min(count, 256)
    extra = "\n".join(f"dcl_indexableTemp x{n}[8], 4" for n in range(number)) + "\n"
    body = "\n".join(
        f"mov x{n % number}[r0.x + 1].xyzw, r1.xyzw\nmov r1.xyzw, x{n * 7 % number}[r1.y + 0].xyzw"
        for n in range(count)
    )
    return whole(body, extra=extra)


def large_array(count: int) -> str:
    """One large indexable temp, filled by constant indices as compilers initialise tables."""
    body = repeated("mov x0[{n}].xyzw, l({n}.5,2.0,3.0,4.0)", min(count, 4000))
    return whole(f"{body}\nmov r1.xyzw, x0[r0.x + 0].xyzw", extra="dcl_indexableTemp x0[4000], 4\n")


def nested(opener: str, closer: str, depth: int, *, inner: str) -> Callable[[int], str]:
    """Return a maker of programs of nests `depth` levels deep, one after another."""

    def make(count: int) -> str:
        nest = (f"{opener}\n{inner}\n" * depth) + (f"{closer}\n" * depth)
        return whole(nest.replace("{c}", "x").replace("{d}", "y") * count)

    return make


def switch(count: int) -> str:
    """One switch of many cases."""
    body = repeated("case l({n})\nmad r1.xyzw, r1.yzwx, r0.xyzw, l({n}.5,1,2,3)\nbreak", count)
    return whole(f"switch r0.x\n{body}\ndefault\nmov r1.x, l(3)\nbreak\nendswitch")


def falling(count: int) -> str:
    """A switch whose cases fall into the next."""
    body = repeated("case l({n})\nadd r1.{c}, r1.{d}, l({n}.5)", count)
    return whole(f"switch r0.x\n{body}\nbreak\nendswitch")


def labels(count: int) -> str:
    """A case of many labels."""
    body = repeated("case l({n})", count)
    return whole(f"switch r0.x\n{body}\nadd r1.x, r1.y, r0.z\nbreak\nendswitch")


def calls(count: int) -> str:
    """Many calls of a small subroutine."""
    behind = "label label0\n" + "\n".join(["mad r1.xyzw, r1.yzwx, r0.xyzw, r1.zwxy"] * 4) + "\nret"
    return whole(repeated("callc_nz r0.{c}, label0", count), behind=behind)


def subroutines(count: int) -> str:
    """Many subroutines, each called once."""
    behind = repeated(
        "label label{n}\nmad r1.xyzw, r1.yzwx, r0.xyzw, r1.zwxy\nretc_nz r1.{c}\n"
        "mad r1.xyzw, r1.yzwx, r0.xyzw, r1.zwxy\nret", count,
    )  # fmt: skip
    return whole(repeated("call label{n}", count), behind=behind)


def constants(count: int) -> str:
    """A large immediate constant buffer."""
    rows = ",\n".join(f"{{ {n}, {n + 1}, {n + 2}, {n + 3} }}" for n in range(min(count, 4095)))
    extra = f"dcl_immediateConstantBuffer {{ {rows} }}\n"
    return whole("mov r1.xyzw, icb[r0.x + 0].xyzw", extra=extra)


def resources(count: int) -> str:
    """Many raw buffers, each read."""
    number = min(count, 127)
    extra = "\n".join(f"dcl_resource_raw t{n + 1}" for n in range(number)) + "\n"
    body = "\n".join(
        f"ld_raw r2.xyzw, r0.x, t{n % number + 1}.xyzw\nadd r1.xyzw, r1.xyzw, r2.xyzw"
        for n in range(count)
    )
    return whole(body, extra=extra)


def messages(count: int) -> str:
    """Many messages."""
    return whole(repeated('if_nz r1.{c}\nprintf "a %u {n}", r0.{d}\nendif', count))


def barriers(count: int) -> str:
    """Barriers between accesses to group-shared memory, of a group of many waves."""
    body = repeated(
        "store_raw g0.x, r0.x, r1.{c}\nsync_g_t\nld_raw r1.{d}, r0.y, g0.xxxx\nsync_g_t", count
    )
    return whole(body, extra="dcl_tgsm_raw g0, 32768\n", threads=1024)


def ranges(count: int) -> str:
    """Filtered reads of textures and samplers whose numbers are computed, shader model 5.1."""
    body = repeated("sample_l r1.xyzw, r1.xyxx, T9[r0.{c} + 9].xyzw, S0[r0.{d} + 0], l(0.0)", count)
    text = whole(body, extra=RANGES).replace("cs_5_0", "cs_5_1")
    for old, new in (("dcl_uav_raw u0", "dcl_uav_raw U0[0:0], space=0"),
                     ("dcl_uav_structured u1, 16", "dcl_uav_structured U1[1:1], 16, space=0"),
                     ("dcl_resource_raw t0", "dcl_resource_raw T0[0:0], space=0"),
                     (" t0.", " T0[0]."), (" u0.", " U0[0].")):  # fmt: skip
        text = text.replace(old, new)
    return text


def interfaces(count: int) -> str:
    """Bodies of methods, called through one interface slot with a computed element."""
    number = min(count, 253)
    tables = "\n".join(
        f"dcl_function_body fb{n}\ndcl_function_table ft{n} = {{fb{n}}}" for n in range(number)
    )
    names = ", ".join(f"ft{n}" for n in range(number))
    extra = f"{tables}\ndcl_interface_dynamicindexed fp0[{number}][1] = {{{names}}}\n"
    work = "\n".join(["mad r1.xyzw, r1.yzwx, r0.xyzw, r1.zwxy"] * max(1, count // number))
    behind = "\n".join(f"label fb{n}\n{work}\nret" for n in range(number))
    return whole("fcall fp0[r0.x + 0][0]", extra=extra, behind=behind)


_IF = (
    "if_nz r1.x\nmad r1.xyzw, r1.yzwx, r0.xyzw, r1.zwxy\nelse\nadd r1.xyzw, r1.yzwx, r0.xyzw\nendif"
)
_LOOP = (
    "mov r3.x, l(0)\nloop\nige r3.y, r3.x, r0.{c}\nbreakc_nz r3.y\n"
    "mad r1.xyzw, r1.yzwx, r0.xyzw, r1.zwxy\niadd r3.x, r3.x, l(1)\nendloop"
)
_CONTINUED = (
    "loop\niadd r3.x, r3.x, l(1)\nige r3.y, r3.x, r0.{c}\nbreakc_nz r3.y\ncontinuec_nz r1.{d}\n"
    "mad r1.xyzw, r1.yzwx, r0.xyzw, r1.zwxy\nendloop"
)
_INDEXED = "mov x0[r0.{c} + 1].xyzw, r1.xyzw\nmov r1.xyzw, x0[r1.{d} + 0].xyzw"
_TWICE = "add r1.x, r1.x, r0.y\nif_nz r1.x\n"


def exits(line: str) -> Callable[[int], str]:
    """Return a maker of programs with as many exits as live temps, in bytes."""

    def make(count: int) -> str:
        number = min(count, 2000)
        body = repeated("mad r{n}.xyzw, r0.wzyx, r1.xyzw, r0.xyzw", number).replace(
            "mad r0.", "mad r2000."
        )
        ends = "\n".join(f"add r0.xyzw, r0.xyzw, r{n}.xyzw" for n in range(2, number))
        return whole(f"{body}\nloop\n{repeated(line, count)}\nendloop\n{ends}", temps=2002)

    return make


CONSTRUCTS: dict[str, Callable[[int], str]] = {
    "float operations": lines("mad r1.xyzw, r1.yzwx, r0.xyzw, r1.zwxy"),
    "float operations in many temps": temps,
    "integer operations": lines(
        "imad r1.xyzw, r1.yzwx, r0.xyzw, r1.zwxy\nxor r0.{c}, r1.{d}, r0.{c}"
    ),
    "divisions": lines("udiv r1.{c}, r0.{d}, r1.{d}, r0.{c}\ndiv r0.{c}, r1.{d}, r0.{d}"),
    "elementary functions": lines(
        "sincos r1.{c}, r0.{d}, r1.{d}\nexp r1.x, r0.{c}\nlog r0.{d}, r1.{c}"
    ),
    "doubles": lines("dfma r1.xyzw, r1.zwxy, r0.xyzw, r1.xyzw\nddiv r0.xy, r1.zwzw, r0.zwzw"),
    "constants of floats": lines("mad r1.xyzw, r1.yzwx, l({n}.5,{n}.25,3,4), r1.zwxy"),
    "comparisons": lines(
        "lt r1.{c}, r0.{d}, r1.{d}\nmovc r0.xyzw, r1.{c}{c}{c}{c}, r1.yzwx, r0.wzyx"
    ),
    "bit fields": lines(
        "ubfe r1.xyzw, r0.xyzw, r1.yzwx, r1.zwxy\nbfi r0.xyzw, r1.xxxx, r0.yyyy, r1.xyzw, r0.xyzw"
    ),
    "small ifs": lines(_IF),
    "uniform ifs": lines(_IF.replace("if_nz r1.x", "if_nz vThreadID.y")),
    "long ifs": lines("if_nz r1.x\n" + "mad r1.xyzw, r1.yzwx, r0.xyzw, r1.zwxy\n" * 8 + "endif"),
    "nests of 60 ifs": nested("if_nz r1.{c}", "endif", 60, inner="add r1.x, r1.y, r0.x"),
    "loops": lines(_LOOP),
    "loops with continue": lines(_CONTINUED),
    "nests of 60 loops": nested(
        "loop", "endloop", 60, inner="add r1.x, r1.y, r0.x\nbreakc_nz r1.x"
    ),
    "nests of 8 loops": nested("loop", "endloop", 8, inner="add r1.x, r1.y, r0.x\nbreakc_nz r1.x"),
    "nests of 8 loops and returns": nested(
        "loop", "endloop", 8, inner="add r1.x, r1.y, r0.x\nbreakc_nz r1.x\nretc_nz r0.x"
    ),
    "one long loop": lambda count: whole(
        "loop\nbreakc_nz r1.x\n"
        + repeated("mad r1.xyzw, r1.yzwx, r0.xyzw, r1.zwxy", count)
        + "\nendloop"
    ),
    "breaks of one loop": lambda count: whole(
        "loop\n"
        + repeated("mad r1.xyzw, r1.yzwx, r0.xyzw, r1.zwxy\nbreakc_nz r1.{c}", count)
        + "\nendloop"
    ),
    "exits with many temps": exits("iadd r1.{c}, r1.{c}, l(1)\nbreakc_nz r1.{c}"),
    "ifs with many temps": exits("if_nz r1.{c}\nadd r1.{c}, r1.{d}, r0.x\nendif"),
    "returns": lines("mad r1.xyzw, r1.yzwx, r0.xyzw, r1.zwxy\nretc_nz r1.{c}"),
    "cases of a switch": switch,
    "cases that fall": falling,
    "labels of a case": labels,
    "small switches": lines(
        "switch r1.{c}\ncase l(1)\nadd r1.x, r1.y, r0.x\nbreak\ncase l(2)\nadd r1.y, r1.z, r0.x\nbreak\nendswitch"
    ),
    "calls": calls,
    "subroutines": subroutines,
    "methods": interfaces,
    "indexable temps": arrays,
    "one indexable temp": lines(_INDEXED, extra="dcl_indexableTemp x0[4000], 4\n"),
    "an initialised table": large_array,
    "immediate constants": constants,
    "raw loads": lines("ld_raw r2.xyzw, r1.{c}, t0.xyzw\nadd r1.xyzw, r1.xyzw, r2.xyzw"),
    "raw stores": lines("store_raw u0.xyzw, r1.{c}, r0.xyzw\nadd r1.xyzw, r1.xyzw, r0.xyzw"),
    "many buffers": resources,
    "structured": lines(
        "ld_structured r1.xyzw, r1.{c}, l(0), u1.xyzw\nstore_structured u1.xyzw, r1.{d}, l(0), r0.xyzw"
    ),
    "constant buffers": lines(
        "mad r1.xyzw, r1.yzwx, cb0[{n}].xyzw, cb0[r0.{c} + 1].xyzw",
        extra="dcl_constantbuffer cb0[4096], dynamicIndexed\n",
    ),
    "texture loads": lines("ld r1.xyzw, r1.xyzw, t1.xyzw", extra=TEXTURES),
    "filtered reads": lines("sample_l r1.xyzw, r1.xyxx, t1.xyzw, s0, r0.{c}", extra=TEXTURES),
    "filtered reads of computed registers": ranges,
    "typed stores": lines(
        "store_uav_typed u2.xyzw, r1.xyxx, r0.xyzw\nadd r1.xyzw, r1.xyzw, r0.xyzw", extra=TEXTURES
    ),
    "atomics": lines(
        "imm_atomic_iadd r1.{c}, u0, r0.{d}, r1.x\natomic_cmp_store u0, r1.{c}, r0.x, r1.x"
    ),
    "group-shared atomics": lines(
        "imm_atomic_umax r1.{c}, g0, r0.{d}, r1.x\natomic_xor g0, r1.{c}, r0.x",
        extra="dcl_tgsm_raw g0, 32768\n",
    ),
    "counters": lines(
        "imm_atomic_alloc r1.{c}, u1\nstore_structured u1.xyzw, r1.{c}, l(0), r0.xyzw"
    ),
    "barriers": barriers,
    "messages": messages,
    "declarations": lambda count: whole(
        "",
        extra="\n".join(f"dcl_tgsm_structured g{n}, 4, 1" for n in range(min(count, 8000))) + "\n",
    ),
    "no operations": lines("nop"),
}


def program(construct: str, count: int) -> str:
    """Return the assembly of a construct, `count` times."""
    return CONSTRUCTS[construct](count)
