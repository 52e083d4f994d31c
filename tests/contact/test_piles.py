"""Does a dense pile of light objects stay in front of the body, and is it noticed if there are more objects than pairs?"""

from __future__ import annotations

import numpy as np
import pytest

from simulator.builder.builder import build_vehicle
from terrain.objects.world_object import Box, Breakaway, Material, WorldObject
from tests.contact.free_body import FreeBody
from vehicles.contact.records import PAIRS

EDGE, MASS = 0.3, 20.0
"""Edge [m] and mass [kg] of a box."""


def pile(layers: int, edge: float = EDGE) -> list[WorldObject]:
    """Return layers of 5 x 4 touching boxes of 0.3 m in front of the block, or as many smaller ones as fit there."""
    columns, rows = round(1.5 / edge), round(1.2 / edge)
    places = [
        (2.1 + (i + 0.5) * edge, (j + 0.5) * edge - 0.75, 0.2 + (k + 0.5) * edge)
        for i in range(layers)
        for j in range(columns)
        for k in range(rows)
    ]
    material, motion = Material(restitution=0.1), Breakaway(MASS)
    return [WorldObject(f"box {n}", Box((edge, edge, edge)), place, material=material, motion=motion) for n, place in enumerate(places)]


@pytest.mark.parametrize("h", [1e-3, 5e-3])
@pytest.mark.parametrize("layers", [2, 4, 8])
def test_no_box_of_a_dense_pile_passes_through_the_body(layers, h):
    body, deepest = FreeBody(pile(layers), 40.0, h), 0.0
    before = body.kinetic
    for _ in range(round(0.4 / h)):
        body.step()
        deepest = max(deepest, max(body.pairs["depth"], default=0.0))
    boxes = body.objects.states
    assert boxes["broken"].all() and body.s[0]["lost"] == 0 and len(body.collisions) == len(boxes)
    ahead = (boxes["p_WO"] - body.x) @ body.R[:, 0]
    assert ahead.min() > 2.0 - 1.3 and deepest < 1.3, "the crush of a single box at this speed is 1 m"
    momentum = body.mass * body.v + MASS * boxes["v_WO"].sum(axis=0)
    assert momentum[0] == pytest.approx(body.mass * 40.0, rel=1e-9)
    assert body.kinetic + 0.5 * MASS * (boxes["v_WO"] ** 2).sum() < before


def test_objects_that_no_pair_is_free_for_are_counted_and_reported():
    body = FreeBody(pile(3, 0.1), 5.0)
    body.run(0.03)
    assert body.s[0]["live"] == PAIRS and body.s[0]["lost"] > 0
    vehicle = build_vehicle("sedan")
    assert not vehicle.troubles
    vehicle.space.object_contact[0]["lost"] = 1
    vehicle.read()
    assert len(vehicle.troubles) == 1 and np.all(["objects" in one for one in vehicle.troubles])
