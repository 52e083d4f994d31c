"""Do the step equations of a rigid axle on rods or leaf springs agree with the multibody solver, and do they conserve energy?"""

from __future__ import annotations

from typing import Any

import mpmath
import numpy as np
import pytest

from simulator.base.arrays import Array
from simulator.base.errors import ConfigError
from tests.laws.corner_bodies import own_of
from tests.laws.free_motion import FreeMotion, free_motion
from tests.laws.free_vehicle import attitude, energies, integrate
from tests.laws.test_mirror import AXIAL, POLAR, SWAP, mirrored, without_shafts_along_x
from tests.laws.vehicle_rig import command, drive, standing
from tests.oracles.rigid_axles import AXLES, mapping_with, truck, truck_on
from vehicles.description import read_description
from vehicles.dynamics import accelerations
from vehicles.mechanism_parameters import CORNER_NAMES, new_mechanism, new_workspace
from vehicles.multibody.formulations.constraint_embedding_formulation import ConstraintEmbedding
from vehicles.multibody_vehicle import CHASSIS
from vehicles.suspension.composite_inertia import Workspace
from vehicles.suspension.rigid_axle.block import RIGID_AXLE_BLOCK

TRACK = 0.8
"""Half of it."""


def random_state(kind: str, seed: int) -> Workspace:
    """Everything moves, everything is loaded; evaluated."""
    rng, m = np.random.default_rng(seed), truck(kind).mechanism
    w = new_workspace(m)
    x, loads = w.state[0], w.loads[0]
    q = rng.normal(size=4)
    x["p_WB"], x["q_WB"] = rng.uniform(-5.0, 5.0, 3), q / np.linalg.norm(q)
    x["v_WB_B"], x["w_WB_B"] = rng.uniform(-10.0, 10.0, 3), rng.uniform(-2.0, 2.0, 3)
    x["theta"] = np.r_[rng.uniform(-0.2, 0.2, 2), rng.uniform(-0.12, 0.12, 2)]
    x["theta_dot"], x["wheel_spin"] = np.r_[rng.uniform(-3.0, 3.0, 2), rng.uniform(-1.5, 1.5, 2)], rng.uniform(-10.0, 45.0, 4)
    loads["wheel_force"] = rng.uniform(-15e3, 15e3, (3, 4))
    loads["carrier_couple"] = rng.uniform(-1.5e3, 1.5e3, (3, 4))
    accelerations(m.records, w)
    return w


def error(ours: Any, theirs: Any) -> float:
    """Largest |ours - theirs| over max(1, |theirs|)."""
    return float(np.max(np.abs(ours - theirs) / np.maximum(1.0, np.abs(theirs))))


