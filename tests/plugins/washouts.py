"""Plugin washouts: a compiled one, an equivalent one in Python, and one that fails in a configurable way.

The first two request a displacement proportional to the force without gravity, smoothed with a time constant:  x' = (gain (f - g) - x) / lag.
"""

from __future__ import annotations

import math
import threading

from simulator.base.callbacks import callback, record_at
from simulator.base.field_records import rows
from simulator.base.fields import Field, Number
from simulator.base.records import dtype_of
from washout.contract import CONTRACT, LAYOUT, WASHOUT_INPUT, WASHOUT_OUTPUT, WashoutKind
from washout.kinds import register

LAGGED = (
    Field("gain", Number("m/(m/s2)", 0.0, 1.0, shape=(3,)), "displacement per specific force without gravity: surge, sway, heave"),
    Field("lag", Number("s", 1e-3, 100.0), "time constant"),
)
STATE = (("x", (3,), "m", "displacement"),)
P, X, S, R = dtype_of(rows(LAGGED)), dtype_of(STATE), dtype_of(WASHOUT_INPUT), dtype_of(WASHOUT_OUTPUT)


@callback
def lagged(parameters, state, seen, result, first, count, h):
    p, x, k, r = record_at(parameters, P)[0], record_at(state, X)[0]["x"], record_at(seen, S)[0], record_at(result, R)[0]["pose"]
    share = 1.0 - math.exp(-h / p["lag"])
    for j in range(3):
        if k["begins"] == 1:
            x[j] = 0.0
        force = k["f_H_B"][j] - (k["gravity"] if j == 2 else 0.0)
        x[j] += share * (p["gain"][j] * force - x[j])
        r[j] = x[j]


COMPILED = WashoutKind("lagged", LAGGED, CONTRACT, LAYOUT, kernel=lagged, state=STATE)


class Lagged:
    """Python version of `lagged`."""

    def __init__(self, parameters, world):
        self.p, self.x = parameters[0], [0.0, 0.0, 0.0]

    def step(self, seen, h):
        k, share = seen[0], 1.0 - math.exp(-h / float(self.p["lag"]))
        if k["begins"]:
            self.x = [0.0, 0.0, 0.0]
        force = k["f_H_B"] - [0.0, 0.0, k["gravity"]]
        self.x = [x + share * (g * f - x) for x, g, f in zip(self.x, self.p["gain"], force, strict=True)]
        return [*self.x, 0.0, 0.0, 0.0]


PYTHON = WashoutKind("lagged_python", LAGGED, CONTRACT, LAYOUT, make=Lagged, rate=100.0)

FAILING = (
    Field(
        "how",
        Number("1", 0, 4),
        "behavior from the tenth step: 0 raises, 1 returns NaN, 2 never ends, 3 returns text, 4 returns a teleport of 1e300",
    ),
)


class Failing:
    """Moves the platform away from neutral, and then fails."""

    def __init__(self, parameters, world):
        self.how, self.steps = int(parameters[0]["how"]), 0

    def step(self, seen, h):
        self.steps += 1
        if self.steps < 100:
            return [0.1, 0.0, 0.0, 0.0, 0.05, 0.0]
        if self.how == 0:
            raise ValueError("no")
        if self.how == 2:
            threading.Event().wait()
        return [[], [math.nan] * 6, [], "up", [1e300] * 6][self.how]


BROKEN = WashoutKind("failing", FAILING, CONTRACT, LAYOUT, make=Failing, rate=100.0)


@callback
def nan_kernel(parameters, state, seen, result, first, count, h):
    n, r = record_at(state, X)[0]["x"], record_at(result, R)[0]["pose"]
    n[0] += 1.0
    r[0], r[4] = 0.1, 0.05
    if n[0] > 1000.0:
        r[1] = math.nan


NOT_A_NUMBER = WashoutKind("nan_kernel", (), CONTRACT, LAYOUT, kernel=nan_kernel, state=STATE)


class Ahead:
    """Shows the mean of the predicted forces; zero without a preview."""

    def __init__(self, parameters, world):
        """Do nothing."""

    def step(self, seen, h):
        n = int(seen[0]["preview_count"])
        return [0.01 * float(seen[0]["preview_f"][:n, 0].mean()) if n else 0.0, 0.0, 0.0, 0.0, 0.0, 0.0]


AHEAD = WashoutKind("ahead", (), CONTRACT, LAYOUT, make=Ahead, rate=100.0)


@callback
def ahead_kernel(parameters, state, seen, result, first, count, h):
    k, r = record_at(seen, S)[0], record_at(result, R)[0]["pose"]
    for j in range(6):
        r[j] = 0.0
    if k["preview_count"] > 0:
        r[0] = 0.01 * k["preview_f"][0, 0]


AHEAD_COMPILED = WashoutKind("ahead_kernel", (), CONTRACT, LAYOUT, kernel=ahead_kernel, state=STATE)

for kind in (COMPILED, PYTHON, BROKEN, NOT_A_NUMBER, AHEAD, AHEAD_COMPILED):
    register(kind)
