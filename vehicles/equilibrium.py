"""Static equilibrium (trim): the position in which a standing vehicle has no acceleration at all.

Unknown are the six coordinates of the chassis and the thetas of the corners. Where the chassis stands on the ground is given; the three
horizontal coordinates are the small displacement by which the tires, held at that place, are pulled sideways until they carry what the
slope asks for. On level ground it is zero. The brakes carry the moments about the axles, and what the idling engine adds in gear.
"""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from simulator.base.errors import JounceError
from simulator.base.jit import inline, kernel
from simulator.base.rotations import quaternion_of_rotation, rotation_of_euler, rotation_of_quaternion
from terrain.composite_height import composed_height_and_normal
from terrain.ground import GroundArrays
from vehicles.corner_layout import axle_of, sum_on_axle
from vehicles.drivetrain.driveline import wheel_share
from vehicles.drivetrain.torque_converter import converter_torques
from vehicles.stages import (
    add_drive_reactions,
    compute_head_motion,
    gather_tire_loads,
    present_suspension,
    solve_accelerations,
    update_suspension_exact,
)
from vehicles.steering.steering import place_tierods
from vehicles.tires.tire_set import evaluate_callback_models, hold_tire, press_tire, touch_ground
from vehicles.tires.vertical_force import static_force
from vehicles.vehicle_model import VehicleData, VehicleModel

RESIDUAL = 1e-9
"""m/s2 and rad/s2. Largest acceleration of a settled vehicle."""

ENOUGH = 0.1 * RESIDUAL
"""m/s2 and rad/s2. What is looked for."""

CLOSEST = 1e-3 * RESIDUAL
"""m/s2 and rad/s2. Below this further rounds bring nothing but rounding."""

ROUNDS = 80
"""Newton rounds before giving up; six are enough on level ground."""

SINGULAR = 1e-14
"""Share of the largest singular value of the derivatives below which one counts as none: nothing depends on that direction."""

HALVINGS = 20
"""Times a Newton step is halved in search of a smaller residual."""

LEANS = (0.0, 0.04, -0.04, 0.08, -0.08, 0.12, -0.12)
TILTS = tuple(sorted(itertools.product(LEANS, LEANS), key=lambda tilt: math.hypot(*tilt)))
"""rad. Roll and pitch of the first guesses beyond that of the ground, in turn until one leads to an equilibrium."""

TWIST = 0.05
"""m. Sum of the heights under two wheels that are crosswise less those under the others, beyond which guesses are tilted: a wheel may hang in the air, and its
stops and loss of contact are corners that the first guess may be caught in. On a plane a vehicle stands as the plane is, or not at all."""

BASE, TRACK = 1.6, 0.9
"""m. Half wheelbase and half track, about, for the first guess."""

LARGEST_CHANGE = 0.03
"""m, rad. Largest change in one round: the stops and the loss of contact are sharp corners."""

STEP = 1e-7
"""m, rad. Half width of the differences."""

TOUCH = 0.02
"""m. Tire deflection of the first guess; it must not hang in the air, where nothing depends on its height, nor a very stiff tire bend its rim."""

HALVES = 30
"""Times an interval of theta is halved in search of the place at which a spring carries its share: to a billionth of the travel."""

REACHES = 8
"""Rounds in which the arms are brought to that guess."""

SEARCHES = 12
"""Rounds at most in which a contact is looked for; each brings two or three more digits."""

Vector = NDArray[np.float64]

CHORDS = 12
"""Rounds at most with the same derivatives, which take a tenth of the time of new ones; each brings two digits or more."""


@dataclass
class Equilibrium:
    """An equilibrium that has been found.

    place : (3,) x, y [m] and yaw [rad] at which the tires hold the ground
    unknown : (6 + wheels,), see `static_residual`
    derivatives : (6 + wheels, 6 + wheels) of the residual, beside it
    """

    place: Vector
    unknown: Vector
    derivatives: Vector

    @cached_property
    def back(self) -> Vector:
        """Pseudo-inverse of the derivatives."""
        return np.asarray(np.linalg.pinv(self.derivatives, rcond=SINGULAR))

    def elsewhere(self, place: Vector, height: float, roll: float, pitch: float) -> Equilibrium:
        """As it would be at another place, on ground so much higher [m] and inclined [rad]."""
        unknown, derivatives, back = self.unknown.copy(), self.derivatives.copy(), self.back.copy()
        unknown[2:5] += height, roll, pitch
        turned = float(place[2] - self.place[2])  # what it is displaced by is told along the axes of the world
        R = np.array([[math.cos(turned), -math.sin(turned)], [math.sin(turned), math.cos(turned)]])
        unknown[:2], derivatives[:, :2], back[:2] = R @ unknown[:2], derivatives[:, :2] @ R.T, R @ back[:2]
        moved = Equilibrium(place, unknown, derivatives)
        moved.back = back
        return moved


