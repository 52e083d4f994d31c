"""Are mechanism files read as described in `docs/mechanisms.md`, and are other keys and values rejected?"""

import copy
import math
import re
from pathlib import Path

import numpy as np
import pytest
import yaml

from simulator.base.errors import ConfigError
from tests.key_paths import key_paths
from tests.oracles.tree_poses import loop_gap, poses, quaternion_matrix
from vehicles.multibody.description.initial_state import resting_state
from vehicles.multibody.description.mechanism_file import mechanism_from_mapping

FILE = "m.yaml"


def documented():
    """The example of the documentation."""
    text = (Path(__file__).parents[2] / "docs/mechanisms.md").read_text()
    return yaml.safe_load(re.search(r"```yaml\n(.*?)```", text, re.DOTALL).group(1))


def read(mapping):
    return mechanism_from_mapping(mapping, FILE)


def one_body(joint=None, body=None, **more):
    """A body on the world, of whatever kind."""
    return {
        "name": "m",
        "bodies": {"b": body or {"mass": 1, "com": [0, 0, 0]}},
        "joints": {"j": {"parent": "world", "child": "b", **(joint or {})}},
        **more,
    }


def free(body=None, **more):
    return one_body({"type": "free"}, body, **more)


def two_bodies(**more):
    """Two bodies with frames on hinges, and what else there is."""
    body = {"mass": 1, "frame": {"position": [1, 0, 0], "rotation_deg": [0, 0, 90]}}
    return {
        "name": "m",
        "bodies": {"a": {"mass": 1, "com": [0, 0, 0]}, "b": body},
        "joints": {
            "j": {"type": "revolute", "parent": "world", "child": "a", "point": [0, 0, 0], "axis": [0, 0, 1]},
            "k": {"type": "revolute", "parent": "a", "child": "b", "point": [1, 2, 3], "axis": [0, 0, 2]},
        },
        **more,
    }


def test_documented_example_is_assembled_in_position_and_velocity():
    mechanism, state = read(documented())
    h = 1e-6
    for loop in mechanism.loops:
        gap = [loop_gap(mechanism, loop, {j: state.positions[j] + t * state.rates[j] for j in state.positions}) for t in (-h, 0.0, h)]
        assert np.abs(gap[1]).max() < 1e-15
        assert np.abs(gap[2] - gap[0]).max() / (2 * h) < 1e-8
    for coupling in mechanism.couplings:
        assert sum(c * state.rates[j][0] for j, c in coupling.terms) == 0.0


def test_without_frames_every_number_is_as_written():
    mechanism, _ = read(documented())
    joint, loop = mechanism.joint("pin"), mechanism.loops[0]
    assert (joint.p_PF.tolist(), joint.p_BM.tolist()) == ([0.05, 0, 0], [0.05, 0, 0])
    assert np.array_equal(joint.R_PF, np.eye(3))
    assert (loop.p_predecessor.tolist(), loop.p_successor.tolist()) == ([0.2, 0, 0], [0.2, 0, 0])
    assert mechanism.gravity.tolist() == [0, 0, -9.81]


def test_documented_example_has_every_part():
    mechanism, state = read(documented())
    bodies = {body.name: body for body in mechanism.bodies}
    assert np.diag(bodies["rod"].I_BBcm) == pytest.approx([0, 0.4 * 0.15**2 / 12, 0.4 * 0.15**2 / 12], abs=1e-18)
    assert bodies["rod"].p_BoBcm == pytest.approx([0.125, 0, 0])
    assert not bodies["piston"].I_BBcm.any()
    assert bodies["shaft"].p_BoBcm.tolist() == [-0.01, 0, 0]
    assert mechanism.joint("balance").p_PF.tolist() == [0, 0, -0.1]
    assert not mechanism.joint("balance").p_BM.any()
    assert mechanism.couplings[0].terms == (("bearing", 1.0), ("balance", 1.0))
    spring = mechanism.springs[0]
    assert (spring.body_a, spring.body_b, spring.rate, spring.free_length, spring.damping) == ("world", "piston", 2000, 0.15, 5)
    assert (mechanism.joint_springs[0].joint, mechanism.joint_springs[0].damping) == ("bearing", 0.001)
    assert mechanism.forces[0].force.tolist() == [-50, 0, 0]
    assert mechanism.joint_forces[0].value == 0.5
    assert [mechanism.joint(name).independent for name in ("bearing", "pin")] == [True, None]
    assert state.rates["bearing"].tolist() == [100]


