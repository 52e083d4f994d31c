"""Do the tables of the suspension meet their closed form: smooth, as near as they promise, mirrored left to right, and in a drive?"""

from __future__ import annotations

import warnings
from functools import cache
from pathlib import Path
from typing import Any

import numba
import numpy as np
import pytest

from simulator.base.errors import ConfigError, InertiaWarning, JounceError
from simulator.base.jit import kernel
from simulator.base.records import Record, record
from simulator.builder.builder import build_vehicle, data_folder, read_yaml, vehicle_description
from simulator.validation.reference.accelerations import compare_accelerations
from tests.laws.free_vehicle import MODEL
from tests.laws.table_accelerations import table_accelerations
from tests.laws.test_mirror import AXIAL, POLAR, SWAP
from tests.laws.vehicle_rig import command, ground, track
from vehicles.description import read_description
from vehicles.dynamics import accelerations
from vehicles.mechanism_parameters import new_workspace
from vehicles.steering.steering import STEERING_STATE, place_tierods
from vehicles.steering.steering_torque import pitman_torque
from vehicles.suspension.double_wishbone.build_pose_table import CornerPoses, angle_between, pose_errors, pose_table, pose_table_within
from vehicles.suspension.tables.build_tables import Source, build_tables
from vehicles.suspension.tables.pose_table import POSE, PoseTable, pose_over_both, pose_over_theta
from vehicles.suspension.tables.reduced_table import INTERPOLATED, ReducedTables
from vehicles.suspension.tables.tabulated import TabulatedMechanism, TabulatedWorkspace
from vehicles.vehicle import Vehicle
from vehicles.vehicle_model import VehicleData

DATA = Path(__file__).parents[1] / "data" / "hmmwv_accelerations"
HMMWV = vehicle_description("hmmwv")
MECHANISM = HMMWV.mechanism
LOCK = float(HMMWV.steering[0]["max_arm_angle"])
BODY_COUNT = 7
PAPER = ((4e-6, 4e-3), (4e-6, 5.2e-4), (1e-7, 1e-7))
"""Position [m] and rotation [rad]: the paper's figures (0.03 degrees are 5.2e-4 rad, it also says 4e-3), and ours."""


@cache
def travel(i: int) -> tuple[float, float]:
    low, high = Source(MECHANISM, HMMWV.steering).travel(MECHANISM.struts)[i]
    return float(low), float(high)


@cache
def poses(i: int, steered: bool) -> CornerPoses:
    return CornerPoses(MECHANISM.own, MECHANISM.Q_design, i, HMMWV.steering if steered else None)


def pose(table: PoseTable, body: int, theta: float, angle: float | None = None) -> Any:
    out = record(POSE)
    if angle is None:
        pose_over_theta(table, body, theta, out)
    else:
        pose_over_both(table, body, theta, angle, out)
    return out[0]


def turning(R_before: np.ndarray, R_after: np.ndarray, h: float) -> np.ndarray:
    """Angular velocity between two orientations 2 h apart."""
    S = (R_after - R_before) / (2.0 * h) @ (0.5 * (R_after + R_before)).T
    return np.array([S[2, 1], S[0, 2], S[1, 0]])


# ---- poses: [Suspension interpolation]


@pytest.mark.parametrize("i", [0, 2])
def test_poses_and_velocities_are_exact_at_the_nodes_from_both_sides(i: int) -> None:
    table = pose_table(poses(i, False), travel(i), 4)
    for n in range(1, 4):
        theta = table.start + n * table.step
        exact = poses(i, False).node(theta)
        for body in range(BODY_COUNT):
            for side in (theta - 1e-12, theta + 1e-12):
                p = pose(table, body, side)
                for name in ("e", "R", "d", "delta"):
                    assert np.abs(p[name] - exact[body][name]).max() < 1e-10, (body, name)


