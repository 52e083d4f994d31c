"""Does the phase driver apply every channel of the file, and does every phase end as specified?"""

from __future__ import annotations

import copy
import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import yaml
from bicycle import KNOWN, Bicycle, drive

from simulator.base.errors import ConfigError
from simulator.driver.gear_shifting import ShiftPoints
from simulator.maneuvers.maneuver_file import load_maneuver
from simulator.maneuvers.phase_driver import DONE
from tests.maneuvers.shipped import changed

CONFIGS = Path(__file__).parents[2] / "configs"
HEAD = {"name": "mine", "vehicle": "hmmwv", "terrain": "flat", "duration_s": 60, "body": {"length_m": 4.6, "width_m": 2.2, "front_m": 2.3}}
TRAITS = KNOWN


def maneuver(phases, **more):
    return load_maneuver(HEAD | {"phases": phases} | more, "m.yaml")


def driven(phases, duration, plant=None, **more):
    """(plant, driver, columns by name) of a drive."""
    plant = plant or Bicycle()
    driver = maneuver(phases, **more).driver((plant.x, plant.y, plant.yaw), TRAITS)
    rows = []

    def log():
        command, now = plant.command[0], driver._logged[0]
        rows.append((plant.t, plant.u, plant.x, plant.y, command["steering"], command["throttle"], command["brake"], int(now["phase"])))

    # the tires of the plant know no steering wheel: its angle is what was asked for
    def angles():
        plant.readout[0]["steering_wheel_angle"] = TRAITS.steering_wheel_lock * plant.command[0]["steering"]
        log()

    drive(plant, driver, duration, publish=angles)
    names = ("t", "speed", "x", "y", "steering", "throttle", "brake", "phase")
    return plant, driver, dict(zip(names, np.array(rows, dtype=float).T, strict=True))


def wheel(run):
    """Steering-wheel angle [deg] over time."""
    return np.degrees(run["steering"] * TRAITS.steering_wheel_lock)


def test_one_phase_after_the_other():
    phases = [
        {"name": "go", "throttle": 0.5, "until": {"when": "speed", "above_kph": 36}},
        {"name": "turn", "throttle": 0, "steering_deg": 90, "lasts_s": 2},
        {"name": "stop", "brake": 0.4, "until": {"when": "speed", "below_kph": 1}},
    ]
    _, driver, run = driven(phases, 12.0)
    turn, stop = (int(np.flatnonzero(run["phase"] == n)[0]) for n in (1, 2))
    assert run["speed"][turn - 11] < 10.0 <= run["speed"][turn] + 0.02
    assert run["t"][stop] - run["t"][turn] == pytest.approx(2.0, abs=0.011)
    assert (run["throttle"][:turn] == 0.5).all() and (run["throttle"][turn:] == 0.0).all()
    np.testing.assert_allclose(wheel(run)[turn + 10 : stop], 90.0)
    assert driver.ended == DONE and run["phase"][-1] == -1
    # what the last phase does not name goes on: the wheel stays where it is
    np.testing.assert_allclose(wheel(run)[stop : stop + 100], 90.0)


def test_the_steering_wheel_is_let_go_and_taken_again():
    """Where it has gone to meanwhile; a torque is given only while nobody holds it."""
    driver = maneuver(
        [
            {"name": "turn", "steering_deg": 60, "throttle": 0.2, "lasts_s": 0.5},
            {"name": "release", "steering_torque": {"type": "ramp", "to_Nm": 2, "rate": 10}, "lasts_s": 0.5},
            {"name": "hold", "steering": {"type": "hold"}, "lasts_s": 0.5},
        ]
    ).driver((0.0, 0.0, 0.0), TRAITS)
    plant = Bicycle()
    seen = []
    for n in range(140):
        plant.readout[0]["steering_wheel_angle"] = math.radians(60.0 - 0.5 * max(n - 50, 0))
        driver.read(0.01 * n, plant.readout, plant.command)
        seen.append([plant.command[0][name] for name in ("steering_free", "steering_torque", "steering")])
    free, torque, steering = np.array(seen, dtype=float).T
    assert (free[:50] == 0.0).all() and (free[52:99] == 1.0).all() and (free[102:] == 0.0).all()
    assert torque[75:99] == pytest.approx(2.0) and (torque[102:] == 0.0).all()
    assert math.degrees(steering[102] * TRAITS.steering_wheel_lock) == pytest.approx(35.0, abs=1.0)
    assert np.ptp(steering[102:]) == 0.0


