"""Every callable that `softd3d` exports, with arguments that fit."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from enum import EnumMeta
from functools import partial
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Any

import numpy as np

import softd3d
from softd3d import sm1, sm4
from softd3d.container.dxbc import container as dxbc
from softd3d.resources.d3d9.surfaces import Origin, Pool
from softd3d.samples import sample

MODULES: tuple[ModuleType, ...] = (softd3d, sm1, sm4)
CONTAINER = Path(__file__).parents[1] / "container/data"

DXBC = Path(str(sample("cs_mandelbrot.cs_5_0.dxbc"))).read_bytes()
LEGACY = softd3d.assemble("ps_2_0\nmov oC0, c0\n")
EFFECT9 = (CONTAINER / "effect9/samplers.47.fxo").read_bytes()
EFFECT10 = (CONTAINER / "chunk_kinds/effect.fx_5_0.fxo").read_bytes()
LIBRARY = (CONTAINER / "chunk_kinds/library.lib_5_0.dxbc").read_bytes()
SHADER, SHADER9 = softd3d.load(DXBC), softd3d.load9(LEGACY)
PARSED = dxbc.parse(DXBC)
BYTECODE = PARSED.program_chunk.data
CONSTANTS = {"P": {"origin": [-2.2, -1.6], "step": 0.1, "maxIter": 3}}
TEXTURES = {
    "Texture1D": (4,), "Texture1DArray": (2, 4), "Texture2D": (4, 4), "Texture2DArray": (2, 4, 4),
    "Texture2DMS": (4, 4, 2), "Texture2DMSArray": (2, 4, 4, 2), "Texture3D": (2, 4, 4),
    "TextureCube": (6, 4, 4), "TextureCubeArray": (6, 4, 4),
}  # fmt: skip


def texture(name: str = "Texture2D") -> softd3d.Texture2D:
    return getattr(softd3d, name)(np.zeros(TEXTURES[name], np.float32), "R32_FLOAT")


def surface() -> softd3d.Surface:
    return softd3d.Surface(np.zeros((2, 2), np.uint32), "D24S8")


def surface9(pool: Pool = Pool.DEFAULT, origin: Origin = Origin.OFFSCREEN_PLAIN) -> Any:
    return softd3d.Surface9(np.zeros((4, 4), np.uint32), "A8R8G8B8", pool=pool, origin=origin)


def bindings() -> dict[str, Any]:
    out = softd3d.StructuredBuffer(np.zeros(64, np.uint32), 4)
    return {
        "constants": CONSTANTS, "srvs": {}, "uavs": {0: out}, "samplers": {}, "interfaces": {},
        "engine": "interpreter", "threads": 1, "lanes": 0, "budget": 1 << 20, "timeout": 1e6,
        "progress": None, "cancel": None, "max_messages": 4, "strict": False,
        "predicate": None,
    }  # fmt: skip


def image() -> Any:
    from softd3d.resources.dds.header import Header, PixelFormat, header_bytes

    return softd3d.read_dds(
        header_bytes(Header(1, 2, PixelFormat(flags=0x20000, bit_count=8, r_mask=255))) + b"ab"
    )


def textures_of(name: str) -> dict[str, Callable[[], dict[str, Any]]]:
    """Return arguments of a texture class and its methods; methods have `self`."""
    size = 4
    samples = 2 if "MS" in name else 1
    slices = TEXTURES[name][0] if "Array" in name or "Cube" in name else 1
    depth = 2 if name == "Texture3D" else 1
    units = int(np.prod(TEXTURES[name]))
    return {
        name: lambda: {"array": np.zeros(TEXTURES[name], np.float32), "format": "R32_FLOAT"},
        f"{name}.from_bytes": lambda: {
            "data": bytes(4 * units), "format": "R32_FLOAT", "width": size,
            "height": 1 if "1D" in name else size, "depth": depth, "array_size": slices,
            "mip_levels": 1, "sample_count": samples,
        },
        f"{name}.describe": lambda: {"self": texture(name)},
        f"{name}.tobytes": lambda: {"self": texture(name)},
        f"{name}.mip": lambda: {"self": texture(name), "mip_slice": 0, "array_slice": 0},
        f"{name}.view": lambda: {
            "self": texture(name), "most_detailed_mip": 0, "mip_levels": 1, "first_array_slice": 0,
            "array_size": slices, "format": "R32_FLOAT", "dimension": None, "min_lod": 0.0,
        },
    }  # fmt: skip


def buffers() -> dict[str, Callable[[], dict[str, Any]]]:
    array = np.zeros(16, np.uint32)
    makers = {
        "RawBuffer": lambda: {"array": array},
        "StructuredBuffer": lambda: {"array": array, "stride": 4, "counter": 0},
        "TypedBuffer": lambda: {"array": array, "format": "R32_UINT"},
    }
    found: dict[str, Callable[[], dict[str, Any]]] = dict(makers)
    found["StructuredBuffer.describe_for"] = lambda: {
        "self": softd3d.StructuredBuffer(array), "stride": 8,
    }  # fmt: skip
    for name, make in makers.items():
        for method in ("describe", "tobytes"):
            found[f"{name}.{method}"] = lambda n=name, m=make: {"self": getattr(softd3d, n)(**m())}
    return found


def copies() -> dict[str, Callable[[], dict[str, Any]]]:
    return {
        "copy_resource": lambda: {"destination": texture(), "source": texture()},
        "copy_subresource_region": lambda: {
            "destination": texture(), "destination_subresource": 0, "position": (0, 0, 0),
            "source": texture(), "source_subresource": 0, "box": (0, 0, 0, 1, 1, 1),
            "overlap": False,
        },
        "update_subresource": lambda: {
            "destination": texture(), "destination_subresource": 0, "box": (0, 0, 0, 2, 2, 1),
            "data": bytes(64), "row_pitch": 8, "depth_pitch": 16,
        },
        "map_subresource": lambda: {"resource": texture(), "index": 0, "map_type": 3},
        "resolve_subresource": lambda: {
            "destination": texture(), "destination_subresource": 0,
            "source": texture("Texture2DMS"), "source_subresource": 0, "format": "R32_FLOAT",
        },
        "generate_mips": lambda: {"texture": texture()},
        "depth_plane": lambda: {
            "texture": softd3d.Texture2D(np.zeros((1, 1), np.uint32), "D24_UNORM_S8_UINT"),
            "mip_slice": 0, "array_slice": 0,
        },
        "stencil_plane": lambda: {
            "texture": softd3d.Texture2D(np.zeros((1, 1), np.uint32), "D24_UNORM_S8_UINT"),
            "mip_slice": 0, "array_slice": 0,
        },
        "convert": lambda: {
            "array": np.zeros(2, np.uint32), "source_format": "R32_UINT",
            "destination_format": "R32_FLOAT", "rules": "d3d10", "palette": None,
        },
        "decode": lambda: {
            "array": np.zeros(2, np.uint32), "format": "R32_UINT", "rules": "d3d10",
            "palette": None,
        },
        "encode": lambda: {
            "values": np.zeros((2, 4), np.float32), "format": "R32_UINT", "rules": "d3d10",
        },
        "read_dds": lambda: {"source": softd3d.write_dds(image()), "strict": False},
        "write_dds": lambda: {"image": image(), "legacy": "auto"},
        "Box": lambda: dict.fromkeys(("left", "top", "front", "right", "bottom", "back"), 0),
    }  # fmt: skip


def surfaces() -> dict[str, Callable[[], dict[str, Any]]]:
    memory, target = Pool.SYSTEMMEM, Origin.RENDER_TARGET
    return {
        "Surface": lambda: {"array": np.zeros((2, 2), np.uint32), "format_": "D24S8"},
        "Readings": lambda: {n: w[0] for n, w in softd3d.Readings.choices().items()},
        "Readings.choices": dict,
        "blt": lambda: {
            "source": surface(), "destination": softd3d.Surface(np.zeros((2, 2), np.float32), 82),
            "source_rect": (0, 0, 1, 1), "point": (0, 0), "destination_rect": None, "flags": 1,
            "color_key": 0, "readings": softd3d.Readings(), "supported": ["D24S8", 82],
            "engine": "interpreter", "threads": 1,
        },
        "Surface9": lambda: {
            "array": np.zeros((4, 4), np.uint32), "format_": "A8R8G8B8", "origin": target,
            "pool": Pool.DEFAULT, "samples": 1, "size": (4, 4), "is_lockable": False,
            "is_dynamic": False,
        },
        "Surface9.depth_stencil": lambda: {
            "self": softd3d.Surface9(np.zeros((2, 2), np.uint32), 75, origin=Origin.DEPTH_STENCIL),
        },
        "Texture9": lambda: {
            "width": 4, "height": 4, "format_": "A8R8G8B8", "levels": 1,
            "type_": softd3d.Texture9(4, 4, 21).type, "depth": 1, "pool": Pool.DEFAULT,
            "is_render_target": False, "is_dynamic": False,
        },
        "Texture9.surface": lambda: {"self": softd3d.Texture9(4, 4, 21), "level": 0, "slice_": 0},
        "Texture9.description": lambda: {"self": softd3d.Texture9(4, 4, 21), "is_srgb": False},
        "Texture9.generate_mip_sub_levels": lambda: {
            "self": softd3d.Texture9(4, 4, 21, is_generated=True)
        },
        "Texture9.refresh_levels": lambda: {"self": softd3d.Texture9(4, 4, 21, is_generated=True)},
        "Texture9.slices": lambda: {"self": softd3d.Texture9(4, 4, 21), "level": 0},
        "color_fill": lambda: {"surface": surface9(), "rect": None, "color": 1},
        "get_render_target_data": lambda: {
            "render_target": surface9(origin=target), "destination": surface9(memory),
        },
        "lock_rect": lambda: {"surface": surface9(memory), "rect": (0, 0, 1, 1), "flags": 0},
        "stretch_rect": lambda: {
            "source": surface9(), "source_rect": None, "destination": surface9(),
            "destination_rect": None, "filter_": 0,
        },
        "update_surface": lambda: {
            "source": surface9(memory), "source_rect": None, "destination": surface9(),
            "destination_point": (0, 0),
        },
        "update_texture": lambda: {
            "source": softd3d.Texture9(4, 4, 21, pool=memory),
            "destination": softd3d.Texture9(4, 4, 21),
        },
    }  # fmt: skip


def shaders() -> dict[str, Callable[[], dict[str, Any]]]:
    sources = ("disassemble_exact", "load", "load9", "load_effect9", "reflect", "validate")
    data = {"load9": LEGACY, "load_effect9": EFFECT9}
    found: dict[str, Callable[[], dict[str, Any]]] = {
        name: lambda name=name: {"source": data.get(name, DXBC)} for name in sources
    }
    run = softd3d.Dispatch(SHADER, (1, 1, 1), **bindings())
    counts = np.ones(3, np.uint32)
    return found | {
        "disassemble": lambda: {"source": LEGACY, "options": softd3d.disassemble.__defaults__[0]},
        "assemble": lambda: {"text": "ps_2_0\nmov oC0, c0", "like": None, "refresh": False},
        "rounded_literals": lambda: {"text": "ps_4_0\nret"},
        "reflect9": lambda: {"shader": SHADER9},
        "Shader": lambda: {"data": DXBC, "container": PARSED, "chunk": PARSED.program_chunk},
        "Shader.with_instructions": lambda: {"self": SHADER, "instructions": SHADER.instructions},
        "Shader9": lambda: {"data": LEGACY},
        "Shader9.with_instructions": lambda: {
            "self": SHADER9, "instructions": SHADER9.instructions,
        },
        "Effect9": lambda: {"data": EFFECT9},
        "Effect9.shader": lambda: {"self": softd3d.load(EFFECT9), "index": 0},
        "Effect9.with_shader": lambda: {
            "self": softd3d.load(EFFECT9), "index": 0,
            "tokens": softd3d.load(EFFECT9).shader(0).tokens,
        },
        "Effect10": lambda: {"data": EFFECT10, "container": None, "chunk": None},
        "Effect10.shader": lambda: {"self": softd3d.load(EFFECT10), "index": 0},
        "Effect10.with_shader": lambda: {
            "self": softd3d.load(EFFECT10), "index": 0,
            "data": softd3d.load(EFFECT10).shader(0).data,
        },
        "Library": lambda: {"data": LIBRARY, "container": dxbc.parse(LIBRARY)},
        "Dispatch": lambda: {"shader": SHADER, "groups": 1, **bindings()},
        "Dispatch.once": lambda: {"self": run},
        "Dispatch.run": lambda: {"self": run, "groups": 1},
        "Dispatch.run_indirect": lambda: {
            "self": run, "arguments": softd3d.RawBuffer(counts), "offset": 0,
        },
        "dispatch": lambda: {"shader": SHADER, "groups": 1, **bindings()},
        "dispatch_indirect": lambda: {
            "shader": SHADER, "arguments": softd3d.RawBuffer(counts), "offset": 0, **bindings(),
        },
        "SamplerState": lambda: {
            n: p.default for n, p in inspect.signature(softd3d.SamplerState).parameters.items()
        },
        "ClassInstance": lambda: {
            "type": "C", "constant_buffer": 0, "vector": 0, "texture": 0, "sampler": 0,
        },
        "Message": lambda: dict.fromkeys(("kind", "text", "group", "thread", "location")),
        "Outcome": dict,
        "ValidationError": lambda: {"findings": softd3d.validate(b"no shader")},
    }  # fmt: skip


_COLUMNS = """//
// Name                 Index   Mask Register SysValue  Format   Used
// -------------------- ----- ------ -------- -------- ------- ------
"""
VERTEX_SHADER = softd3d.assemble(f"""// Input signature:
{_COLUMNS}// POSITION                 0   xyzw        0     NONE   float   xyzw
//
// Output signature:
{_COLUMNS}// SV_Position              0   xyzw        0      POS   float   xyzw
//
vs_5_0
dcl_input v0.xyzw
dcl_output_siv o0.xyzw, position
mov o0.xyzw, v0.xyzw
ret
""")
PIXEL_SHADER = softd3d.assemble(f"""// Output signature:
{_COLUMNS}// SV_Target                0   xyzw        0   TARGET   float   xyzw
//
ps_5_0
dcl_output o0.xyzw
mov o0.xyzw, l(1.0, 1.0, 1.0, 1.0)
ret
""")


def draw_arguments() -> dict[str, Any]:
    vertices = np.zeros(3, [("POSITION", "f4", 4)])
    vertices["POSITION"] = (-1, 1, 0, 1), (1, 1, 0, 1), (-1, -1, 0, 1)
    return {
        "vs": VERTEX_SHADER, "ps": PIXEL_SHADER, "input_layout": None, "topology": "TRIANGLELIST",
        "rasterizer": softd3d.RasterizerState(), "blend": softd3d.BlendState(),
        "depth_stencil": softd3d.DepthStencilState(), "blend_factor": (1, 1, 1, 1),
        "stencil_ref": 0, "sample_mask": 1, "vertex_buffers": {0: vertices},
        "index_buffer": np.arange(3, dtype=np.uint16), "constants": {}, "srvs": {}, "samplers": {},
        "uavs": {}, "interfaces": {}, "render_targets": [np.zeros((2, 2, 4), np.uint8)],
        "depth_stencil_view": np.ones((2, 2), np.float32), "viewports": [softd3d.Viewport()],
        "scissors": [softd3d.Rect()], "engine": "interpreter", "threads": 1, "lanes": 0,
        "budget": 64, "timeout": 5.0, "progress": None, "cancel": None, "max_messages": 4,
        "strict": False, "hs": None, "ds": None, "gs": None, "stream_output": None,
        "so_targets": [], "predicate": None,
    }  # fmt: skip


def draws() -> dict[str, Callable[[], dict[str, Any]]]:
    job = softd3d.Draw(**draw_arguments())
    call = {"start_vertex_location": 0, "start_instance_location": 0}
    indexed = {
        "start_index_location": 0, "base_vertex_location": 0, "start_instance_location": 0,
    }  # fmt: skip
    counts = {"instance_count": 1, **call, **indexed}
    color = {"rects": [(0, 0, 1, 1)], "predicate": softd3d.Predicate(True)}
    streamed = softd3d.StructuredBuffer(draw_arguments()["vertex_buffers"][0])
    auto = softd3d.Draw(**draw_arguments() | {"vertex_buffers": [streamed]})
    entry = {
        "stream": 0, "semantic_name": "SV_Position", "semantic_index": 0, "start_component": 0,
        "component_count": 4, "output_slot": 0,
    }  # fmt: skip
    output = {
        "entries": [softd3d.SODeclarationEntry(**entry)], "buffer_strides": [16],
        "rasterized_stream": 0,
    }  # fmt: skip
    return {
        "Draw": draw_arguments,
        "draw": lambda: {"vertex_count": 3, "index_count": None, **counts, **draw_arguments()},
        "Draw.instanced": lambda: {
            "self": job, "vertex_count_per_instance": 3, "instance_count": 1, **call,
        },
        "Draw.indexed": lambda: {
            "self": job, "index_count": 3, "start_index_location": 0, "base_vertex_location": 0,
        },
        "Draw.indexed_instanced": lambda: {
            "self": job, "index_count_per_instance": 3, "instance_count": 1, **indexed,
        },
        "Draw.indirect": lambda: {"self": job, "arguments": np.zeros(5, np.uint32), "offset": 4},
        "Draw.indexed_indirect": lambda: {
            "self": job, "arguments": np.zeros(6, np.uint32), "offset": 4,
        },
        "Draw.auto": lambda: {"self": auto},
        "StreamOutputTarget": lambda: {"buffer": np.zeros(4), "offset": 0},
        "SODeclarationEntry": lambda: dict(entry),
        "StreamOutput": lambda: dict(output),
        "Predicate": lambda: {"result": True, "value": False},
        "Draw.once": lambda: {
            "self": softd3d.Draw(**draw_arguments()), "vertex_count": 3, "index_count": None,
            **counts,
        },
        "pixel_history": lambda: {
            "draw": job, "x": 0, "y": 1, "array_slice": 0, "sample": 0, "vertex_count": 3, **counts,
        },
        "Draw.pixel_history": lambda: {
            "self": job, "x": 0, "y": 1, "array_slice": 0, "sample": 0, "index_count": 3, **counts,
        },
        "stage_outputs": lambda: {
            "draw": job, "stage": "vs", "stream": 0, "vertex_count": 3, **counts,
        },
        "Draw.stage_outputs": lambda: {
            "self": job, "stage": "vs", "stream": 0, "index_count": 3, **counts,
        },
        "StageOutputs": lambda: dict.fromkeys(
            ("vertices", "primitives", "primitive_ids", "instance_ids", "patch_constants")
        ),
        "FragmentHistory": lambda: dict.fromkeys(
            ("primitive", "instance", "is_front", "coverage", "fate", "passed_stencil",
             "passed_depth", "depth", "outputs", "before", "after")
        ),
        "VertexBuffer": lambda: {"buffer": np.zeros(4), "stride": 4, "offset": 0},
        "IndexBuffer": lambda: {"buffer": np.zeros(4), "format": "R32_UINT", "offset": 0},
        "RenderTargetView": lambda: {
            "resource": texture(), "format": None, "mip_slice": 0, "first_array_slice": 0,
            "array_size": 1,
        },
        "DepthStencilView": lambda: {
            "resource": texture(), "format": None, "mip_slice": 0, "first_array_slice": 0,
            "array_size": 1, "read_only_depth": False, "read_only_stencil": True,
        },
        "clear_render_target_view": lambda: {"view": texture(), "color": (1, 2, 3, 4), **color},
        "clear_depth_stencil_view": lambda: {
            "view": np.zeros((2, 2), np.float32), "clear_flags": "DEPTH", "depth": 1, "stencil": 2,
            "predicate": None,
        },
        "clear_uav_float": lambda: {"view": texture(), "values": (1, 2, 3, 4), **color},
        "clear_uav_uint": lambda: {"view": texture(), "values": (1, 2, 3, 4), **color},
        **{name: partial(_defaults, name) for name in _STATES},
        "BlendState.description": lambda: {"self": softd3d.BlendState(), "slot": 0},
        "InputElement": lambda: {
            "semantic_name": "POSITION", "semantic_index": 0, "format": "R32_FLOAT",
            "input_slot": 0, "aligned_byte_offset": 0, "input_slot_class": 1,
            "instance_data_step_rate": 1,
        },
        "DrawResult": dict,
    }  # fmt: skip


def scenes() -> dict[str, Callable[[], dict[str, Any]]]:
    facts = {
        "ps": PIXEL_SHADER, "vs": None, "hs": None, "ds": None, "gs": None, "mesh": "quad",
        "size": (2, 2), "samples": 1, "textures": {}, "samplers": {},
    }  # fmt: skip
    scene = softd3d.Scene(**facts)
    run = {key: draw_arguments()[key] for key in (
        "engine", "threads", "lanes", "budget", "timeout", "progress", "cancel", "max_messages",
        "strict",
    )}  # fmt: skip
    picture = softd3d.Rendering(np.zeros((1, 1, 4), np.float32), softd3d.DrawResult())
    return {
        "Scene": lambda: dict(facts),
        "Scene.render": lambda: {"self": scene, "constants": {}, **run},
        "Scene.said": lambda: {"self": scene, "constants": {}, "all_names": False},
        "Scene.zeros": lambda: {"self": scene, "constants": {}},
        "Rendering": lambda: {"colors": picture.colors, "outcome": picture.outcome},
        "Rendering.image": lambda: {"self": picture, "has_alpha": False},
    }


def tessellation() -> dict[str, Callable[[], dict[str, Any]]]:
    none = np.zeros((0, 2), np.int32)
    return {
        "tessellate": lambda: {
            "domain": "quad", "partitioning": "integer", "output": "triangle_cw",
            "edges": [1, 2, 3, 4], "inside": [1.5, 2],
        },
        "Tessellation": lambda: {
            "fixed": none, "locations": none.astype(np.float32), "indices": none[:, 0],
        },
    }  # fmt: skip


_STATES = (
    "BlendState", "DepthStencilOpDesc", "DepthStencilState", "PipelineStatistics",
    "RasterizerState", "Rect", "RenderTargetBlendDesc", "SOStatistics", "Viewport",
)  # fmt: skip


def _defaults(name: str) -> dict[str, Any]:
    made = getattr(softd3d, name)()
    return {n: getattr(made, n) for n in inspect.signature(type(made)).parameters}


def errors() -> dict[str, Callable[[], dict[str, Any]]]:
    names = [n for n in softd3d.__all__ if n.endswith("Error") and n != "ValidationError"]
    return {name: lambda: {"message": "x", "location": None} for name in names}


def tokens(prefix: str) -> dict[str, Callable[[], dict[str, Any]]]:
    field, layout = sm1.SOURCE_PARAMETER["modifier"], sm1.SOURCE_PARAMETER
    found: dict[str, Callable[[], dict[str, Any]]] = {
        "Token": lambda: {"layout": layout, "dword": 0},
        "Token.replace": lambda: {"self": layout.decode(0), "modifier": 1},
        "Token.values": lambda: {"self": layout.decode(0)},
        "TokenField": lambda: {
            "name": "x", "bits": field.bits, "meaning": "y", "values": None, "default": 0,
        },
        "TokenField.decode": lambda: {"self": field, "dword": 0},
        "TokenField.named": lambda: {"self": field, "number": 0},
        "TokenField.text": lambda: {"self": field, "number": 0},
        "TokenLayout": lambda: {"name": "x", "fields": [field]},
        "TokenLayout.decode": lambda: {"self": layout, "dword": 0},
        "TokenLayout.encode": lambda: {"self": layout, "modifier": 1},
    }  # fmt: skip
    return {f"{prefix}.{name}": make for name, make in found.items()}


def programs() -> dict[str, Callable[[], dict[str, Any]]]:
    found = {**tokens("sm1"), **tokens("sm4")}
    for module in (sm1, sm4):
        for record in (getattr(module, name) for name in module.__all__):
            if record in _REAL:
                found[f"{module.__name__[-3:]}.{record.__name__}"] = lambda c=record: _fields(c)
    operand = SHADER.instructions[-2].operands[0]
    return found | {
        "sm1.decode": lambda: {"data": LEGACY, "base": 0},
        "sm1.encode": lambda: {"program": SHADER9.program},
        "sm1.instruction_layout": lambda: {"opcode": sm1.Opcode.MOV, "version": (2, 0)},
        "sm1.instruction_token": lambda: {"dword": 1, "version": (2, 0)},
        "sm4.decode": lambda: {"data": BYTECODE, "base": 0},
        "sm4.encode": lambda: {"program": SHADER.program},
        "sm4.extended_opcode_token": lambda: {"dword": 1},
        "sm4.opcode_layout": lambda: {"opcode": sm4.Opcode.MOV},
        "sm4.opcode_token": lambda: {"dword": int(sm4.Opcode.MOV)},
        "sm4.operand_token": lambda: {"dword": 0},
        "sm4.Operand.source": lambda: {"self": operand, "component": 0},
    }  # fmt: skip


_REAL = {
    sm1.Program: SHADER9.program, sm4.Program: SHADER.program,
    sm1.Instruction: SHADER9.instructions[0], sm4.Instruction: SHADER.instructions[-2],
    sm1.Comment: sm1.Comment(b""), sm1.Declaration: sm1.Declaration(),
    sm1.DestinationParameter: SHADER9.instructions[0].destination,
    sm1.SourceParameter: SHADER9.instructions[0].sources[0],
    sm4.Operand: SHADER.instructions[-2].operands[0], sm4.Index: sm4.Index(),
    sm1.Part: SHADER9.instructions[0].parts[0], sm4.Part: SHADER.instructions[-2].parts[0],
    sm1.Target: sm1.Target(sm1.ProgramType.PS, 2, 0),
    sm4.Target: sm4.Target(sm4.ProgramType.PS, 5, 0),
}  # fmt: skip
"""Parts of programs, each with one of its kind that is sound."""


def _fields(record: type) -> dict[str, Any]:
    return {name: getattr(_REAL[record], name) for name in inspect.signature(record).parameters}


CALLS: dict[str, Callable[[], dict[str, Any]]] = {
    **errors(), **buffers(), **copies(), **surfaces(), **shaders(), **programs(), **draws(),
    **scenes(), **tessellation(),
    **{key: make for name in TEXTURES for key, make in textures_of(name).items()},
}  # fmt: skip
"""Keyword arguments that fit, made anew for each call, by name."""


def exported() -> Iterator[tuple[str, Callable[..., Any]]]:
    """Yield all exported functions, classes but for enumerations, and methods of these."""
    for module in MODULES:
        prefix = "" if module is softd3d else f"{module.__name__.rpartition('.')[2]}."
        for name in module.__all__:
            value = getattr(module, name)
            if isinstance(value, (ModuleType, EnumMeta)) or not callable(value):
                continue
            if not (inspect.isclass(value) or inspect.isroutine(value)):
                continue
            yield f"{prefix}{name}", value
            if inspect.isclass(value) and not issubclass(value, BaseException):
                yield from _methods(f"{prefix}{name}", value)


def _methods(name: str, owner: type) -> Iterator[tuple[str, Callable[..., Any]]]:
    for method in sorted(dir(owner)):
        static = inspect.getattr_static(owner, method)
        is_inherited = issubclass(owner, tuple) and hasattr(tuple, method)
        is_method = isinstance(static, (FunctionType, classmethod, staticmethod))
        if is_method and not method.startswith("_") and not is_inherited:
            yield f"{name}.{method}", getattr(owner, method)


def called(function: Callable[..., Any], arguments: dict[str, Any]) -> Any:
    """Call with keywords, `self` first; enter what is a context, and show the result."""
    given = dict(arguments)
    owner = [given.pop("self")] if "self" in given else []
    result = function(*owner, **given)
    if isinstance(result, AbstractContextManager):
        with result:
            pass
    with suppress_long_numbers():
        repr(result)
    return result


@contextmanager
def suppress_long_numbers() -> Iterator[None]:
    """Let Python refuse to print numbers of thousands of digits, which a record may hold."""
    try:
        yield
    except ValueError as error:
        if "integer string conversion" not in str(error):
            raise
