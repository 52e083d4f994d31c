"""An axle from a mechanism file: is it the suspension that the file describes, does it drive, and does it say what is wrong?"""

from __future__ import annotations

import copy
from functools import cache
from pathlib import Path
from typing import Any

import numba
import numpy as np
import pytest
import yaml

from simulator.base.disk_cache import cached_arrays, digest_of
from simulator.base.errors import ConfigError, JounceError
from simulator.base.rotations import rotation_of_quaternion
from simulator.builder.builder import vehicle_description
from tests.laws.mechanism_axles import Mapping, shipped, strut_front, struts_and_arms, trailing_rear, vehicle_of, wishbones_as_file
from tests.laws.test_suspension_tables import Bench, difference
from tests.laws.vehicle_rig import command, drive, ground
from tests.shipped_files import shipped_content
from vehicles.description import Description, read_description
from vehicles.mechanism_parameters import CORNER_NAMES
from vehicles.multibody.description.mechanism_file import mechanism_from_mapping
from vehicles.multibody.formulations.constraint_embedding_formulation import ConstraintEmbedding
from vehicles.multibody.tree.system import build_system
from vehicles.multibody_vehicle import CHASSIS, vehicle_mechanism
from vehicles.stages import present_suspension
from vehicles.steering.steering_torque import pitman_torque
from vehicles.suspension.mechanism import tables as engine_tables
from vehicles.suspension.mechanism.linkage import Linkage
from vehicles.suspension.mechanism.polynomial_table import continued, derivative, nodes_of
from vehicles.suspension.mechanism.section import MechanismFile
from vehicles.suspension.tables.build_tables import Source
from vehicles.suspension.tables.reduced_table import STEERED, ReducedTables, no_tables
from vehicles.vehicle import Vehicle

HMMWV = vehicle_description("hmmwv")
FILE = "v.yaml"


@cache
def wishbones() -> Description:
    return read_description(wishbones_as_file(shipped(), "front", "rear"), FILE)


def linkage(description: Description, i: int) -> Linkage:
    found = description.design.corners[i].linkage
    assert found is not None
    return found


@cache
def wishbone_tables() -> ReducedTables:
    return vehicle_of(wishbones_as_file(shipped(), "front", "rear")).model.tables


@cache
def strut_vehicle() -> Vehicle:
    return vehicle_of(struts_and_arms(shipped()))


# ---- the double wishbone as such a file


@pytest.mark.parametrize("i", range(4))
def test_rows_and_their_derivatives_are_those_of_the_closed_form(i: int) -> None:
    """Analytic against differences of order eight, which lose digits where the linkage comes near its end."""
    source = Source(HMMWV.mechanism, HMMWV.steering)
    rng = np.random.default_rng(i)
    low, high = HMMWV.mechanism.corners[0]["ends"]["theta"][:, i]
    theta, angle = rng.uniform(low, high, 12), rng.uniform(-0.5, 0.5, 12) * (i < 2)
    rows, moment = linkage(wishbones(), i).rows(theta, angle)
    for n in range(12):
        exact = source.derivatives(np.full((4, 1), theta[n]), angle[n : n + 1])[0, 0, :, :, i]
        size = 1.0 + np.abs(exact[0, 0])
        assert (np.abs(rows[n, 0, :STEERED] - exact[0, 0]) / size).max() < 1e-11
        for k, (a, b) in enumerate(((1, 0), (0, 1)), start=1):
            assert (np.abs(rows[n, k, :STEERED] - exact[a, b]) / size).max() < 1e-8
        for k, (a, b) in enumerate(((2, 0), (1, 1), (0, 2))):
            assert np.abs(moment[n, k] - exact[a, b, :3]).max() < 1e-6


def test_everything_else_about_the_corners_is_the_same() -> None:
    ours, theirs = wishbones().mechanism.corners[0], HMMWV.mechanism.corners[0]
    for name in ("spin_inertia", "corner_mass", "design_wheel_x", "design_wheel_z"):
        assert ours[name] == pytest.approx(theirs[name], rel=1e-12)
    for name in ("theta", "closed", "rate", "rigid_rate", "damping"):
        assert ours["ends"][name] == pytest.approx(theirs["ends"][name], rel=1e-9)


