"""Design of a sweep: the checked sweep file, and the points of its runs in order, created on access.

The same file gives the same runs on every machine: random numbers depend only on the seed of the file and the number of the block.
"""

from __future__ import annotations

import itertools
import math
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, overload

import numpy as np

from simulator.base.errors import ConfigError, ErrorCollector
from simulator.base.fields import read
from simulator.base.json_output import json_text
from simulator.base.machine import version
from simulator.base.suggestions import no_such_key
from simulator.configuration.key_path import parse, written
from simulator.configuration.layers import own_copy, read_layers
from simulator.configuration.session_file import FILE as SESSION
from simulator.configuration.session_file import LARGEST_SEED
from simulator.sweep.metric_limits import common_limits
from simulator.sweep.sampling import check_distribution, unit_points, values_at
from simulator.sweep.sweep_file import FILE, MAX_RUNS, NAMED, Block, Sample, Steps, SweepFile

Point = dict[str, Any]
"""Varied values of a run, by key path or name: {"vehicle": "hmmwv", "maneuver.parameters.speed_kph": 60.0, "seed": 3}."""

SEED = "seed"


@dataclass(frozen=True)
class Section:
    """Runs of one block of the sweep file."""

    first: int
    """Number of the first run."""
    runs: int
    how: str
    """Description: "grid", "sample of sobol" ..."""
    keys: tuple[str, ...]
    saltelli: int = 0
    """Number of pairs of points of a Saltelli design; 0: another design. The runs of a pair are A, B, and A with one key of B in turn,
    in the order of `keys`; each run occurs `repeats` times."""
    repeats: int = 1


class Columns(Sequence[Point]):
    """Points, or parts of points, stored as columns by key."""

    def __init__(self, columns: Mapping[str, Sequence[Any]]) -> None:
        self._columns = columns

    def __len__(self) -> int:
        return len(next(iter(self._columns.values())))

    @overload
    def __getitem__(self, number: int) -> Point: ...
    @overload
    def __getitem__(self, number: slice) -> list[Point]: ...
    def __getitem__(self, number: int | slice) -> Point | list[Point]:
        if isinstance(number, slice):
            return [self[n] for n in range(*number.indices(len(self)))]
        return {key: column[number] for key, column in self._columns.items()}


class Points(Sequence[Point]):
    """Points of all blocks in sequence. A point is created on access, so a hundred thousand points take little memory."""

    def __init__(self, blocks: Sequence[Sequence[Sequence[Point]]]) -> None:
        self._blocks = blocks
        self._starts = [0, *itertools.accumulate(math.prod(map(len, parts)) for parts in blocks)]

    def __len__(self) -> int:
        return self._starts[-1]

    @overload
    def __getitem__(self, number: int) -> Point: ...
    @overload
    def __getitem__(self, number: slice) -> list[Point]: ...
    def __getitem__(self, number: int | slice) -> Point | list[Point]:
        if isinstance(number, slice):
            return [self[n] for n in range(*number.indices(len(self)))]
        if number < 0:
            number += len(self)
        if not 0 <= number < len(self):
            raise IndexError(number)
        block, places = self.place(number)
        return {key: value for part, place in zip(self._blocks[block], places, strict=True) for key, value in part[place].items()}

    def place(self, number: int) -> tuple[int, list[int]]:
        """Return the block of a point, and its index in each part that the block combines."""
        block = bisect_right(self._starts, number) - 1
        places = np.unravel_index(number - self._starts[block], [len(part) for part in self._blocks[block]])
        return block, [int(place) for place in places]


@dataclass(frozen=True)
class Design:
    """A sweep file, read and checked. The values of session keys are checked later, when the runs are resolved."""

    file: str
    name: str
    title: str
    base: Mapping[str, Any]
    """Values common to all runs, by key path or name, including `session`."""
    points: Points
    vary: tuple[Block, ...]
    """Blocks of the file."""
    metrics: tuple[str, ...]
    """Patterns of the requested metrics."""
    channels: tuple[str, ...]
    sections: tuple[Section, ...]
    remarks: tuple[str, ...]
    """Notes for the user before the sweep starts, a line each."""

    @property
    def varied(self) -> list[str]:
        """Varied keys in the order of the file."""
        return list(dict.fromkeys(key for section in self.sections for key in section.keys))

    def key_of(self, number: int | None, key: str) -> str:
        """Return the key path in the sweep file that sets a session key of a run (None: of all runs)."""
        if number is None:
            return key if key in NAMED else f"set.{key}"
        n, places = self.points.place(number)
        block = self.vary[n]
        if block.list is not None and not isinstance(block.list, Mapping):
            row = places[len(block.grid or ())]
            if key in block.list[row]:
                return f"vary[{n}].list[{row}].{key}"
        given = (part for part, keys in _keys_of(block) if not part.startswith("list[") and key in keys)
        return f"vary[{n}].repeat" if key == SEED and block.repeat is not None else f"vary[{n}].{next(given)}.{key}"

    def about(self) -> dict[str, Any]:
        """Return the data that a report needs, as plain data."""
        return {
            "name": self.name,
            "title": self.title,
            "base": dict(self.base),
            "wanted": list(self.metrics),
            "version": version(),
            "limits": common_limits(self.base, self.points, self.file),
            "sections": [asdict(section) for section in self.sections],
            "remarks": list(self.remarks),
        }


