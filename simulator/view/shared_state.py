"""States from the host to the views, in a small block of shared memory; `shared_keys` has the block with the keys of a view.

The view block is a ring of slots. Two tickets guard each slot (a seqlock): the writer sets the first, copies, sets the second and then
increments the count. A reader checks them in the opposite order and thus detects a slot that changed meanwhile. A slot is rewritten only
after `SLOTS` publications, so that readers almost never repeat a read, and they never block the writer.
A checksum covers machines that reorder memory accesses (ARM). Views that start, hang or exit do not affect the writer.
"""

from __future__ import annotations

import time
import zlib
from multiprocessing import shared_memory
from typing import Any

import numpy as np
from numpy.typing import NDArray

from simulator.base.records import Record, Table, dtype_of, layout_hash, record, sized
from simulator.view import rut_tiles
from simulator.view.camera_names import CAMERA_EVENTS
from simulator.view.memory_block import attach_block, check_version, close_block, create_block
from simulator.view.object_changes import NO_CHANGES, SPARE, ObjectChanges, ObjectTable, size_of
from simulator.view.rut_tiles import RutSquare, RutTiles
from simulator.view.vehicle_states import NO_STATES, VEHICLE, between, states_in, states_table
from vehicles.axle_layout import WHEELS
from vehicles.readout import READOUT

MOTION_BLOCKS = 32
"""Number of publications whose extremes of the motion a view can still read: a view with less than four frames per second misses some."""

COURSE_TEXT = 240
"""Maximum number of bytes of the panel of a timed course."""
RECORDED, LAST_SECONDS = 1, 2
"""Values of `replays`: states of a recorded drive, and of the last seconds of the drive."""
OPEN_MENU = "MENU"
"""Key that opens and closes the menu."""
WINDOW_ACTIONS = (*CAMERA_EVENTS, "motion_chart", "insets", "help")
"""Actions of the window that devices may send."""
MENU_PRESSES = ("UP", "DOWN", "LEFT", "RIGHT", "ENTER", "ESCAPE", OPEN_MENU, *WINDOW_ACTIONS)
"""Keys of a menu, and actions of the window, in `menu_presses`."""

EXTRAS = (
    # name               shape  unit  description
    ("p_platform", (3,), "m", "displacement of the platform from neutral (ISO axes of the platform)"),
    ("q_platform", (4,), "1", "attitude of the platform, quaternion w, x, y, z"),
    ("legs", (6,), "m", "lengths of the platform's legs"),
    ("leg_use", (6,), "1", "position of each leg within its stroke, 0 = shortest, 1 = longest"),
    ("real_time_factor", (), "1", "simulated time per wall time"),
    ("overruns", (), "1", "number of ticks that missed their deadline so far", "i8"),
    ("paused", (), "1", "1 while the simulation is paused", "i8"),
    ("waits", (), "1", "1 while the drive waits for the platform and the vehicle is at rest", "i8"),
    ("has_platform", (), "1", "1 if the drive has a motion platform", "i8"),
    ("by_person", (), "1", "1 if a person drives", "i8"),
    ("selector", (), "1", "gear selector: -1 reverse, 0 neutral, 1 drive", "i8"),
    ("parking_brake", (), "1", "1 while the parking brake is applied", "i8"),
    ("charge", (), "1", "charged fraction of the battery; NaN without one"),
    ("abs_works", (), "1", "1 while the anti-lock brakes act on a brake", "i8"),
    ("stability_works", (), "1", "1 while stability or traction control acts on a brake or the throttle", "i8"),
    ("turn_signals", (), "1", "turn signals: 0 off, 1 left, 2 right, 3 both", "i8"),
    ("car_feels", (6,), "m/s2, rad/s", "specific force without gravity and angular rate at the driver's head in the vehicle, in B"),
    (
        "cab_feels",
        (6,),
        "m/s2, rad/s",
        "specific force without gravity and angular rate at the rider's head by the commanded platform motion, in P",
    ),
    (
        "motion_low",
        (MOTION_BLOCKS, 2, 6),
        "m/s2, rad/s",
        "least values of car_feels and cab_feels in all ticks of a publication, in row (motion_blocks - 1) % MOTION_BLOCKS",
    ),
    ("motion_high", (MOTION_BLOCKS, 2, 6), "m/s2, rad/s", "greatest values, as motion_low"),
    ("motion_blocks", (), "1", "number of publications with motion_low and motion_high", "i8"),
    ("intensity", (), "1", "scale of the motion input of the washout"),
    ("replays", (), "1", "0: the states of a drive now, else RECORDED or LAST_SECONDS", "i8"),
    ("replay_position", (), "s", "position in a replay, 0 = its start"),
    ("replay_duration", (), "s", "duration of a replay"),
    ("replay_speed", (), "1", "simulated time per wall time of a replay"),
    (
        "menu_presses",
        (len(MENU_PRESSES),),
        "1",
        "presses of the buttons of devices for menu and window so far, in the order of MENU_PRESSES",
        "i8",
    ),
    ("volume", (), "1", "volume of the sound"),
    ("look", (2,), "1", "direction of view by a stick, left and up positive, -1 to 1"),
    ("lap_began", (), "s", "simulated time at which the present lap of a timed course began; NaN before it, and without a course"),
    ("message", (), "", "message for the driver, one line, utf-8", "S96"),
    ("driver", (), "", "name of the present driver, utf-8, if several may drive; else empty", "S24"),
    ("course", (), "", "lines of the panel of a timed course, utf-8; empty without one", f"S{COURSE_TEXT}"),
)
"""State for the window besides the readout."""