@pytest.mark.parametrize("kind", AXLES)
@pytest.mark.parametrize("seed", range(3))
def test_accelerations_are_those_of_the_general_engine(kind: str, seed: int) -> None:
    """All 14, everything moving and loaded, couples along the axles too, as of brakes and drives."""
    design, _, system = truck(kind)
    w = random_state(kind, seed)
    x, out, loads = w.state[0], w.out[0], w.loads[0]
    theta, rate = x["theta"], x["theta_dot"]
    q, v = system.neutral(), np.zeros(system.n_v)
    R = attitude(x["q_WB"])
    q[system.joint_q[CHASSIS]], v[system.joint_v[CHASSIS]] = np.r_[x["p_WB"], x["q_WB"]], np.r_[R @ x["w_WB_B"], R @ x["v_WB_B"]]
    wrenches = np.zeros((system.parts.tree.nodes.size, 6))
    for i, name in enumerate(CORNER_NAMES):
        v[system.joint_v[f"{name}_wheel"]] = x["wheel_spin"][i] - out["carrier_spin"][i]
        axial = (loads["carrier_couple"][:, i] @ w.kinematics[0]["axle"][:, i]) * w.kinematics[0]["axle"][:, i]
        wrenches[system.node[f"{name}_wheel"]] = np.r_[R @ (loads["carrier_couple"][:, i] - axial), R @ loads["wheel_force"][:, i]]
        wrenches[system.node[f"{name}_knuckle"]] = np.r_[R @ axial, np.zeros(3)]
    front = [np.sign(np.cross(c.lower_arm_axis, c.D - c.lower_arm_point)[2]) for c in design.corners[:2]]  # type: ignore[attr-defined]
    joints = {f"{name}_lca": (side * theta[i], side * rate[i]) for i, (name, side) in enumerate(zip(CORNER_NAMES, front, strict=False))}
    roll = float(np.arcsin((theta[2] - theta[3]) / (2.0 * TRACK)))
    per = 1.0 / (2.0 * TRACK * np.cos(roll))
    rolling = per * (rate[2] - rate[3])
    joints |= {"RL_z": (theta[2:].mean(), rate[2:].mean()), "RL_roll": (roll, rolling)}
    for name, (position, velocity) in joints.items():
        q[system.joint_q[name]], v[system.joint_v[name]] = position, velocity
    q, v = ConstraintEmbedding(system, system.neutral()).close(q, v)
    found = ConstraintEmbedding(system, q).accelerations(q, v, wrenches=wrenches)
    assert error(R.T @ found[system.joint_v[CHASSIS]][:3], out["alpha_WB_B"]) < 1e-9
    assert error(R.T @ found[system.joint_v[CHASSIS]][3:], out["a_WB_B"]) < 1e-9
    left, right = out["theta_ddot"][2:]
    ours = {f"{CORNER_NAMES[i]}_lca": side * out["theta_ddot"][i] for i, side in enumerate(front)}
    ours |= {"RL_z": 0.5 * (left + right), "RL_roll": per * (left - right) + np.tan(roll) * rolling**2}
    for name, value in ours.items():
        assert error(found[system.joint_v[name]][0], value) < 1e-9, name


# ---- exact maps


def place_exactly(kind: str, theta: Array, point: Array) -> Any:
    """Where a point of the beam, from C in its frame, is to 40 digits: center and quaternion of the beam from four rods and two heights."""
    side: Any = truck(kind).design.corners[2]
    guide, C = side.guide, side.C

    def rotated(q: Any, r: Any) -> Any:
        w, x, y, z = q
        t = [2 * (y * r[2] - z * r[1]), 2 * (z * r[0] - x * r[2]), 2 * (x * r[1] - y * r[0])]
        return [r[0] + w * t[0] + y * t[2] - z * t[1], r[1] + w * t[1] + z * t[0] - x * t[2], r[2] + w * t[2] + x * t[1] - y * t[0]]

    def open_by(*unknown: Any) -> Any:
        at, q = unknown[:3], unknown[3:]
        rows = [sum(one * one for one in q) - 1]
        for anchor, joint, normal, plane in zip(guide.anchors, guide.joints, guide.normals, guide.planes, strict=True):
            now = [c + a + r for c, a, r in zip(C, at, rotated(q, joint - C), strict=True)]
            d = [n - a for n, a in zip(now, anchor, strict=True)]
            length = sum(mpmath.mpf(float(x)) ** 2 for x in joint - anchor)
            rows.append(sum(n * x for n, x in zip(normal, d, strict=True)) if plane else (sum(x * x for x in d) - length) / 2)
        for height, t in zip(theta, (TRACK, -TRACK), strict=True):
            rows.append(at[2] + rotated(q, [0, mpmath.mpf(t), 0])[2] - height)
        return rows

    start = [0, 0, sum(theta) / 2, 1, (theta[0] - theta[1]) / (4 * TRACK), 0, 0]
    found = mpmath.findroot(open_by, [mpmath.mpf(one) for one in start], tol=1e-60)
    return mpmath.matrix([c + a + r for c, a, r in zip(C, found[:3], rotated(list(found[3:]), point), strict=True)])


