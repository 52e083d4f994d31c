"""Vehicles of one task in worlds of a pool: starts by copying a snapshot, steps by a fleet for each ground."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from simulator.base.arrays import Array
from simulator.base.errors import ConfigError, JounceError
from simulator.fleet.fleet import Fleet
from simulator.fleet.values import Draws, given_to_each
from simulator.learning.contract import DIRECTION, PEDAL, STEERING, Numbers, Row, Verdicts, World
from simulator.tick import VALID
from terrain.ground import Ground

COLUMNS = (
    *("p_WB_x", "p_WB_y", "p_WB_z", "roll", "pitch", "yaw", "v_WB_B_x", "v_WB_B_y", "v_WB_B_z"),
    *("w_WB_B_x", "w_WB_B_y", "w_WB_B_z", "a_WB_B_x", "a_WB_B_y", "a_WB_B_z", "steering", "throttle", "brake", "gear", "engine_speed"),
)
"""Columns of the log that a task may read as `Arena.column`."""
_PLACES = {name: k for k, name in enumerate(COLUMNS)}
STEP = 1e-3
"""s"""
SHORTEST, LONGEST = 0.001, 1.0
"""s. Range of the period."""
MAX_SECONDS = 3600.0
"""s. Longest episode."""
STANDS = 1000
"""Verdict of a vehicle of a fleet that is in another fleet, or whose episode has ended."""
STEERING_RATE = 4.0
"""1/s. Fastest steering input: half a second from lock to lock. Larger: a policy that jumps shakes the vehicle."""
CHANGE_SPEED = 0.5
"""m/s. Maximum speed at which the selector moves between drive and reverse."""
INVALID = "invalid vehicle state"
"""Outcome of a vehicle whose state is not finite or beyond the limits."""


class Task:
    """What the vehicles of an environment see and shall do. Tasks are written for n vehicles at once, in arrays.

    A subclass sets the class variables, and defines `worlds`, `observe` and `judge`.
    """

    vehicle: ClassVar[str] = "sedan"
    terrains: ClassVar[tuple[str, ...]] = ("flat",)
    ground_changes: ClassVar[Mapping[str, Any]] = {}
    """Changes of the terrain by key path below `terrain`."""
    seconds: ClassVar[float] = 30.0
    """s, longest episode"""
    n_worlds: ClassVar[int] = 32
    """Worlds of the pool, unless the user says otherwise."""
    actions: ClassVar[tuple[Row, ...]] = (STEERING, PEDAL)
    observations: tuple[Row, ...] = ()
    outcomes: ClassVar[tuple[str, ...]] = ()
    """Names of the ends of an episode; the first one is a success."""
    camera: ClassVar[str] = "chase"

    def worlds(self, grounds: Sequence[Ground], count: int, rng: np.random.Generator) -> list[World]:
        """Return `count` worlds, drawn from `rng` only."""
        raise NotImplementedError

    def begin(self, arena: Arena, chosen: Numbers) -> None:
        """Prepare for the episodes of the chosen vehicles, which stand at the starts of their worlds."""

    def observe(self, arena: Arena, chosen: Numbers) -> Array:
        """Return the observations (len(chosen), k) of vehicles now; called once after each step or reset."""
        raise NotImplementedError

    def judge(self, arena: Arena, chosen: Numbers) -> Verdicts:
        """Return rewards and ends of the last step of vehicles; called after `observe`."""
        raise NotImplementedError

    def memory(self) -> dict[str, NDArray[Any]]:
        """Return the arrays (n, ...) that the task keeps of the episodes, by name."""
        return {}


class Arena:
    """n vehicles with their worlds, episodes and commands.

    Parameters
    ----------
    task : what they do
    n : number of vehicles
    n_worlds : worlds of the pool; None: that of the task
    pool_seed : seed of the pool; another one gives other worlds, for example to test a policy
    vehicle, terrain : instead of those of the task; a list of terrains is drawn from
    period : time of one step of the environment [s]
    seconds : longest episode [s]; None: that of the task
    changes : parameters by key path as of a `Fleet`; each world draws its own values of a distribution
    threads : threads that step the vehicles

    Attributes
    ----------
    worlds : the pool
    world : (n,) world of each vehicle
    steps : (n,) steps since its start
    """

    def __init__(
        self,
        task: Task,
        n: int,
        *,
        n_worlds: int | None = None,
        pool_seed: int = 0,
        vehicle: str | None = None,
        terrain: str | Sequence[str] | None = None,
        period: float = 0.05,
        seconds: float | None = None,
        changes: Mapping[str, Any] | None = None,
        threads: int = 1,
    ) -> None:
        count = task.n_worlds if n_worlds is None else n_worlds
        if not (isinstance(count, int) and 1 <= count <= 100_000):
            raise ConfigError("environment", "n_worlds", count, "a whole number from 1 to 100000")
        substeps = round(period / STEP)
        if not (SHORTEST <= period <= LONGEST and math.isclose(substeps * STEP, period, rel_tol=1e-6)):
            raise ConfigError("environment", "period", period, f"a multiple of {STEP:g} s from {SHORTEST:g} to {LONGEST:g} s")
        if seconds is not None:
            if not period <= seconds <= MAX_SECONDS:
                raise ConfigError("environment", "seconds", seconds, f"a number from the period, {period:g} s, to {MAX_SECONDS:g} s")
            task.seconds = seconds  # type: ignore[misc]
        self.task, self.n, self.period, self.closed = task, n, substeps * STEP, False
        terrains = task.terrains if terrain is None else (terrain,) if isinstance(terrain, str) else tuple(terrain)
        fixed = {f"terrain.{key}": [value] * n for key, value in task.ground_changes.items()} if terrain is None else {}
        self.fleets = [
            Fleet(
                vehicle or task.vehicle,
                one,
                n=n,
                step=STEP,
                substeps=substeps,
                observations=COLUMNS,
                threads=threads,
                changes=fixed,
                rigid=True,
            )
            for one in terrains
        ]
        self.worlds: list[World] = task.worlds([fleet.ground for fleet in self.fleets], count, np.random.default_rng((pool_seed, 1)))
        self._snapshots = np.array([self._snapshot(k, world, changes or {}, pool_seed) for k, world in enumerate(self.worlds)])
        self._ground = np.array([world.ground for world in self.worlds])
        for fleet in self.fleets:
            fleet.verdicts[:] = STANDS
        self.world, self.steps = np.zeros(n, np.int64), np.zeros(n, np.int64)
        self.last_steps = max(1, round(task.seconds / self.period))
        self._state = np.zeros((n, len(COLUMNS)))
        self._command = {name: np.zeros(n) for name in ("steering", "throttle", "brake")} | {"selector": np.ones(n, np.int64)}
        self._low, self._high = limits(task.actions)

    def _snapshot(self, k: int, world: World, changes: Mapping[str, Any], pool_seed: int) -> int:
        """Return the number of a snapshot of the start of world k in the fleet of its ground."""
        fleet = self.fleets[world.ground]
        draws = Draws(k + 1, pool_seed)
        given = {key: draws.value(key, given_to_each(key, value, 1)[0], k) for key, value in changes.items()}
        first = np.arange(self.n) == 0
        fleet.reset(first, poses=list(world.pose), speed=world.speed, changes=given or None)
        return fleet.save(0)

    def column(self, name: str) -> Array:
        """Return the values (n,) of a column of COLUMNS."""
        return self._state[:, _PLACES[name]]

    def start(self, chosen: Numbers, worlds: Numbers) -> Array:
        """Begin new episodes of the chosen vehicles (m,) in worlds (m,); return their observations (m, k)."""
        self.check_open()
        for name, first in (("steering", 0.0), ("throttle", 0.0), ("brake", 0.0), ("selector", 1)):
            self._command[name][chosen] = first
        self.world[chosen], self.steps[chosen] = worlds, 0
        for number, fleet in enumerate(self.fleets):
            here = chosen[self._ground[worlds] == number]
            fleet.verdicts[chosen] = STANDS
            if len(here):
                mask, snapshots = np.zeros(self.n, bool), np.zeros(self.n, np.int64)
                mask[here] = True
                snapshots[here] = self._snapshots[self.world[here]]
                self._state[here] = fleet.restore(mask, snapshots)[here]
        self.task.begin(self, chosen)
        return self.task.observe(self, chosen)

    def step(self, actions: Array, chosen: Numbers) -> tuple[Array, Array, Numbers, Numbers]:
        """Advance the chosen vehicles (m,), all that have an episode, under actions (m, a).

        Returns observations (m, k), rewards (m,), outcomes (m,) as of `Verdicts`, and truncations (m,). A vehicle stands after its end.

        actions : finite
        """
        self.check_open()
        self._take(actions, chosen)
        grounds = self._ground[self.world[chosen]]
        verdicts = np.zeros(self.n, np.int64)
        for number, fleet in enumerate(self.fleets):
            here = chosen[grounds == number]
            if not len(here):
                continue
            for name, values in self._command.items():
                fleet.commands[name][here] = values[here]
            self._state[here] = fleet.step()[here]
            verdicts[here] = fleet.verdicts[here]
        self.steps[chosen] += 1
        return self._judged(chosen, verdicts)

    def _judged(self, chosen: Numbers, verdicts: Numbers) -> tuple[Array, Array, Numbers, Numbers]:
        observed = self.task.observe(self, chosen)
        reward, outcome = self.task.judge(self, chosen)
        broken = verdicts[chosen] != VALID
        outcome = np.where(broken, len(self.task.outcomes) + 1, outcome)
        reward = np.where(broken, 0.0, reward)
        truncated = (outcome == 0) & (self.steps[chosen] >= self.last_steps)
        ended = chosen[(outcome > 0) | truncated]
        for fleet in self.fleets:
            fleet.verdicts[ended] = STANDS
        return observed, reward, outcome, truncated.astype(np.int64)

    @property
    def collisions(self) -> Numbers:
        """(n,) numbers of collisions with objects since the start of each vehicle."""
        out = np.zeros(self.n, np.int64)
        for number, fleet in enumerate(self.fleets):
            here = self._ground[self.world] == number
            if here.any():
                out[here] = fleet.collisions[here]
        return out

    def groups(self, chosen: Numbers) -> list[tuple[Fleet, Numbers]]:
        """Return each fleet with the places in `chosen` of its vehicles."""
        grounds = self._ground[self.world[chosen]]
        return [(fleet, np.flatnonzero(grounds == number)) for number, fleet in enumerate(self.fleets)]

    def fleet_of(self, vehicle: int) -> Fleet:
        """Return the fleet in which a vehicle is."""
        return self.fleets[self._ground[self.world[vehicle]]]

    def outcome_name(self, outcome: int) -> str:
        """Return the name of an outcome."""
        return "time limit" if outcome == 0 else (*self.task.outcomes, INVALID)[outcome - 1]

    def _take(self, actions: Array, chosen: Numbers) -> None:
        """Set the commands of vehicles from actions, which are clipped to their limits."""
        clipped = np.clip(actions, self._low, self._high)
        for part, row in enumerate(self.task.actions):
            self._take_part(row, clipped[:, part], chosen)

    def _take_part(self, row: Row, values: Array, chosen: Numbers) -> None:
        command = self._command
        if row is STEERING:
            most = STEERING_RATE * self.period
            command["steering"][chosen] += np.clip(values - command["steering"][chosen], -most, most)
        elif row is PEDAL:
            command["throttle"][chosen], command["brake"][chosen] = np.maximum(values, 0.0), np.maximum(-values, 0.0)
        elif row is DIRECTION:
            slow = np.abs(self.column("v_WB_B_x")[chosen]) < CHANGE_SPEED
            command["selector"][chosen] = np.where(slow, np.where(values < 0.0, -1, 1), command["selector"][chosen])

    def state(self) -> dict[str, Any]:
        """Return the state of all episodes, for `set_state`."""
        kept = {"world": self.world, "steps": self.steps, "state": self._state, **self._command, **self.task.memory()}
        vehicles = [(self.fleet_of(k).state(k), int(self.fleet_of(k).verdicts[k])) for k in range(self.n)]
        return {"arrays": {name: values.copy() for name, values in kept.items()}, "vehicles": vehicles}

    def set_state(self, state: Mapping[str, Any]) -> None:
        """Continue from a state of an arena with the same arguments, also of another process."""
        everyone = np.arange(self.n)
        self.start(everyone, state["arrays"]["world"])
        kept = {"world": self.world, "steps": self.steps, "state": self._state, **self._command, **self.task.memory()}
        for name, values in kept.items():
            values[:] = state["arrays"][name]
        for k, (vehicle, verdict) in enumerate(state["vehicles"]):
            fleet = self.fleet_of(k)
            fleet.set_state(k, vehicle)
            fleet.verdicts[k] = verdict

    def close(self) -> None:
        """End the threads; further steps raise an error."""
        self.closed = True
        for fleet in self.fleets:
            fleet.close()

    def check_open(self) -> None:
        """Raise JounceError: the arena is closed."""
        if self.closed:
            raise JounceError("environment: it is closed; expected an open environment; hint: make a new one")


def limits(rows: Sequence[Row]) -> tuple[Array, Array]:
    """Return the lower and upper limits (k,) of rows."""
    low, high = (np.array([value for row in rows for value in [row[end]] * row.repeated]) for end in (1, 2))
    return low, high
