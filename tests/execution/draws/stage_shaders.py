"""Random hull, domain and geometry shaders, put together from parts.

All stages hand on the same registers: 0 is the position, 1 four numbers, 2 three numbers and an
integer in w. The last stage may have more: distances, slice, viewport, primitive id.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from chance import Chance

from softd3d.isa.asm.sm4.words import SYSTEM_NAMES
from softd3d.isa.sm4.enums import Domain
from softd3d.isa.sm4.validate.tessellation import TESSELLATION_FACTORS
from softd3d.pipeline.state import PrimitiveTopology

__all__ = ["BASE", "TOPOLOGIES", "Output", "Stages", "random_stages"]

T = PrimitiveTopology
HEAD = "dcl_globalFlags refactoringAllowed"
WILD_HEAD = f"{HEAD}\ndcl_constantbuffer CB0[8], dynamicIndexed"
PARTITIONINGS = ("integer", "pow2", "fractional_odd", "fractional_even")
FACTORS = (
    "1.0", "1.0", "1.5", "2.0", "2.0", "2.3", "3.0", "3.0", "4.7", "5.0", "7.9", "0.3", "9.0",
)  # fmt: skip
RARE_FACTORS = ("0.0", "-1.0", "64.0", "99.0", "0x7FC00000", "0x7F800000", "0x00000001", "17.3")
INPUTS = {"point": 1, "line": 2, "triangle": 3, "lineadj": 4, "triangleadj": 6}
CORNERS = {"pointlist": 1, "linestrip": 2, "trianglestrip": 3}
TOPOLOGIES = {
    "point": [T.POINTLIST], "line": [T.LINELIST, T.LINESTRIP],
    "triangle": [T.TRIANGLELIST, T.TRIANGLESTRIP], "lineadj": [T.LINELIST_ADJ, T.LINESTRIP_ADJ],
    "triangleadj": [T.TRIANGLELIST_ADJ, T.TRIANGLESTRIP_ADJ],
}  # fmt: skip
"""Topologies whose primitives a geometry shader takes, by its word for them."""
MOST_SCALARS = 1024  # of all that a geometry shader emits


@dataclass(frozen=True)
class Output:
    """An output of the last stage: semantic, register, mask as `xyzw`; word: its system value."""

    name: str
    register: int
    mask: str
    word: str = ""

    @property
    def declaration(self) -> str:
        if not self.word:
            return f"dcl_output o{self.register}.{self.mask}"
        sort = "sgv" if self.word == "primitive_id" else "siv"
        return f"dcl_output_{sort} o{self.register}.{self.mask}, {self.word}"


POSITION = Output("SV_Position", 0, "xyzw", "position")
BASE = (POSITION, Output("A", 1, "xyzw"), Output("B", 2, "xyzw"))
CLIP = Output("SV_ClipDistance", 3, "xy", "clip_distance")
CULL = Output("SV_CullDistance", 3, "x", "cull_distance")
SLICE = Output("SV_RenderTargetArrayIndex", 4, "x", "rendertarget_array_index")
VIEWPORT = Output("SV_ViewportArrayIndex", 5, "x", "viewport_array_index")
PRIMITIVE_ID = Output("SV_PrimitiveID", 6, "x", "primitive_id")
INTEGERS = (SLICE, VIEWPORT)


@dataclass(frozen=True)
class Patch:
    """What hull and domain shader agree on. takes, makes: control points. output: a word."""

    takes: int
    makes: int
    domain: Domain
    partitioning: str
    output: str

    @property
    def primitive(self) -> str:
        """What a geometry shader behind it takes."""
        return self.output.split("_")[0]


@dataclass(frozen=True)
class Stages:
    """Shaders as listings, "" where there is none; the outputs of the last one by stream.

    takes: control points of a patch, or what the geometry shader takes.
    """

    hull: str
    domain: str
    geometry: str
    takes: int | str
    outputs: dict[int, tuple[Output, ...]]


def random_stages(c: Chance, *, slices: bool, is_wild: bool = False) -> Stages:
    """Return shaders between vertices and pixels, at least one.

    slices: whether there are several slices to draw to. is_wild: factors, loops, and numbers of
    vertices and registers that no compiler would make; all shaders then read constant buffer 0.
    """
    has_patches, has_geometry = c.one([(True, False), (True, True), (False, True), (False, True)])
    if not has_patches:
        takes: int | str = c.one([*INPUTS, *INPUTS, c.number(1, 33)])
        geometry, outputs = random_geometry(c, takes, slices=slices, is_wild=is_wild)
        return Stages("", "", geometry, takes, outputs)
    patch = random_patch(c, is_wild=is_wild)
    hull = _hull(c, patch, is_wild=is_wild)
    more = () if has_geometry else _more(c, slices=slices, has_id=False)
    domain = _domain(c, patch, more, is_wild=is_wild)
    found = Stages(hull, domain, "", patch.takes, {0: (*BASE, *more)})
    if has_geometry:
        geometry, outputs = random_geometry(c, patch.primitive, slices=slices, is_wild=is_wild)
        found = replace(found, geometry=geometry, outputs=outputs)
    return found


def _more(c: Chance, *, slices: bool, has_id: bool) -> tuple[Output, ...]:
    """Return further outputs of the last stage before the rasteriser."""
    found: list[Output] = []
    if c.often(0.35):
        found.append(c.one([CLIP, CULL]))
    if slices:
        found.append(SLICE)
    if c.often(0.25):
        found.append(VIEWPORT)
    if has_id and c.often(0.4):
        found.append(PRIMITIVE_ID)
    return tuple(found)


def _write_more(more: Iterable[Output], number: str) -> list[str]:
    """Return instructions that write these outputs. number: an integer operand; r4 is free."""
    found: list[str] = []
    for output in more:
        target = f"o{output.register}.{output.mask}"
        if output.word == "primitive_id":
            found += [f"iadd {target}, {number}, l(100)"]
        elif output in INTEGERS:
            shift = output.register - 3
            found += [f"ushr r4.x, {number}, l({shift})", f"and {target}, r4.x, l(3)"]
        else:
            found += [f"mad {target}, r1.xyxx, l(0.7, 0.5, 0, 0), l(0.4, 0.6, 0, 0)"]
    return found


# Hull shaders


def random_patch(c: Chance, *, is_wild: bool = False) -> Patch:
    domain = c.one([Domain.ISOLINE, Domain.TRI, Domain.TRI, Domain.QUAD, Domain.QUAD])
    lines, surfaces = ["line", "line", "point"], ["triangle_cw", "triangle_ccw", "point"]
    outputs = lines if domain is Domain.ISOLINE else surfaces
    if is_wild and c.often(0.1):
        outputs = [*lines, *surfaces]
    takes = c.one([1, 2, 3, 3, 4, 4, 5, c.number(1, 33)])
    makes = c.one([takes, takes, takes, 1, 3, 4, c.number(1, 33)])
    return Patch(takes, makes, domain, c.one(PARTITIONINGS), c.one(outputs))


def _hull(c: Chance, patch: Patch, *, is_wild: bool) -> str:
    lines = [
        "hs_5_0", "hs_decls", f"dcl_input_control_point_count {patch.takes}",
        f"dcl_output_control_point_count {patch.makes}",
        f"dcl_tessellator_domain domain_{patch.domain.name.lower()}",
        f"dcl_tessellator_partitioning partitioning_{patch.partitioning}",
        f"dcl_tessellator_output_primitive output_{patch.output}",
    ]  # fmt: skip
    if c.often(0.4):
        lines.append(f"dcl_hs_max_tessfactor l({c.one(['64.0', '5.0', '1.0', '8.5'])})")
    lines.append(WILD_HEAD if is_wild else HEAD)
    if patch.takes != patch.makes or c.often(0.8):
        lines += _control_points(c, patch, is_wild=is_wild)
    lines += _constants(c, patch, is_wild=is_wild)
    return "\n".join(lines) + "\n"


def _vertex_inputs(file: str, count: int | str) -> list[str]:
    return [f"dcl_input {file}[{count}][{n}].xyzw" for n in range(3)]


def _control_points(c: Chance, patch: Patch, *, is_wild: bool) -> list[str]:
    lines = [
        "hs_control_point_phase", "dcl_input vOutputControlPointID", "dcl_input vPrim",
        *_vertex_inputs("v", patch.takes), *(f"dcl_output o{n}.xyzw" for n in range(3)),
        "dcl_temps 3", "mov r0.x, vOutputControlPointID",
    ]  # fmt: skip
    if not (is_wild and c.often(0.3)):
        lines.append(f"udiv null, r0.x, r0.x, l({patch.takes})")
    lines += [f"mov o{n}.xyzw, v[r0.x + 0][{n}].xyzw" for n in range(3)]
    if c.often(0.5):
        lines += [
            "iadd r0.y, r0.x, l(1)", f"udiv null, r0.y, r0.y, l({patch.takes})",
            f"mad o1.xyz, v[r0.y + 0][1].wxyz, l(0.5, 0.25, -0.5, 0), v[0][{c.number(1, 3)}].xyzx",
        ]  # fmt: skip
    if c.often(0.3):
        lines.append("iadd o2.w, vPrim, v[r0.x + 0][2].w")
    if is_wild and c.often(0.4):
        lines.insert(lines.index("dcl_temps 3"), f"dcl_indexrange v[{patch.takes}][0].xyzw 3")
        lines.insert(lines.index("dcl_temps 3"), "dcl_indexrange o0.xyzw 3")
        lines += [
            f"iadd r0.z, vPrim, l({c.one([0, 1, -3, 0x7FFFFFFF, 0x10000000, -0x10000000])})",
            "mov o[r0.x + 1].xyz, v[r0.z + 0][r0.x + 0].xyzw",
            "mov o[r0.z + 0].z, v[r0.x + 1][r0.z + 0].x",
        ]  # fmt: skip
    return [*lines, "ret"]


def _factor(c: Chance, target: str, *, file: str, is_wild: bool) -> list[str]:
    """Return instructions that write a factor; r0.x is an instance's number, r1 is free."""
    kind = c.number(2 if is_wild else 0, 10)
    if kind < 5:
        rare = c.often(0.3 if is_wild else 0.1)
        return [f"mov {target}, l({c.one(RARE_FACTORS if rare else FACTORS)})"]
    if kind < 7:
        return [f"mad {target}, {file}[0][1].{c.one('xyzw')}, l(3.0), l({c.one(FACTORS)})"]
    if kind < 9:
        return ["and r1.x, vPrim, l(3)", "utof r1.x, r1.x", f"add {target}, r1.x, l(1.25)"]
    if is_wild:
        factor = c.one(["cb0[r1.x + 0].y", "|cb0[r1.x + 0].y|", "|cb0[r1.x + 0].y|"])
        return ["and r1.x, vPrim, l(7)", f"mov {target}, {factor}"]
    return ["utof r1.x, r0.x", f"add {target}, r1.x, l(1.0)"]