@pytest.mark.parametrize("kind", AXLES)
def test_position_and_its_derivatives_are_exact(kind: str) -> None:
    """Center of mass of a half, its velocity map and its acceleration at theta'' = 0, against differences in 40 digits."""
    m = truck(kind).mechanism
    w = new_workspace(m)
    theta, rate = np.array([0.11, -0.06]), np.array([1.3, -0.4])
    w.state[0]["theta"][2:], w.state[0]["theta_dot"][2:] = theta, rate
    accelerations(m.records, w)
    parameters, memory = own_of(w.blocks, RIGID_AXLE_BLOCK)
    point, motion = parameters[0]["com"][:, 2], {name: memory[0][name][0, :, 2] for name in ("c", "u", "v_rel", "a_rel")}
    with mpmath.workdps(40):
        h = mpmath.mpf("1e-12")

        def at(*way: Any) -> Any:
            return place_exactly(kind, [mpmath.mpf(float(t)) + h * mpmath.mpf(float(x)) for t, x in zip(theta, way, strict=True)], point)

        here, ahead, behind = at(0.0, 0.0), at(*rate), at(*-rate)
        exact = {"c": here, "v_rel": (ahead - behind) / (2 * h), "a_rel": (ahead - 2 * here + behind) / h**2}
        exact["u"] = (at(1.0, 0.0) - at(-1.0, 0.0)) / (2 * h)
        for name, value in exact.items():
            assert error(motion[name], np.array([float(x) for x in value])) < 1e-12, name


def beam(kind_or_axle: str | dict[str, Any], left: float, right: float) -> dict[str, Array]:
    """x, y, psi, chi of the axle and their derivatives by z and phi, with the wheels so high."""
    m = (truck(kind_or_axle) if isinstance(kind_or_axle, str) else truck_on(kind_or_axle)).mechanism
    w = new_workspace(m)
    w.state[0]["theta"][2:] = left, right
    accelerations(m.records, w)
    memory = own_of(w.blocks, RIGID_AXLE_BLOCK)[1][0]
    return {"at": memory["at"][:, 2], "z": memory["by_height"].copy(), "phi": memory["by_roll"].copy()}


def changed(kind: str, **points: list[float]) -> dict[str, Any]:
    """One of AXLES with other hardpoints."""
    return {**AXLES[kind], "hardpoints_left": AXLES[kind]["hardpoints_left"] | points}


def test_an_axle_rolls_about_the_panhard_rod_where_it_crosses_the_middle() -> None:
    """Level links: the center of the beam's roll is that point of the rod."""
    level = changed("panhard", LOWER_A=[0.02, 0.55, 0.02], UPPER_C=[0.5, 0.0, 0.2], UPPER_A=[0.0, 0.0, 0.2])
    points = level["hardpoints_left"]
    points["PANHARD_C"], points["PANHARD_A"] = [-0.1, 0.5, 0.16], [-0.1, -0.4, 0.07]
    by_roll = beam(level, 0.0, 0.0)["phi"]
    assert by_roll[2:] == pytest.approx([0.0, 0.0], abs=1e-14)
    assert by_roll[1] == pytest.approx(0.07 + 0.09 * 0.4 / 0.9, abs=1e-14)


def test_roll_steer_is_the_slope_of_the_lower_links() -> None:
    """Links along the car: a beam that rolls turns by the slope of its links, chassis end over axle end."""
    sloping = changed("panhard", LOWER_C=[0.6, 0.6, -0.03], UPPER_C=[0.5, 0.0, 0.2], UPPER_A=[0.0, 0.0, 0.2])
    sloping["hardpoints_left"] |= {"PANHARD_C": [0.0, 0.5, 0.0], "PANHARD_A": [0.0, -0.5, 0.0]}
    assert beam(sloping, 0.0, 0.0)["phi"][2] == pytest.approx(0.05 / 0.58, abs=1e-14)


