"""The simplest vehicle that needs a drivetrain: one mass on four wheels, straight ahead, tires with linear slip that saturate."""

import math

import numpy as np
from drivetrain_rig import Bench, step

from simulator.base.jit import kernel
from vehicles.brakes import brakes
from vehicles.drivetrain import drivetrain

MADE_OF = (brakes, drivetrain)
"""Modules that `step` of the rig uses. The cache of a kernel follows imports of modules only: without these it would keep old kernels."""


@kernel
def roll(rig, h, car, log):
    """Advance a Rig; car = (mass, rolling radius, slip stiffness, friction, rolling resistance, grade, speed); log (steps, 4) is filled with
    speed, sum of drive torques, gear, engine speed.

    Tire force, linearly implicit in the spin, which is as if the wheel were heavier by h R dF/dW:  F = mu W tanh(C k / (mu W)),  k = (spin R - v) / sqrt(v^2 + 0.5^2)
    """
    mass, R, C, mu, resistance, grade = car[0], car[1], car[2], car[3], car[4], car[5]
    W = 0.25 * mass * 9.81
    spin, moment, inertia, out = rig.hubs.spin, rig.hubs.moment, rig.hubs.inertia, rig.out
    rolling = rig.hubs.rolling
    wheel = inertia[0]
    for n in range(log.shape[0]):
        low = math.sqrt(car[6] ** 2 + 0.25)
        force = 0.0
        for i in range(4):
            grip = math.tanh(C * (spin[i] * R - car[6]) / low / (mu * W))
            by_spin = C * (1.0 - grip * grip) * R / low
            moment[i] = -mu * W * grip * R - resistance * W * R * math.tanh(spin[i] / 0.1)
            inertia[i] = wheel + h * by_spin * R
            force += mu * W * grip - by_spin * spin[i]
            rolling[i] = car[6] / R
        step(rig, h)
        for i in range(4):
            force += (inertia[i] - wheel) / (h * R) * spin[i]
            inertia[i] = wheel
        car[6] += h * (force / mass - 9.81 * grade / math.sqrt(1.0 + grade * grade))
        drive = out[0]["drive_torque"]
        log[n, 0], log[n, 1], log[n, 2], log[n, 3] = (
            car[6],
            drive[0] + drive[1] + drive[2] + drive[3],
            out[0]["gear"],
            out[0]["engine_speed"],
        )


class Car(Bench):
    """Mass and rolling resistance of the HMMWV (2930 kg with its load, 2573 kg as compared), rolling radius 0.465 m, slip stiffness 120 kN, friction 0.8."""

    def __init__(self, name="hmmwv", gear=1, speed=0.0, grade=0.0):
        super().__init__(name, gear, np.full(4, speed / 0.465))
        self.rolling = self.spin.copy()
        self.car = np.array([2573.0 if name == "hmmwv_chrono" else 2930.0, 0.465, 1.2e5, 0.8, 0.015, grade, speed])

    @property
    def speed(self):
        return self.car[6]

    def roll(self, seconds, h=1e-3):
        """Advance; return the log (steps, 4): speed, sum of drive torques, gear, engine speed."""
        log = np.zeros((round(seconds / h), 4))
        roll(self.rig, h, self.car, log)
        return log