def _constants(c: Chance, patch: Patch, *, is_wild: bool) -> list[str]:
    """Return fork and join phases that write factors to o0.x, o1.x and so on, and o8, o9."""
    names = [SYSTEM_NAMES[name] for name in TESSELLATION_FACTORS[patch.domain]]
    file = c.one(["vicp", "vocp"])
    count = patch.takes if file == "vicp" else patch.makes
    inputs = ["dcl_input vPrim", *_vertex_inputs(file, count)]
    lines: list[str] = []
    style = c.number(0, 3)
    if style == 0:  # an instance for each
        declared = [f"dcl_output_siv o{n}.x, {name}" for n, name in enumerate(names)]
        instances = len(names) + (c.one([0, 1, 9]) if is_wild else 0)
        lines += [
            "hs_fork_phase", f"dcl_hs_fork_phase_instance_count {instances}",
            "dcl_input vForkInstanceID", *inputs, *declared, "dcl_temps 3",
            f"dcl_indexrange o0.x {len(names)}", "mov r0.x, vForkInstanceID.x",
            *_factor(c, "r2.x", file=file, is_wild=is_wild), "mov o[r0.x + 0].x, r2.x", "ret",
        ]  # fmt: skip
    else:
        joined = c.number(0, len(names)) if style == 2 else len(names)
        for n, name in enumerate(names):
            kind = "join" if n >= joined else "fork"
            word = "Join" if n >= joined else "Fork"
            earlier = n and n >= joined and c.often(0.7)
            body = (
                ["dcl_input vpc0.x", "dcl_temps 2", f"add o{n}.x, vpc0.x, l(0.5)"] if earlier
                else ["dcl_temps 2", f"mov r0.x, v{word}InstanceID.x",
                      *_factor(c, f"o{n}.x", file=file, is_wild=is_wild)]
            )  # fmt: skip
            declared = [f"dcl_input v{word}InstanceID", *inputs, f"dcl_output_siv o{n}.x, {name}"]
            lines += [f"hs_{kind}_phase", *declared, *body, "ret"]
        if is_wild and c.often(0.2):
            lines = lines[: -4 - lines[::-1].index(lines[0])] or lines  # a factor is not written
    return lines + _own_constants(c, file, count)


