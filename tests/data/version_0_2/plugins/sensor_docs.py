"""As docs/own_sensor.md of commit 802fdee has it."""

import math

from simulator.sensors.contract import CONTRACT, SensorKind
from simulator.sensors.kinds import register


class Compass:
    def __init__(self, settings):  # parameters, mount, period, random, ground
        self.noise, self.random = float(settings.parameters[0]["noise"]), settings.random

    def step(self, seen, out):  # seen: time, readout
        out[0]["heading"] = seen.readout[0]["yaw"] + self.noise * self.random.standard_normal()


register(
    SensorKind(
        "compass",
        parameters=(("noise", (), "rad", "standard deviation"),),
        ranges={"noise": (0.0, 1.0)},
        output=(("heading", (), "rad", "of the vehicle's nose, + = left of x"),),
        make=Compass,
        contract=CONTRACT,
        rate=20.0,
        defaults={"noise": math.radians(1.0)},
        meaning="heading, with noise",
    )
)
