"""Cost of a complete maneuver: processor time of the simulated part with driver, telemetry and metrics, as in `jounce run`."""

from __future__ import annotations

import tempfile
import time
from pathlib import Path

from simulator.base.rates import whole_ticks
from simulator.builder.session_parts import SessionParts
from simulator.maneuvers.metrics import METRICS_RATE, columns
from simulator.maneuvers.phase_driver import how_ended
from simulator.outlets.telemetry import MemoryRecorder, TelemetryOutlet

MANEUVER = "avtp_lane_change"
"""Maneuver of the benchmark."""
LOGGED = 10
"""Ticks between two telemetry rows, the default of a session."""


def times_real_time(parts: SessionParts) -> float:
    """Return simulated time over processor time of this process, including its threads, for one run of the maneuver."""
    maneuver = parts.maneuver
    assert maneuver is not None
    session = parts.session(parts.maneuver_driver())
    session.reset()
    parts.cueing.procedure.arm()
    session.warm()
    with tempfile.TemporaryDirectory() as folder:
        try:
            log = TelemetryOutlet(
                Path(folder), session.readout, session.command, LOGGED, more=session.logged, readout_table=parts.vehicle.readout_table
            )
            metrics = whole_ticks(METRICS_RATE, parts.step, "metrics", "rate")
            session.output.outlets += [log, MemoryRecorder(session, metrics, columns(parts.vehicle.corner_names))]
            session.publish()
            session.run(1.0)
            start, began = session.time, time.process_time()
            session.run(maneuver.duration - start, lambda session: not how_ended(session.driver))
            spent = time.process_time() - began
        finally:
            session.close()
    return (session.time - start) / spent
