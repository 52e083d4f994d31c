"""Build the tables of `vehicles.suspension.tables.reduced_table`: number of nodes for a tolerance, values and derivatives at the nodes."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from simulator.base.algebra.hermite import quintic, quintic_1, quintic_2
from simulator.base.errors import JounceError, raise_all
from simulator.base.jit import kernel
from simulator.base.records import Record, record
from vehicles.axle_layout import record_for
from vehicles.mechanism_parameters import MechanismParameters
from vehicles.steering.steering import STEERING, STEERING_STATE, place_tierods
from vehicles.suspension.blocks import Blocks
from vehicles.suspension.contract import INPUTS, KINEMATICS
from vehicles.suspension.hard_stops import no_ends
from vehicles.suspension.tables.reduced_table import (
    FIXED,
    GRID,
    INTERPOLATED,
    REDUCED,
    STEERED,
    ReducedTables,
    interpolate,
    no_tables,
    reduce_corners,
)
from vehicles.suspension.tables.table_limits import errors_of_axles

Array = NDArray[np.floating]

DEFAULT_TOLERANCE = 1e-6
"""Largest error of a quantity and its derivatives [per rad], relative to the largest value of the quantity.

The error of the accelerations is about a fifth of it, in the measure |x - ref| / max(1, |ref|).
"""

FINEST_TOLERANCE, COARSEST_TOLERANCE = 1e-9, 1e-2
"""Limits of the tolerance: below, rounding of the second derivatives dominates; above, the result is not a valid suspension."""

TRAVEL_SAMPLES = 641
"""Number of thetas in the search for the travel."""

CLOSED = 1e-9
"""m. Largest gap of a closed loop."""

DIFFERENCES = (0.003, 0.005)
"""rad or m, rad. Spacing of the nine samples for the derivatives at a node by theta and by the Pitman angle.

