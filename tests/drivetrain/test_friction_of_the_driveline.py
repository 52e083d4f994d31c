"""Do differentials bias the torque, do meshes lose what they should, and does nothing ever give energy?"""

import math

import numpy as np
import pytest
from drivetrain_rig import Bench, part_file, rigid
from straight_line import Car

from simulator.base.records import record
from vehicles.drivetrain.conventional.engine import engine_torque
from vehicles.drivetrain.driveline import LINK_STIFFNESS, link_slope, solve_wheels_with_friction
from vehicles.drivetrain.drivetrain import DRIVETRAIN_STATE


def rows_of(p):
    """Rows of all shafts over the spins: boxes (2, 4), differences in the axles (2, 4), axles' shafts (2, 4), by the topology."""
    p = p[0]
    mean, apart = np.array([[0.5, 0.5, 0, 0], [0, 0, 0.5, 0.5]]), np.array([[1.0, -1, 0, 0], [0, 0, 1, -1]])
    hub = p["hub_ratio"][:, None]
    return mean / hub, apart / hub, mean / p["final_ratio"][:, None]


def test_wheel_system_with_friction_is_solved_exactly():
    """Against the dense system, whichever elements hold and slide."""
    rng = np.random.default_rng(11)
    bench = Bench("hmmwv", 1)
    p, s = bench.p, record(DRIVETRAIN_STATE)
    for _ in range(200):
        p[0]["hub_ratio"] = rng.uniform(0.4, 1.0, 2)
        p[0]["final_ratio"] = p[0]["hub_ratio"] * rng.uniform(0.2, 0.5, 2)
        w, h = s[0], rng.choice([1e-4, 1e-3])
        for name in ("side", "box"):
            w[f"{name}_sliding"], w[f"{name}_limit"] = rng.integers(-1, 2, 2), rng.uniform(0.0, 300.0, 2)
            w[f"{name}_held"] = rng.normal(size=2) * 100.0
        for name in ("center", "shaft"):
            w[f"{name}_sliding"], w[f"{name}_limit"], w[f"{name}_held"] = rng.integers(-1, 2), rng.uniform(0.0, 300.0), rng.normal() * 100.0
        w["diagonal"], w["load"] = rng.uniform(5.0, 500.0, 4), rng.normal(size=4)
        inertia, impulse = rng.uniform(0.01, 30.0), rng.normal()
        boxes, sides, shafts = rows_of(p)
        driveshaft, center = shafts.mean(axis=0), shafts[0] - shafts[1]
        matrix = np.diag(w["diagonal"]) + inertia * np.outer(driveshaft, driveshaft)
        load = w["load"] + impulse * driveshaft
        for k in range(2):
            matrix += p[0]["box_inertia"][k] * np.outer(boxes[k], boxes[k]) + p[0]["shaft_inertia"][k] * np.outer(shafts[k], shafts[k])
        elements = [("side", k, sides[k]) for k in range(2)] + [("box", k, boxes[k]) for k in range(2)]
        for name, k, row in [*elements, ("center", (), center), ("shaft", (), driveshaft)]:
            if w[f"{name}_sliding"][k] == 0:
                matrix += h * link_slope(h) * np.outer(row, row)
                load -= h * w[f"{name}_held"][k] * row
            else:
                load -= h * w[f"{name}_sliding"][k] * w[f"{name}_limit"][k] * row
        solve_wheels_with_friction(p, s, inertia, impulse, h)
        expected = np.linalg.solve(matrix, load)
        np.testing.assert_allclose(w["change"], expected, rtol=1e-6, atol=1e-9 * np.abs(expected).max())


def friction_power(bench, spin):
    """Power [W] that every friction element takes at such spins of the wheels."""
    w = bench.state[0]
    boxes, sides, shafts = rows_of(bench.p)
    power = [*(w["box_friction"] * (boxes @ spin)), *(w["side_friction"] * (sides @ spin))]
    return np.array([*power, w["center_friction"] * ((shafts[0] - shafts[1]) @ spin), w["shaft_friction"] * (shafts.mean(axis=0) @ spin)])


def wound(state):
    """Energy [J] in the links."""
    angles = [state["center_angle"], state["shaft_angle"], *state["box_angle"], *state["side_angle"]]
    return 0.5 * LINK_STIFFNESS * np.sum(np.square(angles))


@pytest.mark.parametrize("gear", [-1, 1, 3])
def test_power_of_every_part_is_accounted_for(gear):
    """Engine power is the rate of the kinetic energy plus what wheels, converter, coupling and friction take; no friction and no converter gives any."""
    rng = np.random.default_rng(7)
    bench, h = Bench("hmmwv", gear, np.array([20.0, 21.0, 19.0, 20.5]) * np.sign(gear), rigid), 1e-3
    p, lost = bench.p[0], 0.0
    p["schedule_points"], p["upshift_speed"], p["downshift_speed"] = 0, 1e9, -1e9
    crank = p["engine_inertia"] + p["impeller_inertia"]
    for n in range(400):
        if n % 50 == 0:
            bench.set(throttle=rng.uniform(), center_lock=int(rng.integers(0, 2)))
            bench.moment[:] = rng.normal(size=4) * 600.0
        before, spin, energy = bench.state.copy()[0], bench.spin.copy(), bench.energy()
        bench.run(steps=1, h=h)
        w, mean = bench.state[0], 0.5 * (bench.spin + spin)
        engine, turbine = 0.5 * (w["engine_speed"] + before["engine_speed"]), 0.5 * (w["turbine_speed"] + before["turbine_speed"])
        change, output = w["engine_speed"] - before["engine_speed"], rows_of(bench.p)[2].mean(axis=0) @ mean
        drive, slope = engine_torque(bench.p, before["engine_speed"], bench.command[0]["throttle"])
        drive += min(slope, 0.0) * change
        load = drive - crank * change / h
        given = w["coupling_torque"] + p["turbine_inertia"] * (w["turbine_speed"] - before["turbine_speed"]) / h
        converter, coupling = load * engine - given * turbine, w["coupling_torque"] * (turbine - output / w["ratio"])
        taken = friction_power(bench, mean).sum() + converter + coupling
        gained = (bench.energy() - energy) / h
        assert drive * engine + bench.moment @ mean == pytest.approx(gained + taken, abs=1e-7 * (abs(gained) + abs(taken) + 1e4))
        dissipated = friction_power(bench, bench.spin).sum() - (wound(w) - wound(before)) / h
        assert dissipated >= -1e-6 and converter >= -1e-3 * abs(load * engine) - 1.0
        lost += h * friction_power(bench, mean).sum()
    assert lost > 100.0


