"""The mechanism in free motion (chassis, corners and spinning wheels), by the classical Runge-Kutta method in one kernel.

`vehicles.step` advances the complete vehicle, with tires, drivetrain and brakes, by a semi-implicit Euler step. This module has none of
these; it follows the bodies themselves with an error of h^4, to check the equations of motion (energy, momentum) and the shorter method.
`vehicles.integration` has this method, and others, for any system of equations.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from research.benchmarks.wheel_load_cases import state_rates
from simulator.base.jit import kernel
from simulator.base.records import Record, record
from vehicles.dynamics import STATE, accelerations
from vehicles.mechanism_parameters import MechanismParameters, new_workspace
from vehicles.suspension.blocks import Blocks


class FreeMotion(NamedTuple):
    """Records of a mechanism in free motion under constant loads.

    `state` is advanced; `loads` (written in B) and the inner tie-rod joints in `inputs` are constant: the Pitman arm is at rest.
    `stages` is scratch: state at the start of the step, rates, weighted sum of the rates.
    """

    chassis: Record
    corners: Record
    blocks: Blocks
    struts: Record
    state: Record
    inputs: Record
    loads: Record
    kinematics: Record
    work: Record
    out: Record
    stages: Record


def free_motion(mechanism: MechanismParameters, gravity: float) -> FreeMotion:
    """Return the mechanism in the design position, at rest at the origin of the world, under gravity [m/s2] alone."""
    w = new_workspace(mechanism, gravity)
    return FreeMotion(
        chassis=mechanism.chassis,
        corners=mechanism.corners,
        blocks=w.blocks,
        struts=mechanism.struts,
        state=w.state,
        inputs=w.inputs,
        loads=w.loads,
        kinematics=w.kinematics,
        work=w.work,
        out=w.out,
        stages=record(STATE, 3),
    )


@kernel
def runge_kutta_step(m, h):
    """Advance m.state of a FreeMotion by h seconds [Kutta 1901]; allocates no memory.

    The attitude is integrated as four numbers and normalized at the end of the step, a change of order h^5.
    """
    start, rate, total = m.stages[0], m.stages[1], m.stages[2]
    state = m.state[0]
    advance(start, state, 0.0, state)
    rates(m, total)
    advance(state, start, 0.5 * h, total)
    for stage in (0.5, 1.0):
        rates(m, rate)
        advance(total, total, 2.0, rate)
        advance(state, start, stage * h, rate)
    rates(m, rate)
    advance(total, total, 1.0, rate)
    advance(state, start, h / 6.0, total)
    q = state["q_WB"]
    norm = math.sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3])
    for j in range(4):
        q[j] /= norm


@kernel
def rates(m, rate):
    """Compute the time derivative of m.state, as another record of STATE."""
    accelerations(m, m)
    state_rates(m.state, m.out, rate)


@kernel
def advance(to, start, h, rate):
    """Set to = start + h rate, for records of STATE."""
    for j in range(3):
        to["p_WB"][j] = start["p_WB"][j] + h * rate["p_WB"][j]
        to["v_WB_B"][j] = start["v_WB_B"][j] + h * rate["v_WB_B"][j]
        to["w_WB_B"][j] = start["w_WB_B"][j] + h * rate["w_WB_B"][j]
    for i in range(4):
        to["q_WB"][i] = start["q_WB"][i] + h * rate["q_WB"][i]
        to["theta"][i] = start["theta"][i] + h * rate["theta"][i]
        to["theta_dot"][i] = start["theta_dot"][i] + h * rate["theta_dot"][i]
        to["wheel_angle"][i] = start["wheel_angle"][i] + h * rate["wheel_angle"][i]
        to["wheel_spin"][i] = start["wheel_spin"][i] + h * rate["wheel_spin"][i]
