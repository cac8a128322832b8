"""Small hull, domain and geometry shaders, assembled from listings."""

from __future__ import annotations

from draw_shaders import POSITION, shader

import softd3d

__all__ = [
    "corners",
    "domain_shader",
    "factor_rows",
    "geometry_shader",
    "hull_shader",
    "position_shader",
]

_POINT = "POSITION 0 xyzw 0 float"
_FACTORS = {
    "tri": ("finalTriUeq0EdgeTessFactor", "finalTriVeq0EdgeTessFactor",
            "finalTriWeq0EdgeTessFactor", "finalTriInsideTessFactor"),
    "quad": ("finalQuadUeq0EdgeTessFactor", "finalQuadVeq0EdgeTessFactor",
             "finalQuadUeq1EdgeTessFactor", "finalQuadVeq1EdgeTessFactor",
             "finalQuadUInsideTessFactor", "finalQuadVInsideTessFactor"),
    "isoline": ("finalLineDensityTessFactor", "finalLineDetailTessFactor"),
}  # fmt: skip
_CONSTANTS = {
    "tri": ("TRIEDGE", "TRIEDGE", "TRIEDGE", "TRIINT"),
    "quad": ("QUADEDGE", "QUADEDGE", "QUADEDGE", "QUADEDGE", "QUADINT", "QUADINT"),
    "isoline": ("LINEDEN", "LINEDET"),
}  # fmt: skip


def factor_rows(domain: str) -> tuple[str, ...]:
    """The signature of factors: one in x of each register."""
    rows: list[str] = []
    for n, value in enumerate(_CONSTANTS[domain]):
        inside = value.endswith("INT")
        index = n - _CONSTANTS[domain].index(value) if inside else n
        rows.append(f"SV_{'Inside' if inside else ''}TessFactor {index} x {n} float {value}")
    return tuple(rows)


def position_shader() -> softd3d.Shader:
    """A vertex shader: POSITION to SV_Position."""
    return shader(
        (_POINT,), (POSITION,),
        "vs_5_0\ndcl_input v0.xyzw\ndcl_output_siv o0.xyzw, position\nmov o0.xyzw, v0.xyzw\nret\n",
    )  # fmt: skip


def hull_shader(
    points: int = 3, out: int = 3, domain: str = "tri", primitive: str = "triangle_cw",
    factor: float = 2.0, register: int = 0,
) -> softd3d.Shader:  # fmt: skip
    """Control points as they are, and one factor for all edges and insides.

    register: of its input and output.
    """
    factors = "".join(
        f"hs_fork_phase\ndcl_output_siv o{n}.x, {name}\nmov o{n}.x, l({factor})\nret\n"
        for n, name in enumerate(_FACTORS[domain])
    )
    row = f"SV_Position 0 xyzw {register} float"
    return shader(
        (row,), (row,),
        f"hs_5_0\nhs_decls\ndcl_input_control_point_count {points}\n"
        f"dcl_output_control_point_count {out}\ndcl_tessellator_domain domain_{domain}\n"
        "dcl_tessellator_partitioning partitioning_integer\n"
        f"dcl_tessellator_output_primitive output_{primitive}\nhs_control_point_phase\n"
        f"dcl_input vOutputControlPointID\ndcl_input v[{points}][{register}].xyzw\n"
        f"dcl_output o{register}.xyzw\ndcl_temps 1\nmov r0.x, vOutputControlPointID\n"
        f"mov o{register}.xyzw, v[r0.x + 0][{register}].xyzw\nret\n{factors}",
        factor_rows(domain),
    )  # fmt: skip


def domain_shader(points: int = 3, domain: str = "tri") -> softd3d.Shader:
    """The point of a triangle, or of a plane between the first three control points."""
    location, last = ("xyz", "z") if domain == "tri" else ("xy", "y")
    return shader(
        (POSITION,), (POSITION,),
        f"ds_5_0\ndcl_input_control_point_count {points}\ndcl_tessellator_domain domain_{domain}\n"
        f"dcl_input vDomain.{location}\ndcl_input vicp[{points}][0].xyzw\n"
        "dcl_output_siv o0.xyzw, position\ndcl_temps 1\n"
        "mul r0.xyzw, vDomain.xxxx, vicp[0][0].xyzw\n"
        "mad r0.xyzw, vDomain.yyyy, vicp[1][0].xyzw, r0.xyzw\n"
        f"mad o0.xyzw, vDomain.{last * 4}, vicp[2][0].xyzw, r0.xyzw\nret\n",
        factor_rows(domain),
    )  # fmt: skip


def corners(primitive: str) -> int:
    """How many vertices a primitive has."""
    return {"point": 1, "line": 2, "triangle": 3, "lineadj": 4, "triangleadj": 6}[primitive]


def geometry_shader(
    primitive: str = "triangle", topology: str = "trianglestrip", out: int = 0, instances: int = 0,
    register: int = 0,
) -> softd3d.Shader:  # fmt: skip
    """Emit the vertices of a primitive as they are.

    out: dcl_maxout, by default as many. register: of its input and output.
    """
    count = corners(primitive)
    body = "".join(
        f"mov o{register}.xyzw, v[{n}][{register}].xyzw\nemit_stream m0\n" for n in range(count)
    )
    row = f"SV_Position 0 xyzw {register} float"
    repeated = f"dcl_gsinstances {instances}\n" if instances else ""
    return shader(
        (row,), (f"m0:{row}",),
        f"gs_5_0\ndcl_input_siv v[{count}][{register}].xyzw, position\n"
        f"dcl_inputprimitive {primitive}\n{repeated}dcl_stream m0\ndcl_outputtopology {topology}\n"
        f"dcl_output_siv o{register}.xyzw, position\ndcl_maxout {out or count}\n{body}ret\n",
    )  # fmt: skip
