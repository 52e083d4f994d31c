"""Plugin axles: do they match their equations, run in the compiled step without recompilation, and stop without ending the drive?"""

from __future__ import annotations

import subprocess
import sys
import warnings
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import yaml

from simulator.base.arrays import Array
from simulator.base.errors import ConfigError, InertiaWarning, JounceError
from simulator.builder.builder import build_vehicle
from simulator.telemetry.parquet import read_telemetry
from tests.end_to_end.program import ROOT, environment
from tests.laws.free_vehicle import attitude
from tests.laws.vehicle_rig import command, ground
from tests.plugins import live_axle, trailing_arm
from tests.plugins.cars import LIVE_AXLE, TRAILING_ARM, with_rear
from vehicles.description import read_description
from vehicles.dynamics import accelerations
from vehicles.mechanism_parameters import CORNER_NAMES, MechanismParameters, new_mechanism, new_workspace
from vehicles.multibody.formulations.constraint_embedding_formulation import ConstraintEmbedding
from vehicles.multibody.tree.system import System, build_system
from vehicles.multibody_vehicle import CHASSIS, linear_struts, vehicle_mechanism
from vehicles.suspension import kinds
from vehicles.suspension.anti_roll_bar import held_point
from vehicles.suspension.axle_section import Axle
from vehicles.suspension.blocks import AxleCallbacks
from vehicles.suspension.composite_inertia import Workspace, prepare
from vehicles.vehicle import Vehicle

AXLES: dict[str, dict[str, Any]] = {"trailing_arm": TRAILING_ARM, "live_axle": LIVE_AXLE}
BLOCKS: dict[str, AxleCallbacks] = {"trailing_arm": trailing_arm.BLOCK, "live_axle": live_axle.BLOCK}
TRACK = 0.909701
"""m. Half the track."""