@pytest.mark.parametrize("steering", [True, False])
def test_accelerations_and_pitman_torque_are_those_of_the_closed_form(steering: bool) -> None:
    """At random states over the whole travel, the steering moving: all 14 accelerations and the torque within 1e-6."""
    bench, other = Bench(wishbone_tables(), wishbones().mechanism), Bench(wishbone_tables())
    v, rng = vehicle_of(shipped()), np.random.default_rng(11)
    ours, theirs = bench.space_of(v), other.space_of(v)
    low, high = HMMWV.mechanism.corners[0]["ends"]["theta"]
    worst = 0.0
    for _ in range(200):
        bench.random(rng, steering)
        bench.w.state[0]["theta"] = rng.uniform(low, high)
        for name in ("state", "loads"):
            getattr(other.w, name)[:] = getattr(bench.w, name)
        other.steering[:] = bench.steering
        exact = other.closed_form()
        worst = max(worst, difference(bench.table(), exact))
        if steering:
            torque = pitman_torque(v.model, theirs, False)
            found = pitman_torque(v.model, ours, True)
            worst = max(worst, abs(found - torque) / max(1.0, abs(torque)))
    assert 0.0 < worst < 1e-6


# ---- suspensions without kernels


def test_struts_and_trailing_arms_stand_and_drive() -> None:
    """Settled to rest without a residual, then five seconds of full throttle and a turn; the picture shows the file's joints."""
    v = strut_vehicle()
    v.reset(ground("flat"), gear=1)
    accelerations = [np.abs(v.space.out[0][name]).max() for name in ("a_WB_B", "alpha_WB_B", "theta_ddot")]
    assert max(accelerations) < 1e-8
    standing = v.read().copy()[0]
    assert standing["F_C"][:, 2].sum() == pytest.approx(9.80665 * vehicle_weight(v), rel=1e-9)
    drive(v, "flat", command(throttle=1.0, selector=1), 3.0)
    drive(v, "flat", command(throttle=0.3, steering=0.4, selector=1), 2.0)
    r = v.read()[0]
    assert np.isfinite(v.space.state.view(np.float64)).all()
    assert r["v_WB_B"][0] > 3.0 and r["w_WB_B"][2] > 0.05
    assert (r["road_wheel_angle"][:2] > 0.05).all() and np.abs(r["road_wheel_angle"][2:]).max() < 1e-9


@pytest.mark.parametrize("seed", range(5))
def test_accelerations_equal_those_of_the_vehicle_in_the_multibody_model(seed: int) -> None:
    """Bodies, loops, springs and wheels of the files on a free chassis, against the tables: as near as those are."""
    v = strut_vehicle()
    bench, system = Bench(v.model.tables, v.description.mechanism), build_system(vehicle_mechanism(v.description.design))
    bench.random(np.random.default_rng(seed), steering=False)
    out, state, loads = bench.table()[0], bench.w.state[0], bench.w.loads[0]
    R, tree = np.empty((3, 3)), system.parts.tree
    rotation_of_quaternion(state["q_WB"], R)
    q, rates, wrenches = system.neutral(), np.zeros(system.n_v), np.zeros((tree.nodes.size, 6))
    joints = [f"{name}_{'arm' if i < 2 else 'swing'}" for i, name in enumerate(CORNER_NAMES)]
    for i, name in enumerate(CORNER_NAMES):
        side = linkage(v.description, i).sign
        q[system.joint_q[joints[i]]], rates[system.joint_v[joints[i]]] = side * state["theta"][i], side * state["theta_dot"][i]
        rates[system.joint_v[f"{name}_bearing"]] = state["wheel_spin"][i] - out["carrier_spin"][i]
        wrenches[system.node[f"{name}_{'knuckle' if i < 2 else 'arm'}"], :3] = R @ loads["carrier_couple"][:, i]
        wrenches[system.node[f"{name}_wheel"], 3:] = R @ loads["wheel_force"][:, i]
    q[system.joint_q[CHASSIS]] = np.r_[state["p_WB"], state["q_WB"]]
    rates[system.joint_v[CHASSIS]] = np.r_[R @ state["w_WB_B"], R @ state["v_WB_B"]]
    engine = ConstraintEmbedding(system, system.neutral())
    found = engine.accelerations(*engine.close(q, rates), wrenches=wrenches)
    pairs = [(R.T @ found[system.joint_v[CHASSIS]][:3], out["alpha_WB_B"]), (R.T @ found[system.joint_v[CHASSIS]][3:], out["a_WB_B"])]
    thetas = [linkage(v.description, i).sign * found[system.joint_v[joint]][0] for i, joint in enumerate(joints)]
    for theirs, ours in (*pairs, (np.array(thetas), out["theta_ddot"])):
        assert (np.abs(ours - theirs) / np.maximum(1.0, np.abs(theirs))).max() < 1e-5


