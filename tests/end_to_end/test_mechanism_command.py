"""`jounce mechanism`: its report, and the errors for states that do not determine accelerations."""

import json
import math

import numpy as np
import pytest
import yaml
from program import ROOT, call, refused

from simulator.tools.mechanism import check, sweep_report
from simulator.tools.mechanism.check import COMPARED
from vehicles.multibody.description.mechanism import MechanismError

SHIPPED = sorted((ROOT / "configs" / "mechanisms").glob("*.yaml"))
FOUR_BAR = ROOT / "configs" / "mechanisms" / "four_bar.yaml"
URDF = ROOT / "tests" / "data" / "urdfplus"


def found(capsys, *arguments):
    """The object that the command prints."""
    code, out, err = call(capsys, "mechanism", *arguments, "--json")
    assert (code, err) == (0, "")
    assert len(out.splitlines()) == 1
    return json.loads(out)


def written(folder, name="mine.yaml", base=FOUR_BAR, **changes):
    """A mechanism file with other sections; None takes one away."""
    mapping = {**yaml.safe_load(base.read_text()), **changes}
    file = folder / name
    file.write_text(yaml.safe_dump({key: value for key, value in mapping.items() if value is not None}, sort_keys=False))
    return file


@pytest.mark.parametrize("file", SHIPPED, ids=lambda file: file.stem)
def test_every_shipped_mechanism(file, capsys):
    report = found(capsys, file)
    assert report["agree"]
    assert tuple(report["formulations"]) == COMPARED
    assert report["degrees_of_freedom"] == report["formulations"]["ce"]["coordinates"]
    assert report["constraints"] == report["formulations"]["ta"]["constraints"]
    assert report["degrees_of_freedom"] == report["tree_coordinates"] - report["constraints"] + sum(
        report["redundant_constraints"].values()
    )
    assert sum(len(body["independent"]) for body in report["aggregated_bodies"]) <= report["degrees_of_freedom"]
    assert max(report["closure"].values(), default=0.0) < 1e-9
    assert max(report["opening"].values(), default=0.0) < 1e-9


def test_four_bar(capsys):
    """One redundant row: the plane of the loop. Energy and accelerations follow from the state of the file."""
    report = found(capsys, FOUR_BAR)
    assert (report["bodies"], report["joints"], report["loops"], report["couplings"]) == (3, {"revolute": 3}, {"ball": 1}, 0)
    assert (report["tree_coordinates"], report["constraints"], report["degrees_of_freedom"]) == (3, 3, 1)
    assert report["redundant_constraints"] == {"coupler to rocker": 1}
    (body,) = report["aggregated_bodies"]
    assert set(body["bodies"]) == {"crank", "coupler", "rocker"}
    assert (body["parent"], body["loops"], body["independent"]) == ("world", ["coupler to rocker"], ["crank on ground"])
    assert report["assembled_from"] is None
    accelerations = [joint["acceleration"][0] for joint in report["state"].values()]
    crank, coupler, rocker = accelerations
    assert math.isfinite(crank)
    # A, B and C of the drawing: the loop differentiated twice at the angles and rates of the file
    (bx, by), (ax, ay) = (0.0, 0.3), (-0.8, 0.4)
    w1, w2, w3 = 2.0, 2.0 - 2.1875, 0.75
    x = -crank * by - w1**2 * bx - (crank + coupler) * ay - w2**2 * ax
    y = crank * bx - w1**2 * by + (crank + coupler) * ax - w2**2 * ay
    assert x == pytest.approx(-rocker * 0.7 - w3**2 * 0.2, abs=1e-12)
    assert y == pytest.approx(rocker * 0.2 - w3**2 * 0.7, abs=1e-12)


def test_the_page_says_it_in_words(capsys):
    code, out, err = call(capsys, "mechanism", FOUR_BAR)
    assert (code, err) == (0, "")
    for words in (
        "3 coordinates of the tree - 3 constraints + 1 redundant = 1 degree of freedom",
        "redundant: 1 of 'coupler to rocker'",
        "aggregated body on world: ",
        "independent: crank on ground",
        "energy: kinetic 0.3975 J",
        "crank on ground",
    ):
        assert words in out
    assert max(map(len, out.splitlines())) < 200


def test_one_formulation(capsys):
    report = found(capsys, FOUR_BAR, "--formulation", "recursive")
    assert list(report["formulations"]) == ["recursive"]


def test_urdf_with_singular_zero_coordinates_is_looked_at_elsewhere(capsys):
    report = found(capsys, URDF / "four_bar_branch_1_1.urdf")
    assert report["singular_at_zero"] == ["constraint_1"]
    assert report["assembled_from"] > 0.0
    assert report["degrees_of_freedom"] == 7
    assert report["state"]["world_to_base"]["acceleration"] == pytest.approx([0, 0, 0, 0, 0, -9.81], abs=1e-12)


