"""Collisions of the vehicle with objects: events of a session. A collision is no incident: nothing is reset, the drive goes on."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from simulator.base.records import Record, Table, record
from terrain.objects.labels import NAMES
from terrain.objects.object_set import ObjectSet
from vehicles.contact.collisions import SEPARATE
from vehicles.contact.records import RING

COLLISION_LOG = (
    # name       shape  unit  description
    ("count", (), "1", "number of collisions with objects since the start", "i8"),
    ("object", (), "1", "number of the object of the latest collision, 0 = no collision so far", "i8"),
    ("force_B", (3,), "N", "force of the objects on the vehicle"),
)
"""Fields of the telemetry of a ground with objects; their columns begin with collision_."""


@dataclass(frozen=True)
class Collision:
    """One collision with an object: a touch after at least 0.1 s without a force.

    The impact lasts until the rebound ends. Leaning and pushing afterwards, slower than 0.3 m/s, belong to the collision and do not count.
    """

    number: int
    """1 for the first collision of a session."""
    time: float
    """Simulated time of the first force [s]."""
    object: int
    """Number of the object."""
    name: str
    """Name of the object."""
    label: str
    """Label of the object."""
    point: tuple[float, float, float]
    """Contact point at the first force, in W [m]."""
    normal: tuple[float, float, float]
    """Contact normal at the first force, from the object to the vehicle, in W."""
    closing_speed: float
    """Speed of approach along the normal at the first force [m/s]."""
    impulse: tuple[float, float, float]
    """Impulse of the object on the vehicle in the impact, in W [N s]."""
    peak_force: float
    """Largest force in the impact [N]."""
    duration: float
    """Time from the first to the last force of the impact [s]."""
    vehicle: str = ""
    """Name of the vehicle; empty: the first one."""

    @property
    def message(self) -> str:
        """Return the collision as one line of text."""
        return f"collision {self.number} at {collision_text(self.to_json())}"

    @property
    def short_message(self) -> str:
        """Return the collision as a text for the window, which cuts off long lines."""
        return f"collision {self.number}: {self.name} ({self.label}) at {self.closing_speed:.1f} m/s, {self.peak_force / 1000.0:.3g} kN"

    def to_json(self) -> dict[str, Any]:
        """Return all values, with units in the keys."""
        return {
            "number": self.number,
            "time_s": self.time,
            "object": self.object,
            "name": self.name,
            "label": self.label,
            "point_m": list(self.point),
            "normal": list(self.normal),
            "closing_speed_ms": self.closing_speed,
            "impulse_Ns": list(self.impulse),
            "peak_force_N": self.peak_force,
            "duration_s": self.duration,
            **({"vehicle": self.vehicle} if self.vehicle else {}),
        }


def collision_text(one: Mapping[str, Any]) -> str:
    """Return the values of `Collision.to_json` as one line: time, object, closing speed, impulse, force."""
    size = float(np.linalg.norm(one["impulse_Ns"]))
    who = f"{one['vehicle']} with " if one.get("vehicle") else ""
    return (
        f"{one['time_s']:.3f} s: {who}{one['name']} ({one['label']}), closing speed {one['closing_speed_ms']:.1f} m/s, "
        f"impulse {size / 1000.0:.3g} kN s in {one['duration_s']:.2f} s, peak force {one['peak_force_N'] / 1000.0:.3g} kN"
    )


class CollisionList:
    """All collisions of a session, read from the ring that the steps of the vehicle fill.

    Parameters
    ----------
    contact : OBJECT_CONTACT_STATE of the vehicle
    objects : objects of the session; the session replaces them when it adds objects
    vehicle : name of the vehicle; empty: the first one
    """

    def __init__(self, contact: Record, objects: ObjectSet, vehicle: str = "") -> None:
        self.all: list[Collision] = []
        """The collisions in the order of their start. The last ones still grow while the vehicle touches the object."""
        self._contact, self.objects, self._vehicle = contact, objects, vehicle
        self._log: Record = record(COLLISION_LOG)
        self._first = self._closed = 0

    @property
    def logged(self) -> tuple[str, Table, Record]:
        """Prefix, table and record for the telemetry."""
        return "collision_", COLLISION_LOG, self._log

    def begin(self) -> None:
        """Begin a drive: the vehicle was put to a place and its ring is empty. The collisions so far stay."""
        self._first, self._closed = len(self.all), 0

    def read(self) -> None:
        """Add new collisions and update those that are still going on."""
        state = self._contact[0]
        count, now = int(state["collisions"]), float(state["time"])
        if count < self._closed:
            self.begin()
        for k in range(max(self._closed, count - RING), count):
            row = state["ring"][k % RING]
            at = self._first + k
            self.all[at:] = [self._collision(row, at + 1), *self.all[at + 1 :]]
            if k == self._closed and now - float(row["last"]) > SEPARATE:
                self._closed += 1
        log = self._log[0]
        log["count"] = len(self.all)
        log["object"] = self.all[-1].object if self.all else 0
        log["force_B"] = state["force_B"]

    def _collision(self, row: Any, number: int) -> Collision:
        point, normal, impulse = (tuple(map(float, row[name])) for name in ("p_WC", "n_W", "impulse_W"))
        return Collision(
            number=number,
            time=float(row["time"]),
            object=int(row["object"]),
            name=self.objects.name(int(row["object"])),
            label=NAMES[int(row["label"])],
            point=point,  # type: ignore[arg-type]
            normal=normal,  # type: ignore[arg-type]
            closing_speed=float(row["closing_speed"]),
            impulse=impulse,  # type: ignore[arg-type]
            peak_force=float(row["peak_force"]),
            duration=float(row["end"]) - float(row["time"]),
            vehicle=self._vehicle,
        )
