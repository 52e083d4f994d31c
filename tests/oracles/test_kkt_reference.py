"""Is the reference of the vehicle tests itself correct?"""

from __future__ import annotations

import copy
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import yaml

from tests.oracles.kkt_reference import (
    INPUTS,
    QUARTER_INPUTS,
    accelerations,
    admissible_velocities,
    applied_forces,
    balances,
    error,
    inertial_forces,
    mass_matrix,
    quarter_accelerations,
    state_at,
)
from tests.oracles.mechanism import CORNERS, Mechanism, loop_equations, motion, skew
from tests.oracles.perturbed_model import MIRROR, hardpoints, mirrored_state, perturbed_model, random_state

DATA = Path(__file__).parents[1] / "data" / "hmmwv_accelerations"
MODEL = yaml.safe_load((DATA / "hmmwv_model.yaml").read_text())
SEEDS = (1, 2, 3)


def changed(seed: int, scale: float = 0.15, **options: bool) -> dict[str, Any]:
    return perturbed_model(MODEL, np.random.default_rng(seed), scale, **options)


def rotation_by(vector: np.ndarray) -> np.ndarray:
    """Quaternion (w, x, y, z) of a rotation vector."""
    angle = float(np.linalg.norm(vector))
    return np.concatenate([[np.cos(angle / 2)], np.sinc(angle / (2 * np.pi)) / 2 * vector])


