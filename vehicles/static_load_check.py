"""Static wheel loads and the load capacity of springs and tires: rejects springs that are too soft, and explains a missing equilibrium.

sprung weight on an axle: weight of the chassis by the lever between the first and the last axle; with more than two axles, equal for all
axles load capacity of a spring at its wheel:  -F dl / dz,  l its length, z the height of the wheel relative to the chassis
"""

from __future__ import annotations

import numpy as np

from simulator.base.arrays import Vector
from simulator.base.constants import STANDARD_GRAVITY
from simulator.base.errors import TERRAIN, ConfigError, raise_all
from simulator.base.records import Record
from vehicles.mechanism_parameters import MechanismParameters, new_workspace
from vehicles.suspension.composite_inertia import prepare

MIN_LOAD = 0.05
"""Minimum load of a spring at full bump without its stops, as a fraction of an even distribution of the chassis weight. A smaller value
indicates an error in its rate or its points."""

MASSES = ("chassis.mass", "chassis.fixed_masses.*.mass")
"""Keys that set the mass of the chassis."""


def sprung_loads(mechanism: MechanismParameters, gravity: float = STANDARD_GRAVITY) -> Vector:
    """Return the weight of the chassis on each wheel (wheels,) [N], in the design position on level ground."""
    weight, axles = float(mechanism.chassis[0]["mass"]) * gravity, mechanism.axles
    x = np.array([mechanism.corners[0]["design_wheel_x"][axles.on(n)[0]] for n in range(axles.size.axles)])
    fractions = np.full(len(x), 1.0 / len(x))
    if len(x) == 2:
        front = (float(mechanism.chassis[0]["com"][0]) - x[1]) / (x[0] - x[1])
        fractions = np.array([front, 1.0 - front])
    return np.array([weight * fractions[axles.of(i)] / axles.sides[axles.of(i)] for i in range(axles.size.wheels)])


def borne_at_full_bump(mechanism: MechanismParameters, stops: bool = True) -> Vector:
    """Return the load (wheels,) [N] that the springs, with or without stops, carry at the wheels at the end of jounce travel. NaN where
    this end is unknown, and for axles from mechanism files or tables, which have no closed form."""
    struts = mechanism.struts.copy()
    if not stops:
        struts[0]["stop_points"] = 0
    w, end = new_workspace(mechanism), mechanism.corners[0]["ends"]["theta"][1]
    known = np.isfinite(end) & np.array([corner.linkage is None for corner in mechanism.designs])
    w.state[0]["theta"] = np.where(known, end, 0.0)
    prepare(mechanism.records._replace(struts=struts), w)
    k = w.kinematics[0]
    coupled = mechanism.corners[0]["coupled"][mechanism.corners[0]["axle"]] > 0
    length = k["spring_length_1"] + np.where(coupled, k["spring_length_across"], 0.0)
    rise = k["W_1"][2] + np.where(coupled, k["W_across"][2], 0.0)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(known, -w.out[0]["spring_force"] * length / rise, np.nan)


def check_springs(mechanism: MechanismParameters, file: str) -> None:
    """Raises ConfigError if a spring carries almost no load anywhere in its travel, or pulls its wheel up."""
    capacity, even = borne_at_full_bump(mechanism, stops=False), MIN_LOAD * float(mechanism.chassis[0]["mass"]) * STANDARD_GRAVITY
    faults, axles = [], mechanism.axles
    for n, name in enumerate(axles.names):
        i = axles.on(n)[0]
        minimum = even / axles.size.wheels
        if capacity[i] < minimum:
            given = f"a spring that carries {capacity[i]:.3g} N at its wheel at full bump without stops"
            expected = f"at least {minimum:.3g} N: a rate in N/m, and points between which the spring shortens as the wheel rises"
            faults.append(ConfigError(file, f"axles.{name}.spring", given, expected, [f"axles.{name}.hardpoints_left"]))
    raise_all(faults)


