"""Is the classical washout that of the equations? Frequency responses, steady states, feedback of attitude, limits, no drift."""

import math

import numpy as np
import pytest
from cueing_scenes import REST, STILL, G, H, hard_drive, washout_mapping

from simulator.base.errors import ConfigError
from simulator.base.records import record
from washout.classical import HEAD, STATE, WASHOUT, washout, washout_step
from washout.discrete_filter import discrete, exponential
from washout.motion_kernels import POSE, scaled

CUEING = {
    "force_gain": [0.4, 0.4, 0.5],
    "force_limit": [4.0, 4.0, 4.0],
    "rate_gain": [0.5, 0.5, 0.5],
    "rate_limit_deg": [20.0, 20.0, 20.0],
    "motion_gain": [0.25, 0.25, 1.0],
    "high_pass_frequency": [1.5, 1.5, 4.0],
    "high_pass_damping": [0.7, 0.7, 1.0],
    "return_frequency": [0.28, 0.28, 0.4],
    "tilt_gain": [1.0, 1.0],
    "tilt_frequency": [9.7, 9.7],
    "tilt_damping": [1.0, 1.0],
    "tilt_limit_deg": 12.0,
    "tilt_rate_deg": 5.0,
    "tilt_acceleration_deg": 16.0,
    "rotation_frequency": [1.0, 1.0, 1.0],
    "rotation_damping": [1.0, 1.0, 1.0],
}
"""A set as files had it before there were orders, knees and heave by tilt: what is left out means what it meant."""


def filters(h=H, p_PH=(0.0, 0.0, 0.0), **changes):
    p = record((*WASHOUT, HEAD))
    p[0]["p_PH"] = p_PH
    washout({**CUEING, **changes}, "test", h, p)
    return p, record(STATE), record(POSE)


def run(p, s, out, force, rate=None):
    """Positions of the head (n, 3) [m], angles (n, 3) [rad] and tilt (n, 2) [rad] for specific forces (n, 3)."""
    h = float(p[0]["h"])
    position, angles, tilt = np.zeros_like(force), np.zeros_like(force), np.zeros((len(force), 2))
    for k, f in enumerate(force):
        washout_step(p, s, f, STILL if rate is None else rate[k], h, out)
        position[k], angles[k], tilt[k] = s[0]["high_pass"][:, 1], out[0]["angles"], s[0]["tilt"]
    return position, angles, tilt


def first_harmonic(signal, t, w):
    """Complex amplitude of sin(w t) in the last part of a signal, by least squares."""
    basis = np.stack([np.sin(w * t), np.cos(w * t), np.ones_like(t)], axis=1)
    sine, cosine, _ = np.linalg.lstsq(basis, signal, rcond=None)[0]
    return complex(sine, cosine)


def settled_response(w, read, amplitude=0.02, axis=0, rotation=False, h=2e-3, **changes):
    """Complex gain of an output for a sinusoidal input of one axis; `read` picks it from (position, angles, tilt)."""
    periods = max(3.0, 30.0 * w / (2 * math.pi))
    t = np.arange(int(periods * 2 * math.pi / w / h)) * h
    wave = amplitude * np.sin(w * t)
    force, rate = np.tile(REST, (len(t), 1)), np.zeros((len(t), 3))
    (rate if rotation else force)[:, axis] += wave
    p, s, out = filters(h, **changes)
    signal = read(*run(p, s, out, force, rate))
    last = t > t[-1] - 2 * 2 * math.pi / w
    return first_harmonic(signal[last], t[last], w) / amplitude


UNITY = {"force_gain": [1.0] * 3, "motion_gain": [1.0] * 3, "rate_gain": [1.0] * 3}
NO_TILT = {"tilt_gain": [0.0, 0.0]}
GENTLE = {"tilt_rate_deg": 1000.0, "tilt_acceleration_deg": 1e6}