def test_a_leaf_spring_guides_as_its_halves_bend() -> None:
    """Unlike halves pitch the axle by 1/a - 1/b; a level even spring moves it on the arc of three quarters of a half, without pitch."""
    assert beam("leaf", 0.0, 0.0)["z"][3] == pytest.approx(1.0 / 0.62 - 1.0 / 0.78, abs=1e-13)
    even = changed("leaf", FRONT_EYE=[0.7, 0.53, 0.07], REAR_EYE=[-0.7, 0.53, 0.07]) | {"eye_offset": 0.0}
    at = beam(even, 0.1, 0.1)["at"]
    assert at == pytest.approx([0.525 - np.sqrt(0.525**2 - 0.01), 0.0, 0.0, 0.0], abs=1e-13)
    raised = changed("leaf", FRONT_EYE=[0.7, 0.53, 0.1], REAR_EYE=[-0.7, 0.53, 0.1]) | {"eye_offset": 0.03}
    assert beam(raised, 0.0, 0.0)["z"][0] == pytest.approx(-2.0 * 0.03 / 0.7, abs=1e-14), "the eye turns with the tip"
    assert beam(raised, 0.0, 0.0)["phi"][1] == pytest.approx(0.07, abs=1e-14), "it rolls about the seats"


# ---- laws


def tumbling(kind: str) -> FreeMotion:
    """Without dampers and bars, springs 20 mm off their rest, everything turning."""
    design, mechanism, _ = truck(kind)
    m = free_motion(new_mechanism(design.chassis, design.corners, design.without_bars().struts), 9.81)
    state, struts = m.state[0], m.struts[0]
    for name in ("compression_damping", "rebound_damping", "compression_damping_end", "rebound_damping_end"):
        struts[name] = 0.0
    w = new_workspace(mechanism)
    accelerations(mechanism.records, w)
    struts["spring_free_length"] = w.kinematics[0]["spring_length"] + 0.02
    state["theta"], state["theta_dot"] = [0.05, -0.05, 0.03, -0.03], [0.0, 0.0, 0.4, -0.3]
    state["w_WB_B"], state["wheel_spin"] = [0.3, 0.2, 0.5], 30.0
    return m


@pytest.mark.parametrize("kind", ["panhard", "leaf"])
def test_energy_stays_and_its_error_falls_with_the_fourth_power_of_the_step(kind: str) -> None:
    errors = []
    for h in (4e-3, 2e-3):
        m = tumbling(kind)
        both = np.array([energies(m, state) for state in integrate(m, 1.0, h, every=round(0.04 / h))])
        total = both.sum(axis=1)
        errors.append(float(np.abs(total - total[0]).max() / both[:, 0].max()))
    assert errors[1] < 1e-8
    assert errors[0] > 12.0 * errors[1]


@pytest.mark.parametrize("kind", AXLES)
def test_mirror_image_of_accelerations(kind: str) -> None:
    """That of a one-sided axle is the axle with its Panhard rod on the other side."""
    w, m = random_state(kind, 1), truck(kind, mirrored=True).mechanism
    other = new_workspace(m)
    other.state[:] = mirrored(w.state)
    for name, sign in (("wheel_force", POLAR), ("carrier_couple", AXIAL)):
        other.loads[0][name] = (sign[:, None] * w.loads[0][name])[:, SWAP]
    accelerations(m.records, other)
    ours, theirs = w.out[0], other.out[0]
    assert error(theirs["a_WB_B"], POLAR * ours["a_WB_B"]) < 1e-10
    assert error(theirs["alpha_WB_B"], AXIAL * ours["alpha_WB_B"]) < 1e-10
    assert error(theirs["theta_ddot"], ours["theta_ddot"][SWAP]) < 1e-10


# ---- in a vehicle


