"""A plugin washout within a tick: its input, its schedule, and the interpolation between its poses.

With the last three poses P0, P1, P2 and u from 0 to 1 over a period, the pose is the quadratic B-spline

    (1 - u)^2 P0 / 2 + (1/2 + u - u^2) P1 + u^2 P2 / 2

Its velocity changes linearly from (P1 - P0) to (P2 - P1) per period. The velocity has no steps, and a steady motion is reproduced without
ripple. The weights are not negative and their sum is one, so the pose never overshoots the requested poses.
"""

from __future__ import annotations

import math

from simulator.base.callbacks import call, record_at
from simulator.base.jit import inline, kernel
from simulator.base.records import dtype_of
from washout.classical import rest
from washout.contract import WASHOUT_INPUT, WASHOUT_OUTPUT
from washout.motion_kernels import move_to
from washout.platform_state_machine import anchor

PLUGIN_LAYOUT = (
    # name                 shape  unit  description
    ("washout_every", (), "1", "number of ticks between two steps of the plugin washout; 0: classical washout", "i8"),
    ("washout_kernel", (), "", "address of the kernel of the washout; 0: washout in Python", "u8"),
    ("washout_parameters", (), "", "address of the parameter record of the washout", "u8"),
    ("washout_state", (), "", "address of the state record of the washout", "u8"),
    ("washout_seen", (), "", "address of the input record of the washout", "u8"),
    ("washout_result", (), "", "address of the output record of the washout", "u8"),
)

PLUGIN_STATE = (
    # name            shape   unit     description
    ("since", (), "1", "number of ticks since the start of the period of the plugin washout", "i8"),
    ("due", (), "1", "1 when a washout in Python is due to be called", "i8"),
    ("idle", (), "1", "1 while the washout is at rest; the next call restarts it", "i8"),
    ("rests", (), "1", "number of resets to rest; results requested before a reset are ignored", "i8"),
    ("off", (), "1", "1 after the washout was stopped, 2 while the platform moves to neutral", "i8"),
    ("counted", (), "1", "number of ticks in the sums below; less than the period if the washout was at rest for a part of it", "i8"),
    ("force_sum", (3,), "m/s2", "sum of the specific forces in the period"),
    ("rate_sum", (3,), "rad/s", "sum of the angular rates in the period"),
    ("answers", (3, 6), "m, rad", "last three poses from the washout, latest last"),
)

S, R = dtype_of(WASHOUT_INPUT), dtype_of(WASHOUT_OUTPUT)


@kernel
def plugin_step(p, s, washout_pose, h):
    """Run one tick of a plugin washout; `p` with PLUGIN_LAYOUT, `s` with PLUGIN_STATE, PROCEDURE and INTENSITY, `washout_pose` POSE."""
    t, every = s[0], p[0]["washout_every"]
    if t["off"] == 1:
        release(p, s, washout_pose)
    if t["off"] == 2:
        rest_plugin(s, washout_pose)
        return
    if t["since"] >= every:
        if t["due"] == 1:  # no new pose has arrived: repeat the last one
            append_pose(s, t["answers"][2])
        t["since"] = 0
    for j in range(3):
        t["force_sum"][j] += t["cue_force"][j]
        t["rate_sum"][j] += t["cue_rate"][j]
    t["counted"] += 1
    t["since"] += 1
    if t["since"] == every:
        fill_input(p, s)
        t["due"] = 1
        if p[0]["washout_kernel"] != 0:
            call_kernel(p, s, h)
            t["since"], t["due"] = 0, 0
    if t["off"] == 1:
        release(p, s, washout_pose)
        return
    interpolate_pose(t, every, washout_pose, h)


@kernel
def rest_plugin(s, washout_pose):
    """Put the plugin washout to rest: level and without motion; its next step restarts it."""
    t = s[0]
    if t["idle"] == 0:
        t["idle"] = 1
        t["rests"] += 1
    t["due"], t["counted"] = 0, 0
    for j in range(3):
        t["force_sum"][j], t["rate_sum"][j] = 0.0, 0.0
        for k in range(6):
            t["answers"][j, k] = 0.0
    rest(s, washout_pose)


@inline
def pass_tick(p, s):
    """Count a tick in which the washout rests, so that its steps stay synchronous with outlets and driver."""
    s[0]["since"] = s[0]["since"] % p[0]["washout_every"] + 1


@kernel
def release(p, s, washout_pose):
    """Release a stopped washout: the platform moves from its present pose to neutral without the washout."""
    rest_plugin(s, washout_pose)
    anchor(p, s, s[0]["pose"], s[0]["rates"])
    s[0]["off"] = 2


@inline
def fill_input(p, s):
    """Fill the input of the washout for the completed period."""
    t, seen = s[0], record_at(p[0]["washout_seen"], S)[0]
    for j in range(3):
        seen["f_H_B"][j], seen["w_WB_B"][j] = t["force_sum"][j] / t["counted"], t["rate_sum"][j] / t["counted"]
        seen["p_PH"][j] = p[0]["p_PH"][j]
        t["force_sum"][j], t["rate_sum"][j] = 0.0, 0.0
    for k in range(6):
        seen["pose"][k], seen["rates"][k] = t["pose"][k], t["rates"][k]
    seen["gravity"], seen["begins"], seen["limited"], seen["budget"] = p[0]["gravity"], t["idle"], t["limited"], t["cueing_budget"]
    t["idle"], t["counted"] = 0, 0


@inline
def call_kernel(p, s, h):
    """Call a compiled washout and store its pose; stop the washout if the pose is not finite."""
    q = p[0]
    call(
        q["washout_kernel"],
        q["washout_parameters"],
        q["washout_state"],
        q["washout_seen"],
        q["washout_result"],
        0,
        1,
        q["washout_every"] * h,
    )
    pose, total = record_at(q["washout_result"], R)[0]["pose"], 0.0
    for k in range(6):
        total += abs(pose[k])
    if total < math.inf:
        append_pose(s, pose)
    else:
        s[0]["off"] = 1


@inline
def append_pose(s, pose):
    """Append a new pose and drop the oldest one."""
    answers = s[0]["answers"]
    for k in range(6):
        answers[0, k], answers[1, k], answers[2, k] = answers[1, k], answers[2, k], pose[k]


@inline
def interpolate_pose(t, every, washout_pose, h):
    """Compute the pose of this tick by interpolation between the poses of the washout."""
    if every == 1:
        a, b, c = 0.0, 0.0, 1.0
    else:
        u = t["since"] / every
        a, b, c = 0.5 * (1.0 - u) * (1.0 - u), 0.5 + u - u * u, 0.5 * u * u
    P = t["answers"]
    position = (
        a * P[0, 0] + b * P[1, 0] + c * P[2, 0],
        a * P[0, 1] + b * P[1, 1] + c * P[2, 1],
        a * P[0, 2] + b * P[1, 2] + c * P[2, 2],
    )
    angles = (
        a * P[0, 3] + b * P[1, 3] + c * P[2, 3],
        a * P[0, 4] + b * P[1, 4] + c * P[2, 4],
        a * P[0, 5] + b * P[1, 5] + c * P[2, 5],
    )
    move_to(washout_pose, position, angles, h)
