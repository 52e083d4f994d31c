"""Rows of reference values for the mechanisms with kernels of their own (`jounce validate mechanism FILE.yaml ROWS.csv`).

The header tells what the rows are, their columns may stand in any order:

- Stewart platform, positions: x, y, z, phi, theta, psi and alpha, beta, s of the legs 1 to 6
- Stewart platform, run: t, the same, and their rates (d_alpha1 ... , dx ... dpsi), in the run of paper 004: explicit Euler steps of
  1 ms without gravity under actuator forces of 0.1 sin(2 pi t / 3) N, the odd ones downward, from the first row
- five-link suspension: z, then x, y, phi, theta, psi and alpha, beta of the links 1 to 5
- landing gear: branch, thetaA, and thetaB, thetaD, thetaF, pBC

The axial inertia of the legs is not settled in the literature (0, or 1/160 kg m2 for each half): a run is compared with the one of the
file and with the other, and the report says which it is.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from simulator.base.errors import ConfigError
from simulator.base.inputfile import read_utf8
from simulator.base.records import record
from simulator.validate.report import Comparison
from vehicles.mechanisms import five_link, landing_gear, stewart
from vehicles.mechanisms.from_mechanism import five_link_parameters, stewart_parameters
from vehicles.multibody.constraint_jacobian import position_residuals
from vehicles.multibody.mechanism import Mechanism
from vehicles.multibody.system import build_system

Vector = NDArray[np.float64]
Rows = dict[str, Vector]

POSE = ("x", "y", "z", "phi", "theta", "psi")
LEGS = tuple(f"{name}{i}" for i in range(1, 7) for name in ("alpha", "beta", "s"))
LINKS = tuple(f"{name}{i}" for i in range(1, 6) for name in ("alpha", "beta"))
RATES = tuple("d" + name for name in POSE)
LEG_RATES = tuple("d_" + name for name in LEGS)
GEAR = ("thetaB", "thetaD", "thetaF", "pBC")

CLOSED_FORM, INTEGRATED = 1e-12, 1e-9
"""Limits: positions of the platform's legs, and everything else."""
STEP = 1e-3
"""s. Step of the reference run."""
FORCE, PERIOD = 0.1, 3.0
"""N, s. Amplitude and period of its actuator forces."""
OTHER_AXIAL_INERTIA = 2.0 / 160.0
"""kg m2. Of both halves of a leg, in the other reading of the literature."""
GEAR_UNIT = 0.01
"""m. Unit of the lengths of the landing gear's rows in the mechanism file."""
MOST_BYTES = 1 << 28
"""Of a file of rows."""
NEWTON = 1e-9
"""m, rad. Last step of Newton's method for the five-link suspension."""


def compare_rows(file: str, mechanism: Mechanism) -> Comparison:
    """Evaluate the kernels of a mechanism at every row of `file`.

    Raises
    ------
    ConfigError : the file cannot be read, its header is none of those above, a value is no number; or the mechanism is not of that kind
    """
    rows = _read(file)
    count = len(next(iter(rows.values())))
    if {"t", *POSE, *LEGS, *RATES, *LEG_RATES} <= rows.keys():
        kind, errors = _stewart_run(rows, mechanism, file)
        return Comparison(file, kind, count, errors, INTEGRATED)
    if {*POSE, *LEGS} <= rows.keys():
        return Comparison(file, "legs of the Stewart platform", count, _stewart_legs(rows, mechanism), CLOSED_FORM)
    if {*POSE, *LINKS} <= rows.keys():
        return Comparison(file, "links of the five-link suspension", count, _five_link(rows, mechanism), INTEGRATED)
    if {"branch", "thetaA", *GEAR} <= rows.keys():
        return Comparison(file, "landing gear", count, _landing_gear(rows, mechanism), INTEGRATED)
    raise ConfigError(file, "header", ", ".join(rows), "columns of a Stewart platform, a five-link suspension or a landing gear")


def _read(file: str) -> Rows:
    """Columns of a CSV file by name; the header may begin with #."""
    lines = read_utf8(file, "a CSV file in UTF-8", MOST_BYTES).splitlines()
    names = [name.strip() for name in lines[0].lstrip("# ").split(",")] if lines else []
    body = [line.split(",") for line in lines[1:] if line.strip()]
    if not body or len(set(names)) < len(names):
        raise ConfigError(file, "header", ", ".join(names), "columns of different names, and rows below")
    values = np.zeros((len(body), len(names)))
    for k, cells in enumerate(body):
        if len(cells) != len(names):
            raise ConfigError(file, f"row {k + 1}", f"{len(cells)} values", f"{len(names)} values, as the header has names")
        for i, cell in enumerate(cells):
            values[k, i] = _number(file, f"row {k + 1}.{names[i]}", cell)
    return {name: values[:, i] for i, name in enumerate(names)}


def _number(file: str, key: str, cell: str) -> float:
    try:
        value = float(cell)
    except ValueError:
        raise ConfigError(file, key, cell, "a number") from None
    if not math.isfinite(value):
        raise ConfigError(file, key, cell, "a finite number")
    return value


def _table(rows: Rows, names: tuple[str, ...]) -> Vector:
    return np.stack([rows[name] for name in names], axis=1)


def _largest(found: Vector, wanted: Vector) -> float:
    return float(np.abs(found - wanted).max())


def _turned(found: Vector, wanted: Vector) -> float:
    """Largest difference of two angles, full turns aside."""
    return float(np.abs(np.remainder(found - wanted + math.pi, 2.0 * math.pi) - math.pi).max())


