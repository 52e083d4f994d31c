"""Callback block of all semi-trailing arms of a vehicle."""

from __future__ import annotations

from vehicles.suspension.blocks import AxleCallbacks
from vehicles.suspension.contract import CONTRACT, LAYOUT
from vehicles.suspension.semi_trailing_arm.kinematics import MEMORY, SEMI_TRAILING_ARMS, place, show

SEMI_TRAILING_ARM_BLOCK = AxleCallbacks(CONTRACT, LAYOUT, SEMI_TRAILING_ARMS, MEMORY, place, show)
