"""Steady turns at little lateral acceleration beside the linear single-track model.

Axle cornering stiffnesses and trails are measured in one turn at one speed; the model then says yaw gain, sideslip and understeer at other speeds
[any textbook; ISO 8855 for the words]. Forces act behind the axles by the trails t, in which is all that turns the vehicle back, aligning moments and
the friction of the differentials; with a' = a - t_f, b' = b + t_r

    K = m / (a' + b') (b' / C_f - a' / C_r),    r / delta = v / (L + K v^2)

K is the difference of two numbers that are much larger: TOLERANCE of one stiffness is a tenth or more of K. So the tolerance of everything that K
enters is what that makes of it, and EXACT.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from simulator.api.loading import assemble
from simulator.base.constants import STANDARD_GRAVITY
from simulator.builder.builder import build_tire, build_vehicle
from simulator.validation.suite.mass_properties import masses
from simulator.validation.suite.reference_runs import FRONT, REAR, VEHICLE, drive, straight
from simulator.validation.suite.result import Curve, Finding, PageFigure, Plot, ReferenceData, Row, near, within
from vehicles.tires.steady_state import steady

LEVEL = 0.3
"""m/s2 of lateral acceleration at which everything here is measured: little against the 6.4 of the limit."""
MEASURED_AT = 15.0
"""m/s, of the turn that gives the stiffnesses."""
PREDICTED_AT = (10.0, 20.0, 25.0)
"""m/s"""
WALKING = 2.0
"""m/s, at which tires hardly slip."""
RATIO, GUESS = 15.45, 1.5e-3
"""Steering ratio, and rad s2/m of understeer, with which the steering wheel's angle for LEVEL is guessed; the results do not depend on them."""
TOLERANCE, EXACT = 0.02, 0.01
"""Share by which an axle's stiffness may change with speed: load that driving force and drag shift, slip along that drives. And what is left to all else."""
SLIP = 0.005
"""rad, at which a tire's stiffness is read on the rig."""


class Turn(NamedTuple):
    """A steady turn; means over its last second, angles in rad."""

    speed: float
    yaw_rate: float
    steer: float
    """Mean heading of the front wheels less that of the rear wheels."""
    slip: tuple[float, float]
    """Of the axles, front and rear: heading of the wheels less the direction in which the axle's middle moves."""
    force: tuple[float, float]
    """N, of the axles, across."""
    trail: tuple[float, float]
    """m, of the axles: how far behind them these forces act, with all that turns the vehicle back."""
    wheelbase: float
    """m"""

    @property
    def gain(self) -> float:
        """1/s, yaw rate over steer."""
        return self.yaw_rate / self.steer

    @property
    def understeer(self) -> float:
        """rad s2/m: steer beyond that of the radius, per lateral acceleration."""
        return (self.steer - self.wheelbase * self.yaw_rate / self.speed) / self.level

    @property
    def level(self) -> float:
        """m/s2, lateral acceleration."""
        return self.speed * self.yaw_rate


class SingleTrack(NamedTuple):
    """The linear model: C_f and C_r in N/rad, and its other numbers."""

    stiffness: tuple[float, float]
    wheelbase: float
    mass: float
    ahead: float
    """m, from the center of mass to where the front force acts."""
    behind: float
    """m, to where the rear force acts."""

    @property
    def slips(self) -> tuple[float, float]:
        """rad s2/m, slip angles of both axles per lateral acceleration."""
        share = self.mass / (self.ahead + self.behind)
        return share * self.behind / self.stiffness[0], share * self.ahead / self.stiffness[1]

    @property
    def understeer(self) -> float:
        """K, rad s2/m."""
        return self.slips[0] - self.slips[1]

    def gain(self, v: Any) -> Any:
        """1/s"""
        return v / (self.wheelbase + self.understeer * v * v)

    def rear_slip_gain(self, v: float) -> float:
        """Slip angle of the rear axle over steer."""
        return self.slips[1] * v * self.gain(v)


def cornering(source: ReferenceData) -> Finding:
    """The part."""
    turns: dict[float, Turn] = {}
    for v in (WALKING, MEASURED_AT, *PREDICTED_AT):
        source.told(f"turn at {v:g} m/s")
        turns[v] = turn(v)
    model, walking, degrees = single_track(turns[MEASURED_AT]), turns[WALKING], np.rad2deg(STANDARD_GRAVITY)
    rows = [
        *_on_the_rig(model),
        within(f"yaw gain at {WALKING:g} m/s", walking.gain, walking.speed / walking.wheelbase, "1/s", TOLERANCE),
    ]
    for v in PREDICTED_AT:
        one = turns[v]
        share = round(EXACT + TOLERANCE * model.slips[0] * v * v / (model.wheelbase + model.understeer * v * v), 3)
        rows += [
            within(f"yaw gain at {v:g} m/s", one.gain, model.gain(one.speed), "1/s", share),
            within(f"rear slip over steer at {v:g} m/s", one.slip[1] / one.steer, model.rear_slip_gain(one.speed), "", TOLERANCE + share),
            near(
                f"understeer gradient at {v:g} m/s",
                degrees * one.understeer,
                degrees * model.understeer,
                "deg/g",
                round(degrees * (TOLERANCE + EXACT) * model.slips[0], 2),
            ),
        ]
    return Finding(rows, [_picture(turns, model)])


