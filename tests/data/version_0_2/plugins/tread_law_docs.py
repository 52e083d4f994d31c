"""As docs/tread_laws.md of commit 802fdee has it."""

import math

from simulator.base.outside import outside, records_at
from simulator.base.records import dtype_of
from vehicles.tires.kinds import register
from vehicles.tires.tread_law import CONTRACT, FORCES, HELD, LAYOUT, RESULT, SEEN, TREAD_STATE, TreadLaw

MINE = (("grip", (), "1", "friction coefficient"), ("c", (), "N/m", "stiffness of the tread"), ("d", (), "N s/m", "damping of the tread"))
P, S, I, O = dtype_of(MINE), dtype_of(TREAD_STATE), dtype_of(SEEN), dtype_of(RESULT)


@outside
def coulomb(parameters, state, seen, result, first, count, h):
    n = first + count
    for i in range(first, n):
        p, u = records_at(parameters, P, n)[i], records_at(state, S, n)[i]["numbers"]
        k, r = records_at(seen, I, n)[i], records_at(result, O, n)[i]
        if k["task"] != FORCES:
            u[0], u[1] = (k["held"][0], k["held"][1]) if k["task"] == HELD else (0.0, 0.0)
            continue
        K = p["c"] * h + p["d"]  # backward Euler: the rates are those of the end of the step
        x = p["c"] * u[0] - K * (k["v_x"] - k["effective_radius"] * k["spin"])
        y = p["c"] * u[1] - K * k["v_y"]
        force, most = math.sqrt(x * x + y * y), p["grip"] * k["friction"] * k["load"]
        share = min(1.0, most / force) if force > 0.0 else 0.0
        r["F"][0], r["F"][1] = share * x, share * y
        for j in range(2):
            r["rate"][j] = (r["F"][j] - p["c"] * u[j]) / K


STATE = (("u", (2,), "m", "deflection of the tread, along and across"),)
RANGES = {"grip": (0.01, 5.0), "c": (1e2, 1e8), "d": (1.0, 1e6)}
register(TreadLaw("coulomb", MINE, RANGES, STATE, coulomb, CONTRACT, LAYOUT, stiff=("c", "d")))