def test_table_over_both_angles_is_exact_at_nodes_and_smooth_across_edges() -> None:
    source = poses(0, True)
    table = pose_table(source, travel(0), 4, (-LOCK, LOCK), 4)
    theta, angle = table.start + 2 * table.step, table.steer_start + 3 * table.steer_step
    exact = source.node(theta, angle)
    names = ("e", "R", "d", "delta", "d_steer", "delta_steer")
    for body in range(BODY_COUNT):
        p = pose(table, body, theta, angle)
        for name in names:
            assert np.abs(p[name] - exact[body][name]).max() < 1e-10, (body, name)
        for step in ((1e-12, 0.0), (0.0, 1e-12)):
            at = (theta, angle - 0.4 * table.steer_step) if step[0] else (theta + 0.3 * table.step, angle)
            before, after = pose(table, body, at[0] - step[0], at[1] - step[1]), pose(table, body, at[0] + step[0], at[1] + step[1])
            for name in names:
                assert np.abs(before[name] - after[name]).max() < 1e-9, (body, name)


@pytest.mark.parametrize("steered", [False, True])
def test_velocities_and_accelerations_are_the_derivatives_of_the_interpolated_pose(steered: bool) -> None:
    table = pose_table(poses(0, steered), travel(0), 3, (-LOCK, LOCK), 3 if steered else 0)
    rng, h = np.random.default_rng(3), 1e-5
    for body in range(BODY_COUNT):
        theta = rng.uniform(*travel(0))
        angle = rng.uniform(-LOCK, LOCK) if steered else None
        p, low, high = (pose(table, body, t, angle) for t in (theta, theta - h, theta + h))
        assert np.abs((high["e"] - low["e"]) / (2 * h) - p["d"]).max() < 1e-8
        assert np.abs(turning(low["R"], high["R"], h) - p["delta"]).max() < 1e-8
        assert np.abs((high["d"] - low["d"]) / (2 * h) - p["d_2"]).max() < 1e-7
        assert np.abs((high["delta"] - low["delta"]) / (2 * h) - p["delta_2"]).max() < 1e-7
        if angle is not None:
            low, high = pose(table, body, theta, angle - h), pose(table, body, theta, angle + h)
            assert np.abs((high["e"] - low["e"]) / (2 * h) - p["d_steer"]).max() < 1e-8
            assert np.abs(turning(low["R"], high["R"], h) - p["delta_steer"]).max() < 1e-8


@pytest.mark.parametrize(("i", "steered"), [(0, False), (2, False), (0, True)])
@pytest.mark.parametrize("tolerance", PAPER)
def test_a_table_of_poses_keeps_its_tolerance_at_any_angle(i: int, steered: bool, tolerance: tuple[float, float]) -> None:
    table, *claimed = pose_table_within(poses(i, steered), travel(i), *tolerance, (-LOCK, LOCK) if steered else None)
    assert claimed[0] <= tolerance[0] and claimed[1] <= tolerance[1]
    rng = np.random.default_rng(i)
    for _ in range(150):
        theta, angle = rng.uniform(*travel(i)), rng.uniform(-LOCK, LOCK) if steered else None
        exact = poses(i, steered).node(theta, angle or 0.0)
        for body in range(BODY_COUNT):
            p = pose(table, body, theta, angle)
            assert np.linalg.norm(p["e"] - exact[body]["e"]) < tolerance[0]
            assert angle_between(p["R"], exact[body]["R"]) < tolerance[1]
            assert np.abs(p["R"].T @ p["R"] - np.eye(3)).max() < 1e-14


def test_positions_converge_with_the_fourth_power_and_rotations_with_the_third() -> None:
    """The three turns of the paper do not commute: that costs rotations one order."""
    source, places = poses(0, False), np.linspace(-0.2, 0.2, 41) + 1e-3
    coarse, fine = (pose_errors(source, pose_table(source, (-0.2, 0.21), cells), places, np.zeros(1)) for cells in (16, 32))
    assert 11.0 < coarse[0] / fine[0] < 23.0
    assert 6.0 < coarse[1] / fine[1] < 11.0


def test_too_fine_a_table_of_poses_is_refused() -> None:
    with pytest.raises(JounceError, match="intervals"):
        pose_table_within(poses(2, False), travel(2), 1e-17, 1e-17)


# ---- reduced quantities


