"""Log of a run: columns by name as NumPy arrays, with their metadata and the metadata of the run."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from simulator.base.call_checks import NAME, NAMES, TEXT, checks, optional
from simulator.base.errors import JounceError
from simulator.base.suggestions import did_you_mean
from simulator.events.event import Event
from simulator.telemetry.atomic_files import write_bytes, write_whole
from simulator.telemetry.channels import Channel, chosen
from simulator.telemetry.event_file import read_events
from simulator.telemetry.metadata import recorded_configuration
from simulator.telemetry.parquet import read_about, read_telemetry, read_units, write_groups

if TYPE_CHECKING:
    import pandas
    from matplotlib.figure import Figure


class NoSuchColumnError(JounceError, KeyError):
    """The log has no column or field of this name."""

    __str__ = JounceError.__str__  # KeyError adds quotation marks


def _text(name: object) -> str:
    """Return the name of a column. Raises NoSuchColumnError: it is no text."""
    if not isinstance(name, str):
        raise NoSuchColumnError(f"no column {name!r}; expected the name of a column, a text")
    return name


class Log(Mapping[str, NDArray[Any]]):
    """Columns of a run by name, each (n,): `log["v_WB_B_x"]`; `log.field("v_WB_B")` for the columns of a field as one array.

    Parameters
    ----------
    columns : metadata of the columns
    arrays : numbers of the columns by name
    about : metadata of the run: "version", "machine", "seed" ... as text, JSON for structured values
    events : events of the run in their order

    Access to a missing column raises NoSuchColumnError, a KeyError, which suggests the nearest name.
    """

    def __init__(
        self, columns: Sequence[Channel], arrays: Mapping[str, NDArray[Any]], about: Mapping[str, str], events: Sequence[Event] = ()
    ) -> None:
        self.columns = {column.name: column for column in columns}
        """Name, unit, frame, meaning and field of every column, by name."""
        self.about = dict(about)
        """Metadata of the run."""
        self.events = tuple(events)
        """Commands and occurrences of the run: pauses, restarts, tuned numbers, collisions ... (`simulator.events.event.Event`)."""
        self._arrays = {name: arrays[name] for name in self.columns}

    def __getitem__(self, name: str) -> NDArray[Any]:
        name = _text(name)
        try:
            return self._arrays[name]
        except KeyError:
            raise NoSuchColumnError(f"no column {name!r}{did_you_mean(name, self._arrays)}") from None

    def __iter__(self) -> Iterator[str]:
        return iter(self._arrays)

    def __len__(self) -> int:
        return len(self._arrays)

    def __repr__(self) -> str:
        span = f", {self['time'][0]:g} to {self['time'][-1]:g} s" if self.rows and "time" in self else ""
        return f"<Log of {self.rows} rows, {len(self)} columns{span}>"

    @property
    def rows(self) -> int:
        """Number of rows."""
        return len(next(iter(self._arrays.values()), ()))

    @property
    def configuration(self) -> dict[str, Any] | None:
        """Resolved configuration of the run; None if the log does not contain it. Raises ConfigError: it is damaged."""
        return recorded_configuration(self.about, "log")

    def field(self, name: str) -> NDArray[Any]:
        """Return the columns of a field as one array, (n, k): `field("p_WB")` is (n, 3), `field("jounce")` (n, 4), order FL, FR, RL, RR.

        Raises NoSuchColumnError.
        """
        name = _text(name)
        names = [column.name for column in self.columns.values() if column.field == name]
        if not names:
            raise NoSuchColumnError(f"no field {name!r}{did_you_mean(name, {column.field for column in self.columns.values()})}")
        return np.stack([self[column] for column in names], axis=1)

    def select(self, *wanted: str) -> Log:
        """Return a log of selected columns: names, fields, patterns with * and ?. Raises ConfigError if nothing matches one of them."""
        NAMES.check("select", "wanted", wanted)
        names = chosen({name: column.field for name, column in self.columns.items()}, wanted)
        return Log([self.columns[name] for name in names], self._arrays, self.about, self.events)

    def to_pandas(self) -> pandas.DataFrame:
        """Return a data frame of all columns; `attrs` has "unit", "frame", "meaning" by column and "about". Raises JounceError without pandas."""
        try:
            import pandas
        except ImportError:
            from simulator.base.installation import install_extra

            raise JounceError(f"pandas is not installed; hint: use the columns as NumPy arrays, or run {install_extra('pandas')}") from None
        frame = pandas.DataFrame(self._arrays)
        for attribute in ("unit", "frame", "meaning"):
            frame.attrs[attribute] = {name: getattr(column, attribute) for name, column in self.columns.items()}
        frame.attrs["about"] = dict(self.about)
        return frame

    @checks(along=TEXT, file=optional(NAME))
    def plot(self, *wanted: str, along: str = "time", file: str | os.PathLike[str] | None = None) -> Figure:
        """Plot columns over time or another column, one panel per field in the requested order, angles in degrees.

        Parameters
        ----------
        wanted : names, fields or patterns, as for `select`
        along : column of the horizontal axis
        file : optional PNG file to write

        Returns the matplotlib figure, which a notebook displays. Raises ConfigError, NoSuchColumnError, OutputError.
        """
        from simulator.report.png_renderer import figure_of, png_of
        from simulator.telemetry.log_plot import log_plot

        ordered = dict.fromkeys(name for pattern in wanted or ("*",) for name in self.select(pattern))
        if along not in self:
            raise NoSuchColumnError(f"no column {along!r}{did_you_mean(along, self._arrays)}")
        figure = figure_of(log_plot(self.columns[along], [self.columns[name] for name in ordered if name != along], self))
        if file is not None:
            write_bytes(Path(file), png_of(figure))
        return figure

    @checks(file=NAME)
    def save(self, file: str | os.PathLike[str]) -> None:
        """Write a telemetry file (Parquet) for `read_log` and other Parquet readers. Raises OutputError."""
        write_whole(Path(file), lambda path: write_groups(path, self.columns.values(), [self._arrays], self.about))


@checks(file=NAME, channels=NAMES)
def read_log(file: str | os.PathLike[str], channels: Collection[str] = (), wall: bool = True) -> Log:
    """Read the log of a telemetry file or of a run folder.

    Parameters
    ----------
    channels : columns to read: names, fields, patterns with * and ?; empty: all. All columns of two hours at 100 Hz need 1.7 GB
    wall : True to include the columns of the wall clock; without them, the logs of two equal runs are bitwise equal

    Raises ConfigError: a missing or foreign file, or no column matches one of `channels`.
    """
    path = Path(file)
    if path.is_dir():
        path /= "telemetry.parquet"
    metadata = {name: values for name, values in read_units(path).items() if wall or "wall" not in values}
    names = chosen({name: values.get("field", name) for name, values in metadata.items()}, channels)
    arrays = read_telemetry(path, names)
    return Log([_channel(name, metadata[name], arrays[name].dtype) for name in names], arrays, read_about(path), read_events(path) or ())


def _channel(name: str, values: Mapping[str, str], kind: np.dtype) -> Channel:
    unit, frame, meaning, field = (values.get(key, other) for key, other in (("unit", ""), ("frame", ""), ("meaning", ""), ("field", name)))
    return Channel(name, unit, frame, meaning, kind, 0, "wall" in values, field)
