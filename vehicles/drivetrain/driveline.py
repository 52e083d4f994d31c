"""Driveline of four driven wheels: driveshaft, open center differential, two final drives with open differentials, half shafts.

Every shaft is geared to the wheels, so its speed is a fixed row times the four spins W, and its inertia adds j n n^T to the matrix
of the wheels. An open differential shares speed (the carrier turns with the mean of its outputs) and torque (equal halves):

    front box   w_f = (W_FL + W_FR) / 2,     front shaft   w_f / i_f,     i = box speed / shaft speed (rear alike)
    driveshaft  w_d = (w_f / i_f + w_r / i_r) / 2 = n . W
"""

from __future__ import annotations

from simulator.base.errors import ConfigError
from simulator.base.jit import inline
from simulator.base.records import Record
from simulator.base.section import Section
from vehicles.drivetrain.tables import LARGEST_INERTIA, LEAST_INERTIA

RATIO = (0.02, 1.0)
"""Box speed over shaft speed of a final drive."""
DIFFERENCE = 0.1
"""Largest share by which the final ratios of the axles differ."""

DRIVELINE = (
    # name                     shape  unit     what it is
    ("driveshaft_inertia", (), "kg m2", "shaft between gearbox and center differential"),
    ("front_shaft_inertia", (), "kg m2", "shaft from the center differential to the front final drive"),
    ("rear_shaft_inertia", (), "kg m2", "shaft from the center differential to the rear final drive"),
    ("front_box_inertia", (), "kg m2", "crown wheel and box of the front differential"),
    ("rear_box_inertia", (), "kg m2", "crown wheel and box of the rear differential"),
    ("half_shaft_inertia", (), "kg m2", "half shaft of one wheel"),
    ("front_final_ratio", (), "1", "box speed / shaft speed, front"),
    ("rear_final_ratio", (), "1", "box speed / shaft speed, rear"),
)


@inline
def driveshaft_speed(p, spin):
    """Speed of the driveshaft [rad/s] for the four wheel speeds."""
    return 0.25 * ((spin[0] + spin[1]) / p[0]["front_final_ratio"] + (spin[2] + spin[3]) / p[0]["rear_final_ratio"])


@inline
def axle_inertias(p):
    """(front, rear): inertia [kg m2] of shaft and box, in a matrix of ones over the two wheels of the axle."""
    front = p[0]["front_shaft_inertia"] / p[0]["front_final_ratio"] ** 2 + p[0]["front_box_inertia"]
    rear = p[0]["rear_shaft_inertia"] / p[0]["rear_final_ratio"] ** 2 + p[0]["rear_box_inertia"]
    return 0.25 * front, 0.25 * rear


@inline
def solve_wheels(p, diagonal, load, shaft_inertia, x):
    """Solve (diag(d) + a_f 1_f 1_f^T + a_r 1_r 1_r^T + j n n^T) x = b for the four speed changes x.

    d `diagonal` (4,), b `load` (4,), j `shaft_inertia` what turns with the driveshaft. Each axle is a diagonal plus a rank-one matrix,
    and so is the whole: the Sherman-Morrison formula three times, exact.
    """
    front, rear = axle_inertias(p)
    n_front, n_rear = 0.25 / p[0]["front_final_ratio"], 0.25 / p[0]["rear_final_ratio"]
    r0, r1, r2, r3 = 1.0 / diagonal[0], 1.0 / diagonal[1], 1.0 / diagonal[2], 1.0 / diagonal[3]
    soft_front = 1.0 / (1.0 + front * (r0 + r1))
    soft_rear = 1.0 / (1.0 + rear * (r2 + r3))

    # without the driveshaft: y = P^-1 b and z = P^-1 n, z being n (r0, r1) soft on an axle
    pull_front = front * soft_front * (r0 * load[0] + r1 * load[1])
    pull_rear = rear * soft_rear * (r2 * load[2] + r3 * load[3])
    y0, y1 = r0 * (load[0] - pull_front), r1 * (load[1] - pull_front)
    y2, y3 = r2 * (load[2] - pull_rear), r3 * (load[3] - pull_rear)
    z_front, z_rear = n_front * soft_front, n_rear * soft_rear

    n_y = n_front * (y0 + y1) + n_rear * (y2 + y3)
    n_z = n_front * z_front * (r0 + r1) + n_rear * z_rear * (r2 + r3)
    pull = shaft_inertia * n_y / (1.0 + shaft_inertia * n_z)
    x[0], x[1] = y0 - pull * z_front * r0, y1 - pull * z_front * r1
    x[2], x[3] = y2 - pull * z_rear * r2, y3 - pull * z_rear * r3


def driveline_from_section(s: Section) -> Record:
    """Record DRIVELINE from the `driveline` section of a vehicle file; its keys are the names of the table.

    Raises
    ------
    ConfigError : a key is unknown or missing, an inertia is out of range, a ratio is none of a final drive (which makes the wheels slower
        than the shaft: at most 1), or those of the axles differ although all wheels have the same tires
    """
    out = s.record(DRIVELINE, {row[0]: RATIO if row[0].endswith("ratio") else (0.0, LARGEST_INERTIA) for row in DRIVELINE})
    for name in (row[0] for row in DRIVELINE):
        if name.endswith("inertia") and 0.0 < out[0][name] < LEAST_INERTIA:
            raise ConfigError(s.file, s.path(name), float(out[0][name]), f"0, or at least {LEAST_INERTIA:g} kg m2")
    front, rear = float(out[0]["front_final_ratio"]), float(out[0]["rear_final_ratio"])
    if abs(rear - front) > DIFFERENCE * front:
        expected = f"within {100.0 * DIFFERENCE:g} % of front_final_ratio = {front:g}: all wheels have the same tires"
        raise ConfigError(s.file, s.path("rear_final_ratio"), rear, expected)
    return out
