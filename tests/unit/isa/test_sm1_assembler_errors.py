"""Wrong SM1-3 texts: the first mistake's place and message; several mistakes; the samples' own."""

from __future__ import annotations

import json

import pytest

from softd3d.errors import AssemblyError, Location
from softd3d.isa.asm.diagnostic import ListingError
from softd3d.isa.asm.sm1.assembler import assemble_stream, parse_sm1_program

# By version: a statement on line 2, the column of its mistake, the message
STATEMENTS: dict[str, list[tuple[str, int, str]]] = {
    "vs_2_0": [
        ("mvo r0, c0", 1, "'mvo' is no instruction, did you mean mov?"),
        ("MOV r0, c0", 1, "'MOV' is no instruction, mnemonics are in lower case"),
        ("foo", 1, "'foo' is no instruction"),
        ("mov", 4, "mov wants a register, found nothing"),
        ("mov r0", 7, "mov takes 2 operands, wanted a comma, found nothing"),
        ("mov r0,", 8, "mov wants a register, found nothing"),
        ("mov r0 c0", 8, "mov takes 2 operands, wanted a comma, found 'c0'"),
        (
            "mov r0, c0, c1",
            11,
            "wanted an instruction, found ','; the one before has all its operands",
        ),
        ("mov , c0", 5, "mov wants a register, found ','"),
        ("mov r0, 5", 9, "mov wants a register, found '5'"),
        ("mov r0, 1.5", 9, "mov wants a register, found '1.5'"),
        ("mov r12, c0", 5, "r12 does not exist, the last is r11"),
        ("mov r0, c8192", 9, "c8192 does not exist, the last is c8191"),
        ("mov R0, c0", 5, "'R0' is no register, r is in lower case"),
        ("mov r0, q3", 9, "'q3' is no register"),
        ("mov r0x, c0", 5, "'r0x' is no register, did you mean r0?"),
        ("mov r, c0", 6, "r needs a number"),
        ("mov c, r0", 6, "c needs a number"),
        ("mov r0, v16", 9, "v16 does not exist, the last is v15"),
        ("mov r0, oT8", 9, "oT8 does not exist, the last is oT7"),
        ("mov r0, t0", 9, "'t0' is no register of this version"),
        ("mov r0, o0", 9, "'o0' is no register of this version"),
        ("mov r0, s0", 9, "'s0' is no register of this version"),
        ("mov r0, p0", 9, "'p0' is no register of this version"),
        ("mov r0, vFace", 9, "'vFace' is no register of this version"),
        ("mov a1, c0", 5, "a1 does not exist, the last is a0"),
        ("mov oPos0, r0", 5, "oPos has no number, found 'oPos0'"),
        ("mov r0[1], c0", 7, "r registers have no index in this version"),
        ("mov r0, r[1]", 10, "r registers have no index in this version"),
        ("mov r0, v[1]", 10, "v registers have no index in this version"),
        ("mov r0, oPos[0]", 13, "oPos has no index"),
        ("mov r0, c[]", 11, "wanted a number or an address register, found nothing"),
        ("mov r0, c[a0.x", 10, "brackets stand once behind a register, and need a ]"),
        ("mov r0, c[-1]", 11, "wanted a number or an address register, found '-1'"),
        ("mov r0, c[a0.x - 1]", 16, "wanted + or ], found '- 1'"),
        ("mov r0, c[a0.x + ]", 17, "wanted a number or an address register, found nothing"),
        ("mov r0, c[1.5]", 12, "wanted + or ], found '.5'"),
        ("mov r0, c[a0.x + aL]", 18, "brackets have at most one address register"),
        ("mov r0, c[c[a0.x].x]", 13, "an address cannot have an address itself"),
        ("mov r0, c[q0.x]", 11, "'q0' is no register"),
        ("mov r0, c[a0.q]", 14, "'q' is no component, wanted xyzw or rgba"),
        ("mov r0, c[aL.x]", 14, "a register without components has no swizzle"),
        ("mov r0, c[4294967296]", 11, "'4294967296' does not fit 32 bits"),
        ("mov r0, c[8192]", 9, "c8192 does not exist, the last is c8191"),
        ("mov r0, c9000[1]", 9, "c9001 does not exist, the last is c8191"),
        ("mov c[a0.x], r0", 6, "registers to write are addressed in vs_3_0 only"),
        ("mov r0.yx, c0", 8, "a mask has components in the order xyzw, each once, found 'yx'"),
        ("mov r0.xx, c0", 8, "a mask has components in the order xyzw, each once, found 'xx'"),
        ("mov r0.q, c0", 8, "'q' is no component, wanted xyzw or rgba"),
        ("mov r0.xyzwx, c0", 8, "a mask has at most 4 letters, found 'xyzwx'"),
        ("mov r0., c0", 7, "mov takes 2 operands, wanted a comma, found '.'"),
        ("mov r0.x.y, c0", 9, "mov takes 2 operands, wanted a comma, found '.'"),
        ("mov r0, c0.", 11, "wanted an instruction, found '.'"),
        ("mov r0, c0.xyq", 14, "'q' is no component, wanted xyzw or rgba"),
        ("mov r0, c0.xxxxx", 12, "a swizzle has at most 4 letters, found 'xxxxx'"),
        ("mov r0, c0.X", 12, "'X' is no component, wanted xyzw or rgba"),
        ("mov oFog.x, r0", 10, "a register without components has no mask"),
        ("mov oPts.x, r0", 10, "a register without components has no mask"),
        ("if b0.x", 7, "a register without components has no swizzle"),
        ("mov -r0, c0", 5, "wanted a register to write, found '-'"),
        ("mov !r0, c0", 5, "wanted a register to write, found '!'"),
        ("mov 1-r0, c0", 5, "wanted a register to write, found '1'"),
        ("mov r0, --c0", 9, "mov wants a register, found '-'"),
        ("mov r0, - -c0", 9, "mov wants a register, found '-'"),
        ("mov r0, +c0", 9, "mov wants a register, found '+c0'"),
        ("mov r0, 1-c0", 9, "1- exists in ps_1_0 to ps_1_4 only"),
        ("mov r0, 2-c0", 9, "wanted 1- before a register, found 2-"),
        ("mov r0, r1_abs", 11, "_abs is a modifier of 3_0 and later only, found 'r1_abs'"),
        ("mov r0, r1_bias", 11, "_bias is a modifier of ps_1_0 to ps_1_4 only, found 'r1_bias'"),
        ("mov r0, r1_foo", 11, "'_foo' is no modifier of a register"),
        ("mov r0, |r1|", 9, "mov wants a register, found '|'"),
        ("mov_sat r0, c0", 4, "mov has no ending _sat in this version"),
        ("mov_pp r0, c0", 4, "mov has no ending _pp in this version"),
        ("mov_x2 r0, c0", 4, "mov has no ending _x2 in this version"),
        ("mov_foo r0, c0", 4, "mov has no ending _foo in this version"),
        ("if_gt r0.x, r1.x", 3, "if has no ending _gt in this version"),
        ("setp_gt p0, r0, r1", 1, "this version has no setp"),
        ("setp p0, r0, r1", 1, "this version has no setp"),
        ("(p0) mov r0, c0", 2, "predicates exist in 2_x and later only"),
        ("+mov r0, c0", 1, "co-issue exists in ps_1_0 to ps_1_4 only"),
        ("texld r0, v0, s0", 1, "this version has no texld"),
        ("texldl r0, v0, s0", 1, "this version has no texldl"),
        ("dsx r0, r1", 1, "this version has no dsx"),
        ("cnd r0, r0, r1, r2", 1, "this version has no cnd"),
        ("phase", 1, "this version has no phase"),
        ("def c0, 1, 2, 3", 16, "def takes 4 numbers, wanted a comma, found nothing"),
        ("def c0, 1, 2, 3, x", 18, "def wants a number, found 'x'"),
        ("def c0 1, 2, 3, 4", 8, "def takes 4 numbers, wanted a comma, found '1'"),
        ("def c0, --1, 2, 3, 4", 9, "def wants a number, found '-'"),
        ("def c0, 1h, 2, 3, 4", 10, "def takes 4 numbers, wanted a comma, found 'h'"),
        ("def c0, 09, 2, 3, 4", 10, "def takes 4 numbers, wanted a comma, found '9'"),
        ("def c0, 4294967296, 2, 3, 4", 9, "'4294967296' does not fit 32 bits"),
        (
            "def c0, 1, 2, 3, 4, 5",
            19,
            "wanted an instruction, found ','; the one before has all its operands",
        ),
        ("def c0, 1.#FOO, 0, 0, 0", 11, "def takes 4 numbers, wanted a comma, found '#'"),
        ("def r99, 1, 2, 3, 4", 5, "r99 does not exist, the last is r11"),
        ("defi i0, 1.5, 0, 0, 0", 10, "wanted an integer, found '1.5'"),
        ("defi i16, 1, 0, 0, 0", 6, "i16 does not exist, the last is i15"),
        ("defi i0, 1, 0, 0", 17, "defi takes 4 numbers, wanted a comma, found nothing"),
        ("defb b0, 1", 10, "defb wants true or false, found '1'"),
        ("defb b0, TRUE", 10, "defb wants true or false, found 'TRUE'"),
        ("defb b0", 8, "defb takes true or false, wanted a comma, found nothing"),
        ("dcl v0", 4, "dcl needs a semantic such as dcl_position"),
        ("dcl_ v0", 4, "dcl needs a semantic such as dcl_position"),
        ("dcl_foo v0", 4, "'foo' is nothing to declare in this version, did you mean fog?"),
        ("dcl_2d v0", 4, "'2d' is nothing to declare in this version"),
        ("dcl_texcoord16 v0", 4, "a semantic's index is at most 15, found 16"),
        ("dcl_color_pp v0", 4, "dcl has no ending _pp in this version"),
        ("dcl_color_color v0", 10, "dcl has one semantic"),
        (
            "dcl_texcord v0",
            4,
            "'texcord' is nothing to declare in this version, did you mean texcoord?",
        ),
        ("dcl_position", 13, "dcl wants a register, found nothing"),
        ("dcl_position 5", 14, "dcl wants a register, found '5'"),
        ("call r0.", 8, "wanted an instruction, found '.'"),
        ("loop aL", 8, "loop takes 2 operands, wanted a comma, found nothing"),
        ("rep", 4, "rep wants a register, found nothing"),
        ("nop r0", 5, "'r0' is no instruction"),
        ("ret 1", 5, "wanted an instruction, found '1'"),
        (
            "sub r0, r1, !r2",
            13,
            "sub is an add of the negated source, which cannot have this modifier",
        ),
        ("mul r0, r1", 11, "mul takes 3 operands, wanted a comma, found nothing"),
        ("m4x4 r0, r1", 12, "m4x4 takes 3 operands, wanted a comma, found nothing"),
        ("sincos r0, r1", 14, "sincos takes 4 operands, wanted a comma, found nothing"),
        ("mov r0, c0 @", 12, "wanted an instruction, found '@'"),
        ("mov r0, c0 'a'", 12, 'wanted an instruction, found "\'"'),
        ('mov r0, "c0"', 9, "mov wants a register, found '\"'"),
        ('mov r0, "c0', 9, "the string has no end in its line"),
        ("mov r0, c0 /* open", 12, "the comment has no end"),
        ("mov r0, c0 \\ mov", 12, "wanted an instruction, found '\\\\'"),
        ("mov r0, é", 9, "'é' can stand in comments only"),
        ("[", 1, "wanted an instruction, found '['"),
        ("(p0", 1, "wanted an instruction, found '('"),
        ("(p0)", 1, "wanted an instruction, found '('"),
        (".foo 0x0", 1, "wanted an instruction, found '.'"),
        (".tokens", 8, ".tokens wants numbers such as 0x0000ffff, found nothing"),
        (".tokens 5", 9, ".tokens wants numbers such as 0x0000ffff, found '5'"),
        (".tokens 0x123456789", 9, ".tokens wants numbers such as 0x0000ffff, found '0x123456789'"),
        (".tokens 0x0000ffff", 9, "wanted the dwords of one instruction, found 0"),
        (".tokens 0x00000000, 0x00000000", 9, "wanted the dwords of one instruction, found 2"),
        (
            ".tokens 0x000000ee",
            9,
            "the dwords are no instruction: program: opcode 238 is not defined in SM1-3",
        ),
        (".comment 12", 10, "wanted an instruction, found '12'"),
        (".trailing 0x100", 11, ".trailing wants bytes"),
        (".trailing", 10, ".trailing wants numbers such as 0x0000ffff, found nothing"),
        ("vs_2_0", 1, "a text has one program, found a second version"),
        ("#foo", 2, "'foo' is no directive"),
        ("#", 1, "# needs a directive behind it"),
        ("#define", 8, "#define needs a name, found nothing"),
        ("#define 1", 9, "#define needs a name, found '1'"),
        ("#define F(", 11, "wanted a parameter, found nothing"),
        ("#define F(a", 12, "wanted , or ) after a parameter, found nothing"),
        ("#define F(a,)", 13, "wanted a parameter, found ')'"),
        ("#define F(a,a) a", 13, "parameter a stands twice"),
        ("#define F() x", 11, "wanted a parameter, found ')'"),
        ("#define defined", 9, "a macro cannot be called defined"),
        ("#undef", 7, "#undef needs a name, found nothing"),
        ("#undef 1", 8, "#undef needs a name, found '1'"),
        ("#undef A B", 10, "wanted the end of the line, found 'B'"),
        ("#if 1", 2, "the condition has no #endif"),
        ("#endif", 2, "#endif without #if"),
        ("#else", 2, "#else without #if"),
        ("#elif 1", 2, "#elif without #if"),
        ("#line", 6, "#line needs a number, found nothing"),
        ("#line a", 7, "#line needs a number, found 'a'"),
        ("#line 1 b", 9, "wanted a file name, found 'b'"),
        ('#line 1 "b" c', 13, "wanted the end of the line, found 'c'"),
        ('#include "a.h"', 2, "#include is not possible, a text stands alone"),
        ("#error not this", 2, "#error: not this"),
        ("#error", 2, "#error"),
        ("#difine A", 2, "'difine' is no directive, did you mean define or ifndef?"),
    ],
    "vs_1_1": [
        ("mov r0, c[a0.y]", 11, "before 2_0 the only address is a0.x"),
        ("mov r0, c[a0]", 11, "before 2_0 the only address is a0.x"),
        ("mov r0, c[r0.x]", 11, "before 2_0 the only address is a0.x"),
        ("mova a0.x, c0", 1, "this version has no mova"),
        ("lrp r0, r1, r2, r3", 1, "this version has no lrp"),
        ("dcl_2d s0", 4, "'2d' is nothing to declare in this version"),
        ("defi i0, 0, 0, 0, 0", 1, "this version has no defi"),
        ("if b0", 1, "this version has no if"),
        ("abs r0, c0", 1, "this version has no abs"),
    ],
    "vs_3_0": [
        ("mov oPos, v0", 5, "'oPos' is no register of this version"),
        ("mov oT0, v0", 5, "'oT0' is no register of this version"),
        ("mov r0_abs, r1", 5, "a register to write has no modifier"),
        ("mov r0, !r1_abs", 10, "! goes with no other modifier"),
        ("mov r0, v0[20]", 9, "v20 does not exist, the last is v15"),
        ("mov o12, r0", 5, "o12 does not exist, the last is o11"),
        ("dcl_2d_pp s0", 4, "dcl has no ending _pp in this version"),
        ("mov_pp r0, r1", 4, "mov has no ending _pp in this version, wanted _sat"),
        ("(-p0) mov r0, r1", 2, "a predicate has no modifier but !"),
        ("(p0[1]) mov r0, r1", 4, "p registers have no index in this version"),
        ("(c[a0.x]) mov r0, r1", 2, "a predicate has no address"),
        ("(p0,) mov r0, r1", 2, "wanted a predicate such as p0, found 'p0,'"),
        ("( ) mov r0, r1", 3, "wanted a predicate such as p0, found nothing"),
        ("(p0_abs) mov r0, r1", 2, "a predicate has no modifier but !"),
        (
            "setp p0, r0, r1",
            5,
            "setp needs a comparison such as setp_gt",
        ),
        ("if_gt_lt r0, r1", 3, "if has no ending _lt in this version"),
        ("if_gt r0", 9, "if takes 2 operands, wanted a comma, found nothing"),
        ("setp_gt_gt p0, r0, r1", 5, "setp has one comparison"),
    ],
    "ps_1_1": [
        ("mov r2, c0", 5, "r2 does not exist, the last is r1"),
        ("mov r0, c8", 9, "c8 does not exist, the last is c7"),
        ("mov r0, t4", 9, "t4 does not exist, the last is t3"),
        ("cmp r0, r1, r1, r1", 1, "this version has no cmp"),
        ("mov r0, -t0_dz", 10, "a divided register cannot be negated"),
        ("mov r0, 1-t0_bias", 11, "1- goes with no other modifier"),
        ("mov r0, !t0_bx2", 10, "! goes with no other modifier"),
        ("mov r0, 2-t0", 9, "wanted 1- before a register, found 2-"),
        ("mul_sat_x2 r0, r1, r1", 8, "mul has one shift, which stands before _sat"),
        ("mul_x2_x2 r0, r1, r1", 7, "mul has one shift, which stands before _sat"),
        (
            "mul_x3 r0, r1, r1",
            4,
            "mul has no ending _x3 in this version, wanted _x2, _x4, _x8, _d2, _d4, _d8, _sat",
        ),
        (
            "mul_pp r0, r1, r1",
            4,
            "mul has no ending _pp in this version, wanted _x2, _x4, _x8, _d2, _d4, _d8, _sat",
        ),
        ("texld r0, t0", 1, "this version has no texld"),
        ("texcrd r0, t0", 1, "this version has no texcrd"),
        ("dcl t0", 1, "this version has no dcl"),
        ("tex t0, t1", 7, "wanted an instruction, found ','; the one before has all its operands"),
        ("++mov r0, r1", 1, "wanted an instruction, found '+'"),
        ("mov r0_x2, r1", 5, "a register to write has no modifier"),
    ],
    "ps_2_0": [
        ("mov oC4, r0", 5, "oC4 does not exist, the last is oC3"),
        ("mov r0, t8", 9, "t8 does not exist, the last is t7"),
        ("mov r0, c32", 9, "c32 does not exist, the last is c31"),
        ("mov r0, c[1]", 10, "c registers have no index in this version"),
        ("mov r0, a0", 9, "'a0' is no register of this version"),
        ("mul_x2 r0, r1, r1", 4, "mul has no ending _x2 in this version, wanted _sat, _pp"),
        ("mov_pp_pp r0, r1", 7, "_pp stands twice"),
        ("mov_centroid r0, r1", 4, "mov has no ending _centroid in this version, wanted _sat, _pp"),
        ("dcl_color v0", 4, "'color' is nothing to declare in this version"),
        ("dcl_texcoord t0", 4, "'texcoord' is nothing to declare in this version"),
        ("dcl_2d_sat s0", 4, "dcl has no ending _sat in this version, wanted _pp, _centroid"),
        ("slt r0, r1, r1", 1, "this version has no slt"),
        ("mov oDepth.x, r0.x", 12, "a register without components has no mask"),
        ("texldx r0, t0, s0", 1, "'texldx' is no instruction, did you mean texld or texkill?"),
        ("dsx r0, r1", 1, "this version has no dsx"),
        ("dcl_volme s0", 4, "'volme' is nothing to declare in this version, did you mean volume?"),
    ],
    "ps_3_0": [
        ("mov r0, t0", 9, "'t0' is no register of this version"),
        ("mov r0, v10", 9, "v10 does not exist, the last is v9"),
        ("mov r0, c224", 9, "c224 does not exist, the last is c223"),
        ("mov r0, c[aL]", 10, "c registers have no index in this version"),
        ("mov r0, v[a0.x]", 11, "'a0' is no register of this version"),
        ("dcl_position v0", 4, "a pixel shader has no dcl_position"),
        ("dcl_position0 v0", 4, "a pixel shader has no dcl_position0"),
        ("mov r0, vFace.x", 15, "a register without components has no swizzle"),
        ("mov v[aL], r0", 6, "registers to write are addressed in vs_3_0 only"),
        (
            "dcl_texcoord0000000001 v0",
            4,
            "'texcoord0000000001' is nothing to declare in this version, did you mean texcoord?",
        ),
    ],
}
# Whole texts: line, column, message
TEXTS: list[tuple[str, int, int, str]] = [
    ("", 1, 1, "wanted a version such as ps_2_0, found nothing"),
    ("foo", 1, 1, "wanted a version such as ps_2_0, found 'foo'"),
    (
        "ps_2_7",
        1,
        1,
        "wanted a version such as ps_2_0, found 'ps_2_7', did you mean ps_2_x or ps_2_0?",
    ),
    (
        "PS_2_0",
        1,
        1,
        "wanted a version such as ps_2_0, found 'PS_2_0', did you mean ps_3_0 or ps_2_x?",
    ),
    (
        "ps_2_a",
        1,
        1,
        "wanted a version such as ps_2_0, found 'ps_2_a', did you mean ps_2_x or ps_2_0?",
    ),
    (
        "ps.1.9",
        1,
        1,
        "wanted a version such as ps_2_0, found 'ps.1.9', did you mean ps.1.4 or ps.1.3?",
    ),
    (
        "ps_2.0",
        1,
        1,
        "wanted a version such as ps_2_0, found 'ps_2', did you mean ps_2_x or ps_2_0?",
    ),
    (
        "vs_1_4",
        1,
        1,
        "wanted a version such as ps_2_0, found 'vs_1_4', did you mean vs_1_1 or vs_1_0?",
    ),
    (
        "ps_5_0",
        1,
        1,
        "wanted a version such as ps_2_0, found 'ps_5_0', did you mean ps_3_0 or ps_2_0?",
    ),
    ("; only a comment", 1, 17, "wanted a version such as ps_2_0, found nothing"),
    ("mov r0, c0", 1, 1, "wanted a version such as ps_2_0, found 'mov'"),
    ("vs_2_0\n#if 1\n#else\n#else\n#endif", 4, 2, "#else after #else"),
    ("vs_2_0\n#if 1\n#else\n#elif 1\n#endif", 4, 2, "#elif after #else"),
    ("vs_2_0\n#if\n#endif", 2, 4, "wanted a number, found nothing"),
    ("vs_2_0\n#if 1 +\n#endif", 2, 8, "wanted a number, found nothing"),
    ("vs_2_0\n#if (1\n#endif", 2, 7, "wanted ), found nothing"),
    ("vs_2_0\n#if 1/0\n#endif", 2, 7, "the condition divides by 0"),
    ("vs_2_0\n#if ~1\n#endif", 2, 5, "wanted a number, found '~'"),
    ("vs_2_0\n#if 1 ? 2\n#endif", 2, 10, "wanted :, found nothing"),
    ("vs_2_0\n#if 1 2\n#endif", 2, 7, "wanted the end of the condition, found '2'"),
    ("vs_2_0\n#if defined\n#endif", 2, 12, "defined needs a name, found nothing"),
    ("vs_2_0\n#if defined(\n#endif", 2, 13, "defined needs a name, found nothing"),
    ("vs_2_0\n#if defined(A\n#endif", 2, 14, "wanted ), found nothing"),
    ("vs_2_0\n#ifdef\n#endif", 2, 7, "#ifdef needs a name, found nothing"),
    ("vs_2_0\n#ifdef 1\n#endif", 2, 8, "#ifdef needs a name, found '1'"),
    ("vs_2_0\n#ifdef A B\n#endif", 2, 10, "wanted the end of the line, found 'B'"),
    ("vs_2_0\n#if 1\n#endif x", 3, 8, "wanted the end of the line, found 'x'"),
    ("vs_2_0\n#define F(a,b) mov a, b\nF(r0)", 3, 1, "F takes 2 arguments, found 1"),
    ("vs_2_0\n#define F(a) a\nmov F(), c0", 3, 5, "F takes 1 argument, found 0"),
    ("vs_2_0\n#define F(a) a\nmov F(r0, c0", 3, 5, "the arguments of F have no end"),
    ("vs_2_0\n#define A foo\nmov r0, A", 3, 9, "'foo' is no register"),
    ("vs_2_0\n#define N 99\n\nmov r0,   c[N] mov r9, rN", 4, 24, "'rN' is no register"),
    ("vs_2_0\n#define A A\nmov A, c0", 3, 5, "'A' is no register, a is in lower case"),
]
# Where Microsoft's assembler names the place where it noticed, we name the place that is wrong
PLACED_ELSEWHERE = {"syn_swz_empty", "syn_unterminated", "mod_inv_vs", "mod_neg_dz"}


