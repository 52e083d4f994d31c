"""Kernels of a fleet: steps of its vehicles and their observations, states put into them, and the check of their commands."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from simulator.base.callbacks import record_at
from simulator.base.jit import kernel
from simulator.base.record_tree import Addresses, tree_at
from simulator.base.records import Record
from simulator.tick import COMMAND_TYPE, VALID, WATCH_TYPE, StateMonitor, check_state
from vehicles.fill_readout import read_vehicle, show_points
from vehicles.step import vehicle_step

FLEET_ROW = (
    # name     shape  unit  description
    ("data", (), "", "address of the addresses of its VehicleData", "u8"),
    ("command", (), "", "address of its record of COMMAND", "u8"),
    ("watch", (), "", "address of its record of WATCH", "u8"),
    ("model", (), "", "address of the addresses of its VehicleModel", "u8"),
    ("ground", (), "", "address of the addresses of its GroundArrays", "u8"),
    ("p_BG", (3,), "m", "center of mass at rest, in B"),
)

SNAPSHOT_ROW = (
    # name     shape  unit  description
    ("model", (), "", "address of the addresses of its VehicleModel", "u8"),
    ("ground", (), "", "address of the addresses of its GroundArrays", "u8"),
    ("own", (), "", "address of the parameters of its suspension", "i8"),
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


class States(NamedTuple):
    """States of n vehicles, or of n snapshots."""

    rows: Record
    """(n,) of FLEET_ROW, or of SNAPSHOT_ROW"""
    memory: NDArray[np.int64]
    """(n, words) state"""
    watches: NDArray[np.int64]
    """(n, words) records of WATCH"""
    observations: NDArray[np.float64]
    """(n, k)"""


@kernel
def step_fleet(fleet, model, data, ground, watch, shard, substeps, h):
    """Advance the vehicles of a shard (first, last) by `substeps` steps of h seconds, and fill their observations.

    fleet : FleetArrays; model : VehicleModel, data : VehicleData, ground : GroundArrays, watch : StateMonitor of any, for their types
    """
    for k in range(shard[0], shard[1]):
        r = fleet.rows[k]
        m, s, g = tree_at(r["model"], model), tree_at(r["data"], data), tree_at(r["ground"], ground)
        state, command = record_at(r["watch"], WATCH_TYPE), record_at(r["command"], COMMAND_TYPE)
        for _ in range(substeps):
            if state[0]["verdict"] == VALID:
                vehicle_step(m, s, g, command, h)
                state[0]["verdict"] = check_state(s, StateMonitor(state, watch.history, watch.commands))
        observe(fleet, m, s, k)


@kernel
def observe(fleet, model, s, k):
    """Fill the observations of vehicle k with the VehicleData s."""
    r, o = fleet.rows[k], fleet.readout[0]
    command = record_at(r["command"], COMMAND_TYPE)[0]
    o["steering"], o["throttle"], o["brake"] = command["steering"], command["throttle"], command["brake"]
    for j in range(3):
        o["p_BG"][j] = r["p_BG"][j]
    show_points(model, s)
    read_vehicle(model, s, fleet.readout)
    for i in range(len(fleet.places)):
        at = fleet.places[i, 0]
        fleet.observations[k, i] = float(fleet.integers[at]) if fleet.places[i, 1] else fleet.numbers[at]


@kernel
def put_states(vehicles, addresses, own, commands, bank, chosen, numbers):
    """Give the chosen vehicles the states and parameters of snapshots, and the command of a vehicle at rest in drive.

    vehicles, bank : States; addresses : (n, words) of their VehicleData, own : word of the parameters of the suspension;
    commands : (n, words); chosen : vehicles, numbers : the snapshot of each
    """
    for i in range(len(chosen)):
        k, b = chosen[i], numbers[i]
        r, start = vehicles.rows[k], bank.rows[b]
        r["model"], r["ground"] = start["model"], start["ground"]
        addresses[k, own] = start["own"]
        for j in range(3):
            r["p_BG"][j] = start["p_BG"][j]
        for j in range(vehicles.memory.shape[1]):
            vehicles.memory[k, j] = bank.memory[b, j]
        for j in range(vehicles.watches.shape[1]):
            vehicles.watches[k, j] = bank.watches[b, j]
        for j in range(vehicles.observations.shape[1]):
            vehicles.observations[k, j] = bank.observations[b, j]
        for j in range(commands.shape[1]):
            commands[k, j] = 0
        record_at(r["command"], COMMAND_TYPE)[0]["selector"] = 1


@kernel
def invalid_command(numbers, integers, whole, low, high):
    """Return vehicle * (number of parts) + part of the first part of a command that is not in its range; -1 if there is none.

    numbers, integers : (n, parts) the same memory; whole : (parts,) 1 for an integer; low, high : (parts,)
    """
    n, parts = numbers.shape
    for k in range(n):
        for i in range(parts):
            value = float(integers[k, i]) if whole[i] else numbers[k, i]
            if not low[i] <= value <= high[i]:
                return k * parts + i
    return -1


def words(rows: NDArray[Any]) -> Addresses:
    """Return records or bytes (n, ...) as 64-bit words (n, words), in the same memory."""
    return rows.view(np.int64).reshape(len(rows), -1)