@pytest.mark.parametrize("w", [0.3, 1.0, 1.84, 4.0, 10.0])
@pytest.mark.parametrize("axis", [0, 2])
def test_high_pass_is_equation_4_7(w, axis):
    """x / a = s / ((s^2 + 2 z wn s + wn^2)(s + wb)), which is (4.7) for the acceleration."""
    mapping = CUEING
    wn, z, wb = (mapping[k][axis] for k in ("high_pass_frequency", "high_pass_damping", "return_frequency"))
    jw = 1j * w
    expected = jw / ((jw**2 + 2 * z * wn * jw + wn**2) * (jw + wb))
    got = settled_response(w, lambda x, *_: x[:, axis], axis=axis, **UNITY, **NO_TILT)
    assert abs(got - expected) <= 0.005 * abs(expected)


@pytest.mark.parametrize("w", [0.5, 2.0, 9.7, 20.0])
def test_low_pass_is_equation_4_8(w):
    """Tilt for surge: -(1/g) w0^2 / (s^2 + 2 z w0 s + w0^2), while angles are small and no limit acts."""
    jw, w0 = 1j * w, 9.7
    expected = -(w0**2) / (jw**2 + 2 * jw * w0 + w0**2) / G
    got = settled_response(w, lambda x, angles, tilt: tilt[:, 1], **UNITY, **GENTLE)
    assert abs(got - expected) <= 0.01 * abs(expected)


@pytest.mark.parametrize("w", [0.2, 1.0, 5.0])
def test_rotational_channel_is_a_high_passed_integral(w):
    """angle / rate = s / (s^2 + 2 z w0 s + w0^2)."""
    jw = 1j * w
    got = settled_response(w, lambda x, angles, tilt: angles[:, 2], axis=2, rotation=True, **UNITY, **NO_TILT)
    expected = jw / (jw**2 + 2 * jw + 1.0)
    assert abs(got - expected) <= 0.005 * abs(expected)


def test_filters_are_exact_between_ticks_of_any_length():
    """A ramp through w^2 / (s^2 + 2 w s + w^2) is known in closed form, and a step of half a second gives it to the last digits."""
    w, h = 3.0, 0.5
    Ad, bd = discrete([[0.0, 1.0], [-w * w, -2.0 * w]], [0.0, w * w], h)
    x, t = np.zeros(2), 0.0
    for _ in range(6):
        x = Ad @ x + bd @ [t, t + h]
        t += h
    assert x[0] == pytest.approx(t - 2.0 / w + (t + 2.0 / w) * math.exp(-w * t), rel=1e-13)
    spin = np.array([[0.0, 40.0], [-40.0, 0.0]])
    assert exponential(spin) == pytest.approx(np.array([[math.cos(40), math.sin(40)], [-math.sin(40), math.cos(40)]]), abs=1e-12)


@pytest.mark.parametrize("h", [5e-3, 4e-2])
def test_a_slow_tick_gives_the_same_motion(h):
    """The surge of a washout at 25 and at 200 Hz is that at 1 kHz wherever they have a tick in common."""

    def surge(h):
        t = np.arange(round(4.0 / h)) * h + h
        p, s, out = filters(h, **UNITY, **NO_TILT)
        return run(p, s, out, REST + np.outer(np.maximum(0.0, t - 1.0), [1.0, 0.0, 0.0]))[0][:, 0]

    fine, every = surge(1e-3), round(h / 1e-3)
    assert surge(h) == pytest.approx(fine[every - 1 :: every], rel=1e-6, abs=1e-9)


@pytest.mark.parametrize("order", [1, 2])
def test_the_order_of_the_high_pass_is_that_of_the_file(order):
    """Below the third order x / a = 1 / (s (s + w)) and 1 / (s^2 + 2 z w s + w^2)."""
    w = 2.0
    jw = 1j * w
    mapping = CUEING
    wn, z = mapping["high_pass_frequency"][1], mapping["high_pass_damping"][1]
    expected = 1.0 / (jw * (jw + wn)) if order == 1 else 1.0 / (jw**2 + 2 * z * wn * jw + wn**2)
    got = settled_response(w, lambda x, *_: x[:, 1], axis=1, high_pass_order=[order] * 3, **UNITY, **NO_TILT)
    assert abs(got - expected) <= 0.01 * abs(expected)


