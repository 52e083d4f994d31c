"""States from the host to the views, and keys from a view to the host, in two small blocks of shared memory.

The view block is a ring of slots. Two tickets guard each slot (a seqlock): the writer sets the first, copies, sets the second and then
increments the count. A reader checks them in the opposite order and thus detects a slot that changed meanwhile. A slot is rewritten only
after `SLOTS` publications, so that readers almost never repeat a read, and they never block the writer.
A checksum covers machines that reorder memory accesses (ARM). Views that start, hang or exit do not affect the writer.
"""

from __future__ import annotations

import os
import secrets
import time
import zlib
from collections.abc import Sequence
from multiprocessing import shared_memory
from typing import Any

import numpy as np
from numpy.typing import NDArray

from simulator.base.errors import DeviceError
from simulator.base.records import Record, Table, dtype_of, layout_hash, record, sized
from simulator.view import rut_tiles
from simulator.view.memory_block import attach_block, close_block, create_block
from simulator.view.object_changes import NO_CHANGES, SPARE, ObjectChanges, ObjectTable, size_of
from simulator.view.rut_tiles import RutSquare, RutTiles
from vehicles.axle_layout import WHEELS
from vehicles.readout import READOUT

MOTION_BLOCKS = 32
"""Number of publications whose extremes of the motion a view can still read: a view with less than four frames per second misses some."""

OPEN_MENU = "MENU"
"""Key that opens and closes the menu."""
MENU_PRESSES = ("UP", "DOWN", "LEFT", "RIGHT", "ENTER", "ESCAPE", OPEN_MENU)
"""Keys of a menu in `menu_presses`."""

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
    ("replays", (), "1", "0: the states of a drive now, 1: of a recorded drive, 2: of the last seconds of the drive", "i8"),
    ("replay_position", (), "s", "position in a replay, 0 = its start"),
    ("replay_duration", (), "s", "duration of a replay"),
    ("replay_speed", (), "1", "simulated time per wall time of a replay"),
    (
        "menu_presses",
        (len(MENU_PRESSES),),
        "1",
        "presses of the buttons of devices for the menu so far, in the order of MENU_PRESSES",
        "i8",
    ),
    ("message", (), "", "message for the driver, one line, utf-8", "S96"),
    ("driver", (), "", "name of the present driver, utf-8, if several may drive; else empty", "S24"),
)
"""State for the window besides the readout."""

