"""Motion of a wheel by its table: the pose over travel and Pitman angle with exact derivatives, and the rows of its body and half rack.

The carrier has the attitude R = Rz(psi) Rx(gamma) Ry(phi) R_0^T, with the heading psi of the wheel, its inclination gamma and the turn phi
about its axle, all functions of theta (`table`) and of the Pitman angle delta; R = 1 in the design position.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from simulator.base.arrays import Array, Vector
from simulator.base.errors import ConfigError
from simulator.base.jit import source_digest
from simulator.base.records import Record
from vehicles.multibody.description.rigid_body import RigidBody
from vehicles.steering.contract import RACK
from vehicles.suspension.kc_table.surface import Derivatives
from vehicles.suspension.kc_table.table import CAMBER, CASTER, LATERAL, LONGITUDINAL, SHOCK, SPRING, TOE, TRAVEL, WheelTable
from vehicles.suspension.mechanism.reduced_rows import Moving, place_wheel, reduce
from vehicles.suspension.tables import reduced_table
from vehicles.suspension.tables.reduced_table import PLACED, STEERED

SPARE = 1.02
"""Largest position of the steering at full lock, relative to the end of the table."""


@dataclass
class TableMotion:
    """Motion of a corner by a table, see `vehicles.suspension.corner_design.TableSource`.

    Attributes
    ----------
    table : table of the wheel, with the signs of a left wheel
    side : 1 on the left, -1 on the right
    W : wheel center in the design position (3,) [m]
    body : knuckle and wheel as one body
    lengths : lengths of spring and shock absorber in the design position [m]
    view : points of the carrier for the view (6, 3) [m], in the order of PLACES
    rack : half of the rack that moves with the steering; None: massless
    """

    table: WheelTable
    side: float
    W: Vector
    body: RigidBody
    lengths: tuple[float, float]
    view: Array
    file: str
    key: str
    rack: RigidBody | None = None
    per_angle: float = 0.0
    """Position of the steering in the table per Pitman angle; 0 for a corner that the steering does not move."""
    rack_per_angle: float = 0.0
    """Displacement of the rack to the left per Pitman angle [m]."""

    def __post_init__(self) -> None:
        self._axes_0 = design_axes(self.table, self.side)
        self.axle: Vector = self._axes_0[:, 1]
        # two intervals for each step of the data
        counts = (
            2.0 * (x[-1] - x[0]) / np.diff(x).min() + 1.0 if len(x) > 1 else 0.0 for x in (self.table.surface.x, self.table.surface.y)
        )
        travel, steering = (int(min(count, most)) for count, most in zip(counts, MOST_CELLS, strict=True))
        self.data_cells: tuple[int, int] | None = (travel, steering)

    @property
    def steered(self) -> bool:
        """True if the Pitman angle moves the corner."""
        return self.per_angle != 0.0

    def connect(self, steering: Record, column: int) -> None:
        """Let the Pitman angle move the corner. Raises ConfigError: the table does not reach the lock, or needs a rack."""
        if not self.table.by:
            return
        p, columns = steering[0], self.table.columns
        heading = columns.headings[self.table.by]
        if p["kind"] == RACK:
            self.rack_per_angle = float(p["ratio"] * p["rack_travel"])
        elif self.table.by == "rack":
            raise ConfigError(columns.file, heading, "a rack", "steering_wheel_deg, since the steering of the vehicle has no rack")
        self.per_angle = self.rack_per_angle if self.table.by == "rack" else -float(p["ratio"] * p["gear_ratio"])
        lock, y = abs(self.per_angle) * float(p["max_arm_angle"]), self.table.surface.y
        if lock > SPARE * min(-y[0], y[-1]):
            unit, scale = ("mm", 1e3) if self.table.by == "rack" else ("deg", 180.0 / np.pi)
            expected = f"rows up to the lock of the steering, from {-scale * lock:.4g} to {scale * lock:.4g} {unit}"
            raise ConfigError(columns.file, heading, f"{scale * y[0]:.4g} to {scale * y[-1]:.4g} {unit}", expected)

    def content(self) -> tuple[object, ...]:
        """Return all inputs that determine the rows of the corner."""
        s = self.table.surface
        nodes = s.x.tobytes(), s.y.tobytes(), s.values.tobytes()
        return (
            source_digest(__file__),
            *nodes,
            self.side,
            self.W,
            self.body,
            self.lengths,
            self.view,
            self.rack,
            self.per_angle,
            self.rack_per_angle,
        )

    def strut_lengths(self, theta: Vector) -> Array:
        """Return the lengths (S, 2) of spring and shock absorber straight ahead."""
        return np.array(self.lengths) - self.table.surface.at(theta, np.zeros(len(theta))).value[:, [SPRING, SHOCK]]

    def rows(self, theta: Vector, angle: Vector) -> tuple[Array, Array]:
        """Return rows at S positions, see `vehicles.suspension.mechanism.linkage.Linkage.rows`."""
        d = self._by_angle(theta, angle)
        axes = _axes(*self._angles(d.value)[:2])
        R = axes @ _about_y(self._angles(d.value)[2]) @ self._axes_0.T
        turning, center = self._turning(d, axes), self._center(d)
        body = _of_body(center, turning, R @ (self.body.p_BoBcm - self.W))
        masses, inertias, bodies = [self.body.mass], [R @ self.body.I_BBcm @ R.swapaxes(1, 2)], [body]
        if self.rack is not None:
            masses.append(self.rack.mass)
            inertias.append(np.broadcast_to(self.rack.I_BBcm, R.shape))
            bodies.append(self._moving_rack(angle))
        together = Moving(*(np.stack(fields, axis=1) for fields in zip(*bodies, strict=True)))
        reduced, moment = reduce(np.array(masses), np.stack(inertias, axis=1), together)
        place_wheel(reduced, _of_points(center, turning, np.zeros((len(theta), 1, 3))), axes[:, :, 1])
        for at, k, length in ((reduced_table.SPRING, SPRING, self.lengths[0]), (reduced_table.SHOCK, SHOCK, self.lengths[1])):
            reduced[:, 0, at], reduced[:, 1, at], reduced[:, 2, at] = length - d.value[:, k], -d.x[:, k], -d.y[:, k]
        out = np.zeros((len(theta), 3, STEERED + PLACED))
        out[:, :, :STEERED] = reduced
        self._place_points(out, R, center, turning)
        return out, moment

    def _by_angle(self, theta: Vector, angle: Vector) -> Derivatives:
        """Return the quantities with their derivatives by theta and by the Pitman angle."""
        c = self.per_angle
        d = self.table.surface.at(theta, c * angle if self.side > 0.0 else -c * angle)
        c *= self.side
        return d._replace(y=c * d.y, xy=c * d.xy, yy=c * c * d.yy)

    def _angles(self, values: Array) -> tuple[Array, Array, Array]:
        """Return heading, inclination and turn about the axle from values or derivatives (S, quantities)."""
        return _angles_of(values, self.side)

    def _turning(self, d: Derivatives, axes: Array) -> tuple[Array, ...]:
        """Return w, w_s, w_t, w_d, w_st, w_ss (S, 3), see `Moving`."""
        up, forward, along = np.broadcast_to(np.array([0.0, 0.0, 1.0]), axes[:, :, 0].shape), axes[:, :, 0], axes[:, :, 1]

        def of(values: Array) -> Array:
            psi, gamma, phi = self._angles(values)
            return psi[:, None] * up + gamma[:, None] * forward + phi[:, None] * along

        def change(rates: Array, by: Array) -> Array:
            """Return the change of the axes of rotation, for the rates about them, along the derivative `by`."""
            psi, gamma, _ = self._angles(by)
            turn = psi[:, None] * up
            _, gamma_rate, phi_rate = self._angles(rates)
            bend = turn + gamma[:, None] * forward
            return gamma_rate[:, None] * np.cross(turn, forward) + phi_rate[:, None] * np.cross(bend, along)

        return (
            of(d.x),
            of(d.y),
            of(d.xx) + change(d.x, d.x),
            of(d.xy) + change(d.x, d.y),
            of(d.xy) + change(d.y, d.x),
            of(d.yy) + change(d.y, d.y),
        )

    def _center(self, d: Derivatives) -> tuple[Array, ...]:
        """Return the wheel center and its derivatives by theta, delta, both twice, and mixed, in the order of `Derivatives` (S, 3)."""
        moved = [np.stack([v[:, LONGITUDINAL], self.side * v[:, LATERAL], v[:, TRAVEL]], axis=1) for v in d]
        moved[0] += self.W
        return tuple(moved)

    def _moving_rack(self, angle: Vector) -> Moving:
        """Return the motion of the half rack (S, 3)."""
        assert self.rack is not None
        still = np.zeros((len(angle), 3))
        speed = still + np.array([0.0, self.rack_per_angle, 0.0])
        place = self.rack.p_BoBcm + angle[:, None] * speed
        return Moving(place, still, still, still, speed, *(still for _ in range(7)))

    def _place_points(self, out: Array, R: Array, center: tuple[Array, ...], turning: tuple[Array, ...]) -> None:
        """Write PLACES: the frame of the carrier, and points on it."""
        for n, axis in enumerate((0, 2)):
            x, at = R[:, :, axis], STEERED + 3 * n
            for k, value in enumerate((x, np.cross(turning[0], x), np.cross(turning[1], x))):
                out[:, k, at : at + 3] = value
        points = _of_points(center, turning, np.einsum("sij,nj->sni", R, self.view - self.W))
        for k, value in enumerate((points.p, points.u, points.u_s)):
            out[:, k, STEERED + 6 :] = value.reshape(len(R), -1)


MOST_CELLS = 160, 64
"""Largest numbers of intervals that a table asks for; finer data are sampled."""


def design_axes(table: WheelTable, side: float) -> Array:
    """Return the forward direction, the axle and their normal of a wheel in the design position, as columns (3, 3)."""
    psi, gamma, _ = _angles_of(table.surface.at(np.zeros(1), np.zeros(1)).value, side)
    return np.asarray(_axes(psi, gamma)[0])


def _angles_of(values: Array, side: float) -> tuple[Array, Array, Array]:
    return -side * values[:, TOE], -side * values[:, CAMBER], -values[:, CASTER]


def wheel_axes(psi: float, gamma: float) -> Array:
    """Return forward direction, axle and their normal of a wheel with a heading and an inclination [rad], as columns (3, 3)."""
    return np.asarray(_axes(np.array([psi]), np.array([gamma]))[0])


def _axes(psi: Vector, gamma: Vector) -> Array:
    """Return Rz(psi) Rx(gamma) (S, 3, 3); the columns are the forward direction, the axle and their normal."""
    c, s, cg, sg, none = np.cos(psi), np.sin(psi), np.cos(gamma), np.sin(gamma), np.zeros_like(psi)
    return np.stack([np.stack([c, s, none], -1), np.stack([-s * cg, c * cg, sg], -1), np.stack([s * sg, -c * sg, cg], -1)], axis=-1)


def _about_y(phi: Vector) -> Array:
    """Return Ry(phi) (S, 3, 3)."""
    c, s, none, one = np.cos(phi), np.sin(phi), np.zeros_like(phi), np.ones_like(phi)
    return np.stack([np.stack([c, none, -s], -1), np.stack([none, one, none], -1), np.stack([s, none, c], -1)], axis=-1)


def _of_body(center: tuple[Array, ...], turning: tuple[Array, ...], r: Array) -> Moving:
    """Return the motion of one point r (S, 3) from the wheel center, in chassis axes."""
    points = _of_points(center, turning, r[:, None])
    return Moving(*(field[:, 0] for field in points))


def _of_points(center: tuple[Array, ...], turning: tuple[Array, ...], r: Array) -> Moving:
    """Return the motion of points r (S, n, 3) from the wheel center, in chassis axes."""
    p, p_t, p_s, p_tt, p_ts, p_ss = (one[:, None] for one in center)
    w, w_s, w_t, w_d, w_st, w_ss = (np.broadcast_to(one[:, None], r.shape) for one in turning)
    by_t, by_s = np.cross(w, r), np.cross(w_s, r)
    return Moving(
        p=p + r,
        w=w,
        u=p_t + by_t,
        w_s=w_s,
        u_s=p_s + by_s,
        w_t=w_t,
        w_d=w_d,
        w_st=w_st,
        w_ss=w_ss,
        u_t=p_tt + np.cross(w_t, r) + np.cross(w, by_t),
        u_ts=p_ts + np.cross(w_d, r) + np.cross(w, by_s),
        u_ss=p_ss + np.cross(w_ss, r) + np.cross(w_s, by_s),
    )
