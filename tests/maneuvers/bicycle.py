"""Test plant for drivers: a dynamic bicycle with saturating tires and tire lag that fills the READOUT record.

The default numbers are those of an off-road truck, power in W/kg; arguments make it differ from the internal model of the driver.
"""

from __future__ import annotations

import math

import numpy as np

from simulator.base.records import record
from simulator.driver.internal_model import InternalModel
from vehicles.command import COMMAND
from vehicles.readout import READOUT

G = 9.81

KNOWN = InternalModel(
    wheelbase=3.378,
    mass=2570.0,
    steering_wheel_lock=13.61,
    road_wheel_angles=np.array([-0.487, 0.0, 0.487]),
    understeer=0.0025,
    response=0.27,
    throttle_acceleration=6.0,
    brake_acceleration=8.0,
    turning_length=3.31,
    front_axle=1.656,
    front_share=0.51,
    rear_slip=0.0137,
)
"""Internal model of a driver who knows the bicycle with its default numbers, not exactly."""


class Bicycle:
    """State: pose of the middle of the wheelbase B, velocities, yaw rate, lagged axle side forces. Center of mass = B + (cm, 0)."""

    def __init__(self, mass=2600.0, stiffness=1.0, gain=0.47, grip=0.8, power=50.0, pose=(0.0, 0.0, 0.0), speed=0.0):
        self.mass, self.inertia, self.gain, self.grip, self.power = mass, 1.6 * mass, gain, grip, power
        self.a, self.b = 1.60, 1.702
        self.cm = 0.5 * (self.b - self.a)
        self.c_front, self.c_rear = 95e3 * stiffness, 105e3 * stiffness
        self.x, self.y, self.yaw = pose
        self.u, self.v, self.r = speed, 0.0, 0.0
        self.force = [0.0, 0.0]
        self.roll = self.roll_rate = 0.0
        self.readout, self.command = record(READOUT), record(COMMAND)
        self.t = 0.0
        self._read(0.0, 0.0)

    def step(self, h):
        command = self.command[0]
        delta = self.gain * command["steering"]
        u = max(self.u, 1.0)
        slips = (math.atan2(self.v + self.a * self.r, u) - delta, math.atan2(self.v - self.b * self.r, u))
        loads = (self.mass * G * self.b / (self.a + self.b), self.mass * G * self.a / (self.a + self.b))
        for i, (slip, load, c) in enumerate(zip(slips, loads, (self.c_front, self.c_rear), strict=True)):
            most = self.grip * load
            steady = -most * math.tanh(c * slip / most)
            self.force[i] += (steady - self.force[i]) * min(1.0, h * u / 0.6)
        front, rear = self.force
        drive = min(6.5, self.power / u) * command["throttle"] - 0.15 * (self.u > 0.05)
        brake = 7.5 * command["brake"] * min(1.0, self.u / 0.1)
        a_x = drive - brake - front * math.sin(delta) / self.mass - 4e-4 * self.u**2
        a_y = (front * math.cos(delta) + rear) / self.mass
        moment = self.a * front * math.cos(delta) - self.b * rear
        self.u += h * (a_x + self.v * self.r)
        self.v += h * (a_y - self.u * self.r)
        r_dot = moment / self.inertia
        self.r += h * r_dot
        roll_acc = 70.0 * (0.05 / 9.0 * a_y * 2.0 - self.roll) - 6.0 * self.roll_rate
        self.roll_rate += h * roll_acc
        self.roll += h * self.roll_rate
        self.yaw += h * self.r
        c, s = math.cos(self.yaw), math.sin(self.yaw)
        v_B = self.v - self.cm * self.r
        self.x += h * (c * self.u - s * v_B)
        self.y += h * (s * self.u + c * v_B)
        self.t += h
        self._read(a_x, a_y)

    def _read(self, a_x, a_y):
        out = self.readout[0]
        out["time"] = self.t
        out["p_WB"] = (self.x, self.y, 0.6)
        out["yaw"], out["roll"] = self.yaw, self.roll
        out["v_WB_B"] = (self.u, self.v - self.cm * self.r, 0.0)
        out["p_BG"], out["v_WG_B"] = (self.cm, 0.0, 0.0), (self.u, self.v, 0.0)
        out["p_WG"] = (self.x + self.cm * math.cos(self.yaw), self.y + self.cm * math.sin(self.yaw), 0.6)
        out["w_WB_B"] = (self.roll_rate, 0.0, self.r)
        out["a_WB_B"] = out["a_WG_B"] = (a_x, a_y, 0.0)
        out["F_C"][:, 2] = 0.25 * self.mass * G
        for name in ("steering", "throttle", "brake"):
            out[name] = self.command[0][name]


def drive(plant, driver, duration, h=0.001, every=10, publish=None):
    """Run plant and driver for `duration` s as a session does: the driver at every `every`-th tick, its command held between."""
    for tick in range(round(duration / h)):
        t = tick * h
        if tick % every == 0:
            driver.read(t, plant.readout, plant.command)
        plant.step(h)
        if publish is not None:
            publish()


def errors(path, x, y):
    """Distances (n,) [m] of places x, y (n,) to the left of a path, found by walking along it."""
    station, out = path.find(x[0], y[0]), []
    for a, b in zip(x, y, strict=True):
        station = path.nearest(a, b, station)
        out.append(path.offset_of(a, b, station))
    return np.array(out)
