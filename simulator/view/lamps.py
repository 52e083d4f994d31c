"""Lamps of vehicles and streets at night: where they are, what they light, and which of them an image has. No OpenGL here."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from simulator.view.light import LAMPS
from simulator.view.meshes import HEAD_LAMP, STOP_LAMP
from simulator.view.object_culling import ObjectItems
from simulator.view.object_data import ObjectData

POST = 6
"""Number of the label `post` (terrain.objects.labels)."""
STREET_LAMP_HEIGHT = 4.0
"""m. Minimum height of a post with a lamp at its top."""
WHITE, RED, SODIUM = (1.0, 0.93, 0.80), (1.0, 0.05, 0.03), (1.0, 0.66, 0.33)
"""Linear colors of headlamps, of rear lamps, and of street lamps."""
OWN_BEAM, BEAM, SLOPE = (8000.0, 110.0, 0.80), (300.0, 60.0, 0.86), -0.012
"""Low beam of the own vehicle, which has a cut-off, and of others: displayed light at 1 m, range [m], cosine of half the angle; their slope."""
STREET = (55.0, 26.0)
"""Displayed light of a street lamp at 1 m, range [m]."""
REACH = 110.0
"""m. Maximum distance from the camera of lamps that light the surroundings."""
FADE = 0.25
"""A lamp fades in over this part of the distance at which another one takes its place."""
SIGHT = 1500.0
"""m. Maximum distance at which the glow of a lamp is drawn."""
REAR_DIM, REAR_STOP = 0.35, 1.0
"""Brightness of a rear lamp, and of one while the driver brakes."""


class VehicleLamps(NamedTuple):
    """Positions of the lamps of a vehicle."""

    head: NDArray[np.float64]
    """(2, 3) left and right headlamp, in B [m]"""
    rear: NDArray[np.float64]
    """(2, 3) left and right rear lamp, in B [m]"""


class Glow(NamedTuple):
    """Lamps as seen: n places in W [m], linear colors (n, 3), radii (n,) [m]."""

    place: NDArray[np.float64]
    color: NDArray[np.float64]
    radius: NDArray[np.float64]


def vehicle_lamps(mesh: NDArray[Any]) -> VehicleLamps:
    """Return the lamps of the mesh (n, 10) of a body: those that it has, else at usual places of its outline."""
    low, high = mesh[:, :3].min(axis=0), mesh[:, :3].max(axis=0)
    gloss = mesh[:, 9]
    outer = np.abs(mesh[:, 1]) > 0.15 * (high[1] - low[1])  # not the third stop lamp
    white, red = (outer & (gloss >= lamp) & (gloss < lamp + 2.0) for lamp in (HEAD_LAMP, STOP_LAMP))
    height = low[2] + 0.38 * (high[2] - low[2])
    pairs = []
    for some, end in ((white, high[0]), (red, low[0])):
        sides = [mesh[some & (mesh[:, 1] * side > 0.0), :3] for side in (1.0, -1.0)]
        usual = [(end, side * 0.36 * (high[1] - low[1]), height) for side in (1.0, -1.0)]
        pairs.append(np.array([_middle(one) if len(one) else other for one, other in zip(sides, usual, strict=True)], float))
    return VehicleLamps(*pairs)


def _middle(points: NDArray[Any]) -> NDArray[np.float64]:
    middle: NDArray[np.float64] = 0.5 * (points.min(axis=0) + points.max(axis=0))
    return middle


class StreetLamps:
    """Lamps at the tops of tall posts among the objects."""

    def __init__(self, data: ObjectData) -> None:
        self._rows = np.flatnonzero((data.label == POST) & (2.0 * data.half_O[:, 2] > STREET_LAMP_HEIGHT))
        self._top_O = data.center_O[self._rows] + data.half_O[self._rows] * (0.0, 0.0, 1.0)

    def places(self, items: ObjectItems) -> NDArray[np.float64]:
        """Return the places (n, 3) [m] of the lamps that are lit: those of standing posts."""
        R = items.rotation[self._rows]
        lit = items.present[self._rows] & (R[:, 2, 2] > 0.9)
        places: NDArray[np.float64] = (items.position[self._rows] + (R @ self._top_O[..., None])[..., 0])[lit]
        return places


def low_beams(lamps: VehicleLamps, p_WB: NDArray, R_WB: NDArray, kind: tuple[float, float, float] = BEAM) -> NDArray[np.float64]:
    """Return rows (n, 12) of the block, place, beam and light, of the low beams of vehicles: one for both headlamps of each.

    p_WB, R_WB : poses (n, 3), (n, 3, 3) of vehicles
    """
    out = np.zeros((len(p_WB), 12))
    out[:, :3], out[:, 3] = p_WB + R_WB @ lamps.head.mean(axis=0), kind[1] ** -2
    beam = R_WB @ np.array((1.0, 0.0, SLOPE))
    out[:, 4:7], out[:, 7] = beam / np.linalg.norm(beam, axis=1, keepdims=True), kind[2]
    out[:, 8:11] = kind[0] * np.array(WHITE)
    return out


def street_lights(places: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return rows (n, 12) of the block, as `low_beams`, of street lamps at places (n, 3)."""
    out = np.zeros((len(places), 12))
    out[:, :3], out[:, 3] = places, STREET[1] ** -2
    out[:, 7] = -1.0
    out[:, 8:11] = STREET[0] * np.array(SODIUM)
    return out


