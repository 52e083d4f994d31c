"""Does a wheel read older ruts and write its own rut correctly? One wheel on a rig over soil with a memory."""

from __future__ import annotations

import math

import numpy as np
import pytest

from simulator.base.jit import kernel
from terrain.rut_grid import SPACING, UNIT
from terrain.ruts import depth_across, new_ruts
from tests.tires.tire_rig import on_tire, place, plane, rig, run, soil
from vehicles.tires.multipass import reach
from vehicles.tires.tire import tire_step

SOFT = soil(k_phi=3e5)
HEIGHT_OF_NOWHERE = 5.0
"""m. Height at which a wheel has no contact."""


@pytest.fixture(scope="module")
def virgin():
    """Return a settled wheel with its load on undisturbed soil; tests take a copy with a memory of their own."""
    r = place(rig(ground=plane(SOFT, hardness=0.0)), load=6400.0)
    run(on_tire(r), 1e-3, 500)
    return r


@kernel
def travel(r, h, steps, seen):
    """Move the wheel with its velocity; `seen` (steps, 2) receives the rut that it reads and its sinkage."""
    k = r.wheel[0]
    for n in range(steps):
        tire_step(r.p, r.s, 0, r.ground, r.under, h, r.wheel, r.out)
        seen[n, 0], seen[n, 1] = r.out[0]["rut"], r.s.tires[0]["sinkage"]
        for j in range(3):
            k["p_WK"][j] += h * k["v_WK_W"][j]


class Wheel:
    """A wheel over a soil memory."""

    def __init__(self, like, ruts, hardness=0.0, x=0.0, y=0.0):
        self.ruts = ruts
        self.r = rig(ground=plane(SOFT, hardness=hardness)._replace(ruts=ruts))
        self.r.s.tires[:], self.r.wheel[:] = like.s.tires, like.wheel
        self.r.wheel[0]["p_WK"][:2] = x, y

    def go(self, way, speed, heading=0.0):
        """Return the rut that the wheel reads and its sinkage, in each step of 1 ms."""
        k, steps = self.r.wheel[0], round(abs(way / speed) * 1e3)
        c, s = math.cos(heading), math.sin(heading)
        k["a_W"] = -s, c, 0.0
        k["v_WK_W"], k["spin"] = (speed * c, speed * s, 0.0), speed / 0.45
        seen = np.empty((steps, 2))
        travel(on_tire(self.r), 1e-3, steps, seen)
        return seen

    def left(self, x, y=0.0):
        """Return the rut depth at a point of the x axis, over the width of the tread."""
        return depth_across(self.ruts, x, y, 0.0, 1.0, 0.5 * (self.r.p.shared[0]["width"] - SPACING))


def memory():
    return new_ruts(500, 1, 64)


@pytest.mark.parametrize("speed", [0.1, 3.0, 30.0])
def test_a_wheel_writes_its_sinkage_and_never_reads_its_own_rut(virgin, speed):
    wheel = Wheel(virgin, memory())
    seen = wheel.go(0.5 if speed < 1.0 else 4.0, speed)
    assert (seen[:, 0] == 0.0).all() and seen[:, 1].min() > 0.01
    for x in np.arange(0.1, 0.4 if speed < 1.0 else 3.8, 0.05):
        n = min(int(x / speed * 1e3), len(seen) - 1)
        around = seen[max(n - int(60 / speed), 0) : n + int(60 / speed) + 1, 1]
        assert around.min() - 5.0 * UNIT <= wheel.left(x) <= around.max() + UNIT


def test_the_second_wheel_reads_the_rut_of_the_first(virgin):
    ruts = memory()
    first = Wheel(virgin, ruts).go(3.0, 5.0)
    follower = Wheel(virgin, ruts)
    seen = follower.go(2.4, 5.0)
    assert seen[100:, 0] == pytest.approx(first[100 : len(seen), 1].mean(), abs=1e-3)
    beside = Wheel(virgin, ruts, y=0.5 * follower.r.p.shared[0]["width"]).go(2.4, 5.0)
    assert 0.3 < beside[200:, 0].mean() / seen[200:, 0].mean() < 0.7
    assert (Wheel(virgin, ruts, y=0.5).go(2.4, 5.0)[:, 0] == 0.0).all()


def test_crossing_a_rut_is_smooth_at_speed(virgin):
    """At 30 m/s a step is 3 cm: the rut that is read rises over a node or two, and no single step exceeds its fraction of the rise."""
    ruts = memory()
    deep = Wheel(virgin, ruts, x=2.0, y=-2.0).go(4.0, 5.0, heading=0.5 * math.pi)[:, 1].max()
    for speed in (3.0, 30.0):
        rut = Wheel(virgin, ruts, x=-0.5).go(4.0, speed)[:, 0]
        assert rut.max() == pytest.approx(deep, rel=0.05)
        assert np.abs(np.diff(rut)).max() <= 1.05 * deep * speed * 1e-3 / SPACING


def test_a_wheel_that_spins_in_place_reads_virgin_soil(virgin):
    wheel = Wheel(virgin, memory())
    k = wheel.r.wheel[0]
    k["spin"] = 5.0
    seen = np.empty((500, 2))
    travel(on_tire(wheel.r), 1e-3, 500, seen)
    assert (seen[:, 0] == 0.0).all() and wheel.left(0.0) == pytest.approx(seen[-1, 1], abs=3.0 * UNIT)


def test_a_wheel_that_turns_back_reads_its_own_rut(virgin):
    wheel = Wheel(virgin, memory())
    made = wheel.go(2.0, 2.0)[-1, 1]
    away = reach(wheel.r.p.shared)
    back = wheel.go(1.5, -2.0)[:, 0]
    way = 2e-3 * np.arange(len(back))
    assert (back[way < 0.2 * away] == 0.0).all() and back[way > 2.2 * away] == pytest.approx(made, rel=0.05)
    assert np.abs(np.diff(back)).max() < 0.1 * made
    assert wheel.go(0.3, 2.0)[0, 0] > 0.9 * made, "a wheel that turns once more has its rut ahead at first"


def test_hard_ground_and_the_air_store_no_rut(virgin):
    ruts = memory()
    seen = Wheel(virgin, ruts, hardness=1.0).go(2.0, 5.0)
    flying = Wheel(virgin, ruts)
    flying.r.wheel[0]["p_WK"][2] = HEIGHT_OF_NOWHERE
    flying.r.s.tires[0]["sinkage"] = 0.1
    flying.go(2.0, 5.0)
    assert ruts.state[0]["tiles"] == 0 and (seen[:, 0] == 0.0).all()


def test_landing_elsewhere_leaves_no_streak(virgin):
    wheel = Wheel(virgin, memory())
    wheel.go(0.5, 5.0)
    wheel.r.wheel[0]["p_WK"][0] = 6.0
    wheel.go(0.5, 5.0)
    assert wheel.left(0.3) > 0.01 and wheel.left(6.3) > 0.01
    assert max(wheel.left(x) for x in np.arange(0.7, 5.8, 0.05)) == 0.0


def test_without_a_memory_nothing_changes(virgin):
    """Without older ruts the soil model reads none, so both results are bit-identical up to the first older rut."""
    with_one, without = Wheel(virgin, memory()), Wheel(virgin, plane().ruts)
    assert with_one.go(1.0, 5.0).tobytes() == without.go(1.0, 5.0).tobytes()
    assert with_one.r.out.tobytes() == without.r.out.tobytes()
