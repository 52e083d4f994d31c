"""Is a vehicle with any number of axles and wheels the mechanism that its file says, and does it stand, drive and brake?"""

from __future__ import annotations

import warnings
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import yaml

from simulator.base.errors import ConfigError, InertiaWarning
from simulator.builder.builder import build_vehicle
from tests.laws.free_vehicle import attitude
from tests.laws.vehicle_rig import command, ground
from tests.plugins import live_axle, trailing_arm  # noqa: F401 - kinds that the cars have
from tests.plugins.wheels import AXLES, car, drivetrain
from vehicles.axle_layout import USUAL_AXLES, Axles, record_for
from vehicles.brakes.brakes import brakes_from_mapping
from vehicles.description import Description, read_description
from vehicles.drivetrain.driveline import driveshaft_speed, solve_wheels
from vehicles.drivetrain.drivetrain import DRIVETRAIN_STATE
from vehicles.drivetrain.drivetrain_file import drivetrain_from_mapping
from vehicles.dynamics import accelerations
from vehicles.linearize import linearize
from vehicles.mechanism_parameters import new_mechanism, new_workspace
from vehicles.multibody.formulations.constraint_embedding_formulation import ConstraintEmbedding
from vehicles.multibody.tree.system import System, build_system
from vehicles.multibody_vehicle import CHASSIS, linear_struts, vehicle_mechanism
from vehicles.ode_system import VehicleOde
from vehicles.suspension.composite_inertia import Workspace
from vehicles.vehicle import Vehicle

G = 9.80665


