"""Does an anti-roll bar do the work that its energy accounts for, stiffen roll as the closed form says, and nothing else?"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from simulator.base.arrays import Array
from simulator.base.errors import ConfigError
from simulator.base.records import record
from tests.laws.barred import BARS, ON_ARM, ON_CARRIER, PLAIN, barred, hmmwv, mapping
from tests.laws.free_motion import free_motion, runge_kutta_step
from tests.laws.free_vehicle import energies
from tests.laws.test_mirror import AXIAL, POLAR, SWAP, mirrored
from tests.laws.vehicle_rig import command, drive, ground
from vehicles.description import read_description
from vehicles.dynamics import accelerations
from vehicles.linearize import linearize
from vehicles.mechanism_parameters import MechanismParameters, new_workspace
from vehicles.ode_system import VehicleOde
from vehicles.steering.steering import STEERING_STATE, place_tierods
from vehicles.steering.steering_torque import steering_torque
from vehicles.step_stability import check_step
from vehicles.suspension.anti_roll_bar import bar_coordinate, held_point
from vehicles.suspension.composite_inertia import Workspace, prepare
from vehicles.vehicle import Vehicle

OPPOSITE = np.array([1.0, -1.0])


def without_bars(m: MechanismParameters) -> MechanismParameters:
    struts = m.struts.copy()
    struts[0]["anti_roll_bars"]["law"] = 0
    return m.with_struts(struts)


def random_thetas(name: str, rng: np.random.Generator) -> Array:
    reach = np.array([0.2, 0.2, 0.1, 0.1]) if name.startswith("five") else np.full(4, 0.2)
    return reach * rng.uniform(-1.0, 1.0, 4)


def energy(m: MechanismParameters, w: Workspace) -> float:
    """Of the bars, after `prepare`: 1/2 stiffness times the square of the difference."""
    bars, total = m.struts[0]["anti_roll_bars"], 0.0
    for n in np.flatnonzero(bars["law"]):
        x = [bar_coordinate(bars, n, i, held_point(m.corners, bars, i, w.kinematics, w.inputs)[0])[0] for i in (2 * n, 2 * n + 1)]
        total += 0.5 * bars["stiffness"][n] * (x[0] - x[1]) ** 2
    return float(total)


def place(name: str, theta: Array, angle: float, bars: bool = True) -> tuple[Workspace, float]:
    """Workspace after `prepare` at these thetas and Pitman angle, and the energy of the bars."""
    d = barred(name)
    w, s = new_workspace(d.mechanism), record(STEERING_STATE)
    s[0]["angle"], w.state[0]["theta"] = angle, theta
    place_tierods(d.steering, s, w.inputs)
    m = d.mechanism if bars else without_bars(d.mechanism)
    prepare(m.records, w)
    return w, energy(m, w)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("name", BARS)
def test_forces_on_theta_are_the_derivatives_of_the_energy(name: str, seed: int) -> None:
    rng = np.random.default_rng(seed)
    theta, angle, h = random_thetas(name, rng), rng.uniform(-0.4, 0.4), 1e-5
    force = place(name, theta, angle)[0].work[0]["theta_force"] - place(name, theta, angle, bars=False)[0].work[0]["theta_force"]
    for i, step in enumerate(h * np.eye(4)):
        slope = (place(name, theta + step, angle)[1] - place(name, theta - step, angle)[1]) / (2.0 * h)
        assert force[i] == pytest.approx(-slope, abs=1e-7 * np.abs(force).max())


@pytest.mark.parametrize("side", [-1.0, 1.0])
def test_the_pitman_arm_holds_against_a_bar_on_steered_carriers(side: float) -> None:
    """The part of its torque that the bar makes is the derivative of the energy by the Pitman angle."""
    v, h = hmmwv(ON_CARRIER), 1e-5
    s, theta, angle = v.space, np.array([0.05, -0.03, 0.0, 0.0]), 0.3 * side

    def energy_at(delta: float) -> float:
        s.state[0]["theta"], s.steering[0]["angle"] = theta, delta
        place_tierods(v.model.steering, s.steering, s.inputs)
        prepare(v.model, s)
        return energy(v.description.mechanism, Workspace(s.blocks, s.state, s.inputs, s.loads, s.kinematics, s.work, s.out))

    slope = (energy_at(angle + h) - energy_at(angle - h)) / (2.0 * h)
    energy_at(angle)
    steering_torque(v.model, s, False, 1e-3)
    held = float(s.out[0]["pitman_torque"])
    s.work[0]["bar_force"], s.work[0]["bar_couple"] = 0.0, 0.0
    steering_torque(v.model, s, False, 1e-3)
    assert abs(slope) > 10.0
    assert held - s.out[0]["pitman_torque"] == pytest.approx(slope, rel=1e-6)


@pytest.mark.parametrize("name", ["plain", "arms", "carriers", "five links, levers"])
def test_energy_stays(name: str) -> None:
    """Tumbling freely with all but the bars and linear springs taken away; the Pitman arm rests."""

    def largest_change(h: float) -> float:
        m = free_motion(barred(name).mechanism, 9.81)._replace(struts=barred(name).mechanism.struts.copy())
        state, struts = m.state[0], m.struts[0]
        for row in ("compression_damping", "rebound_damping", "compression_damping_end", "rebound_damping_end"):
            struts[row] = 0.0
        struts["stop_points"], struts["spring_points"], struts["spring_rate"] = 0, 0, 2e5
        prepare(m, m)
        struts["spring_free_length"] = m.kinematics[0]["spring_length"] + 0.02
        state["theta"] = [0.05, -0.05, 0.03, -0.03]
        state["w_WB_B"], state["wheel_spin"] = [0.3, 0.2, 0.5], 30.0
        parts, mechanism = [], barred(name).mechanism.with_struts(m.struts)
        for n in range(round(1.0 / h) + 1):
            if n % round(0.02 / h) == 0:
                kinetic, potential = energies(m, m.state.copy())
                bar = energy(mechanism, Workspace(m.blocks, m.state, m.inputs, m.loads, m.kinematics, m.work, m.out))
                parts.append((kinetic, potential, bar))
            runge_kutta_step(m, h)
        total = np.sum(parts, axis=1)
        assert np.ptp(np.array(parts)[:, 2]) > 1e3 * np.abs(total - total[0]).max()
        return float(np.abs(total - total[0]).max() / np.max(parts, axis=0)[0])

    coarse, fine = largest_change(2e-3), largest_change(1e-3)
    assert fine < 1e-8
    assert coarse > 12.0 * fine


def test_roll_stiffness_by_the_plain_law_is_rate_times_track_squared() -> None:
    w, _ = place("plain", np.zeros(4), 0.0)
    track = w.kinematics[0]["W"][1, 0] - w.kinematics[0]["W"][1, 1]
    assert roll_stiffness("plain", 0) == pytest.approx(PLAIN["rate"] * track**2, rel=1e-6)


def test_roll_stiffness_of_levers_is_that_of_the_drawing() -> None:
    """stiffness x (track x lift)^2, lift = radians of the lever per meter of the wheel: read off the design position, where
    the lever lies along x, turned out of it a little, and the link stands upright, turned out of it a little."""
    w, _ = place("arms", np.zeros(4), 0.0)
    k, mechanism = w.kinematics[0], barred("arms").mechanism
    track, rise = k["W"][1, 0] - k["W"][1, 1], k["W_1"][2, 0]
    points = {name: np.array(ON_ARM[name]) for name in ("lever_end", "drop_link")}
    along = points["lever_end"] - points["drop_link"]
    along /= np.linalg.norm(along)
    hinge = mapping("hmmwv")["axles"]["front"]["hardpoints_left"]["LCA_B"]
    arm = points["drop_link"] - hinge
    of_arm = np.dot(along, np.cross([1.0, 0.0, 0.0], arm))  # of the point along the link, per theta; the hinge lies along x
    lever = points["lever_end"] - [ON_ARM["axis"][0], points["lever_end"][1], ON_ARM["axis"][1]]
    of_lever = np.dot(along, np.cross([0.0, 1.0, 0.0], lever))
    lift = of_arm / of_lever / rise
    assert abs(mechanism.own[0]["e_L"][0, 0]) == pytest.approx(1.0)
    assert roll_stiffness("arms", 0) == pytest.approx(ON_ARM["torsional_stiffness"] * (track * lift) ** 2, rel=1e-6)


def roll_stiffness(name: str, n: int, h: float = 1e-5) -> float:
    """Couple of the wheels about x per roll of the axle against the chassis, from the forces on theta, by differences."""
    sides = slice(2 * n, 2 * n + 2)

    def couple(share: float) -> float:
        theta = np.zeros(4)
        theta[sides] = share * OPPOSITE
        w, _ = place(name, theta, 0.0)
        k = w.kinematics[0]
        bar = w.work[0]["theta_force"] - place(name, theta, 0.0, bars=False)[0].work[0]["theta_force"]
        return float((bar / k["W_1"][2] * k["W"][1])[sides].sum())

    k = place(name, np.zeros(4), 0.0)[0].kinematics[0]
    roll = k["W_1"][2, sides].sum() / (k["W"][1, sides] @ OPPOSITE)
    return -(couple(h) - couple(-h)) / (2.0 * h) / roll


@pytest.mark.parametrize("name", BARS)
def test_both_wheels_together_feel_nothing(name: str) -> None:
    theta = np.array([0.08, 0.08, -0.05, -0.05])
    w, stored = place(name, theta, 0.0)
    bare, _ = place(name, theta, 0.0, bars=False)
    assert stored == pytest.approx(0.0, abs=1e-12)
    assert w.work[0]["theta_force"] == pytest.approx(bare.work[0]["theta_force"], abs=1e-6)


@pytest.mark.parametrize("name", BARS)
def test_mirror_image_of_accelerations(name: str) -> None:
    rng, m = np.random.default_rng(5), barred(name).mechanism
    w, other = new_workspace(m), new_workspace(m)
    x = w.state[0]
    x["theta"], x["theta_dot"] = random_thetas(name, rng), rng.uniform(-1.0, 1.0, 4)
    x["w_WB_B"], x["wheel_spin"] = rng.uniform(-1.0, 1.0, 3), rng.uniform(-10.0, 40.0, 4)
    other.state[:] = mirrored(w.state)
    for each in (w, other):
        accelerations(m.records, each)
    ours, theirs = w.out[0], other.out[0]
    assert np.abs(ours["bar_force"]).max() > 100.0
    for field, expected in (
        ("a_WB_B", POLAR * ours["a_WB_B"]),
        ("alpha_WB_B", AXIAL * ours["alpha_WB_B"]),
        ("theta_ddot", ours["theta_ddot"][SWAP]),
        ("bar_force", ours["bar_force"][SWAP]),
    ):
        assert np.abs((theirs[field] - expected) / np.maximum(1.0, np.abs(expected))).max() < 1e-9, field


# ---- the whole vehicle


def cornering(v: Vehicle) -> tuple[float, float]:
    """Roll [rad] and front less rear slip angle [rad] in a bend to the left at about 10 m/s and 6.4 m/s2."""
    v.reset(ground("flat"))
    x = v.space.state[0]
    x["v_WB_B"][0], x["wheel_spin"] = 12.0, 12.0 / 0.46
    drive(v, "flat", command(steering=0.4), 2.0)
    read = v.read()[0]
    slip = np.abs(read["slip_angle"])
    return abs(float(read["roll"])), float(slip[:2].mean() - slip[2:].mean())


@pytest.mark.parametrize("bar", [{"rate": 120e3}, {**ON_ARM, "torsional_stiffness": 120e3}], ids=["plain", "levers"])
def test_bars_take_roll_away_and_grip_from_their_own_axle(bar: dict[str, Any]) -> None:
    (bare_roll, bare_slip), (front_roll, front_slip), (rear_roll, rear_slip), (roll, _) = (
        cornering(hmmwv(front, rear)) for front, rear in ((None, None), (bar, None), (None, bar), (bar, bar))
    )
    assert roll < min(front_roll, rear_roll) and max(front_roll, rear_roll) < 0.8 * bare_roll
    assert rear_slip < bare_slip - 0.005 and bare_slip + 0.005 < front_slip


@pytest.mark.parametrize("bar", [PLAIN, ON_ARM, ON_CARRIER], ids=["plain", "arms", "carriers"])
def test_it_stands_askew_on_a_slope_less_and_as_before_on_the_level(bar: dict[str, Any]) -> None:
    rolls = []
    for v in (hmmwv(), hmmwv(bar, bar)):
        v.reset(ground("flat"))
        level = v.space.state[0]["theta"].copy()
        assert v.space.out[0]["bar_force"] == pytest.approx(0.0, abs=1e-6)
        v.reset(ground("asphalt 30"), yaw=0.5 * np.pi)
        rolls.append((level, np.ptp(v.read()[0]["jounce"][:2])))
    (level, bare), (barred_level, held) = rolls
    assert barred_level == pytest.approx(level, abs=1e-9)
    assert held < 0.8 * bare
    force = v.read()[0]["anti_roll_bar_force"]
    low = np.argmax(v.read()[0]["jounce"][:2])
    assert force[low] > 300.0 and force[1 - low] < -300.0


def test_the_linearized_vehicle_has_the_bar_between_its_wheels_and_nowhere_else() -> None:
    """About the trim at 15 m/s: what the bar adds to theta'' by theta."""
    with_bar, bare = (linearize(VehicleOde(v, ground("flat"), 15.0)) for v in (hmmwv(PLAIN), hmmwv()))
    accel, theta = with_bar.indices("theta_dot"), with_bar.indices("theta")
    added = (with_bar.A - bare.A)[np.ix_(accel, theta)]
    assert added[0, 0] < -50.0 and added[1, 1] < -50.0 and added[0, 1] > 50.0
    assert np.abs(added[:, 0] + added[:, 1]).max() < 0.02 * np.abs(added).max()
    assert np.abs(added[:, 2:]).max() < 0.02 * np.abs(added).max()


@pytest.mark.parametrize("bar", [PLAIN, ON_ARM, ON_CARRIER], ids=["plain", "arms", "carriers"])
def test_a_drive_from_tables_is_the_drive_in_closed_form(bar: dict[str, Any]) -> None:
    ends = []
    for kinematics in ("closed_form", "table"):
        v = hmmwv(bar, bar, suspension_kinematics=kinematics)
        v.reset(ground("flat"))
        x = v.space.state[0]
        x["v_WB_B"][0], x["wheel_spin"] = 11.0, 11.0 / 0.46
        drive(v, "flat", command(steering=0.3), 1.0)
        ends.append(v.read().copy())
    ours, theirs = ends[0][0], ends[1][0]
    assert np.abs(ours["anti_roll_bar_force"]).max() > 300.0
    assert theirs["anti_roll_bar_force"] == pytest.approx(ours["anti_roll_bar_force"], rel=1e-4)
    assert theirs["theta"] == pytest.approx(ours["theta"], abs=1e-6)
    assert theirs["steering_wheel_torque"] == pytest.approx(ours["steering_wheel_torque"], rel=1e-4)


@pytest.mark.parametrize(("bar", "key"), [({"rate": 3e8}, "rate"), ({**ON_ARM, "torsional_stiffness": 3e8}, "torsional_stiffness")])
def test_a_bar_too_stiff_for_the_step_is_named(bar: dict[str, Any], key: str) -> None:
    with pytest.raises(ConfigError) as caught:
        check_step(hmmwv(None, bar), ground("flat"), 1e-3, ("v.yaml", *4 * ("t.yaml",)))
    assert (caught.value.file, caught.value.key) == ("v.yaml", f"axles.rear.anti_roll_bar.{key}")
    assert "at most" in caught.value.expected
    check_step(hmmwv(PLAIN, ON_ARM), ground("flat"), 1e-3, ("v.yaml", *4 * ("t.yaml",)))


@pytest.mark.parametrize(
    ("bar", "key", "words"),
    [
        ({"rate": -2e9}, ".rate", "from -1e+09 to 1e+09"),
        ({"rate": "stiff"}, ".rate", "a number"),
        ({}, "", "either rate"),
        ({"rate": 1e4, "torsional_stiffness": 1e4}, "", "either rate"),
        ({"rate": 1e4, "lever_end": [0, 0, 0]}, ".lever_end", "no lever_end of a bar with rate"),
        ({"rate": 1e4, "drop_link": [0.0, 0.7, 0.0]}, ".mounted_on", "lower_arm, carrier"),
        ({**ON_ARM, "mounted_on": "upper_arm"}, ".mounted_on", "lower_arm, carrier"),
        ({**ON_ARM, "torsional_stiffness": 1e12}, ".torsional_stiffness", "1e+09"),
        ({**ON_ARM, "lever_end": [-0.4, 0.5, 0.1]}, ".lever_end", "from the bar's axis"),
        ({**ON_ARM, "drop_link": ON_ARM["lever_end"]}, ".drop_link", "from lever_end"),
        ({**ON_ARM, "drop_link": [0.2, 0.54, 0.1]}, ".drop_link", "over the full travel"),
        ({**ON_ARM, "lever_end": [-0.38, 0.52, 0.1]}, ".drop_link", "over the full travel"),
        ({key: value for key, value in ON_ARM.items() if key != "axis"}, ".axis", "2 numbers"),
    ],
)
def test_bad_bars_are_named(bar: dict[str, Any], key: str, words: str) -> None:
    with pytest.raises(ConfigError) as caught:
        read_description(mapping("hmmwv", bar), "v.yaml")
    assert caught.value.file == "v.yaml"
    assert caught.value.key == f"axles.front.anti_roll_bar{key}"
    assert words in caught.value.expected


def test_a_five_link_axle_has_no_arm_for_a_bar() -> None:
    with pytest.raises(ConfigError, match=r"mounted_on.*one of carrier"):
        read_description(mapping("five_link_rear", None, ON_ARM), "v.yaml")
