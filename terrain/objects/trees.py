"""Trees of generated terrains and of scattered vegetation: a solid trunk, and a crown of leaves through which a vehicle drives and a ray is weakened."""

from __future__ import annotations

from terrain.objects.table_text import ON_GROUND
from terrain.objects.world_object import Capsule, Cylinder, Material, Sphere, WorldObject

TRUNK = Material(color=(0.33, 0.25, 0.18), reflectance=0.3)
LEAVES = Material(color=(0.20, 0.38, 0.15), reflectance=0.4, extinction=0.6)
"""Extinction of a crown in leaf: a ray is weakened to 1/e over 1.7 m. [assumed]"""
NEEDLES = Material(color=(0.14, 0.30, 0.18), reflectance=0.3, extinction=1.0)
CROWN_START = 0.35
"""Height of the trunk below the crown over the height of the tree. [assumed]"""


def tree(
    name: str, place: tuple[float, float], height: float, radius: float, conifer: bool = False, ground: float = 0.0
) -> list[WorldObject]:
    """Return trunk and crown of a tree.

    Parameters
    ----------
    name : name of the trunk; the crown is NAME_crown
    place : x, y [m]
    height : height of the tree [m]
    radius : radius of the trunk [m]
    conifer : True for a narrow crown down to the ground, False for a round one on the trunk
    ground : height of the ground [m]
    """
    x, y = place
    if conifer:
        wide = 0.12 * height
        crown: Capsule | Sphere = Capsule(wide, 0.85 * height - 2.0 * wide)
        middle = ground + 0.15 * height + 0.425 * height
        trunk = 0.4 * height
    else:
        trunk = (CROWN_START + 0.15) * height
        wide = 0.5 * (1.0 - CROWN_START) * height * 0.9
        crown = Sphere(wide)
        middle = ground + CROWN_START * height + wide
    return [
        WorldObject(name, Cylinder(radius, trunk), (x, y, ON_GROUND), label="vegetation", material=TRUNK),
        WorldObject(f"{name}_crown", crown, (x, y, middle), label="vegetation", material=NEEDLES if conifer else LEAVES),
    ]
