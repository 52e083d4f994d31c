"""Does the linearized vehicle match the vehicle: equal steps, a true trim, separated rigid modes, eigenvalues equal to those of a hand
calculation?"""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

from simulator.base.errors import JounceError
from simulator.base.records import record
from simulator.builder.builder import build_vehicle, data_folder, read_yaml
from tests.laws.vehicle_rig import command, ground
from vehicles.integration.implicit import differences
from vehicles.linearize import IGNORABLE, LinearVehicle, linearize, step_matrix, with_rigid_treads
from vehicles.ode_system import ODE_STATE, VehicleOde, places, read_ode_state
from vehicles.tires.radial import effective_radius
from vehicles.vehicle import Vehicle

SPEEDS = (0.0, 0.5, 5.0, 20.0)


@cache
def held(speed: float) -> VehicleOde:
    return VehicleOde(build_vehicle("hmmwv"), ground("flat"), speed)


@cache
def linear(speed: float) -> LinearVehicle:
    return linearize(held(speed))


def shaken(v: VehicleOde) -> np.ndarray:
    """Return a state close to the trim with all components in motion."""
    return v.y + 1e-3 * np.random.default_rng(3).uniform(-1.0, 1.0, len(v.y))


def of_kind(v: LinearVehicle, kind: str) -> np.ndarray:
    """Return the eigenvalues of a kind, one per conjugate pair."""
    return np.array([e for e, k in zip(v.eigenvalues, v.kinds, strict=True) if k == kind and e.imag >= 0.0])


def as_held() -> Vehicle:
    """Return the shipped vehicle without the effects that a VehicleOde leaves out in neutral: gear drag, angular momentum of engine and
    converter, and the twist of the steering column."""
    v = build_vehicle("hmmwv")
    v.model.steering[0]["free"] = 0
    for part in ("engine", "impeller", "turbine"):
        v.model.drivetrain[0][f"{part}_inertia"] = 1e-9
    for part in ("shaft", "box", "hub"):
        v.model.drivetrain[0][f"{part}_drag"] = v.model.drivetrain[0][f"{part}_churning"] = 0.0
    return v


@pytest.mark.parametrize("speed", [0.0, 0.5, 20.0])
def test_the_ode_step_is_the_step_of_the_vehicle(speed: float) -> None:
    v, vehicle = VehicleOde(as_held(), ground("flat"), speed), as_held()
    vehicle.model.drivetrain[0]["twist_stiffness"] = 0.0  # the system has rigid half shafts
    vehicle.reset(ground("flat"))
    v.torque = 0.0  # as in neutral
    v.step(shaken(v), 0.0)
    for name in ("state", "tires", "treads", "steering"):
        getattr(vehicle.space, name)[:] = getattr(v.space, name)
    end = record(ODE_STATE)
    vehicle.step(ground("flat"), command(), 1e-3)
    read_ode_state(vehicle.space, end)
    change = v.step(shaken(v), 1e-3) - shaken(v)
    assert end.view(np.float64)[: len(v.y)] - shaken(v) == pytest.approx(change, abs=1e-6 * np.abs(change).max())


@pytest.mark.parametrize("speed", SPEEDS)
def test_a_short_step_goes_along_the_rates(speed: float) -> None:
    v = held(speed)
    y = shaken(v)
    rates = v.rates(0.0, y)
    errors = [np.abs((v.step(y, h) - y) / h - rates).max() for h in (1e-5, 5e-6)]
    assert errors[0] < 0.01 * np.abs(rates).max()
    assert errors[0] / errors[1] == pytest.approx(2.0, rel=0.1)


@pytest.mark.parametrize("speed", SPEEDS)
def test_only_position_and_wheel_angles_change_in_trim(speed: float) -> None:
    v = held(speed)
    rates = v.rates(0.0, v.y)
    expected = np.zeros(len(v.y))
    expected[0] = speed
    wheels = places("wheel_angle")
    assert np.delete(rates, wheels) == pytest.approx(np.delete(expected, wheels), abs=1e-8)
    assert rates[wheels] == pytest.approx(speed / 0.4645, rel=0.01)


@pytest.mark.parametrize("speed", SPEEDS)
def test_rigid_modes_are_removed_and_no_other_mode_is_lost(speed: float) -> None:
    v = held(speed)
    J = differences(lambda y: v.rates(0.0, y), v.y, np.arange(len(v.y)))
    N = J[np.ix_(places(*IGNORABLE), places(*IGNORABLE))]
    assert np.abs(N @ N).max() < 1e-6
    everything, kept = np.linalg.eigvals(J), linear(speed).eigenvalues
    assert len(everything) == len(kept) + 7
    for value in kept[np.abs(kept) > 1.0]:
        assert np.abs(everything - value).min() < 1e-6 * abs(value)
    assert (np.abs(everything) > 1.0).sum() == (np.abs(kept) > 1.0).sum()


@pytest.mark.parametrize(("on", "x"), [("asphalt 10", 0.0), ("bump", 30.0)])
def test_a_ground_that_is_not_level_is_refused(on: str, x: float) -> None:
    v = VehicleOde(build_vehicle("hmmwv"), ground(on), 0.5)
    v.y[0] = x
    with pytest.raises(JounceError, match="level"):
        linearize(v)


