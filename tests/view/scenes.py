"""Small terrain, geometry and state for the tests of the view."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np

from simulator.base.records import Record, record
from simulator.view.instruments import dials
from simulator.view.terrain_data import TerrainData, ViewRoad
from vehicles.readout import READOUT

RIDE_HEIGHT = 0.59
DIALS = dials(380.0, manual=False)
_FRONT = {
    "hub": (1.649, 0.910, -0.13), "lower": (1.653, 0.787, -0.22), "upper": (1.636, 0.716, 0.11), "outer": (1.513, 0.821, -0.12),
    "inner": (1.439, 0.448, 0.054), "leg": (1.786, 0.543, -0.10),
    "lca_front_B": (1.912, 0.307, 0.0), "lca_rear_B": (1.466, 0.307, 0.0), "uca_front_B": (1.641, 0.446, 0.245),
    "uca_rear_B": (1.421, 0.478, 0.196), "shock_upper_B": (1.793, 0.498, 0.323), "spring_upper_B": (1.793, 0.510, 0.197),
}  # fmt: skip


def corners(name: str) -> np.ndarray:
    """(4, 3) points of the four corners, the rear like the front."""
    x, y, z = _FRONT[name]
    return np.array([(x, y, z), (x, -y, z), (-x, y, z), (-x, -y, z)])


def geometry() -> dict[str, Any]:
    """Geometry of a vehicle about like the HMMWV."""
    fixed = {name: corners(name) for name in _FRONT if name.endswith("_B")}
    hub = corners("hub")
    return {
        **fixed, "tire_radius": np.full(4, 0.47), "tire_width": np.full(4, 0.318), "p_BH": np.array([0.1, 0.6, 1.0]), "drawn_as": "hmmwv",
        "links_as": ("arms",) * 4, "driven": np.ones(4), "geared_hub": np.ones(4), "outline": (4.57, 2.18, 0.56),
        "wheel_x": hub[:, 0], "wheel_z": hub[:, 2], "behind": 0.0, "governed_speed": 380.0, "by_hand": 0.0, "motor_power": 0.0, "exhaust": 1.0,
        "platform_joints": np.zeros((2, 6, 3)), "platform_height": 0.0,
    }  # fmt: skip


def readout(x: float = 0.0, y: float = 0.0, ground: float = 0.0, yaw: float = 0.0, speed: float = 0.0, steer: float = 0.0) -> Record:
    """Readout of a vehicle standing at x, y on level ground of that height."""
    out = record(READOUT)
    s = out[0]
    s["p_WB"], s["q_WB"], s["yaw"] = (x, y, ground + RIDE_HEIGHT), (np.cos(yaw / 2), 0.0, 0.0, np.sin(yaw / 2)), yaw
    s["p_BK"], s["lower_ball_B"], s["upper_ball_B"] = corners("hub"), corners("lower"), corners("upper")
    s["tierod_outer_B"], s["tierod_inner_B"] = corners("outer"), corners("inner")
    s["shock_lower_B"] = s["spring_lower_B"] = corners("leg")
    s["R_BK"] = np.eye(3)
    c, d = np.cos(steer), np.sin(steer)
    s["R_BK"][:2] = [[c, -d, 0.0], [d, c, 0.0], [0.0, 0.0, 1.0]]
    s["v_WB_B"][0], s["spring_length"], s["gear"] = speed, 0.29, 1
    return out


def vehicle_without_controllers() -> Any:
    """What a dashboard reads of a vehicle with an engine."""
    return SimpleNamespace(
        description=SimpleNamespace(controllers=SimpleNamespace(units=(), logged=lambda *_: [])),
        space=SimpleNamespace(controls=(), drivetrain=[{"battery_used": 0.0}]),
        corner_names=(),
        model=SimpleNamespace(drivetrain=[{"battery_capacity": 0.0, "battery_charge": 0.0}]),
    )


def hilly_terrain() -> TerrainData:
    """400 m of hills with a paved road along y = 0; seeded."""
    n = 201
    x = np.linspace(-200.0, 200.0, n)
    hills = 6.0 * np.sin(x[None, :] / 31.0) * np.sin(x[:, None] / 23.0) * np.clip((np.abs(x[:, None]) - 8.0) / 30.0, 0.0, 1.0)
    hard = np.where(np.abs(x) < 5.0, 255, 0).astype(np.uint8)[:, None] * np.ones((1, n), np.uint8)
    ids = np.where(hard > 0, 1, 0).astype(np.uint8)
    road = ViewRoad(np.column_stack((x, 0.0 * x)), 8.0, True)
    return TerrainData(
        (-200.0, -200.0), (2.0, 2.0), (0.0, 0.0, 0.0), hills.astype(np.float32), hard, ids, ("loam", "asphalt on loam"), [road]
    )
