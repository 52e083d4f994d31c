"""The keys of a file in ``configs/fits``: what varies, what was measured, and how what was measured was driven."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from simulator.base import renamed
from simulator.base.errors import ConfigError, ErrorCollector
from simulator.base.fields import Choice, Either, Field, Fields, FileName, Group, ListOf, Named, Number, Text, read
from simulator.configuration.layers import read_layers
from simulator.fitting.keys import DRIVEN_FIELDS, NAME, PARAMETERS, Base, Parameter, base_of, check_keys, read_parameters

_TIME = Number("s", -1e6, 1e6)
_COLUMN = Text("the heading of a column")
DRIVE = ("commands", "maneuver")
COMMANDS = {"steering": "1", "steering_wheel_angle": "rad", "throttle": "1", "brake": "1"}
"""What a driver did, as a file of another tool may have it, with the SI unit."""

_OFFSET: Fields = (
    Field("start", _TIME, "where the search begins", 0.0, written="s"),
    Field("min", _TIME, "nothing less", written="s"),
    Field("max", _TIME, "nothing more", written="s"),
)
_DATA: Fields = (
    Field(
        "run", Text("the folder of a run, or its telemetry file"), "recorded run: its folder or its telemetry file, beside this file", None
    ),
    Field(
        "csv", FileName("the path of a CSV file"), "instead, a measurement or another tool's file: numbers under a line of headings", None
    ),
    Field(
        "drive",
        Choice(DRIVE),
        "`commands`: steering and pedals as they are in the data; `maneuver`: the maneuver once more. When left out, the commands of a run, "
        "and of a CSV file those under `commands` or else the maneuver",
        None,
    ),
    *DRIVEN_FIELDS,
    Field(
        "commands",
        Named(_COLUMN, f"any of {', '.join(COMMANDS)}, each with the heading of a column"),
        "of a CSV file, columns of what the driver did; what is not there was not moved",
        None,
    ),
    Field("speed", Number("m/s", 0.0, 60.0), "of a CSV file with commands, the speed that it begins with", 0.0, written="kph"),
    Field("time", _COLUMN, "of a CSV file, the column of the time", "time"),
    Field(
        "columns",
        Named(_COLUMN, "channels, each with the heading of a column"),
        "of a CSV file, which column is which channel; those of the same name where nothing is said",
        None,
    ),
    Field(
        "offset",
        Either((_TIME, Group(_OFFSET)), "a number in s, or {start, min, max}"),
        "what is added to the times of the data to have those of the simulation: given, or fitted from min to max",
        0.0,
        written="s",
    ),
    Field("from", _TIME, "nothing before this time of the data is compared", None, written="s"),
    Field("to", _TIME, "nothing after it", None, written="s"),
)
_CHANNEL: Fields = (
    Field(
        "noise",
        Number("", 0.0, above=0.0),
        "standard deviation of what the data have besides, in the SI unit of the channel; the deviation of the channel itself when left out",
        None,
    ),
    Field("weight", Number("", 0.0, above=0.0), "what the channel counts beside the others: its residuals are multiplied by it", 1.0),
)
FIELDS: Fields = (
    Field("name", NAME, "name of the fit"),
    Field("title", Text("text", empty=True), "what is shown to people", ""),
    *DRIVEN_FIELDS,
    Field("parameters", PARAMETERS, "what is looked for, by a name for people"),
    Field(
        "data", ListOf(Group(_DATA), least=1), "what was measured, one drive after the other; what it says stands above the same keys here"
    ),
    Field("channels", Named(Group(_CHANNEL), "channels, each with noise and weight, or {}", least=1), "what is compared"),
    Field("difference", Number("1", 1e-6, 0.2), "share of its range by which a parameter is moved to see what it does", 0.001),
    Field(
        "rounds",
        Number("1", 1, 1000, whole=True),
        "after so many the search is given up; each is a run for every parameter and one more",
        30,
    ),
)
FILE = Group(FIELDS)
"""Of a file in ``configs/fits``."""


@dataclass(frozen=True)
class Offset:
    """What is added to the times of data [s]; where least is most it is given."""

    start: float
    least: float
    most: float

    @property
    def fitted(self) -> bool:
        """Whether it is looked for."""
        return self.most > self.least


@dataclass(frozen=True)
class FittedChannel:
    """A channel that is compared: `noise` in SI, None for the deviation of the channel itself."""

    noise: float | None
    weight: float


@dataclass(frozen=True)
class Data:
    """One drive that was measured.

    Attributes
    ----------
    key : where it stands in the file
    base : what it is driven in, by key path or name
    said : values by key of `_DATA`
    """

    key: str
    base: Base
    said: Mapping[str, Any]
    offset: Offset


@dataclass(frozen=True)
class Fit:
    """A file, read and checked but for the data that it names."""

    file: str
    name: str
    title: str
    parameters: tuple[Parameter, ...]
    data: tuple[Data, ...]
    channels: Mapping[str, FittedChannel]
    difference: float
    rounds: int


def read_fit(file: str | Path) -> Fit:
    """A file of a fit, with its base if it names one. Raises ConfigError."""
    return fit_of(read_layers("fits", Path(file)).content, str(file))


def check_fit(file: str | Path) -> None:
    """The same, and whether the data are there. Raises ConfigError."""
    check_data(read_fit(file))


def check_data(fit: Fit) -> None:
    """Make sure that all data are there. Raises ConfigError."""
    with ErrorCollector() as faults:
        for one in fit.data:
            with faults.part():
                file_of(one, fit.file)


def file_of(data: Data, file: str) -> Path:
    """The file or folder of a set of data: beside the file of the fit, or by its whole path. Raises ConfigError: there is none."""
    name = "run" if "run" in data.said else "csv"
    said = str(data.said[name])
    found = next((place for place in (Path(file).parent / said, Path(said)) if place.exists()), None)
    if found is None:
        what = "the folder of a run, or its telemetry file" if name == "run" else "a CSV file"
        raise ConfigError(file, f"{data.key}.{name}", said, f"{what}, beside this file or by its whole path")
    return found


def fit_of(content: Any, file: str) -> Fit:
    """The same out of its content."""
    said = read(FIELDS, content, file)
    with ErrorCollector() as faults:
        with faults.part():
            parameters = read_parameters(said["parameters"], file)
        check_keys(said.get("set"), file, "set", faults)
        for n, one in enumerate(said["data"]):
            check_keys(one.get("set"), file, f"data[{n}].set", faults)
            _check_data(one, file, f"data[{n}]", faults)
    data = tuple(_data(one, said, n) for n, one in enumerate(said["data"]))
    channels = {renamed.column(name): FittedChannel(one.get("noise"), one["weight"]) for name, one in said["channels"].items()}
    return Fit(file, said["name"], said["title"] or said["name"], parameters, data, channels, said["difference"], said["rounds"])


def _check_data(one: Mapping[str, Any], file: str, key: str, faults: ErrorCollector) -> None:
    """What no single key of a set of data can tell."""
    if ("run" in one) == ("csv" in one):
        faults.add(ConfigError(file, key, "both" if "run" in one else "neither", "either run or csv"))
    elif "run" in one:
        for name in ("commands", "columns"):
            if name in one:
                faults.add(ConfigError(file, f"{key}.{name}", dict(one[name]), "nothing: a run says it itself"))
    elif one.get("drive") == DRIVE[0] and not one.get("commands"):
        faults.add(ConfigError(file, f"{key}.commands", "nothing", "columns of what the driver did, as `drive` says commands"))
    for name in one.get("commands") or ():
        if name not in COMMANDS:
            faults.add(ConfigError(file, f"{key}.commands.{name}", name, f"one of {', '.join(COMMANDS)}"))
    if {"steering", "steering_wheel_angle"} <= set(one.get("commands") or ()):
        faults.add(ConfigError(file, f"{key}.commands.steering", "both", "either steering or steering_wheel_angle"))
    offset = one["offset"]
    if isinstance(offset, Mapping):
        if offset["max"] <= offset["min"]:
            faults.add(ConfigError(file, f"{key}.offset.max", offset["max"], f"more than min, {offset['least']:g}"))
        elif not offset["min"] <= offset["start"] <= offset["max"]:
            faults.add(ConfigError(file, f"{key}.offset.start", offset["start"], "from min to max"))
    if one.get("from") is not None and one.get("to") is not None and one["to"] <= one["from"]:
        faults.add(ConfigError(file, f"{key}.to", one["to"], f"more than from, {one['from']:g}"))


def _data(one: Mapping[str, Any], said: Mapping[str, Any], number: int) -> Data:
    offset = one["offset"]
    found = Offset(offset["start"], offset["min"], offset["max"]) if isinstance(offset, Mapping) else Offset(offset, offset, offset)
    return Data(f"data[{number}]", base_of(said) | base_of(one, f"data[{number}]"), one, found)
