"""SM1-3 texts to tokens: the words that Microsoft's assembler gives for them, and the samples."""

from __future__ import annotations

import contextlib
import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st

from softd3d.errors import ShaderError
from softd3d.isa.asm.sm1.assembler import assemble_stream, parse_sm1_program
from softd3d.isa.asm.sm1.listing import listing
from softd3d.isa.asm.sm1.parse_mnemonic import mnemonics
from softd3d.isa.asm.sm1.parse_registers import register_words
from softd3d.isa.sm1.enums import Opcode, ProgramType
from softd3d.isa.sm1.program import Instruction, Program
from softd3d.isa.sm1.tokens import VERSIONS

END = 0xFFFF


def assembled(text: str) -> list[str]:
    """Return the tokens between version and end, in hex."""
    data = assemble_stream(text)
    words = struct.unpack(f"<{len(data) // 4}I", data)
    assert words[-1] == END
    return [f"{word:08x}" for word in words[1:-1]]


def test_versions_in_both_spellings() -> None:
    for stage, versions in VERSIONS.items():
        for version in versions:
            name = Program(stage, *version, ()).profile
            for spelling in (name, name.replace("_", ".")):
                program = parse_sm1_program(f"; head\n{spelling} nop")
                assert (program.type, program.version) == (stage, version)


