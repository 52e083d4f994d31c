"""Plugin washouts by name: they move the platform at their own rate; after a failure the platform moves to neutral within its limits."""

from __future__ import annotations

import dataclasses
import math
from typing import Any

import numpy as np
import pytest

from simulator.base import plugin_thread
from simulator.base.errors import ConfigError, JounceError, WashoutTypeWarning
from simulator.builder.builder import build_platform, find_config, read_yaml
from tests.plugins import washouts
from washout.cueing import MotionCueing
from washout.kinds import register
from washout.preview.sources import RecordedPreview

H = 1e-3
G = 9.80665
REST, STILL = np.array([0.0, 0.0, G]), np.zeros(3)
PROCEDURE = read_yaml(find_config("washouts", "small_hexapod"))["procedure"]
LAGGED = {"gain": [0.02, 0.02, 0.01], "lag": 0.2}
PUSH = 0.05
"""m/s2. Step that is small enough to pass unchanged (`washout.workspace_management.blunt_edges`)."""
PLACE = 0.02 * PUSH
"""m. Resulting displacement of the platform."""


def cueing(kind: str, parameters: dict[str, Any], **said: Any) -> MotionCueing:
    mapping = {"type": kind, "cueing": parameters, "procedure": PROCEDURE, **said}
    return MotionCueing(mapping, "mine.yaml", build_platform("small_hexapod"), H)


def engaged(kind: str, parameters: dict[str, Any], **said: Any) -> MotionCueing:
    motion = cueing(kind, parameters, **said)
    motion.procedure.arm()
    for _ in range(40000):
        motion.step(REST, STILL, True, H)
        if motion.procedure.state == "engaged":
            return motion
    raise AssertionError("the platform did not engage")


def response(motion: MotionCueing, force: np.ndarray, ticks: int) -> np.ndarray:
    """Return the (ticks, 6) requested poses."""
    poses = []
    for _ in range(ticks):
        motion.step(force, STILL, True, H)
        poses.append(np.hstack([motion.records.washout_pose[0]["position"], motion.records.washout_pose[0]["angles"]]))
    return np.array(poses)


def test_a_compiled_washout_runs_in_every_tick() -> None:
    motion = engaged("lagged", LAGGED)
    t = H * np.arange(1, 1001)
    x = response(motion, REST + [PUSH, 0.0, 0.0], 1000)[:, 0]
    assert x == pytest.approx(PLACE * (1.0 - np.exp(-t / 0.2)), abs=1e-9 * PLACE)
    assert motion.records[0][0]["aim_force_gain"] == pytest.approx(np.ones(3))


@pytest.mark.parametrize(("kind", "periods"), [("lagged", 1.5), ("lagged_python", 2.5)])
def test_a_slower_washout_is_interpolated_smoothly_and_delayed(kind: str, periods: float) -> None:
    """In Python one more period, because the result for the end of a period applies from the end of the next one."""
    motion = engaged(kind, LAGGED, rate=100)
    period, ticks = 0.01, 1500
    x = response(motion, REST + [PUSH, 0.0, 0.0], ticks)[:, 0]
    late = H * np.arange(1, ticks + 1) - (periods - 0.5) * period
    exact = PLACE * (1.0 - np.exp(-np.maximum(late, 0.0) / 0.2))
    assert np.abs(x - exact)[100:].max() < PLACE / 0.2 * period  # the tick of the answers is anywhere in the first period
    speed = np.diff(x) / H
    assert np.abs(np.diff(speed)).max() < 1.1 * PLACE / 0.2 / (period / H)  # from standstill to full speed over a period
    assert x[-1] == pytest.approx(PLACE, rel=2e-3)


def test_a_rest_in_between_restarts_it() -> None:
    motion = engaged("lagged_python", LAGGED)
    response(motion, REST + [2.0, 0.0, 0.0], 500)
    motion.reset()
    while motion.procedure.state != "engaged" or abs(motion.pose[0]) > 1e-4 or motion.readout[0]["gain"] < 0.9:
        motion.step(REST, STILL, True, H)
    assert motion.washout.trouble == ""


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(plugin_thread, "PATIENCE", 0.1)


REASONS = ["ValueError: no", "its pose is not six finite numbers", "no result within 0.1 s", "ValueError: could not convert", ""]


@pytest.mark.parametrize("how", range(5))
def test_a_python_washout_that_fails_is_stopped_and_the_platform_moves_to_neutral(how: int, impatient: None) -> None:
    motion = engaged("failing", {"how": how})
    assert_no_step_and_neutral(motion)
    assert motion.washout.trouble.startswith(f"washout failing was dropped: {REASONS[how]}" if REASONS[how] else "")
    assert bool(motion.washout.trouble) == bool(REASONS[how])


def test_a_compiled_washout_that_returns_nan_is_stopped_too() -> None:
    motion = engaged("nan_kernel", {})
    assert_no_step_and_neutral(motion)
    assert motion.washout.trouble == "washout nan_kernel was dropped: its pose is not six finite numbers"


