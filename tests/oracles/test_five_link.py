"""Does the five-link suspension match the reference? Against its curves, its reduced mass and static force, a run, and the multibody
solver.
"""

import dataclasses
import json
import math

import numpy as np
import pytest
from legged_mechanisms import DATA, free_accelerations, free_joint, free_rates, shipped

from simulator.base.errors import ConfigError
from simulator.base.records import record
from simulator.validation.linkages.five_link import (
    DEPENDENT,
    STATE,
    euler_step,
    evaluate,
    link_angles,
    make_five_link,
    solve_links,
    solve_pose,
)
from simulator.validation.linkages.linkage_parameters import five_link_parameters
from vehicles.multibody.formulations.kinds import make_formulation
from vehicles.multibody.tree.system import build_system

FACTS = json.loads((DATA / "five_link.json").read_text())
CURVES = np.loadtxt(DATA / "five_link_curves.csv", delimiter=",")
SMALL = 1e-9
"""m, rad. Newton's last step; what is left after it is of the order of its square."""


@pytest.fixture(scope="module")
def suspension():
    return make_five_link(five_link_parameters(shipped("five_link")))


def angles(m):
    out = np.zeros((5, 2))
    link_angles(m, out)
    return out


def pose_at(z):
    return np.array([0.0, 0.0, z, 0.0, 0.0, 0.0])


def test_curves_over_wheel_travel(suspension):
    """From the design position to any height at once, as from the neighbor."""
    for row in CURVES:
        pose = pose_at(row[0])
        assert solve_pose(suspension, pose, SMALL) > 0
        solve_links(suspension, pose)
        assert pose[list(DEPENDENT)] == pytest.approx(row[1:6], rel=0, abs=1e-12)
        assert angles(suspension).ravel() == pytest.approx(row[6:16], rel=0, abs=1e-12)
        lengths = np.linalg.norm(suspension.links[0]["d"], axis=0)
        assert lengths == pytest.approx(FACTS["L"], rel=0, abs=1e-14)


def test_reduced_mass_and_static_force(suspension):
    for z, mass, force in FACTS["effective_mass_and_static_force"]:
        assert evaluate(suspension, pose_at(z), 0.0, np.zeros(3), SMALL)
        assert suspension.motion[0]["reduced_mass"] == pytest.approx(mass, rel=1e-12)
        assert -suspension.motion[0]["reduced_force"] == pytest.approx(force, rel=1e-12)


def test_reference_run(suspension):
    """Classical Runge-Kutta over 3 s under a wheel force that swings about the static one."""
    run, pose, force = FACTS["euler_run"], np.zeros(6), np.zeros(3)

    def rates(t, z, v):
        pose[2], force[2] = z, run["Fs"] + 20.0 * math.cos(2.0 * math.pi * t)
        assert evaluate(suspension, pose, v, force, SMALL)
        return np.array([v, suspension.motion[0]["acceleration"]])

    y, h = np.array([run["z0"], run["v0"]]), run["h"]
    for k in range(round(run["T"] / h)):
        t = k * h
        k1 = rates(t, *y)
        k2 = rates(t + 0.5 * h, *(y + 0.5 * h * k1))
        k3 = rates(t + 0.5 * h, *(y + 0.5 * h * k2))
        k4 = rates(t + h, *(y + h * k3))
        y = y + h / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4)
    assert y == pytest.approx(run["rk4_end_z_v"], rel=0, abs=1e-12)


def test_euler_step_is_the_method_of_first_order(suspension):
    s, force = record(STATE), np.array([0.0, 0.0, 170.0])
    s[0]["pose"], s[0]["rate"] = pose_at(0.02), 0.3
    assert evaluate(suspension, s[0]["pose"].copy(), 0.3, force, SMALL)
    acceleration = float(suspension.motion[0]["acceleration"])
    assert euler_step(suspension, s, force, 1e-3, SMALL)
    assert (s[0]["pose"][2], s[0]["rate"]) == (0.02 + 1e-3 * 0.3, 0.3 + 1e-3 * acceleration)


@pytest.mark.parametrize("formulation", ["ce", "ta", "fa"])
def test_engine_gives_the_same_accelerations(suspension, formulation):
    mechanism = shipped("five_link")
    system = build_system(mechanism)
    engine = make_formulation(formulation, system)
    names = [loop.name for loop in mechanism.loops]
    solve_links(suspension, pose_at(0.0))
    drawn = angles(suspension)
    rng = np.random.default_rng(7)
    for z in (-0.08, -0.03, 0.0, 0.05, 0.09):
        pose, rate, force = pose_at(z), rng.normal(), 100.0 * rng.normal(size=3)
        assert evaluate(suspension, pose, rate, force, SMALL)
        motion, free = suspension.motion[0], system.joint_v["carrier"]
        q, v, expected = system.neutral(), np.zeros(system.n_v), np.zeros(system.n_v)
        q[system.joint_q["carrier"]], v[free] = free_joint(pose), free_rates(pose, motion["pose_rates"])
        accelerations = motion["acceleration"] * motion["pose_map"] + motion["pose_bias"]
        expected[free] = free_accelerations(pose, motion["pose_rates"], accelerations)
        # the file's second axis is -y' at the design position, where the engine's angles are zero
        turned = angles(suspension) - drawn
        for i, name in enumerate(names):
            joint = next(joint for joint in mechanism.joints if joint.name == name)
            sign = np.array([1.0, np.sign(joint.axes[1] @ [0.0, math.cos(drawn[i, 0]), math.sin(drawn[i, 0])])])
            q[system.joint_q[name]], v[system.joint_v[name]] = sign * turned[i], sign * motion["rates"][:, i]
            expected[system.joint_v[name]] = sign * (motion["acceleration"] * motion["B"][:, i] + motion["bias"][:, i])
        wrenches = np.zeros((system.parts.tree.nodes.size, 6))
        wrenches[system.node["carrier"], 3:] = force
        assert engine.accelerations(q, v, wrenches=wrenches) == pytest.approx(expected, rel=1e-11, abs=1e-11)


def test_heights_out_of_reach_have_no_position(suspension):
    assert solve_pose(suspension, pose_at(0.6), SMALL) == 0


def test_links_may_not_lie_along_x():
    mechanism = shipped("five_link")
    loop = mechanism.loops[0]
    inner = mechanism.carrier(loop.predecessor).p_PF
    loops = (dataclasses.replace(loop, p_predecessor=inner + [0.3, 0.0, 0.0]), *mechanism.loops[1:])
    with pytest.raises(ConfigError, match="upper front"):
        five_link_parameters(dataclasses.replace(mechanism, loops=loops))


def test_a_loop_that_is_open_as_drawn_is_named():
    mechanism = shipped("five_link")
    loops = (*mechanism.loops[:4], dataclasses.replace(mechanism.loops[4], p_successor=np.zeros(3)))
    with pytest.raises(ConfigError, match=r"loops\.toe link"):
        five_link_parameters(dataclasses.replace(mechanism, loops=loops))
