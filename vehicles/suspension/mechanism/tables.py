"""Tables of a vehicle with an axle from a mechanism file or from K&C data: its rows, and rows of the closed form for the other axle.

Such a vehicle always uses its tables, so they are extrapolated: see `vehicles.suspension.mechanism.polynomial_table.continued`.
"""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from simulator.base.algebra.hermite import quintic, quintic_1, quintic_2
from simulator.base.errors import JounceError
from simulator.base.records import Record
from vehicles.axle_layout import AxleLayout, record_for
from vehicles.mechanism_parameters import MechanismParameters
from vehicles.suspension.corner_design import TableSource
from vehicles.suspension.mechanism.polynomial_table import continued, nodes_of
from vehicles.suspension.tables.build_tables import Source
from vehicles.suspension.tables.reduced_table import FIXED, GRID, PLACED, REDUCED, SHOCK, SPRING, STEERED, ReducedTables, W

Array = NDArray[Any]

MAX_BYTES = 256 * 2**20
"""Largest size of the tables of a vehicle."""
MAX_SECONDS = 300.0
"""s. Longest time to build the tables."""

FEWEST = (12, 8)
"""Initial numbers of intervals along theta and along the Pitman angle."""
GROWTH = 1.25
PROBES = 5
"""Number of positions along one variable at which the intervals of the other one are chosen."""
CHECKED = 200
"""Number of positions at which finished tables are compared with their source."""
BETWEEN = (0.2764, 0.5)
"""Relative positions in an interval at which the error is evaluated: the errors of slope and value are largest there."""
PLACE_CELLS = 32, 12
"""Numbers of intervals of the tables of PLACES, accurate to a micrometer and a thousandth of a degree."""
BEYOND = 0.25
"""Fraction of the margin between a travel limit and the last closed position that the tables cover."""

STRAIGHT = np.zeros(STEERED, bool)
STRAIGHT[:3] = STRAIGHT[W : W + 3] = STRAIGHT[[SPRING, SHOCK]] = True
"""Quantities of REDUCED that continue with their slope beyond the tables: moment, wheel center and lengths; the others stay constant."""
STRAIGHT_PLACES = np.arange(PLACED) >= 6
"""Quantities of PLACES that continue with their slope beyond the tables: all except the two directions at the start."""

GROUPS = np.concatenate([np.full(math.prod(row[1]), n) for n, row in enumerate(REDUCED)])
"""Index of the quantity of REDUCED for each number of a row."""


class Rows(Protocol):
    """Rows of one corner as a function of theta and Pitman angle."""

    def nodes(self, theta: Array, angle: Array) -> Array:
        """Return the derivatives (n, m, 3, 3, STEERED) of orders 0 to 2 by both variables.

        They are per interval of the evenly spaced theta (n,) and angle (m,).
        """

    def exact(self, theta: Array, angle: Array) -> tuple[Array, Array]:
        """Return rows and their derivatives by theta and by the angle at S positions (S, 3, STEERED).

        The second result are the second derivatives of the moment (S, 3, 3).
        """


class EngineRows:
    """Rows of the multibody model, or of a motion that a table gives."""

    def __init__(self, linkage: TableSource) -> None:
        self.linkage = linkage

    def nodes(self, theta: Array, angle: Array) -> Array:
        """Return the derivatives at a grid of positions, see `Rows`."""
        return self._nodes(theta, angle)[..., :STEERED]

    def places(self, theta: Array, angle: Array) -> Array:
        """Return (n, m, 3, 3, PLACED): derivatives of PLACES, as `nodes`."""
        return self._nodes(theta, angle)[..., STEERED:]

    def _nodes(self, theta: Array, angle: Array) -> Array:
        rows = np.empty((len(theta), len(angle), 3, STEERED + PLACED))
        for m, at in enumerate(angle):  # alternate direction, so that the linkage moves between neighboring positions
            order = slice(None, None, 1 if m % 2 == 0 else -1)
            rows[order, m] = self.linkage.rows(theta[order], np.full(len(theta), at))[0]
        rows[:, :, 1] *= theta[1] - theta[0]
        rows[:, :, 2] *= angle[1] - angle[0] if len(angle) > 1 else 1.0
        return nodes_of(rows)

    def exact(self, theta: Array, angle: Array) -> tuple[Array, Array]:
        """Return rows and derivatives at single positions, see `Rows`."""
        rows, moment = self.linkage.rows(theta, angle)
        return rows[:, :, :STEERED], moment