def test_with_frames_bodies_stand_in_them_at_zero_coordinates_and_joints_keep_their_place():
    mechanism, state = read(two_bodies())
    placed = poses(mechanism, state.positions)
    assert placed["b"][0] == pytest.approx([1, 0, 0], abs=1e-15)
    assert placed["b"][1] == pytest.approx(np.array([[0, -1, 0], [1, 0, 0], [0, 0, 1]]), abs=1e-15)
    turned = poses(mechanism, {"j": [0.0], "k": [math.pi / 2]})
    assert turned["b"][0] == pytest.approx([1 + 2, 2, 0], abs=1e-15)  # about the point (1, 2, 3) along +z of the world


def test_frame_by_its_axes_is_the_frame_by_its_angles():
    mapping = two_bodies()
    angles = read(mapping)[0].joint("k").R_BM
    mapping["bodies"]["b"]["frame"] = {"position": [1, 0, 0], "axes": [[0, 1, 0], [-1, 0, 0], [0, 0, 1]]}
    assert angles == pytest.approx(read(mapping)[0].joint("k").R_BM, abs=1e-15)


def test_shared_points_and_axes_are_of_the_world_and_own_ones_of_the_body():
    """A loop given once in the world, and given end by end in frames, is the same loop."""
    shared = {"type": "revolute", "predecessor": "b", "successor": "a", "point": [1, 2, 0], "axis": [0, 3, 0]}
    own = {
        "type": "revolute",
        "predecessor": {"body": "b", "point": [2, 0, 0], "axis": [1, 0, 0]},
        "successor": {"body": "a", "point": [1, 2, 0], "axis": [0, 1, 0]},
    }
    one, other = (read(two_bodies(loops={"l": loop}))[0].loops[0] for loop in (shared, own))
    for part in ("p_predecessor", "p_successor", "axis_predecessor", "axis_successor"):
        assert getattr(one, part) == pytest.approx(getattr(other, part), abs=1e-15)


def test_distance_is_as_designed_unless_given():
    ends = {"predecessor": {"body": "b", "point": [0, 3, 0]}, "successor": {"body": "world", "point": [-2, 4, 0]}}
    assert read(two_bodies(loops={"l": {"type": "distance", **ends}}))[0].loops[0].length == pytest.approx(
        4.0
    )  # b: 90 deg about z at (1, 0, 0)
    assert read(two_bodies(loops={"l": {"type": "distance", "length": 7, **ends}}))[0].loops[0].length == 7.0


def test_forces_act_at_the_center_of_mass_unless_a_point_is_given():
    body = {"mass": 1, "com": [1, 2, 3]}
    at = [
        read(free(body, forces={"f": {"body": "b", "force": [0, 0, 1], **point}}))[0].forces[0].point
        for point in ({}, {"point": [4, 5, 6]})
    ]
    assert [p.tolist() for p in at] == [[1, 2, 3], [4, 5, 6]]


def test_a_free_body_stands_in_its_frame_until_the_state_moves_it():
    body = {"mass": 1, "frame": {"position": [1, 2, 3], "rotation_deg": [10, 20, 30]}}
    mechanism, state = read(free(body))
    p, R = poses(mechanism, state.positions)["b"]
    assert p.tolist() == [1, 2, 3]
    assert R[2, 0] == pytest.approx(-math.sin(math.radians(20)))
    moved = {"j": {"position": [7, 8, 9], "quaternion": [0, 0, 0, -2], "angular_velocity": [1, 2, 3], "velocity": [4, 5, 6]}}
    _, state = read(free(body, state=moved))
    assert state.positions["j"].tolist() == [7, 8, 9, 0, 0, 0, -1]
    assert state.rates["j"].tolist() == [1, 2, 3, 4, 5, 6]


