"""Are the sedan's accelerations and its corner curves those of independent engines, in every formulation, and are bad files of them refused?

The states were solved with 70 digits and confirmed by Pinocchio 4.1.0; the curves are exact to 50 digits (`tests/data/README.md`).
"""

from __future__ import annotations

import copy
import csv
import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import yaml

from simulator.base.errors import ConfigError
from simulator.builder.builder import find_config, read_yaml, vehicle_description
from simulator.cli.main import main
from simulator.validation.reference.closed_form_model import OracleModel
from simulator.validation.reference.model_corners import read_model
from simulator.validation.reference.multibody_model import MechanismModel
from tests.oracles.test_validate_accelerations import entry
from vehicles.suspension.anti_roll_bar import NO_BAR, PLAIN

DATA = Path(__file__).parents[1] / "data" / "sedan"
MODEL_FILE = DATA / "sedan_model.yaml"
MODEL = yaml.safe_load(MODEL_FILE.read_text(encoding="utf-8"))
FREE = {"out_chassis_alpha_world", "out_chassis_acc_world", "out_theta_ddot", "out_wheel_acc", "out_qdd_all", "body_alpha", "body_acc_com"}
CORNER = {"out_theta_ddot", "out_wheel_acc", "out_qdd_corner", "body_alpha", "body_acc_com"}
FILES = {
    "full_straight": FREE | {"out_rack_force"},
    "full_steering": FREE
    | {f"massless_rack_{name}" for name in ("chassis_alpha_world", "chassis_acc_world", "theta_ddot", "wheel_acc", "rack_force")}
    | {"out_rack_force"},
    "full_rack_free": FREE | {"out_rack_acc"},
    "front_corner": CORNER,
    "rear_corner": CORNER,
}
"""What is compared of each."""


def load(name):
    with np.load(DATA / f"{name}.npz") as file:
        return dict(file)


def states(name, n):
    """State n of a file."""
    return {key: values[n] for key, values in load(name).items() if values.ndim and len(values) > n}


def validate(capsys, what, file, *options):
    """Exit code, JSON object or nothing, and what the command says on the error stream."""
    code = main(["validate", what, str(file), *map(str, options), "--json"])
    out, err = capsys.readouterr()
    return code, json.loads(out) if out else None, err


def accelerations(capsys, file, model=MODEL_FILE, formulation="closed-form"):
    return validate(capsys, "accelerations", file, "--model", model, "--formulation", formulation)


def refused(found):
    """The one line of a refusal."""
    code, report, err = found
    assert (code, report) == (2, None)
    assert err.count("\n") == 1 and "expected" in err
    return err


@pytest.mark.parametrize("name", FILES)
def test_accelerations_are_those_of_independent_engines(name, capsys):
    """All states, with the rack still, led and free, with its force; of bodies and joints too."""
    code, report, _ = accelerations(capsys, DATA / f"{name}.npz")
    assert code == 0
    assert report["max_error"] < 1e-12
    assert set(report["errors"]) == FILES[name]


@pytest.mark.parametrize("formulation", ["ce", "ta", "recursive", "fa", "fa-dense"])
@pytest.mark.parametrize("name", FILES)
def test_the_general_engine_finds_the_same_in_every_formulation(name, formulation, capsys):
    code, report, _ = accelerations(capsys, DATA / f"{name}.npz", formulation=formulation)
    assert code == 0
    assert report["max_error"] < 2e-10
    assert set(report["errors"]) == {output for output in FILES[name] if "rack_force" not in output and not output.startswith("massless")}


@pytest.mark.parametrize("name", ["full_steering", "full_rack_free"])
def test_the_shipped_sedan_is_the_car_of_the_model_file(name):
    """Its own description, made linear, gives what the model file gives."""
    design = vehicle_description("sedan_paper").design
    struts = design.struts.copy()
    struts[0]["stop_points"], struts[0]["degressivity"] = 0, 0.0
    shipped = OracleModel(replace(design, struts=struts, gravity=9.81))
    of_file = OracleModel(read_model(MODEL, "model").design)
    for n in range(3):
        ours, theirs = shipped.whole(states(name, n)), of_file.whole(states(name, n))
        for output, values in ours.items():
            assert np.max(np.abs(values - theirs[output]) / np.maximum(1.0, np.abs(theirs[output]))) < 1e-11, output