def quaternion_product(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    return np.concatenate([[a[0] * b[0] - a[1:] @ b[1:]], a[0] * b[1:] + b[0] * a[1:] + np.cross(a[1:], b[1:])])


def later(state: dict[str, Any], out: dict[str, Any], h: float) -> dict[str, Any]:
    """The state h seconds on, with constant accelerations: exact in the first derivatives of positions and velocities."""
    moved = dict(state)
    second = {**out, **state}  # the tie rods' acceleration is an input
    for position, velocity, acceleration in (
        ("chassis_pos", "chassis_vel_world", "out_chassis_acc_world"),
        ("theta", "theta_dot", "out_theta_ddot"),
        ("wheel_angle", "wheel_rate", "out_wheel_acc"),
        ("tierod_inner_offset", "tierod_inner_vel", "tierod_inner_acc"),
    ):
        if position in state:
            moved[position] = state[position] + h * state[velocity] + h * h / 2 * second[acceleration]
            moved[velocity] = state[velocity] + h * second[acceleration]
    omega, alpha = state["chassis_omega_world"], out["out_chassis_alpha_world"]
    moved["chassis_quat_wxyz"] = quaternion_product(rotation_by(h * omega + h * h / 2 * alpha), state["chassis_quat_wxyz"])
    moved["chassis_omega_world"] = omega + h * alpha
    return moved


def rate(of: Callable[[dict[str, Any]], Any], state: dict[str, Any], out: dict[str, Any], h: float = 2e-4) -> Any:
    """Time derivative along the motion, by differences of fourth order."""

    def slope(step: float) -> Any:
        return (np.asarray(of(later(state, out, step))) - np.asarray(of(later(state, out, -step)))) / (2 * step)

    return (4 * slope(h) - slope(2 * h)) / 3


# -------------------------------------------------------------------------------------------------------------- recorded states


@pytest.mark.parametrize("name", ["full_straight", "full_steering", "quarter"])
def test_agrees_with_recorded_states_from_their_inputs_alone(name: str) -> None:
    with np.load(DATA / f"{name}.npz") as file:
        states = {key: file[key] for key in file}
    inputs = {key: states[key] for key in (QUARTER_INPUTS if name == "quarter" else INPUTS) if key in states}
    model_keys = {"joint_coord_names", "body_names", "joint_coord_names_corner", "body_names_corner", "corner_names", "chassis_R"}
    answers = states.keys() - inputs.keys() - model_keys
    worst = dict.fromkeys(answers, 0.0)
    for n in range(len(states["theta"])):
        state = state_at(inputs, n)
        out = quarter_accelerations(MODEL, state) if name == "quarter" else {**accelerations(MODEL, state), **balances(MODEL, state)}
        for key in answers:
            worst[key] = max(worst[key], error(out[key], states[key][n]))
    assert len(answers) >= 10
    assert max(worst.values()) < 1e-9, worst


def test_names_follow_the_recorded_order() -> None:
    mech = Mechanism(MODEL)
    with np.load(DATA / "full_straight.npz") as file:
        assert mech.coordinate_names == list(file["joint_coord_names"])
        assert mech.names == list(file["body_names"])


# ------------------------------------------------------------------------------------------------------------- changed models


def test_no_change_at_scale_zero() -> None:
    assert perturbed_model(MODEL, np.random.default_rng(1), 0.0)["joints"] == MODEL["joints"]
    out = perturbed_model(MODEL, np.random.default_rng(1), 0.0)
    for body, base in zip(out["bodies"], MODEL["bodies"], strict=True):
        assert np.allclose(body["I"], base["I"], rtol=0, atol=1e-12)
        assert body["mass"] == base["mass"]


def test_changing_a_model_leaves_the_original_alone() -> None:
    before = copy.deepcopy(MODEL)
    changed(1, mirrored=True)
    assert before == MODEL


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("mirrored", [False, True])
def test_changed_models_are_sound(seed: int, mirrored: bool) -> None:
    model = changed(seed, mirrored=mirrored)
    bodies = {b["name"]: b for b in model["bodies"]}
    joints = {j["name"]: j for j in model["joints"]}
    for body, base in zip(model["bodies"], MODEL["bodies"], strict=True):
        inertia = np.array(body["I"])
        assert body["mass"] > 0
        assert body["mass"] != base["mass"]
        assert (inertia == inertia.T).all()
        assert np.linalg.eigvalsh(inertia).min() > 0
    for corner in CORNERS:
        at, old = hardpoints(model, corner), hardpoints(MODEL, corner)
        assert all(np.abs(at[p] - old[p]).max() > 1e-4 for p in at)
        axes = {
            name: np.array(joints[f"{corner}_{name}"]["axes"])
            for name in ("upright", "tierod", "shock_lower", "knuckle", "shock_upper", "wheel")
        }
        for name, start, end in (("upright", "D", "F"), ("tierod", "K", "L"), ("shock_lower", "B", "J")):
            rod = (at[end] - at[start]) / np.linalg.norm(at[end] - at[start])
            assert np.allclose(np.vstack([axes[name], rod]) @ np.vstack([axes[name], rod]).T, np.eye(3), atol=1e-14)
        assert np.allclose(axes["knuckle"][0], np.cross(*axes["upright"]))
        assert np.allclose(axes["shock_upper"][0], np.cross(*axes["shock_lower"]))
        wheel, spin = bodies[f"{corner}_wheel"], axes["wheel"][0]
        assert np.abs(np.cross(np.array(wheel["com"]) - at["W"], spin)).max() < 1e-14
        assert spin @ wheel["I"] @ spin < 0.5 * np.trace(wheel["I"])
        K = skew(spin)
        assert np.abs(K @ wheel["I"] - wheel["I"] @ K).max() < 1e-12  # the same moments after any turn about the axis
        assert all(((at[p] == at[r]).all()) == ((old[p] == old[r]).all()) for p in at for r in at)  # shared points stay shared
        assert joints[f"{corner}_knuckle"]["point"] == joints[f"{corner}_upright"]["point"]
        assert joints[f"{corner}_shock_upper"]["point"] == at["J"].tolist()
        assert next(c for c in model["corners"] if c["name"] == corner)["wheel_centre"] == joints[f"{corner}_wheel"]["point"]


def test_rod_axes_of_the_recorded_model_follow_the_same_rule() -> None:
    nudged = perturbed_model(MODEL, np.random.default_rng(1), 1e-12)
    for joint, base in zip(nudged["joints"], MODEL["joints"], strict=True):
        assert np.allclose(joint["axes"], base["axes"], rtol=0, atol=1e-9), joint["name"]


@pytest.mark.parametrize("seed", SEEDS)
def test_loops_close_over_the_travel(seed: int) -> None:
    model, rng = changed(seed), np.random.default_rng(100 + seed)
    mech = Mechanism(model)
    for _ in range(4):
        now = motion(mech, random_state(rng, steering=True))
        gaps, G = loop_equations(mech, now.pose, now.steering[0])
        drift = G @ now.qd
        for n, loop in enumerate(mech.loops):
            if loop.steered is not None:
                drift[3 * n : 3 * n + 3] += now.pose.R[0] @ now.steering[1, loop.steered]
        assert np.abs(gaps).max() < 1e-13
        assert np.abs(drift).max() < 1e-12


def test_a_mechanism_that_cannot_be_assembled_is_refused() -> None:
    state = random_state(np.random.default_rng(1))
    state["theta"] = np.array([-0.75, 0.75, -0.75, 0.75])  # below the lowest position that the arms allow
    with pytest.raises(ArithmeticError, match="do not close"):
        accelerations(MODEL, state)


# --------------------------------------------------------------------------------------------------------------------- physics


@pytest.mark.parametrize("seed", SEEDS)
def test_no_power_is_left_over_in_any_allowed_velocity(seed: int) -> None:
    """Jourdain's principle: inertia and applied forces balance in the 14 velocities that joints and loops allow."""
    model = changed(seed)
    state = random_state(np.random.default_rng(200 + seed), steering=True)
    mech, out = Mechanism(model), accelerations(model, state)
    now = motion(mech, state)
    V, f = admissible_velocities(mech, now), inertial_forces(mech, now, state["wheel_wrench_world"])
    a = np.hstack([out["body_alpha"], out["body_acc_com"]]).ravel()
    assert V.shape == (198, 14)
    residual = V.T @ (mass_matrix(mech, now) @ a - f)
    assert np.abs(residual).max() < 1e-11 * (np.abs(V.T) @ np.abs(f)).max()


@pytest.mark.parametrize("seed", SEEDS)
def test_accelerations_are_the_rates_of_the_velocities(seed: int) -> None:
    """The twice differentiated joints and loops against differences of positions and velocities that were solved anew."""
    model = changed(seed)
    state = random_state(np.random.default_rng(300 + seed), steering=True)
    out = accelerations(model, state)

    def velocities(s: dict[str, Any]) -> np.ndarray:
        now = motion(Mechanism(model), s)
        return np.concatenate([now.velocity.ravel(), now.omega.ravel(), now.qd, now.com.ravel() + np.tile(s["chassis_pos"], 33), now.q])

    expected = [out["body_acc_com"].ravel(), out["body_alpha"].ravel(), out["out_qdd_all"], out["body_vel_com"].ravel(), out["qd_all"]]
    assert error(rate(velocities, state, out), np.concatenate(expected)) < 1e-6


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("steering", [False, True])
def test_energy_changes_by_the_power_of_wrenches_dampers_and_steering(seed: int, steering: bool) -> None:
    model = changed(seed)
    state = random_state(np.random.default_rng(400 + seed), steering=steering)
    mech, out = Mechanism(model), accelerations(model, state)
    now = motion(mech, state)
    power = -balances(model, state)["damper_power"]
    for (body, center), wrench in zip(mech.wheels, state["wheel_wrench_world"], strict=True):
        v = now.point_velocity(body, now.pose.r[body] + now.pose.R[body] @ center)
        power += wrench[:3] @ v + wrench[3:] @ now.omega[body]
    for loop, force in zip(mech.loops, out["loop_force"], strict=True):
        if steering and loop.steered is not None:
            power -= force @ (now.pose.R[0] @ state["tierod_inner_vel"][loop.steered])

    def energy(s: dict[str, Any]) -> float:
        both = balances(model, s)
        return both["kinetic_energy"] + both["potential_energy"]

    assert rate(energy, state, out) == pytest.approx(power, rel=1e-6, abs=1.0)


@pytest.mark.parametrize("seed", SEEDS)
def test_momentum_changes_by_the_outer_forces_alone(seed: int) -> None:
    model = changed(seed)
    state = random_state(np.random.default_rng(500 + seed))
    mech, out = Mechanism(model), accelerations(model, state)
    now = motion(mech, state)
    weight = mech.mass[:, None] * mech.gravity
    force = weight.sum(axis=0) + state["wheel_wrench_world"][:, :3].sum(axis=0)
    couple = np.cross(now.com + state["chassis_pos"], weight).sum(axis=0) + state["wheel_wrench_world"][:, 3:].sum(axis=0)
    for (body, center), wrench in zip(mech.wheels, state["wheel_wrench_world"], strict=True):
        couple += np.cross(now.pose.r[body] + now.pose.R[body] @ center + state["chassis_pos"], wrench[:3])
    assert error(mech.mass @ out["body_acc_com"] / mech.mass.sum(), force / mech.mass.sum()) < 1e-11
    both = rate(lambda s: np.concatenate([balances(model, s)[key] for key in ("momentum", "ang_momentum_world_origin")]), state, out)
    assert both == pytest.approx(np.concatenate([force, couple]), rel=1e-6, abs=0.1)


def test_inner_forces_cancel() -> None:
    """Springs and dampers neither push nor turn the vehicle as a whole."""
    model = changed(4)
    model["gravity"] = [0.0, 0.0, 0.0]
    mech = Mechanism(model)
    now = motion(mech, random_state(np.random.default_rng(4)))
    couple, force = applied_forces(mech, now, np.zeros((4, 6)))
    assert np.abs(force).max() > 1e3
    assert np.abs(force.sum(axis=0)).max() < 1e-9
    assert np.abs((couple + np.cross(now.com, force)).sum(axis=0)).max() < 1e-9


def test_mirror_image_moves_as_the_mirror_image() -> None:
    model = changed(5, mirrored=True)
    state = random_state(np.random.default_rng(5), steering=True)
    image, out = accelerations(model, mirrored_state(state)), accelerations(model, state)
    swap = [1, 0, 3, 2]
    assert error(image["out_chassis_acc_world"], MIRROR @ out["out_chassis_acc_world"]) < 1e-10
    assert error(image["out_chassis_alpha_world"], -MIRROR @ out["out_chassis_alpha_world"]) < 1e-10
    assert error(image["out_theta_ddot"], -out["out_theta_ddot"][swap]) < 1e-10
    assert error(image["out_wheel_acc"], out["out_wheel_acc"][swap]) < 1e-10


def test_the_vehicle_does_not_mind_where_and_which_way_round_it_is() -> None:
    """Without gravity: the same state shifted, turned and moving on faster gives the same accelerations, turned."""
    model = changed(6)
    model["gravity"] = [0.0, 0.0, 0.0]
    state = random_state(np.random.default_rng(6), steering=True)
    turn = rotation_by(np.array([0.4, -1.1, 2.0]))
    R = np.eye(3) + 2 * turn[0] * skew(turn[1:]) + 2 * skew(turn[1:]) @ skew(turn[1:])
    other = {
        **state,
        "chassis_quat_wxyz": quaternion_product(turn, state["chassis_quat_wxyz"]),
        "chassis_pos": R @ state["chassis_pos"] + 1000.0,
        "chassis_omega_world": R @ state["chassis_omega_world"],
        "chassis_vel_world": R @ state["chassis_vel_world"] + 30.0,
        "wheel_wrench_world": np.hstack([state["wheel_wrench_world"][:, :3] @ R.T, state["wheel_wrench_world"][:, 3:] @ R.T]),
    }
    out, turned = accelerations(model, state), accelerations(model, other)
    assert error(turned["out_qdd_all"], out["out_qdd_all"]) < 1e-10
    assert error(turned["body_acc_com"], out["body_acc_com"] @ R.T) < 1e-10


def test_quarter_vehicle_is_the_whole_one_on_an_immovable_chassis() -> None:
    """A chassis of 1e9 times the mass only falls, and its corners answer as quarter vehicles without weight do."""
    model = changed(7)
    rng = np.random.default_rng(7)
    state = random_state(rng)
    state |= {"chassis_quat_wxyz": np.array([1.0, 0, 0, 0]), "chassis_omega_world": np.zeros(3), "chassis_vel_world": np.zeros(3)}
    heavy = copy.deepcopy(model)
    heavy["bodies"][0]["mass"] *= 1e9
    heavy["bodies"][0]["I"] = (1e9 * np.array(model["bodies"][0]["I"])).tolist()
    whole = accelerations(heavy, state)
    falling = np.array(model["gravity"])
    for n, corner in enumerate(CORNERS):
        part = {key: state[key][n] for key in QUARTER_INPUTS if key != "corner"} | {"corner": corner}
        weightless = {**model, "gravity": [0.0, 0.0, 0.0]}
        quarter = quarter_accelerations(weightless, part)
        assert error(whole["out_theta_ddot"][n], quarter["out_theta_ddot"]) < 1e-5
        assert error(whole["out_wheel_acc"][n], quarter["out_wheel_acc"]) < 1e-5
        assert error(whole["body_acc_com"][1 + 8 * n : 9 + 8 * n] - falling, quarter["body_acc_com"]) < 1e-4
