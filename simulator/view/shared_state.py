"""What the host shows to the views, and the keys a view hands back: two small blocks of shared memory.

The view block is a ring of slots. Each slot is guarded by two tickets (a seqlock): the writer sets the first, copies, sets the second and
then moves the count on; a reader looks at them in the opposite order, so a slot that changed meanwhile is noticed. Because a slot is
written again only `SLOTS` publications later, readers practically never have to try again, and they never hold up the writer.
A checksum covers machines that reorder memory accesses (ARM). Views may come, hang or die: the writer does not notice.
"""

from __future__ import annotations

import contextlib
import os
import secrets
import sys
import time
import zlib
from collections.abc import Sequence
from multiprocessing import resource_tracker, shared_memory
from typing import Any

import numpy as np
from numpy.typing import NDArray

from simulator.base.errors import DeviceError
from simulator.base.records import Record, Table, dtype_of, layout_hash, record, sized
from simulator.view import rut_tiles
from simulator.view.drive_lock import SHARED_MEMORY, hold, new_block
from simulator.view.rut_tiles import RutSquare, RutTiles
from vehicles.axle_layout import WHEELS
from vehicles.readout import READOUT

EXTRAS = (
    # name               shape  unit  what it is
    ("p_platform", (3,), "m", "platform displacement from neutral (ISO axes of the platform)"),
    ("q_platform", (4,), "1", "platform attitude, quaternion w, x, y, z"),
    ("legs", (6,), "m", "lengths of the platform's legs"),
    ("leg_use", (6,), "1", "place of each leg within its stroke, 0 = shortest, 1 = longest"),
    ("real_time_factor", (), "1", "simulated time per wall time"),
    ("overruns", (), "1", "ticks that missed their deadline so far", "i8"),
    ("paused", (), "1", "1 while the simulation is paused", "i8"),
    ("selector", (), "1", "gear selector: -1 reverse, 0 neutral, 1 drive", "i8"),
    ("parking_brake", (), "1", "1 while the parking brake is pulled", "i8"),
    ("car_feels", (6,), "m/s2, rad/s", "specific force less gravity and angular rate at the driver's head in the vehicle, in B"),
    ("cab_feels", (6,), "m/s2, rad/s", "the same at the rider's head by the motion of the platform commanded, in P"),
    ("intensity", (), "1", "scale of what the washout is asked to show"),
    ("message", (), "", "one line for the driver, utf-8", "S96"),
)
"""What the window shows beside the vehicle."""

STATE = (*READOUT, *EXTRAS)
"""Of a vehicle of the usual size; `sized` makes that of another."""
_SLOT = (
    ("begin", (), "1", "ticket set before the payload", "u8"),
    ("checksum", (), "1", "adler32 of the payload", "u8"),
    ("generation", (), "1", "changes at every reset or jump", "u8"),
    ("wall", (), "s", "time.perf_counter of the publication"),
    ("end", (), "1", "ticket set after the payload", "u8"),
)
_HEAD = (
    ("magic", (), "1", "MAGIC", "u8"),
    ("layout", (), "1", "LAYOUT", "u8"),
    ("wheels", (), "1", "of the vehicle", "u8"),
    ("ruts", (), "1", "1 where the ruts around the vehicle follow behind the states", "u8"),
    ("count", (), "1", "publications so far", "u8"),
    ("closed", (), "1", "1 when the host has left", "u8"),
)
MAGIC = int.from_bytes(b"JNC_VIEW", "little")
LAYOUT = layout_hash((*_HEAD, *STATE))
"""Of the usual size."""
KEYS_MAGIC = int.from_bytes(b"JNC_KEYS", "little")
SLOTS = 4
TRIES = 50

KEYS = (
    "left", "right", "up", "down", "space", "reset", "pause", "upright", "camera", "camera_1", "camera_2", "camera_3",
    "gear_up", "gear_down", "shift_up", "shift_down", "starter", "drive", "neutral", "reverse", "parking_brake", "motion", "escape",
    "low_range", "center_lock", "intensity_up", "intensity_down", "washout_next", "washout_up", "washout_down",
)  # fmt: skip
"""Keys a view hands to the host, by what they mean."""

