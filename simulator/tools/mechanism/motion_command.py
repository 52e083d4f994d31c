"""`jounce mechanism FILE --sweep ...` and `--run ...`: check the options, compute, write files, print the report."""

from __future__ import annotations

import argparse
import math
from collections.abc import Callable
from pathlib import Path
from typing import cast

import numpy as np

from simulator.base.arrays import Vector
from simulator.base.console import print_error
from simulator.base.errors import ConfigError, JounceError, OutputError
from simulator.base.json_output import json_text
from simulator.base.output_target import is_stream, output_path
from simulator.telemetry.atomic_files import write_text
from simulator.tools.mechanism.initial_state import closed_state, read_start
from simulator.tools.mechanism.motion import Motion
from simulator.tools.mechanism.options import INTEGRATORS
from simulator.tools.mechanism.run_report import RunSettings, run_motion, run_object, run_text
from simulator.tools.mechanism.sweep_report import sweep_motion, sweep_object, sweep_text
from vehicles.multibody.formulations.contract import MultiplierFormulation
from vehicles.multibody.formulations.kinds import make_formulation
from vehicles.multibody.motion.energy_audit import EnergyAudit
from vehicles.multibody.motion.simulate import EnergyError, Run, RunError, simulate
from vehicles.multibody.motion.stabilization import make_control
from vehicles.multibody.motion.sweep import sweep
from vehicles.multibody.tree.coordinates import Coordinate, velocity_coordinates
from vehicles.multibody.tree.system import System, build_system

POSITIONS = 101
"""Default number of positions of a sweep."""
MAX_POSITIONS = 100_000
MAX_STEPS = 1_000_000
DEFAULT_STEP = 1e-3
"""s, default step."""
MIN_STEPS = 1000
"""Minimum number of steps of a run with the default step."""
EXTENSIONS = {"plot": (".png",), "animate": (".gif", ".png")}
"""File name extensions of the plot options."""


def main_motion(arguments: argparse.Namespace) -> int:
    """Sweep or run the mechanism of a file and print the report.

    Returns 0; 1 for a run that ended early, or whose energy error exceeds the limit of its method; 2 for a run that failed at the start. A
    run that ended early writes and prints its results so far, and one line on the error stream gives the time and the reason, or the
    energy error.

    Raises
    ------
    JounceError : contradictory options
    ConfigError, MechanismError : unreadable input, start that is off its loops, or a mechanism that cannot move in this way
    OutputError : a file cannot be written
    """
    _check_options(arguments)
    start = read_start(arguments.file, arguments.state, arguments.set, arguments.assemble, arguments.free)
    system = build_system(start.mechanism)
    q, v, prescribed, _ = closed_state(system, start.state, start.may_assemble, start.hold)
    if arguments.sweep is not None:
        coordinate, values = _positions(system, arguments.sweep)
        swept = sweep(system, q, coordinate.index, values)
        motion, report, page = sweep_motion(swept), sweep_object(swept), sweep_text(swept)
        failed = None
    else:
        settings = _run_settings(arguments)
        run, failed = _run(system, (q, v, prescribed), settings)
        motion, report, page = run_motion(system, run), run_object(system, run, settings, failed), run_text(system, run, settings)
    _write(arguments, motion)
    print(json_text(report) if arguments.json else page)
    if failed is None:
        return 0
    print_error(str(failed))
    return 1 if failed.t > 0.0 else 2


def _check_options(arguments: argparse.Namespace) -> None:
    """Check the options before the computation. Raises JounceError : contradictory options; OutputError : a file cannot be written."""
    if arguments.sweep is not None and arguments.seconds is not None:
        raise JounceError("--sweep and --run exclude each other")
    if arguments.sweep is None and arguments.seconds is None:
        raise JounceError("--step, --integrator, --stabilization, --csv, --plot and --animate need --sweep or --run")
    of_run = [name for name in ("step", "integrator", "stabilization") if getattr(arguments, name) is not None]
    if arguments.sweep is not None and of_run:
        raise JounceError(f"--{of_run[0]} needs --run, not --sweep")
    if arguments.sweep is not None and arguments.formulation != "all":
        raise JounceError("--formulation needs --run; a sweep has no forces")
    for name in ("csv", "plot", "animate"):
        file = getattr(arguments, name)
        if file is not None and not (folder := Path(file).parent).is_dir():
            raise OutputError(f"{file}: cannot write; no folder {folder}")
        if file is None or (name in EXTENSIONS and is_stream(output_path(file))):
            continue
        if Path(file).suffix not in EXTENSIONS.get(name, (Path(file).suffix,)):
            raise JounceError(f"--{name}: {file!r} does not end in {' or '.join(EXTENSIONS[name])}")