def read_design(file: str | Path) -> Design:
    """Return the design of a sweep file, including its base file. Raises ConfigError."""
    return design(read_layers("sweeps", Path(file)).content, str(file))


def points(content: Any, file: object) -> Sequence[Point]:
    """Return the points in run order. Raises as `read_design`."""
    return design(content, str(file)).points


def design(content: Any, file: str) -> Design:
    """Return the design for the content of a file. Raises as `read_design`."""
    given = SweepFile(**read(FILE.fields, content, file, fill=False))
    base = {name: getattr(given, name) for name in NAMED if getattr(given, name) is not None} | dict(given.set or {})
    with ErrorCollector() as faults:
        _check_keys(given.set or (), file, "set", faults)
        for n, block in enumerate(given.vary):
            with faults.part():
                _check_block(block, file, f"vary[{n}]")
        faults.need_all()
        _check_size(given, file)
    blocks = [_parts(block, given.seed, n) for n, block in enumerate(given.vary)]
    points = Points(blocks)
    return Design(
        file, given.name, given.title or given.name, own_copy(base), points, tuple(given.vary), tuple(given.metrics), tuple(given.channels),
        tuple(_sections(given.vary, blocks)), tuple(_remarks(given.vary)),
    )  # fmt: skip


def telling(points: Sequence[Point]) -> list[int]:
    """Return the numbers of the points where a value occurs first, or where a number has its minimum or maximum."""
    first: dict[tuple[str, str], int] = {}
    ends: dict[str, tuple[tuple[float, int], tuple[float, int]]] = {}
    for number, point in enumerate(points):
        for key, value in point.items():
            if isinstance(value, int | float) and not isinstance(value, bool):
                low, high = ends.setdefault(key, ((value, number), (value, number)))
                ends[key] = (value, number) if value < low[0] else low, (value, number) if value > high[0] else high
            else:
                first.setdefault((key, json_text(value)), number)
    return sorted({*first.values(), *(number for end in ends.values() for _, number in end)})


def _parts(block: Block, seed: int, number: int) -> list[Sequence[Point]]:
    """Return the parts that a block combines, slowest first. A part is a sequence of partial points."""
    parts: list[Sequence[Point]] = [Columns({key: _choices(values)}) for key, values in (block.grid or {}).items()]
    if block.list is not None:
        parts.append(_rows(block.list))
    if block.sample is not None:
        parts.append(_drawn(block.sample, np.random.default_rng([seed, number])))
    if block.repeat is not None:
        parts.append(Columns({SEED: _seeds(block.repeat, seed)}))
    return parts


def _choices(given: Any) -> list[Any]:
    """Return the values of a key of a grid."""
    if not isinstance(given, Steps):
        return [own_copy(one) for one in given]
    if given.count is not None:
        spread = np.geomspace if given.spacing == "ratio" else np.linspace
        return [float(one) for one in spread(given.first, given.to, given.count)]
    assert given.step is not None
    count = max(0, math.ceil(abs(given.to - given.first) / given.step - 1e-9))
    step = math.copysign(given.step, given.to - given.first)
    return [*(given.first + n * step for n in range(count)), given.to]


def _rows(given: Any) -> Sequence[Point]:
    """Return the rows of a list, or of columns."""
    if isinstance(given, Mapping):
        return Columns({key: own_copy(column) for key, column in given.items()})
    return [own_copy(dict(row)) for row in given]


def _drawn(sample: Sample, rng: np.random.Generator) -> Sequence[Point]:
    shares = unit_points(sample.method, sample.count, len(sample.of), rng)
    return Columns({key: values_at(given, shares[:, n]) for n, (key, given) in enumerate(sample.of.items())})


def _seeds(given: Any, first: int) -> Sequence[int]:
    return range(first, first + given) if isinstance(given, int) else [int(one) for one in given]


def _check_block(block: Block, file: str, key: str) -> None:
    """Check the rules that concern several keys of a block. Raises ConfigError."""
    with ErrorCollector() as faults:
        if block.grid is block.list is block.sample is block.repeat is None:
            faults.add(ConfigError(file, key, "nothing", "one or more of grid, list, sample, repeat"))
        for name, keys in _keys_of(block):
            _check_keys(keys, file, f"{key}.{name}", faults)
        _check_twice(block, file, key, faults)
        for name, values in (block.grid or {}).items():
            if isinstance(values, Steps):
                _check_steps(values, file, f"{key}.grid.{name}", faults)
        if isinstance(block.list, Mapping) and len({len(column) for column in block.list.values()}) > 1:
            lengths = ", ".join(f"{name} {len(column)}" for name, column in block.list.items())
            faults.add(ConfigError(file, f"{key}.list", lengths, "columns of equal length"))
        for name, given in (block.sample.of if block.sample else {}).items():
            with faults.part():
                check_distribution(given, file, f"{key}.sample.of.{name}")
        if block.sample and block.sample.method == "saltelli" and (block.grid or block.list):
            expected = "a block without grid and list (other blocks may repeat the sample with other values)"
            faults.add(ConfigError(file, f"{key}.sample.method", "saltelli", expected))


