"""Trailers: closed forms of sway and off-tracking, forces of the coupling, files with errors."""

import math

import numpy as np
import pytest
from shipped_files import shipped_content
from single_track_train import Axle, SingleTrackTrain, Unit, free_motion, least_damped, roots_of, single_track, with_tail_load

import jounce
from simulator.base.errors import ConfigError
from simulator.base.records import record
from simulator.builder.builder import build_ground, build_vehicle
from simulator.builder.vehicle_builder import VehicleParts, vehicle_of
from simulator.configuration.configuration import Configuration
from simulator.configuration.layers import Origin
from simulator.driver.trailer_driver import critical_angle, steady_angle
from vehicles.command import COMMAND

GRAVITY = 9.80665
CAR = Unit(1500.0, 2500.0, (Axle(1.2, 8e4, 0.01), Axle(-1.4, 9e4, 0.01)), -2.4)
TRAILER = Unit(1000.0, 1500.0, (Axle(-0.2, 6e4, 0.01),), 3.0)


def test_the_trailer_of_a_heavy_vehicle_is_a_damped_pendulum():
    """A vehicle that does not yield leaves one equation: J p'' + C L^2 / V p' + C L p = 0, J about the coupling, L to the axle."""
    heavy = Unit(1e9, 1e10, CAR.axles, CAR.coupling)
    J, L = TRAILER.inertia + TRAILER.mass * TRAILER.coupling**2, TRAILER.coupling - TRAILER.axles[0].x
    for speed in (5.0, 20.0, 40.0):
        frequency = math.sqrt(6e4 * L / J)
        damping = 6e4 * L * L / (J * speed) / (2.0 * frequency)
        if damping < 1.0:
            found = SingleTrackTrain(heavy, TRAILER).sway(speed)
            assert found == pytest.approx((frequency, damping), rel=0.01)


def test_a_light_trailer_leaves_the_motion_of_the_car():
    light = Unit(1e-3, 1e-3, (Axle(-0.2, 10.0, 0.01),), 3.0)
    V, (a, b) = 25.0, (1.2, 1.4)
    M = np.diag([CAR.mass, CAR.inertia])
    K = np.array([[17e4 / V, (a * 8e4 - b * 9e4) / V + CAR.mass * V], [(a * 8e4 - b * 9e4) / V, (a * a * 8e4 + b * b * 9e4) / V]])
    wanted = np.linalg.eigvals(-np.linalg.solve(M, K))
    found = np.linalg.eigvals(SingleTrackTrain(CAR, light).matrix(V))
    for root in wanted:
        assert np.abs(found - root).min() < 0.03 * abs(root)


def test_a_load_behind_the_axle_makes_the_train_unstable_above_a_speed():
    model = with_tail_load(SingleTrackTrain(CAR, TRAILER), 0.7)
    assert model.sway(10.0)[1] > 0.0 > model.sway(40.0)[1]


def test_the_roots_of_a_sum_of_oscillations_are_found():
    t = np.arange(3000) * 1e-3
    motion = 0.1 * np.exp(-1.3 * t) * np.cos(5.4 * t + 0.3) + 0.02 * np.exp(-6.0 * t)
    assert least_damped(roots_of(motion)) == pytest.approx((math.hypot(1.3, 5.4), 1.3 / math.hypot(1.3, 5.4)), rel=1e-3)


def test_the_angle_of_the_joint_on_a_circle_is_that_of_plane_rolling():
    """Integrate phi' until it is steady; the axle of the trailer then runs on its circle."""
    D, M, K = 2.3, 0.76, 0.1
    phi = 0.0
    for _ in range(60_000):
        phi += -1e-3 * (math.sin(phi) / D + K * (1.0 + M * math.cos(phi) / D))
    R = math.sqrt(1.0 / K**2 + M * M - D * D)
    assert steady_angle(1.0 / R, D, M) == pytest.approx(phi, abs=1e-6)
    assert critical_angle(D, M, 3.3, math.atan(3.3 * K)) == pytest.approx(-phi, abs=1e-6)


@pytest.fixture(scope="module")
def train():
    return build_vehicle("hmmwv_m1101")


@pytest.fixture(scope="module")
def flat():
    return build_ground("flat")


def mass_of(vehicle):
    return float(vehicle.model.chassis[0]["mass"] + vehicle.model.corners[0]["corner_mass"].sum())


