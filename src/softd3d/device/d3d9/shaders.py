"""Shaders of a device: programs of shader model 1 to 3, and the constants that draws give them.

Spec: win32 IDirect3DDevice9::CreateVertexShader, ::CreatePixelShader.
"""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import TypeVar, cast

import numpy as np
from numpy.typing import NDArray

from softd3d.arguments import shown
from softd3d.errors import ResourceError
from softd3d.isa.sm1.enums import ProgramType
from softd3d.isa.sm1.limits import FIRST_VERTEX_SAMPLER
from softd3d.isa.sm1.program import Program
from softd3d.lower.bound import Source
from softd3d.lower.d3d9.constant_files import define, no_constants
from softd3d.lower.d3d9.register_files import RegisterFiles
from softd3d.shaders.token_stream import Shader9, load9

Shader = TypeVar("Shader", bound="ProgramShader9")

__all__ = ["PixelShader9", "ProgramShader9", "VertexShader9", "shader_of"]


class ProgramShader9:
    """A shader with its constants, which all draws that use it share.

    constants: by file, as `lower/d3d9/constant_files.py` orders them; draws change them in place.
    samplers: the device's that it reads. seen: what constants were made from last. shader: None of
    a program that has been given as such.
    """

    stage = ProgramType.VS

    def __init__(
        self, program: Program, shader: Shader9 | None = None, source: Source | None = None
    ) -> None:
        """Make constants for a program.

        source: of the program, by its bytes.

        Raises:
            ResourceError: it is of the other stage. DecodeError: it defines what it cannot.
        """
        if program.type is not self.stage:
            raise ResourceError(
                f"found a {program.profile} shader, wanted {self.stage.name.lower()}"
            )
        self.program = program
        self.shader = shader
        self.source = source
        self.constants = no_constants(program)
        self.seen: object = None
        first = FIRST_VERTEX_SAMPLER if self.stage is ProgramType.VS else 0
        self.samplers = tuple(first + n for n in sorted(RegisterFiles(program).samplers()))
        # What the program defines: words of files, in their places.
        self._defined = [
            (file, where, words)
            for file, (where, words) in zip(self.constants, _defined_words(program), strict=True)
            if where.size
        ]
        self._define()

    def set_files(self, files: tuple[NDArray[np.uint32], ...]) -> None:
        """Take what the application has set; what the program defines itself wins.

        files: uint32 words of each file, as many as the program has, or more, or fewer.
        """
        for mine, given in zip(self.constants, files, strict=False):
            count = min(mine.size, given.size)
            mine[:count] = given[:count]
        self._define()

    def _define(self) -> None:
        for file, where, words in self._defined:
            file[where] = words

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.program.profile}>"


class VertexShader9(ProgramShader9):
    """IDirect3DVertexShader9."""


class PixelShader9(ProgramShader9):
    """IDirect3DPixelShader9."""

    stage = ProgramType.PS


def shader_of(given: object, kind: type[Shader]) -> Shader:
    """Return a shader of what a caller gave: a `Shader9`, a program, a path, or tokens.

    Raises:
        ResourceError: nothing of the kind. DecodeError: the tokens are malformed. OSError: the file
            cannot be read.
    """
    if isinstance(given, Program):
        return kind(given)
    if isinstance(given, Shader9):
        return _of_shader(given, kind)
    if not isinstance(given, (str, Path, bytes, bytearray, memoryview)):
        raise ResourceError(
            f"{kind.__name__}: found {shown(given)}, wanted a Shader9, a path, or tokens as bytes"
        )
    return _of_shader(load9(cast("bytes", given)), kind)


def _of_shader(shader: Shader9, kind: type[Shader]) -> Shader:
    source = Source(shader.program, hashlib.sha256(shader.data).digest())
    return kind(shader.program, shader, source)


def _defined_words(program: Program) -> tuple[tuple[NDArray[np.intp], NDArray[np.uint32]], ...]:
    """Return which words of each file a program defines, and what they are."""
    zeros, ones = no_constants(program), no_constants(program)
    for file in ones:
        file.fill(1)
    define(program, zeros)
    define(program, ones)
    found: list[tuple[NDArray[np.intp], NDArray[np.uint32]]] = []
    for a, b in zip(zeros, ones, strict=True):
        where = np.flatnonzero(a == b)
        found.append((where, a[where]))
    return tuple(found)
