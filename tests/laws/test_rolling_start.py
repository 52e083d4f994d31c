"""Does a vehicle that starts in motion continue as in a steady drive? And does a pull on the tow hook act at the correct point?"""

from __future__ import annotations

import numpy as np
import pytest

from simulator.base.errors import JounceError
from simulator.base.rotations import rotation_of_quaternion
from simulator.builder.builder import build_vehicle
from tests.laws.vehicle_rig import command, drive, ground, standing, steps
from vehicles import rolling_start
from vehicles.axle_layout import USUAL, record_for
from vehicles.drivetrain.conventional.step import cruise_torque
from vehicles.drivetrain.driveline import driveshaft_speed
from vehicles.drivetrain.drivetrain import CRUISE_ERROR, DRIVETRAIN_STATE, drivetrain_cruise
from vehicles.drivetrain.shaft_momentum import kinetic_energy
from vehicles.step import vehicle_step
from vehicles.vehicle import Vehicle

VEHICLES = ("hmmwv", "hmmwv_chrono", "five_link_rear", "hmmwv_trailing_rear")


def _rolling(vehicle: str, on: str, speed: float) -> Vehicle:
    v = build_vehicle(vehicle)
    v.reset(ground(on), speed=speed)
    return v


@pytest.mark.parametrize("vehicle", VEHICLES)
@pytest.mark.parametrize("on", ["flat", "asphalt 6"])
@pytest.mark.parametrize("speed", [5.0, 20.0, 30.0])
def test_the_first_second_is_that_of_a_steady_drive(vehicle: str, on: str, speed: float) -> None:
    v = _rolling(vehicle, on, speed)
    gear = int(v.space.drivetrain[0]["gear"])
    assert gear >= 1 and 0.0 < v.start_throttle <= 1.0
    rows = []
    for _ in range(200):
        steps(5, v.model, v.space, ground(on), command(throttle=v.start_throttle, selector=1), 1e-3)
        rows.append([*v.space.out[0]["a_WB_B"], v.space.drivetrain[0]["gear"]])
    a = np.array(rows)
    holds = v.start_throttle < 1.0  # some engines cannot hold the speed, up the slope or at 30 m/s
    assert set(a[:, 3]) == {gear}
    assert np.abs(a[:, 0]).max() < (0.15 if holds else 3.0)
    assert np.abs(a[:, 1]).max() < 0.05
    assert np.abs(a[:, 2]).max() < 0.3
    assert np.abs(np.diff(a[:, 0])).max() / 5e-3 < 12.0, "m/s3"
    if holds:
        assert v.space.state[0]["v_WB_B"][0] == pytest.approx(speed, abs=0.01)


@pytest.mark.parametrize("vehicle", ["sedan", "light_truck"])
@pytest.mark.parametrize("on", ["flat", "asphalt 6"])
def test_a_manual_gearbox_slower_than_its_engine_idles_starts_with_an_open_clutch(vehicle: str, on: str) -> None:
    v = _rolling(vehicle, on, 1.4)
    assert v.start_throttle == 0.0 and v.space.drivetrain[0]["gear"] == 1
    assert v.space.state[0]["wheel_spin"] * v.model.tires["radius"] == pytest.approx(1.4, rel=0.05)
    steps(200, v.model, v.space, ground(on), command(selector=1), 1e-3)
    assert 0.9 < v.space.state[0]["v_WB_B"][0] < 1.4


