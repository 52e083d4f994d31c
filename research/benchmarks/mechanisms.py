"""`python -m research bench mechanisms`: Tables 1 and 3 of [Uchida 2012] with Jounce, and the constraint errors of each method.

Explicit Euler steps of 1 ms over 3 s in compiled loops without memory
allocation. A dynamic run solves the equations of motion; a kinematic run only solves the positions, over the motion of the first dynamic
run. Each repeat runs all methods in turn, so that a load of the machine affects all of them; the ratios use the minimum time, and the
table also has the median.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from research.benchmarks import five_link_methods, stewart_methods
from research.benchmarks.landing_gear_methods import measure_landing_gear
from research.benchmarks.platform_on_legs import ANGLES, BAUMGARTE, GENERATED, PENALTY, SEPARATE, SINGLE, TRIANGULAR, WHOLE
from simulator.base.arrays import Vector
from simulator.base.errors import JounceError
from simulator.base.json_output import json_text
from simulator.benchmarks.machine_info import machine
from simulator.builder.builder import find_config, load_mechanism
from simulator.validation.linkages.linkage_parameters import five_link_parameters, stewart_parameters

H = 1e-3
"""s"""
DURATION = 3.0
"""s"""

TARGETS = {("stewart", "kinematic"): 0.15, ("stewart", "dynamic"): 1.5}
"""us per step of the closed form, on one core of the two-core x86 machine named in the design."""


@dataclass(frozen=True)
class Method:
    """A column of the table of the paper: kind of `platform_on_legs`, tolerance of Newton's method, and ms per simulated second by
    simulation.

    A method without numbers of the paper is an addition. The costs of the `ordered` methods should increase in the given order.
    """

    name: str
    label: str
    kind: int
    tolerance: float = 0.0
    paper: tuple[tuple[str, float], ...] = ()
    ordered: bool = False

    @property
    def simulations(self) -> tuple[str, ...]:
        """Simulations of this method."""
        if self.kind in (GENERATED, ANGLES):
            return ("kinematic",)
        return ("dynamic",) if self.kind in (BAUMGARTE, PENALTY) else ("kinematic", "dynamic")


def _paper(kinematic: float | None, dynamic: float) -> tuple[tuple[str, float], ...]:
    return (("dynamic", dynamic),) if kinematic is None else (("kinematic", kinematic), ("dynamic", dynamic))


STEWART_METHODS = (
    Method("triangular", "triangular (Gröbner)", TRIANGULAR, 0.0, _paper(2.7, 10.3), True),
    Method("triangular_generated", "triangular, code from the basis", GENERATED),
    Method("triangular_angles", "triangular, with angles", ANGLES),
    Method("separate_1e-3", "Newton, each leg, 1e-3", SEPARATE, 1e-3, _paper(5.6, 13.3), True),
    Method("separate_1e-6", "Newton, each leg, 1e-6", SEPARATE, 1e-6, _paper(9.2, 16.6), True),
    Method("single_1e-3", "Newton, all legs, 1e-3", SINGLE, 1e-3, _paper(37.7, 45.3), True),
    Method("single_1e-6", "Newton, all legs, 1e-6", SINGLE, 1e-6, _paper(73.8, 80.6), True),
    Method("baumgarte", "Baumgarte", BAUMGARTE, 0.0, _paper(None, 43.3)),
    Method("penalty", "penalty", PENALTY, 0.0, _paper(None, 85.7)),
)

FIVE_LINK_METHODS = (
    Method("triangular", "triangular (Gröbner)", TRIANGULAR, 1e-6, _paper(5.5, 15.5), True),
    Method("triangular_angles", "triangular, with angles", ANGLES, 1e-6),
    Method("separate_1e-6", "Newton, each link, 1e-6", SEPARATE, 1e-6, _paper(9.9, 18.3), True),
    Method("single_1e-6", "Newton, all links, 1e-6", SINGLE, 1e-6, _paper(28.1, 32.6), True),
    Method("whole_1e-6", "Newton, pose and links, 1e-6", WHOLE, 1e-6, _paper(47.8, 55.7), True),
    Method("baumgarte", "Baumgarte", BAUMGARTE, 0.0, _paper(None, 28.5)),
    Method("penalty", "penalty", PENALTY, 0.0, _paper(None, 29.9)),
)


@dataclass(frozen=True)
class Contest:
    """One mechanism with its methods.

    start() : reset to the initial state;  kinematic(poses, method), dynamic(poses, method, watched) : a run, see `stewart_methods`
    widest() : largest gap of the constraints of the last watched run [m]
    """

    name: str
    label: str
    table: int
    legs: int
    methods: tuple[Method, ...]
    start: Callable[[], None]
    kinematic: Callable[[Vector, Method], int]
    dynamic: Callable[[Vector, Method, bool], None]
    widest: Callable[[], float]


def stewart_contest() -> Contest:
    """Return the Gough-Stewart platform of the shipped file."""
    t = stewart_methods.stewart_trial(stewart_parameters(load_mechanism(str(find_config("mechanisms", "stewart")))[0]))
    return Contest(
        name="stewart",
        label="Gough-Stewart platform",
        table=1,
        legs=6,
        methods=STEWART_METHODS,
        start=lambda: stewart_methods.start(t, stewart_methods.START),
        kinematic=lambda poses, m: stewart_methods.kinematic_run(t, poses, m.kind, m.tolerance),
        dynamic=lambda poses, m, watched: stewart_methods.dynamic_run(t, m.kind, m.tolerance, H, poses, watched),
        widest=lambda: float(t.widest[0]),
    )


def five_link_contest() -> Contest:
    """Return the five-link suspension of the shipped file."""
    t = five_link_methods.five_link_trial(five_link_parameters(load_mechanism(str(find_config("mechanisms", "five_link")))[0]))
    return Contest(
        name="five_link",
        label="five-link suspension",
        table=3,
        legs=5,
        methods=FIVE_LINK_METHODS,
        start=lambda: five_link_methods.start(t, five_link_methods.START),
        kinematic=lambda poses, m: five_link_methods.kinematic_run(t, poses, m.kind, m.tolerance),
        dynamic=lambda poses, m, watched: five_link_methods.dynamic_run(t, m.kind, m.tolerance, H, poses, watched),
        widest=lambda: float(t.widest[0]),
    )


def measure(repeats: int) -> dict[str, Any]:
    """Return the tables: {"step" [s], "duration" [s], "repeats", "machine", "mechanisms", "landing_gear", "orderings", "targets"}, for
    JSON.

    "landing_gear" is the result of `measure_landing_gear`; it, "mechanisms", "orderings" and "targets" are lists.

    A mechanism has "name", "label", "table" (of the paper) and "methods". A method has "name", "label", "tolerance", "ordered", "gap"
    (largest component of the constraints [m]), "apart" (largest difference of the pose from the first method [m, rad]), "iterations" (of
    Newton's methods for the legs, per step; per leg if the legs are solved separately) and, if available, "kinematic" and "dynamic":
    "ms_per_s" (minimum), "ms_per_s_median", "ratio" (to the first method), "paper_ms_per_s", "paper_ratio".
    """
    mechanisms = [measured(contest, repeats) for contest in (stewart_contest(), five_link_contest())]
    return {
        "step": H,
        "duration": DURATION,
        "repeats": repeats,
        "machine": machine(),
        "mechanisms": mechanisms,
        "landing_gear": measure_landing_gear(repeats),
        "orderings": [_ordering(m, simulation) for m in mechanisms for simulation in ("kinematic", "dynamic")],
        "targets": [
            _target(m, simulation) for m in mechanisms for simulation in ("kinematic", "dynamic") if (m["name"], simulation) in TARGETS
        ],
    }


def measured(contest: Contest, repeats: int) -> dict[str, Any]:
    motion, first = np.zeros((round(DURATION / H), 6)), contest.methods[0]
    contest.start()
    contest.dynamic(motion, first, False)
    rows = [_watched(contest, method, motion) for method in contest.methods]
    times: dict[tuple[str, str], list[float]] = {(m.name, simulation): [] for m in contest.methods for simulation in m.simulations}
    scratch = np.zeros_like(motion)
    for _ in range(repeats):
        for method in contest.methods:
            for simulation in method.simulations:
                contest.start()
                began = time.perf_counter()
                if simulation == "kinematic":
                    contest.kinematic(motion, method)
                else:
                    contest.dynamic(scratch, method, False)
                times[method.name, simulation].append((time.perf_counter() - began) * 1e3 / DURATION)
    for row, method in zip(rows, contest.methods, strict=True):
        for simulation in method.simulations:
            least, base = min(times[method.name, simulation]), min(times[first.name, simulation])
            row[simulation] = {
                "ms_per_s": least,
                "ms_per_s_median": statistics.median(times[method.name, simulation]),
                "ratio": least / base,
            }
            if method.paper:
                paper = dict(method.paper)[simulation]
                row[simulation] |= {"paper_ms_per_s": paper, "paper_ratio": paper / dict(first.paper)[simulation]}
    return {"name": contest.name, "label": contest.label, "table": contest.table, "methods": rows}


def _watched(contest: Contest, method: Method, motion: Vector) -> dict[str, Any]:
    """Return the constraint errors and the motion of a method, without timing."""
    row: dict[str, Any] = {"name": method.name, "label": method.label, "tolerance": method.tolerance or None, "ordered": method.ordered}
    if "dynamic" in method.simulations:
        poses = np.zeros_like(motion)
        contest.start()
        contest.dynamic(poses, method, True)
        row |= {"gap": contest.widest(), "apart": float(np.abs(poses - motion).max())}
    if "kinematic" in method.simulations:
        contest.start()
        systems = contest.legs if method.kind == SEPARATE else 1
        row["iterations"] = contest.kinematic(motion, method) / len(motion) / systems
    return row


def _ordering(mechanism: dict[str, Any], simulation: str) -> dict[str, Any]:
    """Return whether the costs of the ordered methods increase as in the paper."""
    rows = [row for row in mechanism["methods"] if row["ordered"]]
    costs = [row[simulation]["ms_per_s"] for row in rows]
    met = all(a < b for a, b in pairwise(costs))
    return {"mechanism": mechanism["name"], "simulation": simulation, "order": [row["name"] for row in rows], "met": met}


def _target(mechanism: dict[str, Any], simulation: str) -> dict[str, Any]:
    us = mechanism["methods"][0][simulation]["ms_per_s"] * 1e3 * H
    return {"mechanism": mechanism["name"], "simulation": simulation, "us": us, "target_us": TARGETS[mechanism["name"], simulation]}


def main_mechanisms(repeats: int, as_json: bool, markdown: str | None) -> int:
    """Run `python -m research bench mechanisms` and return 0. Raises JounceError if a file cannot be written."""
    if repeats < 1:
        raise JounceError(f"--repeats: expected 1 or more; got {repeats}")
    from research.benchmarks.mechanisms_page import to_markdown, write_page

    table = measure(repeats)
    if markdown:
        write_page(table, Path(markdown))
    if as_json:
        print(json_text(table))
    elif not markdown:
        print(to_markdown(table), end="")
    return 0