@cache
def truck(kind: str) -> tuple[Any, MechanismParameters, System]:
    """Return a design with linear struts, its corners and the general multibody model."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", InertiaWarning)
        design = read_description(with_rear(AXLES[kind]), kind).design
    design = replace(design, struts=linear_struts(design.struts))
    return design, new_mechanism(design.chassis, design.corners, design.struts), build_system(vehicle_mechanism(design))


def evaluate(m: MechanismParameters, w: Workspace) -> None:
    accelerations(m.records, w)


def random_state(kind: str, seed: int) -> Workspace:
    """Return an evaluated random state in which all parts move and carry loads."""
    rng, m = np.random.default_rng(seed), truck(kind)[1]
    w = new_workspace(m)
    x, loads = w.state[0], w.loads[0]
    q = rng.normal(size=4)
    x["p_WB"], x["q_WB"] = rng.uniform(-5.0, 5.0, 3), q / np.linalg.norm(q)
    x["v_WB_B"], x["w_WB_B"] = rng.uniform(-10.0, 10.0, 3), rng.uniform(-2.0, 2.0, 3)
    x["theta"] = np.r_[rng.uniform(-0.2, 0.2, 2), rng.uniform(-0.2, 0.2, 2)]
    x["theta_dot"], x["wheel_spin"] = rng.uniform(-3.0, 3.0, 4), rng.uniform(-10.0, 45.0, 4)
    loads["wheel_force"] = rng.uniform(-15e3, 15e3, (3, 4))
    evaluate(m, w)
    couple, axle = rng.uniform(-1.5e3, 1.5e3, (3, 4)), w.kinematics[0]["axle"]
    loads["carrier_couple"] = couple - (couple * axle).sum(axis=0) * axle
    evaluate(m, w)
    return w


def roll(theta: Array, rate: Array) -> tuple[float, float, float]:
    """Return angle and rate of a live axle, and its rate per difference of the rates of the heights."""
    angle = float(np.arcsin((theta[0] - theta[1]) / (2.0 * TRACK)))
    per = 1.0 / (2.0 * TRACK * np.cos(angle))
    return angle, float(per * (rate[0] - rate[1])), float(per)


@pytest.mark.parametrize("kind", AXLES)
@pytest.mark.parametrize("seed", range(3))
def test_accelerations_are_those_of_the_general_engine(kind: str, seed: int) -> None:
    """Compare all 14 accelerations in motion under load, with dampers and springs, with the bodies and joints of `CornerDesign.add_to`."""
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
        wrenches[system.node[f"{name}_wheel"]] = np.r_[R @ loads["carrier_couple"][:, i], R @ loads["wheel_force"][:, i]]
    front = [np.sign(np.cross(c.lower_arm_axis, c.D - c.lower_arm_point)[2]) for c in design.corners[:2]]
    joints = {f"{name}_lca": (side * theta[i], side * rate[i]) for i, (name, side) in enumerate(zip(CORNER_NAMES, front, strict=False))}
    if kind == "trailing_arm":
        joints |= {f"{CORNER_NAMES[i]}_knuckle": (theta[i], rate[i]) for i in (2, 3)}
    else:
        angle, turning, per = roll(theta[2:], rate[2:])
        joints |= {"RL_slider": (theta[2:].mean(), rate[2:].mean()), "RL_knuckle": (angle, turning)}
    for name, (position, velocity) in joints.items():
        q[system.joint_q[name]], v[system.joint_v[name]] = position, velocity
    solver = ConstraintEmbedding(system, system.neutral())
    q, v = solver.close(q, v)
    found = ConstraintEmbedding(system, q).accelerations(q, v, wrenches=wrenches)
    assert error(R.T @ found[system.joint_v[CHASSIS]][:3], out["alpha_WB_B"]) < 1e-9
    assert error(R.T @ found[system.joint_v[CHASSIS]][3:], out["a_WB_B"]) < 1e-9
    ours = {f"{CORNER_NAMES[i]}_lca": side * out["theta_ddot"][i] for i, side in enumerate(front)}
    if kind == "trailing_arm":
        ours |= {f"{CORNER_NAMES[i]}_knuckle": out["theta_ddot"][i] for i in (2, 3)}
    else:
        left, right = out["theta_ddot"][2:]
        ours |= {"RL_slider": 0.5 * (left + right), "RL_knuckle": per * (left - right) + np.tan(angle) * turning**2}
    for name, value in ours.items():
        assert error(found[system.joint_v[name]][0], value) < 1e-9, name


def error(ours: Any, theirs: Any) -> float:
    """Return the maximum of |ours - theirs| / max(1, |theirs|)."""
    return float(np.max(np.abs(ours - theirs) / np.maximum(1.0, np.abs(theirs))))


def test_a_trailing_arm_turns_about_its_hinge() -> None:
    """The wheel moves on its circle with the constant inertia e . I e; at rest the bush is the only force on theta."""
    design, m, _ = truck("trailing_arm")
    arm = design.corners[2]
    K = np.cross(arm.e, np.eye(3)).T
    bodies = (arm.bodies["knuckle"], arm.bodies["wheel"])
    about = sum(b.mass * float(np.sum(np.cross(arm.e, b.p_BoBcm - arm.P) ** 2)) + arm.e @ b.I_BBcm @ arm.e for b in bodies)
    about -= m.corners[0]["spin_inertia"][2] * (arm.e @ arm.axle) ** 2
    for theta in (-0.3, 0.0, 0.25):
        w = new_workspace(m)
        w.state[0]["theta"] = theta
        evaluate(m, w)
        k = w.kinematics[0]
        R = np.eye(3) + np.sin(theta) * K + (1.0 - np.cos(theta)) * K @ K
        assert np.abs(k["W"][:, 2] - arm.P - R @ (arm.W - arm.P)).max() < 1e-14
        assert k["D"][2] == pytest.approx(about, rel=1e-13)
        assert k["theta_bias"][2] == pytest.approx(2500.0 * theta, abs=1e-12)


def test_a_live_axle_has_the_inertia_of_heave_and_roll() -> None:
    """D = m / 4 +- I / (4 t^2) for the sides and across; if one wheel is lifted, the other one does not move."""
    design, m, _ = truck("live_axle")
    side = design.corners[2]
    spin = m.corners[0]["spin_inertia"][2]
    mass, inertia = 0.0, 0.0
    for body in (side.bodies["knuckle"], side.bodies["wheel"]):
        r = body.p_BoBcm - side.C
        mass += 2.0 * body.mass
        inertia += 2.0 * (body.I_BBcm[0, 0] + body.mass * (r[1] ** 2 + r[2] ** 2))
    w = new_workspace(m)
    evaluate(m, w)
    across = w.kinematics[0]["D_across"][1]
    assert spin > 0.0
    assert across == pytest.approx(mass / 4.0 - inertia / (4.0 * TRACK**2), rel=1e-13)
    left = w.kinematics[0]["D"][2]
    assert left == pytest.approx(mass / 4.0 + inertia / (4.0 * TRACK**2), rel=1e-13)
    assert w.kinematics[0]["D"][3] == pytest.approx(left - across**2 / left, rel=1e-13)  # as the elimination leaves it
    design_W = w.kinematics[0]["W"].copy()
    w.state[0]["theta"][2] = 0.1
    evaluate(m, w)
    assert w.kinematics[0]["W"][2, 2:] - design_W[2, 2:] == pytest.approx([0.1, 0.0], abs=1e-15)


# ---- in a vehicle


def built(kind: str, folder: Path) -> Vehicle:
    file = folder / f"{kind}.yaml"
    file.write_text(yaml.safe_dump(with_rear(AXLES[kind])))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", InertiaWarning)
        return build_vehicle(str(file))


@pytest.mark.parametrize("kind", AXLES)
def test_it_rests_and_drives(kind: str, tmp_path: Path) -> None:
    v = built(kind, tmp_path)
    v.reset(ground("flat"))
    before = v.space.state.copy()
    for _ in range(1000):
        v.step(ground("flat"), command(), 1e-3)
    for name in ("p_WB", "q_WB", "theta"):
        assert np.abs(v.space.state[0][name] - before[0][name]).max() < 1e-9, name
    v.reset(ground("flat"), gear=1)
    for _ in range(2000):
        v.step(ground("flat"), command(throttle=0.6, steering=0.3, selector=1), 1e-3)
    readout = v.read()[0]
    assert readout["p_WB"][0] > 1.0
    assert (readout["F_C"][:, 2] > 0.0).all()
    assert np.ptp(readout["theta"][2:]) > 1e-3


def test_an_axle_that_returns_nan_is_fixed_and_the_drive_continues(tmp_path: Path) -> None:
    v = built("trailing_arm", tmp_path)
    v.watch_blocks()
    v.reset(ground("flat"), gear=1)
    go = command(throttle=0.3, selector=1)
    for n in range(1500):
        if n == 500:
            at_rest = v.read()[0]["p_BK"][2:].copy()
            v.space.blocks.parameters.view(np.float64)[:] = np.nan
        v.step(ground("flat"), go, 1e-3)
    assert v.stopped() == (v.description.mechanism.designs[2],)
    v.read()
    assert v.troubles == ["trailing_arm, axles.rear: returned a non-finite number; the axle is fixed in its last position"]
    readout = v.read()[0]
    assert all(np.isfinite(v.space.state[0][name]).all() for name in ("p_WB", "v_WB_B", "w_WB_B", "theta", "theta_dot"))
    assert np.abs(readout["p_BK"][2:] - at_rest).max() < 1e-3
    assert np.abs(readout["theta_dot"][2:]).max() < 1e-9
    assert readout["p_WB"][0] > 0.2


def test_a_run_with_a_stopped_axle_continues_to_its_end_and_reports_it(jounce: Callable[..., tuple[int, str, str]], tmp_path: Path) -> None:
    """The bush returns NaN once its arm moves: `jounce run` names the axle, and all telemetry is finite."""
    text = (ROOT / "tests" / "plugins" / "trailing_arm.py").read_text()
    force = 'k["theta_bias"][i] += p["stiffness"][i] * theta'
    assert force in text
    (tmp_path / "torn.py").write_text(text.replace(force, f"{force} if abs(rate) < 1e-3 else math.nan"))
    (tmp_path / "truck.yaml").write_text(yaml.safe_dump(with_rear(TRAILING_ARM)))
    straight = {"vehicle": str(tmp_path / "truck.yaml"), "terrain": "flat", "duration_s": 2, "step_ms": 1, "seed": 1}
    speed = [{"at_s": 0.2, "speed_kph": 40, "acceleration_mps2": 3}]
    (tmp_path / "straight.yaml").write_text(yaml.safe_dump({"name": "straight", "title": "Straight", **straight, "speed": speed}))
    code, out, err = jounce("run", tmp_path / "straight.yaml", "--out", tmp_path / "out", plugins=(tmp_path / "torn.py",))
    assert code == 0, (out, err)
    assert "trailing_arm, axles.rear: returned a non-finite number; the axle is fixed in its last position" in out
    columns = read_telemetry(tmp_path / "out" / "telemetry.parquet")
    assert columns["time"][-1] == pytest.approx(2.0, abs=0.02)
    assert all(np.isfinite(column).all() for column in columns.values())
    assert np.abs(columns["theta_dot_RL"][-1]) < 1e-6
    assert columns["v_WB_B_x"][-1] > 1.0


@pytest.mark.parametrize(
    "bar", [{"rate": 60e3}, {"rate": 60e3, "drop_link": [0.1, 0.7, 0.1], "mounted_on": "carrier"}], ids=["wheels", "links"]
)
@pytest.mark.parametrize("kind", AXLES)
def test_the_force_of_an_anti_roll_bar_of_a_plugin_axle_is_the_slope_of_its_energy(kind: str, bar: dict[str, Any]) -> None:
    """For every theta, also if a theta moves both attachment points of the bar."""
    mapping = with_rear({**AXLES[kind], "anti_roll_bar": bar})
    del mapping["axles"]["front"]["anti_roll_bar"]  # only the rear bar
    m = read_description(mapping, kind).mechanism
    bare = m.with_struts(m.struts.copy())
    bare.struts[0]["anti_roll_bars"]["law"] = 0
    theta, h = np.array([0.02, -0.03, 0.05, -0.04]), 1e-6

    def placed(mechanism: MechanismParameters, at: Array) -> Workspace:
        w = new_workspace(mechanism)
        w.state[0]["theta"] = at
        prepare(mechanism.records, w)
        return w

    def energy(at: Array) -> float:
        w, bars = placed(m, at), m.struts[0]["anti_roll_bars"]
        left, right = (held_point(m.corners, bars, i, w.kinematics, w.inputs)[0][2] for i in (2, 3))
        return 0.5 * bar["rate"] * float(left - right) ** 2

    force = placed(m, theta).work[0]["theta_force"] - placed(bare, theta).work[0]["theta_force"]
    slope = np.array([energy(theta + step) - energy(theta - step) for step in h * np.eye(4)]) / (2.0 * h)
    assert np.abs(force[2:]).min() > 300.0
    assert force == pytest.approx(-slope, abs=1e-6 * np.abs(force).max())


# ---- as a plugin


def test_a_kind_for_another_contract_is_refused() -> None:
    for change, word in (({"contract": 2}, "version 0x2"), ({"layout": 5}, "layout 0x5")):

        class Other(trailing_arm.TrailingArmAxle):
            block = replace(trailing_arm.BLOCK, **change)

        with pytest.raises(JounceError, match=word):
            kinds.register("other_arm", Other)


def test_an_unsteered_kind_is_refused_at_the_front() -> None:
    mapping = with_rear(TRAILING_ARM)
    mapping["axles"]["front"] = mapping["axles"]["rear"]
    with pytest.raises(ConfigError, match="a trailing arm is not steered"):
        read_description(mapping, "truck.yaml")


def test_an_unknown_kind_is_refused_with_the_known_kinds() -> None:
    mapping = with_rear({**TRAILING_ARM, "suspension": "trailing_arms"})
    with pytest.raises(ConfigError, match="did you mean trailing_arm"):
        read_description(mapping, "truck.yaml")


def test_a_kind_without_a_table_is_refused() -> None:
    class Bare(Axle):
        """A kind without `fields`."""

    with pytest.raises(JounceError, match="bare_arm: no table of keys; expected the attribute `fields`"):
        kinds.register("bare_arm", Bare)


MAIN = """
import sys, warnings
from simulator.base import compile_events as compiling
compiled = []
with compiling.on_compile(lambda name, begins: compiled.append(name) if begins else None), warnings.catch_warnings():
    warnings.simplefilter("ignore")
    if sys.argv[1] != "hmmwv":
        from simulator.base.registry import load_plugins
        load_plugins(["plugin.py"])
    from simulator.base.records import record
    from simulator.builder.builder import build_ground, build_vehicle
    from vehicles.command import COMMAND
    v, g = build_vehicle(sys.argv[1]), build_ground("flat")
    on = g.arrays
    v.reset(on, gear=1)
    for _ in range(3):
        v.step(on, record(COMMAND), 1e-3)
    v.read()
