"""Does the emergency braking avoid the collisions of the Euro NCAP cases, and does the driver keep the last word?"""

from __future__ import annotations

import numpy as np
import pytest

from simulator.assistance.emergency_braking import PRESS_RATE
from tests.assistance.cases import KPH, Cruise, column, crossing, drive, sidestep, world

TARGET = {"name": "target", "vehicle": "sedan"}


def stationary(v):
    return Cruise(v * KPH), v * KPH, [{**TARGET, "position": [25.0 + 4.0 * v * KPH, 0.0]}], [], 12.0


def moving(v):
    return (
        Cruise(v * KPH),
        v * KPH,
        [{**TARGET, "position": [20 + 4 * (v - 20) * KPH, 0], "speed": 20 * KPH, "driver": Cruise(20 * KPH)}],
        [],
        8.0,
    )


def braking(headway, deceleration):
    lead = {**TARGET, "position": [headway + 4.6, 0.0], "speed": 50 * KPH, "driver": Cruise(50 * KPH, 1.0, deceleration)}
    return Cruise(50 * KPH), 50 * KPH, [lead], [], 12.0


def person(v, walk, from_right, share):
    return Cruise(v * KPH), v * KPH, [], [crossing(4.0 * v * KPH + 2.2, v * KPH, walk * KPH, from_right, share)], 8.0


def cut_in(v, w, time):
    ahead = 4.6 + (v - w) * KPH * (time + 2.0)
    lead = {**TARGET, "position": [ahead, 3.5], "speed": w * KPH, "driver": Cruise(w * KPH, sideways=sidestep(1.0, 3.0, -3.5))}
    return Cruise(v * KPH), v * KPH, [lead], [], 8.0


CASES = {
    "stationary car, 20 km/h": stationary(20),
    "stationary car, 50 km/h": stationary(50),
    "stationary car, 80 km/h": stationary(80),
    "car at 20 km/h, 50 km/h": moving(50),
    "car at 20 km/h, 80 km/h": moving(80),
    "braking car, 12 m, 2 m/s2": braking(12, 2),
    "braking car, 12 m, 6 m/s2": braking(12, 6),
    "braking car, 40 m, 6 m/s2": braking(40, 6),
    "running adult from the left, 50 %, 50 km/h": person(50, 8, False, 0.5),
    "walking adult from the right, 25 %, 40 km/h": person(40, 5, True, 0.25),
    "walking adult from the right, 75 %, 60 km/h": person(60, 5, True, 0.75),
    "cut-in, 50 and 10 km/h, 1.5 s": cut_in(50, 10, 1.5),
    "cut-in, 120 and 70 km/h, 1.5 s": cut_in(120, 70, 1.5),
}


@pytest.mark.parametrize("name", CASES)
def test_the_collision_is_avoided(name):
    driver, speed, others, objects, seconds = CASES[name]
    others = [{**one, **({"driver": remade(one["driver"])} if "driver" in one else {})} for one in others]
    sim = world(remade(driver), speed, others, objects)
    found = drive(sim, seconds)
    assert not sim.collisions and found["lowest"] < 0.75 * speed, found
    assert found["states"][:2] == ["warning", "partial braking"], found["states"]


def remade(one):
    """Return a driver in its first state."""
    return Cruise(one.speed, one.brakes_at, one.deceleration, one.sideways)


@pytest.mark.parametrize("name", ["stationary car, 50 km/h", "running adult from the left, 50 %, 50 km/h"])
def test_without_it_the_car_collides(name):
    driver, speed, others, objects, seconds = CASES[name]
    found = drive(world(remade(driver), speed, others, objects, assistance={}), seconds)
    assert found["impact"] > 0.9 * speed and found["states"] == []


@pytest.mark.parametrize("vehicle", ["hmmwv", "light_truck"])
def test_a_car_without_anti_lock_brakes_stops_without_locked_wheels(vehicle):
    driver, speed, others, objects, seconds = CASES["stationary car, 80 km/h"]
    sim = world(remade(driver), speed, others, objects, vehicle=vehicle)
    drive(sim, seconds)
    assert not sim.collisions
    slip = np.column_stack([sim.log[f"slip_ratio_{wheel}"] for wheel in ("FL", "FR", "RL", "RR")])
    assert slip[sim.log["v_WB_B_x"] > 6.0].min() > -0.3


@pytest.mark.parametrize("speed", [30, 50, 80])
def test_the_warning_comes_at_least_800_ms_before_the_braking(speed):
    """UN Regulation 152, 6.4 and 5.2.1.2; braking does not begin earlier than 3 s before the collision (Regulation 131, 6.4)."""
    driver, v, others, objects, seconds = stationary(speed)
    sim = world(driver, v, others, objects)
    drive(sim, seconds)
    warning, partial = sim.assistance.occurrences[:2]
    assert partial["time_s"] - warning["time_s"] >= 0.8
    assert partial["collision_time_s"] <= 3.0


