"""Steady turns at small lateral acceleration, compared with the linear single-track model.

Axle cornering stiffnesses and trails are measured in one turn at one speed. The model then predicts yaw gain, sideslip and understeer at
other speeds [textbooks; terms of ISO 8855]. The lateral forces act behind the axles by the trails t. The trails include all aligning
effects, such as aligning moments and the friction of the differentials. With a' = a - t_f, b' = b + t_r

    K = m / (a' + b') (b' / C_f - a' / C_r),    r / delta = v / (L + K v^2)

K is the difference of two much larger numbers: TOLERANCE of one stiffness is a tenth or more of K. The tolerance of all values that
depend on K therefore follows from this effect, plus EXACT.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from simulator.api.loading import assemble
from simulator.base.constants import STANDARD_GRAVITY
from simulator.builder.builder import build_tire, build_vehicle
from simulator.report.plot import RED, Axis, Curve, Panel
from simulator.validation.suite.mass_properties import masses
from simulator.validation.suite.reference_runs import FRONT, REAR, VEHICLE, drive, straight
from simulator.validation.suite.result import Finding, PageFigure, ReferenceData, Row, near, within
from vehicles.tires.steady_state import steady

LEVEL = 0.3
"""Lateral acceleration of all turns in m/s2, small against the limit of 6.4."""
MEASURED_AT = 15.0
"""Speed in m/s of the turn that gives the stiffnesses."""
PREDICTED_AT = (10.0, 20.0, 25.0)
"""Speeds in m/s of the predicted turns."""
WALKING = 2.0
"""Speed in m/s at which the tires have almost no slip."""
RATIO, GUESS = 15.45, 1.5e-3
"""Steering ratio, and understeer in rad s2/m, for the estimate of the steering-wheel angle at LEVEL; the results do not depend on them."""
TOLERANCE, EXACT = 0.02, 0.01
"""Relative change of an axle stiffness with speed, by the load transfer and the slip of the driving force; and relative tolerance of all
other effects."""
SLIP = 0.005
"""Slip angle in rad at which the stiffness of a tire is computed."""


class Turn(NamedTuple):
    """A steady turn: means over its last second, angles in rad."""

    speed: float
    yaw_rate: float
    steer: float
    """Mean heading of the front wheels minus that of the rear wheels."""
    slip: tuple[float, float]
    """Slip angles of the front and the rear axle: heading of the wheels minus direction of motion of the axle center."""
    force: tuple[float, float]
    """Lateral forces of the axles in N."""
    trail: tuple[float, float]
    """Trails of the axles in m: distance of the lateral forces behind the axles, including all aligning effects."""
    wheelbase: float
    """Wheelbase in m."""

    @property
    def gain(self) -> float:
        """Yaw rate over steering angle in 1/s."""
        return self.yaw_rate / self.steer

    @property
    def understeer(self) -> float:
        """Steering angle in addition to that of the radius, per lateral acceleration, in rad s2/m."""
        return (self.steer - self.wheelbase * self.yaw_rate / self.speed) / self.level

    @property
    def level(self) -> float:
        """Lateral acceleration in m/s2."""
        return self.speed * self.yaw_rate


class SingleTrack(NamedTuple):
    """Linear single-track model with C_f and C_r in N/rad."""

    stiffness: tuple[float, float]
    wheelbase: float
    mass: float
    ahead: float
    """Distance in m from the center of mass to the front force."""
    behind: float
    """Distance in m from the center of mass to the rear force."""

    @property
    def slips(self) -> tuple[float, float]:
        """Slip angles of both axles per lateral acceleration in rad s2/m."""
        share = self.mass / (self.ahead + self.behind)
        return share * self.behind / self.stiffness[0], share * self.ahead / self.stiffness[1]

    @property
    def understeer(self) -> float:
        """Understeer gradient K in rad s2/m."""
        return self.slips[0] - self.slips[1]

    def gain(self, v: Any) -> Any:
        """Return the yaw gain in 1/s."""
        return v / (self.wheelbase + self.understeer * v * v)

    def rear_slip_gain(self, v: float) -> float:
        """Return the slip angle of the rear axle over the steering angle."""
        return self.slips[1] * v * self.gain(v)


def cornering(source: ReferenceData) -> Finding:
    """Evaluate steady turns at several speeds."""
    turns: dict[float, Turn] = {}
    for v in (WALKING, MEASURED_AT, *PREDICTED_AT):
        source.progress(f"turn at {v:g} m/s")
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
    return Finding(rows, [_page_figure(turns, model)])


def turn(speed: float) -> Turn:
    """Simulate a steady left turn at about LEVEL."""
    angle = np.rad2deg(RATIO * LEVEL * (3.3 / speed**2 + GUESS))
    turning = {
        "name": "turn",
        "steering": {"type": "ramp", "to_deg": float(angle), "rate_degps": 30},
        "speed_kph": 3.6 * speed,
        "lasts_s": 12,
    }
    run = drive([straight(speed, 0.5), turning], speed)
    rows = run.column("time") > run.column("time")[-1] - 1.0
    v, v_y, r = (float(run.column(name)[rows].mean()) for name in ("v_WB_B_x", "v_WB_B_y", "w_WB_B_z"))
    heading = run.wheels("road_wheel_angle", rows).mean(axis=0)
    drag, F, M = (run.wheels(name, rows).mean(axis=0) for name in ("F_C_*_x", "F_C_*_y", "M_C_*_z"))
    place, lateral = run.simulation.vehicle.readout[0]["p_BK"][:, :2].T
    slip = heading - (v_y + place * r) / v
    back = lateral * drag - M  # aligning moment about the axle centers
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
    """Return the model with the stiffnesses of a turn and the masses of the vehicle file."""
    vehicle = build_vehicle(VEHICLE)
    total = masses(vehicle)
    front = float(np.mean([corner.W[0] for corner in vehicle.description.mechanism.designs[:2]]))
    ahead = front - float(total.com[0])
    return SingleTrack(
        stiffness=(measured.force[0] / measured.slip[0], measured.force[1] / measured.slip[1]),
        wheelbase=measured.wheelbase,
        mass=total.mass,
        ahead=ahead - measured.trail[0],
        behind=measured.wheelbase - ahead + measured.trail[1],
    )


def _on_the_rig(model: SingleTrack) -> list[Row]:
    """Return rows that compare the axle stiffnesses with those of two tires on a test rig, at the loads at rest."""
    parts = assemble({"vehicle": VEHICLE, "terrain": "flat"}, None)
    parts.vehicle.reset(parts.ground)
    loads = parts.vehicle.readout[0]["F_C"][:, 2]
    tire = build_tire(parts.vehicle.description.tires[0])
    per_tire = -steady(tire, loads, alpha=SLIP)[:, 1] / SLIP
    return [
        within(f"cornering stiffness, {end} axle", model.stiffness[n], float(per_tire[2 * n : 2 * n + 2].sum()), "N/rad", 0.12)
        for n, end in enumerate(("front", "rear"))
    ]


def _page_figure(turns: dict[float, Turn], model: SingleTrack) -> PageFigure:
    v = np.linspace(1.0, 30.0, 100)
    points = np.array([(one.speed, one.gain, one.slip[1] / one.steer) for one in turns.values()])
    speed = Axis("speed", "m/s")
    slips = np.array([model.rear_slip_gain(x) for x in v])
    panels = [
        Panel(
            title, speed, axis, [Curve("single track", v, line), Curve("Jounce", points[:, 0], points[:, k], RED, points=True, line=False)]
        )
        for title, axis, line, k in (
            ("Yaw gain", Axis("yaw rate over steer", "1/s"), model.gain(v), 1),
            ("Slip angle of the rear axle over steer", Axis("slip angle over steer"), slips, 2),
        )
    ]
    return PageFigure(
        "cornering", f"steady turns at {LEVEL:g} m/s2; the stiffnesses of the model come from the turn at {MEASURED_AT:g} m/s", panels
    )
