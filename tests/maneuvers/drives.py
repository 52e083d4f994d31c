"""Synthetic runs for the analyses: columns without data are zero."""

from __future__ import annotations

import math

import numpy as np

from simulator.base.fields import Field, Text, read
from simulator.driver.internal_model import InternalModel
from simulator.maneuvers.analyses.contract import Drive
from simulator.maneuvers.analyses.kinds import ANALYSES
from simulator.maneuvers.cone_course import Body
from simulator.maneuvers.evaluation_section import USUAL_CHANNELS, AnalysisRequest

BODY = Body(width=2.0, length=4.6, front=2.2)


def times(seconds, rate=100.0):
    """Rows of so many seconds, the last one included."""
    return np.arange(round(seconds * rate) + 1) / rate


def drive_of(time, phases=None, traits=None, **columns):
    """A drive with these columns."""
    n = len(time)
    more = [name for name in ANALYSES["goal"].columns if name.startswith("planner_")]
    more += ANALYSES["backing"].columns
    for analysis, other in (("encounter", "lead"), ("towing", "trailer")):
        more += [name.format(**{"with": other}) for name in ANALYSES[analysis].columns]
    made = {name: np.zeros(n) for name in (*USUAL_CHANNELS, *more)}
    made |= {f"F_C_{corner}_z": np.full(n, 6000.0) for corner in ("FL", "FR", "RL", "RR")}
    made["time"] = time
    unknown = set(columns) - set(made)
    assert not unknown, unknown
    made |= {name: np.broadcast_to(np.asarray(column, dtype=float), n) for name, column in columns.items()}
    if "v_WG_B_x" not in columns:
        made["v_WG_B_x"] = made["v_WB_B_x"]
    return Drive(made, float(time[1] - time[0]), phases or {}, traits or InternalModel(), BODY)


def look(name, drive, **parameters):
    """Values that an analysis finds, and its curves; parameters as a file writes them."""
    analysis = ANALYSES[name]
    table = (Field("name", Text("text"), "", ""), Field("phase", Text("text"), "", ""), *analysis.parameters)
    found = AnalysisRequest(analysis, read(table, parameters, "file"), analysis.metrics).evaluate(drive)
    assert set(found.values) == {metric.name for metric in analysis.metrics}
    return found


def straight_ahead(time, speed):
    """Columns of a drive straight on at a speed over time."""
    speed = np.broadcast_to(np.asarray(speed, dtype=float), len(time))
    x = np.concatenate(([0.0], np.cumsum(0.5 * (speed[1:] + speed[:-1]) * np.diff(time))))
    return {"v_WB_B_x": speed} | dict.fromkeys(("x", "p_WB_x", "x_G", "p_WG_x"), x)


def second_order_step(time, begin, frequency, damping):
    """Answer (n,) of 1 / (1 + 2 D s / w + (s / w)^2) to a unit step at `begin`."""
    w = 2.0 * math.pi * frequency
    t = np.maximum(time - begin, 0.0)
    w_d = w * math.sqrt(1.0 - damping**2)
    return 1.0 - np.exp(-damping * w * t) * (np.cos(w_d * t) + damping * w / w_d * np.sin(w_d * t))