def test_a_first_order_rotation_keeps_its_phase():
    """angle / rate = 1 / (s + w0) when the file says first order."""
    jw, w0 = 1.5j, CUEING["rotation_frequency"][0]
    got = settled_response(1.5, lambda x, angles, tilt: angles[:, 0], rotation=True, rotation_order=[1, 1, 1], **UNITY, **NO_TILT)
    assert abs(got - 1.0 / (jw + w0)) <= 0.01 * abs(got)


@pytest.mark.parametrize("w", [2.0, 30.0, 100.0])
def test_of_what_is_fast_the_share_of_the_file_is_shown(w):
    """(wf + share s) / (wf + s) of the force or rate, by the same exact filter at any tick; with a share of 1 nothing changes, not a bit."""
    fast = {"fast_frequency": 28.0, "fast_force": [1.0, 1.0, 0.6], "fast_rate": [0.1, 1.0, 1.0]}
    read_roll, read_heave = (lambda x, a, tilt: a[:, 0]), (lambda x, a, tilt: x[:, 2])
    for read, axis, rotation, share in ((read_roll, 0, True, 0.1), (read_heave, 2, False, 0.6)):
        given = {"rotation": rotation, "axis": axis, "h": 1e-3, **NO_TILT}
        ratio = settled_response(w, read, **given, **fast) / settled_response(w, read, **given)
        assert ratio == pytest.approx((28.0 + share * 1j * w) / (28.0 + 1j * w), abs=0.02)
    force = hard_drive(500)
    whole = run(*filters(fast_frequency=28.0), force)
    assert all((one == other).all() for one, other in zip(whole, run(*filters(fast_frequency=90.0), force), strict=True))


def test_a_scaled_force_bends_into_its_limit():
    """Up to the knee the gain is whole; beyond it the force rises on, without a corner, to the limit."""
    v = np.linspace(-40.0, 40.0, 801)
    soft = np.array([scaled(x, 0.5, 4.0, 0.25) for x in v])
    assert soft[np.abs(v) <= 2.0] == pytest.approx(0.5 * v[np.abs(v) <= 2.0])
    assert (np.diff(soft) > 0.0).all()
    assert np.diff(soft, 2).min() > -0.02
    assert np.abs(soft).max() == pytest.approx(4.0, rel=1e-3)
    assert [scaled(x, 0.5, 4.0, 1.0) for x in (-100.0, 3.0, 100.0)] == [-4.0, 1.5, 4.0]


@pytest.mark.parametrize("share", [0.0, 0.4, 1.0])
def test_heave_compensates_for_tilt_as_in_the_file(share):
    """A platform that shows a force by its tilt alone lacks g (1 - cos pitch) along its own axis, of which heave takes that share."""
    p, s, out = filters(heave_by_tilt=share, tilt_rate_deg=1000.0, tilt_acceleration_deg=1e6)
    _, angles, _ = run(p, s, out, np.tile(REST + [4.0, 0.0, 0.0], (20000, 1)))
    lacks = G * (1.0 - math.cos(angles[-1, 1])) * math.cos(angles[-1, 1])
    assert s[0]["acceleration"][2] == pytest.approx(share * lacks, abs=1e-6)
    assert lacks > 0.1


def test_a_platform_whose_heave_leaves_tilt_alone_does_not_heave_through_corners():
    """Nothing vertical is wanted: the head keeps its height, however the tilt comes and goes, where it otherwise rises and falls."""
    force = hard_drive(12000)
    force[:, 2] = G
    ways = []
    for share in (0.0, 1.0):
        p, s, out = filters(heave_by_tilt=share, high_pass_frequency=[1.5, 1.5, 1.0])
        heights = []
        for f in force:
            washout_step(p, s, f, STILL, H, out)
            heights.append(s[0]["high_pass"][2, 1])
        ways.append(np.ptp(heights))
    assert ways[0] < 1e-12
    assert ways[1] > 0.05


