"""What a vehicle says of how it is drawn: names that the picture knows."""

from __future__ import annotations

DRAWN_AS = ("car", "pickup", "hmmwv")
"""Bodies, the first one if a vehicle file does not say."""
BEAM_ON_LINKS, BEAM_ON_LEAVES = "beam_on_links", "beam_on_leaves"
LINKS_AS = ("arms", "strut", "trailing_arm", "trailing_arm_with_kingpin", BEAM_ON_LINKS, BEAM_ON_LEAVES)
"""Links of a corner: an upper and a lower arm, a strut on a lower arm, an arm that carries the wheel or the kingpin of its knuckle, a beam with both
wheels on rods or on leaf springs."""
