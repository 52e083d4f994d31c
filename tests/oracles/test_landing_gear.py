"""Does the landing gear match the reference, from the strut angle and from the piston length?"""

import csv
import json
import math
from pathlib import Path

import numpy as np
import pytest

from simulator.base.errors import ConfigError, JounceError
from simulator.base.records import record
from simulator.builder.builder import data_folder, load_mechanism
from simulator.validation.linkages.landing_gear import PAPER, STATE, follow_length, landing_gear, positions_at, set_position
from vehicles.multibody.formulations.constraint_embedding_formulation import ConstraintEmbedding
from vehicles.multibody.tree.system import build_system

DATA = Path(__file__).resolve().parents[1] / "data" / "mechanisms"
GEAR = landing_gear()
ANGLES = ("theta_B", "theta_D", "theta_F")


def sweep():
    with (DATA / "landing_gear_sweep.csv").open() as file:
        return [{key: float(x) for key, x in row.items()} for row in csv.DictReader(file)]


def placed(branch, theta_A, gear=GEAR):
    """State at an angle of the strut, None where the gear does not close."""
    state = record(STATE)
    state["branch"] = branch
    return state if set_position(gear, state, theta_A) else None


def turn(a, b):
    return abs(math.remainder(a - b, 2.0 * math.pi))


def coordinates(state):
    return np.array([state[0][name] for name in (*ANGLES, "length")])


def test_sweep_over_the_strut_angle():
    for row in sweep():
        s = placed(row["branch"], row["thetaA"])[0]
        assert max(turn(s["theta_B"], row["thetaB"]), turn(s["theta_D"], row["thetaD"]), turn(s["theta_F"], row["thetaF"])) < 1e-13
        assert s["length"] == pytest.approx(row["pBC"], rel=1e-14)


def test_sweep_over_the_piston_length():
    """Every position of the sweep is among those of its length, to the digits that the length determines."""
    for row in sweep():
        s = min(positions_at(row["pBC"]), key=lambda s: turn(s["theta_A"], row["thetaA"]) + abs(s["branch"] - row["branch"]))
        assert s["length"] == pytest.approx(row["pBC"], rel=1e-14)
        assert turn(s["theta_A"], row["thetaA"]) < 1e-12 + 1e-12 / abs(s["slope"][3])
        assert s["branch"] == row["branch"]


def test_positions_of_the_reference():
    roots = json.loads((DATA / "landing_gear.json").read_text())["real_sB_roots_of_g1"]
    for length, expected in roots.items():
        sB = sorted(math.sin(s["theta_B"]) for s in positions_at(float(length)))
        assert sB == pytest.approx(sorted(map(float, expected)), abs=1e-11)


@pytest.mark.parametrize(
    ("length", "count"), [(170, 0), (178.6, 0), (184, 2), (300, 2), (305, 4), (313, 6), (318, 4), (321, 2), (325.4, 2), (325.5, 0)]
)
def test_number_of_positions(length, count):
    assert len(positions_at(length)) == count


@pytest.mark.parametrize("length", [0.0, -1.0, math.nan, math.inf])
def test_lengths_that_are_none(length):
    with pytest.raises(JounceError, match="piston length"):
        positions_at(length)


@pytest.mark.parametrize("branch", [1.0, -1.0])
@pytest.mark.parametrize("theta_A", [0.2, 0.9, 1.65, 2.4, 3.1, -2.95])
def test_slopes_and_curvatures(branch, theta_A):
    h = 2e-4
    f = [placed(branch, theta_A + k * h) for k in (-2, -1, 0, 1, 2)]
    x = [coordinates(state) for state in f]
    x = [value + np.append(2 * np.pi * np.round((x[2] - value)[:3] / (2 * np.pi)), 0.0) for value in x]
    slope = (x[0] - 8 * x[1] + 8 * x[3] - x[4]) / (12 * h)
    curvature = (-x[0] + 16 * x[1] - 30 * x[2] + 16 * x[3] - x[4]) / (12 * h * h)
    assert f[2][0]["slope"] == pytest.approx(slope, rel=1e-7, abs=1e-7)
    assert f[2][0]["curvature"] == pytest.approx(curvature, rel=2e-5, abs=2e-4)


def test_retraction_is_followed_to_the_last_bits():
    """From 200 to 300 and back in steps of 1, the length driving: always the same way, and the digits of the closed form."""
    state = placed(1.0, 0.25)
    way = [*np.arange(205.0, 300.0), *np.arange(300.0, 204.0, -1.0)]
    angles = []
    for length in way:
        assert follow_length(GEAR, state, length)
        assert state[0]["length"] == pytest.approx(length, rel=1e-15)
        angles.append(state[0]["theta_A"])
    there, back = np.array(angles[:96]), np.array(angles[95:])[::-1]
    assert (np.diff(there) > 0.0).all()
    assert there == pytest.approx(back, abs=1e-14)


def test_beyond_full_extension_there_is_nothing():
    """The length has its maximum of 325.46 on this branch: it is reached from both sides, and not passed."""
    for start in (2.3, 2.9):
        state = placed(1.0, start)
        assert follow_length(GEAR, state, 325.4)
        assert abs(state[0]["theta_A"] - 2.64) < 0.1
        assert not follow_length(GEAR, state, 325.6)


def test_a_gear_that_does_not_close():
    state = record(STATE)
    state["branch"] = 1.0
    before = state.copy()
    assert not set_position(GEAR, state, -1.0)
    assert state == before


def test_geometry_is_data():
    """Scaled by 0.01: the same angles, lengths a hundredth."""
    small = landing_gear({key: 0.01 * np.array(value) if isinstance(value, tuple) else 0.01 * value for key, value in PAPER.items()})
    here, there = placed(-1.0, 1.1)[0], placed(-1.0, 1.1, small)[0]
    assert [there[name] for name in ANGLES] == pytest.approx([here[name] for name in ANGLES], abs=1e-14)
    assert there["length"] == pytest.approx(0.01 * here["length"], rel=1e-14)
    with pytest.raises(ConfigError, match="lower_link"):
        landing_gear({**PAPER, "lower_link": 0.0}, "gear.yaml")


def test_the_engine_moves_the_same_gear():
    """The general engine's accelerations of the dependent joints are slope theta_A'' + curvature theta_A'^2."""
    mechanism, start = load_mechanism(str(data_folder("configs") / "mechanisms" / "landing_gear.yaml"))
    system = build_system(mechanism)
    q, v = np.zeros(system.n_q), np.zeros(system.n_v)
    for name in start.positions:
        q[system.joint_q[name]], v[system.joint_v[name]] = start.positions[name][0], start.rates[name][0]
    accelerations = ConstraintEmbedding(system).accelerations(q, v)
    small = landing_gear({key: 0.01 * np.array(value) if isinstance(value, tuple) else 0.01 * value for key, value in PAPER.items()})
    s = placed(1.0, start.positions["A"][0], small)[0]
    for k, (joint, name) in enumerate({"B": "theta_B", "D": "theta_D", "F": "theta_F", "length": "length"}.items()):
        rate, acceleration = v[system.joint_v["A"]], accelerations[system.joint_v["A"]]
        assert q[system.joint_q[joint]] == pytest.approx(s[name], abs=1e-14)
        assert v[system.joint_v[joint]] == pytest.approx(s["slope"][k] * rate, abs=1e-14)
        assert accelerations[system.joint_v[joint]] == pytest.approx(
            s["slope"][k] * acceleration + s["curvature"][k] * rate * rate, abs=1e-12
        )