class ClosedRows:
    """Rows of corner i in closed form; the view uses the kinematics of the corner."""

    def __init__(self, source: Source, i: int) -> None:
        self.source, self.i = source, i

    def _derivatives(self, theta: Array, angle: Array) -> Array:
        with np.errstate(invalid="ignore"):  # lanes of corners without a closed form may hold any values
            return self.source.derivatives(np.tile(theta, (self.source.size.wheels, 1)), angle)[..., self.i, :]

    def nodes(self, theta: Array, angle: Array) -> Array:
        """Return the derivatives at a grid of positions, see `Rows`."""
        out = self._derivatives(theta, angle)
        steps = theta[1] - theta[0], angle[1] - angle[0] if len(angle) > 1 else 1.0
        for a in range(3):
            for b in range(3):
                out[:, :, a, b] *= steps[0] ** a * steps[1] ** b
        return out

    def exact(self, theta: Array, angle: Array) -> tuple[Array, Array]:
        """Return rows and derivatives at single positions, see `Rows`."""
        all_orders = np.stack([self._derivatives(np.array([t]), np.array([a]))[0, 0] for t, a in zip(theta, angle, strict=True)])
        second = np.stack([all_orders[:, 2, 0, :3], all_orders[:, 1, 1, :3], all_orders[:, 0, 2, :3]], axis=1)
        return np.stack([all_orders[:, 0, 0], all_orders[:, 1, 0], all_orders[:, 0, 1]], axis=1), second


@dataclass(frozen=True)
class Corner:
    """Rows of a corner, the thetas of its table, and the magnitude of each quantity there (STEERED,)."""

    rows: Rows
    low: float
    high: float
    lock: float
    scale: Array

    @property
    def data_cells(self) -> tuple[int, int] | None:
        """Least numbers of intervals of a motion that is itself a table, whose values between the nodes are not checked; else None."""
        return self.rows.linkage.data_cells if isinstance(self.rows, EngineRows) else None

    def thetas(self, count: int) -> Array:
        """Return (count,) evenly spaced thetas."""
        return np.linspace(self.low, self.high, count)

    def angles(self, count: int) -> Array:
        """Return (count,) evenly spaced Pitman angles, or only 0 without steering."""
        return np.linspace(-self.lock, self.lock, count) if self.lock > 0.0 else np.zeros(1)


@dataclass(frozen=True)
class Built:
    """Result of `build_engine_tables`: tables, intervals along theta and Pitman angle, error in the measure of DEFAULT_TOLERANCE."""

    tables: ReducedTables
    theta_cells: int
    angle_cells: int
    error: float


