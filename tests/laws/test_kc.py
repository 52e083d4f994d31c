"""Are the K&C results consistent: static wheel loads, reciprocity of forces and travel, and left against right?"""

from __future__ import annotations

import csv
import io
import json
from functools import cache

import numpy as np
import pytest

from simulator.builder.builder import build_ground, build_vehicle
from simulator.cli.main import main
from simulator.tools.kc.command import as_csv, format_value
from simulator.tools.kc.page import PLOTS, Measured, kc_page, measured
from simulator.tools.kc.rig import Rig, deflection_under
from simulator.tools.kc.sweeps import POINTS, STANDING


@cache
def found(name: str) -> Measured:
    return measured(name, Rig(build_vehicle(name, check_step=False), build_ground("flat")))


def number(name: str, axle: str, test: str, what: str) -> float:
    return next(r.value for r in found(name).results[axle] if (r.test, r.name) == (test, what))


CARS = ("hmmwv", "sedan_compliant")


def test_a_rigid_suspension_does_not_steer_by_a_torque() -> None:
    results = [result for axle in found("hmmwv").results.values() for result in axle]
    assert not [result for result in results if 0.0 < abs(result.value) < 1e-5]
    assert number("hmmwv", "rear", "aligning", "steer") == 0.0
    assert [format_value(value) for value in (9e-6, -9e-6, 1.2e-5)] == ["0", "0", "1.2e-05"]


@pytest.mark.parametrize("name", CARS)
def test_pads_carry_the_loads_of_the_ground(name: str) -> None:
    rig = found(name).rig
    loads = [wheel.load for place in rig.standing for wheel in place.wheels]
    vehicle = rig.vehicle
    vehicle.reset(build_ground("flat"))
    np.testing.assert_allclose(loads, vehicle.space.contacts["F_C"][:, 2], rtol=2e-6)


@pytest.mark.parametrize("name", CARS)
@pytest.mark.parametrize("axle", ["front", "rear"])
def test_a_force_changes_the_load_as_travel_moves_the_wheel(name: str, axle: str) -> None:
    """Betti: the load change of the pad from a force at the wheel center equals the wheel center displacement along this force from lifting
    the pad."""
    pads = number(name, axle, "bounce", "ride rate") / number(name, axle, "bounce", "wheel rate")
    recession = number(name, axle, "bounce", "wheel-center recession")
    recession -= (
        hub_share(name) * number(name, axle, "bounce", "side-view angle") * radius(name, axle)
    )  # the part that a geared hub leaves to the carrier
    assert number(name, axle, "driving", "load") == pytest.approx(-10.0 * recession * pads, rel=0.02, abs=1.0)


def hub_share(name: str) -> float:
    """Return 0 without geared hubs."""
    return 1.0 - float(found(name).rig.vehicle.model.drivetrain[0]["hub_ratio"][0])


def radius(name: str, axle: str) -> float:
    """Return the radius of the wheel, in mm per deg."""
    wheel = found(name).sweeps[axle]["bounce"].middle.wheels[0]
    return float(np.radians(1.0) * 1e3 * (wheel.center[2] - wheel.contact[2]))


@pytest.mark.parametrize("name", CARS)
def test_rates_are_in_series_and_springs_do_the_work(name: str) -> None:
    rig, wheel = found(name).rig, found(name).rig.standing[0].wheels[0]
    tire = rig.vehicle.model.tires[0]
    of_tire = 1e-3 / ((deflection_under(tire, wheel.load + 1.0) - deflection_under(tire, wheel.load - 1.0)) / 2.0)
    of_wheel, ride = (number(name, "front", "bounce", f"{what} rate") for what in ("wheel", "ride"))
    assert 1.0 / ride == pytest.approx(1.0 / of_wheel + 1.0 / of_tire, rel=2e-3)  # minus the small lean of a compliant wheel
    s = found(name).sweeps["front"]["bounce"]
    places = [place.wheels[0] for place in s.places if place is not None]
    z, load, length, force = (np.array([getattr(w, what) for w in places]) for what in ("center", "load", "spring_length", "spring_force"))
    rise = z[:, 2]
    work = float(np.sum(0.5 * (load[1:] + load[:-1]) * np.diff(rise)))
    stored = -float(np.sum(0.5 * (force[1:] + force[:-1]) * np.diff(length)))
    weight = load[STANDING] - force[STANDING] * -float(
        np.gradient(length, rise)[STANDING]
    )  # of the parts that move with the wheel, carried by the pad
    assert work == pytest.approx(stored + weight * (rise[-1] - rise[0]), rel=0.02)


@pytest.mark.parametrize("name", CARS)
def test_left_and_right_are_mirror_images(name: str) -> None:
    sweeps = found(name).sweeps
    for axle, test in (("front", "bounce"), ("rear", "bounce"), ("front", "braking")):
        for place in sweeps[axle][test].places:
            if place is not None:
                left, right = place.wheels
                assert left.toe == pytest.approx(right.toe, abs=1e-9) and left.load == pytest.approx(right.load, abs=1e-3)
    for test in ("roll", "lateral", "steering"):
        s = sweeps["front"][test]
        for one, other in zip(s.places, s.places[::-1], strict=True):
            if one is not None and other is not None:
                assert one.wheels[0].steer == pytest.approx(-other.wheels[1].steer, abs=1e-8)


def test_bushings_make_it_softer_and_steer_it() -> None:
    """`hmmwv_chrono` has neither bushings nor an elastic column."""
    assert (
        abs(number("hmmwv_chrono", "front", "lateral", "steer")) < 0.02 < abs(number("sedan_compliant", "front", "lateral", "steer")) < 0.3
    )
    assert 0.1 < number("sedan_compliant", "front", "aligning", "steer") < 0.6  # mostly from the column
    assert 500.0 < number("sedan_compliant", "front", "lateral", "lateral stiffness") < 4000.0
    assert 300.0 < number("sedan_compliant", "front", "braking", "longitudinal stiffness") < 3000.0


def test_tables_and_page_have_every_test() -> None:
    rows = list(csv.DictReader(io.StringIO(as_csv([found("sedan_compliant")]))))
    assert {row["test"] for row in rows} == set(PLOTS) and sum(row["test"] == "roll" for row in rows) == 4 * POINTS
    html = kc_page([found(name) for name in CARS], "jounce kc").html()
    assert html.count("<svg class=") > 50 and "http" not in html.replace("http-equiv", "")


def test_the_command_prints_the_results(tmp_path, capsys) -> None:
    page = tmp_path / "p.html"
    assert main(["kc", "hmmwv", "--json", "--html", str(page)]) == 0
    said = json.loads(capsys.readouterr().out)["vehicles"][0]["axles"]["front"]["bounce"]["wheel rate"]
    assert said["value"] == pytest.approx(number("hmmwv", "front", "bounce", "wheel rate"), rel=1e-6) and said["unit"] == "N/mm"
    assert page.stat().st_size > 50_000
