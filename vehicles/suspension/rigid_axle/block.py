"""Callback block of all rigid axles of a vehicle."""

from __future__ import annotations

from vehicles.suspension.blocks import AxleCallbacks
from vehicles.suspension.contract import CONTRACT, LAYOUT
from vehicles.suspension.rigid_axle.kinematics import MEMORY, RIGID_AXLES, place, show

RIGID_AXLE_BLOCK = AxleCallbacks(CONTRACT, LAYOUT, RIGID_AXLES, MEMORY, place, show)
