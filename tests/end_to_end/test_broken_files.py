"""Every shipped file with one broken entry is either still valid, or gives one line with the file, the key and the expected value.

A sample of the keys is broken that changes from day to day (`tests/sampling.py`); `make test-all` breaks the keys of all files.
"""

import copy
import datetime
import math
import warnings
from typing import Any

import numpy as np
import pytest
import yaml
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from simulator.base.errors import ConfigError, InertiaWarning, JounceError, one_line
from simulator.base.records import record
from simulator.builder.builder import build_ground, build_platform, data_folder, find_config, read_yaml, vehicle_description
from simulator.configuration.layers import read_layers
from simulator.driver.input_devices.device_profiles import read_profile
from simulator.maneuvers.maneuver_file import load_maneuver
from terrain.load_terrain import load_terrain
from terrain.soil import soil
from tests.key_paths import key_paths
from tests.sampling import random_numbers
from vehicles.axle_layout import USUAL_AXLES
from vehicles.command import COMMAND
from vehicles.description import read_description
from vehicles.drivetrain.drivetrain_file import axles_in, read_parts
from vehicles.multibody.description.mechanism_file import mechanism_from_mapping
from vehicles.suspension.mechanism.section import MechanismFile
from vehicles.tires.tire_file import tire, tire_set
from vehicles.vehicle import Vehicle
from washout.cueing import MotionCueing
from washout.platform import hexapod

CONFIGS = data_folder("configs")
FILE = "broken.yaml"
DELETE, RENAME, NEGATE = object(), object(), object()
BODY = {"width": 2.0, "length": 5.0, "front": 2.0}
SAMPLE = 12
"""Files of each kind that are broken in one test: together more than a hundred."""

NEVER_RIGHT = [math.nan, math.inf, 10**400, datetime.date(2020, 1, 1), b"bytes", {"a": 1}, [[]]]
"""Values that are invalid for all keys of all files, except mappings of free names."""
FREE_NAMES = ("limits", "buttons", "fixed_masses", "shares", "parameters")
PERHAPS_RIGHT = ["text", "4.5e3", "two\nlines", "", None, True, [], [1, 2], 0, -1, 0.5, 1e-300, 1e300, -1e9, DELETE, RENAME, NEGATE]

vehicle = vehicle_description("hmmwv")
tires = tire_set([tire(read_yaml(CONFIGS / "tires/tmeasy_hmmwv.yaml"), "tires.yaml")] * 4)
parts = read_yaml(CONFIGS / f"drivetrains/{vehicle.drivetrain}.yaml")
platform = build_platform("small_hexapod")
soils = {file.stem: read_yaml(file) for file in (CONFIGS / "soils").glob("*.yaml")}


def with_mechanisms(mapping: Any) -> Any:
    """The content of a vehicle file with the files of its `mechanism` axles read."""
    if not isinstance(mapping, dict) or not isinstance(mapping.get("axles"), dict):
        return mapping
    axles = dict(mapping["axles"])
    for name, axle in axles.items():
        if isinstance(axle, dict) and axle.get("suspension") == "mechanism" and isinstance(axle.get("file"), str):
            file = find_config("mechanisms", axle["file"], FILE, f"axles.{name}.file")
            axles[name] = {**axle, "file": MechanismFile(str(file), read_yaml(file))}
    return {**mapping, "axles": axles}


def drive(maneuver):
    """Create the driver of a maneuver; that of a drive to a goal needs a ground and a vehicle."""
    return maneuver if maneuver.task is not None else maneuver.driver((0.0, 0.0, 0.0))


def built_drivetrain(m):
    """The vehicle of the tests with a drivetrain file; only the parts of a file for another number of axles."""
    axles = axles_in(m)
    return Vehicle(vehicle, tires, m, FILE) if axles == USUAL_AXLES else read_parts(m, FILE, axles)


