"""Reader of tire files, and the combination of all tires of a vehicle into its records."""

from __future__ import annotations

import math
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from simulator.base.callbacks import address_of
from simulator.base.errors import ErrorCollector, TireTypeWarning
from simulator.base.field_records import fields_of, filled
from simulator.base.fields import Fields, Variants
from simulator.base.memoize import memoize_by_identity
from simulator.base.records import Record, Table, dtype_of, record
from vehicles.tires.contract import TREAD_STATE, WHEEL_LAWS, TireModelKind, TireModels
from vehicles.tires.inflation import inflate
from vehicles.tires.kinds import DEFAULT, TIRE_MODEL_KINDS
from vehicles.tires.parameters import FILE, LEFT_OUT, RANGES, check_inflation, check_rim, check_spacing, shared_record
from vehicles.tires.rim_reaction import rim_reaction
from vehicles.tires.temperature import FIELDS as SECTIONS
from vehicles.tires.temperature import TIRE_HEAT, heat_of, is_used, no_heat
from vehicles.tires.tmeasy.model import KIND as TMEASY_KIND
from vehicles.tires.tmeasy.model import TMEASY

CONTACTS = ("enveloping", "point")
"""Contact models of the tires of a vehicle; the first one is the default."""


@dataclass(frozen=True)
class TireFile:
    """A tire from its file.

    Parameters
    ----------
    shared : (1,) record of TIRE
    law : tire model
    own : (1,) record of the model's own table
    heat : (1,) record of TIRE_HEAT, temperature and wear
    """

    shared: Record
    law: TireModelKind
    own: Record
    heat: Record = field(default_factory=no_heat)


class TireSet:
    """The tires of all wheels.

    Parameters
    ----------
    files : tires of the wheels, in the order FL, FR, RL, RR
    sides : sides of the wheels, 1 left and -1 right; default: all left

    Attributes
    ----------
    shared : (n,) records of TIRE
    laws : (n,) tire models; those that are called by address are compiled
    own : for each model by name the (n,) records of its parameters, zeros for wheels with other models
    treads : model parameters for the kernels; valid as long as this object exists
    heat : (n,) records of TIRE_HEAT; (0,) if no tire has temperatures or wear
    """

    def __init__(self, files: Sequence[TireFile], sides: Sequence[int] | None = None) -> None:
        self.laws = tuple(file.law for file in files)
        self.shared: Record = np.concatenate([file.shared for file in files])
        self.heat: Record = np.concatenate([file.heat for file in files])
        if not any(is_used(one) for one in self.heat):
            self.heat = record(TIRE_HEAT, 0)
        self.own = {law.name: _parameters_of(law, files) for law in self.laws}
        self._scaled: list[Record] = []
        tmeasy, laws = record(TMEASY, len(files)), record(WHEEL_LAWS, len(files))
        if TMEASY_KIND.name in self.own:
            tmeasy = self.own[TMEASY_KIND.name]
        laws["side"] = 1 if sides is None else sides
        for i, law in enumerate(self.laws):
            laws[i]["numbers"] = law.numbers if law.numbers_of is None else law.numbers_of(files[i].own)
            if law.kernel is not None:
                laws[i]["kernel"], laws[i]["parameters"] = law.kernel.address, address_of(self.own[law.name])
                if i == 0 or self.laws[i - 1] is not law:
                    laws[i]["count"] = next((n for n, other in enumerate(self.laws[i:]) if other is not law), len(files) - i)
                self._measure(laws, i, self.own[law.name])
        self.treads = TireModels(tmeasy, laws)

    @property
    def outside(self) -> list[int]:
        """Wheels with a callback model."""
        return [i for i, law in enumerate(self.laws) if law.kernel is not None]

    def logged(self, treads: Record, names: Sequence[str]) -> list[tuple[str, Table, Record]]:
        """Return the loggable states of callback models as (prefix, table, record); empty without such models.

        Parameters
        ----------
        treads : (n,) records of TREAD_STATE; the returned record is a view of them
        names : names of the wheels; a column is called `<model>_<row of its state>_<wheel>`
        """
        one = dtype_of(TREAD_STATE)
        rows, offsets = [], []
        for i in self.outside:
            at = i * one.itemsize + one.fields["numbers"][1]  # type: ignore[index]
            for row in self.laws[i].state:
                rows.append((f"{self.laws[i].name}_{row[0]}_{names[i]}", *row[1:4]))
                offsets.append(at)
                at += one["numbers"].base.itemsize * math.prod(row[1])
        if not rows:
            return []
        view = {"names": [row[0] for row in rows], "formats": [("f8", row[1]) for row in rows], "offsets": offsets}
        return [("", tuple(rows), treads.view(np.dtype({**view, "itemsize": treads.nbytes})))]  # type: ignore[call-overload]

    def law(self, name: str) -> TireModelKind:
        """Return the model of this name, which at least one wheel has."""
        return next(law for law in self.laws if law.name == name)

    def wheels(self, name: str) -> list[int]:
        """Return the wheels with the model of this name."""
        return [i for i, law in enumerate(self.laws) if law.name == name]

    def copied(self) -> tuple[dict[str, Record], TireModels]:
        """Return copies of `own`, and `treads` that refer to them; valid as long as the copies exist."""
        own = {name: table.copy() for name, table in self.own.items()}
        laws = self.treads.laws.copy()
        for law in self.laws:
            if law.kernel is not None:
                laws["parameters"][self.wheels(law.name)] = address_of(own[law.name])
        return own, TireModels(own.get(TMEASY_KIND.name, self.treads.tmeasy), laws)

    def treads_with(self, name: str, own: Record) -> TireModels:
        """Return `treads` with other parameters (n,) of the model of this name."""
        if self.law(name).kernel is None:
            return self.treads._replace(tmeasy=own)
        self._scaled.append(own)  # keeps the memory alive, because the kernels have only its address
        laws = self.treads.laws.copy()
        laws["parameters"][self.wheels(name)] = address_of(own)
        for i in self.wheels(name):
            self._measure(laws, i, own)
        return self.treads._replace(laws=laws)

    def _measure(self, laws: Record, i: int, own: Record) -> None:
        """Write the reaction of the rim of wheel i, whose callback model has the records `own`, into `laws`."""
        laws[i]["rim_stiffness"], laws[i]["rim_damping"] = rim_reaction(self.laws[i], self.shared[i : i + 1], own[i : i + 1])


