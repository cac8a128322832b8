"""What preshaders compute: every opcode at special values, indices, and what is refused.

data/preshaders/specials.json has, for each opcode, what ID3DXEffect of d3dx9_43 hands to the device
(float32 words) for literals from `ONE`, or pairs from `TWO` in order. `MODEL` is NumPy's float64.
"""

from __future__ import annotations

import itertools
import json
import math
import random
import struct
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from softd3d.container.comments.ctab import (
    Constant,
    ConstantTable,
    ConstantType,
    ParameterClass,
    ParameterType,
    RegisterSet,
)
from softd3d.container.comments.execution import (
    PreshaderRun,
    check_preshader,
    float32,
    initial_inputs,
    run_preshader,
)
from softd3d.container.comments.preshader import (
    Preshader,
    PreshaderIndex,
    PreshaderInstruction,
    PreshaderOpcode,
    PreshaderOperand,
    PreshaderTable,
)
from softd3d.errors import ContainerError, LoweringError

DATA = Path(__file__).parent / "data/preshaders/specials.json"
INF, NAN = math.inf, math.nan
ONE = [
    0.0, -0.0, 1.0, -1.0, 0.5, -0.5, 1.5, -1.5, 2.5, -2.5, 5e-324, -5e-324, 2.0**-1022, 1e-40,
    -1e-40, 2.0**-126, 1e300, -1e300, INF, -INF, NAN, math.pi / 2, 1e22, 127.0, 128.0, -150.0,
    1024.0, -1075.0, 1 + 2**-52, 3.4028234663852886e38, 3.4028235677973366e38, 0.1, 3.7, -3.7,
    2.0**52 + 0.5, -(2.0**53) - 2, 1e-8, 16777217.0,
]  # fmt: skip
TWO = [
    0.0, -0.0, 1.0, -1.0, 0.5, -1.5, 5e-324, -5e-324, 2.0**-1022, 1e-40, 1e300, -1e300, INF, -INF,
    NAN, 3.7, 3.4028234663852886e38, 2.0**-149, 0.1,
]  # fmt: skip
T, Op = PreshaderTable, PreshaderOpcode
Operand, Index = PreshaderOperand, PreshaderIndex


def instruction(
    opcode: int,
    inputs: list[PreshaderOperand],
    output: PreshaderOperand | None = None,
    components: int = 4,
    *,
    is_scalar: bool = False,
) -> PreshaderInstruction:
    return PreshaderInstruction(
        opcode, components, is_scalar, tuple(inputs), output or Operand(T.OUTPUT_FLOAT, 0)
    )


