"""A chunk of runs, driven one after the other in whatever process it comes to. Plain data in and out.

A run gives what `jounce run` gives, bit for bit, by the same parts and the same evaluation. It leaves out what no number of it depends on:
folder, log, pictures, outlets, and the motion platform unless a channel or metric looks at it.
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
from simulator.base.errors import JounceError
from simulator.base.machine import origin
from simulator.base.registry import load_plugins
from simulator.base.renamed import present_column
from simulator.base.section_cache import sections_read_once
from simulator.builder.builder import SessionParts, build
from simulator.configuration.configuration import Configuration
from simulator.configuration.layers import Layer, Origin
from simulator.driver.vehicle_identification import simulated_for
from simulator.maneuvers.maneuver_file import Maneuver
from simulator.maneuvers.metrics import evaluate
from simulator.maneuvers.phase_driver import DONE, how_ended
from simulator.outlets.telemetry import MemoryRecorder, measuring
from simulator.run.run import FEWEST_ROWS, NO_MANEUVER, driver_of
from simulator.run.run_configuration import about_run, recorded, ticks_per_row
from simulator.session import Session
from simulator.sweep.log_serialization import plain_log
from simulator.sweep.shared_compilation import compile_or_wait, compiled_once
from simulator.sweep.worker_cache import CachingBuilder
from simulator.telemetry.log import Log

RUN = "the run"
"""Who says what is in a resolved configuration, in messages."""


class _Case(msgspec.Struct):
    run: str
    mapping: msgspec.Raw


class _Chunk(msgspec.Struct):
    cases: list[_Case]
    channels: list[str]
    plugins: list[str]


_chunk = msgspec.json.Decoder(_Chunk)


def read_chunk(text: bytes) -> dict[str, Any]:
    """A chunk for `drive` out of its JSON, with the configurations as they stand there: each is read when it is driven."""
    chunk = _chunk.decode(text)
    return {
        "cases": [{"run": case.run, "mapping": case.mapping} for case in chunk.cases],
        "channels": chunk.channels,
        "plugins": chunk.plugins,
    }


class Begun(NamedTuple):
    """A run before its first step."""

    parts: SessionParts
    maneuver: Maneuver
    session: Session
    measured: MemoryRecorder
    """What it is evaluated by."""
    log: MemoryRecorder | None
    """The channels asked for."""
    tried: float
    """s of wall time that the steps of test drives of the same vehicle had taken before."""


class RunOutcome(NamedTuple):
    """A run at its end."""

    passed: bool | None
    metrics: Mapping[str, float | None]
    log: Log | None
    """The channels asked for."""
    session: Session
    simulating: float
    """s of wall time in steps: between the first and the last one, and in those of the driver's test drive."""
    trying: float
    """s of that in the test drive."""


def drive(chunk: dict[str, Any]) -> dict[str, Any]:
    """Drive runs.

    Parameters
    ----------
    chunk : {"cases": [{"run": its digest, "mapping": its configuration, or the JSON of it}, ...], "channels": columns of the logs to bring back, names, fields,
        patterns; no logs when empty, "plugins": Python files to load before}

    Returns
    -------
    {"worker": name of this process, "rows": for each run in their order {"run", "passed", "metrics", "failure" (empty where there is a result),
    "machine": {"wall_s", "simulating_s" (of it, between the first and the last step and in the steps of the driver's test drive),
    "test_drive_s" (of these, in the test drive), "simulated_s"}, and where channels are asked for "log", see `plain_log`}}
    """
    try:
        load_plugins(chunk["plugins"])
    except JounceError as error:
        return {"worker": worker_name(), "rows": [_failed(case["run"], str(error), 0.0) for case in chunk["cases"]]}
    return {"worker": worker_name(), "rows": [_row(case, chunk["channels"]) for case in chunk["cases"]]}


def worker_name() -> str:
    """Of this process, among those of a sweep on any number of machines."""
    return f"{platform.node() or 'process'}_{os.getpid()}"


@cache
def stock() -> CachingBuilder:
    """What this process keeps between runs."""
    compile_or_wait()
    gc.collect()
    gc.freeze()  # compiled kernels and what belongs to them: a hundred milliseconds of looking for garbage where there is none, again and again
    return CachingBuilder()


