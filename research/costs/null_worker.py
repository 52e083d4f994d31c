"""Worker that returns empty results at once, to measure the overhead of a sweep. As a program, it reads and writes the same lines as
`simulator.sweep.worker`."""

from __future__ import annotations

import os
import sys
import zlib

import msgspec

from simulator.base.machine import software

METRICS = {f"metric_{n}": float(n) for n in range(30)}
"""Metrics of a row, as many as a maneuver has."""
HERE = f"empty_{os.getpid()}"


def get_ready(plugins: list[str]) -> dict[str, str]:
    """Return without preparation; the results do not depend on code."""
    return {"code": "", "software": software()}


def drive_packed(chunk: bytes, code: str) -> bytes:
    """Return a row for each run of a compressed chunk, as sent by Dask."""
    return drive(zlib.decompress(chunk))


def drive(chunk: bytes) -> bytes:
    """Return a row for each run of a chunk in JSON."""
    machine = {"wall_s": 1e-4, "simulating_s": 1e-4, "simulated_s": 0.0}
    request = msgspec.json.decode(chunk)
    rows = [{"run": case["run"], "passed": True, "metrics": METRICS, "failure": "", "machine": machine} for case in request["cases"]]
    return msgspec.json.encode({"worker": HERE, "rows": rows})


if __name__ == "__main__":
    for line in sys.stdin.buffer:
        sys.stdout.buffer.write(drive(line) + b"\n")
        sys.stdout.buffer.flush()