def _own_constants(c: Chance, file: str, count: int) -> list[str]:
    """Return phases that write o8.xyzw and o9.x, which is an integer."""
    instances = c.one([1, 2, 4])
    return [
        "hs_fork_phase", f"dcl_hs_fork_phase_instance_count {instances}",
        "dcl_input vForkInstanceID", "dcl_input vPrim", f"dcl_input {file}[{count}][1].xyzw",
        "dcl_output o8.xyzw", "dcl_output o9.x", "dcl_temps 2",
        f"iadd r0.x, vForkInstanceID.x, l({c.number(0, 3)})",
        f"udiv null, r0.x, r0.x, l({count})", f"mov o8.xyzw, {file}[r0.x + 0][1].wxyz",
        "iadd o9.x, r0.x, vPrim", "ret",
    ]  # fmt: skip


# Domain shaders


_WEIGHTS = {
    Domain.TRI: ("mov r0.xyz, vDomain.xyzx",),
    Domain.ISOLINE: ("mov r0.y, vDomain.x", "add r0.x, -vDomain.x, l(1.0)"),
    Domain.QUAD: (
        "add r1.xy, -vDomain.xyxx, l(1.0, 1.0, 0, 0)", "mul r0.x, r1.x, r1.y",
        "mul r0.y, vDomain.x, r1.y", "mul r0.z, r1.x, vDomain.y", "mul r0.w, vDomain.x, vDomain.y",
    ),
}  # fmt: skip
_CORNERS = {Domain.TRI: 3, Domain.ISOLINE: 2, Domain.QUAD: 4}


