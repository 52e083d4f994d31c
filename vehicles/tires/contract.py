"""What a tread law is: the contract between the tire that all laws share and the law that makes its horizontal forces.

Shared are contact, radial spring, damper and rim, the ground below with its rut and its sheared soil, rolling resistance, and the
transport of forces and moments (`contact`, `load`, `moments`, `soil_shear`). A tread law has numbers of its own in the tire file, a state, and
gives for one contact its horizontal force, the moment about the contact's normal and the rates of its state.

TMeasy is called directly. Any other law, shipped or from outside the packages, is an `@outside` kernel (`simulator.base.callbacks`)

    law(parameters, state, seen, result, first, count, h)

called once for all wheels from `first` on that have it. The four addresses are those of one record for every wheel of the vehicle, of the
law's own table, of TREAD_STATE, TIRE_INPUT and TIRE_OUTPUT; `records_at(state, dtype_of(TREAD_STATE), first + count)[i]` is that of wheel i. What a
wheel asks for says `task` of TIRE_INPUT:

    FORCES   forces and rates at the state, which is not changed. The caller advances the numbers by h times their rates, so h > 0 wants
             rates that make this stable (implicit ones where the law is stiff), and h = 0 the rates of the differential equation.
    HELD     numbers of the state of a patch that stands on the ground, `held` ahead of the rim: of a parked vehicle
    REST     numbers of the state of a tread that nothing has touched yet

For HELD and REST only the state is written.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from simulator.base.callbacks import CallbackKernel
from simulator.base.fields import Fields
from simulator.base.records import Ranges, Record, Table, layout_hash

CONTRACT = 1
"""Version of what stands above and of what the columns below mean."""

NUMBERS = 8
"""The most numbers of a law's state."""

MEMORY = 4
"""The most numbers a law may keep from step to step that are no state: first guesses that do not show in the forces."""

FORCES, HELD, REST = range(3)
"""Tasks."""

TREAD_STATE = (
    # name     shape  unit  what it is
    ("numbers", (NUMBERS,), "", "state of the law, in its own units; what it does not use stays zero"),
    ("memory", (MEMORY,), "", "what the law gave as `memory` in the last step"),
    (
        "off",
        (),
        "1",
        "1 from the moment on when the law gave something that was no finite number: what it gives does not count any more",
        "i8",
    ),
)

TIRE_INPUT = (
    # name          shape  unit   what it is
    ("task", (), "1", "FORCES, HELD or REST", "i8"),
    ("load", (), "N", "force along the ground's normal, at most `load_max` of the tire"),
    ("v_x", (), "m/s", "velocity of the contact point with a wheel that does not spin, along its heading in the ground plane"),
    ("v_y", (), "m/s", "the same, to the left of it"),
    ("spin", (), "rad/s", "absolute spin of the wheel, + = rolling forward"),
    ("effective_radius", (), "m", "way per radian of a freely rolling wheel; the tread slides with v_x - effective_radius spin, v_y"),
    ("camber", (), "rad", "inclination of the wheel plane to the ground normal, + = top to the right"),
    ("turn_rate", (), "rad/s", "angular velocity of the wheel carrier about the ground's normal: a parked wheel that is steered"),
    ("friction", (), "1", "friction of the ground over `friction` of the tire, on which its numbers were found"),
    ("hardness", (), "1", "share of hard ground; the forces wanted are those of hard ground, and that share of them acts"),
    ("contact_length", (), "m", "length of the contact patch"),
    ("side", (), "1", "side of the vehicle on which the wheel stands: 1 left, -1 right; a tire that is not symmetric is mirrored there"),
    ("held", (2,), "m", "of a patch that is held: how far it is ahead of the rim, along and across; pulls the rim that way"),
)

TIRE_OUTPUT = (
    # name    shape  unit  what it is
    ("F", (2,), "N", "force of the ground on the tire, along and across"),
    ("M_x", (), "N m", "overturning moment, added to that of the tire's width unless `whole`"),
    ("M_y", (), "N m", "moment of rolling resistance, added to that of `rolling_resistance`; negative when rolling forward"),
    ("M_z", (), "N m", "its moment about the ground's normal at the contact point"),
    ("whole", (), "1", "1: M_x is all of the overturning moment", "i8"),
    ("rate", (NUMBERS,), "1/s", "rates of the numbers of the state"),
    ("memory", (MEMORY,), "", "what the law wants to find in its state at the next step"),
    ("slip", (2,), "1", "slip of the patch, + = pushes the vehicle forward, to the left; the soil below is sheared by it"),
)

LAYOUT = layout_hash(TREAD_STATE + TIRE_INPUT + TIRE_OUTPUT)
"""Of the tables that a law's kernel reads and writes."""

WHEEL_LAWS = (
    # name     shape  unit  what it is
    ("kernel", (), "", "address of the law's kernel, 0: TMeasy, which is called directly", "u8"),
    ("parameters", (), "", "address of the law's parameters of all wheels", "u8"),
    ("count", (), "1", "how many wheels with this law begin here", "i8"),
    ("numbers", (), "1", "how many numbers the law's state has", "i8"),
    ("side", (), "1", "side of the vehicle on which the wheel stands: 1 left, -1 right"),
)
"""One record per wheel."""


class TireModels(NamedTuple):
    """Parameters of the tread laws of all wheels."""

    tmeasy: Record
    """(n,) of `tmeasy.tread.TMEASY`; zeros where another law is."""
    laws: Record
    """(n,) of WHEEL_LAWS"""


Check = Callable[[Record, Record, Mapping[str, Any], object, str], None]
"""Called with the records of TIRE and of the law's own table, the tire file's content, its name and key path; raises ConfigError."""

Complete = Callable[[Mapping[str, Any], object, str, Sequence[Path]], tuple[Mapping[str, Any], Record]]
"""Called with the checked values of a tire file, its name and key path, and the folders in which files may lie that it names; gives values with
every row of TIRE that a file has, and a record of the law's own table; raises ConfigError."""


@dataclass(frozen=True)
class TireModelKind:
    """A tread law, by the `type` that a tire file says.

    Parameters
    ----------
    name : that `type`
    parameters : table of the numbers that a tire file has for it, beside the shared ones
    ranges : of these
    state : table of the state's numbers, in their order; they are logged under these names
    fields : keys that a tire file has instead of the rows of `parameters`, with `complete`
    complete : makes of what a tire file says the rows of all tires and the record of `parameters`
    shared : whether a tire file with `complete` has to say the rows of all tires; False: it may leave out what `complete` gives
    kernel : what computes; None for TMeasy
    contract, layout : CONTRACT and LAYOUT that the kernel was written for
    numbers_of : how many numbers of the state a tire with a record of these parameters has, the first ones; None: all
    check : further conditions on the numbers
    stiff : names of parameters that may be too large for the step
    meaning : what it is, in a line
    """

    name: str
    parameters: Table
    ranges: Ranges
    state: Table
    kernel: CallbackKernel | None = None
    contract: int = 0
    layout: int = 0
    numbers_of: Callable[[Record], int] | None = None
    check: Check | None = None
    stiff: tuple[str, ...] = ()
    fields: Fields | None = None
    complete: Complete | None = None
    shared: bool = True
    meaning: str = ""

    @property
    def numbers(self) -> int:
        """How many numbers the state has at most."""
        return sum(math.prod(row[1]) for row in self.state)
