"""Keys from a view to the host, in a small block of shared memory. The host creates the block, and a view opens it.

The block also carries the number of drawn frames, the state of the menu, and the selected place of the time line of a replay.
"""

from __future__ import annotations

import os
import secrets
import time
from collections.abc import Sequence
from multiprocessing import shared_memory
from typing import Any

import numpy as np

from simulator.base.records import Table, dtype_of, layout_hash
from simulator.view.camera_names import CAMERA_EVENTS
from simulator.view.memory_block import attach_block, check_version, close_block, create_block

KEYS_MAGIC = int.from_bytes(b"JNC_KEYS", "little")
KEYS = (
    "left", "right", "up", "down", "space", "reset", "pause", "upright", *CAMERA_EVENTS[1:],
    "selector_up", "selector_down", "shift_up", "shift_down", "starter", "drive", "neutral", "reverse", "parking_brake", "motion", "escape",
    "low_range", "center_lock", "intensity_up", "intensity_down", "washout_next", "washout_up", "washout_down", "driver",
    "last_seconds", "horn", "mute", "volume_up", "volume_down", "acc", "limiter", "lane_keeping", "set_speed_up", "set_speed_down",
    "turn_signal_left", "turn_signal_right", "hazard_lights",
)  # fmt: skip
"""Keys that a view passes to the host, by their meaning. `simulator.view.key_bindings.ACTIONS` assigns the keys of the keyboard to them;
`simulator.driver.input_devices.keyboard.ACTIONS` defines their actions."""

_KEYS_HEAD = (
    ("magic", (), "1", "constant KEYS_MAGIC", "u8"),
    ("layout", (), "1", "layout hash of KEYS", "u8"),
    ("frames", (), "1", "number of frames drawn so far; increases while the view is alive", "u8"),
    ("closed", (), "1", "1 after the driver closed the window, 2 after a key or the menu ended the drive", "u8"),
    ("owner", (), "1", "number of the view whose keys are used, 0: none", "u8"),
    ("pid", (), "1", "process id of this view", "u8"),
    ("pointed", (), "1", "number of times that the mouse has selected a place of the time line", "u8"),
    ("place", (), "1", "selected place of the time line, 0 = start, 1 = end"),
    ("shown_time", (), "s", "simulated time of the state in the last frame that was handed to the display"),
    ("shown_at", (), "s", "time.perf_counter of the view at that time"),
    ("menu", (), "1", "1 while the menu of the view is open", "u8"),
    ("settings", (), "1", "number of times that the user has changed volume or steering speed in this view", "u8"),
    ("volume", (), "1", "volume that the user has set"),
    ("steering_speed", (), "1", "steering speed that the user has set"),
    ("down", (len(KEYS),), "1", "1 while the key is pressed", "u1"),
    ("presses", (len(KEYS),), "1", "number of presses of the key, modulo 256", "u1"),
)


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

    def note_settings(self, volume: float, steering_speed: float) -> None:
        """Send the host settings that the user has changed."""
        if self.owns:
            self._keys["volume"], self._keys["steering_speed"] = volume, steering_speed
            self._keys["settings"] += np.uint64(1)

    def note_shown(self, simulated: float) -> None:
        """Note that the display has the frame of a state, by its simulated time."""
        if self.owns:
            self._keys["shown_time"], self._keys["shown_at"] = simulated, time.perf_counter()

    def close(self, closed_by_user: bool = True, ends_drive: bool = False) -> None:
        """Release all keys and give up the ownership; `ends_drive`: a key or the menu of the window ended the drive."""
        self.release_all()
        if self.owns:
            self._keys["closed"], self._keys["owner"], self._keys["menu"] = 2 if ends_drive else closed_by_user, 0, 0
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

    def note_settings(self, volume: float, steering_speed: float) -> None:
        """Do nothing."""

    def note_shown(self, simulated: float) -> None:
        """Do nothing."""

    def close(self, closed_by_user: bool = True, ends_drive: bool = False) -> None:
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
        self._taken, self._pointed, self._settings = self._presses.copy(), 0, 0

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

    def settings(self) -> tuple[float, float] | None:
        """Return volume and steering speed that the user has changed since the previous call; None without a change."""
        count = int(self._keys["settings"])
        if count == self._settings:
            return None
        self._settings = count
        return float(self._keys["volume"]), float(self._keys["steering_speed"])

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
        """Whether the driver closed the window, or ended the drive in it."""
        return bool(self._keys["closed"])

    @property
    def ends_drive(self) -> bool:
        """Whether a key or the menu of the window ended the drive."""
        return int(self._keys["closed"]) == 2

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


def _map_keys(memory: shared_memory.SharedMemory, fresh: bool, name: str) -> Any:
    buffer: Any = memory.buf
    keys = np.frombuffer(buffer, dtype_of(_KEYS_HEAD), 1)[0]
    layout = _keys_layout(KEYS)
    if fresh:
        keys["layout"], keys["magic"] = layout, KEYS_MAGIC
    check_version(int(keys["magic"]) == KEYS_MAGIC and int(keys["layout"]) == layout, name)
    return keys


def _keys_layout(keys: Sequence[str]) -> int:
    table: Table = tuple((key, (), "1", "", "u1") for key in keys)
    return layout_hash(table)
