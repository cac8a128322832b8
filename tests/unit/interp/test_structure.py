"""The block structure of programs, and what is refused with its place."""

from __future__ import annotations

import pytest
from program_builder import program

from softd3d.errors import DecodeError
from softd3d.lower.structure import analyse
from softd3d.lower.tree import Block, If, Loop, Switch


def outline(block: Block) -> list[object]:
    """Return names, and a list for each nested block."""
    found: list[object] = []
    for item in block.items:
        if isinstance(item, If):
            found.append(("if", outline(item.then), outline(item.else_)))
        elif isinstance(item, Loop):
            found.append(("loop", outline(item.body)))
        elif isinstance(item, Switch):
            cases = [(c.values, c.is_default, outline(c.body)) for c in item.cases]
            found.append(("switch", *cases))
        else:
            found.append(item.instruction.opcode.name.lower())
    return found


def test_nested_blocks():
    structure = analyse(
        program("""
        if_nz r0.x
          loop
            breakc_z r0.y
            continue
          endloop
        else
          nop
        endif
        ret
        """)
    )
    assert outline(structure.main) == [
        ("if", [("loop", ["breakc", "continue"])], ["nop"]),
        "ret",
    ]
    assert structure.functions == {}


def test_switch_keeps_order_labels_and_falling_through():
    structure = analyse(
        program("""
        switch r0.x
          case l(3)
          case l(-1)
            nop
            break
          default
          case l(7)
            nop
          case l(9)
        endswitch
        """)
    )
    assert outline(structure.main) == [
        (
            "switch",
            ((3, 0xFFFFFFFF), False, ["nop", "break"]),
            ((7,), True, ["nop"]),
            ((9,), False, []),
        )
    ]


def test_labels_are_functions_and_a_last_ret_may_be_missing():
    structure = analyse(
        program("""
        call label2
        ret
        label label2
          if_z r0.x
            ret
          endif
          nop
          ret
        label label5
          nop
        """)
    )
    assert outline(structure.main) == ["call", "ret"]
    assert {n: outline(b) for (_, n), b in structure.functions.items()} == {
        2: [("if", ["ret"], []), "nop", "ret"],
        5: ["nop"],
    }


def nested(opener: str, closer: str, depth: int) -> str:
    return f"{opener}\n" * depth + "nop\n" + f"{closer}\n" * depth


def test_nesting_limit():
    analyse(program(nested("if_nz r0.x", "endif", 64)))
    with pytest.raises(DecodeError, match="nested more than 64 deep") as caught:
        analyse(program(nested("loop", "endloop", 65)))
    assert caught.value.location is not None
    assert caught.value.location.instruction == 64
    with pytest.raises(DecodeError, match="nested more than 64 deep"):
        analyse(program(nested("loop", "endloop", 50_000)))


@pytest.mark.parametrize(
    ("text", "place", "message"),
    [
        ("nop\nelse", 1, "else is out of place"),
        ("endif", 0, "endif is out of place"),
        ("endloop", 0, "endloop is out of place"),
        ("endswitch", 0, "endswitch is out of place"),
        ("case l(1)", 0, "case is out of place"),
        ("loop\ndefault\nendloop", 1, "default is out of place"),
        ("nop\nif_nz r0.x\nnop", 1, "if has no endif"),
        ("if_nz r0.x\nelse\nnop", 0, "if has no endif"),
        ("if_nz r0.x\nelse\nelse\nendif", 2, "else is out of place"),
        ("loop\nif_nz r0.x\nendloop", 2, "endloop is out of place"),
        ("loop\nnop", 0, "loop has no endloop"),
        ("switch r0.x\ncase l(1)", 0, "switch has no endswitch"),
        ("switch r0.x\nnop\ncase l(1)\nendswitch", 1, "precedes its cases"),
        ("switch r0.x\ncase l(1)\nnop\ncase l(1)\nendswitch", 3, "same label twice"),
        ("switch r0.x\ndefault\nnop\ndefault\nendswitch", 3, "same label twice"),
        ("switch r0.x\ncase r0.x\nendswitch", 1, "case has no literal"),
        ("break", 0, "break is outside of a loop or switch"),
        ("nop\nbreakc_nz r0.x", 1, "breakc is outside of a loop or switch"),
        ("loop\nendloop\nbreak", 2, "break is outside of a loop or switch"),
        ("switch r0.x\ncase l(0)\ncontinue\nendswitch", 2, "continue is outside of a loop"),
        ("loop\nendloop\ncontinue", 2, "continue is outside of a loop"),
        ("switch r0.x\nendswitch\nbreak", 2, "break is outside of a loop or switch"),
        ("continuec_z r0.x", 0, "continuec is outside of a loop"),
        ("if_nz\nendif", 0, "if takes 1 operands, found 0"),
        ("loop\nbreakc_nz\nendloop", 1, "breakc takes 1 operands, found 0"),
        ("switch\nendswitch", 0, "switch takes 1 operands, found 0"),
        ("retc_nz r0.x, r0.y", 0, "retc takes 1 operands, found 2"),
        ("callc_nz label0\nlabel label0", 0, "callc takes 2 operands, found 1"),
        ("call r0.x", 0, "CALL has no label operand"),
        ("ret\nlabel r0.x", 1, "LABEL has no label operand"),
        ("loop\nlabel label0\nendloop", 1, "label is out of place"),
        ("call label1\nret\nlabel label0\nret", 0, "label1 is not defined"),
        ("label label0\nret\nlabel label0\nret", 2, "label0 is defined twice"),
        ("call label0\nret\nlabel label0\ncall label0\nret", 3, "label0 calls itself"),
        (
            "call label0\nret\nlabel label0\ncall label1\nret\nlabel label1\ncall label0",
            6,
            "label0 calls itself",
        ),
        ("ret\nlabel label0\ncall label0", 2, "label0 calls itself"),
        ("ret\nlabel label0\ncall label7", 2, "label7 is not defined"),
        ("call label0\nret\nlabel label0\nbreak", 3, "break is outside of a loop or switch"),
    ],
)
def test_refused(text: str, place: int, message: str):
    with pytest.raises(DecodeError, match=message) as caught:
        analyse(program(text))
    assert caught.value.location is not None
    assert caught.value.location.instruction == place


def test_many_calls_of_one_subroutine_are_no_recursion():
    text = "call label0\ncall label1\nret\n"
    for n in range(40):
        text += f"label label{n}\n" + f"call label{n + 1}\n" * 2 + "ret\n"
    structure = analyse(program(text + "label label40\nret"))
    assert len(structure.functions) == 41
