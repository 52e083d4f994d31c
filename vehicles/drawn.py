"""What a vehicle says of how it is drawn: names that the picture knows."""

from __future__ import annotations

DRAWN_AS = ("car", "pickup", "hmmwv")
"""Bodies, the first one if a vehicle file does not say."""
LINKS_AS = ("arms", "strut", "trailing_arm")
"""Links of a corner: an upper and a lower arm, a strut on a lower arm, an arm that carries the wheel."""
