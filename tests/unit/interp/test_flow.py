"""Flow with lanes that diverge, against plain Python that runs one thread at a time."""

from __future__ import annotations

import numpy as np
import pytest
from per_thread import LANES, each, run
from program_builder import build

from softd3d.errors import LoweringError
from softd3d.interp import interpret
from softd3d.resources.buffers.buffer import RawBuffer


@pytest.mark.parametrize("test", ["z", "nz"])
def test_if_else(test: str):
    found = run(f"""
        and r0.y, r0.x, l(6)
        if_{test} r0.y
          iadd r1.x, r0.x, l(100)
        else
          ishl r1.x, r0.x, l(3)
        endif
    """)
    assert found == each(lambda n: n + 100 if bool(n & 6) == (test == "nz") else n << 3)


def test_if_without_else_and_empty_then():
    found = run("""
        and r0.y, r0.x, l(1)
        if_nz r0.y
          mov r1.x, l(5)
        endif
        if_nz r0.y
        else
          mov r1.x, r0.x
        endif
    """)
    assert found == each(lambda n: 5 if n & 1 else n)


def test_a_test_looks_at_all_32_bits_not_at_a_number():
    # 0x80000000 is -0.0, but not zero; flow tests bits.
    found = run("""
        ishl r0.y, r0.x, l(31)
        if_nz r0.y
          mov r1.x, l(1)
        endif
    """)
    assert found == each(lambda n: n & 1)


def test_uninitialised_temps_are_zero():
    assert run("iadd r1.x, r5.w, r6.z") == [0] * LANES


def test_loop_with_breaks_at_different_times():
    def model(n: int) -> int:
        total = 0
        for i in range(n % 13):
            total += i * n
        return total

    found = run(
        """
        loop
          umod13 r0.z
    """.replace(
            "umod13 r0.z",
            """
          udiv null, r0.z, r0.x, l(13)
          uge r0.w, r0.y, r0.z
          breakc_nz r0.w
          imad r1.x, r0.y, r0.x, r1.x
          iadd r0.y, r0.y, l(1)
        endloop
    """,
        )
    )
    assert found == each(model)


def test_continue_skips_the_rest_of_an_iteration_only():
    def model(n: int) -> int:
        total = 0
        for i in range(1, 11):
            if (i ^ n) & 1:
                continue
            if (i + n) % 4 == 0:
                continue
            total = total * 3 + i
        return total

    found = run("""
        loop
          ige r0.y, r2.x, l(10)
          breakc_nz r0.y
          iadd r2.x, r2.x, l(1)
          xor r0.y, r2.x, r0.x
          and r0.y, r0.y, l(1)
          if_nz r0.y
            continue
          endif
          iadd r0.y, r2.x, r0.x
          and r0.y, r0.y, l(3)
          continuec_z r0.y
          imad r1.x, r1.x, l(3), r2.x
        endloop
    """)
    assert found == each(model)


def test_nested_loops_break_the_inner_one():
    def model(n: int) -> int:
        total = 0
        for i in range(5):
            for j in range(5):
                if j == (n + i) % 5:
                    break
                total += 7 * i + j
            if i == n % 7:
                break
        return total

    found = run("""
        mov r2.x, l(0)
        loop
          mov r3.x, l(0)
          loop
            iadd r0.y, r0.x, r2.x
            udiv null, r0.y, r0.y, l(5)
            ieq r0.z, r3.x, r0.y
            breakc_nz r0.z
            ieq r0.z, r3.x, l(5)
            if_nz r0.z
              break
            endif
            imad r4.x, r2.x, l(7), r3.x
            iadd r1.x, r1.x, r4.x
            iadd r3.x, r3.x, l(1)
          endloop
          udiv null, r0.y, r0.x, l(7)
          ieq r0.z, r0.y, r2.x
          if_nz r0.z
            break
          endif
          iadd r2.x, r2.x, l(1)
          ieq r0.z, r2.x, l(5)
          breakc_nz r0.z
        endloop
    """)
    assert found == each(model)


def test_switch_default_in_the_middle_and_falling_through():
    def model(n: int) -> int:
        total, place = 0, {0: 0, 1: 1, 2: 1, 4: 3, 0xFFFFFFFF: 4}.get((n % 7 - 1) & 0xFFFFFFFF, 2)
        if place == 0:
            total, place = total * 10 + 1, 1  # falls
        if place == 1:
            return total * 10 + 2  # breaks
        if place == 2:
            total, place = total * 10 + 3, 3  # default falls
        if place == 3:
            if n & 1:
                return total * 10 + 5
            total, place = total * 10 + 4, 4
        if place == 4:
            total = total * 10 + 6
        return total

    def append(digit: int) -> str:
        return f"imad r1.x, r1.x, l(10), l({digit})"

    found = run(f"""
        udiv null, r0.y, r0.x, l(7)
        iadd r0.y, r0.y, l(-1)
        and r0.z, r0.x, l(1)
        switch r0.y
          case l(0)
            {append(1)}
          case l(1)
          case l(2)
            {append(2)}
            break
          default
            {append(3)}
          case l(4)
            if_nz r0.z
              {append(5)}
              break
            endif
            {append(4)}
          case l(-1)
            {append(6)}
        endswitch
    """)
    assert found == each(model)


