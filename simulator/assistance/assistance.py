"""Driver assistance of a vehicle: it changes the command of the driver, a hundred times a second."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import fields
from typing import Any

import numpy as np

from simulator.assistance.cruise_control import CruiseControl, SpeedLimiter
from simulator.assistance.emergency_braking import BRAKES, OFF, STAGES, WARNING, DriverInput, EmergencyBraking
from simulator.assistance.lane_keeping import Lane, LaneKeeping
from simulator.assistance.prediction import ONCOMING, OWN, assess, targets
from simulator.assistance.section import AssistanceOptions, BrakingOptions
from simulator.assistance.surroundings import Surroundings
from simulator.base.errors import ConfigError
from simulator.base.fast_call import compiled_call
from simulator.base.records import Record, Table, record
from simulator.driver.hand_over import HandOver
from simulator.driver.input_devices.vehicle_handling import handling_of
from simulator.driver.internal_model import InternalModel
from simulator.driver.seen_vehicle import body_box
from terrain.objects.labels import LABELS
from terrain.objects.object_set import ObjectSet
from vehicles.command import COMMAND
from vehicles.vehicle import Vehicle

SYSTEM_NAMES = {
    "aeb": "emergency braking",
    "acc": "cruise control",
    "limiter": "speed limiter",
    "lane_keeping": "lane keeping",
}
"""Systems by their keys, and their names in texts."""
AEB, ACC, LIMITER, LANE = SYSTEM_NAMES
SPEED_STEP = 5.0 / 3.6
"""m/s. Step of a set speed by a key."""
MAX_SET_SPEED = 60.0
"""m/s."""
RAW = ("steering", "throttle", "brake", "parking_brake", "steering_torque")
"""Parts of the command of the driver that the assistance changes."""
LOGGED = (
    # name                   shape  unit    description
    *((f"driver_{name}", (), {"steering_torque": "N m"}.get(name, "1"), f"{name.replace('_', ' ')} of the driver") for name in RAW),
    ("driver_deliberate", (), "1", "0: an automatic driver that keeps a speed; its throttle overrides nothing", "i8"),
    ("aeb_stage", (), "1", f"stage of the emergency braking: {', '.join(f'{n} = {name}' for n, name in enumerate(STAGES))}", "i8"),
    ("aeb_brake", (), "1", "brake pedal that the emergency braking requests"),
    ("collision_time", (), "s", "time to collision with the most urgent object; NaN: none predicted"),
    ("required_deceleration", (), "m/s2", "deceleration that avoids this collision"),
    ("target", (), "1", "number of the object; 0 = none", "i8"),
    ("gap", (), "m", "distance to the nearest vehicle in the way; NaN: none in range"),
    ("gap_speed", (), "m/s", "speed of this vehicle along the own path"),
    ("acc_on", (), "1", "1: the adaptive cruise control is on", "i8"),
    ("acc_speed", (), "m/s", "its set speed; NaN before the first one"),
    ("limiter_on", (), "1", "1: the speed limiter is on", "i8"),
    ("limiter_speed", (), "m/s", "its limit; NaN before the first one"),
    ("lane_on", (), "1", "1: the lane keeping is on", "i8"),
    ("lane_offset", (), "m", "offset from the center of the lane, + = left; NaN without a lane"),
    ("lane_acceleration", (), "m/s2", "lateral acceleration that the lane keeping adds, + = left"),
)
FREE_TIME, FREE_GAP = 2.0, 5.0
"""s, m. The way is free if nothing is in it for FREE_TIME at the present speed and FREE_GAP."""
LANE_MARGIN = 0.2
"""m. A vehicle that is closer to the own path, from its side, is in the way for the cruise control."""
BRAKING_MARGIN = 0.5
"""m. Free width that the own path needs in addition on each side while the emergency braking brakes: a braked car may pull to a side."""
LEAST_SPEED = 2.0
"""m/s. Speed below which the yaw rate says nothing about the path."""
YAW_TIME = 0.1
"""s. Time constant of the yaw rate that gives the path."""
LEAST_REQUIRED = 1.0
"""m/s2. Necessary deceleration below which an object is not urgent."""
LEAST_RECEDING = 3.0
"""m/s2. The same for an object that is faster, but slows down."""
PERIOD = 0.01
"""s between two calls."""


def occurrence_text(value: Mapping[str, Any]) -> str:
    """Return the line for an occurrence of the driver assistance."""
    text = f"{SYSTEM_NAMES[value['system']]}: {value['state']}"
    if "object" in value:
        text += f" for {value['object']}, {value['collision_time_s']:.1f} s before a collision"
    return f"{text}, at {value['time_s']:.2f} s and {3.6 * value['speed_mps']:.0f} km/h"


def short_text(value: Mapping[str, Any]) -> str:
    """Return an occurrence for the window."""
    if value["system"] == AEB:
        return {"warning": "BRAKE: collision warning", "hold": "held: press a pedal", "ready": ""}.get(value["state"], value["state"])
    return f"{SYSTEM_NAMES[value['system']]} {value['state']}"


class Assistance:
    """Driver assistance of the first vehicle of a session.

    Parameters
    ----------
    options : systems and numbers
    vehicle : its outline
    traits : internal model of the vehicle
    lane : for the lane keeping

    Attributes
    ----------
    occurrences : warnings and interventions so far, as the values of the events
    """

    def __init__(self, options: AssistanceOptions, vehicle: Vehicle, traits: InternalModel, lane: Lane | None = None) -> None:
        # complete and plain: nothing is identified during a drive
        self._traits = InternalModel(**{one.name: getattr(traits, one.name) for one in fields(InternalModel)})
        self._surroundings, self._own = Surroundings(options.sensor), record(OWN)
        low, high = body_box(vehicle.model.object_contact)
        own, half_width = self._own[0], float(max(-low[1], high[1]))
        braking = options.aeb or BrakingOptions()
        own["front"], own["rear"], own["half_width"] = high[0], -low[0], half_width
        own["margin"], own["lane"] = braking.margin, half_width + LANE_MARGIN
        self._side_margin, self._reaction = braking.side_margin, braking.reaction
        self.aeb = None if options.aeb is None else EmergencyBraking(options.aeb, self._traits, handling_of(vehicle, self._traits))
        self.acc = None if options.acc is None else CruiseControl(options.acc, self._traits)
        self.limiter = None if options.limiter is None else SpeedLimiter(options.limiter, self._traits)
        keeps = options.lane_keeping is not None and lane is not None
        self.lane_keeping = LaneKeeping(options.lane_keeping, self._traits, lane, half_width) if keeps else None  # type: ignore[arg-type]
        self._raw, self._logged = record(COMMAND), record(LOGGED)
        self._assess: Callable | None = None
        self._last = record(COMMAND)
        self.begin(self._last)

    @property
    def logged(self) -> list[tuple[str, Table, Record]]:
        """(prefix, table, record) of its columns."""
        return [("assistance_", LOGGED, self._logged)]

    @property
    def systems(self) -> tuple[str, ...]:
        """Names of the systems of the vehicle."""
        return tuple(name for name in SYSTEM_NAMES if getattr(self, name) is not None)

    def begin(self, command: Record) -> None:
        """Begin a drive with a COMMAND, which is valid until the first call of the driver."""
        self.occurrences: list[dict[str, Any]] = []
        for name in self.systems:
            getattr(self, name).begin()
        self._surroundings.begin()
        self._raw[:] = self._last[:] = command
        self._time, self._yaw_rate = math.nan, 0.0
        self._blend: HandOver | None = None
        self._states: tuple[int, ...] = self._present()
        self._show(None, None, DriverInput(0.0, 0.0, 0.0, True))

    def load_kernels(self, readout: Record) -> None:
        """Load the kernels in advance."""
        self._assess = compiled_call(assess, self._own, targets(1), 1.0)
        for one in (self.acc, self.lane_keeping):
            if one is not None:
                one.load_kernels(readout)

    def need(self, name: str) -> Any:
        """Return a system. Raises ConfigError: the vehicle has none with this name."""
        if name not in self.systems:
            expected = f"a system of the section `assistance` of the session: {', '.join(self.systems) or 'none'}"
            raise ConfigError("event", "assistance", name, expected)
        return getattr(self, name)

    def switch(self, name: str, on: bool | None = None) -> bool:
        """Turn a system on or off, None: the other one; return whether it is on. Raises ConfigError: the vehicle has none with this name."""
        system = self.need(name)
        if name == AEB:
            on = system.stage == OFF if on is None else on
            system.switch(on)
            return on
        system.on = not system.on if on is None else on
        if system.on and name in (ACC, LIMITER) and system.options.speed is None:
            system.speed = math.nan  # the speed at the next call
        return bool(system.on)

    def set_speed(self, speed: float) -> None:
        """Set the speed [m/s] of the system that is on, the cruise control first. Raises ConfigError: the vehicle has neither."""
        self._speed_system().speed = speed

    def stepped_speed(self, steps: int) -> float:
        """Return the set speed [m/s] after steps to multiples of SPEED_STEP. Raises ConfigError: there is no system with a set speed."""
        system = self._speed_system()
        now = (0.0 if math.isnan(system.speed) else system.speed) / SPEED_STEP
        after = math.floor(now + 1e-6) + 1 if steps > 0 else math.ceil(now - 1e-6) - 1
        return min(max(after * SPEED_STEP, SPEED_STEP), MAX_SET_SPEED)

    def _speed_system(self) -> CruiseControl | SpeedLimiter:
        """Return the system whose speed a driver sets."""
        if self.limiter is not None and (self.acc is None or (self.limiter.on and not self.acc.on)):
            return self.limiter
        return self.need(ACC)  # type: ignore[no-any-return]

    def restore(self, command: Record) -> None:
        """Write the command of the driver of the last call, which the driver may change in part."""
        for name in RAW:
            command[0][name] = self._raw[0][name]

    def apply(self, time: float, readout: Record, command: Record, objects: ObjectSet, driver: object) -> list[dict[str, Any]]:
        """Change the command of a driver at a time [s]; return what has begun or ended, as the values of events."""
        dt = 0.0 if math.isnan(self._time) else min(max(time - self._time, 0.0), 10.0 * PERIOD)
        self._time = time
        self._raw[:] = command
        given = self._driver_input(readout, command, driver)
        rows = self._look(dt, time, readout, objects)
        forward = int(command[0]["selector"]) == 1
        threat = self._threat(rows) if forward else None
        leader = self._leader(rows)
        if self.acc is not None:
            self.acc.on = self.acc.on and forward and not (self.aeb is not None and self.aeb.brakes)
            self.acc.step(time, readout, leader, given, command)
        if self.limiter is not None:
            self.limiter.step(dt, readout, given, command)
        if self.aeb is not None:
            speed = float(readout[0]["v_WB_B"][0])
            is_free = not bool((rows["gap"] < FREE_TIME * speed + FREE_GAP).any())
            self.aeb.step(dt, readout, threat, is_free, given)
        if self.lane_keeping is not None:
            free = self.aeb is None or not self.aeb.brakes
            self.lane_keeping.step(dt, readout, given.steering, command, free)
        self._finish(time, readout, command, given)
        self._show(threat, leader, given)
        new = self._changes(time, readout, threat, objects)
        self.occurrences += new
        return new

    def _driver_input(self, readout: Record, command: Record, driver: object) -> DriverInput:
        """Return what the driver does."""
        c = command[0]
        wheel = float(readout[0]["steering_wheel_angle"]) if c["steering_free"] else float(c["steering"]) * self._traits.steering_wheel_lock
        return DriverInput(float(c["throttle"]), float(c["brake"]), wheel, bool(getattr(driver, "overrides_assistance", True)))

    def _look(self, dt: float, time: float, readout: Record, objects: ObjectSet) -> Record:
        """Return records of TARGET with the results of `assess`."""
        r, own, traits = readout[0], self._own[0], self._traits
        speed = float(r["v_WB_B"][0])
        self._yaw_rate += min(dt / YAW_TIME, 1.0) * (float(r["w_WB_B"][2]) - self._yaw_rate)
        steered = traits.road_wheel_angle(float(r["steering"])) / (traits.turning_length + traits.understeer * speed * speed)
        own["p_W"], own["yaw"], own["speed"] = r["p_WB"][:2], r["yaw"], max(speed, 0.0)
        brakes = self.aeb is not None and self.aeb.brakes
        own["either"], own["side_margin"] = brakes, self._side_margin + (BRAKING_MARGIN if brakes else 0.0)
        own["curvature"] = self._yaw_rate / speed if speed > LEAST_SPEED else steered, steered
        rows = self._surroundings.look(time, readout, objects) if self.aeb is not None or self.acc is not None else targets(0)
        if len(rows):
            if self._assess is None:
                self._assess = compiled_call(assess, self._own, targets(1), 1.0)
            self._assess(self._own, rows, self._reaction)
        return rows

    def _threat(self, rows: Record) -> Record | None:
        """Return the most urgent object."""
        recedes = (rows["path_speed"] >= self._own[0]["speed"]) & (rows["required"] < LEAST_RECEDING)
        warned = 0.0 if self.aeb is not None and self.aeb.brakes else rows["warned"]
        urgent = np.where(recedes, 0.0, np.maximum(rows["required"], warned))
        if not len(rows) or urgent.max() < LEAST_REQUIRED:
            return None
        return rows[int(np.argmax(np.where(recedes, 0.0, rows["required"]) + 1e-6 * urgent))]

    @staticmethod
    def _leader(rows: Record) -> Record | None:
        """Return the nearest vehicle in the way."""
        gaps = np.where((rows["label"] == LABELS["vehicle"]) & (rows["path_speed"] > ONCOMING), rows["gap"], math.inf)
        return rows[int(np.argmin(gaps))] if len(rows) and gaps.min() < math.inf else None

    def _present(self) -> tuple[int, ...]:
        """Return the states whose changes are occurrences."""
        return (
            0 if self.aeb is None else self.aeb.stage,
            int(self.acc is not None and self.acc.on),
            int(self.limiter is not None and self.limiter.on),
            int(self.lane_keeping is not None and self.lane_keeping.acceleration != 0.0),
        )

    def _finish(self, time: float, readout: Record, command: Record, driver: DriverInput) -> None:
        """Apply the emergency braking and the transitions."""
        out, before, now = command[0], self._states, self._present()
        brakes = self.aeb is not None and self.aeb.brakes
        if now[1:3] != before[1:3] or (before[0] in BRAKES and not brakes):
            self._blend = HandOver(self._last, readout)
        if self._blend is not None and not brakes:
            self._blend.apply(time, readout, command)
            out["brake"] = max(float(out["brake"]), driver.brake)
            if self._blend.over(time):
                self._blend = None
        if self.aeb is not None and self.aeb.blocks:
            out["throttle"] = 0.0
        if brakes:
            self._blend = None
            out["brake"] = max(float(out["brake"]), self.aeb.brake)  # type: ignore[union-attr]
        self._last[:] = command

    def _changes(self, time: float, readout: Record, threat: Record | None, objects: ObjectSet) -> list[dict[str, Any]]:
        """Return the values of the events of changed states."""
        before, now = self._states, self._present()
        self._states = now
        new: list[dict[str, Any]] = []
        speed = float(readout[0]["v_WB_B"][0])
        if now[0] != before[0]:
            event: dict[str, Any] = {"system": AEB, "state": STAGES[now[0]], "time_s": round(time, 6), "speed_mps": speed}
            if threat is not None and now[0] >= WARNING:
                event |= {
                    "object": objects.name(int(threat["number"])),
                    "collision_time_s": float(threat["collision_time"]),
                    "required_mps2": float(threat["required"]),
                }
            new.append(event)
        for n, name in ((1, ACC), (2, LIMITER), (3, LANE)):
            if now[n] != before[n]:
                new.append({"system": name, "state": ("off", "on")[now[n]], "time_s": round(time, 6), "speed_mps": speed})
        return new

    def _show(self, threat: Record | None, leader: Record | None, driver: DriverInput) -> None:
        """Write the record for the log."""
        out = self._logged[0]
        for name in RAW:
            out[f"driver_{name}"] = self._raw[0][name]
        out["driver_deliberate"] = driver.deliberate
        if self.aeb is not None:
            out["aeb_stage"], out["aeb_brake"] = self.aeb.stage, self.aeb.brake
        time, required, number = (math.nan, 0.0, 0) if threat is None else (threat["collision_time"], threat["required"], threat["number"])
        out["collision_time"], out["required_deceleration"], out["target"] = time, required, number
        out["gap"], out["gap_speed"] = (math.nan, math.nan) if leader is None else (leader["gap"], leader["path_speed"])
        for one, prefix in ((self.acc, "acc"), (self.limiter, "limiter")):
            out[f"{prefix}_on"], out[f"{prefix}_speed"] = (0, math.nan) if one is None else (one.on, one.speed)
        if self.lane_keeping is not None:
            out["lane_on"], out["lane_offset"] = self.lane_keeping.on, self.lane_keeping.offset
            out["lane_acceleration"] = self.lane_keeping.acceleration