def test_phases_may_end_at_one_look():
    phases = [{"name": name, "steering_deg": n, "until": {"when": "run_time", "above_s": 1}} for n, name in enumerate("abc")]
    _, driver, run = driven([*phases, {"name": "d", "lasts_s": 1}], 3.0)
    assert set(run["phase"]) == {0, 3, -1} and driver.ended == DONE


def test_a_profile_ends_its_phase_and_the_channel_holds():
    phases = [
        {"name": "steer", "steering": {"type": "ramp", "to_deg": 60, "rate_degps": 30}},
        {"name": "back", "steering": {"type": "ramp", "to_deg": 0, "rate_degps": 60}},
        {"name": "wait", "lasts_s": 1},
    ]
    _, _, run = driven(phases, 4.5)
    begins = [float(run["t"][np.flatnonzero(run["phase"] == n)[0]]) for n in (1, 2)]
    assert begins == pytest.approx([2.0, 3.0], abs=0.03)
    assert wheel(run).max() == pytest.approx(60.0)


def test_road_wheel_angle_goes_by_the_steering_ratio():
    _, _, run = driven([{"name": "turn", "road_wheel_deg": 5, "lasts_s": 1}], 1.0)
    assert run["steering"][-1] == pytest.approx(math.radians(5) / 0.487)
    assert TRAITS.steering_for(math.radians(80)) == 1.0


def test_a_speed_is_kept_until_a_pedal_is_named():
    phases = [
        {"name": "keep", "speed_kph": 50, "lasts_s": 15},
        {"name": "turn", "steering_deg": 20, "lasts_s": 3},
        {"name": "coast", "throttle": 0, "lasts_s": 3},
        {"name": "again", "speed": {"type": "hold"}, "lasts_s": 3},
    ]
    _, _, run = driven(phases, 24.0)
    at = {n: np.flatnonzero(run["phase"] == n) for n in range(4)}
    assert run["speed"][at[0][-1]] == pytest.approx(50 / 3.6, abs=0.2) and run["speed"][at[1]] == pytest.approx(50 / 3.6, abs=0.3)
    assert (run["throttle"][at[2][20:]] == 0.0).all() and run["speed"][at[2][-1]] < run["speed"][at[2][0]] - 0.1
    held = run["speed"][at[3]]
    assert np.abs(held - held[0]).max() < 0.2


def test_an_acceleration_of_the_speed_is_kept():
    _, _, run = driven([{"name": "go", "speed": {"type": "constant", "value": 15, "acceleration_mps2": 1.0}, "lasts_s": 20}], 12.0)
    rate = np.gradient(run["speed"], run["t"])[3000:11000]
    assert rate.mean() == pytest.approx(1.0, abs=0.05)


CROSSED = {
    "any": [{"when": "y", "above_m": 5}, {"when": "run_time", "above_s": 1}],
    "both": [{"all": [{"when": "y", "above_m": 0.5}, {"when": "run_time", "above_s": 1}]}],
}


@pytest.mark.parametrize(("which", "at_least", "at_most"), [("any", 0.99, 1.03), ("both", 1.2, 9.0)])
def test_any_and_all(which, at_least, at_most):
    phases = [{"name": "turn", "steering_deg": 30, "until": CROSSED[which]}, {"name": "rest", "lasts_s": 30}]
    _, _, run = driven(phases, 9.0, Bicycle(speed=10.0))
    begun = run["t"][np.flatnonzero(run["phase"] == 1)[0]]
    assert at_least <= begun <= at_most
    assert which == "any" or run["y"][np.flatnonzero(run["phase"] == 1)[0]] > 0.45


