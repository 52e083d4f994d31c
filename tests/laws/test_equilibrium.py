"""Does a session start settled, with the weight on the wheels, and at the position of another vehicle code?"""

from __future__ import annotations

import csv
import gzip
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from simulator.base.errors import JounceError
from simulator.builder.builder import build_ground, build_vehicle
from terrain.ground import Ground
from tests.laws.vehicle_rig import command, drive, ground, standing, track
from vehicles.equilibrium import largest
from vehicles.vehicle import Vehicle

DATA = Path(__file__).parents[1] / "data" / "chrono"
VEHICLES = ("hmmwv", "hmmwv_chrono")
CORNERS = ("FL", "FR", "RL", "RR")
PLACES = [
    ("flat", 0.0),
    ("flat", 2.5),
    ("slope", 0.0),
    ("slope", math.pi / 2),
    ("slope", math.pi),
    ("dry_sand 10", 0.7),
    ("clayey_loam 20", 0.0),
]


def largest_acceleration(v: Vehicle) -> float:
    """Return the maximum acceleration of chassis (linear, angular) and arms in the last step."""
    out = v.space.out[0]
    return float(max(np.abs(out[name]).max() for name in ("a_WB_B", "alpha_WB_B", "theta_ddot")))


def weight(v: Vehicle) -> float:
    """Return the weight of all bodies [N]."""
    m = v.description.mechanism
    return float((m.chassis[0]["mass"] + m.corners[0]["corner_mass"].sum()) * v.space.loads[0]["gravity"])


@pytest.mark.parametrize("vehicle", VEHICLES)
@pytest.mark.parametrize(("on", "yaw"), PLACES)
def test_nothing_accelerates_at_the_start(vehicle: str, on: str, yaw: float) -> None:
    """Neither in the solved position nor in the first step from it."""
    v = standing(vehicle, on, x=3.0, y=-2.0, yaw=yaw)
    assert largest_acceleration(v) < 1e-9
    state = v.space.state[0]
    assert state["p_WB"][:2] == pytest.approx([3.0, -2.0], abs=0.05)
    assert v.readout[0]["yaw"] == pytest.approx(yaw, abs=0.01)
    drive(v, on, command(brake=1.0), 1e-3)
    assert largest_acceleration(v) < 1e-6  # from the creep of the tires, a micrometer per minute


def rough(folder: Path, road_class: str) -> Ground:
    file = folder / f"{road_class}.yaml"
    file.write_text(f"{{type: flat, surface: asphalt, roughness: {{class: {road_class}, seed: 3}}}}")
    return build_ground(str(file))


@pytest.mark.parametrize("vehicle", VEHICLES)
def test_a_vehicle_stands_on_the_roughest_ground(vehicle: str, tmp_path: Path) -> None:
    v, on = build_vehicle(vehicle, check_step=False), rough(tmp_path, "E")
    for x, y, yaw in np.random.default_rng(0).uniform((-100.0, -100.0, 0.0), (100.0, 100.0, 6.0), (12, 3)):
        v.reset(on, x, y, yaw)
        assert largest_acceleration(v) < 1e-9


@pytest.mark.parametrize("vehicle", ["hmmwv", "sedan", "sedan_compliant", "sedan_e90", "light_truck"])
def test_a_vehicle_stands_crosswise_in_a_saddle(vehicle: str, tmp_path: Path) -> None:
    """Two wheels on humps, one or both of the others in the air: Newton's method gets stuck at a kink if it starts from the plane of the
    ground, and arm and bushings of a vehicle with an equilibrium on either diagonal must keep to one of them."""
    x = np.arange(-10.0, 11.0)
    np.save(tmp_path / "saddle.npy", 0.15 * x[None, :] * x[:, None])
    heights = "{file: saddle.npy, first_row: south, origin: [-10.0, -10.0], spacing: [1.0, 1.0], scale: 1.0, offset: 0.0}"
    (tmp_path / "saddle.yaml").write_text(f"{{type: heightmap, surface: asphalt, heights: {heights}}}")
    v, on = build_vehicle(vehicle, check_step=False), build_ground(str(tmp_path / "saddle.yaml"))
    for yaw in (0.0, 0.5, 2.0):
        v.reset(on, 0.0, 0.0, yaw)
        assert largest_acceleration(v) < 1e-9


