"""Maneuver along a GPX track: from positions on Earth to waypoints on a terrain."""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from simulator.base.arrays import Array, Vector
from simulator.base.errors import ConfigError
from simulator.imports.gpx.line import curvature_of, distance_to_line, duration_along, smooth_line, stations_of, with_spacing
from simulator.imports.gpx.track import Track, clean
from simulator.imports.result import Losses
from terrain.geodesy import LocalFrame
from terrain.ground import Ground

LONGEST = 90_000.0
"""m. Largest distance of a point from the start, just below the limit of waypoints."""
CLOSING = 30.0
"""m. Largest gap between the ends of a closed track."""
SLOWEST = 1.0
"""m/s. Smallest speed along a path: a vehicle that stands does not come to the point where it drives on."""
LEAD = 40.0
"""m. Way from the start to the line of a lap."""
BRAKING = 2.5
"""m/s2. Deceleration at the end of a track with recorded speeds."""
BEND = {"lateral_mps2": 3.0, "braking_mps2": 3.0}


@dataclass(frozen=True)
class Options:
    """Options of an import.

    Attributes
    ----------
    smooth : standard deviation of the smoothing [m]; None: by the distance of the points, none for a route
    spacing : distance of waypoints [m]
    speed : [m/s]; None: as recorded
    laps : on a closed track; None: once along the track
    """

    smooth: float | None
    spacing: float
    speed: float | None
    laps: int | None


@dataclass
class Made:
    """A maneuver and the numbers for its report."""

    content: dict[str, Any]
    report: dict[str, Any]


def plane_of(track: Track, ground: Ground) -> tuple[LocalFrame, bool]:
    """Return the frame of the terrain on Earth, or of the tangent plane at the first point for a terrain without a position; whether it is the latter."""
    if ground.location is not None:
        return ground.location.local_frame(), False
    return LocalFrame(float(track.latitude[0]), float(track.longitude[0]), 0.0), True


def points_on_plane(track: Track, frame: LocalFrame) -> Array:
    """Return x, y (n, 2) [m] of a track; heights are left out: each point is on the ellipsoid at the height of the terrain."""
    places = zip(track.latitude.tolist(), track.longitude.tolist(), strict=True)
    return np.array([frame.point(latitude, longitude, frame.height)[:2] for latitude, longitude in places])


def make_maneuver(track: Track, ground: Ground, names: dict[str, str], options: Options, losses: Losses) -> Made:
    """Return the maneuver along a track. Raises ConfigError: a track that is too short or too long, or not on the terrain.

    Parameters
    ----------
    names : `name` of the maneuver, `vehicle`, `terrain` and `file`, the source for messages
    """
    frame, is_free = plane_of(track, ground)
    points, time = clean(points_on_plane(track, frame), track.time, losses)
    x, y, yaw = ground.spawn
    if is_free:
        points = points + [x, y]
    file = names["file"]
    _check_place(points, ground, is_free, file)
    gap = math.dist(points[0], points[-1])
    is_loop = options.laps is not None
    length = float(stations_of(points)[-1])
    if is_loop and (gap > CLOSING or length < 100.0):
        raise ConfigError(
            "--laps", "", f"ends {gap:.0f} m apart, {length:.0f} m long", f"a closed track: ends within {CLOSING:g} m, at least 100 m"
        )
    if length < 10.0:
        raise ConfigError(file, track.name, f"{length:.1f} m", "a track of at least 10 m")
    width = options.smooth if options.smooth is not None else _usual_width(track, points)
    line = smooth_line(points, width, is_loop, track.kind == "track")
    way = with_spacing(line, options.spacing)
    if len(way) < 4:
        raise ConfigError(file, track.name, f"{len(way)} places more than 1 m apart", "a track of at least 10 m")
    off = distance_to_line(points, line)
    bend = float(curvature_of(with_spacing(line, 2.0)).max())
    content = {"name": names["name"], "vehicle": names["vehicle"], "terrain": names["terrain"]}
    content["title"] = f"Along {track.name}".replace("$", "")[:100]
    speeds = _speeds(points, time, line, options, losses)
    _lay(content, way, line, (x, y, yaw), speeds, options)
    report = {
        "track": track.name,
        "length": round(float(stations_of(line)[-1]), 1),
        "points": len(track.latitude),
        "waypoints": len(content["waypoints_m"]),
        "deviation": {"mean": round(float(off.mean()), 2), "max": round(float(off.max()), 2)},
        "least_radius": round(1.0 / max(bend, 1e-5), 1),
        "closed": gap <= CLOSING and length > 100.0,
        "duration": content["duration_s"],
        "origin": [round(math.degrees(frame.latitude), 7), round(math.degrees(frame.longitude), 7)],
        "on_terrain": not is_free,
    }
    return Made(content, report)


def _usual_width(track: Track, points: Array) -> float:
    """Return the standard deviation of the smoothing: none for a route, for a track the usual distance of its points, from 3 to 15 m."""
    steps = np.hypot(*np.diff(points, axis=0).T)
    return 0.0 if track.kind == "route" else float(min(max(np.median(steps), 3.0), 15.0))


