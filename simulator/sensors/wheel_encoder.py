"""Encoders of the wheels: counts of pulses, and the speed from their times.

A wheel with the angle theta has passed floor(theta / pitch) edges, pitch = 2 pi / pulses. The speed of a wheel is that of the edges since the
last measurement with an edge,

    speed = (distance of the last edge now from the last edge then) / (time between them)

as control units compute it, rounded to the resolution. A measurement without a new edge shows that the wheel is slower than a pitch since the
last edge: the speed is limited to that. Below `min_speed` it is 0. Counts rise forward and fall backward.

The first measurement assumes that the encoder was running before.

differs: the wheel turns evenly between the last edge and the measurement; edges are exactly equidistant; counts do not overflow.
"""

from __future__ import annotations

import math

import numpy as np

from simulator.base.fields import Field, Number
from simulator.base.jit import kernel
from simulator.base.records import Record, record, sized
from simulator.sensors.contract import SensorInput, SensorKind, SensorSettings
from simulator.sensors.messages.definitions import JOINT_STATE
from simulator.sensors.messages.navigation import joint_state
from simulator.sensors.messages.topic import Recording, Topic
from vehicles.axle_layout import WHEELS
from vehicles.readout import READOUT

PARAMETERS = (
    Field("pulses", Number("1", 1, 100_000, whole=True), "edges per revolution", 48),
    Field("resolution", Number("rad/s", 0.0, 10.0), "resolution of the speed; 0: unlimited", 0.01),
    Field("min_speed", Number("rad/s", 0.0, 100.0), "speed below which 0 is measured", 0.3),
)
"""Default: a pulse wheel with 48 teeth and an active sensor; resolution and minimum are assumed, about 3 mm/s and 0.1 m/s."""

OUTPUT = (
    ("counts", (WHEELS,), "1", "edges since the start, + = rolling forward", "i8"),
    ("speed", (WHEELS,), "rad/s", "angular velocity of the wheel, + = rolling forward"),
)
_STATE = (
    ("count", (WHEELS,), "1", "counts at the last measurement", "i8"),
    ("edge", (WHEELS,), "1", "number of the last edge that was passed, in either direction", "i8"),
    ("edge_time", (WHEELS,), "s", "time of that edge"),
    ("speed", (WHEELS,), "rad/s", "last speed, not rounded"),
    ("time", (), "s", "time of the last measurement; NaN before the first one"),
)


@kernel
def count_edges(time, period, readout, p, state, out):
    """Write counts and speeds of the wheels at a time [s] to a record of OUTPUT; `state` is that of the last measurement, a period [s] ago."""
    r, s, o, q = readout[0], state[0], out[0], p[0]
    pitch = 2.0 * math.pi / q["pulses"]
    goes_on = time > s["time"]  # False at the first measurement, and after a restart at an earlier time
    for i in range(len(o["counts"])):
        angle, spin = r["wheel_angle"][i], r["wheel_spin"][i]
        count = math.floor(angle / pitch)
        forward = count > s["count"][i] if goes_on and count != s["count"][i] else spin >= 0.0
        edge = count if forward else count + 1
        gap = angle - edge * pitch
        edge_time = time - (min(gap / spin, period) if spin * gap > 0.0 else 0.0)
        if not goes_on:
            s["edge"][i], s["edge_time"][i], s["speed"][i] = edge, edge_time, spin
        elif count != s["count"][i] and edge_time > s["edge_time"][i]:
            s["speed"][i] = (edge - s["edge"][i]) * pitch / (edge_time - s["edge_time"][i])
            s["edge"][i], s["edge_time"][i] = edge, edge_time
        elif time > s["edge_time"][i]:
            limit = pitch / (time - s["edge_time"][i])
            s["speed"][i] = min(max(s["speed"][i], -limit), limit)
        speed = s["speed"][i] if abs(s["speed"][i]) >= q["min_speed"] else 0.0
        s["count"][i] = o["counts"][i] = count
        o["speed"][i] = np.round(speed / q["resolution"]) * q["resolution"] + 0.0 if q["resolution"] > 0.0 else speed
    s["time"] = time


class WheelEncoder:
    """Encoders of all wheels. Parameters: see PARAMETERS."""

    def __init__(self, settings: SensorSettings) -> None:
        wheels = int(WHEELS) if settings.vehicle is None else settings.vehicle.mechanism.axles.size.wheels
        self._p, self._period, self._state = settings.parameters, settings.period, record(sized(_STATE, wheels=wheels))
        count_edges(
            0.0, self._period, record(sized(READOUT, wheels=wheels)), self._p, self._state, record(sized(OUTPUT, wheels=wheels))
        )  # compiles it
        self._state[0]["time"] = math.nan

    def step(self, seen: SensorInput, out: Record) -> None:
        """Count the edges, and measure the speeds."""
        count_edges(seen.time, self._period, seen.readout, self._p, self._state, out)


def messages(settings: SensorSettings) -> Recording:
    """Return the topic `joints` of a sensor: angle of the last edge and speed of each wheel."""
    pitch = 2.0 * math.pi / float(settings.parameters[0]["pulses"])
    names = [f"wheel_{corner}" for corner in settings.corners]
    return Recording(
        (
            Topic(
                "joints",
                JOINT_STATE,
                lambda one: joint_state(one.time, settings.name, names, pitch * one.values[0]["counts"], one.values[0]["speed"]),
            ),
        )
    )


KIND = SensorKind(
    "wheel_encoder",
    PARAMETERS,
    OUTPUT,
    WheelEncoder,
    2,
    rate=100.0,
    meaning="pulses and speeds of the wheels, as anti-lock brakes measure them",
    messages=messages,
)