def run(
    literals: list[float],
    *instructions: PreshaderInstruction,
    inputs: tuple[float, ...] = (),
) -> PreshaderRun:
    table = inputs_table(len(inputs) // 4) if inputs else None
    preshader = Preshader(0x46580200, table, tuple(literals), instructions)
    return run_preshader(preshader, inputs)


def inputs_table(registers: int) -> ConstantTable:
    type_ = ConstantType(ParameterClass.VECTOR, ParameterType.FLOAT, 1, 4, registers)
    constant = Constant("v", RegisterSet.FLOAT4, 0, registers, type_)
    return ConstantTable(None, "fx", 0, 0, (constant,))


def lane(literals: list[float], opcode: int, count: int) -> float:
    """Return what an opcode gives for `count` literals."""
    inputs = [Operand(T.LITERAL, n) for n in range(count)]
    return run(literals, instruction(opcode, inputs, components=1)).floats[0]


def word(value: float) -> str:
    return "nan" if math.isnan(value) else struct.pack(">f", value).hex()


def words(values: list[float]) -> list[str]:
    return [word(value) for value in values]


MODEL: dict[str, Callable[..., float]] = {
    "mov": np.positive,
    "neg": np.negative,
    "rcp": lambda a: np.divide(1.0, a),
    "frc": lambda a: np.subtract(a, np.floor(a)),
    "exp": np.exp2,
    "log": lambda a: np.log2(np.abs(a)) if a else 0.0,
    "rsq": lambda a: np.divide(1.0, np.sqrt(np.abs(a))),
    "sin": np.sin,
    "cos": np.cos,
    "asin": np.arcsin,
    "acos": np.arccos,
    "atan": np.arctan,
    "min": lambda a, b: np.where(a < b, a, b),
    "max": lambda a, b: np.where(a > b, a, b),
    "lt": np.less,
    "ge": np.greater_equal,
    "add": np.add,
    "mul": np.multiply,
    "atan2": np.arctan2,
    "div": lambda _a, _b: 0.0,
    "cmp": lambda a, b, c: np.where(a >= 0, b, c),
}


def sources(name: str) -> list[tuple[float, ...]]:
    if name == "cmp":
        return [(a, 2.0, 3.0) for a in ONE]
    two = Op[name.upper()] >= Op.MIN
    return list(itertools.product(TWO, TWO)) if two else [(a,) for a in ONE]


@pytest.mark.parametrize("name", MODEL)
def test_opcodes_give_what_direct3d_gives(name: str) -> None:
    given_words = json.loads(DATA.read_text())[name].split()
    wanted = [word(struct.unpack(">f", bytes.fromhex(w))[0]) for w in given_words]
    assert [word(lane(list(s), Op[name.upper()], len(s))) for s in sources(name)] == wanted


@pytest.mark.parametrize("name", MODEL)
def test_opcodes_are_those_of_a_model(name: str) -> None:
    chance = random.Random(name)
    with np.errstate(all="ignore"):
        for _ in range(300):
            count = len(sources(name)[0])
            values = [
                struct.unpack("<d", chance.randbytes(8))[0]
                if chance.random() < 0.5
                else chance.uniform(-4, 4)
                for _ in range(count)
            ]
            model = float(MODEL[name](*map(np.float64, values)))
            assert word(lane(values, Op[name.upper()], count)) == word(float32(model)), values


def test_the_goldens_and_sums_are_all_opcodes() -> None:
    names = set(json.loads(DATA.read_text()))
    assert names == set(MODEL)
    for opcode in Op:
        inputs = {Op.DOT: 2, Op.D3DS_DOTSWIZ: 6, Op.CMP: 3}.get(opcode, 1 if opcode < Op.MIN else 2)
        code = instruction(opcode, [Operand(T.LITERAL, 0)] * inputs, components=1)
        preshader = Preshader(0, None, (1.0,), (code,))
        if opcode.name.lower() in names or opcode in (Op.DOT, Op.D3DS_DOTSWIZ):
            check_preshader(preshader)
        else:
            is_noise = opcode in (Op.NOISE, Op.D3DS_NOISESWIZ)
            error = LoweringError if is_noise else ContainerError
            with pytest.raises(error, match=r"not (supported yet|an instruction of Direct3D 9)"):
                check_preshader(preshader)


@pytest.mark.parametrize(
    ("literals", "components", "wanted"),
    [
        ([1, 2, 3, 4, 5, 6, 7, 8], 1, 5.0),
        ([1, 2, 3, 4, 5, 6, 7, 8], 3, 38.0),
        ([1, 2, 3, 4, 5, 6, 7, 8], 4, 70.0),
        ([1e16, 1, 1, -1e16, 1, 1, 1, 1], 4, 0.0),  # from x on, one after another
        ([1, 1e16, -1e16, 1, 1, 1, 1, 1], 4, 1.0),
        ([-0.0, 0, 0, 0, 1, 0, 0, 0], 1, 0.0),
    ],
)
def test_dot_writes_one_component(literals: list[float], components: int, wanted: float) -> None:
    operands = [Operand(T.LITERAL, 0), Operand(T.LITERAL, 4)]
    result = run(literals, instruction(Op.DOT, operands, components=components))
    assert {at: word(v) for at, v in result.floats.items()} == {0: word(wanted)}


@pytest.mark.parametrize(
    ("count", "components", "wanted"),
    [(6, 1, [287]), (8, 1, [724]), (6, 4, [287])],
)
def test_dotswiz_adds_products_of_its_halves(
    count: int, components: int, wanted: list[float]
) -> None:
    operands = [Operand(T.LITERAL, 4 * n) for n in range(count)]
    code = instruction(Op.D3DS_DOTSWIZ, operands, components=components)
    assert list(run([*map(float, range(1, 33))], code).floats.values()) == wanted


def test_a_scalar_is_the_first_input_for_all_components() -> None:
    literals = [1.0, 2, 3, 4, 10, 20, 30, 40]
    code = instruction(Op.ADD, [Operand(T.LITERAL, 0), Operand(T.LITERAL, 4)], is_scalar=True)
    assert list(run(literals, code).floats.values()) == [11, 21, 31, 41]
    code = instruction(Op.DOT, [Operand(T.LITERAL, 0), Operand(T.LITERAL, 4)], is_scalar=True)
    assert run(literals, code).floats == {0: 100.0}


def test_temporaries_are_float64() -> None:
    literals = [1 + 2**-40, -1.0, 2.0**40, 1e300]
    minus = instruction(Op.ADD, [Operand(T.TEMP, 0), Operand(T.LITERAL, 1)], components=1)
    moved = instruction(Op.MOV, [Operand(T.LITERAL, 0)], Operand(T.TEMP, 0), 1)
    assert run(literals, moved, minus).floats == {0: 2.0**-40}
    large = instruction(Op.MOV, [Operand(T.LITERAL, 3)], Operand(T.TEMP, 0), 1)
    back = instruction(Op.RCP, [Operand(T.TEMP, 0)], Operand(T.TEMP, 1), 1)
    product = instruction(Op.MUL, [Operand(T.TEMP, 0), Operand(T.TEMP, 1)], components=1)
    assert run(literals, large, back, product).floats == {0: 1.0}


def test_sources_are_read_before_results_are_stored() -> None:
    first = instruction(Op.MOV, [Operand(T.LITERAL, 0)], Operand(T.TEMP, 0))
    shift = instruction(Op.MOV, [Operand(T.TEMP, 0)], Operand(T.TEMP, 1), 3)
    result = run([1.0, 2, 3, 4], first, shift, instruction(Op.MOV, [Operand(T.TEMP, 0)]))
    assert list(result.floats.values()) == [1, 1, 2, 3]


def test_all_outputs_are_one_table_and_may_begin_anywhere() -> None:
    source = [Operand(T.LITERAL, 0)]
    result = run(
        [1.0, 2, 3, 4],
        instruction(Op.MOV, source, Operand(T.OUTPUT_FLOAT, 2)),
        instruction(Op.MOV, source, Operand(T.OUTPUT_BOOL, 2), 1),
        instruction(Op.MOV, source, Operand(T.OUTPUT_INT, 9), 1),
    )
    assert result.floats == {2: 1, 3: 2, 4: 3, 5: 4, 9: 1}


# Six input registers hold 1 to 24; 44 literals, from the fifth on 100 to 139. As measured.
INPUT_INDICES = [
    (0.0, 1), (0.6, 1), (1.5, 5), (2.5, 9), (5.0, 21), (6.0, 0), (7.0, 0), (8.0, 1), (9.0, 5),
    (-0.6, 1), (-1.0, 0), (-2.0, 0), (-7.0, 5), (-8.0, 1), (1e9, 1), (2.0**32 + 1, 5),
    (2.0**31, 1), (1e300, 1), (-1e300, 1), (INF, 1), (NAN, 1), (-(2.0**31) - 1, 0),
]  # fmt: skip
LITERAL_INDICES = [
    (0.0, 100), (0.6, 100), (1.5, 104), (9.0, 136), (15.0, 116), (16.0, 120), (-7.0, 120),
    (-8.0, 116), (2.0**32 + 1, 104), (INF, 100), (NAN, 100),
]  # fmt: skip


@pytest.mark.parametrize(("index", "wanted"), INPUT_INDICES)
def test_input_registers_go_round_at_a_power_of_two(index: float, wanted: float) -> None:
    operand = Operand(T.INPUT, 0, Index(T.LITERAL, 0))
    code = instruction(Op.MOV, [operand], components=1)
    inputs = tuple(map(float, range(1, 25)))
    assert run([index], code, inputs=inputs).floats == {0: wanted}


def test_an_index_may_begin_within_a_register() -> None:
    inputs = tuple(map(float, range(1, 25)))
    for index, wanted in [(4.0, [19, 20, 21, 22]), (5.0, [23, 24, 0, 0]), (7.0, [0, 0, 0, 0])]:
        code = instruction(Op.MOV, [Operand(T.INPUT, 2, Index(T.LITERAL, 0))])
        assert list(run([index], code, inputs=inputs).floats.values()) == wanted


@pytest.mark.parametrize(("index", "wanted"), LITERAL_INDICES)
def test_literals_go_round_at_their_number(index: float, wanted: float) -> None:
    code = instruction(Op.MOV, [Operand(T.LITERAL, 4, Index(T.LITERAL, 0))], components=1)
    literals = [index, 0.0, 0.0, 0.0, *map(float, range(100, 140))]
    assert run(literals, code).floats == {0: wanted}


@pytest.mark.parametrize(("index", "wanted"), [(0, 1), (2, 9), (6, 0), (-1, 0)])
def test_temporaries_do_not_go_round(index: float, wanted: float) -> None:
    literals = [index, 0.0, 0.0, 0.0, *map(float, range(1, 13))]
    writes = [
        instruction(Op.MOV, [Operand(T.LITERAL, 4 + 4 * n)], Operand(T.TEMP, 4 * n))
        for n in range(3)
    ]
    read = instruction(Op.MOV, [Operand(T.TEMP, 0, Index(T.LITERAL, 0))], components=1)
    assert run(literals, *writes, read).floats == {0: wanted}


@pytest.mark.parametrize(
    ("table", "offset", "wanted"),
    [(T.INPUT, 22, [23, 24, 0, 0]), (T.INPUT, 32, [1, 2, 3, 4]), (T.INPUT, 64, [1, 2, 3, 4]),
     (T.INPUT, 28, [0, 0, 0, 0]), (T.LITERAL, 6, [106, 107, 0, 0]),
     (T.LITERAL, 8, [100, 101, 102, 103]), (T.TEMP, 0, [0, 0, 0, 0])],
)  # fmt: skip
def test_operands_beyond_their_table_go_round_likewise(
    table: PreshaderTable, offset: int, wanted: list[float]
) -> None:
    inputs = tuple(map(float, range(1, 25)))
    code = instruction(Op.MOV, [Operand(table, offset)])
    literals = [*map(float, range(100, 108))]
    assert list(run(literals, code, inputs=inputs).floats.values()) == wanted


MOV = [Operand(T.LITERAL, 0)]
REFUSED = {
    r"instruction 0 \(add\) has 1 inputs, wanted 2": instruction(Op.ADD, MOV),
    r"instruction 0 \(d3ds_dotswiz\) has 7 inputs, wanted 6 or 8": instruction(
        Op.D3DS_DOTSWIZ, MOV * 7
    ),
    r"\(0x7d0\) is not an instruction": instruction(2000, MOV),
    r"\(mov\) has a scalar input": instruction(Op.MOV, MOV, is_scalar=True),
    "input 0 reads a table that is none of inputs": instruction(
        Op.MOV, [Operand(T.OUTPUT_FLOAT, 0)]
    ),
    "input 1 reads a table": instruction(
        Op.ADD, [*MOV, Operand(T.LITERAL, 0, Index(T.OUTPUT_INT, 0))]
    ),
    "writes table VERTEX": instruction(Op.MOV, MOV, Operand(T.VERTEX, 0)),
    "or with an index": instruction(Op.MOV, MOV, Operand(T.OUTPUT_FLOAT, 0, Index(T.LITERAL, 0))),
    "temporaries, wanted at most": instruction(Op.MOV, MOV, Operand(T.TEMP, 1 << 20)),
}


@pytest.mark.parametrize("message", REFUSED)
def test_what_is_not_by_rule_is_refused(message: str) -> None:
    with pytest.raises(ContainerError, match=message):
        run([1.0] * 8, REFUSED[message])


def test_inputs_begin_as_the_table_says() -> None:
    type_ = ConstantType(ParameterClass.VECTOR, ParameterType.FLOAT, 1, 4, 1)
    constant = Constant("v", RegisterSet.FLOAT4, 1, 1, type_, (0x3F800000, 0, 0x40000000, 0))
    table = ConstantTable(None, "fx", 0, 0, (constant,))
    assert initial_inputs(Preshader(0, table, (), ())) == [0, 0, 0, 0, 1, 0, 2, 0]


OPERANDS = st.builds(
    Operand,
    st.sampled_from(list(T)),
    st.integers(0, 20),
    st.none() | st.builds(Index, st.sampled_from(list(T)), st.integers(0, 20)),
)
CODE = st.builds(
    PreshaderInstruction,
    st.sampled_from(list(Op)),
    st.integers(1, 4),
    st.booleans(),
    st.lists(OPERANDS, max_size=3).map(tuple),
    OPERANDS,
)


@given(st.lists(st.floats(), max_size=24), st.lists(CODE, max_size=6))
def test_any_code_gives_a_result_or_an_error(
    literals: list[float], code: list[PreshaderInstruction]
) -> None:
    preshader = Preshader(0, inputs_table(3), tuple(literals), tuple(code))
    try:
        result = run_preshader(preshader, [0.5] * 12)
    except (ContainerError, LoweringError):
        return
    assert all(math.isnan(v) or float32(v) == v for v in result.floats.values())
