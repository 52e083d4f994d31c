"""Execution of a chunk of runs in the current process. Input and output are plain data.

A run gives a result that is bit-identical to that of `jounce run`, because it uses the same parts and the same evaluation. It omits
everything that does not affect its numbers: run folder, log, plots and outlets. It also omits the motion platform unless a channel or a
metric uses it.
"""

from __future__ import annotations

import contextlib
import gc
import os
import platform
import time
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any, NamedTuple

import msgspec

from simulator.api.simulation import IncidentError
from simulator.autonomy.outcome import Outcome, outcome_of
from simulator.base.errors import JounceError
from simulator.base.machine import origin
from simulator.base.rates import shown_time
from simulator.base.registry import load_plugins
from simulator.base.section_cache import sections_read_once
from simulator.builder.builder import build
from simulator.builder.session_parts import SessionParts
from simulator.configuration.configuration import Configuration
from simulator.configuration.layers import Layer, Origin
from simulator.driver.vehicle_identification import simulated_for
from simulator.maneuvers.maneuver_file import Maneuver
from simulator.maneuvers.metrics import FEWEST_ROWS, evaluate, too_short
from simulator.maneuvers.phase_driver import DONE, how_ended
from simulator.outlets.telemetry import MemoryRecorder, measuring, session_grip
from simulator.platform_phases import raise_platform
from simulator.run.run import NO_MANEUVER, driver_of
from simulator.run.run_configuration import about_run, recorded, ticks_per_row
from simulator.session import Session
from simulator.sweep.log_serialization import plain_log
from simulator.sweep.shared_compilation import compile_or_wait, compiled_once
from simulator.sweep.worker_cache import CachingBuilder
from simulator.telemetry.log import Log

RUN = "the run"
"""Origin of the values of a resolved configuration, for messages."""


class _Case(msgspec.Struct):
    run: str
    mapping: msgspec.Raw


class _Chunk(msgspec.Struct):
    cases: list[_Case]
    channels: list[str]
    plugins: list[str]


_chunk = msgspec.json.Decoder(_Chunk)


def read_chunk(text: bytes) -> dict[str, Any]:
    """Return a chunk for `drive` from its JSON text. Configurations stay JSON text until their run starts."""
    chunk = _chunk.decode(text)
    return {
        "cases": [{"run": case.run, "mapping": case.mapping} for case in chunk.cases],
        "channels": chunk.channels,
        "plugins": chunk.plugins,
    }


class PreparedRun(NamedTuple):
    """A run that is ready for its first step."""

    parts: SessionParts
    maneuver: Maneuver
    session: Session
    measured: MemoryRecorder
    """Channels for the evaluation."""
    log: MemoryRecorder | None
    """Requested channels."""
    earlier_identification: float
    """Wall time in s that earlier identification drives of this vehicle took."""


class RunOutcome(NamedTuple):
    """A completed run."""

    passed: bool | None
    metrics: Mapping[str, float | None]
    log: Log | None
    """Requested channels."""
    session: Session
    outcome: Outcome | None
    """Outcome of a drive to a goal."""
    simulating: float
    """Wall time in s of the steps of the run and of the identification drive of the driver."""
    identification_time: float
    """Part of `simulating` in s that the identification drive took."""


def drive(chunk: dict[str, Any]) -> dict[str, Any]:
    """Run the cases of a chunk.

    Parameters
    ----------
    chunk : {"cases": [{"run": digest, "mapping": configuration as plain data or JSON}, ...], "channels": log columns to return (names,
        fields, patterns; empty: no logs), "plugins": Python files to load first}

    Returns
    -------
    {"worker": name of this process, "rows": list of rows in the order of the cases}. A row is {"run", "passed", "metrics", "failure"
    (empty if there is a result), "machine"}, "outcome" (word and reason) after a drive to a goal, and "log" if channels are requested, see
    `plain_log`. "machine" is {"wall_s",
    "simulating_s" (wall time of the steps, including those of the identification drive), "test_drive_s" (part of it in the
    identification drive), "simulated_s"}.
    """
    try:
        load_plugins(chunk["plugins"])
    except JounceError as error:
        return {"worker": worker_name(), "rows": [_failed(case["run"], str(error), 0.0) for case in chunk["cases"]]}
    return {"worker": worker_name(), "rows": [_row(case, chunk["channels"]) for case in chunk["cases"]]}


def worker_name() -> str:
    """Return the name of this process, unique among all machines of a sweep."""
    return f"{platform.node() or 'process'}_{os.getpid()}"


@cache
def process_cache() -> CachingBuilder:
    """Return the cache of this process, after the kernels are compiled."""
    compile_or_wait()
    gc.collect()
    gc.freeze()  # exclude the compiled kernels from garbage collection, which otherwise costs a hundred milliseconds each time
    return CachingBuilder()


