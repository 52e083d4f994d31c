"""Comparison with rows of reference values for mechanisms with special kernels (`jounce validate mechanism FILE.yaml ROWS.csv`).

The header determines the kind of rows; columns may be in any order:

- Stewart platform, positions: x, y, z, phi, theta, psi and alpha, beta, s of the legs 1 to 6
- Stewart platform, run: t, these coordinates and their rates (d_alpha1 ... , dx ... dpsi), in the run of [Uchida 2012]: explicit Euler
  steps of 1 ms without gravity under actuator forces of 0.1 sin(2 pi t / 3) N, the odd ones downward, from the first row
- five-link suspension: z, then x, y, phi, theta, psi and alpha, beta of the links 1 to 5
- landing gear: branch, thetaA, and thetaB, thetaD, thetaF, pBC

Rates have the name of the coordinate with d or d_ in front (dx, d_alpha1). If the rates of all independent coordinates are present (the
six of the platform, dz, d_thetaA), all other rates are compared with the rates that follow from them. Without them, rates are rejected.

The literature is ambiguous about the axial inertia of the legs (0, or 1/160 kg m2 for each half). A run is compared with the value of
the file and with the other one. The report names the better one.
"""

from __future__ import annotations

import math

import numpy as np

from simulator.base.arrays import Vector
from simulator.base.errors import ConfigError
from simulator.base.records import record
from simulator.base.table_text import read_table_text
from simulator.validation.linkages import five_link, landing_gear, stewart
from simulator.validation.linkages.linkage_parameters import five_link_parameters, stewart_parameters
from simulator.validation.reference.result import Comparison, relative_error
from vehicles.multibody.description.mechanism import Mechanism
from vehicles.multibody.loops.constraint_jacobian import position_residuals, velocity_residuals
from vehicles.multibody.tree.system import build_system

Rows = dict[str, Vector]

POSE = ("x", "y", "z", "phi", "theta", "psi")
LEGS = tuple(f"{name}{i}" for i in range(1, 7) for name in ("alpha", "beta", "s"))
LINKS = tuple(f"{name}{i}" for i in range(1, 6) for name in ("alpha", "beta"))
RATES = tuple("d" + name for name in POSE)
LEG_RATES = tuple("d_" + name for name in LEGS)
GEAR = ("thetaB", "thetaD", "thetaF", "pBC")

CLOSED_FORM, INTEGRATED = 1e-12, 1e-9
"""Limits: positions of the legs of the platform, and all other quantities."""
STEP = 1e-3
"""Time step of the reference run in s."""
FORCE, PERIOD = 0.1, 3.0
"""Amplitude in N and period in s of its actuator forces."""
OTHER_AXIAL_INERTIA = 2.0 / 160.0
"""Axial inertia of both halves of a leg in kg m2, in the other reading of the literature."""
GEAR_UNIT = 0.01
"""Unit in m of the lengths of the landing-gear rows in the mechanism file."""
MAX_BYTES = 1 << 28
"""Maximum size of a file of rows in bytes."""
NEWTON = 1e-9
"""Step in m and rad at which Newton's method for the five-link suspension ends."""


def compare_rows(file: str, mechanism: Mechanism) -> Comparison:
    """Evaluate the kernels of a mechanism at every row of `file`.

    Raises
    ------
    ConfigError : the file cannot be read, its header is unknown, a value is not a number, or the mechanism is of another kind
    """
    rows = _read(file)
    count = len(next(iter(rows.values())))
    if {"t", *POSE, *LEGS, *RATES, *LEG_RATES} <= rows.keys():
        kind, errors = _stewart_run(rows, mechanism, file)
        return Comparison(file, kind, count, errors, INTEGRATED, _not_compared(rows, ("t", *POSE, *LEGS), ()))
    if {*POSE, *LEGS} <= rows.keys():
        rates = _Rates(rows, file, POSE, LEGS)
        errors = _stewart_legs(rows, rates, mechanism)
        return Comparison(file, "legs of the Stewart platform", count, errors, CLOSED_FORM, rates.left_over)
    if {*POSE, *LINKS} <= rows.keys():
        rates = _Rates(rows, file, ("z",), tuple(name for name in (*POSE, *LINKS) if name != "z"))
        errors = _five_link(rows, rates, mechanism)
        return Comparison(file, "links of the five-link suspension", count, errors, INTEGRATED, rates.left_over)
    if {"branch", "thetaA", *GEAR} <= rows.keys():
        rates = _Rates(rows, file, ("thetaA",), GEAR, also=("branch",))
        return Comparison(file, "landing gear", count, _landing_gear(rows, rates, mechanism), INTEGRATED, rates.left_over)
    raise ConfigError(file, "header", ", ".join(rows), "columns of a Stewart platform, a five-link suspension or a landing gear")


