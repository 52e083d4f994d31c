"""Wheel loads at rest beside the lever rule: masses and places of the vehicle's files, added up body by body."""

from __future__ import annotations

import math

from simulator.api.simulation import Simulation
from simulator.base.constants import STANDARD_GRAVITY
from simulator.validation.suite.mass_properties import masses
from simulator.validation.suite.reference_runs import FRONT, REAR
from simulator.validation.suite.result import Finding, ReferenceData, Row, within

VEHICLES = ("hmmwv", "hmmwv_curb", "hmmwv_gross", "hmmwv_chrono", "five_link_rear")
"""Shipped vehicles with two axles."""
SLOPES = (("grade_40", 0.4, "lower axle on a grade of 40 %"), ("side_slope_40", 0.4, "lower side on a slope of 40 %"))
"""Terrain, rise over run, and what is compared there."""


def loads(source: ReferenceData) -> Finding:
    """The part."""
    rows: list[Row] = []
    for name in VEHICLES:
        source.told(f"{name} standing")
        simulation = Simulation(name, "flat", channels=("time",))
        whole, readout = masses(simulation.vehicle), simulation.vehicle.readout[0]
        load, x = readout["F_C"][:, 2], readout["p_BK"][:, 0]
        front, rear = float(x[FRONT].mean()), float(x[REAR].mean())
        weight = whole.mass * STANDARD_GRAVITY
        share = (whole.com[0] - rear) / (front - rear)
        rows += [
            within(f"{name}: all wheels", float(load.sum()), weight, "N", 1e-4),
            within(f"{name}: front axle", float(load[FRONT].sum()), float(weight * share), "N", 0.005),
        ]
    for terrain, rise, what in SLOPES:
        source.told(f"standing on {terrain}")
        rows.append(_on_slope(terrain, math.atan(rise), what))
    return Finding(rows)


def _on_slope(terrain: str, angle: float, what: str) -> Row:
    """The load of the two lower wheels of the shipped vehicle, parked; the body is taken as rigid, as it stands on level ground."""
    level, parked = Simulation("hmmwv", "flat", channels=("time",)), Simulation("hmmwv", terrain, channels=("time",))
    parked.command(brake=1.0, parking_brake=1.0)
    parked.advance(3.0)
    whole, readout = masses(level.vehicle), level.vehicle.readout[0]
    height = float(whole.com[2] + readout["p_WB"][2])
    along = terrain.startswith("grade")
    place = readout["p_BK"][:, 0] if along else readout["p_WC"][:, 1]
    low = REAR if along else slice(1, 4, 2)
    high = FRONT if along else slice(0, 4, 2)
    base = abs(float(place[high].mean() - place[low].mean()))
    lever = abs(float(place[high].mean()) - (float(whole.com[0]) if along else 0.0))
    wanted = whole.mass * STANDARD_GRAVITY * (math.cos(angle) * lever + math.sin(angle) * height) / base
    here = float(parked.vehicle.readout[0]["F_C"][low, 2].sum())
    return within(f"hmmwv: {what}", here, wanted, "N", 0.02)