print(compiled, v.read()[0]["spring_length"][2])
"""


def say(folder: Path, car: str, **variables: str) -> list[str]:
    """Return the output of a process that steps a car with the plugin in `folder`."""
    done = subprocess.run(
        [sys.executable, "main.py", car],
        cwd=folder,
        env={**environment(), "PYTHONDONTWRITEBYTECODE": "1", **variables},
        capture_output=True,
        text=True,
        check=False,
        timeout=900,
    )
    assert (done.returncode, done.stderr) == (0, "")
    names, length = done.stdout.rsplit(" ", 1)
    return [names, length.strip()]


@pytest.mark.full("an edited plugin axle compiles the shipped step again; test_tire_model.py finds it for a plugin tire")
def test_the_shipped_step_is_loaded_from_the_cache_and_an_edit_compiles_the_plugin_alone(tmp_path: Path) -> None:
    text = (ROOT / "tests" / "plugins" / "trailing_arm.py").read_text()
    (tmp_path / "main.py").write_text(MAIN)
    (tmp_path / "plugin.py").write_text(text)
    (tmp_path / "truck.yaml").write_text(yaml.safe_dump(with_rear(TRAILING_ARM)))
    say(tmp_path, "hmmwv")  # the shipped kernels are cached now
    first = say(tmp_path, "truck.yaml")
    assert first[0] == "['place', 'show']"
    assert say(tmp_path, "truck.yaml") == ["[]", first[1]]
    (tmp_path / "plugin.py").write_text(
        text.replace('add(P, r), column(p["U"], i))', 'add(P, r), add(column(p["U"], i), (0.0, 0.0, 1e-3)))')
    )
    edited = say(tmp_path, "truck.yaml")
    assert edited[0] == "['place', 'show']"
    assert float(edited[1]) != float(first[1])
    assert float(say(tmp_path, "truck.yaml", NUMBA_DISABLE_JIT="1")[1]) == pytest.approx(float(edited[1]), abs=1e-9)
