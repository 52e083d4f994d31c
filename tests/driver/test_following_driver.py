"""Does the driver `follow` keep the published gaps, follow the track of its leader, and stop behind it?"""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np
import pytest

import jounce
from simulator.base.errors import ConfigError
from simulator.base.records import record
from simulator.driver.contract import driver_parameters
from simulator.driver.following_driver import KIND, Track
from simulator.traffic.car_following import plain_following_acceleration


def parameters(**given):
    return driver_parameters(KIND, given, "test")[0]


@pytest.mark.parametrize("speed", [0.0, 5.0, 15.0, 25.0])
def test_the_acceleration_vanishes_at_the_published_gap(speed):
    """Treiber, Hennecke and Helbing 2000, equation 5: s_e(v) = (s_0 + v T) / sqrt(1 - (v / v_0)^4)."""
    p = parameters(time_gap=1.6, standstill_gap=2.0, max_speed=33.3, acceleration=0.73, deceleration=1.67)
    gap = (2.0 + 1.6 * speed) / math.sqrt(1.0 - (speed / 33.3) ** 4)
    assert plain_following_acceleration(p[0], speed, gap, speed) == pytest.approx(0.0, abs=1e-12)
    assert plain_following_acceleration(p[0], speed, 0.9 * gap, speed) < 0.0 < plain_following_acceleration(p[0], speed, 1.1 * gap, speed)


def test_a_free_road_and_an_emergency():
    p = parameters()
    assert plain_following_acceleration(p[0], 0.0, math.inf, 0.0) == pytest.approx(1.5)
    assert plain_following_acceleration(p[0], 30.0, math.inf, 0.0) == pytest.approx(0.0)
    assert plain_following_acceleration(p[0], 20.0, 30.0, 0.0) < -9.0


def test_a_track_leads_around_a_corner():
    track = Track()
    for n in range(41):
        track.extend(min(0.5 * n, 10.0), max(0.0, 0.5 * n - 10.0))
    assert track.ahead(0.0, 0.0, 4.0) == (4.0, 0.0)
    assert track.ahead(8.0, 0.5, 4.0) == (10.0, 4.0)
    assert track.ahead(10.0, 9.5, 4.0) is None


class Leader:
    """Winds along at 8 m/s, then brakes."""

    def read(self, t, readout, command):
        goes = t < 22.0
        command[0]["selector"], command[0]["steering"] = 1, 0.06 * math.sin(0.3 * t)
        command[0]["throttle"] = min(max(0.25 + 0.3 * (8.0 - readout[0]["v_WB_B"][0]), 0.0), 1.0) if goes else 0.0
        command[0]["brake"] = 0.0 if goes else 0.6


def gaps(sim):
    seen = {one.name: one for one in sim.session.others.seen()}
    order = [seen[name] for name in ("first", "a", "b")]
    return [math.dist((p.x, p.y), (q.x, q.y)) - q.front - p.rear for p, q in pairwise(order)]


def test_a_convoy_keeps_its_gaps_in_the_track_of_the_leader_and_stops():
    others = [
        {"name": "a", "vehicle": "sedan", "position": [-9, 0], "driver": {"type": "follow", "vehicle": "first", "time_gap": 1.2}},
        {"name": "b", "position": [-18, 0], "driver": {"type": "follow", "time_gap": 1.2}},
    ]
    sim = jounce.Simulation("hmmwv", "flat", platform=None, driver=Leader(), others=others)
    track = []
    for _ in range(220):
        sim.advance(0.1)
        track.append(sim.vehicle.space.state[0]["p_WB"][:2].copy())
    assert sim.others["b"].seat.driver._leader_name == "a", "the nearest vehicle ahead"
    published = (2.0 + 1.2 * 8.0) / math.sqrt(1.0 - (8.0 / 30.0) ** 4)
    assert gaps(sim) == pytest.approx([published, published], rel=0.06)
    for one in sim.others.values():
        away = np.linalg.norm(np.array(track) - one.vehicle.space.state[0]["p_WB"][:2], axis=1).min()
        assert away < 0.5
    sim.advance(14.0)
    assert all(abs(one.vehicle.speed) < 0.3 for one in sim.others.values())
    assert all(1.0 < gap < 4.0 for gap in gaps(sim))
    assert not sim.session.others.collisions and not sim.collisions


def test_a_driver_without_a_leader_waits_with_the_brake():
    sim = jounce.Simulation("hmmwv", "flat", platform=None, others=[{"position": [40, 30], "heading_deg": 90, "driver": "follow"}])
    sim.command(throttle=0.3)
    sim.advance(3.0)
    (other,) = sim.others.values()
    assert abs(other.vehicle.speed) < 0.01 and other.command[0]["brake"] > 0.1


def test_a_driver_takes_another_leader_when_its_own_leaves_the_world():
    others = [
        {"name": "near", "position": [15, 0]},
        {"name": "far", "position": [60, 0]},
    ]
    sim = jounce.Simulation("sedan", "flat", platform=None, others=others, driver="follow")
    sim.advance(1.0)
    assert sim.session.driver._leader_name == "near"
    sim.remove_vehicle("near")
    sim.advance(3.0)
    assert sim.session.driver._leader_name == "far" and sim.vehicle.speed > 1.0


def test_the_first_vehicle_may_follow_too():
    sim = jounce.Simulation(
        "hmmwv",
        "flat",
        platform=None,
        driver="follow",
        others=[{"name": "lead", "position": [15, 0], "driver": lambda t, r: {"throttle": 0.3}}],
    )
    sim.advance(6.0)
    assert sim.vehicle.speed > 1.0 and not sim.collisions


def test_the_name_of_the_first_vehicle_is_taken():
    with pytest.raises(ConfigError, match="first"):
        jounce.Simulation("hmmwv", "flat", platform=None, others=[{"name": "first", "position": [15, 0]}])


def test_a_readout_that_is_not_finite_changes_nothing():
    from vehicles.command import COMMAND
    from vehicles.readout import READOUT

    sim = jounce.Simulation("hmmwv", "flat", platform=None, driver="follow")
    readout, command = record(READOUT), record(COMMAND)
    readout[0]["p_WB"][0], command[0]["throttle"] = np.nan, 0.4
    sim.session.driver.read(0.0, readout, command)
    assert command[0]["throttle"] == 0.4
