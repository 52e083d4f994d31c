"""Steady-state forces of one tire on hard ground, and their transient: the quantities that a test rig measures.

The tire model is called through its contract (`contract`): it starts with an untouched tread and takes steps so long that the tire rolls
steadily.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from simulator.base.arrays import Array
from simulator.base.callbacks import address_in, call
from simulator.base.jit import inline, kernel
from simulator.base.records import Record, record
from terrain.soil import FIRM, SOIL
from vehicles.tires.contract import FORCES, REST, TIRE_INPUT, TIRE_OUTPUT, TREAD_STATE
from vehicles.tires.moments import contact_length
from vehicles.tires.parameters import TIRE_OUT, tire_states
from vehicles.tires.radial import effective_radius, radial_force
from vehicles.tires.terrain_cache import TERRAIN_CACHE
from vehicles.tires.tire import Tire, TireStates
from vehicles.tires.tire_file import TireFile, TireSet
from vehicles.tires.tmeasy.model import tmeasy_advance, tmeasy_grip

LONG = 1e4
"""s. Step size after which all states are steady."""

STEPS = 6
"""Number of such steps: the initial guesses of a model converge from one to the next."""

SPEED = 16.7
"""m/s. Usual speed of tire measurements."""

CONDITION = ("load", "v_x", "tread", "v_y", "camber", "friction")
"""Condition of a wheel on the rig: N; m/s of its contact point along and across, and of its tread to the rear; rad; friction of the
ground."""
OUTPUTS = ("F_x", "F_y", "M_x", "M_y", "M_z")


class Rig(NamedTuple):
    """A tire on a rig."""

    p: Tire
    s: TireStates
    laws: Record
    seen: Record
    result: Record
    under: Record
    out: Record


def steady(
    tire: TireFile, load: ArrayLike, kappa: ArrayLike = 0.0, alpha: ArrayLike = 0.0, camber: ArrayLike = 0.0, side: int = 1
) -> Array:
    """Return forces and moments (n, 5) at the contact at SPEED, in the order of OUTPUTS [N, N m], on the reference ground of the tire
    parameters.

    Parameters
    ----------
    load, kappa, alpha, camber : numbers or (n,): N; slip, + = driving; slip angle, + = sliding to the left; + = top to the right
    side : 1 left, -1 right, for an asymmetric tire
    """
    return steady_at(tire, conditions(tire, load, kappa, alpha, camber), side)


def conditions(
    tire: TireFile, load: ArrayLike, kappa: ArrayLike = 0.0, alpha: ArrayLike = 0.0, camber: ArrayLike = 0.0
) -> dict[str, ArrayLike]:
    """Return the values of CONDITION for `steady`."""
    tread, v_y = SPEED * (1.0 + np.asarray(kappa)), SPEED * np.tan(alpha)
    return {"load": load, "v_x": SPEED, "tread": tread, "v_y": v_y, "camber": camber, "friction": float(tire.shared[0]["friction"])}


def steady_at(tire: TireFile, condition: Mapping[str, ArrayLike], side: int = 1) -> Array:
    """Return forces and moments (n, 5) for a mapping of CONDITION."""
    rows = np.stack(np.broadcast_arrays(*(np.atleast_1d(condition[name]) for name in CONDITION)), axis=1).astype(float)
    tires, rig = tire_rig(tire, side)
    out = np.empty((len(rows), len(OUTPUTS)))
    steady_forces(rig, rows, out)
    del tires
    out[:, 3] -= float(tire.shared[0]["rolling_resistance"]) * float(tire.shared[0]["radius"]) * rows[:, 0]
    return out


def build_up(
    tire: TireFile, load: float, kappa: float = 0.0, alpha: float = 0.0, way: float = 5.0, steps: int = 2000
) -> tuple[Array, Array]:
    """Return distance [m] (steps,) and forces (steps, 2) [N] of a rolling tire after a step of slip or slip angle; way: total distance
    [m]."""
    condition = np.array([np.ravel(value)[0] for value in conditions(tire, load, kappa, alpha).values()])
    tires, rig = tire_rig(tire, 1)
    out = np.empty((steps, 2))
    h = way / steps / SPEED
    forces_after_step(rig, condition, h, out)
    del tires
    return np.linspace(way / steps, way, steps), out


def tire_rig(tire: TireFile, side: int) -> tuple[TireSet, Rig]:
    """Return the rig, and the tires, which own the memory that the rig refers to by address."""
    tires = TireSet([tire], [side])
    under = record(SOIL)
    for name, value in FIRM.items():
        under[0][name] = value
    under[0]["hardness"] = 1.0
    one, states = Tire(tires.shared, tires.treads.tmeasy), TireStates(tire_states(1), record(TREAD_STATE), record(TERRAIN_CACHE))
    return tires, Rig(one, states, tires.treads.laws, record(TIRE_INPUT), record(TIRE_OUTPUT), under, record(TIRE_OUT))


@kernel
def steady_forces(rig, rows, out):
    """Compute the rows (n, 5) of `out` for rows (n, 6) of CONDITION."""
    for n in range(len(rows)):
        touch_rig(rig, rows[n])
        for _ in range(STEPS):
            roll(rig, LONG)
        r = rig.result[0]
        out[n, 0], out[n, 1], out[n, 2], out[n, 3], out[n, 4] = r["F"][0], r["F"][1], r["M_x"], r["M_y"], r["M_z"]


@kernel
def forces_after_step(rig, row, h, out):
    """Compute the forces (steps, 2) in steps of h seconds, starting with an untouched tread, for a row of CONDITION."""
    touch_rig(rig, row)
    for n in range(len(out)):
        roll(rig, h)
        out[n, 0], out[n, 1] = rig.result[0]["F"][0], rig.result[0]["F"][1]


@kernel
def touch_rig(rig, row):
    """Place an untouched tire on the ground in the condition of a row."""
    set_condition(rig, row)
    k, p = rig.seen[0], rig.p.shared[0]
    tread = rig.s.treads[0]
    for j in range(len(tread["numbers"])):
        tread["numbers"][j] = 0.0
    for j in range(len(tread["memory"])):
        tread["memory"][j] = 0.0
    rig.s.tires[0]["slip"][0], rig.s.tires[0]["slip"][1] = 0.0, 0.0
    if rig.laws[0]["kernel"] != 0:
        k["load"], k["task"] = min(row[0], p["load_max"]), REST
        run_model(rig, 0.0)
        k["task"] = FORCES


@kernel
def set_condition(rig, row):
    """Set the condition of a row; the tread stays as it is."""
    k, p, o = rig.seen[0], rig.p.shared[0], rig.out[0]
    deflection = static_deflection(rig.p.shared, row[0])
    R_e = effective_radius(p["radius"], deflection)
    k["load"], k["v_x"], k["spin"], k["v_y"], k["camber"] = row[0], row[1], row[2] / R_e, row[3], row[4]
    k["effective_radius"], k["hardness"], k["side"] = R_e, 1.0, rig.laws[0]["side"]
    k["friction"], k["contact_length"] = row[5] / p["friction"], contact_length(rig.p.shared, deflection)
    o["hardness"], o["v_x"], o["v_y"], o["camber"], o["tire_deflection"] = 1.0, row[1], row[3], row[4], deflection
    rig.under[0]["friction"] = row[5]


@kernel
def roll_on(rig, row, spin, turn_rate, h, count):
    """Take `count` steps of h seconds in the condition of a row but with this spin [rad/s], and a turn rate about the normal of the ground
    [rad/s]."""
    set_condition(rig, row)
    rig.seen[0]["spin"], rig.seen[0]["turn_rate"], rig.out[0]["turn_rate"] = spin, turn_rate, turn_rate
    for _ in range(count):
        roll(rig, h)


@kernel
def static_deflection(p, load):
    """Return the deflection [m] at which the radial spring carries a load [N], by bisection."""
    low, high = 0.0, p[0]["radius"]
    for _ in range(50):
        middle = 0.5 * (low + high)
        if radial_force(p, middle, 0.0, 0.0)[0] < load:
            low = middle
        else:
            high = middle
    return 0.5 * (low + high)


@inline
def run_model(rig, h):
    """Call the model of the tire by its address."""
    state, seen, result = address_in(rig.s.treads), address_in(rig.seen), address_in(rig.result)
    call(rig.laws[0]["kernel"], rig.laws[0]["parameters"], state, seen, result, 0, 1, h)


@inline
def roll(rig, h):
    """Take one step of h seconds: compute the forces and advance the state of the tread."""
    if rig.laws[0]["kernel"] != 0:
        run_model(rig, h)
        r, tread = rig.result[0], rig.s.treads[0]
        for j in range(len(r["rate"])):
            tread["numbers"][j] += h * r["rate"][j]
        for j in range(len(r["memory"])):
            tread["memory"][j] = r["memory"][j]
    else:
        roll_tmeasy(rig, h)


@inline
def roll_tmeasy(rig, h):
    """Take one step of h seconds with TMeasy."""
    k, o, r, state = rig.seen[0], rig.out[0], rig.result[0], rig.s
    R_e = k["effective_radius"]
    borne = (R_e, R_e * k["spin"], k["load"], 0.0, o["tire_deflection"], (0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0))
    grip = tmeasy_grip(rig.p, state, 0, h, borne, rig.under, rig.out)
    tmeasy_advance(state.treads[0], o, h)
    state.tires[0]["slip"][0], state.tires[0]["slip"][1] = o["slip"][0], o["slip"][1]
    r["F"][0], r["F"][1], r["M_z"] = grip[0], grip[1], grip[2]
