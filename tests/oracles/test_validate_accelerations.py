"""Do the vehicle accelerations agree with other solutions for the recorded inputs, also for other models, and is bad input rejected?"""

from __future__ import annotations

import copy
import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import yaml

from simulator.cli.main import main
from tests.oracles.kkt_reference import accelerations, quarter_accelerations
from tests.oracles.mechanism import CORNERS
from tests.oracles.perturbed_model import perturbed_model, random_state

DATA = Path(__file__).parents[1] / "data" / "hmmwv_accelerations"
MODEL_FILE = DATA / "hmmwv_model.yaml"
MODEL = yaml.safe_load(MODEL_FILE.read_text(encoding="utf-8"))
WHOLE = (
    "chassis_quat_wxyz", "chassis_pos", "chassis_omega_world", "chassis_vel_world",
    "theta", "theta_dot", "wheel_angle", "wheel_rate", "wheel_wrench_world",
)  # fmt: skip
STEERED = ("tierod_inner_offset", "tierod_inner_vel", "tierod_inner_acc")
QUARTER = ("corner", "theta", "theta_dot", "wheel_angle", "wheel_rate", "wheel_wrench_world")
ANSWERS = ("out_theta_ddot", "out_wheel_acc", "out_qdd_all", "out_qdd_corner", "body_alpha", "body_acc_com")
Data = dict[str, Any]


def validate(capsys: pytest.CaptureFixture[str], file: Path, model: Path = MODEL_FILE) -> tuple[int, dict[str, Any]]:
    """Exit code and JSON object of the command."""
    code = main(["validate", "accelerations", str(file), "--model", str(model), "--json"])
    return code, json.loads(capsys.readouterr().out)


def refused(capsys: pytest.CaptureFixture[str], file: Path, model: Path = MODEL_FILE) -> str:
    """The one line with which the command refuses its input."""
    code = main(["validate", "accelerations", str(file), "--model", str(model), "--json"])
    out, err = capsys.readouterr()
    assert code == 2
    assert out == ""
    assert err.count("\n") == 1
    assert "expected" in err
    assert "Traceback" not in err
    return err


def load(name: str) -> Data:
    with np.load(DATA / f"{name}.npz") as file:
        return dict(file)


def write(folder: Path, data: Data, name: str = "states.npz") -> Path:
    np.savez(folder / name, **data)
    return folder / name


def write_model(folder: Path, model: Any) -> Path:
    path = folder / "model.yaml"
    path.write_text(yaml.safe_dump(model), encoding="utf-8")
    return path


# --------------------------------------------------------------------------------------------------------------- recorded states


