"""Does `jounce validate mechanism` compute the accelerations of closed mechanisms of all kinds, and does it detect wrong data?"""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from simulator.cli.main import main
from tests.oracles import urdf_generator as shapes
from tests.oracles.urdf_reference import reference
from vehicles.multibody.formulations.kinds import FORMULATIONS

DATA = Path(__file__).resolve().parents[1] / "data" / "urdfplus"
SHIPPED = ("four_bar_branch_1_1", "implicit_depth5_loop_size5")
SHAPES = {
    "a floating base with 6 four-bars": shapes.four_bar_branches(2, 3),
    "four-bars on the ground": shapes.four_bar_branches(1, 3, floating=False),
    "two chains of 40 links, coupled": shapes.parallel_chains(40, None),
    "two floating chains of 40 links, coupled": shapes.parallel_chains(40, None, floating=True),
    "two floating chains with a rod": shapes.parallel_chains(6, 4, floating=True),
    "one aggregated body of four loops": shapes.ladder(4, geared=False),
    "loops and a coupling in one body": shapes.ladder(2, geared=True),
    "an arm hooked to the ground": shapes.hooked_arm(),
    "massless rotors": shapes.rotor_pairs(6),
    "single moments of inertia": shapes.leg_linkage(),
    "25 gears": shapes.humanoid(),
    "two rings that no plane holds": shapes.spatial_rings(2),
}
WITHOUT_INERTIA = ("massless rotors", "single moments of inertia")
"""The dense solver inverts the inertia of every body and refuses these."""
FLOATING = "a floating base with 6 four-bars"


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    """Mechanism and reference states of a shape, as files; made once."""
    folder, done = tmp_path_factory.mktemp("shapes"), {}

    def write(name):
        if name not in done:
            files = folder / f"{len(done)}.urdf", folder / f"{len(done)}.npz"
            files[0].write_text(SHAPES[name].text())
            np.savez(files[1], **reference(SHAPES[name], 2, seed=5))
            done[name] = files
        return done[name]

    return write


def validate(capsys, mechanism, states, formulation="ce"):
    """Exit code and the printed object."""
    code = main(["validate", "mechanism", str(mechanism), str(states), "--formulation", formulation, "--json"])
    return code, json.loads(capsys.readouterr().out)


@pytest.mark.parametrize("formulation", FORMULATIONS)
@pytest.mark.parametrize("name", SHIPPED)
def test_recorded_accelerations(name, formulation, capsys):
    code, report = validate(capsys, DATA / f"{name}.urdf", DATA / f"{name}.npz", formulation)
    assert (code, report["pass"], report["limit"], report["states"]) == (0, True, 1e-9, 10)
    assert report["max_error"] < 1e-11
    compared = {"qdd", "qdd_alt", "link_acc_com_world", "link_alpha_world", "kinetic_energy", "potential_energy", "loops_open"}
    if name == "four_bar_branch_1_1":
        compared |= {"base_alpha_world", "base_acc_world", "base_alpha_world_alt", "base_acc_world_alt"}
    assert compared <= set(report["errors"])


@pytest.mark.skipif(np.finfo(np.longdouble).eps > 1e-18, reason="the reference needs 80-bit numbers")
@pytest.mark.parametrize(
    ("name", "formulation"), [(n, f) for n in SHAPES for f in FORMULATIONS if not (f == "fa-dense" and n in WITHOUT_INERTIA)]
)
def test_accelerations_from_first_principles(name, formulation, written, capsys):
    code, report = validate(capsys, *written(name), formulation)
    assert (code, report["pass"]) == (0, True)
    assert ("coupling_matrix" in report["errors"]) == bool(SHAPES[name].gears)


def altered(folder, written, **changes):
    """The files of the floating shape with other arrays; None takes one away."""
    mechanism, states = written(FLOATING)
    arrays = {**np.load(states), **changes}
    file = folder / "states.npz"
    np.savez(file, **{name: array for name, array in arrays.items() if array is not None})
    return mechanism, file


@pytest.mark.parametrize(
    "name", ["qdd", "qdd_alt", "base_acc_world", "base_alpha_world_alt", "link_acc_com_world", "link_R_world", "kinetic_energy"]
)
def test_an_answer_that_is_a_millionth_off_fails(name, written, tmp_path, capsys):
    answer = np.load(written(FLOATING)[1])[name].copy()
    answer.flat[-1] += 1e-6 * max(1.0, abs(answer.flat[-1]))
    code, report = validate(capsys, *altered(tmp_path, written, **{name: answer}))
    assert (code, report["pass"]) == (1, False)
    assert [key for key, error in report["errors"].items() if error > 1e-9] == [name]
    assert report["max_error"] == pytest.approx(1e-6, rel=1e-3)


def test_a_state_that_is_not_on_the_loops_fails(written, tmp_path, capsys):
    q = np.load(written(FLOATING)[1])["q"].copy()
    q[0, 0] += 1e-6
    code, report = validate(capsys, *altered(tmp_path, written, q=q))
    assert code == 1
    assert 1e-8 < report["errors"]["loops_open"] < 1e-5


