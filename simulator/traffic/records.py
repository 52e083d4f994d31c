"""Records of traffic for kernels: vehicles, pedestrians, other bodies on the road, and what these cover of the lanes."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from simulator.base.records import Record
from terrain.roads.network import NetworkArrays

STEP = 0.01
"""s between two calls of the kernel."""
SLOTS = 5
"""Each call advances every fifth vehicle and pedestrian, so that no tick takes much longer than another one."""
PERIOD = STEP * SLOTS
"""s between two decisions of a vehicle or a pedestrian."""
PARTS = 4
"""Segments of the path of an object: two periods of the past for sensors that scan, the present one, and its continuation."""

MOTION = (
    # name         shape  unit     description
    ("active", (), "1", "1 = on its way; 0 = it was hit and has left it", "i8"),
    ("row", (), "1", "row of its object in the world; -1 = none", "i8"),
    ("state", (), "1", "row of `states` of the object", "i8"),
    ("first_segment", (), "1", "first of the PARTS rows of `segments` of the object", "i8"),
    ("lane", (), "1", "number of the lane", "i8"),
    ("station", (), "m", "station on the lane; of a vehicle that of its front bumper"),
    ("speed", (), "m/s", "speed"),
    ("wait", (), "s", "time for which it has been waiting at a crossing"),
    ("draws", (), "1", "number of random choices so far", "i8"),
    ("p_WO", (3,), "m", "origin of its object, in W: of a vehicle the ground below the middle of the rear axle"),
    ("v_WO", (3,), "m/s", "velocity of the origin"),
    ("yaw", (), "rad", "heading"),
    ("yaw_rate", (), "rad/s", "rate of the heading"),
    ("pitch", (), "rad", "pitch, + = front down"),
)
"""Motion on a lane."""

AGENT = (
    *MOTION,
    ("full", (), "1", "1 = a vehicle with a model of its own, which moves it", "i8"),
    ("previous", (), "1", "lane before the present one; -1 = none", "i8"),
    ("next", (), "1", "lane after the present one; -1 = none", "i8"),
    ("after", (), "1", "lane after the next one; -1 = none", "i8"),
    ("held", (), "1", "lane of a crossing that the vehicle may use alone where others meet it; -1 = none", "i8"),
    ("leads", (), "1", "1 = all vehicles ahead of it on its lane hold their next one", "i8"),
    ("length", (), "m", "length"),
    ("half_width", (), "m", "half the width"),
    ("wheelbase", (), "m", "wheelbase"),
    ("overhang", (), "m", "distance of the front bumper from the front axle"),
    ("offset", (), "m", "distance to the left of the center line, at the begin of a lane change"),
    ("changed", (), "s", "time of the last lane change"),
    ("haste", (), "1", "desired speed divided by the speed limit"),
    ("max_speed", (), "m/s", "desired speed here"),
    ("acceleration", (), "m/s2", "maximum acceleration"),
    ("deceleration", (), "m/s2", "comfortable deceleration"),
    ("time_gap", (), "s", "time gap at a steady speed"),
    ("standstill_gap", (), "m", "gap at rest"),
    ("demand", (), "m/s2", "acceleration that the driver demands"),
    ("aim", (2,), "m", "point on the way ahead to which a vehicle with a model of its own steers, in W"),
)
"""A vehicle of the traffic."""

WALKER = (
    *MOTION,
    ("back", (), "1", "1 = walks against the direction of the lane", "i8"),
    ("crosses", (), "1", "1 = is crossing a road", "i8"),
    ("pace", (), "m/s", "speed of walking"),
    ("offset", (), "m", "distance to the right of the center line"),
    ("height", (), "m", "height of the origin of its object above the ground"),
)
"""A pedestrian."""

BODY = (
    # name         shape  unit   description
    ("p_W", (2,), "m", "reference point, in W"),
    ("yaw", (), "rad", "heading"),
    ("front", (), "m", "extent ahead of the reference point"),
    ("rear", (), "m", "extent behind it"),
    ("half_width", (), "m", "half the width"),
    ("speed", (), "m/s", "speed along the heading"),
)
"""A vehicle that is not part of the traffic, a person or an object on the road."""

OBSTACLE = (
    # name    shape  unit   description
    ("lane", (), "1", "number of the lane", "i8"),
    ("begin", (), "m", "first station that a body covers, or will cover within a second"),
    ("end", (), "m", "last one"),
    ("center", (), "m", "station next to the middle of the body"),
    ("speed", (), "m/s", "speed of the body along the lane, at least 0"),
)
"""What a body covers of a lane."""
MAX_OBSTACLES = 1024
"""Further ones are not seen."""

TRAFFIC = (
    # name       shape  unit   description
    ("start", (), "s", "time of the first call"),
    ("time", (), "s", "time of the next call"),
    ("calls", (), "1", "number of calls so far", "i8"),
    ("seed", (), "1", "seed of the random choices", "i8"),
    ("obstacles", (), "1", "number of obstacles", "i8"),
    ("fixed", (), "1", "number of obstacles that do not move, the first ones", "i8"),
    ("clearance", (), "m", "half the width of the widest vehicle, and a margin"),
    ("lost", (), "1", "number of obstacles beyond MAX_OBSTACLES so far", "i8"),
)


class TrafficArrays(NamedTuple):
    """Everything that the kernels of the traffic read and write."""

    p: Record
    """(1,) of TRAFFIC"""
    network: NetworkArrays
    boxes: np.ndarray
    """(lanes, 4) minimum and maximum x, y of each lane [m]"""
    speeds: np.ndarray
    """speeds that limit and curvature allow in each meter of the lanes [m/s]"""
    first_speeds: np.ndarray
    """(lanes + 1,) index in `speeds` of the begin of each lane"""
    priority: np.ndarray
    """(conflicts,) 1 = vehicles on the other lane go first"""
    shared: np.ndarray
    """(lanes,) station up to which a vehicle on the lane is in the way of those on other lanes with the same begin [m]"""
    agents: Record
    order: np.ndarray
    """(agents,) active agents by lane, then station"""
    firsts: np.ndarray
    """(lanes + 1,) index in `order` of the first agent of each lane"""
    walkers: Record
    joints: np.ndarray
    """(joints, 2) lanes for persons at each end of such lanes: number of the lane, 1 = they walk it backward"""
    first_joints: np.ndarray
    """(2 lanes + 1,) index in `joints` for the begin and the end of each lane"""
    bodies: Record
    obstacles: Record
