"""Recovery: after an invalid state, the vehicle is put back to its last valid position and rests until the platform motion has faded."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from simulator.base.errors import JounceError
from simulator.base.rates import shown_time
from simulator.base.rotations import rotation_of_quaternion
from simulator.incident import Incident, Places, is_upright, new_incident
from simulator.tick import UNDER_GROUND, VALID, StateMonitor
from terrain.composite_height import composed_height_and_normal
from terrain.ground import Ground, GroundArrays
from terrain.rut_memory import SoilMemory
from vehicles.vehicle import Vehicle

PLACE_PERIOD = 0.5
"""s of driving between two saved positions to which the vehicle may be put back."""
HOLD_TIME = 1.0
"""s. Minimum time for which the vehicle rests after it was put back; it also rests until the platform motion has faded."""
FADED = 1e-3
"""1. Gain of the washout in the platform pose below which the motion counts as faded."""
MAX_IN_A_ROW = 5
"""Number of incidents without half a second of valid driving in between after which the drive is stopped."""
BURIED_DEPTH = 3.0
"""m below the ground at which a vehicle counts as fallen through the ground."""
CLEARANCE = 0.02
"""m between the ground and the wheels of a vehicle that is put at a position without equilibrium."""


class VehicleRecovery:
    """Valid positions of a vehicle, its incidents, and its rest after an incident.

    Parameters
    ----------
    soil, arrays : deformed soil of the session, and the ground with it
    watch : monitor of the state of the vehicle
    h : length of a tick [s]

    Attributes
    ----------
    latest : the latest incident; None without incidents
    """

    def __init__(self, vehicle: Vehicle, ground: Ground, soil: SoilMemory, arrays: GroundArrays, watch: StateMonitor, h: float) -> None:
        self._vehicle, self._ground, self._soil, self._arrays, self._watch, self._h = vehicle, ground, soil, arrays, watch, h
        self.latest: Incident | None = None
        self._places = Places()
        self._place_every = max(1, round(PLACE_PERIOD / h))
        self._rest_ticks = self._in_a_row = 0

    @property
    def rests(self) -> bool:
        """True while the vehicle rests after an incident."""
        return self._rest_ticks > 0

    @property
    def incident_number(self) -> int:
        """Number of the incident after which the vehicle still rests; 0 if there is none."""
        return self.latest.number if self.latest is not None and self.rests else 0

    def load_kernels(self) -> None:
        """Load the kernels of `check` in advance."""
        state = self._vehicle.space.state[0]
        self._ground.height(*state["p_WB"][:2])
        is_upright(state["q_WB"])

    def begin(self) -> None:
        """Begin a drive: discard the positions and end the rest."""
        self._places.clear()
        self._rest_ticks = self._in_a_row = 0

    def check(self, tick: int, count: int) -> None:
        """Recover if the state is invalid after `count` ticks of the vehicle; else save the position when due.

        Raises JounceError: the state fails repeatedly, at every position.
        """
        if self._watch.state[0]["verdict"] != VALID:
            self._recover()
        elif tick % self._place_every < count:
            self._save_place()

    def rest(self, count: int, gain: float) -> None:
        """Let the vehicle rest for `count` ticks; the rest ends with the platform motion, whose gain is given."""
        self._rest_ticks = max(0, self._rest_ticks - count)
        if self._rest_ticks == 0 and gain > FADED:
            self._rest_ticks = count

    def put_upright(self) -> None:
        """Put the vehicle on its wheels at its present position, at rest."""
        x, y, _ = self._vehicle.space.state[0]["p_WB"]
        self._put(float(x), float(y), self.heading)
        self._rest_ticks = 0

    def put_at(self, x: float, y: float, yaw: float) -> bool:
        """Put the vehicle at rest in equilibrium at a position; return False if there is none. Then the state does not change."""
        before = self._vehicle.copied_state()
        if not self._settle_at(x, y, yaw):
            self._vehicle.restore(before)
            self._vehicle.read()
            return False
        self._rest_ticks = 0
        return True

    def _save_place(self) -> None:
        """Save the position of the vehicle if it is upright and not below the ground."""
        state, watch = self._vehicle.space.state[0], self._watch.state[0]
        x, y, z = (float(value) for value in state["p_WB"])
        depth = self._ground.height(x, y) - z
        if depth > BURIED_DEPTH:
            watch["verdict"], watch["size"] = UNDER_GROUND, depth
            self._recover()
        elif is_upright(state["q_WB"]):
            self._in_a_row = 0
            self._places.add(float(state["time"]), x, y, self.heading)

    def _recover(self) -> None:
        """Put the vehicle back at rest at the last valid position, until the platform motion has faded."""
        v, watch = self._vehicle, self._watch.state[0]
        number = 1 if self.latest is None else self.latest.number + 1
        self.latest = incident = new_incident(number, self._watch, v.model.corners[0]["ends"]["theta"], v.corner_names)
        watch["verdict"], watch["ticks"] = VALID, 0
        self._put_time(incident.time)
        self._in_a_row += 1
        seen = v.readout.copy()
        place = self._places.take(incident.time)
        while place is not None and not self._settle_at(*place):
            place = self._places.take(incident.time)
        if place is None:
            self._put(*self._ground.spawn)
        x, y, _ = v.space.state[0]["p_WB"]
        self._soil.load_tiles_around(float(x), float(y))
        self._rest_ticks = max(1, round(HOLD_TIME / self._h))
        # outlets called in this tick still receive the last valid state, not the new position
        v.readout[:] = seen
        v.readout[0]["time"] = shown_time(incident.time)
        if self._in_a_row >= MAX_IN_A_ROW:
            raise JounceError(f"{incident.message}; stopping the drive because the incident repeats at every position")

    def _put(self, x: float, y: float, yaw: float) -> None:
        """Put the vehicle at a position, in equilibrium. Without an equilibrium, put it just above the ground and parallel to it."""
        if self._settle_at(x, y, yaw):
            return
        v, n = self._vehicle, np.empty(3)
        time = float(v.space.state[0]["time"])
        z = float(composed_height_and_normal(self._arrays, x, y, n))
        c, s = math.cos(yaw), math.sin(yaw)
        slope_ahead, slope_left = -(c * n[0] + s * n[1]) / n[2], -(c * n[1] - s * n[0]) / n[2]
        pitch = -math.atan(slope_ahead)
        roll = math.atan(slope_left * math.cos(pitch))
        v.place(np.array([x, y, z]), roll, pitch, yaw)
        v.read()
        hubs = v.readout[0]["p_WB"] + v.readout[0]["p_BK"] @ _rotation(v.readout[0]["q_WB"]).T
        v.space.state[0]["p_WB"][2] += CLEARANCE + max(
            self._ground.height(hub[0], hub[1]) + radius - hub[2] for hub, radius in zip(hubs, v.model.tires["radius"], strict=True)
        )
        if v.train is not None:
            v.train.place(v)
        v.space.out[0]["f_H_B"] = 0.0, 0.0, self._ground.p[0]["gravity"]
        self._put_time(time)

    def _settle_at(self, x: float, y: float, yaw: float) -> bool:
        """Bring the vehicle into equilibrium at a position. Return False if there is none. The simulated time does not change."""
        time = float(self._vehicle.space.state[0]["time"])
        try:
            self._vehicle.reset(self._ground, x, y, yaw)
        except JounceError:
            return False
        finally:
            self._put_time(time)
        return True

    def _put_time(self, time: float) -> None:
        """Set the time of the vehicle and its trailers."""
        trailers = () if self._vehicle.train is None else self._vehicle.train.trailers
        for one in (self._vehicle, *(trailer.vehicle for trailer in trailers)):
            one.space.state[0]["time"] = time

    @property
    def heading(self) -> float:
        """Return the heading of the vehicle over ground [rad], also when it is upside down."""
        R = _rotation(self._vehicle.space.state[0]["q_WB"])
        return math.atan2(R[1, 0], R[0, 0])


def _rotation(q_WB: Any) -> Any:
    R = np.empty((3, 3))
    rotation_of_quaternion(np.ascontiguousarray(q_WB), R)
    return R