With differences of order eight, truncation and rounding are both near 1e-13 of first derivatives, 1e-11 of second ones.
"""

CENTRAL = np.array(
    [
        [0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0],
        [1 / 280, -4 / 105, 1 / 5, -4 / 5, 0.0, 4 / 5, -1 / 5, 4 / 105, -1 / 280],
        [-1 / 560, 8 / 315, -1 / 5, 8 / 5, -205 / 72, 8 / 5, -1 / 5, 8 / 315, -1 / 560],
    ]
)
"""Central differences of order eight for the value and its first two derivatives, per spacing."""

BETWEEN = (0.2764, 0.5)
"""Relative positions in an interval at which the error is evaluated: the errors of slope and value are largest there."""

GROWTH = 1.25
MAX_CELLS = 4000
PROBES = 5
"""Number of positions along the other variable at which the nodes of one variable are chosen."""


class Source:
    """Reduced quantities of the corners without tables, as functions of theta and Pitman angle.

    Without `steering` the inner tie-rod joints stay at their design positions.
    """

    def __init__(self, mechanism: MechanismParameters, steering: Record | None) -> None:
        self.corners, self.steered = mechanism.corners.copy(), steering is not None
        self.size, self.first_axle = mechanism.size, mechanism.axles.sides[0]
        self.corners[0]["ends"] = no_ends(self.size)[0]
        self.designs, self.blocks = mechanism.designs, mechanism.new_blocks()
        self.reach = [corner.reach(self.corners, i) for i, corner in enumerate(self.designs)]
        self.steering = record(STEERING) if steering is None else steering
        self.largest_angle = float(self.steering[0]["max_arm_angle"])
        self.state, self.inputs = record(STEERING_STATE), record_for(INPUTS, self.size)
        self.inputs[0]["Q"] = mechanism.Q_design
        self.out = record(REDUCED, self.size.wheels)
        kinematics = record_for(KINEMATICS, self.size)
        self.probe = Probe(self.corners, self.blocks, self.steering, self.state, self.inputs, kinematics, self.out)

    def sample(self, theta: Array, angles: Array) -> Array:
        """Return the values (a, b, wheels, STEERED) at theta (wheels, a) and angles (b,)."""
        out = np.empty((theta.shape[1], len(angles), self.size.wheels, STEERED))
        flat = self.out.view(np.float64).reshape(-1, STEERED)
        sample_grid(self.probe, self.steered, theta, angles, flat, out)
        return out

    def derivatives(self, theta: Array, angles: Array) -> Array:
        """Return (n, m, 3, 3, wheels, STEERED): derivatives of orders 0 to 2 by theta and by the Pitman angle [per rad].

        theta : (wheels, n); angles : (m,)
        """
        offsets = np.arange(-4.0, 5.0)
        by_theta, by_angle = (CENTRAL / spacing ** np.arange(3.0)[:, None] for spacing in DIFFERENCES)
        around: Array = (angles[:, None] + DIFFERENCES[1] * offsets).ravel()
        if not self.steered:
            by_angle, around = np.eye(3, 1), angles
        result = np.empty((theta.shape[1], len(angles), 3, 3, self.size.wheels, STEERED))
        for n in range(theta.shape[1]):
            samples = self.sample(theta[:, n, None] + DIFFERENCES[0] * offsets, around)
            along_theta = (by_theta @ samples.reshape(9, -1)).reshape(3, len(angles), by_angle.shape[1], -1)
            result[n] = (by_angle @ along_theta).swapaxes(0, 1).reshape(len(angles), 3, 3, -1, STEERED)
        return result

    def travel(self, struts: Record) -> Array:
        """Return (wheels, 2): thetas from rebound to bump stop plus a margin, limited to closed loops at any steering angle [rad, m]."""
        angles = self.largest_angle * np.linspace(-1.0, 1.0, 5 if self.steered else 1)
        theta = self._widest()
        length = self.sample(theta, angles[:1])[:, 0].view(self.out.dtype)["spring_length"][..., 0]
        found = np.empty((self.size.wheels, 2))
        for i, reach in enumerate(self.reach):
            found[i] = reach.without_stops
            if struts[0]["stop_points"][i] > 0:
                stops = struts[0]["rebound_stop_length"][i], struts[0]["bump_stop_length"][i]
                found[i] = np.interp(stops, length[::-1, i], theta[i, ::-1]) + (-reach.past_stops, reach.past_stops)
        gap = np.array([[self.gap(at, b) for b in angles] for at in theta.T]).max(axis=1)
        for i, reach in enumerate(self.reach):
            open_at = theta[i, gap[:, i] > CLOSED]
            found[i, 0] = max(found[i, 0], np.max(open_at[open_at < 0.0], initial=theta[i, 0]) + reach.short_of_open)
            found[i, 1] = min(found[i, 1], np.min(open_at[open_at > 0.0], initial=theta[i, -1]) - reach.short_of_open)
        return np.clip(found, theta[:, :1], theta[:, -1:])

    def _widest(self) -> Array:
        """Return (wheels, n): thetas in the search for the travel; known ends are reduced by a margin for the differences."""
        margin = 5.0 * DIFFERENCES[0]
        ends = [np.add(reach.widest, (margin, -margin) if reach.closes else 0.0) for reach in self.reach]
        return np.stack([np.linspace(low, high, TRAVEL_SAMPLES) for low, high in ends])

    def gap(self, theta: Array, angle: float) -> Array:
        """Return (wheels,): loop gaps of the corners [m] at theta (wheels,)."""
        self.sample(theta[:, None], np.array([angle]))
        return np.array([corner.gap(self.corners, self.blocks, self.inputs, i) for i, corner in enumerate(self.designs)])


class Probe(NamedTuple):
    """Workspace of the reduced quantities: records of CORNERS, STEERING, STEERING_STATE, INPUTS and KINEMATICS, and those of REDUCED."""

    corners: Record
    blocks: Blocks
    steering: Record
    state: Record
    inputs: Record
    kinematics: Record
    reduced: Record


@kernel
def sample_grid(probe, steered, theta, angles, flat, out):
    """Compute reduced quantities `out` (a, b, wheels, STEERED) at theta (wheels, a) and Pitman angles (b,).

    `flat` is the memory of `reduced`.
    """
    for b in range(angles.shape[0]):
        probe.state[0]["angle"] = angles[b]
        if steered:
            place_tierods(probe.steering, probe.state, probe.inputs)
        for a in range(theta.shape[1]):
            for i in range(theta.shape[0]):
                probe.inputs[0]["theta"][i] = theta[i, a]
            reduce_corners(probe.corners, probe.blocks, probe.inputs, probe.kinematics, probe.reduced)
            for i in range(theta.shape[0]):
                for f in range(flat.shape[1]):
                    out[a, b, i, f] = flat[i, f]


@dataclass(frozen=True)
class Span:
    """Range of tables.

    travel : thetas (wheels, 2) [rad, m]; lock : Pitman angles (2,) [rad]; scale : magnitude of each quantity (wheels, STEERED)
    """

    travel: Array
    lock: Array
    scale: Array

    def theta(self, fraction: Array) -> Array:
        """Return (wheels, n): thetas at fractions (n,) of the travel."""
        return self.travel[:, :1] + np.ptp(self.travel, axis=1)[:, None] * fraction

    def angle(self, fraction: Array) -> Array:
        """Return (n,): Pitman angles at fractions (n,) of the lock."""
        return self.lock[0] + np.ptp(self.lock) * fraction


@dataclass(frozen=True)
class TableReport:
    """Size and accuracy of tables: intervals along theta and Pitman angle (0 = not tabulated), bytes, error (see `table_error`), range."""

    theta_cells: int
    angle_cells: int
    size: int
    error: float
    span: Span


def build_tables(
    mechanism: MechanismParameters, steering: Record | None, tolerance: float = DEFAULT_TOLERANCE
) -> tuple[ReducedTables, TableReport]:
    """Return tables of all corners over their travel, for the front axle also over the full lock of the steering.

    Parameters
    ----------
    mechanism : mechanism of the corners
    steering : record of STEERING, or None for an unsteered vehicle
    tolerance : largest error between the nodes, see DEFAULT_TOLERANCE

    Raises
    ------
    ConfigError : the sides of an axle are coupled
    JounceError : no number of nodes reaches the tolerance
    """
    raise_all(errors_of_axles(mechanism))
    source = Source(mechanism, steering)
    span = _span(source, mechanism.struts)
    theta_cells = _cells_for_tolerance(source, span, tolerance, along_theta=True)
    angle_cells = _cells_for_tolerance(source, span, tolerance, along_theta=False) if source.steered else 0
    tables = _fill(source, span, theta_cells, angle_cells)
    size = tables.fixed.nbytes + tables.steered.nbytes
    return tables, TableReport(theta_cells, angle_cells, size, table_error(tables, source, span), span)


def _span(source: Source, struts: Record) -> Span:
    travel = source.travel(struts)
    span = Span(travel, source.largest_angle * np.array([-1.0, 1.0]), np.empty(0))
    fractions = np.linspace(0.0, 1.0, PROBES)
    values = np.abs(source.sample(span.theta(fractions), span.angle(fractions))).max(axis=(0, 1))
    groups = np.concatenate([np.full(math.prod(row[1]), n) for n, row in enumerate(REDUCED)])
    scale = np.stack([values[:, groups == group].max(axis=1) for group in groups], axis=1)
    return Span(travel, span.lock, np.where(scale > 0.0, scale, 1.0))


def _fill(source: Source, span: Span, theta_cells: int, angle_cells: int) -> ReducedTables:
    """Return tables with the given numbers of intervals."""
    steered = source.first_axle if source.steered else 0
    grid = record_for(GRID, source.size)
    g = grid[0]
    g["steered"], g["theta_cells"], g["angle_cells"] = steered, theta_cells, angle_cells
    theta_step, angle_step = np.ptp(span.travel, axis=1) / theta_cells, np.ptp(span.lock) / max(angle_cells, 1)
    g["theta_min"], g["theta_max"], g["theta_per_step"] = span.travel[:, 0], span.travel[:, 1], 1.0 / theta_step
    theta = span.theta(np.linspace(0.0, 1.0, theta_cells + 1))
    per_theta = theta_step[:, None] ** np.arange(3.0)
    nodes = source.derivatives(theta, np.zeros(1))[:, 0, :, 0, steered:, :FIXED].transpose(2, 0, 1, 3)
    fixed = np.ascontiguousarray(nodes * per_theta[steered:, None, :, None]).reshape(source.size.wheels - steered, -1, FIXED)
    if not steered:
        return no_tables(source.size)._replace(grid=grid, fixed=fixed)
    g["angle_min"], g["angle_max"], g["angle_per_step"] = span.lock[0], span.lock[1], 1.0 / angle_step
    per_angle = angle_step ** np.arange(3.0)[:, None]
    nodes = source.derivatives(theta, span.angle(np.linspace(0.0, 1.0, angle_cells + 1)))[..., :steered, :]
    nodes = nodes.transpose(4, 0, 2, 1, 3, 5) * per_theta[:steered, None, :, None, None, None] * per_angle
    return no_tables(source.size)._replace(
        grid=grid, fixed=fixed, steered=np.ascontiguousarray(nodes).reshape(steered, theta_cells + 1, 3, -1, STEERED)
    )


def _cells_for_tolerance(source: Source, span: Span, tolerance: float, along_theta: bool) -> int:
    """Return the smallest number of intervals of a geometric series within the tolerance, at PROBES positions of the other variable."""
    cells = 4
    while cells <= MAX_CELLS:
        if _error_between(source, span, cells, along_theta) < tolerance:
            return cells
        cells = math.ceil(cells * GROWTH)
    raise JounceError(f"suspension tables: tolerance {tolerance:g} not reached; hint: the tolerance is too small or a loop almost opens")


def _error_between(source: Source, span: Span, cells: int, along_theta: bool) -> float:
    """Return the largest error between the nodes along one variable: of the quantities, their slopes and the curvature of the moment."""
    probes = np.linspace(0.0, 1.0, PROBES if source.steered else 1)
    nodes = np.linspace(0.0, 1.0, cells + 1)
    step = (np.ptp(span.travel, axis=1) if along_theta else np.full(source.size.wheels, np.ptp(span.lock))) / cells

    def along(fractions: Array) -> Array:
        """Return (n, probe, 3, wheels, STEERED): the derivatives along the variable, per interval."""
        if along_theta:
            found = source.derivatives(span.theta(fractions), span.angle(probes))[:, :, :, 0]
        else:
            found = source.derivatives(span.theta(probes), span.angle(fractions))[:, :, 0].swapaxes(0, 1)
        return found * step[:, None] ** np.arange(3.0)[:, None, None]

    at = along(nodes)
    pairs = np.concatenate([at[:-1], at[1:]], axis=2)
    worst = 0.0
    for xi in BETWEEN:
        exact = along(nodes[:-1] + xi / cells)
        for order, weights in enumerate((quintic(xi), quintic_1(xi), quintic_2(xi))):
            error = np.abs(np.einsum("w,npwif->npif", np.array(weights), pairs) - exact[:, :, order]) / step[:, None] ** order / span.scale
            worst = max(worst, float((error if order < 2 else error[..., :3]).max()))
    return worst


def table_error(tables: ReducedTables, source: Source, span: Span, count: int = 40) -> float:
    """Return the largest error of finished tables at count x count positions that avoid the nodes, in the measure of DEFAULT_TOLERANCE."""
    fraction = (np.arange(1, count + 1) * 0.6180339887498949) % 1.0
    theta, angles = span.theta(fraction), span.angle(fraction if source.steered else np.zeros(1))
    exact = source.derivatives(theta, angles)
    block = record_for(INTERPOLATED, source.size)
    r = block[0]
    worst = 0.0
    for n in range(theta.shape[1]):
        for m, angle in enumerate(angles):
            interpolate(tables, np.ascontiguousarray(theta[:, n]), angle, True, block)
            known = np.arange(STEERED) < np.where(np.arange(source.size.wheels) < tables.grid[0]["steered"], STEERED, FIXED)[:, None]
            for found, orders in ((r["value"], (0, 0)), (r["by_theta"], (1, 0)), (r["by_angle"], (0, 1))):
                error = np.abs(found - exact[n, m, orders[0], orders[1]]) / span.scale
                worst = max(worst, float(error[known].max()))
            for row, orders in enumerate(((2, 0), (1, 1), (0, 2))):
                error = np.abs(r["curvature"][:, row] - exact[n, m, orders[0], orders[1], :, :3]) / span.scale[:, :3]
                worst = max(worst, float(error.max()))
    return worst
