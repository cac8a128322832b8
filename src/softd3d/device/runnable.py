"""The shaders that callers give to run."""

from __future__ import annotations

from softd3d.errors import ResourceError
from softd3d.isa.sm4.enums import ProgramType
from softd3d.shaders.listed import Listed
from softd3d.shaders.shader import Shader, load_shader

__all__ = ["STAGE_NAMES", "runnable_shader"]

STAGE_NAMES = {
    ProgramType.PS: "pixel shader", ProgramType.VS: "vertex shader",
    ProgramType.GS: "geometry shader", ProgramType.HS: "hull shader",
    ProgramType.DS: "domain shader", ProgramType.CS: "compute shader",
}  # fmt: skip


def runnable_shader(
    source: object, what: str = "shader", stage: ProgramType = ProgramType.CS
) -> Shader:
    """Return the shader to run. what: the argument's name. stage: the one that is wanted.

    Raises:
        OSError, ShaderError: a file cannot be read, or is no shader that can be run.
        ResourceError: it is no shader, path or bytes, or a shader of another stage.
    """
    wanted = f"a {STAGE_NAMES[stage]} of model 4.0 to 5.1"
    if isinstance(source, Shader):
        found = source
    elif isinstance(source, Listed):
        raise ResourceError(f"{what}: found {source!r}, wanted {wanted}")
    else:
        try:
            found = load_shader(source)  # pyright: ignore[reportArgumentType] - it looks itself
        except TypeError as error:
            raise ResourceError(f"{what}: {error}, or what softd3d.load returns") from None
    if found.program.type is not stage:
        kind = STAGE_NAMES[found.program.type]
        raise ResourceError(f"{what}: found a {kind} ({found.profile}), wanted {wanted}")
    return found
