"""Three methods for the aircraft landing gear over a stroke of its piston: accuracy of the exact triangular system of Table 4 of
[Uchida 2012] in double precision.

The paper gives no times for the landing gear. Each method computes sines and cosines of the four angles at 3000 positions, whose residuals
in equations (16) to (19) are computed afterwards.
"""

from __future__ import annotations

import math
import statistics
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from simulator.base.arrays import Vector
from simulator.base.jit import inline, kernel
from simulator.validation.linkages.generated import landing_gear as triangular
from simulator.validation.linkages.landing_gear import follow_length, landing_gear, positions_at, set_position

POSITIONS = 3000
LENGTHS = 250.0 - 40.0 * np.cos(np.linspace(0.0, 2.0 * math.pi, POSITIONS))
"""Piston lengths in the unit of the paper, once out and in, where the gear has two positions; the methods follow the position on branch +1.
"""

SETTLED = 1e-14
"""Change of sB at convergence of the zero of the sextic: its rounding error."""
MAX_ITERATIONS = 30


@kernel
def closed_form_run(gear, state, angles, out):
    """Store positions at strut angles (n,) [rad], computed by a fixed number of operations, in out (n, 8)."""
    for k in range(angles.shape[0]):
        set_position(gear, state, angles[k])
        store(state, out, k)


@kernel
def newton_run(gear, state, lengths, out):
    """Store positions at piston lengths (n,), by Newton's method on the strut angle from the last one."""
    for k in range(lengths.shape[0]):
        follow_length(gear, state, lengths[k])
        store(state, out, k)


@kernel
def triangular_run(start, lengths, coefficients, out):
    """Store positions at piston lengths (n,), by the triangular system: Newton's method on its sextic from the last zero, then the other
    unknowns.
    """
    x = start
    for k in range(lengths.shape[0]):
        triangular.polynomial_of_sB(lengths[k], coefficients)
        for _ in range(MAX_ITERATIONS):
            value, slope = 0.0, 0.0
            for i in range(6, -1, -1):
                slope = slope * x + value
                value = value * x + coefficients[i]
            step = value / slope
            x -= step
            if abs(step) <= SETTLED:
                break
        sB, cB, sD, cD, sA, cA, sF, cF = triangular.solve(lengths[k], x)
        out[k, 0], out[k, 1], out[k, 2], out[k, 3] = sA, cA, sB, cB
        out[k, 4], out[k, 5], out[k, 6], out[k, 7] = sD, cD, sF, cF


@inline
def store(state, out, k):
    """Store sines and cosines of theta_A, theta_B, theta_D, theta_F."""
    s = state[0]
    out[k, 0], out[k, 1] = math.sin(s["theta_A"]), math.cos(s["theta_A"])
    out[k, 2], out[k, 3] = math.sin(s["theta_B"]), math.cos(s["theta_B"])
    out[k, 4], out[k, 5] = math.sin(s["theta_D"]), math.cos(s["theta_D"])
    out[k, 6], out[k, 7] = math.sin(s["theta_F"]), math.cos(s["theta_F"])


def residual(out: Vector, lengths: Vector) -> float:
    """Return the largest residual of equations (16) to (19), in the unit of length."""
    sA, cA, sB, cB, sD, cD, sF, cF = out.T
    p = lengths
    return float(
        np.abs(
            [
                (sA * sB - cA * cB) * p + 62.0 * sA - 42.0 * cA + 16.97 * sD + 6.08 * cD + 231.0,
                (sA * cB + cA * sB) * p + 42.0 * sA + 62.0 * cA + 6.08 * sD - 16.97 * cD - 62.0,
                178.4 * (sA * sF - cA * cF) - 212.0 * sA - 25.0 * cA - 164.4 * cD + 231.0,
                178.4 * (sA * cF + cA * sF) + 25.0 * sA - 212.0 * cA - 164.4 * sD - 62.0,
            ]
        ).max()
    )


def measure_landing_gear(repeats: int) -> list[dict[str, Any]]:
    """Return rows "name", "label", "us" (minimum, per position), "us_median", "residual" (maximum, in the unit of length; lengths are some
    hundreds).
    """
    gear, out, coefficients = landing_gear(), np.zeros((POSITIONS, 8)), np.zeros(7)
    home = positions_at(float(LENGTHS[0]))
    home = home[home["branch"] > 0.0]
    state, angles, reached = home.copy(), np.zeros(POSITIONS), np.zeros(POSITIONS)
    for k, length in enumerate(LENGTHS):
        follow_length(gear, state, float(length))
        angles[k], reached[k] = state[0]["theta_A"], state[0]["length"]
    first = float(np.sin(home[0]["theta_B"]))
    runs: dict[str, tuple[str, Callable[[], None], Vector]] = {
        "closed_form": ("closed form, strut angle given", lambda: closed_form_run(gear, home.copy(), angles, out), reached),
        "newton": ("closed form, Newton on the strut angle", lambda: newton_run(gear, home.copy(), LENGTHS, out), LENGTHS),
        "triangular": ("triangular (Gröbner), piston length given", lambda: triangular_run(first, LENGTHS, coefficients, out), LENGTHS),
    }
    rows: list[dict[str, Any]] = []
    times: dict[str, list[float]] = {name: [] for name in runs}
    for name, (label, run, lengths) in runs.items():
        run()
        rows.append({"name": name, "label": label, "residual": residual(out, lengths)})
    for _ in range(repeats):
        for name, (_, run, _) in runs.items():
            began = time.perf_counter()
            run()
            times[name].append((time.perf_counter() - began) * 1e6 / POSITIONS)
    return [row | {"us": min(times[row["name"]]), "us_median": statistics.median(times[row["name"]])} for row in rows]
