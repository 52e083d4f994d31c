"""Playback of the synthesizer on a sound device, with a count of the glitches."""

from __future__ import annotations

import math
import time
from collections.abc import Generator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from simulator.base.errors import DeviceError
from simulator.base.suggestions import did_you_mean
from simulator.sound.signals import BLOCK, RATE
from simulator.sound.sound_block import SoundBlock
from simulator.sound.synthesizer import Synthesizer

PERIOD_MS, PERIODS = 10, 3
"""Size of a period of the device [ms], and number of periods in its buffer: the latency of the sound is 20 to 30 ms."""
STALE = 25
"""Blocks without a new state after which the sound fades out: the drive hangs."""
NULL = "null"
"""Name of the device that plays nothing, in real time."""
WINDOW = 5.0
"""s after which the reference of the lateness follows the clock of the device."""


class Glitches:
    """Counts the gaps of a device that takes frames: it ran dry because a call came, or ended, later than its buffer lasts.

    Parameters
    ----------
    periods : number of periods in the buffer of the device; a call fills one of them while the others play

    Attributes
    ----------
    count : number of gaps
    """

    def __init__(self, periods: int) -> None:
        self.count = 0
        self._others, self._period, self._delivered = periods - 1, 0, 0
        self._earliest = self._next_earliest = math.inf
        self._changed = -math.inf

    def note(self, begin: float, end: float, frames: int) -> None:
        """Note a call that began and ended at two times [s] and delivered frames.

        Without a gap, the call that delivers frame n comes n / RATE after the first one. The earliest call of the last seconds is the
        reference, so that a device with a slightly different clock makes no gaps.
        """
        due = self._delivered / RATE
        self._earliest, self._next_earliest = min(self._earliest, begin - due), min(self._next_earliest, begin - due)
        self._period = max(self._period, frames)
        if end - due - self._earliest > self._others * self._period / RATE:
            self.count += 1
            self._earliest = self._next_earliest = begin - due
        if begin - self._changed > WINDOW:
            self._earliest, self._next_earliest, self._changed = self._next_earliest, begin - due, begin
        self._delivered += frames


class Player:
    """Plays the states of a block.

    Parameters
    ----------
    block : states of the drive; receives the counters
    device : name or part of the name of a device, NULL, or empty for the default device

    Attributes
    ----------
    name : name of the device

    Raises DeviceError: there is no device, or none of this name.
    """

    def __init__(self, synthesizer: Synthesizer, block: SoundBlock, device: str = "") -> None:
        self._synthesizer, self._block = synthesizer, block
        self._rest: NDArray[np.float32] = np.zeros((0, 2), np.float32)
        self._silent_for, self._ends = 0, False
        self._device, self.name = _open(device)
        self._glitches = Glitches(PERIODS)

    def start(self) -> None:
        """Begin to play."""
        frames = self._frames()
        next(frames)
        self._device.start(frames)

    def close(self) -> None:
        """End, after the sound has faded out."""
        self._ends = True
        time.sleep(0.15)
        self._device.close()

    def _frames(self) -> Generator[Any, int, None]:
        """Deliver frames to the device; runs in its thread."""
        cells, worst = self._block.cells, 0.0
        count = yield b""
        while True:
            begin = time.perf_counter()
            out = self._taken(count)
            end = time.perf_counter()
            self._glitches.note(begin, end, count)
            worst = max(worst, end - begin)
            cells["frames"] += np.uint64(count)
            cells["glitches"], cells["worst"] = self._glitches.count, worst
            count = yield out

    def _taken(self, count: int) -> NDArray[np.float32]:
        parts, size = [self._rest], len(self._rest)
        while size < count:
            parts.append(self._next_block())
            size += BLOCK
        all_of_them = np.concatenate(parts)
        self._rest = all_of_them[count:]
        return all_of_them[:count]

    def _next_block(self) -> NDArray[np.float32]:
        state = self._block.take()
        self._silent_for = self._silent_for + 1 if state is None else 0
        if self._silent_for == STALE and int(self._block.cells["frames"]) > RATE:
            self._block.cells["waits"] += np.uint64(1)
        if self._ends or self._silent_for >= STALE:
            state = None
            self._synthesizer.fade_out()
        return self._synthesizer.block(state).astype(np.float32)


def _open(name: str) -> tuple[Any, str]:
    """Return the device and its name. Raises DeviceError."""
    import miniaudio

    backends = [miniaudio.Backend.NULL] if name == NULL else None
    chosen_device = None
    try:
        if name and name != NULL:
            devices = miniaudio.Devices().get_playbacks()
            names = [*(one["name"] for one in devices), NULL]
            matches = [one for one in devices if name.casefold() in one["name"].casefold()]
            if not matches:
                raise DeviceError(f"no sound device {name!r}; expected one of {', '.join(names)}{did_you_mean(name, names)}")
            chosen_device = matches[0]
        device = miniaudio.PlaybackDevice(
            output_format=miniaudio.SampleFormat.FLOAT32,
            nchannels=2,
            sample_rate=RATE,
            buffersize_msec=PERIOD_MS,
            device_id=None if chosen_device is None else chosen_device["id"],
            callback_periods=PERIODS,
            backends=backends,
            app_name="Jounce",
        )
    except miniaudio.MiniaudioError as error:
        raise DeviceError(f"no sound device ({error.args[0] if error.args else error})") from None
    if device.backend.casefold() == NULL and name != NULL:
        device.close()
        raise DeviceError("no sound device found")
    return device, str(device.backend if chosen_device is None else chosen_device["name"])