def test_the_default_tilt_rate_is_3_degrees_per_second():
    mapping = {key: value for key, value in CUEING.items() if not key.startswith("tilt_rate")}
    assert washout(mapping, "test", H)[0]["tilt_rate"] == pytest.approx(math.radians(3.0))


@pytest.mark.parametrize(("axis", "angle", "sign"), [(0, 1, -1.0), (1, 0, 1.0)])
def test_a_lasting_acceleration_is_felt_once(axis, angle, sign):
    """1 m/s2 for long: position back at zero, tilt asin(K a / g), and the force in the cab is exactly K a."""
    p, s, out = filters()
    force = np.tile(REST, (60000, 1))
    force[:, axis] += 1.0
    position, angles, _ = run(p, s, out, force)
    wanted = 0.4 * 1.0
    assert angles[-1, angle] == pytest.approx(sign * math.asin(wanted / G), rel=1e-3)
    assert np.abs(position[-1]).max() < 1e-3
    felt = -G * math.sin(angles[-1, 1]) if axis == 0 else G * math.sin(angles[-1, 0]) * math.cos(angles[-1, 1])
    assert felt == pytest.approx(wanted, rel=1e-3)


def test_own_attitude_is_fed_back():
    """Once tilt shows an acceleration, nothing of it is left to be shown by moving: a_N vanishes. Without feedback it would stay K a."""
    p, s, out = filters()
    force = np.tile(REST + [1.0, 0.8, 0.0], (15000, 1))
    run(p, s, out, force)
    assert np.abs(s[0]["acceleration"]).max() < 0.02
    # the tilt is still there when the input ends: its false force must be countered by moving
    run(p, s, out, REST[None, :])
    assert s[0]["acceleration"][0] == pytest.approx(-0.4, rel=0.03)
    assert s[0]["acceleration"][1] == pytest.approx(-0.32, rel=0.03)


@pytest.mark.parametrize("name", ["small_hexapod", "large_hexapod"])
def test_no_drift_under_a_lasting_bias(name):
    """An hour of a constant 0.3 m/s2 and a constant turn ends with less than 1 mm and 0.01 degrees of yaw."""
    h = 0.02
    p = washout(washout_mapping(name)["cueing"], name, h)
    s, out = record(STATE), record(POSE)
    force, rate = REST + [0.3, -0.3, 0.1], np.array([0.0, 0.0, 0.4])
    for _ in range(int(3600 / h)):
        washout_step(p, s, force, rate, h, out)
    assert np.abs(out[0]["position"]).max() < 1e-3
    assert abs(out[0]["angles"][2]) < np.radians(0.01)
    assert np.abs(out[0]["velocity"]).max() < 1e-6


def test_at_rest_nothing_moves():
    p, s, out = filters()
    position, angles, _ = run(p, s, out, np.tile(REST, (2000, 1)))
    assert np.abs(position).max() == 0.0
    assert np.abs(angles).max() == 0.0


def test_tilt_keeps_its_rate_and_acceleration_and_does_not_overshoot():
    p, s, out = filters()
    force = np.tile(REST, (8000, 1))
    force[:, 0] += 4.0
    _, _, tilt = run(p, s, out, force)
    rate = np.diff(tilt[:, 1]) / H
    assert np.abs(rate).max() <= math.radians(5.0) * 1.001
    assert np.abs(np.diff(rate)).max() / H <= math.radians(16.0) * 1.001
    wanted = -math.asin(0.4 * 4.0 / G)
    assert tilt[:, 1].min() >= wanted * 1.001
    assert tilt[-1, 1] == pytest.approx(wanted, rel=1e-6)


def test_tilt_and_force_are_limited():
    p, s, out = filters()
    force = np.tile(REST + [500.0, -500.0, 500.0], (8000, 1))
    position, angles, _ = run(p, s, out, force)
    assert np.abs(angles[:, :2]).max() <= math.radians(12.0) * 1.001
    assert np.isfinite(position).all()
    assert np.abs(s[0]["force"]).max() <= 4.0


