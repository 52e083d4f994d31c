"""Shifts of an automatic gearbox by its clutches: a torque phase, an inertia phase, and less torque of the engine meanwhile.

The turbine turns between its speeds of the two gears, so the clutch of the higher gear can only brake it and that of the lower one only drive
it. An upshift under load goes

    HAND_OVER   the gear that was holds as one that cannot push back (its torque ends at zero); the clutch of the higher one slips and takes
                its torque over in a given time, until nothing is left to hold
    MEET        the clutch of the new gear slips with a known capacity until the turbine has come down to its speed, and then holds

and a downshift under load backwards: in MEET the clutch of the old gear lets the turbine rise, slipping with a known torque, until the new gear
catches it; then that torque fades. Without load only MEET is left. So at every instant one clutch is friction that may hold (the coupling of the
step) and at most one other slips with a known torque.

The capacity of the slipping clutch is what a controller wants that knows the torque T_t of the turbine, its inertia J_t and its slip s:

    T = T_t + J_t (s_0 f'(t / t_i) / t_i + (s - s_0 (1 - f(t / t_i))) / t_s)        f: smooth step over the inertia time t_i

but in an upshift not more than gives the output the torque that it had before, and a little; the turbine then comes down more slowly.
"""

from __future__ import annotations

from simulator.base.fields import Field, Number
from simulator.base.jit import inline
from vehicles.drivetrain.measured_curves import LARGEST_TORQUE, LONGEST_TIME, smooth_step, smooth_step_rate

NEUTRAL, ENGAGE, DRIVE, HAND_OVER, MEET = 0, 1, 2, 3, 4

TRACKING = 0.03
"""s. Time in which the controller takes a wrong slip back. Larger: the shift may end with a jerk; smaller than a few steps it rings."""
SLIP_BAND = 5.0
"""rad/s. Slip up to which the torque of the clutch that is let go grows; a turbine must not turn backwards in it within a step."""
MET = 1e-4
"""rad/s. Slip below which the clutch of the new gear holds; held, it is rounding."""

SPARE = 0.1
"""1. What an upshift may add to the torque before it, over the capacity. Larger: a harder jolt; smaller: the clutch slips longer."""
HURRY = 0.25
"""1. Share of the capacity that comes on top once the inertia time is over again. Larger: shifts that take long end with a jolt."""

POWER_SHIFT = (
    # name               shape   unit      what it is
    ("shift_capacity", (), "N m", "largest torque of a shifting clutch, at the turbine shaft; 0: the ratio glides instead"),
    ("torque_time", (), "s", "time in which a clutch takes the torque over or gives it up"),
    ("inertia_time", (), "s", "time in which the turbine is brought to the speed of the new gear"),
    ("torque_reduction", (), "1", "share of the throttle that is taken back while an upshift brakes the engine"),
    ("reduction_ramp", (), "s", "time in which it is taken back, and given back"),
)

_TIME = Number("s", 1e-3, LONGEST_TIME)
POWER_SHIFT_FILE = (
    Field("capacity", Number("N m", 1.0, LARGEST_TORQUE), "largest torque of the clutch of a gear, at the turbine shaft"),
    Field("torque_time", _TIME, "time in which a clutch takes the torque over or gives it up"),
    Field("inertia_time", _TIME, "time in which the turbine is brought to the speed of the new gear"),
    Field("torque_reduction", Number("1", 0.0, 1.0), "share of the throttle taken back while an upshift brakes the engine", 0.0),
    Field("reduction_ramp", _TIME, "time in which it is taken back, and given back", 0.1),
)
"""Of the section `clutches` of an automatic gearbox."""

POWER_SHIFT_STATE = (
    # name               shape  unit      what it is
    ("slip_torque", (), "N m", "torque of the clutch that slips beside the coupling, on the turbine shaft, + = it drives the output"),
    ("slip_ratio", (), "1", "its gear, driveshaft speed / turbine speed"),
    ("slip_fade", (), "N m/s", "rate at which it is given up in gear"),
    ("clutch_capacity", (), "N m", "capacity of the coupling while it meets its gear, or of the friction clutch"),
    ("torque_before", (), "N m", "torque of the output before the shift, not below 0"),
    ("met_at", (), "s", "time since the last change of gear at which the inertia phase began"),
    ("relief", (), "1", "share of the throttle that is taken back"),
    ("clutch_heat", (), "J", "work turned into heat by all clutches since the start"),
)


