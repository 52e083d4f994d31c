"""Shipped vehicles with other anti-roll bars than they have."""

from __future__ import annotations

import copy
from functools import cache
from typing import Any

from simulator.base.records import Record
from simulator.builder.builder import data_folder, read_yaml
from tests.shipped_files import shipped_content
from vehicles.description import Description, read_description
from vehicles.tires.tire_file import tire, tire_set
from vehicles.vehicle import Vehicle

CONFIGS = data_folder("configs")

PLAIN = {"rate": 60e3}
ON_ARM = {
    "torsional_stiffness": 15e3,
    "axis": [-0.4, 0.1],
    "lever_end": [-0.05, 0.52, 0.12],
    "drop_link": [-0.04, 0.54, -0.07],
    "mounted_on": "lower_arm",
}
ON_CARRIER = {**ON_ARM, "lever_end": [-0.08, 0.68, 0.12], "drop_link": [-0.06, 0.72, -0.08], "mounted_on": "carrier"}
PLAIN_ON_CARRIER = {"rate": 60e3, "drop_link": [-0.06, 0.72, -0.08], "mounted_on": "carrier"}

BARS = {
    # vehicle, front bar, rear bar
    "plain": ("hmmwv", PLAIN, PLAIN),
    "arms": ("hmmwv", ON_ARM, ON_ARM),
    "carriers": ("hmmwv", ON_CARRIER, PLAIN_ON_CARRIER),
    "five links, plain": ("five_link_rear", None, PLAIN),
    "five links, levers": ("five_link_rear", ON_ARM, ON_CARRIER),
}


def mapping(vehicle: str, front: dict[str, Any] | None = None, rear: dict[str, Any] | None = None) -> dict[str, Any]:
    """The vehicle's file with these sections `anti_roll_bar` and no others."""
    found = copy.deepcopy(_file(vehicle))
    for axle, bar in (("front", front), ("rear", rear)):
        found["axles"][axle].pop("anti_roll_bar", None)
        if bar is not None:
            found["axles"][axle]["anti_roll_bar"] = copy.deepcopy(bar)
    return found


@cache
def _file(vehicle: str) -> dict[str, Any]:
    return shipped_content("vehicles", vehicle)


@cache
def barred(name: str) -> Description:
    """One of BARS."""
    return read_description(mapping(*BARS[name]), "v.yaml")


def hmmwv(front: dict[str, Any] | None = None, rear: dict[str, Any] | None = None, **more: Any) -> Vehicle:
    """The HMMWV with these bars."""
    tires: Record = tire_set([tire(read_yaml(CONFIGS / "tires/tmeasy_hmmwv.yaml"), "t.yaml")] * 4)
    parts = read_yaml(CONFIGS / "drivetrains/drivetrain_hmmwv.yaml")
    return Vehicle(read_description({**mapping("hmmwv", front, rear), **more}, "v.yaml"), tires, parts, "p.yaml")