def put_lamps(block: NDArray[Any], own: NDArray[np.float64], others: NDArray[np.float64], eye: NDArray, most: int) -> None:
    """Write the own lamp (1, 12), and of the others (n, 12) those nearest to the camera, into a record of `simulator.view.light.BLOCK`.

    A lamp that is about to be replaced by a nearer one has faded before.
    most : maximum number of lamps
    """
    room = min(most, LAMPS) - len(own)
    distance = np.linalg.norm(others[:, :3] - eye, axis=1)
    order = np.argsort(distance, kind="stable")
    end = min(REACH, float(distance[order[room]])) if len(order) > room else REACH
    nearest = order[:room]
    chosen = others[nearest].copy()
    chosen[:, 8:11] *= np.clip((end - distance[nearest]) / (FADE * end), 0.0, 1.0)[:, None]
    rows = np.vstack((own, chosen[distance[nearest] < end]))
    b = block[0]
    b["lamps"], b["lamp_light"] = len(rows), 0.0
    for name, first in (("lamp_place", 0), ("lamp_beam", 4), ("lamp_light", 8)):
        b[name][: len(rows)] = rows[:, first : first + 4]
    b["lamp_light"][: len(rows), :3] /= b["exposure"]


def vehicle_glow(lamps: VehicleLamps, p_WB: NDArray, R_WB: NDArray, stop: NDArray, eye: NDArray) -> Glow:
    """Return the glow of the lamps of vehicles at poses (n, 3), (n, 3, 3), as the camera at `eye` sees it; stop: (n,) lit stop lamps."""
    places, colors, radii = [], [], []
    for points, ahead, color, radius in ((lamps.head, 1.0, WHITE, 0.55), (lamps.rear, -1.0, RED, 0.28)):
        at = p_WB[:, None] + np.einsum("nij,kj->nki", R_WB, points)
        to_eye = eye - at
        away = np.linalg.norm(to_eye, axis=2)
        facing = np.clip(np.einsum("nki,ni->nk", to_eye, R_WB[:, :, 0]) * ahead / np.maximum(away, 0.1), 0.0, 1.0)
        bright = facing**1.5 * (1.2 if ahead > 0.0 else (REAR_DIM + (REAR_STOP - REAR_DIM) * stop)[:, None])
        places.append((at + to_eye * (0.2 / np.maximum(away, 0.2))[..., None]).reshape(-1, 3))
        colors.append((bright[..., None] * np.array(color)).reshape(-1, 3))
        radii.append(np.full(bright.size, radius))
    glow = Glow(*(np.concatenate(one) for one in (places, colors, radii)))
    return _seen(glow, eye)


def street_glow(places: NDArray[np.float64], eye: NDArray) -> Glow:
    """Return the glow of street lamps at places (n, 3)."""
    return _seen(Glow(places, np.tile(np.array(SODIUM), (len(places), 1)), np.full(len(places), 0.7)), eye)


def _seen(glow: Glow, eye: NDArray) -> Glow:
    some = (np.linalg.norm(glow.place - eye, axis=1) < SIGHT) & (glow.color.max(axis=1) > 0.02)
    return Glow(glow.place[some], glow.color[some], glow.radius[some])
