"""Kernels of the vehicle identification: wheel axles over the steering angle, and recorded steps under a constant command."""

from __future__ import annotations

from simulator.base.jit import kernel
from vehicles.stages import present_suspension
from vehicles.steering.steering import place_tierods
from vehicles.step import vehicle_step

STEPS_PER_ROW = 10
"""Steps between two rows of the recording."""


@kernel
def recorded_drive(m, s, ground, command, h, recording):
    """Drive under a constant command and record the motion until `recording` is full.

    Parameters
    ----------
    m, s, ground, command, h : as of `vehicles.step.vehicle_step`
    recording : (n, 3) overwritten, one row after every STEPS_PER_ROW steps: velocity of the reference point ahead and to the left [m/s],
        yaw rate [rad/s]
    """
    x = s.state[0]
    for i in range(len(recording)):
        for _ in range(STEPS_PER_ROW):
            vehicle_step(m, s, ground, command, h)
        recording[i, 0] = x["v_WB_B"][0]
        recording[i, 1] = x["v_WB_B"][1]
        recording[i, 2] = x["w_WB_B"][2]


@kernel
def turn_arm(m, s, angles, axles):
    """Write the axles of the wheels (n, 3, wheels), in B, of a vehicle at rest with its Pitman arm at angles (n,) [rad]."""
    for n in range(len(angles)):
        s.steering[0]["angle"] = angles[n]
        place_tierods(m.steering, s.steering, s.inputs)
        present_suspension(m, s)
        for j in range(3):
            for i in range(len(s.wheels)):
                axles[n, j, i] = s.kinematics[0]["axle"][j, i]
