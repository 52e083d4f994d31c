"""Identification of a vehicle for its driver: steering geometry, and short test drives on an endless flat plane.

Wheelbase, weights and steering are computed; all other traits are identified in test drives. The same vehicle gives identical traits, bit
for bit, and is not changed. Each part is identified when one of its traits is first read. Every part starts from the same state of the
vehicle, so that the order does not affect the results. A driver without speed control and path following needs no test drive.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from simulator.base.arrays import Vector
from simulator.base.constants import STANDARD_GRAVITY
from simulator.base.errors import JounceError
from simulator.base.records import record
from simulator.driver.gear_shifting import gear_numbers
from simulator.driver.identification_kernels import STEPS_PER_ROW, recorded_drive, turn_arm
from simulator.driver.internal_model import InternalModel
from terrain.ground import GroundArrays
from terrain.load_terrain import load_terrain
from vehicles.command import COMMAND
from vehicles.drivetrain.contract import CONVENTIONAL
from vehicles.drivetrain.drivetrain import drivetrain_reset
from vehicles.vehicle import Vehicle
from vehicles.vehicle_model import VehicleModel

STEP = 1e-3
"""s, time step of the test drives."""
INPUTS = 41
"""Number of steering inputs at which the road-wheel angles are computed."""
STEERED = 0.02
"""rad. Minimum change of heading from lock to lock of a steered wheel."""
SLOW_TURN_SPEED, FAST_TURN_SPEED = 4.0, 15.0
"""m/s. Speeds of the turns from which the understeer is computed."""
SIDEWAYS = 1.0
"""m/s2. Maximum lateral acceleration of these turns; above it, the response of the tires is no longer linear."""
USUAL_UNDERSTEER = 0.0025
"""rad s2/m. Understeer that the steering inputs of these turns assume; it need not be exact."""
STRAIGHT, TURNING = 0.5, 2.5
"""s of coasting straight before a turn, and of the turn."""
SETTLED = 0.5
"""s at the end of a turn over which the results are averaged."""
RESTLESS = 0.05
"""1. Maximum relative change of the yaw rate per speed in that time."""
ACCELERATING, BRAKING, SKIPPED = 8.0, 0.8, 0.3
"""s of acceleration from rest, of braking, and of the build-up of the brake that is skipped."""
THROTTLE, BRAKE = 0.3, 0.3
"""1. Pedals of the tests, typical of speed control: far from full load and from locking wheels."""
DEFAULTS = InternalModel()
"""Default values of traits that cannot be identified."""
PARTS = {
    "weights": ("wheelbase", "mass", "steering_wheel_lock", "front_axle", "front_share", "reference_height", "center_height", "track"),
    "steering": ("inputs", "road_wheel_angles"),
    "coasting": ("rolling", "drag"),
    "turns": ("turning_length", "understeer", "rear_slip", "response"),
    "throttle": ("throttle_acceleration",),
    "brake": ("brake_acceleration",),
    "gears": ("gears",),
}
"""Parts of the identification, and the traits of each."""
PART_OF = {name: part for part, names in PARTS.items() for name in names}


def identify_vehicle(vehicle: Vehicle, gravity: float = STANDARD_GRAVITY, step: float = STEP) -> InternalModel:
    """Identify a vehicle completely, under a gravity [m/s2] and in steps of `step` [s].

    Never raises. Traits that cannot be identified have the defaults of `InternalModel`; `troubles` lists these parts.
    """
    return replace(lazy_internal_model(vehicle, gravity, step))


def lazy_internal_model(vehicle: Vehicle, gravity: float = STANDARD_GRAVITY, step: float = STEP) -> InternalModel:
    """Return traits that are identified on first use; until then the vehicle's parameters must not change."""
    return LazyInternalModel(_Identification(vehicle, gravity, step))


def design_traits(model: VehicleModel) -> dict[str, Any]:
    """Return the traits that a vehicle has without a drive: lock of the steering wheel, mass and, with several axles, their positions."""
    steering, corners = model.steering[0], model.corners[0]
    traits = {
        "steering_wheel_lock": float(steering["max_arm_angle"] * steering["gear_ratio"]),
        "mass": float(model.chassis[0]["mass"] + corners["corner_mass"].sum()),
    }
    front, rear = float(corners["design_wheel_x"].max()), float(corners["design_wheel_x"].min())
    if front - rear < 0.1:
        return traits
    return traits | {"wheelbase": front - rear, "front_axle": front, "turning_length": front - rear}


