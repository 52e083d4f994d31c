"""Static equilibrium (trim): the position in which a vehicle at rest has no acceleration.

The unknowns are the six coordinates of the chassis and the thetas of the corners. The contact position of the chassis on the ground is
given. The three horizontal coordinates are the small displacement that pulls the tires, fixed at this position, sideways until they carry
the slope force. On level ground this displacement is zero. The brakes carry the moments about the axles, and the torque of the idling
engine in gear.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from simulator.base.arrays import Vector
from simulator.base.errors import JounceError
from simulator.base.jit import inline, kernel
from simulator.base.rotations import quaternion_of_rotation, rotation_of_euler, rotation_of_quaternion
from terrain.ground import GroundArrays
from vehicles.corner_layout import axle_of, sum_on_axle
from vehicles.drivetrain.conventional.torque_converter import converter_torques
from vehicles.drivetrain.driveline import wheel_share
from vehicles.equilibrium_guess import TILTS, first_guess, guessed_deflections, heights_under_wheels, inclination_of, leave_stops
from vehicles.stages import (
    add_drive_reactions,
    compute_head_motion,
    gather_tire_loads,
    solve_accelerations,
    update_suspension_exact,
)
from vehicles.steering.steering import place_tierods
from vehicles.tires.tire_set import evaluate_callback_models, hold_tire, press_tire, touch_ground
from vehicles.tires.vertical_force import static_force
from vehicles.vehicle_model import VehicleData, VehicleModel

RESIDUAL = 1e-9
"""m/s2 and rad/s2. Maximum acceleration of a settled vehicle."""

GOAL = 0.1 * RESIDUAL
"""m/s2 and rad/s2. Target residual of the solver."""

ROUNDING = 1e-3 * RESIDUAL
"""m/s2 and rad/s2. Residual below which further iterations only add rounding errors."""

MAX_ITERATIONS = 80
"""Maximum number of Newton iterations; six are enough on level ground."""

SINGULAR = 1e-14
"""Relative cutoff for singular values of the derivatives: no residual depends on a direction below the cutoff."""

MAX_HALVINGS = 20
"""Maximum number of times a Newton step is halved to reduce the residual."""

TWIST = 0.05
"""m. Twist of the ground (sum of the heights under two diagonal wheels minus that of the other two) above which tilted guesses are tried.

On twisted ground a wheel may hang in the air, and its stops and the loss of contact are kinks at which an iteration can get stuck. On a
plane the untilted guess suffices.
"""

MAX_RELAXATIONS = 200
"""Maximum number of relaxation steps; 10 to 130 are usual."""

RELAXED = 1e-2
"""m/s2 and rad/s2. Residual below which Newton's method replaces the relaxation."""

FIRST_INTERVAL, SLOWEST, FASTEST = 1e-3, 0.3, 2.0
"""s2, first interval of the relaxation; limits of the ratio of one interval to the one before."""

TIPPED = 0.5
"""rad. Change of roll or pitch in a relaxation above which the vehicle falls over."""

LARGEST_CHANGE = 0.03
"""m, rad. Maximum change in one iteration: the stops and the loss of contact are sharp kinks."""

STEP = 1e-7
"""m, rad. Half width of the differences."""

REACH_ITERATIONS = 8
"""Iterations that move the arms to the ground in the initial guess."""

MAX_SEARCHES = 12
"""Maximum number of iterations of the contact search; each gains two or three digits."""


MAX_CHORDS = 12
"""Maximum number of iterations with the same derivatives. Each takes a tenth of the time of a Newton iteration and gains two digits or
more."""


