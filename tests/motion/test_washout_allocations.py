"""Do the kernels of a tick allocate? Counted by numba's own runtime inside a compiled loop."""

import numba
import pytest
from cueing_scenes import STILL, engaged, hard_drive

from washout.cueing import cueing_step

pytestmark = pytest.mark.skipif(bool(numba.config.DISABLE_JIT), reason="counts allocations of compiled code")


@numba.njit(error_model="numpy")
def loop(p, s, washout_pose, forces, rate, count):
    for k in range(count):
        cueing_step(p, s, washout_pose, forces[k], rate, True)


def test_a_tick_of_cueing_allocates_nothing():
    from numba.core.runtime import _nrt_python, rtsys

    motion = engaged()
    forces = 3.0 * hard_drive(4000)
    records = motion.records
    loop(*records, forces, STILL, 1)
    _nrt_python.memsys_enable_stats()
    try:

        def allocations(count):
            before = rtsys.get_allocation_stats().mi_alloc
            loop(*records, forces, STILL, count)
            return rtsys.get_allocation_stats().mi_alloc - before

        assert allocations(4000) == allocations(1)
    finally:
        _nrt_python.memsys_disable_stats()