def _check_place(points: Array, ground: Ground, is_free: bool, file: str) -> None:
    """Raise ConfigError if a track is far away, or not on the terrain."""
    x, y, _ = ground.spawn
    farthest = float(np.hypot(*(points - [x, y]).T).max())
    if farthest > LONGEST:
        hint = "" if is_free else "; hint: the terrain is at another place on Earth"
        raise ConfigError(
            file, "", f"{farthest / 1e3:.0f} km from the start", f"a track within {LONGEST / 1e3:.0f} km of the start of the terrain{hint}"
        )
    low_x, high_x, low_y, high_y = ground.bounds
    if not np.ptp(ground.heights):  # a level plane has no edge
        return
    outside = (points[:, 0] < low_x) | (points[:, 0] > high_x) | (points[:, 1] < low_y) | (points[:, 1] > high_y)
    if outside.any():
        size = f"{high_x - low_x:.0f} x {high_y - low_y:.0f} m"
        raise ConfigError(
            file, "", f"{int(outside.sum())} of {len(points)} points beyond the edge of the terrain of {size}", "a track on the terrain"
        )


def _speeds(points: Array, time: Vector, line: Array, options: Options, losses: Losses) -> list[tuple[float, float]]:
    """Return stations and speeds: one for all, or as recorded, smoothed over about 5 s."""
    if options.speed is not None:
        return [(0.0, options.speed)]
    if not np.isfinite(time).all():
        raise ConfigError("--speed", "", "recorded", "a track with rising time stamps; hint: use --speed with a number")
    station, whole = stations_of(points), stations_of(line)[-1]
    seconds = np.linspace(time[0], time[-1], max(3, min(100_000, round(time[-1] - time[0])) + 1))
    along = np.interp(seconds, time, station) * whole / station[-1]
    speed = np.gradient(along, seconds)
    if len(speed) > 7:
        speed = np.convolve(np.pad(speed, 2, mode="edge"), np.full(5, 0.2), "valid")
    slow = int((speed < SLOWEST).sum())
    if slow:
        losses.add(f"second at rest or below {SLOWEST:g} m/s: driven at {SLOWEST:g} m/s", count=slow)
    at = np.arange(0.0, whole, 25.0)
    keep = np.concatenate([[True], np.diff(along) > 1e-6])
    values = np.interp(at, along[keep], speed[keep])
    return [(float(s), float(min(max(v, SLOWEST), 60.0))) for s, v in zip(at, values, strict=True)]


def _lay(
    content: dict[str, Any], way: Array, line: Array, spawn: tuple[float, float, float], speeds: list[tuple[float, float]], options: Options
) -> None:
    """Add start, waypoints, speed and duration to a maneuver."""
    (x, y, yaw), laps = spawn, options.laps
    if laps is not None:
        way = way[:-1]
    ahead = way[1] - way[0]
    start = (*way[0].tolist(), math.atan2(ahead[1], ahead[0]))
    place = _seen(way[:1], (x, y, yaw))[0]
    turn = math.remainder(start[2] - yaw, math.tau)
    content["start"] = {"position_m": _rounded(place), "heading_deg": round(math.degrees(turn), 4)}
    limits = np.interp(stations_of(line), *np.array(speeds).T)
    time = duration_along(line, limits)
    content["duration_s"] = float(min(86400.0, math.ceil(time * 1.1 * (laps or 1) + 20.0)))
    content["speed"] = _speed_entries(speeds, float(stations_of(line)[-1]))
    if len(speeds) == 1:
        content["cornering"] = {**BEND, **({} if laps is not None else {"stop": True})}
    if laps is not None:
        content["timed_course"] = {"laps": laps, "lines": [{"station_m": LEAD, "width_m": 20.0}]}
    seen = _seen(way, (x, y, yaw) if laps is not None else start)
    content["waypoints_m"] = [_rounded(point) for point in seen]


def _speed_entries(speeds: list[tuple[float, float]], length: float) -> list[dict[str, float]]:
    """Return the entries of the key `speed`: each reaches its speed at the next station; recorded ones end at rest."""
    if len(speeds) == 1:
        return [{"at_s": 0.0, "speed_mps": round(speeds[0][1], 3), "acceleration_mps2": 2.0}]
    entries = [{"at_s": 0.0, "speed_mps": round(speeds[0][1], 3), "acceleration_mps2": 2.0}]
    brake = max(1.0, length - speeds[-1][1] ** 2 / (2.0 * BRAKING))
    for (s0, v0), (s1, v1) in pairwise(speeds):
        if abs(v1 - entries[-1]["speed_mps"]) < 0.05 or s0 >= brake:
            continue
        rate = abs(v1**2 - v0**2) / (2.0 * (s1 - s0))
        entries.append(
            {"at_station_m": round(max(s0, 1.0), 1), "speed_mps": round(v1, 3), "acceleration_mps2": round(min(max(rate, 0.2), 6.0), 3)}
        )
    return [*entries, {"at_station_m": round(brake, 1), "speed_mps": 0.0, "acceleration_mps2": BRAKING}]


def _seen(points: Array, pose: tuple[float, float, float]) -> Array:
    """Return points of the world as seen from a pose x, y [m], yaw [rad]."""
    c, s = math.cos(pose[2]), math.sin(pose[2])
    d = points - np.array(pose[:2])
    return np.column_stack([c * d[:, 0] + s * d[:, 1], c * d[:, 1] - s * d[:, 0]])


def _rounded(point: Vector) -> list[float]:
    return [round(float(value), 3) for value in point]