def turn(speed: float) -> Turn:
    """Drive a steady turn to the left at about LEVEL."""
    angle = np.rad2deg(RATIO * LEVEL * (3.3 / speed**2 + GUESS))
    turning = {
        "name": "turn",
        "steering": {"type": "ramp", "to_deg": float(angle), "rate_degps": 30},
        "speed_kph": 3.6 * speed,
        "lasts_s": 12,
    }
    driven = drive([straight(speed, 0.5), turning], speed)
    rows = driven.column("time") > driven.column("time")[-1] - 1.0
    v, v_y, r = (float(driven.column(name)[rows].mean()) for name in ("v_WB_B_x", "v_WB_B_y", "w_WB_B_z"))
    heading = driven.wheels("road_wheel_angle", rows).mean(axis=0)
    drag, F, M = (driven.wheels(name, rows).mean(axis=0) for name in ("F_C_*_x", "F_C_*_y", "M_C_*_z"))
    place, aside = driven.simulation.vehicle.readout[0]["p_BK"][:, :2].T
    slip = heading - (v_y + place * r) / v
    back = aside * drag - M  # what turns the vehicle back about the middles of its axles
    return Turn(
        speed=v,
        yaw_rate=r,
        steer=float(heading[FRONT].mean() - heading[REAR].mean()),
        slip=(float(slip[FRONT].mean()), float(slip[REAR].mean())),
        force=(float(F[FRONT].sum()), float(F[REAR].sum())),
        trail=(float(back[FRONT].sum() / F[FRONT].sum()), float(back[REAR].sum() / F[REAR].sum())),
        wheelbase=float(place[FRONT].mean() - place[REAR].mean()),
    )


def single_track(measured: Turn) -> SingleTrack:
    """The model with the stiffnesses of a turn and the masses of the vehicle's file."""
    vehicle = build_vehicle(VEHICLE)
    whole = masses(vehicle)
    front = float(np.mean([corner.W[0] for corner in vehicle.description.mechanism.designs[:2]]))
    ahead = front - float(whole.com[0])
    return SingleTrack(
        stiffness=(measured.force[0] / measured.slip[0], measured.force[1] / measured.slip[1]),
        wheelbase=measured.wheelbase,
        mass=whole.mass,
        ahead=ahead - measured.trail[0],
        behind=measured.wheelbase - ahead + measured.trail[1],
    )


def _on_the_rig(model: SingleTrack) -> list[Row]:
    """Stiffnesses of the axles beside those of their two tires on a rig, at their loads standing."""
    parts = assemble({"vehicle": VEHICLE, "terrain": "flat"}, None)
    parts.vehicle.reset(parts.ground)
    loads = parts.vehicle.readout[0]["F_C"][:, 2]
    tire = build_tire(parts.vehicle.description.tires[0])
    per_tire = -steady(tire, loads, alpha=SLIP)[:, 1] / SLIP
    return [
        within(f"cornering stiffness, {end} axle", model.stiffness[n], float(per_tire[2 * n : 2 * n + 2].sum()), "N/rad", 0.12)
        for n, end in enumerate(("front", "rear"))
    ]


def _picture(turns: dict[float, Turn], model: SingleTrack) -> PageFigure:
    v = np.linspace(1.0, 30.0, 100)
    found = np.array([(one.speed, one.gain, one.slip[1] / one.steer) for one in turns.values()])
    gain = Plot(
        "Yaw gain", "speed [m/s]", "1/s", [Curve("single track", v, model.gain(v)), Curve("Jounce", found[:, 0], found[:, 1], True)]
    )
    slip = Plot(
        "Slip angle of the rear axle over steer",
        "speed [m/s]",
        "1",
        [Curve("single track", v, np.array([model.rear_slip_gain(x) for x in v])), Curve("Jounce", found[:, 0], found[:, 2], True)],
    )
    return PageFigure(
        "cornering", f"steady turns at {LEVEL:g} m/s2; the stiffnesses of the model come from the turn at {MEASURED_AT:g} m/s", [gain, slip]
    )
