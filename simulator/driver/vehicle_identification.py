"""How a driver gets to know a vehicle: a look at its steering, and a short test drive on an endless hard plain.

What follows from the vehicle alone (wheelbase, weights, steering) is computed, what does not is driven: the same vehicle gives the same
traits, bit for bit, and is left as it is. Each part of the test is driven when what it brings is first asked for, from where the vehicle
stands, so that the order changes no number: a driver who keeps no speed and follows no path needs none of them.
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

from simulator.base.constants import STANDARD_GRAVITY
from simulator.base.errors import JounceError
from simulator.base.records import record
from simulator.driver.gear_shifting import gear_numbers
from simulator.driver.identification_kernels import LOOKS, noted_drive, turn_arm
from simulator.driver.internal_model import InternalModel
from terrain.ground import GroundArrays
from terrain.load_terrain import load_terrain
from vehicles.command import COMMAND
from vehicles.drivetrain.drivetrain import drivetrain_reset
from vehicles.vehicle import Vehicle

Vector = NDArray[np.float64]

STEP = 1e-3
"""s, of the test drive."""
INPUTS = 41
"""Steering inputs at which the road wheels are looked at."""
STEERED = 0.02
"""rad. A wheel whose heading changes less from lock to lock is none that steers."""
SLOW, FAST = 4.0, 15.0
"""m/s. Speeds of the turns between which the understeer is found."""
SIDEWAYS = 1.0
"""m/s2. Lateral acceleration of these turns at most: beyond, tires answer less and less."""
STRAIGHT, TURNING = 0.5, 2.5
"""s of coasting straight before a turn, and of the turn."""
SETTLED = 0.5
"""s at the end of a turn over which it is averaged."""
RESTLESS = 0.05
"""1. Share by which the yaw rate per speed may still change in that time."""
ACCELERATING, BRAKING, SKIPPED = 8.0, 0.8, 0.3
"""s of acceleration from rest, of braking, and of that before the brake has built up."""
THROTTLE, BRAKE = 0.3, 0.3
"""Pedals of the tests, as a driver uses them who keeps a speed: far from full load and from the locking of the wheels."""
USUAL = InternalModel()
"""What is taken for a trait that cannot be found out."""
PARTS = {
    "weights": ("wheelbase", "mass", "steering_wheel_lock", "front_axle", "front_share"),
    "steering": ("inputs", "road_wheel_angles"),
    "coasting": ("rolling", "drag"),
    "turns": ("turning_length", "understeer", "rear_slip", "response"),
    "throttle": ("throttle_acceleration",),
    "brake": ("brake_acceleration",),
    "gears": ("gears",),
}
"""The parts of the test, and what each brings."""
PART_OF = {name: part for part, names in PARTS.items() for name in names}


def identify_vehicle(vehicle: Vehicle, gravity: float = STANDARD_GRAVITY, step: float = STEP) -> InternalModel:
    """What a driver knows of a vehicle after he has tried it, under a gravity [m/s2] and in steps of `step` [s].

    Never raises. What cannot be found out is as of the vehicle of which `InternalModel` has the numbers, and `troubles` says so.
    """
    return replace(lazy_internal_model(vehicle, gravity, step))


def lazy_internal_model(vehicle: Vehicle, gravity: float = STANDARD_GRAVITY, step: float = STEP) -> InternalModel:
    """The same, each found out when it is first asked for: until then nobody may change the vehicle's parameters."""
    return LazyInternalModel(_Trial(vehicle, gravity, step))


class LazyInternalModel(InternalModel):
    """Traits of a vehicle that is tried when they are asked for; a copy that `dataclasses.replace` makes knows them all."""

    def __init__(self, trial: _Trial | None = None, **known: Any) -> None:
        if trial is None:
            super().__init__(**known)
        else:
            vars(self)["_trial"] = trial

    def __getattribute__(self, name: str) -> Any:
        if name in PART_OF or name == "troubles":
            own = vars(self)
            if name not in own:
                own[name] = own["_trial"].troubles() if name == "troubles" else own["_trial"].trait(name)
        return super().__getattribute__(name)

    @property
    def simulating(self) -> float:
        """s of wall time that the steps of the test drive have taken so far."""
        trial = vars(self).get("_trial")
        return trial.simulating if trial is not None else 0.0


