"""Process that answers each request line with a response line, and is restarted after a crash."""

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
    """Raised when the process ends before its response."""


class LineProcess:
    """Worker process that is restarted when needed. Signals of the terminal do not reach the process.

    Parameters
    ----------
    module : name of the module to run; it reads lines, writes one response line for each, and ends at the end of its input
    first : first line, sent at each start; it has no response
    environment : environment variables in addition to those of this process
    """

    def __init__(self, module: str, first: bytes = b"", environment: Mapping[str, str] = MappingProxyType({})) -> None:
        self._module, self._first, self._environment = module, first, environment
        self._process: subprocess.Popen[bytes] | None = None
        self._lock = threading.Lock()
        self._has_ended = False

    @property
    def ended(self) -> bool:
        """True after `end`."""
        return self._has_ended

    def ask(self, line: bytes) -> bytes:
        """Return the response to a line. Raises ProcessDiedError with the exit status; the next request starts a new process."""
        for _ in range(2):
            process = self._alive()
            assert process.stdin is not None and process.stdout is not None
            try:
                process.stdin.write(line + b"\n")
                process.stdin.flush()
                response = process.stdout.readline()
                break
            except OSError:  # the process ended before this request, so the request is not the cause
                process.wait()
                response = b""
        if response.endswith(b"\n"):
            return response
        code = process.wait()
        with self._lock:
            self._process = None
        raise ProcessDiedError(f"the process ended {'by signal' if code < 0 else 'with code'} {abs(code)}")

    def _alive(self) -> subprocess.Popen[bytes]:
        """Return the process, after a restart if it has ended. Raises ProcessDiedError after `end`."""
        with self._lock:
            if self._has_ended:
                raise ProcessDiedError("interrupted")
            if self._process is None or self._process.poll() is not None:
                self._process = self._start()
            return self._process

    def end(self) -> None:
        """Kill the process. A thread that waits in `ask` gets ProcessDiedError."""
        with self._lock:
            self._has_ended = True
            if self._process is not None:
                self._process.kill()

    def _start(self) -> subprocess.Popen[bytes]:
        paths = [str(ROOT), os.environ.get("PYTHONPATH", "")]
        process = cleanup.start_child(
            [sys.executable, "-P", "-m", self._module],
            env={**os.environ, **self._environment, "PYTHONPATH": os.pathsep.join(filter(None, paths))},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
        assert process.stdin is not None
        if self._first:
            process.stdin.write(self._first + b"\n")
        return process
