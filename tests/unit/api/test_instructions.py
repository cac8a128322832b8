"""Programs as data: text, words and parts of every instruction; edits that come back as bytes."""

from __future__ import annotations

import struct
from dataclasses import replace
from pathlib import Path

import pytest

import softd3d
from softd3d import sm1, sm4
from softd3d.container.dxbc import container as dxbc
from softd3d.container.listing.container import container_listing
from softd3d.container.listing.stream import stream_listing
from softd3d.errors import ShaderError
from softd3d.isa.asm.options import ListingOptions
from softd3d.isa.sm1.program import Comment
from softd3d.samples import sample
from softd3d.shaders.identify import Kind, identify

MANDELBROT = sample("cs_mandelbrot.cs_5_0.dxbc").read_bytes()
CODE_ONLY = ListingOptions(code_only=True, debug=False)
DATA = Path(__file__).parents[1] / "container/data"
LONGEST = 100


def loaded(data):
    """Return the shader of a file, None if it has none that is sound."""
    kind = identify(data).kind
    try:
        if kind is Kind.SM1_TOKENS:
            shader = softd3d.load9(data)
        elif kind in (Kind.CONTAINER, Kind.TOKENS):
            shader = softd3d.load(data)
        else:
            return None
        shader.program  # noqa: B018 - decoded when it is first asked for
    except ShaderError:
        return None
    return shader


@pytest.fixture(scope="module")
def shaders(shared: Path):
    """All shaders of the sample library, of both families, each once."""
    files = [p for p in sorted((shared / "samples").rglob("*")) if p.is_file()]
    contents = {p.read_bytes() for p in files if p.suffix in {".dxbc", ".bin", ".cso"}}
    found = [shader for data in sorted(contents) if (shader := loaded(data)) is not None]
    families = {type(shader) for shader in found}
    assert families == {softd3d.Shader, softd3d.Shader9}
    return found


def code_lines(shader):
    """Return a listing's lines of code without indentation."""
    if isinstance(shader, softd3d.Shader9):
        text = stream_listing(shader.program, CODE_ONLY)
        lines = text.split("\n")[1:-3]
        return [line.strip().removeprefix("+").strip() for line in lines]
    if shader.container is None:
        text = softd3d.disassemble(shader.data)
    else:
        text = container_listing(shader.container, CODE_ONLY)
    return [line.strip() for line in text.split("\n")[1:-1]]


def test_texts_are_the_lines_of_the_listing(shaders):
    for shader in shaders:
        items = [i for i in shader.instructions if not isinstance(i, Comment)]
        texts = "\n".join(str(i) for i in items).split("\n") if items else []
        assert [text.strip() for text in texts] == code_lines(shader)


@pytest.fixture(scope="module")
def instructions(shaders):
    """Every different instruction of the shaders, with its bytes in the input and its parts."""
    found = {}
    for shader in shaders:
        for i in shader.instructions:
            target = getattr(i, "target", None)
            size = 4 * len(i.words)
            found.setdefault((target, i.words), (i, shader.data[i.offset : i.offset + size]))
    return [(i, data, i.parts) for i, data in found.values()]


def test_words_are_the_bytes_of_the_input(instructions):
    for i, data, _ in instructions:
        assert struct.pack(f"<{len(i.words)}I", *i.words) == data


def test_parts_are_all_of_an_instruction(instructions):
    for i, _, parts in instructions:
        at = i.offset
        for part in parts:
            assert part.offset == at
            at += 4 * len(part.words)
            pieces = getattr(part, "parts", ())
            assert not pieces or sum((p.words for p in pieces), ()) == part.words
        assert sum((part.words for part in parts), ()) == i.words


def test_fields_of_tokens_make_the_same_tokens(instructions):
    found = {t for _, _, parts in instructions for part in parts for t in part.tokens}
    for token in found:
        assert token.layout.encode(**token.values()) == token
        assert len(repr(token)) <= LONGEST
    kinds = {token.layout.name for token in found}
    assert len(kinds) == 16  # all but those of versions, and extended tokens that say nothing


def test_texts_of_operands_stand_in_the_instruction(instructions):
    for i, _, parts in instructions:
        if not i.mnemonic.startswith(("dcl", "break", "comment")):
            assert all(part.text in str(i) for part in parts)


def test_every_repr_fits_a_line(shaders, instructions):
    things = [t for i, _, parts in instructions for t in (i, *parts, *getattr(i, "operands", ()))]
    for thing in [*things, *shaders, *(shader.program for shader in shaders)]:
        assert len(repr(thing)) <= LONGEST
        assert "\n" not in repr(thing)