class _Rates:
    """Rate columns of a file: those of the independent coordinates, which are inputs, and the others.

    Parameters
    ----------
    independent, dependent : names of the coordinates; either all or none of the independent ones have rates
    also : names of further used columns

    Raises
    ------
    ConfigError : there are rates to compare, but rates of independent coordinates are missing
    """

    def __init__(self, rows: Rows, file: str, independent: tuple[str, ...], dependent: tuple[str, ...], also: tuple[str, ...] = ()) -> None:
        self._rows = rows
        self.compared = tuple(name for name in dependent if rate_column(rows, name))
        missing = [f"d{name}" if name in POSE else f"d_{name}" for name in independent if not rate_column(rows, name)]
        if self.compared and missing:
            columns = ", ".join(rate_column(rows, name) or "" for name in self.compared)
            raise ConfigError(file, "header", columns, f"also the rates of the independent coordinates: {', '.join(missing)}")
        self.given = not missing
        self.left_over = _not_compared(rows, (*independent, *dependent, *also), (*independent, *self.compared))

    def table(self, names: tuple[str, ...]) -> Vector:
        """Return the rates (rows, names) of coordinates."""
        return np.stack([self._rows[rate_column(self._rows, name) or ""] for name in names], axis=1)

    def errors(self, name: str, coordinates: tuple[str, ...], rates: Vector) -> dict[str, float]:
        """Return under `name` the error of the computed rates (rows, coordinates) relative to those in the file; empty without rates."""
        at = [i for i, coordinate in enumerate(coordinates) if coordinate in self.compared]
        if not at:
            return {}
        return {name: relative_error(rates[:, at], self.table(tuple(coordinates[i] for i in at)))}


def rate_column(rows: Rows, name: str) -> str | None:
    """Return the name of the rate column of a coordinate."""
    return next((column for column in (f"d_{name}", f"d{name}") if column in rows), None)


def _not_compared(rows: Rows, coordinates: tuple[str, ...], rates: tuple[str, ...]) -> tuple[str, ...]:
    """Return a note with the unused columns, if any."""
    used = {*coordinates, *(rate_column(rows, name) for name in (*coordinates, *rates))}
    left = [name for name in rows if name not in used]
    return (f"columns that are not compared: {', '.join(left)}",) if left else ()


def _read(file: str) -> Rows:
    """Return the columns of a CSV file by name; the header may start with #."""
    lines = read_table_text(file, "a CSV file", MAX_BYTES, above=True).splitlines()
    names = [name.strip() for name in lines[0].lstrip("# ").split(",")] if lines else []
    body = [line.split(",") for line in lines[1:] if line.strip()]
    if not body or len(set(names)) < len(names):
        raise ConfigError(file, "header", ", ".join(names), "columns with unique names, and rows below")
    values = np.zeros((len(body), len(names)))
    for k, cells in enumerate(body):
        if len(cells) != len(names):
            raise ConfigError(file, f"row {k + 1}", f"{len(cells)} values", f"{len(names)} values, one for each column of the header")
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


def _largest(computed: Vector, expected: Vector) -> float:
    return float(np.abs(computed - expected).max())


def _turned(computed: Vector, expected: Vector) -> float:
    """Return the largest difference of two angles without full turns."""
    return float(np.abs(np.remainder(computed - expected + math.pi, 2.0 * math.pi) - math.pi).max())


def _stewart_legs(rows: Rows, rates: _Rates, mechanism: Mechanism) -> dict[str, float]:
    m = stewart.make_stewart(stewart_parameters(mechanism))
    count = len(rows["x"])
    computed, found_rates = np.zeros((count, 6, 3)), np.zeros((count, 6, 3))
    given = rates.table(POSE) if rates.given else np.zeros((count, 6))
    for k, pose in enumerate(_table(rows, POSE)):
        stewart.solve_legs(m, pose)
        stewart.leg_coordinates(m, computed[k])
        stewart.solve_leg_rates(m, pose, given[k])
        found_rates[k] = m.motion[0]["rates"].T
    expected = _table(rows, LEGS).reshape(-1, 6, 3)
    errors = {name: _largest(computed[:, :, i], expected[:, :, i]) for i, name in enumerate(("alpha", "beta", "s"))}
    return errors | rates.errors("leg rates", LEGS, found_rates.reshape(count, 18))


