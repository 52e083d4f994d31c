"""Sound of a drive: outlet and process. Without a library or a device the drive is silent, and says so once."""

from __future__ import annotations

from simulator.base import cleanup
from simulator.base.errors import DeviceError
from simulator.configuration.session_file import SoundOptions
from simulator.host.drive_messages import DriveMessages
from simulator.host.sound_process import SoundProcess, has_library
from simulator.outlets.sound import SoundOutlet
from simulator.session import Session
from simulator.sound.controls import PERIOD
from vehicles.sound_section import sound_parameters


class DriveSound:
    """Sound of a drive; without `open` it does nothing.

    Attributes
    ----------
    outlet : outlet for the session; None without sound
    process : process of the sound; None without sound
    """

    def __init__(self, messages: DriveMessages) -> None:
        self.outlet: SoundOutlet | None = None
        self.process: SoundProcess | None = None
        self._messages = messages

    def open(self, session: Session, options: SoundOptions) -> None:
        """Start the process, and add the outlet to the session. A failure is one message."""
        if not has_library(self._messages.say):
            return
        session.sound.volume = options.volume
        try:
            with cleanup.defer_exit():
                self.outlet = SoundOutlet(round(PERIOD / session.h), session.ground)
                self._forget = cleanup.register_cleanup(self.outlet.release)
            self.process = SoundProcess(self.outlet.block, sound_parameters(session.vehicle), options.device, self._messages.say)
        except (DeviceError, OSError) as error:
            self._messages.say(f"no sound: {error}")
            self._release()
            return
        session.output.outlets.append(self.outlet)

    def look(self) -> None:
        """Report the end of the process once; called a hundred times a second. Never waits."""
        if self.process is not None:
            self.process.look()

    def summary(self) -> str:
        """Return a line about the sound so far; empty without sound."""
        return "" if self.process is None else self.process.summary()

    def close(self) -> None:
        """End the process and remove the shared memory. A second call does nothing."""
        process, self.process = self.process, None
        if process is not None:
            process.close()
        self._release()

    def _release(self) -> None:
        outlet, self.outlet = self.outlet, None
        if outlet is not None:
            outlet.release()
            self._forget()
