"""Work of a worker whose runs cost nothing, to measure what all the rest of a sweep costs. As a program it answers as
`simulator.sweep.worker` does."""

from __future__ import annotations

import os
import sys
import zlib

import msgspec

from simulator.base.machine import software

METRICS = {f"metric_{n}": float(n) for n in range(30)}
"""As many as a maneuver has."""
HERE = f"empty_{os.getpid()}"


def get_ready(plugins: list[str]) -> dict[str, str]:
    """At once; nothing depends on the code."""
    return {"code": "", "software": software()}


def drive_packed(chunk: bytes, code: str) -> bytes:
    """A row for each run of a chunk that comes as Dask carries it."""
    return drive(zlib.decompress(chunk))


def drive(chunk: bytes) -> bytes:
    """The same of a chunk as JSON."""
    machine = {"wall_s": 1e-4, "simulating_s": 1e-4, "simulated_s": 0.0}
    asked = msgspec.json.decode(chunk)
    rows = [{"run": case["run"], "passed": True, "metrics": METRICS, "failure": "", "machine": machine} for case in asked["cases"]]
    return msgspec.json.encode({"worker": HERE, "rows": rows})


if __name__ == "__main__":
    for line in sys.stdin.buffer:
        sys.stdout.buffer.write(drive(line) + b"\n")
        sys.stdout.buffer.flush()