def test_bars_act_where_the_file_says_so(tmp_path, capsys):
    data = load("full_steering")
    np.savez(tmp_path / "states.npz", **{**data, "anti_roll_bars": np.array(False)})
    code, report, _ = accelerations(capsys, tmp_path / "states.npz")
    assert code == 1
    assert report["errors"]["out_theta_ddot"] > 0.1


def test_nothing_but_inputs_is_read(tmp_path, capsys):
    data, rng = load("full_rack_free"), np.random.default_rng(1)
    inputs = {"theta", "theta_dot", "wheel_rate", "wheel_wrench_world", "chassis_quat_wxyz", "chassis_omega_world"}
    inputs |= {"rack", "rack_rate", "rack_force"}
    for key in set(data) - inputs:
        if data[key].dtype.kind == "f" and not key.startswith(("out_", "body_a")):
            data[key] = rng.normal(size=data[key].shape)
    np.savez(tmp_path / "states.npz", **data)
    code, report, _ = accelerations(capsys, tmp_path / "states.npz")
    assert code == 0 and report["max_error"] < 1e-12


def without(*keys):
    return lambda data: {key: value for key, value in data.items() if key not in keys}


BAD_STATES = {
    "rack_rate": ("full_steering", without("rack_rate")),
    "rack_acc": ("full_steering", without("rack_acc")),
    "rack_acc and rack_force": ("full_rack_free", lambda data: {**data, "rack_acc": data["rack"]}),
    "'float64 (11,)'": ("full_steering", lambda data: {**data, "rack": data["rack"][1:]}),
    "finite": ("full_rack_free", lambda data: {**data, "rack_force": data["rack_force"] * np.nan}),
    "anti_roll_bars": ("full_straight", lambda data: {**data, "anti_roll_bars": np.array(1.0)}),
    "rack_force": ("front_corner", lambda data: {**without("rack_acc")(data), "rack_force": data["rack"]}),
}


@pytest.mark.parametrize("named", BAD_STATES)
def test_malformed_states_are_refused_with_one_line(named, tmp_path, capsys):
    name, change = BAD_STATES[named]
    np.savez(tmp_path / "states.npz", **change(load(name)))
    assert named in refused(accelerations(capsys, tmp_path / "states.npz"))


def edit(section, name, **values):
    return lambda model: entry(model, section, name).update(values)


def drop(section, name):
    return lambda model: model[section].remove(entry(model, section, name))


BAD_MODELS = {
    "loops[1].length": edit("loops", "FL_tierod", length=0.4),
    "loops[1].body_a": edit("loops", "FL_tierod", body_a="chassis"),
    "springs[0].point_b": edit("springs", "FL_spring", point_b=[0.1, 0.6, 0.0]),
    "joints[2]": edit("joints", "FL_strut", type="universal"),
    "joints[2].axes": edit("joints", "FL_strut", axes=[[1.0, 0.0, 0.0]]),
    "joints[3].axes": edit("joints", "FL_knuckle", axes=[[0.0, 0.0, -1.0]]),
    "joints[9].axes": edit("joints", "RL_arm", axes=[[-0.2586008715866141, -0.9654432539233584, -0.032325108948326735]]),
    "joints[0].axes": edit("joints", "rack", axes=[[1.0, 0.0, 0.0]]),
    "anti_roll_bars[0].direction": edit("anti_roll_bars", "F_bar", direction=[1.0, 0.0, 0.0]),
    "anti_roll_bars[1].body_right": edit("anti_roll_bars", "R_bar", body_right="FR_lca"),
    "anti_roll_bars[0].body_left": edit("anti_roll_bars", "F_bar", body_left="FL_wheel"),
    "anti_roll_bars[0].stiff": edit("anti_roll_bars", "F_bar", stiff=1.0),
    "anti_roll_bars": lambda model: model.update(anti_roll_bars={}),
    "dampers": drop("dampers", "RL_damper"),
    "dampers[2].point_a": edit("dampers", "RL_damper", point_a="there"),
    "bodies": drop("bodies", "rack"),
    "no such input": lambda model: (
        drop("joints", "rack")(model),
        drop("bodies", "rack")(model),
        edit("loops", "FL_tierod", body_a="chassis")(model),
        edit("loops", "FR_tierod", body_a="chassis")(model),
    ),
}


