"""`python -m research bench driven`: error and cost of each method on a drive, relative to the drive with very short steps.

The vehicle is the system of `vehicles.ode_system`, so that all methods integrate one system of equations. Steering and driveshaft torque
are prescribed: a lane change of one second and a half, then an acceleration and a deceleration, all twice differentiable. The reference is
Runge-Kutta 4 at 0.05 ms.
"""

from __future__ import annotations

import math
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from research.benchmarks.integrator_list import IMPLICIT, METHODS, SHIPPED
from simulator.base.arrays import Vector
from simulator.base.errors import JounceError
from simulator.base.json_output import json_text
from simulator.base.machine import processor, software
from simulator.builder.builder import build_ground, build_vehicle
from simulator.telemetry.atomic_files import write_text
from vehicles.corner_layout import axle_of
from vehicles.drivetrain.driveline import wheel_share
from vehicles.integration.contract import Integrator
from vehicles.integration.one_step import RungeKutta4
from vehicles.ode_system import VehicleOde
from vehicles.step_stability import USUAL_STEP

CARS = ("hmmwv", "sedan_paper", "light_truck")
SPEED = 22.0
"""m/s, initial speed."""
LATERAL = 4.0
"""m/s2. Approximate peak lateral acceleration of the lane change."""
PUSH = 1.5
"""m/s2. Approximate peak of the longitudinal acceleration in both directions."""
SECONDS = 5.0
REFERENCE = 5e-5
"""s. Step of the reference."""
STEPS = (0.25e-3, 0.5e-3, 1e-3, 2e-3, 4e-3)
"""s. All of them multiples of the reference step and divisors of SAMPLE."""
SAMPLE = 8e-3
"""s. Interval of the comparisons."""
GOOD = (0.01, 0.01)
"""Maximum relative error of the yaw rate, and position error in m, of a recommended method."""

SHORTEST_STEP_OF_IMPLICIT = 1e-3
"""s. Minimum step of the methods of IMPLICIT, which are expensive."""


def smooth(t: float, start: float, period: float) -> tuple[float, float, float]:
    """Return sin^3 over one period from `start`, 0 before and after; with its first two derivatives."""
    if not start < t < start + period:
        return 0.0, 0.0, 0.0
    w = 2.0 * math.pi / period
    s, c = math.sin(w * (t - start)), math.cos(w * (t - start))
    return s**3, 3.0 * w * s * s * c, 3.0 * w * w * s * (2.0 * c * c - s * s)


@dataclass
class IntegratorRun:
    """A vehicle with prescribed steering and torque over time."""

    held: VehicleOde
    steering: float = 0.0
    """rad. Amplitude of the steering angle at the Pitman arm or pinion."""
    push: float = 0.0
    """N m. Amplitude of the driveshaft torque."""

    def __post_init__(self) -> None:
        self._straight, self._torque = float(self.held.space.steering[0]["angle"]), self.held.torque

    def rates(self, t: float, y: Vector) -> Vector:
        """Return y' at the time t."""
        self._at(t)
        return self.held.rates(t, y)

    def step(self, t: float, y: Vector, h: float) -> Vector:
        """Run a step of `vehicles.step`, in which the steering advances first."""
        self._at(t + h)
        return self.held.step(y, h)

    def _at(self, t: float) -> None:
        angle, rate, acceleration = smooth(t, 0.3, 1.5)
        s = self.held.space.steering[0]
        s["angle"], s["rate"], s["acceleration"] = (
            self._straight + self.steering * angle,
            self.steering * rate,
            self.steering * acceleration,
        )
        self.held.torque = self._torque + self.push * smooth(t, 2.6, 2.0)[0]


class Trajectory(NamedTuple):
    """A drive, or None after values that are not finite."""

    states: NDArray[np.float64] | None
    """(n, state), one every SAMPLE"""
    cost: float
    """s of CPU time of the thread per second of the drive"""


def make_run(vehicle: str) -> IntegratorRun:
    """Return a vehicle in trim at SPEED, with a lane change of about LATERAL and accelerations of about PUSH."""
    held = VehicleOde(build_vehicle(vehicle), build_ground("flat").arrays, SPEED)
    one = IntegratorRun(held)
    mass = float(held.model.chassis[0]["mass"] + held.model.corners[0]["corner_mass"].sum())
    shares = sum(abs(float(wheel_share(held.model.drivetrain, axle_of(held.model.drivetrain, i)))) for i in range(held.size.wheels))
    one.push = PUSH * mass * float(held.model.tires["radius"].mean()) / shares
    one.steering = 0.02
    for _ in range(3):
        drive = follow(one, RungeKutta4(one.rates), 4e-3)
        if drive.states is None:
            raise JounceError(f"{vehicle}: cannot be simulated at 4 ms")
        one.steering *= LATERAL / _lateral(held, drive.states)
    return one