@dataclass
class Equilibrium:
    """A computed equilibrium.

    place : (3,) x, y [m] and yaw [rad] at which the tires are fixed to the ground
    unknown : (6 + wheels,), see `static_residual`
    derivatives : (6 + wheels, 6 + wheels) of the residual, near the equilibrium
    """

    place: Vector
    unknown: Vector
    derivatives: Vector

    @cached_property
    def back(self) -> Vector:
        """Pseudo-inverse of the derivatives."""
        return np.asarray(np.linalg.pinv(self.derivatives, rcond=SINGULAR))

    def moved_to(self, place: Vector, height: float, roll: float, pitch: float) -> Equilibrium:
        """Return the equilibrium predicted for another position, on ground with this height [m] and inclination [rad]."""
        unknown, derivatives, back = self.unknown.copy(), self.derivatives.copy(), self.back.copy()
        unknown[2:5] += height, roll, pitch
        turned = float(place[2] - self.place[2])  # the displacement is expressed in world axes
        R = np.array([[math.cos(turned), -math.sin(turned)], [math.sin(turned), math.cos(turned)]])
        unknown[:2], derivatives[:, :2], back[:2] = R @ unknown[:2], derivatives[:, :2] @ R.T, R @ back[:2]
        moved = Equilibrium(place, unknown, derivatives)
        moved.back = back
        return moved


class EquilibriumWorkspace(NamedTuple):
    """Arrays of the equilibrium solver, for the kernels.

    place, unknown : of an `Equilibrium`; the solver updates the unknown
    residual : (6 + wheels,) of `static_residual` at the unknown
    scratch : (2, 6 + wheels)
    """

    place: Vector
    unknown: Vector
    residual: Vector
    scratch: Vector

    @staticmethod
    def at(near: Equilibrium) -> EquilibriumWorkspace:
        """Return a workspace that starts at an equilibrium; its residual is not initialized."""
        return EquilibriumWorkspace(near.place, near.unknown, np.empty_like(near.unknown), np.empty((2, len(near.unknown))))


def settle(
    m: VehicleModel, s: VehicleData, ground: GroundArrays, x: float, y: float, yaw: float, level: Equilibrium | None = None
) -> Equilibrium:
    """Bring chassis, arms and tires into equilibrium at (x, y) [m] with heading yaw [rad]; the drivetrain state is not changed.

    Parameters
    ----------
    level : approximate equilibrium on level ground of height 0, if known; used as the first guess on nearly level ground

    Raises
    ------
    JounceError : no equilibrium is found
    """
    place_tierods(m.steering, s.steering, s.inputs)  # the last drive may have moved the tie rods
    idle_drive(m, s)
    place = np.array([x, y, yaw])
    fl, fr, rl, rr = heights = heights_under_wheels(ground, x, y, yaw)
    smallest, twisted = math.inf, abs(fl - fr - rl + rr) > TWIST
    if level is not None and not twisted:
        near = level.moved_to(place, 0.25 * sum(heights), *inclination_of(heights))
        if settle_on(m, s, ground, near):
            compute_head_motion(m, s)
            return near
    for roll, pitch in TILTS if twisted else TILTS[:1]:
        found, residual = _solve_from_guess(m, s, ground, place, heights, (roll, pitch))
        if twisted and not residual < RESIDUAL:
            _relax(m, s, ground, found)
            found, residual = _solve_by_newton(m, s, ground, found)
        if residual < RESIDUAL:
            compute_head_motion(m, s)
            return found
        smallest = min(smallest, residual)
    raise JounceError(f"no equilibrium at x = {x:g} m, y = {y:g} m (smallest residual: {smallest:.2g} m/s2)")


def settle_again(m: VehicleModel, s: VehicleData, ground: GroundArrays, before: Equilibrium, level: Equilibrium | None) -> Equilibrium:
    """Repeat `settle` after a small change of the steering arm or the bushings, starting at the equilibrium `before` the change.

    A vehicle on twisted ground may have several equilibria: it rests on one diagonal pair of wheels or on the other. A search from a new
    guess may find another one each time, and the iteration over arm and bushings would alternate between them. A new guess is used only
    if this equilibrium no longer exists after the change. Parameters, exceptions: as for `settle`.
    """
    near = Equilibrium(before.place, before.unknown.copy(), before.derivatives)
    if not settle_on(m, s, ground, near):
        near, residual = _solve_by_newton(m, s, ground, near)
        if not residual < RESIDUAL:
            x, y, yaw = before.place.tolist()
            return settle(m, s, ground, x, y, yaw, level)
    compute_head_motion(m, s)
    return near