@pytest.mark.parametrize("named", BAD_MODELS)
def test_malformed_models_are_refused_with_one_line(named, tmp_path, capsys):
    model = copy.deepcopy(MODEL)
    BAD_MODELS[named](model)
    (tmp_path / "model.yaml").write_text(yaml.safe_dump(model), encoding="utf-8")
    assert named in refused(accelerations(capsys, DATA / "full_steering.npz", tmp_path / "model.yaml"))


# ------------------------------------------------------------------------------------------------------------------------- curves


@pytest.mark.parametrize("axle", ["front", "rear"])
def test_curves_of_the_corners_are_exact(axle, capsys):
    """Over travel and rack, with first, second and mixed derivatives."""
    code, report, _ = validate(capsys, "kinematics", DATA / f"{axle}_curves.csv", "--vehicle", "sedan_paper")
    assert code == 0
    assert report["limit"] == 1e-12
    quantities = {"theta", "wheel_x", "wheel_y", "toe_in", "camber"}
    quantities |= {"caster", "kingpin", "strut_length"} if axle == "front" else {"spring_length", "shock_length"}
    ends = ("", "_dz", "_dzz", "_ds", "_dss", "_dzs") if axle == "front" else ("", "_dz", "_dzz")
    assert set(report["errors"]) == {name + end for name in quantities for end in ends}


