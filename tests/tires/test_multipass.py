"""Several wheels in one rut: soil memory and soil model together."""

from __future__ import annotations

import numpy as np
import pytest

from simulator.base.jit import kernel
from terrain.ruts import new_ruts
from tests.tires.tire_rig import on_tire, place, plane, rig, soil
from vehicles.tires.tire import tire_step

LOAD, SPEED = 6400.0, 3.0


@kernel
def tow(r, h, steps, mass, out):
    """Tow a mass (kg) on a freely rolling wheel at its speed; out (steps, 3): pull of the ground [N], sinkage, rut [m]."""
    k, o = r.wheel[0], r.out[0]
    for n in range(steps):
        tire_step(r.p, r.s, 0, r.ground, r.under, h, r.wheel, r.out)
        k["v_WK_W"][2] += h * (o["F_W"][2] / mass - 9.81)
        for j in range(3):
            k["p_WK"][j] += h * k["v_WK_W"][j]
        k["spin"] += h * o["M_W"][1] / 7.0
        out[n, 0], out[n, 1], out[n, 2] = o["F_W"][0], r.s.tires[0]["sinkage"], o["rut"]


@pytest.fixture(scope="module")
def passes():
    """Return the steady (resistance [N], sinkage, rut [m]) of four wheels one after the other."""
    ruts, found = new_ruts(500, 1, 64), []
    for _ in range(4):
        r = place(rig(ground=plane(soil(), hardness=0.0)._replace(ruts=ruts)), load=LOAD)
        r.wheel[0]["v_WK_W"], r.wheel[0]["spin"] = (SPEED, 0.0, 0.0), SPEED / 0.46
        out = np.empty((3000, 3))
        tow(on_tire(r), 1e-3, 3000, LOAD / 9.81, out)
        found.append(out[1500:2800].mean(axis=0) * (-1.0, 1.0, 1.0))
    return np.array(found)


def test_the_second_wheel_rolls_in_the_rut_of_the_first_one_for_less(passes):
    resistance, sinkage, rut = passes.T
    assert rut[0] == 0.0 and rut[1:] == pytest.approx(sinkage[:-1], abs=1e-3)
    assert resistance[1] < 0.5 * resistance[0]
    assert (np.diff(sinkage) > -1e-4).all() and sinkage[1] < 1.05 * sinkage[0]
    assert resistance[2:] == pytest.approx(resistance[1], rel=0.1)