BUILD = {
    "vehicles": lambda m: read_description(with_mechanisms(m), FILE),
    "drivetrains": built_drivetrain,
    "tires": lambda m: tire(m, FILE, folders=[CONFIGS / "tires"]),
    "soils": lambda m: soil(m, FILE),
    "terrains": lambda m: load_terrain(m, FILE, data_folder("assets"), soils),
    "platforms": lambda m: hexapod(m, FILE),
    "washouts": lambda m: MotionCueing(m, FILE, platform),
    "devices": lambda m: read_profile(m, FILE),
    "mechanisms": lambda m: mechanism_from_mapping(m, FILE),
    "maneuvers": lambda m: drive(load_maneuver({"body": BODY, **m} if isinstance(m, dict) else m, FILE)),
}

SHIPPED = [(kind, file.stem) for kind in BUILD for file in sorted((CONFIGS / kind).glob("*.yaml"))]


def content(kind, name):
    """Content of a shipped file; large terrains on a coarse grid, which takes no time."""
    file = CONFIGS / kind / f"{name}.yaml"
    mapping = read_layers(kind, file).content if kind in ("vehicles", "drivetrains", "tires", "terrains", "washouts") else read_yaml(file)
    if "grid" in mapping:
        mapping["grid"]["spacing"] *= 16
        mapping["grid"]["count"] = [n // 16 for n in mapping["grid"]["count"]]
    return written_out(mapping)


def written_out(value):
    """Return a copy without aliases: shared objects become separate objects, so that a change affects one only."""
    if isinstance(value, dict):
        return {key: written_out(item) for key, item in value.items()}
    return [written_out(item) for item in value] if isinstance(value, list) else value


def broken(mapping, place, value):
    """Return a copy with another value at a key path; None if the change does not apply."""
    mapping = copy.deepcopy(mapping)
    inside = mapping
    for step in place[:-1]:
        inside = inside[step]
    last = place[-1]
    if value is DELETE:
        del inside[last]
    elif value is RENAME:
        if isinstance(inside, list):
            return None
        inside[f"{last}x"] = inside.pop(last)
    elif value is NEGATE:
        if isinstance(inside[last], bool) or not isinstance(inside[last], (int, float)):
            return None
        inside[last] = -inside[last]
    else:
        inside[last] = value
    return mapping


def complaint(build, mapping):
    """Return the ConfigError that a mapping raises, or None; any other exception fails the test."""
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            build(mapping)
        except ConfigError as error:
            return error
    return None


def thinned(kind, name, mapping, step):
    """Return the key paths to break: all of them, or every `step`th in long files; of a terrain with a base only its own."""
    paths = list(key_paths(mapping))
    if kind == "terrains":
        own = read_yaml(CONFIGS / kind / f"{name}.yaml")
        paths = [place for place in paths if place[0] in own]
    return paths[::step] if kind in ("vehicles", "mechanisms", "maneuvers") else paths[:: 3 * step] if name == "jacksboro" else paths


def sampled(kind, values):
    """Yield broken copies of shipped files of a kind, chosen by the seed of the tests: content, key path, value, broken content."""
    choose = random_numbers(f"{kind} {len(values)}")
    names = [name for one, name in SHIPPED if one == kind]
    drawn = 0
    while drawn < SAMPLE:
        mapping = content(kind, choose.choice(names))
        place, value = choose.choice(list(key_paths(mapping))), choose.choice(values)
        changed = broken(mapping, place, value)
        if changed is not None:
            drawn += 1
            yield place, value, changed


EVERY_KEY = pytest.mark.full("a check of a key that the sample of the day leaves out")


@pytest.mark.parametrize("kind", BUILD)
def test_shipped_files_are_good(kind):
    found = {name: complaint(BUILD[kind], content(kind, name)) for one, name in SHIPPED if one == kind}
    assert {name: str(error) for name, error in found.items() if error is not None} == {}


@pytest.mark.parametrize("kind", BUILD)
def test_a_sample_of_invalid_values_is_refused_with_their_keys(kind):
    for place, value, changed in sampled(kind, NEVER_RIGHT):
        assert_refused_with_its_key(kind, place, value, changed)


@EVERY_KEY
@pytest.mark.parametrize(("kind", "name"), SHIPPED)
def test_an_invalid_value_is_refused_with_its_key(kind, name):
    refuses_invalid_values(kind, name, thinned(kind, name, content(kind, name), 5))


def refuses_invalid_values(kind, name, places):
    mapping = content(kind, name)
    for place in places:
        for value in NEVER_RIGHT:
            assert_refused_with_its_key(kind, place, value, broken(mapping, place, value))


def assert_refused_with_its_key(kind, place, value, changed):
    if value == {"a": 1} and (place[-1] in FREE_NAMES or isinstance(place[-1], str) is False):
        return  # mappings of arbitrary names: the error is about their content
    error = complaint(BUILD[kind], changed)
    assert error is not None, (place, value)
    assert error.file == FILE or "assets" in error.file, (place, value, error)
    key = next(step for step in reversed(place) if isinstance(step, str))
    assert any(key in one.key for one in error.errors), (place, value, str(error))
    assert all(one.expected for one in error.errors)
    assert all(line.isprintable() for line in str(error).split("\n"))


@pytest.mark.parametrize("kind", BUILD)
def test_a_sample_of_other_changes_is_accepted_or_refused_line_by_line(kind):
    for place, value, changed in sampled(kind, PERHAPS_RIGHT):
        is_refused_line_by_line(kind, place, value, changed)


@EVERY_KEY
@pytest.mark.parametrize(("kind", "name"), SHIPPED)
def test_any_other_change_is_accepted_or_refused_line_by_line(kind, name):
    assert accepts_or_refuses_line_by_line(kind, name, thinned(kind, name, content(kind, name), 11)) > 3


def accepts_or_refuses_line_by_line(kind, name, places):
    """Number of changes that are refused."""
    mapping = content(kind, name)
    changes = [(place, value, broken(mapping, place, value)) for place in places for value in PERHAPS_RIGHT]
    return sum(is_refused_line_by_line(kind, place, value, changed) for place, value, changed in changes if changed is not None)


def is_refused_line_by_line(kind, place, value, changed):
    error = complaint(BUILD[kind], changed)
    if error is None:
        return False
    assert error.key or place[0] in ("cueing", "procedure") or not place[1:], (place, value, str(error))
    for line in str(error).split("\n"):
        assert line.startswith((FILE, str(data_folder("assets")))) and line.isprintable(), (place, value, line)
    return True


@pytest.mark.parametrize("kind", BUILD)
@pytest.mark.parametrize("whole", [None, [], ["mass"], "text", 5, True, math.nan, {}, {"no such key": 1}, {1: 2}, {None: None}])
def test_a_file_with_other_content(kind, whole):
    error = complaint(BUILD[kind], whole)
    assert error is not None
    assert all(line.startswith(FILE) and line.isprintable() for line in str(error).split("\n"))


@pytest.mark.parametrize("kind", BUILD)
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_any_yaml_value_anywhere(kind, data):
    name = data.draw(st.sampled_from([n for k, n in SHIPPED if k == kind and n != "jacksboro"]))
    mapping = content(kind, name)
    scalars = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8)
    inner = st.recursive(scalars, lambda s: st.lists(s, max_size=4) | st.dictionaries(st.text(max_size=4), s, max_size=3), max_leaves=6)
    for _ in range(data.draw(st.integers(1, 3))):
        place = data.draw(st.sampled_from(list(key_paths(mapping))))
        mapping = broken(mapping, place, data.draw(inner))
    error = complaint(BUILD[kind], mapping)
    assert error is None or all(line.startswith(FILE) and line.isprintable() for line in str(error).split("\n"))