class EquilibriumWorkspace(NamedTuple):
    """What a search for an equilibrium works with, for the kernels.

    place, unknown : of a `Equilibrium`; the unknown is moved on
    residual : (6 + wheels,) of `static_residual` there
    scratch : (2, 6 + wheels)
    """

    place: Vector
    unknown: Vector
    residual: Vector
    scratch: Vector

    @staticmethod
    def at(near: Equilibrium) -> EquilibriumWorkspace:
        """Nothing is known of the residual yet."""
        return EquilibriumWorkspace(near.place, near.unknown, np.empty_like(near.unknown), np.empty((2, len(near.unknown))))


def settle(
    m: VehicleModel, s: VehicleData, ground: GroundArrays, x: float, y: float, yaw: float, level: Equilibrium | None = None
) -> Equilibrium:
    """Bring chassis, arms and tires into equilibrium at (x, y) [m] with heading yaw [rad], the drivetrain being as it is.

    Parameters
    ----------
    level : about how it stands on level ground of height 0, if that is known: where the ground is nearly so this is where it is looked for first

    Raises
    ------
    JounceError : no such position is found
    """
    place_tierods(m.steering, s.steering, s.inputs)  # the last drive may have left them elsewhere
    idle_drive(m, s)
    place = np.array([x, y, yaw])
    fl, fr, rl, rr = heights = _heights(ground, x, y, yaw)
    left, twisted = math.inf, abs(fl - fr - rl + rr) > TWIST
    if level is not None and not twisted:
        near = level.elsewhere(place, 0.25 * sum(heights), *_inclination(heights))
        if settle_on(m, s, ground, near):
            compute_head_motion(m, s)
            return near
    for roll, pitch in TILTS if twisted else TILTS[:1]:
        found, residual = _balanced(m, s, ground, place, heights, (roll, pitch))
        if residual < RESIDUAL:
            compute_head_motion(m, s)
            return found
        left = min(left, residual)
    raise JounceError(f"the vehicle finds no equilibrium at x = {x:g} m, y = {y:g} m (left over: {left:.2g} m/s2)")


def _balanced(
    m: VehicleModel, s: VehicleData, ground: GroundArrays, place: Vector, heights: list[float], tilt: tuple[float, float]
) -> tuple[Equilibrium, float]:
    """What Newton's method comes to from the first guess with a tilt (roll, pitch) [rad] beyond that of the ground, whose heights are those under
    the wheels, and the largest acceleration there."""
    touch = np.minimum(TOUCH, 0.25 * m.tires["give"])
    unknown = _first_guess(m, s, float(ground.p[0]["gravity"]), heights, float(touch.sum()) / len(touch))
    unknown[3:5] += tilt
    near = Equilibrium(place, unknown, np.zeros((len(unknown), len(unknown))))
    search = EquilibriumWorkspace.at(near)
    residual, trial = search.residual, np.empty_like(unknown)
    reach_ground(m, s, ground, touch, search)
    static_residual(m, s, ground, place, unknown, residual)
    for _ in range(ROUNDS):
        if _left(residual) < ENOUGH:
            break
        near = Equilibrium(place, unknown, np.empty_like(near.derivatives))
        differentiate(m, s, ground, search, near.derivatives)
        if not (np.isfinite(near.derivatives).all() and np.isfinite(residual).all()):
            break  # a corner does not close there
        change = -near.back @ residual
        change *= min(1.0, LARGEST_CHANGE / float(np.abs(change).max()))
        before = float(residual @ residual)
        for _ in range(HALVINGS):
            static_residual(m, s, ground, place, unknown + change, trial)
            if float(trial @ trial) < before:
                break
            change *= 0.5
        else:
            break  # as close as rounding lets it
        unknown += change
        residual[:] = trial
        follow_chords(m, s, ground, search, near.back)
    static_residual(m, s, ground, place, unknown, residual)
    return near, _left(residual)