def test_the_train_stands_with_its_weight_on_its_wheels_and_the_tongue_load_of_the_levers(train, flat):
    train.reset(flat)
    towed, q = train.train.trailers[0].vehicle, train.train.towing[0]
    front, back = train.readout[0], towed.readout[0]
    weight = (mass_of(train) + mass_of(towed)) * GRAVITY
    assert front["F_C"][:, 2].sum() + back["F_C"][:, 2].sum() == pytest.approx(weight, rel=1e-6)
    arm = float(train.train.towed[0]["p_TH"][0] - back["p_BK"][:, 0].mean())
    tongue = mass_of(towed) * GRAVITY * float(back["p_BG"][0] - back["p_BK"][:, 0].mean()) / arm
    assert -q["force_B"][2] == pytest.approx(tongue, rel=0.02)
    assert q["gap"] < 1e-9
    assert abs(q["force_B"][0]) < 0.01 * tongue


def test_the_coupling_force_is_what_the_trailer_needs_to_slow_down(train, flat):
    train.reset(flat, speed=15.0)
    towed, q, c = train.train.trailers[0].vehicle, train.train.towing[0], record(COMMAND)
    c["selector"], c["brake"] = 1, 0.5
    for _ in range(1200):
        train.step(flat, c, 1e-3)
    o = towed.read()[0]
    b = towed.model.body[0]
    drag = 0.5 * float(b["air_density"] * b["drag_area"]) * towed.speed**2
    force = float(o["F_C"][:, 0].sum()) - drag - float(q["force_B"][0])
    assert mass_of(towed) * float(o["a_WG_B"][0]) == pytest.approx(force, rel=0.03)
    assert q["force_B"][0] > 1000.0
    assert 0.2 < q["brake"] < 0.8
    assert q["gap"] < 1e-6


def test_the_trailer_cuts_a_slow_turn_as_in_plane_rolling(train, flat):
    train.reset(flat, speed=2.0)
    towed, c = train.train.trailers[0].vehicle, record(COMMAND)
    c["selector"], c["throttle"], c["steering"] = 1, train.start_throttle, 0.7
    for _ in range(16_000):
        train.step(flat, c, 1e-3)
    one, two, p = train.read(c)[0], towed.read()[0], train.train.towed[0]
    rear, axle = float(one["p_BK"][2:, 0].mean()), float(two["p_BK"][:, 0].mean())
    radius = math.hypot(one["v_WB_B"][0], one["v_WB_B"][1] + rear * one["w_WB_B"][2]) / one["w_WB_B"][2]
    behind = math.hypot(two["v_WB_B"][0], two["v_WB_B"][1] + axle * two["w_WB_B"][2]) / two["w_WB_B"][2]
    M, D = rear - float(p["p_BH"][0]), float(p["p_TH"][0]) - axle
    assert behind == pytest.approx(math.sqrt(radius**2 + M**2 - D**2), rel=0.02)
    assert behind < radius - 0.1


def changed(name, **changes):
    """Return a vehicle with changes by key path, in which a double underscore is a dot."""
    configuration = Configuration.of("vehicle", name)
    for key, value in changes.items():
        configuration.put(f"vehicle.{key.replace('__', '.')}", value, Origin("test", is_file=False))
    return vehicle_of(configuration, VehicleParts())[0]


@pytest.mark.parametrize("speed", [20.0, 30.0])
def test_sway_has_frequency_and_damping_of_the_single_track_model(flat, speed):
    """The center of mass of the trailer is near the ground, because the model has no roll; its coupling has no friction."""
    content = {"vehicle": "m1101", "hitch": [-2.45, 0.0, 0.10]}
    trailer = {
        "base": "m1101",
        "coupling": {"friction": 0.0},
        "chassis": {"com": [0.33, 0.0, -0.42], "fixed_masses": {"cargo": {"com": [0.175, 0.0, -0.42]}}},
    }
    low = changed("hmmwv", trailers=[{**content, "vehicle": trailer}])
    low.reset(flat)
    frequency, damping = single_track(low).sway(speed)
    found = least_damped(roots_of(free_motion(low, flat, speed)))
    assert found[0] == pytest.approx(frequency, rel=0.06)
    assert found[1] == pytest.approx(damping, abs=0.03)


