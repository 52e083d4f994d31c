"""Start of a rolling vehicle: from static equilibrium to the state of a steady straight drive.

The chassis keeps the height and attitude of the equilibrium and gets its velocity along the ground under its wheels. Steps of the vehicle
bring tires, wheel spins and shafts to their steady state; after each step chassis and suspension are reset. Between two rounds of steps the
driveshaft torque is corrected by the remaining acceleration of the vehicle.
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
from vehicles.compliance.wheel_displacements import has_compliance
from vehicles.drivetrain.contract import CONVENTIONAL
from vehicles.drivetrain.conventional.shift_schedule import too_slow
from vehicles.drivetrain.driveline import driveshaft_speed
from vehicles.drivetrain.drivetrain import drivetrain_cruise
from vehicles.stages import advance_drivetrain, gather_tire_loads, move_wheels
from vehicles.state_memory import Bytes
from vehicles.step import vehicle_step
from vehicles.tires.radial import effective_radius
from vehicles.tires.tire_set import step_tires
from vehicles.vehicle_model import VehicleData, VehicleModel

STEP = 1e-3
"""s. Step size."""

ROLLING_DISTANCE = 1.2
"""m that the wheels roll in a round. Larger: a slower reset. Smaller: tires that have not relaxed when the torque is corrected."""

MIN_STEPS, MAX_STEPS = 60, 600
"""Minimum and maximum number of steps in a round."""

FIRST_PEDAL, PEDAL_ITERATIONS, PEDAL_ERROR = 0.05, 12, 1e-4
"""Pedal search of a vehicle without an engine: second guess, maximum number of iterations, tolerance of the acceleration [m/s2]."""

PEDAL_ROUNDS, SETTLED = 40, 1e-2
"""Maximum number of rounds for a pedal: a controller may limit the rate of the torque; change of the acceleration in the last one [m/s2]."""

ROUNDS = 8
"""Number of rounds. Three gain more than one digit of the torque, so that eight leave an error below a thousandth."""


def roll(m: VehicleModel, s: VehicleData, ground: GroundArrays, speed: float, gear: int, drawbar: float = 0.0) -> float:
    """Make a vehicle in equilibrium roll straight ahead at a speed [m/s]; return the throttle that holds the speed.

    gear : forward gear; 0 for the highest gear that the gearbox keeps at this throttle; drawbar : N, pull on the tow hook
    """
    state, d = s.state[0], s.drivetrain
    along = _along(s)
    state["v_WB_B"] = speed * along
    deflections = s.contacts["tire_deflection"]
    spin = [speed / effective_radius(float(tire["radius"]), float(depth)) for tire, depth in zip(m.tires, deflections, strict=True)]
    state["wheel_spin"] = spin
    frozen, steering, spins, command = s.state.copy(), s.steering.copy(), state["wheel_spin"].copy(), record(COMMAND)
    command[0]["selector"], command[0]["drawbar"] = 1, drawbar
    parts = ((s.state.view(np.uint8), frozen.view(np.uint8)), (s.steering.view(np.uint8), steering.view(np.uint8)))
    rounds = Rounds(parts, spins, max(MIN_STEPS, min(MAX_STEPS, int(ROLLING_DISTANCE / (speed * STEP)))), along)
    if m.drivetrain[0]["kind"] != CONVENTIONAL:
        mass = float(m.chassis[0]["mass"])

        def pull(pedal: float) -> float:
            command[0]["throttle"], force = pedal, np.inf
            for _ in range(PEDAL_ROUNDS):
                before = force
                _roll_on(m, s, ground, command, rounds)
                force = float(pull_along(m, s, along))
                if abs(force - before) < SETTLED * mass:
                    break
            return force

        throttle = _pedal(pull, mass)
        for name in ("battery_used", "battery_heat", "motor_heat", "motor_work"):
            d[0][name] = 0.0
        return throttle
    return float(hold_speed(m, s, ground, command, rounds, float(speed), int(gear)))


class Rounds(NamedTuple):
    """Arrays for the rounds of steps.

    parts : two pairs (bytes of a record, bytes restored after each step)
    spins : (wheels,) scratch
    steps : number of steps in a round
    along : (3,) rolling direction, in B
    """

    parts: tuple[tuple[Bytes, Bytes], ...]
    spins: NDArray[np.float64]
    steps: int
    along: NDArray[np.float64]


def _pedal(pull: Callable[[float], float], mass: float) -> float:
    """Return the accelerator pedal at which no net force acts on a vehicle, by secants; a controller or the drivetrain of a plugin interprets
    the pedal."""
    pedal, force = 0.0, pull(0.0)
    if force >= 0.0:
        return 0.0
    before, force_before, pedal = 0.0, force, FIRST_PEDAL
    for _ in range(PEDAL_ITERATIONS):
        force = pull(pedal)
        if abs(force) < PEDAL_ERROR * mass or force == force_before:
            break
        following = min(1.0, max(0.0, pedal - force * (pedal - before) / (force - force_before)))
        before, force_before, pedal = pedal, force, following
    return pedal


@kernel
def hold_speed(m, s, ground, command, rounds, speed, gear):
    """Return the throttle that holds a speed [m/s] in a gear; gear 0: in a gear that the gearbox keeps."""
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
    """Run a round of steps in which only the wheel-related state advances. All other state is constant between the first and the last step,
    so it is not recomputed there; the two end steps leave a complete state. Vehicles with bushings or controllers always take complete
    steps."""
    parts, spins, steps = rounds.parts, rounds.spins, rounds.steps
    spin, complete = s.state[0]["wheel_spin"], has_compliance(m) or len(m.controllers) > 0
    for n in range(steps):
        if 0 < n < steps - 1 and not complete:
            roll_wheels(m, s, ground, command, STEP)
            continue
        vehicle_step(m, s, ground, command, STEP)
        for i in range(len(spins)):
            spins[i] = spin[i]
        for present, saved in parts:
            for i in range(len(saved)):
                present[i] = saved[i]
        for i in range(len(spins)):
            spin[i] = spins[i]


@inline
def roll_wheels(m, s, ground, command, h):
    """Advance wheels, tires and drivetrain by a step; chassis and suspension stay as at the start of the last step."""
    move_wheels(s)
    step_tires(m, s, ground, h)
    gather_tire_loads(s)
    advance_drivetrain(m, s, command, h)


def _along(s: VehicleData) -> NDArray[np.float64]:
    """Return the direction (3,) in which the vehicle rolls straight ahead, in B: along the ground under its wheels."""
    up = s.work[0]["R_WB"].T @ s.contacts["n_W"].sum(axis=0)
    ahead = np.array([up[2], 0.0, -up[0]])  # no component to the left or along the normal
    return ahead / np.linalg.norm(ahead)


@kernel
def pull_along(m, s, along):
    """Return the force [N] of ground, air and weight on the complete vehicle along a direction in B. The chassis acceleration would be
    wrong here, because it includes the suspension, which is reset after each step."""
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
    """Return a gear that is engaged now, and the throttle for a torque on the driveshaft [N m] in this gear.

    The gear is the wanted one. For 0 it is the highest forward gear in which the gearbox does not shift down at this throttle. If no gear
    suffices, it is the highest one at open throttle.
    """
    p, d, spin, fallback = m.drivetrain, s.drivetrain, s.state[0]["wheel_spin"], wanted
    for gear in range(p[0]["gears"] if wanted == 0 else 0, 0, -1):
        throttle = drivetrain_cruise(p, d, spin, gear, torque)
        if gear == 1 or not too_slow(p, gear, throttle, d[0]["turbine_speed"]):
            if throttle != 1.0:
                return gear, throttle
            fallback = gear if fallback == 0 else fallback
    return fallback, drivetrain_cruise(p, d, spin, fallback, torque)
