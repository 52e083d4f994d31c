"""One tire of the shipped kind for one step: contact, load, TMeasy or soil, moments.

`tire_forces` evaluates, `tire_advance` moves the state, `tire_step` does contact, evaluation and advance in this order. Hard ground and
soil meet in one contact: the rut is (1 - hardness) times what soil alone would give, the load is one, and the horizontal
forces and moments are the shares of TMeasy and of the soil wheel at that load.
"""

from __future__ import annotations

from typing import NamedTuple

from simulator.base.jit import inline
from simulator.base.records import Record
from vehicles.tires.enveloping_contact import find_contact
from vehicles.tires.moments import finish, follow_hardness, rolling_radius
from vehicles.tires.multipass import read_rut, write_rut
from vehicles.tires.tmeasy.model import tmeasy_advance, tmeasy_grip
from vehicles.tires.vertical_force import carry

MENDING = 1.0
"""m/s. Speed at which a dent of the rim goes out again: an edge that came up under the one contact point is a ramp in truth. Larger: who
starts deep under the ground is thrown out of it."""


SLIP_TIME = 2e-3
"""s. Time in which the slip at which soil is integrated follows that of the patch. Its forces beyond the law that is solved in the step are those of the
last step, and may be steeper than it. Smaller: they swing from step to step where a wheel is braked. Larger: soil answers late."""


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
    """(n,) of TERRAIN_CACHE, see `window`"""


@inline
def tire_forces(p, s, i, under, h, wheel, out):
    """Forces and rates of tire i at its contact out[i] (from `find_contact`), for a step of h seconds; h = 0 gives the rates of the ODE.

    Reads the state of tire i and leaves it alone. `under` is the ground (record of `SOIL`). The loads are implicit in the
    tire's own states over h and explicit in the wheel's motion. Raises nothing; any finite input gives finite output.
    """
    R_e = rolling_radius(p.shared, s.tires, i, out)
    v_tread = R_e * wheel[i]["spin"]
    F_z, slope, deflection, out[i]["sinkage_rate"], forces = carry(p.shared, s.tires, i, under, h, v_tread, out)
    borne = (R_e, v_tread, F_z, slope, deflection, forces)
    finish(p.shared, s.tires, i, borne, tmeasy_grip(p, s, i, h, borne, under, out), wheel, out)


@inline
def tire_advance(s, i, h, out):
    """State of tire i after h seconds at the rates in out[i]."""
    shared_advance(s.tires, i, h, out)
    tmeasy_advance(s.treads[i], out[i], h)


@inline
def shared_advance(tires, i, h, out):
    """What tires of every tread law keep from step to step."""
    o, state = out[i], tires[i]
    follows = 1.0 if o["hardness"] >= 1.0 else h / (h + SLIP_TIME)
    for k in range(2):
        state["slip"][k] += follows * (o["slip"][k] - state["slip"][k])
    for k in range(3):
        state["e_W"][k] = o["e_W"][k]
    state["dent"] = max(o["dent"] - h * MENDING, 0.0)
    follow_hardness(tires, i, h, out)
    state["sinkage"] = max(state["sinkage"] + h * o["sinkage_rate"], 0.0)
    state["dug"] = min(max(state["dug"] + h * o["dug_rate"], 0.0), state["sinkage"])


@inline
def tire_step(p, s, i, ground, under, h, wheel, out):
    """Tire i through one step of h seconds with the wheel as it is at its start: forces into out[i], its state advanced.

    Parameters
    ----------
    p : Tire
    s : TireStates
    ground : GroundArrays
    under : (1,) record of `terrain.soil.SOIL`, receives the ground below the tire
    wheel, out : (n,) records of `WHEEL`, `TIRE_OUT`
    """
    find_contact(p.shared, s.tires, i, ground, under, s.windows, wheel, out)
    read_rut(p.shared, s.tires, i, ground.ruts, out)
    tire_forces(p, s, i, under, h, wheel, out)
    tire_advance(s, i, h, out)
    write_rut(p.shared, s.tires, i, h, ground.ruts, out)
