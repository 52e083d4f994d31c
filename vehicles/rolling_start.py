"""A vehicle that rolls from the first step on: from standing in equilibrium to what a steady straight drive would have it be.

The chassis keeps the height and attitude of the equilibrium and gets its velocity along the ground under its wheels. Tires, wheel spins and
shafts find theirs by steps of the vehicle in which the chassis and the suspension are put back each time; between two rounds of steps the
torque on the driveshaft is changed by what the vehicle still accelerates.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from simulator.base.jit import inline, kernel
from simulator.base.records import record
from terrain.ground import GroundArrays
from vehicles.command import COMMAND
from vehicles.compliance.wheel_displacements import yields
from vehicles.drivetrain.driveline import driveshaft_speed
from vehicles.drivetrain.drivetrain import drivetrain_cruise
from vehicles.drivetrain.shift_schedule import too_slow
from vehicles.stages import advance_drivetrain, gather_tire_loads, move_wheels
from vehicles.state_memory import Bytes
from vehicles.step import vehicle_step
from vehicles.tires.radial import effective_radius
from vehicles.tires.tire_set import step_tires
from vehicles.vehicle_model import VehicleData, VehicleModel

STEP = 1e-3
"""s."""

WAY = 1.2
"""m that the wheels roll in a round. Larger: a slower reset. Smaller: tires that have not relaxed when the torque is changed."""

LEAST_STEPS, MOST_STEPS = 60, 600
"""Steps of a round."""

FIRST_PEDAL, PEDAL_ROUNDS, PEDAL_ERROR = 0.05, 12, 1e-4
"""Of the search for the pedal of a vehicle with motors: second guess, rounds, and the acceleration [m/s2] that is none."""

ROUNDS = 8
"""Rounds; three bring more than a digit of the torque, so that eight leave less than a thousandth of it."""


def roll(m: VehicleModel, s: VehicleData, ground: GroundArrays, speed: float, gear: int) -> float:
    """Have a vehicle that stands in equilibrium roll straight ahead at a speed [m/s]; returns the throttle that holds it.

    gear : forward gear; 0 for the highest that the gearbox keeps at that throttle
    """
    state, d = s.state[0], s.drivetrain
    along = _along(s)
    state["v_WB_B"] = speed * along
    deflections = s.contacts["tire_deflection"]
    spin = [speed / effective_radius(float(tire["radius"]), float(depth)) for tire, depth in zip(m.tires, deflections, strict=True)]
    state["wheel_spin"] = spin
    frozen, steering, spins, command = s.state.copy(), s.steering.copy(), state["wheel_spin"].copy(), record(COMMAND)
    command[0]["selector"] = 1
    parts = ((s.state.view(np.uint8), frozen.view(np.uint8)), (s.steering.view(np.uint8), steering.view(np.uint8)))
    rounds = Rounds(parts, spins, max(LEAST_STEPS, min(MOST_STEPS, int(WAY / (speed * STEP)))), along)
    if m.drivetrain[0]["motors"] > 0:

        def pull(pedal: float) -> float:
            command[0]["throttle"] = pedal
            _roll_on(m, s, ground, command, rounds)
            return float(pull_along(m, s, along))

        throttle = _pedal(pull, float(m.chassis[0]["mass"]))
        for name in ("battery_used", "battery_heat", "motor_heat", "motor_work"):
            d[0][name] = 0.0
        return throttle
    return float(hold_speed(m, s, ground, command, rounds, float(speed), int(gear)))


class Rounds(NamedTuple):
    """What rounds of steps are made with.

    parts : twice (bytes of a record, those that it gets again after each step)
    spins : (wheels,) scratch
    steps : of a round
    along : (3,) direction in B in which the vehicle rolls
    """

    parts: tuple[tuple[Bytes, Bytes], ...]
    spins: NDArray[np.float64]
    steps: int
    along: NDArray[np.float64]


def _pedal(pull: Callable[[float], float], mass: float) -> float:
    """Accelerator pedal at which nothing pulls a vehicle with motors, by secants; what the pedal does is their controller's business."""
    pedal, force = 0.0, pull(0.0)
    if force >= 0.0:
        return 0.0
    before, force_before, pedal = 0.0, force, FIRST_PEDAL
    for _ in range(PEDAL_ROUNDS):
        force = pull(pedal)
        if abs(force) < PEDAL_ERROR * mass or force == force_before:
            break
        following = min(1.0, max(0.0, pedal - force * (pedal - before) / (force - force_before)))
        before, force_before, pedal = pedal, force, following
    return pedal