class LazyInternalModel(InternalModel):
    """Traits that are identified on first use; a copy by `dataclasses.replace` identifies all of them."""

    def __init__(self, identification: _Identification | None = None, **known: Any) -> None:
        if identification is None:
            super().__init__(**known)
        else:
            vars(self)["_identification"] = identification

    def __getattribute__(self, name: str) -> Any:
        if name in PART_OF or name == "troubles":
            own = vars(self)
            if name not in own:
                own[name] = own["_identification"].troubles() if name == "troubles" else own["_identification"].trait(name)
        return super().__getattribute__(name)

    @property
    def simulating(self) -> float:
        """s of wall time that the steps of the test drives have taken so far."""
        identification = vars(self).get("_identification")
        return identification.simulating if identification is not None else 0.0


def simulated_for(traits: InternalModel) -> float:
    """Return the wall time [s] of the test drives of a vehicle so far; 0 for traits that were given."""
    return traits.simulating if isinstance(traits, LazyInternalModel) else 0.0


@cache
def plain_ground(gravity: float) -> GroundArrays:
    """Return an endless, level, hard plane under a gravity [m/s2]."""
    return load_terrain({"type": "flat", "gravity": gravity}, "plain", Path(), {}).arrays


class _Straight(NamedTuple):
    """Result of coasting straight ahead in neutral."""

    speed: float
    """m/s, mean over the second half"""
    loss: float
    """m/s2, mean deceleration over the second half"""
    end: NDArray[np.uint8]
    """State memory of the vehicle at the end."""


class _Turn(NamedTuple):
    """Result of the turn after the straight; means over its end."""

    speed: float
    """m/s, forward speed"""
    turn: float
    """rad/s, yaw rate"""
    sideways: float
    """m/s, velocity to the left"""
    ratio: float
    """m, road-wheel angle divided by curvature"""
    response: float
    """s, response time"""


