"""Outlet that lets a mapper look at the world, and sends its maps to the peer as arrays `map.LAYER`."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from simulator.autonomy.contract import MapperInput, MapperSettings, ObstacleMap, PoseTable
from simulator.autonomy.goal_driver import HISTORY
from simulator.autonomy.goal_section import values_of
from simulator.autonomy.mappers.kinds import MAPPER, MAPPER_KINDS
from simulator.autonomy.result_checks import LAYERS, checked_map
from simulator.autonomy.stage import Stage
from simulator.autonomy.vehicle_traits import vehicle_traits
from simulator.base.registry import making
from simulator.builder.session_parts import SessionParts
from simulator.sensors.contract import ArrayOutput
from simulator.sensors.make_sensors import mounts_of

if TYPE_CHECKING:
    from simulator.session import Session

MAP, WINDOW = "map", "window"
_UNITS = {"elevation": "m", "slope": "rad", "step": "m", "object": "m", "strength": "1", "cost": "1"}
_MEANINGS = {
    "elevation": "height of the ground; NaN = unknown",
    "slope": "slope of the ground; NaN = unknown",
    "step": "largest difference of the elevation from one of the 4 neighbors; NaN = unknown",
    "object": "height of an object above the ground; 0 = none",
    "strength": "largest tractive force of the vehicle over its weight on the level; NaN = unknown",
    "cost": "from 0 (easy) to 1 (at a limit of the vehicle); 1 = obstacle, NaN = unknown",
}
ARRAYS = (
    ArrayOutput(WINDOW, "f8", ("number",), "m", "W", "x and y of the south-west corner of the first cell, and side length of a cell"),
    ArrayOutput("state", "u1", ("y", "x"), "1", "", "0 = free, 1 = obstacle, 2 = unknown"),
    *(ArrayOutput(name, "f4", ("y", "x"), _UNITS[name], "", _MEANINGS[name]) for name in LAYERS),
)
"""Arrays of a map: its layers, see `simulator.autonomy.contract.ObstacleMap`, and its window."""


class MapOutlet:
    """Calls a mapper at its period, in a thread of its own in real time.

    Parameters
    ----------
    parts, session : session with its sensors
    mapper : name of the mapper, or a mapping of `type`, `period` and its own keys
    paced : True in real time

    Attributes
    ----------
    send : called with the session, MAP, the times of a map and of its delivery [s], and its arrays by name; set it before the first publication

    Raises ConfigError, JounceError: the mapper cannot be created.
    """

    label = "map"
    """Name of the outlet in messages."""

    send: Callable[[Session, str, float, float, Mapping[str, NDArray[Any]]], None]

    def __init__(self, parts: SessionParts, session: Session, mapper: str | Mapping[str, Any], paced: bool) -> None:
        self.every = session.driver_every
        self._paced = paced
        values = values_of(MAPPER, mapper, "--mapper", "")
        self._kind = MAPPER_KINDS.need(values["type"])
        traits = vehicle_traits(session.vehicle.description, session.vehicle.tires, parts.traits)
        self._settings = MapperSettings(
            values, traits, session.ground, np.random.default_rng((parts.seed, 1)), mounts_of(parts.options.sensors)
        )
        self._stage = self._new_stage()
        if paced and MAPPER_KINDS.is_builtin(self._kind.name):  # loads the kernels, for which no tick must wait
            self._mapper.update(MapperInput(0.0, session.readout.copy(), {}, session.ground.objects))
        self._history: deque[tuple[float, NDArray[Any], NDArray[Any]]] = deque(maxlen=HISTORY)

    def _new_stage(self) -> Stage:
        with making(f"mapper {self._kind.name}"):
            self._mapper = self._kind.make(self._settings)
        return Stage(
            f"mapper {self._kind.name}",
            self._mapper.update,
            lambda result, seen: checked_map(result),
            period=self._settings.values.get("period") or self._kind.period,
            in_thread=self._paced or not MAPPER_KINDS.is_builtin(self._kind.name),
            paced=self._paced,
        )

    def publish(self, session: Session) -> None:
        """Send the last map, and begin the next one if it is due. Raises JounceError: the mapper has failed."""
        time, readout = session.time, session.readout[0]
        if self._history and time < self._history[-1][0]:  # the drive begins again
            self._history.clear()
            self._stage.close()
            self._stage = self._new_stage()
        if not np.isfinite(readout["p_WB"]).all() or not np.isfinite(readout["q_WB"]).all():
            return
        self._history.append((time, readout["p_WB"].copy(), readout["q_WB"].copy()))
        if self._stage.is_due(time):
            objects = session.objects.snapshot() if self._stage.in_thread and len(session.objects) else session.objects
            poses = PoseTable(*(np.array(part) for part in zip(*self._history, strict=True)))
            self._stage.submit(time, MapperInput(time, session.readout.copy(), dict(session.measurements), objects, poses))
        if (found := self._stage.result()) is not None:
            self.send(session, MAP, found.time, time, _arrays(found))

    def close(self) -> None:
        """End the thread."""
        self._stage.close()


def _arrays(one: ObstacleMap) -> dict[str, NDArray[Any]]:
    """Return the arrays of a map."""
    layers = {name: getattr(one, name).astype(np.float32) for name in LAYERS}
    return {WINDOW: np.array((*one.origin, one.cell)), "state": one.state, **layers}
