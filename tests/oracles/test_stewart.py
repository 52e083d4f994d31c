"""Does the Gough-Stewart platform match its published legs, reference runs and the multibody solver?"""

import dataclasses
import json

import numpy as np
import pytest
from legged_mechanisms import DATA, free_accelerations, free_joint, free_rates, shipped, with_axial_inertia

from research.benchmarks import stewart_leg
from simulator.base.errors import ConfigError
from simulator.base.records import record
from simulator.validation.linkages.linkage_parameters import stewart_parameters
from simulator.validation.linkages.stewart import STATE, euler_step, evaluate, leg_coordinates, make_stewart, solve_legs
from vehicles.multibody.formulations.kinds import make_formulation
from vehicles.multibody.tree.system import build_system
from washout.platform import HEXAPOD, leg_lengths

TSAI = json.loads((DATA / "stewart_tsai.json").read_text())
START = np.array([-1.5, 0.0, 1.0, 0.0, 0.0, 0.0])
H = 1e-3


def rows(name):
    return np.loadtxt(DATA / name, delimiter=",", skiprows=1)


def coordinates(m):
    out = np.zeros((6, 3))
    leg_coordinates(m, out)
    return out


def euler_run(axial):
    """Poses, rates (3001, 12) of the paper's run, and the model."""
    m = make_stewart(stewart_parameters(with_axial_inertia(shipped("stewart"), axial)))
    s, out, sign = record(STATE), np.zeros((3001, 12)), np.array([-1.0, 1.0] * 3)
    s[0]["pose"] = out[0, :6] = START
    for k in range(3000):
        assert euler_step(m, s, sign * 0.1 * np.sin(2.0 * np.pi * k * H / 3.0), H)
        out[k + 1] = np.concatenate([s[0]["pose"], s[0]["rates"]])
    return m, out


def test_shipped_platform_is_tsais():
    p = stewart_parameters(shipped("stewart"))[0]
    assert p["base_joints"].tolist() == TSAI["base_points_m"]
    assert p["platform_joints"].tolist() == TSAI["platform_points_m"]
    assert p["rest_length"].tolist() == [2.0] * 6
    assert (p["platform_mass"], *np.diag(p["platform_inertia"])) == (1.5, 0.08, 0.08, 0.08)
    for name, value in {
        "lower_mass": 0.1,
        "upper_mass": 0.1,
        "lower_center": 0.5,
        "upper_center": 0.5,
        "transverse_inertia": 0.0125,
    }.items():
        assert p[name] == pytest.approx(np.full(6, value), rel=1e-15), name
    assert not p["axial_inertia"].any() and not p["gravity"].any()


def test_legs_of_the_reference_poses():
    m = make_stewart(stewart_parameters(shipped("stewart")))
    for row in rows("stewart_inverse_kinematics.csv"):
        solve_legs(m, row[:6].copy())
        assert coordinates(m).ravel() == pytest.approx(row[6:], rel=0, abs=1e-12)


def test_code_written_from_the_groebner_basis_has_the_same_legs():
    m = make_stewart(stewart_parameters(shipped("stewart")))
    for row in rows("stewart_inverse_kinematics.csv"):
        solve_legs(m, row[:6].copy())
        ends = row[:3] + m.legs[0]["arm"].T - m.p[0]["base_joints"]
        for i, d in enumerate(ends):
            expected = [m.legs[0][name][i] for name in ("cos_beta", "sin_beta", "cos_alpha", "sin_alpha")]
            assert stewart_leg.solve(*map(float, d), 1.0, 1.0) == pytest.approx([m.legs[0]["length"][i] - 2.0, *expected], rel=0, abs=1e-14)


def test_motion_platform_has_the_same_legs():
    """The platform that moves the driver counts its pose from a neutral height and in roll, pitch and yaw; its legs are these."""
    m, p = make_stewart(stewart_parameters(shipped("stewart"))), record(HEXAPOD)
    p[0]["base_joints"], p[0]["platform_joints"] = m.p[0]["base_joints"], m.p[0]["platform_joints"]
    p[0]["neutral_height"] = 1.0
    lengths = np.zeros(6)
    for row in rows("stewart_inverse_kinematics.csv"):
        x, y, z, yaw, pitch, roll = row[:6]
        leg_lengths(p, np.array([x, y, z - 1.0, roll, pitch, yaw]), lengths)
        assert lengths == pytest.approx(row[8::3] + 2.0, rel=0, abs=1e-12)