def quarter_car(v: VehicleOde, i: int) -> np.ndarray:
    """Return the eigenvalues of corner i as two masses in series: m1 body, m2 wheel, both springs and dampers referred to the wheel.

    m1 m2 s^4 + (m1 (c1 + c2) + m2 c1) s^3 + (m1 (k1 + k2) + m2 k1 + c1 c2) s^2 + (c1 k2 + c2 k1) s + k1 k2 = 0
    """
    v.rates(0.0, v.y)
    k, t, struts = v.space.kinematics[0], v.model.tires[0], v.model.struts[0]
    lift = k["W_1"][2, i]
    assert struts["spring_points"][i] == 0  # the springs are linear
    spring = struts["spring_rate"][i]
    end = "" if k["shock_length"][i] < struts["midstroke_max"][i] else "_end"
    damper = 0.5 * (struts[f"compression_damping{end}"][i] + struts[f"rebound_damping{end}"][i])
    k1, c1 = spring * (k["spring_length_1"][i] / lift) ** 2, damper * (k["shock_length_1"][i] / lift) ** 2
    if v.speed == 0.0:  # a tire that does not roll sticks laterally: arm motion stretches its tread by `scrub` per wheel travel
        tread = read_yaml(data_folder("configs") / "tires" / "tmeasy_hmmwv.yaml")
        R = t["radius"] - v.space.contacts["tire_deflection"][i]
        scrub = (k["W_1"][1, i] + R * k["w"][0, i]) / lift
        k1, c1 = k1 + tread["tread_stiffness"][1] * scrub**2, c1 + tread["tread_damping"][1] * scrub**2
    k2, c2 = t["stiffness"], t["damping"]
    m2 = v.space.kinematics[0]["D"][i] / lift**2
    m1 = v.space.contacts["F_C"][i, 2] / 9.81 - m2
    polynomial = [m1 * m2, m1 * (c1 + c2) + m2 * c1, m1 * (k1 + k2) + m2 * k1 + c1 * c2, c1 * k2 + c2 * k1, k1 * k2]
    roots = np.roots(polynomial)
    return roots[roots.imag > 0.0]


@pytest.mark.parametrize("speed", [0.0, 20.0])
def test_wheel_hop_and_heave_are_those_of_quarter_cars(speed: float) -> None:
    v = linear(speed)
    hop, heave = of_kind(v, "wheel hop"), of_kind(v, "heave")
    assert len(hop) == 4
    assert len(heave) == 1
    front, rear = quarter_car(held(speed), 0), quarter_car(held(speed), 2)
    for expected in (front[0], rear[0]):
        assert np.abs(hop - expected).min() < 0.08 * abs(expected)
    assert abs(heave[0]) == pytest.approx(0.5 * (abs(front[1]) + abs(rear[1])), rel=0.1)


def test_body_and_wheels_swing_at_the_rates_of_such_vehicles() -> None:
    """Heave, pitch and roll of this loaded truck between 1.2 and 1.8 Hz [mem], wheel hop between 8 and 12 Hz."""
    v = linear(20.0)
    for kind in ("heave", "pitch", "roll"):
        assert len(of_kind(v, kind)) == 1
        assert 1.2 < abs(of_kind(v, kind)[0]) / (2.0 * np.pi) < 1.8
    assert np.all((np.abs(of_kind(v, "wheel hop")) > 16.0 * np.pi) & (np.abs(of_kind(v, "wheel hop")) < 24.0 * np.pi))
    assert (v.eigenvalues.real < 0.0).all()


@pytest.mark.parametrize("speed", [0.5, 2.0])
def test_a_wheel_without_relaxation_is_stiff_in_inverse_proportion_to_speed(speed: float) -> None:
    """Opposite spins of the left and right wheel of an axle do not move shafts and chassis: -g R^2 / I with g = longitudinal force over
    sliding velocity; these wheels have toe and slide laterally, so a longitudinal change turns the force without increasing it."""
    v = VehicleOde(build_vehicle("hmmwv_chrono"), ground("flat"), speed)
    spin = of_kind(with_rigid_treads(linearize(v)), "wheel spin").real
    inertia = v.model.corners[0]["spin_inertia"][0] + v.model.drivetrain[0]["half_shaft_inertia"]
    v.rates(0.0, v.y)
    for i in (0, 2):
        R = effective_radius(v.model.tires[0]["radius"], v.space.contacts["tire_deflection"][i])
        slip = np.linalg.norm(v.space.contacts["slip"][i])
        g = np.linalg.norm(v.space.contacts["F_C"][i, :2]) / (slip * R * v.y[places("wheel_spin")[i]])
        expected = -g * R * R / inertia
        assert np.abs(spin - expected).min() < 0.02 * abs(expected)


def test_a_speed_that_no_tire_can_keep_is_refused() -> None:
    with pytest.raises(JounceError, match="no trim"):
        VehicleOde(build_vehicle("hmmwv"), ground("flat"), 300.0)


def test_rigid_treads_at_rest_are_refused() -> None:
    with pytest.raises(JounceError, match="rest"):
        with_rigid_treads(linear(0.0))


def test_step_matrix_tends_to_the_exponential() -> None:
    v, A = held(5.0), linear(5.0).A
    errors = [np.abs((step_matrix(v, h) - np.eye(len(A))) / h - A).max() for h in (1e-4, 5e-5)]
    assert errors[0] / errors[1] == pytest.approx(2.0, rel=0.1)
