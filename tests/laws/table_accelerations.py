"""The whole evaluation with the suspension from tables, state in, accelerations out: what the tests of the tables ask for."""

from simulator.base.jit import kernel
from vehicles.dynamics import answer_loads
from vehicles.suspension.corner_sums import prepare
from vehicles.suspension.ends import hold_ends
from vehicles.suspension.tables.reduced_table import covers
from vehicles.suspension.tables.tabulated import prepare_from_tables


@kernel
def table_accelerations(tables, chassis, corners, blocks, struts, steering, state, q, loads, k, r, work, out):
    """All 14 accelerations from state and loads, with the corners taken from tables.

    The contract of `vehicles.dynamics.accelerations` and

    tables : ReducedTables
    steering : record of STEERING_STATE: angle, rate and acceleration of the Pitman arm; q's inner tie-rod joints must belong to it
    r : record of INTERPOLATED, overwritten

    Of `k` only W, W_1, W_dot, axle, the carriers' w and w_rel, the lengths of springs and shock absorbers with their derivatives, G, D
    and theta_bias are written. Where an angle lies outside the tables the closed form answers for all corners, with the joints in q.
    """
    if covers(tables, state[0]["theta"], steering[0]["angle"]):
        steering_moves = steering[0]["rate"] != 0.0 or steering[0]["acceleration"] != 0.0
        prepare_from_tables(tables, corners, blocks, struts, steering, steering_moves, state, q, k, r, work, out)
    else:
        prepare(corners, blocks, struts, state, q, k, work, out)
    hold_ends(corners, state, k, work, 0.0)
    answer_loads(chassis, corners, state, loads, k, work, out)