def test_the_light_truck_stands_still() -> None:
    """But for the engine that comes to its idling speed and twists the body by 0.2 N m: left out here."""
    car = without_shafts_along_x("light_truck", "flat", 0.0, 0.0)
    before = car.space.state.copy()
    drive(car, "flat", command(), 2.0)
    for name in ("p_WB", "q_WB", "theta"):
        assert np.abs(car.space.state[0][name] - before[0][name]).max() < 1e-9, name
    weight = (car.model.chassis[0]["mass"] + car.model.corners[0]["corner_mass"].sum()) * 9.80665
    assert car.read()[0]["F_C"][:, 2].sum() == pytest.approx(weight, rel=1e-9)
    assert np.abs(car.read()[0]["jounce"]).max() < 5e-3
    assert car.read()[0]["jounce"][2:] == pytest.approx(car.space.state[0]["theta"][2:], abs=1e-12)


def test_its_final_drive_twists_the_beam_and_its_gearbox_the_body() -> None:
    """Both couples add up to what a final drive on the chassis gets; the shaft's is the half shafts' by ratio and losses."""
    car = standing("light_truck", "flat", gear=1)
    go = command(throttle=0.6, selector=1)
    drive(car, "flat", go, 2.0)
    other, loads = car.new_instance(), []
    other.piece.memory[:] = car.piece.memory
    for v, carried in ((car, 1), (other, 0)):
        v.model.corners[0]["carries_drive"][1] = carried
        drive(v, "flat", go, 1e-3)
        v.model.corners[0]["carries_drive"][1] = 1
        loads.append((v.space.loads[0]["chassis_couple"].copy(), v.space.loads[0]["carrier_couple"].copy()))
    axles, axis = car.space.axles[0], car.space.kinematics[0]["axle"][:, 2]
    pinion, torque = float(axles["pinion_torque"][1]), float(axles["drive_torque"][2:].sum())
    on_chassis, on_beam = loads[0][0] - loads[1][0], (loads[0][1] - loads[1][1])[:, 2:].sum(axis=1)
    assert torque > 500.0
    assert on_beam[:2] == pytest.approx([pinion, float(axles["housing_torque"][1]) * axis[1]], abs=1.0)
    assert on_chassis + on_beam == pytest.approx([0.0, 0.0, 0.0], abs=1.0)
    assert 0.2681 * torque < pinion < 1.1 * 0.2681 * torque


# ---- nonsense


def without(kind: str, *names: str) -> dict[str, Any]:
    """One of AXLES without these hardpoints."""
    return {**AXLES[kind], "hardpoints_left": {name: point for name, point in AXLES[kind]["hardpoints_left"].items() if name not in names}}


BROKEN = {
    "half a Panhard rod": (without("panhard", "PANHARD_A"), "hardpoints_left", "or neither"),
    "nothing sideways": (
        changed("four_link", LOWER_A=[0.02, 0.55, -0.08], UPPER_A=[0.05, 0.5, 0.2]),
        "hardpoints_left",
        "rods that locate the axle",
    ),
    "a short Panhard rod": (changed("panhard", PANHARD_C=[-0.12, -0.42, 0.08]), "hardpoints_left", "rise and fall by 0.15 m"),
    "an eye behind the seat": (changed("leaf", FRONT_EYE=[-0.3, 0.52, 0.06]), "hardpoints_left.FRONT_EYE", "ahead of SEAT"),
    "a stop below the seat": (changed("leaf", STOP_C=[0.0, 0.53, 0.0]), "hardpoints_left.STOP_C", "above SEAT"),
    "leaves of paper": (AXLES["leaf"] | {"leaves": "paper"}, "leaves", "uniform_strength"),
}


@pytest.mark.parametrize("name", BROKEN)
def test_what_holds_no_axle_is_refused_with_the_reason(name: str) -> None:
    axle, key, expected = BROKEN[name]
    with pytest.raises(ConfigError, match=expected) as caught:
        read_description(mapping_with(axle), "truck.yaml")
    assert caught.value.key == f"axles.rear.{key}"


def test_a_rigid_axle_is_not_steered() -> None:
    mapping = mapping_with(AXLES["leaf"])
    mapping["axles"]["front"] = mapping["axles"]["rear"]
    with pytest.raises(ConfigError, match="rigid axles cannot be steered"):
        read_description(mapping, "truck.yaml")
