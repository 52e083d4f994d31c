"""Many vehicles that do not meet, for learning and Monte Carlo: one kernel steps them all, and fills the observations.

Each vehicle has about 36 kB: its state. Parameters and ground are shared, and the terrain caches of the tires belong to a thread. Each
vehicle makes the same bits as alone, with any number of threads.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from simulator.base.call_checks import NAME, NAMES, NUMBER, WHOLE, Kind, checks
from simulator.base.callbacks import address_of, record_at
from simulator.base.errors import JounceError
from simulator.base.fast_call import compiled_call
from simulator.base.jit import kernel
from simulator.base.record_tree import addresses_in, tree_at
from simulator.base.records import Record, record
from simulator.base.suggestions import did_you_mean
from simulator.builder.named_parts import build_ground, build_vehicle
from simulator.telemetry.channels import Channels
from simulator.tick import COMMAND_TYPE, VALID, WATCH, WATCH_TYPE, StateMonitor, check_state, new_watch
from terrain.ground import GroundArrays
from vehicles.command import COMMAND
from vehicles.fill_readout import read_vehicle, show_points
from vehicles.state_memory import StateMemory, in_one_block
from vehicles.step import vehicle_step
from vehicles.vehicle import arrays_of

APART = ("windows", "object_contact", "own")
"""Parts of VehicleData that the vehicles of a thread share: caches, the contact with objects that are not there, and parameters."""
USUAL = ("p_WB_x", "p_WB_y", "yaw", "v_WB_B_x", "v_WB_B_y", "w_WB_B_z")
"""Default observations."""

FLEET_ROW = (
    # name     shape  unit  description
    ("data", (), "", "address of the addresses of its VehicleData", "u8"),
    ("command", (), "", "address of its record of COMMAND", "u8"),
    ("watch", (), "", "address of its record of WATCH", "u8"),
    ("p_BG", (3,), "m", "center of mass at rest, in B"),
)


class FleetArrays(NamedTuple):
    """Arrays of a fleet for the kernel."""

    rows: Record
    """(n,) of FLEET_ROW"""
    readout: Record
    """(1,) of READOUT, scratch of the thread"""
    numbers: NDArray[np.float64]
    """the same memory"""
    integers: NDArray[np.int64]
    """the same memory"""
    places: NDArray[np.int64]
    """(k, 2) index of each observation in `numbers`, and 1 if it is an integer"""
    observations: NDArray[np.float64]
    """(n, k)"""


@kernel
def step_fleet(fleet, model, data, ground, watch, shard, substeps, h):
    """Advance the vehicles of a shard (first, last) by `substeps` steps of h seconds, and fill their observations.

    fleet : FleetArrays; model : VehicleModel of all; data, watch : VehicleData and StateMonitor of any, for their types
    """
    for k in range(shard[0], shard[1]):
        r = fleet.rows[k]
        s, state, command = tree_at(r["data"], data), record_at(r["watch"], WATCH_TYPE), record_at(r["command"], COMMAND_TYPE)
        for _ in range(substeps):
            if state[0]["verdict"] == VALID:
                vehicle_step(model, s, ground, command, h)
                state[0]["verdict"] = check_state(s, StateMonitor(state, watch.history, watch.commands))
        observe(fleet, model, s, k)


@kernel
def observe(fleet, model, s, k):
    """Fill the observations of vehicle k with the VehicleData s."""
    r, o = fleet.rows[k], fleet.readout[0]
    for j in range(3):
        o["p_BG"][j] = r["p_BG"][j]
    show_points(model, s)
    read_vehicle(model, s, fleet.readout)
    for i in range(len(fleet.places)):
        at = fleet.places[i, 0]
        fleet.observations[k, i] = float(fleet.integers[at]) if fleet.places[i, 1] else fleet.numbers[at]


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

    Attributes
    ----------
    commands : (n,) records of `vehicles.command.COMMAND`: `commands["throttle"][:] = 0.5`; the selector is in drive at first
    observations : (n, k) values after the last `step` or `reset`
    verdicts : (n,) 0 while the state of a vehicle is valid; a vehicle with another verdict (`simulator.tick`) stands until its reset

    Raises
    ------
    ConfigError : a file cannot be used; JounceError : no equilibrium, an unknown column, or a ground with objects

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
    ) -> None:
        for name, value in (("n", n), ("substeps", substeps), ("threads", threads)):
            if value < 1:
                raise JounceError(f"{name}: {value}; expected a whole number of 1 or more")
        self.ground = build_ground(terrain)
        if len(self.ground.objects):
            raise JounceError(f"terrain {terrain}: {len(self.ground.objects)} objects; expected a ground without objects")
        self.n, self.h, self.substeps = n, step, substeps
        self._vehicle = build_vehicle(vehicle).new_instance()
        self._form = in_one_block(self._vehicle.space, APART)
        self._bytes = _bytes_of(self._vehicle.piece, self._form)
        self._vehicle.model.steering[0]["input_time"] = substeps * step
        self._memory = np.zeros((n, self._form.memory.nbytes), np.uint8)
        self.commands: Record = record(COMMAND, n)
        self._watches: Record = record(WATCH, n)
        self.columns = tuple(observations)
        self._shards, self._addresses = self._new_shards(threads)
        self._pool = ThreadPoolExecutor(threads) if threads > 1 else None
        self._step: Any = None
        self._bank: list[tuple[NDArray[np.uint8], NDArray[np.float64]]] = []
        self.reset()

    @property
    def observations(self) -> NDArray[np.float64]:
        """(n, k) values of the columns; the same array at each call."""
        return self._shards[0][1].observations

    @property
    def verdicts(self) -> NDArray[np.int64]:
        """(n,) verdicts, 0 = valid."""
        return self._watches["verdict"]

    @checks(poses=Kind(lambda value: True, "an array"), speed=NUMBER)
    def reset(self, mask: ArrayLike | None = None, poses: ArrayLike | None = None, speed: float = 0.0) -> NDArray[np.float64]:
        """Put vehicles to rest at poses, or let them roll there at a speed [m/s]. Return the observations.

        mask : (n,) True for those that begin anew; None: all; poses : (n, 3) or (3,) x, y [m], yaw [rad]; None: the start of the ground

        Raises JounceError: no equilibrium there.
        """
        chosen = np.arange(self.n) if mask is None else np.flatnonzero(self._mask(mask))
        places = np.broadcast_to(np.asarray(self.ground.spawn if poses is None else poses, float), (self.n, 3))
        v, last = self._vehicle, None
        for k in chosen.tolist():
            x, y, yaw = places[k].tolist()
            if (x, y, yaw) != last:
                v.reset(self.ground, x, y, yaw, speed=speed)
                last = x, y, yaw
            self._put(k, v.piece.memory[self._bytes], v.readout[0]["p_BG"])
        return self.observations

    def step(self) -> NDArray[np.float64]:
        """Advance all vehicles by `substeps` steps under their commands. Return the observations."""
        if self._pool is None:
            for shard in range(len(self._shards)):
                self._advance(shard, self.substeps)
        else:
            list(self._pool.map(lambda shard: self._advance(shard, self.substeps), range(len(self._shards))))
        return self.observations

    @checks(vehicle=WHOLE)
    def save(self, vehicle: int) -> int:
        """Save the state of a vehicle; return the number of the snapshot for `restore`."""
        self._bank.append((self._memory[vehicle].copy(), self._rows["p_BG"][vehicle].copy()))
        return len(self._bank) - 1

    def restore(self, mask: ArrayLike, snapshots: ArrayLike) -> NDArray[np.float64]:
        """Give vehicles (mask (n,)) the states of snapshots, one number for all or (n,). Return the observations."""
        numbers = np.broadcast_to(np.asarray(snapshots, np.int64), (self.n,))
        for k in np.flatnonzero(self._mask(mask)).tolist():
            if not 0 <= numbers[k] < len(self._bank):
                raise JounceError(f"snapshot {numbers[k]}: no such snapshot; expected 0 to {len(self._bank) - 1}")
            self._put(k, *self._bank[numbers[k]])
        return self.observations

    def close(self) -> None:
        """End the threads."""
        if self._pool is not None:
            self._pool.shutdown()

    def _put(self, k: int, memory: NDArray[np.uint8], p_BG: NDArray[np.float64]) -> None:
        """Give vehicle k a state."""
        self._memory[k], self._rows["p_BG"][k] = memory, p_BG
        self._watches[k] = np.zeros((), self._watches.dtype)
        self.commands[k] = np.zeros((), self.commands.dtype)
        self.commands["selector"][k] = 1
        shard = next(n for n, (span, _) in enumerate(self._shards) if span[0] <= k < span[1])
        self._advance(shard, 0, (k, k + 1))

    def _advance(self, shard: int, substeps: int, some: tuple[int, int] | None = None) -> None:
        """Advance vehicles of a shard."""
        span, fleet = self._shards[shard]
        v, watch = self._vehicle, self._watch
        arguments = (fleet, v.model, self._form.space, self._arrays, watch, some or span, substeps, self.h)
        if self._step is None:
            self._step = compiled_call(step_fleet, *arguments)
        self._step(*arguments)

    def _mask(self, mask: ArrayLike) -> NDArray[np.bool_]:
        chosen = np.asarray(mask)
        if chosen.shape != (self.n,) or chosen.dtype != bool:
            raise JounceError(f"mask: {chosen.dtype} of shape {chosen.shape}; expected {self.n} times True or False")
        return chosen

    def _new_shards(self, threads: int) -> tuple[list[tuple[tuple[int, int], FleetArrays]], Record]:
        """Return (first, last) and arrays of each thread, and the addresses that these refer to."""
        v, form = self._vehicle, self._form
        self._arrays: GroundArrays = arrays_of(self.ground)
        self._watch = new_watch(float(self.ground.p[0]["gravity"]), v.size, 1)
        channels = {one.name: one for one in Channels([("", v.readout_table, v.readout)]).columns}
        for name in self.columns:
            if name not in channels:
                raise JounceError(
                    f"observation {name}: no such column{did_you_mean(name, channels)}; expected a column of the log, see docs/telemetry.md"
                )
        chosen = [channels[name] for name in self.columns]
        places = np.array([(one.offset // 8, one.kind.kind == "i") for one in chosen], np.int64).reshape(-1, 2)
        observations = np.zeros((self.n, len(chosen)))
        self._rows: Record = record(FLEET_ROW, self.n)
        addresses = np.repeat(addresses_in(form.space)[None], self.n, axis=0)
        begin = form.memory.ctypes.data
        inside = (addresses[0] >= begin) & (addresses[0] < begin + form.memory.nbytes)
        here = addresses[0].copy()
        addresses[:, inside] += (np.array([row.ctypes.data for row in self._memory]) - begin)[:, None]
        edges = np.linspace(0, self.n, min(threads, self.n) + 1).astype(int).tolist()
        shards, self._shared = [], []
        for first, last in pairwise(edges):
            for name in APART:
                whole: NDArray[Any] = getattr(form.space.blocks if name == "own" else form.space, name)
                own = whole.copy()
                self._shared.append(own)
                addresses[first:last, here == whole.ctypes.data] = own.ctypes.data
            readout = v.readout.copy()
            arrays = FleetArrays(self._rows, readout, readout.view(np.float64), readout.view(np.int64), places, observations)
            shards.append(((first, last), arrays))
        self._rows["data"] = [address_of(row) for row in addresses]
        self._rows["command"] = [address_of(self.commands[k : k + 1]) for k in range(self.n)]
        self._rows["watch"] = [address_of(self._watches[k : k + 1]) for k in range(self.n)]
        return shards, addresses


def _bytes_of(source: StateMemory, form: StateMemory) -> NDArray[np.intp]:
    """Return the byte of the memory `source` for each byte of `form`, which has the same parts in another order, or fewer."""
    starts = {name: at for name, _, _, at in source.places}
    out = np.zeros(form.memory.nbytes, np.intp)
    for name, kind, shape, at in form.places:
        size = kind.itemsize * math.prod(shape)
        out[at : at + size] = starts[name] + np.arange(size)
    return out
