"""The page on listings that can be assembled: its examples do what it says."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from softd3d.container.assembly.containers import assemble, assemble_tokens
from softd3d.container.dxbc.container import parse
from softd3d.container.reflection.signature import parse_signature
from softd3d.container.validate.container import validate_container
from softd3d.isa.asm.diagnostic import ListingError

PAGE = (Path(__file__).parents[3] / "docs/exact-listings.md").read_text()
EXAMPLE = next(
    block for block in re.findall(r"```\n(.*?)```", PAGE, re.DOTALL) if "signature:" in block
)


def test_the_shader_by_hand_assembles_and_is_valid() -> None:
    data = assemble(EXAMPLE)
    assert validate_container(data) == []
    inputs, outputs, *_ = parse(data).chunks
    assert [(e.name, e.register, e.mask, e.rw_mask) for e in parse_signature(inputs).elements] == [
        ("POSITION", 0, 7, 7), ("COLOR", 1, 15, 5),
    ]  # fmt: skip
    assert [e.rw_mask for e in parse_signature(outputs).elements] == [0, 0]


def test_the_row_without_a_register_is_read() -> None:
    (row,) = re.findall(r"`(// SV_Depth[^`]*)`", PAGE)
    text = f"// Output signature:\n{row}\nps_5_0\ndcl_output oDepth\nmov oDepth, l(1.0)\nret"
    (element,) = parse_signature(parse(assemble(text)).chunks[1]).elements
    assert (element.name, element.register) == ("SV_Depth", None)


def test_literals_are_what_the_table_says() -> None:
    literals = re.search(r"## Literals\n(.*?)\n## ", PAGE, re.DOTALL)
    assert literals is not None
    written = re.findall(
        r"`([^`]+)`", "".join(re.findall(r"^\| [^|]*`[^|]*\|", literals[1], re.MULTILINE))
    )
    assert len(written) >= 9
    for text in written:
        operand = text if text.startswith("d(") else f"l({text})"
        mnemonic = "dmov r0.xyzw" if text.startswith("d(") else "mov r0.x"
        assert len(assemble_tokens(f"cs_5_0\n{mnemonic}, {operand}\nret")) > 16


def test_every_directive_of_the_table_is_one() -> None:
    directives = re.findall(r"^\| `\.([a-z]+)", PAGE, re.MULTILINE)
    assert len(directives) == 7
    for name in directives:
        with pytest.raises(ListingError, match=rf"is no directive, did you mean \.{name}\b"):
            assemble(f".container\n.{name}x")