@kernel
def hold_speed(m, s, ground, command, rounds, speed, gear):
    """Throttle that holds a speed [m/s] in a gear, or where that is 0 in one that the gearbox keeps."""
    d, torque, throttle = s.drivetrain[0], 0.0, 0.0
    for _ in range(ROUNDS):
        command[0]["gear"], throttle = engaged(m, s, gear, torque)
        command[0]["throttle"] = throttle
        _roll_on(m, s, ground, command, rounds)
        radius = speed / driveshaft_speed(m.drivetrain, s.state[0]["wheel_spin"])
        torque = d["coupling_torque"] / d["ratio"] - radius * pull_along(m, s, rounds.along)
    return throttle


@kernel
def _roll_on(m, s, ground, command, rounds):
    """A round of steps in which only what belongs to the wheels goes on. Between the first and the last one, which leave everything as a step does, the
    rest is where it was put back to, and is not worked out again; but for wheels that yield, and controllers, which look at what else a step brings."""
    parts, spins, steps = rounds.parts, rounds.spins, rounds.steps
    spin, whole = s.state[0]["wheel_spin"], yields(m) or len(m.controllers) > 0
    for n in range(steps):
        if 0 < n < steps - 1 and not whole:
            roll_wheels(m, s, ground, command, STEP)
            continue
        vehicle_step(m, s, ground, command, STEP)
        for i in range(len(spins)):
            spins[i] = spin[i]
        for there, kept in parts:
            for i in range(len(kept)):
                there[i] = kept[i]
        for i in range(len(spins)):
            spin[i] = spins[i]


@inline
def roll_wheels(m, s, ground, command, h):
    """What a step does to wheels, tires and drivetrain, the chassis and the suspension being where the last step began."""
    move_wheels(s)
    step_tires(m, s, ground, h)
    gather_tire_loads(s)
    advance_drivetrain(m, s, command, h)


def _along(s: VehicleData) -> NDArray[np.float64]:
    """Direction in which the vehicle rolls straight ahead: along the ground under its wheels, in B, (3,)."""
    up = s.work[0]["R_WB"].T @ s.contacts["n_W"].sum(axis=0)
    ahead = np.array([up[2], 0.0, -up[0]])  # without a part to the left or along the normal
    return ahead / np.linalg.norm(ahead)


@kernel
def pull_along(m, s, along):
    """Force [N] of ground, air and weight on the whole vehicle along a direction in B. The acceleration of the chassis would not do: the
    suspension, which was put back, takes a part in it."""
    loads, weight = s.loads[0], m.chassis[0]["mass"]
    for i in range(len(s.wheels)):
        weight += m.corners[0]["corner_mass"][i]
    weight *= loads["gravity"]
    total = 0.0
    for j in range(3):
        force = loads["chassis_force"][j] - weight * s.work[0]["R_WB"][2, j]
        for i in range(len(s.wheels)):
            force += loads["wheel_force"][j, i]
        total += force * along[j]
    return total


@kernel
def engaged(m, s, wanted, torque):
    """A gear that is engaged now, and the throttle that gives a torque on the driveshaft [N m] in it.

    It is the one that is wanted, or where that is 0 the highest forward gear out of which the gearbox does not shift down at that throttle, or
    at open throttle if that is not enough in any.
    """
    p, d, spin, kept = m.drivetrain, s.drivetrain, s.state[0]["wheel_spin"], wanted
    for gear in range(p[0]["gears"] if wanted == 0 else 0, 0, -1):
        throttle = drivetrain_cruise(p, d, spin, gear, torque)
        if gear == 1 or not too_slow(p, gear, throttle, d[0]["turbine_speed"]):
            if throttle != 1.0:
                return gear, throttle
            kept = gear if kept == 0 else kept
    return kept, drivetrain_cruise(p, d, spin, kept, torque)