def test_states_of_every_kind_of_joint():
    revolute = {"type": "revolute", "point": [0, 0, 0], "axis": [0, 0, 1]}
    for value, wanted in (
        (0.5, (0.5, 0.0)),
        ([0.5, 2], (0.5, 2.0)),
        ({"position_deg": 90, "rate_deg": 180}, (math.pi / 2, math.pi)),
        ({"rate": 3}, (0.0, 3.0)),
    ):
        _, state = read(one_body(revolute, state={"j": value}))
        assert (state.positions["j"][0], state.rates["j"][0]) == wanted
    _, state = read(one_body({**revolute, "prescribed": True}, state={"j": [1, 2, 3]}))
    assert state.accelerations["j"].tolist() == [3]
    universal = {"type": "universal", "point": [0, 0, 0], "axes": [[0, 0, 1], [2, 0, 0]]}
    _, state = read(one_body(universal, state={"j": {"position_deg": [90, 0], "rate": [1, 2]}}))
    assert (state.positions["j"].tolist(), state.rates["j"].tolist()) == ([math.pi / 2, 0], [1, 2])
    _, state = read(one_body({"type": "spherical", "point": [0, 0, 0]}, state={"j": {"rotation_deg": [0, 0, 90]}}))
    assert quaternion_matrix(state.positions["j"]) == pytest.approx(np.array([[0, -1, 0], [1, 0, 0], [0, 0, 1]]), abs=1e-15)


def test_axes_written_with_six_digits_are_put_at_right_angles():
    """Those of a universal joint of Project Chrono's Sedan, whose cosine is 4e-7."""
    mechanism, _ = read(
        one_body({"type": "universal", "point": [0, 0, 0], "axes": [[-0.02199, -0.105472, 0.994179], [-0.97895, 0.204099, 0.0]]})
    )
    first, second = mechanism.joints[0].axes
    assert abs(first @ second) < 1e-15
    assert first == pytest.approx([-0.02199, -0.105472, 0.994179], abs=1e-6)
    assert second == pytest.approx([-0.97895, 0.204099, 0.0], abs=1e-6)


def test_without_a_state_everything_rests_in_the_drawing():
    mechanism, state = read(two_bodies())
    rest = resting_state(mechanism)
    assert (
        {name: q.tolist() for name, q in state.positions.items()}
        == {name: q.tolist() for name, q in rest.positions.items()}
        == {"j": [0], "k": [0]}
    )
    assert resting_state(read(free())[0]).positions["j"].tolist() == [0, 0, 0, 1, 0, 0, 0]