def test_a_valid_file_of_a_vehicle_without_equilibrium_is_refused():
    """With wrong signs and positions in the numbers of the mechanism, or a mass above the load capacity of the tires, the vehicle drives or
    JounceError is raised. The reader refuses most of these changes."""
    ground = build_ground("flat")
    arrays = ground.arrays
    command = record(COMMAND)
    command[0]["throttle"], command[0]["selector"] = 0.5, 1
    mapping = content("vehicles", "hmmwv")
    settled = fell = 0
    slips = [(place, value) for place in list(key_paths(mapping))[::12] for value in (NEGATE, 0, -1, 0.5)]
    for place, value in [*slips, (("chassis", "mass"), 20e3)]:
        changed = broken(mapping, place, value)
        if changed is None or complaint(BUILD["vehicles"], changed) is not None:
            continue
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            try:
                v = Vehicle(read_description(changed, FILE), tires, parts, "p")
                v.reset(arrays, gear=1)
                for _ in range(50):
                    v.step(arrays, command, 1e-3)
                settled += 1
            except JounceError as error:
                assert FILE in str(error) or "HMMWV" in str(error)
                fell += 1
    assert settled > 20
    assert fell > 0


def inertia_of_chassis(value):
    mapping = content("vehicles", "hmmwv")
    mapping["chassis"]["inertia"] = value
    return mapping


