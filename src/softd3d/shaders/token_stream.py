"""Shaders of Direct3D 9: token streams of shader model 1 to 3."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from functools import cached_property

from softd3d.arguments import instance, records
from softd3d.container.comments.ctab import ConstantTable
from softd3d.container.listing.stream import constant_table_of, stream_listing
from softd3d.isa.record import by_hand
from softd3d.isa.sm1.decode import decode
from softd3d.isa.sm1.encode import encode
from softd3d.isa.sm1.program import Comment, Instruction, Program
from softd3d.shaders.identify import Kind, identify
from softd3d.shaders.listed import Listed
from softd3d.shaders.not_shaders import refusal
from softd3d.source import Source, read_source

__all__ = ["Shader9", "load9"]


class Shader9(Listed):
    """A vertex or pixel shader of model 1 to 3.

    data: the token stream. Everything else is read when it is first asked for, and kept.
    """

    def __init__(self, data: bytes) -> None:
        self.data = instance(data, bytes, "Shader9: data")

    @cached_property
    def program(self) -> Program:
        """The decoded program, its comments included.

        Raises:
            DecodeError: the tokens are malformed.
        """
        return decode(self.data)

    @property
    def instructions(self) -> tuple[Instruction | Comment, ...]:
        """All instructions and comments in order.

        The text of an instruction is its line of the listing, which leaves comments out;
        docs/reading-programs.md tells of the rest.

        Raises:
            DecodeError: the tokens are malformed.
        """
        return self.program.instructions

    def with_instructions(self, instructions: Iterable[Instruction | Comment]) -> Shader9:
        """Return the shader with other instructions; bytes behind its end token stay.

        The instructions' own offsets and positions do not count.

        Raises:
            AssemblyError: an instruction has no tokens: a number does not fit its field.
        """
        return Shader9(
            by_hand(encode)(
                replace(
                    self.program,
                    instructions=records(instructions, (Instruction, Comment), "instructions"),
                )
            )
        )

    @property
    def profile(self) -> str:
        """The compiler's name of the target, such as `ps_2_0`."""
        return self.program.profile

    @cached_property
    def constant_table(self) -> ConstantTable | None:
        """The constant table (CTAB); None if the shader has none.

        Raises:
            ContainerError: it is malformed.
        """
        return constant_table_of(self.program)

    @cached_property
    def listing(self) -> str:
        """The text that Microsoft's disassembler prints for the shader.

        Raises:
            ShaderError: a part of the shader that the listing shows is malformed.
        """
        return stream_listing(self.program)

    def __repr__(self) -> str:
        profile = identify(self.data).profile or "unknown version"
        return f"<Shader9 {profile}, {len(self.data)} bytes>"


def load9(source: Source) -> Shader9:
    """Read a Direct3D 9 shader from a file or from bytes.

    Raises:
        OSError: the file cannot be read.
        DecodeError: it is no token stream of shader model 1 to 3; the message names what it is.
    """
    data = read_source(source)
    if identify(data).kind is not Kind.SM1_TOKENS:
        raise refusal(data, "a token stream of shader model 1 to 3", model=3)
    return Shader9(data)