_KEYS_HEAD = (
    ("magic", (), "1", "KEYS_MAGIC", "u8"),
    ("layout", (), "1", "layout_hash of KEYS", "u8"),
    ("frames", (), "1", "frames drawn so far: a view that lives makes it grow", "u8"),
    ("closed", (), "1", "1 when the driver closed the window", "u8"),
    ("owner", (), "1", "number of the view whose keys count, 0: none", "u8"),
    ("pid", (), "1", "its process id", "u8"),
    ("down", (len(KEYS),), "1", "1 while the key is held", "u1"),
    ("presses", (len(KEYS),), "1", "times the key was pressed, modulo 256", "u1"),
)


def extras() -> Record:
    """Neutral extras: level platform, legs in the middle, real-time factor 1."""
    out = record(EXTRAS)
    out[0]["q_platform"][0] = 1.0
    out[0]["leg_use"] = 0.5
    out[0]["real_time_factor"] = 1.0
    out[0]["selector"] = 1
    out[0]["intensity"] = 1.0
    return out


class ViewWriter:
    """Host side of the view block; creates it.

    `publish` copies one readout and one record of extras, about 5 microseconds.

    Parameters
    ----------
    name : of the block; a free one when not given
    wheels : of the vehicle
    soft : whether there is soil, and with it ruts to be shown

    Attributes
    ----------
    ruts : where they are shown; None where there are none
    """

    def __init__(self, name: str | None = None, wheels: int = int(WHEELS), soft: bool = False) -> None:
        table = sized(STATE, wheels=wheels)
        self._memory = _create(name, _layout_size(table) + (rut_tiles.BYTES if soft else 0))
        self.name = self._memory.name
        self._head, self._slots, self._payload = _map_view(self._memory, wheels=wheels)
        self._head["wheels"], self._head["ruts"] = wheels, soft
        self.ruts = _map_ruts(self._memory, self._head)
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
        """Make a readout (record of `READOUT`) and extras (record of `EXTRAS`) the latest state."""
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
        """Say that the next state does not follow from the last one (reset, teleport): nothing is interpolated across."""
        self.generation += 1

    def leave(self) -> None:
        """Tell the views that the host leaves; what was published last can still be read."""
        self._head["closed"] = 1

    def close(self) -> None:
        """Leave, and remove the block."""
        self.leave()
        self.ruts = None
        del self._head, self._slots, self._payload
        _close(self._memory, unlink=True)


class ViewReader:
    """View side of the view block.

    Raises DeviceError when there is no such block or when it was written by another version of the program.
    """

    def __init__(self, name: str) -> None:
        self._memory = _attach(name, "view block")
        self._head, self._slots, self._payload = _map_view(self._memory, MAGIC, LAYOUT, name)
        self._ruts = _map_ruts(self._memory, self._head)
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
        """True when the host has left."""
        return bool(self._head["closed"])

    @property
    def generation(self) -> int:
        """Generation of the last state read."""
        return self._generations[1]

    @property
    def published(self) -> int:
        """Number of states published so far."""
        return int(self._head["count"])

    def read(self) -> bool:
        """Fetch the two latest states into `previous` and `last`; False when nothing new (or nothing at all) was there."""
        for _ in range(TRIES):
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
        """State to draw at `now` (time.perf_counter): one publication behind, between the two latest, never across a jump."""
        (old, new), (wall_old, wall_new) = self._generations, self._walls
        step = wall_new - wall_old
        if old != new or step <= 0.0:
            self.state[:] = self.last
            return self.state
        interpolate(self.previous, self.last, min(max((now - wall_new) / step, 0.0), 1.0), self.state)
        return self.state

    def new_ruts(self) -> RutTiles:
        """Some of the tiles of ruts around the vehicle that have changed since they were asked for last."""
        return rut_tiles.NOTHING if self._ruts is None else self._ruts.take()

    def close(self) -> None:
        """Let go of the block; it stays for the others."""
        self._ruts = None
        del self._head, self._slots, self._payload
        _close(self._memory, unlink=False)

    def _fetch(self, n: int, out: NDArray[np.uint8], which: int) -> bool:
        slot = self._slots[n % SLOTS]
        if int(slot["end"]) != n:
            return False
        self._scratch[:] = self._payload[n % SLOTS]
        checksum, generation, wall = int(slot["checksum"]), int(slot["generation"]), float(slot["wall"])
        if int(slot["begin"]) != n or zlib.adler32(self._scratch.data) != checksum:
            return False
        out[:] = self._scratch
        self._generations[which], self._walls[which] = generation, wall
        return True


