"""The true state of the world of a simulation, for training and tests of perception."""

from __future__ import annotations

from collections.abc import Collection

import numpy as np

from simulator.base.call_checks import NAMES, NUMBER, TEXT, checks, optional
from simulator.base.errors import ConfigError
from simulator.base.records import Record
from simulator.sensors.truth import Viewpoint, true_boxes, viewpoint
from simulator.session import Session
from terrain.objects.labels import LABELS, usual_label
from terrain.rays.caster import FARTHEST, RayCaster

WORLD, VEHICLE = "world", "vehicle"


class Truth:
    """True state of the world of a simulation at the present time; `Simulation.truth`."""

    def __init__(self, session: Session, caster: RayCaster, time: float) -> None:
        self._session, self._caster, self._time = session, caster, time

    @checks(frame=TEXT, max_range=NUMBER, labels=optional(NAMES))
    def boxes(self, frame: str = VEHICLE, max_range: float = 100.0, labels: Collection[str] | None = None) -> Record:
        """Return the oriented boxes of objects, other vehicles and persons, a structured array of `simulator.sensors.truth.BOX`.

        The own vehicle has no box and hides nothing.

        Parameters
        ----------
        frame : "vehicle", "world", or the name of a sensor: axes in which the boxes are written. They are seen from the sensor, else from the
            driver's head.
        max_range : [m] from there to the nearest point of a box
        labels : names of labels, such as "vehicle" and "person"; None: all

        Raises
        ------
        ConfigError : no such frame or label, or a range that is not from 0 to 1e6 m
        """
        usual = None if labels is None else [usual_label(str(name)) for name in labels]
        for name in usual or ():
            if name not in LABELS:
                raise ConfigError("boxes", "labels", name, f"names of labels: {', '.join(LABELS)}")
        if not 0.0 <= max_range <= FARTHEST:
            raise ConfigError("boxes", "max_range", max_range, f"a distance from 0 to {FARTHEST:g} m")
        return true_boxes(self._caster, self._time, self._view(frame), float(max_range), usual)

    def _view(self, frame: str) -> Viewpoint:
        """Return the view of a frame. Raises ConfigError."""
        vehicle, sensors = self._session.vehicle, {one.name: one for one in self._session.measuring.sensors}
        state = vehicle.space.state[0]
        if frame in (WORLD, VEHICLE):
            own = viewpoint(state["p_WB"], state["q_WB"], p_BE=vehicle.model.body[0]["drivers_head"])
            return own if frame == VEHICLE else Viewpoint(np.zeros(3), np.eye(3), own.p_WE)
        if frame not in sensors:
            raise ConfigError("boxes", "frame", frame, ", ".join((VEHICLE, WORLD, *sensors)))
        return viewpoint(state["p_WB"], state["q_WB"], sensors[frame].settings.mount)