class Bench:
    """The HMMWV in closed form and from tables, in the same state."""

    def __init__(self, tables: ReducedTables, mechanism: Any = MECHANISM) -> None:
        self.tables, self.m = tables, mechanism
        self.w = new_workspace(mechanism)
        self.steering, self.r = record(STEERING_STATE), record(INTERPOLATED)

    def random(self, rng: np.random.Generator, steering: bool) -> None:
        """The ranges of the acceleration oracle, and full lock."""
        state, loads, arm = self.w.state[0], self.w.loads[0], self.steering[0]
        q = rng.normal(size=4)
        state["q_WB"], state["w_WB_B"] = q / np.linalg.norm(q), rng.uniform(-2.0, 2.0, 3)
        state["theta"], state["theta_dot"] = rng.uniform(-0.24, 0.2, 4), rng.uniform(-3.0, 3.0, 4)
        state["wheel_spin"] = rng.uniform(-10.0, 45.0, 4)
        loads["wheel_force"], loads["carrier_couple"] = rng.uniform(-15e3, 15e3, (3, 4)), rng.uniform(-1500.0, 1500.0, (3, 4))
        if steering:
            arm["angle"], arm["rate"], arm["acceleration"] = rng.uniform(-LOCK, LOCK), rng.uniform(-1.0, 1.0), rng.uniform(-5.0, 5.0)

    @property
    def tabulated(self) -> tuple[TabulatedMechanism, TabulatedWorkspace]:
        """Arguments of the table functions."""
        return TabulatedMechanism(*self.m.records, self.tables), TabulatedWorkspace(*self.w, self.steering, self.r)

    def space_of(self, v: Vehicle) -> VehicleData:
        """Records of a vehicle with the suspension and the steering of the bench."""
        w = self.w
        return v.space._replace(
            state=w.state, blocks=w.blocks, inputs=w.inputs, loads=w.loads, kinematics=w.kinematics, work=w.work, out=w.out,
            steering=self.steering, reduced=self.r,
        )  # fmt: skip

    def closed_form(self) -> Record:
        m, w = self.m, self.w
        place_tierods(HMMWV.steering, self.steering, w.inputs)
        accelerations(m.records, w)
        return w.out.copy()

    def table(self) -> Record:
        table_accelerations(*self.tabulated)
        return self.w.out.copy()


def difference(a: Record, b: Record) -> float:
    """Largest |x - ref| / max(1, |ref|) over the accelerations."""
    names = ("alpha_WB_B", "a_WB_B", "theta_ddot")
    return max(float((np.abs(a[0][name] - b[0][name]) / np.maximum(1.0, np.abs(b[0][name]))).max()) for name in names)


@cache
def tables(tolerance: float) -> ReducedTables:
    return build_tables(MECHANISM, HMMWV.steering, tolerance)[0]


@pytest.mark.parametrize(("tolerance", "limit"), [(1e-4, 1e-4), (1e-6, 1e-6)])
def test_accelerations_with_moving_steering_are_those_of_the_closed_form(tolerance: float, limit: float) -> None:
    bench, rng = Bench(tables(tolerance)), np.random.default_rng(5)
    worst = 0.0
    for _ in range(300):
        bench.random(rng, steering=True)
        exact = bench.closed_form()
        worst = max(worst, difference(bench.table(), exact))
    assert 0.0 < worst < limit


def test_accelerations_of_the_oracle_come_out_of_tables_too() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", InertiaWarning)
        for name in ("full_straight", "quarter"):
            assert compare_accelerations(str(DATA / f"{name}.npz"), MODEL, "model", "table").passed


def test_tables_at_rest_and_in_motion_of_the_steering_agree() -> None:
    """The derivatives by the Pitman angle are left out while it rests: a rate too small to matter must give the same."""
    bench = Bench(tables(1e-4))
    bench.random(np.random.default_rng(8), steering=True)
    bench.steering[0]["rate"], bench.steering[0]["acceleration"] = 0.0, 0.0
    resting = bench.table()
    bench.steering[0]["rate"] = 1e-15
    assert difference(bench.table(), resting) < 1e-12


def test_pitman_torque_is_that_of_the_closed_form() -> None:
    v, rng = build_vehicle("hmmwv"), np.random.default_rng(6)
    bench = Bench(tables(1e-6))
    s = bench.space_of(v)
    for _ in range(50):
        bench.random(rng, steering=True)
        bench.closed_form()
        exact = pitman_torque(v.model, s, False)
        bench.table()
        torque = pitman_torque(v.model, s, True)
        assert torque == pytest.approx(exact, rel=1e-6, abs=1e-4)