# Version, statements, tokens of D3DAssemble
ENCODED = [
    ("vs_2_0", "mov r0, c0", "02000001 800f0000 a0e40000"),
    ("vs_1_1", "mov r0, c0", "00000001 800f0000 a0e40000"),
    ("vs_2_0", "mov r0.x , c0 . x", "02000001 80010000 a0000000"),
    ("vs_2_0", "mov r0.rgbw, c0.xg", "02000001 800f0000 a0540000"),
    ("vs_2_0", "mov r0_, r1_", "02000001 800f0000 80e40001"),
    ("vs_2_0", "mov_ r00, r011", "02000001 800f0000 80e4000b"),
    ("vs_2_0", "mov r0, - r1.wzyx", "02000001 800f0000 811b0001"),
    ("vs_2_0", "mov r0, c[a0.x]", "03000001 800f0000 a0e42000 b0000000"),
    ("vs_2_0", "mov r0, c[ 2 + a0.x + 12 ]", "03000001 800f0000 a0e4200e b0000000"),
    ("vs_2_0", "mov r0, c4[2]", "02000001 800f0000 a0e40006"),
    ("vs_2_0", "mov r0, c4[a0.x + 2].wzyx", "03000001 800f0000 a01b2006 b0000000"),
    ("vs_2_0", "mov r0, c[aL+1]", "03000001 800f0000 a0e42001 f0e40800"),
    ("vs_2_0", "mov r0, c[c[1].x]", "03000001 800f0000 a0e42000 a0000001"),
    ("vs_2_0", "mov r0, c2500", "02000001 800f0000 b0e409c4"),
    ("vs_2_0", "mov r0, c[a0.x+8192]", "03000001 800f0000 a0e42000 b0000000"),
    ("vs_2_0", "mov r0, c1[a0.x+4294967295]", "03000001 800f0000 a0e42000 b0000000"),
    ("vs_1_1", "mov r0, c[1+a0.x+2+3]", "00000001 800f0000 a0e42006"),
    ("vs_1_1", "mov r0, c[a0.r]", "00000001 800f0000 a0e42000"),
    ("vs_3_0", "mov o[a0.x+1], r1_abs", "03000001 e00f2001 b0000000 8be40001"),
    ("vs_3_0", "mov r0, c_abs[1]", "02000001 800f0000 abe40001"),
    ("vs_3_0", "mov r0, v1[aL+2048]", "03000001 800f0000 90e42001 f0e40800"),
    ("vs_3_0", "(p0) mov o[aL], r0", "14000001 e00f2000 f0e40800 b0e41000 80e40000"),
    ("ps_3_0", "mov r0, v[3]", "02000001 800f0000 90e40003"),
    ("vs_2_x", "(!p0.y) mov r0.x, r1", "13000001 80010000 bd551000 80e40001"),
    ("vs_2_x", "( ! p0 . x ) nop", "11000000 bd001000"),
    ("vs_2_x", "(p0) def c0, 1, 2, 3, 4",
     "16000051 a00f0000 b0e41000 3f800000 40000000 40400000 40800000"),
    ("vs_2_x", "(p0) dcl_texcoord v0", "1300001f 80000005 900f0000 b0e41000"),
    ("vs_2_0", "sub r0, r1, -r2", "03000002 800f0000 80e40001 80e40002"),
    ("vs_3_0", "sub r0, r1, r2_abs", "03000002 800f0000 80e40001 8ce40002"),
    ("ps_1_4", "sub r0, r1, 1-r2", "00000003 800f0000 80e40001 86e40002"),
    ("vs_1_1", "rcp r0, -r1", "00000006 800f0000 81ff0001"),
    ("vs_1_1", "exp r0, r1.xyzw", "0000000e 800f0000 80ff0001"),
    ("vs_2_0", "rcp r0, r1", "02000006 800f0000 80e40001"),
    ("vs_1_1", "m3x2 r0, r1, c0", "00000018 80030000 80e40001 a0e40000"),
    ("vs_1_1", "m4x3 r0.xyzw, r1, c0", "00000015 80070000 80e40001 a0e40000"),
    ("vs_1_1", "m3x3 r0.x, r1, c0", "00000017 80010000 80e40001 a0e40000"),
    ("ps_1_1", "mul_x2_sat r0.rgb, t0_bx2, 1 - c0", "00000005 81170000 b4e40000 a6e40000"),
    ("ps_1_1", "mov r0, r1 +mov r0.a, r1.b",
     "00000001 800f0000 80e40001 40000001 80080000 80aa0001"),
    ("ps_1_4", "phase texld r1, r0_dz.xyz", "0000fffd 00000042 800f0001 89a40000"),
    ("ps_1_4", "texcrd r0, t0_da.xyw", "00000040 800f0000 baf40000"),
    ("ps_2_0", "texldp_pp_sat r0, t0, s0", "03010042 803f0000 b0e40000 a0e40800"),
    ("ps_2_0", "texldb r0, t0, s0", "03020042 800f0000 b0e40000 a0e40800"),
    ("ps_2_0", "texkill t0.xy", "01000041 b0030000"),
    ("ps_2_0", "mov oDepth, r0.x", "02000001 900f0800 80000000"),
    ("vs_2_0", "mov oPts, r0.x", "02000001 c00f0002 80000000"),
    ("ps_3_0", "mov r0, vFace", "02000001 800f0000 90e41001"),
    ("ps_2_x", "if_gt_ r0.x, r1.x", "02010029 80000000 80000001"),
    ("ps_2_x", "setp_pp_gt p0, r0, r1", "0301005e b02f1000 80e40000 80e40001"),
    ("ps_2_x", "break_ne r0.x, r1.x breakp !p0.x", "0205002d 80000000 80000001 01000060 bd001000"),
    ("vs_2_0", "callnz l0, !b0 loop aL, i0 endloop",
     "0200001a a0e41000 ede40800 0200001b f0e40800 f0e40000 0000001d"),
    ("vs_2_0", "dcl_position v0", "0200001f 80000000 900f0000"),
    ("vs_2_0", "dcl_texcoord15_ v0", "0200001f 800f0005 900f0000"),
    ("ps_2_0", "dcl t0.xy dcl_2d s0", "0200001f 80000000 b0030000 0200001f 90000000 a00f0800"),
    ("ps_2_0", "dcl_volume_centroid_pp s0", "0200001f a0000000 a06f0800"),
    ("ps_3_0", "dcl_pp_texcoord3_centroid v0", "0200001f 80030005 906f0000"),
    ("ps_3_0", "dcl_position1 v0", "0200001f 80010000 900f0000"),
    ("vs_2_0", "def c0, 0x10, 017, 1e5, - 3",
     "05000051 a00f0000 41800000 41700000 47c35000 c0400000"),
    ("vs_2_0", "def c0, 1.#INF, -1.#IND, 1.#QNAN, 1e50",
     "05000051 a00f0000 7f800000 7fc00000 7fe00000 7f800000"),
    ("vs_2_0", "def c0, .5f, 5.h, 08.5, 1e-45",
     "05000051 a00f0000 3f000000 40a00000 41080000 00000001"),
    # rounded to float64 and then to float32
    ("vs_2_0", "def c0, 1.00000005960464477539062500001, 3.4028236e38, 0, 0",
     "05000051 a00f0000 3f800000 7f800000 00000000 00000000"),
    ("vs_2_0", "def c2048, 0, 0, 0, 0", "05000051 b00f0800 00000000 00000000 00000000 00000000"),
    ("vs_2_0", "defi i0, -1, 4294967295, -2147483649, 0x7fffffffu",
     "05000030 f00f0000 ffffffff ffffffff 7fffffff 7fffffff"),
    ("ps_2_0", "defb b0, true", "0200002f e00f0800 00000001"),
]  # fmt: skip


