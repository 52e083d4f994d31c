"""A soil bin: one wheel, driven straight over level soil by the step of the tire itself, until it has settled.

The carriage moves with a constant speed V at a slip angle to the wheel's heading and turns the wheel with a constant spin; it lets the wheel
carry its load: its center stands above the rut as high as a tire does that carries it, and the rut sinks until the soil bears as much. As in
test beds, where the spin is set whatever the slip angle is, slip is that of the tread against the way of the carriage:

    s = 1 - V / (omega R_e), driving;    s = omega R_e / V - 1, braking;    -1 is a locked wheel
"""

from __future__ import annotations

import math
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from simulator.base.errors import ConfigError
from simulator.base.jit import inline, kernel
from simulator.base.records import Record, record
from terrain.ground import GroundArrays
from terrain.load_terrain import load_terrain
from terrain.soil import FIRM, SOIL
from vehicles.tires.contract import TREAD_STATE
from vehicles.tires.parameters import TIRE_OUT, WHEEL, tire_states
from vehicles.tires.radial import DEFLECTION_MAX, effective_radius, radial_force
from vehicles.tires.terrain_cache import TERRAIN_CACHE
from vehicles.tires.tire import Tire, TireStates, tire_step
from vehicles.tires.tire_file import TireFile
from vehicles.tires.tmeasy.model import LAW as TMEASY_LAW

Array = NDArray[np.float64]

SPEED = 5.0
"""m/s of the carriage unless somebody says otherwise. Tests are slower; the laws of the soil do not depend on it, and what fades out near
standstill (`vehicles.tires.standstill`) is all there at this speed."""
STEP = 1e-3
"""s."""
LONGEST = 30.0
"""s. What has not settled by then is given as it is, and said to be so."""
LOOKED_AT = 0.05
"""s between two looks at whether it has settled."""
FARTHEST_AHEAD = 30.0
"""Moves that are foreseen at once."""
SETTLED_FORCE, SETTLED_SINKAGE = 1e-6, 1e-7
"""1. The load is carried but for this share of it, pull and side force change by less than as much from look to look, and the sinkage by less
than this share of the radius."""

CONDITION = ("slip", "load", "slip_angle")
"""Of a wheel in the bin: 1; N; rad, + = the carriage goes to the left of the wheel's heading."""

OUTPUTS = (
    # name         unit   what it is
    ("sinkage", "m", "depth of the bottom of the wheel under the ground as it was"),
    ("drawbar_pull", "N", "force of the soil on the wheel along its heading: thrust less resistance"),
    ("thrust", "N", "what the sheared soil pushes along the heading"),
    ("resistance", "N", "what the pressed soil takes off it"),
    ("torque", "N m", "about the axle, that turns the wheel"),
    ("side_force", "N", "force of the soil on the wheel to its left"),
    ("deflection", "m", "of the tire along its radius"),
    ("carried", "N", "load that the wheel carries at the end"),
    ("settled", "1", "1, or 0 where the wheel still sank when it was given up"),
)


class Bin(NamedTuple):
    """What the kernels get of a soil bin."""

    p: Tire
    s: TireStates
    ground: GroundArrays
    under: Record
    wheel: Record
    out: Record
    untouched: TireStates
    """States to begin with."""


class SoilBin:
    """A wheel with a tire on a soil.

    Parameters
    ----------
    tire : with the tread law TMeasy, whose part on soil is the spring of the tread alone
    soil : (1,) record of SOIL
    file : of the tire, for messages

    Raises
    ------
    ConfigError : another tread law
    """

    def __init__(self, tire: TireFile, soil: Record, file: object = "tire") -> None:
        if tire.law is not TMEASY_LAW:
            raise ConfigError(file, "type", tire.law.name, f"{TMEASY_LAW.name}: on soil the tread law makes no difference")
        ground = load_terrain({"type": "flat", "soil": "it"}, "soil bin", Path(), {"it": {"type": "soil", "friction": 1.0, **FIRM}})
        wheel = record(WHEEL)
        wheel[0]["a_W"] = 0.0, 1.0, 0.0
        states, untouched = (TireStates(tire_states(1), record(TREAD_STATE), record(TERRAIN_CACHE)) for _ in range(2))
        self._soils = ground.soils
        self._bin = Bin(Tire(tire.shared, tire.own), states, ground.arrays, record(SOIL), wheel, record(TIRE_OUT), untouched)
        self.fill(soil)

    def fill(self, soil: Record) -> None:
        """Put another soil (1,) into the bin."""
        self._soils[0] = soil[0]

    def drive(self, slip: ArrayLike, load: ArrayLike, slip_angle: ArrayLike = 0.0, speed: float = SPEED, step: float = STEP) -> Array:
        """Where the wheel settles: (n, 9) in the order of OUTPUTS.

        Parameters
        ----------
        slip, load, slip_angle : numbers or (n,), as in CONDITION
        speed : of the carriage [m/s]
        """
        rows = np.stack(np.broadcast_arrays(*(np.atleast_1d(one) for one in (slip, load, slip_angle))), axis=1).astype(float)
        out = np.empty((len(rows), len(OUTPUTS)))
        drive_rows(self._bin, rows, speed, step, out)
        return out