def test_answers_that_are_not_there_are_not_compared(written, tmp_path, capsys):
    """No second gravity, no links, no energies: what is left still counts."""
    names = ("gravity_alt", "qdd_alt", "base_acc_world_alt", "base_alpha_world_alt", "kinetic_energy", "potential_energy")
    links = ("link_names", "link_pos_world", "link_R_world", "link_alpha_world", "link_acc_com_world")
    code, report = validate(capsys, *altered(tmp_path, written, **dict.fromkeys(names + links)))
    assert code == 0
    assert set(report["errors"]) == {"loops_open", "loops_opening", "qdd", "base_alpha_world", "base_acc_world"}


def test_the_table_for_people_names_what_was_compared(capsys):
    name = SHIPPED[1]
    assert main(["validate", "mechanism", str(DATA / f"{name}.urdf"), str(DATA / f"{name}.npz")]) == 0
    out = capsys.readouterr().out
    assert "mechanism, ce, 10 states" in out
    assert "limit 1e-09: pass" in out


def object_array():
    return np.array([{}], object)


FAULTS = {
    "no joint names": ({"joint_names": None}, "joint_names"),
    "names that are numbers": ({"joint_names": np.arange(18)}, "joint_names"),
    "a joint that is not there": ({"joint_names": np.array(["knee"] * 18)}, "'knee'"),
    "a joint twice": ({"joint_names": np.array(["q_a0_0"] * 18)}, "unique names"),
    "half of the joints": ({"joint_names": np.array(["q_a0_0", "q_b0_0"])}, "all joints"),
    "a link that is not there": ({"link_names": np.array(["hand"] * 19)}, "'hand'"),
    "another base": ({"base_joint": np.array("hook")}, "base_joint"),
    "no positions": ({"q": None}, "q"),
    "no states": ({"q": np.zeros((0, 18))}, "q"),
    "too few joints": ({"qd": np.zeros((2, 17))}, "qd"),
    "too many states": ({"tau": np.zeros((3, 18))}, "tau"),
    "not finite": ({"qd": np.full((2, 18), np.nan)}, "finite"),
    "texts for numbers": ({"q": np.full((2, 18), "x")}, "q"),
    "no attitude": ({"base_quat_xyzw": None}, "base_quat_xyzw"),
    "no unit quaternion": ({"base_quat_xyzw": np.ones((2, 4))}, "unit"),
    "no gravity": ({"gravity": None}, "gravity"),
    "no answer": ({"qdd": None}, "qdd"),
    "half of the second gravity": ({"qdd_alt": None}, "qdd_alt"),
    "an answer of another shape": ({"link_R_world": np.zeros((2, 19, 9))}, "link_R_world"),
    "an answer that is not finite": ({"base_acc_world": np.full((2, 3), np.inf)}, "base_acc_world"),
    "pickled objects": ({"q": object_array()}, "states.npz"),
}


def refused(capsys, *arguments):
    """The one line of a refusal."""
    assert main(["validate", "mechanism", *map(str, arguments)]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert len(err.splitlines()) == 1
    assert err.startswith("jounce: ")
    return err


@pytest.mark.parametrize("fault", FAULTS)
def test_a_file_of_states_that_cannot_be_used(fault, written, tmp_path, capsys):
    changes, words = FAULTS[fault]
    line = refused(capsys, *altered(tmp_path, written, **changes))
    assert "states.npz: " in line
    assert words in line


@pytest.mark.parametrize("content", [b"", b"no zip", b"PK\x03\x04 half a zip", b"\x93NUMPY\x01\x00"])
def test_something_else_than_a_file_of_arrays(content, written, tmp_path, capsys):
    file = tmp_path / "states.npz"
    file.write_bytes(content)
    assert "states.npz: " in refused(capsys, written(FLOATING)[0], file)


@pytest.mark.parametrize("name", WITHOUT_INERTIA)
def test_bodies_without_inertia_are_solved_by_the_dense_solver_too(name, written):
    assert main(["validate", "mechanism", *map(str, written(name)), "--formulation", "fa-dense"]) == 0


def test_mechanisms_that_cannot_be_read(written, tmp_path, capsys):
    states = written(FLOATING)[1]
    (tmp_path / "broken.urdf").write_text("<robot name='x'>")
    (tmp_path / "binary.urdf").write_bytes(bytes(range(256)))
    (tmp_path / "list.yaml").write_text("- 1\n")
    for name in ("broken.urdf", "binary.urdf", "list.yaml", "missing.urdf", "missing.yaml"):
        assert name in refused(capsys, tmp_path / name, states)
    assert "joint_names" in refused(capsys, DATA / "four_bar_branch_1_1.urdf", states)


def test_a_state_that_cannot_be_solved_names_state_and_loop(tmp_path, capsys):
    """Both bars stretched out in one line: the rate of the four-bar's third angle is not determined."""
    robot = shapes.four_bar_branches(1, 1, floating=False)
    arrays = reference(robot, 2, seed=1)
    arrays["q"][1] = 0.0
    mechanism, states = tmp_path / "flat.urdf", tmp_path / "states.npz"
    mechanism.write_text(robot.text())
    np.savez(states, **arrays)
    line = refused(capsys, mechanism, states)
    assert "state 2: " in line
    assert "'loop 0_0'" in line
    assert "singular" in line