def _lateral(held: VehicleOde, states: NDArray[np.float64]) -> float:
    """Return the largest yaw rate times speed [m/s2]."""
    v, w = held.indices("v_WB_B")[0], held.indices("w_WB_B")[2]
    return float(np.abs(states[:, v] * states[:, w]).max())


def follow(one: IntegratorRun, method: Integrator | None, h: float, seconds: float = SECONDS) -> Trajectory:
    """Run the drive with a method, or with the integrator of the vehicle, in steps of h seconds."""
    each, samples = round(SAMPLE / h), round(seconds / SAMPLE)
    states, y = np.empty((samples, len(one.held.y))), one.held.y.copy()
    advance = one.step if method is None else method.step
    start = time.thread_time()
    with np.errstate(all="ignore"):
        for k in range(samples):
            for n in range(each):
                y = advance((k * each + n) * h, y, h)
            if not (np.isfinite(y).all() and np.abs(y[one.held.indices("v_WB_B")]).max() < 1e3):
                return Trajectory(None, math.nan)
            states[k] = y
    return Trajectory(states, (time.thread_time() - start) / seconds)


def errors(held: VehicleOde, drive: Trajectory, reference: NDArray[np.float64]) -> dict[str, float | None]:
    """Return the largest relative deviation of the yaw rate, and the position error at the end in m."""
    if drive.states is None:
        return {"yaw_rate": None, "place": None}
    w, place = held.indices("w_WB_B")[2], held.indices("place")
    peak = float(np.abs(reference[:, w]).max())
    return {
        "yaw_rate": float(np.abs(drive.states[:, w] - reference[:, w]).max()) / peak,
        "place": float(np.linalg.norm(drive.states[-1, place] - reference[-1, place])),
    }


def drive_table(vehicles: tuple[str, ...], steps: tuple[float, ...] = STEPS, reference_step: float = REFERENCE) -> dict[str, Any]:
    """Return the table for JSON.

    {"reference_step" [s], "vehicles": [{"vehicle", "rows": [{"method", "order", "evaluations", "step" [s], "yaw_rate", "place" [m],
    "cost"}]}]}. Errors are null for a drive that did not stay finite; "cost" is CPU seconds per second of the drive.
    """
    cars = []
    for vehicle in vehicles:
        one = make_run(vehicle)
        reference = follow(one, RungeKutta4(one.rates), reference_step).states
        if reference is None:
            raise JounceError(f"{vehicle}: the reference drive is not finite")
        rows = []
        for name in (*METHODS, SHIPPED):
            for h in steps:
                if name in IMPLICIT and h < SHORTEST_STEP_OF_IMPLICIT:
                    continue
                method = None if name == SHIPPED else METHODS[name](one.held, one.rates)
                drive = follow(one, method, h)
                told = {
                    "method": name,
                    "order": 1 if method is None else method.order,
                    "evaluations": 1 if method is None else method.evaluations,
                }
                rows.append(told | {"step": h, "cost": drive.cost} | errors(one.held, drive, reference))
        cars.append({"vehicle": vehicle, "lateral": _lateral(one.held, reference), "rows": rows})
    return {"reference_step": reference_step, "speed": SPEED, "vehicles": cars}


INTRODUCTION = """# Accuracy and cost of the integrators on a drive

Generated by `python -m research bench driven --markdown docs/theory/driven_integrators.md`{machine}.

This page compares the accuracy and the cost of the integrators on one drive. See
[the stability of the integrators](integrators.md) for their largest stable steps.

- **Drive.** Three cars start in trim at {speed:g} m/s. They perform a lane change of 1.5 s with about
  {lateral:g} m/s2 lateral acceleration. The driveshaft then accelerates and decelerates the car. The drive
  takes {seconds:g} s.
- **Equations.** All methods integrate the same equations (`vehicles/ode_system.py`): the vehicle with
  prescribed driveshaft torque and steering, with elastic treads, without clutch and gears.
  `vehicles/step.py` is the integrator of Jounce, applied to these equations.
- **Errors.** The reference is Runge-Kutta 4 with steps of {reference:g} ms. The errors are the largest
  deviation of the yaw rate, in percent of the largest yaw rate, and the distance of the end positions.
- **Cost.** The cost is CPU time per second of the drive. Some methods call Python between evaluations,
  and their cost includes these calls; compare the costs only with each other. Implicit methods compute
  their Jacobians by differences in every step.
"""