def test_euler_run_without_axial_inertia():
    m, run = euler_run(0.0)
    for row in rows("stewart_euler1ms_Izz0.csv"):
        state = run[round(row[0] / H)]
        assert state == pytest.approx(np.concatenate([row[19:25], row[43:]]), rel=0, abs=1e-12)
        evaluate(m, state[:6].copy(), state[6:].copy(), np.zeros(6))
        assert coordinates(m).ravel() == pytest.approx(row[1:19], rel=0, abs=1e-12)
        assert m.motion[0]["rates"].T.ravel() == pytest.approx(row[25:43], rel=0, abs=1e-12)


@pytest.mark.parametrize(("axial", "name"), [(0.0, "Izz0"), (1.0 / 160.0, "Izz_1_160")])
def test_ends_of_the_euler_runs(axial, name):
    _, run = euler_run(axial)
    assert run[1000, :6] == pytest.approx(TSAI["reference"][name]["euler_1ms_t1"], rel=0, abs=1e-12)
    assert run[3000, :6] == pytest.approx(TSAI["reference"][name]["euler_1ms_t3"], rel=0, abs=1e-12)


@pytest.mark.parametrize("formulation", ["ce", "ta", "fa"])
@pytest.mark.parametrize("axial", [0.0, 1.0 / 160.0])
def test_engine_gives_the_same_accelerations(formulation, axial):
    mechanism = dataclasses.replace(with_axial_inertia(shipped("stewart"), axial), gravity=np.array([0.4, -0.7, -9.0]))
    m, system = make_stewart(stewart_parameters(mechanism)), build_system(mechanism)
    engine = make_formulation(formulation, system)
    rng = np.random.default_rng(4)
    for _ in range(8):
        pose, rates, actuators = START + rng.uniform(-0.2, 0.2, 6), rng.normal(size=6), rng.normal(size=6)
        assert evaluate(m, pose, rates, actuators)
        q, v, tau, expected = system.neutral(), np.zeros(system.n_v), np.zeros(system.n_v), np.zeros(system.n_v)
        motion, legs, free = m.motion[0], coordinates(m), system.joint_v["platform"]
        accelerations = np.einsum("kin,i->kn", motion["B"], motion["accelerations"]) + motion["bias"]
        q[system.joint_q["platform"]], v[free] = free_joint(pose), free_rates(pose, rates)
        expected[free] = free_accelerations(pose, rates, motion["accelerations"])
        for i in range(6):
            for joint, part in ((f"base joint {i + 1}", slice(0, 2)), (f"slider {i + 1}", slice(2, 3))):
                q[system.joint_q[joint]], v[system.joint_v[joint]] = legs[i, part], motion["rates"][part, i]
                expected[system.joint_v[joint]] = accelerations[part, i]
            tau[system.joint_v[f"slider {i + 1}"]] = actuators[i]
        assert engine.accelerations(q, v, tau) == pytest.approx(expected, rel=0, abs=1e-11)


def test_leg_along_x_has_no_acceleration():
    """alpha is not determined there."""
    p = stewart_parameters(shipped("stewart"))
    pose = np.concatenate([p[0]["base_joints"][0] - p[0]["platform_joints"][0] + [1.0, 0.0, 0.0], np.zeros(3)])
    assert not evaluate(make_stewart(p), pose, np.zeros(6), np.zeros(6))


def replaced(mechanism, part, name, **changes):
    items = [dataclasses.replace(item, **changes) if item.name == name else item for item in getattr(mechanism, part)]
    return dataclasses.replace(mechanism, **{part: tuple(items)})


@pytest.mark.parametrize(
    ("part", "name", "changes", "key"),
    [
        ("joints", "base joint 2", {"axes": np.eye(3)[[1, 0]]}, "joints.base joint 2"),
        ("joints", "slider 3", {"axes": np.eye(3)[[0]]}, "joints.slider 3"),
        ("joints", "slider 3", {"kind": "revolute"}, "joints.slider 3.type"),
        ("loops", "platform joint 4", {"kind": "distance", "length": 1.0}, "loops.platform joint 4"),
        ("bodies", "leg 5 upper", {"p_BoBcm": np.zeros(3)}, "bodies.leg 5 upper.com"),
        ("bodies", "leg 6 lower", {"I_BBcm": np.diag([1.0, 2.0, 2.0])}, "bodies.leg 6 lower.inertia"),
    ],
)
def test_other_mechanisms_are_refused_by_the_part_that_differs(part, name, changes, key):
    with pytest.raises(ConfigError) as error:
        stewart_parameters(replaced(shipped("stewart"), part, name, **changes))
    assert f"{key}: " in str(error.value)


def test_a_suspension_is_no_platform():
    with pytest.raises(ConfigError, match="loops"):
        stewart_parameters(shipped("five_link"))
