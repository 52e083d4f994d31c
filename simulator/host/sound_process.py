"""Process of the sound, seen from a drive or a replay: its start, its answer, its end. Nothing waits for it."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
from collections.abc import Callable
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path
from typing import IO

from simulator.base import cleanup
from simulator.base.json_output import json_text
from simulator.base.records import Record
from simulator.sound.signals import RATE
from simulator.sound.sound_block import SoundBlock

PATIENCE = 2.0
"""s for the process to end by itself."""
LONGEST_LINE = 4096


def has_library(say: Callable[[str], None]) -> bool:
    """Return whether the library of the sound is installed; `say` how to install it."""
    if find_spec("miniaudio") is not None:
        return True
    from simulator.base.installation import install_extra

    say(f"no sound: miniaudio not installed; hint: run {install_extra('sound')}")
    return False


class SoundProcess:
    """Process that plays the states of a block.

    Parameters
    ----------
    block : states
    vehicle : VEHICLE_SOUND
    device : name of the device; empty: the default device
    say : called with one line if there is no device, or if the process ends

    Raises OSError: the process cannot be started.
    """

    def __init__(self, block: SoundBlock, vehicle: Record, device: str, say: Callable[[str], None]) -> None:
        self._block, self._say = block, say
        self._answer: dict[str, str] = {}
        self._told = False
        root = str(Path(__file__).resolve().parents[2])
        command = [sys.executable, "-m", "simulator.sound"]
        self._process = cleanup.start_child(command, cwd=root, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        assert self._process.stdin is not None and self._process.stdout is not None
        with suppress(OSError):  # the process has ended already; `look` reports it
            setup = {"block": block.name, "vehicle": vehicle.tobytes().hex(), "device": device}
            self._process.stdin.write((json_text(setup) + "\n").encode())
            self._process.stdin.flush()
        self._reader = threading.Thread(target=self._read, args=(self._process.stdout,), name="answer of the sound process", daemon=True)
        self._reader.start()

    @property
    def pid(self) -> int:
        """Process id."""
        return self._process.pid

    @property
    def device(self) -> str:
        """Name of the device; empty before the process plays."""
        return self._answer.get("device", "")

    def look(self) -> None:
        """Report once that the process has no device, or has ended."""
        if self._told:
            return
        if "error" in self._answer:
            self._told = True
            self._say(f"no sound: {self._answer['error']}")
        elif self._process.poll() is not None and not self._reader.is_alive():
            self._told = True
            self._say("no sound any more: the sound process has ended")

    def summary(self) -> str:
        """Return a line about the sound so far; empty before the process plays."""
        if not self.device:
            return ""
        cells = self._block.cells
        return f"sound on {self.device}: {int(cells['glitches'])} glitches in {int(cells['frames']) / RATE:.1f} s"

    def close(self) -> None:
        """End the process."""
        assert self._process.stdin is not None
        with suppress(OSError):
            self._process.stdin.close()
        try:
            self._process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._reader.join(PATIENCE)

    def _read(self, pipe: IO[bytes]) -> None:
        with suppress(OSError, ValueError), pipe:
            while line := pipe.readline(LONGEST_LINE):
                with suppress(ValueError):
                    self._answer = json.loads(line)
