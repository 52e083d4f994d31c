"""`python -m research bench formulations`: cost, drift and agreement of all formulations of the equations of motion on one vehicle.

The table follows [Cameron 2013] and its cross-validation by a quarter car. All runs are compiled loops without memory
allocation. Costs are medians over repeats. Each repeat runs all formulations in turn, so that a load of the machine affects all of them.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from research.benchmarks.absolute_coordinate_trials import DenseTrial, SparseTrial, StabilizedTrial
from research.benchmarks.benchmark_systems import Scene, Subject, make_scene, make_subject
from research.benchmarks.corner_trials import ClosedFormTrial, TablesTrial
from research.benchmarks.formulation_trial import Trial
from research.benchmarks.tree_trials import (
    BaumgarteTrial,
    EmbeddingTrial,
    OpenTreeTrial,
    ProjectedTrial,
    RecursiveTrial,
    TreeAugmentedTrial,
    at_rest,
)
from research.benchmarks.wheel_load_cases import HOLD, RUNGE_KUTTA, SEMI_IMPLICIT_EULER
from simulator.base.arrays import Vector
from simulator.base.errors import JounceError
from simulator.base.json_output import json_text
from simulator.benchmarks.machine_info import machine
from simulator.builder.builder import vehicle_description

H = 1e-3
"""s, step of the vehicle."""

DURATION = 10.0
"""s, duration of the drift and energy runs."""
SAMPLE = 0.05
"""s between two samples of loops, energy and positions."""

ROUND = 0.05
"""s of CPU time, approximate duration of a repeat, with at least LEAST evaluations."""
MIN_EVALUATIONS = 20

TRIALS: dict[str, Callable[[Scene], Trial]] = {
    "closed_form": ClosedFormTrial,
    "tables": TablesTrial,
    "ce": EmbeddingTrial,
    "recursive": RecursiveTrial,
    "ta": TreeAugmentedTrial,
    "ta-baumgarte": BaumgarteTrial,
    "ta-projection": ProjectedTrial,
    "fa": SparseTrial,
    "fa-baumgarte": StabilizedTrial,
    "fa-dense": DenseTrial,
    "ab": OpenTreeTrial,
}
"""Formulations by short name; the closed form is the first, and the reference of the others."""

METHODS = {"semi_implicit_euler": SEMI_IMPLICIT_EULER, "runge_kutta_4": RUNGE_KUTTA}

TARGETS = {"closed_form": 1.5, "tables": 0.6, "ce": 40.0, "ab": 12.0}
"""us per evaluation of the whole vehicle on one core of the two-core x86 machine named in the design."""
RATIO_TARGETS = {"ta": 3.0, "fa": 30.0}
"""Minimum cost of a step, in steps of the closed form."""
PAPER = {"closed_form": (15, 0, 1.0), "ta": (45, 30, 4.1), "fa": (216, 201, 120.0)}
"""Coordinates, constraints and cost in the table of [Cameron 2013], for the nearest formulation of Jounce."""


def measure(vehicle: str, repeats: int) -> dict[str, Any]:
    """Return the table: {"vehicle", "step" [s], "duration" [s], "repeats", "machine", "targets", "paper", "cases": [case, case]}, for JSON.

    A case is "quarter car" or "vehicle" ("name") with its "formulations": dictionaries with

    name, label, control : short name, description, and stabilization of the loops
    coordinates, constraints, augmented : size, the last one the sum of the others
    us_per_evaluation, us_per_step : medians [us]; a step is one of semi-implicit Euler, including the disturbing forces
    ratio_closed_form, ratio_ce : of the step, to the closed form and to constraint embedding of any mechanism
    t, loop_gap : times [s], and per method the largest gap of a loop at each time [m], in the disturbed motion
    loop_drift : per method the maximum of the gaps
    energy_drift : per method, the largest change of energy over the largest kinetic energy, without dampers and disturbance
    difference : per method, the largest distance of a wheel or of the chassis from the closed form [m]

    The tree with open loops has no steps and no results of steps.
    """
    description = vehicle_description(vehicle)
    cases = [_case(make_subject(description, whole), repeats) for whole in (False, True)]
    targets = {"us_per_evaluation": TARGETS, "ratio_closed_form": RATIO_TARGETS}
    return {
        "vehicle": vehicle,
        "step": H,
        "duration": DURATION,
        "repeats": repeats,
        "machine": machine(),
        "targets": targets,
        "paper": PAPER,
        "cases": cases,
    }


def _case(subject: Subject, repeats: int) -> dict[str, Any]:
    subject = at_rest(subject)
    disturbed = {name: kind(make_scene(subject, disturbed=True, damped=True)) for name, kind in TRIALS.items()}
    free = {name: kind(make_scene(subject, disturbed=False, damped=False)) for name, kind in TRIALS.items()}
    evaluations = costs(disturbed, HOLD, repeats)
    steps = costs({name: trial for name, trial in disturbed.items() if trial.closed}, SEMI_IMPLICIT_EULER, repeats)
    exact: dict[str, dict[str, Vector]] = {}
    rows = []
    for name, trial in disturbed.items():
        row = {"name": name, "label": trial.label, "control": trial.control, **trial.dimensions._asdict()}
        row |= {"augmented": sum(trial.dimensions), "us_per_evaluation": evaluations[name]}
        if trial.closed:
            us = {
                "us_per_step": steps[name],
                "ratio_closed_form": steps[name] / steps["closed_form"],
                "ratio_ce": steps[name] / steps["ce"],
            }
            seen = {method: _follow(trial, code) for method, code in METHODS.items()}
            exact = exact or seen
            row |= (
                us | _drift(seen, exact) | {"energy_drift": {method: _energy_drift(free[name], code) for method, code in METHODS.items()}}
            )
        rows.append(row)
    return {"name": next(iter(disturbed.values())).scene.name, "formulations": rows}


def _drift(seen: dict[str, dict[str, Vector]], exact: dict[str, dict[str, Vector]]) -> dict[str, Any]:
    """Return the gaps of the loops, and the distance of all points from `exact`, per method."""
    apart = {method: np.linalg.norm(seen[method]["points"] - exact[method]["points"], axis=-1) for method in METHODS}
    return {
        "t": seen["runge_kutta_4"]["t"].tolist(),
        "loop_gap": {method: seen[method]["gap"].tolist() for method in METHODS},
        "loop_drift": {method: float(seen[method]["gap"].max()) for method in METHODS},
        "difference": {method: float(distance.max()) for method, distance in apart.items()},
    }


def costs(trials: dict[str, Trial], method: int, repeats: int) -> dict[str, float]:
    """Return median microseconds per evaluation of each trial, from loops of about ROUND seconds."""
    counts = {}
    for name, trial in trials.items():
        trial.begin(method, H)
        trial.run(MIN_EVALUATIONS)
        counts[name] = max(MIN_EVALUATIONS, round(ROUND / _seconds(trial, MIN_EVALUATIONS) * MIN_EVALUATIONS))
    times: dict[str, list[float]] = {name: [] for name in trials}
    for _ in range(repeats):
        for name, trial in trials.items():
            trial.begin(method, H)
            times[name].append(_seconds(trial, counts[name]) / counts[name] * 1e6)
    return {name: statistics.median(found) for name, found in times.items()}


def _seconds(trial: Trial, evaluations: int) -> float:
    began = time.thread_time()
    trial.run(evaluations)
    return time.thread_time() - began


def _follow(trial: Trial, method: int) -> dict[str, Vector]:
    """Return times, gaps of the loops and points of the vehicle over the disturbed motion."""
    trial.begin(method, H)
    gaps, points = [], []
    count = round(DURATION / SAMPLE)
    for _ in range(count):
        trial.advance(round(SAMPLE / H))
        gaps.append(trial.gap())
        points.append(trial.points())
    return {"t": SAMPLE * np.arange(1, count + 1), "gap": np.array(gaps), "points": np.array(points)}


def _energy_drift(trial: Trial, method: int) -> float:
    trial.begin(method, H)
    trial.advance(1)
    found = [trial.energy()]
    for _ in range(round(DURATION / SAMPLE)):
        trial.advance(round(SAMPLE / H))
        found.append(trial.energy())
    kinetic, total = np.array(found).T
    return float(np.abs(total - total[0]).max() / kinetic.max())


SAMPLES = ("t", "loop_gap")
"""Keys of `measure` with a value for each sample of the drift; other keys have one number for each formulation, or for each method."""


def summary(table: dict[str, Any]) -> dict[str, Any]:
    """Return the table of `measure` without its samples."""
    cases = [
        {**case, "formulations": [{key: value for key, value in row.items() if key not in SAMPLES} for row in case["formulations"]]}
        for case in table["cases"]
    ]
    return {**table, "cases": cases}


def main_formulations(repeats: int, as_json: bool, markdown: str | None, samples: bool = False) -> int:
    """Run `python -m research bench formulations` and return 0. Raises JounceError if a file cannot be written.

    samples : include the gap of the loops at each sample in the JSON object
    """
    if repeats < 1:
        raise JounceError(f"--repeats: expected 1 or more; got {repeats}")
    from research.benchmarks.formulations_page import around, to_text, write_page

    if markdown:
        around(Path(markdown))  # report an unwritable file before the measurement
    table = measure("hmmwv", repeats)
    if markdown:
        write_page(table, Path(markdown))
    if as_json:
        print(json_text(table if samples else summary(table)))
    elif not markdown:
        print(to_text(table), end="")
    return 0