HINGE = {"type": "revolute", "point": [0, 0, 0], "axis": [0, 0, 1]}
LOOP = {"type": "ball", "predecessor": "b", "successor": "a", "point": [0, 0, 0]}
SPRING = {"from": {"body": "a", "point": [0, 0, 0]}, "to": {"body": "b", "point": [0, 0, 0]}}
BROKEN = {
    "no mapping": ([], ""),
    "no name": ({"bodies": {}}, "name"),
    "unknown group": (two_bodies(links={}), "links"),
    "bodies as a list": ({"name": "m", "bodies": [1]}, "bodies"),
    "a name that is a number": ({"name": "m", "bodies": {1: {"mass": 1}}}, "bodies.1"),
    "unknown key of a body": (free({"mass": 1, "com": [0, 0, 0], "color": "red"}), "bodies.b.color"),
    "no mass": (free({"com": [0, 0, 0]}), "bodies.b.mass"),
    "negative mass": (free({"mass": -1, "com": [0, 0, 0]}), "bodies.b.mass"),
    "no center of mass": (free({"mass": 1}), "bodies.b.com"),
    "inertia of two numbers": (free({"mass": 1, "com": [0, 0, 0], "inertia": [1, 2]}), "bodies.b.inertia"),
    "inertia without symmetry": (free({"mass": 1, "com": [0, 0, 0], "inertia": [[1, 2, 0], [0, 1, 0], [0, 0, 1]]}), "bodies.b.inertia"),
    "rod of one point": (free({"mass": 1, "rod": [[0, 0, 0]]}), "bodies.b.rod"),
    "rod without length": (free({"mass": 1, "rod": [[1, 0, 0], [1, 0, 0]]}), "bodies.b.rod"),
    "rod with its own inertia": (free({"mass": 1, "rod": [[0, 0, 0], [1, 0, 0]], "inertia": [1, 1, 1]}), "bodies.b.inertia"),
    "skew axes": (free({"mass": 1, "frame": {"axes": [[1, 0, 0], [0, 1, 1], [0, 0, 1]]}}), "bodies.b.frame.axes"),
    "left-handed axes": (free({"mass": 1, "frame": {"axes": [[1, 0, 0], [0, 1, 0], [0, 0, -1]]}}), "bodies.b.frame.axes"),
    "both angles and axes": (free({"mass": 1, "frame": {"rotation_deg": [0, 0, 0], "axes": np.eye(3).tolist()}}), "bodies.b.frame.axes"),
    "unknown joint": (one_body({"type": "screw"}), "joints.j.type"),
    "unknown parent": (one_body({**HINGE, "parent": "x"}), "joints.j.parent"),
    "child world": (one_body({**HINGE, "child": "world"}), "joints.j.child"),
    "no point": (one_body({"type": "revolute", "axis": [0, 0, 1]}), "joints.j.point"),
    "no axis": (one_body({"type": "prismatic"}), "joints.j.axis"),
    "axis of zeros": (one_body({**HINGE, "axis": [0, 0, 0]}), "joints.j.axis"),
    "axis of a ball": (one_body({"type": "spherical", "point": [0, 0, 0], "axis": [0, 0, 1]}), "joints.j.axis"),
    "universal axes not square": (one_body({"type": "universal", "point": [0, 0, 0], "axes": [[1, 0, 0], [1, 1, 0]]}), "joints.j.axes"),
    "independent is a word": (one_body({**HINGE, "independent": "true"}), "joints.j.independent"),
    "independent fixed joint": (one_body({"type": "fixed", "independent": True}), "joints.j.independent"),
    "unknown loop": (two_bodies(loops={"l": {**LOOP, "type": "weld"}}), "loops.l.type"),
    "unknown body of a loop": (two_bodies(loops={"l": {**LOOP, "successor": "x"}}), "loops.l.successor"),
    "unknown body of an end": (two_bodies(loops={"l": {**LOOP, "successor": {"body": "x"}}}), "loops.l.successor.body"),
    "loop without a point": (two_bodies(loops={"l": {"type": "ball", "predecessor": "b", "successor": "a"}}), "loops.l.point"),
    "loop with one point too many": (
        two_bodies(
            loops={"l": {**LOOP, **{end: {"body": body, "point": [0, 0, 0]} for end, body in (("predecessor", "b"), ("successor", "a"))}}}
        ),
        "loops.l.point",
    ),
    "loop with itself": (two_bodies(loops={"l": {**LOOP, "successor": "b"}}), "loops.l.successor"),
    "hinge without an axis": (two_bodies(loops={"l": {**LOOP, "type": "revolute"}}), "loops.l.axis"),
    "ball with an axis": (two_bodies(loops={"l": {**LOOP, "axis": [0, 0, 1]}}), "loops.l.axis"),
    "distance of nothing": (two_bodies(loops={"l": {**LOOP, "type": "distance"}}), "loops.l.length"),
    "coupling of an unknown joint": (two_bodies(couplings={"c": {"terms": {"x": 1}}}), "couplings.c"),
    "coupling of nothing": (two_bodies(couplings={"c": {"terms": {}}}), "couplings.c"),
    "coupling by a word": (two_bodies(couplings={"c": {"terms": {"j": "one"}}}), "couplings.c.terms.j"),
    "coupling named like a loop": (two_bodies(loops={"l": LOOP}, couplings={"l": {"terms": {"j": 1}}}), "loops"),
    "spring without a free length": (two_bodies(springs={"s": {**SPRING, "rate": 1}}), "springs.s.free_length"),
    "spring from nowhere": (two_bodies(springs={"s": {"to": SPRING["to"]}}), "springs.s.from"),
    "spring to an unknown body": (two_bodies(springs={"s": {**SPRING, "to": {"body": "x", "point": [0, 0, 0]}}}), "springs.s.to.body"),
    "spring of negative rate": (two_bodies(springs={"s": {**SPRING, "rate": -1}}), "springs.s.rate"),
    "joint spring of no joint": (two_bodies(joint_springs={"x": {"rate": 1}}), "joint_springs.x"),
    "both rests": (two_bodies(joint_springs={"j": {"rest": 1, "rest_deg": 1}}), "joint_springs.j.rest_deg"),
    "force on the world": (two_bodies(forces={"f": {"body": "world", "force": [0, 0, 1]}}), "forces.f.body"),
    "joint force of no joint": (two_bodies(joint_forces={"x": 1}), "joint_forces.x"),
    "joint force of a word": (two_bodies(joint_forces={"j": "much"}), "joint_forces.j"),
    "gravity of one number": (two_bodies(gravity=-9.81), "gravity"),
    "state of no joint": (two_bodies(state={"x": 1}), "state.x"),
    "state of a fixed joint": (one_body({"type": "fixed"}, state={"j": 0}), "state.j"),
    "state of three numbers": (two_bodies(state={"j": [1, 2, 3]}), "state.j"),
    "state of a word": (two_bodies(state={"j": "up"}), "state.j"),
    "state of both positions": (two_bodies(state={"j": {"position": 1, "position_deg": 1}}), "state.j.position_deg"),
    "degrees of a slide": (one_body({"type": "prismatic", "axis": [1, 0, 0]}, state={"j": {"position_deg": 1}}), "state.j.position_deg"),
    "pose in short": (free(state={"j": [1, 2]}), "state.j"),
    "quaternion of zeros": (free(state={"j": {"quaternion": [0, 0, 0, 0]}}), "state.j.quaternion"),
    "acceleration of a joint that is not prescribed": (two_bodies(state={"j": {"acceleration": 1}}), "state.j.acceleration"),
}


@pytest.mark.parametrize("case", BROKEN)
def test_what_is_wrong_is_named_by_its_key(case):
    mapping, key = BROKEN[case]
    with pytest.raises(ConfigError) as caught:
        read(mapping)
    assert caught.value.file == FILE
    assert caught.value.key == key
    assert caught.value.expected
    assert str(caught.value).isprintable()


def with_value(mapping, place, value):
    mapping = copy.deepcopy(mapping)
    inside = mapping
    for step in place[:-1]:
        inside = inside[step]
    inside[place[-1]] = value
    return mapping


def test_what_can_never_be_right_is_refused_everywhere_in_the_documented_example():
    mapping = documented()
    for place in key_paths(mapping):
        for value in (math.nan, math.inf, 10**400, b"bytes", [[]], {"a": 1}):
            if place[-1] == "terms" and value == {"a": 1}:
                continue  # a mapping of free names: what it names is refused
            with pytest.raises(ConfigError) as caught:
                read(with_value(mapping, place, value))
            key = next(step for step in reversed(place) if isinstance(step, str))
            assert key in caught.value.key, (place, value, str(caught.value))
