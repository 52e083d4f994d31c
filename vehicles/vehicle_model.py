"""Records of a vehicle: parameters, state, work memory and results."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from simulator.base.records import Record
from vehicles.suspension.blocks import Blocks
from vehicles.suspension.tables.reduced_table import ReducedTables
from vehicles.tires.contract import TireModels


class VehicleModel(NamedTuple):
    """Parameter records of one vehicle; `drive` is the CALLBACK_DRIVETRAIN of a kind of a plugin, none for a shipped kind."""

    chassis: Record
    corners: Record
    struts: Record
    steering: Record
    body: Record
    body_contact: Record
    object_contact: Record
    tires: Record
    treads: TireModels
    tire_heat: Record
    """(n,) of `vehicles.tires.temperature.TIRE_HEAT`; (0,) without temperatures and wear"""
    drivetrain: Record
    drive: Record
    brakes: Record
    controllers: Record
    actuators: Record
    tables: ReducedTables
    towed: Record
    """(n,) of `vehicles.towing.coupling.COUPLING`, one for each trailer."""


class VehicleData(NamedTuple):
    """State, scratch and results of one vehicle. A step writes only these records, and never the definition of the corner blocks.

    The terrain caches (`windows`) are no state: they cache ground values, which are recomputed where they are missing.
    """

    state: Record
    blocks: Blocks
    inputs: Record
    loads: Record
    kinematics: Record
    points: Record
    work: Record
    out: Record
    elastic: Record
    steering: Record
    tires: Record
    treads: Record
    tire_heat: Record
    """(1,) of `vehicles.tires.temperature.TIRE_HEAT_STATE`, or (0,)"""
    seen: Record
    result: Record
    carried: Record
    wheels: Record
    contacts: Record
    under: Record
    windows: Record
    drivetrain: Record
    drive_state: Record
    drive_input: Record
    drive_output: Record
    brakes: Record
    controls: Record
    control_input: Record
    control_output: Record
    actuators: Record
    command: Record
    axles: Record
    reduced: Record
    body_contact: Record
    object_contact: Record
    towing: Record
    """(n,) of `vehicles.towing.coupling.COUPLING_MEMORY`; like the terrain caches outside of the memory block of the vehicle"""

    def of_its_own(self) -> Iterator[Record]:
        """Yield the records, without those of the blocks, the terrain caches and the couplings."""
        return (part for part in self if not isinstance(part, Blocks) and part is not self.windows and part is not self.towing)