def build_engine_tables(mechanism: MechanismParameters, steering: Record, steered: bool, tolerance: float) -> Built:
    """Build the tables of a vehicle in which some corners are linkages.

    Parameters
    ----------
    mechanism : with the travel limits (`vehicles.suspension.hard_stops`)
    steering : record of STEERING
    steered : True if the steering moves the front axle
    tolerance : largest error between the nodes, see DEFAULT_TOLERANCE

    Raises
    ------
    JounceError : the tolerance is not reached with MAX_BYTES and in MAX_SECONDS
    """
    deadline = time.monotonic() + MAX_SECONDS
    linkages, corners = [corner.linkage for corner in mechanism.designs], mechanism.corners
    source = None
    if any(one is None for one in linkages):
        source = Source(mechanism, steering if steered else None)
    lock = float(steering[0]["max_arm_angle"]) if steered else 0.0
    corner_tables = []
    for i, linkage in enumerate(linkages):
        rows: Rows = ClosedRows(source, i) if linkage is None else EngineRows(linkage)  # type: ignore[arg-type]
        corner_tables.append(_corner(rows, corners[0]["ends"], i, lock if i in mechanism.axles.on(0) else 0.0))
    cells, angle_cells = (max(FEWEST[k], *(one.data_cells[k] for one in corner_tables if one.data_cells), 0) for k in (0, 1))
    angle_cells = angle_cells if steered else 0
    cells = _cells_for_tolerance(corner_tables, cells, tolerance, deadline, along_theta=True)
    if steered:
        angle_cells = _cells_for_tolerance(corner_tables, angle_cells, tolerance, deadline, along_theta=False)
    while True:
        _check_limits(corner_tables, (cells, angle_cells), deadline, tolerance, np.inf)
        nodes = [one.rows.nodes(one.thetas(cells + 1), one.angles(angle_cells + 1)) for one in corner_tables]
        checked = [one for one in zip(corner_tables, nodes, strict=True) if one[0].data_cells is None]
        error = max((_error(one, values) for one, values in checked), default=0.0)
        if error < tolerance:
            break
        cells, angle_cells = math.ceil(cells * GROWTH), math.ceil(angle_cells * GROWTH)
        _check_limits(corner_tables, (cells, angle_cells), deadline, tolerance, error)
    grid, over_theta, over_both = _table_arrays(corner_tables, nodes, lock, mechanism.size)
    return Built(ReducedTables(grid, over_theta, over_both, _places(corner_tables, grid)), cells, angle_cells, error)


def _places(corner_tables: Sequence[Corner], grid: Record) -> Array:
    """Return the tables of PLACES (rows, PLACED) of the corners from linkages; write their layout into the GRID record."""
    g, rows = grid[0], [np.zeros((0, PLACED))]
    g["place_cells"], g["place_angle_cells"] = PLACE_CELLS[0] + 4, PLACE_CELLS[1]
    g["place_angle_per_step"] = g["angle_per_step"] * PLACE_CELLS[1] / max(g["angle_cells"], 1)
    for i, one in enumerate(corner_tables):
        step = (one.high - one.low) / PLACE_CELLS[0]
        g["placed"][i], g["first_place"][i] = isinstance(one.rows, EngineRows), sum(map(len, rows))
        g["place_min"][i], g["place_per_step"][i] = one.low - 2.0 * step, 1.0 / step
        if isinstance(one.rows, EngineRows):
            nodes = one.rows.places(one.thetas(PLACE_CELLS[0] + 1), one.angles(PLACE_CELLS[1] + 1))
            extended = continued(nodes, STRAIGHT_PLACES)
            extended = extended if i < g["steered"] else extended[:, :, :, :1]
            rows.append(extended.transpose(0, 2, 1, 3, 4).reshape(-1, PLACED))
    return np.concatenate(rows)


def _corner(rows: Rows, ends: Record, i: int, lock: float) -> Corner:
    """Return a corner with the range of its tables."""
    low, high = ends["theta"][:, i] + BEYOND * (ends["closed"][:, i] - ends["theta"][:, i])
    probe = Corner(rows, float(low), float(high), lock, np.empty(0))
    theta, angle = (grid.ravel() for grid in np.meshgrid(probe.thetas(PROBES), probe.angles(PROBES), indexing="ij"))
    values = np.abs(rows.exact(theta, angle)[0][:, 0]).max(axis=0)
    scale = np.array([values[group == GROUPS].max() for group in GROUPS])
    return Corner(rows, float(low), float(high), lock, np.where(scale > 1e-9, scale, 1.0))