def test_edges_crossings_and_holds():
    wave = {"type": "sine", "amplitude_deg": 60, "frequency_Hz": 0.5}

    def begins(condition):
        _, _, run = driven(
            [{"name": "wave", "steering": wave, "until": condition}, {"name": "rest", "lasts_s": 60}], 6.0, Bicycle(speed=5.0)
        )
        return float(run["t"][np.flatnonzero(run["phase"] == 1)[0]])

    angle = {"when": "steering_wheel_angle"}
    # 60 sin(pi t): above 30 from 1/6 to 5/6 s and from 13/6 s on; the angle seen is a look old
    assert begins(angle | {"above_deg": 30}) == pytest.approx(1 / 6, abs=0.03)
    assert begins(angle | {"above_deg": 30, "hold_s": 0.5}) == pytest.approx(4 / 6, abs=0.03)
    assert begins(angle | {"above_deg": 30, "edge": "falling"}) == pytest.approx(5 / 6, abs=0.03)
    assert begins(angle | {"below_deg": 30, "edge": "rising"}) == pytest.approx(5 / 6, abs=0.03)
    assert begins(angle | {"below_deg": 30}) < 0.03
    assert begins(angle | {"crosses_deg": 45}) == pytest.approx(math.asin(0.75) / math.pi, abs=0.03)
    assert begins(angle | {"beyond_deg": 59, "edge": "rising", "hold_s": 0.05}) == pytest.approx(
        math.asin(59 / 60) / math.pi + 0.05, abs=0.03
    )
    assert begins(angle | {"below_deg": -50}) == pytest.approx(1 + math.asin(50 / 60) / math.pi, abs=0.03)


@pytest.mark.parametrize(
    ("condition", "words"),
    [({"when": "speed", "above_kph": 20}, "speed above 20 km/h"), ({"when": "run_time", "above_s": 3}, "run time above 3 s")],
)
def test_a_maneuver_is_given_up(condition, words):
    _, driver, run = driven([{"name": "go", "throttle": 0.5, "lasts_s": 20}], 6.0, abort=condition)
    assert driver.ended == f"aborted in phase go: {words}"
    # a vehicle that drives on comes to a stop
    assert run["throttle"][-1] == 0.0 and run["brake"][-1] > 0.0 and run["phase"][-1] == -1


def test_a_phase_has_to_end_within_its_time():
    _, driver, _ = driven([{"name": "go", "throttle": 0.1, "until": {"when": "speed", "above_mps": 50}, "timeout_s": 2}], 4.0)
    assert driver.ended == "aborted in phase go: time above 2 s"


def test_a_path_is_followed_and_triggers_know_the_station():
    phases = [
        {"name": "follow", "steering": {"type": "path"}, "speed_kph": 40, "until": {"when": "station", "above_m": 120}},
        {"name": "straight", "steering_deg": 0, "brake": 0.5, "until": {"when": "speed", "below_mps": 0.3}},
    ]
    _, driver, run = driven(
        phases, 30.0, Bicycle(pose=(30.0, -7.0, 2.0)), lane_changes=[{"at_station_m": 50, "offset_m": 3, "length_m": 30}]
    )
    along = (run["x"] - 30.0) * math.cos(2.0) + (run["y"] + 7.0) * math.sin(2.0)
    left = (run["y"] + 7.0) * math.cos(2.0) - (run["x"] - 30.0) * math.sin(2.0)
    braked = np.flatnonzero(run["phase"] == 1)[0]
    assert along[braked] == pytest.approx(120.0, abs=0.3) and left[braked] == pytest.approx(3.0, abs=0.1)
    assert driver.ended == DONE


def test_turns_are_counted():
    phases = [
        {"name": "round", "steering_deg": 300, "speed_kph": 15, "until": {"when": "heading", "above_deg": 720}},
        {"name": "x", "lasts_s": 1},
    ]
    plant, _, run = driven(phases, 60.0, Bicycle(pose=(0.0, 0.0, 3.0)))
    assert (run["phase"] == 1).any()
    assert plant.yaw - 3.0 > 4 * math.pi


def test_a_vehicle_without_a_place_keeps_the_last_command():
    plant = Bicycle()
    driver = maneuver([{"name": "go", "throttle": 0.5, "steering_deg": 45, "lasts_s": 20}]).driver((0.0, 0.0, 0.0), TRAITS)
    driver.read(0.0, plant.readout, plant.command)
    before = plant.command.copy()
    plant.readout[0]["yaw"] = math.nan
    driver.read(0.01, plant.readout, plant.command)
    assert (plant.command == before).all()


def test_the_same_seed_gives_the_same_drive():
    said = {"type": "random", "rms_deg": 15, "from_Hz": 0.2, "to_Hz": 2, "duration_s": 5}
    phases = [{"name": "noise", "steering": said}]
    a, b, other = (driven(phases, 4.0, Bicycle(speed=10.0), seed=seed)[2]["y"] for seed in (1, 1, 2))
    assert (a == b).all() and not (a == other).all()