def test_a_joint_put_elsewhere_takes_its_loop_along(capsys):
    report = found(capsys, FOUR_BAR, "--set", "crank on ground=[0.5, 1.0]")
    assert report["state"]["crank on ground"]["position"] == [0.5]
    assert report["state"]["crank on ground"]["rate"] == [1.0]
    assert report["assembled_from"] > 0.01
    assert max(report["closure"].values()) < 1e-12
    assert max(report["opening"].values()) < 1e-12
    degrees = found(capsys, FOUR_BAR, "--set", f"crank on ground={{position_deg: {math.degrees(0.5)!r}, rate: 1.0}}")
    assert degrees["state"]["rocker on ground"]["acceleration"] == pytest.approx(report["state"]["rocker on ground"]["acceleration"])


def test_a_state_in_a_file_of_its_own(tmp_path, capsys):
    given = found(capsys, FOUR_BAR, "--set", "crank on ground=[0.5, 1.0]")["state"]
    file = tmp_path / "state.yaml"
    file.write_text(yaml.safe_dump({name: [joint["position"][0], joint["rate"][0]] for name, joint in given.items()}))
    report = found(capsys, FOUR_BAR, "--state", file)
    assert report["assembled_from"] is None
    for name, joint in report["state"].items():
        assert joint["acceleration"] == pytest.approx(given[name]["acceleration"], rel=1e-9)


def test_a_drawing_that_is_open_is_assembled_when_no_state_is_given(tmp_path, capsys):
    ends = {"predecessor": {"body": "coupler", "point": [0.2, 0.7, 0]}, "successor": {"body": "rocker", "point": [0.25, 0.65, 0]}}
    file = written(tmp_path, loops={"coupler to rocker": {"type": "ball", **ends}}, state=None)
    report = found(capsys, file)
    assert report["assembled_from"] == pytest.approx(0.05)
    assert report["state"]["crank on ground"]["position"] == [0.0]
    assert "assembled from a gap of 0.05" in call(capsys, "mechanism", file)[1]


def test_a_massless_coupler_is_solved_by_all(tmp_path, capsys):
    """Crank and rocker carry it: the accelerations are those of the limit of a light coupler, by five formulations."""
    bodies = yaml.safe_load(FOUR_BAR.read_text())["bodies"]
    file = written(tmp_path, bodies={**bodies, "coupler": {"mass": 0}})
    report = found(capsys, file)
    assert tuple(report["formulations"]) == COMPARED and report["refused"] == {}
    light = [
        found(capsys, written(tmp_path, f"light{k}.yaml", bodies={**bodies, "coupler": {**bodies["coupler"], "mass": mass}}))
        for k, mass in enumerate((1e-6, 2e-6))
    ]
    for name, joint in report["state"].items():
        one, two = (side["state"][name]["acceleration"][0] for side in light)
        assert joint["acceleration"][0] == pytest.approx(2.0 * one - two, rel=1e-9)
    for name in ("recursive", "fa-dense"):
        alone = found(capsys, file, "--formulation", name)
        for joint, values in report["state"].items():
            assert alone["state"][joint]["acceleration"] == pytest.approx(values["acceleration"], rel=1e-10)


@pytest.mark.parametrize("formulation", ["ce", "ta", "recursive", "fa", "fa-dense"])
@pytest.mark.parametrize("rod", [{"mass": 0.5, "rod": [[0, 0.4, 0], [1, 0.4, 0.1]]}, {"mass": 0}], ids=["thin", "massless"])
def test_a_rod_that_spins_between_its_balls_is_truly_singular(tmp_path, capsys, formulation, rod):
    """Its two bodies resist everything but the turn about itself; with a universal joint in place of one ball it has none."""
    heavy = {"mass": 1, "inertia": [0.01, 0.01, 0.01]}
    bodies = {"a": {**heavy, "com": [0, 0.2, 0]}, "rod": rod, "b": {**heavy, "com": [1, 0.2, 0]}}
    hinge = {"type": "revolute", "parent": "world"}
    A, B = {**hinge, "child": "a", "point": [0, 0, 0], "axis": [0, 0, 1]}, {**hinge, "child": "b", "point": [1, 0, 0], "axis": [0, 0, 1]}
    ball = {"parent": "a", "child": "rod", "point": [0, 0.4, 0]}
    loops = {"L": {"type": "ball", "predecessor": "rod", "successor": "b", "point": [1, 0.4, 0.1]}}
    cardan = {**ball, "type": "universal", "axes": [[0, 1, 0], [0, 0, 1]]}
    common = {"bodies": bodies, "loops": loops, "state": None}
    found(capsys, written(tmp_path, joints={"A": A, "U": cardan, "B": B}, **common), "--formulation", formulation)
    if rod["mass"] == 0 or formulation != "ce":
        file = written(tmp_path, joints={"A": A, "U": {**ball, "type": "spherical"}, "B": B}, **common)
        assert "moves no inertia" in refused(call(capsys, "mechanism", file, "--formulation", formulation))


