"""Process of the operator's console, seen from the drive: its start, the messages in both directions, its end. Nothing waits for it."""

from __future__ import annotations

import json
import queue
import subprocess
import sys
import threading
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import IO, Any

from simulator.base import cleanup
from simulator.base.json_output import json_text

WAITING = 256
"""Messages that wait for the process; further ones are dropped and counted."""
PATIENCE = 2.0
"""s for the process to end by itself."""
LONGEST_LINE = 4096


class ConsoleProcess:
    """Process of a console.

    Parameters
    ----------
    setup : first line for the process, with the token
    act : called in a thread with each action of the operator: kind, value

    Attributes
    ----------
    port : port at which the console listens; 0 before that
    error : reason why it does not listen; empty if it does
    dropped : number of messages that the process has not taken

    Raises OSError: the process cannot be started.
    """

    def __init__(self, setup: Mapping[str, Any], act: Callable[[str, Any], object]) -> None:
        self.port, self.error, self.dropped = 0, "", 0
        self._act = act
        self._lines: queue.Queue[Mapping[str, Any] | None] = queue.Queue(WAITING)
        root = str(Path(__file__).resolve().parents[2])
        command = [sys.executable, "-m", "simulator.console"]
        self._process = cleanup.start_child(command, cwd=root, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        assert self._process.stdin is not None and self._process.stdout is not None
        self._threads = [
            threading.Thread(target=self._write, args=(setup, self._process.stdin), name="messages to the console", daemon=True),
            threading.Thread(target=self._read, args=(self._process.stdout,), name="actions of the operator", daemon=True),
        ]
        for thread in self._threads:
            thread.start()

    @property
    def pid(self) -> int:
        """Process id."""
        return self._process.pid

    @property
    def alive(self) -> bool:
        """Whether the process is running."""
        return self._process.poll() is None

    def tell(self, message: Mapping[str, Any]) -> bool:
        """Send a message to all pages; return False if it is dropped. Never waits."""
        try:
            self._lines.put_nowait(message)
        except queue.Full:
            self.dropped += 1
            return False
        return True

    def close(self) -> None:
        """End the process. A second call does nothing."""
        self._end_messages()
        self._threads[0].join(PATIENCE)
        try:
            self._process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        for thread in self._threads:
            thread.join(PATIENCE)

    def _end_messages(self) -> None:
        """Let the last message be the end; it displaces another one if too many wait."""
        while True:
            try:
                self._lines.put_nowait(None)
                return
            except queue.Full:
                with suppress(queue.Empty):
                    self._lines.get_nowait()

    def _write(self, setup: Mapping[str, Any], pipe: IO[bytes]) -> None:
        with suppress(OSError, ValueError), pipe:
            message: Mapping[str, Any] | None = setup
            while message is not None:
                pipe.write((json_text(message) + "\n").encode())
                pipe.flush()
                message = self._lines.get()

    def _read(self, pipe: IO[bytes]) -> None:
        with suppress(OSError, ValueError), pipe:
            while line := pipe.readline(LONGEST_LINE):
                with suppress(ValueError, KeyError, TypeError):  # the rest of a line that is too long
                    self._take(json.loads(line))

    def _take(self, message: Mapping[str, Any]) -> None:
        if "kind" in message:
            self._act(message["kind"], message["value"])
        elif "port" in message:
            self.port = message["port"]
        else:
            self.error = message["error"]