@inline
def begin_shift(p, s, gear, ratio):
    """Begin to shift by the clutches into a gear with that ratio."""
    upward = ratio > s[0]["ratio"]
    s[0]["gear"], s[0]["clock"], s[0]["ratio_from"] = gear, 0.0, s[0]["ratio"]
    s[0]["torque_before"] = max(0.0, s[0]["coupling_torque"] / s[0]["ratio"])
    s[0]["slip"] = s[0]["slip_torque"] = s[0]["slip_fade"] = 0.0
    s[0]["slip_ratio"] = ratio if upward else s[0]["ratio"]
    if upward and s[0]["coupling_torque"] > 0.0 and s[0]["turbine_speed"] > 0.0:
        s[0]["phase"] = HAND_OVER
    else:
        s[0]["phase"], s[0]["met_at"] = MEET, 0.0
        s[0]["ratio"] = ratio
        s[0]["slip_from"] = s[0]["turbine_speed"] * (1.0 - s[0]["ratio_from"] / ratio)


@inline
def work_clutches(p, s, ratio, turbine_torque, driveshaft_speed, h):
    """Set capacity and slip torque of the clutches for the next step of h seconds of a shift into the gear with that ratio."""
    capacity = p[0]["shift_capacity"]
    if s[0]["phase"] == HAND_OVER:
        share = s[0]["clock"] / p[0]["torque_time"]
        s[0]["slip_torque"] = slipping(s, driveshaft_speed) * min(capacity, share * max(turbine_torque, 0.0))
        if share >= 1.0 or s[0]["coupling_torque"] <= 0.0:
            s[0]["phase"], s[0]["met_at"], s[0]["slip_torque"] = MEET, s[0]["clock"], 0.0
            s[0]["ratio"] = ratio
            s[0]["slip_from"] = s[0]["turbine_speed"] - driveshaft_speed / ratio
    if s[0]["phase"] == MEET:
        time = s[0]["clock"] - s[0]["met_at"]
        slip, duration, first = s[0]["turbine_speed"] - driveshaft_speed / ratio, p[0]["inertia_time"], s[0]["slip_from"]
        planned = first * (1.0 - smooth_step(time, duration))
        braking = first * smooth_step_rate(time, duration) + (slip - planned) / TRACKING
        wanted = turbine_torque + p[0]["turbine_inertia"] * braking
        # what the plan has not done in its time is done by force
        overtime = HURRY * capacity * max(0.0, time / duration - 1.0)
        s[0]["slip_torque"] = 0.0
        if first > 0.0:
            allowed = s[0]["torque_before"] * ratio + SPARE * capacity
            s[0]["clutch_capacity"] = min(capacity, min(allowed, max(wanted, 0.0)) + overtime)
        else:
            s[0]["clutch_capacity"] = min(capacity, max(-wanted, 0.0) + overtime)
            if overtime == 0.0:
                s[0]["slip_torque"] = slipping(s, driveshaft_speed) * min(capacity, max(wanted, 0.0))


@inline
def slipping(s, driveshaft_speed):
    """How much of its torque the clutch beside the coupling can have: all of it with a slip of SLIP_BAND, none without, or it would drive."""
    return min(1.0, max(0.0, (s[0]["turbine_speed"] - driveshaft_speed / s[0]["slip_ratio"]) / SLIP_BAND))


@inline
def work_relief(p, s, h):
    """Take throttle back while an upshift brakes the engine, and give it back."""
    wanted = p[0]["torque_reduction"] if s[0]["phase"] == MEET and s[0]["slip_from"] > 0.0 else 0.0
    if wanted != s[0]["relief"]:
        step = h * p[0]["torque_reduction"] / p[0]["reduction_ramp"]
        s[0]["relief"] = min(wanted, s[0]["relief"] + step) if wanted > s[0]["relief"] else max(wanted, s[0]["relief"] - step)


@inline
def fade_slip_torque(s, driveshaft_speed, h):
    """In gear: give up the rest of the torque of the gear before."""
    if s[0]["slip_torque"] > 0.0:
        left = s[0]["slip_torque"] - h * s[0]["slip_fade"]
        s[0]["slip_torque"] = max(0.0, left) if driveshaft_speed / s[0]["slip_ratio"] < s[0]["turbine_speed"] else 0.0


@inline
def meet(p, s, driveshaft_speed):
    """After a step: in gear as soon as the clutch of the new one holds."""
    if s[0]["phase"] == MEET and abs(s[0]["turbine_speed"] - driveshaft_speed / s[0]["ratio"]) < MET:
        s[0]["phase"] = DRIVE
        s[0]["slip_fade"] = s[0]["slip_torque"] / p[0]["torque_time"]
