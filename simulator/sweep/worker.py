"""Worker process of a local sweep. It reads chunks as lines of JSON, runs them, and writes a line for each. It exits at the end of its
input, even during a run, because the parent process is gone then."""

from __future__ import annotations

import os
import queue
import sys
import threading

import msgspec

from simulator.sweep.job import drive, read_chunk


def main() -> None:
    """Process chunks until the input ends."""
    out, sys.stdout = sys.stdout.buffer, sys.stderr  # keep output of plugins out of the responses
    lines: queue.SimpleQueue[bytes] = queue.SimpleQueue()
    threading.Thread(target=_read, args=(lines,), daemon=True).start()
    while True:
        out.write(msgspec.json.encode(drive(read_chunk(lines.get()))) + b"\n")
        out.flush()


def _read(lines: queue.SimpleQueue[bytes]) -> None:
    for line in sys.stdin.buffer:
        lines.put(line)
    os._exit(0)


if __name__ == "__main__":
    main()
