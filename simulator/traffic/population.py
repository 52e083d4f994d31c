"""Places of vehicles and pedestrians at the begin, at random on the lanes."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from simulator.base.errors import JounceError
from simulator.traffic.traffic import AgentPlan, WalkerPlan
from terrain.roads.network import RoadNetwork, lane_pose

GAP = 6.0
"""m. Smallest distance of two vehicles at the begin."""
CLEAR = 12.0
"""m. Smallest distance of a vehicle from the places to keep clear."""
HASTE = (0.85, 1.05)
"""1. Desired speed divided by the speed limit, minimum and maximum. [assumed]"""
PACE, SPREAD = 1.34, 0.26
"""m/s. Mean and standard deviation of the speed of pedestrians [Weidmann 1993]."""
SIDE = 0.6
"""m. Distance of pedestrians to the right of the middle of a sidewalk, at most."""


@dataclass(frozen=True)
class CarSize:
    """Outline of a vehicle seen from above [m]; overhang of the front bumper before the front axle."""

    length: float
    half_width: float
    wheelbase: float
    overhang: float


def plan_agents(
    network: RoadNetwork, sizes: Sequence[CarSize], random: np.random.Generator, clear: Sequence[tuple[float, float]] = ()
) -> list[AgentPlan]:
    """Return places for vehicles on the lanes outside the crossings. Raises JounceError: there is not enough room.

    clear : x, y [m] of places to keep clear
    """
    spacing = max((one.length for one in sizes), default=0.0) + GAP
    part = set(next(iter(network.connected_parts()), []))
    places = []
    for k, row in enumerate(network.arrays.lanes):
        if k in part and row["crossing"] < 0:
            count = int((row["length"] - GAP) // spacing)
            places += [(k, spacing * (n + 1)) for n in range(count)]
    places = [(k, s) for k, s in places if _is_clear(network, k, s, clear)]
    if len(places) < len(sizes):
        raise JounceError(f"at most {len(places)} vehicles of this length on the lanes of this terrain")
    chosen = random.permutation(len(places))[: len(sizes)]
    haste = random.uniform(*HASTE, len(sizes))
    return [
        AgentPlan(places[n][0], places[n][1], one.length, one.half_width, one.wheelbase, one.overhang, float(fast))
        for n, one, fast in zip(chosen, sizes, haste, strict=True)
    ]


def _is_clear(network: RoadNetwork, lane: int, station: float, clear: Sequence[tuple[float, float]]) -> bool:
    x, y, _ = lane_pose(network.arrays, lane, station)
    return all(math.dist((x, y), place) > CLEAR for place in clear)


def plan_walkers(network: RoadNetwork, count: int, height: float, random: np.random.Generator) -> list[WalkerPlan]:
    """Return places for pedestrians on the lanes that cross no road; height : of the origins of their objects above the ground [m].

    Raises JounceError: there is no such lane.
    """
    a = network.arrays
    lanes = [k for k, one in enumerate(network.lanes) if one.walk and a.lanes[k]["conflicts"] == 0]
    if count and not lanes:
        raise JounceError("a terrain with lanes for pedestrians, or none of them")
    lengths = a.lanes["length"][lanes]
    out = []
    for _ in range(count):
        lane = int(random.choice(lanes, p=lengths / lengths.sum()))
        station, back = float(random.uniform(0.0, a.lanes[lane]["length"])), bool(random.integers(2))
        pace = float(np.clip(random.normal(PACE, SPREAD), 0.6, 2.2))
        out.append(WalkerPlan(lane, station, back, pace, float(random.uniform(0.0, SIDE)), height))
    return out
