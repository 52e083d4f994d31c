"""Dressings: what objects look like, in place of their collision shapes."""

from __future__ import annotations

from simulator.view.detail import Detail
from simulator.view.dressing import Dressing


def dressings(detail: Detail, exact: bool) -> tuple[Dressing, ...]:
    """Return all dressings, in the order in which they choose their objects.

    exact : True = for the images of sensors: no small object is left out
    """
    from simulator.view.dressings import houses
    from simulator.view.dressings.dressed_meshes import DressedMeshes, dressing_fineness

    return (DressedMeshes(houses.looks(), (houses.houses,), dressing_fineness(detail, exact)),)
