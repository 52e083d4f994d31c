"""Many vehicles that do not meet, for learning and Monte Carlo: one kernel steps them all, and fills the observations.

Each vehicle makes the same bits as alone, with any number of threads.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from simulator.base.call_checks import MAPPING, NAME, NAMES, NUMBER, WHOLE, Kind, checks, instance, optional
from simulator.base.errors import ConfigError, JounceError
from simulator.base.fast_call import compiled_call
from simulator.base.records import Record
from simulator.base.suggestions import did_you_mean
from simulator.driver.command_ranges import RANGES
from simulator.fleet.kernels import invalid_command, words
from simulator.fleet.memory import FleetMemory, Numbers, Snapshots
from simulator.fleet.parameters import Parameters, ParameterSets
from simulator.fleet.values import Draws, given_to_each
from simulator.tick import DISTANCE, SPEED
from vehicles.command import COMMAND
from vehicles.vehicle import Vehicle

USUAL = ("p_WB_x", "p_WB_y", "yaw", "v_WB_B_x", "v_WB_B_y", "w_WB_B_z")
"""Default observations."""
START = ("x", "y", "yaw", "speed")
_LIMITS = np.array((DISTANCE, DISTANCE, 1e3, SPEED))
"""m, m, rad, m/s"""
MAX_VEHICLES = 1_000_000
"""Maximum number of vehicles: 60 GB of memory."""

_LOW, _HIGH = (np.array([RANGES[row[0]][end] for row in COMMAND]) for end in (0, 1))
_WHOLE = np.array([len(row) > 4 for row in COMMAND], np.int64)
_ANY = Kind(lambda value: True, "an array")


class Fleet:
    """Vehicles of one kind on one ground that do not meet, and leave no ruts.

    Parameters
    ----------
    vehicle, terrain : name or path
    n : number of vehicles
    step : time step [s]
    substeps : steps of one call of `step`, under one command
    observations : names of columns of the log of a vehicle
    threads : threads that step them; the results are equal for any number
    changes : values by key path below vehicle, terrain or soils. A value is that of all vehicles, an array of n values, or a distribution as
        in a sweep file: {"vehicle.chassis.mass": {"distribution": "uniform", "from": 2000, "to": 3000}}
    seed : seed of the values that are drawn from distributions
    rigid : True = objects that would break off or leave their path do neither; False: a ground with such objects is refused

    Attributes
    ----------
    commands : (n,) records of `vehicles.command.COMMAND`: `commands["throttle"][:] = 0.5`; the selector is in drive at first
    observations : (n, k) values after the last `step` or `reset`
    verdicts : (n,) 0 while the state of a vehicle is valid; a vehicle with another verdict (`simulator.tick`) stands until its reset
    collisions : (n,) numbers of collisions with objects since the reset of each vehicle

    Raises
    ------
    ConfigError : a file or a change cannot be used; JounceError : no equilibrium, an unknown column, or objects that vehicles would move

    >>> fleet = Fleet("hmmwv", "flat", n=3, observations=["v_WB_B_x"])
    >>> fleet.commands["throttle"][:] = 0.0, 0.5, 1.0
    >>> for _ in range(50):
    ...     speeds = fleet.step()
    >>> bool(speeds[0] < speeds[1] < speeds[2])
    True
    """

    @checks(
        vehicle=NAME,
        terrain=NAME,
        n=WHOLE,
        step=NUMBER,
        substeps=WHOLE,
        observations=NAMES,
        threads=WHOLE,
        changes=optional(MAPPING),
        seed=WHOLE,
        rigid=instance(bool, "True or False"),
    )
    def __init__(
        self,
        vehicle: str = "hmmwv",
        terrain: str = "flat",
        *,
        n: int,
        step: float = 1e-3,
        substeps: int = 20,
        observations: Sequence[str] = USUAL,
        threads: int = 1,
        changes: Mapping[str, Any] | None = None,
        seed: int = 0,
        rigid: bool = False,
    ) -> None:
        for name, value in (("n", n), ("substeps", substeps), ("threads", threads)):
            if not 1 <= value <= MAX_VEHICLES:
                raise JounceError(f"{name}: {value}; expected a whole number from 1 to {MAX_VEHICLES}")
        if not 0.0 < step < math.inf:
            raise JounceError(f"step: {step}; expected a finite number above 0 s")
        self.n, self.h, self.substeps, self.columns = n, step, substeps, tuple(observations)
        self._draws = Draws(n, seed)
        self._given: list[dict[str, Any]] = _with_changes([{}] * n, changes or {}, n)
        self._sets = ParameterSets(vehicle, terrain, self._values(0, self._given[0]), step, substeps * step, rigid)
        self.ground = self._sets.ground
        self._memory = FleetMemory(self._sets, n, self.columns, threads, step)
        self._commands: Record = self._memory.commands[:n]
        self._observations: NDArray[np.float64] = self._memory.states.observations[:n]
        self._pool = ThreadPoolExecutor(threads) if threads > 1 else None
        self._parameters: NDArray[Any] = np.full(n, None, object)
        self._bank, self._starts = (Snapshots(self._memory.states) for _ in range(2))
        self._start_of: dict[tuple[Parameters, tuple[float, ...]], int] = {}
        self._check: Any = None
        self._begin(np.arange(n), self._taken(np.arange(n), self._given), None, 0.0)

    @property
    def commands(self) -> Record:
        """(n,) records of COMMAND; the same array at each call."""
        return self._commands

    @property
    def observations(self) -> NDArray[np.float64]:
        """(n, k) values of the columns; the same array at each call."""
        return self._observations

    @property
    def verdicts(self) -> Numbers:
        """(n,) verdicts, 0 = valid."""
        return self._memory.watches["verdict"][: self.n]

    @property
    def kind(self) -> Vehicle:
        """Vehicle whose kind all are, with the parameters of the first one; its state means nothing."""
        return self._sets.bench

    @property
    def collisions(self) -> Numbers:
        """(n,) numbers of collisions with objects since the reset of each vehicle."""
        return self._memory.collisions

    @checks(key=NAME)
    def parameter(self, key: str) -> NDArray[Any]:
        """Return the value of a changed key of each vehicle, (n, ...). Raises JounceError: no such key."""
        without = next((k for k, one in enumerate(self._parameters) if key not in one.values), None)
        if without is not None:
            known = self._parameters[without].values
            hint, expected = did_you_mean(str(key), known), ", ".join(known) or "none"
            raise JounceError(f"parameter {key}: no changed key of vehicle {without}{hint}; expected {expected}")
        return np.array([one.values[key] for one in self._parameters])

    @checks(poses=_ANY, speed=_ANY, changes=optional(MAPPING), seed=optional(WHOLE))
    def reset(
        self,
        mask: ArrayLike | None = None,
        poses: Any = None,
        speed: Any = 0.0,
        *,
        changes: Mapping[str, Any] | None = None,
        seed: int | None = None,
    ) -> NDArray[np.float64]:
        """Put vehicles to rest at poses, or let them roll there at a speed [m/s]. Return the observations.

        Parameters
        ----------
        mask : (n,) True for those that begin anew; None: all
        poses : (3,) or (n, 3) x, y [m], yaw [rad], each a number or a distribution; None: the start of the ground
        speed : one, n, or a distribution
        changes : new values of parameters, as for the fleet; the other parameters stay
        seed : the vehicles draw their parameters and poses as those of a new fleet with this seed; None: they draw the next ones

        Raises
        ------
        ConfigError, JounceError : a change cannot be used, or there is no equilibrium; no vehicle has changed then
        """
        chosen = np.arange(self.n) if mask is None else np.flatnonzero(self._mask(mask))
        self._draws.next(chosen, seed)
        given = _with_changes(self._given, changes, self.n) if changes else self._given
        if seed is not None:
            sets = self._taken(chosen, given)
        elif changes:
            sets = self._taken(chosen, _with_changes([one.values for one in self._parameters], changes, self.n))
        else:
            sets = self._parameters[chosen]
        self._begin(chosen, sets, poses, speed)
        for k in chosen.tolist():
            self._given[k] = given[k]
        return self.observations

    def step(self) -> NDArray[np.float64]:
        """Advance all vehicles by `substeps` steps under their commands. Return the observations.

        Raises JounceError: a command is not finite or out of range; no vehicle has moved then.
        """
        self._check_commands()
        shards = range(len(self._memory.shards))
        if self._pool is None:
            for shard in shards:
                self._memory.advance(shard, self.substeps)
        else:
            list(self._pool.map(lambda shard: self._memory.advance(shard, self.substeps), shards))
        return self.observations

    @checks(vehicle=WHOLE, snapshot=optional(WHOLE))
    def save(self, vehicle: int, snapshot: int | None = None) -> int:
        """Save the state of a vehicle with its parameters; return the number of the snapshot for `restore`.

        snapshot : an existing one to overwrite; None: a new one
        """
        self._check_vehicle(vehicle)
        number = self._bank.count if snapshot is None else snapshot
        if snapshot is not None:
            self._check_snapshots(np.array([snapshot]))
        self._memory.observe(vehicle)
        self._bank.save(number, vehicle, self._parameters[vehicle])
        return number

    @checks(snapshots=_ANY)
    def restore(self, mask: ArrayLike, snapshots: ArrayLike) -> NDArray[np.float64]:
        """Give vehicles (mask (n,)) the states and parameters of snapshots, one number for all or (n,). Return the observations."""
        chosen, given = np.flatnonzero(self._mask(mask)), np.asarray(snapshots)
        if given.dtype.kind not in "iu" or given.shape not in ((), (self.n,)):
            raise JounceError(f"snapshots: {given.dtype} of shape {given.shape}; expected one whole number, or {self.n}")
        numbers = np.broadcast_to(given.astype(np.int64), (self.n,))[chosen]
        self._check_snapshots(numbers)
        self._put(self._bank, chosen, numbers)
        return self.observations

    @checks(vehicle=WHOLE)
    def readout(self, vehicle: int) -> Record:
        """Return the record of READOUT of a vehicle now, as a copy."""
        self._check_vehicle(vehicle)
        return self._memory.readout(vehicle)

    @checks(vehicle=WHOLE)
    def state(self, vehicle: int) -> bytes:
        """Return the state of a vehicle without its parameters, for `set_state` of a fleet of the same kind, also in another process."""
        self._check_vehicle(vehicle)
        return self._memory.state(vehicle)

    @checks(vehicle=WHOLE)
    def set_state(self, vehicle: int, state: bytes) -> None:
        """Give a vehicle a state; its parameters stay. Raises JounceError: the state is that of a vehicle of another kind."""
        self._check_vehicle(vehicle)
        self._memory.set_state(vehicle, state)

    def close(self) -> None:
        """End the threads."""
        if self._pool is not None:
            self._pool.shutdown()
            self._pool = None

    def _begin(self, chosen: Numbers, sets: NDArray[Any], poses: Any, speed: Any) -> None:
        """Put vehicles with sets of parameters to their starts, and keep up to n starts for the next reset."""
        starts = list(zip(sets, map(tuple, self._places(chosen, poses, speed).tolist()), strict=True))
        new = {one: k for one, k in zip(starts, chosen.tolist(), strict=True) if one not in self._start_of}
        if len(self._start_of) + len(new) > self.n:
            self._start_of.clear()
            self._starts.clear()
            new = dict(zip(starts, chosen.tolist(), strict=True))
        for (parameters, place), k in new.items():
            try:
                parameters.lean.start(parameters.ground, *place)
            except ConfigError:
                raise
            except JounceError as error:
                raise JounceError(f"vehicle {k}: {error}") from None
            self._memory.prepare(parameters)
            number = self._start_of[parameters, place] = self._starts.count
            self._starts.save(number, self.n, parameters)
        self._put(self._starts, chosen, np.array([self._start_of[one] for one in starts], np.int64))

    def _put(self, bank: Snapshots, chosen: Numbers, numbers: Numbers) -> None:
        self._memory.put(bank, chosen, numbers)
        self._parameters[chosen] = bank.parameters[numbers]

    def _taken(self, chosen: Numbers, given: Sequence[Mapping[str, Any]]) -> NDArray[Any]:
        """Return the sets of parameters of vehicles."""
        out: NDArray[Any] = np.full(len(chosen), None, object)
        out[:] = [self._sets.take(self._values(k, given[k])) for k in chosen.tolist()]
        return out

    def _values(self, k: int, given: Mapping[str, Any]) -> dict[str, Any]:
        return {key: self._draws.value(key, one, k) for key, one in given.items()}

    def _places(self, chosen: Numbers, poses: Any, speed: Any) -> NDArray[np.float64]:
        """Return x, y, yaw and speed (chosen, 4) of the starts of vehicles."""
        poses = self.ground.spawn if poses is None else poses
        out = np.empty((len(chosen), 4))
        if isinstance(poses, Sequence) and len(poses) == 3 and any(isinstance(one, Mapping) for one in poses):
            for n, one in enumerate(poses):
                out[:, n] = self._numbers(START[n], one, chosen)
        else:
            out[:, :3] = _array("poses", poses, (self.n, 3))[chosen]
        out[:, 3] = self._numbers(START[3], speed, chosen)
        wrong = np.argwhere(~(np.abs(out) <= _LIMITS))
        if len(wrong):
            k, n = wrong[0]
            raise JounceError(f"vehicle {chosen[k]}: {START[n]} {out[k, n]:g}; expected a number from {-_LIMITS[n]:g} to {_LIMITS[n]:g}")
        return out

    def _numbers(self, name: str, given: Any, chosen: Numbers) -> NDArray[np.float64]:
        """Return numbers of the chosen vehicles, drawn if they are given as a distribution."""
        if isinstance(given, Mapping):
            each = given_to_each(name, given, self.n)
            return _array(name, [self._draws.value(name, each[k], k) for k in chosen.tolist()], (len(chosen),))
        return _array(name, given, (self.n,))[chosen]

    def _check_commands(self) -> None:
        """Raise JounceError for a part of a command that is out of range."""
        rows = self._commands
        arguments = (rows.view(np.float64).reshape(self.n, -1), words(rows), _WHOLE, _LOW, _HIGH)
        if self._check is None:
            self._check = compiled_call(invalid_command, *arguments)
        found = self._check(*arguments)
        if found >= 0:
            k, part = divmod(found, len(COMMAND))
            name = COMMAND[part][0]
            raise JounceError(f"commands: vehicle {k}: {name} {rows[name][k]}; expected a number from {_LOW[part]:g} to {_HIGH[part]:g}")

    def _check_vehicle(self, vehicle: int) -> None:
        if not 0 <= vehicle < self.n:
            raise JounceError(f"vehicle {vehicle}: no such vehicle; expected 0 to {self.n - 1}")

    def _check_snapshots(self, numbers: Numbers) -> None:
        wrong = numbers[(numbers < 0) | (numbers >= self._bank.count)]
        if len(wrong):
            known = f"expected 0 to {self._bank.count - 1}" if self._bank.count else "none is saved"
            raise JounceError(f"snapshot {wrong[0]}: no such snapshot; {known}")

    def _mask(self, mask: ArrayLike) -> NDArray[np.bool_]:
        chosen = np.asarray(mask)
        if chosen.shape != (self.n,) or chosen.dtype != bool:
            raise JounceError(f"mask: {chosen.dtype} of shape {chosen.shape}; expected {self.n} times True or False")
        return chosen


def _with_changes(given: Sequence[Mapping[str, Any]], changes: Mapping[str, Any], n: int) -> list[dict[str, Any]]:
    """Return what each of n vehicles is given by key, with changes. Raises ConfigError, JounceError: changes that do not fit."""
    new = {key: given_to_each(str(key), one, n) for key, one in changes.items()}
    return [{**before, **{key: each[k] for key, each in new.items()}} for k, before in enumerate(given)]


def _array(name: str, given: Any, shape: tuple[int, ...]) -> NDArray[np.float64]:
    """Return numbers in a shape. Raises JounceError."""
    try:
        return np.broadcast_to(np.asarray(given, float), shape)
    except (TypeError, ValueError):
        raise JounceError(f"{name}: cannot be read as numbers of shape {shape}; expected numbers of shape {shape} or {shape[1:]}") from None
