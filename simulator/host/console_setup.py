"""What the page of an operator has to know of a drive before it begins: the scene of map and 3-D view, and the possible actions."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from simulator.base.fields import REQUIRED, Choice, Field, Number
from simulator.base.records import record
from simulator.base.units import SHOWN, factor_of
from simulator.builder.session_parts import SessionParts
from simulator.driver.kinds import DRIVER_KINDS
from simulator.driver.path import Path, Spawn
from simulator.event_effects.kinds import MAX_NOTE
from simulator.faults.kinds import FAULT_KINDS, SHORTEST_RAMP, fault_fields
from simulator.host.console_vehicle import drawn_vehicle
from simulator.host.next_run import KINDS, shipped
from simulator.session import Session
from simulator.weather import FIELDS as WEATHER
from terrain.objects.labels import NAMES
from terrain.objects.pose import POSE
from terrain.objects.records import PATH
from terrain.outlines import outlines
from terrain.rays.cast import place_objects
from vehicles.suspension.anti_roll_bar import NO_BAR
from washout.intensity import MOST

MAX_OBJECTS = 5000
"""Maximum number of objects on the map of a page; the others are counted."""
MAX_MOVED = 200
"""Maximum number of objects whose present place the map shows."""
MAX_POINTS = 1000
"""Maximum number of points of a line on the map."""
PATH_OVERHANG = 20.0
"""m of a path that the map shows after its last point."""


def scene_of(parts: SessionParts, session: Session) -> dict[str, Any]:
    """Return everything at rest in the world, the vehicle and the platform, in JSON types, SI and W."""
    ground, maneuver = parts.ground, parts.maneuver
    path = None if maneuver is None else maneuver.path
    gates = () if maneuver is None else maneuver.gates
    return {
        "start": list(ground.spawn),
        "bounds": list(ground.bounds) if ground.p[0]["mirrored"] else None,
        "roads": [{"name": one.name, "width": one.width, "points": _line(one.points[:, :2])} for one in ground.roads],
        "lanes": [] if ground.lanes is None else [_line(lane.points) for lane in ground.lanes.lanes if not lane.walk],
        "path": [] if path is None else _path(path.placed(Spawn(*ground.spawn))),
        "cones": [_rounded(cone) for gate in gates for cone in _in_world(gate.cones(), ground.spawn)],
        "objects": _objects(session),
        "more_objects": max(0, len(session.objects) - MAX_OBJECTS),
        "vehicle": drawn_vehicle(parts.vehicle),
        "platform": drawn_platform(parts),
    }


def actions_of(parts: SessionParts, session: Session) -> dict[str, Any]:
    """Return the actions of the operator with their values and limits, in JSON types."""
    phases = () if parts.maneuver is None else parts.maneuver.phase_names
    axles, laws = parts.vehicle.description.mechanism.axles.names, parts.vehicle.model.struts[0]["anti_roll_bars"]["law"]
    words = {
        "wheel": list(parts.vehicle.corner_names),
        "axle": [name for name, law in zip(axles, laws, strict=False) if law != NO_BAR],
        "sensor": [one.name for one in session.measuring.sensors],
        "phase": list(phases),
    }
    return {
        "most_note": MAX_NOTE,
        "most_intensity": MOST,
        "free_intensity": session.cueing.tuner.free_intensity,
        "shortest_ramp": SHORTEST_RAMP,
        "next": {key: list(shipped(folder)) for key, folder in KINDS.items()} | {"driver": list(DRIVER_KINDS.names())},
        "now": {
            "vehicle": parts.vehicle.description.name,
            "terrain": parts.terrain,
            "maneuver": "" if parts.maneuver is None else parts.maneuver.name,
            "driver": parts.options.driver.name,
        },
        "weather": _weather(parts),
        "drivers": list(session.seat.names),
        "faults": list(_faults(words)),
        "washout": [
            {
                "name": one.key,
                "index": one.index,
                "words": one.words,
                "unit": one.unit_text.strip(),
                "given": one.shown(one.given),
                "free": [one.shown(limit) for limit in one.free],
                "least": one.shown(one.least),
                "most": one.shown(one.most),
            }
            for one in session.cueing.tuner.parameters
        ],
    }


def _weather(parts: SessionParts) -> list[dict[str, Any]]:
    """Return the inputs of the weather with its present values."""
    present = parts.options.weather._asdict()
    return [_entry(replace(field, default=present[field.name]), {}) for field in WEATHER]


def _faults(words: Mapping[str, list[str]]) -> Iterable[dict[str, Any]]:
    """Yield the kinds of faults that the session can have."""
    for name in FAULT_KINDS.names():
        fields = [_entry(field, words) for field in fault_fields(name)]
        if all(one["choices"] != [] for one in fields):
            kind = FAULT_KINDS.need(name)
            yield {"name": name, "meaning": kind.meaning, "ramp": kind.ramp, "fields": fields}


def _entry(field: Field, words: Mapping[str, list[str]]) -> dict[str, Any]:
    """Return a field for an input of the page: numbers in the usual unit of its key."""
    kind, written = field.kind, field.written
    default = None if field.default is REQUIRED else field.default
    entry: dict[str, Any] = {
        "key": field.usual,
        "words": field.name.replace("_", " "),
        "meaning": field.meaning,
        "required": field.default is REQUIRED,
        "count": 0,
        "default": default,
        "choices": words.get(field.name, list(kind.names()) if isinstance(kind, Choice) else None),
    }
    if isinstance(kind, Number):
        factor = (factor_of(kind.unit, written) if written else 1.0) or 1.0
        unit = written or kind.unit
        entry |= {
            "count": math.prod(n if isinstance(n, int) else n[0] for n in kind.shape),
            "unit": "" if unit == "1" else SHOWN.get(unit, unit),
            "least": kind.least / factor,
            "most": kind.most / factor,
            "default": None if default is None else (np.asarray(default) / factor).tolist(),
        }
    return entry


def _objects(session: Session) -> list[dict[str, Any]]:
    """Return the solid objects of a session from above."""
    objects = session.objects
    rows = np.flatnonzero(objects.records["present"] == 1)[:MAX_OBJECTS].astype(np.int64)
    if not len(rows):
        return []
    return [
        {
            "row": int(row),
            "name": objects.objects[row].name,
            "label": NAMES[one.label],
            "points": [_rounded(point) for point in one.points],
            "radius": round(one.radius, 3),
            "bottom": round(float(one.bottom), 2),
            "top": round(float(one.top), 2),
            "pose": _pose(objects.records[row]["p_WO"], objects.records[row]["R_WO"]),
        }
        for row, one in zip(rows, outlines(objects, session.time, rows=rows), strict=True)
    ]


def _pose(p_WO: Any, R_WO: Any) -> list[float]:
    """Return x, y and yaw of an object."""
    return [*_rounded(p_WO), round(math.atan2(R_WO[1, 0], R_WO[0, 0]), 4)]


def moved_objects(session: Session) -> list[list[Any]]:
    """Return row, x, y and yaw of the objects that move or are broken off, at most MAX_MOVED; of broken ones also points and radius of the outline."""
    objects = session.objects
    r = objects.records
    loose = (r["mass"] > 0.0) & (objects.states["broken"][r["state"] % len(objects.states)] != 0)
    rows = np.flatnonzero((r["present"] == 1) & ((r["motion"] == PATH) | loose))[:MAX_MOVED]
    poses = record(POSE, max(1, len(rows)))
    place_objects(objects.world, rows, poses, session.time)
    R_WO = poses["R_WO"][: len(rows)]
    yaw = np.round(np.arctan2(R_WO[:, 1, 0], R_WO[:, 0, 0]), 4).tolist()
    places = np.round(poses["p_WO"][: len(rows), :2], 2).tolist()
    out: list[list[Any]] = [[row, *place, angle] for row, place, angle in zip(rows.tolist(), places, yaw, strict=True)]
    for moved, one in zip((one for one in out if loose[one[0]]), outlines(objects, session.time, rows=rows[loose[rows]]), strict=True):
        moved += [np.round(np.asarray(one.points)[:, :2], 2).tolist(), round(one.radius, 3)]
    return out


def drawn_platform(parts: SessionParts) -> dict[str, Any]:
    """Return the joints of the motion platform, in JSON types."""
    p = parts.cueing.platform[0]
    return {
        "legs": int(p["actuators"]),
        "base": p["base_joints"].tolist(),
        "joints": p["platform_joints"].tolist(),
        "neutral": float(p["neutral_height"]),
    }


def _line(points: Any) -> list[list[float]]:
    """Return at most MAX_POINTS points of a line (n, 2)."""
    step = max(1, -(-len(points) // MAX_POINTS))
    return [_rounded(point) for point in np.concatenate((points[::step], points[-1:]))]


def _rounded(point: Any) -> list[float]:
    return [round(float(value), 2) for value in point[:2]]


def _path(path: Path) -> list[list[float]]:
    """Return the points of a path with its lane changes, until PATH_OVERHANG after its end."""
    length = max([(len(path.x) - 1) * path.spacing, *(change.start + change.length for change in path.lane_changes)]) + PATH_OVERHANG
    stations = np.linspace(0.0, length, min(MAX_POINTS, int(length) + 2))
    points = [path.at(float(station)) for station in stations]
    return [_rounded((one.x, one.y)) for one in points]


def _in_world(points: Any, spawn: tuple[float, float, float]) -> Any:
    """Return points (n, 2), given in the frame of the start, in W."""
    x, y, yaw = spawn
    c, s = np.cos(yaw), np.sin(yaw)
    return points @ np.array(((c, s), (-s, c))) + (x, y)
