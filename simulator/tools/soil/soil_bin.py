"""Soil bin: one wheel, driven straight over level soil by the step function of the tire until the state has settled.

The carriage moves with a constant speed V at a slip angle to the heading of the wheel and turns the wheel with a constant spin. The wheel
carries a constant load: its center is above the rut at the height of a tire under this load, and the rut deepens until the soil carries
the load. As in test beds, where the spin is set independently of the slip angle, slip is the slip of the tread relative to the path of the
carriage:

    s = 1 - V / (omega R_e), driving;    s = omega R_e / V - 1, braking;    -1 is a locked wheel
"""

from __future__ import annotations

import math
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from simulator.base.arrays import Array
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
from vehicles.tires.tmeasy.model import KIND as TMEASY_KIND

SPEED = 5.0
"""m/s, default speed of the carriage. Tests are slower. The soil model does not depend on the speed, and the effects that fade out near
standstill (`vehicles.tires.standstill`) are fully active at this speed.
"""
STEP = 1e-3
"""s, time step."""
TIME_LIMIT = 30.0
"""s, time limit. A state that has not settled by then is returned and marked as not settled."""
CHECK_INTERVAL = 0.05
"""s between two checks for the settled state."""
MAX_EXTRAPOLATION = 30.0
"""Maximum number of check intervals of an extrapolation."""
SETTLED_FORCE, SETTLED_SINKAGE = 1e-6, 1e-7
"""1. Settled: load error and change of pull and side force per check below this fraction of the load, change of sinkage below this
fraction of the radius.
"""

CONDITION = ("slip", "load", "slip_angle")
"""Condition of the wheel in the bin: 1; N; rad, + = the carriage moves to the left of the heading of the wheel."""

OUTPUTS = (
    # name         unit   description
    ("sinkage", "m", "depth of the bottom of the wheel below the undisturbed ground"),
    ("drawbar_pull", "N", "force of the soil on the wheel along its heading: thrust less resistance"),
    ("thrust", "N", "force of the sheared soil along the heading"),
    ("resistance", "N", "resistance of the compacted soil"),
    ("torque", "N m", "drive torque about the axle"),
    ("side_force", "N", "force of the soil on the wheel to its left"),
    ("deflection", "m", "radial deflection of the tire"),
    ("carried", "N", "load on the wheel at the end"),
    ("settled", "1", "1 if settled, 0 if the wheel still sank at the time limit"),
)


class Bin(NamedTuple):
    """Arguments of the soil-bin kernels."""

    p: Tire
    s: TireStates
    ground: GroundArrays
    under: Record
    wheel: Record
    out: Record
    untouched: TireStates
    """Initial states."""


class SoilBin:
    """A wheel with a tire on a soil.

    Parameters
    ----------
    tire : with the tire model TMeasy, of which only the tread stiffness acts on soil
    soil : (1,) record of SOIL
    file : name of the tire file for messages

    Raises
    ------
    ConfigError : another tire model
    """

    def __init__(self, tire: TireFile, soil: Record, file: object = "tire") -> None:
        if tire.law is not TMEASY_KIND:
            raise ConfigError(file, "type", tire.law.name, f"{TMEASY_KIND.name}, the only tire model of the soil bin")
        ground = load_terrain({"type": "flat", "soil": "it"}, "soil bin", Path(), {"it": {"type": "soil", "friction": 1.0, **FIRM}})
        wheel = record(WHEEL)
        wheel[0]["a_W"] = 0.0, 1.0, 0.0
        states, untouched = (TireStates(tire_states(1), record(TREAD_STATE), record(TERRAIN_CACHE)) for _ in range(2))
        self._soils = ground.soils
        self._bin = Bin(Tire(tire.shared, tire.own), states, ground.arrays, record(SOIL), wheel, record(TIRE_OUT), untouched)
        self.fill(soil)

    def fill(self, soil: Record) -> None:
        """Replace the soil by another one (1,)."""
        self._soils[0] = soil[0]

    def drive(self, slip: ArrayLike, load: ArrayLike, slip_angle: ArrayLike = 0.0, speed: float = SPEED, step: float = STEP) -> Array:
        """Return the settled states (n, 9), in the order of OUTPUTS.

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
    """Fill the rows (n, 9) of `out` for rows (n, 3) of CONDITION, each with a new wheel on undisturbed soil."""
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
    """Initialize a wheel that just touches the ground, with the carriage in motion."""
    k, o = b.wheel[0], b.out[0]
    b.s.tires[0], b.s.treads[0] = b.untouched.tires[0], b.untouched.treads[0]
    o["tire_deflection"] = o["sinkage"] = o["rut"] = 0.0
    k["p_WK"][0], k["p_WK"][1], k["p_WK"][2] = 0.0, 0.0, b.p.shared[0]["radius"]
    k["v_WK_W"][0], k["v_WK_W"][1], k["v_WK_W"][2] = speed * math.cos(row[2]), speed * math.sin(row[2]), 0.0


@inline
def _settle(b, row, speed, h):
    """Drive until the wheel has settled; return whether it has settled."""
    R, o, k, s = b.p.shared[0]["radius"], b.out[0], b.wheel[0], b.s.tires[0]
    tread = speed / (1.0 - row[0]) if row[0] > 0.0 else speed * (1.0 + row[0])
    looks, deflection = max(round(CHECK_INTERVAL / h), 1), _deflection(b.p.shared, row[1])
    last = moved = pull = side = 0.0
    for n in range(round(TIME_LIMIT / h)):
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
            # extrapolate a geometric series of sinkage changes to its sum (Aitken)
            ratio = move / moved if moved != 0.0 else 0.0
            ahead = move * min(ratio / (1.0 - ratio), MAX_EXTRAPOLATION) if 0.0 < ratio < 1.0 else 0.0
            # the pressure of a layer rises too steeply for a series that goes far
            ahead = min(ahead, max(0.5 * (b.under[0]["depth"] * b.under[0]["compaction"] - s["sinkage"]), 0.0))
            s["sinkage"] += ahead
            last, moved = s["sinkage"], 0.0 if ahead != 0.0 else move
    return False


@inline
def _deflection(p, load):
    """Compute the deflection [m] at which a tire at rest carries a load [N]."""
    low, high = 0.0, DEFLECTION_MAX * p[0]["radius"]
    for _ in range(60):
        middle = 0.5 * (low + high)
        if radial_force(p, middle, 0.0, 0.0)[0] < load:
            low = middle
        else:
            high = middle
    return high
