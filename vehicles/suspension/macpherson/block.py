"""Callback block of all MacPherson corners of a vehicle."""

from __future__ import annotations

from vehicles.suspension.blocks import AxleCallbacks
from vehicles.suspension.contract import CONTRACT, LAYOUT
from vehicles.suspension.macpherson.kinematics import MACPHERSONS, MEMORY, place, show, steer

MACPHERSON_BLOCK = AxleCallbacks(CONTRACT, LAYOUT, MACPHERSONS, MEMORY, place, show, steer)
