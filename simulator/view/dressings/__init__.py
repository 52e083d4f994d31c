"""Dressings: what objects look like, in place of their collision shapes."""

from __future__ import annotations

from simulator.view.detail import Detail
from simulator.view.dressing import Dressing


def dressings(detail: Detail, exact: bool) -> tuple[Dressing, ...]:
    """Return all dressings, in the order in which they choose their objects. An OpenGL context must be active.

    exact : True = for the images of sensors: no small object is left out
    """
    from simulator.view.dressings.trees import Trees  # imported here, because its modules need a context and others of this package do not

    return (Trees(detail, exact),)
