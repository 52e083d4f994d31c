"""Power shifts of an automatic gearbox by clutches: a torque phase, an inertia phase, and a torque reduction of the engine.

The turbine speed lies between its speeds in the two gears, so the clutch of the higher gear can only brake the turbine, and the clutch
of the lower gear can only drive it. An upshift under load has two phases:

    TORQUE_PHASE    the previous gear holds without transmitting torque backward (its torque ends at zero); the clutch of the higher gear
                    slips and takes over the torque in a given time, until the previous gear carries no torque
    INERTIA_PHASE   the clutch of the new gear slips with a known capacity until the turbine has slowed down to the speed of the gear, and
                    then sticks

A downshift under load runs in reverse order. In INERTIA_PHASE the clutch of the previous gear slips with a known torque and lets the
turbine speed up until the new gear catches it; then that torque fades. The engine alone speeds up the turbine: the clutch of the new gear
does not take torque from the vehicle before the turbine is fast enough. Without load or throttle only INERTIA_PHASE remains. At any time one clutch
is friction that may stick (the coupling of the step), and at most one other clutch slips with a known torque.

The capacity of the slipping clutch comes from a controller that uses the turbine torque T_t, the turbine inertia J_t and the slip s:

    T = T_t + J_t (s_0 f'(t / t_i) / t_i + (s - s_0 (1 - f(t / t_i))) / t_s)        f: smooth step over the inertia time t_i

In an upshift the capacity is limited to the one that gives the output its previous torque, plus a margin. The turbine then slows down
more slowly.
"""

from __future__ import annotations

from simulator.base.field_records import rows
from simulator.base.fields import Field, Number
from simulator.base.jit import inline
from vehicles.drivetrain.measured_curves import MAX_TIME, MAX_TORQUE, smooth_step, smooth_step_rate

NEUTRAL, ENGAGE, DRIVE, TORQUE_PHASE, INERTIA_PHASE = 0, 1, 2, 3, 4

TRACKING = 0.03
"""s. Time constant with which the controller corrects a slip error.

Larger: the shift may end with a jerk; smaller than a few steps: it oscillates.
"""
SLIP_BAND = 5.0
"""rad/s. Slip up to which the torque of the releasing clutch grows; the clutch must not reverse a turbine within one step."""
STICK_SLIP = 1e-4
"""rad/s. Slip below which the clutch of the new gear sticks; smaller slips of a sticking clutch are rounding errors."""

TORQUE_MARGIN = 0.1
"""1. Additional torque in an upshift over the previous torque, as a fraction of the capacity.

Larger: a harder jolt; smaller: longer slip.
"""
OVERTIME_RATE = 0.25
"""1. Additional capacity, as a fraction, for each inertia time beyond the first. Larger: slow shifts end with a jolt."""
DRIVEN = 0.1
"""1. Throttle above which the engine drives a downshift."""
MAX_DRIVEN_TIME = 4.0
"""1. Inertia times after which the clutch of the new gear also speeds up a turbine that the engine drives. Smaller: a kick-down over several
gears brakes the vehicle; larger: a weak engine takes longer."""

_TIME = Number("s", 1e-3, MAX_TIME)
POWER_SHIFT_FILE = (
    Field("capacity", Number("N m", 1.0, MAX_TORQUE), "largest torque of the clutch of a gear, at the turbine shaft"),
    Field("torque_time", _TIME, "time in which a clutch takes over or releases the torque"),
    Field("inertia_time", _TIME, "time in which the turbine reaches the speed of the new gear"),
    Field("torque_reduction", Number("1", 0.0, 1.0), "fraction of the throttle removed while an upshift brakes the engine", 0.0),
    Field("reduction_ramp", _TIME, "time in which the throttle is reduced and restored", 0.1),
)
"""Fields of the section `clutches` of an automatic gearbox."""

SHIFT_TIMES = rows(POWER_SHIFT_FILE, "torque_time", "inertia_time", "torque_reduction", "reduction_ramp")
POWER_SHIFT = (
    ("shift_capacity", (), "N m", "largest torque of a shift clutch, at the turbine shaft; 0: smooth change of the ratio instead"),
    *SHIFT_TIMES,
)

POWER_SHIFT_STATE = (
    # name               shape  unit      what it is
    ("slip_torque", (), "N m", "torque of the slipping clutch in parallel to the coupling, on the turbine shaft, + = drives the output"),
    ("slip_ratio", (), "1", "ratio of the gear of the slipping clutch, driveshaft speed / turbine speed"),
    ("slip_fade", (), "N m/s", "rate at which slip_torque fades in gear"),
    ("clutch_capacity", (), "N m", "capacity of the coupling during the inertia phase, or of the friction clutch"),
    ("torque_before", (), "N m", "output torque before the shift, not below 0"),
    ("met_at", (), "s", "time since the last change of gear at which the inertia phase began"),
    ("relief", (), "1", "fraction of the throttle removed at present"),
    ("clutch_heat", (), "J", "energy dissipated by all clutches since the start"),
)


