"""Speed control: converts speed targets, or a demand from the caller, to throttle and brake. Kernels: `simulator.driver.speed_kernels`."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields

from simulator.base.field_classes import entry
from simulator.base.fields import Number
from simulator.base.records import Record, record
from simulator.driver.internal_model import InternalModel

MAX_LEAD = 0.25
"""m/s. Difference between demand and speed in a change of speed. Larger: the acceleration exceeds the requested one for longer."""


@dataclass(frozen=True)
class SpeedTarget:
    """Target `speed` (m/s), approached with at most `acceleration` (m/s2), from time `at` (s) or from station `at_station` (m) on."""

    speed: float = entry(Number("m/s", 0.0, 60.0), "target speed", written="mps")
    acceleration: float = entry(Number("m/s2", 0.001, 15.0), "maximum acceleration or deceleration", written="mps2")
    at: float | None = entry(Number("s", 0.0, 86400.0), "start time", None, written="s")
    at_station: float | None = entry(Number("m", -1e5, 1e5), "start station on the path", None, written="m")


@dataclass(frozen=True)
class SpeedGains:
    """Pedal response of the vehicle, and gains of the driver. Values that are None come from the internal model of the vehicle."""

    throttle_acceleration: float | None = entry(Number("m/s2", 0.1, 50.0), "acceleration per unit of throttle (default: identified)", None)
    brake_acceleration: float | None = entry(Number("m/s2", 0.1, 50.0), "deceleration per unit of brake (default: identified)", None)
    proportional: float = entry(Number("1/s", 0.001, 10.0), "requested acceleration per speed error", 1.5)
    integral: float = entry(Number("1/s2", 0.001, 10.0), "rate of the requested acceleration per speed error", 0.5)
    pedal_gap: float = entry(Number("m/s2", 0.0, 5.0), "deceleration by engine braking before the driver uses the brake", 0.4)
    pedal_hysteresis: float = entry(Number("1", 0.0, 0.5), "minimum requested pedal position for a change to that pedal", 0.05)
    pedal_rate: float = entry(Number("1/s", 0.01, 1000.0), "maximum rate of a pedal", 2.0)


class SpeedControl:
    """PI control of the forward speed with a ramped demand, feed-forward and anti-windup.

        demand'  = limited to +- acceleration          until it is the target speed, constant while LEAD ahead of v
        a        = demand' + Kp (demand - v) + i + rolling + drag v^2 + g sin(slope)      requested acceleration
        i'       = Ki (demand - v)                      but not further into the limit of a pedal

    Demand and i are constant at full throttle, so that the speed does not overshoot the target afterwards. (Back-calculation with the usual
    time constant Kp/Ki would let i grow to full throttle in this case.) The driver brakes only below -pedal_gap, so that engine braking
    comes first. One foot works both pedals: one pedal is released before the other is pressed, and the foot changes only for a minimum
    position of the other pedal. [Astrom and Hagglund 1995, section 3.5]

    Parameters
    ----------
    targets : in the order in which they take effect; a target whose time and station are reached replaces the previous one
    numbers : gains, see `SpeedGains`
    traits : internal model of the vehicle
    """

    def __init__(self, targets: Sequence[SpeedTarget] = (), numbers: SpeedGains | None = None, traits: InternalModel | None = None) -> None:
        from simulator.driver.speed_kernels import PEDALS, PEDALS_STATE

        self._waiting = list(targets)
        self._p, self._state = _numbers(record(PEDALS), numbers or SpeedGains(), traits or InternalModel()), record(PEDALS_STATE)
        self._state[0]["limit"] = 1.0
        self._change: tuple[float, float] | None = None
        self._press: Callable | None = None
        self._keep_speed: Callable | None = None

    @property
    def demand(self) -> float:
        """Present speed demand, m/s."""
        return float(self._state[0]["demand"])

    @property
    def proportional(self) -> float:
        """Requested acceleration per speed error, 1/s."""
        return float(self._p[0]["proportional"])

    def set_target(self, speed: float, acceleration: float) -> None:
        """Set the target `speed` (m/s), approached with at most `acceleration` (m/s2)."""
        state = self._state[0]
        state["given"], state["target"], state["limit"] = 0, speed, acceleration

    def set_demand(self, demand: float, slope: float = 0.0) -> None:
        """Set the demanded speed (m/s) and its rate (m/s2) directly; replaces the targets."""
        state = self._state[0]
        state["given"], state["demand"], state["slope"] = 1, demand, slope

    def change_to(self, speed: float, acceleration: float) -> None:
        """Set a target as `set_target` does, with a demand that waits for the response of the vehicle, so that the acceleration is the requested
        one: a demand that runs ahead while the brake builds up would be caught up with too much of it."""
        self._change = speed, acceleration
        self.set_demand(math.nan)

    def target_at(self, t: float, station: float) -> float:
        """Return the target speed (m/s) at time t (s) and station (m) of the path."""
        self._update_target(t, station)
        return float(self._state[0]["target"])

    def pedals(self, t: float, station: float, speed: float, grade: float = 0.0) -> tuple[float, float]:
        """Return (throttle, brake) in [0, 1] at time t (s), station (m) of the path, forward speed (m/s) and slope of the ground ahead."""
        from simulator.driver.speed_kernels import pedals_at

        self._update_target(t, station)
        self._ramp(t, speed)
        throttle, brake = pedals_at(self._p, self._state, float(t), float(speed), float(grade))
        return throttle, brake

    def load_kernels(self, seen: Record, readout: Record, command: Record) -> None:
        """Load the kernels for calls of `press` and `write_pedals` with these records in advance."""
        self._press = self._compile_press(seen, command)
        self._keep_speed = self._compile_keep_speed(readout, command)

    def press(self, t: float, seen: Record, command: Record) -> None:
        """Write the pedals for an observation (`simulator.driver.steering.observation`) to COMMAND, which drives forward."""
        if self._press is None:
            self._press = self._compile_press(seen, command)
        if self._waiting:
            self._update_target(t, seen[0]["station"])
        if self._change is not None:
            self._ramp(t, float(seen[0]["v_x"]))
        self._press(self._p, self._state, t, seen, command)

    def write_pedals(self, t: float, readout: Record, command: Record) -> None:
        """Write the pedals for a READOUT to COMMAND, for drivers that steer by other means; only the pedals are written."""
        if self._keep_speed is None:
            self._keep_speed = self._compile_keep_speed(readout, command)
        if self._waiting:
            self._update_target(t, 0.0)
        if self._change is not None:
            self._ramp(t, float(readout[0]["v_WB_B"][0]))
        self._keep_speed(self._p, self._state, t, readout, command)

    def _ramp(self, t: float, speed: float) -> None:
        """Move the demand of `change_to`, if it was called, towards its target."""
        if self._change is None:
            return
        (target, most), state = self._change, self._state[0]
        if math.isnan(state["demand"]):
            state["demand"] = speed
            if target < speed:
                state["integral"] = 0.0  # it belongs to the throttle
        before = float(state["demand"])
        step = most * max(t - float(state["time"]), 0.0)
        demand = before + min(max(target - before, -step), step)
        demand = min(max(demand, speed - MAX_LEAD), speed + MAX_LEAD)
        if abs(demand - target) < 1e-9:
            self._change = None
            self.set_target(target, most)
        else:
            self.set_demand(demand, math.copysign(most, target - demand))
        state["demand"] = demand

    def _compile_press(self, seen: Record, command: Record) -> Callable:
        from simulator.base.fast_call import compiled_call
        from simulator.driver.speed_kernels import work_pedals

        return compiled_call(work_pedals, self._p, self._state, 0.0, seen, command)

    def _compile_keep_speed(self, readout: Record, command: Record) -> Callable:
        from simulator.base.fast_call import compiled_call
        from simulator.driver.speed_kernels import keep_speed

        return compiled_call(keep_speed, self._p, self._state, 0.0, readout, command)

    def _update_target(self, t: float, station: float) -> None:
        while self._waiting and _begins(self._waiting[0], t, station):
            target = self._waiting.pop(0)
            self._state[0]["target"], self._state[0]["limit"] = target.speed, target.acceleration


def _numbers(p: Record, numbers: SpeedGains, traits: InternalModel) -> Record:
    """Fill a PEDALS record with the given gains, and with the internal model where a gain is None."""
    for gain in fields(numbers):
        value = getattr(numbers, gain.name)
        p[0][gain.name] = getattr(traits, gain.name) if value is None else value
    p[0]["rolling"], p[0]["drag"] = traits.rolling, traits.drag
    return p


def _begins(target: SpeedTarget, t: float, station: float) -> bool:
    if target.at_station is not None:
        return station >= target.at_station
    return t >= (target.at or 0.0) - 1e-9
