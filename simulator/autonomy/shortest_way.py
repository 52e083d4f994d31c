"""Shortest way to a goal on the true map: the reference of the metric SPL."""

from __future__ import annotations

import math

import numpy as np

from simulator.autonomy.contract import Goal, MapperInput, MapperSettings, Pose
from simulator.autonomy.guidance import NARROWEST, NEAREST
from simulator.autonomy.mappers.truth import KIND, TruthMapper
from simulator.autonomy.route_field import route_field
from simulator.autonomy.vehicle_traits import VehicleTraits
from simulator.base.fields import read
from simulator.base.records import record
from terrain.ground import Ground
from vehicles.readout import READOUT

MARGIN = 40.0
"""m beyond start and goal."""
MAX_CELLS = 600
"""Cells along a side of the map."""
FINEST, COARSEST = 0.5, 2.0
"""m. Least and largest side length of a cell."""


def shortest_way(start: Pose, goal: Goal, ground: Ground, vehicle: VehicleTraits) -> float:
    """Return the length [m] of the shortest way for a disc as wide as the vehicle at time 0, to the edge of the goal; NaN without a way.

    To a goal so far away that the cells would be larger than COARSEST, it is the straight way.

    Steps go to one of 8 neighboring cells; their lengths exceed those of straight lines by up to 8 %.
    """
    away = math.hypot(goal.x - start.x, goal.y - start.y)
    extent = away + 2.0 * MARGIN
    cell = max(FINEST, extent / MAX_CELLS)
    if cell > COARSEST:
        return away - goal.radius
    values = {**read(KIND.parameters, {"cell": cell}, ""), "extent": extent}
    mapper = TruthMapper(MapperSettings(values, vehicle, ground, np.random.default_rng(0)))
    center = record(READOUT)
    center[0]["p_WB"][:2] = 0.5 * (start.x + goal.x), 0.5 * (start.y + goal.y)
    obstacle_map = mapper.update(MapperInput(0.0, center, {}, ground.objects))
    ny, nx = obstacle_map.shape
    x, y = (obstacle_map.origin[k] + (np.arange(n) + 0.5) * cell for k, n in enumerate((nx, ny)))
    weight = np.where(obstacle_map.distance > 0.5 * vehicle.width + NARROWEST, 1.0, np.inf)
    near = np.hypot(x[None, :] - goal.x, y[:, None] - goal.y) <= max(goal.radius, cell)
    way = route_field(weight, np.where(near, 0.0, np.inf), cell)
    from_start = way + np.hypot(x[None, :] - start.x, y[:, None] - start.y)
    from_start[np.hypot(x[None, :] - start.x, y[:, None] - start.y) > NEAREST] = np.inf
    least = float(from_start.min())
    return least if math.isfinite(least) else math.nan
