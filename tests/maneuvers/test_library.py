"""Does every maneuver of the library load with every shipped vehicle, and does it give metrics?

`make test-all` drives all maneuvers with all vehicles.
"""

from __future__ import annotations

import functools
import json
import math
import signal
from pathlib import Path

import pytest

from simulator.autonomy.vehicle_traits import vehicle_traits
from simulator.base.headline import headline
from simulator.base.signals import EndedBySignal
from simulator.base.yaml_reader import read_yaml
from simulator.builder.builder import build_maneuver, build_vehicle
from simulator.configuration.configuration import configuration
from simulator.configuration.overrides import changes, option
from simulator.driver.vehicle_identification import identify_vehicle
from simulator.maneuvers.phase_driver import PhaseDriver
from simulator.run.run import run_maneuver
from simulator.run.series import load_series, run_series
from tests.shipped_files import driven_vehicles

CONFIGS = Path(__file__).parents[2] / "configs"
MANEUVERS = sorted(file.stem for file in (CONFIGS / "maneuvers").glob("*.yaml"))
SERIES = sorted(file.stem for file in (CONFIGS / "series").glob("*.yaml"))
VEHICLES = driven_vehicles()
PAGE = Path(__file__).parents[2] / "docs" / "proving_ground.md"


@functools.cache
def traits(vehicle):
    return identify_vehicle(build_vehicle(vehicle))


@functools.cache
def maneuver(name):
    return build_maneuver(name)


def test_maneuvers_tell_what_they_are():
    for name in MANEUVERS:
        assert len(headline(CONFIGS / "maneuvers" / f"{name}.yaml")) > 20, "a comment at its beginning, for jounce list maneuvers"
        one = maneuver(name)
        assert one.name == name and one.title != name and "$" not in one.title
        assert one.pictures
        assert one.requested_analyses or one.limits or one.is_timed or name in ("scripted_drive", "constant_speed"), f"{name}: more numbers"
        for remark in one.remarks:
            assert remark[0].islower() and not remark.endswith("."), f"{name}: it stands behind `note:`"


def test_a_series_has_the_name_of_no_maneuver():
    """`jounce run NAME` looks for a series first; a maneuver of the same name could not be run by its name."""
    assert not set(SERIES) & set(MANEUVERS)


@pytest.mark.parametrize("vehicle", VEHICLES)
def test_every_shipped_vehicle_finds_its_driver(vehicle):
    for name in MANEUVERS:
        one = maneuver(name)
        if one.task is not None:
            continue  # a driver to a goal needs ground and vehicle: tests/autonomy
        driver = one.driver((0.0, 0.0, 0.0), traits(vehicle))
        assert isinstance(driver, PhaseDriver) == bool(one.phase_names), name


@pytest.mark.parametrize("vehicle", VEHICLES)
def test_planners_know_every_shipped_vehicle(vehicle):
    built = build_vehicle(vehicle)
    found = vehicle_traits(built.description, built.tires, traits(vehicle))
    assert 3.0 < found.front + found.rear < 15.0 and 1.0 < found.track < found.width < 3.0
    no_belly = vehicle == "hmmwv_verti_bench_soft"  # only its wheels and its roof touch the ground
    assert 0.1 < found.ground_clearance < (1.7 if no_belly else 0.8) and found.height >= found.ground_clearance
    assert 0.02 < found.approach_angle <= math.pi / 2 and 0.02 < found.departure_angle <= math.pi / 2
    assert 3.0 < found.min_turning_radius < 25.0 and 0.2 < found.max_roll < 0.6 and found.max_climb > 0.1
    assert found.acceleration > 0.2 and found.deceleration > 1.0


@pytest.mark.parametrize("name", SERIES)
def test_a_series_tells_what_it_is(name):
    file = CONFIGS / "series" / f"{name}.yaml"
    series = load_series(file)
    assert len(headline(file)) > 20 and series.name == name and series.title != name
    for run in series.maneuvers:
        # a search and a verdict need limits
        assert maneuver(run).limits or "search" not in read_yaml(file), run


def test_the_page_names_them():
    page = PAGE.read_text(encoding="utf-8")
    assert [name for name in (*MANEUVERS, *SERIES) if f"`{name}`" not in page] == []


def drive(name, folder, vehicle="hmmwv", **parameters):
    """Result of a drive, without pictures."""
    given = changes({f"maneuver.parameters.{key}": value for key, value in parameters.items()})
    settings = [*option("maneuver", "maneuver", name), *option("vehicle", "vehicle", vehicle), *given]
    return run_maneuver(configuration(None, settings), folder, say=lambda line: None, pictures=False)["result"]


def told(result):
    """It has numbers of what its maneuver looks at, or says why not."""
    own = [row["value"] for row in result["table"] if row["mark"] or row["verdict"] != "info"]
    found = any(value is not None and math.isfinite(value) for value in own) if own else result["metrics"]["distance_m"] > 0.0
    return found or bool(result.get("ended_early", {}).get("reason"))


def test_the_steering_wheel_goes_from_lock_to_lock(tmp_path):
    result = drive("parked_steering", tmp_path / "out")
    metrics = result["metrics"]
    assert result["title"] == "Steering on the spot" and metrics["steering_max"] == pytest.approx(1.0, abs=1e-6)
    assert 5.0 < metrics["steering_torque_parked_Nm"] < 60.0 and metrics["distance_m"] < 0.3


