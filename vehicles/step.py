"""One step of the vehicle: the order of its stages.

The bodies use semi-implicit Euler (velocities first, positions with the new velocities). Stiff components are solved implicitly: tires in
their deflections, the hard stops of the suspension, and brakes, converter and coupling together with the wheel spins.
"""

from __future__ import annotations

from simulator.base.jit import kernel
from vehicles.compliance.wheel_displacements import deflect_bushings, has_compliance
from vehicles.stages import (
    add_body_contact,
    add_drawbar,
    add_drive_reactions,
    add_object_contact,
    advance_drivetrain,
    advance_steering,
    compute_head_motion,
    gather_tire_loads,
    integrate,
    solve_accelerations_implicit,
    update_suspension,
)
from vehicles.suspension.tables.reduced_table import covers
from vehicles.tires.tire_set import step_tires
from vehicles.towing.coupling import begin_trailers, finish_trailers


@kernel
def vehicle_step(m, s, ground, command, h):
    """Advance the vehicle by h seconds under a driver's command.

    Parameters
    ----------
    m : VehicleModel
    s : VehicleData, changed in place
    ground : GroundArrays
    command : record of COMMAND
    """
    if len(m.towed) > 0:
        begin_trailers(m, s, ground, command, h)
    advance_steering(m, s, command, h)
    tabulated = covers(m.tables, s.state[0]["theta"], s.steering[0]["angle"])
    update_suspension(m, s, tabulated, h)
    step_tires(m, s, ground, h)
    gather_tire_loads(s)
    advance_drivetrain(m, s, command, h)
    add_drive_reactions(m, s, ground)
    add_drawbar(m, s, command[0]["drawbar"])
    add_body_contact(m, s, ground, h)
    if ground.objects[0]["count"] > 0:
        add_object_contact(m, s, ground, h)
    if has_compliance(m):
        deflect_bushings(m, s, h)
    solve_accelerations_implicit(m, s, ground, h, tabulated)
    if len(m.towed) > 0:
        finish_trailers(m, s, h)
    integrate(m, s, h)
    compute_head_motion(m, s)