def _solve_from_guess(
    m: VehicleModel, s: VehicleData, ground: GroundArrays, place: Vector, heights: list[float], tilt: tuple[float, float]
) -> tuple[Equilibrium, float]:
    """Return the result of Newton's method and its maximum acceleration. The initial guess is tilted by (roll, pitch) [rad] relative to the
    ground, whose heights under the wheels are given [m]."""
    gravity = float(ground.p[0]["gravity"])
    touch = guessed_deflections(m, gravity)
    unknown = first_guess(m, s, gravity, heights, float(touch.sum()) / len(touch))
    unknown[3:5] += tilt
    near = Equilibrium(place, unknown, np.zeros((len(unknown), len(unknown))))
    reach_ground(m, s, ground, touch, EquilibriumWorkspace.at(near))
    leave_stops(m, s, gravity, unknown)
    return _solve_by_newton(m, s, ground, near)


def _solve_by_newton(m: VehicleModel, s: VehicleData, ground: GroundArrays, near: Equilibrium) -> tuple[Equilibrium, float]:
    """Return the result of Newton's method, started at a position `near` an equilibrium, and its maximum acceleration. Overwrites the
    unknown of `near`."""
    search, place, unknown = EquilibriumWorkspace.at(near), near.place, near.unknown
    residual, trial = search.residual, np.empty_like(unknown)
    static_residual(m, s, ground, place, unknown, residual)
    for _ in range(MAX_ITERATIONS):
        if _max_acceleration(residual) < GOAL:
            break
        near = Equilibrium(place, unknown, np.empty_like(near.derivatives))
        differentiate(m, s, ground, search, near.derivatives)
        if not (np.isfinite(near.derivatives).all() and np.isfinite(residual).all()):
            break  # a corner does not close at this position
        change = -near.back @ residual
        change *= min(1.0, LARGEST_CHANGE / float(np.abs(change).max()))
        before = float(residual @ residual)
        for _ in range(MAX_HALVINGS):
            static_residual(m, s, ground, place, unknown + change, trial)
            if float(trial @ trial) < before:
                break
            change *= 0.5
        else:
            break  # limited by rounding
        unknown += change
        residual[:] = trial
        follow_chords(m, s, ground, search, near.back)
    static_residual(m, s, ground, place, unknown, residual)
    return near, _max_acceleration(residual)


def _relax(m: VehicleModel, s: VehicleData, ground: GroundArrays, near: Equilibrium) -> None:
    """Move the unknown of `near` toward a stable equilibrium, in implicit Euler steps of dx / dt = acceleration, t in s2.

    The accelerations point down the potential energy, so this motion passes the kinks at which Newton's method gets stuck because its
    residual grows there for a while. An interval changes in proportion to the inverse of the residual and becomes infinite near the
    equilibrium, where a step is one of Newton's method (pseudo-transient continuation, Kelley and Keyes 1998 [mem]).
    """
    search, unknown, interval = EquilibriumWorkspace.at(near), near.unknown, FIRST_INTERVAL
    residual, jacobian, start = search.residual, np.empty_like(near.derivatives), near.unknown[3:5].copy()
    rows = np.r_[3:6, 0:3, 6 : len(unknown)]  # accelerations in the order of the unknowns
    static_residual(m, s, ground, near.place, unknown, residual)
    for _ in range(MAX_RELAXATIONS):
        before = float(np.linalg.norm(residual))
        differentiate(m, s, ground, search, jacobian)
        if before < RELAXED or not np.isfinite(jacobian).all():
            break
        change = np.linalg.solve(np.eye(len(unknown)) / interval - jacobian[rows], residual[rows])
        unknown += change * min(1.0, LARGEST_CHANGE / float(np.abs(change).max()))
        static_residual(m, s, ground, near.place, unknown, residual)
        interval *= float(np.clip(before / np.linalg.norm(residual), SLOWEST, FASTEST))
        if not np.abs(unknown[3:5] - start).max() < TIPPED:  # also true for NaN
            break


def _max_acceleration(residual: Vector) -> float:
    """Return the maximum acceleration; infinite if one is not finite."""
    maximum = float(np.abs(residual).max())
    return maximum if math.isfinite(maximum) else math.inf


