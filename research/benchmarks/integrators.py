"""`python -m research bench integrators`: stability of each method on the vehicle at 1 ms, from the eigenvalues of the linearized vehicle.

The comparison follows [Deyo 1989, section 3.3.3.7] with a shipped vehicle: at rest and straight ahead, with the tire of the vehicle and
with rigid treads. The table contains no times and no random numbers and is the same on all machines, up to rounding.
"""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np

from research.benchmarks.integrator_list import METHODS, SHIPPED
from simulator.base.json_output import json_text
from simulator.builder.builder import build_ground, build_vehicle
from simulator.telemetry.atomic_files import write_text
from vehicles.compliance.modes import elastic_modes
from vehicles.integration.stability import ROUNDING, factors, largest_stable_step, spectral_radius, tracked_eigenvalues
from vehicles.linearize import LinearVehicle, linearize, step_matrix, with_rigid_treads
from vehicles.ode_system import VehicleOde

H = 1e-3
"""s, step of the vehicle."""

ZERO = 1e-12
"""1/s. Eigenvalues below are rounding errors, of a tread that neither stretches nor slides at rest."""

SPEEDS = (0.0, 0.5, 5.0, 20.0)
"""m/s"""

COMPLIANT = "sedan_compliant"
"""Vehicle of the table of bushing and column modes."""
COMPLIANT_SPEEDS = (0.0, 20.0)
"""m/s"""


def stability_table(vehicle: str = "hmmwv", speeds: tuple[float, ...] = SPEEDS, h: float = H) -> dict[str, Any]:
    """Return modes and methods of each case: {"vehicle", "step" [s], "cases": [case, ...], "compliance": `compliance_table`}, for JSON.

    A case is a speed [m/s] with "tread" "elastic" (as in the vehicle file) or "rigid" (`with_rigid_treads`), its "modes" ("kind", "share",
    "eigenvalue" [re, im] in 1/s, "frequency" in Hz, "damping_ratio") and its "methods": "name", "order", "evaluations", the "factors" |r|
    per step of each mode, their maximum as "radius", "stable", and "largest_step" in s, null if all steps up to 1 s are stable.
    """
    ground = build_ground("flat")
    arrays = ground.arrays
    cases = []
    for speed in speeds:
        held = VehicleOde(build_vehicle(vehicle), arrays, speed)
        linear = linearize(held)
        elastic = _case(linear, h)
        elastic["methods"].append(_shipped(held, linear, h))
        cases.append(elastic)
        if speed > 0.0:
            cases.append(_case(with_rigid_treads(linear), h) | {"tread": "rigid"})
    return {"vehicle": vehicle, "step": h, "cases": cases, "compliance": compliance_table(h)}


def compliance_table(h: float = H) -> dict[str, Any]:
    """Return the modes of bushings and column of COMPLIANT, from derivatives of its step: {"vehicle", "cases"}.

    A case is a speed [m/s] with its "modes": "kind", "share", "factor" |z| per step, and the corresponding "eigenvalue" [re, im] in 1/s.
    """
    vehicle, ground = build_vehicle(COMPLIANT), build_ground("flat").arrays
    cases = []
    for speed in COMPLIANT_SPEEDS:
        modes = [
            {"kind": m.kind, "share": m.share, "factor": abs(m.factor), "eigenvalue": [m.eigenvalue.real, m.eigenvalue.imag]}
            for m in elastic_modes(vehicle, ground, speed, h)
        ]
        cases.append({"speed": speed, "modes": modes})
    return {"vehicle": COMPLIANT, "cases": cases}


def _case(linear: LinearVehicle, h: float) -> dict[str, Any]:
    modes = [
        {
            "kind": kind,
            "share": float(share),
            "eigenvalue": [float(value.real), float(value.imag)],
            "frequency": float(abs(value)) / (2.0 * math.pi),
            "damping_ratio": float(-value.real / abs(value)) if value != 0.0 else 1.0,
        }
        for kind, share, value in zip(linear.kinds, linear.shares, _settled(linear.eigenvalues), strict=True)
    ]
    return {"speed": linear.speed, "tread": "elastic", "modes": modes, "methods": [_method(name, linear, h) for name in METHODS]}


