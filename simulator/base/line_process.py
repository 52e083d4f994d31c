"""A process that answers a line with a line: what is asked may end it, and it is started anew for the next."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from collections.abc import Mapping
from types import MappingProxyType

from simulator.base import cleanup
from simulator.base.errors import JounceError
from simulator.base.jit import ROOT


class ProcessDiedError(JounceError):
    """The process ended before it had answered."""


class LineProcess:
    """One process after the other, as long as there is something to ask. A terminal's signals do not reach it.

    Parameters
    ----------
    module : that is run; it reads lines and writes one for each, and ends when there are no more
    first : a line that goes before all others and has no answer
    environment : variables besides those of this process
    """

    def __init__(self, module: str, first: bytes = b"", environment: Mapping[str, str] = MappingProxyType({})) -> None:
        self._module, self._first, self._environment = module, first, environment
        self._process: subprocess.Popen[bytes] | None = None
        self._lock = threading.Lock()
        self._ended = False

    @property
    def ended(self) -> bool:
        """Whether it takes no more questions."""
        return self._ended

    def ask(self, line: bytes) -> bytes:
        """The answer to a line. Raises ProcessDiedError, which says how it ended over this line; the next question goes to a new process."""
        for _ in range(2):
            process = self._alive()
            assert process.stdin is not None and process.stdout is not None
            try:
                process.stdin.write(line + b"\n")
                process.stdin.flush()
                answer = process.stdout.readline()
                break
            except OSError:  # it died before it was asked, so of something else
                process.wait()
                answer = b""
        if answer.endswith(b"\n"):
            return answer
        code = process.wait()
        with self._lock:
            self._process = None
        raise ProcessDiedError(f"the process ended by itself, {'by signal' if code < 0 else 'with code'} {abs(code)}")

    def _alive(self) -> subprocess.Popen[bytes]:
        """The process, another one if it has died since it was asked last. Raises ProcessDiedError: it is ended."""
        with self._lock:
            if self._ended:
                raise ProcessDiedError("interrupted")
            if self._process is None or self._process.poll() is not None:
                self._process = self._start()
            return self._process

    def end(self) -> None:
        """Kill the process; whoever waits for it, in another thread, gets ProcessDiedError."""
        with self._lock:
            self._ended = True
            if self._process is not None:
                self._process.kill()

    def _start(self) -> subprocess.Popen[bytes]:
        paths = [str(ROOT), os.environ.get("PYTHONPATH", "")]
        process = cleanup.start_child(
            [sys.executable, "-m", self._module],
            env={**os.environ, **self._environment, "PYTHONPATH": os.pathsep.join(filter(None, paths))},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
        assert process.stdin is not None
        if self._first:
            process.stdin.write(self._first + b"\n")
        return process
