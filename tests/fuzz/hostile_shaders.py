"""Shaders of hostile draws: text put together from parts, or a sample's file.

Bits of a NaN are free (docs/numbers.md), so what arithmetic made becomes an integer by conversion
only; addresses and array indices come from ids and constants, which are exact.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

from chance import Chance
from stage_shaders import BASE, Output, Stages, random_stages

from softd3d.container.dxbc.container import Chunk, build
from softd3d.container.reflection.enums import MinPrecision, RegisterComponentType, SystemValue
from softd3d.container.reflection.signature import (
    Signature,
    SignatureElement,
    build_signature,
)
from softd3d.tools.text.assembler import assemble, assemble_tokens

__all__ = ["Shaders", "random_shaders", "with_stages"]

SAMPLES = Path(__file__).parents[3] / "shared/samples/pipeline"
SEMANTICS = ("POSITION", "A", "B")
_HEAD = "dcl_globalFlags refactoringAllowed"
_SIGNATURE = """// Input signature:
//
// Name Index Mask Register SysValue Format Used
// POSITION 0 xyzw 0 NONE float xyzw
// A 0 xyzw 1 NONE float xyzw
// B 0 xyzw 2 NONE float xyzw
// SV_VertexID 0 x 3 VERTID uint x
// SV_InstanceID 0 x 4 INSTID uint x
//
"""
_OUTPUTS = """// Output signature:
//
// Name Index Mask Register SysValue Format Used
// SV_Position 0 xyzw 0 POS float xyzw
// A 0 xyzw 1 NONE float xyzw
// B 0 xyzw 2 NONE float xyzw
//
"""
_MODES = (
    "linear", "linear", "linear centroid", "linear noperspective", "linear noperspective centroid",
    "constant", "linear sample", "linear noperspective sample",
)  # fmt: skip
# Samples whose inputs AA, BB, ... or POSITION, COLOR one layout can feed.
_VERTEX_SAMPLES = ("vs_basic.vs_5_0.main", "vs_clip.vs_5_0.main", "vs_clip.vs_5_0.main.CULL1",
                   "vs_multi.vs_5_0.main")  # fmt: skip
_PIXEL_SAMPLES = (
    "ps_flat", "ps_interp", "ps_centroid", "ps_deriv", "ps_discard", "ps_depth", "ps_mask",
    "ps_mrt", "ps_dual", "ps_position", "ps_sample_freq", "ps_coverage_in", "ps_eval",
)  # fmt: skip


@dataclass(frozen=True)
class Shaders:
    """Shaders of a draw and what they bind.

    semantics: of the vertex shader's inputs. integer_targets: whether o# are whole numbers.
    stages: other shaders by word. takes: their control points, or what the geometry shader takes.
    outputs: of the last stage before the rasteriser, by stream. uav_stage: the one that has it.
    is_looping: whether a constant says how long a stage runs.
    """

    vs: bytes
    ps: bytes | None
    semantics: tuple[str, ...] = SEMANTICS
    integer_targets: bool = False
    has_texture: bool = False
    uav: int | None = None
    is_sample: bool = False
    stages: tuple[tuple[str, bytes], ...] = ()
    takes: int | str = ""
    outputs: tuple[tuple[int, tuple[Output, ...]], ...] = ((0, BASE),)
    uav_stage: str = "ps"
    is_looping: bool = False


def random_shaders(c: Chance, targets: int, *, is_integer: bool, samples: bool) -> Shaders:
    """Return shaders for a number of render targets; samples: whether files of samples may be."""
    if samples and SAMPLES.is_dir() and c.often(0.2):
        vs = (SAMPLES / f"{c.one(_VERTEX_SAMPLES)}.dxbc").read_bytes()
        ps = (SAMPLES / f"{c.one(_PIXEL_SAMPLES)}.ps_5_0.main.dxbc").read_bytes()
        return Shaders(vs, ps, ("POSITION", "COLOR"), is_sample=True)
    vs = assemble(_vertex_text(c))
    if c.often(0.05):
        return Shaders(vs, None)
    has_texture, has_uav = c.often(0.12), c.often(0.12)
    uav = max(targets, 1) if has_uav else None
    text = _pixel_text(c, targets, is_integer=is_integer, has_texture=has_texture, uav=uav)
    return Shaders(
        vs, assemble_tokens(text), integer_targets=is_integer, has_texture=has_texture, uav=uav
    )


def with_stages(c: Chance, shaders: Shaders, targets: int) -> Shaders:
    """Return shaders with wild ones between vertices and pixels."""
    made = random_stages(c, slices=c.often(0.3), is_wild=True)
    texts = {"hs": made.hull, "ds": made.domain, "gs": made.geometry}
    texts = {word: text for word, text in texts.items() if text}
    if shaders.uav is None and c.often(0.15):
        word, uav = c.one(list(texts)), max(targets, 1)
        shaders = replace(shaders, uav=uav, uav_stage=word)
        texts[word] = _with_effect(c, texts[word], uav, is_hull=word == "hs")
    last = list(texts)[-1]
    return replace(
        shaders, takes=made.takes, outputs=tuple(made.outputs.items()),
        is_looping="cb0[2].x" in made.geometry,
        stages=tuple(
            (word, _container(text, made if word == last else None)) for word, text in texts.items()
        ),
    )  # fmt: skip


def _with_effect(c: Chance, text: str, uav: int, *, is_hull: bool) -> str:
    """Return a shader with one access; instances of a phase run side by side, so hull ones add."""
    access = f"atomic_iadd u{uav}, r1.y, l(1)", f"store_raw u{uav}.x, r1.y, r1.x"
    chosen = access[0 if is_hull else c.number(0, 2)]
    lines = ["and r1.x, vPrim, l(15)", "mov r1.y, cb0[r1.x + 0].z", chosen, "ret\n"]
    declared = text.replace("dynamicIndexed\n", f"dynamicIndexed\ndcl_uav_raw u{uav}\n")
    return declared.removesuffix("ret\n") + "\n".join(lines)


def _container(text: str, stages: Stages | None) -> bytes:
    """Return a shader's file, of the last stage with the signature of its outputs."""
    chunks = [Chunk("SHEX", assemble_tokens(text))]
    if stages is not None:
        elements = tuple(
            SignatureElement(
                stream, o.name, 0, SystemValue.UNDEFINED, RegisterComponentType.FLOAT32, o.register,
                sum(1 << "xyzw".index(part) for part in o.mask), 0, MinPrecision.DEFAULT,
            )
            for stream, outputs in stages.outputs.items()
            for o in outputs
        )  # fmt: skip
        chunks.insert(0, Chunk("OSG5", build_signature("OSG5", Signature(elements))))
    return build(chunks)