def _settled(eigenvalues: Any) -> Any:
    """Set eigenvalues that are rounding errors to zero; their pairing is arbitrary."""
    return np.where(np.abs(eigenvalues) < ZERO, 0.0, eigenvalues)


def _method(name: str, linear: LinearVehicle, h: float) -> dict[str, Any]:
    method = METHODS[name](linear, lambda t, y: linear.A @ y)

    sizes = np.abs(factors(method, linear.A, linear.eigenvalues, h))
    limit = largest_stable_step(lambda h: spectral_radius(method, linear.A, linear.eigenvalues, h))
    return {"name": name, "order": method.order, "evaluations": method.evaluations} | _stability(sizes, limit)


def _shipped(held: VehicleOde, linear: LinearVehicle, h: float) -> dict[str, Any]:
    """Return the row of the step of the vehicle, from derivatives of the complete step."""
    sizes = np.abs(tracked_eigenvalues(lambda h: step_matrix(held, h), linear.eigenvalues, h))
    limit = largest_stable_step(lambda h: float(np.abs(np.linalg.eigvals(step_matrix(held, h))).max()))
    return {"name": SHIPPED, "order": 1, "evaluations": 1} | _stability(sizes, limit)


def _stability(sizes: Any, limit: float) -> dict[str, Any]:
    radius = float(sizes.max())
    return {
        "factors": sizes.tolist(),
        "radius": radius,
        "stable": radius <= 1.0 + ROUNDING,
        "largest_step": limit if math.isfinite(limit) else None,
    }


INTRODUCTION = """# Stability of the integrators

Generated by `python -m research bench integrators --markdown docs/theory/integrators.md`. Vehicle `{vehicle}`, step {step:g} ms.

This page gives the largest stable step of each integrator and the amplification of each vehicle mode.

The vehicle is linearized about its trim: straight ahead on level hard ground, in neutral, with constant
driveshaft torque and steering. Central differences of its equations give the matrix
(`vehicles/linearize.py`; [Deyo 1989, section 3.3.3.7]). The equations do not depend on position,
heading and wheel angles; these rigid-body modes are removed first. The remaining coordinates are the
chassis, the lower-arm angles, the wheel spins and both deflections of every tire tread. The name of a
mode is the coordinate with the largest participation. In the mode `scrub`, an arm creeps because its
tire must slip sideways.

*Elastic treads* are the tire with its relaxation, which prevents a stiff wheel spin. *Rigid treads* are
this tire without relaxation, as in a tire model without states. The eigenvalue of the wheel spin is then
-g R^2 / I, with g the force per sliding velocity, which is proportional to 1 / v.

The factor |r| is the amplification of a mode per step, for multistep methods the largest one. A mode with
|r| above 1 is unstable. `vehicles/integration/` contains the orders and sources of the methods. Hybrid Euler is
linearly implicit in suspension, wheels and tires, and explicit in the chassis. `{shipped}` is the
integrator of a drive; its derivatives are those of the complete step.
"""


COMPLIANCE = """
## Bushings and steering column of `{vehicle}`

The step treats the displacements of the carriers on their bushings and the steering arm on its column
implicitly (`vehicles/compliance/`, `vehicles/steering/column.py`). Their modes are computed from the
derivatives of the complete step, with these displacements among its coordinates. z is the
amplification of a mode per step of {step:g} ms, and ln(z) / h is the corresponding eigenvalue. 500 Hz
corresponds to a negative z. Modes with |z| below 1e-6 decay within one step and are omitted.
"""