STATE = (*READOUT, *EXTRAS)
"""State of a vehicle of default size; `sized` adapts the table to other sizes."""
_SLOT = (
    ("begin", (), "1", "ticket set before the payload", "u8"),
    ("checksum", (), "1", "adler32 of the payload", "u8"),
    ("generation", (), "1", "changes at every reset or jump", "u8"),
    ("wall", (), "s", "time.perf_counter of the publication"),
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
LAYOUT = layout_hash((*_HEAD, *STATE))
"""Layout hash for the default size."""
KEYS_MAGIC = int.from_bytes(b"JNC_KEYS", "little")
SLOTS = 4
MAX_READS = 50

KEYS = (
    "left", "right", "up", "down", "space", "reset", "pause", "upright", "camera", "camera_1", "camera_2", "camera_3",
    "selector_up", "selector_down", "shift_up", "shift_down", "starter", "drive", "neutral", "reverse", "parking_brake", "motion", "escape",
    "low_range", "center_lock", "intensity_up", "intensity_down", "washout_next", "washout_up", "washout_down", "driver",
    "last_seconds", "horn", "mute", "volume_up", "volume_down",
)  # fmt: skip
"""Keys that a view passes to the host, by their meaning. `simulator.view.key_bindings.ACTIONS` assigns the keys of the keyboard to them;
`simulator.driver.input_devices.keyboard.ACTIONS` defines their actions."""

_KEYS_HEAD = (
    ("magic", (), "1", "constant KEYS_MAGIC", "u8"),
    ("layout", (), "1", "layout hash of KEYS", "u8"),
    ("frames", (), "1", "number of frames drawn so far; increases while the view is alive", "u8"),
    ("closed", (), "1", "1 after the driver closed the window", "u8"),
    ("owner", (), "1", "number of the view whose keys are used, 0: none", "u8"),
    ("pid", (), "1", "process id of this view", "u8"),
    ("pointed", (), "1", "number of times that the mouse has selected a place of the time line", "u8"),
    ("place", (), "1", "selected place of the time line, 0 = start, 1 = end"),
    ("shown_time", (), "s", "simulated time of the state in the last frame that was handed to the display"),
    ("shown_at", (), "s", "time.perf_counter of the view at that time"),
    ("menu", (), "1", "1 while the menu of the view is open", "u8"),
    ("down", (len(KEYS),), "1", "1 while the key is pressed", "u1"),
    ("presses", (len(KEYS),), "1", "number of presses of the key, modulo 256", "u1"),
)


def extras() -> Record:
    """Return neutral extras: level platform, legs at the middle of the stroke, real-time factor 1."""
    out = record(EXTRAS)
    out[0]["q_platform"][0] = 1.0
    out[0]["leg_use"] = 0.5
    out[0]["real_time_factor"] = 1.0
    out[0]["selector"] = out[0]["has_platform"] = 1
    out[0]["intensity"] = 1.0
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
        self._head, self._slots, self._payload = _map_view(self._memory, wheels=wheels)
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

    def publish(self, readout: Record, extra: Record) -> None:
        """Publish a readout (record of `READOUT`) and extras (record of `EXTRAS`) as the latest state."""
        self._readout_bytes[:] = readout.view(np.uint8)
        self._extras_bytes[:] = extra.view(np.uint8)
        n = self._count + 1
        slot, k = self._slots[n % SLOTS], n % SLOTS
        slot["begin"] = n
        slot["checksum"] = zlib.adler32(self._state_bytes.data)
        slot["generation"] = self.generation
        slot["wall"] = time.perf_counter()
        self._payload[k][:] = self._state_bytes
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
        del self._head, self._slots, self._payload
        close_block(self._memory, unlink=True)


class ViewReader:
    """View side of the view block.

    Raises DeviceError when the block does not exist or was written by another version of Jounce.
    """

    def __init__(self, name: str) -> None:
        self._memory = attach_block(name, "view block")
        self._head, self._slots, self._payload = _map_view(self._memory, MAGIC, LAYOUT, name)
        self._ruts = _map_ruts(self._memory, self._head)
        self._objects: ObjectTable | None = _map_objects(self._memory, self._head)
        table = sized(STATE, wheels=int(self._head["wheels"]))
        self.last, self.previous = record(table), record(table)
        self._last_bytes, self._previous_bytes = self.last.view(np.uint8), self.previous.view(np.uint8)
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
                    self._generations[0], self._walls[0] = self._generations[1], self._walls[1]
                self._seen = n
                return True
            self.retries += 1
        return False

    def interpolated(self, now: float) -> Record:
        """Return the state to draw at `now` (time.perf_counter), interpolated one publication late, but not across a jump."""
        (old, new), (wall_old, wall_new) = self._generations, self._walls
        step = wall_new - wall_old
        if old != new or step <= 0.0:
            self.state[:] = self.last
            return self.state
        interpolate(self.previous, self.last, min(max((now - wall_new) / step, 0.0), 1.0), self.state)
        return self.state

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
        del self._head, self._slots, self._payload
        close_block(self._memory, unlink=False)

    def _fetch(self, n: int, out: NDArray[np.uint8], index: int) -> bool:
        slot = self._slots[n % SLOTS]
        if int(slot["end"]) != n:
            return False
        self._scratch[:] = self._payload[n % SLOTS]
        checksum, generation, wall = int(slot["checksum"]), int(slot["generation"]), float(slot["wall"])
        if int(slot["begin"]) != n or zlib.adler32(self._scratch.data) != checksum:
            return False
        out[:] = self._scratch
        self._generations[index], self._walls[index] = generation, wall
        return True


class KeyWriter:
    """View side of the key block: the window writes it. Opens the host's block by name.

    The view that opened the block last is its owner. A view that lost the ownership while it hung has no effect afterwards.
    """

    def __init__(self, name: str) -> None:
        self._memory = attach_block(name, "key block")
        self.name = self._memory.name
        self._keys = _map_keys(self._memory, False, self.name)
        self._token = np.uint64(secrets.randbits(63) + 1)
        self._keys["owner"], self._keys["pid"] = self._token, os.getpid()
        self._keys["down"], self._keys["closed"], self._keys["menu"] = 0, 0, 0

    @property
    def owns(self) -> bool:
        """Whether the keys of this view are used."""
        return bool(self._keys["owner"] == self._token)

    def set(self, key: str, down: bool) -> None:
        """Set the state of a key of `KEYS`."""
        if not self.owns:
            return
        i = KEYS.index(key)
        if down and not self._keys["down"][i]:
            self._keys["presses"][i] = (int(self._keys["presses"][i]) + 1) % 256
        self._keys["down"][i] = down

    def release_all(self) -> None:
        """Release all keys (the window lost the keyboard focus)."""
        if self.owns:
            self._keys["down"] = 0

    def point(self, place: float) -> None:
        """Select a place of the time line of a replay, 0 = start, 1 = end."""
        if self.owns:
            self._keys["place"] = place
            self._keys["pointed"] += np.uint64(1)

    def beat(self) -> None:
        """Count a drawn frame."""
        if self.owns:
            self._keys["frames"] += np.uint64(1)

    def note_menu(self, is_open: bool) -> None:
        """Note whether the menu is open: buttons of devices then only act on it."""
        if self.owns:
            self._keys["menu"] = is_open

    def note_shown(self, simulated: float) -> None:
        """Note that the display has the frame of a state, by its simulated time."""
        if self.owns:
            self._keys["shown_time"], self._keys["shown_at"] = simulated, time.perf_counter()

    def close(self, closed_by_user: bool = True) -> None:
        """Release all keys and give up the ownership."""
        self.release_all()
        if self.owns:
            self._keys["closed"], self._keys["owner"], self._keys["menu"] = closed_by_user, 0, 0
        del self._keys
        close_block(self._memory, unlink=False)


class NoKeys:
    """Key writer without effect, for a view whose keys are not used."""

    owns = True

    def set(self, key: str, down: bool) -> None:
        """Do nothing."""

    def release_all(self) -> None:
        """Do nothing."""

    def point(self, place: float) -> None:
        """Do nothing."""

    def beat(self) -> None:
        """Do nothing."""

    def note_menu(self, is_open: bool) -> None:
        """Do nothing."""

    def note_shown(self, simulated: float) -> None:
        """Do nothing."""

    def close(self, closed_by_user: bool = True) -> None:
        """Do nothing."""


class KeyReader:
    """Host side of the key block; creates the block (`create=False`: opens an existing one)."""

    def __init__(self, name: str | None = None, create: bool = True) -> None:
        self._memory = create_block(name, dtype_of(_KEYS_HEAD).itemsize) if create else attach_block(str(name), "key block")
        self.name = self._memory.name
        self._owner = create
        self._keys = _map_keys(self._memory, create, self.name)
        self._index = {key: i for i, key in enumerate(KEYS)}
        self._down, self._presses = self._keys["down"], self._keys["presses"]
        self._taken, self._pointed = self._presses.copy(), 0

    def down(self, key: str) -> bool:
        """Return whether a key of `KEYS` is pressed."""
        return bool(self._down[self._index[key]])

    def taps(self, key: str) -> int:
        """Return the number of presses of the key since the previous call, even if the key is released."""
        i = self._index[key]
        count = (int(self._presses[i]) - int(self._taken[i])) % 256
        self._taken[i] = self._presses[i]
        return count

    def pointed(self) -> float | None:
        """Return the place of the time line that was selected since the previous call, 0 = start, 1 = end; None without one."""
        count = int(self._keys["pointed"])
        if count == self._pointed:
            return None
        self._pointed = count
        return float(self._keys["place"])

    @property
    def in_menu(self) -> bool:
        """Whether the menu of the view is open."""
        return bool(self._keys["menu"])

    @property
    def shown(self) -> tuple[float, float]:
        """Simulated time of the last frame that was handed to the display, and `time.perf_counter` at that time."""
        return float(self._keys["shown_time"]), float(self._keys["shown_at"])

    def hold(self, key: str, down: bool) -> None:
        """Press or release a key instead of the view, for a measurement."""
        i = self._index[key]
        self._presses[i] = (int(self._presses[i]) + int(down)) % 256
        self._down[i] = down

    @property
    def frames(self) -> int:
        """Number of frames drawn by the view so far; a view with a constant number has exited or hangs."""
        return int(self._keys["frames"])

    @property
    def closed(self) -> bool:
        """Whether the driver closed the window."""
        return bool(self._keys["closed"])

    @property
    def owner(self) -> int:
        """Number of the view whose keys are used; 0 without such a view."""
        return int(self._keys["owner"])

    @property
    def pid(self) -> int:
        """Process id of the latest view."""
        return int(self._keys["pid"])

    def close(self) -> None:
        """Close the block, and remove it if this object created it."""
        del self._keys, self._down, self._presses
        close_block(self._memory, unlink=self._owner)


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
    for name in ("motion_low", "motion_high"):
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
    size = dtype_of(_HEAD).itemsize + SLOTS * (dtype_of(_SLOT).itemsize + dtype_of(table).itemsize)
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
) -> tuple[Any, Any, list[NDArray[np.uint8]]]:
    buffer: Any = memory.buf
    head = np.frombuffer(buffer, dtype_of(_HEAD), 1)[0]
    if magic:
        _check(int(head["magic"]) == magic and int(head["layout"]) == layout, name)
    at = dtype_of(_HEAD).itemsize
    slots = np.frombuffer(buffer, dtype_of(_SLOT), SLOTS, at)
    at += SLOTS * dtype_of(_SLOT).itemsize
    size = dtype_of(sized(STATE, wheels=wheels or int(head["wheels"]))).itemsize
    return head, [slots[k] for k in range(SLOTS)], [np.frombuffer(buffer, np.uint8, size, at + k * size) for k in range(SLOTS)]


def _map_keys(memory: shared_memory.SharedMemory, fresh: bool, name: str) -> Any:
    buffer: Any = memory.buf
    keys = np.frombuffer(buffer, dtype_of(_KEYS_HEAD), 1)[0]
    layout = _keys_layout(KEYS)
    if fresh:
        keys["layout"], keys["magic"] = layout, KEYS_MAGIC
    _check(int(keys["magic"]) == KEYS_MAGIC and int(keys["layout"]) == layout, name)
    return keys


def _keys_layout(keys: Sequence[str]) -> int:
    table: Table = tuple((key, (), "1", "", "u1") for key in keys)
    return layout_hash(table)


def _check(same: bool, name: str) -> None:
    if not same:
        raise DeviceError(f"shared memory {name}: written by another version of Jounce; hint: close the other window and restart")
