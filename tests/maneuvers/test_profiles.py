"""Do open-loop profiles give the values computed by hand, and end at the correct time?"""

from __future__ import annotations

import math

import numpy as np
import pytest

from simulator.base.errors import ConfigError
from simulator.base.fields import Field, read
from simulator.maneuvers.input_signals import channel, check_profile, new_profile

STEERING = (Field("steering", channel("rad"), "", written="deg"),)


def profile(said, present=0.0, seed=1):
    values = read(STEERING, said if isinstance(said, dict) and "steering_deg" in said else {"steering": said}, "f")
    return new_profile(check_profile(values["steering"], "rad", "f", "steering"), present, seed)


def degrees(said, times, roll_rate=0.0, **more):
    made = profile(said, **more)
    return [math.degrees(made.value(t, roll_rate)) for t in times]


def test_a_number_is_held_in_the_unit_of_its_key():
    made = profile({"steering_deg": 30})
    assert made.value(7.0, 0.0) == pytest.approx(math.radians(30)) and made.done(0.0)


def test_a_ramp_begins_where_the_channel_is():
    said = {"type": "ramp", "to_deg": 50, "rate_degps": 20, "at_s": 1}
    assert degrees(said, (0, 1, 2, 3, 9), present=math.radians(10)) == pytest.approx([10, 10, 30, 50, 50])
    assert degrees(said | {"from_deg": -10}, (0, 2, 4, 9)) == pytest.approx([-10, 10, 50, 50])
    made = profile(said, present=math.radians(10))
    assert not made.done(2.9) and made.done(3.0)


def test_a_step_without_a_rate_is_at_once():
    assert degrees({"type": "step", "to_deg": 90, "at_s": 0.5}, (0.49, 0.51)) == pytest.approx([0, 90])
    assert degrees({"type": "step", "to_deg": 90, "rate_degps": 900}, (0.05, 0.1)) == pytest.approx([45, 90])


def test_a_sine_ends_after_its_cycles():
    said = {"type": "sine", "amplitude_deg": 20, "frequency_Hz": 0.5, "cycles": 1, "offset_deg": 5}
    assert degrees(said, (0, 0.5, 1.0, 1.5, 2.0, 3.0)) == pytest.approx([5, 25, 5, -15, 5, 5])
    assert profile(said).done(2.0) and not profile(said | {"cycles": None}).done(1e6)


def test_sine_with_dwell_is_that_of_the_regulation():
    said = {"type": "sine_with_dwell", "amplitude_deg": 100, "frequency_Hz": 0.7, "dwell_ms": 500}
    quarter = 0.25 / 0.7
    times = (quarter, 2 * quarter, 3 * quarter, 3 * quarter + 0.25, 3 * quarter + 0.5, 1.0 / 0.7 + 0.5)
    assert degrees(said, times) == pytest.approx([100, 0, -100, -100, -100, 0], abs=1e-9)
    # 1/0.7 + 0.5 = 1.929 s in all
    assert profile(said).done(1.929) and not profile(said).done(1.928)


def test_fishhook_countersteers_when_the_roll_has_come_to_its_end():
    said = {"type": "fishhook", "amplitude_deg": 200, "rate_degps": 720, "hold_s": 3, "return_s": 2}
    made = profile(said)
    turned = 200 / 720
    assert math.degrees(made.value(turned + 0.2, 0.5)) == pytest.approx(200)
    assert math.degrees(made.value(1.0, 0.001)) == pytest.approx(200)  # seen: from here on
    assert math.degrees(made.value(1.0 + 400 / 720, 0.3)) == pytest.approx(-200)
    assert math.degrees(made.value(1.0 + 400 / 720 + 3 + 1, 0.3)) == pytest.approx(-100)
    assert made.done(1.0 + 400 / 720 + 5) and not made.done(1.0 + 400 / 720 + 4.9)


def test_fishhook_with_a_dwell_does_not_look_at_the_roll():
    made = profile({"type": "fishhook", "amplitude_deg": -180, "rate_degps": 720, "dwell_s": 0.25})
    assert math.degrees(made.value(0.25 + 0.24, 0.0)) == pytest.approx(-180)
    assert math.degrees(made.value(0.5, 9.0)) == pytest.approx(-180)
    assert math.degrees(made.value(0.5 + 0.5, 9.0)) == pytest.approx(180)