def _left(residual: Vector) -> float:
    """Largest acceleration; infinite where one is no number."""
    left = float(np.abs(residual).max())
    return left if math.isfinite(left) else math.inf


def settle_on(m: VehicleModel, s: VehicleData, ground: GroundArrays, near: Equilibrium) -> bool:
    """Move on to the equilibrium beside one that the vehicle stood in before a little of it was changed. False: it is not found from there.

    Only the position is right afterwards: what else a standing vehicle has is for `settle`.
    """
    return bool(stand_beside(m, s, ground, EquilibriumWorkspace.at(near), near.back) < ENOUGH)


@kernel
def stand_beside(m, s, ground, search, back):
    """`follow_chords` from anywhere; leaves the vehicle where that has come to, and returns the largest acceleration there."""
    static_residual(m, s, ground, search.place, search.unknown, search.residual)
    follow_chords(m, s, ground, search, back)
    static_residual(m, s, ground, search.place, search.unknown, search.residual)
    return largest(search.residual)


@kernel
def follow_chords(m, s, ground, search, back):
    """Newton's method from where a `EquilibriumWorkspace` is with the same derivatives all the time, as long as each round brings a digit.

    back : pseudo-inverse of the derivatives of the residual, about there
    """
    unknown, residual = search.unknown, search.residual
    further, trial = search.scratch[0], search.scratch[1]
    for _ in range(CHORDS):
        left = largest(residual)
        if left < CLOSEST:
            break
        for n in range(len(unknown)):
            further[n] = unknown[n]
            for k in range(len(unknown)):
                further[n] -= back[n, k] * residual[k]
        static_residual(m, s, ground, search.place, further, trial)
        if not largest(trial) < 0.1 * left:  # or it is no number
            break
        for n in range(len(unknown)):
            unknown[n], residual[n] = further[n], trial[n]


@inline
def largest(residual):
    """Largest size of a number in there; no number where one is none."""
    most = 0.0
    for one in residual:
        if abs(one) > most or math.isnan(one):
            most = abs(one)
    return most


@kernel
def differentiate(m, s, ground, search, jacobian):
    """Central differences of `static_residual` where a `EquilibriumWorkspace` is."""
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
    """Move the suspension of a guess, where a `EquilibriumWorkspace` is, until every tire is pressed by `touch` (wheels,), so that it tells where the ground is."""
    guess = search.unknown
    for _ in range(REACHES):
        static_residual(m, s, ground, search.place, guess, search.residual)
        for i in range(len(s.wheels)):
            theta = guess[6 + i] + (s.contacts[i]["depth"] - touch[i]) / s.kinematics[0]["W_1"][2, i]
            low, high = m.corners[0]["travel"][0, i], m.corners[0]["travel"][1, i]
            guess[6 + i] = low if theta < low else high if theta > high else theta  # what is no number stays none


def _first_guess(m: VehicleModel, s: VehicleData, gravity: float, heights: list[float], touch: float) -> Vector:
    """Vehicle parallel to ground of these heights under its wheels, its tires pressed by `touch` [m], arms in droop until the springs would carry it:
    [dx, dy, z, roll, pitch, dyaw, theta...]."""
    wheels = len(s.wheels)
    roll, pitch = _inclination(heights)
    low, high, theta = np.empty((3, wheels))
    hang_loaded(m, s, float(m.chassis[0]["mass"]) * gravity / wheels, low, high, theta)
    radius, lowered = float(m.tires["radius"].sum()) / wheels, float(s.kinematics[0]["W"][2].sum()) / wheels
    z = 0.25 * sum(heights) + radius - touch - lowered
    return np.array([0.0, 0.0, z, roll, pitch, 0.0, *theta])


def _inclination(heights: list[float]) -> tuple[float, float]:
    """Roll and pitch [rad] of ground of these heights under the wheels."""
    fl, fr, rl, rr = heights
    return math.atan2((fl + rl - fr - rr) / 2.0, 2.0 * TRACK), math.atan2((rl + rr - fl - fr) / 2.0, 2.0 * BASE)


def _heights(ground: GroundArrays, x: float, y: float, yaw: float) -> list[float]:
    """Of the ground where the wheels are, about [m]."""
    n, c, sn = np.empty(3), math.cos(yaw), math.sin(yaw)
    places = ((BASE, TRACK), (BASE, -TRACK), (-BASE, TRACK), (-BASE, -TRACK))
    return [composed_height_and_normal(ground, x + c * fx - sn * fy, y + sn * fx + c * fy, n) for fx, fy in places]


