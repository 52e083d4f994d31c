"""Travel limits of a corner from a mechanism file: the search and the criteria of `vehicles.travel_limits`, in the multibody model.

The search takes a second; the result is cached on disk like the tables.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from simulator.base.disk_cache import cached_arrays, digest_of
from simulator.base.errors import ConfigError
from simulator.base.jit import source_digest
from simulator.base.records import Record, dtype_of
from vehicles.multibody.description.mechanism import MechanismError
from vehicles.suspension.mechanism.linkage import Linkage
from vehicles.suspension.tables.reduced_table import PLACES, SHOCK, SPRING, STEER_RATE, STEERED, D, W
from vehicles.travel_limits import FARTHEST, HEAVIER, LOCKS, QUICKER, SHARE, STRIDE, TravelResult, place_ends

Vector = NDArray[Any]

CHUNK = 16
"""Number of positions evaluated at once."""

K = dtype_of(PLACES).fields["K"][1] // 8  # type: ignore[index]
"""Offset of the outer joint of the tie rod in PLACES as a row of numbers."""

STOPS = ("stop_points", "stop_penetration", "bump_stop_length", "rebound_stop_length")
"""Fields of STRUTS that determine the travel."""


def write_ends(linkage: Linkage, i: int, corners: Record, struts: Record, lock: float) -> None:
    """Compute the travel limits of the linkage of corner i and write them into its column of CORNERS.

    lock : Pitman angle at full lock [rad]
    """
    digest = digest_of(linkage.content(), [struts[0][name][i] for name in STOPS], lock, source_digest(__file__))
    found = cached_arrays("travel", digest, lambda: {"travel": np.array(_travel(linkage, struts, i, lock))})["travel"]
    inertia, distance, smallest, largest, rebound, bump = (float(number) for number in found)
    if smallest == 0.0 or largest == 0.0:
        expected = f"a joint in {linkage.given.file} that moves the wheel up and down from the design position at all steering angles"
        raise ConfigError(linkage.file, f"{linkage.key}.coordinate", linkage.names.coordinate, expected)
    ends = corners[0]["ends"]
    place_ends(ends, i, inertia, distance, TravelResult(smallest, rebound), TravelResult(largest, bump))
    corners[0]["travel"][:, i] = ends["theta"][:, i]


def _travel(linkage: Linkage, struts: Record, i: int, lock: float) -> tuple[float, ...]:
    """Return the data for `write_ends`.

    The result contains inertia of theta and displacement of the wheel per theta in the design position, smallest and largest theta, and
    the thetas at which the rubber stops are exhausted.
    """
    design = linkage.rows(np.zeros(1), np.zeros(1))[0][0]
    (smallest, rebound), (largest, bump) = (_walk(linkage, side, design, struts, i, lock) for side in (-1.0, 1.0))
    return float(design[0, D]), float(np.linalg.norm(design[1, W : W + 3])), smallest, largest, rebound, bump


def _walk(linkage: Linkage, side: float, design: Vector, struts: Record, i: int, lock: float) -> tuple[float, float]:
    """Search from the design position toward the side -1 or +1.

    Returns the theta up to which the corner is regular at every steering angle, and the theta at which its rubber stop is exhausted
    (infinite if beyond).
    """
    thetas = side * np.arange(STRIDE, FARTHEST, STRIDE)
    stop_theta = side * np.inf
    for fraction in LOCKS if linkage.steered else (0.0,):
        rows = _rows_until_open(linkage, thetas, fraction * lock)
        valid = [_is_regular(row, design) and _is_steering_regular(linkage, row, design, fraction * lock) for row in rows]
        thetas = thetas[: valid.index(False) if False in valid else len(valid)]
        if fraction == 0.0:
            used = (
                float(theta) for theta, row in zip(thetas, rows, strict=False) if is_stop_exhausted(side, float(row[0, SPRING]), struts, i)
            )
            stop_theta = next(used, stop_theta)
    last = float(thetas[-1]) if len(thetas) else 0.0
    return last, stop_theta


def _rows_until_open(linkage: Linkage, thetas: Vector, angle: float) -> Vector:
    """Return rows (k, 3, n) at the first thetas, as many as the loops close at, computed in chunks."""
    found = []
    for k in range(0, len(thetas), CHUNK):
        chunk = thetas[k : k + CHUNK]
        try:
            found.append(linkage.rows(chunk, np.full(len(chunk), angle))[0])
        except MechanismError:
            for theta in chunk:
                try:
                    found.append(linkage.rows(np.array([theta]), np.array([angle]))[0])
                except MechanismError:
                    return _together(found)
    return _together(found)


def _together(found: list[Vector]) -> Vector:
    return np.concatenate(found) if found else np.empty((0, 3, 0))


def _is_regular(row: Vector, design: Vector) -> bool:
    """Return True if rows (3, n) belong to a corner that is far from a singular position, compared with the design position."""
    levers = row[1, [SPRING, SHOCK]] / design[1, [SPRING, SHOCK]]
    return bool(
        np.isfinite(row).all()
        and row[0, D] < HEAVIER * design[0, D]
        and row[1, W + 2] > SHARE * design[1, W + 2]
        and (levers > SHARE).all()
    )


def _is_steering_regular(linkage: Linkage, row: Vector, design: Vector, angle: float) -> bool:
    """Return True if the carrier rotates about as much per displacement of its tie rod as in the design position.

    For a corner with a steered joint the rotation per angle of the Pitman arm is used.
    """
    turn, first = (float(np.linalg.norm(one[0, STEER_RATE : STEER_RATE + 3])) for one in (row, design))
    distance = (
        _rod_displacement(linkage, row, angle) / _rod_displacement(linkage, design, 0.0) if linkage.steered and linkage.by_loop else 1.0
    )
    return turn <= QUICKER * first * distance


def _rod_displacement(linkage: Linkage, row: Vector, angle: float) -> float:
    """Return the displacement [m] of the inner joint of the tie rod along the rod, per Pitman angle."""
    Q, Q_1 = linkage.inner_joint(angle, 1.0)[:2]
    rod = row[0, STEERED + K : STEERED + K + 3] - Q
    length = float(np.linalg.norm(rod))
    return abs(float(rod @ Q_1)) / length if length > 0.0 else float(np.linalg.norm(Q_1))


def is_stop_exhausted(side: float, length: float, struts: Record, i: int) -> bool:
    """Return True if the stop at the side -1 (rebound) or +1 (bump) of corner i is used up at a length of its spring [m]."""
    s = struts[0]
    points = int(s["stop_points"][i])
    if points == 0:
        return False
    used = s["bump_stop_length"][i] - length if side > 0.0 else length - s["rebound_stop_length"][i]
    return bool(used > s["stop_penetration"][i, points - 1])