def settle_on(m: VehicleModel, s: VehicleData, ground: GroundArrays, near: Equilibrium) -> bool:
    """Solve for the equilibrium near the equilibrium before a small change of the vehicle. Return False if the solver does not converge.

    Afterwards only the position is right; the full state at rest requires `settle`.
    """
    return bool(solve_from(m, s, ground, EquilibriumWorkspace.at(near), near.back) < GOAL)


@kernel
def solve_from(m, s, ground, search, back):
    """Run `follow_chords` from any start, leave the vehicle at the result, and return the maximum acceleration there."""
    static_residual(m, s, ground, search.place, search.unknown, search.residual)
    follow_chords(m, s, ground, search, back)
    static_residual(m, s, ground, search.place, search.unknown, search.residual)
    return largest(search.residual)


@kernel
def follow_chords(m, s, ground, search, back):
    """Iterate Newton's method from the state of an `EquilibriumWorkspace` with constant derivatives, as long as each iteration gains a
    digit.

    back : pseudo-inverse of the derivatives of the residual near the start
    """
    unknown, residual = search.unknown, search.residual
    further, trial = search.scratch[0], search.scratch[1]
    for _ in range(MAX_CHORDS):
        before = largest(residual)
        if before < ROUNDING:
            break
        for n in range(len(unknown)):
            further[n] = unknown[n]
            for k in range(len(unknown)):
                further[n] -= back[n, k] * residual[k]
        static_residual(m, s, ground, search.place, further, trial)
        if not largest(trial) < 0.1 * before:  # also true for NaN
            break
        for n in range(len(unknown)):
            unknown[n], residual[n] = further[n], trial[n]


@inline
def largest(residual):
    """Return the maximum magnitude of the elements; NaN if one is NaN."""
    maximum = 0.0
    for one in residual:
        if abs(one) > maximum or math.isnan(one):
            maximum = abs(one)
    return maximum


@kernel
def differentiate(m, s, ground, search, jacobian):
    """Compute the central differences of `static_residual` at the state of an `EquilibriumWorkspace`."""
    place, unknown, up, down = search.place, search.unknown, search.scratch[0], search.scratch[1]
    for n in range(len(unknown)):
        here = unknown[n]
        unknown[n] = here + STEP
        static_residual(m, s, ground, place, unknown, up)
        unknown[n] = here - STEP
        static_residual(m, s, ground, place, unknown, down)
        unknown[n] = here
        for row in range(len(up)):
            jacobian[row, n] = (up[row] - down[row]) / (2.0 * STEP)


@kernel
def reach_ground(m, s, ground, touch, search):
    """Move the suspension of the guess in an `EquilibriumWorkspace` until every tire is deflected by `touch` (wheels,), so that it has
    contact."""
    guess = search.unknown
    for _ in range(REACH_ITERATIONS):
        static_residual(m, s, ground, search.place, guess, search.residual)
        for i in range(len(s.wheels)):
            theta = guess[6 + i] + (s.contacts[i]["depth"] - touch[i]) / s.kinematics[0]["W_1"][2, i]
            low, high = m.corners[0]["travel"][0, i], m.corners[0]["travel"][1, i]
            guess[6 + i] = low if theta < low else high if theta > high else theta  # NaN stays NaN


@kernel
def idle_drive(m, s):
    """Compute the half-shaft torques of the engine idling against the converter with the wheels at rest, and their reaction on the
    chassis."""
    d = s.drivetrain[0]
    turbine = 0.0
    if d["gear"] != 0 and m.drivetrain[0]["has_clutch"] == 0:
        turbine = converter_torques(m.drivetrain, d["engine_speed"], d["turbine_speed"])[1]
    s.axles[0]["reaction_y"] = 0.0
    for i in range(len(s.wheels)):
        axle = axle_of(m.drivetrain, i)
        fraction, hub = wheel_share(m.drivetrain, axle), m.drivetrain[0]["hub_ratio"][axle]
        s.axles[0]["drive_torque"][i] = fraction * turbine / d["ratio"] if d["gear"] != 0 else 0.0
        s.axles[0]["hub_torque"][i] = (hub - 1.0) * s.axles[0]["drive_torque"][i]
        s.axles[0]["reaction_y"] -= hub * s.axles[0]["drive_torque"][i]
    for axle in range(len(m.drivetrain[0]["final_ratio"])):
        is_driven, hub = wheel_share(m.drivetrain, axle) > 0.0, m.drivetrain[0]["hub_ratio"][axle]
        torque = hub * sum_on_axle(m.drivetrain, axle, s.axles[0]["drive_torque"])
        s.axles[0]["housing_torque"][axle] = -torque
        s.axles[0]["pinion_torque"][axle] = torque * m.drivetrain[0]["final_ratio"][axle] / hub if is_driven else 0.0