def vehicle_weight(v: Vehicle) -> float:
    return float(v.model.chassis[0]["mass"] + v.model.corners[0]["corner_mass"].sum())


def test_left_and_right_are_mirror_images() -> None:
    """Steered to the other side every number of one side is that of the other; the four-bar of the steering is symmetric enough for 1e-4."""
    v = strut_vehicle()
    rows = [[linkage(v.description, i).rows(np.array([0.11]), np.array([0.0]))[0] for i in (axle, axle + 1)] for axle in (0, 2)]
    for left, right in rows:
        assert right[0, 0, 13:16] == pytest.approx(left[0, 0, 13:16] * [1.0, -1.0, 1.0], abs=1e-12)  # wheel center
        assert right[0, 0, :9] == pytest.approx(left[0, 0, :9] * [1, -1, 1, 1, 1, 1, -1, 1, -1], abs=1e-9)  # moment and inertia
        assert right[0, 1, 9:13] == pytest.approx(left[0, 1, 9:13] * [-1, 1, -1, 1], abs=1e-9)  # slopes of coupling and inertia of theta
    v.reset(ground("flat"))
    r = v.read()[0]
    for name in ("theta", "spring_length", "spring_force", "jounce", "camber"):
        assert r[name][::2] == pytest.approx(r[name][1::2], rel=1e-6, abs=1e-9)
    for name in ("lower_ball_B", "upper_ball_B", "tierod_outer_B", "shock_lower_B", "p_BK"):
        assert r[name][::2] == pytest.approx(r[name][1::2] * [1.0, -1.0, 1.0], abs=1e-6)


def test_the_picture_shows_the_links_of_the_file() -> None:
    v = strut_vehicle()
    v.place(np.array([0.0, 0.0, 2.0]), 0.0, 0.0, 0.0)
    r, away = v.read()[0], np.array(shipped()["axles"]["front"]["location"])
    assert r["lower_ball_B"][0] == pytest.approx(away + [0.0, 0.82, -0.13], abs=1e-9)
    assert r["tierod_outer_B"][0] == pytest.approx(away + [-0.18, 0.79, -0.1], abs=1e-9)
    assert r["tierod_inner_B"][0] == pytest.approx(away + [-0.18, 0.36, -0.09], abs=1e-9)
    assert r["R_BK"][0] == pytest.approx(np.eye(3), abs=1e-9)
    v.space.inputs[0]["theta"][0], v.space.steering[0]["angle"] = 0.2, 0.3
    r, exact = v.read()[0], linkage(v.description, 0).rows(np.array([0.2]), np.array([0.3]))[0][0, 0, STEERED:]
    assert r["lower_ball_B"][0] == pytest.approx(exact[6:9], abs=1e-6)
    assert r["R_BK"][0][:, 0] == pytest.approx(exact[:3], abs=1e-5)


def test_a_double_wishbone_axle_may_stand_beside_one_from_a_file() -> None:
    """Front as it always was, rear from a file: at rest everything is where the shipped vehicle has it."""
    mapping = wishbones_as_file(shipped(), "rear")
    mapping["suspension_table_tolerance"] = 1e-4
    v, other = vehicle_of(mapping), vehicle_of(shipped())
    for one in (v, other):
        one.reset(ground("flat"))
    assert v.space.state[0]["theta"] == pytest.approx(other.space.state[0]["theta"], abs=1e-5)
    ours, theirs = v.read()[0], other.read()[0]
    assert ours["lower_ball_B"][:2] == pytest.approx(theirs["lower_ball_B"][:2], abs=1e-5)


