"""Braking of a tractor-semitrailer on a slippery road: jackknife of the tractor, swing of the trailer, and neither of them.

The order of the axles that lock decides, as every handbook for drivers says: with locked wheels of the tractor's rear axles the tractor turns
about the kingpin, with locked wheels of the trailer nothing brings the trailer back into line, with locked front wheels the train goes straight.
"""

import math
from dataclasses import replace

import numpy as np
import pytest
from single_track_train import Axle, SingleTrackTrain, single_track

import jounce
from simulator.base.records import record
from vehicles.command import COMMAND

FRICTION, SPEED, KICK = 0.25, 20.0, 0.01
"""1, m/s, rad/s: yaw rate given to the trailer at KICKED, s, when the brakes come on."""
KICKED, LOCKING = 0.2, 40_000.0
"""N m: a torque that locks any wheel on this road."""


@pytest.fixture(scope="module")
def train():
    return jounce.load_vehicle("tractor_semitrailer", {"trailers[0].vehicle.coupling.friction": 0.0})


@pytest.fixture(scope="module")
def road(tmp_path_factory):
    surface = tmp_path_factory.mktemp("road") / "slippery.yaml"
    surface.write_text(f"type: surface\nlooks_like: snow\nfriction: {FRICTION}\n", encoding="utf-8")
    return jounce.load_ground("flat", {"surface": str(surface)})


def braked(train, road, front, drive, trailer, duration=4.0):
    """Return time [s], yaw of the joint and of the tractor [rad], and speed [m/s] (n,) of a braked drive with these torques [N m] of a wheel."""
    towed, c = train.train.trailers[0].vehicle, record(COMMAND)
    train.model.brakes[0]["max_torque"][:] = front, drive, drive
    towed.model.brakes[0]["max_torque"][:] = trailer
    train.reset(road, speed=SPEED)
    rows = []
    for n in range(round(duration / 1e-3)):
        if n == round(KICKED / 1e-3):
            c["brake"] = 1.0
            towed.space.state[0]["w_WB_B"][2] += KICK
            towed.space.state[0]["v_WB_B"][1] -= KICK * train.train.towed[0]["p_TH"][0]
        train.step(road, c, 1e-3)
        x = train.space.state[0]
        w, i, j, k = x["q_WB"]
        rows.append(
            (n * 1e-3, train.train.towing[0]["yaw"], math.atan2(2.0 * (w * k + i * j), 1.0 - 2.0 * (j * j + k * k)), x["v_WB_B"][0])
        )
    return np.array(rows).T


def with_locked(train, road, tow=(), trailer=()):
    """Return the single-track model with these axles locked."""
    train.reset(road)
    model = single_track(train)

    def unit(one, vehicle, which):
        loads = vehicle.readout[0]["F_C"][:, 2].reshape(-1, 2).sum(axis=1)
        axles: tuple[Axle, ...] = tuple(
            a.locked(FRICTION * load) if k in which else a for k, (a, load) in enumerate(zip(one.axles, loads, strict=True))
        )
        return replace(one, axles=axles)

    towed = train.train.trailers[0].vehicle
    return SingleTrackTrain(unit(model.tow, train, tow), unit(model.trailer, towed, trailer))


def test_locked_drive_axles_jackknife_the_tractor(train, road):
    """The angle grows with the unstable root of the single-track model, and the tractor turns while the trailer keeps its direction."""
    t, joint, yaw, speed = braked(train, road, 0.0, LOCKING, 0.0)
    during = (t > 1.4) & (t < 2.2)
    growth = np.polyfit(t[during], np.log(np.abs(joint[during])), 1)[0]
    root = np.linalg.eigvals(with_locked(train, road, tow=(1, 2)).matrix(float(speed[during].mean()))).real.max()
    assert growth == pytest.approx(root, rel=0.1)
    assert abs(joint[-1]) > math.radians(60.0)
    assert abs(joint[-1] + yaw[-1]) < 0.1 * abs(joint[-1])


def test_a_locked_trailer_swings_and_does_not_return(train, road):
    """A rolling trailer swings back; the locked one moves as the single-track model, without a force that would bring it back."""
    t, joint, yaw, speed = braked(train, road, 0.0, 0.0, LOCKING)
    model = with_locked(train, road, trailer=(0, 1))
    state, expected = np.zeros(4 + 5), np.zeros(len(t))
    state[2] = KICK
    for n in range(round(KICKED / 1e-3), len(t)):
        expected[n] = state[3]
        A = model.matrix(float(speed[n]))
        state = np.linalg.solve(np.eye(len(A)) - 1e-3 * A, state)
    assert joint[-1] == pytest.approx(expected[-1], rel=0.15)
    assert joint[-1] > math.radians(1.0)
    assert abs(yaw[-1]) < 0.15 * joint[-1]
    _, rolling, _, _ = braked(train, road, 0.0, 0.0, 0.0)
    assert abs(rolling[-1]) < 0.03 * joint[-1]


@pytest.mark.parametrize(("front", "drive", "trailer"), [(LOCKING, 0.0, 0.0), (1500.0, 3500.0, 3500.0)])
def test_a_train_stays_straight_with_locked_front_wheels_or_rolling_wheels(train, road, front, drive, trailer):
    _, joint, yaw, speed = braked(train, road, front, drive, trailer)
    assert speed[-1] < SPEED - 1.0
    assert abs(joint[-1]) < math.radians(0.05)
    assert abs(yaw[-1]) < math.radians(0.2)
