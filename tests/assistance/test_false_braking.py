"""Does the emergency braking leave ordinary drives alone?"""

from __future__ import annotations

import math

import numpy as np
import pytest

from tests.assistance.cases import KPH, PERSON, Cruise, column, drive, sidestep, world


def parked(x: float, y: float, yaw: float = 0.0, name: str = "parked") -> dict:
    """Return a parked car as an object, of the size of those in the town."""
    return {
        "name": name, "shape": "box", "size": [4.4, 1.8, 1.5], "label": "vehicle", "position": [x, y], "yaw_deg": math.degrees(yaw),
    }  # fmt: skip


def on_curve(radius: float, station: float, offset: float, n: int) -> dict:
    """Return a car that is parked along a left curve, `offset` [m] to the left of its center line."""
    angle = station / radius
    x, y = (radius - offset) * math.sin(angle), radius - (radius - offset) * math.cos(angle)
    return parked(x, y, angle, f"parked_{n}")


class Turner(Cruise):
    """Driver who keeps a speed on a left curve that begins straight, `enter` m long."""

    def __init__(self, speed: float, radius: float) -> None:
        super().__init__(speed)
        self.radius = radius

    def read(self, t, readout, command):
        super().read(t, readout, command)
        r = readout[0]
        x, y, v = float(r["p_WB"][0]), float(r["p_WB"][1]), max(float(r["v_WB_B"][0]), 4.0)
        if x > 0.0 or y > 1.0:
            ahead = math.atan2(x, self.radius - y) + 0.6 * v / self.radius
            px, py = self.radius * math.sin(ahead), self.radius * (1.0 - math.cos(ahead))
        else:
            px, py = x + 0.6 * v, 0.0 if x + 0.6 * v < 0.0 else (x + 0.6 * v) ** 2 / (2.0 * self.radius)
        away = math.hypot(px - x, py - y)
        bend = 2.0 * math.sin(math.remainder(math.atan2(py - y, px - x) - float(r["yaw"]), math.tau)) / away
        command[0]["steering"] = min(max((2.8 + 0.0027 * v * v) * bend / 0.55, -1.0), 1.0)


def car(x, y=0.0, speed=0.0, driver=None, heading=0.0, name="other"):
    return {"name": name, "vehicle": "sedan", "position": [x, y], "speed": speed, "driver": driver, "heading_deg": heading}


def walker(x, y, to, speed, name="walker"):
    return {**PERSON, "name": name, "path": {"points": [[x, y], to], "speed": speed}}


STREET = [parked(15.0 + 7.0 * n, side * 2.45, 0.0, f"parked_{n}_{side}") for n in range(12) for side in (-1, 1)]
CURVE = [on_curve(30.0, 8.0 * n, side * 2.6, 10 * n + (side > 0)) for n in range(1, 9) for side in (-1, 1)]
BEND = [on_curve(15.0, 7.0 * n, side * 3.2, 10 * n + (side > 0)) for n in range(1, 5) for side in (-1, 1)]