FOLLOWS = """
On smooth ground, the methods of second order are far more accurate at equal cost. The error of
Runge-Kutta 4 is below any measurable difference. Jounce nevertheless uses `{shipped}`, for these
reasons:

- The error of `{shipped}` at {step:g} ms is {yaw_rate:.2g} % of the yaw rate and {place:.2g} mm on this
  drive. The properties of a tire are known less accurately.
- Explicit methods, in particular Adams-Bashforth 2, need a tenth of this step with rigid treads at low
  speed ([stability](integrators.md)).
- A locked brake, a wheel off the ground and a gear change interrupt the solution. A method of second
  order then has neither a history nor a derivative.

For higher accuracy on smooth roads, use a shorter step of `{shipped}`.
"""


def as_page(table: dict[str, Any], machine: str) -> str:
    """Return the table as a page, with its conclusions."""
    told = INTRODUCTION.format(
        machine=f" on {machine}" if machine else "", speed=SPEED, lateral=LATERAL, seconds=SECONDS, reference=1e3 * table["reference_step"]
    )
    parts = [told]
    for car in table["vehicles"]:
        parts += [f"\n## `{car['vehicle']}`, {car['lateral']:.2f} m/s2 lateral acceleration\n", _grid(car["rows"])]
    return "\n".join([*parts, "", recommendation(table)]) + "\n"


def _grid(rows: list[dict[str, Any]]) -> str:
    lines = [
        "| method | order | evaluations | step [ms] | yaw-rate error [%] | position error [mm] | cost [ms/s] |",
        "|---|---|---|---|---|---|---|",
    ]
    for row in rows:
        wrong = row["yaw_rate"] is None
        found = (
            ["unstable", "", ""] if wrong else [f"{100.0 * row['yaw_rate']:.2g}", f"{1e3 * row['place']:.2g}", f"{1e3 * row['cost']:.0f}"]
        )
        first = [row["method"], str(row["order"]), str(row["evaluations"]), f"{1e3 * row['step']:g}"]
        lines.append("| " + " | ".join(first + found) + " |")
    return "\n".join(lines)


def recommendation(table: dict[str, Any]) -> str:
    """Return the table of the cheapest methods with a yaw-rate error within a percent and a position error within a centimeter for all
    cars.
    """
    names = list(dict.fromkeys(row["method"] for car in table["vehicles"] for row in car["rows"]))
    found = []
    for name in names:
        steps = sorted({row["step"] for car in table["vehicles"] for row in car["rows"] if row["method"] == name}, reverse=True)
        for h in steps:
            rows = [row for car in table["vehicles"] for row in car["rows"] if row["method"] == name and row["step"] == h]
            if all(row["yaw_rate"] is not None and row["yaw_rate"] <= GOOD[0] and row["place"] <= GOOD[1] for row in rows):
                found.append((max(row["evaluations"] for row in rows) / h, name, h))
                break
    lines = [f"## Evaluations per second for {100.0 * GOOD[0]:g} % yaw-rate error and {100.0 * GOOD[1]:g} cm position error, for all "
        "cars\n",
             "| method | longest step [ms] | evaluations per second |", "|---|---|---|"]  # fmt: skip
    lines += [f"| {name} | {1e3 * h:g} | {rate:.0f} |" for rate, name, h in sorted(found)]
    missing = [name for name in names if name not in {name for _, name, _ in found}]
    if missing:
        lines.append(f"\nAt none of these steps: {', '.join(missing)}.")
    usual = [row for car in table["vehicles"] for row in car["rows"] if row["method"] == SHIPPED and row["step"] == USUAL_STEP]
    if usual and all(row["yaw_rate"] is not None for row in usual):
        yaw_rate, place = 100.0 * max(row["yaw_rate"] for row in usual), 1e3 * max(row["place"] for row in usual)
        lines.append(FOLLOWS.format(shipped=SHIPPED, step=1e3 * USUAL_STEP, yaw_rate=yaw_rate, place=place))
    return "\n".join(lines)


def main_driven(vehicles: tuple[str, ...], as_json: bool, markdown: str | None) -> int:
    """Run `python -m research bench driven` and return 0. Raises JounceError."""
    table = drive_table(vehicles)
    page = as_page(table, f"{processor()}, {software()}")
    if markdown:
        write_text(Path(markdown), page)
    if as_json:
        print(json_text(table))
    elif not markdown:
        print(page, end="")
    return 0
