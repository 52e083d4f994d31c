"""Driveline: driveshaft, open center differential, final drives with open differentials, half shafts.

Every shaft is geared to the wheels, so its speed is a fixed row times their spins W, and its inertia adds j n n^T to the matrix
of the wheels. An open differential shares speed (the carrier turns with the mean of its outputs) and torque (equal parts):

    box of axle a   w_a = mean of its W,     shaft   w_a / i_a,     i = box speed / shaft speed
    driveshaft      w_d = mean of w_a / i_a over the driven axles = n . W

An axle that is not driven has an endless i and no inertias.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from simulator.base.errors import ConfigError, Gathered
from simulator.base.jit import inline
from simulator.base.records import Record, Table
from simulator.base.section import Section
from vehicles.axles import AXLES, STANDING, USUAL_AXLES, Axles, record_for
from vehicles.drivetrain.tables import LARGEST_INERTIA, LEAST_INERTIA
from vehicles.sides import sides_of, sum_on_axle

RATIO = (0.02, 1.0)
"""Box speed over shaft speed of a final drive."""
DIFFERENCE = 0.1
"""Largest share by which the final ratios of the axles differ."""

DRIVELINE = (
    # name                     shape  unit     what it is
    *STANDING,
    ("driveshaft_inertia", (), "kg m2", "shaft between gearbox and center differential"),
    ("half_shaft_inertia", (), "kg m2", "half shaft of one driven wheel"),
    ("driven", (), "1", "number of driven axles", "i8"),
    ("shaft_inertia", (AXLES,), "kg m2", "per axle, shaft from the center differential to its final drive"),
    ("box_inertia", (AXLES,), "kg m2", "per axle, crown wheel and box of its differential"),
    ("final_ratio", (AXLES,), "1", "per axle, box speed / shaft speed; infinite: it is not driven"),
)

AXLE_FILE = (
    ("shaft_inertia", (), "kg m2", "shaft from the center differential to the final drive of this axle"),
    ("box_inertia", (), "kg m2", "crown wheel and box of its differential"),
    ("final_ratio", (), "1", "box speed / shaft speed"),
)
"""In a file for every axle that is driven, after its name: `front_shaft_inertia`."""


@inline
def is_driven(p, axle):
    """Whether the driveshaft turns an axle."""
    return p[0]["final_ratio"][axle] < math.inf


@inline
def box_speed(p, spin, axle):
    """Mean of the spins of an axle [rad/s]."""
    first, end = sides_of(p, axle)
    return sum_on_axle(p, axle, spin) / (end - first)


@inline
def driveshaft_speed(p, spin):
    """Speed of the driveshaft [rad/s] for the speeds of the wheels."""
    total = 0.0
    for axle in range(len(p[0]["final_ratio"])):
        total += box_speed(p, spin, axle) / p[0]["final_ratio"][axle]
    return total / p[0]["driven"]


@inline
def wheel_share(p, axle):
    """Torque of each half shaft of an axle over that of the driveshaft; also the wheel's number in the row n of the driveshaft."""
    first, end = sides_of(p, axle)
    return 1.0 / (p[0]["driven"] * (end - first)) / p[0]["final_ratio"][axle]


@inline
def axle_inertia(p, axle):
    """Inertia [kg m2] of shaft and box of an axle, in a matrix of ones over its wheels."""
    first, end = sides_of(p, axle)
    inertia = p[0]["shaft_inertia"][axle] / p[0]["final_ratio"][axle] ** 2 + p[0]["box_inertia"][axle]
    return inertia / ((end - first) * (end - first))