STATE = (*READOUT, *EXTRAS)
"""State of a vehicle of default size; `sized` adapts the table to other sizes."""
_SLOT = (
    ("begin", (), "1", "ticket set before the payload", "u8"),
    ("checksum", (), "1", "adler32 of the payload", "u8"),
    ("generation", (), "1", "changes at every reset or jump", "u8"),
    ("wall", (), "s", "time.perf_counter of the publication"),
    ("vehicles", (), "1", "number of other vehicles", "u8"),
    ("vehicle_wheels", (), "1", "number of wheels in the states of other vehicles", "u8"),
    ("end", (), "1", "ticket set after the payload", "u8"),
)
_HEAD = (
    ("magic", (), "1", "constant MAGIC", "u8"),
    ("layout", (), "1", "constant LAYOUT", "u8"),
    ("wheels", (), "1", "number of wheels of the vehicle", "u8"),
    ("ruts", (), "1", "1 if the ruts around the vehicle follow after the states", "u8"),
    ("objects", (), "1", "number of rows of the table of changed objects, which follows after the ruts", "u8"),
    ("object_sets", (), "1", "number of times that objects were added so far; the new set is in the folder of the drive", "u8"),
    ("count", (), "1", "number of publications so far", "u8"),
    ("closed", (), "1", "1 after the host has closed the block", "u8"),
)
MAGIC = int.from_bytes(b"JNC_VIEW", "little")
LAYOUT = layout_hash((*_HEAD, *_SLOT, *STATE, *VEHICLE))
"""Layout hash for the default size."""
VEHICLE_BYTES = 1 << 19
"""Maximum number of bytes of the states of other vehicles in a slot: 1800 vehicles with four wheels; more are not drawn where they are."""
SLOTS = 4
MAX_READS = 50


def extras() -> Record:
    """Return neutral extras: level platform, legs at the middle of the stroke, real-time factor 1."""
    out = record(EXTRAS)
    out[0]["q_platform"][0] = 1.0
    out[0]["leg_use"] = 0.5
    out[0]["real_time_factor"] = 1.0
    out[0]["selector"] = out[0]["has_platform"] = 1
    out[0]["intensity"] = 1.0
    out[0]["lap_began"] = out[0]["charge"] = np.nan
    return out