@inline
def begin_shift(p, s, gear, ratio):
    """Start a shift by the clutches into a gear with the given ratio."""
    upward = ratio > s[0]["ratio"]
    s[0]["gear"], s[0]["clock"], s[0]["ratio_from"] = gear, 0.0, s[0]["ratio"]
    s[0]["torque_before"] = max(0.0, s[0]["coupling_torque"] / s[0]["ratio"])
    s[0]["slip"] = s[0]["slip_torque"] = s[0]["slip_fade"] = 0.0
    s[0]["slip_ratio"] = ratio if upward else s[0]["ratio"]
    if upward and s[0]["coupling_torque"] > 0.0 and s[0]["turbine_speed"] > 0.0:
        s[0]["phase"] = TORQUE_PHASE
    else:
        s[0]["phase"], s[0]["met_at"] = INERTIA_PHASE, 0.0
        s[0]["ratio"] = ratio
        s[0]["slip_from"] = s[0]["turbine_speed"] * (1.0 - s[0]["ratio_from"] / ratio)


@inline
def advance_shift_clutches(p, s, ratio, turbine_torque, driveshaft_speed, h):
    """Set capacity and slip torque of the clutches for the next step of h seconds of a shift into the gear with the given ratio."""
    capacity = p[0]["shift_capacity"]
    if s[0]["phase"] == TORQUE_PHASE:
        share = s[0]["clock"] / p[0]["torque_time"]
        s[0]["slip_torque"] = slip_fraction(s, driveshaft_speed) * min(capacity, share * max(turbine_torque, 0.0))
        if share >= 1.0 or s[0]["coupling_torque"] <= 0.0:
            s[0]["phase"], s[0]["met_at"], s[0]["slip_torque"] = INERTIA_PHASE, s[0]["clock"], 0.0
            s[0]["ratio"] = ratio
            s[0]["slip_from"] = s[0]["turbine_speed"] - driveshaft_speed / ratio
    if s[0]["phase"] == INERTIA_PHASE:
        time = s[0]["clock"] - s[0]["met_at"]
        slip, duration, start_slip = s[0]["turbine_speed"] - driveshaft_speed / ratio, p[0]["inertia_time"], s[0]["slip_from"]
        target_slip = start_slip * (1.0 - smooth_step(time, duration))
        braking = start_slip * smooth_step_rate(time, duration) + (slip - target_slip) / TRACKING
        target = turbine_torque + p[0]["turbine_inertia"] * braking
        # beyond the inertia time the capacity rises above the plan
        overtime = OVERTIME_RATE * capacity * max(0.0, time / duration - 1.0)
        s[0]["slip_torque"] = 0.0
        if start_slip > 0.0:
            allowed = s[0]["torque_before"] * ratio + TORQUE_MARGIN * capacity
            s[0]["clutch_capacity"] = min(capacity, min(allowed, max(target, 0.0)) + overtime)
        else:
            if turbine_torque > 0.0 and s[0]["lagged_throttle"] > DRIVEN:
                overtime = OVERTIME_RATE * capacity * max(0.0, time / duration - MAX_DRIVEN_TIME)
                target = max(target, 0.0)
            s[0]["clutch_capacity"] = min(capacity, max(-target, 0.0) + overtime)
            if overtime == 0.0:
                s[0]["slip_torque"] = slip_fraction(s, driveshaft_speed) * min(capacity, max(target, 0.0))


@inline
def slip_fraction(s, driveshaft_speed):
    """Return the usable fraction of the torque of the slipping clutch: 1 at a slip of SLIP_BAND, 0 without slip, where it would drive."""
    return min(1.0, max(0.0, (s[0]["turbine_speed"] - driveshaft_speed / s[0]["slip_ratio"]) / SLIP_BAND))


@inline
def advance_relief(p, s, h):
    """Reduce the throttle while an upshift brakes the engine, and restore it afterward."""
    target = p[0]["torque_reduction"] if s[0]["phase"] == INERTIA_PHASE and s[0]["slip_from"] > 0.0 else 0.0
    if target != s[0]["relief"]:
        step = h * p[0]["torque_reduction"] / p[0]["reduction_ramp"]
        s[0]["relief"] = min(target, s[0]["relief"] + step) if target > s[0]["relief"] else max(target, s[0]["relief"] - step)


@inline
def fade_slip_torque(s, driveshaft_speed, h):
    """Fade the remaining torque of the previous gear while in gear."""
    if s[0]["slip_torque"] > 0.0:
        left = s[0]["slip_torque"] - h * s[0]["slip_fade"]
        s[0]["slip_torque"] = max(0.0, left) if driveshaft_speed / s[0]["slip_ratio"] < s[0]["turbine_speed"] else 0.0


@inline
def finish_power_shift(p, s, driveshaft_speed):
    """Finish the shift after a step in which the clutch of the new gear sticks."""
    if s[0]["phase"] == INERTIA_PHASE and abs(s[0]["turbine_speed"] - driveshaft_speed / s[0]["ratio"]) < STICK_SLIP:
        s[0]["phase"] = DRIVE
        s[0]["slip_fade"] = s[0]["slip_torque"] / p[0]["torque_time"]
