"""A steering arm that is free: one more coordinate of the first axle, turned by the column and by what the wheels do to it.

With u'' the acceleration of the arm and K the velocities per its rate, the forward dynamics of `vehicles.dynamics` gain a column and a row.
E, F, H and the bias are sums over the steered corners, found by `steer` of their blocks with the arm at zero acceleration:

    [A    G    E] [x      ]   [X - bias          ]
    [G*   D    F] [theta''] = [Theta - theta_bias]          E = sum M K,  F = sum J* M K,  H = sum K* M K
    [E*   F*   H] [u''    ]   [T + U - steer_bias]

T is the torque of the column, U the wheel loads times the velocities that they have per rate of the arm. theta'' is eliminated as before, which
leaves e = E - sum G F / D, H' = H - sum F F / D and U' = U - steer_bias - sum F Theta / D; then with A' y = X' and A' z = e

    u'' = (T + U' - e . y) / (H' - e . z),    x = y - z u'',    theta'' = (Theta - G . x - F u'') / D

The column is a spring and a damper between the driver's end, which follows the input, and the arm. A step takes its torque at its own end,
backward Euler: h (damping + h stiffness) joins H, and no column is too stiff for a step.
"""

from __future__ import annotations

from simulator.base.jit import inline, kernel
from vehicles.dynamics import (
    apply_wheel_loads,
    assemble_chassis,
    eliminate_thetas,
    gravity_in_chassis,
    recover_thetas,
    solve_symmetric,
    uncouple_thetas,
)
from vehicles.sides import sides_of
from vehicles.steering_torque import steering_force
from vehicles.suspension.blocks import steer_blocks


@inline
def is_free(m):
    """Whether the arm hangs on a column and moves by itself."""
    return m.steering[0]["column_stiffness"] > 0.0


@kernel
def answer_with_arm(m, s, h):
    """Accelerations of chassis, thetas and arm over a step of h seconds; as `answer_loads`, after `before_contact` with the arm at zero
    acceleration. The torque of the column at the end of the step goes to `pitman_torque`."""
    k, work, arm = s.kinematics[0], s.work[0], s.steering[0]
    steer_blocks(s.blocks, s.inputs, s.kinematics)
    apply_wheel_loads(s.loads, s.kinematics, s.work)
    uncouple_thetas(m.corners, s)
    assemble_chassis(m.chassis, m.corners, s.state[0]["w_WB_B"], s.work)
    eliminate_thetas(s.kinematics, s.work)

    stiffness, damping = m.steering[0]["column_stiffness"], m.steering[0]["column_damping"]
    push = stiffness * (arm["hand_angle"] - arm["angle"] - h * arm["rate"]) + damping * (arm["hand_rate"] - arm["rate"])
    yielding = h * (damping + h * stiffness)
    force, inertia = push, yielding
    for j in range(6):
        work["arm_coupling"][j] = 0.0
    first, end = sides_of(m.corners, 0)
    if m.corners[0]["coupled"][0]:
        k["F"][first + 1] -= k["D_across"][0] / k["D"][first] * k["F"][first]
    for i in range(first, end):
        share = k["F"][i] / k["D"][i]
        force -= steering_force(s, i) + share * work["theta_force"][i]
        inertia += k["H"][i] - share * k["F"][i]
        for j in range(6):
            work["arm_coupling"][j] += k["E"][j, i] - share * k["G"][j, i]

    for j in range(6):
        work["arm_answer"][j] = work["arm_coupling"][j]
    solve_symmetric(work["A"], work["x"])
    solve_symmetric(work["A"], work["arm_answer"])
    for j in range(6):
        force -= work["arm_coupling"][j] * work["x"][j]
        inertia -= work["arm_coupling"][j] * work["arm_answer"][j]
    arm["acceleration"] = force / inertia
    for j in range(6):
        work["x"][j] -= arm["acceleration"] * work["arm_answer"][j]
    for i in range(first, end):
        work["theta_force"][i] -= k["F"][i] * arm["acceleration"]
    recover_thetas(m.corners, s)
    g_B = gravity_in_chassis(s.state[0]["q_WB"], s.loads[0]["gravity"])
    for j in range(3):
        s.out[0]["alpha_WB_B"][j] = work["x"][j]
        s.out[0]["a_WB_B"][j] = work["x"][j + 3] + g_B[j]
    s.out[0]["pitman_torque"] = push - yielding * arm["acceleration"]


@inline
def turn_arm(m, s, h):
    """The arm after a step; full lock stops it dead."""
    arm, most = s.steering[0], m.steering[0]["max_arm_angle"]
    arm["rate"] += h * arm["acceleration"]
    arm["angle"] += h * arm["rate"]
    if abs(arm["angle"]) > most:
        arm["angle"] = min(max(arm["angle"], -most), most)
        arm["rate"] = 0.0
