"""Parameter records of one vehicle that may change during a drive, for example by a fault.

Vehicles of one kind share their parameters. A vehicle whose parameters change gets copies of the records below, and uses the shared records
again afterwards.
"""

from __future__ import annotations

from simulator.base.records import Record
from vehicles.tires.tire_file import TireSet
from vehicles.vehicle_model import VehicleModel

RECORDS = ("corners", "struts", "steering", "tires", "drivetrain", "brakes")
"""Records that are copied, besides those of the tire models."""


class OwnParameters:
    """Copies of parameter records.

    Parameters
    ----------
    nominal : shared parameters of the vehicle
    tires : its tires

    Attributes
    ----------
    model : parameters with the copies
    nominal : shared parameters, which nobody writes
    tires : tires, for the names of their models
    tire_models : copies of the parameters (n,) of the tire models by name
    """

    def __init__(self, nominal: VehicleModel, tires: TireSet) -> None:
        self.nominal, self.tires = nominal, tires
        self.tire_models, treads = tires.copied()
        copies = {name: getattr(nominal, name).copy() for name in RECORDS}
        self.model = nominal._replace(**copies, treads=treads)
        self._pairs: list[tuple[Record, Record]] = [(copies[name], getattr(nominal, name)) for name in RECORDS]
        self._pairs += [(self.tire_models[name], tires.own[name]) for name in self.tire_models]

    def soften_tread(self, wheel: int, factor: float) -> None:
        """Multiply the slopes of the horizontal forces of a tire over slip by a factor. The largest forces stay, at larger slips, and so do
        the relaxation lengths. A model of a plugin says how by `softened`."""
        law = self.tires.laws[wheel]
        for name, exponent in law.softened.items():
            self.tire_models[law.name][name][wheel] *= factor**exponent

    def restore(self) -> None:
        """Write the shared numbers into the copies."""
        for own, shared in self._pairs:
            own[:] = shared
