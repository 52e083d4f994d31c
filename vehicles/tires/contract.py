"""Contract of a tire model: the interface between the tire shared by all models and the model that computes its horizontal forces.

Shared are contact, radial spring, damper and rim, the ground below with its rut and its sheared soil, rolling resistance, and the
transport of forces and moments (`contact`, `vertical_force`, `moments`, `soil_shear`). A tire model has its own parameters in the tire file
and a state. For one contact it computes the horizontal force, the moment about the contact normal and the rates of its state.

TMeasy is called directly. All other models, shipped ones and plugins, are a `@callback` kernel (`simulator.base.callbacks`)

    kernel(parameters, state, seen, result, first, count, h)

called once for all wheels with this model, starting at `first`. The four addresses point to one record for every wheel of the vehicle: of
the model's own table, of TREAD_STATE, TIRE_INPUT and TIRE_OUTPUT. `records_at(state, dtype_of(TREAD_STATE), first + count)[i]` is the
record of wheel i. `task` of TIRE_INPUT selects the computation:

    FORCES   forces and rates at the state, which is not changed. The caller advances the numbers by h times their rates. h > 0 therefore
             requires rates that make this stable (implicit ones if the model is stiff), h = 0 the rates of the differential equation.
    HELD     numbers of the state of a patch at rest on the ground, `held` ahead of the rim, as of a parked vehicle
    REST     numbers of the state of a tread that has not touched the ground yet

HELD and REST write only the state.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

from simulator.base.callbacks import CallbackKernel
from simulator.base.field_records import rows
from simulator.base.fields import Fields
from simulator.base.records import Record, Table, layout_hash

CONTRACT = 1
"""Version of the rules above and of the meaning of the columns below."""

NUMBERS = 8
"""Maximum number of values in the state of a model."""

MEMORY = 4
"""Maximum number of values that a model may store between steps and that are no state: initial guesses that do not affect the forces."""

FORCES, HELD, REST = range(3)
"""Tasks."""

TREAD_STATE = (
    # name     shape  unit  what it is
    ("numbers", (NUMBERS,), "", "state of the model, in its own units; unused values stay zero"),
    ("memory", (MEMORY,), "", "`memory` returned by the model in the last step"),
    (
        "off",
        (),
        "1",
        "1 after the model has returned a non-finite number: its results are then ignored",
        "i8",
    ),
)

TIRE_INPUT = (
    # name          shape  unit   what it is
    ("task", (), "1", "FORCES, HELD or REST", "i8"),
    ("load", (), "N", "force along the ground normal, at most `load_max` of the tire"),
    ("v_x", (), "m/s", "velocity of the contact point with a wheel that does not spin, along its heading in the ground plane"),
    ("v_y", (), "m/s", "velocity of the contact point with a wheel that does not spin, to the left of its heading"),
    ("spin", (), "rad/s", "absolute spin of the wheel, + = rolling forward"),
    ("effective_radius", (), "m", "distance per radian of a freely rolling wheel; the tread slides with v_x - effective_radius spin, v_y"),
    ("camber", (), "rad", "inclination of the wheel plane to the ground normal, + = top to the right"),
    ("turn_rate", (), "rad/s", "angular velocity of the wheel carrier about the ground normal, as when a parked wheel is steered"),
    ("friction", (), "1", "friction of the ground over the reference `friction` of the tire parameters"),
    ("hardness", (), "1", "fraction of hard ground; the model computes the forces on hard ground, of which this fraction acts"),
    ("contact_length", (), "m", "length of the contact patch"),
    ("side", (), "1", "side of the vehicle: 1 left, -1 right; an asymmetric tire is mirrored there"),
    ("held", (2,), "m", "distance of a fixed patch ahead of the rim, along and across; pulls the rim in this direction"),
)

TIRE_OUTPUT = (
    # name    shape  unit  what it is
    ("F", (2,), "N", "force of the ground on the tire, along and across"),
    ("M_x", (), "N m", "overturning moment, added to that of the tire's width unless `whole`"),
    ("M_y", (), "N m", "moment of rolling resistance, added to that of `rolling_resistance`; negative when rolling forward"),
    ("M_z", (), "N m", "moment about the ground normal at the contact point"),
    ("whole", (), "1", "1: M_x is the total overturning moment", "i8"),
    ("rate", (NUMBERS,), "1/s", "rates of the numbers of the state"),
    ("memory", (MEMORY,), "", "values for `memory` of the state in the next step"),
    ("slip", (2,), "1", "slip of the patch, + = pushes the vehicle forward, to the left; it shears the soil below"),
)

LAYOUT = layout_hash(TREAD_STATE + TIRE_INPUT + TIRE_OUTPUT)
"""Layout hash of the tables that the kernel of a model reads and writes."""

WHEEL_LAWS = (
    # name     shape  unit  what it is
    ("kernel", (), "", "address of the model's kernel, 0: TMeasy, which is called directly", "u8"),
    ("parameters", (), "", "address of the model's parameters of all wheels", "u8"),
    ("count", (), "1", "number of consecutive wheels with this model, starting here", "i8"),
    ("numbers", (), "1", "number of values in the model's state", "i8"),
    ("side", (), "1", "side of the vehicle: 1 left, -1 right"),
    ("rim_stiffness", (), "N/m", "K of `rim_reaction` of a callback model; TMeasy: 0"),
    ("rim_damping", (), "N s/m", "D of `rim_reaction` of a callback model; TMeasy: 0"),
)
"""Record of a wheel."""


class TireModels(NamedTuple):
    """Parameters of the tire models of all wheels."""

    tmeasy: Record
    """(n,) of `tmeasy.model.TMEASY`; zeros for wheels with another model."""
    laws: Record
    """(n,) of WHEEL_LAWS"""


Check = Callable[[Record, Record, Mapping[str, Any], object, str], None]
"""Called with the records of TIRE and of the model's own table, the content of the tire file, its name and key path; raises ConfigError."""

