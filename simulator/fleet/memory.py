"""Memory of the vehicles of a fleet, and snapshots of them. One more vehicle, number n, is where starts are prepared."""

from __future__ import annotations

import math
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from simulator.base.callbacks import address_of
from simulator.base.errors import JounceError
from simulator.base.fast_call import compiled_call
from simulator.base.record_tree import addresses_in
from simulator.base.records import Record, record
from simulator.base.suggestions import did_you_mean
from simulator.fleet.kernels import FLEET_ROW, SNAPSHOT_ROW, FleetArrays, States, put_states, step_fleet, words
from simulator.fleet.parameters import Parameters, ParameterSets
from simulator.telemetry.channels import Channels
from simulator.tick import WATCH, new_watch
from vehicles.command import COMMAND
from vehicles.state_memory import StateMemory, in_one_block

APART = ("windows", "towing", "own")
"""Parts of VehicleData outside the memory of a vehicle: caches, which the vehicles of a thread share; trailers, of which a fleet has none;
parameters."""
CONTACT = "object_contact"
"""Part that the vehicles of a thread share on a ground without objects."""

Numbers = NDArray[np.int64]


class Snapshots:
    """States of vehicles with their parameters, by number."""

    def __init__(self, vehicles: States) -> None:
        self._vehicles = vehicles
        self.count = 0
        empty: Any = [one[:0].copy() for one in vehicles[1:]]
        self.states = States(record(SNAPSHOT_ROW, 0), *empty)
        self.parameters: NDArray[Any] = np.empty(0, object)

    def save(self, number: int, vehicle: int, parameters: Parameters) -> None:
        """Save the state of a vehicle under a number, at most that of all snapshots so far."""
        if number == len(self.parameters):
            self.states = States._make(map(_longer, self.states))
            self.parameters = _longer(self.parameters)
        self.count = max(self.count, number + 1)
        self.parameters[number] = parameters
        for one, source in zip(self.states[1:], self._vehicles[1:], strict=True):
            one[number] = source[vehicle]
        self.states.rows[number] = (*parameters.addresses, self._vehicles.rows["p_BG"][vehicle])

    def clear(self) -> None:
        """Remove all snapshots."""
        self.count, self.parameters[:] = 0, None