def test_five_links_may_stand_behind_an_axle_from_a_file() -> None:
    """Front from a file, rear five links: at rest everything is where the vehicle with the closed form has it."""
    mapping = shipped_content("vehicles", "five_link_rear")
    mapping["axles"]["front"] = wishbones_as_file(shipped(), "front")["axles"]["front"]
    mapping["suspension_table_tolerance"] = 1e-4
    v, other = vehicle_of(mapping), vehicle_of(shipped_content("vehicles", "five_link_rear"))
    for one in (v, other):
        one.reset(ground("flat"))
    assert v.space.state[0]["theta"] == pytest.approx(other.space.state[0]["theta"], abs=1e-5)
    for name in ("p_BK", "lower_ball_B", "spring_force"):
        assert v.read()[0][name] == pytest.approx(other.read()[0][name], rel=1e-4, abs=1e-5)


def test_an_anti_roll_bar_of_an_axle_from_a_file_holds_its_wheels() -> None:
    """Between the wheel centers it is that of the closed form; tables know no other points of a carrier."""
    mapping, bar = wishbones_as_file(shipped(), "rear"), {"rate": 60e3}
    mapping["suspension_table_tolerance"] = 1e-4
    barred = shipped()
    for one in (mapping, barred):
        one["axles"]["rear"]["anti_roll_bar"] = dict(bar)
    v, other = vehicle_of(mapping), vehicle_of(barred)
    for one in (v, other):
        one.reset(ground("asphalt 30"), yaw=0.5 * np.pi)
    force = other.read()[0]["anti_roll_bar_force"]
    assert np.abs(force[2:]).min() > 100.0
    assert v.read()[0]["anti_roll_bar_force"] == pytest.approx(force, rel=1e-3, abs=1e-3)
    mapping["axles"]["rear"]["anti_roll_bar"] = {"rate": 60e3, "drop_link": [0.0, 0.7, 0.0], "mounted_on": "carrier"}
    with pytest.raises(
        ConfigError, match=r"v\.yaml: axles\.rear\.anti_roll_bar\.mounted_on: .*L_lca; kinematic tables have no carrier points"
    ):
        read_description(mapping, FILE)


# ---- tables


def test_tables_go_on_beyond_their_ends_without_a_jump() -> None:
    """Value, slope and curvature are the same on both sides of an end; far out inertias are still above zero."""
    x = np.linspace(0.2, 1.0, 9)[:, None, None]
    rows = np.concatenate([np.stack([np.exp(x), 0.1 * np.exp(x), 0.0 * x], axis=2)] * 2, axis=3)
    nodes = nodes_of(rows)
    longer = continued(nodes, np.array([True, False]))
    assert longer.shape[0] == 13 and (longer[2:-2] == nodes).all()
    assert longer[-1, 0, 0, 0, 1] == longer[-2, 0, 0, 0, 1] > 0.0  # constant
    assert longer[-1, 0, 0, 0, 0] - longer[-2, 0, 0, 0, 0] == pytest.approx(longer[-1, 0, 1, 0, 0], rel=1e-12)  # a straight line
    assert (longer[[0, 1, -2, -1], 0, 2] == 0.0).all()
    v = strut_vehicle()
    v.reset(ground("flat"))
    for theta in (-2.0, 2.0):
        v.space.state[0]["theta"] = theta
        present_suspension(v.model, v.space)
        assert (v.space.kinematics[0]["D"] > 0.0).all() and np.isfinite(v.space.kinematics[0]["W"]).all()


def test_derivatives_on_a_grid_are_exact_for_polynomials() -> None:
    x = np.arange(12.0)
    f, g = (x - 4.0) ** 7 / 1e3, 7.0 * (x - 4.0) ** 6 / 1e3
    assert derivative(f, g, 2, 0) == pytest.approx(42.0 * (x - 4.0) ** 5 / 1e3, rel=1e-8, abs=1e-8)
    f = (x - 4.0) ** 5
    assert derivative(f, None, 1, 0) == pytest.approx(5.0 * (x - 4.0) ** 4, rel=1e-8, abs=1e-7)


