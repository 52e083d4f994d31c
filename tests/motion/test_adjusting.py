"""Can the motion be adjusted at run time: smoothly, within the limits of file and platform, with the result of a file?"""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest
from cueing_scenes import REST, STILL, H, cueing, engaged, hard_drive, platform, washout_mapping, worst_use

from simulator.base.callbacks import callback, record_at
from simulator.base.errors import ConfigError
from simulator.base.fields import Field, Number
from simulator.base.records import dtype_of
from simulator.driver.input_devices import keyboard
from simulator.event_effects.cueing_controls import CueingControls
from simulator.event_effects.kinds import check
from simulator.events.event import Event, Origin
from washout.contract import CONTRACT, LAYOUT, WASHOUT_INPUT, WASHOUT_OUTPUT, WashoutKind
from washout.cueing import MotionCueing
from washout.intensity import MOST, TURN
from washout.kinds import WASHOUT_KINDS


def ride(motion, f, w=STILL, change=None):
    """Legs (n, 6), poses (n, 6) and ticks in which the limiter acted; `change(k)` is called before each tick."""
    legs, poses, limited = [], [], 0
    for k, one in enumerate(f):
        if change is not None:
            change(k)
        motion.step(one, w, True, H)
        legs.append(motion.legs.copy())
        poses.append(motion.pose.copy())
        limited += int(motion.readout[0]["limited"] != 0)
    return np.array(legs), np.array(poses), limited


def parameter(motion, words):
    return next(one for one in motion.tuner.parameters if one.words == words)


def test_at_full_intensity_the_washout_gets_what_is_felt_bit_for_bit():
    motion = engaged()
    for i, f in enumerate(hard_drive(50, seed=8)):
        motion.step(f, 0.1 * f, True, H)
        assert i < 20 or (motion.readout[0]["cue_force"] == motion.readout[0]["felt_force"]).all(), "it begins with an edge"
        assert (motion.readout[0]["cue_rate"] == motion.readout[0]["felt_rate"]).all()


def test_the_intensity_changes_within_a_second_and_scales_the_request():
    motion = engaged()
    f = np.tile(REST + [1.0, 0.0, 0.5], (round(TURN / H), 1))
    motion.tuner.intensity = 0.5
    seen = []
    ride(motion, f, np.array([0.0, 0.0, 0.2]), lambda _: seen.append(float(motion.readout[0]["intensity"])))
    speeds = np.diff(seen) / H
    assert np.abs(speeds).max() < 4.0 and np.abs(np.diff(speeds)).max() / H < 200.0, "neither steps nor bends"
    s = motion.readout[0]
    assert s["intensity"] == pytest.approx(0.5, abs=0.006)
    assert s["cue_force"] - REST == pytest.approx(s["intensity"] * np.array([1.0, 0.0, 0.5]), abs=1e-12)
    assert s["cue_rate"] == pytest.approx(s["intensity"] * np.array([0.0, 0.0, 0.2]))
    aim, gain = motion.monitor.update(f[0], STILL)[0], np.array(washout_mapping()["cueing"]["force_gain"])
    assert aim["cueing_force_error"] == pytest.approx(aim["cab_f_H_P"] - REST - s["intensity"] * gain * [1.0, 0.0, 0.5], abs=1e-12)


def test_without_intensity_the_platform_washes_out_to_neutral():
    motion = engaged()
    drive = hard_drive(30000)
    ride(motion, drive[:6000])
    motion.tuner.intensity = 0.0
    _, poses, _ = ride(motion, drive[6000:])
    assert np.abs(poses[0]).max() > 0.05
    assert np.abs(poses[-1]).max() < 3e-3


def test_a_changed_parameter_converges_to_a_file_with_that_value():
    motion = engaged()
    changes = {"high pass frequency surge": 2.5, "tilt rate": 0.05, "rotation damping yaw": 0.7, "force gain heave": 0.8}
    for words, value in changes.items():
        motion.tuner.change(parameter(motion, words), value)
        ride(motion, np.tile(REST, (400, 1)))  # the next one comes while the last is still on its way
    ride(motion, np.tile(REST, (1000, 1)))
    said = washout_mapping()
    said["cueing"]["high_pass_frequency"][0] = 2.5
    said["cueing"]["rotation_damping"][2] = 0.7
    said["cueing"]["force_gain"][2] = 0.8
    said["cueing"] = {key: value for key, value in said["cueing"].items() if not key.startswith("tilt_rate")} | {"tilt_rate": 0.05}
    other = MotionCueing(said, "changed", platform(), H)
    for name in motion.records[0].dtype.names:
        assert motion.records[0][name] == pytest.approx(other.records[0][name], rel=1e-12, abs=1e-15), name


def test_no_steps_for_random_parameter_changes():
    """In a drive that the limiter leaves alone it is not called for by a change either; in a hard one the legs keep their limits."""
    calm = REST + 0.25 * (hard_drive(9000) - REST)
    rng = np.random.default_rng(1)

    def wild(motion):
        def change(k):
            if k % 300 == 0:
                motion.tuner.intensity = float(rng.uniform(0.0, 1.3))
                one = motion.tuner.parameters[rng.integers(len(motion.tuner.parameters))]
                motion.tuner.change(one, one.turned(motion.tuner.value(one), int(rng.integers(-4, 5))))

        return change

    motion = engaged()
    legs, _, limited = ride(motion, calm, change=wild(motion))
    assert limited == 0
    assert max(worst_use(motion.platform, legs)[1:]) < 0.5
    motion = engaged()
    legs, _, _ = ride(motion, hard_drive(9000), change=wild(motion))
    assert max(worst_use(motion.platform, legs)) <= 1.0