class ViewWriter:
    """Host side of the view block; creates the block.

    `publish` copies one readout and one record of extras in about 5 microseconds.

    Parameters
    ----------
    name : of the block; a free one if None
    wheels : number of wheels of the vehicle
    soft : True if the terrain has soil and thus ruts
    objects : number of objects at the start

    Attributes
    ----------
    ruts : square of rut tiles; None without soil
    objects : table of changed objects
    """

    def __init__(self, name: str | None = None, wheels: int = int(WHEELS), soft: bool = False, objects: int = 0) -> None:
        table, rows = sized(STATE, wheels=wheels), objects + SPARE
        self._memory = create_block(name, _layout_size(table) + (rut_tiles.BYTES if soft else 0) + size_of(rows))
        self.name = self._memory.name
        self._head, self._slots, self._payload, self._vehicles = _map_view(self._memory, wheels=wheels)
        self._head["wheels"], self._head["ruts"], self._head["objects"] = wheels, soft, rows
        self._head["object_sets"] = 0
        self.ruts = _map_ruts(self._memory, self._head)
        self.objects: ObjectTable | None = _map_objects(self._memory, self._head)
        self._head["layout"], self._head["count"], self._head["closed"] = LAYOUT, 0, 0
        self._head["magic"] = MAGIC
        self._state = record(table)
        bytes_of_state = self._state.view(np.uint8)
        split = _extras_offset(table)
        self._readout_bytes, self._extras_bytes = bytes_of_state[:split], bytes_of_state[split:]
        self._state_bytes = bytes_of_state
        self._count = 0
        self.generation = 0

    def publish(self, readout: Record, extra: Record, vehicles: Record = NO_STATES) -> None:
        """Publish a readout (record of `READOUT`), extras (record of `EXTRAS`) and other vehicles (records of `VEHICLE`) as the latest state."""
        self._readout_bytes[:] = readout.view(np.uint8)
        self._extras_bytes[:] = extra.view(np.uint8)
        vehicles = vehicles[: VEHICLE_BYTES // vehicles.itemsize]
        others = vehicles.view(np.uint8)
        n = self._count + 1
        slot, k = self._slots[n % SLOTS], n % SLOTS
        slot["begin"] = n
        slot["checksum"] = zlib.adler32(others.data, zlib.adler32(self._state_bytes.data))
        slot["generation"] = self.generation
        slot["wall"] = time.perf_counter()
        slot["vehicles"], slot["vehicle_wheels"] = len(vehicles), vehicles["wheel_angle"].shape[1]
        self._payload[k][:] = self._state_bytes
        self._vehicles[k][: len(others)] = others
        slot["end"] = n
        self._head["count"] = n
        self._count = n

    def jump(self) -> None:
        """Mark the next state as discontinuous (reset, teleport): views do not interpolate across the jump."""
        self.generation += 1

    def announce_objects(self) -> None:
        """Tell the views that the folder of the drive contains a new set of objects."""
        self._head["object_sets"] += np.uint64(1)

    def mark_closed(self) -> None:
        """Mark the block as closed by the host; the latest state remains readable."""
        self._head["closed"] = 1

    def close(self) -> None:
        """Mark the block as closed and remove it."""
        self.mark_closed()
        self.ruts = self.objects = None
        del self._head, self._slots, self._payload, self._vehicles
        close_block(self._memory, unlink=True)


class ViewReader:
    """View side of the view block.

    Raises DeviceError when the block does not exist or was written by another version of Jounce.
    """

    def __init__(self, name: str) -> None:
        self._memory = attach_block(name, "view block")
        self._head, self._slots, self._payload, self._vehicle_bytes = _map_view(self._memory, MAGIC, LAYOUT, name)
        self._ruts = _map_ruts(self._memory, self._head)
        self._objects: ObjectTable | None = _map_objects(self._memory, self._head)
        table = sized(STATE, wheels=int(self._head["wheels"]))
        self.last, self.previous = record(table), record(table)
        self._last_bytes, self._previous_bytes = self.last.view(np.uint8), self.previous.view(np.uint8)
        self._vehicles = [NO_STATES, NO_STATES]
        """Other vehicles of `previous` and `last`"""
        self._scratch = np.empty_like(self._last_bytes)
        self._seen = 0
        self._generations = [0, 0]
        self._walls = [0.0, 0.0]
        self.state = record(table)
        self.retries = 0

    @property
    def closed(self) -> bool:
        """Whether the host has closed the block."""
        return bool(self._head["closed"])

    @property
    def generation(self) -> int:
        """Generation of the latest state read."""
        return self._generations[1]

    @property
    def published(self) -> int:
        """Number of states published so far."""
        return int(self._head["count"])

    def read(self) -> bool:
        """Read the two latest states into `previous` and `last`; return False without a new state."""
        for _ in range(MAX_READS):
            n = int(self._head["count"])
            if n in (0, self._seen):
                return False
            if self._fetch(n, self._last_bytes, 1) and (n == 1 or self._fetch(n - 1, self._previous_bytes, 0)):
                if n == 1:
                    self._previous_bytes[:] = self._last_bytes
                    self._generations[0], self._walls[0], self._vehicles[0] = self._generations[1], self._walls[1], self._vehicles[1]
                self._seen = n
                return True
            self.retries += 1
        return False

    def interpolated(self, now: float) -> Record:
        """Return the state to draw at `now` (time.perf_counter), interpolated one publication late, but not across a jump."""
        share = self._share(now)
        if share is None:
            self.state[:] = self.last
        else:
            interpolate(self.previous, self.last, share, self.state)
        return self.state

    @property
    def vehicles(self) -> Record:
        """Other vehicles of the latest state read, records of `VEHICLE`."""
        return self._vehicles[1]

    def interpolated_vehicles(self, now: float) -> Record:
        """Return the other vehicles at the time of `interpolated`."""
        share = self._share(now)
        return self.vehicles if share is None else between(self._vehicles[0], self._vehicles[1], share)

    def _share(self, now: float) -> float | None:
        """Return the fraction of the way from `previous` to `last` to draw at `now`; None across a jump."""
        (old, new), (wall_old, wall_new) = self._generations, self._walls
        step = wall_new - wall_old
        return None if old != new or step <= 0.0 else min(max((now - wall_new) / step, 0.0), 1.0)

    def new_ruts(self) -> RutTiles:
        """Return some of the rut tiles around the vehicle that have changed since the previous calls."""
        return rut_tiles.NOTHING if self._ruts is None else self._ruts.take()

    @property
    def object_sets(self) -> int:
        """Number of times that objects were added so far."""
        return int(self._head["object_sets"])

    def changed_objects(self, all_of_them: bool = False) -> ObjectChanges:
        """Return the objects that have moved freely or were removed since the previous calls, or since the start of the drive."""
        return NO_CHANGES if self._objects is None else self._objects.take(all_of_them)

    def close(self) -> None:
        """Close the block without removing it."""
        self._ruts = self._objects = None
        del self._head, self._slots, self._payload, self._vehicle_bytes
        close_block(self._memory, unlink=False)

    def _fetch(self, n: int, out: NDArray[np.uint8], index: int) -> bool:
        slot = self._slots[n % SLOTS]
        if int(slot["end"]) != n:
            return False
        self._scratch[:] = self._payload[n % SLOTS]
        checksum, generation, wall = int(slot["checksum"]), int(slot["generation"]), float(slot["wall"])
        count, wheels = int(slot["vehicles"]), int(slot["vehicle_wheels"])
        if count * dtype_of(states_table(wheels)).itemsize > VEHICLE_BYTES:
            return False
        vehicles = states_in(self._vehicle_bytes[n % SLOTS], count, wheels)
        if int(slot["begin"]) != n or zlib.adler32(vehicles.view(np.uint8).data, zlib.adler32(self._scratch.data)) != checksum:
            return False
        out[:] = self._scratch
        self._generations[index], self._walls[index], self._vehicles[index] = generation, wall, vehicles
        return True


def interpolate(previous: Record, last: Record, share: float, out: Record) -> None:
    """Interpolate between two states: numbers linear, rotations normalized; integers, texts and extremes of the last state."""
    a, b, c = (r.view(np.uint8)[: _float_bytes(r)].view(np.float64) for r in (previous, last, out))
    out[:] = last
    np.subtract(b, a, out=c)
    c *= share
    c += a
    for name in last.dtype.names or ():
        if last.dtype[name].base.kind != "f":
            out[0][name] = last[0][name]
    for name in ("motion_low", "motion_high", "lap_began"):
        out[0][name] = last[0][name]
    for name in ("q_WB", "q_platform"):
        _blend_quaternion(previous[0][name], last[0][name], share, out[0][name])
    turn = last[0]["yaw"] - previous[0]["yaw"]
    out[0]["yaw"] = previous[0]["yaw"] + share * (turn - 2.0 * np.pi * np.round(turn / (2.0 * np.pi)))
    _orthonormalize(out[0]["R_BK"])


def _blend_quaternion(a: Any, b: Any, share: float, out: Any) -> None:
    sign = 1.0 if float(np.dot(a, b)) >= 0.0 else -1.0
    out[:] = (1.0 - share) * sign * a + share * b
    norm = float(np.sqrt(np.dot(out, out)))
    if norm > 0.0:
        out /= norm


def _orthonormalize(R: NDArray[np.float64]) -> None:
    """Orthonormalize the columns of (n, 3, 3) matrices that are nearly rotations (Gram-Schmidt); zero matrices stay zero."""
    x, y = R[:, :, 0], R[:, :, 1]
    x /= np.maximum(np.sqrt((x * x).sum(axis=1, keepdims=True)), 1e-12)
    y -= (x * y).sum(axis=1, keepdims=True) * x
    y /= np.maximum(np.sqrt((y * y).sum(axis=1, keepdims=True)), 1e-12)
    R[:, :, 2] = np.cross(x, y)


def _float_bytes(state: Record) -> int:
    """Return the bytes before the message, where every value has eight bytes."""
    return int(state.dtype.fields["message"][1])  # type: ignore[index]


def _extras_offset(table: Table) -> int:
    return int(dtype_of(table).fields[EXTRAS[0][0]][1])  # type: ignore[index]


def _layout_size(table: Table) -> int:
    """Return the bytes up to the end of the states, rounded up to complete cache lines."""
    size = dtype_of(_HEAD).itemsize + SLOTS * (dtype_of(_SLOT).itemsize + dtype_of(table).itemsize + VEHICLE_BYTES)
    return -(-size // 64) * 64


def _map_ruts(memory: shared_memory.SharedMemory, head: Any) -> RutSquare | None:
    if not head["ruts"]:
        return None
    buffer: Any = memory.buf
    return RutSquare(buffer, _layout_size(sized(STATE, wheels=int(head["wheels"]))))


def _map_objects(memory: shared_memory.SharedMemory, head: Any) -> ObjectTable:
    buffer: Any = memory.buf
    offset = _layout_size(sized(STATE, wheels=int(head["wheels"]))) + (rut_tiles.BYTES if head["ruts"] else 0)
    return ObjectTable(buffer, offset, int(head["objects"]))


def _map_view(
    memory: shared_memory.SharedMemory, magic: int = 0, layout: int = 0, name: str = "", wheels: int = 0
) -> tuple[Any, Any, list[NDArray[np.uint8]], list[NDArray[np.uint8]]]:
    """Return head, slots, and for each slot the memory of the state and that of the other vehicles."""
    buffer: Any = memory.buf
    head = np.frombuffer(buffer, dtype_of(_HEAD), 1)[0]
    if magic:
        check_version(int(head["magic"]) == magic and int(head["layout"]) == layout, name)
    at = dtype_of(_HEAD).itemsize
    slots = np.frombuffer(buffer, dtype_of(_SLOT), SLOTS, at)
    at += SLOTS * dtype_of(_SLOT).itemsize
    size = dtype_of(sized(STATE, wheels=wheels or int(head["wheels"]))).itemsize
    states = [np.frombuffer(buffer, np.uint8, size, at + k * size) for k in range(SLOTS)]
    at += SLOTS * size
    return (
        head,
        [slots[k] for k in range(SLOTS)],
        states,
        [np.frombuffer(buffer, np.uint8, VEHICLE_BYTES, at + k * VEHICLE_BYTES) for k in range(SLOTS)],
    )
