"""The kinds of files of `configs`: where they lie, the table that describes them, and who reads one to its end."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from simulator.base import renamed
from simulator.base.errors import ConfigError
from simulator.base.fields import Fields, FieldType, Group, Variants
from simulator.base.suggestions import did_you_mean
from simulator.base.yaml_reader import read_yaml
from simulator.builder.builder import (
    build,
    build_cueing,
    build_ground,
    build_maneuver,
    build_platform,
    build_tire,
    build_vehicle,
    data_folder,
    find_config,
    load_mechanism,
)
from simulator.configuration import session_file
from simulator.configuration.configuration import configuration
from simulator.configuration.file_tables import TABLES
from simulator.configuration.layers import read_layers
from simulator.configuration.renamed_keys import replaced, replacements
from simulator.driver.input_devices import device_profiles
from simulator.fitting import fit_file, optimization_file
from simulator.research.triangular import problem_file
from simulator.run.series import load_series
from simulator.sweep import sweep_file
from simulator.sweep.load_sweep import load_sweep
from simulator.validation.compare import comparison_file
from simulator.validation.datasheet import published_file
from terrain import soil
from vehicles.drivetrain.drivetrain_file import read_parts

PARTNER = "small_hexapod"
"""Platform with which a washout is checked."""


@dataclass(frozen=True)
class FileKind:
    """One kind of files.

    Parameters
    ----------
    name : as it is asked for
    folder : in `configs`
    what : what such a file describes, in a line
    table : the keys
    check : reads a file and all it names; raises ConfigError
    based : whether such a file may say `base` and what is other than there
    gives_way : whether a file whose words another kind knows as well is of that kind
    """

    name: str
    folder: str
    what: str
    table: FieldType
    check: Callable[[str], Any]
    based: bool = True
    gives_way: bool = False

    def files(self) -> list[Path]:
        """The shipped files."""
        return sorted((data_folder("configs") / self.folder).glob("*.yaml"))


def _content(folder: str, file: str) -> Any:
    """What a file says together with its base."""
    return read_layers(folder, file).content


KINDS = (
    FileKind(
        "vehicles",
        "vehicles",
        "a vehicle: its bodies, axles, steering and outline",
        TABLES["vehicles"],
        build_vehicle,
    ),
    FileKind(
        "drivetrains",
        "drivetrains",
        "drivetrain and brakes of a vehicle",
        TABLES["drivetrains"],
        lambda file: read_parts(_content("drivetrains", file), file),
    ),
    FileKind("tires", "tires", "a tire with its tread law", TABLES["tires"], build_tire),
    FileKind("terrains", "terrains", "the ground: a plane, a bump, a piece of land with roads", TABLES["terrains"], build_ground),
    FileKind("soils", "soils", "a soil or a hard surface", TABLES["soils"], lambda file: soil.soil(_content("soils", file), file)),
    FileKind("maneuvers", "maneuvers", "who drives what, where, how fast, and what counts as passed", TABLES["maneuvers"], build_maneuver),
    FileKind("series", "series", "maneuvers one after the other, or a search for the limit of one", TABLES["series"], load_series),
    FileKind("sweeps", "sweeps", "many runs of one question: what they have in common and what varies", sweep_file.FILE, load_sweep),
    FileKind(
        "datasheets",
        "datasheets",
        "published figures of a vehicle",
        Group(published_file.FILE),
        published_file.load_published,
        gives_way=True,
    ),
    FileKind("fits", "fits", "parameters that are fitted to what was measured", fit_file.FILE, fit_file.check_fit),
    FileKind(
        "optimizations",
        "optimizations",
        "keys with which a metric is least or greatest",
        optimization_file.FILE,
        optimization_file.read_optimization,
    ),
    FileKind("platforms", "platforms", "a motion platform on legs: a hexapod, or a seat", TABLES["platforms"], build_platform),
    FileKind(
        "washouts",
        "washouts",
        "what the rider is to feel of the motion",
        TABLES["washouts"],
        lambda file: build_cueing(file, PARTNER, 1e-3),
    ),
    FileKind(
        "comparisons",
        "comparisons",
        "how runs and tables of other programs are compared: columns, bands, times",
        Group(comparison_file.FILE),
        comparison_file.load_comparison,
        based=False,
    ),
    FileKind(
        "devices",
        "devices",
        "a steering wheel, pedals, a game controller, the keyboard",
        device_profiles.FILE,
        lambda file: device_profiles.load_profile(Path(file)),
        based=False,
    ),
    FileKind(
        "sessions",
        "sessions",
        "a session: what is driven where by whom, and what hangs on it",
        Group(session_file.FILE),
        lambda file: build(configuration(file), check_step=False),
    ),
    FileKind("mechanisms", "mechanisms", "a mechanism of rigid bodies", TABLES["mechanisms"], load_mechanism, based=False),
    FileKind(
        "triangular",
        "triangular",
        "equations of a mechanism to be made triangular",
        Group(problem_file.FILE),
        problem_file.load_problem,
        based=False,
    ),
)


def kind_named(name: str) -> FileKind:
    """The kind of a name. Raises ConfigError."""
    name = renamed.kind(name)
    found = next((kind for kind in KINDS if kind.name == name), None)
    if found is None:
        names = [kind.name for kind in KINDS]
        raise ConfigError("kinds of files", "", name, f"one of {', '.join(names)}{did_you_mean(name, names)}")
    return found


def kind_of(file: str) -> FileKind:
    """The kind of a file: by the folder it lies in, by its base, else by its keys. Raises ConfigError when that does not tell."""
    return _kind_of(Path(file), ())


def _kind_of(file: Path, above: tuple[Path, ...]) -> FileKind:
    """The same of a file on which others build."""
    folder = file.resolve().parent.as_posix()
    for kind in KINDS:
        if folder.endswith(f"/{kind.folder}"):
            return kind
    for old, new in renamed.FOLDERS.items():
        if folder.endswith(f"/{old}"):
            return kind_named(new)
    content = read_yaml(file)
    base = content.get("base") if isinstance(content, Mapping) else None
    if isinstance(base, str) and base.strip():
        return _kind_of_base(file, content, (*above, file))
    scores = {kind.name: max(_likeness(kind.table, _with_new_names(kind, content)), 0.0) for kind in KINDS}
    best = max(scores.values())
    names = [name for name, score in scores.items() if score == best]
    if len(names) > 1:
        raise _ambiguous(file, content, names)
    return kind_named(names[0])


def _kind_of_base(file: Path, content: Mapping[str, Any], above: tuple[Path, ...]) -> FileKind:
    """The kind of what a file builds on; where several kinds have a file of that name, the one that has all its keys."""
    base = content["base"]
    found: dict[str, Path] = {}
    for kind in KINDS:
        if kind.based:
            with suppress(ConfigError):  # that kind has none
                found[kind.name] = find_config(kind.folder, base, file, "base")
    if not found:
        shipped = {path.stem for kind in KINDS if kind.based for path in kind.files()}
        raise ConfigError(file, "base", base, f"a file beside this one, or one that is shipped{did_you_mean(base, shipped)}")
    if len(set(found.values())) == 1 and len(found) > 1:  # beside the file a name is looked for without a kind
        beside = next(iter(found.values()))
        if not any(beside.samefile(other) for other in above):
            return _kind_of(beside, above)
    fitting = [name for name in found if _has_keys(kind_named(name), content)]
    names = fitting if len(fitting) == 1 else list(found)
    names = [name for name in names if not kind_named(name).gives_way] or names
    if len(names) > 1:
        raise _ambiguous(file, content, names)
    return kind_named(names[0])


def _has_keys(kind: FileKind, content: Mapping[str, Any]) -> bool:
    """Return whether a table of a kind has all keys of a content."""
    own = set(_with_new_names(kind, content)) - {"base"}
    return any(own <= _spellings(fields) for fields in tables_of(kind.table))


def _with_new_names(kind: FileKind, content: Any) -> Any:
    """Return a content with present names, without a warning: the kind is not known yet."""
    return replaced(content, list(replacements(kind.folder, content)))


def _ambiguous(file: Path, content: Any, names: Iterable[str]) -> ConfigError:
    """What to raise about a file that may be of several kinds."""
    said = list(content) if isinstance(content, Mapping) else content
    return ConfigError(file, "", said, f"keys of one kind of file; it may be one of {', '.join(names)}: say which by --kind")


def _spellings(fields: Fields) -> set[str]:
    return {written for field in fields for written in field.spellings}


def _likeness(table: FieldType, content: Any) -> float:
    """Share of the keys of a content that the table knows, less the share of those that it asks for and that are not there."""
    if not isinstance(content, Mapping) or not content:
        return 0.0
    return max(_known_share(fields, content) for fields in tables_of(table))


def _known_share(fields: Fields, content: Mapping[Any, Any]) -> float:
    spelled = {written: field.name for field in fields for written in field.spellings}
    there = {spelled[key] for key in content if key in spelled}
    return len(there) / len(content) + len(there) / len(fields)


def tables_of(table: FieldType) -> Iterable[Fields]:
    """The tables of a file, one of each variant."""
    if isinstance(table, Variants):
        return [fields for name in table.choice().names() if (fields := table.fields(name)) is not None]
    assert isinstance(table, Group)
    return [table.fields]
