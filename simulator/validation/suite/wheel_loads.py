"""Wheel loads at rest compared with a static moment balance of masses and positions from the vehicle files."""

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
"""Terrain, rise over run, and compared quantity."""


def loads(source: ReferenceData) -> Finding:
    """Evaluate wheel loads on level ground and on slopes."""
    rows: list[Row] = []
    for name in VEHICLES:
        source.progress(f"{name} at rest")
        simulation = Simulation(name, "flat", channels=("time",))
        total, readout = masses(simulation.vehicle), simulation.vehicle.readout[0]
        load, x = readout["F_C"][:, 2], readout["p_BK"][:, 0]
        front, rear = float(x[FRONT].mean()), float(x[REAR].mean())
        weight = total.mass * STANDARD_GRAVITY
        share = (total.com[0] - rear) / (front - rear)
        rows += [
            within(f"{name}: all wheels", float(load.sum()), weight, "N", 1e-4),
            within(f"{name}: front axle", float(load[FRONT].sum()), float(weight * share), "N", 0.005),
        ]
    for terrain, rise, what in SLOPES:
        source.progress(f"at rest on {terrain}")
        rows.append(_on_slope(terrain, math.atan(rise), what))
    return Finding(rows)


def _on_slope(terrain: str, angle: float, what: str) -> Row:
    """Return the row of the load of the two lower wheels of the parked shipped vehicle. The body is rigid, in its position at rest on
    level ground."""
    level, parked = Simulation("hmmwv", "flat", channels=("time",)), Simulation("hmmwv", terrain, channels=("time",))
    parked.command(brake=1.0, parking_brake=1.0)
    parked.advance(3.0)
    total, readout = masses(level.vehicle), level.vehicle.readout[0]
    height = float(total.com[2] + readout["p_WB"][2])
    along = terrain.startswith("grade")
    position = readout["p_BK"][:, 0] if along else readout["p_WC"][:, 1]
    low = REAR if along else slice(1, 4, 2)
    high = FRONT if along else slice(0, 4, 2)
    base = abs(float(position[high].mean() - position[low].mean()))
    lever = abs(float(position[high].mean()) - (float(total.com[0]) if along else 0.0))
    expected = total.mass * STANDARD_GRAVITY * (math.cos(angle) * lever + math.sin(angle) * height) / base
    here = float(parked.vehicle.readout[0]["F_C"][low, 2].sum())
    return within(f"hmmwv: {what}", here, expected, "N", 0.02)