def test_a_start_of_its_own():
    made = maneuver([{"name": "x", "lasts_s": 1}], start={"speed_kph": 36, "position_m": [10, 2], "heading_deg": 90})
    x, y, yaw = made.placed((100.0, 50.0, math.pi / 2))
    assert (x, y) == pytest.approx((98.0, 60.0)) and yaw == pytest.approx(math.pi)
    assert made.start.speed == pytest.approx(10.0)


GOOD = HEAD | {
    "parameters": {"speed_kph": 60, "angle_deg": 30},
    "start": {"speed_kph": 20},
    "course": {"gates": [{"start_m": 90, "length_m": 10, "center_m": 0, "width_m": 4}]},
    "phases": [
        {
            "name": "approach",
            "steering": {"type": "path"},
            "speed_kph": "$speed_kph",
            "until": {"when": "station", "above_m": 80},
            "timeout_s": 20,
        },
        {"name": "dodge", "steering": {"type": "sine", "amplitude_deg": "2 * $angle_deg", "frequency_Hz": 0.5, "cycles": 1}},
        {
            "name": "stop",
            "steering": {"type": "hold"},
            "brake": 0.5,
            "until": [{"when": "speed", "below_kph": 2}, {"all": [{"when": "x", "above_m": 1}]}],
        },
    ],
    "abort": [{"when": "roll", "beyond_deg": 30}],
}


def test_the_good_one_is_good():
    assert load_maneuver(copy.deepcopy(GOOD), "m.yaml").phase_names == ("approach", "dodge", "stop")


BROKEN = [
    # keys to set (or to delete: None), key in the message
    (["phases"], [], "speed"), (["phases"], {}, "phases"), (["phases"], "x", "phases"), (["phases", 0], 3, "phases[0]"),
    (["phases", 0, "name"], None, "phases[0].name"), (["phases", 0, "name"], "two words", "phases[0].name"),
    (["phases", 1, "name"], "approach", "phases[1].name"), (["phases", 0, "steerin"], 0, "phases[0].steerin"),
    (["phases", 0, "steering"], "left", "phases[0].steering"), (["phases", 0, "steering"], {}, "phases[0].steering.type"),
    (["phases", 0, "steering"], {"type": "wave"}, "phases[0].steering.type"), (["phases", 0, "steering"], [1], "phases[0].steering"),
    (["phases", 0, "steering"], {"type": "path", "law": "x"}, "phases[0].steering.law"),
    (["phases", 0, "road_wheel_deg"], 3, "phases[0].road_wheel_deg"), (["phases", 0, "throttle"], 0.5, "phases[0].throttle"),
    (["phases", 0, "brake"], 0.5, "phases[0].brake"), (["phases", 0, "speed_kph"], -5, "phases[0].speed_kph"),
    (["phases", 0, "speed_kph"], "fast", "phases[0].speed_kph"), (["phases", 0, "speed_m"], 3, "phases[0].speed_m"),
    (["phases", 0, "speed_mps"], 3, "phases[0].speed_mps"), (["phases", 0, "gear"], "first", "phases[0].gear"),
    (["phases", 0, "gear"], 0, "phases[0].gear"), (["phases", 0, "gear"], 2.5, "phases[0].gear"), (["phases", 0, "gear"], 99, "phases[0].gear"),
    (["phases", 0, "parking_brake"], 2, "phases[0].parking_brake"), (["phases", 0, "parking_brake"], True, "phases[0].parking_brake"),
    (["phases", 0, "drawbar_m"], 3, "phases[0].drawbar_m"), (["phases", 0, "until"], {}, "phases[0].until.when"),
    (["phases", 0, "until"], {"when": "speed"}, "phases[0].until"), (["phases", 0, "until"], {"when": "mood", "above": 1}, "phases[0].until.when"),
    (["phases", 0, "until"], {"when": "speed", "above_deg": 1}, "phases[0].until.above_deg"),
    (["phases", 0, "until"], {"when": "speed", "above": 1, "below": 3}, "phases[0].until"),
    (["phases", 0, "until"], {"when": "speed", "above": 1, "edge": "up"}, "phases[0].until.edge"),
    (["phases", 0, "until"], {"when": "speed", "above": 1, "hold_s": -1}, "phases[0].until.hold_s"),
    (["phases", 0, "until"], 3, "phases[0].until"), (["phases", 0, "until"], [3], "phases[0].until[0]"),
    (["phases", 0, "until"], [{"all": []}], "phases[0].until[0].all"), (["phases", 0, "until"], [{"all": [{"when": "x"}]}], "phases[0].until[0].all[0]"),
    (["phases", 0, "until"], {"any": [{"when": "x", "above": 1}]}, "phases[0].until.when"),
    (["phases", 0, "until"], None, "phases[0]"), (["phases", 0, "timeout_s"], -1, "phases[0].timeout_s"), (["phases", 0, "lasts_s"], "long", "phases[0].lasts_s"),
    (["phases", 1, "steering", "frequency_Hz"], None, "phases[1].steering.frequency_Hz"),
    (["phases", 1, "steering", "frequency_Hz"], 0, "phases[1].steering.frequency_Hz"),
    (["phases", 1, "steering", "amplitude_kph"], 3, "phases[1].steering.amplitude_kph"),
    (["phases", 1, "steering", "amplitude_deg"], "$who", "phases[1].steering.amplitude_deg"),
    (["phases", 1, "steering", "amplitude_deg"], "$speed_kph", "phases[1].steering.amplitude_deg"),
    (["phases", 1, "steering", "amplitude_deg"], "$angle_deg + 1", "phases[1].steering.amplitude_deg"),
    (["phases", 1, "steering", "cycles"], None, "phases[1]"),
    (["phases", 1, "steering"], {"type": "file", "file": "nowhere.csv"}, "phases[1].steering.file"),
    (["phases", 1, "steering"], {"type": "table", "times_s": [0, 1], "values_deg": [0, 1, 2]}, "phases[1].steering.values"),
    (["phases", 1, "steering"], {"type": "table", "times_s": [1, 0], "values_deg": [0, 1]}, "phases[1].steering.times_s"),
    (["phases", 1, "steering"], {"type": "random", "rms_deg": 1, "from_Hz": 2, "to_Hz": 1, "duration_s": 1}, "phases[1].steering.to"),
    (["abort"], [{"when": "roll"}], "abort[0]"), (["abort"], 3, "abort"), (["parameters"], [1], "parameters"),
    (["parameters", "angle_deg"], None, "phases[1].steering.amplitude_deg"), (["start"], {"speed_kph": -1}, "start.speed_kph"),
    (["start"], {"position_m": [1]}, "start.position_m"), (["start"], {"pose": 1}, "start.pose"), (["speed"], [{"at_s": 1, "speed_kph": 3, "acceleration": 1}], "speed"),
    (["script"], [{"at_s": 0}], "course"), (["course"], None, "phases[0].steering"), (["lane_changes"], [{"at_s": 1, "offset_m": 1, "length_m": 9}], "lane_changes[0]"),
    (["limits"], {"path_eror_max_m": {"max": 1}}, "limits.path_eror_max_m"),
]  # fmt: skip