def test_what_is_out_of_its_limits_is_refused_and_changes_nothing():
    motion = cueing()
    before = motion.records[0].copy()
    for value in (-0.1, MOST + 0.1, float("nan")):
        with pytest.raises(ConfigError):
            motion.tuner.intensity = value
    with pytest.raises(ConfigError, match=r"force_gain.*from 0 to 2"):
        motion.tuner.change(parameter(motion, "force gain sway"), 2.5)
    motion.step(REST, STILL, True, H)
    assert motion.records[0] == before and motion.tuner.changes == 0 and motion.tuner.intensity == 1.0


class Panel:
    """Drive on which the keys for the motion cueing act."""

    def __init__(self, motion):
        self.session, self.cueing, self.shown = SimpleNamespace(cueing=motion), CueingControls(motion.tuner), ""

    def show(self, text, seconds, holds=None):
        self.shown = text

    def press(self, name):
        """Shown line."""
        check(event := Event(name, None, Origin.WINDOW)).act(self, event.value)
        return self.shown


def test_the_keys_turn_every_number_of_the_washout():
    motion = cueing()
    panel = Panel(motion)
    assert {"intensity_up", "intensity_down", "washout_next", "washout_up", "washout_down"} <= set(keyboard.ACTIONS.values())
    assert panel.press("intensity_down") == "motion intensity 90 %" and motion.tuner.intensity == pytest.approx(0.9)
    for _ in range(30):
        panel.press("intensity_up")
    assert motion.tuner.intensity == MOST
    gain, rate = washout_mapping()["cueing"]["force_gain"][0], np.degrees(motion.records[0][0]["tilt_rate"])
    free = f"({gain / 1.5:.3g} to {1.5 * gain:.3g})"
    assert panel.press("washout_next") == f"force gain surge {gain:.3g} {free}"
    assert panel.press("washout_up") == f"force gain surge {1.1 * gain:.3g} {free}"
    lines = [panel.press("washout_next") for _ in motion.tuner.parameters]
    assert f"tilt rate {rate:.3g} deg/s ({rate / 1.5:.3g} to {1.5 * rate:.3g})" in lines and len(set(lines)) == len(motion.tuner.parameters)
    for _ in range(80):
        line = panel.press("washout_down")
    assert line == f"force gain surge 0 {free}", "after all of them comes the first"
    assert motion.tuner.changes == 31 + 1 + 80


@callback
def scaled_kernel(parameters, state, seen, result, first, count, h):
    """Shows the force times what `begin` made of the parameter, and counts its steps beside it."""
    x, k, r = record_at(state, X)[0], record_at(seen, S)[0], record_at(result, R)[0]["pose"]
    x["both"][1] += 1.0
    r[0] = x["both"][0] * k["f_H_B"][0]


def begin(parameters, state, world):
    state[0]["both"][0] = 1.0 / parameters[0]["share"]


SCALED = (Field("share", Number("1", 10.0, 1000.0), "its inverse scales"),)
SCALED_STATE = (("both", (2,), "1", "scale, steps"),)
X, S, R = dtype_of(SCALED_STATE), dtype_of(WASHOUT_INPUT), dtype_of(WASHOUT_OUTPUT)


def test_a_compiled_plugin_washout_is_changed_from_its_initial_parameters():
    kind = WashoutKind("scaled", SCALED, CONTRACT, LAYOUT, kernel=scaled_kernel, state=SCALED_STATE, begin=begin)
    WASHOUT_KINDS.register(kind.name, kind)
    said = {"type": "scaled", "cueing": {"share": 100.0}, "procedure": washout_mapping()["procedure"]}
    motion = MotionCueing(said, "mine.yaml", platform(), H)
    motion.procedure.arm()
    ride(motion, np.tile(REST, (20000, 1)))
    assert motion.procedure.state == "engaged"
    force = REST + [2.0, 0.0, 0.0]
    ride(motion, np.tile(force, (10000, 1)))  # the limiter is at the place to which this washout jumps, the budget has forgotten it
    assert motion.records.washout_pose[0]["position"][0] == pytest.approx(0.02)
    motion.tuner.intensity = 0.5
    motion.tuner.change(motion.tuner.parameters[0], 50.0)
    steps = float(motion.washout._state[0]["both"][1])
    _, poses, limited = ride(motion, np.tile(force, (1500, 1)))
    assert motion.records.washout_pose[0]["position"][0] == pytest.approx(2.0 / 50.0 * 0.5, rel=1e-3)
    assert motion.washout._state[0]["both"][1] == steps + 1500.0, "what it remembers goes on"
    assert limited == 0 and np.abs(np.diff(poses[:, 0])).max() < 1e-4
    with pytest.raises(ConfigError, match="share"):
        motion.tuner.change(motion.tuner.parameters[0], 5.0)
