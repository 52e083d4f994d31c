"""Encounter of the first vehicle with another one or an object: gap, time to collision and impact speed, for log and metrics."""

from __future__ import annotations

from simulator.base.records import Record, Table, record
from simulator.driver.seen_vehicle import FIRST
from simulator.maneuvers.analyses.encounter import LONGEST
from simulator.triggers.bodies import gap, time_to_collision
from simulator.triggers.world_view import WorldView

ENCOUNTER = (
    # name               shape unit   description
    ("gap", (), "m", "distance of the bodies seen from above"),
    ("time_to_collision", (), "s", f"time until the bodies touch at their velocities, at most {LONGEST:g}: they do not"),
    ("impact_speed", (), "m/s", "closing speed of the first collision; 0 = none so far"),
)
"""Columns of the log, after the name of the vehicle or object and `_`."""


class Encounter:
    """Encounter with the vehicle or object of a name."""

    def __init__(self, name: str) -> None:
        self.name = name
        self._out = record(ENCOUNTER)

    @property
    def logged(self) -> tuple[str, Table, Record]:
        """Prefix, table and record for the log."""
        return f"{self.name}_", ENCOUNTER, self._out

    def begin(self) -> None:
        """Begin a drive."""
        self._out[0]["impact_speed"] = 0.0

    def update(self, world: WorldView) -> None:
        """Write the present state."""
        out, first, other = self._out[0], world.body(FIRST), world.body(self.name)
        if first is not None and other is not None:
            out["gap"], out["time_to_collision"] = gap(first, other), min(time_to_collision(first, other), LONGEST)
        if out["impact_speed"] == 0.0:
            out["impact_speed"] = next((one.closing_speed for one in world.collisions if one.name == self.name), 0.0)