def _check_limits(corner_tables: Sequence[Corner], cells: tuple[int, int], deadline: float, tolerance: float, error: float) -> None:
    """Raise JounceError for tables that are too large or take too long."""
    size = _size(corner_tables, *cells)
    progress = f", error {error:.2g}" if error < np.inf else ""
    if size > MAX_BYTES:
        grid = f"{cells[0]} x {cells[1]}" if cells[1] else str(cells[0])
        raise JounceError(
            f"suspension tables: tolerance {tolerance:g} not reached{progress}: {grid} intervals would take {size / 2**20:.0f} MiB of "
            f"{MAX_BYTES / 2**20:.0f}; hint: the tolerance is too small, or a loop almost opens"
        )
    if time.monotonic() > deadline:
        raise JounceError(f"suspension tables: tolerance {tolerance:g} not reached after {MAX_SECONDS:g} s{progress}")


def _size(corner_tables: Sequence[Corner], cells: int, angle_cells: int) -> int:
    """Return the size of the tables of the corners in bytes.

    Steered corners are also tabulated over the Pitman angle if angle_cells > 0.
    """
    steered = sum(one.lock > 0.0 for one in corner_tables) if angle_cells > 0 else 0
    return 8 * STEERED * (cells + 5) * 3 * (len(corner_tables) - steered + steered * 3 * (angle_cells + 1))


def _cells_for_tolerance(corner_tables: Sequence[Corner], cells: int, tolerance: float, deadline: float, along_theta: bool) -> int:
    """Return the smallest number of intervals of a geometric series within the tolerance, at PROBES positions of the other variable."""
    worst = np.inf
    while True:
        limits = (cells, 0) if along_theta else (FEWEST[0], cells)
        _check_limits(corner_tables, limits, deadline, tolerance, worst)
        compared = [one for one in corner_tables if one.data_cells is None and (along_theta or one.lock > 0.0)]
        worst = max((_error_along(one, cells, along_theta) for one in compared), default=0.0)
        if worst < tolerance:
            return cells
        # the error of the curvature falls with the fourth power
        cells = math.ceil(cells * min(max(GROWTH, 0.9 * (worst / tolerance) ** 0.25), 2.0))


def _error_along(one: Corner, cells: int, along_theta: bool) -> float:
    """Return the largest error between the nodes along one variable: of the quantities, their slopes and the curvature of the moment."""
    others = one.angles(PROBES) if along_theta else one.thetas(PROBES)
    count = cells + 1
    at = one.thetas(count) if along_theta else one.angles(count)
    step = at[1] - at[0]
    slope, second = (1, 0) if along_theta else (2, 2)
    worst = 0.0
    for other in others:

        def places(x: Array, other: float = other) -> tuple[Array, Array]:
            return (x, np.full(len(x), other)) if along_theta else (np.full(len(x), other), x)

        rows = one.rows.exact(*places(at))[0]
        line = np.zeros((count, 1, 3, STEERED))
        line[:, 0, 0], line[:, 0, 1] = rows[:, 0], step * rows[:, slope]
        ends = nodes_of(line)[:, 0, :, 0]
        pairs = np.concatenate([ends[:-1], ends[1:]], axis=1)
        for xi in BETWEEN:
            exact, moment = one.rows.exact(*places(at[:-1] + xi * step))
            for order, weights in enumerate((quintic(xi), quintic_1(xi), quintic_2(xi))):
                value = np.einsum("w,nwf->nf", np.array(weights), pairs) / step**order
                if order < 2:
                    error = np.abs(value - exact[:, (0, slope)[order]]) / one.scale
                else:
                    error = np.abs(value[:, :3] - moment[:, second]) / one.scale[:3]
                worst = max(worst, float(error.max()))
    return worst