def assert_no_step_and_neutral(motion: MotionCueing) -> None:
    """Check that the legs stay within their limits, also after an hour, and that the platform ends at neutral with the cueing engaged."""
    legs = []
    for _ in range(9000):
        motion.step(REST, STILL, True, H)
        assert np.isfinite(motion.pose).all()
        legs.append(motion.legs.copy())
    p = motion.platform[0]
    speed = np.diff(legs, axis=0) / H
    assert np.abs(speed).max() <= p["leg_speed"]
    assert np.abs(np.diff(speed, axis=0) / H).max() <= p["leg_acceleration"]
    assert np.min(legs) >= p["shortest_leg"]
    assert np.max(legs) <= p["longest_leg"]
    assert motion.pose == pytest.approx(np.zeros(6), abs=2e-3) or motion.washout.trouble == ""
    assert motion.procedure.state == "engaged"


def test_in_real_time_the_loop_does_not_wait_for_a_washout_that_hangs() -> None:
    motion = cueing("failing", {"how": 2})
    motion.washout._thread._budget = 0.05  # type: ignore[union-attr]
    motion.procedure.arm()
    while motion.washout.trouble == "":
        motion.washout.serve(0.0, wait=False)
        washouts_step(motion)
    assert motion.washout.trouble == "washout failing was dropped: no result within 0.05 s"


def washouts_step(motion: MotionCueing) -> None:
    """Run a tick without the service that waits."""
    from washout.cueing import cueing_step

    cueing_step(*motion.records, REST, STILL, True)


def test_a_preview_equals_the_recording() -> None:
    motion = cueing("ahead", {})
    times = np.linspace(0.0, 100.0, 1001)
    f = np.zeros((1001, 3))
    f[:, 0] = times
    motion.washout.set_preview(RecordedPreview(times, f, np.zeros((1001, 3)), step=0.1, points=10))
    motion.procedure.arm()
    for k in range(30000):
        motion.washout.serve(k * H)
        washouts_step(motion)
    # 0.55 s ahead in the mean, with a delay of two and a half periods
    assert motion.records.washout_pose[0]["position"][0] == pytest.approx(0.01 * (30.0 + 0.55 - 0.025), abs=0.01 * 0.012)


@pytest.mark.parametrize(("rate", "stride"), [(1000, 1), (100, 10), (100, 5)])
def test_a_compiled_washout_gets_the_preview_of_the_tick_that_calls_it(rate: int, stride: int) -> None:
    """It is served before every `stride` ticks, as in a session, and called after the last tick of a period."""
    motion = cueing("ahead_kernel", {}, rate=rate)
    times = np.linspace(0.0, 100.0, 1001)
    f = np.zeros((1001, 3))
    f[:, 0] = times
    motion.washout.set_preview(RecordedPreview(times, f, np.zeros((1001, 3)), step=0.1, points=10))
    motion.procedure.arm()
    for k in range(30000):
        if k % stride == 0:
            motion.washout.serve(k * H)
        washouts_step(motion)
    assert motion.readout[0]["answers"][2, 0] == pytest.approx(0.01 * (30.0 + 0.1), abs=1e-9)


def test_there_is_no_preview_beyond_the_end_of_a_recording() -> None:
    preview = RecordedPreview(np.array([1.0, 2.0]), np.ones((2, 3)), np.ones((2, 3)), step=0.5, points=4)
    f, w = np.zeros((50, 3)), np.zeros((50, 3))
    assert [preview.predict(t, f, w) for t in (0.0, 0.5, 1.0, 1.6, 5.0)] == [0, 3, 2, 0, 0]


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        ({"type": "lagging"}, r"mine\.yaml: type: .*expected a washout: .*got 'lagging'.*did you mean lagged\?"),
        ({"rate": 300}, r"mine\.yaml: rate: .*expected a rate that divides 1000.*got 300\.0"),
        ({"rate": 0}, r"mine\.yaml: rate"),
        ({"cueing": {"gain": [0, 0, 0]}}, r"mine\.yaml: cueing\.lag: missing"),
        ({"cueing": {"gain": [0, 0, 2], "lag": 1.0}}, r"mine\.yaml: cueing\.gain"),
        ({"type": "classical"}, r"mine\.yaml: (rate|cueing)"),
    ],
)
def test_unusable_files_are_refused(change: dict[str, Any], complaint: str) -> None:
    said: dict[str, Any] = {"type": "lagged", "parameters": LAGGED, **change}
    with pytest.raises(ConfigError, match=complaint):
        cueing(said.pop("type"), said.pop("cueing", LAGGED), **{k: v for k, v in said.items() if k == "rate"})


def test_a_file_without_a_type_is_classical_and_warns() -> None:
    mapping = read_yaml(find_config("washouts", "small_hexapod"))
    del mapping["type"]
    with pytest.warns(WashoutTypeWarning, match="no type given, assuming classical"):
        MotionCueing(mapping, "old.yaml", build_platform("small_hexapod"))


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        ({"contract": 0}, "version 0 of the contract"),
        ({"layout": 1}, "other tables"),
        ({"kernel": None}, "either a kernel or a function"),
        ({"name": "classical"}, "duplicate washout classical; registered by Jounce"),
    ],
)
def test_an_incompatible_washout_is_refused_when_it_registers(change: dict[str, Any], complaint: str) -> None:
    with pytest.raises(JounceError, match=complaint):
        register(dataclasses.replace(washouts.COMPILED, **change))


def test_a_maker_that_raises_is_named() -> None:
    register(dataclasses.replace(washouts.PYTHON, name="unmade", make=lambda p, world: math.log(-1.0)))
    with pytest.raises(JounceError, match="washout unmade: cannot be created: ValueError"):
        cueing("unmade", LAGGED)
