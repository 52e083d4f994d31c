"""Does an axle from K&C data move as the axle that was measured, and do springs and dampers follow the curves of their files?"""

from __future__ import annotations

import re
import shutil
import warnings
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import yaml

from simulator.base.errors import ConfigError
from simulator.builder.builder import build_ground, build_vehicle, data_folder, read_yaml
from simulator.cli.main import main
from simulator.configuration.configuration import Configuration
from simulator.configuration.layers import Layer
from simulator.tools.kc.page import Measured, measured
from simulator.tools.kc.rig import Rig
from simulator.tools.kc.tables import write_table
from tests.laws.vehicle_rig import command, led, steps
from vehicles.suspension.kc_table.motion import TableMotion
from vehicles.suspension.kc_table.surface import Surface
from vehicles.suspension.kc_table.table import TableWarning, quantities_of, read_table, to_center
from vehicles.suspension.springs_and_dampers import damper_force, spring_force
from vehicles.suspension.table_file import Columns, TableFile
from vehicles.suspension.tables.reduced_table import AXLE, PLACES, RATE, STEER_RATE, STEERED, W
from vehicles.vehicle import Vehicle

CAR: dict[str, Any] = read_yaml(data_folder("configs") / "vehicles" / "sedan_paper.yaml")
DATA = Path(__file__).parents[1] / "data" / "kc"

# Surfaces ---------------------------------------------------------------------------------------------------------------------------


def along(x: Any, values: Any, at: Any) -> Any:
    surface = Surface(np.array(x, float), np.zeros(1), np.array(values, float)[:, None, None])
    return surface.at(np.array(at, float), np.zeros(len(at)))


@pytest.mark.parametrize(
    "values", [[0, 0, 0, 1, 1, 1, 1], [0, 1e-3, 0, 5, 5.1, 9, 9], [3, 2, 2, 2, 0, -7, -7.5]], ids=["step", "noise", "falling"]
)
def test_a_curve_has_no_swings_between_its_points(values: list[float]) -> None:
    x = np.array([0.0, 1.0, 1.5, 3.0, 4.0, 7.0, 8.0])
    for k in range(len(x) - 1):
        found = along(x, values, np.linspace(x[k], x[k + 1], 50)).value
        low, high = sorted(values[k : k + 2])
        assert low - 4.0 / 27.0 * (high - low) - 1e-12 <= found.min() <= found.max() <= high + 4.0 / 27.0 * (high - low) + 1e-12
        if (np.diff(values) >= 0.0).all() or (np.diff(values) <= 0.0).all():
            assert low - 1e-12 <= found.min() <= found.max() <= high + 1e-12


def test_a_smooth_curve_keeps_its_slopes_at_a_turning_point_between_two_points() -> None:
    x = np.linspace(-0.1, 0.1, 21)
    found = along(x, 3.0 * (x - 0.0046) ** 2 + 0.1 * x**3, [0.0, 0.0046, 0.023])
    np.testing.assert_allclose(found.x[:, 0], [6.0 * -0.0046, 0.3 * 0.0046**2, 6.0 * 0.0184 + 0.3 * 0.023**2], atol=1e-9)


def test_a_curve_is_straight_beyond_its_ends() -> None:
    found = along([0, 1, 2, 3], [0, 1, 4, 9], [3.0, 4.0, 6.0])
    np.testing.assert_allclose(np.diff(found.value[:, 0]), found.x[0, 0] * np.array([1.0, 2.0]))
    assert not found.xx[1:].any()


# Motion of a wheel -------------------------------------------------------------------------------------------------------------------


