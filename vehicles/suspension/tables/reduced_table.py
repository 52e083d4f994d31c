"""Tables of the reduced inertia of a corner, over the arm angle theta and the Pitman angle.

Seen from the chassis a corner is a composite inertia M, a coupling G and an inertia D of theta (see `vehicles.dynamics`), smooth
functions of theta and, on the front axle, of the Pitman angle delta. No other properties of its seven bodies enter the equations of motion.
With the velocities V_i = V_B + J_i theta' + K_i delta' of its bodies about the chassis reference point its kinetic energy is

    T = 1/2 V_B . M V_B + V_B . (G theta' + E delta') + 1/2 D theta'^2 + F theta' delta' + 1/2 H delta'^2
    M = sum M_i   G = sum M_i J_i   E = sum M_i K_i   D = sum J_i^T M_i J_i   F = sum J_i^T M_i K_i   H = sum K_i^T M_i K_i

The linear part of G and E is the derivative of the moment sum m c by theta and delta, so it needs no table of its own. The velocity
terms follow from the derivatives of the interpolated functions (`vehicles.suspension.tables.tabulated`). The equations of motion are
exactly those of the interpolated energy, which is therefore conserved even for a coarse table.

Interpolation uses quintic Hermite polynomials in theta and their tensor product in theta and delta (all derivatives up to the second in
each variable at the nodes): C2, so that accelerations do not jump at a node. Cubic polynomials would give C1, but the velocity terms
contain second derivatives, and an accuracy of 1e-9 would take about ten thousand nodes along theta.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from simulator.base.algebra.hermite import covered, locate, quintic, quintic_1, quintic_2
from simulator.base.jit import fma, inline, kernel
from simulator.base.records import Record, dtype_of
from vehicles.axle_layout import USUAL, WHEELS, AxleLayout, record_for
from vehicles.suspension.blocks import place_blocks, steer_blocks

REDUCED = (
    ("moment", (3,), "kg m", "sum of mass times position"),
    ("inertia", (6,), "kg m2", "inertia about the reference point (xx, yy, zz, xy, xz, yz)"),
    ("G", (3,), "kg m2", "angular part of the coupling of chassis and theta"),
    ("D", (), "kg m2", "inertia of theta"),
    ("W", (3,), "m", "wheel center"),
    ("axle", (3,), "1", "wheel axle"),
    ("w", (3,), "1", "angular velocity of the carrier per theta_dot"),
    ("spring_length", (), "m", "length of the spring"),
    ("shock_length", (), "m", "length of the shock absorber"),
    ("E", (3,), "kg m2", "angular part of the coupling of chassis and Pitman angle"),
    ("F", (), "kg m2", "coupling of theta and Pitman angle"),
    ("H", (), "kg m2", "inertia of the Pitman angle"),
    ("w_steer", (3,), "1", "angular velocity of the carrier per rate of the Pitman angle"),
)
"""Reduced quantities of one corner, in chassis axes and about the chassis reference point. Those of the Pitman angle alone come last."""

MOMENT, INERTIA, G, D, W, AXLE, RATE, SPRING, SHOCK, E, F, H, STEER_RATE = (dtype_of(REDUCED).fields[row[0]][1] // 8 for row in REDUCED)  # type: ignore[index]
"""Offsets of the fields of REDUCED in a row of numbers."""

STEERED = dtype_of(REDUCED).itemsize // 8
FIXED = E
"""Lengths of a row of REDUCED: STEERED for a corner with a moving inner tie-rod joint, FIXED for one with a fixed joint."""

PLACES = (
    ("carrier_x", (3,), "1", "first axis of the carrier frame"),
    ("carrier_z", (3,), "1", "third axis of the carrier frame"),
    ("D", (3,), "m", "outer joint of the lower link"),
    ("F", (3,), "m", "outer joint of the upper link"),
    ("K", (3,), "m", "outer joint of the tie rod"),
    ("B", (3,), "m", "lower end of the shock absorber"),
    ("S", (3,), "m", "lower end of the spring"),
    ("Q", (3,), "m", "inner joint of the tie rod"),
)
"""Positions of the parts of a corner for view and readout, which are part of the closed form but not of REDUCED."""

PLACED = dtype_of(PLACES).itemsize // 8
"""Length of PLACES as a row of numbers."""

INTERPOLATED = (
    ("value", (WHEELS, STEERED), "", "REDUCED of the corners as rows of numbers"),
    ("by_theta", (WHEELS, STEERED), "", "derivative of value by theta"),
    ("by_angle", (WHEELS, STEERED), "", "derivative of value by the Pitman angle"),
    ("curvature", (WHEELS, 3, 3), "kg m", "second derivatives of the moment: by theta, by theta and Pitman angle, by the Pitman angle"),
    ("rows", (6, STEERED), "", "scratch: the nodes along theta, at the present Pitman angle"),
    ("rows_by_angle", (6, STEERED), "", "scratch: derivatives of rows by the Pitman angle"),
)
"""Result of one evaluation of the tables [per rad]. For an unsteered corner `by_angle` and the numbers from E on are zero."""

GRID = (
    ("steered", (), "1", "number of corners, from the front, that are tabulated over the Pitman angle, too: 2 or 0", "i8"),
    ("theta_min", (WHEELS,), "rad", "lower end of the tables, per corner"),
    ("theta_max", (WHEELS,), "rad", "upper end of the tables, per corner"),
    ("theta_per_step", (WHEELS,), "1/rad", "nodes per angle along theta"),
    ("theta_cells", (), "1", "intervals along theta; 0 = no table", "i8"),
    ("angle_min", (), "rad", "smallest Pitman angle of the tables"),
    ("angle_max", (), "rad", "largest Pitman angle of the tables"),
    ("angle_per_step", (), "1/rad", "nodes per Pitman angle"),
    ("angle_cells", (), "1", "intervals along the Pitman angle", "i8"),
    ("endless", (), "1", "1 if the tables are extrapolated beyond their ends, without an alternative model", "i8"),
    ("placed", (WHEELS,), "1", "1 if PLACES are tabulated, too, per corner", "i8"),
    ("first_place", (WHEELS,), "1", "first row of PLACES of the corner", "i8"),
    ("place_cells", (), "1", "intervals of the tables of PLACES along theta", "i8"),
    ("place_angle_cells", (), "1", "intervals of the tables of PLACES along the Pitman angle", "i8"),
    ("place_min", (WHEELS,), "rad, m", "lower end of the tables of PLACES, per corner"),
    ("place_per_step", (WHEELS,), "1/rad, 1/m", "nodes of the tables of PLACES per theta"),
    ("place_angle_per_step", (), "1/rad", "nodes of the tables of PLACES per Pitman angle"),
)
"""Layout of the nodes."""


class ReducedTables(NamedTuple):
    """Values at the nodes with their derivatives, each per interval. An interval uses six rows: value, slope and curvature at both ends.

    fixed : (wheels - steered, 3 * theta nodes, FIXED)
    steered : (steered, theta nodes, 3, 3 * angle nodes, STEERED), third index: order of the derivative by theta
    places : (rows, PLACED), PLACES with fewer nodes, corner after corner; empty if the closed form gives the positions
    """

    grid: Record
    fixed: NDArray[np.float64]
    steered: NDArray[np.float64]
    places: NDArray[np.float64]


def no_tables(size: AxleLayout = USUAL) -> ReducedTables:
    """Return empty tables: the vehicle then uses the closed form."""
    return ReducedTables(
        record_for(GRID, size),
        np.zeros((0, 0, FIXED)),
        np.zeros((0, 0, 3, 0, STEERED)),
        np.zeros((0, PLACED)),
    )


@inline
def covers(tables, theta, angle):
    """Return True when the arm angles [rad] and the Pitman angle [rad] lie within the tables, or the tables are extrapolated."""
    g = tables.grid[0]
    if g["endless"] > 0:
        return True
    inside = g["theta_cells"] > 0
    for i in range(len(theta)):
        inside = inside and covered(theta[i], g["theta_min"][i], g["theta_max"][i])
    if g["steered"] > 0:
        inside = inside and covered(angle, g["angle_min"], g["angle_max"])
    return inside


@inline
def interpolate(tables, theta, angle, steering_moves, r):
    """Compute the reduced quantities of the corners with their derivatives [per rad], for angles that the tables cover.

    Parameters
    ----------
    tables : ReducedTables
    theta : (wheels,) arm angles [rad]
    angle : Pitman angle [rad]
    steering_moves : False leaves out the results that only a nonzero rate of the Pitman angle needs: `by_angle`, the last rows of
        `curvature` and the quantities from E on keep their old values
    r : record of INTERPOLATED, overwritten
    """
    g = tables.grid[0]
    steered = g["steered"]
    for i in range(steered, len(theta)):
        n, xi = locate(theta[i], g["theta_min"][i], g["theta_per_step"][i], g["theta_cells"])
        along_theta(tables.fixed[i - steered], 3 * n, FIXED, xi, g["theta_per_step"][i], i, r)
    if steered > 0:
        m, eta = locate(angle, g["angle_min"], g["angle_per_step"], g["angle_cells"])
        per_angle = g["angle_per_step"]
        around = Weights(quintic(eta), scaled(quintic_1(eta), per_angle), scaled(quintic_2(eta), per_angle * per_angle))
        for i in range(steered):
            n, xi = locate(theta[i], g["theta_min"][i], g["theta_per_step"][i], g["theta_cells"])
            if steering_moves:
                along_both(tables.steered[i], Spot(n, xi, g["theta_per_step"][i]), 3 * m, around, i, r)
            else:
                for order in range(3):
                    weigh(around.value, tables.steered[i, n, order], 3 * m, FIXED, r[0]["rows"][order])
                    weigh(around.value, tables.steered[i, n + 1, order], 3 * m, FIXED, r[0]["rows"][order + 3])
                along_theta(r[0]["rows"], 0, FIXED, xi, g["theta_per_step"][i], i, r)


@inline
def interpolate_places(tables, i, theta, angle, r):
    """Compute the row PLACES of corner i into the scratch row 0 of r (a record of INTERPOLATED), from tables that have PLACES."""
    g = tables.grid[0]
    rows, rows_by_angle = r[0]["rows"], r[0]["rows_by_angle"]
    first = g["first_place"][i]
    n, xi = locate(theta, g["place_min"][i], g["place_per_step"][i], g["place_cells"])
    w = quintic(xi)
    if i >= g["steered"]:
        weigh(w, tables.places, first + 3 * n, PLACED, rows[0])
        return
    m, eta = locate(angle, g["angle_min"], g["place_angle_per_step"], g["place_angle_cells"])
    u, around = quintic(eta), 3 * (g["place_angle_cells"] + 1)
    for order in range(6):  # value, slope and curvature by theta at both nodes
        weigh(u, tables.places, first + (3 * n + order) * around + 3 * m, PLACED, rows_by_angle[order])
    weigh(w, rows_by_angle, 0, PLACED, rows[0])


class Spot(NamedTuple):
    """Position along one variable: the first row of its interval, the relative position in it, and nodes per unit of the variable."""

    first: int
    share: float
    per_step: float


class Weights(NamedTuple):
    """Weights of the six rows of an interval for the value and its first two derivatives."""

    value: tuple[float, ...]
    first: tuple[float, ...]
    second: tuple[float, ...]


@inline
def along_both(nodes, theta, first, around, i, r):
    """Interpolate corner i along the Pitman angle at the six rows of the interval of theta, then along theta.

    theta : Spot; first : row of the interval of the Pitman angle, around : Weights in it
    """
    n, xi, per_step = theta
    v, v_1, v_2 = around
    w, w_1 = quintic(xi), scaled(quintic_1(xi), per_step)
    rows, rows_by_angle = r[0]["rows"], r[0]["rows_by_angle"]
    for order in range(3):
        weigh_twice(v, v_1, nodes[n, order], first, rows[order], rows_by_angle[order])
        weigh_twice(v, v_1, nodes[n + 1, order], first, rows[order + 3], rows_by_angle[order + 3])
    along_theta(rows, 0, STEERED, xi, per_step, i, r)
    weigh(w, rows_by_angle, 0, STEERED, r[0]["by_angle"][i])
    weigh(w_1, rows_by_angle, 0, 3, r[0]["curvature"][i, 1])
    for order in range(3):
        weigh(v_2, nodes[n, order], first, 3, rows_by_angle[order])
        weigh(v_2, nodes[n + 1, order], first, 3, rows_by_angle[order + 3])
    weigh(w, rows_by_angle, 0, 3, r[0]["curvature"][i, 2])


@inline
def weigh_twice(w, w_1, rows, first, out, out_1):
    """Apply `weigh` with two sets of weights at once, reading the rows only once."""
    for f in range(STEERED):
        a, b, c, d, e, h = (
            rows[first, f],
            rows[first + 1, f],
            rows[first + 2, f],
            rows[first + 3, f],
            rows[first + 4, f],
            rows[first + 5, f],
        )
        out[f] = fma(w[5], h, fma(w[4], e, fma(w[3], d, fma(w[2], c, fma(w[1], b, w[0] * a)))))
        out_1[f] = fma(w_1[5], h, fma(w_1[4], e, fma(w_1[3], d, fma(w_1[2], c, fma(w_1[1], b, w_1[0] * a)))))


@inline
def along_theta(rows, first, count, xi, per_step, i, r):
    """Compute value and slope of corner i, and the curvature of its moment, from the six rows of an interval."""
    weigh(quintic(xi), rows, first, count, r[0]["value"][i])
    weigh(scaled(quintic_1(xi), per_step), rows, first, count, r[0]["by_theta"][i])
    weigh(scaled(quintic_2(xi), per_step * per_step), rows, first, 3, r[0]["curvature"][i, 0])


@inline
def weigh(w, rows, first, count, out):
    """Compute the leading `count` numbers as the sum of the six rows of an interval, with the six weights of a Hermite polynomial."""
    for f in range(count):
        x = fma(w[2], rows[first + 2, f], fma(w[1], rows[first + 1, f], w[0] * rows[first, f]))
        out[f] = fma(w[5], rows[first + 5, f], fma(w[4], rows[first + 4, f], fma(w[3], rows[first + 3, f], x)))


@inline
def scaled(w, s):
    """Return six weights times s."""
    return s * w[0], s * w[1], s * w[2], s * w[3], s * w[4], s * w[5]


@kernel
def reduce_corners(corners, blocks, q, k, out):
    """Compute the reduced quantities in closed form.

    Parameters
    ----------
    corners : record of CORNERS, without ends
    blocks : Blocks
    q : record of INPUTS; theta_dot and the velocities of Q must be zero
    k : record of KINEMATICS, overwritten; it must be new if no corner is steered
    out : REDUCED records of the corners, overwritten
    """
    place_blocks(corners, blocks, q, k)
    steer_blocks(blocks, q, k)
    o = k[0]
    for i in range(len(o["D"])):
        for j in range(6):
            out[i]["inertia"][j] = o["inertia"][j, i]
        for j in range(3):
            out[i]["moment"][j], out[i]["G"][j], out[i]["E"][j] = o["moment"][j, i], o["G"][j, i], o["E"][j, i]
            out[i]["W"][j], out[i]["axle"][j] = o["W"][j, i], o["axle"][j, i]
            out[i]["w"][j], out[i]["w_steer"][j] = o["w"][j, i], o["w_steer"][j, i]
        out[i]["D"], out[i]["F"], out[i]["H"] = o["D"][i], o["F"][i], o["H"][i]
        out[i]["spring_length"], out[i]["shock_length"] = o["spring_length"][i], o["shock_length"][i]