def test_switch_without_match_or_default_does_nothing():
    assert run("""
        mov r1.x, r0.x
        switch l(5)
          case l(6)
            mov r1.x, l(0)
        endswitch
        switch l(5)
        endswitch
    """) == each(lambda n: n)


def test_continue_and_ret_inside_a_switch_inside_a_loop():
    def model(n: int) -> int:
        total = 0
        for i in range(8):
            match (i + n) % 4:
                case 0:
                    continue
                case 1:
                    total += 1
                case 2:
                    if i == 6:
                        return total + 1000
                case _:
                    total += 100
            total = total * 2
        return total + 7

    found = run("""
        mov r2.x, l(-1)
        loop
          iadd r2.x, r2.x, l(1)
          ige r0.y, r2.x, l(8)
          breakc_nz r0.y
          iadd r0.y, r0.x, r2.x
          and r0.y, r0.y, l(3)
          switch r0.y
            case l(0)
              continue
            case l(1)
              iadd r1.x, r1.x, l(1)
              break
            case l(2)
              ieq r0.z, r2.x, l(6)
              if_nz r0.z
                iadd r1.x, r1.x, l(1000)
                ret
              endif
              break
            default
              iadd r1.x, r1.x, l(100)
          endswitch
          ishl r1.x, r1.x, l(1)
        endloop
        iadd r1.x, r1.x, l(7)
    """)
    assert found == each(model)


def test_a_loop_inside_a_case_keeps_its_breaks_to_itself():
    found = run("""
        and r0.y, r0.x, l(1)
        switch r0.y
          case l(1)
            loop
              iadd r1.x, r1.x, l(1)
              ige r0.z, r1.x, r0.x
              breakc_nz r0.z
            endloop
            iadd r1.x, r1.x, l(1000)
            break
          default
            mov r1.x, l(3)
        endswitch
    """)
    assert found == each(lambda n: n + 1000 if n & 1 else 3)


def test_ret_and_retc_in_nested_flow_end_the_thread():
    out = np.zeros(LANES, np.uint32)
    text = """
        mov r0.x, vThreadID.x
        ishl r7.x, r0.x, l(2)
        store_raw u0.x, r7.x, l(1)
        ult r0.y, r0.x, l(10)
        retc_nz r0.y
        store_raw u0.x, r7.x, l(2)
        loop
          iadd r2.x, r2.x, l(1)
          ieq r0.y, r2.x, r0.x
          if_nz r0.y
            store_raw u0.x, r7.x, r2.x
            ret
          endif
          ieq r0.y, r2.x, l(50)
          breakc_nz r0.y
        endloop
        retc_z l(1)
        store_raw u0.x, r7.x, l(3)
    """
    interpret(build(text, uavs={0: RawBuffer(out)}, group=(LANES, 1, 1)), (1, 1, 1))
    assert out.tolist() == each(lambda n: 1 if n < 10 else n if n <= 50 else 3)


def test_calls_return_to_their_own_callers():
    found = run("""
        and r0.y, r0.x, l(3)
        callc_nz r0.y, label1
        iadd r1.x, r1.x, l(1)
        callc_z r0.y, label2
        call label2
        label label1
          ieq r0.z, r0.y, l(1)
          if_nz r0.z
            ret
          endif
          iadd r1.x, r1.x, l(100)
          call label2
          iadd r1.x, r1.x, l(100)
          retc_nz r0.z
        label label2
          ult r0.z, r0.x, l(40)
          retc_nz r0.z
          iadd r1.x, r1.x, l(10000)
    """)

    def model(n: int) -> int:
        big = 0 if n < 40 else 10000
        total = 1 + big
        if n & 3 == 0:
            total += big
        elif n & 3 != 1:
            total += 200 + big
        return total

    assert found == each(model)


