"""Names of the bodies and suspension links that the view can draw."""

from __future__ import annotations

from typing import NamedTuple

DRAWN_AS = ("car", "electric_car", "hatchback", "suv", "van", "pickup", "hmmwv", "cargo_trailer", "tractor", "semitrailer")
"""Body shapes; the first one is the default of a vehicle file."""
BEAM_ON_LINKS, BEAM_ON_LEAVES = "beam_on_links", "beam_on_leaves"
LINKS_AS = ("arms", "strut", "trailing_arm", "trailing_arm_with_kingpin", BEAM_ON_LINKS, BEAM_ON_LEAVES)
"""Link shapes of a corner: an upper and a lower arm; a strut on a lower arm; an arm that carries the wheel; an arm that carries the kingpin
of the knuckle; a beam with both wheels on rods; a beam with both wheels on leaf springs."""


class BodyMesh(NamedTuple):
    """Mesh file that the view draws in place of a body shape."""

    name: str
    """Path, relative to `file` or in the assets"""
    file: str
    """Vehicle file, for messages"""
    position: tuple[float, float, float]
    """m, origin of the mesh in B"""
    yaw: float
    """rad"""