@kernel
def drive_rows(b, rows, speed, h, out):
    """The rows (n, 9) of `out` for rows (n, 3) of CONDITION, each from a wheel that touches untouched soil."""
    for n in range(len(rows)):
        _touch_down(b, rows[n], speed)
        settled = _settle(b, rows[n], speed, h)
        o, a = b.out[0], b.wheel[0]["a_W"]
        out[n, 0], out[n, 1], out[n, 3] = o["sinkage"], o["F_C"][0], o["resistance"]
        out[n, 2], out[n, 5] = o["F_C"][0] + o["resistance"], o["F_C"][1]
        out[n, 4] = -(o["M_W"][0] * a[0] + o["M_W"][1] * a[1] + o["M_W"][2] * a[2])
        out[n, 6], out[n, 7], out[n, 8] = o["tire_deflection"], o["F_C"][2], 1.0 if settled else 0.0


@inline
def _touch_down(b, row, speed):
    """An untouched wheel that just reaches the ground, the carriage on its way."""
    k, o = b.wheel[0], b.out[0]
    b.s.tires[0], b.s.treads[0] = b.untouched.tires[0], b.untouched.treads[0]
    o["tire_deflection"] = o["sinkage"] = o["rut"] = 0.0
    k["p_WK"][0], k["p_WK"][1], k["p_WK"][2] = 0.0, 0.0, b.p.shared[0]["radius"]
    k["v_WK_W"][0], k["v_WK_W"][1], k["v_WK_W"][2] = speed * math.cos(row[2]), speed * math.sin(row[2]), 0.0


@inline
def _settle(b, row, speed, h):
    """Drive until the wheel has settled; whether it has."""
    R, o, k, s = b.p.shared[0]["radius"], b.out[0], b.wheel[0], b.s.tires[0]
    tread = speed / (1.0 - row[0]) if row[0] > 0.0 else speed * (1.0 + row[0])
    looks, deflection = max(round(LOOKED_AT / h), 1), _deflection(b.p.shared, row[1])
    last = moved = pull = side = 0.0
    for n in range(round(LONGEST / h)):
        k["spin"] = tread / effective_radius(R, deflection)
        k["p_WK"][2] = R - deflection - s["sinkage"]
        tire_step(b.p, b.s, 0, b.ground, b.under, h, b.wheel, b.out)
        k["p_WK"][0] += h * k["v_WK_W"][0]
        k["p_WK"][1] += h * k["v_WK_W"][1]
        if (n + 1) % looks == 0:
            move = o["sinkage"] - last
            F = o["F_C"]
            unsettled = max(abs(F[2] - row[1]), abs(F[0] - pull), abs(F[1] - side))
            pull, side = F[0], F[1]
            if unsettled < SETTLED_FORCE * row[1] and abs(move) < SETTLED_SINKAGE * R:
                return True
            # what sinks in ever shorter moves comes to the sum of their series (Aitken)
            ratio = move / moved if moved != 0.0 else 0.0
            ahead = move * min(ratio / (1.0 - ratio), FARTHEST_AHEAD) if 0.0 < ratio < 1.0 else 0.0
            s["sinkage"] += ahead
            last, moved = s["sinkage"], 0.0 if ahead != 0.0 else move
    return False


@inline
def _deflection(p, load):
    """Deflection [m] at which a tire carries a load [N] standing still."""
    low, high = 0.0, DEFLECTION_MAX * p[0]["radius"]
    for _ in range(60):
        middle = 0.5 * (low + high)
        if radial_force(p, middle, 0.0)[0] < load:
            low = middle
        else:
            high = middle
    return high