def _domain(c: Chance, patch: Patch, more: Sequence[Output], *, is_wild: bool) -> str:
    parts = "xyz" if patch.domain is Domain.TRI else "xy"
    lines = [
        "ds_5_0", f"dcl_input_control_point_count {patch.makes}",
        f"dcl_tessellator_domain domain_{patch.domain.name.lower()}",
        WILD_HEAD if is_wild else HEAD,
        "dcl_input vpc8.xyzw", "dcl_input vpc9.x", f"dcl_input vDomain.{parts}", "dcl_input vPrim",
        *_vertex_inputs("vicp", patch.makes), *(o.declaration for o in (*BASE, *more)),
        "dcl_temps 5",
    ]  # fmt: skip
    body = list(_WEIGHTS[patch.domain])
    for register in range(3):
        for n in range(_CORNERS[patch.domain]):
            point = f"vicp[{(n * c.one([1, 1, 2])) % patch.makes}][{register}].xyzw"
            part = "xyzw"[n] * 4
            operation = f"mul r2.xyzw, r0.{part}, {point}" if n == 0 else (
                f"mad r2.xyzw, r0.{part}, {point}, r2.xyzw"
            )  # fmt: skip
            body.append(operation)
        if register == 0 and (patch.makes < 3 or patch.domain is Domain.ISOLINE or c.often(0.3)):
            body.append("mad r2.xy, vDomain.xyxx, l(0.7, 0.9, 0, 0), r2.xyxx")
        body.append(f"mov o{register}.{'xyz' if register == 2 else 'xyzw'}, r2.xyzw")
    body.append("add r1.xy, r2.xyxx, vpc8.xyxx")
    number = c.one([f"vicp[{c.number(0, patch.makes)}][2].w", "vpc9.x", "vPrim"])
    body.append(f"iadd o2.w, {number}, l({c.number(0, 3)})")
    if c.often(0.5):
        body.append("add o1.xyz, vpc8.xyzx, r0.xyzx")
    if c.often(0.4):
        body += [f"udiv null, r3.x, vPrim, l({patch.makes})", "mov o1.w, vicp[r3.x + 0][1].y"]
    if is_wild and c.often(0.5):
        lines.insert(-1, f"dcl_indexrange vicp[{patch.makes}][0].xyzw 3")
        lines.insert(-1, "dcl_indexrange vpc8.xyzw 2")
        body += [
            f"iadd r3.y, vpc9.x, l({c.one([0, -1, 0x7FFFFFFF, 0x10000000, 9])})",
            "mov o1.xy, vicp[r3.y + 0][r3.y + 1].xyxx", "mov o1.z, vpc[r3.y + 8].x",
        ]  # fmt: skip
    body += _write_more(more, number)
    return "\n".join([*lines, *body, "ret"]) + "\n"


