"""Sound of a replay, from the states that it publishes. Without a library or a device the replay is silent, and says so once."""

from __future__ import annotations

from collections.abc import Callable

from simulator.base import cleanup
from simulator.base.errors import DeviceError
from simulator.base.records import Record, record
from simulator.configuration.session_file import SoundOptions, read_session
from simulator.host.sound_process import SoundProcess, has_library
from simulator.run.recording import Recording
from simulator.sound.sound_block import SoundBlock
from simulator.sound.sound_input import SOUND_INPUT, fill_input
from simulator.sound.surfaces import Surfaces
from vehicles.sound_section import sound_parameters

JUMP = 0.5
"""s. A larger step of the position is a jump to another place."""


class ReplaySound:
    """Sound of a replay; a listener of `simulator.host.replay_command.Replay`.

    Parameters
    ----------
    recording : recorded drive
    options : device and volume
    say : called with one line if there is no sound
    """

    def __init__(self, recording: Recording, options: SoundOptions, say: Callable[[str], None]) -> None:
        self.process: SoundProcess | None = None
        self._state = record(SOUND_INPUT)
        self._state["volume"] = options.volume
        self._state["rain"] = read_session(recording.configuration).weather.rain
        self._surfaces, self._position = Surfaces(recording.parts.ground), 0.0
        if not has_library(say):
            return
        try:
            with cleanup.defer_exit():
                self._block = SoundBlock()
                self._forget = cleanup.register_cleanup(self._block.close)
            self.process = SoundProcess(self._block, sound_parameters(recording.parts.vehicle), options.device, say)
        except (DeviceError, OSError) as error:
            say(f"no sound: {error}")

    def __call__(self, readout: Record, command: Record, extras: Record) -> None:
        """Publish a state; in a pause there is no sound."""
        if self.process is None:
            return
        x, position = self._state[0], float(extras[0]["replay_position"])
        if not 0.0 <= position - self._position < JUMP:
            x["jumps"] += 1
        self._position = position
        fill_input(readout, int(command[0]["starter"]), self._surfaces, self._state)
        x["silent"] = extras[0]["paused"]
        self._block.put(self._state)
        self.process.look()

    def close(self) -> None:
        """End the process."""
        process, self.process = self.process, None
        if process is not None:
            process.close()
            self._block.close()
            self._forget()
