"""Free steering arm: one more coordinate of the steered axles, moved by the column and by the wheels.

With u'' the acceleration of the arm and K the velocities per rate of the arm, the forward dynamics of `vehicles.dynamics` gain a column
and a row. E, F, H and the bias are sums over the steered corners, computed by `steer` of their blocks with the arm at zero acceleration:

    [A    G    E] [x      ]   [X - bias          ]
    [G*   D    F] [theta''] = [Theta - theta_bias]          E = sum M K,  F = sum J* M K,  H = sum K* M K
    [E*   F*   H] [u''    ]   [T + U - steer_bias]

T is the torque of column, assist and friction of the gear (`vehicles.steering.column`), U the wheel loads times their velocities
per rate of the arm. theta'' is eliminated as before, which leaves e = E - sum G F / D, H' = H - sum F F / D and U' = U - steer_bias -
sum F Theta / D; then with A' y = X' and A' z = e

    (H' - e . z) u'' = T + U' - e . y,    x = y - z u'',    theta'' = (Theta - G . x - F u'') / D

T is the torque at the end of the step. The same holds for the driver's end of the column: the input prescribes its angle, or it is a
steering wheel with an inertia, one more coordinate, driven by the torque of the hands. The scheme is stable for any stiffness of the
column.
"""

from __future__ import annotations

from simulator.base.jit import inline, kernel
from vehicles.corner_layout import axle_of
from vehicles.dynamics import (
    apply_wheel_loads,
    assemble_chassis,
    eliminate_thetas,
    gravity_in_chassis,
    recover_thetas,
    solve_symmetric,
    uncouple_thetas,
)
from vehicles.steering.column import solve_column, torsion_bar_torque
from vehicles.steering.steering_torque import pitman_torque, steer_corners, steering_force
from vehicles.towing.coupling import eliminate_trailers


@inline
def is_free(m, s):
    """Return True when the column moves the arm, which has its own dynamics. The gear of a kind that is switched off is fixed."""
    return m.steering[0]["free"] > 0 and s.steering[0]["off"] == 0


@kernel
def answer_with_arm(m, s, tabulated, h):
    """Compute the accelerations of chassis, thetas and arm over a step of h seconds.

    Like `answer_loads`; requires `update_suspension` with the arm at zero acceleration and the same `tabulated`. Stores the torque on the
    arm at the end of the step in `pitman_torque`.
    """
    k, work, arm = s.kinematics[0], s.work[0], s.steering[0]
    steer_corners(m, s, tabulated)
    apply_wheel_loads(s.loads, s.kinematics, s.work)
    uncouple_thetas(m.corners, s)
    assemble_chassis(m.chassis, m.corners, s.state[0]["w_WB_B"], s.work)
    eliminate_thetas(s.kinematics, s.work)
    if len(m.towed) > 0:
        eliminate_trailers(m, s, h)

    force = inertia = 0.0
    for j in range(6):
        work["arm_coupling"][j] = 0.0
    for n in range(len(m.steering)):
        first = m.steering[n]["corner"]
        axle = axle_of(m.corners, first)
        if m.corners[0]["coupled"][axle]:
            k["F"][first + 1] -= k["D_across"][axle] / k["D"][first] * k["F"][first]
        for i in range(first, first + 2):
            ratio = k["F"][i] / k["D"][i]
            force -= steering_force(s, i) + ratio * work["theta_force"][i]
            inertia += k["H"][i] - ratio * k["F"][i]
            for j in range(6):
                work["arm_coupling"][j] += k["E"][j, i] - ratio * k["G"][j, i]

    for j in range(6):
        work["arm_answer"][j] = work["arm_coupling"][j]
    solve_symmetric(work["A"], work["x"])
    solve_symmetric(work["A"], work["arm_answer"])
    for j in range(6):
        force -= work["arm_coupling"][j] * work["x"][j]
        inertia -= work["arm_coupling"][j] * work["arm_answer"][j]
    torque = solve_column(m.steering, s.steering, force, inertia, h)
    for j in range(6):
        work["x"][j] -= arm["acceleration"] * work["arm_answer"][j]
    for n in range(len(m.steering)):
        for i in range(m.steering[n]["corner"], m.steering[n]["corner"] + 2):
            work["theta_force"][i] -= k["F"][i] * arm["acceleration"]
    recover_thetas(m.corners, s)
    g_B = gravity_in_chassis(s.state[0]["q_WB"], s.loads[0]["gravity"])
    for j in range(3):
        s.out[0]["alpha_WB_B"][j] = work["x"][j]
        s.out[0]["a_WB_B"][j] = work["x"][j + 3] + g_B[j]
    s.out[0]["pitman_torque"] = torque


@inline
def turn_arm(m, s, h):
    """Update the arm after a step, and the steering wheel in torque mode."""
    arm, max_angle = s.steering[0], m.steering[0]["max_arm_angle"]
    arm["rate"] += h * arm["acceleration"]
    arm["angle"] = min(max(arm["angle"] + h * arm["rate"], -max_angle), max_angle)
    if arm["let_go"] > 0:
        arm["hand_rate"] += h * arm["hand_acceleration"]
        arm["hand_angle"] += h * arm["hand_rate"]


@kernel
def balance_arm(m, s):
    """Balance the torques on a free arm at rest with the steering wheel fixed straight ahead; return the angle change of the arm [rad].

    Call it after the accelerations of `update_suspension_exact` at rest. Friction takes as much torque as it can, and the twist of the
    column takes the rest.
    """
    g, arm = m.steering[0], s.steering[0]
    needed, before = pitman_torque(m, s, m.tables.grid[0]["endless"] > 0), arm["angle"]
    friction = min(max(needed, -g["gear_friction"]), g["gear_friction"])
    arm["gear_stretch"] = -friction / g["gear_stiffness"] if g["gear_friction"] > 0.0 else 0.0
    arm["angle"] = -torsion_bar_torque(m.steering, needed - friction) / g["column_stiffness"]
    return arm["angle"] - before