@inline
def solve_wheels(p, s, shaft_inertia):
    """Solve (diag(d) + sum a_k 1_k 1_k^T + j n n^T) x = b for the speed changes x of all wheels.

    d `diagonal`, b `load` and x `change` (wheels,) of the record s; a_k the inertia of axle k, j `shaft_inertia` what turns with the
    driveshaft. Each axle is a diagonal plus a rank-one matrix, and so is the whole: the Sherman-Morrison formula once per axle and once
    more, exact. Without the driveshaft y = P^-1 b, and z = P^-1 n is n_k soft_k / d on axle k:

        r_k = sum 1 / d,  soft_k = 1 / (1 + a_k r_k),  y = (b - a_k soft_k sum b / d) / d,  x = y - z j n . y / (1 + j n . z)
    """
    w, x = s[0], s[0]["change"]
    n_y, n_z = 0.0, 0.0
    for axle in range(len(p[0]["final_ratio"])):
        inertia, n = axle_inertia(p, axle), wheel_share(p, axle)
        r = sum_on_axle(p, axle, w["yielding"])
        w["soft"][axle] = 1.0 / (1.0 + inertia * r)
        pull = inertia * w["soft"][axle] * weighed_sum_on_axle(p, axle, w["yielding"], w["load"])
        first, end = sides_of(p, axle)
        for i in range(first, end):
            x[i] = w["yielding"][i] * (w["load"][i] - pull)
        n_y += n * sum_on_axle(p, axle, x)
        n_z += n * (n * w["soft"][axle]) * r
    turned = shaft_inertia * n_y / (1.0 + shaft_inertia * n_z)
    for axle in range(len(p[0]["final_ratio"])):
        z = wheel_share(p, axle) * w["soft"][axle]
        first, end = sides_of(p, axle)
        for i in range(first, end):
            x[i] -= turned * z * w["yielding"][i]


@inline
def weighed_sum_on_axle(p, axle, weights, numbers):
    """The same of products of two numbers."""
    first, end = sides_of(p, axle)
    one = weights[first] * numbers[first]
    return one + weights[first + 1] * numbers[first + 1] if end - first == 2 else one


def driveline_from_section(s: Section, axles: Axles = USUAL_AXLES) -> Record:
    """Record DRIVELINE from the `driveline` section of the drivetrain file of a vehicle with these axles.

    Its keys are `driveshaft_inertia`, `half_shaft_inertia` and, of every axle that is driven, the rows of AXLE_FILE after the axle's name.

    Raises
    ------
    ConfigError : a key is unknown or missing, no axle is driven, an inertia is out of range, a ratio is none of a final drive (which makes
        the wheels slower than the shaft: at most 1), or those of the axles differ although all wheels have the same tires
    """
    driven = [name for name in axles.names if any(f"{name}_{row[0]}" in s.mapping for row in AXLE_FILE)] or list(axles.names)
    table: Table = tuple(row for row in DRIVELINE if row[0] in ("driveshaft_inertia", "half_shaft_inertia"))
    table += tuple((f"{name}_{row[0]}", *row[1:]) for name in driven for row in AXLE_FILE)
    read = s.record(table, {row[0]: RATIO if row[0].endswith("ratio") else (0.0, LARGEST_INERTIA) for row in table})[0]
    with Gathered() as faults:
        for name in (row[0] for row in table):
            if name.endswith("inertia") and 0.0 < read[name] < LEAST_INERTIA:
                faults.add(ConfigError(s.file, s.path(name), float(read[name]), f"0, or at least {LEAST_INERTIA:g} kg m2"))
        _check_ratios(s, [(f"{name}_final_ratio", float(read[f"{name}_final_ratio"])) for name in driven], faults)
    out = record_for(DRIVELINE, axles.size)
    axles.write(out)
    out[0]["final_ratio"], out[0]["driven"] = math.inf, len(driven)
    out[0]["driveshaft_inertia"], out[0]["half_shaft_inertia"] = read["driveshaft_inertia"], read["half_shaft_inertia"]
    for name in driven:
        for row in AXLE_FILE:
            out[0][row[0]][axles.names.index(name)] = read[f"{name}_{row[0]}"]
    return out


def _check_ratios(s: Section, ratios: Sequence[tuple[str, float]], faults: Gathered) -> None:
    """Keys and final ratios of the driven axles, which must hardly differ."""
    (usual, first), *others = ratios
    for name, ratio in others:
        if abs(ratio - first) > DIFFERENCE * first:
            expected = f"within {100.0 * DIFFERENCE:g} % of {usual} = {first:g}: all wheels have the same tires"
            faults.add(ConfigError(s.file, s.path(name), ratio, expected))
