"""A vehicle without memory of its own: one of many sets of parameters, whose starts are computed in the memory of another vehicle."""

from __future__ import annotations

import copy
from dataclasses import replace

import numpy as np

from terrain.ground import GroundArrays
from vehicles.equilibrium_cache import EquilibriumCache
from vehicles.vehicle import Vehicle


class LeanVehicle:
    """Parameters of a vehicle, and what it needs to be put to a start.

    Parameters
    ----------
    vehicle : as it was loaded
    bench : vehicle of the same layout, in whose memory the starts are computed

    Attributes
    ----------
    vehicle : its parameters; the state and the readout are those of `bench`, valid from `start` to the next one of any lean vehicle
    """

    def __init__(self, vehicle: Vehicle, bench: Vehicle) -> None:
        one = self.vehicle = copy.copy(vehicle)
        one.model = vehicle.model._replace(steering=vehicle.model.steering.copy())
        blocks = bench.space.blocks._replace(own=vehicle.description.mechanism.own)
        one.piece = replace(bench.piece, space=bench.space._replace(blocks=blocks))
        one.space, one.readout = one.piece.space, bench.readout
        own, design = vehicle._design.memory, bench._design.memory
        self._places = np.flatnonzero(own != design)
        self._bytes = own[self._places]
        one._design = bench._design
        self._forget()

    def start(self, ground: GroundArrays, x: float, y: float, yaw: float, speed: float) -> Vehicle:
        """Put the vehicle to a start as `Vehicle.reset`, from which its state does not differ in a bit; return the vehicle."""
        one = self.vehicle
        one.reset_to_design()
        one.piece.memory[self._places] = self._bytes
        try:
            one.reset(ground, x, y, yaw, speed=speed)
        finally:
            self._forget()
        return one

    def _forget(self) -> None:
        """Release copies of the memory, which are as large as all parameters."""
        level, one = self.vehicle._equilibria.level, self.vehicle
        one._cleared, one._equilibria = None, EquilibriumCache()
        one._equilibria.level = level