def all_efficiencies(p, gear):
    return p["gear_efficiency"][gear] * p["range_efficiency"][0] * p["axle_efficiency"]


@pytest.mark.parametrize("throttle", [0.0, 1.0])
def test_efficiency_acts_against_the_flow_of_power(throttle):
    """In third at a steady speed: driving, the wheels get so much less than the gearbox gives; coasting, the gearbox so much less than they give."""
    bench = Bench("hmmwv", 3, np.full(4, 45.0)).set(throttle=throttle)
    p = bench.p[0]
    p["schedule_points"], p["upshift_speed"], p["downshift_speed"] = 0, 1e9, -1e9
    for name in ("shaft_drag", "shaft_churning", "box_drag", "box_churning", "hub_drag", "hub_churning"):
        p[name] = 0.0
    bench.inertia[:] = 1e6
    bench.run(1.0)
    gearbox = bench.out[0]["driveshaft_torque"] * bench.out[0]["driveshaft_speed"]
    wheels = bench.out[0]["drive_torque"] @ bench.spin
    assert (gearbox > 0.0) == (throttle > 0.0) and abs(gearbox) > 3e3
    efficiency = wheels / gearbox if throttle else gearbox / wheels
    assert efficiency == pytest.approx(all_efficiencies(p, 3), rel=1e-3)


def test_drag_lets_a_drivetrain_stand_still():
    """In neutral a moment below the drag turns nothing, one above it does."""
    bench = Bench("hmmwv", 0)
    for moment, turns in ((2.0, False), (30.0, True)):
        bench.moment[:] = moment
        bench.run(0.2)
        assert (np.abs(bench.spin).max() > 1e-4) == turns


@pytest.mark.parametrize("blend", [0.0, 5.0])
@pytest.mark.parametrize("slips", ["left", "right"])
def test_torque_of_the_wheel_that_holds_is_the_bias_ratio_times_that_of_the_one_that_slips(slips, blend):
    """With a blend speed of the bias ratio that is left at the difference of the speeds."""
    bench = Bench("hmmwv", 1).set(throttle=0.3)
    bench.p[0]["preload"], bench.p[0]["has_friction"], bench.p[0]["blend_speed"] = 0.0, 1, blend
    fast, slow = (0, 1) if slips == "left" else (1, 0)
    bench.inertia[:] = 1e7
    bench.inertia[fast] = 300.0
    bench.run(1.0)
    drive = bench.out[0]["drive_torque"]
    difference = (bench.spin[fast] - bench.spin[slow]) / bench.p[0]["hub_ratio"][0]
    assert difference > 0.02
    rate = drive[fast] / bench.inertia[fast]
    shaft = bench.p[0]["half_shaft_inertia"] / bench.p[0]["hub_ratio"][0] ** 2
    bias = part_file("hmmwv")["drivetrain"]["driveline"]["front_differential"]["bias_ratio"]
    share = (bias - 1.0) / (bias + 1.0) * difference / math.hypot(difference, blend)
    assert drive[slow] == pytest.approx((1.0 + share) / (1.0 - share) * (drive[fast] + shaft * rate), rel=0.01)
    assert drive[2] == pytest.approx(drive[3], rel=1e-6)


def test_locked_center_turns_both_axles_alike():
    bench = Bench("hmmwv", 1).set(throttle=0.5, center_lock=1)
    bench.moment[:] = (-800.0, -800.0, 0.0, 0.0)
    bench.run(0.5)
    assert bench.out[0]["center_locked"] == 1
    assert bench.spin[:2].mean() == pytest.approx(bench.spin[2:].mean(), abs=1e-3)
    bench.set(center_lock=0).run(0.5)
    assert bench.spin[2:].mean() > bench.spin[:2].mean() + 0.1


def test_low_range_waits_for_a_standstill_and_multiplies_the_torque():
    car = Car("hmmwv", 1).set(brake=1.0)
    car.roll(0.5)
    high = car.out[0]["drive_torque"].sum()
    car.set(low_range=1).roll(0.5)
    assert car.out[0]["range"] == 1 and car.out[0]["center_locked"] == 1
    assert car.out[0]["drive_torque"].sum() == pytest.approx(high / 0.38168, rel=0.25)
    car.set(brake=0.0, throttle=0.5).roll(3.0)
    assert car.speed > 1.0
    car.set(low_range=0).roll(0.1)
    assert car.out[0]["range"] == 1, "not while it rolls"
    car.set(brake=1.0, throttle=0.0).roll(4.0)
    assert car.out[0]["range"] == 0