def _stewart_run(rows: Rows, mechanism: Mechanism, file: str) -> tuple[str, dict[str, float]]:
    """Return the kind and the errors of the better run, with the axial inertia of the file or the other one."""
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
        raise ConfigError(file, "t", rows["t"].tolist(), "increasing times at integer multiples of 1 ms")
    sign = np.array([-1.0, 1.0] * 3)
    done, errors = 0, dict.fromkeys(("pose", "rates", "legs", "leg rates"), 0.0)
    legs = np.zeros((6, 3))
    for k, step in enumerate(steps):
        for taken in range(done, step):
            t = rows["t"][0] + taken * STEP
            if not stewart.euler_step(m, state, sign * (FORCE * math.sin(2.0 * math.pi * t / PERIOD)), STEP):
                raise ConfigError(file, f"row {k + 1}", f"t = {t:g} s", "a run in which no leg becomes parallel to x")
        done = step
        pose, rate = state[0]["pose"], state[0]["rates"]
        stewart.evaluate(m, pose.copy(), rate.copy(), np.zeros(6))
        stewart.leg_coordinates(m, legs)
        computed = {"pose": pose, "rates": rate, "legs": legs.ravel(), "leg rates": m.motion[0]["rates"].T.ravel()}
        expected = {"pose": poses[k], "rates": rates[k], "legs": _table(rows, LEGS)[k], "leg rates": _table(rows, LEG_RATES)[k]}
        errors = {name: max(errors[name], _largest(computed[name], expected[name])) for name in errors}
    return errors


def _five_link(rows: Rows, rates: _Rates, mechanism: Mechanism) -> dict[str, float]:
    m = five_link.make_five_link(five_link_parameters(mechanism))
    count = len(rows["z"])
    poses, links = np.zeros((count, 6)), np.zeros((count, 5, 2))
    pose_rates, link_rates = np.full((count, 6), math.nan), np.full((count, 5, 2), math.nan)
    given = rates.table(("z",))[:, 0] if rates.given else np.zeros(count)
    for k, z in enumerate(rows["z"]):
        poses[k, 2] = z
        if five_link.solve_pose(m, poses[k], NEWTON) > 0:
            five_link.solve_links(m, poses[k])
            five_link.link_angles(m, links[k])
            if five_link.solve_rates(m, poses[k], given[k]):
                pose_rates[k], link_rates[k] = m.motion[0]["pose_rates"], m.motion[0]["rates"].T
        else:
            poses[k] = math.nan
    errors = {"pose": _largest(poses, _table(rows, POSE)), "links": _turned(links.reshape(-1, 10), _table(rows, LINKS))}
    return errors | rates.errors("pose rates", POSE, pose_rates) | rates.errors("link rates", LINKS, link_rates.reshape(count, 10))


def _landing_gear(rows: Rows, rates: _Rates, mechanism: Mechanism) -> dict[str, float]:
    """Return the errors of the closed form, the residuals of the loops of the mechanism at the rows [m], and their rates [m/s]."""
    gear, angles = landing_gear.landing_gear(), np.zeros((len(rows["thetaA"]), 4))
    slopes = np.full_like(angles, math.nan)
    for k, (branch, theta) in enumerate(zip(rows["branch"], rows["thetaA"], strict=True)):
        state = record(landing_gear.STATE)
        state[0]["branch"] = branch
        closed = landing_gear.set_position(gear, state, theta)
        angles[k] = [state[0][name] for name in ("theta_B", "theta_D", "theta_F", "length")] if closed else math.nan
        slopes[k] = state[0]["slope"] if closed else math.nan
    errors = {name: _turned(angles[:, i], rows[name]) for i, name in enumerate(GEAR[:3])}
    errors["pBC"] = float(np.abs(angles[:, 3] / rows["pBC"] - 1.0).max())
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
    if rates.given:
        errors |= rates.errors("rates", GEAR, slopes * rates.table(("thetaA",)))
    if rates.given and set(GEAR) <= set(rates.compared):
        v = np.zeros((len(q), system.n_v))
        for name, values in zip(joints, rates.table(("thetaA", *GEAR)).T, strict=True):
            v[:, system.joint_v[name].start] = values * (GEAR_UNIT if name == "length" else 1.0)
        errors["loops opening"] = max(relative_error(velocity_residuals(system, *row), 0.0) for row in zip(q, v, strict=True))
    return errors