def _vertex_text(c: Chance) -> str:
    lines = [
        "vs_5_0", _HEAD, "dcl_constantbuffer CB0[8], dynamicIndexed", "dcl_input v0.xyzw",
        "dcl_input v1.xyzw", "dcl_input v2.xyzw", "dcl_input_sgv v3.x, vertex_id",
        "dcl_input_sgv v4.x, instance_id", "dcl_output_siv o0.xyzw, position", "dcl_output o1.xyzw",
        "dcl_output o2.xyzw",
    ]  # fmt: skip
    body = [
        "mov o0.xyzw, v0.xyzw", "mov o1.xyzw, v1.xyzw", "mov o2.xyz, v2.xyzx",
        "iadd o2.w, v3.x, v4.x",
    ]  # fmt: skip
    if c.often(0.15):  # what arithmetic makes of hostile numbers
        made = (
            "div o0.xyzw, v0.xyzw, v1.wwww", "mul o0.xyzw, v0.xyzw, cb0[1].xyzw",
            "rcp o0.w, v0.w", "exp o0.z, v0.z", "mad o0.xy, v0.xyxx, cb0[2].xyxx, v2.xyxx",
        )  # fmt: skip
        body.append(c.one(made))
    if c.often(0.15):
        lines.append(f"dcl_output_siv o3.{c.one(('xy', 'xyzw', 'x'))}, clip_distance")
        body += [f"mov o3.{part}, v1.{part}" for part in lines[-1].split(".")[1].split(",")[0]]
    if c.often(0.08):
        lines.append("dcl_output_siv o4.xy, cull_distance")
        body += ["mov o4.x, v2.x", f"mov o4.y, {c.one(('cb0[v3.x + 0].y', 'v2.y', 'v2.y'))}"]
    for register, name in (("o5", "rendertarget_array_index"), ("o6", "viewport_array_index")):
        if c.often(0.18):
            lines.append(f"dcl_output_siv {register}.x, {name}")
            body += [f"and r0.x, v3.x, l({c.one((3, 7, 0xFFFFFFFF))})",
                     f"mov {register}.x, cb0[r0.x + 0].{c.one('xw')}"]  # fmt: skip
    return _SIGNATURE + _OUTPUTS + "\n".join([*lines, "dcl_temps 2", *body, "ret"]) + "\n"