def table_content(**more: Any) -> dict[str, list[float]]:
    """A steered wheel on smooth functions of travel s [mm] and rack r [mm]."""
    s, r = (grid.ravel() for grid in np.meshgrid(np.linspace(-80, 80, 9), np.linspace(-60, 60, 7)))
    content = {
        "travel_mm": s,
        "rack_mm": r,
        "toe_deg": 0.1 - 0.002 * s + 0.4 * r + 0.001 * r * r + 1e-5 * s * r,
        "camber_deg": -0.7 - 0.012 * s + 0.0005 * r * r - 0.08 * r,
        "caster_deg": 0.02 * s + 0.05 * r,
        "lateral_mm": -0.02 * s - 4e-4 * s * s + 0.05 * r,
        "longitudinal_mm": -0.1 * s + 0.2 * r,
        "spring_mm": 0.9 * s + 1e-4 * s * s + 0.02 * r,
        "shock_mm": 0.8 * s,
    }
    return {name: np.asarray(numbers).tolist() for name, numbers in {**content, **more}.items() if numbers is not None}


def motion(side: float, content: dict[str, list[float]] | None = None) -> TableMotion:
    from vehicles.multibody.description.rigid_body import RigidBody

    center, table = np.array([0.1, side * 0.75, 0.02]), read_table(TableFile("wheel.csv", content or table_content()), True)
    body = RigidBody("carrier", 40.0, center + [0.02, -0.1 * side, 0.05], np.diag([1.0, 0.6, 0.9]))
    rack = RigidBody("rack", 1.0, np.array([0.1, 0.0, 0.0]), np.diag([0.1, 0.01, 0.1]))
    one = TableMotion(table, side, center, body, (0.4, 0.5), np.tile(center, (6, 1)) + np.eye(6)[:, :3], "car.yaml", "axles.front", rack)
    one.per_angle = one.rack_per_angle = 0.03
    return one


@pytest.mark.parametrize("side", [1.0, -1.0])
def test_rows_have_the_derivatives_and_the_rotation_of_the_pose(side: float) -> None:
    one, theta, angle, h = motion(side), np.array([0.013, -0.047, 0.031]), np.array([0.7, -1.1, 0.2]), 1e-5
    rows, moment = one.rows(theta, angle)
    by = [
        (one.rows(theta + h * (k == 0), angle + h * (k == 1))[0] - one.rows(theta - h * (k == 0), angle - h * (k == 1))[0]) / (2.0 * h)
        for k in (0, 1)
    ]
    for k in (0, 1):
        np.testing.assert_allclose(rows[:, 1 + k], by[k][:, 0], rtol=2e-6, atol=2e-6)
    second = by[0][:, 1, :3], by[1][:, 1, :3], by[1][:, 2, :3]
    np.testing.assert_allclose(moment, np.stack(second, axis=1), rtol=1e-5, atol=2e-4)
    for at, spin in ((RATE, 0), (STEER_RATE, 1)):
        w = rows[:, 0, at : at + 3]
        for first in (AXLE, STEERED, STEERED + 3):  # axle of the wheel, and axes of the carrier
            np.testing.assert_allclose(np.cross(w, rows[:, 0, first : first + 3]), by[spin][:, 0, first : first + 3], atol=1e-7)
    assert PLACES[0][0] == "carrier_x"


def test_the_right_wheel_is_the_mirror_image_and_its_own_file_of_the_same_data_too() -> None:
    theta, angle = np.array([0.02, -0.05]), np.array([0.9, -0.3])
    left, right = motion(1.0).rows(theta, angle)[0], motion(-1.0).rows(theta, -angle)[0]
    np.testing.assert_allclose(right[:, 0, W : W + 3] * [1.0, -1.0, 1.0], left[:, 0, W : W + 3], atol=1e-12)
    mirrored = table_content(rack_mm=[-r for r in table_content()["rack_mm"]])
    own = read_table(TableFile("right.csv", mirrored), True, mirrored=True).surface
    given = motion(1.0).table.surface
    np.testing.assert_allclose(own.values, given.values, atol=1e-15)


def test_lines_of_other_travels_follow_the_line_straight_ahead() -> None:
    s = [-80.0, -40.0, 0.0, 40.0, 80.0, 0.0, 0.0]
    content = {
        "travel_mm": s,
        "rack_mm": [0.0] * 5 + [-60.0, 60.0],
        "toe_deg": [0.1, 0.0, 0.0, 0.0, 0.2, -20.0, 17.0],
        "camber_deg": [0.0] * 7,
    }
    surface = read_table(TableFile("cross.csv", content), True).surface
    found = np.degrees(surface.at(np.array([0.08, 0.08, -0.08]), np.array([-0.06, 0.06, 0.06])).value[:, 0])
    np.testing.assert_allclose(found, [-19.8, 17.2, 17.1], atol=1e-12)