def test_one_that_refuses_is_named_beside_the_others(capsys, monkeypatch):
    """Whatever its reason, the others are compared."""
    build = check.make_formulation

    def build_some(name, system):
        if name == "ce":
            raise MechanismError(f"{system.mechanism.file}: joint 'x' moves no inertia")
        return build(name, system)

    monkeypatch.setattr(check, "make_formulation", build_some)
    report = found(capsys, FOUR_BAR)
    assert report["refused"] == {"ce": "joint 'x' moves no inertia"}
    assert list(report["formulations"]) == ["ta", "fa"] and report["agree"]
    assert "ce         refuses: joint 'x' moves no inertia" in call(capsys, "mechanism", FOUR_BAR)[1]


@pytest.mark.parametrize("file", SHIPPED, ids=lambda file: file.stem)
def test_the_dense_solver_takes_every_shipped_mechanism(file, capsys):
    dense, sparse = (found(capsys, file, "--formulation", name)["state"] for name in ("fa-dense", "ce"))
    for name, joint in sparse.items():
        assert dense[name]["acceleration"] == pytest.approx(joint["acceleration"], rel=1e-10, abs=1e-10), name


RAIL = {
    "bodies": {"slider": {"mass": 2, "com": [0, 0, 0]}},
    "joints": {"rail": {"type": "prismatic", "parent": "world", "child": "slider", "axis": [1, 0, 0]}},
    "loops": None,
    "gravity": [0, 0, 0],
}


def on_a_rail(folder, state, rate=100, free_length=0.3, damping=5):
    """A slider on a spring to the point where it is drawn."""
    spring = {"rate": rate, "free_length": free_length, "damping": damping}
    ends = {"from": {"body": "world", "point": [0, 0, 0]}, "to": {"body": "slider", "point": [0, 0, 0]}}
    return written(folder, **RAIL, springs={"s": {**ends, **spring}}, state={"rail": state})


@pytest.mark.parametrize("formulation", ["ce", "ta", "recursive", "fa", "fa-dense"])
def test_a_spring_whose_ends_meet_has_a_force(tmp_path, capsys, formulation):
    """At rest none; in passing the damper's, as a hair before and a hair after; and the mean of the free length's pushes on both sides."""

    def push(x, v, **spring):
        report = found(capsys, on_a_rail(tmp_path, [x, v], **spring), "--formulation", formulation)
        return 2.0 * report["state"]["rail"]["acceleration"][0]

    assert push(0.0, 0.0) == 0.0
    for v in (0.7, -0.7):
        before, after = push(-1e-9 * v, v), push(1e-9 * v, v)
        assert push(0.0, v) == pytest.approx(-5.0 * v, rel=1e-12)
        assert push(0.0, v) == pytest.approx(0.5 * (before + after), abs=1e-6)
        assert abs(before - after) == pytest.approx(2.0 * 100.0 * 0.3, rel=1e-6)
        assert push(0.0, v, free_length=0.0) == pytest.approx(push(1e-9, v, free_length=0.0), abs=1e-6)


def test_a_spring_drawn_at_a_hinge_pulls_at_nothing(tmp_path, capsys):
    """Both ends on the axis of the crank: the motion is that without it."""
    spring = {"from": {"body": "world", "point": [1, 0, 0]}, "to": {"body": "crank", "point": [1, 0, 0]}, "rate": 1e6, "free_length": 0.5}
    report = found(capsys, written(tmp_path, springs={"s": {**spring, "damping": 1e3}}))
    assert report["state"] == found(capsys, FOUR_BAR)["state"]
    assert report["energy"]["potential"] == pytest.approx(0.5e6 * 0.25 + found(capsys, FOUR_BAR)["energy"]["potential"])


def test_what_is_no_number_is_not_shown_as_zero():
    values = np.array([math.nan, math.inf, -math.inf, 1e-20, 2.0])
    assert check._numbers(values, slice(0, 5)) == "nan inf -inf 0 2"
    assert sweep_report._plain(math.nan) == "nan"
    assert (sweep_report._plain(1e-14), sweep_report._plain(0.25)) == ("0", "0.25")


# Refusals ----------------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("state", "words"),
    [
        ({"crank on ground": 0.1}, "'coupler to rocker' is open"),
        ({"crank on ground": [0.0, 2.0]}, "'coupler to rocker' is opening"),
    ],
)
def test_a_state_off_the_loops_is_refused_and_assembled_on_request(state, words, tmp_path, capsys):
    file = written(tmp_path, state=state)
    line = refused(call(capsys, "mechanism", file))
    assert words in line
    assert "--assemble" in line
    report = found(capsys, file, "--assemble")
    assert report["state"]["crank on ground"]["position"] == [
        state["crank on ground"] if isinstance(state["crank on ground"], float) else 0.0
    ]


