"""A log as people work with it: columns by name as NumPy arrays, with what each of them means and what is known of the run."""

from __future__ import annotations

import json
import os
from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from simulator.base import renamed
from simulator.base.errors import JounceError
from simulator.base.suggestions import did_you_mean
from simulator.telemetry.atomic_files import write_whole
from simulator.telemetry.channels import Channel, chosen
from simulator.telemetry.parquet import read_about, read_telemetry, read_units, write_groups

if TYPE_CHECKING:
    import pandas
    from matplotlib.figure import Figure


class NoSuchColumnError(JounceError, KeyError):
    """A log has no column, or no field, of that name."""

    __str__ = JounceError.__str__  # that of KeyError puts quotation marks around it


class Log(Mapping[str, NDArray[Any]]):
    """Columns of a run by name, each (n,): `log["v_WB_B_x"]`; `log.field("v_WB_B")` for the columns of a field side by side.

    Parameters
    ----------
    columns : what the columns are, by name
    arrays : their numbers, by name
    about : what is known of the run: "version", "machine", "seed" ... as text, JSON where it has parts

    Asking for a column that is not there raises NoSuchColumnError, a KeyError, which names the nearest.
    """

    def __init__(self, columns: Sequence[Channel], arrays: Mapping[str, NDArray[Any]], about: Mapping[str, str]) -> None:
        self.columns = {column.name: column for column in columns}
        """Name, unit, frame, meaning and field of every column, by name."""
        self.about = dict(about)
        """What is known of the run."""
        self._arrays = {name: arrays[name] for name in self.columns}

    def __getitem__(self, name: str) -> NDArray[Any]:
        name = renamed.column(name)
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
        """Numbers in each column."""
        return len(next(iter(self._arrays.values()), ()))

    @property
    def configuration(self) -> Any:
        """The resolved configuration of the run as a mapping; None where the log does not hold it."""
        return json.loads(self.about["configuration"]) if "configuration" in self.about else None

    def field(self, name: str) -> NDArray[Any]:
        """The columns of a field side by side, (n, k): `field("p_WB")` is (n, 3), `field("jounce")` (n, 4) in the order FL, FR, RL, RR.

        Raises NoSuchColumnError.
        """
        name = renamed.column(name)
        names = [column.name for column in self.columns.values() if column.field == name]
        if not names:
            raise NoSuchColumnError(f"no field {name!r}{did_you_mean(name, {column.field for column in self.columns.values()})}")
        return np.stack([self[column] for column in names], axis=1)

    def select(self, *wanted: str) -> Log:
        """The log of some columns only: names, fields, patterns with * and ?. Raises ConfigError when nothing fits one of them."""
        names = chosen({name: column.field for name, column in self.columns.items()}, wanted)
        return Log([self.columns[name] for name in names], self._arrays, self.about)

    def to_pandas(self) -> pandas.DataFrame:
        """A data frame of all columns; `attrs` has "unit", "frame", "meaning" by column and "about". Raises JounceError without pandas."""
        try:
            import pandas
        except ImportError:
            raise JounceError("pandas is not installed ('pip install pandas'); the columns are there as NumPy arrays") from None
        frame = pandas.DataFrame(self._arrays)
        for word in ("unit", "frame", "meaning"):
            frame.attrs[word] = {name: getattr(column, word) for name, column in self.columns.items()}
        frame.attrs["about"] = dict(self.about)
        return frame

    def plot(self, *wanted: str, along: str = "time", file: str | os.PathLike[str] | None = None) -> Figure:
        """Draw columns over time or another column, one panel per field in the order asked for, angles in degrees.

        Parameters
        ----------
        wanted : names, fields or patterns, as for `select`
        along : column that goes to the right
        file : PNG to write besides

        Returns the matplotlib figure, which a notebook shows. Raises ConfigError, NoSuchColumnError, OutputError.
        """
        from simulator.telemetry.figures import draw_log, save_figure

        in_order = dict.fromkeys(name for pattern in wanted or ("*",) for name in self.select(pattern))
        if along not in self:
            raise NoSuchColumnError(f"no column {along!r}{did_you_mean(along, self._arrays)}")
        figure = draw_log(self.columns[along], [self.columns[name] for name in in_order if name != along], self)
        if file is not None:
            save_figure(Path(file), figure)
        return figure

    def save(self, file: str | os.PathLike[str]) -> None:
        """Write a telemetry file (Parquet), which `read_log` and every reader of Parquet read. Raises OutputError."""
        write_whole(Path(file), lambda path: write_groups(path, self.columns.values(), [self._arrays], self.about))


def read_log(file: str | os.PathLike[str], channels: Collection[str] = (), wall: bool = True) -> Log:
    """The log in a telemetry file, or in the folder of a run.

    Parameters
    ----------
    channels : columns wanted: names, fields, patterns with * and ?; all when empty. Two hours at 100 Hz have 1.7 GB in all
    wall : whether to read those of the wall clock too; without them, two runs of one drive are equal bit for bit

    Raises ConfigError: a missing or foreign file, or nothing fits one of `channels`.
    """
    path = Path(file)
    if path.is_dir():
        path /= "telemetry.parquet"
    said = {name: words for name, words in read_units(path).items() if wall or "wall" not in words}
    names = chosen({name: words.get("field", name) for name, words in said.items()}, channels)
    arrays = read_telemetry(path, names)
    return Log([_channel(name, said[name], arrays[name].dtype) for name in names], arrays, read_about(path))


def _channel(name: str, words: Mapping[str, str], kind: np.dtype) -> Channel:
    unit, frame, meaning, field = (words.get(key, other) for key, other in (("unit", ""), ("frame", ""), ("meaning", ""), ("field", name)))
    return Channel(name, unit, frame, meaning, kind, 0, "wall" in words, field)
