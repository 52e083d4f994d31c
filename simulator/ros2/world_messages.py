"""Messages about the world and the session: obstacle map, objects, diagnostics."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from simulator.base.records import Record
from simulator.base.rotations import quaternion_of_rotation
from simulator.sensors.messages.topic import WORLD, Message, header, stamp, vector
from terrain.objects.labels import NAMES
from terrain.objects.records import BOX, CAPSULE, CYLINDER, HULL, MESH, SPHERE
from terrain.truth_map import FREE, OBSTACLE

LETHAL, UNKNOWN_CELL = 100, -1
"""Values of an `OccupancyGrid`."""
CUBE, BALL, ROUND = 1, 2, 3
_TYPES = {BOX: CUBE, HULL: CUBE, MESH: CUBE, CYLINDER: ROUND, CAPSULE: ROUND, SPHERE: BALL}
"""Types of markers; hulls and meshes are drawn as the boxes around them."""
ADD, DELETE, DELETE_ALL = 0, 2, 3
"""Actions of markers."""
OK, WARN, ERROR = 0, 1, 2
"""Levels of a `DiagnosticStatus`."""
NO_TURN = {"x": 0.0, "y": 0.0, "z": 0.0, "w": 1.0}


def occupancy_grid(time: float, origin: tuple[float, float], cell: float, layers: Mapping[str, NDArray[Any]]) -> Message:
    """Return an obstacle map as `nav_msgs/OccupancyGrid`: 100 = obstacle, -1 = unknown, 0 to 99 = cost of free ground; it is drawn at the height of its middle.

    Parameters
    ----------
    origin, cell : x, y of the south-west corner, and side length of a cell [m]
    layers : `state`, `cost` and `elevation` [m] of a `simulator.autonomy.contract.ObstacleMap`, each (ny, nx)
    """
    state, elevation = layers["state"], layers["elevation"]
    cost = np.clip(99.0 * np.nan_to_num(layers["cost"], nan=0.0), 0.0, 99.0).astype(np.int8)
    data = np.where(state == OBSTACLE, LETHAL, np.where(state == FREE, cost, UNKNOWN_CELL)).astype(np.int8)
    middle = float(elevation[elevation.shape[0] // 2, elevation.shape[1] // 2])
    corner = vector((*origin, middle if np.isfinite(middle) else 0.0))
    info = {
        "map_load_time": stamp(time), "resolution": cell, "width": state.shape[1], "height": state.shape[0],
        "origin": {"position": corner, "orientation": NO_TURN},
    }  # fmt: skip
    return {"header": header(time, WORLD), "info": info, "data": data}


class Placed(NamedTuple):
    """Objects with their poses."""

    records: Record
    """(n,) of OBJECT"""
    poses: Record
    """(n,) of `terrain.objects.pose.POSE`"""


def marker(number: int, label: int, action: int = ADD) -> dict[str, Any]:
    """Return a marker of an object by its number and that of its label, without shape."""
    namespace = NAMES[label] if 0 <= label < len(NAMES) else str(label)
    nothing = {"x": 0.0, "y": 0.0, "z": 0.0}
    return {
        "header": header(0.0, WORLD), "ns": namespace, "id": number, "type": CUBE, "action": action,
        "pose": {"position": nothing, "orientation": NO_TURN}, "scale": nothing, "color": dict.fromkeys("rgba", 0.0),
        "lifetime": {"sec": 0, "nanosec": 0}, "frame_locked": False, "points": (), "colors": (), "texture_resource": "",
        "texture": {"header": header(0.0, ""), "format": "", "data": b""}, "uv_coordinates": (), "text": "", "mesh_resource": "",
        "mesh_file": {"filename": "", "data": b""}, "mesh_use_embedded_materials": False,
    }  # fmt: skip


def markers(placed: Placed) -> list[Message]:
    """Return objects as markers: their number as the id, their label as the namespace. A stamp of 0 means that the pose is the newest."""
    out: list[Message] = []
    q = np.empty(4)
    for r, at in zip(placed.records, placed.poses, strict=True):
        quaternion_of_rotation(np.ascontiguousarray(at["R_WO"]), q)
        red, green, blue = r["color"].tolist()
        solid = 1.0 if r["extinction"] == 0.0 else 0.5
        out.append(
            marker(int(r["number"]), int(r["label"]))
            | {
                "type": _TYPES.get(int(r["shape"]), CUBE),
                "scale": vector(2.0 * r["half_O"]),
                "color": {"r": red, "g": green, "b": blue, "a": solid},
                "pose": {
                    "position": vector(at["p_WO"] + at["R_WO"] @ r["center_O"]),
                    "orientation": {"x": q[1], "y": q[2], "z": q[3], "w": q[0]},
                },
            }
        )
    return out


class Status(NamedTuple):
    """Status of a part."""

    name: str
    level: int
    """OK, WARN or ERROR"""
    message: str
    values: Mapping[str, object]


def diagnostics(time: float, parts: Sequence[Status]) -> Message:
    """Return the state of parts as `diagnostic_msgs/DiagnosticArray`."""
    rows = [
        {
            "level": one.level, "name": f"jounce: {one.name}", "message": one.message, "hardware_id": "jounce",
            "values": [{"key": key, "value": f"{value:.6g}" if isinstance(value, float) else str(value)} for key, value in one.values.items()],
        }
        for one in parts
    ]  # fmt: skip
    return {"header": header(time, ""), "status": rows}