def _error(one: Corner, nodes: Array) -> float:
    """Return the largest error of nodes (n, m, 3, 3, WIDTH) at positions between them, spread over the range (golden ratio)."""
    n, m = nodes.shape[0], nodes.shape[1]
    k = np.arange(1, CHECKED + 1)
    theta = one.low + (one.high - one.low) * ((k * 0.6180339887498949) % 1.0)
    angle = one.lock * (2.0 * ((k * 0.7548776662466927) % 1.0) - 1.0)
    order = np.lexsort((theta, np.round(angle * 20.0)))  # neighbors in sequence
    theta, angle = theta[order], angle[order]
    exact, moment = one.rows.exact(theta, angle)
    a, xi = _cell(theta, one.low, one.high, n - 1)
    b, eta = _cell(angle, -one.lock, one.lock, m - 1)
    per_theta = (n - 1) / (one.high - one.low)
    per_angle = (m - 1) / (2.0 * one.lock) if m > 1 else 0.0
    v = [np.array([f(float(x)) for x in xi]) * per_theta**p for p, f in enumerate((quintic, quintic_1, quintic_2))]
    if m > 1:
        u = [np.array([f(float(x)) for x in eta]) * per_angle**p for p, f in enumerate((quintic, quintic_1, quintic_2))]
        block = np.stack([np.stack([nodes[a + i, b + j] for j in (0, 1)], axis=2) for i in (0, 1)], axis=1)  # (S, 2, 3, 2, 3, C)
        block = block.reshape(len(k), 6, 6, -1)
    else:
        u = [np.ones((len(k), 1)), np.zeros((len(k), 1)), np.zeros((len(k), 1))]
        block = np.stack([nodes[a + i, 0, :, :1] for i in (0, 1)], axis=1).reshape(len(k), 6, 1, -1)

    def at(p: int, q: int, count: int) -> Array:
        return np.einsum("sw,sx,swxc->sc", v[p], u[q], block[..., :count])

    worst = max(float((np.abs(at(p, q, STEERED) - exact[:, k]) / one.scale).max()) for k, (p, q) in enumerate(((0, 0), (1, 0), (0, 1))))
    for row, (p, q) in enumerate(((2, 0), (1, 1), (0, 2))):
        worst = max(worst, float((np.abs(at(p, q, 3) - moment[:, row]) / one.scale[:3]).max()))
    return worst


def _cell(x: Array, low: float, high: float, cells: int) -> tuple[NDArray[np.int_], Array]:
    """Return the interval and the relative position in it of values in a range."""
    if cells == 0:
        return np.zeros(len(x), int), np.zeros(len(x))
    t = (x - low) / (high - low) * cells
    n = np.clip(t.astype(int), 0, cells - 1)
    return n, t - n


def _table_arrays(corner_tables: Sequence[Corner], nodes: Sequence[Array], lock: float, size: AxleLayout) -> tuple[Record, Array, Array]:
    """Arrange the nodes (n, m, 3, 3, STEERED) of the corners as in `ReducedTables`, extrapolated beyond both travel limits.

    Returns grid, fixed and steered.
    """
    grid = record_for(GRID, size)
    g = grid[0]
    cells, angles = nodes[0].shape[0] - 1, nodes[0].shape[1]
    steered = sum(one.lock > 0.0 for one in corner_tables)
    step = np.array([(one.high - one.low) / cells for one in corner_tables])
    g["steered"], g["theta_cells"], g["endless"] = steered, cells + 4, True
    g["theta_min"] = [one.low for one in corner_tables] - 2.0 * step
    g["theta_max"] = [one.high for one in corner_tables] + 2.0 * step
    g["theta_per_step"] = 1.0 / step
    extended = [continued(values, STRAIGHT) for values in nodes]
    over_both = np.zeros((0, 0, 3, 0, STEERED))
    if steered:
        g["angle_cells"], g["angle_min"], g["angle_max"], g["angle_per_step"] = angles - 1, -lock, lock, (angles - 1) / (2.0 * lock)
        over_both = np.stack([v.transpose(0, 2, 1, 3, 4).reshape(cells + 5, 3, 3 * angles, STEERED) for v in extended[:steered]])
    over_theta = np.stack([v[:, 0, :, 0].reshape(3 * (cells + 5), STEERED) for v in extended[steered:]])
    return grid, np.ascontiguousarray(over_theta[..., :FIXED]), np.ascontiguousarray(over_both)
