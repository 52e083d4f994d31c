"""Keys of a file in ``configs/fits``: parameters, measurements and the experiments of the measurements."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from simulator.base.errors import ConfigError, ErrorCollector
from simulator.base.fields import Choice, Either, Field, Fields, FileName, Group, ListOf, Named, Number, Text, read
from simulator.configuration.layers import read_layers
from simulator.fitting.keys import DRIVEN_FIELDS, NAME, PARAMETERS, Base, Parameter, base_of, check_keys, read_parameters

_TIME = Number("s", -1e6, 1e6)
_COLUMN = Text("a column heading")
DRIVE = ("commands", "maneuver")
COMMANDS = {"steering": "1", "steering_wheel_angle": "rad", "throttle": "1", "brake": "1"}
"""Driver commands in a CSV file, with the SI unit."""

_OFFSET: Fields = (
    Field("start", _TIME, "start of the search", 0.0, written="s"),
    Field("min", _TIME, "lower bound", written="s"),
    Field("max", _TIME, "upper bound", written="s"),
)
_DATA: Fields = (
    Field(
        "run",
        Text("the folder of a run, or its telemetry file"),
        "recorded run: path of its folder or telemetry file, relative to this file",
        None,
    ),
    Field(
        "csv", FileName("the path of a CSV file"), "CSV file with a measurement, instead of `run`: a line of headings, then numbers", None
    ),
    Field(
        "drive",
        Choice(DRIVE),
        "source of the driver commands. `commands`: steering and pedals of the data; `maneuver`: repetition of the maneuver. Default: the "
        "commands of a run; for a CSV file, its `commands` if given, else the maneuver",
        None,
    ),
    *DRIVEN_FIELDS,
    Field(
        "commands",
        Named(_COLUMN, f"any of {', '.join(COMMANDS)}, each with a column heading"),
        "columns of the driver commands in a CSV file (missing commands are 0)",
        None,
    ),
    Field("speed", Number("m/s", 0.0, 60.0), "initial speed for a CSV file with commands", 0.0, written="kph"),
    Field("time", _COLUMN, "column of the time in a CSV file", "time"),
    Field(
        "columns",
        Named(_COLUMN, "channels, each with a column heading"),
        "columns of the channels in a CSV file (default: the column with the name of the channel)",
        None,
    ),
    Field(
        "offset",
        Either((_TIME, Group(_OFFSET)), "a number in s, or {start, min, max}"),
        "time offset added to the data to obtain simulation time: fixed, or fitted from min to max",
        0.0,
        written="s",
    ),
    Field("from", _TIME, "start of the compared interval, in data time", None, written="s"),
    Field("to", _TIME, "end of the compared interval, in data time", None, written="s"),
)
_CHANNEL: Fields = (
    Field(
        "noise",
        Number("", 0.0, above=0.0),
        "standard deviation of the measurement noise, in the SI unit of the channel (default: standard deviation of the channel)",
        None,
    ),
    Field("weight", Number("", 0.0, above=0.0), "weight: factor of the residuals of the channel", 1.0),
)
FIELDS: Fields = (
    Field("name", NAME, "name of the fit"),
    Field("title", Text("text", empty=True), "title for display", ""),
    *DRIVEN_FIELDS,
    Field("parameters", PARAMETERS, "fitted parameters, by display name"),
    Field("data", ListOf(Group(_DATA), least=1), "measured drives; their keys override the same keys of the file"),
    Field("channels", Named(Group(_CHANNEL), "channels, each with noise and weight, or {}", least=1), "compared channels"),
    Field("difference", Number("1", 1e-6, 0.2), "step of the numerical differentiation, as a fraction of the range of a parameter", 0.001),
    Field(
        "rounds",
        Number("1", 1, 1000, whole=True),
        "maximum number of iterations; an iteration needs one run for each parameter, plus one",
        30,
    ),
)
FILE = Group(FIELDS)
"""Keys of a file in ``configs/fits``."""


@dataclass(frozen=True)
class Offset:
    """Time offset of data [s]; fixed if min equals max."""

    start: float
    min: float
    max: float

    @property
    def fitted(self) -> bool:
        """True if the offset is fitted."""
        return self.max > self.min


@dataclass(frozen=True)
class FittedChannel:
    """A compared channel: `noise` in SI units, or None for the standard deviation of the channel."""

    noise: float | None
    weight: float


@dataclass(frozen=True)
class Data:
    """One measured drive.

    Attributes
    ----------
    key : key path of the entry in the file
    base : session values of the drive, by key path or name
    given : values by key of `_DATA`
    """

    key: str
    base: Base
    given: Mapping[str, Any]
    offset: Offset


@dataclass(frozen=True)
class Fit:
    """Content of a fit file, checked except for the data files."""

    file: str
    name: str
    title: str
    parameters: tuple[Parameter, ...]
    data: tuple[Data, ...]
    channels: Mapping[str, FittedChannel]
    difference: float
    rounds: int


def read_fit(file: str | Path) -> Fit:
    """Return the content of a fit file, including its base file. Raises ConfigError."""
    return fit_of(read_layers("fits", Path(file)).content, str(file))


def check_data(fit: Fit) -> None:
    """Check that all data files exist. Raises ConfigError."""
    with ErrorCollector() as faults:
        for one in fit.data:
            with faults.part():
                file_of(one, fit.file)


def file_of(data: Data, file: str) -> Path:
    """Return the path of a data set, relative to the fit file or as given. Raises ConfigError: it does not exist."""
    name = "run" if "run" in data.given else "csv"
    given = str(data.given[name])
    found = next((place for place in (Path(file).parent / given, Path(given)) if place.exists()), None)
    if found is None:
        what = "the folder of a run, or its telemetry file" if name == "run" else "a CSV file"
        raise ConfigError(file, f"{data.key}.{name}", given, f"{what}, relative to this file or to the current folder")
    return found


def fit_of(content: Any, file: str) -> Fit:
    """Return the fit for the content of a file. Raises ConfigError."""
    given = read(FIELDS, content, file)
    with ErrorCollector() as faults:
        with faults.part():
            parameters = read_parameters(given["parameters"], file)
        check_keys(given.get("set"), file, "set", faults)
        for n, one in enumerate(given["data"]):
            check_keys(one.get("set"), file, f"data[{n}].set", faults)
            _check_data(one, file, f"data[{n}]", faults)
    data = tuple(_data(one, given, n) for n, one in enumerate(given["data"]))
    channels = {name: FittedChannel(one.get("noise"), one["weight"]) for name, one in given["channels"].items()}
    return Fit(file, given["name"], given["title"] or given["name"], parameters, data, channels, given["difference"], given["rounds"])


def _check_data(one: Mapping[str, Any], file: str, key: str, faults: ErrorCollector) -> None:
    """Check the rules that concern several keys of a data set."""
    if ("run" in one) == ("csv" in one):
        faults.add(ConfigError(file, key, "both" if "run" in one else "neither", "either run or csv"))
    elif "run" in one:
        for name in ("commands", "columns"):
            if name in one:
                faults.add(ConfigError(file, f"{key}.{name}", dict(one[name]), "no such key, since the run contains it"))
    elif one.get("drive") == DRIVE[0] and not one.get("commands"):
        faults.add(ConfigError(file, f"{key}.commands", "nothing", "columns of the driver commands, needed by `drive: commands`"))
    for name in one.get("commands") or ():
        if name not in COMMANDS:
            faults.add(ConfigError(file, f"{key}.commands.{name}", name, f"one of {', '.join(COMMANDS)}"))
    if {"steering", "steering_wheel_angle"} <= set(one.get("commands") or ()):
        faults.add(ConfigError(file, f"{key}.commands.steering", "both", "either steering or steering_wheel_angle"))
    offset = one["offset"]
    if isinstance(offset, Mapping):
        if offset["max"] <= offset["min"]:
            faults.add(ConfigError(file, f"{key}.offset.max", offset["max"], f"a number above `min`, {offset['min']:g}"))
        elif not offset["min"] <= offset["start"] <= offset["max"]:
            faults.add(ConfigError(file, f"{key}.offset.start", offset["start"], "a number from `min` to `max`"))
    if one.get("from") is not None and one.get("to") is not None and one["to"] <= one["from"]:
        faults.add(ConfigError(file, f"{key}.to", one["to"], f"a number above `from`, {one['from']:g}"))


def _data(one: Mapping[str, Any], given: Mapping[str, Any], number: int) -> Data:
    offset = one["offset"]
    found = Offset(offset["start"], offset["min"], offset["max"]) if isinstance(offset, Mapping) else Offset(offset, offset, offset)
    return Data(f"data[{number}]", base_of(given) | base_of(one, f"data[{number}]"), one, found)
