"""Built-in virtual platform of a drive. Its process starts in the background, because it needs time until it receives packets."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path

from simulator.base.errors import JounceError, StreamError
from simulator.configuration.configuration import Configuration
from simulator.virtual_platform.process import VirtualPlatformProcess, start_virtual_platform

REASON_TIME = 5.0
"""s of waiting after which a message names the reason."""


class BuiltInPlatform:
    """Virtual platform that starts with a drive.

    Attributes
    ----------
    process : None until the platform receives packets
    gone : True after the process has ended unexpectedly
    ends : True when the drive ends the process
    """

    def __init__(self, configuration: Configuration, folder: Path) -> None:
        self.process: VirtualPlatformProcess | None = None
        self.gone = self.ends = False
        self._configuration, self._folder = configuration, folder
        self._error: JounceError | None = None
        self._kill: Callable[[], None] | None = None
        self._thread = threading.Thread(target=self._start)
        self._thread.start()

    @property
    def starts(self) -> bool:
        """True while the process starts."""
        return self._thread.is_alive()

    def has_died(self) -> bool:
        """Return True once, after the process has ended unexpectedly."""
        if self.process is None or self.gone or self.ends or self.process.alive:
            return False
        self.gone = True
        return True

    def address(self, say: Callable[[str], None]) -> tuple[str, int]:
        """Return host and port, after the start. Raises JounceError."""
        self._thread.join(REASON_TIME)
        if self._thread.is_alive():
            say("waiting for the virtual platform to compile its kernels")
        self._thread.join()
        if self.process is None:
            raise self._error or StreamError("the virtual platform did not start")
        return self.process.host, self.process.port

    def abandon(self) -> None:
        """End the start, if the platform is not up yet."""
        if self._thread.is_alive() and self._kill is not None:
            self._kill()
        self._thread.join()

    def _start(self) -> None:
        """Start the process; runs in the thread."""
        c = self._configuration
        try:
            self.process = start_virtual_platform(
                c.name("platform") or "platform",
                content=c.raw("platform"),
                picture=str(self._folder / "platform.png"),
                json_file=str(self._folder / "platform.json"),
                on_start=self._started,
            )
        except JounceError as error:
            self._error = error

    def _started(self, kill: Callable[[], None]) -> None:
        self._kill = kill