def begun(configuration: Configuration, channels: Sequence[str], kept: CachingBuilder) -> Begun:
    """A run before its first step. Raises JounceError: it cannot be driven, or has not the channels."""
    channels = [present_column(channel) for channel in channels]
    kept.channels = tuple(channels)
    if channels:  # the log says which it was to have
        configuration.put("outlets.telemetry.channels", list(channels), Origin(RUN))
    with sections_read_once(kept.sections):
        parts = build(configuration, workshop=kept)
    if parts.maneuver is None:
        raise JounceError(NO_MANEUVER)
    tried = simulated_for(parts.traits)
    session = parts.session(driver_of(parts))
    try:
        if kept.has_motion:
            parts.cueing.arm()
        kept.begin(session)
        if kept.has_motion:
            session.raise_platform()
        log = MemoryRecorder(session, ticks_per_row(parts), channels) if channels else None
        measured = measuring(session, parts.maneuver)
        session.outlets += [measured] if log is None else [log, measured]
    except BaseException:
        session.close()
        raise
    return Begun(parts, parts.maneuver, session, measured, log, tried)


def driven(mapping: Mapping[str, Any] | msgspec.Raw, channels: Sequence[str], kept: CachingBuilder) -> RunOutcome:
    """Drive a run.

    Parameters
    ----------
    mapping : its whole configuration as plain data, which is left as it is, or as JSON

    Raises
    ------
    IncidentError, JounceError : it cannot be driven, or not to its end
    """
    text = mapping if isinstance(mapping, msgspec.Raw) else msgspec.json.encode(mapping)  # a copy in a fifth of the time that copying takes
    own = msgspec.json.decode(text)
    run = begun(Configuration(Layer(own, {(): Origin(RUN)})), channels, kept)
    parts, maneuver, session = run.parts, run.maneuver, run.session
    with contextlib.closing(session):
        before = simulated_for(parts.traits)
        stepping = _simulate(session, maneuver)
        meanwhile = simulated_for(parts.traits) - before  # what is asked for on the way is tried on the way
    rows = run.measured.log()
    if rows.rows < FEWEST_ROWS:
        raise JounceError(f"the run is too short to evaluate: {rows.rows} rows of telemetry, expected at least {FEWEST_ROWS}")
    found = evaluate(maneuver, rows, session.ground.spawn, parts.traits if maneuver.asked else None)
    given_up = how_ended(session.driver) not in ("", DONE)
    told = None if run.log is None else run.log.log({**origin(), **about_run(parts, recorded(parts, kept.has_motion, kept.has_motion))})
    trying = simulated_for(parts.traits) - run.tried
    return RunOutcome(False if given_up else found["pass"], found["metrics"], told, session, stepping + trying - meanwhile, trying)


def _simulate(session: Session, maneuver: Maneuver) -> float:
    """From the start to the end; gives the wall time of it [s]. Raises what ended it early."""
    session.publish()
    began = time.perf_counter()
    session.run(maneuver.duration)
    taken = time.perf_counter() - began
    if session.failures:
        raise session.failures[0]
    if session.latest is not None:
        raise IncidentError(session.latest)
    return taken


def _row(case: dict[str, Any], channels: list[str]) -> dict[str, Any]:
    """Drive a run; what goes wrong with it is said in its row."""
    began = time.perf_counter()
    try:
        kept = stock()
        with compiled_once():
            run = driven(case["mapping"], channels, kept)
    except JounceError as error:
        return _failed(case["run"], str(error), time.perf_counter() - began)
    except Exception as error:  # a fault of ours, or of a plugin: the row says so, and the next run is driven
        return _failed(case["run"], f"{type(error).__name__}: {error}", time.perf_counter() - began)
    log = {} if run.log is None else {"log": plain_log(run.log)}
    wall = time.perf_counter() - began
    machine = {"wall_s": wall, "simulating_s": run.simulating, "test_drive_s": run.trying, "simulated_s": run.session.time}
    return {"run": case["run"], "passed": run.passed, "metrics": dict(run.metrics), "failure": "", "machine": machine, **log}


def _failed(run: str, reason: str, wall: float) -> dict[str, Any]:
    machine = {"wall_s": wall, "simulating_s": 0.0, "test_drive_s": 0.0, "simulated_s": 0.0}
    return {"run": run, "passed": None, "metrics": {}, "failure": reason, "machine": machine}
