"""Callback block of all steered trailing arms of a vehicle."""

from __future__ import annotations

from vehicles.suspension.blocks import AxleCallbacks
from vehicles.suspension.contract import CONTRACT, LAYOUT
from vehicles.suspension.steered_trailing_arm.kinematics import MEMORY, STEERED_TRAILING_ARMS, place, show, steer

STEERED_TRAILING_ARM_BLOCK = AxleCallbacks(CONTRACT, LAYOUT, STEERED_TRAILING_ARMS, MEMORY, place, show, steer)
