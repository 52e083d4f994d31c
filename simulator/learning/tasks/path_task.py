"""Base of the tasks that drive along a path."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from simulator.base.arrays import Array
from simulator.driver.path import Path
from simulator.learning.arena import Arena, Task
from simulator.learning.contract import Numbers, Row
from simulator.learning.paths import NO_CHANGES, Paths, follow, joined

MOTION = (
    Row("speed", -20.0, 60.0, "m/s", "forward speed of the chassis"),
    Row("lateral_speed", -20.0, 20.0, "m/s", "speed of the chassis to the left"),
    Row("yaw_rate", -4.0, 4.0, "rad/s", "yaw rate, + = left"),
    Row("steering", -1.0, 1.0, "1", "applied steering input, + = left"),
)
"""Rows that `motion` returns."""


def motion(arena: Arena, chosen: Numbers) -> Array:
    """Return the values (m, 4) of the rows of MOTION."""
    return np.column_stack([arena.column(name)[chosen] for name in ("v_WB_B_x", "v_WB_B_y", "w_WB_B_z", "steering")])


class PathTask(Task):
    """A task along paths, one for each world. A subclass calls `use_paths` in `worlds`."""

    ahead: ClassVar[tuple[float, ...]] = (0.0, 5.0, 10.0, 15.0, 20.0, 30.0)
    """m. Places ahead whose curvature is observed."""
    edge: ClassVar[float] = 5.0
    """m. Limit of the observed offset."""

    def path_rows(self) -> tuple[Row, ...]:
        """Return the rows of `along`."""
        return (
            Row("offset", -self.edge, self.edge, "m", "distance of the chassis reference point from the path, + = left of it"),
            Row("heading", -np.pi, np.pi, "rad", "heading of the chassis relative to the path, + = left"),
            Row(
                "curvature",
                -0.2,
                0.2,
                "1/m",
                f"curvature of the path {', '.join(f'{a:g}' for a in self.ahead)} m ahead, + = left",
                len(self.ahead),
            ),
        )

    def use_paths(self, paths: Sequence[Path]) -> None:
        """Set the path of each world."""
        self.paths: Paths = joined(paths)
        self._ahead = np.array(self.ahead)
        self.station = self.progress = np.zeros(0)

    def begin(self, arena: Arena, chosen: Numbers) -> None:
        """Put the vehicles at the begin of their paths."""
        if len(self.station) != arena.n:
            self.station, self.progress = np.zeros(arena.n), np.zeros(arena.n)
            self.track = np.zeros((arena.n, 2 + len(self.ahead)))
        self.station[chosen] = self.progress[chosen] = 0.0

    def along(self, arena: Arena, chosen: Numbers) -> Array:
        """Return the values (m, 2 + k) of `path_rows`, and update `station` and `progress`, the way along the path in the last step [m]."""
        places = np.column_stack([arena.column(name)[chosen] for name in ("p_WB_x", "p_WB_y", "yaw")])
        out = np.empty((len(chosen), 2 + len(self.ahead)))
        before = self.station[chosen]
        follow(self.paths, NO_CHANGES, chosen, arena.world, places, self._ahead, self.station, out)
        self.progress[chosen] = self.station[chosen] - before
        self.track[chosen] = out
        return out

    def memory(self) -> dict[str, NDArray[Any]]:
        """Return the stations, and what was seen of the paths."""
        return {"station": self.station, "progress": self.progress, "track": self.track}
