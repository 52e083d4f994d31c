"""Known deviations: rows outside their tolerance, each with its reason. They do not fail `jounce validate all`, but are shown.

A listed row that is within its tolerance is reported. Its line must then be removed.
"""

from __future__ import annotations

from collections.abc import Mapping

_STOPS = (
    "the value applies to a car; the stops are at the ends of the damper map of the other model, and no drawing of the real "
    "stops was available"
)
_DRIVEN = (
    "TMeasy interpolates between the slopes along and across by the direction of the slip, each over peak force and slip: 3.3 and 2.2 for "
    "this tire. The driving slip of 0.003 against the drag therefore raises the side force at a slip angle of 0.2 degrees by 15 %, which "
    "the linear model with the stiffness at 15 m/s does not contain"
)
_BRAKED = (
    "a wheel that brakes this hard pushes sand ahead; the model has bulldozing at the side only, so the computed resistance is too small"
)

_DIG_IN = (
    "a wheel that moves sideways digs in (at 90 degrees deeper than its radius) and piles up sand; the model has pressure along "
    "the arc of the wheel only"
)
_PUSHED = (
    "at 75 and 90 degrees the wheel pushes sand with two and three times the computed depth; up to 45 degrees the side force is predicted"
)
_TURNED = "pulls of a few newtons, between the thrust and the resistance of a wheel that has dug in deeper than computed"

KNOWN: Mapping[str, Mapping[str, str]] = {
    "soil_sand": {
        "smooth, to 45 deg: sinkage": _DIG_IN,
        "smooth, all angles: sinkage": _DIG_IN,
        "smooth, 15 to 90 deg: sign of the pull": _TURNED,
        "grouser5mm, all angles: side force": _PUSHED,
        "grouser5mm, all angles: sinkage": _DIG_IN,
        "grouser5mm, 15 to 90 deg: sign of the pull": _TURNED,
    },
    "soil_snow": {
        "HMMWV, 220 kg/m3, 0.22 m: resistance over load": (
            "the formula grows with the 1.26th power of the width and was fitted to one narrow tire; the model works with the width itself"
        ),
    },
    "trajectories": {
        "dropped from the design position: pitch": (
            "the tires of Project Chrono become stiffer below 3 m/s and its bristles are "
            "softer by a factor of ten, so its vehicle rolls away differently after the drop; "
            "z, the other channel that counts, is within 1 % (docs/trajectories.md)"
        ),
    },
    "cornering": {
        "rear slip over steer at 20 m/s": _DRIVEN,
        "rear slip over steer at 25 m/s": _DRIVEN,
    },
    "published": {
        "load fraction of the front axle": (
            "the value applies to the vehicle without a load; `hmmwv` carries 400 kg over the rear axle (`hmmwv_curb`, empty: 0.514)"
        ),
        "width": "the file has 86 in from one source; the other sources give 2.12 to 2.16 m",
        "ground clearance at rest": (
            "computed for the lowest point of the drawn body; the published value includes final drives and "
            "arms, which are not part of this body"
        ),
        "rebound travel left, front": _STOPS,
        "rebound travel left, rear": _STOPS,
        "turns from lock to lock": (
            "3.5 comes from a demonstration of another model; with the steering lock of the published turning "
            "circle, an overall ratio of 13 to 16 gives 2.2 to 2.7 turns"
        ),
        "20 mph to rest, half the pedal": (
            "a deceleration of 6.7 m/s2 alone takes 6.0 m; the rest is the ramp of the pedal and the "
            "lag of the brakes; the value is a requirement, from memory"
        ),
    },
    "soil": {
        "measured, 15 deg, braked: pull": _BRAKED,
        "measured, 30 deg, braked: pull": _BRAKED,
        "measured, 0 deg, rolling: sinkage": "at a slip of 0.9, the sand parameters move the peak of the pressure too far forward",
    },
}
"""Reasons by part and by the name of the row."""