# name: (driver, speed, others, objects, seconds)
DRIVES = {
    "street with parked cars at 30 km/h": (lambda: Cruise(30 * KPH), 30 * KPH, [], STREET, 9.0),
    "street with parked cars at 50 km/h": (lambda: Cruise(50 * KPH), 50 * KPH, [], STREET, 6.0),
    "left curve of 30 m past parked cars": (lambda: Turner(8.0, 30.0), 8.0, [], CURVE, 9.0),
    "crossing, 15 m radius, past parked cars": (lambda: Turner(5.5, 15.0), 5.5, [], BEND, 6.0),
    "persons on both sidewalks": (
        lambda: Cruise(50 * KPH), 50 * KPH, [],
        [walker(10.0 + 8.0 * n, side * 2.2, [90.0, side * 2.2], 1.4, f"w_{n}_{side}") for n in range(8) for side in (-1, 1)], 6.0,
    ),
    "person who stops at the curb": (
        lambda: Cruise(40 * KPH), 40 * KPH, [],
        [{**PERSON, "path": {"points": [[40.0, -6.0], [40.0, -3.2], [40.0, -2.2]], "times": [0.0, 1.9, 3.3]}}], 6.0,
    ),
    "person who crosses well before the car": (lambda: Cruise(30 * KPH), 30 * KPH, [], [walker(60.0, -4.0, [60.0, 8.0], 1.6)], 8.0),
    "person who crosses behind the car": (lambda: Cruise(50 * KPH), 50 * KPH, [], [walker(30.0, -6.0, [30.0, 6.0], 1.4)], 6.0),
    "steady following at 80 km/h with 1.2 s": (
        lambda: Cruise(80 * KPH), 80 * KPH, [car(31.0, 0.0, 80 * KPH, lambda: Cruise(80 * KPH))], [], 6.0,
    ),
    "leader slows down, driver brakes in time": (
        lambda: Cruise(60 * KPH, 2.0, 2.5), 60 * KPH, [car(30.0, 0.0, 60 * KPH, lambda: Cruise(60 * KPH, 1.0, 2.5))], [], 9.0,
    ),
    "driver brakes for a standing car with 3.5 m/s2": (lambda: Cruise(50 * KPH, 1.0, 3.5), 50 * KPH, [car(55.0)], [], 7.0),
    "lane change past a standing car": (
        lambda: Cruise(60 * KPH, sideways=sidestep(1.0, 3.5, 3.5)), 60 * KPH, [car(90.0)], [], 7.0,
    ),
    "lane change past a slower car at 100 km/h": (
        lambda: Cruise(100 * KPH, sideways=sidestep(0.5, 3.5, 3.5)), 100 * KPH, [car(60.0, 0.0, 70 * KPH, lambda: Cruise(70 * KPH))], [], 8.0,
    ),
    "overtaken car stays in the right lane": (
        lambda: Cruise(90 * KPH), 90 * KPH, [car(40.0, -3.5, 60 * KPH, lambda: Cruise(60 * KPH))], [], 7.0,
    ),
    "a car cuts in with 1 s of time gap, faster": (
        lambda: Cruise(80 * KPH), 80 * KPH,
        [car(16.0, 3.5, 95 * KPH, lambda: Cruise(95 * KPH, sideways=sidestep(0.5, 3.0, -3.5)))], [], 6.0,
    ),
    "oncoming car on a straight road": (
        lambda: Cruise(70 * KPH), 70 * KPH, [car(150.0, 3.2, 70 * KPH, lambda: Cruise(0.0), 180.0)], [], 5.0,
    ),
    "oncoming car in a bend of 60 m": (
        lambda: Turner(11.0, 60.0), 11.0, [], [
            {"name": "oncoming", "shape": "box", "size": [4.4, 1.8, 1.5], "label": "vehicle", "path": {
                "points": [[56.7 * math.sin(a), 60.0 - 56.7 * math.cos(a)] for a in np.linspace(1.4, -0.1, 40)], "speed": 11.0}}], 6.0,
    ),
    "car on the next lane of a bend": (
        lambda: Turner(14.0, 80.0), 14.0, [], [on_curve(80.0, 14.0 * n, 3.5, n) for n in range(1, 7)], 6.0,
    ),
    "gate between two standing cars": (lambda: Cruise(30 * KPH), 30 * KPH, [car(40.0, 2.3), car(40.0, -2.3, name="second")], [], 6.0),
    "maneuvering close to a car below 5 km/h": (lambda: Cruise(1.2, 3.0, 2.0), 1.2, [car(10.0)], [], 5.0),
}  # fmt: skip


@pytest.mark.parametrize("name", DRIVES)
def test_an_ordinary_drive_is_left_alone(name):
    driver, speed, others, objects, seconds = DRIVES[name]
    entries = [{**one, "driver": one["driver"]()} if one["driver"] else {k: v for k, v in one.items() if k != "driver"} for one in others]
    sim = world(driver(), speed, entries, objects)
    found = drive(sim, seconds, until_rest=False)
    assert not sim.collisions, name
    assert not {"partial braking", "full braking", "hold"} & set(found["states"]), found["states"]
    assert (column(sim, "aeb_brake") == 0.0).all()
