"""Are times aligned, rows cut, empty cells ignored and angles wrapped, and is no run repeated?"""

from __future__ import annotations

from collections.abc import Sequence
from types import SimpleNamespace

import numpy as np
import pytest

from simulator.base.errors import ConfigError, JounceError
from simulator.fitting.fit import fit, notes, result
from simulator.fitting.fit_file import fit_of
from simulator.fitting.interval_coverage import coverage_cases, summary
from simulator.fitting.least_squares import Failed
from simulator.fitting.measurements import Measured
from simulator.fitting.residuals import Model, _difference
from simulator.fitting.run_request import Log, RunRequest

LATE = 0.07
UNITS = {"wave": "m", "yaw": "rad"}


class Formula:
    """In the place of runs: a wave of a rate, and an angle that goes round and round."""

    def __init__(self, end: float = 4.0) -> None:
        self.time = np.linspace(0.0, end, round(100 * end) + 1)
        self.calls: list[int] = []

    def logs(self, wanted: Sequence[RunRequest]) -> list[Log | Failed]:
        self.calls.append(len(wanted))
        return [self.one(one.given["rate"]) for one in wanted]

    def one(self, rate: float) -> Log | Failed:
        if rate > 2.9:
            return Failed("too fast")
        yaw = np.remainder(3.0 * rate * self.time + np.pi, 2.0 * np.pi) - np.pi
        return {"time": self.time, "wave": np.sin(rate * self.time), "yaw": yaw}


@pytest.fixture(autouse=True)
def _without_files(monkeypatch):
    nothing = SimpleNamespace(plain=dict)
    for name in ("experiment_configuration", "changed", "check_ends"):
        monkeypatch.setattr(f"simulator.fitting.residuals.{name}", lambda *_: nothing)


def model_of(drives: Formula, noise: float = 0.02, **data) -> Model:
    times = np.arange(0.5, 3.5, 0.013)
    random = np.random.default_rng(7)
    log = Formula().one(2.0)
    assert not isinstance(log, Failed)
    channels = {
        "wave": np.interp(times + LATE, log["time"], log["wave"]) + random.normal(0.0, 0.02, len(times)),
        "yaw": np.remainder(6.0 * (times + LATE) + random.normal(0.0, 0.02, len(times)) + np.pi, 2.0 * np.pi) - np.pi,
    }
    channels["wave"][10:20] = np.nan
    said = {
        "name": "f",
        "parameters": {"rate": {"key": "vehicle.chassis.mass", "start": 1.9, "min": 1.0, "max": 3.0}},
        "data": [{"run": "r", "offset": {"min": -0.2, "max": 0.2}, **data}],
        "channels": {name: {"noise": noise} for name in UNITS},
    }
    return Model(fit_of(said, "f.yaml"), [Measured("r", times, channels, {})], UNITS, drives)


def test_an_offset_of_time_is_fitted_without_runs_of_its_own():
    drives = Formula()
    fitted = fit(model_of(drives))
    (rate,), (offset,) = (result(fitted)[name] for name in ("parameters", "offsets"))
    assert rate["interval"][0] < 2.0 < rate["interval"][1] and rate["interval"][1] - rate["interval"][0] < 0.02
    assert offset["interval"][0] < LATE < offset["interval"][1]
    assert set(drives.calls[:-1]) == {2}  # a run at the point, one beside it; beside it in time there is the same run
    assert notes(fitted) == []
    rows = {one["channel"]: one["rows"] for one in result(fitted)["channels"]}
    assert rows["wave"] == rows["yaw"] - 10


def test_full_turns_of_a_heading_do_not_count_and_those_of_a_steering_wheel_do():
    time = np.linspace(0.0, 1.0, 5)
    log = {"time": time, "yaw": 0.1 * time, "steering_wheel_angle": 0.1 * time}
    for channel, turns in (("yaw", 0.0), ("steering_wheel_angle", 2.0 * np.pi)):
        assert _difference(log, channel, time, log[channel] - 2.0 * np.pi) == pytest.approx(np.full(5, turns), abs=1e-12)


def test_what_is_not_simulated_and_what_is_cut_off_is_not_compared():
    short = fit(model_of(Formula(end=3.0)))
    assert max(short.model.compared(0, "yaw")[0]) + 0.2 <= 3.0
    cut = fit(model_of(Formula(), **{"from": 1.0, "to": 2.0}))
    times = cut.model.compared(0, "yaw")[0]
    assert times.min() >= 1.0 and times.max() <= 2.0
    with pytest.raises(ConfigError, match=r"data\[0\]: .*expected at least 10 rows.*got '0 rows of r'"):
        fit(model_of(Formula(end=0.5)))


def test_a_model_that_does_not_fit_is_reported():
    lines = "\n".join(notes(fit(model_of(Formula(), noise=0.002))))
    assert "times the noise remains" in lines
    with pytest.raises(JounceError, match="too fast"):
        fit(model_of(Formula()), start=np.array([0.99, 0.5]))


def test_synthetic_cases_are_the_same_for_the_same_seed_and_lie_in_their_intervals():
    drives = Formula()
    cases = coverage_cases(model_of(drives), 40, 1, lambda _: None)
    said = summary(model_of(drives), cases)
    assert said["settled"] == 40 and all(one["held"] >= 34 for one in said["parameters"])
    assert said["held_together"] >= 34
    again = coverage_cases(model_of(drives), 2, 1, lambda _: None)
    assert [one.values for one in again] == [one.values for one in cases[:2]]
    assert coverage_cases(model_of(drives), 1, 2, lambda _: None)[0].values == cases[1].values