def test_a_loop_that_cannot_be_closed_is_named(tmp_path, capsys):
    bodies = yaml.safe_load(FOUR_BAR.read_text())["bodies"]
    ends = {"predecessor": {"body": "coupler", "point": [0.2, 0.7, 0]}, "successor": {"body": "rocker", "point": [9.0, 0.7, 0]}}
    file = written(tmp_path, bodies=bodies, loops={"too far": {"type": "ball", **ends}}, state=None)
    line = refused(call(capsys, "mechanism", file))
    assert "'too far' cannot be closed" in line


def test_a_singular_configuration_is_named(tmp_path, capsys):
    """A parallelogram folded flat, put there on purpose."""
    file = written(tmp_path, **flat_parallelogram())
    line = refused(call(capsys, "mechanism", file, "--set", "a=0"))
    assert "singular" in line
    assert "'flat'" in line


def flat_parallelogram():
    def rod(x, y):
        return {"mass": 1, "rod": [[x, 0, 0], [y, 0, 0]]}

    def hinge(parent, child, x):
        return {"type": "revolute", "parent": parent, "child": child, "point": [x, 0, 0], "axis": [0, 0, 1]}

    return {
        "bodies": {"a": rod(0, 1), "b": rod(1, 3), "c": rod(2, 3)},
        "joints": {"a": hinge("world", "a", 0), "b": hinge("a", "b", 1), "c": hinge("world", "c", 2)},
        "loops": {"flat": {"type": "ball", "predecessor": "b", "successor": "c", "point": [3, 0, 0]}},
        "state": None,
    }


def test_contradictory_constraints_are_named(tmp_path, capsys):
    """Two gears between the same joints with different offsets."""
    gear = {"terms": {"crank on ground": 1, "rocker on ground": 1}}
    file = written(tmp_path, loops={}, couplings={"one": gear, "other": {**gear, "offset": 0.3}}, state=None)
    line = refused(call(capsys, "mechanism", file))
    assert "'one'" in line or "'other'" in line


def test_a_prescribed_motion_that_the_loop_cannot_follow_is_refused(tmp_path, capsys):
    """Crank and rocker of a four-bar both prescribed, with rates that do not fit."""
    joints = yaml.safe_load(FOUR_BAR.read_text())["joints"]
    for name in ("crank on ground", "rocker on ground", "coupler on crank"):
        joints[name] = {**joints[name], "prescribed": True}
        joints[name].pop("independent", None)
    state = {"crank on ground": [0, 2.0, 0], "coupler on crank": [0, -2.1875, 0], "rocker on ground": [0, 0.75, 0]}
    line = refused(call(capsys, "mechanism", written(tmp_path, joints=joints, state=state)))
    assert "'coupler to rocker'" in line


def test_a_joint_that_moves_no_inertia_is_named(tmp_path, capsys):
    bodies = {"crank": {"mass": 1, "com": [1, 0.1, 0]}, "coupler": {"mass": 0}, "rocker": {"mass": 1, "com": [0, 0.1, 0]}}
    file = written(tmp_path, bodies=bodies, loops={}, state=None)
    assert "'coupler on crank' moves no inertia" in refused(call(capsys, "mechanism", file))


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--set", "crank on ground"), "JOINT=VALUE"),
        (("--set", "nobody=1"), "nobody"),
        (("--set", "crank on ground=[1, 2, 3, 4]"), "crank on ground"),
        (("--set", "crank on ground=[1"), "crank on ground"),
        (("--set", "crank on ground=.nan"), "crank on ground"),
        (("--state", "no_such.yaml"), "no_such.yaml"),
        (("--formulation", "magic"), "--formulation"),
    ],
)
def test_bad_arguments(arguments, words, capsys):
    assert words in refused(call(capsys, "mechanism", FOUR_BAR, *arguments))


def test_files_that_hold_no_mechanism(tmp_path, capsys):
    for name, content in (
        ("a.yaml", "- 1\n"),
        ("b.yaml", ""),
        ("c.urdf", "<robot>"),
        ("d.urdf", ""),
        ("e.yaml", "bodies: 3\n"),
        ("f.urdf", "<robot name='r'><link name='b'/></robot>"),
    ):
        (tmp_path / name).write_text(content)
        assert name in refused(call(capsys, "mechanism", tmp_path / name))
    for name in ("missing.yaml", "missing.urdf", "missing"):
        assert name in refused(call(capsys, "mechanism", tmp_path / name))
    assert "two.yaml" in refused(call(capsys, "mechanism", FOUR_BAR, "--state", written(tmp_path, "two.yaml")))