@kernel
def static_residual(m, s, ground, place, unknown, residual):
    """Compute the accelerations (angular 3, linear 3, thetas) of the vehicle at rest in the given position.

    Parameters
    ----------
    place : (3,) x, y [m] and yaw [rad] at which the tires are fixed to the ground
    unknown : (6 + wheels,) displacement dx, dy from this position, height z [m], roll, pitch, change of yaw [rad], thetas [rad]
    residual : (6 + wheels,) accelerations relative to the world, overwritten [rad/s2, m/s2]
    """
    x = s.state[0]
    x["p_WB"][0] = place[0] + unknown[0]
    x["p_WB"][1] = place[1] + unknown[1]
    x["p_WB"][2] = unknown[2]
    R = s.work[0]["R_WB"]
    rotation_of_euler(unknown[3], unknown[4], place[2] + unknown[5], R)
    quaternion_of_rotation(R, x["q_WB"])
    rotation_of_quaternion(x["q_WB"], R)
    wheels = len(x["theta"])
    for i in range(wheels):
        x["theta"][i] = unknown[6 + i]
    update_suspension_exact(m, s, 0.0)
    for i in range(wheels):
        find_ground(m, s, i, ground)
        fix_tire(m, s, i, place, unknown)
        press_tire(m, s, i, 1e-3)
    evaluate_callback_models(m, s, 1e-3, True)
    gather_tire_loads(s)
    for i in range(wheels):
        s.axles[0]["brake_torque"][i] = s.loads[0]["axle_moment"][i] + s.axles[0]["drive_torque"][i]
    add_drive_reactions(m, s, ground)
    solve_accelerations(m, s, ground)
    for j in range(3):
        residual[j] = s.out[0]["alpha_WB_B"][j]
        residual[j + 3] = s.out[0]["a_WB_B"][j]
    for i in range(wheels):
        residual[6 + i] = s.out[0]["theta_ddot"][i]


@kernel
def find_ground(m, s, i, ground):
    """Find the contact of tire i. The contact search starts from the last search direction, so repeat it until the contact no longer
    depends on the earlier state."""
    state = s.tires[i]
    state["e_W"][0], state["e_W"][1], state["e_W"][2] = 0.0, 0.0, -1.0
    for _ in range(MAX_SEARCHES):
        touch_ground(m, s, i, ground)
        same = True
        for j in range(3):
            same = same and state["e_W"][j] == s.contacts[i]["e_W"][j]
            state["e_W"][j] = s.contacts[i]["e_W"][j]
        if same:
            break  # converged: a further search gives this contact again


@kernel
def fix_tire(m, s, i, place, unknown):
    """Set tread state and sinkage of tire i for a vehicle displaced by dx, dy and turned by dyaw from the position of its tires."""
    o = s.contacts[i]
    dx = unknown[0] - unknown[5] * (o["p_WC"][1] - place[1])
    dy = unknown[1] + unknown[5] * (o["p_WC"][0] - place[0])
    hold_tire(m, s, i, -(dx * o["x_W"][0] + dy * o["x_W"][1]), -(dx * o["y_W"][0] + dy * o["y_W"][1]))
    s.tires[i]["sinkage"], s.tires[i]["dug"] = static_force(m.tires[i : i + 1], s.under[i : i + 1], o["depth"])[2], 0.0
    s.tires[i]["firm"][0] = s.tires[i]["firm"][1] = o["hardness"]
