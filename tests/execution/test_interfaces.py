"""Interfaces bound to class instances, on both engines, against the same methods in Python."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import softd3d
from softd3d.errors import DecodeError, ResourceError
from softd3d.isa.sm4.enums import Opcode, OperandType
from softd3d.isa.sm4.program import Index, Instruction, Operand
from softd3d.lower.linkage import Linkage, LinkedObject, read_linkage

METHODS = Path(__file__).parent / "data/methods.cs_5_0.dxbc"
RUNS = [{"engine": "interpreter"}, {"lanes": 4}, {"lanes": 16, "threads": 2}]
MASK = 0xFFFFFFFF


def plus_three(v: int) -> int:
    return v + 3


def times_five(v: int) -> int:
    for n in range(1 << 10):
        if n >= v:
            break
        v ^= n * 7
    return 99 if v == 5 else v * 5


APPLY = {"A": plus_three, "B": times_five}


@pytest.mark.parametrize(
    ("interfaces", "classes"),
    [
        ({"o1": "a[1]", "m": ["b", "a[0]", "b"]}, "ABAB"),
        ({0: "b", "m[0]": "b", "m[1]": softd3d.ClassInstance("B"), 3: "a[0]"}, "BBBA"),
        ({"m": ["a[0]", "a[1]", softd3d.ClassInstance("A")], "o1": "b"}, "BAAA"),
    ],
)
def test_the_class_of_an_instance_picks_its_methods(interfaces: dict, classes: str):
    """data/methods.hlsl: an interface, an array of them with a computed index, two methods."""
    code = softd3d.load(METHODS)
    wanted: list[int] = []
    for x in range(48):
        value = APPLY[classes[0]](x) + APPLY[classes[1 + x // 8 % 3]](x) * 100
        if x & 1:
            value += (2 if classes[2] == "A" else x) * 10000
            value += 2 if classes[0] == "A" else 4
        wanted.append(value)
    for run in RUNS:
        out = softd3d.StructuredBuffer(np.zeros(48, np.uint32), 4)
        softd3d.dispatch(code, (6, 1, 1), uavs={0: out}, interfaces=interfaces, **run)
        assert out.array.reshape(-1).tolist() == wanted, run


@pytest.mark.parametrize(
    ("interfaces", "message"),
    [
        (None, r"interface slot 0 \(o1\): not in interfaces; wanted IOp, which B, A implement"),
        ({"o1": "b", "m[0]": "b", "m[1]": "b"}, r"interface slot 3 \(m\[2\]\): not in interfaces"),
        ({"o1": "a"}, r"found 'a', which is no class instance; there are a\[0-1\], b"),
        ({"o1": "a[2]"}, r"found 'a\[2\]', which is no class instance"),
        ({"o1": "none"}, "which is no class instance.*wanted IOp"),
        ({"o1": 3}, "found int, wanted an instance's name or a ClassInstance"),
        ({"q": "b"}, r"'q' is no interface slot; there are o1, m\[0\], m\[1\], m\[2\]"),
        ({"m[3]": "b"}, "'m.3.' is no interface slot"),
        ({9: "b"}, "9 is no interface slot"),
        ({0: "b", "o1": "b"}, "interface slot 0 .o1.: given twice"),
        (
            {"m": ["b"]},
            "'m' is an array of 3 slots, found a list of 1 instance, wanted a list of 3",
        ),
        ({"m": "b"}, "'m' is an array of 3 slots, found 'b', wanted a list of 3 instances"),
        ({"m": b"b"}, "'m' is an array of 3 slots, found bytes, wanted a list of 3 instances"),
        ({"o1": ["b", "b"]}, "'o1' is one slot, found a list of 2 instances, wanted one instance"),
        ({"o1": b"b"}, "found bytes, wanted an instance's name or a ClassInstance"),
        ({"o1": {"b": 1}}, "found dict, wanted an instance's name or a ClassInstance"),
        ({True: "b"}, "True is no interface slot"),
        ({"o1": softd3d.ClassInstance("C")}, "found class C, wanted IOp, which B, A implement"),
        ({"o1": softd3d.ClassInstance("A", constant_buffer=14)}, "constant_buffer is 14"),
        ("o1", "interfaces: found str, wanted a dictionary"),
    ],
)
def test_what_is_wrong_is_named(interfaces: object, message: str):
    code = softd3d.load(METHODS)
    with pytest.raises(ResourceError, match=message):
        softd3d.Dispatch(code, (1, 1, 1), uavs={0: None}, interfaces=interfaces)


def test_a_shader_without_interfaces_takes_none():
    code = softd3d.load(softd3d.assemble("cs_5_0\ndcl_thread_group 1, 1, 1\nret\n"))
    with pytest.raises(ResourceError, match="the shader has no interfaces"):
        softd3d.dispatch(code, (1, 1, 1), interfaces={"a": "b"})


def test_methods_that_call_each_other_through_what_is_bound_are_refused():
    """The program is fine for other objects; a cycle exists only for these."""
    text = """cs_5_0
        dcl_function_body fb0
        dcl_function_body fb1
        dcl_function_table ft0 = {fb0}
        dcl_function_table ft1 = {fb1}
        dcl_interface fp0[2][1] = {ft0, ft1}
        dcl_thread_group 1, 1, 1
        fcall fp0[0][0]
        ret
        label fb0
        fcall fp0[1][0]
        ret
        label fb1
        ret
    """
    from softd3d.lower.structure import analyse

    program = softd3d.load(softd3d.assemble(text)).program
    declared = read_linkage(program)
    analyse(program, Linkage(declared, {0: LinkedObject(0), 1: LinkedObject(1)}))
    with pytest.raises(DecodeError, match="fb0 calls itself"):
        analyse(program, Linkage(declared, {0: LinkedObject(0), 1: LinkedObject(0)}))
    with pytest.raises(ResourceError, match="nothing is bound to interface slot 1"):
        analyse(program, Linkage(declared, {0: LinkedObject(0)}))


def test_interfaces_are_counted_on_from_their_first_element():
    """Spec: D3D11.3 22.7.19: of fp4[4][3], fp4[2] and fp5[1] are the same element."""
    text = """cs_5_0
        dcl_function_body fb0
        dcl_function_body fb1
        dcl_function_table ft0 = {fb0}
        dcl_function_table ft1 = {fb1}
        dcl_interface fp4[4][1] = {ft0, ft1}
        dcl_thread_group 1, 1, 1
        ret
        label fb0
        ret
        label fb1
        ret
    """
    declared = read_linkage(softd3d.load(softd3d.assemble(text)).program)
    linkage = Linkage(declared, {n: LinkedObject(int(n == 6)) for n in range(4, 8)})
    for number, index in ((4, 2), (5, 1), (6, 0)):
        operand = Operand(OperandType.INTERFACE, 0, indices=(Index(number), Index(index)))
        call = Instruction(Opcode.INTERFACE_CALL, (operand,), extra=(0,))
        assert linkage.callees(call)[0].label == (OperandType.FUNCTION_BODY, 1)


def xor_op(k: int) -> Callable[[int], int]:
    def apply(v: int) -> int:
        for _ in range(3):
            v = (v ^ k) * 3 & MASK
        return v

    return apply


@pytest.mark.corpus
@pytest.mark.parametrize("build", ["cs_5_0", "cs_5_0.Od"])
@pytest.mark.parametrize("pick", [0, 1, 2])
def test_instances_have_their_data_in_constant_buffers(shared: Path, build: str, pick: int):
    code = softd3d.load(shared / f"samples/sm4_5/cs_interfaces_dynamic_linkage.{build}.dxbc")
    data = np.zeros(8, np.uint32)
    data[0], data[4] = 5, 9
    data[1:2].view(np.float32)[0] = 2.5
    source = np.arange(64, dtype=np.uint32) * 7 + 1
    applied = {"gAdd": lambda v: v + 5 & MASK, "gXor": xor_op(9)}
    for one, many in (("gAdd", ["gXor", "gAdd", "gXor"]), ("gXor", ["gAdd", "gXor", "gAdd"])):
        wanted: list[int] = []
        for v in source.tolist():
            first = applied[one](v)
            value = first + applied[many[pick]](first) & MASK
            wanted.append(value + int((value & 7) * 2.5 if many[2] == "gAdd" else 1) & MASK)
        created = softd3d.ClassInstance("XorOp", constant_buffer=0, vector=1)
        given = [created if name == "gXor" else name for name in many]
        for run in RUNS:
            out = softd3d.StructuredBuffer(np.zeros(64, np.uint32), 4)
            softd3d.dispatch(
                code, (4, 1, 1), constants={0: data, 1: np.array([pick, 0, 0, 0], np.uint32)},
                srvs={0: softd3d.StructuredBuffer(source, 4)}, uavs={0: out},
                interfaces={"op": one, "many": given}, **run,
            )  # fmt: skip
            assert out.array.reshape(-1).tolist() == wanted, run


@pytest.mark.parametrize(("name", "factor"), [("A", 2), ("B", 3)])
def test_a_class_without_members_needs_no_instance(name: str, factor: int):
    """data/memberless.hlsl: `a` and `b` are instances in the source, but not in the shader."""
    code = softd3d.load(METHODS.with_name("memberless.cs_5_0.dxbc"))
    for run in RUNS:
        out = np.zeros(8, np.uint32)
        softd3d.dispatch(
            code,
            (1, 1, 1),
            uavs={"o": softd3d.StructuredBuffer(out)},
            interfaces={"i": name},
            **run,
        )
        assert out.tolist() == [factor * x for x in range(8)], run


def test_members_lie_where_the_instance_says():
    """data/members.hlsl: `add`, `mul` and `addb` in a constant buffer, and Nop without members."""
    code = softd3d.load(METHODS.with_name("members.cs_5_0.dxbc"))
    constants = {"C": {"add": {"k": 5}, "mul": {"k": 3}, "addb": {"k": 100}}, "N": {"n": 4}}
    third = softd3d.ClassInstance("Add", constant_buffer=0, vector=2)
    for run in RUNS:
        out = np.zeros(32, np.uint32)
        uavs = {"o": softd3d.StructuredBuffer(out)}
        softd3d.dispatch(
            code, (1, 1, 1), constants=constants, uavs=uavs,
            interfaces={"ops": ["add", "mul", third, "Nop"]}, **run,
        )  # fmt: skip
        assert out.tolist() == [(x + 5) * 3 + 100 for x in range(32)], run
    with pytest.raises(
        ResourceError, match=r"mul, addb \(or ClassInstance\('Mul', ...\)\); wanted"
    ):
        softd3d.dispatch(
            code, (1, 1, 1), constants=constants, uavs={0: None}, interfaces={"ops": ["Mul"] * 4}
        )


TEXTURED = softd3d.ClassInstance("Textured")


@pytest.mark.parametrize("engine", ["jit", "interpreter"])
def test_a_class_whose_registers_are_not_declared_is_refused(engine: str):
    """data/textured.hlsl: the program has no instance of Textured, and so no texture."""
    code = softd3d.load(METHODS.with_name("textured.cs_5_0.dxbc"))
    out = softd3d.StructuredBuffer(np.zeros((4, 4), np.float32))
    data = {"Data": {"plain.color": [1, 2, 3, 4]}}
    job = {"constants": data, "uavs": {0: out}, "engine": engine}
    softd3d.dispatch(code, (1, 1, 1), interfaces={"color": "plain"}, **job)
    assert out.array[2].tolist() == [0.5, 1, 1.5, 2]
    wanted = (
        r"^interface slot 0 \(color\): class Textured has textures in t0, which the shader does"
    )
    with pytest.raises(ResourceError, match=wanted):
        softd3d.dispatch(code, (1, 1, 1), interfaces={"color": TEXTURED}, **job)


@pytest.mark.parametrize("engine", ["jit", "interpreter"])
def test_a_class_reads_the_registers_that_are_declared(engine: str):
    """The same with an instance of Textured, in b1, t0, s0; DECLARED is defined."""
    code = softd3d.load(METHODS.with_name("textured.cs_5_0.declared.dxbc"))
    out = softd3d.StructuredBuffer(np.zeros((4, 4), np.float32))
    texture = softd3d.Texture2D(np.full((2, 2, 4), 2, np.float32), "R32G32B32A32_FLOAT")
    job = {
        "constants": {"Data": None, "More": {"textured": {"scale": [1, 2, 3, 4]}}},
        "srvs": {0: texture}, "samplers": {0: None}, "uavs": {0: out}, "engine": engine,
    }  # fmt: skip
    for instance in ("textured", softd3d.ClassInstance("Textured", constant_buffer=1)):
        out.array[...] = 0
        softd3d.dispatch(code, (1, 1, 1), interfaces={"color": instance}, **job)
        assert out.array[1].tolist() == [2, 4, 6, 8]
    for place, what in (
        ({"texture": 1}, "textures in t1"), ({"sampler": 3}, "samplers in s3"),
        ({"constant_buffer": 2}, "members in cb2"),
    ):  # fmt: skip
        one = softd3d.ClassInstance("Textured", **place)
        with pytest.raises(ResourceError, match=f"slot 0 .*Textured has {what}, which"):
            softd3d.dispatch(code, (1, 1, 1), interfaces={"color": one}, **job)
