"""The ends of the travel of a corner from a mechanism file, found as `vehicles.travel_limits` does and by the same measures, in the general engine.

They take a second, and are kept on disk as the tables are."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from simulator.base.disk_cache import cached_arrays, digest_of
from simulator.base.errors import ConfigError
from simulator.base.jit import source_digest, user_cache
from simulator.base.records import Record, dtype_of
from vehicles.multibody.description.mechanism import MechanismError
from vehicles.suspension.mechanism.linkage import Linkage
from vehicles.suspension.tables.reduced_table import PLACES, SHOCK, SPRING, STEER_RATE, STEERED, D, W
from vehicles.travel_limits import FARTHEST, HEAVIER, LOCKS, QUICKER, SHARE, STRIDE, TravelResult, place_ends

Vector = NDArray[Any]

CHUNK = 16
"""Positions that are asked for at once."""

K = dtype_of(PLACES).fields["K"][1] // 8  # type: ignore[index]
"""Where the outer joint of the tie rod begins in PLACES, taken as a row of numbers."""

STOPS = ("stop_points", "stop_penetration", "bump_stop_length", "rebound_stop_length")
"""What the travel follows from of STRUTS."""


def write_ends(linkage: Linkage, i: int, corners: Record, struts: Record, lock: float) -> None:
    """Find the ends of the linkage of corner i and write them into its column of CORNERS; `lock` is the Pitman angle at full lock [rad]."""
    digest = digest_of(linkage.content(), [struts[0][name][i] for name in STOPS], lock, source_digest(__file__))
    found = cached_arrays(user_cache("travel"), digest, lambda: {"travel": np.array(_travel(linkage, struts, i, lock))})["travel"]
    inertia, way, least, largest, rebound, bump = (float(number) for number in found)
    if least == 0.0 or largest == 0.0:
        expected = (
            f"a joint that moves the wheel up and down from the design position, at every lock of the steering, in {linkage.given.file}"
        )
        raise ConfigError(linkage.file, f"{linkage.key}.coordinate", linkage.names.coordinate, expected)
    ends = corners[0]["ends"]
    place_ends(ends, i, inertia, way, TravelResult(least, rebound), TravelResult(largest, bump))
    corners[0]["travel"][:, i] = ends["theta"][:, i]


def _travel(linkage: Linkage, struts: Record, i: int, lock: float) -> tuple[float, ...]:
    """Inertia of theta and way of the wheel per theta in the design position; least and largest theta; thetas at which the rubber stops
    are used up."""
    design = linkage.rows(np.zeros(1), np.zeros(1))[0][0]
    (least, rebound), (largest, bump) = (_walk(linkage, side, design, struts, i, lock) for side in (-1.0, 1.0))
    return float(design[0, D]), float(np.linalg.norm(design[1, W : W + 3])), least, largest, rebound, bump


def _walk(linkage: Linkage, side: float, design: Vector, struts: Record, i: int, lock: float) -> tuple[float, float]:
    """From the design position to the side -1 or +1: theta up to which the corner is sound at every lock, and theta at which its rubber
    stop is used up, infinite if that is not before."""
    thetas = side * np.arange(STRIDE, FARTHEST, STRIDE)
    metal = side * np.inf
    for share in LOCKS if linkage.steered else (0.0,):
        rows = _rows_until_open(linkage, thetas, share * lock)
        sound = [_sound(row, design) and _steers(linkage, row, design, share * lock) for row in rows]
        thetas = thetas[: sound.index(False) if False in sound else len(sound)]
        if share == 0.0:
            used = (float(theta) for theta, row in zip(thetas, rows, strict=False) if _stop_used_up(side, float(row[0, SPRING]), struts, i))
            metal = next(used, metal)
    last = float(thetas[-1]) if len(thetas) else 0.0
    return last, metal


def _rows_until_open(linkage: Linkage, thetas: Vector, angle: float) -> Vector:
    """Rows (k, 3, n) at the first of the thetas, as many as the loops close at, some at a time."""
    found = []
    for k in range(0, len(thetas), CHUNK):
        some = thetas[k : k + CHUNK]
        try:
            found.append(linkage.rows(some, np.full(len(some), angle))[0])
        except MechanismError:
            for theta in some:
                try:
                    found.append(linkage.rows(np.array([theta]), np.array([angle]))[0])
                except MechanismError:
                    return _together(found)
    return _together(found)


def _together(found: list[Vector]) -> Vector:
    return np.concatenate(found) if found else np.empty((0, 3, 0))


def _sound(row: Vector, design: Vector) -> bool:
    """Whether rows (3, n) are those of a corner that is far from a toggle, compared with the design position."""
    levers = row[1, [SPRING, SHOCK]] / design[1, [SPRING, SHOCK]]
    return bool(
        np.isfinite(row).all()
        and row[0, D] < HEAVIER * design[0, D]
        and row[1, W + 2] > SHARE * design[1, W + 2]
        and (levers > SHARE).all()
    )


def _steers(linkage: Linkage, row: Vector, design: Vector, angle: float) -> bool:
    """Whether the carrier turns about as much per way of its tie rod as in the design position, or per angle of the Pitman arm where a joint
    steers it."""
    turn, first = (float(np.linalg.norm(one[0, STEER_RATE : STEER_RATE + 3])) for one in (row, design))
    way = _way_of_rod(linkage, row, angle) / _way_of_rod(linkage, design, 0.0) if linkage.steered and linkage.by_loop else 1.0
    return turn <= QUICKER * first * way


def _way_of_rod(linkage: Linkage, row: Vector, angle: float) -> float:
    """Way [m] of the inner joint of the tie rod along the rod, per Pitman angle."""
    Q, Q_1 = linkage.inner_joint(angle, 1.0)[:2]
    rod = row[0, STEERED + K : STEERED + K + 3] - Q
    length = float(np.linalg.norm(rod))
    return abs(float(rod @ Q_1)) / length if length > 0.0 else float(np.linalg.norm(Q_1))


def _stop_used_up(side: float, length: float, struts: Record, i: int) -> bool:
    s = struts[0]
    points = int(s["stop_points"][i])
    if points == 0:
        return False
    used = s["bump_stop_length"][i] - length if side > 0.0 else length - s["rebound_stop_length"][i]
    return bool(used > s["stop_penetration"][i, points - 1])
