"""Is a step repeatable to the last bit, free of memory allocations, and does its error decrease with its length?"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from simulator.base.records import Record
from tests.laws.vehicle_rig import command, drive, ground, image, led, standing
from vehicles.vehicle import Vehicle

ROOT = Path(__file__).parents[2]

MANEUVER = ((1.0, 0.0, 0.0), (0.6, 0.3, 0.0), (0.0, -0.2, 0.0), (0.0, 0.1, 0.5))
"""Throttle, steering and brake, half a second each."""


def maneuver(v: Vehicle, on: str, h: float = 1e-3) -> Vehicle:
    for throttle, steering, brake in MANEUVER:
        drive(v, on, command(selector=1, throttle=throttle, steering=steering, brake=brake), 0.5, h)
    return v


@pytest.mark.parametrize("on", ["flat", "dry_sand 10"])
def test_same_drive_same_bits(on: str) -> None:
    first, second = (maneuver(standing("hmmwv", on, gear=1), on) for _ in range(2))
    assert image(first) == image(second)
    first.reset(ground(on), gear=1)
    assert image(maneuver(first, on)) == image(second)


def test_reading_the_vehicle_does_not_move_it() -> None:
    one, other = standing("hmmwv", "flat", gear=1), standing("hmmwv", "flat", gear=1)
    c = command(selector=1, throttle=1.0, steering=0.2)
    for _ in range(50):
        drive(one, "flat", c, 0.01)
        one.read(c)
        drive(other, "flat", c, 0.01)
    assert image(one, shown=False) == image(other, shown=False)


@pytest.mark.parametrize("on", ["flat", "clayey_loam 0"])
def test_differences_shrink_with_the_step(on: str) -> None:
    """First order: half the step, about half the difference to the next finer one, in position, attitude, speed and suspension."""

    def end(h: float) -> Record:
        v = led(standing("hmmwv", on, gear=1))  # dry friction of the steering gear sticks and slips at instants that the step rounds
        x = v.space.state[0]
        x["v_WB_B"][0], x["wheel_spin"] = 8.0, 8.0 / 0.468
        for throttle, steering in ((0.0, 0.0), (0.0, 0.2), (0.0, -0.2)):
            drive(v, on, command(throttle=throttle, steering=steering), 0.4, h)
        return v.space.state.copy()

    ends = [end(h) for h in (2e-3, 1e-3, 5e-4, 2.5e-4, 1.25e-4)]
    for name, largest in (("p_WB", 2e-3), ("q_WB", 1e-3), ("v_WB_B", 5e-3), ("theta", 1e-3)):
        change = [float(np.abs(a[0][name] - b[0][name]).max()) for a, b in pairwise(ends)]
        assert change[1] < largest, name
        assert change[0] > change[1] > change[2] > change[3], name
        assert 1.6 < change[2] / change[3] < 2.6, (name, change)


ALLOCATIONS = """
import numba
from numba.core.runtime import rtsys
import numpy as np
from simulator.base.jit import kernel
from simulator.base.records import record
from tests.laws.vehicle_rig import command, ground, standing, steps
from tests.laws.free_motion import free_motion, runge_kutta_step
from vehicles.fill_readout import read_vehicle

@kernel
def read_often(n, m, s, out):
    for _ in range(n):
        read_vehicle(m, s, out)

@kernel
def integrate_often(n, m):
    for _ in range(n):
        runge_kutta_step(m, 1e-4)

@numba.njit
def wasteful(n):
    total = 0.0
    for i in range(n):
        total += np.full(3, float(i)).sum()
    return total

def allocations(call):
    '''Of 2000 rounds more in one call; the call itself makes some for its arguments.'''
    counts = []
    for n in (2, 2000, 4000):
        call(n)
        counts.append(rtsys.get_allocation_stats().alloc)
    return counts[2] - 2 * counts[1] + counts[0]

assert allocations(wasteful) >= 1000, "the count does not work"
free = free_motion(standing("hmmwv", "flat").description.mechanism, 9.80665)
assert allocations(lambda n: integrate_often(n, free)) == 0
for on in ("flat", "slope", "dry_sand 10"):
    v = standing("hmmwv", on, gear=1)
    c = command(selector=1, throttle=0.7, steering=0.2)
    found = allocations(lambda n: steps(n, v.model, v.space, ground(on), c, 1e-3))
    assert found == 0, f"{found} in the step on {on}"
    found = allocations(lambda n: read_often(n, v.model, v.space, v.readout))
    assert found == 0, f"{found} in the readout"
"""


FALL = """
import json, sys
import numpy as np
from simulator.builder.builder import build_vehicle
from tests.laws.free_vehicle import MODEL, tumbling
from tests.laws.vehicle_rig import command, ground
from vehicles.drivetrain.drivetrain import drivetrain_reset
from tests.laws.free_motion import runge_kutta_step

v = build_vehicle(sys.argv[1])
v.place(np.array([1.0, 2.0, 0.55]), 0.05, -0.03, 0.4)
x = v.space.state[0]
x["v_WB_B"], x["wheel_spin"] = [5.0, 0.3, 0.0], 10.0
drivetrain_reset(v.model.drivetrain, v.space.drivetrain, x["wheel_spin"], 1)
for n in range(40):
    v.step(ground("dry_sand 10"), command(selector=1, throttle=0.5, steering=0.3, brake=0.2 * (n > 20)), 1e-3)
v.read()
m = tumbling(MODEL)
for _ in range(10):
    runge_kutta_step(m, 1e-3)
names = [name for name in x.dtype.names]
print(json.dumps([np.concatenate([np.ravel(s[0][n]) for n in names]).tolist() for s in (v.space.state, m.state)]))
"""


def test_the_step_is_the_same_without_the_compiler(tmp_path: Path) -> None:
    """Plain Python runs the same equations: a body that falls onto soil, drives and brakes, and a free body."""
    script = tmp_path / "fall.py"
    script.write_text(FALL, encoding="utf-8")
    car = tmp_path / "car.yaml"  # the tie-rod adjustment is slow in plain Python
    car.write_text("base: hmmwv\naxles: {front: {alignment: null}, rear: {alignment: null}}\n", encoding="utf-8")
    ends = []
    for off in ("0", "1"):
        environment = os.environ | {"NUMBA_DISABLE_JIT": off, "PYTHONPATH": str(ROOT)}
        done = subprocess.run(
            [sys.executable, "-W", "ignore", str(script), str(car)], cwd=ROOT, env=environment, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stderr
        ends.append([np.array(state) for state in json.loads(done.stdout)])
    for compiled, plain in zip(*ends, strict=True):
        assert np.isfinite(compiled).all()
        assert plain == pytest.approx(compiled, rel=1e-9, abs=1e-9)


def test_a_step_allocates_no_memory(tmp_path: Path) -> None:
    script = tmp_path / "count.py"
    script.write_text(ALLOCATIONS, encoding="utf-8")
    environment = os.environ | {"NUMBA_NRT_STATS": "1", "PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        [sys.executable, "-W", "ignore", str(script)], cwd=ROOT, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
