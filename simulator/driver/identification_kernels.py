"""The kernels of a test drive: a look at the steering, and steps under one command with what a driver would note meanwhile."""

from __future__ import annotations

from simulator.base.jit import kernel
from vehicles.stages import present_suspension
from vehicles.steering.steering import place_tierods
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


@kernel
def turn_arm(m, s, angles, axles):
    """Axles of the wheels (n, 3, wheels), in B, of a standing vehicle with its Pitman arm at angles (n,) [rad]."""
    for n in range(len(angles)):
        s.steering[0]["angle"] = angles[n]
        place_tierods(m.steering, s.steering, s.inputs)
        present_suspension(m, s)
        for j in range(3):
            for i in range(len(s.wheels)):
                axles[n, j, i] = s.kinematics[0]["axle"][j, i]
