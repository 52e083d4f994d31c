"""Speed control: a list of target speeds, or a demand from outside, becomes throttle and brake. `simulator.driver.speed_kernels` is its kernel."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields

from simulator.base.fields import Number, entry
from simulator.base.records import Record, record
from simulator.driver.internal_model import InternalModel


@dataclass(frozen=True)
class SpeedTarget:
    """Go to `speed` (m/s), changing by at most `acceleration` (m/s2), from time `at` (s) or from station `at_station` (m) on."""

    speed: float = entry(Number("m/s", 0.0, 60.0), "speed to come to", written="mps")
    acceleration: float = entry(Number("m/s2", 0.001, 15.0), "largest change of the speed", written="mps2")
    at: float | None = entry(Number("s", 0.0, 86400.0), "from this time on", None, written="s")
    at_station: float | None = entry(Number("m", -1e5, 1e5), "from this station of the path on", None, written="m")


@dataclass(frozen=True)
class SpeedGains:
    """How the vehicle answers its pedals, and how firmly the driver works them. What is None is as the vehicle's traits say."""

    throttle_acceleration: float | None = entry(
        Number("m/s2", 0.1, 50.0), "acceleration per unit of throttle; measured on the vehicle when left out", None
    )
    brake_acceleration: float | None = entry(
        Number("m/s2", 0.1, 50.0), "deceleration per unit of brake; measured on the vehicle when left out", None
    )
    proportional: float = entry(Number("1/s", 0.001, 10.0), "acceleration asked for per error of the speed", 1.5)
    integral: float = entry(Number("1/s2", 0.001, 10.0), "its rate per error of the speed", 0.5)
    pedal_gap: float = entry(Number("m/s2", 0.0, 5.0), "deceleration left to the engine before the foot moves to the brake", 0.4)
    pedal_hysteresis: float = entry(Number("1", 0.0, 0.5), "share of a pedal that must be wanted before the foot changes to it", 0.05)
    pedal_rate: float = entry(Number("1/s", 0.01, 1000.0), "largest change of a pedal per second", 2.0)


class SpeedControl:
    """PI control of the forward speed with a ramped demand, feed-forward and anti-windup.

        demand'  = limited to +- acceleration          until it is the target's speed, waiting while LEAD ahead of v
        a        = demand' + Kp (demand - v) + i + rolling + drag v^2 + g sin(slope)      acceleration asked of the pedals
        i'       = Ki (demand - v)                      but not further into the stop of a pedal

    Demand and i wait while the engine gives all it has, so the speed does not run beyond the target afterwards.
    (Back-calculation with the usual time constant Kp/Ki would let i grow to full throttle then.) The brake joins only below
    -pedal_gap, so that engine braking comes first; one foot works both pedals, so one is released before the other is pressed, and it
    changes only when a share of the other one is wanted.
    [Astrom and Hagglund 1995, section 3.5]

    Parameters
    ----------
    targets : in the order in which they come into force; one whose time and station lie behind replaces those before it
    numbers : see there
    traits : of the vehicle
    """

    def __init__(self, targets: Sequence[SpeedTarget] = (), numbers: SpeedGains | None = None, traits: InternalModel | None = None) -> None:
        from simulator.driver.speed_kernels import PEDALS, PEDALS_STATE

        self._waiting = list(targets)
        self._p, self._state = _numbers(record(PEDALS), numbers or SpeedGains(), traits or InternalModel()), record(PEDALS_STATE)
        self._state[0]["limit"] = 1.0
        self._press: Callable | None = None
        self._keep: Callable | None = None

    @property
    def demand(self) -> float:
        """Speed wanted now, m/s."""
        return float(self._state[0]["demand"])

    def aim(self, speed: float, acceleration: float) -> None:
        """From now on go to `speed` (m/s), changing by at most `acceleration` (m/s2)."""
        state = self._state[0]
        state["given"], state["target"], state["limit"] = 0, speed, acceleration

    def ask(self, demand: float, slope: float = 0.0) -> None:
        """Want a speed (m/s) that changes at a rate (m/s2) from now on; targets do not count any more."""
        state = self._state[0]
        state["given"], state["demand"], state["slope"] = 1, demand, slope

    def pedals(self, t: float, station: float, speed: float, grade: float = 0.0) -> tuple[float, float]:
        """(throttle, brake) in [0, 1] at time t (s), station (m) of the path, forward speed (m/s) and rise of the ground ahead per way."""
        from simulator.driver.speed_kernels import pedals_at

        self._look_at_targets(t, station)
        throttle, brake = pedals_at(self._p, self._state, float(t), float(speed), float(grade))
        return throttle, brake

    def press(self, t: float, seen: Record, command: Record) -> None:
        """The same for a look (`simulator.driver.steering.observation`), into a COMMAND that drives forward."""
        if self._press is None:
            from simulator.base.fast_call import compiled_call
            from simulator.driver.speed_kernels import work_pedals

            self._press = compiled_call(work_pedals, self._p, self._state, 0.0, seen, command)
        if self._waiting:
            self._look_at_targets(t, seen[0]["station"])
        self._press(self._p, self._state, t, seen, command)

    def keep(self, t: float, readout: Record, command: Record) -> None:
        """The same out of a READOUT, for whoever steers otherwise; of the COMMAND only the pedals are written."""
        if self._keep is None:
            from simulator.base.fast_call import compiled_call
            from simulator.driver.speed_kernels import keep_speed

            self._keep = compiled_call(keep_speed, self._p, self._state, 0.0, readout, command)
        if self._waiting:
            self._look_at_targets(t, 0.0)
        self._keep(self._p, self._state, t, readout, command)

    def _look_at_targets(self, t: float, station: float) -> None:
        while self._waiting and _begins(self._waiting[0], t, station):
            target = self._waiting.pop(0)
            self._state[0]["target"], self._state[0]["limit"] = target.speed, target.acceleration


def _numbers(p: Record, numbers: SpeedGains, traits: InternalModel) -> Record:
    """PEDALS: what is said, and the rest from the traits."""
    for one in fields(numbers):
        said = getattr(numbers, one.name)
        p[0][one.name] = getattr(traits, one.name) if said is None else said
    p[0]["rolling"], p[0]["drag"] = traits.rolling, traits.drag
    return p


def _begins(target: SpeedTarget, t: float, station: float) -> bool:
    if target.at_station is not None:
        return station >= target.at_station
    return t >= (target.at or 0.0) - 1e-9
