"""Results of a run as a console report, as JSON data, and as a motion for tables and plots."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from simulator.tools.mechanism.motion import Measure, Motion
from vehicles.multibody.motion.simulate import Run, RunError
from vehicles.multibody.tree.coordinates import velocity_coordinates
from vehicles.multibody.tree.system import System


@dataclass(frozen=True)
class RunSettings:
    """Settings of a run: `steps` steps of `step` seconds; integrator, formulation and control by their command-line names."""

    step: float
    steps: int
    method: str
    formulation: str
    control: str


def run_motion(system: System, run: Run) -> Motion:
    """Return the run as a motion for tables and plots."""
    rates = tuple(Measure(f"rate of {c.label}", f"{c.unit}/s", run.v[:, c.index]) for c in velocity_coordinates(system))
    measures = (
        Measure("closure", "m, rad", run.gap, logarithmic=True),
        Measure("rate of closure", "m/s, rad/s", run.rate, logarithmic=True),
        Measure("energy", "J", run.energy),
    )
    return Motion(system, system.mechanism.name, Measure("time", "s", run.t), run.q, rates, measures, (), is_run=True)


def run_object(system: System, run: Run, settings: RunSettings, failed: RunError | None = None) -> dict[str, Any]:
    """Return the JSON data: SI units and radians; `failed` is the reason of an early end, else null."""
    return {
        "file": system.mechanism.file,
        "name": system.mechanism.name,
        "seconds": float(run.t[-1]),
        "step": settings.step,
        "steps": settings.steps,
        "failed": None if failed is None else {"t": failed.t, "reason": str(failed), "loops": failed.loops},
        "method": settings.method,
        "formulation": settings.formulation,
        "control": settings.control,
        "energy": {"start": float(run.energy[0]), "end": float(run.energy[-1]), "largest_change": run.energy_drift, **_balance(run)},
        "drift": {"position": run.drift[0], "rate": run.drift[1]},
        "state": {
            name: {"position": run.q[-1][system.joint_q[name]].tolist(), "rate": run.v[-1][system.joint_v[name]].tolist()}
            for name in _moving(system)
        },
    }


def run_text(system: System, run: Run, settings: RunSettings) -> str:
    """Return the console report."""
    change = float(run.energy[-1] - run.energy[0])
    lines = [
        f"{system.mechanism.file}: {system.mechanism.name}",
        f"  {run.t[-1]:.9g} s in {run.t.size - 1} steps of {settings.step:.6g} s: "
        f"{settings.method}, {settings.formulation}, loops closed by {settings.control}",
        f"  loops: open by at most {run.drift[0]:.1e} (m, rad), rates {run.drift[1]:.1e}",
        f"  energy: {run.energy[0]:.9g} J at the start, {run.energy[-1]:.9g} J at the end: change {change:.3g} J, at most "
        f"{run.energy_drift:.3g} J during the run",
        *_balance_line(run),
        "",
    ]
    rows = [["joint", f"position at {run.t[-1]:.6g} s", "rate"]]
    for name in _moving(system):
        rows.append([name, _numbers(run.q[-1][system.joint_q[name]]), _numbers(run.v[-1][system.joint_v[name]])])
    widths = [max(len(row[k]) for row in rows) for k in range(3)]
    return "\n".join(
        lines + ["  " + "  ".join([row[0].ljust(widths[0]), row[1].rjust(widths[1]), row[2].rjust(widths[2])]) for row in rows]
    )


def _balance(run: Run) -> dict[str, Any]:
    """Return the energy audit of a completed run."""
    if run.audit is None:
        return {}
    return {"work": float(run.audit.work[-1]), "imbalance": run.audit.imbalance, "in_motion": run.audit.moved, "balanced": run.audit.passed}


def _balance_line(run: Run) -> list[str]:
    if run.audit is None:
        return []
    return [f"  work of dampers, forces and drives: {run.audit.work[-1]:.6g} J; energy error at most {run.audit.imbalance:.2g} J"]


def _moving(system: System) -> list[str]:
    return [joint.name for joint in system.mechanism.joints if system.joint_v[joint.name].stop > system.joint_v[joint.name].start]


def _numbers(values: np.ndarray) -> str:
    return " ".join(f"{x:.12g}" for x in values)
