"""One step of the vehicle: the order of its stages, on one screen.

Semi-implicit Euler for the bodies (velocities first, positions with the new velocities), with implicit blocks inside where something is
stiff: tires in their own deflections, the ends of the suspension, brakes, converter and coupling with the wheel spins.
"""

from __future__ import annotations

from simulator.base.jit import kernel
from vehicles.compliance.wheel_displacements import give_way, yields
from vehicles.stages import (
    add_body_contact,
    add_drawbar,
    add_reactions,
    answer_in_step,
    before_contact,
    feel,
    gather_tire_loads,
    integrate,
    steer,
    turn_wheels,
)
from vehicles.suspension.tables.reduced_table import covers
from vehicles.tires.tire_set import step_tires


@kernel
def vehicle_step(m, s, ground, command, h):
    """Advance the vehicle by h seconds under a driver's command.

    Parameters
    ----------
    m : Model
    s : Space, changed in place
    ground : GroundArrays
    command : record of COMMAND
    """
    steer(m, s, command, h)
    tabulated = covers(m.tables, s.state[0]["theta"], s.steering[0]["angle"])
    before_contact(m, s, tabulated, h)
    step_tires(m, s, ground, h)
    gather_tire_loads(s)
    turn_wheels(m, s, command, h)
    add_reactions(m, s, ground)
    add_drawbar(m, s, command[0]["drawbar"])
    add_body_contact(m, s, ground, h)
    if yields(m):
        give_way(m, s, h)
    answer_in_step(m, s, ground, h, tabulated)
    integrate(m, s, h)
    feel(m, s)
