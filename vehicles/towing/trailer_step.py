"""Step of a trailer in two halves, as kernels that the step of the towing vehicle calls by their addresses.

The first half computes all forces and eliminates the suspension; the second half starts with the force of the coupling. A pair of kernels
belongs to one layout of axles.
"""

from __future__ import annotations

from functools import cache
from typing import Any, NamedTuple

from simulator.base.callbacks import CallbackKernel, address_in, callback, record_at
from simulator.base.jit import COMPILES, kernel
from simulator.base.record_tree import tree_of, type_of_tree
from terrain.ground import GroundArrays
from vehicles.compliance.wheel_displacements import deflect_bushings, has_compliance
from vehicles.dynamics import assemble_loads, solve_loads
from vehicles.stages import (
    add_body_contact,
    add_drive_reactions,
    add_object_contact,
    advance_drivetrain,
    compute_head_motion,
    gather_tire_loads,
    integrate,
    update_suspension,
)
from vehicles.suspension.tables.reduced_table import covers
from vehicles.tires.tire_set import step_tires
from vehicles.towing.coupling import COMMAND_TYPE, MEMORY_TYPE
from vehicles.vehicle_model import VehicleData, VehicleModel


class TrailerKernels(NamedTuple):
    """Kernels of a trailer: arguments are the addresses of its VehicleModel, its VehicleData and its COUPLING_MEMORY, number and count of the
    trailers, and the step."""

    begin: CallbackKernel
    finish: CallbackKernel


def kernels_of(model: VehicleModel, data: VehicleData, ground: GroundArrays) -> TrailerKernels:
    """Return the kernels of trailers with records like these."""
    make = _kernels if COMPILES else _kernels.__wrapped__  # records are no types without the compiler
    return make(type_of_tree(model), type_of_tree(data), type_of_tree(ground))


@cache
def _kernels(model: Any, data: Any, arrays: Any) -> TrailerKernels:
    def begin_trailer_step(parameters, state, seen, result, first, count, h):
        m, s, q = tree_of(parameters, model), tree_of(state, data), record_at(seen, MEMORY_TYPE)
        begin_trailer(m, s, tree_of(address_in(q[0]["ground"]), arrays), record_at(address_in(q[0]["command"]), COMMAND_TYPE), count, h)
        hand_over(s, q)

    def finish_trailer_step(parameters, state, seen, result, first, count, h):
        finish_trailer(tree_of(parameters, model), tree_of(state, data), record_at(seen, MEMORY_TYPE), h)

    return TrailerKernels(callback(begin_trailer_step), callback(finish_trailer_step))


@kernel
def begin_trailer(m, s, ground, command, train, h):
    """Compute the loads of a trailer and its articulated inertia, in the order of `vehicles.step.vehicle_step`; train : number of trailers."""
    tabulated = covers(m.tables, s.state[0]["theta"], s.steering[0]["angle"])
    update_suspension(m, s, tabulated, h)
    step_tires(m, s, ground, h)
    gather_tire_loads(s)
    advance_drivetrain(m, s, command, h)
    add_drive_reactions(m, s, ground)
    add_body_contact(m, s, ground, h)
    if ground.objects[0]["count"] > 0:
        s.object_contact[0]["vehicle"] = train
        add_object_contact(m, s, ground, h)
    if has_compliance(m):
        deflect_bushings(m, s, h)
    s.loads[0]["gravity"] = ground.p[0]["gravity"]
    assemble_loads(m, s)


@kernel
def hand_over(s, q):
    """Copy pose, velocities, articulated inertia and right-hand side of a trailer to its coupling."""
    x, w, c = s.state[0], s.work[0], q[0]
    for i in range(3):
        c["p_WT"][i], c["v_WT_T"][i], c["w_WT_T"][i] = x["p_WB"][i], x["v_WB_B"][i], x["w_WB_B"][i]
        for j in range(3):
            c["R_WT"][i, j] = w["R_WB"][i, j]
    for i in range(6):
        c["x"][i] = w["x"][i]
        for j in range(i + 1):
            c["A"][i, j] = w["A"][i, j]


@kernel
def finish_trailer(m, s, q, h):
    """Move a trailer under the loads of its first half and the force of its coupling."""
    c, w = q[0], s.work[0]
    for i in range(6):
        w["x"][i] = c["x"][i]
        for j in range(i + 1):
            w["A"][i, j] = c["A"][i, j]
    solve_loads(m, s)
    for i in range(6):
        c["x"][i] = w["x"][i]
    integrate(m, s, h)
    compute_head_motion(m, s)