def test_positions_of_the_contact_lead_to_those_of_the_center() -> None:
    one, radius = motion(1.0), 0.31
    theta, angle = (grid.ravel() for grid in np.meshgrid([-0.05, 0.0, 0.06], [-1.5, 0.0, 2.0]))
    rows = one.rows(theta, angle)[0][:, 0]
    axle = rows[:, AXLE : AXLE + 3]
    down = axle[:, 2:] * axle - [0.0, 0.0, 1.0]
    contact = 1e3 * (rows[:, W : W + 3] - one.W + radius * down / np.linalg.norm(down, axis=1, keepdims=True))
    angles = one.table.surface.at(theta, 0.03 * angle).value
    content = {
        "travel_mm": 1e3 * (rows[:, W + 2] - one.W[2]),
        "rack_mm": 30.0 * angle,
        "toe_deg": np.degrees(angles[:, 0]),
        "camber_deg": np.degrees(angles[:, 1]),
        "contact_track_mm": 2.0 * contact[:, 1],
        "contact_longitudinal_mm": contact[:, 0],
    }
    found = Columns(TableFile("contact.csv", {name: column.tolist() for name, column in content.items()}), quantities_of(True))
    to_center(found, radius)
    np.testing.assert_allclose(found["lateral"], rows[:, W + 1] - one.W[1], atol=1e-12)
    np.testing.assert_allclose(found["longitudinal"], rows[:, W] - one.W[0], atol=1e-12)
    with pytest.raises(ConfigError, match="the key loaded_radius"):
        read_table(TableFile("contact.csv", {name: column.tolist() for name, column in content.items()}), True)


def test_a_motion_ratio_is_the_slope_of_the_shortening() -> None:
    content = table_content(spring_mm=None)
    content["spring_ratio"] = [0.9 + 2e-4 * s for s in content["travel_mm"]]
    without_steering = [s - 0.02 * r for s, r in zip(table_content()["spring_mm"], content["rack_mm"], strict=True)]
    rows = motion(1.0, content).rows(np.array([0.03]), np.array([0.5]))[0]
    np.testing.assert_allclose(
        rows, motion(1.0, table_content(spring_mm=without_steering)).rows(np.array([0.03]), np.array([0.5]))[0], atol=1e-9
    )


WRONG = {
    "no_travel": ({"travel_mm": None}, "travel_mm"),
    "no_unit": ({"toe_deg": None, "toe": [0.0] * 63}, "the unit in the heading: toe followed by one of _rad, _deg"),
    "unknown": ({"camer_deg": [0.0] * 63}, "did you mean camber"),
    "twice": ({"travel_mm": [0.0] * 63}, "each travel once"),
    "one_way": ({"travel_mm": np.linspace(0, 80, 63).tolist(), "rack_mm": None}, "travels from at most -10 mm"),
    "not_straight": ({"rack_mm": [5.0 + r for r in table_content()["rack_mm"]]}, "a line over travel with the steering straight ahead"),
    "wild": ({"toe_deg": [200.0] * 63}, "toe_deg: .*a number from -80 to 80 deg; got 200"),
    "wild_radians": ({"toe_deg": None, "toe_rad": table_content()["toe_deg"]}, r"toe_rad: .*a number from -1\.396 to 1\.396 rad; got -20"),
    "wild_inches": (
        {"travel_mm": None, "travel_in": table_content()["travel_mm"]},
        r"travel_in: .*a number from -78\.74 to 78\.74 in; got -80",
    ),
    "wild_track": ({"lateral_mm": None, "Track [m]": [9.0] * 63}, r"Track \[m\]: .*a number from -4 to 4 m; got 9"),
    "two_tracks": ({"track_mm": [0.0] * 63}, "one column of lateral"),
    "short": ({"toe_deg": [0.0] * 5}, "columns of equal length"),
    "two_steers": ({"steering_wheel_deg": table_content()["rack_mm"]}, "one column of the steering"),
    "ratio_and_way": ({"spring_ratio": [1.0] * 63}, "not both"),
}