def simulated_for(traits: InternalModel) -> float:
    """s of wall time for which a vehicle has been driven on its plain to find out its traits; 0 where they were given."""
    return traits.simulating if isinstance(traits, LazyInternalModel) else 0.0


@cache
def _plain(gravity: float) -> GroundArrays:
    """Endless, level and hard, under a gravity [m/s2]."""
    return load_terrain({"type": "flat", "gravity": gravity}, "plain", Path(), {}).arrays


class _Straight(NamedTuple):
    """Coasting straight ahead in neutral."""

    speed: float
    """m/s, mean over its second half"""
    loss: float
    """m/s2 there"""
    end: NDArray[np.uint8]
    """The memory of the vehicle at its end."""


class _Turn(NamedTuple):
    """The turn that follows."""

    speed: float
    """m/s ahead, mean over its end, as what follows"""
    turn: float
    """rad/s, yaw rate"""
    sideways: float
    """m/s to the left"""
    ratio: float
    """m, road-wheel angle over curvature"""
    response: float
    """s"""


class _Trial:
    """A vehicle of the same kind on a plain, and what has been found out so far."""

    def __init__(self, vehicle: Vehicle, gravity: float, step: float) -> None:
        self.step, self.look, self.gravity = step, step * LOOKS, gravity
        self.probe = vehicle.new_instance()
        self.command = record(COMMAND)
        self.simulating = 0.0
        """s of wall time in steps"""
        self.found: dict[str, Any] = {}
        self._troubles: dict[str, str] = {}
        self._tried: set[str] = set()

    def trait(self, name: str) -> Any:
        """That of a name; as usual where it cannot be found out."""
        self._try(PART_OF[name])
        return self.found[name] if name in self.found else getattr(USUAL, name)

    def troubles(self) -> tuple[str, ...]:
        """What cannot be found out, once all has been tried."""
        for part in PARTS:
            self._try(part)
        return tuple(self._troubles[part] for part in PARTS if part in self._troubles)

    def _try(self, part: str) -> None:
        """Find out a part, once; go on without what cannot be found out, but say so."""
        if part in self._tried:
            return
        self._tried.add(part)
        self._try("weights")
        if "weights" in self._troubles:
            return
        try:
            _FINDERS[part](self)
        except JounceError as error:
            one = f"{self.probe.description.name}: the driver could not try its {part}: {error}; he takes it for another car's"
            self._troubles[part] = f"{error}; its driver takes it for another car" if part == "weights" else one

    def _weigh(self) -> None:
        """Put it on the plain, and look at its axles and what they carry."""
        probe, name = self.probe, self.probe.description.name
        probe.model.steering[0]["input_time"] = 0.0
        probe.free_steering(False)
        self.ground = _plain(self.gravity)
        probe.reset(self.ground)
        self.settled = probe.piece.memory.copy()
        loads, axles = probe.readout[0]["F_C"][:, 2].copy(), probe.readout[0]["p_BK"][:, 0].copy()
        self.depths = probe.readout[0]["tire_deflection"].copy()
        front, rear = float(axles.max()), float(axles.min())
        steering, gravity = probe.model.steering[0], float(self.ground.p[0]["gravity"])
        if not gravity > 0.0:
            raise JounceError(f"{name}: a driver finds no weight on its wheels to steer with")
        if front - rear < 0.1:
            raise JounceError(f"{name}: a driver finds no wheelbase to steer by: all wheels stand in one line")
        place = float(loads @ axles / loads.sum())
        self.found = {
            "wheelbase": front - rear,
            "mass": float(loads.sum()) / gravity,
            "steering_wheel_lock": float(steering["max_arm_angle"] * steering["gear_ratio"]),
            "front_axle": front,
            "front_share": (place - rear) / (front - rear),
            "turning_length": front - rear,
        }

    def _look_at_steering(self) -> None:
        """Mean heading of the steered wheels over the steering input, standing."""
        p, s = self.probe.model, self.probe.space
        self._recall(self.settled)
        inputs = np.linspace(-1.0, 1.0, INPUTS)
        axles = np.empty((INPUTS, 3, len(s.wheels)))
        turn_arm(p, s, -inputs * p.steering[0]["max_arm_angle"], axles)
        headings = np.arctan2(-axles[:, 0], axles[:, 1])
        steered = np.ptp(headings, axis=0) > STEERED
        if not steered.any():
            raise JounceError("no wheel turns with the steering wheel")
        angles = headings[:, steered].mean(axis=1)
        if not (np.isfinite(angles).all() and (np.diff(angles) > 0.0).all()):
            raise JounceError("its wheels do not turn further and further with the steering wheel")
        self.found |= {"inputs": inputs, "road_wheel_angles": angles}

    def _coast(self) -> None:
        """Straight ahead, slowly and fast: what slows the vehicle down."""
        self.straights = slow, fast = self._straight(SLOW), self._straight(FAST)
        drag = (fast.loss - slow.loss) / (fast.speed**2 - slow.speed**2)
        self.found |= {"drag": max(drag, 0.0), "rolling": max(slow.loss - max(drag, 0.0) * slow.speed**2, 0.0)}

    def _straight(self, speed: float) -> _Straight:
        """From a speed [m/s]. Raises JounceError."""
        self._start(speed)
        straight = self._drive(STRAIGHT)[:, 0]
        half = len(straight) // 2
        loss = (straight[half] - straight[-1]) / ((len(straight) - 1 - half) * self.look)
        if not np.isfinite(straight).all():
            raise JounceError(f"it does not coast straight ahead at {speed:g} m/s")
        return _Straight(float(straight[half:].mean()), float(loss), self.probe.piece.memory.copy())

    def _turn(self) -> None:
        """A slow and a fast turn: length, understeer, sideslip and response.

        With delta the road-wheel angle standing, kappa = w / u the curvature and the steady turn delta / kappa = length + K u^2.
        """
        self._try("steering")
        self._try("coasting")
        if "coasting" in self._troubles:
            raise JounceError("it does not coast straight ahead")
        slow, fast = (self._turn_from(*one) for one in zip(self.straights, (SLOW, FAST), strict=True))
        understeer = (fast.ratio - slow.ratio) / (fast.speed**2 - slow.speed**2)
        length = slow.ratio - understeer * slow.speed**2
        if not (length > 0.1 and length + understeer * 40.0**2 > 0.0):
            raise JounceError("it does not turn to the side to which it is steered")
        # the center of mass has no side force in a slow turn where the turning length says
        behind = length - self.found["front_axle"]
        self.found |= {
            "understeer": understeer,
            "turning_length": length,
            "rear_slip": max(-(fast.sideways - behind * fast.turn) / fast.speed, 0.0) / (fast.speed * fast.turn),
            "response": fast.response,
        }

    def _turn_from(self, straight: _Straight, speed: float) -> _Turn:
        """A turn at a speed [m/s] from the end of a straight, in neutral. Raises JounceError when it does not become steady."""
        guess = InternalModel(**{name: self.found[name] for name in ("inputs", "road_wheel_angles") if name in self.found})
        lateral = min(SIDEWAYS, 0.25 * speed * speed / self.found["wheelbase"])
        steering = guess.steering_for((self.found["wheelbase"] + guess.understeer * speed * speed) * lateral / speed**2)
        self._recall(straight.end)
        turn = self._drive(TURNING, steering=steering)
        count = round(SETTLED / self.look)
        per_way = turn[:, 2] / np.maximum(turn[:, 0], 0.1 * speed)
        end, mean = per_way[-count:], turn[-count:].mean(axis=0)
        curvature = float(end.mean())
        if not np.isfinite(turn).all() or abs(curvature) < 1e-6 or np.ptp(end) > RESTLESS * abs(curvature) or mean[0] < 0.3 * speed:
            raise JounceError(f"a turn at {speed:g} m/s does not become steady")
        # the mean time by which the course rate, yaw rate and turning of the sideslip, is late after a jump of the steering
        late = float(np.sum(1.0 - per_way / curvature) * self.look) - float(mean[1] / mean[0]) / (curvature * float(mean[0]))
        return _Turn(
            speed=float(mean[0]),
            turn=float(mean[2]),
            sideways=float(mean[1]),
            ratio=guess.road_wheel_angle(steering) / curvature,
            response=min(max(late, self.look), 1.0),
        )

    def _accelerate(self) -> None:
        """A part of the throttle from rest, through the gears: what moves the vehicle, resistance included, is the mean over the time."""
        self._try("coasting")
        self._start(0.0)
        speed = self._drive(ACCELERATING, throttle=THROTTLE, selector=1)[:, 0]
        if not np.isfinite(speed).all() or speed[-1] < 0.5:
            raise JounceError("it does not come off")
        resisting = self.found.get("rolling", 0.0) + self.found.get("drag", 0.0) * float((speed * speed).mean())
        gained = float(speed[-1]) / ACCELERATING + resisting
        self.found["throttle_acceleration"] = min(max(gained / THROTTLE, 0.1), 50.0)

    def _brake(self) -> None:
        """A part of the brake at speed."""
        self._start(FAST)
        speed = self._drive(BRAKING, brake=BRAKE)[round(SKIPPED / self.look) :, 0]
        loss = float(speed[0] - speed[-1]) / ((len(speed) - 1) * self.look)
        if not (math.isfinite(loss) and loss > 0.0 and speed[-1] > 0.0):
            raise JounceError("it does not slow down as it should")
        self.found["brake_acceleration"] = min(max(loss / BRAKE, 0.1), 50.0)

    def _look_at_gears(self) -> None:
        self.found["gears"] = None if self.probe.model.drivetrain[0]["motors"] else gear_numbers(self.probe)

    def _recall(self, memory: NDArray[np.uint8]) -> None:
        """Have the vehicle be as it was."""
        self.probe.piece.memory[:] = memory

    def _start(self, speed: float) -> None:
        """Settled, straight ahead at a speed [m/s], in neutral."""
        model = self.probe.model
        s = self.probe.space
        self._recall(self.settled)
        s.state[0]["v_WB_B"][0] = speed
        s.state[0]["wheel_spin"] = speed / (model.tires["radius"] - self.depths)
        drivetrain_reset(model.drivetrain, s.drivetrain, s.state[0]["wheel_spin"], 0)

    def _drive(self, duration: float, **inputs: float) -> Vector:
        """Notes of driving on under one command."""
        self.command[:] = np.zeros(1, self.command.dtype)
        for name, value in inputs.items():
            self.command[0][name] = value
        notes = np.zeros((round(duration / self.look), 3))
        began = time.perf_counter()
        noted_drive(self.probe.model, self.probe.space, self.ground, self.command, self.step, notes)
        self.simulating += time.perf_counter() - began
        return notes


_FINDERS: dict[str, Callable[[_Trial], None]] = {
    "weights": _Trial._weigh,
    "steering": _Trial._look_at_steering,
    "coasting": _Trial._coast,
    "turns": _Trial._turn,
    "throttle": _Trial._accelerate,
    "brake": _Trial._brake,
    "gears": _Trial._look_at_gears,
}
"""Who finds out a part: functions of the class, as methods of a trial in a trial would keep its vehicle until somebody looks for garbage."""