def explain_missing_equilibrium(mechanism: MechanismParameters, tires: Record, names: tuple[str, ...], gravity: float) -> list[ConfigError]:
    """Return the errors in the files that prevent an equilibrium on level ground, as far as static loads show them; empty if all loads are
    valid.

    Parameters
    ----------
    tires : record of the tires, wheel by wheel
    names : names of the tire files, wheel by wheel
    gravity : m/s2
    """
    if any(corner.linkage is not None for corner in mechanism.designs):
        return []  # the loads below are those of closed forms
    file = mechanism.designs[0].file
    if beyond := _center_beyond_wheels(mechanism, file):
        return beyond
    found = [*_overloaded_tires(mechanism, tires, names, gravity, file), *_overloaded_springs(mechanism, gravity, file)]
    if found and gravity > STANDARD_GRAVITY and not explain_missing_equilibrium(mechanism, tires, names, STANDARD_GRAVITY):
        return [ConfigError(TERRAIN, "gravity", f"{gravity:g} m/s2, {found[0].value}", found[0].expected)]
    return found


def _center_beyond_wheels(mechanism: MechanismParameters, file: str) -> list[ConfigError]:
    """Return an error if the vehicle would tip over."""
    w = new_workspace(mechanism)
    prepare(mechanism.records, w)
    body, corners = mechanism.chassis[0], mechanism.corners[0]
    mass = float(body["mass"] + corners["corner_mass"].sum())
    x, y, _ = (body["mass"] * body["com"] + w.work[0]["corners_moment"]) / mass
    wheels = np.round(w.kinematics[0]["W"], 6) + 0.0
    given = f"a center of mass of the complete vehicle at x = {x:.4g} m, y = {y:.4g} m"
    expected = []
    if not wheels[0].min() < x < wheels[0].max():
        expected.append(f"from x = {wheels[0].min():.3f} to {wheels[0].max():.3f} m")
    if not wheels[1].min() < y < wheels[1].max() and wheels[1].min() < wheels[1].max():
        expected.append(f"from y = {wheels[1].min():.3f} to {wheels[1].max():.3f} m")
    words = f"a center of mass between its wheel centers, {' and '.join(expected)}; otherwise the vehicle tips over"
    return [ConfigError(file, "chassis.com", given, words, ("chassis.fixed_masses.*.com", *MASSES))] if expected else []


def _overloaded_tires(
    mechanism: MechanismParameters, tires: Record, names: tuple[str, ...], gravity: float, file: str
) -> list[ConfigError]:
    """Return an error for each axle with an overloaded tire, the most overloaded one first."""
    loads = sprung_loads(mechanism, gravity) + mechanism.corners[0]["corner_mass"] * gravity
    found: dict[str, ConfigError] = {}
    for i in np.argsort(-loads / tires["load_max"], kind="stable"):
        load, limit, axle = float(loads[i]), float(tires["load_max"][i]), mechanism.axles.names[mechanism.axles.of(i)]
        if load > limit:
            given = f"{mechanism.chassis[0]['mass']:g} kg, {1e-3 * load:.3g} kN on a wheel of `{axle}`"
            expected = f"at most {1e-3 * limit:.3g} kN, the load_max of the tires `{names[i]}`"
            found.setdefault(axle, ConfigError(file, "chassis.mass", given, expected, (*MASSES, "tires", f"tires.{axle}")))
    return list(found.values())


def _overloaded_springs(mechanism: MechanismParameters, gravity: float, file: str) -> list[ConfigError]:
    loads, capacity, axles = sprung_loads(mechanism, gravity), borne_at_full_bump(mechanism), mechanism.axles
    found = []
    for n, name in enumerate(axles.names):
        i = axles.on(n)[0]
        if capacity[i] < loads[i]:
            given = f"spring and stops that carry {1e-3 * capacity[i]:.3g} kN at the wheel at the end of the travel"
            expected = f"the {1e-3 * loads[i]:.3g} kN of the chassis on this wheel: a higher rate, a longer spring or stiffer stops"
            found.append(ConfigError(file, f"axles.{name}.spring", given, expected, MASSES))
    return found