@pytest.mark.parametrize(("keys", "value", "named"), BROKEN, ids=[f"{i}-{row[2]}" for i, row in enumerate(BROKEN)])
def test_a_broken_file_names_its_key(keys, value, named):
    broken = changed(GOOD, keys, value)
    with pytest.raises(ConfigError) as error:
        load_maneuver(broken, "m.yaml")
    assert error.value.key == named
    assert str(error.value).startswith(f"m.yaml: {named}: ") and "expected" in str(error.value).splitlines()[0]


def test_an_angle_beyond_the_lock_is_the_lock():
    phases = [
        {"name": "left", "steering": {"type": "ramp", "to_deg": 3600, "rate_degps": 360}},
        {"name": "right", "steering": {"type": "step", "to_deg": -3600, "rate_degps": 720}},
        {"name": "wheels", "road_wheel": {"type": "ramp", "to_deg": 80, "rate_degps": 20}},
        {"name": "rest", "lasts_s": 1},
    ]
    _, _, run = driven(phases, 12.0, Bicycle(speed=1.0))
    begins = [float(run["t"][np.flatnonzero(run["phase"] == n)[0]]) for n in (1, 2, 3)]
    lock = math.degrees(TRAITS.steering_wheel_lock)
    angle = math.degrees(TRAITS.road_wheel_angle(1.0))
    assert begins == pytest.approx(np.cumsum([lock / 360, 2 * lock / 720, 2 * angle / 20]), abs=0.05)
    assert np.abs(wheel(run)).max() == pytest.approx(lock) and run["steering"][-1] == pytest.approx(1.0)


