"""Sound of a drive: outlet, process, messages. Without a library or a device the drive is silent, and says so once."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path
from typing import IO

from simulator.base import cleanup
from simulator.base.errors import DeviceError
from simulator.base.json_output import json_text
from simulator.configuration.session_file import SoundOptions
from simulator.host.drive_messages import DriveMessages
from simulator.outlets.sound import SoundOutlet
from simulator.session import Session
from simulator.sound.controls import PERIOD
from simulator.sound.signals import RATE
from vehicles.sound_section import sound_parameters

PATIENCE = 2.0
"""s for the process to end by itself."""
LONGEST_LINE = 4096


class DriveSound:
    """Sound of a drive; without `open` it does nothing.

    Attributes
    ----------
    outlet : outlet for the session; None without sound
    """

    def __init__(self, messages: DriveMessages) -> None:
        self.outlet: SoundOutlet | None = None
        self._messages = messages
        self._process: subprocess.Popen[bytes] | None = None
        self._reader: threading.Thread | None = None
        self._answer: dict[str, str] = {}
        self._told = False

    def open(self, session: Session, options: SoundOptions) -> None:
        """Start the process, and add the outlet to the session. A failure is one message."""
        if find_spec("miniaudio") is None:
            from simulator.base.installation import install_extra

            self._messages.say(f"driving without sound: miniaudio not installed; hint: run {install_extra('sound')}")
            return
        session.sound.volume = options.volume
        try:
            with cleanup.defer_exit():
                self.outlet = SoundOutlet(round(PERIOD / session.h), session.ground)
                self._forget = cleanup.register_cleanup(self.outlet.release)
            self._start(self.outlet, sound_parameters(session.vehicle).tobytes().hex(), options.device)
        except (DeviceError, OSError) as error:
            self._messages.say(f"driving without sound: {error}")
            self._release()
            return
        session.outlets.append(self.outlet)

    @property
    def pid(self) -> int | None:
        """Process id; None without a process."""
        return None if self._process is None else self._process.pid

    @property
    def device(self) -> str:
        """Name of the device; empty before the process plays."""
        return self._answer.get("device", "")

    def look(self) -> None:
        """Report once that the process has no device, or has ended; called a hundred times a second. Never waits."""
        if self._process is None or self._told:
            return
        if "error" in self._answer:
            self._told = True
            self._messages.say(f"driving without sound: {self._answer['error']}")
        elif self._process.poll() is not None and not (self._reader is not None and self._reader.is_alive()):
            self._told = True
            self._messages.say("the sound process has ended; the drive continues without sound")

    def summary(self) -> str:
        """Return a line about the sound so far; empty without sound."""
        if self.outlet is None or not self.device:
            return ""
        cells = self.outlet.block.cells
        return f"sound on {self.device}: {int(cells['glitches'])} glitches in {int(cells['frames']) / RATE:.1f} s"

    def close(self) -> None:
        """End the process and remove the shared memory. A second call does nothing."""
        process, self._process = self._process, None
        if process is not None:
            assert process.stdin is not None
            with suppress(OSError):
                process.stdin.close()
            try:
                process.wait(PATIENCE)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
            if self._reader is not None:
                self._reader.join(PATIENCE)
        self._release()

    def _release(self) -> None:
        outlet, self.outlet = self.outlet, None
        if outlet is not None:
            outlet.release()
            self._forget()

    def _start(self, outlet: SoundOutlet, vehicle: str, device: str) -> None:
        root = str(Path(__file__).resolve().parents[2])
        command = [sys.executable, "-m", "simulator.sound"]
        process = cleanup.start_child(command, cwd=root, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        self._process = process
        assert process.stdin is not None and process.stdout is not None
        with suppress(OSError):  # the process has ended already; `look` reports it
            process.stdin.write((json_text({"block": outlet.block.name, "vehicle": vehicle, "device": device}) + "\n").encode())
            process.stdin.flush()
        self._reader = threading.Thread(target=self._read, args=(process.stdout,), name="answer of the sound process", daemon=True)
        self._reader.start()

    def _read(self, pipe: IO[bytes]) -> None:
        with suppress(OSError, ValueError), pipe:
            while line := pipe.readline(LONGEST_LINE):
                with suppress(ValueError):
                    self._answer = json.loads(line)
