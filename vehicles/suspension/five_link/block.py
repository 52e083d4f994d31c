"""Callback block of all five-link corners of a vehicle."""

from __future__ import annotations

from vehicles.suspension.blocks import AxleCallbacks
from vehicles.suspension.contract import CONTRACT, LAYOUT
from vehicles.suspension.five_link.kinematics import FIVE_LINKS, MEMORY, place, show

FIVE_LINK_BLOCK = AxleCallbacks(CONTRACT, LAYOUT, FIVE_LINKS, MEMORY, place, show)
