"""Do the fast methods that prepare a new vehicle give identical bits to the plain methods?"""

from __future__ import annotations

import math
from dataclasses import fields, replace
from typing import Any

import numpy as np
import pytest

from simulator.api.loading import configured
from simulator.base.records import record
from simulator.builder.builder import build, build_ground, build_vehicle
from simulator.driver import vehicle_identification as identification
from simulator.driver.internal_model import InternalModel
from simulator.driver.vehicle_identification import identify_vehicle, lazy_internal_model
from simulator.run.run import driver_of
from vehicles.axle_layout import record_for
from vehicles.command import COMMAND
from vehicles.mechanism_parameters import MechanismParameters, new_workspace
from vehicles.steering.steering import STEERING_STATE, place_tierods
from vehicles.step import vehicle_step
from vehicles.step_jacobian import CHASSIS, WIDTH, step_matrix
from vehicles.step_stability import _Probe, _situations
from vehicles.suspension.composite_inertia import prepare
from vehicles.suspension.contract import CORNERS
from vehicles.suspension.default_kind import PARAMETERS
from vehicles.suspension.hard_stops import no_ends
from vehicles.tires.contract import NUMBERS
from vehicles.travel_limits import FARTHEST, HEAVIER, LOCKS, OPEN, PATH_BEYOND_STOPS, QUICKER, SHARE, STRIDE, TravelScanner, find_ends
from vehicles.vehicle import Vehicle

FLAT = build_ground("flat").arrays


@pytest.fixture(scope="module")
def hmmwv() -> Vehicle:
    return build_vehicle("hmmwv", check_step=False)


# Travel limits -----------------------------------------------------------------------------------------------------------------


def walked(mechanism: MechanismParameters, steering: Any, side: float) -> np.ndarray:
    """Return the thetas (wheels,) up to which the corners are valid, or PATH_BEYOND_STOPS beyond the first one at which the stops are used
    up, with one position after the other, corner by corner."""
    w, arm, wheels = new_workspace(mechanism), record(STEERING_STATE), mechanism.size.wheels

    def go(theta: float, lock: float) -> tuple[Any, np.ndarray, np.ndarray]:
        w.state[0]["theta"], arm[0]["angle"] = theta, lock * steering[0]["max_arm_angle"]
        place_tierods(steering, arm, w.inputs)
        prepare(mechanism.records, w)
        turns = [corner.turn_of_steering(w.blocks, i) for i, corner in enumerate(mechanism.designs)]
        gaps = [corner.gap(mechanism.corners, w.blocks, w.inputs, i) for i, corner in enumerate(mechanism.designs)]
        return w.kinematics[0].copy(), np.array(turns), np.array(gaps)

    design, gain, _ = go(0.0, 0.0)
    struts, corner = mechanism.struts[0], np.arange(wheels)
    most, enough = struts["stop_penetration"][corner, struts["stop_points"] - 1], PATH_BEYOND_STOPS / np.linalg.norm(design["W_1"], axis=0)
    last, going, farthest = np.zeros(wheels), np.ones(wheels, bool), np.full(wheels, np.inf)
    for theta in side * np.arange(STRIDE, FARTHEST, STRIDE):
        for lock in LOCKS:
            k, turns, gaps = go(theta, lock)
            going &= (k["D"] < HEAVIER * design["D"]) & (k["W_1"][2] > SHARE * design["W_1"][2]) & (gaps < OPEN) & (turns <= QUICKER * gain)
            for strut in ("spring_length_1", "shock_length_1"):
                going &= k[strut] / design[strut] > SHARE
        going &= abs(theta) < farthest + STRIDE
        if not going.any():
            break
        last[going] = side * np.minimum(abs(theta), farthest)[going]
        used = struts["bump_stop_length"] - k["spring_length"] if side > 0.0 else k["spring_length"] - struts["rebound_stop_length"]
        spent = going & np.isinf(farthest) & (struts["stop_points"] > 0) & (used > most)
        farthest[spent] = abs(theta) + enough[spent]
    return last


