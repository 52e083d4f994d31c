"""Plants among the objects: trunks and crowns that belong together, and what kind of plant each is. No OpenGL here."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from simulator.view.object_data import ObjectData
from terrain.objects.labels import LABELS
from terrain.objects.records import CAPSULE, CYLINDER, SPHERE

KINDS = ("spruce", "fir", "pine", "oak", "birch", "maple", "dead", "bush", "hazel", "reed", "log")
"""Kinds of plants, in the order of their numbers."""
CONIFERS, BROADLEAVES, BUSHES, HERBS = ("spruce", "fir", "pine"), ("oak", "birch", "maple"), ("bush", "hazel"), ("reed", "bush", "dead")
"""Kinds from which the place of a plant chooses: below a capsule, below a sphere, for a lone crown, for a small lone crown."""
DEAD_SHARE = 0.03
"""Share of the trees in a forest that are drawn without leaves, as in an old forest. [assumed]"""
CROWD = 7.0
"""m. Distance up to which plants are neighbors."""
FOREST = 0.4
"""Minimum `Plants.crowd` in a forest: four neighbors."""
SMALL = 0.6
"""m. Maximum radius of a lone crown that is drawn as a herb."""
STUMP = 5.0
"""Maximum height of a lone trunk, divided by its diameter, that is drawn as a log or stump; a higher one is a dead tree."""
UPRIGHT = 0.95
"""Minimum cosine between the axis of a shape and the vertical."""
STEM = 0.07
"""Radius of the stem of a bush, divided by the radius of the bush."""

Rows = NDArray[np.int64]
Floats = NDArray[np.float64]


class Plants(NamedTuple):
    """Plants of a world; n plants."""

    trunk: Rows
    """(n,) row of the trunk among the objects, -1 = none"""
    crown: Rows
    """(n,) row of the crown, -1 = none"""
    kind: Rows
    """(n,) number of the kind"""
    base: Floats
    """(n, 3) middle of the lowest point, in W [m]"""
    size: Floats
    """(n, 4) radius of the crown, height of its lowest and of its highest point above the base, radius of the trunk [m]"""
    chance: Floats
    """(n, 4) numbers from 0 to 1 that depend on the place only"""
    crowd: Floats
    """(n,) share of the sunlight that neighbors take from the foot of a plant"""


def find_plants(data: ObjectData, free: NDArray[np.bool_]) -> Plants:
    """Return the plants among the objects that are `free` (n,): upright cylinders, spheres and capsules with the label vegetation."""
    green = free & (data.label == LABELS["vegetation"]) & (data.path[:, 1] == 0) & (data.R_WO[:, 2, 2] > UPRIGHT)
    trunks = np.flatnonzero(green & (data.shape == CYLINDER))
    crowns = np.flatnonzero(green & ((data.shape == SPHERE) | (data.shape == CAPSULE)))
    under = _trunk_under(data, trunks, crowns)
    lone = np.setdiff1d(trunks, under)
    crown = np.concatenate((crowns, np.full(len(lone), -1)))
    trunk = np.concatenate((under, lone))
    base, size = _sizes(data, trunk, crown)
    chance, crowd = place_chances(base[:, :2]), _crowds(base[:, :2])
    return Plants(trunk, crown, _kinds(data, (trunk, crown), size, chance, crowd), base, size, chance, crowd)


def place_chances(places: Floats) -> Floats:
    """Return numbers (n, 4) from 0 to 1 for places (n, 2) [m], equal for equal places [Steele, Lea and Flood 2014, SplitMix64]."""
    x, y = np.rint(places.T * 64.0).astype(np.int64).view(np.uint64)
    with np.errstate(over="ignore"):
        h = x * np.uint64(0x9E3779B97F4A7C15) ^ (y + np.uint64(0x632BE59BD9B4E019)) * np.uint64(0xD1B54A32D192ED03)
        h = (h ^ (h >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        h = (h ^ (h >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        h ^= h >> np.uint64(31)
    return np.stack([((h >> np.uint64(16 * k)) & np.uint64(0xFFFF)) for k in range(4)], axis=1) / 65536.0


def _extent(data: ObjectData, rows: Rows) -> tuple[Floats, Floats, Floats]:
    """Return the center (n, 3), the radius and the half height (n,) of upright shapes [m]."""
    center = data.p_WO[rows] + np.einsum("nij,nj->ni", data.R_WO[rows], data.center_O[rows])
    return center, data.half_O[rows, 0], data.half_O[rows, 2]


def _trunk_under(data: ObjectData, trunks: Rows, crowns: Rows) -> Rows:
    """Return the row of the trunk under each crown, -1 = none: its axis is near that of the crown, and it reaches from below into the crown."""
    out = np.full(len(crowns), -1)
    if not len(trunks) or not len(crowns):
        return out
    from scipy.spatial import cKDTree  # imported on use: many worlds have no trees

    middle, radius, half = _extent(data, crowns)
    center, _, half_trunk = _extent(data, trunks)
    distance, nearest = cKDTree(center[:, :2]).query(middle[:, :2])
    low, high = center[nearest, 2] - half_trunk[nearest], center[nearest, 2] + half_trunk[nearest]
    fits = (distance < 0.3 * radius) & (low < middle[:, 2]) & (high > middle[:, 2] - 1.2 * half)
    order = np.lexsort((distance, nearest, ~fits))
    chosen = nearest[order]
    first = np.concatenate(([True], chosen[1:] != chosen[:-1])) & fits[order]  # a trunk carries one crown
    out[order[first]] = trunks[chosen[first]]
    return out


def _sizes(data: ObjectData, trunk: Rows, crown: Rows) -> tuple[Floats, Floats]:
    """Return `Plants.base` and `Plants.size`."""
    has_trunk, has_crown = trunk >= 0, crown >= 0
    below, above = _extent(data, trunk), _extent(data, crown)
    base = np.where(has_trunk[:, None], below[0], above[0])
    base[:, 2] -= np.where(has_trunk, below[2], above[2])
    bottom = np.where(has_crown, above[0][:, 2] - above[2] - base[:, 2], 0.35 * 2.0 * below[2])
    top = np.where(has_crown, above[0][:, 2] + above[2] - base[:, 2], 2.0 * below[2])
    radius = np.where(has_crown, above[1], 0.14 * 2.0 * below[2])
    thick = np.where(has_trunk, below[1], STEM * above[1])
    return base, np.column_stack((radius, np.maximum(bottom, 0.0), top, thick))


def _crowds(places: Floats) -> Floats:
    """Return `Plants.crowd` for places (n, 2)."""
    if not len(places):
        return np.zeros(0)
    from scipy.spatial import cKDTree

    neighbors = cKDTree(places).query_ball_point(places, CROWD, return_length=True) - 1
    return np.asarray(0.85 * neighbors / (neighbors + 4.0))


def _kinds(data: ObjectData, rows: tuple[Rows, Rows], size: Floats, chance: Floats, crowd: Floats) -> Rows:
    """Return the number of the kind of each plant. rows: of trunks and crowns."""
    trunk, crown = rows

    def one_of(names: tuple[str, ...]) -> Rows:
        numbers = np.array([KINDS.index(name) for name in names])
        return numbers[(chance[:, 0] * len(names)).astype(np.int64)]

    dead, log = KINDS.index("dead"), KINDS.index("log")
    tree = np.where(data.shape[crown] == CAPSULE, one_of(CONIFERS), one_of(BROADLEAVES))
    tree = np.where((chance[:, 1] < DEAD_SHARE) & (crowd > FOREST), dead, tree)
    bare = np.where(size[:, 2] > 2.0 * STUMP * size[:, 3], dead, log)
    bush = np.where(size[:, 0] > SMALL, one_of(BUSHES), one_of(HERBS))
    return np.where(crown < 0, bare, np.where(trunk < 0, bush, tree))
