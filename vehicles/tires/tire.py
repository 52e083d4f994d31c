"""One step of a tire with TMeasy: contact, load, TMeasy or soil, moments.

`tire_forces` computes the forces, `tire_advance` advances the state, `tire_step` runs contact, forces and advance in this order. Hard
ground and soil share one contact. The rut depth is (1 - hardness) times that of soil alone, there is one load, and the horizontal forces
and moments are weighted sums of TMeasy and of the wheel on soil at this load.
"""

from __future__ import annotations

from typing import NamedTuple

from simulator.base.jit import inline
from simulator.base.records import Record
from vehicles.tires.enveloping_contact import find_contact
from vehicles.tires.moments import finish, follow_hardness, rolling_radius
from vehicles.tires.multipass import read_rut, write_rut
from vehicles.tires.tmeasy.model import tmeasy_advance, tmeasy_grip
from vehicles.tires.vertical_force import tire_load_on_soil

RECOVERY_SPEED = 1.0
"""m/s. Speed at which a yielded rim recovers: a real edge that rises under the one contact point acts as a ramp. Larger: a wheel that
starts deep below the ground is thrown out of it."""


SLIP_TIME = 2e-3
"""s. Time constant of the lag between the slip of the patch and the slip for which soil is integrated. The soil forces beyond the equation
solved in the step are those of the last step, and may be steeper. Smaller: the forces of a braked wheel oscillate from step to step.
Larger: soil reacts late."""


class Tire(NamedTuple):
    """Parameters of one tire."""

    shared: Record
    """(1,) of TIRE"""
    tmeasy: Record
    """(1,) of TMEASY"""


class TireStates(NamedTuple):
    """States of all tires."""

    tires: Record
    """(n,) of TIRE_STATE"""
    treads: Record
    """(n,) of TREAD_STATE"""
    windows: Record
    """(n,) of TERRAIN_CACHE, see `terrain_cache`"""


@inline
def tire_forces(p, s, i, under, h, wheel, out):
    """Compute forces and rates of tire i at its contact out[i] (from `find_contact`), for a step of h seconds; h = 0 gives the rates of the
    ODE.

    Reads the state of tire i without changing it. `under` is the ground (record of `SOIL`). The loads are implicit in the states of the
    tire over h and explicit in the motion of the wheel. Raises nothing; any finite input gives finite output.
    """
    R_e = rolling_radius(p.shared, s.tires, i, out)
    v_tread = R_e * wheel[i]["spin"]
    F_z, slope, deflection, out[i]["sinkage_rate"], forces = tire_load_on_soil(p.shared, s.tires, i, under, h, v_tread, out)
    borne = (R_e, v_tread, F_z, slope, deflection, forces)
    finish(p.shared, s.tires, i, borne, tmeasy_grip(p, s, i, h, borne, under, out), wheel, out)


@inline
def tire_advance(s, i, h, out):
    """Advance the state of tire i by h seconds at the rates in out[i]."""
    shared_advance(s.tires, i, h, out)
    tmeasy_advance(s.treads[i], out[i], h)


@inline
def shared_advance(tires, i, h, out):
    """Advance the state shared by all tire models."""
    o, state = out[i], tires[i]
    follows = 1.0 if o["hardness"] >= 1.0 else h / (h + SLIP_TIME)
    for k in range(2):
        state["slip"][k] += follows * (o["slip"][k] - state["slip"][k])
    for k in range(3):
        state["e_W"][k] = o["e_W"][k]
    state["dent"] = max(o["dent"] - h * RECOVERY_SPEED, 0.0)
    follow_hardness(tires, i, h, out)
    state["sinkage"] = max(state["sinkage"] + h * o["sinkage_rate"], 0.0)
    state["dug"] = min(max(state["dug"] + h * o["dug_rate"], 0.0), state["sinkage"])


@inline
def tire_step(p, s, i, ground, under, h, wheel, out):
    """Advance tire i by one step of h seconds with the wheel state at the start of the step: forces into out[i].

    Parameters
    ----------
    p : Tire
    s : TireStates
    ground : GroundArrays
    under : (1,) record of `terrain.soil.SOIL`, receives the ground below the tire
    wheel, out : (n,) records of `WHEEL`, `TIRE_OUT`
    """
    find_contact(p.shared, s.tires, i, ground, under, s.windows, wheel, out)
    load_and_advance(p, s, i, ground, under, h, wheel, out)


@inline
def load_and_advance(p, s, i, ground, under, h, wheel, out):
    """Run the part of `tire_step` after the contact."""
    read_rut(p.shared, s.tires, i, ground.ruts, out)
    tire_forces(p, s, i, under, h, wheel, out)
    tire_advance(s, i, h, out)
    write_rut(p.shared, s.tires, i, h, ground.ruts, out)