@cache
def described(name: str) -> Description:
    """With linear springs and dampers, as the general engine has them."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", InertiaWarning)
        found = read_description(car(name), name)
    design = replace(found.design, struts=linear_struts(found.design.struts))
    return replace(found, design=design, mechanism=new_mechanism(design.chassis, design.corners, design.struts, design.axles))


@cache
def engine(name: str) -> System:
    return build_system(vehicle_mechanism(described(name).design))


def write(folder: Path, name: str, undriven: tuple[str, ...] = ()) -> str:
    (folder / "car.yaml").write_text(yaml.safe_dump(car(name), sort_keys=False), encoding="utf-8")
    (folder / "drivetrain.yaml").write_text(yaml.safe_dump(drivetrain(name, undriven)), encoding="utf-8")
    return str(folder / "car.yaml")


def built(folder: Path, name: str, undriven: tuple[str, ...] = ()) -> Vehicle:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", InertiaWarning)
        return build_vehicle(write(folder, name, undriven))


def random_state(name: str, seed: int) -> Workspace:
    """Everything moves, everything is loaded; evaluated."""
    rng, m = np.random.default_rng(seed), described(name).mechanism
    w, n = new_workspace(m), m.size.wheels
    x, loads = w.state[0], w.loads[0]
    q = rng.normal(size=4)
    x["p_WB"], x["q_WB"] = rng.uniform(-5.0, 5.0, 3), q / np.linalg.norm(q)
    x["v_WB_B"], x["w_WB_B"] = rng.uniform(-10.0, 10.0, 3), rng.uniform(-2.0, 2.0, 3)
    x["theta"] = rng.uniform(-0.06, 0.06, n)
    x["theta_dot"], x["wheel_spin"] = rng.uniform(-1.0, 1.0, n), rng.uniform(-10.0, 45.0, n)
    loads["wheel_force"] = rng.uniform(-15e3, 15e3, (3, n))
    accelerations(m.records, w)
    couple, axle = rng.uniform(-1.5e3, 1.5e3, (3, n)), w.kinematics[0]["axle"]
    loads["carrier_couple"] = couple - (couple * axle).sum(axis=0) * axle
    accelerations(m.records, w)
    return w


def joints(name: str, w: Workspace) -> dict[str, tuple[float, float]]:
    """Positions and rates of the joints of the general engine that move independently, for the thetas of a state."""
    d = described(name)
    axles, x, found = d.mechanism.axles, w.state[0], {}
    for i, (corner, label) in enumerate(zip(d.design.corners, axles.corners, strict=True)):
        theta, rate = float(x["theta"][i]), float(x["theta_dot"][i])
        if corner.kind == "double_wishbone":
            side = float(np.sign(np.cross(corner.lower_arm_axis, corner.D - corner.lower_arm_point)[2]))
            found[f"{label}_lca"] = side * theta, side * rate
        elif corner.kind == "trailing_arm":
            found[f"{label}_knuckle"] = theta, rate
        elif corner.kind == "live_axle" and label.endswith("L"):
            left, right, track = i, i + 1, abs(corner.W[1])
            angle = float(np.arcsin((x["theta"][left] - x["theta"][right]) / (2.0 * track)))
            turning = float(x["theta_dot"][left] - x["theta_dot"][right]) / (2.0 * track * np.cos(angle))
            found[f"{label}_slider"] = float(x["theta"][[left, right]].mean()), float(x["theta_dot"][[left, right]].mean())
            found[f"{label}_knuckle"] = angle, turning
    return found


NINE = pytest.param("nine wheels", marks=pytest.mark.full("wrong sums over more than six wheels, or with one wheel between axles of two"))


@pytest.mark.parametrize("name", ["six wheels", "all kinds", "three wheels", NINE])
@pytest.mark.parametrize("seed", range(2))
def test_accelerations_are_those_of_the_general_engine(name: str, seed: int) -> None:
    system, w, d = engine(name), random_state(name, seed), described(name)
    x, out, loads = w.state[0], w.out[0], w.loads[0]
    q, v = system.neutral(), np.zeros(system.n_v)
    R = attitude(x["q_WB"])
    q[system.joint_q[CHASSIS]], v[system.joint_v[CHASSIS]] = np.r_[x["p_WB"], x["q_WB"]], np.r_[R @ x["w_WB_B"], R @ x["v_WB_B"]]
    wrenches = np.zeros((system.parts.tree.nodes.size, 6))
    for i, label in enumerate(d.mechanism.axles.corners):
        v[system.joint_v[f"{label}_wheel"]] = x["wheel_spin"][i] - out["carrier_spin"][i]
        wrenches[system.node[f"{label}_wheel"]] = np.r_[R @ loads["carrier_couple"][:, i], R @ loads["wheel_force"][:, i]]
    for joint, (position, rate) in joints(name, w).items():
        q[system.joint_q[joint]], v[system.joint_v[joint]] = position, rate
    q, v = ConstraintEmbedding(system, system.neutral()).close(q, v)
    found = ConstraintEmbedding(system, q).accelerations(q, v, wrenches=wrenches)
    chassis = R.T @ found[system.joint_v[CHASSIS]].reshape(2, 3).T
    assert chassis[:, 0] == pytest.approx(out["alpha_WB_B"], rel=1e-9, abs=1e-9)
    assert chassis[:, 1] == pytest.approx(out["a_WB_B"], rel=1e-9, abs=1e-9)
    for i, (corner, label) in enumerate(zip(d.design.corners, d.mechanism.axles.corners, strict=True)):
        if corner.kind == "trailing_arm":
            assert found[system.joint_v[f"{label}_knuckle"]][0] == pytest.approx(out["theta_ddot"][i], rel=1e-9, abs=1e-9)


DRIVEN = ("all kinds", "five links")
"""Of one size: each has a step of its own to be compiled, which takes a minute."""


@pytest.mark.parametrize("name", (*DRIVEN, "six wheels"))
def test_it_stands_on_all_its_wheels(tmp_path: Path, name: str) -> None:
    car = built(tmp_path, name)
    car.reset(ground("flat"))
    residual = np.concatenate([car.space.out[0][field] for field in ("a_WB_B", "alpha_WB_B", "theta_ddot")])
    assert np.abs(residual).max() < 1e-9
    mass = float(car.model.chassis[0]["mass"] + car.model.corners[0]["corner_mass"].sum())
    loads = car.readout[0]["F_C"][:, 2]
    assert len(loads) == car.size.wheels == len(car.corner_names)
    assert loads.sum() == pytest.approx(mass * G, rel=1e-9)
    assert (loads > 0.0).all()


@pytest.mark.parametrize("name", DRIVEN)
def test_it_drives_off_straight_and_brakes_to_a_stop(tmp_path: Path, name: str) -> None:
    """A car of which both sides are alike goes straight ahead, and the brakes of all axles hold it."""
    car, arrays = built(tmp_path, name), ground("flat")
    car.reset(arrays)
    for _ in range(4000):
        car.step(arrays, command(throttle=0.6, selector=1), 1e-3)
    state = car.read()[0]
    assert state["v_WB_B"][0] > 3.0
    assert abs(state["p_WB"][1]) < 5e-3 * state["p_WB"][0]  # the shafts along x lean on one side
    assert (state["drive_torque"] > 0.0).all()
    for _ in range(6000):
        car.step(arrays, command(brake=1.0, selector=1), 1e-3)
    assert np.abs(car.read()[0]["v_WB_B"]).max() < 1e-2


def test_an_axle_that_is_not_driven_gets_no_torque(tmp_path: Path) -> None:
    car, arrays = built(tmp_path, "six wheels", undriven=("middle",)), ground("flat")
    car.reset(arrays)
    for _ in range(2000):
        car.step(arrays, command(throttle=0.6, selector=1), 1e-3)
    torque = car.read()[0]["drive_torque"]
    assert (torque[[0, 1, 4, 5]] > 100.0).all()
    assert np.abs(torque[[2, 3]]).max() < 1e-9


def test_wheels_and_modes_are_counted_by_axles(tmp_path: Path) -> None:
    assert described("nine wheels").mechanism.axles.corners == ("FL", "FR", "SL", "SR", "TL", "TR", "MM", "RL", "RR")
    held = VehicleOde(built(tmp_path, "six wheels"), ground("flat"), 5.0)
    kinds = linearize(held).kinds
    assert kinds.count("wheel spin") == 2 * 6  # a wheel on its tread, each with a rate
    assert len(kinds) == 9 + 7 * 6  # the chassis, and of every wheel theta, its rate, the spin and four numbers of its tread


@pytest.mark.parametrize("name", AXLES)
def test_the_wheels_of_any_driveline_are_solved_exactly(name: str) -> None:
    """Against the matrix of all shafts, row by row from the topology."""
    d, rng = described(name).mechanism, np.random.default_rng(5)
    p, s = drivetrain_from_mapping(drivetrain(name)["drivetrain"], "f.yaml", axles=d.axles), record_for(DRIVETRAIN_STATE, d.size)
    n = d.size.wheels
    boxes = np.array([[1.0 / len(d.axles.on(k)) if i in d.axles.on(k) else 0.0 for i in range(n)] for k in range(d.size.axles)])
    hub, final = p[0]["hub_ratio"][0], p[0]["final_ratio"][0]
    shaft = boxes.mean(axis=0) / final
    for _ in range(20):
        p[0]["shaft_inertia"], p[0]["box_inertia"] = rng.uniform(0.1, 2.0, (2, d.size.axles))
        diagonal, load, extra = rng.uniform(1.0, 500.0, n), rng.normal(size=n), rng.uniform(0.0, 30.0)
        matrix = np.diag(diagonal) + extra * np.outer(shaft, shaft)
        for k, row in enumerate(boxes):
            matrix += (p[0]["box_inertia"][k] / hub**2 + p[0]["shaft_inertia"][k] / final**2) * np.outer(row, row)
        s[0]["diagonal"], s[0]["yielding"], s[0]["load"] = diagonal, 1.0 / diagonal, load
        solve_wheels(p, s, extra)
        np.testing.assert_allclose(s[0]["change"], np.linalg.solve(matrix, load), rtol=1e-11, atol=1e-15)
        spin = rng.normal(size=n)
        assert driveshaft_speed(p, spin) == pytest.approx(shaft @ spin, rel=1e-12)


@pytest.mark.parametrize(
    ("change", "key"),
    [
        (lambda m: m["axles"].update(middle2=m["axles"]["middle"]), "axles"),
        (lambda m: m["axles"]["front"].update(wheels=1, alignment={}), "axles.front.wheels"),
        (lambda m: m["axles"]["middle"].update(wheels=3), "axles.middle.wheels"),
        (lambda m: m.update(tires={"front": "tmeasy_hmmwv", "rear": "tmeasy_hmmwv"}), "tires"),
        (lambda m: m["axles"].update(tail=m["axles"].pop("rear")), "axles"),
        (lambda m: m["axles"]["middle"]["location"].__setitem__(0, 3.0), "axles.middle"),
        (lambda m: m["axles"]["middle"]["location"].__setitem__(0, -3.0), "axles.middle"),
    ],
)  # fmt: skip
def test_a_wrong_set_of_axles_is_named(change: Any, key: str) -> None:
    mapping = car("six wheels")
    change(mapping)
    with pytest.raises(ConfigError) as caught:
        read_description(mapping, "car.yaml")
    assert caught.value.key == key


@pytest.mark.parametrize("order", [("front", "rear", "middle"), ("middle", "rear", "front")])
def test_axles_stand_where_their_wheels_are(order: tuple[str, ...]) -> None:
    mapping = car("six wheels")
    found = read_description({**mapping, "axles": {name: mapping["axles"][name] for name in order}}, "car.yaml")
    assert found.mechanism.axles.names == ("front", "middle", "rear")
    for one, other in zip(found.design.corners, described("six wheels").design.corners, strict=True):
        np.testing.assert_array_equal(one.W, other.W)


def test_a_base_gets_an_axle_between_its_own(tmp_path: Path) -> None:
    """And stands on six wheels, as the same vehicle written out does."""
    axles, parts = AXLES["six wheels"], drivetrain("six wheels")
    driven = {key: value for key, value in parts["drivetrain"]["driveline"].items() if key.startswith("middle_")}
    brakes = {**dict.fromkeys(("hydraulics", "discs", "heat", "place")), **parts["brakes"]}
    changes = {
        "base": "hmmwv",
        "name": "six wheels",
        "axles": {"rear": {"location": axles["rear"]["location"]}, "middle": axles["middle"]},
        "drivetrain": {"base": "drivetrain_hmmwv", "drivetrain": {"driveline": driven, "transfer_case": None}, "brakes": brakes},
    }
    (tmp_path / "six.yaml").write_text(yaml.safe_dump(changes, sort_keys=False), encoding="utf-8")
    flat = ground("flat")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", InertiaWarning)
        based, whole = build_vehicle(str(tmp_path / "six.yaml")), built(tmp_path, "six wheels")
    assert based.corner_names == ("FL", "FR", "ML", "MR", "RL", "RR")
    for vehicle in (based, whole):
        vehicle.reset(flat)
    assert based.readout.tobytes() == whole.readout.tobytes()
    load = based.readout[0]["F_C"][:, 2]
    assert (load > 1000.0).all() and load.sum() == pytest.approx(G * mass(based), rel=1e-6)


def mass(vehicle: Vehicle) -> float:
    m = vehicle.description.mechanism
    return float(m.chassis[0]["mass"] + m.corners[0]["corner_mass"].sum())


def test_brakes_want_a_number_for_every_axle() -> None:
    parts = drivetrain("six wheels")["brakes"]
    with pytest.raises(ConfigError, match="max_torque"):
        brakes_from_mapping(parts, "f.yaml")
    assert len(brakes_from_mapping(parts, "f.yaml", axles=described("six wheels").mechanism.axles)[0]["max_torque"]) == 3
    assert Axles(("front", "rear"), (2, 1)).corners == ("FL", "FR", "RM")
    assert USUAL_AXLES.corners == ("FL", "FR", "RL", "RR")
