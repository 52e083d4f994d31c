"""Do elastic half shafts surge at the frequency of two inertias on a spring, without a gain of energy, and do rigid ones stay rigid?"""

import copy
import math

import numpy as np
import pytest
from drivetrain_rig import Bench, part_file, without_friction

from simulator.base.errors import ConfigError
from vehicles.drivetrain.driveline import LINK_STIFFNESS
from vehicles.drivetrain.drivetrain import drivetrain_cruise
from vehicles.drivetrain.drivetrain_file import drivetrain_from_mapping

STIFFNESS = 6500.0
GEAR = 2


def sedan(stiffness=STIFFNESS, damping=0.0, change=without_friction):
    """Mapping of the sedan's drivetrain with half shafts of a stiffness and damping."""
    parts = copy.deepcopy(part_file("sedan"))
    change(parts)
    parts["drivetrain"]["driveline"] |= {"half_shaft_stiffness": stiffness, "half_shaft_damping": damping}
    return parts


def switch_off(bench):
    """Take all torque from engine and starter."""
    for name in ("engine_map_closed", "engine_map_part", "engine_map_open", "idle_throttle", "starter_torque", "dead_friction"):
        bench.p[0][name] = 0.0


def coasting(stiffness=STIFFNESS, damping=0.0, gear=GEAR, speed=60.0):
    """A bench whose engine gives no torque, with a closed clutch, and wheels as heavy as the car."""
    bench = Bench(sedan(stiffness, damping), gear, (speed,) * 4)
    switch_off(bench)
    bench.inertia[:] = (1.5, 1.5, 75.0, 75.0)
    return bench.set(gear=gear)


def two_inertias(bench, gear=GEAR):
    """(before, behind) the spring [kg m2], referred to the driveshaft, and the stiffness there; from the file, not from the record."""
    d = part_file("sedan")["drivetrain"]
    final, ratio = d["driveline"]["rear_final_ratio"], d["gearbox"]["forward_ratios"][gear - 1]
    before = d["driveline"]["driveshaft_inertia"] + (d["engine"]["inertia"] + d["clutch"]["inertia"]) / ratio**2
    wheels = 2.0 * (75.0 + d["driveline"]["half_shaft_inertia"]) + d["driveline"]["rear_box_inertia"]
    return before, wheels * final**2 + d["driveline"]["rear_shaft_inertia"], 2.0 * STIFFNESS * final**2


def twists(bench, seconds, h):
    """Twist after each step."""
    out = np.empty(round(seconds / h))
    for n in range(len(out)):
        bench.run(steps=1, h=h)
        out[n] = bench.state[0]["twist"]
    return out


def wound(state):
    """Energy in the links of dry friction."""
    angles = *state["side_angle"], *state["box_angle"], state["center_angle"], state["shaft_angle"]
    return 0.5 * LINK_STIFFNESS * sum(float(angle) ** 2 for angle in angles)


def crossings(twist, h):
    """Times at which the twist crosses zero."""
    i = np.flatnonzero(np.sign(twist[:-1]) * np.sign(twist[1:]) < 0.0)
    return h * (i + twist[i] / (twist[i] - twist[i + 1]))


@pytest.mark.parametrize("gear", [1, 2, 4])
def test_surge_has_the_frequency_of_two_inertias_on_a_spring(gear):
    bench = coasting(gear=gear)
    before, behind, stiffness = two_inertias(bench, gear)
    bench.state[0]["twist"] = 0.05
    at = crossings(twists(bench, 1.5, 1e-4), 1e-4)
    expected = math.sqrt(stiffness * (1.0 / before + 1.0 / behind)) / math.tau
    assert len(at) >= 4 and 2.0 < expected < 12.0
    assert (len(at) - 1) / (2.0 * (at[-1] - at[0])) == pytest.approx(expected, rel=2e-3)


def test_surge_decays_by_its_damping():
    """Damping ratio c w / (2 k), and half of h w by the step."""
    h, damping = 1e-4, 40.0
    bench = coasting(damping=damping)
    before, behind, stiffness = two_inertias(bench)
    w = math.sqrt(stiffness * (1.0 / before + 1.0 / behind))
    bench.state[0]["twist"] = 0.05
    twist = twists(bench, 1.0, h)
    peaks = np.flatnonzero((np.abs(twist[1:-1]) > np.abs(twist[:-2])) & (np.abs(twist[1:-1]) >= np.abs(twist[2:]))) + 1
    decrement = -np.polyfit(np.arange(len(peaks)), np.log(np.abs(twist[peaks])), 1)[0]
    ratio = decrement / math.hypot(math.pi, decrement)
    assert ratio == pytest.approx(damping * w / (2.0 * STIFFNESS) + 0.5 * h * w, rel=0.03)


@pytest.mark.parametrize("h", [1e-4, 1e-3, 5e-3])
def test_momentum_stays_and_energy_only_falls(h):
    bench = coasting()
    bench.state[0]["twist"] = -0.2
    before, behind, stiffness = two_inertias(bench)

    def momentum():
        return before * bench.state[0]["shaft_end_speed"] + behind * bench.spin[2:].mean() / bench.p[0]["final_ratio"][1]

    def energy():
        return bench.energy() + 0.5 * stiffness * bench.state[0]["twist"] ** 2

    start, last = momentum(), energy()
    for _ in range(400):
        bench.run(steps=1, h=h)
        now = energy()
        assert now <= last * (1.0 + 1e-12)
        last = now
    assert momentum() == pytest.approx(start, rel=1e-9)