def _pixel_text(
    c: Chance, targets: int, *, is_integer: bool, has_texture: bool, uav: int | None
) -> str:
    lines = ["ps_5_0", _HEAD, "dcl_constantbuffer CB0[8], dynamicIndexed"]
    if c.often(0.08):
        lines[1] += " | forceEarlyDepthStencil"
    if has_texture:
        lines += ["dcl_sampler s0, mode_default",
                  "dcl_resource_texture2d (float,float,float,float) t0"]  # fmt: skip
    if uav is not None:
        lines.append(f"dcl_uav_raw u{uav}")
    lines += [
        f"dcl_input_ps {c.one(_MODES)} v1.xyzw", f"dcl_input_ps {c.one(_MODES)} v2.xyz",
        "dcl_input_ps constant v2.w",
    ]  # fmt: skip
    body = ["add r0.xyzw, v1.xyzw, v2.xyzx"]
    for share, declared, statements in _PIXEL_PARTS:
        if c.often(share):
            lines += declared
            body += statements
    if has_texture:
        body.append(c.one(_TEXTURED))
        body.append("add r0.xyzw, r0.xyzw, r1.xyzw")
    if uav is not None:
        # One access: the order of two, also of two components, is free between primitives.
        access = f"atomic_iadd u{uav}, r2.y, l(1)", f"store_raw u{uav}.x, r2.y, r2.x"
        body += ["and r2.x, v2.w, l(15)", "mov r2.y, cb0[r2.x + 0].z", c.one(access)]
    for n in range(c.one((targets, targets, max(targets - 1, 0), 1))):
        lines.append(f"dcl_output o{n}.{c.one(('xyzw', 'xyzw', 'xy'))}")
        mask = lines[-1].rsplit(".", 1)[1]
        if is_integer:
            body.append(f"{c.one(('ftoi', 'ftou'))} o{n}.{mask}, r0.{c.one(('xyzw', 'wzyx'))}")
        else:
            body.append(f"mul o{n}.{mask}, r0.{c.one(('xyzw', 'yzwx'))}, v2.xyzx")
    return "\n".join([*lines, "dcl_temps 4", *body, "ret"]) + "\n"


_TEXTURED = (
    "sample_indexable(texture2d)(float,float,float,float) r1.xyzw, v1.xyxx, t0.xyzw, s0",
    "ld_indexable(texture2d)(float,float,float,float) r1.xyzw, v2.wwww, t0.xyzw",
)
_PIXEL_PARTS = (
    (0.3, ["dcl_input_ps_siv linear noperspective v0.xyzw, position"],
     ["mad r0.xyzw, v0.xyzw, l(0.1, 0.1, 0.1, 0.1), r0.xyzw"]),
    (0.2, ["dcl_input_ps_sgv constant v6.x, is_front_face"], ["movc r0.x, v6.x, r0.x, -r0.y"]),
    (0.2, ["dcl_input_ps_sgv constant v7.x, primitive_id"],
     ["and r1.x, v7.x, l(31)", "mov r1.xyzw, cb0[r1.x + 0].xyzw", "utof r1.x, r1.x",
      "add r0.y, r0.y, r1.x"]),
    (0.1, ["dcl_input_ps_sgv constant v8.x, sampleIndex"],
     ["utof r1.x, v8.x", "mad r0.z, r1.x, l(0.2), r0.z"]),
    (0.1, ["dcl_input vCoverage"], ["utof r1.x, vCoverage.x", "add r0.z, r1.x, r0.z"]),
    (0.2, [], ["deriv_rtx_coarse r1.x, r0.x", "deriv_rty_fine r1.y, v2.y", "add r0.w, r1.x, r1.y"]),
    (0.2, [], ["lt r1.x, r0.x, l(0.1)", "discard_nz r1.x"]),
    (0.15, [], ["mov r2.x, l(0)", "loop", "ige r2.y, r2.x, l(4)", "breakc_nz r2.y",
                "lt r2.y, r0.y, l(0.0)", "breakc_nz r2.y", "iadd r2.x, r2.x, l(1)",
                "mul r0.y, r0.y, r0.y", "endloop"]),
    (0.1, [], ["rcp r0.x, r0.x", "log r0.y, r0.y"]),
    (0.12, ["dcl_output oDepth"], ["mul oDepth, v2.x, r0.y"]),
    (0.1, ["dcl_output oMask"], ["mov oMask, v2.w"]),
)  # fmt: skip
