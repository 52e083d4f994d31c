"""A process of a sweep on this machine: it reads chunks as lines of JSON, drives them, and writes a line for each. It ends with its input,
also in the middle of a run: then whoever asked is no more."""

from __future__ import annotations

import os
import queue
import sys
import threading

import msgspec

from simulator.sweep.job import drive, read_chunk


def main() -> None:
    """Answer chunk after chunk."""
    out, sys.stdout = sys.stdout.buffer, sys.stderr  # what a plugin prints is no answer
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