def prepare_run(configuration: Configuration, channels: Sequence[str], builder: CachingBuilder) -> PreparedRun:
    """Return a run before its first step. Raises JounceError: the run cannot start, or lacks a channel."""
    builder.channels = tuple(channels)
    if channels:  # the log stores the requested channels
        configuration.put("outlets.telemetry.channels", list(channels), Origin(RUN))
    with sections_read_once(builder.sections):
        parts = build(configuration, builder=builder)
    if parts.maneuver is None:
        raise JounceError(NO_MANEUVER)
    earlier_identification = simulated_for(parts.traits)
    session = parts.session(driver_of(parts))
    try:
        if builder.has_motion:
            parts.cueing.procedure.arm()
        builder.begin(session)
        if builder.has_motion:
            raise_platform(session)
        log = MemoryRecorder(session, ticks_per_row(parts), channels) if channels else None
        measured = measuring(session, parts.maneuver)
        session.output.outlets += [measured] if log is None else [log, measured]
    except BaseException:
        session.close()
        raise
    return PreparedRun(parts, parts.maneuver, session, measured, log, earlier_identification)


def run_case(mapping: Mapping[str, Any] | msgspec.Raw, channels: Sequence[str], builder: CachingBuilder) -> RunOutcome:
    """Run a case.

    Parameters
    ----------
    mapping : complete configuration as plain data, which is not modified, or as JSON

    Raises
    ------
    IncidentError, JounceError : the run cannot start, or ends early
    """
    text = (
        mapping if isinstance(mapping, msgspec.Raw) else msgspec.json.encode(mapping)
    )  # a JSON round trip is five times as fast as a deep copy
    own = msgspec.json.decode(text)
    run = prepare_run(Configuration(Layer(own, {(): Origin(RUN)})), channels, builder)
    parts, maneuver, session = run.parts, run.maneuver, run.session
    with contextlib.closing(session):
        before = simulated_for(parts.traits)
        stepping = _simulate(session, maneuver)
        identifying = simulated_for(parts.traits) - before  # an identification drive may run between two steps
    rows = run.measured.log()
    if rows.rows < FEWEST_ROWS:
        raise JounceError(too_short(rows.rows))
    evaluation = evaluate(
        maneuver, rows, session.ground.spawn, parts.traits if maneuver.requested_analyses else None, session_grip(session)
    )
    given_up = how_ended(session.driver) not in ("", DONE)
    log = (
        None if run.log is None else run.log.log({**origin(), **about_run(parts, recorded(parts, builder.has_motion, builder.has_motion))})
    )
    identification_time = simulated_for(parts.traits) - run.earlier_identification
    return RunOutcome(
        False if given_up else evaluation["pass"],
        evaluation["metrics"],
        log,
        session,
        outcome_of(session.driver),
        stepping + identification_time - identifying,
        identification_time,
    )


def _simulate(session: Session, maneuver: Maneuver) -> float:
    """Run to the end and return the wall time [s]. Raises the error that ended the run early."""
    session.publish()
    started = time.perf_counter()
    session.run(maneuver.duration)
    taken = time.perf_counter() - started
    if session.output.failures:
        raise session.output.failures[0]
    if session.recovery.latest is not None:
        raise IncidentError(session.recovery.latest)
    return taken


def _row(case: dict[str, Any], channels: list[str]) -> dict[str, Any]:
    """Run a case. Errors are recorded in its row."""
    started = time.perf_counter()
    try:
        builder = process_cache()
        with compiled_once():
            run = run_case(case["mapping"], channels, builder)
    except JounceError as error:
        return _failed(case["run"], str(error), time.perf_counter() - started)
    except Exception as error:  # an error in Jounce or in a plugin: record it and continue with the next run
        return _failed(case["run"], f"{type(error).__name__}: {error}", time.perf_counter() - started)
    more: dict[str, Any] = {} if run.outcome is None else {"outcome": run.outcome._asdict()}
    more |= {} if run.log is None else {"log": plain_log(run.log)}
    wall = time.perf_counter() - started
    machine = {
        "wall_s": wall,
        "simulating_s": run.simulating,
        "test_drive_s": run.identification_time,
        "simulated_s": shown_time(run.session.time),
    }
    return {"run": case["run"], "passed": run.passed, "metrics": dict(run.metrics), "failure": "", "machine": machine, **more}


def _failed(run: str, reason: str, wall: float) -> dict[str, Any]:
    machine = {"wall_s": wall, "simulating_s": 0.0, "test_drive_s": 0.0, "simulated_s": 0.0}
    return {"run": run, "passed": None, "metrics": {}, "failure": reason, "machine": machine}