class FleetMemory:
    """Memory of n vehicles and one more, and the arrays by which the kernels find it.

    Parameters
    ----------
    sets : their parameters
    columns : names of the observations
    threads : greatest number of shards
    h : step [s]
    """

    def __init__(self, sets: ParameterSets, n: int, columns: tuple[str, ...], threads: int, h: float) -> None:
        self._n, self._h, self._vehicle, self._ground = n, h, sets.bench, sets.first.ground
        has_objects = self._ground.objects[0]["count"] > 0
        self.form = in_one_block(self._vehicle.space, APART if has_objects else (*APART, CONTACT))
        self._moves = _moves(self._vehicle.piece, self.form)
        self.bytes = np.zeros((n + 1, self.form.memory.nbytes), np.uint8)
        self.commands: Record = record(COMMAND, n + 1)
        self.watches: Record = record(WATCH, n + 1)
        self.rows: Record = record(FLEET_ROW, n + 1)
        self._watch = new_watch(float(self._ground.p[0]["gravity"]), self._vehicle.size, 1)
        observations = np.zeros((n + 1, len(columns)))
        self._addresses = self._all_addresses()
        self._own = int(np.flatnonzero(self._addresses[0] == self.form.space.blocks.own.ctypes.data)[0])
        self.shards, self._shared = self._new_shards(observations, columns, threads)
        self.rows["data"] = [address_of(row) for row in self._addresses]
        self.rows["command"] = [address_of(self.commands[k : k + 1]) for k in range(n + 1)]
        self.rows["watch"] = [address_of(self.watches[k : k + 1]) for k in range(n + 1)]
        self.states = States(self.rows, words(self.bytes), words(self.watches), observations)
        self._step: Any = None
        self._put: Any = None

    @property
    def collisions(self) -> Numbers:
        """(n,) numbers of collisions, or zeros on a ground without objects."""
        place = next(((kind, at) for name, kind, _, at in self.form.places if name == CONTACT), None)
        if place is None:
            return np.zeros(self._n, np.int64)
        kind, at = place
        offsets: Any = kind.fields
        field = at + offsets["collisions"][1]
        return np.ndarray((self._n,), np.int64, self.bytes, field, (self.bytes.shape[1],)).copy()

    def prepare(self, parameters: Parameters) -> None:
        """Give the vehicle n the state of the bench and a set of parameters, and its observations."""
        n, v = self._n, self._vehicle
        for source, target in self._moves:
            self.bytes[n, target] = v.piece.memory[source]
        self.rows["model"][n], self.rows["ground"][n], self._addresses[n, self._own] = parameters.addresses
        self.rows["p_BG"][n] = v.readout[0]["p_BG"]
        self.observe(n)

    def observe(self, k: int) -> None:
        """Fill the observations of vehicle k."""
        self.advance(self._shard_number(k), 0, (k, k + 1))

    def _shard_number(self, k: int) -> int:
        return next((n for n, (span, _) in enumerate(self.shards) if span[0] <= k < span[1]), 0)

    def readout(self, k: int) -> Record:
        """Return the record of READOUT of vehicle k."""
        self.observe(k)
        readout: Record = self.shards[self._shard_number(k)][1].readout.copy()
        return readout

    def state(self, k: int) -> bytes:
        """Return the state of vehicle k: memory, watch, command and observations, without parameters."""
        return b"".join(one[k].tobytes() for one in self._state_arrays())

    def set_state(self, k: int, state: bytes) -> None:
        """Give vehicle k a state. Raises JounceError: it has another size."""
        arrays = self._state_arrays()
        size = sum(one[k].nbytes for one in arrays)
        if len(state) != size:
            raise JounceError(f"state: {len(state)} bytes; expected {size}, of the same vehicle, observations and kind of ground")
        at = 0
        for one in arrays:
            end = at + one[k].nbytes
            one[k] = np.frombuffer(state[at:end], one.dtype).reshape(one[k].shape)
            at = end

    def _state_arrays(self) -> tuple[NDArray[Any], ...]:
        return (*self.states[1:], words(self.commands))

    def put(self, bank: Snapshots, chosen: Numbers, numbers: Numbers) -> None:
        """Give vehicles the states and parameters of snapshots."""
        arguments = (self.states, self._addresses, self._own, words(self.commands), bank.states, chosen, numbers)
        if self._put is None:
            self._put = compiled_call(put_states, *arguments)
        self._put(*arguments)

    def advance(self, shard: int, substeps: int, some: tuple[int, int] | None = None) -> None:
        """Advance the vehicles of a shard, or those from a first one to before a last one."""
        span, fleet = self.shards[shard]
        arguments = (fleet, self._vehicle.model, self.form.space, self._ground, self._watch, some or span, substeps, self._h)
        if self._step is None:
            self._step = compiled_call(step_fleet, *arguments)
        self._step(*arguments)

    def _all_addresses(self) -> Numbers:
        """Return the addresses (n + 1, words) of the VehicleData of each vehicle; those of the parts apart are those of `form`."""
        out = np.repeat(addresses_in(self.form.space)[None], self._n + 1, axis=0)
        begin = self.form.memory.ctypes.data
        inside = (out[0] >= begin) & (out[0] < begin + self.form.memory.nbytes)
        out[:, inside] += (np.array([row.ctypes.data for row in self.bytes]) - begin)[:, None]
        return out

    def _new_shards(
        self, observations: NDArray[np.float64], columns: tuple[str, ...], threads: int
    ) -> tuple[list[tuple[tuple[int, int], FleetArrays]], list[NDArray[Any]]]:
        """Return (first, last) and arrays of each thread, and what the addresses refer to."""
        v, places = self._vehicle, self._places(columns)
        edges = np.linspace(0, self._n, min(threads, self._n) + 1).astype(int).tolist()
        apart = ["windows"] if CONTACT in {name for name, *_ in self.form.places} else ["windows", CONTACT]
        here, shards, shared = self._addresses[0].copy(), [], []
        for first, last in pairwise(edges):
            for name in apart:
                whole: NDArray[Any] = getattr(self.form.space, name)
                own = whole.copy()
                shared.append(own)
                rows = [*range(first, last), *([self._n] if first == 0 else [])]
                self._addresses[np.ix_(rows, np.flatnonzero(here == whole.ctypes.data))] = own.ctypes.data
            readout = v.readout.copy()
            numbers = readout.view(np.float64), readout.view(np.int64)
            shards.append(((first, last), FleetArrays(self.rows, readout, *numbers, places, observations)))
        return shards, shared

    def _places(self, columns: tuple[str, ...]) -> NDArray[np.int64]:
        """Return `FleetArrays.places` of the observations. Raises JounceError: an unknown column."""
        v = self._vehicle
        channels = {one.name: one for one in Channels([("", v.readout_table, v.readout)]).columns}
        for name in columns:
            if name not in channels:
                raise JounceError(
                    f"observation {name}: no such column{did_you_mean(name, channels)}; expected a column of the log, see docs/telemetry.md"
                )
        return np.array([(channels[name].offset // 8, channels[name].kind.kind == "i") for name in columns], np.int64).reshape(-1, 2)


def _moves(source: StateMemory, form: StateMemory) -> list[tuple[slice, slice]]:
    """Return the bytes in the memory `source` and in `form` of each part of `form`."""
    starts = {name: at for name, _, _, at in source.places}
    sizes = [(name, kind.itemsize * math.prod(shape), at) for name, kind, shape, at in form.places]
    return [(slice(starts[name], starts[name] + size), slice(at, at + size)) for name, size, at in sizes]


def _longer(rows: NDArray[Any]) -> NDArray[Any]:
    """Return an array of twice the length, at least 16, that begins with `rows`."""
    out = np.zeros((max(16, 2 * len(rows)), *rows.shape[1:]), rows.dtype)
    out[: len(rows)] = rows
    return out
