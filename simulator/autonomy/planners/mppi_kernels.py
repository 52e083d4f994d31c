"""Kernels of the planner `mppi`: roll-outs of sampled controls on the map, and their average by cost. [Williams, Aldrich and Theodorou 2017]

The model is a single track whose rear wheels roll without sideslip. With the slope of the ground in the direction of travel and to the left
(`rise`, `lean`), the strength mu of the ground (largest tractive force over weight, less the motion resistance of a soil) and g' the gravity
normal to the ground:

    traction    -FORWARD mu g' - g sin(rise) <= dv/dt <= mu g' - g sin(rise), within the limits of drivetrain and brakes
    slip        lateral force and tractive force stay in the ellipse mu g': a turn that needs more becomes wider
    roll-over   the lateral force v^2 kappa + g sin(lean) unloads the wheels on one side, all of it at g' times the stability

Controls are a curvature over the largest one at the present speed, and a speed over the requested one, for each step of time. Where the speed
rules of a path demand less (distance to obstacles, unevenness), the model is as slow as the vehicle will be.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from simulator.autonomy.guidance import RouteArrays, togo_at, togo_with_heading
from simulator.autonomy.path_check import CONTACT, CREEP, EASING, FORWARD, PER_CLEARANCE, TOLERATED, VERTICAL
from simulator.autonomy.planners.arc_kernels import bend, move
from simulator.autonomy.pose_check import (
    RESERVED,
    TOUCHES,
    TRACTION_RESERVE,
    MapArrays,
    attitude_hazard,
    clearance_at,
    layer_at,
    plate_at,
    resistance_at,
)
from simulator.base.constants import STANDARD_GRAVITY
from simulator.base.jit import inline, kernel
from simulator.base.records import Record

G = STANDARD_GRAVITY
CHECKED = 0.4
"""m between two checks of the ground under a roll-out."""
RESPONSE = 0.5
"""s. Time constant of the speed control."""
KEPT_GRIP = 0.3
"""Fraction of the grip that remains for lateral forces under full traction or braking."""
TOPPLING = 0.65
"""Load transfer, 1 = wheels of one side without load, from which on it costs steeply."""
STEEPLY = 20.0
"""m, cost of a meter with a load transfer of 1."""
FAN, FAN_STEP = 13, 0.15
"""Directions in which the guiding roll-out looks for the way, and the angle [rad] between two of them."""
GUIDED = 3
"""Every third pair of samples varies the guiding roll-out instead of the last plan."""

MPPI_SEARCH = (
    # name              shape unit   description
    ("x", (), "m", "position of the point without sideslip"),
    ("y", (), "m", "position of the point without sideslip"),
    ("yaw", (), "rad", "heading"),
    ("curvature", (), "1/m", "present curvature"),
    ("speed", (), "m/s", "present speed, forward"),
    ("step", (), "s", "time between two poses"),
    ("limit", (), "m/s", "requested speed"),
    ("margin", (), "m", "requested distance to obstacles"),
    ("start_clearance", (), "m", "distance to obstacles at the start"),
    ("start_hazard", (), "1", "closeness to the limits of the vehicle at the start"),
    ("stop", (), "m", "distance in which the vehicle can stop: a shorter path is not allowed"),
    ("max_curvature", (), "1/m", "largest curvature"),
    ("curvature_rate", (), "1/m/s", "largest change of the curvature"),
    ("acceleration", (), "m/s2", "largest acceleration"),
    ("deceleration", (), "m/s2", "largest deceleration"),
    ("lateral", (), "m/s2", "largest lateral acceleration"),
    ("pull", (), "1", "largest tractive force of the drivetrain over weight"),
    ("stability", (), "1", "lateral force over weight at which the wheels of one side have no load"),
    ("comfort", (), "m", "distance to obstacles beyond the margin from which on they cost nothing"),
    ("close_cost", (), "1", "additional cost of a meter at the margin"),
    ("hazard_cost", (), "1", "additional cost of a meter at a limit of the vehicle"),
    ("roll_cost", (), "1", "additional cost of a meter with a load transfer of TOPPLING"),
    ("steer_cost", (), "m", "cost of a change of the curvature by the largest one"),
    ("short_cost", (), "m", "cost of a path that ends at an obstacle"),
    ("goal_radius", (), "m", "distance from the goal at which a path ends"),
    ("ahead", (), "m", "distance over which the remaining way decreases ahead of the end of a path"),
    ("bend_noise", (), "1", "standard deviation of the curvature over the largest one"),
    ("speed_noise", (), "1", "standard deviation of the speed over the requested one"),
    ("temperature", (), "m", "difference of the cost over which the weight of a sample decreases to 1/e"),
)
"""Inputs of a search."""
X, Y, YAW, CURVATURE, SPEED, WANTED, LOAD = range(7)
"""Columns of a roll-out: pose of the point without sideslip, curvature of its path, speed, wanted speed, load transfer."""


class Problem(NamedTuple):
    """A search: its inputs, and what it plans on."""

    search: Record
    """(1,) MPPI_SEARCH"""
    map: MapArrays
    outline: Record
    """(1,) OUTLINE of the vehicle"""
    route: RouteArrays


class Samples(NamedTuple):
    """Controls of T steps from which samples are made."""

    plan: NDArray[np.float64]
    """(T, 2) the last plan"""
    guide: NDArray[np.float64]
    """(T, 2) a vehicle that follows the cheapest route"""
    noise: NDArray[np.float32]
    """(rows, T, 2)"""
    first: int
    """first row of the noise that is used"""


@inline
def sharpest(q, speed):
    """Return the curvature [1/m] of control 1 at a speed."""
    return min(q["max_curvature"], q["lateral"] / max(speed * speed, 1e-6))


@inline
def advance(q, now, wanted, ground):
    """Return (x, y, yaw, curvature of the wheels, speed), the curvature of the path and the load transfer after a step.

    `now` has the same order, `wanted` is the curvature and the speed, `ground` the rise, the lean and the strength.
    """
    x, y, yaw, wheels, speed = now
    rise, lean, mu = ground
    along, aside = rise / math.sqrt(1.0 + rise * rise), lean / math.sqrt(1.0 + lean * lean)
    normal = G / math.sqrt(1.0 + rise * rise + lean * lean)
    most = min(q["acceleration"], min(q["pull"] * G, mu * normal) - G * along)
    least = -min(q["deceleration"], FORWARD * mu * normal + G * along)
    rate = min(max((wanted[1] - speed) / RESPONSE, least), most)
    new_speed = max(speed + rate * q["step"], 0.0)
    way = 0.5 * (speed + new_speed) * q["step"]
    new = bend(wheels, wanted[0], q["curvature_rate"] * q["step"])
    lateral = speed * speed * new + G * aside
    tractive = rate + G * along
    grip = math.sqrt(max(mu * mu * normal * normal - tractive * tractive, (KEPT_GRIP * mu * normal) ** 2))
    driven = new * min(1.0, grip / max(abs(lateral), 1e-9))
    x, y, yaw = move(x, y, yaw, driven, driven, way)
    return (x, y, yaw, new, new_speed), driven, abs(lateral) / (normal * q["stability"]), way


@kernel
def roll_out(problem, controls, out):
    """Write the roll-out (T + 1, 7) of controls (T, 2); return its cost [m] and the number of its clear poses.

    The cost is infinite if the vehicle cannot stop before the end of the clear part.
    """
    p, m, v, r = problem
    q = p[0]
    steps = len(controls)
    now = (q["x"], q["y"], q["yaw"], q["curvature"], q["speed"])
    ground, cap = (0.0, 0.0, 1.0), q["limit"]
    out[0, X], out[0, Y], out[0, YAW], out[0, CURVATURE], out[0, SPEED], out[0, WANTED], out[0, LOAD] = (
        q["x"], q["y"], q["yaw"], q["curvature"], q["speed"], q["limit"], 0.0,
    )  # fmt: skip
    cost, way, checked, kept, load = 0.0, 0.0, 0.0, 0, 0.0
    steered = q["curvature"]
    for k in range(steps):
        speed = now[4]
        curve = min(max(controls[k, 0], -1.0), 1.0) * sharpest(q, speed)
        wanted = min(max(controls[k, 1], 0.0), 1.0) * q["limit"]
        cost += q["steer_cost"] * abs(curve - steered) / q["max_curvature"]
        steered = curve
        now, driven, transfer, moved = advance(q, now, (curve, min(wanted, cap)), ground)
        way += moved
        load = max(load, transfer)
        out[k + 1, X], out[k + 1, Y], out[k + 1, YAW], out[k + 1, CURVATURE] = now[0], now[1], now[2], driven
        out[k + 1, SPEED], out[k + 1, WANTED], out[k + 1, LOAD] = now[4], wanted, transfer
        if way - checked < CHECKED and k + 1 < steps:
            continue
        c, s = math.cos(now[2]), math.sin(now[2])
        clearance = clearance_at(m, v, now[0], now[1], c, s)
        need = min(q["margin"], q["start_clearance"] - CONTACT + EASING * way)
        if clearance == TOUCHES or clearance < need:
            break
        rise, lean, bulge, twist = plate_at(m, v, now[0], now[1], c, s)
        if not math.isfinite(rise + lean + bulge):
            break
        mu = layer_at(m, m.strength, now[0], now[1])
        hazard = attitude_hazard(v, rise, lean, bulge, resistance_at(m, now[0], now[1], mu))
        mu = 1.0 if math.isnan(mu) else max(mu, 1e-3)
        hazard = max(hazard, (rise + min(TRACTION_RESERVE, RESERVED * mu)) / (v[0]["traction"] * mu))
        if not hazard <= max(1.0, TOLERATED * q["start_hazard"]):
            break
        ground = rise, lean, mu
        cap = CREEP + PER_CLEARANCE * max(clearance - 0.5 * q["margin"], 0.0)
        cap = min(cap, v[0]["wheelbase"] / math.pi * math.sqrt(VERTICAL / max(abs(bulge), twist, 1e-6)))
        near = min(max(1.0 - (clearance - q["margin"]) / q["comfort"], 0.0), 1.0)
        rolled = load / TOPPLING
        per_meter = q["close_cost"] * near * near + q["hazard_cost"] * hazard * hazard + q["roll_cost"] * rolled * rolled
        cost += (way - checked) * (per_meter + STEEPLY * max(load - TOPPLING, 0.0) / (1.0 - TOPPLING))
        kept, checked, load = k + 1, way, 0.0
        b = v[0]["to_reference"]
        if math.hypot(now[0] + b * c - r.goal_x, now[1] + b * s - r.goal_y) < q["goal_radius"]:
            return cost - q["limit"] * q["step"] * (steps - kept), kept + 1
    if kept < steps:
        if checked < q["stop"]:
            return math.inf, kept + 1
        cost += q["short_cost"]
    return cost + _rest(q, v, r, out[kept, X], out[kept, Y], out[kept, YAW]), kept + 1


@inline
def _rest(q, v, r, x, y, yaw):
    """Return the remaining way [m] from a pose, with a turn into its direction."""
    c, s, b = math.cos(yaw), math.sin(yaw), v[0]["to_reference"]
    return togo_with_heading(r, x + b * c, y + b * s, c, s, q["ahead"], 1.0 / q["max_curvature"])


@kernel
def remaining(p, v, r):
    """Return the remaining way [m] from the start."""
    q = p[0]
    return _rest(q, v, r, q["x"], q["y"], q["yaw"])


@kernel
def guide_along(p, v, r, controls):
    """Write the controls (T, 2) of a vehicle on level ground that steers to where the remaining way is shortest, at the requested speed."""
    q = p[0]
    now = (q["x"], q["y"], q["yaw"], q["curvature"], q["speed"])
    b = v[0]["to_reference"]
    for k in range(len(controls)):
        x, y, yaw, _, speed = now
        away = max(3.0, 1.2 * speed)
        x, y = x + b * math.cos(yaw), y + b * math.sin(yaw)
        best, least = 0.0, math.inf
        for n in range(FAN):
            turn = (n - FAN // 2) * FAN_STEP
            togo = togo_at(r, x + away * math.cos(yaw + turn), y + away * math.sin(yaw + turn)) + 0.1 * abs(turn)
            if togo < least:
                best, least = turn, togo
        curve = 2.0 * math.sin(best) / (away + b)
        controls[k, 0], controls[k, 1] = min(max(curve / sharpest(q, speed), -1.0), 1.0), 1.0
        now, _, _, _ = advance(q, now, (controls[k, 0] * sharpest(q, speed), q["limit"]), (0.0, 0.0, 1.0))


@inline
def _sample(q, s, n, controls):
    """Write the controls (T, 2) of sample n of `Samples`: the last plan, the guiding roll-out, and pairs of opposite noise around one of them."""
    pair, plan, guide, noise = n // 2, s.plan, s.guide, s.noise
    row, sign = (s.first + pair) % len(noise), 1.0 - 2.0 * (n % 2)
    if pair == 0:
        sign = 0.0
    by_guide = n == 1 or (pair > 0 and pair % GUIDED == 0)
    for k in range(len(controls)):
        base0, base1 = (guide[k, 0], guide[k, 1]) if by_guide else (plan[k, 0], plan[k, 1])
        controls[k, 0] = min(max(base0 + sign * q["bend_noise"] * noise[row, k, 0], -1.0), 1.0)
        controls[k, 1] = min(max(base1 + sign * q["speed_noise"] * noise[row, k, 1], 0.1), 1.0)


@kernel
def improve(problem, samples, costs, controls, out):
    """Replace the plan of the samples by their average by their costs, or by the best sample if that costs less.

    Returns the cost and the number of clear poses of the new plan, of which `out` (T + 1, 7) is the roll-out; an infinite cost, and the plan as
    before, if no sample is clear. `costs` (n,) receives the costs of n samples; controls (T, 2) is work space.
    """
    q, plan = problem.search[0], samples.plan
    best, least = -1, math.inf
    for n in range(len(costs)):
        _sample(q, samples, n, controls)
        costs[n], _ = roll_out(problem, controls, out)
        if costs[n] < least:
            best, least = n, costs[n]
    if best < 0:
        return math.inf, 0
    total = 0.0  # the sums are in `out`
    for k in range(len(plan)):
        out[k, 0], out[k, 1] = 0.0, 0.0
    for n in range(len(costs)):
        weight = math.exp(-(costs[n] - least) / q["temperature"])
        if weight > 1e-4:
            _sample(q, samples, n, controls)
            total += weight
            for k in range(len(plan)):
                out[k, 0] += weight * controls[k, 0]
                out[k, 1] += weight * controls[k, 1]
    _sample(q, samples, best, controls)
    for k in range(len(plan)):
        plan[k, 0], plan[k, 1] = out[k, 0] / total, out[k, 1] / total
    cost, count = roll_out(problem, plan, out)
    if not cost <= least:
        for k in range(len(plan)):
            plan[k, 0], plan[k, 1] = controls[k, 0], controls[k, 1]
        cost, count = roll_out(problem, plan, out)
    return cost, count


@kernel
def show_samples(problem, samples, controls, out, paths):
    """Write the clear points of B (n, T + 1, 2) of n samples; the points after the end of a sample are those of its end."""
    b = problem.outline[0]["to_reference"]
    for n in range(len(paths)):
        _sample(problem.search[0], samples, 2 + n, controls)
        _, count = roll_out(problem, controls, out)
        for k in range(len(out)):
            last = min(k, count - 1)
            paths[n, k, 0] = out[last, X] + b * math.cos(out[last, YAW])
            paths[n, k, 1] = out[last, Y] + b * math.sin(out[last, YAW])