def test_the_driver_shifts_until_a_phase_names_a_gear():
    numbers = ShiftPoints((0.4, 0.7, 1.0), (150.0, 300.0), (80.0, 150.0), 300.0)
    phases = [
        {"name": "go", "gear": "shifting", "throttle": 0.5, "lasts_s": 4},
        {"name": "held", "gear": 2, "lasts_s": 1},
        {"name": "back", "gear": "drive", "lasts_s": 1},
    ]

    def gears(traits):
        plant, gears = Bicycle(speed=10.0), []
        driver = maneuver(phases).driver((plant.x, plant.y, plant.yaw), traits)
        plant.readout[0]["engine_speed"], plant.readout[0]["gear"] = 250.0, 1  # 0 would be a gearbox between two gears: he waits
        for n in range(590):
            driver.read(0.01 * n, plant.readout, plant.command)
            gears.append(int(plant.command[0]["gear"]))
        return gears

    found = gears(replace(TRAITS, gears=numbers))
    assert found[0] in (1, 2) and found[399] == 3, "above the speed of an upshift he goes on to the last gear"
    assert found[450] == 2 and found[550] == 0
    # who does not know where to shift leaves it to the gearbox
    assert gears(replace(TRAITS, gears=None))[399] == 0


def test_a_phase_may_have_a_law_of_its_own():
    way = {"segments": [{"length_m": 30}, {"length_m": 300, "radius_m": 40}]}
    phases = [
        {"name": "one", "steering": {"type": "path"}, "speed_kph": 30, "until": {"when": "station", "above_m": 80}},
        {"name": "two", "steering": {"type": "path", "driver": {"type": "pure_pursuit", "distance_m": 8}}, "lasts_s": 5},
        {"name": "three", "steering": {"type": "path"}, "lasts_s": 5},
    ]
    plain = [dict(phase) for phase in phases]
    plain[1]["steering"] = {"type": "path"}
    (_, _, own), (_, _, same) = (driven(one, 20.0, Bicycle(speed=8.0), **way) for one in (phases, plain))
    first, second, third = ((own["phase"] == n)[: len(same["phase"])] for n in range(3))
    np.testing.assert_array_equal(own["steering"][first], same["steering"][first])
    assert np.abs(own["steering"][second] - same["steering"][second]).max() > 1e-3
    jump = np.abs(np.diff(own["steering"])).max()
    assert jump < 0.05, "the next driver starts with the present angle of the wheel"
    assert np.isfinite(own["steering"][third]).all()


def test_the_law_of_a_phase_is_checked():
    phases = [{"name": "one", "steering": {"type": "path", "driver": {"type": "nobody"}}, "lasts_s": 1}]
    with pytest.raises(ConfigError, match=r"phases\[0\].steering.driver.type"):
        maneuver(phases, segments=[{"length_m": 30}])


@pytest.mark.parametrize("place", [(300.0, 0.0), (-40.0, 6.0)])
def test_a_vehicle_that_is_put_elsewhere_has_not_driven_there(place):
    plant = Bicycle(speed=10.0)
    driver = maneuver([{"name": "one", "speed_kph": 36, "until": {"when": "distance", "above_m": 60}}]).driver((0.0, 0.0, 0.0), TRAITS)
    drive(plant, driver, 2.0)
    plant.x, plant.y = place
    drive(plant, driver, 2.0)
    assert driver.ended == "", "40 m driven"
    drive(plant, driver, 4.0)
    assert driver.ended == DONE


@pytest.mark.parametrize(("engaged", "expected"), [((3, 2), (1, 3)), ((0, 2), (1, 2)), ((-1, -1), (-1, 0))])
def test_a_held_gear_stays_engaged(engaged, expected):
    """The gear at the begin of the phase, or the first one that engages after it."""
    driver = maneuver([{"name": "coast", "gear": "hold", "throttle": 0, "lasts_s": 1}]).driver((0.0, 0.0, 0.0), TRAITS)
    plant = Bicycle()
    for n in range(20):
        plant.readout[0]["gear"] = engaged[0] if n < 5 else engaged[1] if n < 10 else 1
        driver.read(0.01 * n, plant.readout, plant.command)
    assert (plant.command[0]["selector"], plant.command[0]["gear"]) == expected


def test_the_lift_off_of_iso_9816_holds_the_gear():
    phases = {phase["name"]: phase for phase in yaml.safe_load((CONFIGS / "maneuvers" / "lift_off.yaml").read_text())["phases"]}
    assert phases["lift"]["gear"] == "hold"