@pytest.mark.parametrize(("version", "text", "tokens"), ENCODED)
def test_tokens(version: str, text: str, tokens: str) -> None:
    assert assembled(f"{version}\n{text}") == tokens.split()


MOV = ["02000001", "800f0000", "a0e40001"]  # mov r0, c1


@pytest.mark.parametrize(
    "text",
    [
        "mov r0, c1 ; don't /* x",
        'mov r0, c1 // "abc \\\n further',
        "/* a\n; b */ mov /**/ r0\n,\nc1",
        "\tmov\tr0,\fc1\v\r\n",
        "mov r0, c1\0 whatever stands there",
        "\\\nmov r0, \\\r\n c1",
        "#define A c1 ; one\nmov r0, A",
        " # define c1 c1\nmov r0, c1",
        "#define F(a, b) mov a, b\nF(r0,\nc1)",
        "#define F(x) x\nmov F(F(r0)), F (c1)",
        "#define G(n) r##n\n#define K 0\nmov G(K), c1",
        "#define S(x) D(x)\n#define D(n) r##n\n#define K 0\nmov S(K), c1",
        "#define A B\n#define B mov\nA r0, c1",
        "#define f(x) x\n#define g f\nmov g(r0), c1",
        "#define E\nE mov E r0 E , E c1 E",
        "#define A 1\n#define A 2\n#undef A\n#ifdef A\nbad\n#else\nmov r0, c1\n#endif",
        "#if 0\n#if 1\n#else\n#endif\n#foo\n#error x\nbad\n#elif 1\nmov r0, c1\n#else\nbad\n#endif",
        "#ifndef A\nmov r0, c1\n#endif",
        "#if defined A || !defined(B)\nmov r0, c1\n#endif",
        "#if (1+2)*3 == 9 && 4|1==1 && -1 > 0 && 0x10 == 16 && 'a' == 97\nmov r0, c1\n#endif",
        "#if 1 ? 0 : 1\nbad\n#else\nmov r0, c1\n#endif",
        '#pragma warning(disable: 5)\n#line 7 "a.fx"\nmov r0, c1',
        "#line 1\nmov r0, c[__LINE__]",
        "#define A \\\n c1\nmov r0, A",
    ],
)
def test_blanks_comments_and_directives(text: str) -> None:
    assert assembled(f"vs_2_0\n{text}") == MOV


def test_a_macro_can_be_the_version() -> None:
    assert assemble_stream("#define V ps.1.1\nV nop") == assemble_stream("ps_1_1 nop")


def test_a_preshader_before_the_code_is_skipped() -> None:
    text = "//\n    preshader\n    mul c0, c1.x, (2)\n\n// one\n\n    ps_2_0\n    mov oC0, c0\n"
    assert assembled(text) == ["02000001", "800f0800", "a0e40000"]