class _Identification:
    """Test vehicle on a plane, with the traits identified so far."""

    def __init__(self, vehicle: Vehicle, gravity: float, step: float) -> None:
        self.step, self.look, self.gravity = step, step * STEPS_PER_ROW, gravity
        self.probe = vehicle.new_instance()
        self.probe.tow(None)
        self.command = record(COMMAND)
        self.simulating = 0.0
        """s of wall time in simulation steps"""
        self.traits: dict[str, Any] = {}
        self._troubles: dict[str, str] = {}
        self._identified: set[str] = set()

    def trait(self, name: str) -> Any:
        """Return the trait `name`; its default if it cannot be identified."""
        self._identify(PART_OF[name])
        return self.traits[name] if name in self.traits else getattr(DEFAULTS, name)

    def troubles(self) -> tuple[str, ...]:
        """Identify all parts and return a line for each part that failed."""
        for part in PARTS:
            self._identify(part)
        return tuple(self._troubles[part] for part in PARTS if part in self._troubles)

    def _identify(self, part: str) -> None:
        """Identify a part, once; record a failure and continue."""
        if part in self._identified:
            return
        self._identified.add(part)
        self._identify("weights")
        if "weights" in self._troubles:
            return
        try:
            _IDENTIFIERS[part](self)
        except JounceError as error:
            one = f"{self.probe.description.name}: cannot identify the {part} for the driver: {error}; using the default vehicle's values"
            self._troubles[part] = f"{error}; using the default vehicle's values" if part == "weights" else one

    def _identify_weights(self) -> None:
        """Put the vehicle on the plane; compute wheelbase, mass and center of mass from axle positions and wheel loads.

        A vehicle that cannot be put on a plane has the values of its design.
        """
        probe, name = self.probe, self.probe.description.name
        self.traits = design_traits(probe.model)
        probe.model.steering[0]["input_time"] = 0.0
        probe.free_steering(False)
        self.ground = plain_ground(self.gravity)
        probe.reset(self.ground)
        self.settled = probe.piece.memory.copy()
        loads, axles = probe.readout[0]["F_C"][:, 2].copy(), probe.readout[0]["p_BK"][:, 0].copy()
        self.depths = probe.readout[0]["tire_deflection"].copy()
        front, rear = float(axles.max()), float(axles.min())
        gravity = float(self.ground.p[0]["gravity"])
        if not gravity > 0.0:
            raise JounceError(f"{name}: cannot identify the vehicle for the driver; no steered wheel carries load")
        if front - rear < 0.1:
            raise JounceError(f"{name}: cannot identify the vehicle for the driver; all wheels have the same longitudinal position")
        place = float(loads @ axles / loads.sum())
        self.traits |= {
            "wheelbase": front - rear,
            "mass": float(loads.sum()) / gravity,
            "front_axle": front,
            "front_share": (place - rear) / (front - rear),
            "turning_length": front - rear,
            "reference_height": float(probe.readout[0]["p_WB"][2]),
            "center_height": float(probe.readout[0]["p_WG"][2]),
            "track": float(np.ptp(probe.readout[0]["p_BK"][:, 1])),
        }

    def _identify_steering(self) -> None:
        """Compute the mean heading of the steered wheels over the steering input, at rest."""
        p, s = self.probe.model, self.probe.space
        self._restore(self.settled)
        inputs = np.linspace(-1.0, 1.0, INPUTS)
        axles = np.empty((INPUTS, 3, len(s.wheels)))
        turn_arm(p, s, -inputs * p.steering[0]["max_arm_angle"], axles)
        headings = np.arctan2(-axles[:, 0], axles[:, 1])
        steered = np.ptp(headings, axis=0) > STEERED
        if not steered.any():
            raise JounceError("no wheel turns with the steering wheel")
        angles = headings[:, steered].mean(axis=1)
        if not (np.isfinite(angles).all() and (np.diff(angles) > 0.0).all()):
            raise JounceError("the road-wheel angle does not increase monotonically with the steering input")
        self.traits |= {"inputs": inputs, "road_wheel_angles": angles}

    def _identify_coasting(self) -> None:
        """Coast straight ahead, slow and fast, and compute rolling resistance and drag."""
        self.straights = slow, fast = self._straight(SLOW_TURN_SPEED), self._straight(FAST_TURN_SPEED)
        drag = (fast.loss - slow.loss) / (fast.speed**2 - slow.speed**2)
        self.traits |= {"drag": max(drag, 0.0), "rolling": max(slow.loss - max(drag, 0.0) * slow.speed**2, 0.0)}

    def _straight(self, speed: float) -> _Straight:
        """Coast from a speed [m/s]. Raises JounceError."""
        self._start(speed)
        straight = self._drive(STRAIGHT)[:, 0]
        half = len(straight) // 2
        loss = (straight[half] - straight[-1]) / ((len(straight) - 1 - half) * self.look)
        if not np.isfinite(straight).all():
            raise JounceError(f"the vehicle does not coast straight ahead at {speed:g} m/s")
        return _Straight(float(straight[half:].mean()), float(loss), self.probe.piece.memory.copy())

    def _identify_turns(self) -> None:
        """Drive a slow and a fast turn; compute turning length, understeer, sideslip and response.

        With delta the road-wheel angle at rest, kappa = w / u the curvature and u the speed, the steady turn is delta / kappa = length + K
        u^2.
        """
        self._identify("steering")
        self._identify("coasting")
        if "coasting" in self._troubles:
            raise JounceError("the vehicle does not coast straight ahead")
        slow, fast = (self._turn_from(*one) for one in zip(self.straights, (SLOW_TURN_SPEED, FAST_TURN_SPEED), strict=True))
        understeer = (fast.ratio - slow.ratio) / (fast.speed**2 - slow.speed**2)
        length = slow.ratio - understeer * slow.speed**2
        if not (length > 0.1 and length + understeer * 40.0**2 > 0.0):
            raise JounceError("the vehicle does not turn to the side of the steering input")
        # as in InternalModel.rear_point
        behind = min(length, self.traits["wheelbase"]) - self.traits["front_axle"]
        self.traits |= {
            "understeer": understeer,
            "turning_length": length,
            "rear_slip": max(-(fast.sideways - behind * fast.turn) / fast.speed, 0.0) / (fast.speed * fast.turn),
            "response": fast.response,
        }

    def _turn_from(self, straight: _Straight, speed: float) -> _Turn:
        """Drive a turn at a speed [m/s] from the end of a straight, in neutral. Raises JounceError when the turn does not become steady."""
        estimate = InternalModel(**{name: self.traits[name] for name in ("inputs", "road_wheel_angles") if name in self.traits})
        lateral = min(SIDEWAYS, 0.25 * speed * speed / self.traits["wheelbase"])
        steering = estimate.steering_for((self.traits["wheelbase"] + USUAL_UNDERSTEER * speed * speed) * lateral / speed**2)
        self._restore(straight.end)
        turn = self._drive(TURNING, steering=steering)
        count = round(SETTLED / self.look)
        per_way = turn[:, 2] / np.maximum(turn[:, 0], 0.1 * speed)
        end, mean = per_way[-count:], turn[-count:].mean(axis=0)
        curvature = float(end.mean())
        if not np.isfinite(turn).all() or abs(curvature) < 1e-6 or np.ptp(end) > RESTLESS * abs(curvature) or mean[0] < 0.3 * speed:
            raise JounceError(f"a turn at {speed:g} m/s does not become steady")
        # mean delay of the course rate (yaw rate plus rate of the sideslip) after a step of the steering
        late = float(np.sum(1.0 - per_way / curvature) * self.look) - float(mean[1] / mean[0]) / (curvature * float(mean[0]))
        return _Turn(
            speed=float(mean[0]),
            turn=float(mean[2]),
            sideways=float(mean[1]),
            ratio=estimate.road_wheel_angle(steering) / curvature,
            response=min(max(late, self.look), 1.0),
        )

    def _identify_throttle(self) -> None:
        """Accelerate from rest through the gears at part throttle; the acceleration, plus resistance, is the mean over the time."""
        self._identify("coasting")
        self._start(0.0)
        speed = self._drive(ACCELERATING, throttle=THROTTLE, selector=1)[:, 0]
        if not np.isfinite(speed).all() or speed[-1] < 0.5:
            raise JounceError("the vehicle does not start moving")
        resisting = self.traits.get("rolling", 0.0) + self.traits.get("drag", 0.0) * float((speed * speed).mean())
        gained = float(speed[-1]) / ACCELERATING + resisting
        self.traits["throttle_acceleration"] = min(max(gained / THROTTLE, 0.1), 50.0)

    def _identify_brake(self) -> None:
        """Brake at speed at part brake."""
        self._start(FAST_TURN_SPEED)
        speed = self._drive(BRAKING, brake=BRAKE)[round(SKIPPED / self.look) :, 0]
        loss = float(speed[0] - speed[-1]) / ((len(speed) - 1) * self.look)
        if not (math.isfinite(loss) and loss > 0.0 and speed[-1] > 0.0):
            raise JounceError("the vehicle does not decelerate as expected")
        self.traits["brake_acceleration"] = min(max(loss / BRAKE, 0.1), 50.0)

    def _identify_gears(self) -> None:
        self.traits["gears"] = gear_numbers(self.probe) if self.probe.model.drivetrain[0]["kind"] == CONVENTIONAL else None

    def _restore(self, memory: NDArray[np.uint8]) -> None:
        """Restore a state memory of the vehicle."""
        self.probe.piece.memory[:] = memory

    def _start(self, speed: float) -> None:
        """Restore the settled vehicle and set a speed straight ahead [m/s], in neutral."""
        model = self.probe.model
        s = self.probe.space
        self._restore(self.settled)
        s.state[0]["v_WB_B"][0] = speed
        s.state[0]["wheel_spin"] = speed / (model.tires["radius"] - self.depths)
        drivetrain_reset(model.drivetrain, s.drivetrain, s.state[0]["wheel_spin"], 0)

    def _drive(self, duration: float, **inputs: float) -> Vector:
        """Drive under a constant command and return the recording."""
        self.command[:] = np.zeros(1, self.command.dtype)
        for name, value in inputs.items():
            self.command[0][name] = value
        recording = np.zeros((round(duration / self.look), 3))
        began = time.perf_counter()
        recorded_drive(self.probe.model, self.probe.space, self.ground, self.command, self.step, recording)
        self.simulating += time.perf_counter() - began
        return recording


_IDENTIFIERS: dict[str, Callable[[_Identification], None]] = {
    "weights": _Identification._identify_weights,
    "steering": _Identification._identify_steering,
    "coasting": _Identification._identify_coasting,
    "turns": _Identification._identify_turns,
    "throttle": _Identification._identify_throttle,
    "brake": _Identification._identify_brake,
    "gears": _Identification._identify_gears,
}
"""Function that identifies each part. Functions of the class, because bound methods stored in the object would form a reference cycle."""