@pytest.mark.parametrize("h", [1e-3, 5e-3])
@pytest.mark.parametrize("name", ["hmmwv", "sedan", "light_truck", "sedan_chrono"])
def test_no_state_makes_the_driveline_gain_energy(name, h):
    """With losses, brakes, differentials and gears as shipped, the engine off, from wild speeds and twists."""
    rng = np.random.default_rng(11)
    bench = Bench(name, 1)
    switch_off(bench)
    stiffness = bench.p[0]["twist_stiffness"]
    assert stiffness > 0.0
    for _ in range(30):
        bench.spin[:] = rng.normal(size=4) * 30.0
        gear = int(rng.integers(-1, bench.p[0]["gears"] + 1))
        drivetrain_cruise(bench.p, bench.state, bench.spin, max(gear, 1), 0.0)
        bench.state[0]["twist"], bench.state[0]["shaft_end_speed"] = rng.normal() * 0.5, rng.normal() * 100.0
        bench.set(brake=float(rng.uniform()), selector=int(np.sign(gear)))
        last = math.inf
        for _ in range(50):
            bench.run(steps=1, h=h)
            now = bench.energy() + 0.5 * stiffness * bench.state[0]["twist"] ** 2 + wound(bench.state[0])
            assert math.isfinite(now) and now <= last + 1e-9 * max(1.0, now)
            last = now


def test_a_held_wheel_shows_the_static_twist():
    bench = Bench(sedan(damping=20.0), GEAR)
    bench.state[0]["grip"], bench.inertia[:] = 1.0, 1e9
    bench.p[0]["engine_map_open"] = bench.p[0]["engine_map_closed"] = 100.0
    bench.state[0]["engine_speed"] = 0.0
    bench.p[0]["stall_speed"] = 0.0
    bench.set(gear=GEAR, manual_clutch=1, throttle=1.0).run(12.0)
    final, ratio = bench.p[0]["final_ratio"][1], bench.p[0]["forward_ratios"][GEAR - 1]
    torque = 100.0 / ratio
    assert bench.out[0]["shaft_torque"] == pytest.approx(torque, rel=1e-4)
    assert bench.out[0]["shaft_twist"] == pytest.approx(torque / (2.0 * STIFFNESS * final**2), rel=1e-4)
    np.testing.assert_allclose(bench.out[0]["drive_torque"][2:4], 0.5 * torque / final, rtol=1e-3)


def test_very_stiff_shafts_move_like_rigid_ones():
    rigid, stiff = coasting(0.0), coasting(1e7, 1e4)
    for bench in (rigid, stiff):
        bench.moment[2:] = -2000.0
        bench.run(0.3)
    np.testing.assert_allclose(stiff.spin, rigid.spin, rtol=1e-4)
    assert rigid.out[0]["shaft_twist"] == 0.0
    assert stiff.out[0]["shaft_torque"] == pytest.approx(rigid.out[0]["shaft_torque"], rel=1e-2)


def test_a_rolling_start_has_the_twist_of_its_torque():
    bench = Bench(sedan(), GEAR, (60.0,) * 4)
    throttle = drivetrain_cruise(bench.p, bench.state, bench.spin, GEAR, 150.0)
    assert 0.0 < throttle < 1.0 and bench.state[0]["twist"] == pytest.approx(150.0 / bench.p[0]["twist_stiffness"], rel=1e-6)
    bench.inertia[:] = 1e7
    bench.set(throttle=throttle, gear=GEAR)
    swings = twists(bench, 0.5, 1e-3)
    assert np.ptp(swings) < 1e-3 * abs(swings).max()


def test_torque_follows_the_pedal_with_its_lag():
    parts = sedan()
    parts["drivetrain"]["engine"] |= {"response_time": 0.1}
    bench = Bench(parts, GEAR, (60.0,) * 4).set(gear=GEAR)
    bench.inertia[:] = 1e7
    bench.run(1.0)
    closed = float(bench.out[0]["engine_torque"])
    seen = []
    bench.set(throttle=0.5)
    for _ in range(1000):
        bench.run(steps=1)
        seen.append(float(bench.out[0]["engine_torque"]))
    reached = (np.array(seen) - closed) / (seen[-1] - closed)
    assert reached[99] == pytest.approx(1.0 - math.exp(-1.0), abs=0.01)
    assert reached[299] == pytest.approx(1.0 - math.exp(-3.0), abs=0.01)


@pytest.mark.parametrize(
    ("keys", "key", "expected"),
    [
        ({"half_shaft_stiffness": 5.0}, "half_shaft_stiffness", "at least 100"),
        ({"half_shaft_stiffness": 0.0, "half_shaft_damping": 5.0}, "half_shaft_damping", "0 without"),
        ({"half_shaft_stiffness": -1.0}, "half_shaft_stiffness", "from 0"),
        ({"half_shaft_stiffness": math.nan}, "half_shaft_stiffness", "finite"),
    ],
)
def test_keys_that_no_shaft_has_are_refused(keys, key, expected):
    parts = sedan()
    parts["drivetrain"]["driveline"] |= keys
    with pytest.raises(ConfigError, match=key) as error:
        drivetrain_from_mapping(parts["drivetrain"], "mine.yaml")
    assert expected in str(error.value)