def _positions(system: System, text: str) -> tuple[Coordinate, Vector]:
    """Parse COORDINATE=FROM:TO[:N] into a coordinate and its values [rad, m]. Raises ConfigError."""
    name, _, span = text.rpartition("=")
    known = {c.label: c for c in velocity_coordinates(system)}
    parts = span.split(":")
    if not name or not 2 <= len(parts) <= 3:
        raise ConfigError("--sweep", "", text, "COORDINATE=FROM:TO or COORDINATE=FROM:TO:N, for example 'crank=0:360deg:181'")
    if name.strip() not in known:
        raise ConfigError("--sweep", "", name.strip(), "a coordinate: " + ", ".join(known))
    coordinate = known[name.strip()]
    first, last = _ends(parts[0], parts[1], coordinate)
    n = POSITIONS if len(parts) == 2 else _integer(parts[2])
    return coordinate, np.linspace(first, last, n)


def _ends(first: str, last: str, coordinate: Coordinate) -> tuple[float, float]:
    """Parse FROM and TO; `deg` after the second number applies to both. Raises ConfigError."""
    in_degrees = last.strip().endswith("deg")
    values = []
    for end in (first, last):
        try:
            values.append(float(end.strip().removesuffix("deg") if in_degrees else end))
        except ValueError:
            raise ConfigError("--sweep", coordinate.label, f"{first}:{last}", "two numbers FROM:TO, or FROM:TOdeg") from None
    if in_degrees and coordinate.unit != "rad":
        raise ConfigError("--sweep", coordinate.label, f"{first}:{last}", f"values in {coordinate.unit}")
    if not all(map(math.isfinite, values)) or values[0] == values[1]:
        raise ConfigError("--sweep", coordinate.label, f"{first}:{last}", "two finite numbers that differ")
    a, b = map(math.radians, values) if in_degrees else values
    return a, b


def _integer(text: str) -> int:
    """Parse N. Raises ConfigError."""
    if not text.strip().isdecimal() or not 2 <= int(text) <= MAX_POSITIONS:
        raise ConfigError("--sweep", "N", text, f"an integer from 2 to {MAX_POSITIONS}")
    return int(text)


def _run_settings(arguments: argparse.Namespace) -> RunSettings:
    """Return the settings: an integer number of steps, and defaults for omitted options. Raises JounceError."""
    seconds, step = arguments.seconds, arguments.step
    if not (math.isfinite(seconds) and seconds > 0.0):
        raise ConfigError("--run", "", seconds, "a time above zero [s]")
    if step is None:
        step = min(DEFAULT_STEP, seconds / MIN_STEPS)
    if not (math.isfinite(step) and step > 0.0):
        raise ConfigError("--step", "", step, "a time above zero [s]")
    if not seconds / step <= MAX_STEPS:
        raise ConfigError("--step", "", step, f"at least {seconds / MAX_STEPS:.3g} s: at most {MAX_STEPS} steps")
    steps = max(1, math.ceil(seconds / step - 1e-6))
    formulation = "ce" if arguments.formulation == "all" else arguments.formulation
    control = arguments.stabilization or ("partitioning" if formulation == "ce" else "projection")
    if control == "baumgarte" and formulation == "ce":
        raise JounceError("--stabilization baumgarte needs a formulation with multipliers (ta, recursive, fa), not ce")
    return RunSettings(seconds / steps, steps, arguments.integrator or "rk4", formulation, control)


def _run(system: System, state: tuple[Vector, Vector, Vector], settings: RunSettings) -> tuple[Run, RunError | None]:
    """Simulate from q, v with constant accelerations of the prescribed joints; return the run and the error that ended or invalidated it,
    if any.
    """
    q, v, prescribed = state
    solver = make_formulation(settings.formulation, system)
    # only Baumgarte stabilization needs multipliers, and is rejected with a formulation without multipliers
    control = make_control(settings.control, cast(MultiplierFormulation, solver), q, settings.step)
    try:
        run = simulate(solver, q, v, settings.step, settings.steps, INTEGRATORS[settings.method], control, lambda _: prescribed)
    except RunError as failed:
        return failed.run, failed
    balanced = run.audit is None or run.audit.passed
    return run, None if balanced else EnergyError(system.mechanism.file, run, cast(EnergyAudit, run.audit))


def _write(arguments: argparse.Namespace, motion: Motion) -> None:
    """Write the requested files atomically. Raises OutputError."""
    if arguments.csv:
        write_text(output_path(arguments.csv), motion.as_csv())
    if arguments.plot:
        from simulator.tools.mechanism.plots import plot

        plot(motion, output_path(arguments.plot))
    if arguments.animate:
        from simulator.tools.mechanism.animation import animate, draw_sheet

        write: Callable[[Motion, Path], None] = draw_sheet if arguments.animate.endswith(".png") else animate
        write(motion, output_path(arguments.animate))