@pytest.mark.parametrize("name", ["hmmwv", "five_link_rear"])
def test_the_travel_limits_are_those_of_a_scan_step_by_step(name: str) -> None:
    vehicle = build_vehicle(name, check_step=False)
    mechanism, steering = vehicle.description.mechanism, vehicle.model.steering

    def without_ends() -> MechanismParameters:
        corners = mechanism.corners.copy()
        corners[0]["ends"] = no_ends(mechanism.size)[0]
        return replace(mechanism, records=mechanism.records._replace(corners=corners))

    quick, plain = without_ends(), without_ends()
    with np.errstate(divide="ignore", invalid="ignore"):
        find_ends(TravelScanner(quick, steering), np.ones(mechanism.size.wheels, bool))
        closed = np.stack([walked(plain, steering, side) for side in (-1.0, 1.0)])
    assert quick.corners[0]["ends"]["closed"].tobytes() == closed.tobytes()
    assert (closed[0] < 0.0).all() and (closed[1] > 0.0).all()


# The length of a tie rod -------------------------------------------------------------------------------------------------------


def test_writing_a_tie_rod_gives_the_records_of_writing_the_corner(hmmwv: Vehicle) -> None:
    for i, corner in enumerate(hmmwv.description.mechanism.designs):
        size = hmmwv.size
        (some, some_own), (all_of_it, all_own) = ((record_for(CORNERS, size), record_for(PARAMETERS, size)) for _ in range(2))
        corner.write(some, some_own, i)
        before = some_own.tobytes()
        longer = corner.with_tie_rod(corner.tierod_length + 3e-3)
        longer.write_tie_rod(some, some_own, i)
        longer.write(all_of_it, all_own, i)
        assert some_own.tobytes() == all_own.tobytes() != before
        assert some.tobytes() == all_of_it.tobytes()


@pytest.mark.parametrize("name", ["hmmwv", "light_truck", "sedan_compliant"])
def test_an_aligned_vehicle_is_in_the_state_of_any_reset(name: str) -> None:
    """To the last bit, as steps from there show: the equilibrium cached after the adjustment, and the one computed again after clearing the
    cache."""
    vehicle, drives = build_vehicle(name, check_step=False), []
    for _ in range(2):
        vehicle.reset(FLAT)
        for _ in range(50):
            vehicle.step(FLAT, record(COMMAND), 1e-3)
        drives.append(vehicle.space.state.tobytes() + vehicle.space.treads.tobytes() + vehicle.read().tobytes())
        vehicle._equilibria._entries.clear()
    assert drives[0] == drives[1]


@pytest.mark.parametrize(("name", "knows"), [("hmmwv", True), ("hmmwv_manual", True), ("five_link_rear", False), ("hmmwv_abs", False)])
def test_a_vehicle_is_cleared_from_memory_as_field_by_field(name: str, knows: bool) -> None:
    """For vehicles without plugin parts and controllers, whose memory is unknown."""
    vehicle = build_vehicle(name, check_step=False)

    def used() -> Vehicle:
        one, go = vehicle.new_instance(), record(COMMAND)
        go[0]["steering"], go[0]["throttle"], go[0]["selector"] = 0.3, 0.5, 1
        one.reset(FLAT, speed=8.0)
        for _ in range(200):
            one.step(FLAT, go, 1e-3)
        return one

    quick, plain = used(), used()
    assert (quick._cleared is not None) == knows
    assert quick.piece.memory.tobytes() == plain.piece.memory.tobytes()
    quick.clear()
    plain._cleared = None
    plain.clear()
    assert quick.piece.memory.tobytes() == plain.piece.memory.tobytes() != used().piece.memory.tobytes()


# One step, linearized ----------------------------------------------------------------------------------------------------------


def plain_step_matrix(vehicle: Vehicle, start: np.ndarray, probe: _Probe, kept: np.ndarray) -> np.ndarray:
    """Return the matrix of a step from single steps, with states that are written field by field."""
    space, J = probe.vehicle.space, np.empty((len(kept), len(kept)))
    probe.memory[:] = start
    q = space.state[0]["q_WB"].copy()

    def read() -> np.ndarray:
        s = space.state[0]
        w, x, y, z = s["q_WB"]
        turn = 2.0 * np.array([q[0] * x - q[1] * w - q[2] * z + q[3] * y, q[0] * y + q[1] * z - q[2] * w - q[3] * x])
        v, numbers = s["v_WB_B"], space.treads["numbers"].T.ravel()
        return np.concatenate(([s["p_WB"][2], v[2]], turn, s["w_WB_B"], v[:2], s["theta"], s["theta_dot"], s["wheel_spin"], numbers))

    def write(x: np.ndarray) -> None:
        s = space.state[0]
        s["p_WB"][2], s["v_WB_B"], s["w_WB_B"] = x[0], (x[7], x[8], x[1]), x[4:7]
        a, b = 0.5 * x[2], 0.5 * x[3]
        turned = np.array([q[0] - q[1] * a - q[2] * b, q[1] + q[0] * a - q[3] * b, q[2] + q[3] * a + q[0] * b, q[3] + q[1] * b - q[2] * a])
        s["q_WB"] = turned / np.linalg.norm(turned)
        s["theta"], s["theta_dot"], s["wheel_spin"], *treads = x[CHASSIS:].reshape(3 + NUMBERS, -1)
        space.treads["numbers"] = np.transpose(treads)

    x0 = read()
    for column, k in enumerate(kept):
        ends = []
        for side in (WIDTH, -WIDTH):
            probe.memory[:] = start
            x = x0.copy()
            x[k] += side
            write(x)
            vehicle_step(vehicle.model, space, FLAT, record(COMMAND), 1e-3)
            ends.append(read())
        J[:, column] = (ends[0] - ends[1])[kept] / (2.0 * WIDTH)
    return J


