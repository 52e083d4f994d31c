"""Rows that are outside of their tolerance and known to be, each with its reason: they do not fail `jounce validate all`, and are shown with it.

A row that is listed here and is kept is told: its line is to be struck out.
"""

from __future__ import annotations

from collections.abc import Mapping

_STOPS = "the figure is of a car; the stops stand where the damper map of the other model ends, and no drawing of the real ones was found"
_UNDERSTEER = "textbook range; the side force of the tire bends as in the other model, and no measurement says how far this vehicle follows"
_BRAKED = "a wheel braked so hard pushes sand ahead of it, which this comparison has at its side only: it is held back less than measured"

_PLOUGH = "a wheel that goes sideways ploughs itself in, at 90 degrees deeper than its radius, and sand heaps up before it; the law presses along the wheel's arc alone"
_PUSHED = "at 75 and 90 degrees the wheel pushes sand with two and three times the depth that it has here; to 45 degrees the side force is foretold"
_TURNED = "pulls of a few newtons between thrust and the resistance of a wheel that has ploughed itself in deeper than here"

KNOWN: Mapping[str, Mapping[str, str]] = {
    "soil_sand": {
        "smooth, to 45 deg: sinkage": _PLOUGH,
        "smooth, all angles: sinkage": _PLOUGH,
        "smooth, 15 to 90 deg: sign of the pull": _TURNED,
        "grouser5mm, all angles: side force": _PUSHED,
        "grouser5mm, all angles: sinkage": _PLOUGH,
        "grouser5mm, 15 to 90 deg: sign of the pull": _TURNED,
    },
    "trajectories": {
        "dropped from the design position: pitch": "the tires of Project Chrono stiffen below 3 m/s and its bristles are ten times as soft: it rolls away differently "
        "after the fall; z, the other channel that counts, is within 1 % (docs/trajectories.md)",
    },
    "cornering": {
        "rear slip over steer at 25 m/s": "0.9 kN of driving force against the drag load the rear axle and make it stiffer by 3.4 %, which the linear model "
        "with the stiffness of 15 m/s has not; it enters twice, in the slip and in K",
    },
    "published": {
        "share of the front axle": "the figure is of the vehicle without a load; this one carries 400 kg over the rear axle (`hmmwv_curb`, empty: 0.514)",
        "width": "the file has the 86 in of one source, the others have 2.12 to 2.16 m",
        "ground clearance at rest": "of the lowest point of the body as drawn; final drives and arms, below which the figure is taken, are not part of it",
        "rebound travel left, front": _STOPS,
        "rebound travel left, rear": _STOPS,
        "understeer, left, 0.3-0.4 g": _UNDERSTEER,
        "understeer, right, 0.3-0.4 g": _UNDERSTEER,
        "turns from lock to lock": "3.5 is of a demonstration of another model; with the steering lock of the published turning circle an overall ratio of 13 to 16 "
        "makes 2.2 to 2.7",
        "20 mph to rest, half the pedal": "6.7 m/s2 alone take 6.0 m; the rest is the pedal's ramp and the lag of the brakes; the figure is a level that is asked "
        "for, from memory",
    },
    "soil": {
        "measured, 15 deg, braked: pull": _BRAKED,
        "measured, 30 deg, braked: pull": _BRAKED,
        "measured, 0 deg, rolling: sinkage": "at a slip of 0.9: the numbers of the sand let the peak of the pressure wander too far forward there",
    },
}
"""By part and by what the row is of."""