@pytest.mark.parametrize("name", ["full_straight", "full_steering", "quarter"])
def test_agrees_with_recorded_states(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    code, report = validate(capsys, DATA / f"{name}.npz")
    assert code == 0
    assert report["pass"] is True
    assert report["limit"] == 1e-9
    assert set(report) == {"file", "kind", "states", "errors", "max_error", "limit", "pass"}
    assert report["states"] == len(load(name)["theta"])
    assert report["max_error"] == max(report["errors"].values()) <= 1e-9
    expected = {"out_theta_ddot", "out_wheel_acc", "body_alpha", "body_acc_com"}
    expected |= {"out_qdd_corner"} if name == "quarter" else {"out_chassis_alpha_world", "out_chassis_acc_world", "out_qdd_all"}
    assert set(report["errors"]) == expected


@pytest.mark.parametrize("name", ["full_straight", "full_steering", "quarter"])
def test_reads_nothing_but_the_inputs(name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    data = load(name)
    inputs = QUARTER if name == "quarter" else WHOLE + (STEERED if name == "full_steering" else ())
    kept = {key: value for key, value in data.items() if key in inputs or key.startswith("out_")}
    assert len(kept) < len(data)
    _, all_keys = validate(capsys, DATA / f"{name}.npz")
    code, fewer = validate(capsys, write(tmp_path, kept))
    assert code == 0
    assert fewer["errors"] == {key: error for key, error in all_keys["errors"].items() if key.startswith("out_")}


def test_helping_quantities_that_lie_change_nothing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    data = load("full_steering")
    rng = np.random.default_rng(1)
    for key in set(data) - set(WHOLE + STEERED):
        if data[key].dtype.kind == "f" and not key.startswith(("out_", "body_a")):
            data[key] = rng.normal(size=data[key].shape)
    _, honest = validate(capsys, DATA / "full_steering.npz")
    code, lied_to = validate(capsys, write(tmp_path, data))
    assert code == 0
    assert lied_to["errors"] == honest["errors"]


@pytest.mark.parametrize("name", ["full_straight", "quarter"])
def test_one_wrong_reference_value_fails(name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    data = load(name)
    data["out_theta_ddot"].reshape(-1)[-1] *= 1.0 + 1e-7
    code, report = validate(capsys, write(tmp_path, data))
    assert code == 1
    assert report["pass"] is False
    assert report["errors"]["out_theta_ddot"] > 1e-8
    assert report["errors"]["out_wheel_acc"] <= 1e-9


def test_a_reference_that_is_not_a_number_fails(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    data = load("full_straight")
    data["out_wheel_acc"][3, 2] = np.nan
    code, report = validate(capsys, write(tmp_path, data))
    assert code == 1
    assert report["errors"]["out_wheel_acc"] is None


def test_wrong_model_parameters_fail(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Every kind of number counts: masses, centers, inertias, hardpoints, springs, dampers, gravity."""
    for kind, key, change in (
        ("bodies", "mass", 1e-3), ("bodies", "com", 1e-4), ("springs", "k", 100.0), ("dampers", "c", 1.0), ("springs", "free_length", 1e-4),
    ):  # fmt: skip
        for n in (0, len(MODEL[kind]) - 1):
            model = copy.deepcopy(MODEL)
            model[kind][n][key] = (np.array(model[kind][n][key]) + change).tolist()
            if key == "com" and n:
                continue
            code, _ = validate(capsys, DATA / "full_straight.npz", write_model(tmp_path, model))
            assert code == 1, (kind, n, key)


# --------------------------------------------------------------------------------------------------------------- changed models


def reference(model: Data, seed: int, count: int, steering: bool) -> Data:
    """States and answers of the tests' own solution by multipliers."""
    rng = np.random.default_rng(seed)
    rows = []
    while len(rows) < count:
        state = random_state(rng, steering=steering)
        try:
            rows.append(
                {**state, **{key: value for key, value in accelerations(model, state).items() if key in ANSWERS or "chassis" in key}}
            )
        except ArithmeticError:
            continue  # a position that this mechanism cannot take
    return {key: np.array([row[key] for row in rows]) for key in rows[0]}


@pytest.mark.parametrize("seed", range(10, 16))
def test_agrees_with_multipliers_on_changed_models(seed: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    mirrored, steering = seed % 2 == 0, seed % 3 != 0
    model = perturbed_model(MODEL, np.random.default_rng(seed), 0.15, mirrored=mirrored)
    model["gravity"] = [0.0, 0.0, -1.62 - seed % 4]
    file = write(tmp_path, reference(model, 100 + seed, 4, steering))
    code, report = validate(capsys, file, write_model(tmp_path, model))
    assert report["errors"].keys() == {"out_chassis_alpha_world", "out_chassis_acc_world", *ANSWERS} - {"out_qdd_corner"}
    assert code == 0, report["errors"]
    code, _ = validate(capsys, file)
    assert code == 1


def test_agrees_with_multipliers_on_quarters_of_a_changed_model(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rng = np.random.default_rng(20)
    model = perturbed_model(MODEL, rng, 0.12)
    rows = []
    for n in range(8):
        whole, corner = random_state(rng), n % 4
        state = {key: whole[key][corner] for key in QUARTER if key != "corner"} | {"corner": CORNERS[corner]}
        rows.append({**state, **{k: v for k, v in quarter_accelerations(model, state).items() if k in ANSWERS}})
    data = {key: np.array([row[key] for row in rows]) for key in rows[0]}
    code, report = validate(capsys, write(tmp_path, data), write_model(tmp_path, model))
    assert code == 0, report["errors"]


# ----------------------------------------------------------------------------------------------------------------- malformed files


def changed(key: str, value: Callable[[Any], Any]) -> Callable[[Data], Data]:
    return lambda data: {**data, key: value(data[key])}


def without(key: str) -> Callable[[Data], Data]:
    return lambda data: {name: value for name, value in data.items() if name != key}


def put(array: Any, where: Any, value: Any) -> Any:
    array = array.copy()
    array[where] = value
    return array


MALFORMED: dict[str, tuple[str, Callable[[Data], Data]]] = {
    **{f"no {key}": ("full_straight", without(key)) for key in ("theta", "theta_dot", "wheel_rate", "wheel_wrench_world", "chassis_quat_wxyz")},
    **{f"no {key}": ("full_steering", without(key)) for key in STEERED},
    "quarter without theta_dot": ("quarter", without("theta_dot")),
    "no answers": ("full_straight", lambda data: {key: data[key] for key in WHOLE}),
    "theta of three corners": ("full_straight", changed("theta", lambda a: a[:, :3])),
    "theta of one state": ("full_straight", changed("theta", lambda a: a[0])),
    "theta a single number": ("full_straight", changed("theta", lambda a: np.array(0.1))),
    "no states at all": ("full_straight", lambda data: {key: v[:0] if len(v) == 25 else v for key, v in data.items()}),
    "fewer wrenches than states": ("full_straight", changed("wheel_wrench_world", lambda a: a[:-1])),
    "wrenches with five numbers": ("full_straight", changed("wheel_wrench_world", lambda a: a[:, :, :5])),
    "answers of another shape": ("full_straight", changed("out_theta_ddot", lambda a: a[:, :2])),
    "answers of fewer states": ("full_straight", changed("out_theta_ddot", lambda a: a[:-2])),
    "answers in words": ("full_straight", changed("out_theta_ddot", lambda a: a.astype(str))),
    "an angle that is not a number": ("full_straight", changed("theta", lambda a: put(a, (0, 1), np.nan))),
    "an infinite rate": ("full_straight", changed("wheel_rate", lambda a: put(a, (2, 1), np.inf))),
    "angles in words": ("full_straight", changed("theta", lambda a: a.astype(str))),
    "complex angles": ("full_straight", changed("theta", lambda a: a.astype(complex))),
    "angles true or false": ("full_straight", changed("theta", lambda a: a > 0)),
    "angles as objects": ("full_straight", changed("theta", lambda a: a.astype(object))),
    "a quaternion of length two": ("full_straight", changed("chassis_quat_wxyz", lambda a: 2.0 * a)),
    "a quaternion of zeros": ("full_straight", changed("chassis_quat_wxyz", lambda a: put(a, 0, 0.0))),
    "an unknown corner": ("quarter", changed("corner", lambda a: put(a, 0, "XX"))),
    "corners as numbers": ("quarter", changed("corner", lambda a: np.arange(len(a)))),
    "a corner too few": ("quarter", changed("corner", lambda a: a[:-1])),
}  # fmt: skip


@pytest.mark.parametrize("what", MALFORMED)
def test_malformed_states_are_refused_with_one_line(what: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    name, change = MALFORMED[what]
    file = write(tmp_path, change(load(name)))
    assert str(file) in refused(capsys, file)


@pytest.mark.parametrize(
    "content", [b"", b"theta: 1\n", b"PK\x03\x04 cut off", b"\x93NUMPY\x01\x00v\x00{", b"\x80\x04\x95.", b"\x00" * 100]
)
def test_a_file_that_is_no_archive_is_refused_with_one_line(content: bytes, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "states.npz"
    file.write_bytes(content)
    assert str(file) in refused(capsys, file)


def test_other_things_than_an_archive_are_refused_with_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    refused(capsys, tmp_path / "missing.npz")
    refused(capsys, tmp_path)
    np.save(tmp_path / "array.npy", np.zeros(3))
    refused(capsys, tmp_path / "array.npy")
    whole = (DATA / "full_straight.npz").read_bytes()
    (tmp_path / "half.npz").write_bytes(whole[: len(whole) // 2])
    refused(capsys, tmp_path / "half.npz")
    middle = len(whole) // 3
    (tmp_path / "damaged.npz").write_bytes(whole[:middle] + bytes(200) + whole[middle + 200 :])
    refused(capsys, tmp_path / "damaged.npz")


# ---------------------------------------------------------------------------------------------------------------- malformed models


def entry(model: Data, kind: str, name: str) -> Data:
    return next(e for e in model[kind] if e["name"] == name)


def edit(kind: str, name: str, **values: Any) -> Callable[[Data], None]:
    return lambda model: entry(model, kind, name).update(values)


def drop(kind: str, name: str) -> Callable[[Data], None]:
    return lambda model: model[kind].remove(entry(model, kind, name))


def drop_key(kind: str, name: str, key: str) -> Callable[[Data], None]:
    return lambda model: entry(model, kind, name).pop(key)


I_BAD = [[1.0, 0.5, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]
BAD_MODELS: dict[str, tuple[str, Callable[[Data], Any]]] = {
    "body missing": ("RL_tierod", drop("bodies", "RL_tierod")),
    "chassis missing": ("chassis", drop("bodies", "chassis")),
    "joint missing": ("FR_uca", drop("joints", "FR_uca")),
    "loop missing": ("loops", drop("loops", "FL_L")),
    "spring missing": ("springs", drop("springs", "FL_spring")),
    "damper missing": ("dampers", drop("dampers", "RR_damper")),
    "section missing": ("loops", lambda m: m.pop("loops")),
    "section of another kind": ("bodies", lambda m: m.update(bodies={"a": 1})),
    "entry of another kind": ("bodies[0]", lambda m: m["bodies"].__setitem__(0, 3)),
    "body twice": ("bodies[33]", lambda m: m["bodies"].append(copy.deepcopy(m["bodies"][4]))),
    "unknown section": ("tires", lambda m: m.update(tires=[])),
    "unknown key of a body": ("weight", edit("bodies", "FL_lca", weight=3.0)),
    "unknown key of a joint": ("limits", edit("joints", "FL_lca", limits=[0, 1])),
    "mass zero": ("mass", edit("bodies", "FL_lca", mass=0.0)),
    "mass negative": ("mass", edit("bodies", "RR_wheel", mass=-3.0)),
    "mass in words": ("mass", edit("bodies", "FL_lca", mass="heavy")),
    "mass true": ("mass", edit("bodies", "FL_lca", mass=True)),
    "mass not a number": ("mass", edit("bodies", "FL_lca", mass=float("nan"))),
    "mass missing": ("mass", drop_key("bodies", "FL_lca", "mass")),
    "mass zero of the chassis": ("mass", edit("bodies", "chassis", mass=0.0)),
    "inertia not symmetric": ("bodies[16] (FR_uca)", edit("bodies", "FR_uca", I=I_BAD)),
    "inertia not positive definite": ("bodies[16] (FR_uca)", edit("bodies", "FR_uca", I=[[1, 0, 0], [0, -1, 0], [0, 0, 1]])),
    "inertia as three numbers": ("I", edit("bodies", "FR_uca", I=[1.0, 1.0, 1.0])),
    "wheel out of balance": ("balanced", edit("bodies", "FL_wheel", I=[[1.0, 0, 0], [0, 2.0, 0], [0, 0, 1.2]])),
    "wheel's center off its axle": ("balanced", edit("bodies", "FL_wheel", com=[1.6, 0.9, 0.2])),
    "center of mass with two numbers": ("com", edit("bodies", "FL_lca", com=[0.0, 1.0])),
    "joint of another type": ("revolute", edit("joints", "FL_lca", type="prismatic")),
    "joint on another body": ("joints[7]", edit("joints", "FL_uca", parent="FL_upright")),
    "axis not of unit length": ("axes", edit("joints", "FL_lca", axes=[[2.0, 0.0, 0.0]])),
    "axis of zeros": ("axes", edit("joints", "FL_lca", axes=[[0.0, 0.0, 0.0]])),
    "two axes for a hinge": ("axes", edit("joints", "FL_lca", axes=[[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]])),
    "knuckle not along the kingpin": ("axes", edit("joints", "FL_knuckle", axes=[[0.0, 0.0, 1.0]])),
    "shock axis not along the shock": ("axes", edit("joints", "FL_shock_upper", axes=[[0.0, 0.0, 1.0]])),
    "point missing": ("point", drop_key("joints", "FL_lca", "point")),
    "joints in one place": ("FL", lambda m: entry(m, "loops", "FL_F").update(point=entry(m, "joints", "FL_upright")["point"])),
    "gravity sideways": ("gravity", lambda m: m.update(gravity=[1.0, 0.0, -9.81])),
    "gravity as one number": ("gravity", lambda m: m.update(gravity=-9.81)),
    "stiffness in words": ("k", edit("springs", "FL_spring", k="stiff")),
    "damping infinite": ("c", edit("dampers", "FL_damper", c=float("inf"))),
}  # fmt: skip


@pytest.mark.parametrize("what", BAD_MODELS)
def test_malformed_models_are_refused_with_one_line(what: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    named, change = BAD_MODELS[what]
    model = copy.deepcopy(MODEL)
    change(model)
    path = write_model(tmp_path, model)
    line = refused(capsys, DATA / "quarter.npz", path)
    assert str(path) in line
    assert named in line


@pytest.mark.parametrize("text", ["", "- 1\n- 2\n", "bodies: [\n", "a: 1\na: 2\n", "\t\n", "just words", "!!python/object:os.system {}\n"])
def test_a_model_that_is_no_mapping_is_refused_with_one_line(text: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "model.yaml"
    path.write_text(text, encoding="utf-8")
    assert str(path) in refused(capsys, DATA / "quarter.npz", path)


def test_a_model_that_cannot_be_read_is_refused_with_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    refused(capsys, DATA / "quarter.npz", tmp_path / "missing.yaml")
    refused(capsys, DATA / "quarter.npz", tmp_path)
    shutil.copy(DATA / "quarter.npz", tmp_path / "binary.yaml")
    refused(capsys, DATA / "quarter.npz", tmp_path / "binary.yaml")