def test_tables_too_large_or_too_slow_are_refused_with_the_number_reached(monkeypatch: pytest.MonkeyPatch) -> None:
    d = strut_vehicle().description
    arguments = (d.mechanism, d.steering, True, 1e-5)
    monkeypatch.setattr(engine_tables, "MAX_BYTES", 2**21)
    with pytest.raises(JounceError, match=r"not reached, error .*: .* intervals would take .* MiB"):
        engine_tables.build_engine_tables(*arguments)
    monkeypatch.setattr(engine_tables, "MAX_BYTES", 2**40)
    monkeypatch.setattr(engine_tables, "MAX_SECONDS", 0.05)
    with pytest.raises(JounceError, match=r"after 0\.05 s"):
        engine_tables.build_engine_tables(*arguments)


def test_tables_are_made_once_for_every_content(tmp_path: Path) -> None:
    made = []

    def make() -> dict[str, np.ndarray]:
        made.append(1)
        return {"a": np.arange(3.0)}

    mechanism, _ = mechanism_from_mapping(strut_front(), "f.yaml")
    edited = strut_front()
    edited["bodies"]["arm"]["mass"] += 1e-9
    one, other = (digest_of(m, np.zeros(2)) for m in (mechanism, mechanism_from_mapping(edited, "f.yaml")[0]))
    assert one != other and one == digest_of(mechanism_from_mapping(strut_front(), "f.yaml")[0], np.zeros(2))
    for digest in (one, one, other, one):
        assert cached_arrays(tmp_path, digest, make)["a"].tolist() == [0.0, 1.0, 2.0]
    assert len(made) == 2
    path = tmp_path / f"{one}.tables"
    path.write_bytes(path.read_bytes()[:-7])
    cached_arrays(tmp_path, one, make)
    path.write_bytes(b"")
    cached_arrays(tmp_path, one, make)
    cached_arrays(tmp_path, one, make)
    assert len(made) == 4 and sorted(p.name for p in tmp_path.iterdir()) == sorted([f"{one}.tables", f"{other}.tables"])


def test_kernels_know_stored_tables_by_sight() -> None:
    """A vehicle with such an axle takes the compiled step of every other vehicle, whether its tables were made now or before."""
    for _ in range(2):
        assert numba.typeof(vehicle_of(struts_and_arms(shipped())).model.tables) == numba.typeof(no_tables())


# ---- errors


def broken(change: Any, axle: str = "front") -> str:
    """Message about a vehicle on struts and arms after a change of (section of the axle, content of its mechanism file)."""
    mapping: Mapping = struts_and_arms(shipped())
    section = mapping["axles"][axle]
    content = copy.deepcopy(strut_front() if axle == "front" else trailing_rear())
    section["file"] = MechanismFile("mine.yaml", content)
    change(section, content)
    with pytest.raises(ConfigError) as error:
        read_description(mapping, FILE)
    return str(error.value)


def written(folder: Path, mapping: Mapping) -> Path:
    """The vehicle file, beside those of its mechanisms, which it names."""
    for axle in mapping["axles"].values():
        (folder / axle["file"].path).write_text(yaml.safe_dump(axle["file"].content))
        axle["file"] = axle["file"].path.removesuffix(".yaml")
    path = folder / "mine.yaml"
    path.write_text(yaml.safe_dump(mapping))
    return path


