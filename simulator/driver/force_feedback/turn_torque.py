"""Column torque of a vehicle in a turn, by which the force feedback of a wheel base is scaled.

The torque of a steering depends on the load of the front wheels, their trails, the steering ratio and the curve of the power assist. It is
measured in a short drive of a second vehicle on a level, hard plane: about ten seconds of simulated time, which take less than 0.1 s.
"""

from __future__ import annotations

import numpy as np

from simulator.base.constants import STANDARD_GRAVITY
from simulator.base.errors import JounceError
from simulator.base.records import record
from simulator.driver.identification_kernels import STEPS_PER_ROW, recorded_drive
from simulator.driver.vehicle_identification import plain_ground
from vehicles.command import COMMAND
from vehicles.vehicle import Vehicle

LEVEL = 0.7
"""1. Lateral acceleration of the turn as a multiple of gravity: hard driving, below the limit of most road vehicles."""
SPEED = 20.0
"""m/s at the beginning of the turn."""
STEERING_RATE = 0.03
"""1/s. Rate of the steering input as a fraction of the lock: the turn stays close to a steady turn."""
DURATION = 10.0
"""s of the turn."""
ROWS = 5
"""Rows of the recording from one value of the steering input to the next."""
STEP = 1e-3
"""s, time step."""


def torque_in_turn(vehicle: Vehicle, gravity: float = STANDARD_GRAVITY) -> float:
    """Return the maximum torque [N m] in the steering column, at the steering wheel, in a left turn of rising lateral acceleration up to LEVEL.

    A vehicle that does not reach LEVEL gives the maximum up to its limit. The vehicle itself is not changed. Returns 0 for a vehicle that
    cannot drive at SPEED, or has no torque in its column.
    """
    probe, ground = vehicle.new_instance(), plain_ground(gravity)
    probe.tow(None)
    probe.free_steering(False)
    try:
        probe.reset(ground, speed=SPEED)
    except JounceError:
        return 0.0
    command, recording = record(COMMAND), np.zeros((ROWS, 3))
    command[0]["throttle"], command[0]["selector"] = probe.start_throttle, 1
    interval = ROWS * STEPS_PER_ROW * STEP
    ratio, torques = float(probe.model.steering[0]["gear_ratio"]), [0.0]
    for n in range(round(DURATION / interval)):
        command[0]["steering"] = STEERING_RATE * n * interval
        recorded_drive(probe.model, probe.space, ground, command, STEP, recording)
        lateral = float(np.mean(recording[:, 0] * recording[:, 2]))
        torque = abs(float(probe.space.steering[0]["column_torque"])) / ratio
        if not np.isfinite(lateral + torque) or lateral > LEVEL * gravity:
            break
        torques.append(torque)
    return max(torques)