def to_markdown(table: dict[str, Any]) -> str:
    """Return the table as a page."""
    introduction = INTRODUCTION.format(vehicle=table["vehicle"], step=1e3 * table["step"], shipped=SHIPPED)
    parts = [introduction, "## Largest stable step [ms]\n", _limits(table["cases"])]
    for case in table["cases"]:
        parts += [f"\n## {_title(case)}: |r| at {1e3 * table['step']:g} ms\n", _factors(case)]
    return "\n".join([*parts, *compliance_parts(table["compliance"], table["step"])]) + "\n"


def compliance_parts(found: dict[str, Any], h: float) -> list[str]:
    """Return the section on the modes of bushings and column."""
    parts = [COMPLIANCE.format(vehicle=found["vehicle"], step=1e3 * h)]
    for case in found["cases"]:
        rows = [["mode", "eigenvalue [1/s]", "Hz", "magnitude of z"]]
        for mode in case["modes"]:
            re, im = mode["eigenvalue"]
            if im >= 0.0:
                value = f"{re:.4g} ± {im:.4g}i" if im > 0.0 else f"{re:.4g}"
                rows.append([mode["kind"], value, f"{im / (2.0 * math.pi):.2f}" if im > 0.0 else "", f"{mode['factor']:.4f}"])
        parts += [f"### {case['speed']:g} m/s\n", _grid(rows), ""]
    return parts


def _title(case: dict[str, Any]) -> str:
    return f"{case['speed']:g} m/s, {case['tread']} treads"


def _limits(cases: list[dict[str, Any]]) -> str:
    """Return one row per method, one column per case; ! marks the cases that are unstable at the step of the table."""
    rows = [["method", "order", "evaluations", *(_title(case) for case in cases)]]
    for n, method in enumerate(cases[0]["methods"]):
        found = [case["methods"][n] if n < len(case["methods"]) else None for case in cases]
        limits = ["" if m is None else ("any" if m["largest_step"] is None else f"{1e3 * m['largest_step']:.3g}") for m in found]
        marks = ["" if m is None or m["stable"] else " !" for m in found]
        rows.append(
            [method["name"], str(method["order"]), str(method["evaluations"]), *(a + b for a, b in zip(limits, marks, strict=True))]
        )
    return _grid(rows) + "\n\n`!`: unstable at the step of this page; `any`: stable up to at least 1 s."


def _factors(case: dict[str, Any]) -> str:
    """Return one row per mode (one for a conjugate pair), one column per method."""
    methods = case["methods"]
    rows = [["mode", "eigenvalue [1/s]", "Hz", "damping", *(m["name"] for m in methods)]]
    for n, mode in enumerate(case["modes"]):
        re, im = mode["eigenvalue"]
        if im < 0.0:
            continue
        value = f"{re:.4g} ± {im:.4g}i" if im > 0.0 else f"{re:.4g}"
        ratio = f"{mode['damping_ratio']:.2f}" if im > 0.0 else ""
        sizes = [m["factors"][n] for m in methods]
        rows.append([mode["kind"], value, f"{mode['frequency']:.2f}" if im > 0.0 else "", ratio, *(f"{size:.4f}" for size in sizes)])
    rows.append(["**spectral radius**", "", "", "", *(f"{m['radius']:.6f}" for m in methods)])
    rows.append(["**stable**", "", "", "", *("yes" if m["stable"] else "**no**" for m in methods)])
    return _grid(rows)


def _grid(rows: list[list[str]]) -> str:
    lines = ["| " + " | ".join(row) + " |" for row in rows]
    lines.insert(1, "|" + "---|" * len(rows[0]))
    return "\n".join(lines)


def main_integrators(as_json: bool, markdown: str | None) -> int:
    """Run `python -m research bench integrators` and return 0. Raises JounceError if the file cannot be written."""
    table = stability_table()
    if markdown:
        write_text(Path(markdown), to_markdown(table))
    if as_json:
        print(json_text(table))
    elif not markdown:
        print(to_markdown(table), end="")
    return 0
