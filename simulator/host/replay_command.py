"""`jounce replay`: a recorded drive in the window, which draws the same states as in the drive."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from simulator.base import cleanup
from simulator.base.console import print_error, print_line
from simulator.base.errors import ConfigError, DeviceError
from simulator.base.records import Record, dtype_of, record
from simulator.base.signals import StopRequest, on_signal
from simulator.configuration.session_file import SoundOptions
from simulator.host.replay_player import Player
from simulator.host.replay_sound import ReplaySound
from simulator.outlets.view import short
from simulator.run.recording import Recording
from simulator.view.drive_lock import DriveLock, sweep
from simulator.view.gl_context import display_available
from simulator.view.launch import ViewProcess, start_view_process
from simulator.view.make_terrain_data import make_terrain_data
from simulator.view.shared_keys import KeyReader
from simulator.view.shared_state import EXTRAS, RECORDED, ViewWriter
from simulator.view.timeline import Timeline
from simulator.view.user_settings import load_settings

PERIOD = 0.01
"""s between two states for the window, which interpolates between them."""
MESSAGE_TIME = 4.0
"""s for which the text of an event is shown."""
RAD = 180.0 / np.pi
PLOTTED = (
    # name and unit, column, factor
    ("speed [km/h]", "v_WB_B_x", 3.6),
    ("steering wheel [deg]", "steering_wheel_angle", RAD),
    ("lateral acceleration [m/s2]", "a_WB_B_y", 1.0),
    ("engine speed [rpm]", "engine_speed", 30.0 / np.pi),
)
Listener = Callable[[Record, Record, Record], None]
"""Called with READOUT, COMMAND and EXTRAS of each published state, as an outlet of a drive would read them."""


def main_replay(arguments: Any) -> int:
    """Run `jounce replay`; return 0 when the window was closed."""
    if not display_available():
        raise DeviceError("replay: no display found; hint: 'jounce render RUN --video clip.mp4' needs none")
    settings = load_settings()  # a mistake in the settings of the user is reported before the window opens
    print_line("preparing the replay; the window opens in some seconds")
    recording = Recording(Path(arguments.place), print_error)
    last = recording.duration if arguments.last is None else min(arguments.last, recording.duration)
    if arguments.first >= last > 0.0:
        raise ConfigError("--from", "", arguments.first, f"a time before {last:.2f} s, the end")
    player = Player(arguments.first, last, arguments.speed, recording.events)
    replay, sound = Replay(recording, player), None
    stop = StopRequest()
    try:
        with on_signal(stop):
            replay.open(arguments.camera)
            if not arguments.no_sound:
                sound = ReplaySound(recording, player, replay.keys, print_error)
                volume = settings.volume if arguments.volume is None else arguments.volume
                sound.open(SoundOptions(True, volume, arguments.sound_device or ""), arguments.camera)
                replay.listeners.append(sound.listen)
                replay.on_jump.append(sound.jump)
            while stop.first is None and replay.serve():
                time.sleep(PERIOD)
    finally:
        if sound is not None:
            sound.close()
        replay.close()
    stop.raise_if_requested()
    return 0


class Replay:
    """Recorded drive that publishes its states for the window.

    Attributes
    ----------
    listeners : called with each published state, for example by the sound
    on_jump : called before a state that does not continue the previous one
    """

    def __init__(self, recording: Recording, player: Player) -> None:
        self.recording, self.player = recording, player
        self.listeners: list[Listener] = []
        self.on_jump: list[Callable[[], None]] = []
        parts = recording.parts
        with cleanup.defer_exit():
            sweep()
            self.lock = DriveLock()
            cleanup.register_cleanup(self.lock.release)
        with cleanup.defer_exit():
            self.block = ViewWriter(wheels=parts.vehicle.size.wheels, soft=parts.ground.is_soft, objects=len(parts.ground.objects))
            cleanup.register_cleanup(self.block.close)
        with cleanup.defer_exit():
            self.keys = KeyReader()
            cleanup.register_cleanup(self.keys.close)
        self._process: ViewProcess | None = None
        self._state = record(recording.state_table)
        split = dtype_of(parts.vehicle.readout_table).itemsize
        content = self._state.view(np.uint8)
        self._readout = content[:split].view(dtype_of(parts.vehicle.readout_table))
        self._extras = content[split:].view(dtype_of(EXTRAS))
        self._objects, self._ruts = recording.objects(), recording.ruts()
        self._row, self._time = 0, time.perf_counter()

    def open(self, camera: str) -> None:
        """Open the window. Raises DeviceError."""
        recording = self.recording
        timeline_of(recording).save(self.lock.folder)
        self.publish()
        title = f"replay of {recording.file.parent.name or recording.file.name}"
        terrain = make_terrain_data(recording.parts.ground, recording.parts.options.weather)
        self._process = start_view_process(self.block.name, self.keys.name, terrain, recording.geometry, title, self.lock, camera)

    def serve(self) -> bool:
        """Advance, obey the keys and publish; return False when the window is closed. Raises DeviceError: the window failed."""
        now = time.perf_counter()
        if self.keys.frames:  # the time begins with the first image
            self.player.advance(now - self._time, self.keys)
        self._time = now
        self.publish()
        if self.keys.closed:
            return False
        if self._process is not None and not self._process.alive:
            raise DeviceError(f"replay: the window has ended{f': {self._process.complaint}' if self._process.complaint else ''}")
        return True

    def publish(self) -> None:
        """Publish the state at the position of the player."""
        player, recording = self.player, self.recording
        row = recording.state(player.position, self._state)
        if player.jumped or row < self._row or recording.cuts[self._row + 1 : row + 1].any():
            self.block.jump()
            player.jumped = False
            for note in self.on_jump:
                note()
        self._row = row
        e = self._extras[0]
        e["replays"], e["replay_position"] = RECORDED, player.position
        e["replay_duration"], e["replay_speed"] = player.last, player.speed
        e["paused"] = player.paused
        e["message"] = short(player.message if player.message_age < MESSAGE_TIME else "")
        self.block.publish(self._readout, self._extras, recording.vehicles(player.position))
        self._publish_world(row)
        for listener in self.listeners:
            listener(self._readout, recording.command(row), self._extras)

    def _publish_world(self, row: int) -> None:
        """Publish the objects and the ruts at a row of the log."""
        changes = self._objects.take(row)
        if len(changes.rows) and self.block.objects is not None:
            self.block.objects.put(changes)
        if self._ruts is not None and self.block.ruts is not None:
            tiles = self._ruts.take(row)
            if len(tiles.places):
                self.block.ruts.put(tiles)

    def close(self) -> None:
        """Close the window and remove the shared memory."""
        self.block.mark_closed()
        if self._process is not None:
            self._process.end()
        self.keys.close()
        self.block.close()
        self.lock.release()


def timeline_of(recording: Recording) -> Timeline:
    """Return plots and events of a recording."""
    columns = recording.columns(*(column for _, column, _ in PLOTTED))
    shown = [(name, factor * columns[column]) for name, column, factor in PLOTTED if column in columns]
    events = recording.events
    return Timeline(
        recording.positions,
        tuple(name for name, _ in shown),
        np.array([values for _, values in shown]),
        np.array([event.position for event in events]),
        tuple(event.kind for event in events),
    )