@pytest.mark.parametrize(
    ("version", "statement", "column", "message"),
    [(version, *row) for version, rows in STATEMENTS.items() for row in rows],
)
def test_wrong_statements(version: str, statement: str, column: int, message: str) -> None:
    with pytest.raises(ListingError) as caught:
        assemble_stream(f"{version}\n{statement}")
    assert caught.value.message == message
    assert caught.value.location == Location(line=2, column=column)


@pytest.mark.parametrize(("text", "line", "column", "message"), TEXTS)
def test_wrong_texts(text: str, line: int, column: int, message: str) -> None:
    with pytest.raises(ListingError) as caught:
        assemble_stream(text)
    assert caught.value.message == message
    assert caught.value.location == Location(line=line, column=column)


def test_every_mistake_is_found_and_shown() -> None:
    text = "vs_2_0\nmov r0, r55\nmvo r0, r1 // typing error\n\tmov r0.yx, c0\nmov r0, c0\n"
    with pytest.raises(ListingError) as caught:
        parse_sm1_program(text)
    found = caught.value.diagnostics
    assert [(d.line, d.column) for d in found] == [(2, 9), (3, 1), (4, 9)]
    assert str(found[2]) == (
        "a mask has components in the order xyzw, each once, found 'yx'\n"
        "     mov r0.yx, c0\n"
        "            ^"
    )


