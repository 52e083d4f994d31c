"""Moments of a run for its figure: state, obstacle map, point cloud and fixes at intervals, in memory."""

from __future__ import annotations

import math
import warnings
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from simulator.autonomy.goal_driver import GoalDriver
from simulator.autonomy.snapshot import Snapshot
from simulator.builder.session_parts import SessionParts
from simulator.run.frames import States
from simulator.sensors.gnss import frame_of
from simulator.sensors.measurement import Measurement
from simulator.session import Session
from simulator.view.inset_images import cloud_of, is_cloud, top_view
from simulator.view.map_view import MapView

PERIOD, MAX_KEPT = 0.5, 240
"""s between two kept moments, longer if a run would have more than the second number."""
FIX = {"latitude_deg", "longitude_deg", "altitude"}
"""Outputs of a GNSS receiver."""
Place = tuple[float, float]


class Moment(NamedTuple):
    """What is shown at one time."""

    time: float
    position: Place
    """m, x and y of B."""
    map: MapView | None
    cloud: NDArray[np.uint8] | None
    """Top view."""
    fixes: int
    """Number of fixes so far."""


class DriveRecorder:
    """Outlet that keeps the moments of a drive. Create it when session and driver exist."""

    label = "figure"
    """Name of the outlet in messages."""

    def __init__(self, parts: SessionParts, session: Session, duration: float) -> None:
        self.every = parts.ticks(max(PERIOD, duration / MAX_KEPT))
        self.moments: list[Moment] = []
        self.states = States(self.every)
        self.fixes: list[Place] = []
        """x, y in W [m] of the positions that the first GNSS receiver measured."""
        self.has_gnss = False
        self._map: MapView | None = None
        self._snapshot: Snapshot | None = None
        self._cloud: NDArray[Any] | None = None
        for sensor in session.measuring.sensors:
            if not self.has_gnss and {row[0] for row in sensor.kind.output} >= FIX:
                self.has_gnss = True
                with warnings.catch_warnings(action="ignore"):  # the sensor has said that the terrain has no position
                    self._frame = frame_of(parts.ground)
                sensor.subscribe(self._note_fix)
        for sensor in session.measuring.sensors:
            if any(is_cloud(np.dtype(one.dtype)) for one in sensor.kind.arrays):
                sensor.subscribe(self._note_cloud)
                break
        if isinstance(session.driver, GoalDriver):
            session.driver.watchers.append(self._note_map)

    def _note_fix(self, measured: Measurement) -> None:
        fix = measured.values[0]
        latitude, longitude = math.radians(float(fix["latitude_deg"])), math.radians(float(fix["longitude_deg"]))
        place = self._frame.point(latitude, longitude, float(fix["altitude"]))
        if np.isfinite(place).all():
            self.fixes.append((float(place[0]), float(place[1])))

    def _note_cloud(self, measured: Measurement) -> None:
        self._cloud = cloud_of(measured.arrays)

    def _note_map(self, snapshot: Snapshot) -> None:
        self._snapshot = snapshot

    def publish(self, session: Session) -> None:
        """Keep the present moment."""
        self.states.publish(session)
        now = session.readout[0]
        x, y = float(now["p_WB"][0]), float(now["p_WB"][1])
        if self._snapshot is not None:
            self._map, self._snapshot = self._snapshot.view().around(), None
        shown = None if self._map is None else replace(self._map, pose=(x, y, float(now["yaw"])))
        cloud = None if self._cloud is None else top_view(np.stack([self._cloud[axis] for axis in "xyz"]))
        self.moments.append(Moment(session.time, (x, y), shown, cloud, len(self.fixes)))

    def keep_end(self, session: Session) -> None:
        """Keep the last moment of the run, if it has not been kept."""
        if not self.moments or session.time > self.moments[-1].time:
            self.publish(session)

    def close(self) -> None:
        """Do nothing; the moments remain available."""
