"""The kernel of a test drive: steps under one command, and what a driver would note meanwhile."""

from __future__ import annotations

from simulator.base.jit import kernel
from vehicles.step import vehicle_step

LOOKS = 10
"""Steps between two rows of notes."""


@kernel
def noted_drive(m, s, ground, command, h, notes):
    """Drive under one command for as long as there is room for notes.

    Parameters
    ----------
    m, s, ground, command, h : as of `vehicles.step.vehicle_step`
    notes : (n, 3) overwritten, one row after every LOOKS steps: velocity of the reference point ahead and to the left [m/s], yaw rate [rad/s]
    """
    x = s.state[0]
    for i in range(len(notes)):
        for _ in range(LOOKS):
            vehicle_step(m, s, ground, command, h)
        notes[i, 0] = x["v_WB_B"][0]
        notes[i, 1] = x["v_WB_B"][1]
        notes[i, 2] = x["w_WB_B"][2]