def test_dwords_stand_for_themselves() -> None:
    text = "vs_2_0 .comment 0x42415443, 0x1 mov r0, c1\n.tokens 0x0, .comment".replace(
        "0x0,", "0x0"
    )
    assert assembled(text) == ["0002fffe", "42415443", "00000001", *MOV, "00000000", "0000fffe"]
    program = parse_sm1_program("vs_2_0 .trailing 0x01, 0xff\n.trailing 0x00")
    assert program.trailing == b"\x01\xff\x00"


def test_floats_can_be_given_by_their_bits() -> None:
    text = "vs_2_0 def c0, asfloat(0x7fc00001), asfloat( 0xff800000 ), 0, 0"
    assert assembled(text)[2:4] == ["7fc00001", "ff800000"]


def test_every_register_and_mnemonic_of_every_version_is_read() -> None:
    for stage, versions in VERSIONS.items():
        for version in versions:
            head = Program(stage, *version, ()).profile
            words = register_words(stage, version)
            registers = [*words.named, *(f"{n}{f.count - 1}" for n, f in words.files.items())]
            text = "".join(f"mov r0, {register}\n" for register in registers)
            assert len(parse_sm1_program(f"{head}\n{text}").instructions) == len(registers)
            known = mnemonics(stage, version)
            assert known["mov"] == (Opcode.MOV,)
            assert "if" not in known or known["if"][0] is Opcode.IF


def test_software_versions_have_more_registers() -> None:
    hardware, software = (register_words(ProgramType.PS, (3, minor)) for minor in (0, 255))
    assert (hardware.files["c"].count, software.files["c"].count) == (224, 8192)
    assert (hardware.files["i"].count, software.files["i"].count) == (16, 2048)


# --- properties -------------------------------------------------------------------------------

PARTS = [
    "ps_2_0", "vs_1_1", "vs_3_0", "ps_1_4", "mov", "mul_x2_sat", "def", "dcl_2d", "if_gt", "r0",
    "c[a0.x", "c0", "]", "(", ")", "(p0)", ",", ".", ".xyzw", "-", "1-", "!", "+", "1.5", "0x10",
    "\n", " ", ";", "//", "/*", "*/", '"', "\\\n", "#define A(x) x", "#define A A", "#if 1",
    "#else", "#endif", "A", "##", ".tokens 0x1", ".comment", ".trailing 0x1", "\0", "é", "_",
    "9" * 30,
]  # fmt: skip
WORDS = st.lists(st.sampled_from(PARTS))


@given(st.text() | WORDS.map("".join) | WORDS.map(" ".join))
def test_any_text_assembles_or_is_a_shader_error(text: str) -> None:
    with contextlib.suppress(ShaderError):
        assemble_stream(text)
    with contextlib.suppress(ShaderError):
        assemble_stream(f"vs_3_0 {text}")


# --- real texts -------------------------------------------------------------------------------


@pytest.mark.corpus
def test_samples_assemble_to_the_tokens_of_microsofts_assembler(shared) -> None:
    folder = shared / "samples/sm1_3"
    pairs = [
        (path, path.with_suffix(".bin"))
        for path in sorted([*folder.glob("asm/*.asm"), *folder.glob("exec/*.asm")])
    ]
    wrong = [
        path.name
        for path, binary in pairs
        if binary.exists() and assemble_stream(path.read_text("latin-1")) != binary.read_bytes()
    ]
    assert wrong == []
    assert len(pairs) > 500


@pytest.mark.corpus
def test_microsofts_listings_assemble_to_the_instructions_they_list(shared) -> None:
    count = 0
    for path in sorted((shared / "samples/sm1_3/asm").glob("*.bin")):
        if "breakp" in path.name:
            continue  # Microsoft's disassembler has no word for it
        text = path.with_suffix(".txt").read_text("latin-1").rstrip("\0")
        program = parse_sm1_program(text)
        assert listing(program) == text[text.index(f"    {program.profile}") :]
        assert [
            type(item) for item in program.instructions if not isinstance(item, Instruction)
        ] == []
        count += 1
    assert count > 300
