"""Cases for driver assistance: an own car that keeps its speed, and others ahead of it."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

import jounce
from simulator.driver.aim_control import AccelerationPedals
from simulator.driver.internal_model import InternalModel

CAR = "sedan_esc"
KPH = 1.0 / 3.6
PERSON = {"name": "adult", "shape": "box", "size": [0.4, 0.5, 1.8], "label": "person"}


class Cruise:
    """Driver who keeps a speed straight ahead, and brakes from `brakes_at` s on with `deceleration`; `sideways(t)` gives an offset [m]."""

    overrides_assistance = False

    def __init__(self, speed: float, brakes_at: float = math.inf, deceleration: float = 0.0, sideways: Any = None) -> None:
        self.speed, self.brakes_at, self.deceleration, self.sideways = speed, brakes_at, deceleration, sideways
        self._pedals, self._start = AccelerationPedals(InternalModel(throttle_acceleration=3.0, brake_acceleration=16.0)), None

    def read(self, t: float, readout: Any, command: Any) -> None:
        r, c = readout[0], command[0]
        c["selector"] = 1
        wanted = -self.deceleration if t >= self.brakes_at else 1.5 * (self.speed - r["v_WB_B"][0])
        self._pedals.press(t, readout, command, float(wanted))
        if self._start is None:
            self._start = float(r["p_WB"][1])
        offset = 0.0 if self.sideways is None else self.sideways(t)
        ahead = 0.8 * max(float(r["v_WB_B"][0]), 4.0)
        away = self._start + offset - float(r["p_WB"][1])
        bend = 2.0 * math.sin(math.atan2(away, ahead) - float(r["yaw"])) / math.hypot(away, ahead)
        c["steering"] = min(max((2.8 + 0.0027 * float(r["v_WB_B"][0]) ** 2) * bend / 0.55, -1.0), 1.0)


def sidestep(begin: float, time: float, offset: float):
    """Return a smooth move by `offset` [m] in `time` [s] from `begin` [s] on."""

    def at(t: float) -> float:
        u = min(max((t - begin) / time, 0.0), 1.0)
        return offset * u**3 * (10.0 - 15.0 * u + 6.0 * u * u)

    return at


def world(driver: Any, speed: float, others=(), objects=(), assistance=None, vehicle: str = CAR, terrain: str = "flat", **given: Any):
    """Simulation of a car that begins at a speed [m/s]."""
    changes = {"objects": list(objects)} if objects else {}
    changes |= given.pop("changes", {})
    sim = jounce.Simulation(
        vehicle, terrain, platform=None, driver=driver, others=list(others), assistance={"aeb": {}} if assistance is None else assistance,
        changes=changes, **given,
    )  # fmt: skip
    sim.session.start_speed = speed
    sim.session.reset()
    return sim


def crossing(ahead: float, own_speed: float, walk: float, from_right: bool = True, share: float = 0.5) -> dict[str, Any]:
    """Return a person who crosses so that the car, at its speed, hits the person with `share` of its width, from the far side."""
    side = -1.0 if from_right else 1.0
    time = ahead / own_speed
    start = side * (walk * time + (0.5 - share) * 1.8)
    return {**PERSON, "path": {"points": [[ahead, start], [ahead, start - side * 30.0]], "speed": walk}}


def drive(sim: Any, seconds: float, until_rest: bool = True) -> dict[str, Any]:
    """Advance, and return the speeds at the first collision, and the stages of the emergency braking."""
    lowest = math.inf
    while sim.time < seconds - 1e-9:
        sim.advance(0.05)
        speed = float(sim.session.readout[0]["v_WB_B"][0])
        lowest = min(lowest, speed)
        if sim.collisions or (until_rest and speed < 0.05):
            break
    first = sim.collisions[0] if sim.collisions else None
    states = [one["state"] for one in sim.assistance.occurrences if one["system"] == "aeb"]
    return {"impact": 0.0 if first is None else first.closing_speed, "lowest": lowest, "states": states, "time": sim.time}


def column(sim: Any, name: str) -> np.ndarray:
    """Return a column of the log of the assistance."""
    return np.asarray(sim.log[f"assistance_{name}"])