def test_mirror_image() -> None:
    bench, rng = Bench(tables(1e-6)), np.random.default_rng(7)
    for _ in range(30):
        bench.random(rng, steering=True)
        one = bench.table()
        state, loads, arm = bench.w.state[0], bench.w.loads[0], bench.steering[0]
        state["q_WB"] *= [1.0, -1.0, 1.0, -1.0]
        state["w_WB_B"] *= AXIAL
        for name in ("theta", "theta_dot", "wheel_spin"):
            state[name] = state[name][SWAP].copy()
        loads["wheel_force"] = POLAR[:, None] * loads["wheel_force"][:, SWAP]
        loads["carrier_couple"] = AXIAL[:, None] * loads["carrier_couple"][:, SWAP]
        for name in ("angle", "rate", "acceleration"):
            arm[name] *= -1.0
        other = bench.table()
        # the four-bar is not its own mirror image: pivots and idler are, to the digits of the file
        assert np.abs(other[0]["theta_ddot"] - one[0]["theta_ddot"][SWAP]).max() < 1e-6
        assert np.abs(other[0]["alpha_WB_B"] - AXIAL * one[0]["alpha_WB_B"]).max() < 1e-6


@pytest.mark.parametrize(("theta", "angle"), [(0.0, 1.01 * LOCK), (-0.45, 0.0), (0.7, 0.0)])
def test_outside_the_tables_the_closed_form_answers(theta: float, angle: float) -> None:
    bench = Bench(tables(1e-4))
    bench.random(np.random.default_rng(9), steering=False)
    bench.w.state[0]["theta"][1], bench.steering[0]["angle"] = theta, angle
    assert bench.closed_form().tobytes() == bench.table().tobytes()


def test_tables_reach_from_stop_to_stop() -> None:
    source = Source(MECHANISM, HMMWV.steering)
    s = MECHANISM.struts[0]
    for i in range(4):
        ends = np.tile(np.array(travel(i)), (4, 1))
        length = source.sample(ends, np.zeros(1)).view(source.out.dtype)["spring_length"][:, 0, i, 0]
        assert length[0] > s["rebound_stop_length"][i] and length[1] < s["bump_stop_length"][i]


def test_an_unreachable_tolerance_is_refused() -> None:
    with pytest.raises(JounceError, match="tolerance 1e-15 not reached"):
        build_tables(MECHANISM, None, 1e-15)


# ---- the vehicle


def test_two_seconds_on_tables_are_two_seconds_in_closed_form() -> None:
    states = []
    for suspension in ("closed_form", "table"):
        v = build_vehicle("hmmwv", suspension=suspension)
        v.reset(ground("flat"), gear=1)
        states.append((track(v, "flat", command(throttle=0.5, steering=0.3, selector=1), 2.0), v.read().copy(), v.model.tables))
    (exact, exact_readout, none), (ours, readout, some) = states
    assert none.grid[0]["theta_cells"] == 0 and some.grid[0]["theta_cells"] > 0
    assert np.abs(exact["p_WB"][-1, :2]).max() > 1.0
    for name, limit in (("p_WB", 1e-7), ("q_WB", 1e-7), ("v_WB_B", 1e-7), ("theta", 1e-7), ("theta_dot", 1e-5), ("wheel_spin", 1e-5)):
        assert np.abs(exact[name] - ours[name]).max() < limit, name
    for name in readout.dtype.names:
        error = np.abs(readout[0][name] - exact_readout[0][name]) / np.maximum(1.0, np.abs(exact_readout[0][name]))
        assert error.max() < 1e-5, name


@pytest.mark.parametrize(("key", "value"), [("suspension_kinematics", "tables"), ("suspension_table_tolerance", 0.0)])
def test_a_level_that_does_not_exist_is_named(key: str, value: Any) -> None:
    mapping = read_yaml(data_folder("configs") / "vehicles" / "hmmwv.yaml") | {"suspension_kinematics": "table"} | {key: value}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", InertiaWarning)
        with pytest.raises(ConfigError, match=key):
            read_description(mapping, "car.yaml")


@pytest.mark.skipif(bool(numba.config.DISABLE_JIT), reason="asks the compiler")
def test_a_kernel_that_would_allocate_does_not_compile() -> None:
    """Every kernel of the tables compiles, so none of them allocates."""

    @kernel
    def wasteful(n):
        return np.full(n, 1.0).sum()

    with pytest.raises(numba.core.errors.NumbaError):
        wasteful(3)
