"""Files that say how things are compared: what another program calls our channels, bands, which channels, and how times are aligned."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from simulator.base.errors import ConfigError
from simulator.base.fields import ListOf, Named, Number, Text, entries, entry, group_of, read
from simulator.base.yaml_reader import read_yaml
from simulator.configuration.file_lookup import find_config

FOLDER = "comparisons"
"""In `configs`."""
SHARE = Number("1", 0.0, 100.0)
WIDTH = Number("", 0.0, 1e9)
CHANNEL = Text("a channel, a unit behind it or not: w_WB_B_z_degps")
_NUMBER = r"[0-9]*\.?[0-9]+(?:[eE][+-]?[0-9]+)?"
BAND = re.compile(rf"(?:\+-|±)?(?:(?P<add>{_NUMBER})(?:\+(?P<more>{_NUMBER})%)?|(?P<share>{_NUMBER})%)")
"""On a command line: +-0.5, 0.5, 0.5+3%, 3%."""


@dataclass(frozen=True)
class BandSaid:
    """How far from the reference a channel may be."""

    channel: str = entry(CHANNEL, "channel that must lie within the band")
    add: float = entry(WIDTH, "half the width, in the unit of the channel as it is written here", 0.0)
    share: float = entry(SHARE, "added to it, this share of the size of the reference", 0.0)
    time: float = entry(Number("s", 0.0, 1e3), "over time: how much earlier or later the reference may be", 0.0, written="s")
    over: str = entry(Text("a channel, or nothing", empty=True), "channel over which steady turns are compared; nothing: over time", "")
    over_add: float = entry(WIDTH, "half the width along that channel, in its unit as it is written", 0.0)
    over_share: float = entry(SHARE, "added to it, this share of the size of the reference", 0.0)
    mark: str = entry(Text("words", empty=True), "where the numbers come from", "")


@dataclass(frozen=True)
class Comparison:
    """What a comparison file says."""

    title: str = entry(Text("words", empty=True), "what is compared, in words", "")
    columns: Mapping[str, str] = entry(
        Named(
            Text("a channel of ours, a unit behind it or not, a minus before it where the sign is the other"), "columns with our channels"
        ),
        "what the columns of a CSV file are: `AVz: w_WB_B_z_degps`, `Time: time`, `Steer: -steering_wheel_angle_deg`",
        {},
    )
    delimiter: str = entry(Text("a letter", pattern="^.$"), "between the cells of a CSV file", ",")
    lines_below_header: int = entry(Number("1", 0, 1000, whole=True), "lines between the names of the columns and the first numbers", 0)
    channels: tuple[str, ...] = entry(ListOf(Text("a channel or a pattern")), "channels to compare: names, fields, patterns", ())
    align: str = entry(Text("a channel", empty=True), "channel by which times are aligned; nothing: they are as they are", "")
    offset: float = entry(Number("s", -1e6, 1e6), "added to the times of all but the first", 0.0, written="s")
    bands: tuple[BandSaid, ...] = entry(ListOf(group_of(BandSaid)), "how far from the first the others may be", ())
    file: str = field(default="the command line", compare=False)


FILE = entries(Comparison)


def load_comparison(file: str | Path) -> Comparison:
    """What a file says. Raises ConfigError."""
    return Comparison(**read(FILE, read_yaml(Path(file)), str(file)), file=str(file))


def comparison_from_arguments(maps: Iterable[str], bands: Iterable[str], align: str | None, channels: Iterable[str]) -> Comparison:
    """What options ask for.

    Parameters
    ----------
    maps : files by name or path, and columns as THEIRS=BUILTIN
    bands : files by name or path, of which only the bands count, and bands as CHANNEL=+-X, CHANNEL=+-X+P%
    align : a channel or seconds
    channels : names, fields, patterns, with commas between them

    Raises ConfigError.
    """
    asked = Comparison()
    for said in maps:
        theirs, equals, ours = said.rpartition("=")
        if equals:
            asked = replace(asked, columns={**asked.columns, theirs: ours})
        else:
            asked = _joined(asked, load_comparison(find_config(FOLDER, said)))
    for said in bands:
        more = (_band(said),) if "=" in said else load_comparison(find_config(FOLDER, said)).bands
        asked = replace(asked, bands=(*asked.bands, *more))
    named = tuple(name for said in channels for name in said.split(",") if name)
    if named:
        asked = replace(asked, channels=named)
    if align is not None:
        try:
            asked = replace(asked, offset=float(align), align="")
        except ValueError:
            asked = replace(asked, align=align)
    return asked


def _joined(one: Comparison, other: Comparison) -> Comparison:
    """What both say; of a single thing what the other one says."""
    return replace(other, columns={**one.columns, **other.columns}, bands=(*one.bands, *other.bands))


def _band(said: str) -> BandSaid:
    channel, _, width = said.partition("=")
    found = BAND.fullmatch(width)
    if found is None or not channel:
        raise ConfigError("--band", "", said, "CHANNEL=+-X, CHANNEL=+-X+P% or the name of a comparison file")
    return BandSaid(channel, float(found["add"] or 0.0), 0.01 * float(found["share"] or found["more"] or 0.0))
