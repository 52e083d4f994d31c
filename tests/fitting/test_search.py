"""Does an optimization satisfy its limits, resume, and give reproducible results?"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from simulator.base.errors import ConfigError
from simulator.cli.main import main
from simulator.fitting.iterations import Outcome
from simulator.fitting.optimization_file import optimization_of
from simulator.fitting.optimize import Search, notes, result
from simulator.fitting.run_request import RunRequest

FILE = {
    "name": "o",
    "maneuver": "iso_7401_step",
    "parameters": {
        "bar": {"key": "vehicle.axles.front.anti_roll_bar.rate", "start": 9000.0, "min": 0.0, "max": 10000.0},
        "load": {"key": "vehicle.chassis.fixed_masses.cargo.mass", "start": 400.0, "min": 100.0, "max": 1000.0, "scale": "log"},
    },
    "minimize": {"sway_m": 1.0, "cost": 0.5},
    "limits": {"roll_deg": {"max": 4.0}},
    "seed": 3,
    "runs": 300,
    "tolerance": 0.005,
}
"""The least sway is at a bar of 2000 and 300 kg; the limit of roll asks for a bar of 5000 at least."""


class Formula:
    """In the place of runs."""

    def __init__(self) -> None:
        self.calls: list[int] = []

    def outcomes(self, wanted: Sequence[RunRequest]) -> list[Outcome]:
        self.calls.append(len(wanted))
        return [self.one(one.given["bar"], one.given["load"]) for one in wanted]

    def one(self, bar: float, load: float) -> Outcome:
        if load > 900.0:
            return Outcome("it does not stand", {})
        sway = (bar / 10000.0 - 0.2) ** 2 + np.log(load / 300.0) ** 2
        return Outcome("", {"sway_m": sway, "cost": 0.0, "roll_deg": 4.0 + (5000.0 - bar) / 1000.0})


@pytest.fixture(autouse=True)
def _without_building(monkeypatch):
    monkeypatch.setattr("simulator.fitting.optimize.check_ends", lambda *_: None)


def searched(**more) -> Search:
    found = Search(optimization_of({**FILE, **more}, "o.yaml"), Formula(), lambda _: None)
    found.run()
    return found


def test_the_best_within_the_limits_is_found_and_found_again():
    found = searched()
    assert found.best.sound and np.allclose(found.values(found.best.u), [5000.0, 300.0], rtol=0.03)
    again = searched()
    assert result(again) == result(found)
    assert result(searched(seed=4))["search"]["tried"][5] != result(found)["search"]["tried"][5]
    assert found.drives.calls[0] == 1 and set(found.drives.calls[1:]) == {6}
    assert found.runs <= 300 and "tolerance" in found.why


def test_without_the_limit_it_goes_where_that_is_not_kept():
    found = searched(limits={})
    assert np.allclose(found.values(found.best.u), [2000.0, 300.0], rtol=0.1)


def test_what_is_greatest_is_looked_for_up_to_a_target():
    found = searched(minimize=None, maximize="roll_deg", limits={}, target=8.0)
    assert found.best.goal >= 8.0 and found.why == "the target is reached"
    assert searched(minimize=None, maximize="roll_deg", limits={}).values(np.zeros(2))[0] == 0.0


def test_the_limit_of_runs_holds_and_a_bound_is_reported():
    found = searched(runs=15)
    assert found.runs <= 15 and "15 runs" in found.why
    at_end = searched(minimize="roll_deg", limits={})
    assert any("bar is at its upper bound" in line for line in notes(at_end))


def test_an_unknown_metric_is_rejected_with_the_known_ones():
    with pytest.raises(ConfigError, match=r"o.yaml.*: minimize: .*got 'sway'; hint: did you mean sway_m") as refused:
        searched(minimize="sway")
    assert "roll_deg" in str(refused.value)


def test_a_missing_package_is_reported_first(monkeypatch, capsys, tmp_path):
    monkeypatch.setattr("simulator.fitting.cma_es.find_spec", lambda name: None)
    assert main(["optimize", "step_steer_response", "--out", str(tmp_path / "out")]) == 2
    assert "an optimization needs cma; hint: run " in capsys.readouterr().err
    assert not (tmp_path / "out").exists()
