"""Ghost: a recorded drive as a translucent vehicle in another drive. It is only drawn; the physics and the sensors have no ghost."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from simulator.base.records import Record, record, sized
from simulator.view.bodies.kinds import body_of
from simulator.view.detail import Detail
from simulator.view.light import Light
from simulator.view.shared_state import STATE, interpolate
from simulator.view.shot import rotation
from simulator.view.vehicle_geometry import checked_geometry

FILE = "ghost.npz"
"""File in the folder of a drive with its ghost; missing without one."""
FIELDS = ("p_WB", "q_WB", "p_BK", "R_BK", "wheel_angle", "steering_wheel_angle")
"""Fields of STATE that draw a ghost."""
GEOMETRY = "geometry_"
MOVES = 0.3
"""m/s above which a vehicle moves."""
NEAR_DISTANCE, CLEAR_DISTANCE = 3.0, 12.0
"""m. Distances from the camera to the ghost: up to the first it is nearly invisible, from the second on it has its full opacity."""
FAINT, OPAQUE = 0.06, 0.55
"""Opacity of the ghost at these distances."""


class GhostTrack(NamedTuple):
    """States of a ghost."""

    times: NDArray[np.float64]
    """(n,) s from the start of the recording, increasing"""
    cuts: NDArray[np.bool_]
    """(n,) True if a state does not continue the previous one"""
    fields: Mapping[str, NDArray[np.float64]]
    """FIELDS, each (n, ...)"""
    geometry: Mapping[str, Any]
    """Rows of `simulator.view.vehicle_geometry.GEOMETRY`"""
    begins_moving: float
    """Time at which the recorded vehicle begins to move [s]"""
    waits_for_motion: bool
    """True: the ghost begins to move when the vehicle of the drive does. False: it begins with the drive."""
    by_lap: bool = False
    """True: the ghost begins at each start of a lap of the drive, and rests before the first one."""

    def save(self, folder: Path) -> None:
        """Write the track into the folder of a drive. Raises OSError."""
        shape = {GEOMETRY + key: np.asarray(value) for key, value in self.geometry.items()}
        begin = np.array([self.begins_moving, self.waits_for_motion, self.by_lap], float)
        content: dict[str, Any] = {"times": self.times, "cuts": self.cuts, "begin": begin, **self.fields, **shape}
        np.savez(folder / FILE, **content)

    @staticmethod
    def load(folder: Path) -> GhostTrack | None:
        """Return the track in the folder of a drive; None if there is none."""
        try:
            with np.load(folder / FILE) as data:
                fields = {name: data[name] for name in FIELDS}
                shape = {name.removeprefix(GEOMETRY): data[name] for name in data.files if name.startswith(GEOMETRY)}
                begin = data["begin"]
                return GhostTrack(data["times"], data["cuts"], fields, shape, float(begin[0]), *(bool(one) for one in begin[1:]))
        except OSError:
            return None


class GhostClock:
    """Time of a ghost from the states of a drive."""

    def __init__(self, track: GhostTrack) -> None:
        self._track = track
        self._last, self._offset = -np.inf, 0.0
        self._runs = False

    def time(self, state: Record) -> float:
        """Return the time in the recording [s] for a state of the drive; a restart of the drive restarts the ghost."""
        now, track = float(state[0]["time"]), self._track
        if now < self._last:
            self._runs = False
        self._last = now
        if track.by_lap:
            began = float(state[0]["lap_began"])
            return now - began if began <= now else 0.0
        if not track.waits_for_motion:
            return now
        if not self._runs:
            self._offset = track.begins_moving - now
            self._runs = float(np.linalg.norm(state[0]["v_WB_B"])) > MOVES
        return now + self._offset


class Ghost:
    """Ghost of a drive on the graphics device."""

    def __init__(self, track: GhostTrack, light: Light, detail: Detail) -> None:
        from simulator.view.vehicle_renderer import Vehicle

        geometry = checked_geometry(track.geometry)
        self.track, self.clock = track, GhostClock(track)
        self._vehicle = Vehicle(geometry, body_of(geometry), light, detail)
        table = sized(STATE, wheels=len(geometry["tire_radius"]))
        self._before, self._after, self.state = record(table), record(table), record(table)
        for one in (self._before, self._after):
            one[0]["q_platform"][0] = 1.0

    @staticmethod
    def of_drive(folder: Path, light: Light, detail: Detail) -> Ghost | None:
        """Return the ghost of the drive with this folder; None if it has none."""
        track = GhostTrack.load(folder)
        return None if track is None else Ghost(track, light, detail)

    def draw(self, clip_of_world: NDArray, eye: NDArray, state: Record) -> None:
        """Draw the ghost for a state of the drive over the image."""
        self.place(self.clock.time(state))
        place = self.state[0]["p_WB"]
        self._vehicle.place(place, rotation(self.state[0]["q_WB"]), self.state)
        share = np.clip((float(np.linalg.norm(place - eye)) - NEAR_DISTANCE) / (CLEAR_DISTANCE - NEAR_DISTANCE), 0.0, 1.0)
        self._vehicle.draw_translucent(clip_of_world, eye, FAINT + (OPAQUE - FAINT) * float(share))

    def place(self, time: float) -> None:
        """Set the state at a time in the recording; before its start and after its end the ghost is at rest."""
        times = self.track.times
        row = int(np.clip(np.searchsorted(times, time, side="right") - 1, 0, len(times) - 1))
        self._fill(row, self._before)
        if row + 1 >= len(times) or time <= times[row] or self.track.cuts[row + 1]:
            self.state[:] = self._before
            return
        self._fill(row + 1, self._after)
        interpolate(self._before, self._after, (time - times[row]) / (times[row + 1] - times[row]), self.state)

    def _fill(self, row: int, out: Record) -> None:
        for name in FIELDS:
            out[0][name] = self.track.fields[name][row]
