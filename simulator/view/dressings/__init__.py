"""Dressings: what objects look like, in place of their collision shapes."""

from __future__ import annotations

from simulator.view.detail import Detail
from simulator.view.dressing import Dressing


def dressings(detail: Detail, exact: bool) -> tuple[Dressing, ...]:
    """Return all dressings, in the order in which they choose their objects. An OpenGL context must be active.

    exact : True = for the images of sensors: no small object is left out
    """
    # imported here, because their modules need a context and others of this package do not
    from simulator.view.dressings import houses, parked_cars, people, signs, street_things
    from simulator.view.dressings.dressed_meshes import DressedMeshes
    from simulator.view.dressings.trees import Trees

    looks = houses.looks() | parked_cars.looks() | street_things.looks() | signs.looks() | people.looks()
    wardrobes = (
        houses.houses, parked_cars.parked_cars, street_things.posts, street_things.cones_and_barrels, street_things.rocks,
        street_things.fences_and_barriers, signs.signs, people.people,
    )  # fmt: skip
    return (DressedMeshes(looks, wardrobes, people.walk_phases, detail, exact), Trees(detail, exact))