@pytest.mark.parametrize("percent", [0, 5, 10, 15, 20])
def test_a_vehicle_on_rigid_tires_stands_on_a_slope(percent: int) -> None:
    """Tires that yield by 4 mm under the load: a guess with a larger deflection presses with a multiple of the weight, and an iteration of
    Newton's method lifts the wheels off."""
    v, on = build_vehicle("hmmwv_rigid_tires", check_step=False), ground(f"asphalt {percent}")
    for yaw in np.linspace(0.0, 2.0 * math.pi, 12, endpoint=False):
        v.reset(on, 0.0, 0.0, float(yaw), gear=1)
        assert largest_acceleration(v) < 1e-9


def test_wheel_loads_vary_four_times_as_much_two_classes_up(tmp_path: Path) -> None:
    """At 20 m/s over the same waves without wheel lift-off; three seconds after one second to settle."""
    v, deviation = build_vehicle("hmmwv", check_step=False), {}
    for road_class in "AC":
        on, loads = rough(tmp_path, road_class), []
        v.reset(on, speed=20.0)
        hold = command(throttle=v.start_throttle)
        for _ in range(4000):
            v.step(on, hold, 1e-3)
            loads.append(v.read(hold)[0]["F_C"][:, 2].copy())
        deviation[road_class] = np.std(loads[1000:], axis=0)
    assert deviation["A"].min() > 100.0
    assert deviation["C"] / deviation["A"] == pytest.approx([4.0] * 4, rel=0.1)


@pytest.mark.parametrize("vehicle", VEHICLES)
@pytest.mark.parametrize(("on", "yaw"), PLACES)
def test_wheels_carry_the_weight(vehicle: str, on: str, yaw: float) -> None:
    v = standing(vehicle, on, yaw=yaw)
    total = v.space.contacts["F_W"].sum(axis=0)
    assert total == pytest.approx([0.0, 0.0, weight(v)], abs=1e-8 * weight(v))
    if on == "flat":
        assert v.readout[0]["F_C"][:, 2].sum() == pytest.approx(weight(v), rel=1e-12)


@pytest.mark.parametrize("vehicle", VEHICLES)
@pytest.mark.parametrize(("selector", "brake"), [(0, 0.0), (0, 1.0), (1, 1.0), (1, 0.5), (-1, 1.0)])
def test_the_first_five_seconds_stay_within_a_tenth_of_a_millimeter(vehicle: str, selector: int, brake: float) -> None:
    v = standing(vehicle, "flat", gear=selector)
    states = track(v, "flat", command(selector=selector, brake=brake), 5.0)
    assert np.abs(states["p_WB"] - states["p_WB"][0]).max() < 1e-4
    assert np.abs(states["theta"] - states["theta"][0]).max() < 1e-4


def test_the_loaded_vehicle_stands_near_its_design_position_and_the_other_code_s_far_above() -> None:
    assert standing("hmmwv", "flat").readout[0]["jounce"] == pytest.approx(0.006, abs=0.004)
    assert standing("hmmwv_chrono", "flat").readout[0]["jounce"] == pytest.approx(-0.105, abs=0.01)


def test_the_equilibrium_does_not_depend_on_earlier_drives() -> None:
    v = standing("hmmwv", "flat", yaw=0.3)
    fresh = v.space.state.copy()
    drive(v, "flat", command(selector=1, throttle=1.0, steering=0.4), 3.0)
    v.reset(ground("flat"), yaw=0.3)
    assert v.space.state.tobytes() == fresh.tobytes()
    assert v.readout[0]["time"] == 0.0


