"""Comparison files: column names of other programs, bands, channels and time alignment."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from simulator.base.errors import ConfigError
from simulator.base.field_classes import entries, entry, group_of
from simulator.base.fields import ListOf, Named, Number, Text, read
from simulator.base.yaml_reader import read_yaml
from simulator.configuration.file_lookup import find_config

FOLDER = "comparisons"
"""Name of the folder in `configs`."""
MIN_COMPARED = 0.8
"""Default of the minimum fraction of the reference that is compared. Smaller: a band may be satisfied with many values missing. Larger: a
measurement that is a little shorter than the simulation violates its bands. Assumed."""
MAX_SHARE, MAX_WIDTH, MAX_OFFSET = 100.0, 1e9, 1e6
"""Maximum half width as a fraction of the reference, half width in the unit of its channel, and time offset in s."""
SHARE = Number("1", 0.0, MAX_SHARE)
WIDTH = Number("", 0.0, MAX_WIDTH)
CHANNEL = Text("a channel, with or without unit suffix: w_WB_B_z_degps")
_NUMBER = r"[0-9]*\.?[0-9]+(?:[eE][+-]?[0-9]+)?"
BAND = re.compile(rf"(?:\+-|±)?(?:(?P<add>{_NUMBER})(?:\+(?P<more>{_NUMBER})%)?|(?P<share>{_NUMBER})%)")
"""Band on the command line: +-0.5, 0.5, 0.5+3%, 3%."""


@dataclass(frozen=True)
class BandTolerance:
    """Tolerance of a channel relative to the reference."""

    channel: str = entry(CHANNEL, "channel that must lie within the band")
    add: float = entry(WIDTH, "half width, in the unit of the channel suffix", 0.0)
    share: float = entry(SHARE, "additional half width, as a fraction of the magnitude of the reference", 0.0)
    time: float = entry(Number("s", 0.0, 1e3), "time tolerance of the reference, for bands over time", 0.0, written="s")
    over: str = entry(Text("a channel, or nothing", empty=True), "channel over which steady turns are compared (default: time)", "")
    over_add: float = entry(WIDTH, "half width along the channel of `over`, in the unit of its suffix", 0.0)
    over_share: float = entry(SHARE, "additional half width along this channel, as a fraction of the magnitude of the reference", 0.0)
    min_compared: float = entry(Number("1", 0.0, 1.0), "fraction of the reference that must be compared to satisfy the band", MIN_COMPARED)
    mark: str = entry(Text("words", empty=True), "source of the numbers", "")


@dataclass(frozen=True)
class Comparison:
    """Content of a comparison file."""

    title: str = entry(Text("words", empty=True), "title of the comparison", "")
    columns: Mapping[str, str] = entry(
        Named(
            Text("a Jounce channel, with or without unit suffix, with a leading minus to invert the sign"),
            "columns, each with a Jounce channel",
        ),
        "Jounce channels of the columns of a CSV file: `AVz: w_WB_B_z_degps`, `Time: time`, `Steer: -steering_wheel_angle_deg`",
        {},
    )
    delimiter: str = entry(Text("a letter", pattern="^.?$", empty=True), "delimiter of the cells of a CSV file; default: detected", "")
    lines_below_header: int = entry(Number("1", 0, 1000, whole=True), "number of lines between the column names and the first numbers", 0)
    channels: tuple[str, ...] = entry(ListOf(Text("a channel or a pattern")), "channels to compare: names, fields, patterns", ())
    align: str = entry(Text("a channel", empty=True), "channel for the time alignment (default: no alignment)", "")
    offset: float = entry(
        Number("s", -MAX_OFFSET, MAX_OFFSET), "offset added to the times of all records except the first", 0.0, written="s"
    )
    bands: tuple[BandTolerance, ...] = entry(ListOf(group_of(BandTolerance)), "tolerance bands around the first record", ())
    file: str = field(default="the command line", compare=False)


FILE = entries(Comparison)


def load_comparison(file: str | Path) -> Comparison:
    """Return the content of a comparison file. Raises ConfigError."""
    return Comparison(**read(FILE, read_yaml(Path(file)), str(file)), file=str(file))


def comparison_from_arguments(
    maps: Iterable[str], bands: Iterable[str], align: str | None, channels: Iterable[str], min_compared: float | None = None
) -> Comparison:
    """Return the comparison defined by command-line options.

    Parameters
    ----------
    maps : files by name or path, and columns as THEIRS=BUILTIN
    bands : files by name or path, of which only the bands are used, and bands as CHANNEL=+-X, CHANNEL=+-X+P%
    align : a channel or seconds
    channels : names, fields, patterns, separated by commas
    min_compared : fraction of the reference that must be compared, for all bands

    Raises ConfigError.
    """
    options = Comparison()
    for given in maps:
        theirs, equals, ours = given.rpartition("=")
        if equals:
            options = replace(options, columns={**options.columns, theirs: ours})
        else:
            options = _joined(options, load_comparison(find_config(FOLDER, given)))
    for given in bands:
        more = (_band(given),) if "=" in given else load_comparison(find_config(FOLDER, given)).bands
        options = replace(options, bands=(*options.bands, *more))
    named = tuple(name for given in channels for name in given.split(",") if name)
    if named:
        options = replace(options, channels=named)
    if align is not None:
        try:
            offset = float(align)
        except ValueError:
            options = replace(options, align=align)
        else:
            if not abs(offset) <= MAX_OFFSET:
                raise ConfigError("--align", "", align, f"a channel, or {-MAX_OFFSET:g} to {MAX_OFFSET:g} s")
            options = replace(options, offset=offset, align="")
    if min_compared is not None:
        options = replace(options, bands=tuple(replace(band, min_compared=min_compared) for band in options.bands))
    return options


def _joined(one: Comparison, other: Comparison) -> Comparison:
    """Return the combination of both. Single values come from `other`."""
    return replace(other, columns={**one.columns, **other.columns}, bands=(*one.bands, *other.bands))


def _band(given: str) -> BandTolerance:
    channel, _, width = given.partition("=")
    match = BAND.fullmatch(width)
    if match is None or not channel:
        raise ConfigError("--band", "", given, "CHANNEL=+-X, CHANNEL=+-X+P% or the name of a comparison file")
    add, share = float(match["add"] or 0.0), 0.01 * float(match["share"] or match["more"] or 0.0)
    if add > MAX_WIDTH or share > MAX_SHARE:
        raise ConfigError("--band", "", given, f"a half width up to {MAX_WIDTH:g} and up to {100.0 * MAX_SHARE:g} %")
    return BandTolerance(channel, add, share)