# Geometry shaders


def random_geometry(
    c: Chance, takes: int | str, *, slices: bool, is_wild: bool = False
) -> tuple[str, dict[int, tuple[Output, ...]]]:
    """Return a geometry shader and its outputs by stream. takes: a word, or control points."""
    count = takes if isinstance(takes, int) else INPUTS[takes]
    primitive = f"patch{takes}" if isinstance(takes, int) else takes
    outputs, topology = _streams(c, slices=slices)
    instances = c.one([1, 1, 2, 3, 32 if c.often(0.1) else 5])
    body = _emissions(c, count, outputs, topology, is_wild=is_wild)
    scalars = max(sum(len(o.mask) for o in found) for found in outputs.values())
    most = min(c.one([1, 4, 6, 8, 12, 16]), MOST_SCALARS // scalars, MOST_SCALARS // instances)
    most = c.one([*[most] * 20, 0, 85, 1024]) if is_wild else most
    declared = [
        f"dcl_stream m{stream}\ndcl_outputtopology {topology}\n"
        + "\n".join(o.declaration for o in found)
        for stream, found in outputs.items()
    ]
    ranges = [f"dcl_indexrange v[{count}][0].xyzw 3", "dcl_indexrange o1.xyzw 2"]
    lines = [
        "gs_5_0", WILD_HEAD if is_wild else HEAD, f"dcl_input_siv v[{count}][0].xyzw, position",
        f"dcl_input v[{count}][1].xyzw", f"dcl_input v[{count}][2].xyzw", "dcl_input vPrim",
        "dcl_input vGSInstanceID", f"dcl_gsinstances {instances}", "dcl_temps 6",
        *(ranges if is_wild else ()), f"dcl_inputprimitive {primitive}", *declared,
        f"dcl_maxout {most}",
    ]  # fmt: skip
    return "\n".join([*lines, *body, "ret"]) + "\n", outputs


def _streams(c: Chance, *, slices: bool) -> tuple[dict[int, tuple[Output, ...]], str]:
    """Return the outputs of each stream, and the topology of all."""
    if c.often(0.6):
        outputs = {0: (*BASE, *_more(c, slices=slices, has_id=True))}
        return outputs, c.one(list(CORNERS))
    found: dict[int, tuple[Output, ...]] = {}
    for stream in range(4):
        if c.often(0.6):
            found[stream] = (*BASE, *_more(c, slices=slices, has_id=True))
    return found or {2: BASE}, "pointlist"


def _emissions(
    c: Chance, count: int, outputs: dict[int, tuple[Output, ...]], topology: str, *, is_wild: bool
) -> list[str]:
    """Return instructions that emit vertices, some of them in a loop, with cuts."""
    lines = ["utof r3.x, vGSInstanceID", f"and r3.y, v[{c.number(0, count)}][2].w, l(3)"]
    corners = CORNERS[topology]
    for _ in range(c.one([1, 1, 2, 3])):
        stream = c.one(list(outputs))
        vertices = range(c.number(1 if c.often(0.2) else corners, corners + 4))
        for n in vertices:
            lines += _vertex(c, str((n + c.number(0, 2)) % count), n, outputs[stream])
            last = n == len(vertices) - 1
            lines.append(f"emit_then_cut_stream m{stream}" if last and c.often(0.3)
                         else f"emit_stream m{stream}")  # fmt: skip
        lines += [f"cut_stream m{c.one(list(outputs))}"] * c.one([0, 1, 1, 2])
    if c.often(0.4):
        stream = c.one(list(outputs))
        lines += [
            "mov r3.z, l(0)", "loop", "uge r3.w, r3.z, r3.y", "breakc_nz r3.w",
            f"udiv null, r4.y, r3.z, l({count})",
            *_vertex(c, "r4.y + 0", c.number(0, 3), outputs[stream]), f"emit_stream m{stream}",
            "iadd r3.z, r3.z, l(1)",
        ]  # fmt: skip
        if c.often(0.4):
            lines += ["and r3.w, r3.z, l(1)", "if_nz r3.w", f"cut_stream m{stream}", "endif"]
        lines.append("endloop")
    if is_wild:
        lines += _wild_emissions(c, count, list(outputs))
    return lines


def _wild_emissions(c: Chance, count: int, streams: list[int]) -> list[str]:
    """Return vertices of wild numbers, and far too many of them."""
    most = c.one(["l(2)", "l(20)", "l(300)", "cb0[2].x"])
    wild = c.one([0, -1, 0x7FFFFFFF, 0x10000000, -0x10000000, count])
    return [
        f"iadd r3.z, vPrim, l({wild})", "mov o1.xyzw, v[r3.z + 0][1].xyzw",
        "mov o2.x, v[0][r3.z + 0].x", "mov o[r3.z + 1].xyz, v[r3.z + 1][r3.z + 1].xyzw",
        f"emit_stream m{c.one(streams)}",
        "mov r3.z, l(0)", "loop", f"uge r3.w, r3.z, {most}", "breakc_nz r3.w",
        f"{c.one(['emit_stream', 'emit_then_cut_stream'])} m{c.one(streams)}",
        "iadd r3.z, r3.z, l(1)", "endloop",
    ]  # fmt: skip


def _vertex(c: Chance, number: str, step: int, outputs: Sequence[Output]) -> list[str]:
    """Return instructions that write the outputs of a vertex; r1 and r4 are free."""
    more = [o for o in outputs if o not in BASE]
    shift = c.one(["0.0", "0.0", "0.1", "-0.3"])
    lines = [
        f"mov o0.zw, v[{number}][0].xyzw",
        f"mad o0.xy, r3.xxxx, l({shift}, 0.05, 0, 0), v[{number}][0].xyxx",
    ]
    if step > 2 or c.often(0.3):
        lines.append(f"add o0.{c.one('xy')}, v[{number}][0].y, l({c.one(['0.4', '-0.6'])})")
    lines.append(f"mov o1.xyzw, v[{number}][1].{c.one(['xyzw', 'xyzw', 'wzyx'])}")
    lines.append(f"mov o2.xyzw, v[{number}][2].xyzw")
    if c.often(0.3):
        lines.append(f"iadd o2.w, {c.one(['vPrim', 'vGSInstanceID'])}, l({step})")
    lines.append(f"mov r1.xyzw, v[{number}][1].xyzw")
    return lines + _write_more(more, c.one([f"v[{number}][2].w", "vPrim", "vGSInstanceID"]))