@kernel
def hang_loaded(m, s, weight, low, high, theta):
    """Thetas (wheels,) at which the springs carry a weight [N] at each wheel; the corners are left there. low, high : (wheels,) scratch."""
    x = s.state[0]["theta"]
    for i in range(len(theta)):
        low[i], high[i] = m.corners[0]["travel"][0, i], m.corners[0]["travel"][1, i]
    for _ in range(HALVES):
        for i in range(len(theta)):
            x[i] = 0.5 * (low[i] + high[i])
        present_suspension(m, s)
        for i in range(len(theta)):
            carried = -s.out[0]["spring_force"][i] * s.kinematics[0]["spring_length_1"][i] / s.kinematics[0]["W_1"][2, i]
            if carried < weight:
                low[i] = x[i]
            else:
                high[i] = x[i]
    for i in range(len(theta)):
        theta[i] = 0.5 * (low[i] + high[i])
        x[i] = theta[i]
    present_suspension(m, s)


@kernel
def idle_drive(m, s):
    """Torques of the half shafts while the engine idles against the converter and the wheels stand, and their reaction on the chassis."""
    d = s.drivetrain[0]
    turbine = 0.0
    if d["gear"] != 0 and m.drivetrain[0]["has_clutch"] == 0:
        turbine = converter_torques(m.drivetrain, d["engine_speed"], d["turbine_speed"])[1]
    s.axles[0]["reaction_y"] = 0.0
    for i in range(len(s.wheels)):
        axle = axle_of(m.drivetrain, i)
        share, hub = wheel_share(m.drivetrain, axle), m.drivetrain[0]["hub_ratio"][axle]
        s.axles[0]["drive_torque"][i] = share * turbine / d["ratio"] if d["gear"] != 0 else 0.0
        s.axles[0]["hub_torque"][i] = (hub - 1.0) * s.axles[0]["drive_torque"][i]
        s.axles[0]["reaction_y"] -= hub * s.axles[0]["drive_torque"][i]
    for axle in range(len(m.drivetrain[0]["final_ratio"])):
        driven, hub = wheel_share(m.drivetrain, axle) > 0.0, m.drivetrain[0]["hub_ratio"][axle]
        torque = hub * sum_on_axle(m.drivetrain, axle, s.axles[0]["drive_torque"])
        s.axles[0]["housing_torque"][axle] = -torque
        s.axles[0]["pinion_torque"][axle] = torque * m.drivetrain[0]["final_ratio"][axle] / hub if driven else 0.0


@kernel
def static_residual(m, s, ground, place, unknown, residual):
    """Accelerations (angular 3, linear 3, thetas) of the vehicle standing still in the given position.

    Parameters
    ----------
    place : (3,) x, y [m] and yaw [rad] at which the tires hold the ground
    unknown : (6 + wheels,) displacement dx, dy from there, height z [m], roll, pitch, change of yaw [rad], thetas [rad]
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
        hold_ground(m, s, i, place, unknown)
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
    """Contact of tire i. It looks for the ground where the last one was, so that has to be found first: the search direction settles
    until the contact no longer depends on what came before."""
    state = s.tires[i]
    state["e_W"][0], state["e_W"][1], state["e_W"][2] = 0.0, 0.0, -1.0
    for _ in range(SEARCHES):
        touch_ground(m, s, i, ground)
        same = True
        for j in range(3):
            same = same and state["e_W"][j] == s.contacts[i]["e_W"][j]
            state["e_W"][j] = s.contacts[i]["e_W"][j]
        if same:
            break  # it would find this contact again and again


@kernel
def hold_ground(m, s, i, place, unknown):
    """Tread and sinkage of tire i for a vehicle displaced by dx, dy and turned by dyaw from where its tires hold."""
    o = s.contacts[i]
    dx = unknown[0] - unknown[5] * (o["p_WC"][1] - place[1])
    dy = unknown[1] + unknown[5] * (o["p_WC"][0] - place[0])
    hold_tire(m, s, i, -(dx * o["x_W"][0] + dy * o["x_W"][1]), -(dx * o["y_W"][0] + dy * o["y_W"][1]))
    s.tires[i]["sinkage"], s.tires[i]["dug"] = static_force(m.tires[i : i + 1], s.under, o["depth"])[2], 0.0
    s.tires[i]["firm"][0] = s.tires[i]["firm"][1] = o["hardness"]