def test_a_vehicle_file_names_its_mechanism_files(tmp_path: Path) -> None:
    path = written(tmp_path, struts_and_arms(shipped()))
    ends = vehicle_description(str(path)).mechanism.corners[0]["ends"]["theta"]
    assert (ends == strut_vehicle().model.corners[0]["ends"]["theta"]).all()
    (tmp_path / "arm.yaml").unlink()
    with pytest.raises(ConfigError, match=r"mine\.yaml:\d+: axles\.rear\.file: .*got 'arm'"):
        vehicle_description(str(path))


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda s, c: s.update(coordinate="arms"), ["v.yaml", "axles.front.coordinate", "'arms'", "revolute or prismatic", "mine.yaml"]),
        (lambda s, c: s.update(wheel="tire"), ["axles.front.wheel", "'tire'", "wheel"]),
        (lambda s, c: s.update(wheel="arm"), ["axles.front.wheel", "'arm'", "revolute joint on another body"]),
        (lambda s, c: s.update(steering="rack"), ["axles.front.steering", "'rack'", "tie rod"]),
        (lambda s, c: s.update(spring="coils"), ["axles.front.spring", "'coils'", "coil, damper"]),
        (lambda s, c: s.update(shock={"name": "damper"}), ["axles.front.shock", "damping"]),
        (lambda s, c: s.update(file="mine"), ["axles.front.file", "'mine'", "mechanism file"]),
        (lambda s, c: s.update(height=1.0), ["axles.front.height"]),
        (lambda s, c: c["loops"].pop("tie rod") and s.pop("steering"), ["axles.front.coordinate", "there are 2", "ball joint"]),
        (lambda s, c: c["springs"].update(bar=c["springs"]["coil"]), ["mine.yaml", "springs.bar", "no forces except"]),
        (lambda s, c: c["bodies"]["wheel"].update(inertia=[4.0, 7.0, 5.0]), ["mine.yaml", "bodies.wheel", "balanced rotor"]),
        (lambda s, c: c["joints"].update(free={"type": "free", "parent": "world", "child": "arm"}), ["mine.yaml"]),
        (
            lambda s, c: c.update(couplings={"gear": {"terms": {"bearing": 1.0, "arm": 1.0}}}),
            ["axles.front.wheel", "'gear'", "without other elements attached"],
        ),
        (lambda s, c: c["bodies"]["arm"].pop("mass"), ["mine.yaml", "bodies.arm.mass"]),
    ],
)
def test_errors_name_file_and_key(change: Any, words: list[str]) -> None:
    message = broken(change)
    for word in words:
        assert word in message, message


def test_a_coordinate_that_does_not_move_the_wheel_is_refused() -> None:
    def level(_section: Mapping, content: Mapping) -> None:
        content["joints"]["swing"]["axis"] = [0, 0, 1]

    message = broken(level, "rear")
    assert "axles.rear.coordinate" in message and "raises the wheel" in message


def test_a_joint_may_be_what_the_steering_moves() -> None:
    """A rack, half of it on either side: both wheels turn the same way, as the joint's ratio says, with exact derivatives."""
    mapping = struts_and_arms(shipped())
    content = strut_front()
    content["bodies"]["rack"] = {"mass": 3.0, "com": [-0.18, 0.2, -0.09]}
    content["joints"]["rack"] = {"type": "prismatic", "parent": "world", "child": "rack", "axis": [0, 1, 0]}
    content["loops"]["tie rod"]["successor"]["body"] = "rack"
    mapping["axles"]["front"] |= {"file": MechanismFile("rack.yaml", content), "steering": "rack", "steering_ratio": 0.13}
    d = read_description(mapping, FILE)
    left, right = linkage(d, 0), linkage(d, 1)
    at, h = (np.array([0.1]), np.array([0.3])), 1e-5
    heading = [one.rows(*at)[0][0, 0, 16:19] for one in (left, right)]
    angles = [np.arctan2(-axle[0], axle[1]) for axle in heading]
    assert min(np.abs(angles)) > 0.1 and angles[0] * angles[1] > 0.0
    mirrored = right.rows(at[0], -at[1])[0][0, 0, 16:19]
    assert mirrored == pytest.approx(heading[0] * [-1.0, 1.0, -1.0], abs=1e-11)
    for one in (left, right):
        rows, (less, more) = one.rows(*at)[0][0], (one.rows(at[0], at[1] + side * h)[0][0, 0] for side in (-1.0, 1.0))
        assert (more - less) / (2.0 * h) == pytest.approx(rows[2], abs=1e-7)
    inner = left.rows(*at)[0][0, 0, -3:] - d.design.corners[0].W
    assert inner == pytest.approx(np.array([-0.18, 0.36 + 0.13 * 0.3, -0.09]) - [0.0, 0.9097, -0.026], abs=1e-12)


def test_the_rear_axle_is_not_steered() -> None:
    message = broken(lambda s, c: s.update(steering="swing", steering_ratio=1.0), "rear")
    assert "axles.rear.steering" in message


def test_an_axle_without_a_closed_form_has_none() -> None:
    mapping = struts_and_arms(shipped())
    mapping["suspension_kinematics"] = "closed_form"
    with pytest.raises(ConfigError, match="no closed form"):
        read_description(mapping, FILE)
