"""What to tell a caller who gives something else than a compiled shader."""

from __future__ import annotations

import re

from softd3d.container.listing.exact import is_exact_listing
from softd3d.errors import DecodeError, Location
from softd3d.shaders.identify import Kind, identify
from softd3d.shaders.texts import is_listing
from softd3d.source import decode_text

__all__ = ["ASSEMBLER_TEXT", "refusal", "what_text"]

_LOOKED_AT = 1 << 16  # bytes in which a text says what it is; even, for UTF-16
_INSIDE = "; `softd3d effect extract` gives the shaders inside"
_DXIL = "; fxc compiles the same HLSL for shader model 5.1 and below"
_HINTS = {
    Kind.EFFECT: _INSIDE,
    Kind.EFFECT10: _INSIDE,
    Kind.XNB: _INSIDE,
    Kind.BITCODE: _DXIL,
    Kind.DXIL_PROGRAM: _DXIL,
}
_OTHERS = ("", "{", "<")  # nothing, JSON, XML
_CONTROLS = re.compile(r"[\x00-\x08\x0e-\x19\x1b-\x1f]")
_COMMENTS = re.compile(r"//[^\n]*|/\*.*?(?:\*/|\Z)", re.DOTALL)
_DIRECTIVES = re.compile(r"^[ \t]*#[^\n]*", re.MULTILINE)
# Each of these is HLSL (or, as far as one can tell, another relative of C), and no listing's.
_HLSL = re.compile(
    r"\b(?:[ct]buffer|struct)\s+\w+\s*[{:]|\btechnique(?:10|11)?\b[^{;]{0,200}\{"
    r"|\[\s*numthreads\s*\(|:\s*SV_\w+|\bcompile\s+[a-z]{2}_\d|\bstatic\s+(?:const\s+)?\w+"
    r"|\b(?:RW|Append|Consume|RasterizerOrdered)?(?:Structured)?Buffer\s*<"
    r"|\b(?:RW)?(?:ByteAddressBuffer|Texture(?:1D|2D|2DMS|3D|Cube)(?:Array)?)(?:\s*<[^>]*>)?\s+\w+"
    r"|\b(?:[Ss]ampler(?:1D|2D|3D|CUBE|_?[Ss]tate|ComparisonState)?)\s+\w+\s*[;:={\[,)]"
    r"|\b(?:void|bool|u?int|half|float|double)(?:[1-4](?:x[1-4])?)?\s+\w+\s*[(\[;=:,]"
    r"|^[ \t]*#[ \t]*(?:include\s*[<\"]|define\s+\w|line\s+\d|pragma\s+\w)",
    re.MULTILINE,
)
_GLSL = re.compile(r"\A\s*#[ \t]*version\b")
ASSEMBLER_TEXT = "assembler text", "assemble it first, with `softd3d as` or softd3d.assemble"
_TECHNIQUE = re.compile(r"\btechnique(10|11)?\b")
_STAGES = (
    (re.compile(r"\bnumthreads\b"), "cs_5_0"),
    (re.compile(r"\b(?:maxvertexcount|(?:Point|Line|Triangle)Stream)\b"), "gs_5_0"),
    (re.compile(r"\bpatchconstantfunc\b"), "hs_5_0"),
    (re.compile(r"\bSV_DomainLocation\b"), "ds_5_0"),
    (re.compile(r"\b(?:SV_Target|COLOR)\d*\b", re.IGNORECASE), "ps_5_0"),
    (re.compile(r"\b(?:SV_Position|POSITION)\d*\b", re.IGNORECASE), "vs_5_0"),
)


def refusal(data: bytes, wanted: str, model: int = 5) -> DecodeError:
    """Return the error for bytes that are not `wanted`; it names what they are instead.

    model: the shader model that HLSL is to be compiled for, 5 or 3.
    """
    identity = identify(data)
    if identity.kind not in (Kind.UNKNOWN, Kind.DDS):
        message = f"{identity}: wanted {wanted}{_HINTS.get(identity.kind, '')}"
    elif text := what_text(data, model):
        message = f"found {text[0]}, wanted {wanted}; {text[1]}"
    else:
        found = f"starts with {data[:4]!r}" if data else "is empty"
        message = f"not a shader: the input {found}, wanted {wanted}"
    return DecodeError(message, Location(offset=0))


def what_text(data: bytes, model: int = 5) -> tuple[str, str] | None:
    """Return what sort of source text bytes are, and what to do with it; None for all others.

    >>> what_text(b"float4 main() : SV_Target { return 1; }")[0], what_text(b"// hello")
    ('HLSL source', None)
    """
    text = decode_text(data[:_LOOKED_AT]).rstrip("\0")  # as D3DDisassemble ends its listings
    if text.lstrip()[:1] in _OTHERS or _CONTROLS.search(text):
        return None
    # Listings show HLSL in their comments, and HLSL may show listings in its own.
    code = _COMMENTS.sub("", text)
    if is_exact_listing(text) or _begins_as_listing(_DIRECTIVES.sub("", code)):
        return ASSEMBLER_TEXT
    if _GLSL.search(code):
        return "GLSL source", "that is OpenGL's language, which Direct3D does not have"
    if _HLSL.search(code):
        return "HLSL source", _compile_advice(code, model)
    if is_listing(text):
        return ASSEMBLER_TEXT
    return None


def _compile_advice(code: str, model: int) -> str:
    technique = _TECHNIQUE.search(code)
    if technique:
        profile = {"10": "fx_4_0", "11": "fx_5_0"}.get(technique[1], "fx_2_0")
        arguments = f"/T {profile} /Fo effect.fxo effect.fx"
        return (
            f"compile it first, with `fxc {arguments}` (Windows SDK) or, on other systems, "
            f"`wine fxc.exe {arguments}`; vkd3d-compiler compiles the shaders in it one by one "
            "(`vkd3d-compiler -x hlsl -b dxbc-tpf -p ps_5_0 -e main -o shader.dxbc effect.fx`)"
        )
    profile = next((p for pattern, p in _STAGES if pattern.search(code)), "ps_5_0")
    kind, file = "dxbc-tpf", "shader.dxbc"
    if model == 3:
        profile, kind, file = f"{profile[:2]}_3_0", "d3dbc", "shader.bin"
    arguments = f"/T {profile} /E main /Fo {file} shader.hlsl"
    return (
        f"compile it first, with `fxc {arguments}` (Windows SDK) or, on other systems, with "
        f"`wine fxc.exe {arguments}` or "
        f"`vkd3d-compiler -x hlsl -b {kind} -p {profile} -e main -o {file} shader.hlsl`"
    )


def _begins_as_listing(code: str) -> bool:
    first = next((line for line in code.splitlines() if line.strip()), "")
    return is_listing(first)
