"""Motions of a mechanism as logs: sweeps along a coordinate, and simulations."""

from __future__ import annotations

from typing import cast

import numpy as np
from numpy.typing import ArrayLike

from simulator.base.call_checks import LIST, NAME, NUMBER, TEXT, checks, one_of
from simulator.base.errors import ConfigError
from simulator.base.machine import origin
from simulator.telemetry.channels import Channel
from simulator.telemetry.log import Log
from simulator.tools.mechanism.initial_state import closed_state, read_start
from simulator.tools.mechanism.motion import Motion
from simulator.tools.mechanism.options import INTEGRATORS
from simulator.tools.mechanism.run_report import run_motion
from simulator.tools.mechanism.sweep_report import sweep_motion
from vehicles.multibody.formulations.contract import MultiplierFormulation
from vehicles.multibody.formulations.kinds import FORMULATIONS, make_formulation
from vehicles.multibody.motion.simulate import simulate
from vehicles.multibody.motion.stabilization import make_control
from vehicles.multibody.motion.sweep import sweep
from vehicles.multibody.tree.coordinates import velocity_coordinates
from vehicles.multibody.tree.system import build_system


@checks(file=NAME, coordinate=TEXT, values=LIST)
def sweep_mechanism(file: str, coordinate: str, values: ArrayLike) -> Log:
    """Sweep a mechanism along a coordinate.

    Parameters
    ----------
    file : mechanism by name or path (.yaml, .urdf)
    coordinate : label of the coordinate, for example "crank on ground"
    values : (n,) rad or m, successive values of the coordinate

    Returns
    -------
    a log of the reached positions, in order: coordinates, their derivatives by the swept one, closure of the loops, and distance from a
    singular position. It ends early at a dead point. The first column is the swept coordinate.

    Raises
    ------
    ConfigError : the file cannot be used, or the coordinate does not exist
    MechanismError : the loops do not close, or the mechanism cannot move in this way
    """
    start = read_start(file, None, (), False)
    system = build_system(start.mechanism)
    q, _, _, _ = closed_state(system, start.state, start.may_assemble, start.hold)
    known = {c.label: c for c in velocity_coordinates(system)}
    if coordinate not in known:
        raise ConfigError(file, "", coordinate, "a coordinate: " + ", ".join(known))
    return _log(sweep_motion(sweep(system, q, known[coordinate].index, np.asarray(values, dtype=float))))


@checks(file=NAME, seconds=NUMBER, step=NUMBER, formulation=one_of(FORMULATIONS))
def run_mechanism(file: str, seconds: float, step: float = 1e-3, formulation: str = "ce") -> Log:
    """Simulate a mechanism from the state in its file.

    Parameters
    ----------
    file : mechanism by name or path (.yaml, .urdf)
    seconds, step : duration, and step of the Runge-Kutta method [s]
    formulation : ce, ta, fa, fa-dense or recursive, as for `jounce mechanism`

    Returns
    -------
    a log of every step: time, coordinates and their rates, closure of the loops, energy

    Raises
    ------
    ConfigError, MechanismError : the file cannot be used, the loops do not close
    RunError : the run ended early
    """
    if not 0.0 < step <= seconds:
        raise ConfigError("run_mechanism", "step", step, "a time in s above zero, at most that of the run")
    start = read_start(file, None, (), False)
    system = build_system(start.mechanism)
    q, v, prescribed, _ = closed_state(system, start.state, start.may_assemble, start.hold)
    solver = make_formulation(formulation, system)
    steps = round(seconds / step)
    # only Baumgarte stabilization needs multipliers
    control = make_control("partitioning" if formulation == "ce" else "projection", cast(MultiplierFormulation, solver), q, step)
    return _log(run_motion(system, simulate(solver, q, v, seconds / steps, steps, INTEGRATORS["rk4"], control, lambda _: prescribed)))


def _log(motion: Motion) -> Log:
    """Return the numbers of a motion by their labels; duplicates, such as the swept coordinate, occur once."""
    measures = {measure.label: measure for measure in (motion.along, *motion.positions, *motion.rates, *motion.measures)}
    columns = [Channel(m.label, m.unit, "", m.label, np.dtype("f8"), 0, False, m.label) for m in measures.values()]
    arrays = {name: np.ascontiguousarray(measure.values, dtype=float) for name, measure in measures.items()}
    return Log(columns, arrays, {**origin(), "mechanism": motion.title})