def test_a_jackknife_ends_at_the_stop_of_the_coupling(train, flat):
    train.reset(flat)
    c, q, limit = record(COMMAND), train.train.towing[0], float(train.train.towed[0]["limits"][2])
    c["selector"], c["throttle"], c["steering"] = -1, 0.25, 1.0
    largest = 0.0
    for _ in range(12_000):
        train.step(flat, c, 1e-3)
        largest = max(largest, abs(float(q["yaw"])))
    assert limit < largest < limit + math.radians(5.0)
    assert np.isfinite(train.read(c)[0]["p_WB"]).all()


def errors_of(**changes):
    """Return the messages about the vehicle file m1101 with changes, by key path."""
    with pytest.raises(ConfigError) as found:
        changed("m1101", **changes)
    return str(found.value)


def test_errors_in_the_file_of_a_trailer_are_reported():
    assert "a push in N, because `brakes: overrun`" in errors_of(coupling__overrun_start=None)
    assert "overrun_start" in errors_of(coupling__overrun_full=100.0)
    assert "no such section in a trailer" in errors_of(actuators={})
    assert "trailers" in errors_of(trailers=[{"vehicle": "m1101"}])


def test_a_vehicle_needs_its_steering_unless_it_is_a_trailer():
    message = errors_of(coupling=None)
    assert "steering" in message or "front" in message


def test_only_trailers_are_towed():
    with pytest.raises(ConfigError, match="a trailer: a vehicle file with a section `coupling`") as found:
        changed("hmmwv", trailers=[{"vehicle": "sedan"}])
    assert "[0]" in str(found.value)


@pytest.mark.parametrize("hitch", [[2.5, 0.0, 0.1], [-2.45, 3.0, 0.1], [-20.0, 0.0, 0.1]])
def test_a_hitch_beside_the_vehicle_is_refused(hitch):
    with pytest.raises(ConfigError, match=r"hitch.*a point on the vehicle ahead"):
        changed("hmmwv", trailers=[{"vehicle": "m1101", "hitch": hitch}])


def test_a_coupling_behind_the_axle_of_the_trailer_is_refused():
    with pytest.raises(ConfigError, match=r"coupling\.point.*a point ahead of the axles of the trailer"):
        changed("hmmwv", trailers=[{"vehicle": {"base": "m1101", "coupling": {"point": [-2.3, 0.0, 0.1]}}}])


def test_a_twin_has_the_state_of_the_vehicle_and_no_part_in_its_trailers(train, flat):
    train.reset(flat, speed=5.0)
    twin = train.twin()
    assert twin.space.state.tobytes() == train.space.state.tobytes()
    assert twin.train is None and len(twin.model.towed) == len(twin.space.towing) == 0


def test_the_tires_of_a_trailer_warm_up(flat):
    warm = {name: shipped_content("tires", "warm_mxv8")[name] for name in ("temperature", "wear")}
    tires = {"base": "tmeasy_hmmwv", **warm}
    one = jounce.load_vehicle("hmmwv_m1101", {"trailers[0].vehicle": {"base": "m1101", "tires": tires}})
    one.reset(flat, speed=15.0)
    heat, command = one.train.trailers[0].vehicle.space.tire_heat[0], record(COMMAND)
    assert (heat["carcass_temperature"] == 20.0).all()
    command[0]["selector"], command[0]["throttle"], command[0]["steering"] = 1, one.start_throttle, 0.1
    for _ in range(1000):
        one.step(flat, command, 1e-3)
    assert (heat["carcass_temperature"] > 20.05).all() and (heat["friction_work"] > 10.0).all()
    assert len(one.space.tire_heat) == 0


def test_a_recovery_puts_vehicle_and_trailer_in_line_at_the_same_time():
    sim = jounce.Simulation("hmmwv_m1101", "flat", platform=None)
    sim.reset(speed=20.0)
    sim.command(steering=1.0, throttle=0.3)
    sim.advance(2.0)
    assert abs(sim["trailer_coupling_yaw"]) > 0.1
    sim.session.set_upright()
    sim.advance(0.1)
    towed = sim.vehicle.train.trailers[0].vehicle
    assert float(towed.space.state[0]["time"]) == pytest.approx(sim.time, abs=1e-9)
    assert abs(sim["trailer_coupling_yaw"]) < 0.01
    assert sim["trailer_coupling_gap"] < 1e-6
