"""A washout from outside within a tick: what it sees, when it is asked, and the poses between two of its answers.

With the last three answers P0, P1, P2 and u from 0 to 1 over a period, the pose is the quadratic B-spline

    (1 - u)^2 P0 / 2 + (1/2 + u - u^2) P1 + u^2 P2 / 2

whose velocity goes from (P1 - P0) to (P2 - P1) per period along a straight line: it does not step, and a steady motion is followed without
ripple. The weights are not negative and their sum is one, so the pose never overshoots what was asked for.
"""

from __future__ import annotations

import math

from simulator.base.callbacks import call, record_at
from simulator.base.jit import inline, kernel
from simulator.base.records import dtype_of
from washout.classical import move_to, rest
from washout.contract import WASHOUT_INPUT, WASHOUT_OUTPUT
from washout.platform_state_machine import anchor

PLUGIN_LAYOUT = (
    # name                 shape  unit  what it is
    ("washout_every", (), "1", "ticks between two steps of the washout from outside; 0: the washout is the classical one", "i8"),
    ("washout_kernel", (), "", "address of its kernel; 0: it is written in Python", "u8"),
    ("washout_parameters", (), "", "address of its parameters", "u8"),
    ("washout_state", (), "", "address of its state", "u8"),
    ("washout_seen", (), "", "address of what it sees", "u8"),
    ("washout_result", (), "", "address of what it answers", "u8"),
)

PLUGIN_STATE = (
    # name            shape   unit     what it is
    ("since", (), "1", "ticks since the period of the washout from outside began", "i8"),
    ("due", (), "1", "1 when a washout in Python is to be asked", "i8"),
    ("idle", (), "1", "1 while the washout is at rest, so that it begins anew when it is asked next", "i8"),
    ("rests", (), "1", "how often it was put to rest: what it was asked before does not count", "i8"),
    ("off", (), "1", "1 from the moment on when the washout was dropped, 2 once the platform is on its way to neutral", "i8"),
    ("counted", (), "1", "ticks in the sums below: fewer than the period has when the washout was at rest in between", "i8"),
    ("force_sum", (3,), "m/s2", "sum of the forces felt in the period"),
    ("rate_sum", (3,), "rad/s", "sum of the rates"),
    ("answers", (3, 6), "m, rad", "the last three poses it has asked for, the latest last"),
)

S, R = dtype_of(WASHOUT_INPUT), dtype_of(WASHOUT_OUTPUT)


@kernel
def plugin_step(p, s, washed, h):
    """One tick of a washout from outside; `p` with PLUGIN_LAYOUT, `s` with PLUGIN_STATE, PROCEDURE and INTENSITY, `washed` POSE."""
    t, every = s[0], p[0]["washout_every"]
    if t["off"] == 1:
        give_up(p, s, washed)
    if t["off"] == 2:
        rest_plugin(s, washed)
        return
    if t["since"] >= every:
        if t["due"] == 1:  # nobody has come since: the last answer holds
            push(s, t["answers"][2])
        t["since"] = 0
    for j in range(3):
        t["force_sum"][j] += t["cue_force"][j]
        t["rate_sum"][j] += t["cue_rate"][j]
    t["counted"] += 1
    t["since"] += 1
    if t["since"] == every:
        look(p, s)
        t["due"] = 1
        if p[0]["washout_kernel"] != 0:
            ask_kernel(p, s, h)
            t["since"], t["due"] = 0, 0
    if t["off"] == 1:
        give_up(p, s, washed)
        return
    show(t, every, washed, h)


@kernel
def rest_plugin(s, washed):
    """The washout from outside is of no effect: level and still, and it will begin anew."""
    t = s[0]
    if t["idle"] == 0:
        t["idle"] = 1
        t["rests"] += 1
    t["due"], t["counted"] = 0, 0
    for j in range(3):
        t["force_sum"][j], t["rate_sum"][j] = 0.0, 0.0
        for k in range(6):
            t["answers"][j, k] = 0.0
    rest(s, washed)


@inline
def pass_tick(p, s):
    """A tick goes by at which the washout rests: its turns stay where outlets and driver have theirs."""
    s[0]["since"] = s[0]["since"] % p[0]["washout_every"] + 1


@kernel
def give_up(p, s, washed):
    """It was dropped: the platform glides from where it is to neutral, and the washout has no share in it any more."""
    rest_plugin(s, washed)
    anchor(p, s, s[0]["pose"], s[0]["rates"])
    s[0]["off"] = 2


@inline
def look(p, s):
    """Fill what it sees of the period that has ended."""
    t, seen = s[0], record_at(p[0]["washout_seen"], S)[0]
    for j in range(3):
        seen["f_H_B"][j], seen["w_WB_B"][j] = t["force_sum"][j] / t["counted"], t["rate_sum"][j] / t["counted"]
        seen["p_PH"][j] = p[0]["p_PH"][j]
        t["force_sum"][j], t["rate_sum"][j] = 0.0, 0.0
    for k in range(6):
        seen["pose"][k], seen["rates"][k] = t["pose"][k], t["rates"][k]
    seen["gravity"], seen["begins"], seen["limited"] = p[0]["gravity"], t["idle"], t["limited"]
    t["idle"], t["counted"] = 0, 0


@inline
def ask_kernel(p, s, h):
    """Ask a compiled washout and take its answer; one that is no number ends it."""
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
        push(s, pose)
    else:
        s[0]["off"] = 1


@inline
def push(s, pose):
    """A new answer, behind which the oldest is forgotten."""
    answers = s[0]["answers"]
    for k in range(6):
        answers[0, k], answers[1, k], answers[2, k] = answers[1, k], answers[2, k], pose[k]


@inline
def show(t, every, washed, h):
    """The pose of this tick between the answers."""
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
    move_to(washed, position, angles, h)
