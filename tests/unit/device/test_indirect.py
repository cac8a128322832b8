"""DispatchIndirect: group counts out of a buffer."""

from __future__ import annotations

import numpy as np
import pytest

import softd3d
from softd3d.device.indirect import indirect_groups
from softd3d.errors import ResourceError

ENGINES = ["jit", "interpreter"]
COUNT = """
cs_5_0
dcl_globalFlags refactoringAllowed
dcl_uav_raw u0
dcl_thread_group 2, 1, 1
atomic_iadd u0, l(0), l(1)
ret
"""


def raw(*numbers: int) -> softd3d.RawBuffer:
    return softd3d.RawBuffer(np.array(numbers, np.uint32))


def test_a_plain_array_is_a_buffer():
    assert indirect_groups(np.array([9, 4, 2, 1], np.uint32), 4) == (4, 2, 1)
    with pytest.raises(ResourceError, match="found an array of float64, wanted uint32"):
        indirect_groups(np.array([4.0, 2.0, 1.0]))


@pytest.mark.parametrize("engine", ENGINES)
def test_groups_come_from_the_buffer_as_it_is_when_the_run_starts(engine):
    shader = softd3d.load(softd3d.assemble(COUNT))
    threads, arguments = raw(0), raw(99, 5, 2, 3)
    softd3d.dispatch_indirect(shader, arguments, 4, uavs={0: threads}, engine=engine)
    assert threads.array[0] == 5 * 2 * 3 * 2
    job = softd3d.Dispatch(shader, (1, 1, 1), uavs={0: threads}, engine=engine)
    threads.array[0] = 0
    job.run((3, 1, 1))
    assert threads.array[0] == 6
    arguments.array[1:] = (7, 1, 1)
    job.run_indirect(arguments, 4)
    assert threads.array[0] == 6 + 14
    job()
    assert threads.array[0] == 6 + 14 + 2


def test_a_shader_may_write_the_arguments_of_the_next():
    shader = softd3d.load(softd3d.assemble(COUNT))
    arguments = raw(0, 1, 1)
    softd3d.dispatch(shader, (4, 1, 1), uavs={0: arguments})  # 8 threads count
    threads = raw(0)
    softd3d.dispatch_indirect(shader, arguments, uavs={0: threads})
    assert threads.array[0] == 16


@pytest.mark.parametrize("numbers", [(0, 3, 3), (3, 0, 3), (3, 3, 0), (0, 1 << 31, 70000)])
def test_a_count_of_zero_does_nothing_whatever_the_others_are(numbers):
    shader = softd3d.load(softd3d.assemble(COUNT))
    threads = raw(0)
    softd3d.dispatch_indirect(shader, raw(*numbers), uavs={0: threads})
    assert threads.array[0] == 0


def test_buffers_of_any_kind():
    data = np.array([4, 2, 1], np.uint32)
    assert indirect_groups(softd3d.StructuredBuffer(data, 12)) == (4, 2, 1)
    assert indirect_groups(softd3d.TypedBuffer(data, "R32_UINT")) == (4, 2, 1)
    assert indirect_groups(raw(4, 2, 65535)) == (4, 2, 65535)


@pytest.mark.parametrize(
    ("arguments", "offset", "message"),
    [
        (raw(1, 1, 1, 1), 2, "offset: found 2, wanted a multiple of 4"),
        (raw(1, 1, 1, 1), -4, "offset: found -4, wanted a multiple of 4"),
        (raw(1, 1, 1, 1), "x", "offset: found 'x', wanted a whole number"),
        (raw(1, 1, 1, 1), 8, "bytes 8 to 19 are not all in the buffer, which has 16"),
        (raw(1, 1, 1, 1), 1 << 40, "are not all in the buffer, which has 16"),
        (raw(1, 1), 0, "bytes 0 to 11 are not all in the buffer, which has 8"),
        (raw(1, 65536, 1), 0, r"found \(1, 65536, 1\) groups, each may be 0 to 65535"),
        (raw(0xFFFFFFFF, 1, 1), 0, r"found \(4294967295, 1, 1\) groups"),
        ([1, 1, 1], 0, "arguments: found list, wanted an array, or a buffer"),
        (softd3d.Texture1D(np.ones(8, np.uint32), "R32_UINT"), 0, "found a texture"),
    ],
)
def test_what_direct3d_leaves_undefined_is_an_error(arguments, offset, message):
    with pytest.raises(ResourceError, match=message):
        indirect_groups(arguments, offset)
