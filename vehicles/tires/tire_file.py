"""From a tire file to a tire with its tread law, and from the tires of all wheels to the records of a vehicle."""

from __future__ import annotations

import math
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from simulator.base.callbacks import address_of
from simulator.base.errors import ErrorCollector, TireTypeWarning
from simulator.base.fields import Fields, Variants, fields_of, filled
from simulator.base.memoize import memoize_by_identity
from simulator.base.records import Record, Table, dtype_of, record
from vehicles.tires.contract import TREAD_STATE, WHEEL_LAWS, TireModelKind, TireModels
from vehicles.tires.kinds import DEFAULT, TIRE_MODEL_KINDS
from vehicles.tires.parameters import FILE, LEFT_OUT, RANGES, check_inflation, check_rim, check_spacing, shared_record
from vehicles.tires.tmeasy.model import LAW as TMEASY_LAW
from vehicles.tires.tmeasy.model import TMEASY

CONTACTS = ("enveloping", "point")
"""How the tires of a vehicle touch the ground, the first one if its file does not say."""


@dataclass(frozen=True)
class TireFile:
    """A tire as its file describes it.

    Parameters
    ----------
    shared : (1,) record of TIRE
    law : its tread law
    own : (1,) record of the law's own table
    """

    shared: Record
    law: TireModelKind
    own: Record


class TireSet:
    """The tires of all wheels.

    Parameters
    ----------
    files : of the wheels, in the order FL, FR, RL, RR
    sides : of the wheels, 1 left and -1 right; all left when nothing is said

    Attributes
    ----------
    shared : (n,) records of TIRE
    laws : (n,) the tread laws, those that are called by address compiled
    own : of each law by name the (n,) records of its parameters, zeros at wheels of other laws
    treads : what the kernels are handed of the laws; good as long as this object lives
    """

    def __init__(self, files: Sequence[TireFile], sides: Sequence[int] | None = None) -> None:
        self.laws = tuple(file.law for file in files)
        self.shared: Record = np.concatenate([file.shared for file in files])
        self.own = {law.name: _parameters_of(law, files) for law in self.laws}
        self._scaled: list[Record] = []
        tmeasy, laws = record(TMEASY, len(files)), record(WHEEL_LAWS, len(files))
        if TMEASY_LAW.name in self.own:
            tmeasy = self.own[TMEASY_LAW.name]
        laws["side"] = 1 if sides is None else sides
        for i, law in enumerate(self.laws):
            laws[i]["numbers"] = law.numbers if law.numbers_of is None else law.numbers_of(files[i].own)
            if law.kernel is not None:
                laws[i]["kernel"], laws[i]["parameters"] = law.kernel.address, address_of(self.own[law.name])
                if i == 0 or self.laws[i - 1] is not law:
                    laws[i]["count"] = next((n for n, other in enumerate(self.laws[i:]) if other is not law), len(files) - i)
        self.treads = TireModels(tmeasy, laws)

    @property
    def outside(self) -> list[int]:
        """Wheels whose law lives outside."""
        return [i for i, law in enumerate(self.laws) if law.kernel is not None]

    def logged(self, treads: Record, names: Sequence[str]) -> list[tuple[str, Table, Record]]:
        """What a log may have of the states of laws from outside: (prefix, table, record), or nothing where there are none.

        Parameters
        ----------
        treads : (n,) records of TREAD_STATE; the record is a view of them, and nothing is copied
        names : of the wheels; a column is called `<law>_<row of its state>_<wheel>`
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
        """The law of that name, which some wheel has."""
        return next(law for law in self.laws if law.name == name)

    def wheels(self, name: str) -> list[int]:
        """Wheels that have the law of that name."""
        return [i for i, law in enumerate(self.laws) if law.name == name]

    def treads_with(self, name: str, own: Record) -> TireModels:
        """As `treads`, with other parameters (n,) of the law of that name."""
        if self.law(name).kernel is None:
            return self.treads._replace(tmeasy=own)
        self._scaled.append(own)  # the kernels have its address only
        laws = self.treads.laws.copy()
        laws["parameters"][self.wheels(name)] = address_of(own)
        return self.treads._replace(laws=laws)


def _parameters_of(law: TireModelKind, files: Sequence[TireFile]) -> Record:
    """(n,) records of a law's table: those of the wheels that have it."""
    own = record(law.parameters, len(files))
    for i, file in enumerate(files):
        if file.law is law:
            own[i] = file.own[0]
    return own


def tire(mapping: Any, file: object, key: str = "", folders: Sequence[Path] = ()) -> TireFile:
    """A tire from the content of its file, as `FILE_TABLE` says: its `type`, the rows of TIRE but `give`, and those of its tread law; some
    may be left out.

    `folders` are those in which a file may lie that it names, beside its own.

    Raises
    ------
    ConfigError : unknown tread law, unknown or missing key, wrong type or shape, a number out of range, two numbers in the wrong order
    JounceError : a tread law of an installed package cannot be loaded
    """
    if isinstance(mapping, Mapping) and "type" not in mapping:
        told = f"{file}: no type is said, so it is {DEFAULT}; write `type: {DEFAULT}`"
        warnings.warn(told, TireTypeWarning, stacklevel=2)
    values = FILE_TABLE.read(mapping, file, key)
    law = TIRE_MODEL_KINDS.get(values["type"])
    assert law is not None
    if law.complete is None:
        own = filled(law.parameters, values)
    else:
        values, own = law.complete(values, file, key, folders)
    shared = shared_record(filled(FILE, values), values)
    with ErrorCollector() as faults:
        with faults.part():
            check_rim(values, file, key)
        with faults.part():
            check_inflation(values, file, key)
        with faults.part():
            check_spacing(shared, values, file, key)
        if law.check is not None:
            law.check(shared, own, values, file, key)
    return TireFile(shared, law, own)


def _parameters_in_file(name: str) -> Fields | None:
    """What a tire file with the tread law of a name has: what every tire has, and the law's own."""
    law = TIRE_MODEL_KINDS.get(name)
    return None if law is None else _fields_of(law)


@memoize_by_identity
def _fields_of(law: TireModelKind) -> Fields:
    shared = fields_of(FILE, RANGES, LEFT_OUT if law.shared else {**{row[0]: None for row in FILE}, **LEFT_OUT})
    return (*shared, *(law.fields or fields_of(law.parameters, {**RANGES, **law.ranges})))


FILE_TABLE = Variants(
    "type",
    _parameters_in_file,
    TIRE_MODEL_KINDS.names,
    "tread law, by which the horizontal forces are made",
    default=DEFAULT,
    noun="a tread law:",
)
"""Of a file in ``configs/tires``."""


def tire_set(files: Sequence[TireFile], sides: Sequence[int] | None = None, contact: str = CONTACTS[0]) -> TireSet:
    """The tires of a vehicle out of one of each wheel; `sides` as in TireSet, `contact` one of CONTACTS."""
    tires = TireSet(files, sides)
    if contact == "point":
        tires.shared["contact_grid_spacing"] = 0.0
    return tires