class KeyWriter:
    """View side of the key block: the window writes it. Opens the host's block by name.

    The last view that opened it is its owner; one that was given up for hanging and comes back finds itself without a say.
    """

    def __init__(self, name: str) -> None:
        self._memory = _attach(name, "key block")
        self.name = self._memory.name
        self._keys = _map_keys(self._memory, False, self.name)
        self._token = np.uint64(secrets.randbits(63) + 1)
        self._keys["owner"], self._keys["pid"] = self._token, os.getpid()
        self._keys["down"], self._keys["closed"] = 0, 0

    @property
    def owns(self) -> bool:
        """Do the keys of this view count?"""
        return bool(self._keys["owner"] == self._token)

    def set(self, key: str, down: bool) -> None:
        """Key of `KEYS` went down or up."""
        if not self.owns:
            return
        i = KEYS.index(key)
        if down and not self._keys["down"][i]:
            self._keys["presses"][i] = (int(self._keys["presses"][i]) + 1) % 256
        self._keys["down"][i] = down

    def release_all(self) -> None:
        """No key is held any more (the window lost the keyboard)."""
        if self.owns:
            self._keys["down"] = 0

    def beat(self) -> None:
        """A frame was drawn."""
        if self.owns:
            self._keys["frames"] += np.uint64(1)

    def close(self, closed_by_user: bool = True) -> None:
        """Release all keys and say that the window is gone."""
        self.release_all()
        if self.owns:
            self._keys["closed"], self._keys["owner"] = closed_by_user, 0
        del self._keys
        _close(self._memory, unlink=False)


class NoKeys:
    """Stands for the keys of a view that only looks on."""

    owns = True

    def set(self, key: str, down: bool) -> None:
        """Nothing."""

    def release_all(self) -> None:
        """Nothing."""

    def beat(self) -> None:
        """Nothing."""

    def close(self, closed_by_user: bool = True) -> None:
        """Nothing."""


class KeyReader:
    """Host side of the key block; creates it (`create=False`: opens an existing one)."""

    def __init__(self, name: str | None = None, create: bool = True) -> None:
        self._memory = _create(name, dtype_of(_KEYS_HEAD).itemsize) if create else _attach(str(name), "key block")
        self.name = self._memory.name
        self._owner = create
        self._keys = _map_keys(self._memory, create, self.name)
        self._index = {key: i for i, key in enumerate(KEYS)}
        self._down, self._presses = self._keys["down"], self._keys["presses"]
        self._taken = self._presses.copy()

    def down(self, key: str) -> bool:
        """Is that key of `KEYS` held?"""
        return bool(self._down[self._index[key]])

    def taps(self, key: str) -> int:
        """How often the key was pressed since the last question, even if it is up again."""
        i = self._index[key]
        count = (int(self._presses[i]) - int(self._taken[i])) % 256
        self._taken[i] = self._presses[i]
        return count

    @property
    def frames(self) -> int:
        """Frames drawn by the view so far; a view that no longer counts has died or hangs."""
        return int(self._keys["frames"])

    @property
    def closed(self) -> bool:
        """True when the driver closed the window."""
        return bool(self._keys["closed"])

    @property
    def owner(self) -> int:
        """Number of the view whose keys count; 0 before one has come and after it has left."""
        return int(self._keys["owner"])

    @property
    def pid(self) -> int:
        """Process id of the view that came last."""
        return int(self._keys["pid"])

    def close(self) -> None:
        """Let go of the block and, where this side made it, remove it."""
        del self._keys, self._down, self._presses
        _close(self._memory, unlink=self._owner)