@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_table_is_one_message(name: str) -> None:
    change, said = WRONG[name]
    with pytest.raises(ConfigError, match=said):
        read_table(TableFile("wheel.csv", table_content(**change)), True)


def test_a_number_far_from_its_neighbors_is_a_warning(tmp_path: Path) -> None:
    content, file = table_content(), tmp_path / "wheel.csv"
    content["lateral_mm"][31] = 1650.0
    file.write_text(",".join(content) + "\n" + "".join(",".join(map(str, row)) + "\n" for row in zip(*content.values(), strict=True)))
    with pytest.warns(TableWarning, match=r"wheel\.csv:33: lateral_mm: 1650 is far from the others .* from -4\.16 to 0\.24 mm$") as warned:
        read_table(TableFile(str(file), content), True)
    assert len(warned) == 1
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        read_table(TableFile("wheel.csv", table_content()), True)


# A car from its own K&C data -----------------------------------------------------------------------------------------------------------


@cache
def found(name: str) -> Measured:
    return measured(name, Rig(build_vehicle(name, check_step=False), build_ground("flat")))


LIGHT = {
    "base": "sedan_paper",
    "axles": {
        "front": {
            "anti_roll_bar": None,
            "bodies": {
                "lower_arm": {"mass": 0.001, "arm_inertia": [1e-7, 1e-7, 1e-7]},
                "strut": {"mass": 0.001, "inertia": [1e-7, 1e-7, 1e-7]},
            },
        },
        "rear": {"anti_roll_bar": None},
    },
}
"""The shipped car of struts and trailing arms with links that have no mass: a table has no links."""