def test_mistakes_are_at_most_twenty() -> None:
    with pytest.raises(ListingError) as caught:
        parse_sm1_program("ps_2_0\n" + "foo\n" * 100)
    assert len(caught.value.diagnostics) == 20


def test_a_mistake_in_a_macro_is_shown_where_the_macro_is_used() -> None:
    with pytest.raises(ListingError) as caught:
        parse_sm1_program("vs_2_0\n#define LAST r99\n  mov  LAST, c0\n")
    assert str(caught.value.diagnostics[0]).splitlines() == [
        "r99 does not exist, the last is r11",
        "      mov  LAST, c0",
        "           ^",
    ]


@pytest.mark.parametrize(
    "text",
    [
        "#define F(x) x\nmov " + "F(" * 5000 + "r0" + ")" * 5000 + ", c0",
        "#define F(x) x x\n" + "F(" * 90 + "r0" + ")" * 90,
        "#define F(x) x##x\n" + "F(" * 90 + "r0" + ")" * 90,
        "".join(f"#define A{n} A{n + 1} A{n + 1}\n" for n in range(60)) + "A0",
        "".join(f"#define A{n} A{n + 1}\n" for n in range(3000)) + "A0",
        "#if " + "(" * 5000,
        "#if " + "- " * 5000 + "1\n#endif",
        "#if 1\n" * 5000,
        "mov r0, c[" + "[" * 5000,
        "mov r0, r" + "0" * 5000,
        "def c0, 1" + "0" * 5000 + ".0, 0, 0, 0",
        ".comment " + "0x0," * 40000 + "0x0",
        "mov" + "_sat" * 5000 + " r0, c0",
    ],
    ids=lambda text: text[:24],
)
def test_small_texts_cannot_take_long_or_much_memory(text: str) -> None:
    with pytest.raises(ListingError):
        parse_sm1_program(f"vs_2_0\n{text}\n")


def test_dwords_that_break_off_say_what_is_missing() -> None:
    with pytest.raises(AssemblyError, match="no instruction: mov: src0 is missing"):
        assemble_stream("vs_2_0\n.tokens 0x01000001, 0x800f0000")


@pytest.mark.corpus
def test_samples_are_refused_on_the_line_of_microsofts_assembler(shared) -> None:
    folder = shared / "samples/sm1_3"
    count = 0
    for item in json.loads((folder / "index.json").read_text())["items"]:
        if item["kind"] != "negative":
            continue
        text = (folder / item["files"][0]).read_text("latin-1")
        if item["without_validation"] == "OK":
            parse_sm1_program(text)  # what is wrong is for the validator
            continue
        with pytest.raises(ListingError) as caught:
            parse_sm1_program(text)
        count += 1
        codes = ("X1", "X2")
        lines = {e["line"] for e in item["errors"] if e["code"].startswith(codes)}
        if lines and item["name"] not in PLACED_ELSEWHERE:
            assert {d.line for d in caught.value.diagnostics} == lines, item["name"]
    assert count == 46
