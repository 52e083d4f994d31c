"""The whole evaluation with the suspension from tables, state in, accelerations out: what the tests of the tables ask for."""

from simulator.base.jit import kernel
from vehicles.dynamics import answer_loads
from vehicles.suspension.composite_inertia import prepare
from vehicles.suspension.hard_stops import apply_hard_stops
from vehicles.suspension.tables.reduced_table import covers
from vehicles.suspension.tables.tabulated import prepare_from_tables


@kernel
def table_accelerations(m, s):
    """All 14 accelerations from state and loads, with the corners taken from tables: the contract of `vehicles.dynamics.accelerations`.

    m : TabulatedMechanism; s : TabulatedWorkspace, whose inner tie-rod joints must belong to its steering

    Of the kinematics only W, W_1, W_dot, axle, the carriers' w and w_rel, the lengths of springs and shock absorbers with their derivatives,
    G, D and theta_bias are written. Where an angle lies outside the tables the closed form answers for all corners, with these joints.
    """
    if covers(m.tables, s.state[0]["theta"], s.steering[0]["angle"]):
        prepare_from_tables(m, s, s.steering[0]["rate"] != 0.0 or s.steering[0]["acceleration"] != 0.0)
    else:
        prepare(m, s)
    apply_hard_stops(m, s, 0.0)
    answer_loads(m, s)