@pytest.mark.parametrize(
    ("inertia", "words"),
    [
        ([[1000.0, 5.0, 0.0], [6.0, 2000.0, 0.0], [0.0, 0.0, 2500.0]], "symmetric"),
        ([[1000.0, 0.0, 0.0], [0.0, -2000.0, 0.0], [0.0, 0.0, 2500.0]], "positive definite"),
        ([[1000.0, 1500.0, 0.0], [1500.0, 2000.0, 0.0], [0.0, 0.0, 2500.0]], "positive definite"),
        ([[1000.0, 0.0], [0.0, 2000.0]], "3 x 3"),
        ([1000.0, 0.0, 2500.0], "positive definite"),
        ([1000.0, -1.0, 2500.0], "positive definite"),
        ([1000.0, math.nan, 2500.0], "finite"),
        ([1000.0, "2000", 2500.0], "write 2000.0"),
        (1000.0, "3 x 3"),
    ],
)
def test_an_inertia_that_no_body_has(inertia, words):
    error = complaint(BUILD["vehicles"], inertia_of_chassis(inertia))
    assert error is not None
    assert error.key == "chassis.inertia"
    assert words in str(error)


@pytest.mark.filterwarnings("ignore:.*arm_inertia")
def test_a_broken_triangle_inequality_only_warns_up_to_three_times():
    with pytest.warns(InertiaWarning, match=r"broken\.yaml: chassis\.inertia"):
        read_description(inertia_of_chassis([400.0, 500.0, 2500.0]), FILE)
    with pytest.raises(ConfigError, match=r"chassis\.inertia: .*as_published: true"):
        read_description(inertia_of_chassis([100.0, 200.0, 2500.0]), FILE)


@pytest.mark.parametrize("mass", [0, -2086.0, math.nan, "heavy", None, [2086.0], 1e9])
def test_a_mass_that_nothing_has(mass):
    mapping = content("vehicles", "hmmwv")
    mapping["axles"]["front"]["bodies"]["knuckle"]["mass"] = mass
    error = complaint(BUILD["vehicles"], mapping)
    assert error is not None
    assert error.key == "axles.front.bodies.knuckle.mass"


@pytest.mark.parametrize(
    ("text", "written"), [("1e3", "1000.0"), ("41.6e3", "41600.0"), ("1e-3", "0.001"), ("2e30", "2.0e+30"), ("5e-7", "5.0e-07")]
)
def test_a_number_that_yaml_reads_as_text_is_explained(text, written):
    value = yaml.safe_load(text)
    assert isinstance(value, str)
    error = ConfigError(FILE, "mass", value, "a number in kg")
    assert str(error).endswith(f"; hint: YAML reads {text!r} as text; write {written}")
    assert yaml.safe_load(written) == float(text), "the suggestion is a number for YAML"
    assert "hint" not in str(ConfigError(FILE, "name", value, "one of a, b"))


@given(st.text(), st.text())
def test_a_message_is_one_printable_line_for_any_content(key, value):
    error = ConfigError("a\nb.yaml", key, value, "a number")
    assert str(error).isprintable()
    assert one_line(str(error)) == str(error)


@pytest.mark.parametrize(("place", "value"), [(("roughness", "seed"), 1.5), (("detail", "seed"), 0.1), (("grid", "count"), [100.5, 200])])
def test_integers_have_no_fractions(place, value):
    error = complaint(BUILD["terrains"], broken(content("terrains", "jacksboro"), place, value))
    assert error is not None
    assert error.key == ".".join(place)
    assert "integer" in str(error)