def test_the_brake_is_not_touched_before_the_end(tmp_path):
    metrics = drive("creep", tmp_path / "out")["metrics"]
    assert metrics["speed_end_mps"] == pytest.approx(metrics["creep_speed_mps"], rel=0.02)


def test_a_grade_is_climbed_in_low_range_and_given_up_with_too_little_throttle(tmp_path):
    assert drive("climb_60", tmp_path / "full")["pass"]
    result = drive("climb_60", tmp_path / "little", throttle=0.05)
    assert result["pass"] is False and "speed below -2 m/s" in result["ended_early"]["reason"]
    assert result["metrics"]["rolled_back_m"] < 5.0


def test_a_turn_stays_a_turn_under_the_brakes(tmp_path):
    """At 4.2 m/s2 in a turn of 4 m/s2: the load that moves to the front axle neither turns the vehicle in nor lets its rear step out."""
    metrics = drive("braking_in_turn", tmp_path / "out", pedal=0.3)["metrics"]
    assert 3.5 < metrics["deceleration_developed_mps2"] < 4.6 and metrics["first_locked_axle"] == 0.0
    assert 0.75 < metrics["reaction_yaw_rate_ratio"] < 1.15
    assert abs(metrics["reaction_sideslip_change_rad"]) < math.radians(1.2)


def test_gears_may_be_the_drivers(tmp_path):
    own, theirs = (drive("acceleration", tmp_path / gear, gear=gear)["metrics"] for gear in ("shifting", "drive"))
    assert own["shifts"] >= 1
    assert own["time_to_60_mph_s"] == pytest.approx(theirs["time_to_60_mph_s"], rel=0.25)


def test_sled_stops_the_vehicle(tmp_path):
    metrics = drive("drawbar_pull", tmp_path / "out")["metrics"]
    assert metrics["kept_moving"] == 0.0 and metrics["stopped_time_s"] >= 1.0 and metrics["drawbar_pull_max_N"] > 1000.0


@pytest.mark.parametrize(("name", "speed"), [("avtp_lane_change", 60), ("iso_3888_1", 65), ("iso_3888_2", 38)])
@pytest.mark.parametrize("side", ["left", "right"])
def test_lane_changes_are_clean_below_their_limit(name, speed, side, tmp_path):
    result = drive(name, tmp_path / "out", speed_kph=speed, side=side)
    assert result["pass"], result["checks"]


@pytest.mark.parametrize(("overlap", "clean"), [(2.3, False), (3.5, True)])
def test_a_car_that_turns_in_quickly_passes_the_moose_test_faster_with_longer_turns(overlap, clean, tmp_path):
    """61 km/h; the turns of the driver reach further into the gates."""
    assert drive("iso_3888_2", tmp_path / "out", "sedan_esc", speed_kph=61, overlap_m=overlap)["pass"] == clean


def test_a_weave_does_not_turn_in_hertz(tmp_path):
    result = drive("weave", tmp_path / "out")
    assert not any(key.startswith("yaw_rate") and key.endswith("_Hz") for key in result["shown"])


@pytest.mark.full("a pair of a maneuver and a vehicle that gives no number and no reason")
@pytest.mark.parametrize("vehicle", VEHICLES)
@pytest.mark.parametrize("name", MANEUVERS)
def test_it_runs_or_reports_the_reason(name, vehicle, tmp_path):
    assert told(drive(name, tmp_path / "out", vehicle))


def run_of(folder, told=lambda run, result: None, pictures=False):
    """A short series, driven."""
    series = load_series(CONFIGS / "series" / "turning_circles.yaml")

    def of(run):
        given = changes({f"maneuver.parameters.{key}": value for key, value in run.parameters.items()})
        return configuration(None, [*option("maneuver", "maneuver", run.maneuver), *given])

    return run_series(series, of, folder, lambda line: None, told, lambda run: None, pictures)["result"]


def test_a_series_draws_the_requested_plots(tmp_path):
    result = run_of(tmp_path / "none")
    assert result["complete"] is True and [run["parameters"]["direction"] for run in result["runs"]] == [1, -1]
    left, right = (run["metrics"]["turning_circle_curb_m"] for run in result["runs"])
    assert left == pytest.approx(right, rel=0.02) and 10.0 < left < 20.0
    assert list((tmp_path / "none").rglob("*.png")) == []
    run_of(tmp_path / "all", pictures=True)
    assert len(list((tmp_path / "all").rglob("*.png"))) == 2 * len(maneuver("turning_circle").pictures)


def test_completed_runs_are_reported_after_ctrl_c(tmp_path):
    lines = []

    def interrupted(run, result):
        lines.append(run.label)
        if len(lines) == 2:
            raise EndedBySignal(signal.SIGINT)

    with pytest.raises(EndedBySignal):
        run_of(tmp_path / "out", interrupted)
    summary = json.loads((tmp_path / "out" / "series.json").read_text(encoding="utf-8"))["result"]
    assert summary["complete"] is False and len(summary["runs"]) == 1