def test_instructions_come_back_as_they_were(shaders):
    for shader in shaders:
        assert shader.with_instructions(shader.instructions).data == shader.data


def test_an_operand_is_edited():
    shader = softd3d.load(MANDELBROT)
    before = next(i for i in shader.instructions if i.mnemonic == "lt")
    literal, register = before.operands[1:]
    (bits,) = struct.unpack("<I", struct.pack("<f", 16.0))
    after = replace(
        before, operands=(before.operands[0], replace(literal, immediate=(bits,)), register)
    )
    assert str(after) == str(before).replace("l(4.000000)", "l(16.000000)")
    edited = shader.with_instructions(after if i is before else i for i in shader.instructions)
    assert edited.listing == shader.listing.replace("l(4.000000)", "l(16.000000)")
    assert dxbc.parse(edited.data).checksum_kind is not None
    assert softd3d.validate(edited.data) == softd3d.validate(shader.data)


def test_what_does_not_fit_its_field_is_an_error():
    shader = softd3d.load(MANDELBROT)
    first, *others = shader.instructions
    with pytest.raises(softd3d.AssemblyError, match="controls 0x1 leave their bits"):
        shader.with_instructions([replace(first, controls=1), *others])


def test_code_for_level_9_lies_in_the_container():
    shader = softd3d.load(DATA / "vs_transform.vs_4_0_level_9_1.dxbc")
    (level9,) = shader.level9
    first = level9.program.instructions[-1]
    assert (level9.program.profile, first.mnemonic) == ("vs_2_0", "mov")
    words = struct.pack(f"<{len(first.words)}I", *first.words)
    assert shader.data[first.offset :][: len(words)] == words
    assert f"    {first}\n" in shader.listing


def test_instructions_made_by_hand_have_text_and_words():
    register = sm4.Operand(sm4.OperandType.TEMP, 4, sm4.SelectionMode.MASK, (0,), (sm4.Index(3),))
    literal = sm4.Operand(sm4.OperandType.IMMEDIATE32, 1, immediate=(0x3F800000,))
    made = sm4.Instruction(sm4.Opcode.SQRT, (register, literal))
    assert str(made) == "sqrt r3.x, l(1.000000)"
    assert [f"{word:08x}" for word in made.words[:2]] == ["0500004b", "00100012"]
    source = sm1.SourceParameter(sm1.RegisterType.CONST, 5, (1, 1, 1, 1))
    target = sm1.DestinationParameter(sm1.RegisterType.TEMP, 1, 3)
    made = sm1.Instruction(sm1.Opcode.RCP, target, (source,))
    assert (str(made), len(made.words)) == ("rcp r1.xy, c5.y", 3)


def test_a_text_in_a_comment_is_a_line_of_the_listing():
    shader = softd3d.load9(softd3d.assemble("vs_2_0\ndcl_position v0\nmov oPos, v0"))
    note = sm1.Comment(b"TEXTa note\0\0")
    edited = shader.with_instructions([note, *shader.instructions])
    assert edited.listing == shader.listing.replace("    dcl", "    // a note\n    dcl")
    assert list(map(str, edited.instructions)) == ["// a note", "dcl_position v0", "mov oPos, v0"]
    assert repr(edited.instructions[0]) == "<Comment 0 at 0x4: TEXT, 12 bytes>"


def test_targets_are_not_compared():
    shader = softd3d.load(MANDELBROT)
    first = shader.instructions[0]
    assert replace(first, target=None) == first
    assert hash(replace(first, target=None)) == hash(first)


def test_numbers_of_a_literal():
    infinity = sm4.Operand(
        sm4.OperandType.IMMEDIATE64, 4, immediate=(0, 0x7FF00000, 0x80000000, 0x3FF00000)
    )
    assert infinity.doubles == (float("inf"), 1 + 2**-21)
    assert infinity.ints == (0, 0x7FF00000, -(1 << 31), 0x3FF00000)
    broken = sm4.Operand(sm4.OperandType.IMMEDIATE32, 1, immediate=(1 << 32,))
    with pytest.raises(softd3d.AssemblyError, match="a dword does not fit 32 bits"):
        broken.floats  # noqa: B018 - reading it is what fails


def test_what_no_listing_has_has_a_repr() -> None:
    instruction = softd3d.load(sample("cs_mandelbrot.cs_5_0.dxbc")).instructions[7]
    for opcode in (107, 0x7FF, 1 << 31, None):
        found = repr(replace(instruction, opcode=opcode))
        assert found == f"<Instruction of wrong fields: opcode {opcode}>"