def interpolate(previous: Record, last: Record, share: float, out: Record) -> None:
    """State between two: numbers linear, quaternions and wheel orientations back to unit, counts and texts of the last one."""
    a, b, c = (r.view(np.uint8)[: _float_bytes(r)].view(np.float64) for r in (previous, last, out))
    out[:] = last
    np.subtract(b, a, out=c)
    c *= share
    c += a
    for name in last.dtype.names or ():
        if last.dtype[name].base.kind != "f":
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
    """Gram-Schmidt on the columns of (n, 3, 3) matrices that are nearly rotations; zero matrices stay zero."""
    x, y = R[:, :, 0], R[:, :, 1]
    x /= np.maximum(np.sqrt((x * x).sum(axis=1, keepdims=True)), 1e-12)
    y -= (x * y).sum(axis=1, keepdims=True) * x
    y /= np.maximum(np.sqrt((y * y).sum(axis=1, keepdims=True)), 1e-12)
    R[:, :, 2] = np.cross(x, y)


def _float_bytes(state: Record) -> int:
    """Bytes before the message; everything there is eight bytes wide."""
    return int(state.dtype.fields["message"][1])  # type: ignore[index]


def _extras_offset(table: Table) -> int:
    return int(dtype_of(table).fields[EXTRAS[0][0]][1])  # type: ignore[index]


def _layout_size(table: Table) -> int:
    """Bytes up to the end of the states, in whole words of a processor's cache."""
    size = dtype_of(_HEAD).itemsize + SLOTS * (dtype_of(_SLOT).itemsize + dtype_of(table).itemsize)
    return -(-size // 64) * 64


def _map_ruts(memory: shared_memory.SharedMemory, head: Any) -> RutSquare | None:
    if not head["ruts"]:
        return None
    buffer: Any = memory.buf
    return RutSquare(buffer, _layout_size(sized(STATE, wheels=int(head["wheels"]))))


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
        raise DeviceError(f"shared memory {name}: written by another version of Jounce; close the other window and start again")


def _create(name: str | None, size: int) -> shared_memory.SharedMemory:
    try:
        memory = new_block(size) if name is None else shared_memory.SharedMemory(name, create=True, size=size)
    except FileExistsError:
        raise DeviceError(f"shared memory {name}: a block of that name exists already; expected a free name") from None
    except OSError as error:
        raise DeviceError(f"shared memory: no block can be made ({error.strerror}); expected room in shared memory") from None
    hold(memory)
    if SHARED_MEMORY.is_dir():
        _watch(memory, False)
    return memory


def _watch(memory: shared_memory.SharedMemory, on: bool) -> None:
    """Have Python's own watchman remove a block when this process is killed, which he says on its terminal, or leave that to `claims.sweep`."""
    if sys.platform != "win32" and getattr(memory, "_track", True):
        (resource_tracker.register if on else resource_tracker.unregister)(memory._name, "shared_memory")  # type: ignore[attr-defined]


def _attach(name: str, what: str) -> shared_memory.SharedMemory:
    try:
        if sys.version_info >= (3, 13):
            return shared_memory.SharedMemory(name, track=False)
        memory = shared_memory.SharedMemory(name)
    except (FileNotFoundError, ValueError):
        raise DeviceError(f"shared memory {name}: no such {what}; expected the name that the host gave") from None
    # Before Python 3.13 every process that opens a block is taken for its owner and would remove it on leaving (cpython 82300).
    _watch(memory, False)
    return memory


def _close(memory: shared_memory.SharedMemory, unlink: bool) -> None:
    try:
        memory.close()
    except BufferError:
        # someone still holds an array on it; the mapping goes with the process
        memory._mmap = memory._buf = None  # type: ignore[attr-defined]
    if unlink:
        _watch(memory, True)  # which unlinking undoes
        with contextlib.suppress(FileNotFoundError):
            memory.unlink()
