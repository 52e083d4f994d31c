"""Tracks and routes of a GPX file: positions on WGS 84, with heights and times where the file has them."""

from __future__ import annotations

import math
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import numpy as np

from simulator.base.arrays import Array, Vector
from simulator.base.errors import NOTHING, ConfigError, one_line
from simulator.base.xml_file import XmlElement, number_of, read_xml
from simulator.imports.result import Losses

EXPECTED = "a GPX file"
MAX_BYTES = 64 << 20
MAX_POINTS = 500_000
"""Maximum number of points of a track: more than a day at five a second."""
FASTEST = 100.0
"""m/s. Speed between two points above which the second one is taken for an error of the receiver."""
CLOSE = 0.3
"""m. Points closer to the last one are left out: a receiver at rest."""


@dataclass
class Track:
    """A track or route.

    Attributes
    ----------
    name : name in the file, or its kind and number
    kind : `track` or `route`
    latitude, longitude : (n,) [rad]
    height : (n,) above the geoid [m], NaN where the file has none
    time : (n,) from the first point on [s], NaN where the file has none
    """

    name: str
    kind: str
    latitude: Vector
    longitude: Vector
    height: Vector
    time: Vector


def read_tracks(path: Path, losses: Losses) -> list[Track]:
    """Return all tracks and routes with at least two points. Raises ConfigError: no GPX file, or a position out of range."""
    root = read_xml(path, "gpx", EXPECTED, MAX_BYTES)
    tracks = []
    for number, element in enumerate(root.all("trk"), 1):
        segments = element.all("trkseg")
        filled = [segment for segment in segments if segment.all("trkpt")]
        if len(filled) > 1:
            losses.add("gap between the segments of a track: joined by a straight line", filled[1].line, count=len(filled) - 1)
        points = [point for segment in filled for point in segment.all("trkpt")]
        tracks.append(_track(element, "track", number, points, losses))
    for number, element in enumerate(root.all("rte"), 1):
        tracks.append(_track(element, "route", number, element.all("rtept"), losses))
    for waypoint in root.all("wpt"):
        losses.add("waypoint beside the track", waypoint.line)
    usable = [track for track in tracks if len(track.latitude) >= 2]
    if not usable:
        raise ConfigError(path, "", "no track or route", f"{EXPECTED} with a track or route of at least two points")
    return usable


def _track(element: XmlElement, kind: str, number: int, points: list[XmlElement], losses: Losses) -> Track:
    if len(points) > MAX_POINTS:
        raise points[0].error("", f"{len(points)} points", f"at most {MAX_POINTS} points in a {kind}")
    rows, start = [], None
    for point in points:
        latitude, longitude = point.number("lat", low=-90.0, high=90.0), point.number("lon", low=-180.0, high=180.0)
        time = _time(point, losses)
        start = time if start is None else start
        seconds = (time - start).total_seconds() if time is not None and start is not None else math.nan
        rows.append((math.radians(latitude), math.radians(longitude), _height(point), seconds))
    table = np.array(rows, dtype=float).reshape(-1, 4)
    name = one_line((element.findtext("name") or "").strip()) or f"{kind} {number}"
    return Track(name, kind, *table.T)


def _height(point: XmlElement) -> float:
    text = point.findtext("ele")
    if text is None or not text.strip():
        return math.nan
    height = number_of(text.strip())
    if not -20000.0 <= height <= 100000.0:
        raise point.error("ele", text.strip(), "a height from -20000 to 100000 m")
    return height


def _time(point: XmlElement, losses: Losses) -> datetime | None:
    """Return the time of a point; what is no time counts as missing."""
    text = (point.findtext("time") or "").strip()
    if not text:
        return None
    try:
        time = datetime.fromisoformat(text)
    except ValueError:
        losses.add("time stamp that is none", point.line)
        return None
    return time if time.tzinfo is not None else time.replace(tzinfo=UTC)


def choose(tracks: list[Track], wanted: str | None, file: Path) -> Track:
    """Return the track with this name or number (from 1 on); by default the one with most points. Raises ConfigError: there is none."""
    if wanted is None:
        return max(tracks, key=lambda track: len(track.latitude))
    found = next((track for track in tracks if track.name == wanted), None)
    if found is None and wanted.isdecimal() and 1 <= int(wanted[:9]) <= len(tracks):
        found = tracks[int(wanted[:9]) - 1]
    if found is None:
        names = ", ".join(track.name for track in tracks[:8])
        raise ConfigError(file, "--track", wanted or NOTHING, f"a number from 1 to {len(tracks)} or a name: {names}")
    return found


def clean(points: Array, time: Vector, losses: Losses) -> tuple[Array, Vector]:
    """Return points (n, 2) [m] and times without repetitions, impossible jumps, and times that run backward."""
    has_time = bool(np.isfinite(time).all()) and len(time) > 1 and bool((np.diff(time) >= 0.0).all()) and time[-1] > time[0]
    if not has_time and np.isfinite(time).any():
        losses.add("time stamps that are incomplete or run backward: no times at all")
    kept = [0]
    jumps = repeated = 0
    for n in range(1, len(points)):
        distance = math.dist(points[n], points[kept[-1]])
        if distance < CLOSE:
            repeated += 1
        elif has_time and jumps < 10 and distance > FASTEST * max(time[n] - time[kept[-1]], 0.1):
            jumps += 1
        else:
            kept.append(n)
            jumps = 0
    skipped = len(points) - len(kept) - repeated
    if skipped:
        losses.add(f"point farther from the one before than {FASTEST:g} m/s allow: left out", count=skipped)
    return points[kept], (time[kept] if has_time else np.full(len(kept), math.nan))
