"""Follow another vehicle in its ruts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

import numpy as np

from simulator.api.simulation import Simulation
from simulator.learning.session_env import SessionEnv

GAP = 15.0
"""m. Distance of the reference points that is rewarded most."""
TOLERANCE = 10.0
"""m. Deviation from GAP without a reward."""
BESIDE = 2.0
"""m. Offset from the track of the leader without a reward; half of it is the width of two tires."""
LOST_BESIDE, LOST_BEHIND = 6.0, 50.0
"""m. The leader is lost beyond these."""
LOST = "lost the leader"
SPACING = 0.25
"""m between the stored points of the track."""
AHEAD = "(leader_p_WB_x - p_WB_x) * cos(yaw) + (leader_p_WB_y - p_WB_y) * sin(yaw)"
LEFT = "(leader_p_WB_y - p_WB_y) * cos(yaw) - (leader_p_WB_x - p_WB_x) * sin(yaw)"


class Convoy(SessionEnv):
    """Follow a leader on loam, in its ruts: the rolling resistance is lower there."""

    session = "convoy"
    observations: ClassVar[Mapping[str, tuple[float, float]]] = {
        f"last({AHEAD})": (-60.0, 60.0),
        f"last({LEFT})": (-60.0, 60.0),
        "last(sin(leader_yaw - yaw))": (-1.0, 1.0),
        "last(cos(leader_yaw - yaw))": (-1.0, 1.0),
        "leader_v_WB_B_x": (-20.0, 60.0),
        "v_WB_B_x": (-20.0, 60.0),
        "v_WB_B_y": (-20.0, 20.0),
        "w_WB_B_z": (-4.0, 4.0),
        "steering": (-1.0, 1.0),
    }
    reward = "0"
    n_worlds = 4
    seconds = 30.0

    def world_changes(self, k: int, rng: np.random.Generator) -> Mapping[str, Any]:
        """Return another winding path and another speed of the leader."""
        speed = float(rng.uniform(4.0, 7.0))
        segments: list[dict[str, Any]] = [{"length": 30.0}]
        for _ in range(8):
            radius, side = float(rng.uniform(25.0, 60.0)), "left" if rng.random() < 0.5 else "right"
            segments.append({"length": 15.0 + radius * float(rng.uniform(0.4, 1.2)), "radius": radius, "side": side, "transition": 15.0})
        segments.append({"length": 400.0, "transition": 15.0})
        return {
            "vehicles[0].maneuver.segments": segments,
            "vehicles[0].maneuver.parameters.speed_kph": 3.6 * speed,
            "vehicles[0].speed": speed,
            "maneuver.parameters.speed_kph": 3.6 * speed,
        }

    def more_limits(self) -> Sequence[tuple[float, float]]:
        """Return the limits of the offset and of the heading."""
        return (-LOST_BESIDE, LOST_BESIDE), (-np.pi, np.pi)

    def begin(self, sim: Simulation) -> None:
        """Begin the track of the leader at the own vehicle."""
        x, y, yaw = sim.values(("leader_p_WB_x", "leader_p_WB_y", "leader_yaw"))
        behind = np.arange(GAP, 0.0, -SPACING)[:, None]
        self._track = [*((x, y) - behind * (np.cos(yaw), np.sin(yaw))), np.array((x, y))]
        self._foot = 0

    def more_observations(self, sim: Simulation) -> Sequence[float]:
        """Return the offset [m] from the track of the leader, + = left of it, and the heading relative to it [rad]."""
        own_x, own_y, yaw, x, y = sim.values(("p_WB_x", "p_WB_y", "yaw", "leader_p_WB_x", "leader_p_WB_y"))
        if np.hypot(*(self._track[-1] - (x, y))) >= SPACING:
            self._track.append(np.array((x, y)))
        near = np.array(self._track[self._foot : self._foot + 200])
        self._foot = min(self._foot + int(np.argmin(np.hypot(*(near - (own_x, own_y)).T))), len(self._track) - 2)
        begin, along = self._track[self._foot], self._track[self._foot + 1] - self._track[self._foot]
        heading = np.arctan2(along[1], along[0])
        self._offset = float((own_y - begin[1]) * np.cos(heading) - (own_x - begin[0]) * np.sin(heading))
        return self._offset, float(np.arctan2(np.sin(yaw - heading), np.cos(yaw - heading)))

    def judge(self, sim: Simulation) -> tuple[float, str]:
        """Reward the time on the track of the leader at the right distance: period (1 - |offset| / 2 m) (1 - |distance - 15 m| / 10 m), at least 0."""
        x, y, own_x, own_y = sim.values(("leader_p_WB_x", "leader_p_WB_y", "p_WB_x", "p_WB_y"))
        distance = float(np.hypot(x - own_x, y - own_y))
        shares = 1.0 - abs(self._offset) / BESIDE, 1.0 - abs(distance - GAP) / TOLERANCE
        lost = abs(self._offset) > LOST_BESIDE or distance > LOST_BEHIND
        return self.period * max(shares[0], 0.0) * max(shares[1], 0.0), LOST if lost else ""
