"""Sound of a replay: the sound process of a drive, with the states of a recording."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

from simulator.base.records import Record, record
from simulator.configuration.session_file import SoundOptions
from simulator.events.event import Event
from simulator.events.sound_controls import SHORT_HORN, SoundControls
from simulator.host.drive_sound import DriveSound
from simulator.host.replay_player import Player
from simulator.run.recording import Recording
from simulator.sound.controls import PERIOD
from simulator.view.camera_names import CAMERA_EVENTS, CAMERAS
from simulator.view.shared_keys import KeyReader
from vehicles.command import COMMAND


class ReplaySound:
    """Sound of a replay; without a library or a device it is silent, and says so once.

    Parameters
    ----------
    recording, player : recorded drive and its player
    keys : keys of the window for mute, volume and camera
    say : called with one line
    """

    def __init__(self, recording: Recording, player: Player, keys: KeyReader, say: Callable[[str], None]) -> None:
        parts = recording.parts
        self._player, self._keys = player, keys
        self._controls = SoundControls()
        # what the outlet of the sound reads of a session
        self._session: Any = SimpleNamespace(
            h=PERIOD, ground=parts.ground, objects=parts.ground.objects, vehicle=parts.vehicle, weather=parts.options.weather,
            sound=self._controls, output=SimpleNamespace(outlets=[]), command=record(COMMAND), readout=None, time=0.0, paused=False, platform_stopped=False,
            recovery=SimpleNamespace(rests=False),
        )  # fmt: skip
        self._recording = recording
        self._horns = [event for event in recording.events if event.kind == "horn"]
        self._sound = DriveSound(SimpleNamespace(say=say))  # type: ignore[arg-type]

    def open(self, options: SoundOptions, camera: str) -> None:
        """Start the sound process."""
        self._sound.open(self._session, options)
        self._hear(CAMERA_EVENTS[1 + CAMERAS.index(camera)])

    def listen(self, readout: Record, command: Record, extras: Record) -> None:
        """Publish a state; a listener of `Replay`."""
        session, outlet = self._session, self._sound.outlet
        self._obey_keys()
        if outlet is None:
            return
        session.readout, session.command, session.time = readout, command, float(readout[0]["time"])
        session.paused = bool(extras[0]["paused"])
        self._controls.horn = self._sounds_horn(self._player.position)
        forces = self._recording.contact_forces(self._recording.row_at(self._player.position))
        space = session.vehicle.space
        space.body_contact[0]["force_B"], space.object_contact[0]["force_B"] = forces
        outlet.publish(session)
        self._sound.look()

    def jump(self) -> None:
        """Note that the next state does not continue the last one."""
        self._hear("reset")

    def close(self) -> None:
        """End the sound process."""
        self._sound.close()

    def _obey_keys(self) -> None:
        controls, keys = self._controls, self._keys
        controls.muted ^= bool(keys.taps("mute") % 2)
        controls.volume = controls.volume_after(keys.taps("volume_up") - keys.taps("volume_down"))
        for key in CAMERA_EVENTS[1:]:
            for _ in range(keys.taps(key)):
                self._hear(key)

    def _sounds_horn(self, position: float) -> bool:
        """Return whether the horn of the drive sounds at a position [s]."""
        last = next((event for event in reversed(self._horns) if event.position <= position), None)
        if last is None:
            return False
        return position < last.position + SHORT_HORN if last.value is None else bool(last.value)

    def _hear(self, kind: str) -> None:
        if self._sound.outlet is not None:
            self._sound.outlet.hear(self._session, Event(kind))