def test_the_matrix_of_a_step_is_that_of_single_steps(hmmwv: Vehicle) -> None:
    probe = _Probe.of(hmmwv)
    for n, start in enumerate(list(_situations(probe, FLAT))[:4]):
        kept = np.arange(CHASSIS + (3 + int(hmmwv.model.treads.laws["numbers"].max())) * hmmwv.size.wheels)
        probe.memory[:] = start
        J = step_matrix(hmmwv.model, probe.vehicle.piece, FLAT, 1e-3, kept)
        assert J.tobytes() == plain_step_matrix(hmmwv, start, probe, kept).tobytes(), f"situation {n}"


@pytest.mark.parametrize("gap", [0.1, 1e-3, 0.5e-6, -0.5e-6, -5e-3])
def test_the_matrix_of_a_step_includes_a_body_close_to_the_ground(hmmwv: Vehicle, gap: float) -> None:
    """On its roof, at this distance from the ground [m]: within the deviations, which make it touch, as well as beyond them."""
    probe = _Probe.of(hmmwv)
    p = hmmwv.model.body_contact[0]
    roof = float(p["points"][: p["count"], 2].max())
    probe.vehicle.place(np.array([0.0, 0.0, roof + gap]), math.pi, 0.0, 0.0)
    start, kept = probe.memory.copy(), np.arange(CHASSIS + 3 * hmmwv.size.wheels)
    J = step_matrix(hmmwv.model, probe.vehicle.piece, FLAT, 1e-3, kept)
    plain = plain_step_matrix(hmmwv, start, probe, kept)
    assert J.tobytes() == plain.tobytes()
    assert (abs(J[1, 0]) > 0.1) == (gap < 1e-6), "a body that touches is pushed away, one that does not is not"


# Vehicle identification by a driver ----------------------------------------------------------------------------------------------


def said(value: Any) -> Any:
    return value.tobytes() if isinstance(value, np.ndarray) else value


def test_internal_model_values_do_not_depend_on_the_order_of_access(hmmwv: Vehicle) -> None:
    whole, names = identify_vehicle(hmmwv), [one.name for one in fields(InternalModel)]
    backwards = lazy_internal_model(hmmwv)
    for name in reversed(names[:-1]):  # the list of failed identifications last
        assert said(getattr(backwards, name)) == said(getattr(whole, name)), name
    assert backwards.troubles == whole.troubles == ()
    other = replace(backwards, response=0.5)
    assert (other.response, other.understeer, backwards.response) == (0.5, whole.understeer, whole.response)


@pytest.mark.parametrize(("maneuver", "driven"), [("creep", 0.0), ("iso_7401_step", 9.8), ("avtp_lane_change", 14.8)])
def test_a_driver_identifies_only_the_parts_that_it_needs(maneuver: str, driven: float, monkeypatch: pytest.MonkeyPatch) -> None:
    """Seconds of test drive: complete for a path, only the pedals for a speed, none if no driver reads the vehicle response."""
    seconds, drive = [], identification._Identification._drive

    def noted(trial: Any, duration: float, **inputs: float) -> Any:
        seconds.append(duration)
        return drive(trial, duration, **inputs)

    monkeypatch.setattr(identification._Identification, "_drive", noted)
    driver_of(build(configured({"maneuver": maneuver}, {}), check_step=False))
    assert sum(seconds) == pytest.approx(driven)