def test_a_wall_has_no_equilibrium() -> None:
    v = build_vehicle("hmmwv")
    with pytest.raises(JounceError, match="no equilibrium"):
        v.reset(ground("asphalt 150"))


# ------------------------------------------------------------------------------------------------- against another vehicle code


def recorded(until: float) -> list[dict[str, Any]]:
    """Return the rows of a recorded drive at constant 15 m/s on level ground, straight ahead."""
    with gzip.open(DATA / "d_stepsteer.csv.gz", "rt", encoding="utf-8", newline="") as stream:
        rows = []
        for row in csv.DictReader(stream):
            rows.append(row)
            if float(row["t"]) > until - 1e-6:
                return rows
    raise AssertionError("the recording is too short")


def test_the_equilibrium_matches_the_rolling_vehicle_of_the_other_code() -> None:
    """Height and axle loads within 1 %. Single wheels: the drivetrain of the other code turns its chassis slightly about x, that of Jounce
    does not, which is 0.6 % of a rear wheel load to either side; the next test explains the rest, the pull of the driven wheels."""
    row = recorded(34.9)[-1]
    loads = np.array([float(row[f"tire_Fz_{corner}"]) for corner in CORNERS])
    r = standing("hmmwv_chrono", "flat").readout[0]
    ours = r["F_C"][:, 2]
    assert r["p_WB"][2] == pytest.approx(float(row["z"]), rel=0.01)
    assert [ours[:2].sum(), ours[2:].sum()] == pytest.approx([loads[:2].sum(), loads[2:].sum()], rel=0.01)
    assert ours == pytest.approx(loads, rel=0.012)


def test_rolls_as_the_other_code_rolls() -> None:
    """Driven with the recorded inputs to the same time: every wheel load within 1 %, axle loads and height within 0.15 %."""
    rows = recorded(34.9)
    v, c = standing("hmmwv_chrono", "flat", gear=1), command(selector=1)
    for row in rows[:-1]:
        c[0]["throttle"], c[0]["steering"], c[0]["brake"] = float(row["throttle"]), float(row["steering"]), float(row["braking"])
        drive(v, "flat", c, 0.01)
    r = v.read(c)[0]
    loads = np.array([float(rows[-1][f"tire_Fz_{corner}"]) for corner in CORNERS])
    ours = r["F_C"][:, 2]
    assert r["v_WB_B"][0] == pytest.approx(float(rows[-1]["vx"]), rel=0.01)
    assert ours == pytest.approx(loads, rel=0.01)
    assert [ours[:2].sum(), ours[2:].sum()] == pytest.approx([loads[:2].sum(), loads[2:].sum()], rel=0.0015)
    assert r["p_WB"][2] == pytest.approx(float(rows[-1]["z"]), rel=0.0015)


@pytest.mark.parametrize("vehicle", ["hmmwv", "sedan_paper"])
@pytest.mark.parametrize(("on", "yaw"), PLACES)
def test_the_first_guess_does_not_change_the_equilibrium(vehicle: str, on: str, yaw: float) -> None:
    """A vehicle with a cached level equilibrium has the same equilibrium as one without."""
    v, there = build_vehicle(vehicle, check_step=False), ground(on)
    assert v._equilibria.level is not None
    v.reset(there, 3.0, -2.0, yaw)
    found, residual = v.space.state.copy(), largest_acceleration(v)
    v._equilibria.level = None
    v._equilibria._entries.clear()
    v.reset(there, 3.0, -2.0, yaw)
    assert residual < 1e-9 > largest_acceleration(v)
    for name in ("p_WB", "q_WB", "theta"):
        assert found[0][name] == pytest.approx(v.space.state[0][name], abs=1e-9), name


@pytest.mark.parametrize("place", range(3))
def test_the_largest_of_numbers_with_a_nan_is_nan(place):
    """The solver does not continue from a point with a NaN residual."""
    numbers = np.array([1.0, -3.0, 2.0])
    assert largest(numbers) == 3.0
    numbers[place] = np.nan
    assert np.isnan(largest(numbers))