@pytest.mark.parametrize(
    "vehicle", ["hmmwv", "sedan", "sedan_compliant", "hmmwv_esc", "light_truck", "sedan_electric", "hmmwv_trailing_rear"]
)
@pytest.mark.parametrize("on", ["flat", "asphalt 6"])
def test_it_starts_as_after_complete_steps_that_are_reset(vehicle: str, on: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """To the last bit, except for the distance of the body from the ground, which each step passes to the next one."""

    def whole_steps(m, s, where, commanded, rounds) -> None:
        for _ in range(rounds.steps):
            vehicle_step(m, s, where, commanded, rolling_start.STEP)
            rounds.spins[:] = s.state[0]["wheel_spin"]
            for there, kept in rounds.parts:
                there[:] = kept
            s.state[0]["wheel_spin"] = rounds.spins

    quick = _rolling(vehicle, on, 15.0)
    monkeypatch.setattr(rolling_start, "_roll_on", whole_steps)
    monkeypatch.setattr(rolling_start, "hold_speed", getattr(rolling_start.hold_speed, "py_func", rolling_start.hold_speed))
    plain = _rolling(vehicle, on, 15.0)
    for v in (quick, plain):
        v.space.body_contact[0]["away"] = 0.0
    assert quick.start_throttle == plain.start_throttle
    assert quick.piece.memory.tobytes() == plain.piece.memory.tobytes()
    assert quick.readout.tobytes() == plain.readout.tobytes()


def test_it_rolls_along_the_ground_and_the_wheels_with_it() -> None:
    v = _rolling("hmmwv", "asphalt 10", 10.0)
    state, R = v.space.state[0], np.empty((3, 3))
    rotation_of_quaternion(state["q_WB"], R)
    along = np.array([1.0, 0.0, 0.1]) / np.sqrt(1.01)
    assert R @ state["v_WB_B"] == pytest.approx(10.0 * along, abs=1e-9)
    assert np.abs(v.readout[0]["slip_ratio"]).max() < 0.02
    assert state["time"] == 0.0 and not state["wheel_angle"].any()
    assert np.hypot(*state["p_WB"][:2]) < 0.05


def test_downhill_the_throttle_is_closed() -> None:
    v = build_vehicle("hmmwv")
    v.reset(ground("asphalt 10"), yaw=np.pi, speed=10.0)
    assert v.start_throttle == 0.0 and v.space.out[0]["a_WB_B"][0] > 0.0


def test_a_gear_is_accepted_and_a_backward_start_is_rejected() -> None:
    v = build_vehicle("hmmwv")
    v.reset(ground("flat"), gear=3, speed=10.0)
    assert v.space.drivetrain[0]["gear"] == 3
    for speed in (-1.0, np.nan, np.inf):
        with pytest.raises(JounceError, match="expected a forward speed"):
            v.reset(ground("flat"), speed=speed)
    v.reset(ground("flat"))
    assert v.start_throttle == 0.0 and v.speed == 0.0


def test_the_same_start_gives_the_same_bits_after_any_drive() -> None:
    v = _rolling("hmmwv", "flat", 20.0)
    first = v.space.state.copy(), v.space.drivetrain.copy()
    drive(v, "flat", command(throttle=1.0, steering=0.5, selector=1), 1.0)
    v.reset(ground("flat"), speed=20.0)
    assert first[0].tobytes() == v.space.state.tobytes() and first[1].tobytes() == v.space.drivetrain.tobytes()


def test_a_pull_on_the_tow_hook_slows_by_its_force_over_the_mass() -> None:
    free, pulled = _rolling("hmmwv", "flat", 10.0), _rolling("hmmwv", "flat", 10.0)
    for v, pull in ((free, 0.0), (pulled, 500.0)):
        drive(v, "flat", command(selector=0), 2.0)  # in neutral
        drive(v, "flat", command(selector=0, drawbar=pull), 2.0)
    lost = free.speed - pulled.speed
    # the rotating parts count as mass, with their inertia over the radius squared
    shafts = free.space.drivetrain.copy()
    shafts[0]["engine_speed"] = shafts[0]["turbine_speed"] = 0.0
    shafts[0]["shaft_end_speed"] = driveshaft_speed(free.model.drivetrain, np.ones(4))
    inertia = float(free.model.corners[0]["spin_inertia"].sum()) + 2.0 * kinetic_energy(free.model.drivetrain, shafts, np.ones(4))
    mass = float(free.model.chassis[0]["mass"] + free.model.corners[0]["corner_mass"].sum()) + inertia / 0.465**2
    assert lost * mass / (500.0 * 2.0) == pytest.approx(1.0, abs=0.03)


def test_the_pull_acts_at_the_hook() -> None:
    """For a vehicle at rest on its brakes, a backward pull below the height of its hook above the ground loads its rear axle, and so does
    its weight, which moves back slightly over the contacts."""

    def ahead() -> float:
        """Return the moment of the chassis weight about the middle of the contacts [N m]."""
        x, R = v.space.state[0], np.empty((3, 3))
        rotation_of_quaternion(x["q_WB"], R)
        chassis = v.model.chassis[0]
        place = x["p_WB"][0] + R[0] @ chassis["com"] - v.space.contacts["p_WC"][:, 0].mean()
        return float(chassis["mass"] * v.space.loads[0]["gravity"] * place)

    v = standing("hmmwv", "flat")
    drive(v, "flat", command(brake=1.0), 2.0)
    before, first = v.read()[0]["F_C"][:, 2].copy(), ahead()
    drive(v, "flat", command(brake=1.0, drawbar=2000.0), 4.0)
    after = v.read()[0]["F_C"]
    hook = v.model.body[0]["hitch"]
    # the longitudinal ground force acts about the axle at the effective rolling radius, two thirds of the deflection below the road
    height = float(v.space.state[0]["p_WB"][2] + hook[2] + v.space.contacts["tire_deflection"].mean() * 2.0 / 3.0)
    base = float(v.readout[0]["p_BK"][0, 0] - v.readout[0]["p_BK"][2, 0])
    moved = float(after[2:, 2].sum() - before[2:].sum())
    assert moved == pytest.approx((2000.0 * height + first - ahead()) / base, rel=0.02)
    assert float(after[:, 0].sum()) == pytest.approx(2000.0, rel=0.01)
    outline = v.description.outline
    rear = v.model.corners[0]["design_wheel_x"][0] + outline[2] - outline[0]
    assert hook[0] == pytest.approx(rear, abs=1e-4) and hook[1] == 0.0  # the toe adjustment has moved the wheels since


@pytest.mark.parametrize("vehicle", ["hmmwv", "hmmwv_manual", "sedan", "light_truck"])
def test_the_throttle_that_holds_a_speed_gives_the_requested_torque(vehicle):
    """In every gear, at every torque that the engine can supply there; beyond these the throttle is closed or open, with an open clutch closed."""
    p = build_vehicle(vehicle, check_step=False).model.drivetrain
    found = 0
    for gear in range(1, int(p[0]["gears"]) + 1):
        s, spin = record_for(DRIVETRAIN_STATE, USUAL), np.full(4, 30.0)
        for torque in np.linspace(-300.0, 3000.0, 45):
            throttle = drivetrain_cruise(p, s, spin, gear, torque)
            missing = cruise_torque(p, s, throttle) - torque * s[0]["ratio"]
            beyond = (missing > 0.0 and throttle == 0.0) or (missing < 0.0 and throttle == 1.0)
            assert abs(missing) < 2.0 * CRUISE_ERROR or beyond or (s[0]["grip"] == 0.0 and throttle == 0.0)
            found += 0.0 < throttle < 1.0
    assert found > 10