def test_j_turn():
    said = {"type": "j_turn", "amplitude_deg": 300, "rate_degps": 1000, "hold_s": 4, "return_s": 2}
    assert degrees(said, (0.15, 0.3, 4.3, 5.3, 6.3, 9)) == pytest.approx([150, 300, 300, 150, 0, 0], abs=1e-9)


def test_a_sweep_has_the_given_frequency():
    said = {"type": "swept_sine", "amplitude_deg": 10, "from_Hz": 0.5, "to_Hz": 3.5, "duration_s": 30}
    made, t = profile(said), np.arange(0.0, 30.0, 0.001)
    wave = np.array([made.value(one, 0.0) for one in t])
    rising = t[1:][(wave[:-1] < 0.0) & (wave[1:] >= 0.0)]
    # cycles until t: 0.5 t + 3 t^2 / 60; that is 15 + 45 = 60 at the end
    assert len(rising) == 59
    cycle = 0.5 * rising + 0.05 * rising**2
    np.testing.assert_allclose(cycle, np.round(cycle), atol=0.01)


@pytest.mark.parametrize(("shape", "middle", "quarter"), [("triangle", 10, 5), ("half_sine", 10, 10 / math.sqrt(2)), ("square", 10, 10)])
def test_pulses(shape, middle, quarter):
    said = {"type": "pulse", "amplitude_deg": 10, "duration_s": 0.4, "shape": shape, "at_s": 1}
    assert degrees(said, (0.9, 1.1, 1.2, 1.5)) == pytest.approx([0, quarter, middle, 0])


def test_a_table_and_a_file_give_equal_values(tmp_path):
    (tmp_path / "steer.csv").write_text("time_ms,wheel_deg\n0,0\n500,90\n2000,-30\n")
    table = {"type": "table", "times_s": [0, 0.5, 2], "values_deg": [0, 90, -30]}
    values = read(STEERING, {"steering": {"type": "file", "file": "steer.csv"}}, tmp_path / "m.yaml")
    made = new_profile(check_profile(values["steering"], "rad", tmp_path / "m.yaml", "steering"), 0.0, 0)
    times = (0.0, 0.25, 1.0, 5.0)
    assert [math.degrees(made.value(t, 0.0)) for t in times] == pytest.approx(degrees(table, times))
    assert degrees(table, times) == pytest.approx([0, 45, 50, -30])
    assert made.done(2.0) and not made.done(1.9)


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("", "header"),
        ("time_s,wheel\n0,0\n1,1\n", "header"),
        ("time_s,wheel_kph\n0,0\n1,1\n", "header"),
        ("time_s,wheel_deg\n0,0\n", "two rows"),
        ("time_s,wheel_deg\n0,0\n0,1\n", "increase"),
        ("time_s,wheel_deg\n0,0\n1,much\n", "numbers"),
        ("time_s,wheel_deg\n0,0\n1,nan\n", "numbers"),
        ("time_s,wheel_deg\n0,0,3\n1,1\n", "numbers"),
    ],
)
def test_a_broken_file_of_points_is_named(tmp_path, text, named):
    (tmp_path / "steer.csv").write_text(text)
    values = read(STEERING, {"steering": {"type": "file", "file": "steer.csv"}}, tmp_path / "m.yaml")
    with pytest.raises(ConfigError, match=r"steer\.csv.*" + named):
        check_profile(values["steering"], "rad", tmp_path / "m.yaml", "steering")


def test_random_is_of_its_seed_and_of_its_band():
    said = {"type": "random", "rms_deg": 10, "from_Hz": 0.2, "to_Hz": 2, "duration_s": 200}
    t = np.arange(0.0, 200.0, 0.02)
    a, b, other = (np.array([profile(said, seed=seed).value(one, 0.0) for one in t]) for seed in (3, 3, 4))
    assert (a == b).all() and not np.allclose(a, other)
    assert math.degrees(float(np.sqrt(np.mean(a**2)))) == pytest.approx(10, rel=0.1)
    power, f = np.abs(np.fft.rfft(a)) ** 2, np.fft.rfftfreq(len(t), 0.02)
    assert power[(f > 0.15) & (f < 2.1)].sum() > 0.99 * power.sum()
    assert profile(said).done(200.0) and np.abs(a).max() <= math.radians(30) + 1e-12