def curves(folder, change, axle="front"):
    with (DATA / f"{axle}_curves.csv").open(encoding="utf-8", newline="") as stream:
        rows = list(csv.DictReader(stream))[:3]
    for row in rows:
        change(row)
    with (folder / f"{axle}.csv").open("w", encoding="utf-8", newline="") as out:
        writer = csv.DictWriter(out, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
    return folder / f"{axle}.csv"


def test_a_wrong_derivative_fails(tmp_path, capsys):
    file = curves(tmp_path, lambda row: row.update(camber_dzs=str(float(row["camber_dzs"]) + 1e-10)))
    code, report, _ = validate(capsys, "kinematics", file, "--vehicle", "sedan_paper")
    assert code == 1
    assert [name for name, error in report["errors"].items() if error > 1e-12] == ["camber_dzs"]


BAD_CURVES = {
    "row 1.travel": ("front", lambda row: row.update(travel="0.9")),
    "row 1.rack": ("front", lambda row: row.update(rack="left")),
    "rack: ": ("front", lambda row: row.pop("rack")),
    "toe_in_ds": ("rear", lambda row: row.update(toe_in_ds="0.0")),
    "expected at least one of": ("rear", lambda row: [row.pop(name) for name in list(row) if name != "travel"]),
}


@pytest.mark.parametrize("named", BAD_CURVES)
def test_malformed_curves_are_refused_with_one_line(named, tmp_path, capsys):
    axle, change = BAD_CURVES[named]
    assert named in refused(validate(capsys, "kinematics", curves(tmp_path, change, axle), "--vehicle", "sedan_paper"))


def test_curves_of_a_car_with_other_corners_are_refused(capsys):
    assert "--vehicle" in refused(validate(capsys, "kinematics", DATA / "front_curves.csv"))


# ------------------------------------------------------------------------------------------------------------------------- counts


@pytest.mark.parametrize(("free", "degrees", "constraints"), [((), 14, 12), (("--free", "rack"), 15, 11)])
def test_the_sedan_is_as_large_as_the_paper_says(free, degrees, constraints, capsys):
    """[Deyo 1989, section 3.3.3.3]: 10 bodies, 4 wheels, 26 coordinates, 12 constraints; and with the rack free."""
    assert main(["mechanism", "sedan_paper", *free, "--formulation", "ce"]) == 0
    text = capsys.readouterr().out
    assert "10 bodies and 4 wheels" in text
    assert f"= {degrees} degrees of freedom" in text
    assert f"with Euler parameters: 26 coordinates, {constraints} constraints" in text
    assert main(["mechanism", "sedan_paper", *free, "--formulation", "ce", "--json"]) == 0
    report = json.loads(capsys.readouterr().out)
    assert (report["bodies"], len(report["wheels"]), report["degrees_of_freedom"]) == (14, 4, degrees)
    assert report["euler_parameters"] == {"coordinates": 26, "constraints": constraints}


def test_only_a_prescribed_joint_can_be_freed(capsys):
    assert main(["mechanism", "sedan_paper", "--free", "FL_lca"]) == 2
    assert "a prescribed joint: rack" in capsys.readouterr().err


# ----------------------------------------------------------------------------------------------------------- axles from mechanism files

FROM_FILES = """
base: sedan_paper
axles:
  front:
    base: null
    suspension: mechanism
    file: sedan_strut
    location: [0.0, 0.0, 0.0]
    coordinate: lca
    wheel: wheel
    steering: tie rod
    spring: coil
    shock: damper
    anti_roll_bar: {rate: 82369.14600550965, drop_link: [0.13, 0.5, -0.07043], mounted_on: lca}
  rear:
    base: null
    suspension: mechanism
    file: sedan_trailing_arm
    location: [-2.75717, 0.0, 0.0]
    coordinate: arm
    wheel: wheel
    spring: coil
    shock: damper
    anti_roll_bar: {rate: 44777.77777777778, drop_link: [0.10, 0.55, -0.08], mounted_on: arm}
"""


@pytest.mark.parametrize("formulation", ["ce", "ta", "recursive", "fa", "fa-dense"])
def test_axles_from_mechanism_files_are_the_same_car(formulation, tmp_path):
    """With bars on their arms, the rack led and free; files count the arm on the right in jounce, as its mirror image."""
    (tmp_path / "car.yaml").write_text(FROM_FILES, encoding="utf-8")
    car = vehicle_description(str(tmp_path / "car.yaml"))
    kinds = ("macpherson", "macpherson", "semi_trailing_arm", "semi_trailing_arm")
    model = MechanismModel(replace(car.design, gravity=9.81), formulation, car.steering, kinds)
    side = np.array([1.0, -1.0, 1.0, 1.0])
    for name in ("full_steering", "full_rack_free"):
        for n in range(3):
            state = states(name, n)
            state |= {key: side * state[key] for key in ("theta", "theta_dot")}
            found = model.whole(state)
            found["out_theta_ddot"] = side * found["out_theta_ddot"]
            for output in FILES[name] & set(found) - {"out_qdd_all"}:
                theirs = load(name)[output][n]
                assert np.max(np.abs(found[output] - theirs) / np.maximum(1.0, np.abs(theirs))) < 2e-10, output


def test_a_bar_stands_on_the_arm_of_a_mechanism_file_or_between_the_wheel_centers(tmp_path):
    (tmp_path / "car.yaml").write_text(FROM_FILES.replace("mounted_on: lca", "mounted_on: carrier"), encoding="utf-8")
    with pytest.raises(ConfigError, match=r"axles\.front\.anti_roll_bar\.mounted_on: .*expected lca.*; got 'carrier'"):
        vehicle_description(str(tmp_path / "car.yaml"))


def test_a_rack_that_takes_its_tie_rods_past_their_dead_point_is_refused(tmp_path):
    """Beyond 0.105 m rod and steering axis lie in one plane: the corner is somewhere, its loop is open."""
    (tmp_path / "car.yaml").write_text("{base: sedan_paper, steering: {max_rack_travel: 0.3}}", encoding="utf-8")
    with pytest.raises(ConfigError, match=r"axles\.front\.hardpoints_left: .*; got 'arms at .* of full lock: open'"):
        vehicle_description(str(tmp_path / "car.yaml"))


@pytest.mark.parametrize("front", ["shipped", "file"])
def test_struts_behind_a_bar_missing_and_four_tires_are_a_vehicle(front, tmp_path):
    """Axles of any kind stand beside each other."""
    given = read_yaml(find_config("vehicles", "sedan_paper"))
    rear = {key: value for key, value in given["axles"]["front"].items() if key not in ("alignment", "anti_roll_bar")}
    car = {"base": "sedan_paper", "axles": {"rear": {"base": None, **rear, "location": given["axles"]["rear"]["location"]}}}
    car["tires"] = {"base": None, "FL": "tmeasy_e90_front", "FR": "tmeasy_e90_rear", "RL": "tmeasy_hmmwv", "RR": "fiala_hmmwv"}
    if front == "file":
        car["axles"]["front"] = yaml.safe_load(FROM_FILES)["axles"]["front"]
    (tmp_path / "car.yaml").write_text(yaml.safe_dump(car), encoding="utf-8")
    found = vehicle_description(str(tmp_path / "car.yaml"))
    assert [corner.kind for corner in found.design.corners] == ["mechanism" if front == "file" else "macpherson"] * 2 + ["macpherson"] * 2
    bars = found.design.struts[0]["anti_roll_bars"]["law"]
    assert bars[0] == PLAIN and bars[1] == NO_BAR