def _parameters_of(law: TireModelKind, files: Sequence[TireFile]) -> Record:
    """Return the (n,) records of a model's table, filled for the wheels that have the model."""
    own = record(law.record_table, len(files))
    for i, file in enumerate(files):
        if file.law is law:
            own[i] = file.own[0]
    return own


def tire(mapping: Any, file: object, key: str = "", folders: Sequence[Path] = ()) -> TireFile:
    """Return a tire from the content of its file by `FILE_TABLE`: `type`, the rows of TIRE except `give`, and those of its model; some are
    optional.

    `folders` are searched for files that the tire file refers to, in addition to its own folder.

    Raises
    ------
    ConfigError : unknown tire model, unknown or missing key, wrong type or shape, value out of range, two values in the wrong order
    JounceError : a tire model of an installed package cannot be loaded
    """
    if isinstance(mapping, Mapping) and "type" not in mapping:
        text = f"{file}: key type is missing; using {DEFAULT}; hint: add `type: {DEFAULT}`"
        warnings.warn(text, TireTypeWarning, stacklevel=2)
    values = FILE_TABLE.read(mapping, file, key)
    law = TIRE_MODEL_KINDS.need(values["type"])
    if law.complete is None:
        own = filled(law.record_table, values)
    else:
        values, own = law.complete(values, file, key, folders)
    shared = shared_record(filled(FILE, values), values)
    with ErrorCollector() as faults:
        heat = no_heat()
        with faults.part():
            heat = heat_of(values, file, key)
        with faults.part():
            check_rim(values, file, key)
        with faults.part():
            check_inflation(values, file, key)
        with faults.part():
            check_spacing(shared, values, file, key)
        if law.check is not None:
            law.check(shared, own, values, file, key)
    inflate(law.name, own, shared, values)
    return TireFile(shared, law, own, heat)


def _parameters_in_file(name: str) -> Fields | None:
    """Return the fields of a tire file with the model of this name: those of all tires and those of the model."""
    law = TIRE_MODEL_KINDS.get(name)
    return None if law is None else _fields_of(law)


@memoize_by_identity
def _fields_of(law: TireModelKind) -> Fields:
    shared = fields_of(FILE, RANGES, LEFT_OUT if law.shared else {**{row[0]: None for row in FILE}, **LEFT_OUT})
    return (*shared, *SECTIONS, *law.parameters)


FILE_TABLE = Variants(
    "type",
    _parameters_in_file,
    TIRE_MODEL_KINDS.names,
    "tire model, which computes the horizontal forces",
    default=DEFAULT,
    noun="a tire model:",
)
"""Fields of a file in ``configs/tires``."""


def tire_set(files: Sequence[TireFile], sides: Sequence[int] | None = None, contact: str = CONTACTS[0]) -> TireSet:
    """Return the tires of a vehicle, given one file per wheel; `sides` as in TireSet, `contact` one of CONTACTS."""
    tires = TireSet(files, sides)
    if contact == "point":
        tires.shared["contact_grid_spacing"] = 0.0
    return tires