def test_a_call_inside_a_loop_does_not_touch_the_loops_masks():
    def model(n: int) -> int:
        total = 0
        for i in range(6):
            total += 1
            if i != n % 6:
                total += 10
            if i == n % 5:
                break
        return total

    found = run("""
        udiv null, r3.x, r0.x, l(6)
        udiv null, r3.y, r0.x, l(5)
        loop
          iadd r1.x, r1.x, l(1)
          call label1
          ieq r0.y, r2.x, r3.y
          breakc_nz r0.y
          iadd r2.x, r2.x, l(1)
          ilt r0.y, r2.x, l(6)
          breakc_z r0.y
        endloop
        label label1
          loop
            ieq r0.y, r2.x, r3.x
            retc_nz r0.y
            break
          endloop
          iadd r1.x, r1.x, l(10)
    """)
    assert found == each(model)


@pytest.mark.parametrize("called", [31, 32, 33, 45])
def test_calls_beyond_depth_32_are_skipped(called: int):
    out = np.zeros(1, np.uint32)
    text = "call label1\nstore_raw u0.x, l(0), r0.x\nret\n"
    for n in range(1, called + 1):
        text += f"label label{n}\niadd r0.x, r0.x, l(1)\n"
        text += f"call label{n + 1}\nret\n" if n < called else "ret\n"
    interpret(build(text, uavs={0: RawBuffer(out)}, group=(1, 1, 1)), (1, 1, 1))
    assert out[0] == min(called, 32)


def test_the_deepest_calls_and_nesting_do_not_exhaust_the_stack():
    out = np.zeros(1, np.uint32)
    text = "call label1\nstore_raw u0.x, l(0), r0.x\nret\n"
    for n in range(1, 33):
        text += f"label label{n}\n" + "if_z r1.x\n" * 64 + "iadd r0.x, r0.x, l(1)\n"
        text += (f"call label{n + 1}\n" if n < 32 else "nop\n") + "endif\n" * 64 + "ret\n"
    bound = build(text, uavs={0: RawBuffer(out)}, group=(1, 1, 1))
    try:
        interpret(bound, (1, 1, 1))
    except LoweringError as error:  # the JIT copies calls and has a limit
        assert "nested more than 128 deep" in error.message
    else:
        assert out[0] == 32


def test_a_value_that_is_uniform_in_the_side_that_goes_on():
    """The lanes that take the other side all leave: what is left of r1 is one number."""
    found = run("""
        ult r2.x, r0.x, l(10)
        if_nz r2.x
          store_raw u0.x, l(0x7fffffff), r0.x
          ret
        else
          store_raw u0.x, l(0x7fffffff), r0.x
          mov r1.x, vThreadGroupID.x
        endif
        iadd r1.x, r1.x, l(7)
    """)
    assert found == each(lambda n: 0 if n < 10 else 7)


def test_leaving_a_switch_after_one_inside_it():
    """Found by a random program: the inner switch forgot that the outer one was there."""
    found = run("""
        and r2.x, r0.x, l(3)
        switch r2.x
          case l(1)
            switch r2.x
              case l(1)
                iadd r1.x, r1.x, l(10)
                break
            endswitch
            break
          default
            iadd r1.x, r1.x, l(1)
            break
        endswitch
        iadd r1.x, r1.x, l(100)
    """)
    assert found == each(lambda n: 110 if n & 3 == 1 else 101)


def test_what_subroutines_write_in_a_loop_goes_on_to_its_next_iteration():
    """Nothing but subroutines writes r1 and r2; one of them calls the other."""
    found = run("""
        loop
          uge r0.z, r0.w, r0.x
          breakc_nz r0.z
          call label1
          iadd r0.w, r0.w, l(1)
        endloop
        ret
        label label1
          imad r2.y, r2.y, l(3), l(1)
          call label2
          call label2
        ret
        label label2
          iadd r1.x, r1.x, r2.y
        ret
    """)

    def thread(n: int) -> int:
        total = term = 0
        for _ in range(n):
            term = term * 3 + 1
            total += 2 * term
        return total

    assert found == each(thread)


def test_doubles_are_the_pairs_that_a_swizzle_names():
    """r1 and r2 hold two doubles each: 3 + n, 5 and 7, 11."""
    found = run("""
        iadd r3.x, r0.x, l(3)
        utod r1.xyzw, r3.xyxy
        utod r2.xyzw, l(7, 11, 7, 11)
        mov r1.zw, l(0, 0, 0, 0x40140000)
        dadd r3.xyzw, r1.zwxy, r2.xyzw
        dmul r4.xyzw, r3.zwxy, r3.xyxy
        dadd r4.zw, r4.xyxy, -r2.xyzw
        dtou r1.x, r4.zwzw
    """)
    # r3 is 5 + 7 and 3 + n + 11; r4 their product, less 11 in its second double.
    assert found == each(lambda n: 12 * (14 + n) - 11)