@pytest.fixture(scope="module")
def car(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The car of LIGHT written as tables."""
    folder = tmp_path_factory.mktemp("kc")
    (folder / "light.yaml").write_text(yaml.safe_dump(LIGHT))
    for n in (0, 1):
        write_table(found(str(folder / "light.yaml")).rig, n, "sedan_paper", folder)
    shutil.copy(DATA / "car.yaml", folder / "car.yaml")
    return folder / "car.yaml"


SMALL = {
    "deg/100 mm": 5e-4,
    "mm/100 mm": 0.01,
    "deg": 1e-3,
    "mm": 0.05,
    "%": 0.3,
    "deg/kN": 1e-5,
    "mm/kN": 1e-4,
    "N m/deg": 1.0,
    "deg/deg": 1e-4,
}
"""Differences by unit."""


def test_the_table_of_a_car_gives_its_kinematics_again(car: Path) -> None:
    given, again = found(str(car.with_name("light.yaml"))).results, found(str(car)).results
    compared = 0
    for axle, results in given.items():
        values = {(r.test, r.name): r.value for r in again[axle]}
        for r in results:
            if not np.isfinite(r.value):
                continue
            assert values[r.test, r.name] == pytest.approx(r.value, rel=1e-3, abs=SMALL.get(r.unit, 0.0)), (axle, r.test, r.name)
            compared += 1
    assert compared > 60
    assert abs(values["braking", "load"]) > 400.0  # N/kN: the anti-lift of the rear axle is that of the slope of its table


def swerve(vehicle: Vehicle) -> np.ndarray:
    """Return yaw rate, lateral acceleration, roll rate over a sine of the steering at 20 m/s."""
    on = build_ground("flat").arrays
    led(vehicle).reset(on, gear=3)
    state = vehicle.space.state[0]
    state["v_WB_B"][0] = 20.0
    state["wheel_spin"] = 20.0 / vehicle.model.tires["radius"]
    rows = []
    for k in range(250):
        steps(
            10, vehicle.model, vehicle.space, on, command(steering=0.12 * np.sin(2.0 * np.pi * max(0.0, 0.01 * k - 0.5)), selector=0), 1e-3
        )
        rows.append([state["w_WB_B"][2], vehicle.space.out[0]["f_H_B"][1], state["w_WB_B"][0]])
    return np.array(rows)


def test_a_swerve_of_the_car_from_tables_is_that_of_the_car(car: Path) -> None:
    given, again = (swerve(build_vehicle(str(car.with_name(name)), check_step=False)) for name in ("light.yaml", "car.yaml"))
    assert np.abs(given).max(axis=0)[0] > 0.15
    assert (np.abs(again - given).max(axis=0) < 1e-4 * np.abs(given).max(axis=0)).all()


COMPLIANT = {
    "loaded_radius": 0.305,
    "lateral_force": {"steer": -0.042, "camber": 0.1, "displacement": 0.93},
    "braking_force": {"toe": -0.05, "wind_up": -0.1, "displacement": 1.05},
    "aligning_torque": {"steer": 0.12},
}


def compliant(car: Path, section: dict[str, Any], name: str) -> Path:
    file = car.with_name(f"{name}.yaml")
    file.write_text(yaml.safe_dump({"base": "car.yaml", "name": name, "axles": {"front": {"compliance": section}}}))
    return file


def test_measured_coefficients_are_those_of_the_rig(car: Path) -> None:
    soft, rigid = (
        {(r.test, r.name): r.value for r in found(str(file)).results["front"]} for file in (compliant(car, COMPLIANT, "soft"), car)
    )
    for key, value in {
        ("lateral", "steer"): -0.042,
        ("lateral_opposed", "steer"): -0.042,
        ("lateral", "camber"): 0.1,
        ("lateral", "contact to the side"): 0.93,
        ("braking", "toe"): -0.05,
        ("braking", "wind-up"): -0.1,
        ("braking", "wheel-center recession"): 1.05,
        ("aligning", "steer"): 0.12,
    }.items():
        assert soft[key] - rigid[key] == pytest.approx(value, rel=0.03, abs=2e-3), key


@pytest.mark.parametrize(
    "change",
    [{"aligning_torque": {"steer": 0.0}}, {"lateral_force": {"camber": 0.1}}, {"braking_force": {"toe": 1.0, "displacement": 1.0}}],
)
def test_coefficients_with_which_a_load_gains_energy_are_refused(car: Path, change: dict[str, Any]) -> None:
    with pytest.raises(ConfigError, match="passive suspension"):
        build_vehicle(str(compliant(car, COMPLIANT | change, "gain")))


def test_the_steering_must_not_go_beyond_the_table(car: Path) -> None:
    wide = car.with_name("wide.yaml")
    wide.write_text(yaml.safe_dump({"base": "car.yaml", "steering": {"max_rack_travel": 0.11}}))
    with pytest.raises(ConfigError, match="rows up to the lock of the steering, from -110 to 110 mm"):
        build_vehicle(str(wide))


def test_a_rigid_axle_has_no_table(tmp_path: Path) -> None:
    rig = Rig(build_vehicle("light_truck", check_step=False), build_ground("flat"))
    assert write_table(rig, 1, "light_truck", tmp_path) is None
    assert not list(tmp_path.iterdir())


def test_tables_need_a_folder(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "file").touch()
    assert main(["kc", "sedan_paper", "--tables", str(tmp_path / "file")]) == 2
    assert re.fullmatch(r"jounce: --tables: .*expected a folder.*\n", capsys.readouterr().err)


# Curves of springs and dampers --------------------------------------------------------------------------------------------------------

CURVES = {
    "spring.csv": ("Travel [mm];Force [kN]\n" + "".join(f"{10 * k},0;{0.3 * k:.1f}\n".replace(".", ",") for k in range(21))).encode(
        "utf-16"
    ),
    "damper.csv": b"# dyno\nvelocity,force\nmm/s,N\n-1000,-1500\n-100,-600\n0,0\n100,300\n1000,900\n",
    "stop.csv": b"\xef\xbb\xbftravel_mm,force_N\n0,0\n20,2000\n50,9000\n",
}


@pytest.fixture
def curves(tmp_path: Path) -> Path:
    for name, content in CURVES.items():
        (tmp_path / name).write_bytes(content)
    spring, shock = {"file": "spring.csv", "stop_file": "stop.csv"}, {"file": "damper.csv"}
    (tmp_path / "v.yaml").write_text(yaml.safe_dump({"base": "sedan_paper", "axles": {"front": {"spring": spring, "shock": shock}}}))
    return tmp_path / "v.yaml"


def test_springs_stops_and_dampers_follow_their_files(curves: Path) -> None:
    struts, spring = build_vehicle(str(curves)).model.struts, CAR["axles"]["front"]["spring"]
    free, bump = spring["free_length"], spring["bump_stop_length"]
    assert spring_force(struts, 1, free - 0.0873) == pytest.approx(0.0873 * 30e3, rel=1e-9)
    assert spring_force(struts, 0, bump - 0.02) == pytest.approx((free - bump + 0.02) * 30e3 + 2000.0, rel=1e-9)
    for rate, force in ((-0.1, 300.0), (0.1, -600.0), (0.55, -1050.0), (-2.0, 900.0 + 600.0 / 0.9), (0.0, 0.0)):
        assert damper_force(struts, 1, 0.48, rate) == pytest.approx(force, rel=1e-9, abs=1e-9)
    assert struts[0]["damper_points"].tolist() == [5, 5, 0, 0]


def test_a_stop_file_alone_gives_the_stops(curves: Path) -> None:
    before = build_vehicle(str(curves)).model.struts
    text = yaml.safe_load(curves.read_text())
    text["axles"]["front"]["spring"] |= {"stop_penetration": None, "stop_force": None}
    curves.write_text(yaml.safe_dump(text))
    assert (build_vehicle(str(curves)).model.struts == before).all()


def test_a_long_curve_keeps_the_points_that_describe_it() -> None:
    from vehicles.suspension.axle_section import DAMPER_CURVE

    v = np.linspace(-2.0, 2.0, 2001)
    force = 4000.0 * v / (1.0 + 1.3 * np.abs(v))
    x, y = Columns(TableFile("d.csv", {"velocity_m_s": v.tolist(), "force_N": force.tolist()}), DAMPER_CURVE).curve("velocity", "force", 32)
    assert len(x) == 32
    assert np.abs(np.interp(v, x, y) - force).max() < 0.01 * force.max()


def test_columns_of_other_curves_are_the_keys_of_their_section(tmp_path: Path) -> None:
    (tmp_path / "dyno.csv").write_text("speed [rpm],torque [Nm]\n600,200\n3000,350.5\n6500,300\n7500,-50\n")
    (tmp_path / "valve.csv").write_text("valve_torque_Nm;torque_Nm\n0;0\n2,5;10,5\n5;60\n")
    engine = {"base": "drivetrain_sedan", "drivetrain": {"engine": {"full_throttle": {"file": "dyno.csv"}}}}
    (tmp_path / "engine.yaml").write_text(yaml.safe_dump(engine))
    changes = {"base": "sedan", "drivetrain": "engine.yaml", "steering": {"assist": {"file": "valve.csv"}}}
    (tmp_path / "v.yaml").write_text(yaml.safe_dump(changes))
    vehicle = build_vehicle(str(tmp_path / "v.yaml"), check_step=False)
    steering, drivetrain = vehicle.model.steering[0], vehicle.model.drivetrain[0]
    assert (steering["assist_points"], steering["assist_torque"][1]) == (3, 10.5)
    assert np.isclose(drivetrain["engine_map_speed"], 3000.0 * np.pi / 30.0).any()
    (tmp_path / "valve.csv").write_text("valve_torque_Nm;torke_Nm\n0;0\n2,5;10,5\n")
    with pytest.raises(ConfigError, match=r"valve.csv: torke_Nm: "):
        build_vehicle(str(tmp_path / "v.yaml"))


def test_a_run_records_the_curves(curves: Path) -> None:
    one = Configuration.of("vehicle", str(curves))
    with one.reading("vehicle"):
        one.expand_all()
    plain = one.plain()
    for name in CURVES:
        (curves.parent / name).unlink()
    again = Configuration(Layer(plain, one.layer.origins))
    assert again.raw("vehicle.axles.front.shock.file")["velocity [mm/s]"] == [-1000.0, -100.0, 0.0, 100.0, 1000.0]
    assert len(again.raw("vehicle.axles.front.spring.file")["Travel [mm]"]) == 21


WRONG_CURVES = {
    "falls": (b"# a\n\ntravel_mm,force_N\n0,0\n10,5\n20,3\n", "spring.csv:6: force_N: .*never fall"),
    "text": (b"travel_mm,force_N\n0,0\n10,abc\n", "spring.csv:3: force_N: .*a number"),
    "nan": (b"travel_mm,force_N\n0,0\n10,nan\n", "spring.csv:3: force_N"),
    "unit": (b"travel_s,force_N\n0,0\n1,2\n", "travel_s"),
    "ragged": (b"travel_mm,force_N\n0,0,1\n1,2\n", "spring.csv:2: .*2 cells"),
    "one": (b"travel_mm,force_N\n0,0\n", "at least 2 rows"),
    "empty": (b"", "a name for each column"),
    "binary": (bytes(range(256)) * 9, "spring.csv"),
    "stiff": (
        b"travel_mm,force_N\n0,0\n100,6000\n200,1e9\n",
        r"axles.front.spring.file: .*wheel hop.*got 'spring.csv, forces up to 1e\+09 N'$",
    ),
    "missing": (None, "axles.front.spring.file: .*a file in the same folder; got"),
}


@pytest.mark.parametrize("name", WRONG_CURVES)
def test_a_wrong_curve_is_one_line_with_its_place(curves: Path, capsys: pytest.CaptureFixture[str], name: str) -> None:
    content, said = WRONG_CURVES[name]
    file = curves.with_name("spring.csv")
    file.unlink()
    if content is not None:
        file.write_bytes(content)
    assert main(["check", str(curves)]) == 2
    err = capsys.readouterr().err
    assert err.count("\n") == 1
    assert re.search(said, err), err


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("travel_mm,force_N\n10,200\n0,100\n", r"stop\.csv:3: force_N: .*0, the force at first contact.*; got 100\.0"),
        ("# stop\ntravel_mm,force_N\n-5,0\n10,200\n", r"stop\.csv:3: travel_mm: .*at least 0; got -5\.0"),
    ],
)
def test_a_wrong_stop_is_one_line_with_its_place(curves: Path, content: str, said: str) -> None:
    curves.with_name("stop.csv").write_text(content)
    with pytest.raises(ConfigError, match=said):
        build_vehicle(str(curves), check_step=False)


@pytest.mark.parametrize("place", ["file", "spring.file"])
@pytest.mark.parametrize("name", ["nosuch.csv", "nosuch", ".", "table.dat", "car.yaml", "/dev/null"])
def test_a_file_that_is_no_table_is_named_with_the_endings_of_tables(tmp_path: Path, place: str, name: str) -> None:
    content = read_yaml(DATA / "car.yaml")
    front = content["axles"]["front"]
    (front["spring"] if place == "spring.file" else front)["file"] = name
    (tmp_path / "car.yaml").write_text(yaml.safe_dump(content))
    for given in ("table.dat", "kc_sedan_paper_front.csv", "kc_sedan_paper_rear.csv"):
        (tmp_path / given).write_text("travel_mm,force_N\n0,0\n10,5\n")
    said = rf"axles\.front\.{re.escape(place)}: .*a table \(\.csv, \.tsv, \.txt\).*; got {re.escape(repr(name))}$"
    with pytest.raises(ConfigError, match=said):
        one = Configuration.of("vehicle", str(tmp_path / "car.yaml"))
        with one.reading("vehicle"):
            one.expand_all()