class Person:
    """Driver who keeps the throttle until a time after the braking has begun, and then acts: a mapping from (t, brake begins) to the parts."""

    def __init__(self, act, throttle=0.2):
        self.act, self.throttle, self.sim, self.begin = act, throttle, None, None

    def read(self, t, readout, command):
        c = command[0]
        c["selector"], c["steering"], c["throttle"], c["brake"] = 1, 0.0, self.throttle, 0.0
        if self.begin is None and self.sim is not None and self.sim.assistance.aeb.brakes:
            self.begin = t
        if self.begin is not None:
            for name, value in self.act(t - self.begin).items():
                c[name] = value


def braked_by(act, speed=60, seconds=8.0, throttle=0.2, until_rest=True):
    """Return the simulation of a person who drives towards a standing car, and the result."""
    who = Person(act, throttle)
    sim = world(who, speed * KPH, [{**TARGET, "position": [30.0 + 2.5 * speed * KPH, 0.0]}])
    who.sim = sim
    return sim, drive(sim, seconds, until_rest)


def test_an_inattentive_person_is_stopped_and_held():
    sim, found = braked_by(lambda t: {}, seconds=9.0, until_rest=False)
    assert not sim.collisions and found["states"][-1] == "hold"
    assert abs(float(sim.session.readout[0]["v_WB_B"][0])) < 0.05
    assert sim.session.command[0]["throttle"] == 0.0


def test_full_throttle_that_was_pressed_before_the_warning_does_not_override():
    sim, found = braked_by(lambda t: {}, speed=60, throttle=1.0)
    assert not sim.collisions and "overridden" not in found["states"]


@pytest.mark.parametrize(
    ("act", "name"),
    [
        (lambda t: {"throttle": 1.0 if t > 0.4 else 0.2}, "kick-down"),
        (lambda t: {"steering": min(0.25, max(0.0, 0.8 * (t - 0.2)))}, "fast steering"),
    ],
)
def test_the_driver_overrides_at_once(act, name):
    sim, found = braked_by(act, seconds=5.0, until_rest=False)
    assert "overridden" in found["states"], name
    at = next(one["time_s"] for one in sim.assistance.occurrences if one["state"] == "overridden")
    t, brake = np.asarray(sim.log["time"]), np.asarray(sim.log["command_brake"])
    assert brake[(t > at + 0.5) & (t < at + 1.0)].max() == 0.0
    assert brake[t > at + 0.02].max() < brake[t <= at + 0.02].max()
    assert (column(sim, "aeb_brake")[t > at + 0.02] == 0.0).all()


def test_the_stronger_brake_counts_and_ends_the_intervention():
    sim, found = braked_by(lambda t: {"throttle": 0.0, "brake": min(0.9, 4.0 * max(t - 0.2, 0.0))}, seconds=6.0)
    assert not sim.collisions and "overridden" not in found["states"]
    assert (np.asarray(sim.log["command_brake"]) >= column(sim, "driver_brake") - 1e-12).all()
    k = np.flatnonzero(column(sim, "driver_brake") > 0.85)[0]
    assert sim.log["command_brake"][k] == column(sim, "driver_brake")[k] and column(sim, "aeb_stage")[k] == 1


def test_the_held_car_starts_again_when_the_driver_presses_the_throttle():
    _, found = braked_by(lambda t: {"throttle": 0.0 if t < 4.0 else 0.3}, seconds=9.0, until_rest=False)
    assert found["states"][:4] == ["warning", "partial braking", "full braking", "hold"][: len(found["states"][:4])]
    after = found["states"][found["states"].index("hold") + 1 :]
    assert after[0] == "overridden"


def test_a_driver_who_fights_it_makes_no_step_of_the_brake():
    """Throttle fully pressed and released, brake and steering in turn, four times a second."""

    def fight(t):
        k = int(t / 0.125) % 4
        return {"throttle": float(k == 0), "brake": 0.3 * (k == 2), "steering": 0.02 * (k == 3)}

    sim, found = braked_by(fight, seconds=6.0, until_rest=False)
    brake, driver = np.asarray(sim.log["command_brake"]), column(sim, "driver_brake")
    own = np.maximum(np.abs(np.diff(driver)), 1e-9) < 1e-6  # while the driver's own brake does not step
    assert np.abs(np.diff(brake))[own].max() <= max(PRESS_RATE, 1.0 / 0.4) * 0.01 + 1e-9
    assert found["states"].count("full braking") <= 2 and found["states"].count("overridden") <= 2
    assert np.isfinite(np.asarray(sim.log["f_H_B_x"])).all()


def test_the_head_feels_no_more_jerk_than_in_a_hard_stop_of_a_person():
    """A person who presses the brake in 0.2 s from the same speed."""
    sim, _ = braked_by(lambda t: {})
    own = Person(lambda t: {"throttle": 0.0, "brake": min(0.6, 3.0 * t)})
    alone = world(own, 60 * KPH, assistance={})
    own.begin = 1.0
    drive(alone, 8.0)
    force = [np.asarray(one.log["f_H_B_x"])[20:][np.asarray(one.log["v_WB_B_x"])[20:] > 0.5] for one in (sim, alone)]
    braked, stopped = (float(np.abs(np.diff(one)).max()) for one in force)
    assert 0.1 < braked <= stopped
