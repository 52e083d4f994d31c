"""Do cruise control and speed limiter keep speed and gap, and give way to the driver?"""

from __future__ import annotations

import math

import numpy as np
import pytest

import jounce
from simulator.base.errors import ConfigError
from simulator.event_effects.contract import Controlled
from simulator.event_effects.kinds import COMMANDS, check
from simulator.events.event import Event, Origin
from tests.assistance.cases import KPH, Cruise, world

ACC = {"acc": {"on": True, "speed_kph": 80}}


class Foot:
    """Person with pedals that are functions of the time."""

    def __init__(self, throttle=lambda t: 0.0, brake=lambda t: 0.0):
        self.throttle, self.brake = throttle, brake

    def read(self, t, readout, command):
        command[0]["selector"], command[0]["steering"] = 1, 0.0
        command[0]["throttle"], command[0]["brake"] = self.throttle(t), self.brake(t)


def speeds(sim):
    return np.asarray(sim.log["v_WB_B_x"])


def test_it_reaches_the_set_speed():
    sim = world(Foot(), 60 * KPH, assistance=ACC)
    sim.advance(20.0)
    assert speeds(sim)[-1] == pytest.approx(80 * KPH, abs=0.5)
    assert speeds(sim).max() < 82 * KPH and np.asarray(sim.log["a_WB_B_x"])[50:].max() < 2.0


@pytest.mark.parametrize("time_gap", [1.0, 2.0])
def test_it_keeps_the_time_gap_of_the_intelligent_driver_model(time_gap):
    lead = {"name": "lead", "vehicle": "sedan", "position": [45.0, 0.0], "speed": 15.0, "driver": Cruise(15.0)}
    sim = world(Foot(), 15.0, [lead], assistance={"acc": {"on": True, "speed_kph": 80, "time_gap_s": time_gap}})
    sim.advance(30.0)
    gap = float(np.asarray(sim.log["assistance_gap"])[-1])
    assert gap == pytest.approx((3.0 + 15.0 * time_gap) / math.sqrt(1.0 - (15.0 / (80 * KPH)) ** 4), rel=0.05)
    assert speeds(sim)[-1] == pytest.approx(15.0, abs=0.3)


def test_it_stops_behind_a_leader_and_follows_again():
    lead = {"name": "lead", "vehicle": "sedan", "position": [30.0, 0.0], "speed": 12.0, "driver": Stops(12.0, 3.0, 2.5, 17.0)}
    sim = world(Foot(), 12.0, [lead], assistance={**ACC, "aeb": {}})
    sim.advance(16.5)
    assert not sim.collisions and abs(speeds(sim)[-1]) < 0.1
    assert 2.0 < float(np.asarray(sim.log["assistance_gap"])[-1]) < 5.0
    sim.advance(8.0)
    assert speeds(sim)[-1] > 4.0
    assert not [one for one in sim.assistance.occurrences if one["system"] == "aeb" and "braking" in one["state"]]


class Stops(Cruise):
    """Driver who brakes to rest, and drives on at a time."""

    def __init__(self, speed, brakes_at, deceleration, again):
        super().__init__(speed, brakes_at, deceleration)
        self.again = again

    def read(self, t, readout, command):
        if t > self.again:
            self.brakes_at = math.inf
        super().read(t, readout, command)


def test_the_brake_turns_it_off_and_the_throttle_overrides_it():
    sim = world(Foot(throttle=lambda t: 0.8 * (5.0 < t < 9.0), brake=lambda t: 0.2 * (12.0 < t < 12.5)), 80 * KPH, assistance=ACC)
    sim.advance(8.9)
    assert sim.assistance.acc.on and sim.assistance.acc.overridden and speeds(sim)[-1] > 84 * KPH
    sim.advance(3.0)
    assert sim.assistance.acc.on and not sim.assistance.acc.overridden
    sim.advance(2.0)
    assert not sim.assistance.acc.on
    command = sim.session.command[0]
    assert command["throttle"] == 0.0 and command["brake"] == 0.0


def test_switching_it_makes_no_step_of_the_pedals():
    sim = world(Foot(throttle=lambda t: 0.25), 70 * KPH, assistance={"acc": {}})
    sim.advance(1.0)
    assert sim.assistance.switch("acc") and math.isnan(sim.assistance.acc.speed)
    sim.advance(3.0)
    assert sim.assistance.acc.speed == pytest.approx(speeds(sim)[100], abs=0.2)
    sim.assistance.set_speed(90 * KPH)
    sim.advance(3.0)
    sim.assistance.switch("acc", False)
    sim.advance(1.0)
    assert np.abs(np.diff(sim.log["command_throttle"]))[5:].max() < 0.03
    with pytest.raises(ConfigError, match="limiter"):
        sim.assistance.switch("limiter")


def test_the_limiter_holds_the_speed_until_a_kick_down():
    throttle = lambda t: 0.0 if 20.0 < t < 20.5 else 1.0 if t > 20.5 else 0.6  # noqa: E731
    sim = world(Foot(throttle=throttle), 50 * KPH, assistance={"limiter": {"on": True, "speed_kph": 60}})
    sim.advance(20.0)
    assert speeds(sim).max() < 61.5 * KPH and speeds(sim)[-1] == pytest.approx(60 * KPH, abs=0.3)
    sim.advance(4.0)
    assert speeds(sim)[-1] > 63 * KPH


def test_held_full_throttle_is_no_kick_down():
    sim = world(Foot(throttle=lambda t: 1.0), 40 * KPH, assistance={"limiter": {"on": True, "speed_kph": 60}})
    sim.advance(12.0)
    assert speeds(sim).max() < 62 * KPH


def test_a_maneuver_leaves_the_pedals_to_the_cruise_control():
    sim = jounce.Simulation(maneuver="avtp_lane_change", platform=None, assistance={"acc": {"on": True, "speed_kph": 40}})
    sim.advance(8.0)
    assert speeds(sim)[-1] < 45 * KPH


class Drive(Controlled):
    """What events act on, without a window."""

    def __init__(self, session):
        self.session = session


def test_events_switch_it_and_are_recorded_with_what_they_led_to():
    sim = world(Foot(), 70 * KPH, assistance={"acc": {}})
    drive = Drive(sim.session)
    check(Event("set_speed", {"speed_kph": 62}, Origin.SCRIPT))
    assert COMMANDS["acc"].act(drive, None) == ("acc", True)
    COMMANDS["set_speed"].act(drive, {"speed_kph": 62})
    assert COMMANDS["set_speed_up"].act(drive, None).value == {"speed_mps": pytest.approx(65 * KPH)}
    assert COMMANDS["set_speed_down"].act(drive, None).value == {"speed_mps": pytest.approx(60 * KPH)}
    COMMANDS["time_gap"].act(drive, 1.2)
    assert sim.assistance.acc.time_gap == 1.2 and sim.assistance.acc.speed == pytest.approx(60 * KPH)
    for kind, value in (("limiter", None), ("time_gap", 0.2), ("set_speed", {"speed_kph": 900})):
        with pytest.raises(ConfigError):
            check(Event(kind, value, Origin.SCRIPT))
            COMMANDS[kind].act(drive, value)
    plain = Drive(world(Foot(), 10.0, assistance={}).session)
    with pytest.raises(ConfigError, match="acc"):
        COMMANDS["acc"].act(plain, True)