def _stewart_legs(rows: Rows, mechanism: Mechanism) -> dict[str, float]:
    m = stewart.make_stewart(stewart_parameters(mechanism))
    found = np.zeros((len(rows["x"]), 6, 3))
    for k, pose in enumerate(_table(rows, POSE)):
        stewart.solve_legs(m, pose)
        stewart.leg_coordinates(m, found[k])
    wanted = _table(rows, LEGS).reshape(-1, 6, 3)
    return {name: _largest(found[:, :, i], wanted[:, :, i]) for i, name in enumerate(("alpha", "beta", "s"))}


def _stewart_run(rows: Rows, mechanism: Mechanism, file: str) -> tuple[str, dict[str, float]]:
    """Kind and errors of the run that is closer, of those with the file's axial inertia and with the other."""
    p = stewart_parameters(mechanism)
    runs = {}
    for axial in dict.fromkeys((float(p[0]["axial_inertia"][0]), 0.0, OTHER_AXIAL_INERTIA)):
        p[0]["axial_inertia"] = axial
        runs[axial] = _run_errors(rows, stewart.make_stewart(p), file)
    axial = min(runs, key=lambda axial: max(runs[axial].values()))
    return f"run of the Stewart platform, axial inertia of a leg {axial:g} kg m2", runs[axial]


def _run_errors(rows: Rows, m: stewart.Stewart, file: str) -> dict[str, float]:
    state = record(stewart.STATE)
    poses, rates = _table(rows, POSE), _table(rows, RATES)
    state[0]["pose"], state[0]["rates"] = poses[0], rates[0]
    steps = np.rint((rows["t"] - rows["t"][0]) / STEP).astype(int)
    if (np.diff(steps) < 0).any() or np.abs(rows["t"] - rows["t"][0] - steps * STEP).max() > 1e-6 * STEP:
        raise ConfigError(file, "t", rows["t"].tolist(), "rising times, a whole number of milliseconds apart")
    sign = np.array([-1.0, 1.0] * 3)
    done, errors = 0, dict.fromkeys(("pose", "rates", "legs", "leg rates"), 0.0)
    legs = np.zeros((6, 3))
    for k, step in enumerate(steps):
        for taken in range(done, step):
            t = rows["t"][0] + taken * STEP
            if not stewart.euler_step(m, state, sign * (FORCE * math.sin(2.0 * math.pi * t / PERIOD)), STEP):
                raise ConfigError(file, f"row {k + 1}", f"t = {t:g} s", "a run in which no leg comes to lie along x")
        done = step
        pose, rate = state[0]["pose"], state[0]["rates"]
        stewart.evaluate(m, pose.copy(), rate.copy(), np.zeros(6))
        stewart.leg_coordinates(m, legs)
        found = {"pose": pose, "rates": rate, "legs": legs.ravel(), "leg rates": m.motion[0]["rates"].T.ravel()}
        wanted = {"pose": poses[k], "rates": rates[k], "legs": _table(rows, LEGS)[k], "leg rates": _table(rows, LEG_RATES)[k]}
        errors = {name: max(errors[name], _largest(found[name], wanted[name])) for name in errors}
    return errors


def _five_link(rows: Rows, mechanism: Mechanism) -> dict[str, float]:
    m = five_link.make_five_link(five_link_parameters(mechanism))
    poses, links = np.zeros((len(rows["z"]), 6)), np.zeros((len(rows["z"]), 5, 2))
    for k, z in enumerate(rows["z"]):
        poses[k, 2] = z
        if five_link.solve_pose(m, poses[k], NEWTON) > 0:
            five_link.solve_links(m, poses[k])
            five_link.link_angles(m, links[k])
        else:
            poses[k] = math.nan
    return {"pose": _largest(poses, _table(rows, POSE)), "links": _turned(links.reshape(-1, 10), _table(rows, LINKS))}


def _landing_gear(rows: Rows, mechanism: Mechanism) -> dict[str, float]:
    """Errors of the closed form, and by how much the loops of the mechanism are open at the rows [m]."""
    gear, found = landing_gear.landing_gear(), np.zeros((len(rows["thetaA"]), 4))
    for k, (branch, theta) in enumerate(zip(rows["branch"], rows["thetaA"], strict=True)):
        state = record(landing_gear.STATE)
        state[0]["branch"] = branch
        closed = landing_gear.set_position(gear, state, theta)
        found[k] = [state[0][name] for name in ("theta_B", "theta_D", "theta_F", "length")] if closed else math.nan
    errors = {name: _turned(found[:, i], rows[name]) for i, name in enumerate(GEAR[:3])}
    errors["pBC"] = float(np.abs(found[:, 3] / rows["pBC"] - 1.0).max())
    system = build_system(mechanism)
    joints = dict(
        zip(("A", "B", "D", "F", "length"), (rows["thetaA"], *(rows[name] for name in GEAR[:3]), GEAR_UNIT * rows["pBC"]), strict=True)
    )
    if set(joints) != set(system.joint_q):
        raise ConfigError(mechanism.file, "joints", ", ".join(system.joint_q), "the joints of a landing gear: " + ", ".join(joints))
    q = np.zeros((len(rows["thetaA"]), system.n_q))
    for name, values in joints.items():
        q[:, system.joint_q[name].start] = values
    errors["loops"] = max(float(np.abs(position_residuals(system, row)).max()) for row in q)
    return errors
