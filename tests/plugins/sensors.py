"""Plugin sensors: one that measures the height of the ground ahead, and one that fails in a configurable way."""

from __future__ import annotations

import math
import threading

from simulator.base.fields import Field, Number
from simulator.sensors.contract import CONTRACT, SensorKind
from simulator.sensors.kinds import register


class Ahead:
    """Height of the ground under a point of the chassis' plane, from the chassis reference point."""

    def __init__(self, settings):
        self.ground, self.way = settings.ground, float(settings.parameters[0]["way"])

    def step(self, seen, out):
        r = seen.readout[0]
        x, y = r["p_WB"][0] + self.way * math.cos(r["yaw"]), r["p_WB"][1] + self.way * math.sin(r["yaw"])
        out[0]["height"], out[0]["count"] = self.ground.height(x, y) - r["p_WB"][2], out[0]["count"] + 1


AHEAD = SensorKind(
    "ahead",
    (Field("way", Number("m", 0.0, 100.0), "distance ahead", 5.0),),
    (("height", (), "m", "height of the ground over the chassis reference point"), ("count", (), "1", "number of measurements", "i8")),
    Ahead,
    CONTRACT,
    rate=50.0,
)


class Failing:
    """Works for ten measurements."""

    def __init__(self, settings):
        self.how, self.measured = int(settings.parameters[0]["how"]), 0

    def step(self, seen, out):
        self.measured += 1
        out[0]["value"] = 1.0
        if self.measured > 10:
            if self.how == 0:
                raise ValueError("no")
            if self.how == 1:
                out[0]["value"] = math.inf
            if self.how == 2:
                threading.Event().wait()


FAILING = SensorKind(
    "failing_sensor",
    (Field("how", Number("1", 0, 2), "failure: 0 raises, 1 returns inf, 2 never ends"),),
    (("value", (), "1", "1 while it works"),),
    Failing,
    CONTRACT,
    rate=100.0,
)

for kind in (AHEAD, FAILING):
    register(kind)