def _check_steps(steps: Steps, file: str, key: str, faults: ErrorCollector) -> None:
    if (steps.step is None) == (steps.count is None):
        faults.add(ConfigError(file, key, "neither step nor count" if steps.step is None else "step and count", "one of step and count"))
    elif steps.step is not None and abs(steps.to - steps.first) / steps.step > MAX_RUNS:
        faults.add(ConfigError(file, f"{key}.step", steps.step, f"at most {MAX_RUNS} values"))
    if steps.spacing == "ratio" and (steps.count is None or steps.first * steps.to <= 0.0):
        faults.add(ConfigError(file, f"{key}.spacing", "ratio", "even spacing, or count with first and to on one side of 0"))


def _keys_of(block: Block) -> Iterator[tuple[str, Iterable[str]]]:
    """Yield the parts of a block with the keys that each part sets."""
    if block.grid is not None:
        yield "grid", block.grid
    if isinstance(block.list, Mapping):
        yield "list", block.list
    elif block.list is not None:
        yield from ((f"list[{n}]", row) for n, row in enumerate(block.list))
    if block.sample is not None:
        yield "sample.of", block.sample.of


def _check_keys(keys: Iterable[str], file: str, where: str, faults: ErrorCollector) -> None:
    """Check that each key starts with a key of a session. The rest is checked when the run is resolved."""
    known = [spelled for field in SESSION for spelled in field.spellings]
    for key in keys:
        path = parse(key)
        if written(path) != key:
            faults.add(ConfigError(file, f"{where}.{key}", key, "a key path, for example vehicle.chassis.mass or vehicle.gears[0]"))
        elif path[0] not in known:
            faults.add(ConfigError(file, f"{where}.{key}", key, no_such_key(path[0], [field.usual for field in SESSION], known)))


def _check_twice(block: Block, file: str, key: str, faults: ErrorCollector) -> None:
    """Check that no key varies in two parts of one block."""
    owners: dict[str, str] = {SEED: "repeat"} if block.repeat is not None else {}
    for name, keys in _keys_of(block):
        part = name.split("[")[0]
        for one in keys:
            if owners.setdefault(one, part) != part:
                faults.add(ConfigError(file, f"{key}.{name}.{one}", one, f"each key once in a block ({owners[one]} varies it too)"))


def _check_size(given: SweepFile, file: str) -> None:
    """Check the number of runs before they are created. Raises ConfigError."""
    sizes = [_size(block) for block in given.vary]
    if sum(sizes) > MAX_RUNS:
        largest = max(range(len(sizes)), key=sizes.__getitem__)
        raise ConfigError(
            file, f"vary[{largest}]", f"{sum(sizes)} runs in total, {sizes[largest]} in this block", f"at most {MAX_RUNS} runs"
        )
    for n, block in enumerate(given.vary):
        if isinstance(block.repeat, int) and given.seed + block.repeat - 1 > LARGEST_SEED:
            raise ConfigError(file, f"vary[{n}].repeat", block.repeat, f"seeds from {given.seed} to {LARGEST_SEED}")


def _size(block: Block) -> int:
    """Return the number of runs of a block."""
    size = math.prod(len(_choices(values)) for values in (block.grid or {}).values())
    if block.list is not None:
        size *= len(_rows(block.list))
    if block.sample is not None:
        size *= block.sample.count * (len(block.sample.of) + 2 if block.sample.method == "saltelli" else 1)
    return size * (1 if block.repeat is None else block.repeat if isinstance(block.repeat, int) else len(block.repeat))


def _sections(blocks: Sequence[Block], parts: Sequence[Sequence[Sequence[Point]]]) -> Iterator[Section]:
    first = 0
    for block, parts_of_block in zip(blocks, parts, strict=True):
        runs = math.prod(map(len, parts_of_block))
        how = [*["grid"] * bool(block.grid), *["list"] * bool(block.list)]
        how += [f"sample of {block.sample.method.replace('_', ' ')}"] if block.sample else []
        how += [f"{len(parts_of_block[-1])} seed{'s' * (len(parts_of_block[-1]) > 1)}"] if block.repeat is not None else []
        keys = dict.fromkeys(key for _, keys in _keys_of(block) for key in keys)
        saltelli = block.sample.count if block.sample and block.sample.method == "saltelli" else 0
        repeats = len(parts_of_block[-1]) if block.repeat is not None else 1
        yield Section(first, runs, ", ".join(how), (*keys, *[SEED] * (block.repeat is not None)), saltelli, repeats)
        first += runs


def _remarks(blocks: Sequence[Block]) -> Iterator[str]:
    for n, block in enumerate(blocks):
        sample = block.sample
        if sample and sample.method in ("sobol", "saltelli") and sample.count & (sample.count - 1):
            near = 2 ** round(math.log2(sample.count))
            yield f"vary[{n}].sample.count is {sample.count}, not a power of two; hint: {near} points are distributed more evenly"
