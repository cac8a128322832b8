"""Stream output, geometry shaders and patches inside draws, beside a copy of as many bytes.

    python benchmarks/stages.py [--primitives N] [--rounds N] [--threads N] [--json FILE]

Each line is the best round. A draw that only streams out reads and writes so many bytes at least;
`copy` is how long `memcpy` takes that reads and writes as many. Patches have no such limit: their
lines say how many points of the domain are made a second.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

import softd3d

MILLION, GIGA = 1e6, 1e9
VERTEX = np.dtype([("POSITION", "f4", 4), ("COLOR", "f4", 4)])
_COLUMNS = (
    "// Name  Index  Mask  Register  SysValue  Format  Used\n// ---- --- --- --- --- --- ---\n"
)
_IN = f"{_COLUMNS}// POSITION 0 xyzw 0 NONE float xyzw\n// COLOR 0 xyzw 1 NONE float xyzw\n//\n"
_OUT = f"{_COLUMNS}// SV_Position 0 xyzw 0 POS float xyzw\n// COLOR 0 xyzw 1 NONE float xyzw\n//\n"
_VERTEX = f"""// Input signature:
{_IN}// Output signature:
{_OUT}vs_5_0
dcl_input v0.xyzw
dcl_input v1.xyzw
dcl_output_siv o0.xyzw, position
dcl_output o1.xyzw
mov o0.xyzw, v0.xyzw
mov o1.xyzw, v1.xyzw
ret
"""
_CORNERS = ("-0.01, -0.01", "-0.01, 0.01", "0.01, -0.01", "0.01, 0.01")
_GEOMETRY = f"""// Input signature:
{_OUT}// Output signature:
{_OUT}gs_5_0
dcl_input_siv v[1][0].xyzw, position
dcl_input v[1][1].xyzw
dcl_inputprimitive point
dcl_stream m0
dcl_outputtopology trianglestrip
dcl_output_siv o0.xyzw, position
dcl_output o1.xyzw
dcl_maxout 4
""" + "".join(
    f"add o0.xyzw, v[0][0].xyzw, l({corner}, 0, 0)\nmov o1.xyzw, v[0][1].xyzw\nemit_stream m0\n"
    for corner in _CORNERS
) + "ret\n"  # fmt: skip
_FACTORS = "".join(
    f"// {name} x {4 * (kind == 'QUADINT') + int(name[-1])} {kind} float x\n"
    for kind, names in (
        ("QUADEDGE", [f"SV_TessFactor {n}" for n in range(4)]),
        ("QUADINT", [f"SV_InsideTessFactor {n}" for n in range(2)]),
    )
    for name in names
)
_NAMES = ("Ueq0Edge", "Veq0Edge", "Ueq1Edge", "Veq1Edge", "UInside", "VInside")
_HULL = f"""// Patch Constant signature:
{_COLUMNS}{_FACTORS}//
// Input signature:
{_OUT}// Output signature:
{_OUT}hs_5_0
hs_decls
dcl_input_control_point_count 4
dcl_output_control_point_count 4
dcl_tessellator_domain domain_quad
dcl_tessellator_partitioning partitioning_fractional_odd
dcl_tessellator_output_primitive output_triangle_cw
""" + "".join(
    f"hs_fork_phase\ndcl_input vicp[4][1].xyzw\ndcl_output_siv o{n}.x, finalQuad{name}TessFactor\n"
    f"mov o{n}.x, vicp[{n % 4}][1].w\nret\n"
    for n, name in enumerate(_NAMES)
)  # fmt: skip
_DOMAIN = f"""// Patch Constant signature:
{_COLUMNS}{_FACTORS}//
// Input signature:
{_OUT}// Output signature:
{_OUT}ds_5_0
dcl_input_control_point_count 4
dcl_tessellator_domain domain_quad
dcl_input vDomain.xy
dcl_input vicp[4][0].xyzw
dcl_input vicp[4][1].xyzw
dcl_output_siv o0.xyzw, position
dcl_output o1.xyzw
dcl_temps 3
add r0.xy, -vDomain.xyxx, l(1.0, 1.0, 0, 0)
mul r1.x, r0.x, r0.y
mul r1.y, vDomain.x, r0.y
mul r1.z, r0.x, vDomain.y
mul r1.w, vDomain.x, vDomain.y
""" + "".join(
    f"mul r2.xyzw, r1.xxxx, vicp[0][{n}].xyzw\nmad r2.xyzw, r1.yyyy, vicp[1][{n}].xyzw, r2.xyzw\n"
    f"mad r2.xyzw, r1.zzzz, vicp[2][{n}].xyzw, r2.xyzw\n"
    f"mad o{n}.xyzw, r1.wwww, vicp[3][{n}].xyzw, r2.xyzw\n"
    for n in range(2)
) + "ret\n"  # fmt: skip
_PIXEL = f"""// Input signature:
{_OUT}// Output signature:
{_COLUMNS}// SV_Target 0 xyzw 0 TARGET float xyzw
//
ps_5_0
dcl_input_ps linear v1.xyzw
dcl_output o0.xyzw
mov o0.xyzw, v1.xyzw
ret
"""
_ENTRIES = [softd3d.SODeclarationEntry(0, "SV_Position"), softd3d.SODeclarationEntry(0, "COLOR")]


@dataclass(frozen=True)
class Row:
    """A line of the table. draw: what is timed. units: points or primitives. moved: bytes."""

    name: str
    draw: Callable[[], object]
    units: int
    moved: int = 0


def best(run: Callable[[], object], rounds: int) -> float:
    """Return the seconds of the fastest of some rounds."""
    found = []
    for _ in range(rounds):
        start = time.perf_counter()
        run()
        found.append(time.perf_counter() - start)
    return min(found)


def copied(moved: int, rounds: int) -> float:
    """Return the seconds of a copy that reads and writes so many bytes together."""
    source, target = np.ones(moved // 2, np.uint8), np.ones(moved // 2, np.uint8)
    return best(lambda: np.copyto(target, source), rounds)


def stages(**given: object) -> softd3d.Draw:
    """Return a draw of the vertex shader above and other stages."""
    shaders = {name: softd3d.load(softd3d.assemble(text)) for name, text in given.pop("text")}
    return softd3d.Draw(vs=softd3d.load(softd3d.assemble(_VERTEX)), **shaders, **given)


def streaming(name: str, count: int, text: list[tuple[str, str]], out: int, threads: int) -> Row:
    """Return a draw of points that streams out so many vertices for each."""
    vertices = np.ones(count, VERTEX)
    target = softd3d.StructuredBuffer(np.ones(count * out, VERTEX))
    job = stages(
        text=text, topology="POINTLIST", vertex_buffers=[vertices], so_targets=[target],
        stream_output=softd3d.StreamOutput(_ENTRIES, rasterized_stream=None), threads=threads,
    )  # fmt: skip

    def run() -> None:
        target.filled_size = 0
        job(count)

    return Row(name, run, count, vertices.nbytes * (1 + out))


def patches(name: str, count: int, most: float, threads: int, *, rasterized: bool) -> Row:
    """Return a draw of quads whose factors are `most`, or differ if that is negative."""
    vertices = np.ones((count, 4), VERTEX)
    random = np.random.default_rng(1)
    side = int(np.ceil(count**0.5))
    cells = np.divmod(np.arange(count), side)
    for corner, (x, y) in enumerate(((0, 0), (1, 0), (0, 1), (1, 1))):
        vertices["POSITION"][:, corner, 0] = (cells[1] + x) / side * 2 - 1
        vertices["POSITION"][:, corner, 1] = (cells[0] + y) / side * 2 - 1
    factors = np.full((count, 4), most) if most > 0 else random.uniform(1, -most, (count, 4))
    vertices["COLOR"][:, :, 3] = factors
    image = np.zeros((1024, 1024, 4), np.uint8)
    text = [("hs", _HULL), ("ds", _DOMAIN)]
    more: dict[str, object] = {"render_targets": [image]}
    if rasterized:
        text.append(("ps", _PIXEL))
        more["rasterizer"] = softd3d.RasterizerState(cull_mode="NONE")
    else:
        more = {"viewports": []}
    job = stages(
        text=text, topology="PATCHLIST_4", vertex_buffers=[vertices.reshape(-1)],
        threads=threads, **more,
    )  # fmt: skip
    points = job(4 * count).statistics.ds_invocations
    return Row(name, lambda: job(4 * count), points)


def main() -> None:
    """Measure everything once."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--primitives", type=int, default=1 << 20)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--threads", type=int, default=0)
    parser.add_argument("--json", metavar="FILE", type=Path, help="write the numbers here, too")
    given = parser.parse_args()
    count, threads = given.primitives, given.threads
    makers = (
        lambda: streaming("vertices to stream output", count, [], 1, threads),
        lambda: streaming("points to quads", count // 4, [("gs", _GEOMETRY)], 6, threads),
        lambda: patches("patches, factors 15", count // 512, 15, threads, rasterized=False),
        lambda: patches("patches, factors 1 to 15", count // 128, -15, threads, rasterized=False),
        lambda: patches("patches drawn, factors 15", count // 512, 15, threads, rasterized=True),
        lambda: patches("patches drawn, 1 to 15", count // 128, -15, threads, rasterized=True),
    )
    print(
        f"{'draw':<28} {'points':>8} {'ms':>8} {'M/s':>7} {'GB/s':>6} {'copy ms':>8} {'ratio':>6}"
    )
    found: dict[str, dict[str, float]] = {}
    for make in makers:
        row = make()
        took = best(row.draw, given.rounds)
        found[row.name] = {"units": row.units, "seconds": took}
        line = f"{row.name:<28} {row.units:>8} {took * 1e3:8.1f} {row.units / took / MILLION:7.1f}"
        if row.moved:
            copy = copied(row.moved, given.rounds)
            found[row.name] |= {"bytes": row.moved, "copy_seconds": copy}
            line += f" {row.moved / took / GIGA:6.2f} {copy * 1e3:8.1f} {took / copy:6.2f}"
        print(line)
    if given.json:
        given.json.write_text(json.dumps(found, indent=1) + "\n")


if __name__ == "__main__":
    main()