def test_pitch_nose_up_gives_a_forward_force():
    """Gravity sign: 5.85 degrees nose up give +1 m/s2; pitch + is nose down."""
    p, s, out = filters(**UNITY)
    _, angles, _ = run(p, s, out, np.tile(REST + [1.0, 0.0, 0.0], (30000, 1)))
    assert math.degrees(angles[-1, 1]) == pytest.approx(-5.853, abs=0.01)


def test_the_reference_point_moves_so_that_the_head_does_not():
    """Tilt about the head: the platform's point moves opposite, p = -(R r - r)."""
    p, s, out = filters(p_PH=(0.1, -0.2, 1.2), motion_gain=[0.0, 0.0, 0.0])
    run(p, s, out, np.tile(REST + [2.0, 1.0, 0.0], (10000, 1)))
    roll, pitch, _ = out[0]["angles"]
    R_x = np.array([[1, 0, 0], [0, math.cos(roll), -math.sin(roll)], [0, math.sin(roll), math.cos(roll)]])
    R_y = np.array([[math.cos(pitch), 0, math.sin(pitch)], [0, 1, 0], [-math.sin(pitch), 0, math.cos(pitch)]])
    r = np.array([0.1, -0.2, 1.2])
    assert out[0]["position"] == pytest.approx(-(R_y @ R_x @ r - r), abs=1e-9)


def test_rates_and_accelerations_are_differences_of_the_pose():
    p, s, out = filters()
    rng = np.random.default_rng(4)
    rows = []
    for _ in range(50):
        washout_step(p, s, REST + rng.normal(size=3), 0.1 * rng.normal(size=3), H, out)
        rows.append(
            [out[0][name].copy() for name in ("position", "velocity", "acceleration", "angles", "angle_rates", "angle_accelerations")]
        )
    position, velocity, acceleration, angles, rates, accelerations = (np.array(x) for x in zip(*rows, strict=True))
    for value, first, second in ((position, velocity, acceleration), (angles, rates, accelerations)):
        assert first[1:] == pytest.approx(np.diff(value, axis=0) / H, rel=1e-9, abs=1e-12)
        assert second[1:] == pytest.approx(np.diff(first, axis=0) / H, rel=1e-9, abs=1e-12)


def test_mirrored_input_mirrored_output():
    """Left and right are alike: y, roll and yaw change sign, x, z and pitch do not."""
    rng = np.random.default_rng(9)
    force, rate = REST + rng.normal(size=(3000, 3)), 0.2 * rng.normal(size=(3000, 3))
    p, s, out = filters()
    position, angles, _ = run(p, s, out, force, rate)
    p, s, out = filters()
    mirrored, mirrored_angles, _ = run(p, s, out, force * [1, -1, 1], rate * [-1, 1, -1])
    assert mirrored * [1, -1, 1] == pytest.approx(position, abs=1e-12)
    assert mirrored_angles * [-1, 1, -1] == pytest.approx(angles, abs=1e-12)


@pytest.mark.parametrize(
    ("change", "key"),
    [
        ({"force_gain": [0.4, 0.4]}, "cueing.force_gain"),
        ({"force_gain": [0.4, 0.4, -1.0]}, "cueing.force_gain"),
        ({"tilt_limit_deg": 80.0}, "cueing.tilt_limit_deg"),
        ({"high_pass_frequency": [0.0, 1.0, 1.0]}, "cueing.high_pass_frequency"),
        ({"tilt_rate_deg": "3"}, "cueing.tilt_rate_deg"),
        ({"tilt_rate": 3.0}, "cueing.tilt_rate"),
    ],
)
def test_unusable_washout_is_refused_by_key(change, key):
    with pytest.raises(ConfigError) as error:
        washout({**CUEING, **change}, "broken.yaml", H)
    assert str(error.value).startswith(f"broken.yaml: {key}: ")