Complete = Callable[[Mapping[str, Any], object, str, Sequence[Path]], tuple[Mapping[str, Any], Record]]
"""Called with the checked values of a tire file, its name and key path, and the folders of the files that it refers to. Returns values for
every row of TIRE that a file has, and a record of the model's own table; raises ConfigError."""


@dataclass(frozen=True)
class TireModelKind:
    """A tire model, named by the key `type` in a tire file.

    Parameters
    ----------
    name : value of `type`
    parameters : fields of the model in a tire file, in addition to the shared ones; numbers, unless there is a `table`
    state : table of the state's numbers, in their order; they are logged under these names
    table : rows of the record for the kernel, if `complete` creates it; None: those of `parameters`
    complete : creates the rows of all tires and the record for the kernel from the values of a tire file
    shared : True: a tire file with `complete` must have the rows of all tires; False: rows returned by `complete` are optional
    kernel : computes the model; None for TMeasy
    contract, layout : CONTRACT and LAYOUT for which the kernel was written
    numbers_of : returns how many of the first state numbers a tire with a record of these parameters uses; None: all
    check : further checks of the parameters
    stiff : names of parameters that may be too large for the step
    softened : exponents by name of the parameters that change with the slope of the forces over slip: 1 for a slope, -1 for a slip; they
        are used for a flat tire
    meaning : one-line description
    """

    name: str
    parameters: Fields
    state: Table
    kernel: CallbackKernel | None = None
    contract: int = 0
    layout: int = 0
    numbers_of: Callable[[Record], int] | None = None
    check: Check | None = None
    stiff: tuple[str, ...] = ()
    table: Table | None = None
    complete: Complete | None = None
    shared: bool = True
    meaning: str = ""
    softened: Mapping[str, int] = field(default_factory=dict)

    @cached_property
    def record_table(self) -> Table:
        """Rows of the record for the kernel."""
        return rows(self.parameters) if self.table is None else self.table

    @property
    def numbers(self) -> int:
        """Maximum number of values in the state."""
        return sum(math.prod(row[1]) for row in self.state)
