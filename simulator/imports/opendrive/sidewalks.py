"""Sidewalks joined where their ends meet: pedestrians walk in both directions, therefore a sidewalk may be turned to continue another one."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from terrain.roads.lane_table import MAX_GAP
from terrain.roads.network import Lane

BEGIN, END = 0, 1


def joined_sidewalks(lanes: Mapping[str, Lane]) -> dict[str, Lane]:
    """Return the lanes for persons, turned so that as many as possible continue one another, with their successors."""
    from scipy.spatial import cKDTree

    walks = [lane for lane in lanes.values() if lane.walk]
    if not walks:
        return {}
    ends = np.array([point for lane in walks for point in (lane.points[0], lane.points[-1])])  # row 2 n + end of lane n
    pairs = [(a, b) for a, b in sorted(cKDTree(ends).query_pairs(MAX_GAP)) if a // 2 != b // 2]
    joints: list[list[tuple[int, int, int]]] = [[] for _ in walks]  # own end, other lane, its end
    for a, b in pairs:
        joints[a // 2].append((a % 2, b // 2, b % 2))
        joints[b // 2].append((b % 2, a // 2, a % 2))
    turned: dict[int, bool] = {}
    for first in range(len(walks)):
        queue = deque([first] if first not in turned else [])
        turned.setdefault(first, False)
        while queue:
            here = queue.popleft()
            for own, other, its in joints[here]:
                if other not in turned:
                    turned[other] = turned[here] != (own == its)  # two ends or two begins: one lane turns
                    queue.append(other)
    out: dict[str, Lane] = {}
    for n, lane in enumerate(walks):
        after = [walks[k].name for own, k, its in joints[n] if (own == END) != turned[n] and (its == BEGIN) != turned[k]]
        points = lane.points[::-1] if turned[n] else lane.points
        out[lane.name] = replace(lane, points=points, successors=tuple(dict.fromkeys(after)))
    return out
