"""Do the tables describe every shipped file, and do the schemas and pages agree with the tables?"""

import json
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator
from jsonschema.exceptions import SchemaError

from simulator.base.headline import headline
from simulator.base.yaml_reader import read_yaml
from simulator.builder.builder import data_folder
from simulator.catalog.file_kinds import KINDS, kind_named, kind_of
from simulator.catalog.json_schema import file_schema
from simulator.catalog.pages import pages
from simulator.catalog.registries import REGISTRIES, registry_of
from simulator.cli.main import main
from tests.shipped_files import shipped_content

ROOT = Path(__file__).resolve().parents[2]
CONFIGS = data_folder("configs")
REFERENCE = ROOT / "docs" / "reference"
FILES = [(kind.name, file) for kind in KINDS for file in kind.files()]
WORDS = {"x-unit", "x-frame"}
"""Annotations in a schema that are specific to Jounce."""


@cache
def schema_of(name):
    kind = kind_named(name)
    return json.loads(json.dumps(file_schema(kind.name, kind.description, kind.table, kind.based)))


@cache
def validator_of(name):
    return Draft202012Validator(schema_of(name))


@pytest.mark.parametrize("kind", [kind.name for kind in KINDS])
def test_a_schema_is_valid(kind):
    """Check against the metaschema of its draft. The metaschema allows unknown keywords, so typos are checked separately."""
    assert schema_of(kind)["$schema"] == Draft202012Validator.META_SCHEMA["$id"]
    parts = {json.dumps(part, sort_keys=True) for part in parts_of(schema_of(kind))}
    known = set(Draft202012Validator.VALIDATORS) | {"title", "description", "default", "$schema", "$defs"} | WORDS
    for part in map(json.loads, parts):
        Draft202012Validator.check_schema(part)
        assert set(part) <= known


def parts_of(schema):
    """Yield a schema and its inner schemas, each with empty ones inside: most parts of a large schema are equal."""
    shell = dict(schema)
    for word in ("properties", "$defs"):
        if word in schema:
            shell[word] = {}
            for key, inner in schema[word].items():
                shell[word][key] = {}
                yield from parts_of(inner)
    for word in ("allOf", "anyOf", "oneOf"):
        if word in schema:
            shell[word] = [{} for _ in schema[word]]
            for inner in schema[word]:
                yield from parts_of(inner)
    for word in ("items", "additionalProperties", "propertyNames", "not"):
        if isinstance(schema.get(word), dict):
            shell[word] = {}
            yield from parts_of(schema[word])
    yield shell


def test_a_mistake_anywhere_in_a_schema_is_found():
    """That is, in the parts of it."""
    for inner in ({"type": "float"}, {"minimum": "0"}, {"required": "a"}, {"enum": 1}):
        for outer in (
            {"properties": {"a": inner}},
            {"anyOf": [{}, inner]},
            {"items": inner},
            {"if": inner},
            {"$defs": {"a": {"not": inner}}},
        ):
            with pytest.raises(SchemaError):
                for part in parts_of({"items": outer}):
                    Draft202012Validator.check_schema(part)


@pytest.mark.parametrize("kind", [kind.name for kind in KINDS])
def test_a_schema_describes_every_shipped_file(kind):
    files = [file for one, file in FILES if one == kind]
    assert [f"{file.name}: {error.message}" for file in files for error in validator_of(kind).iter_errors(read_yaml(file))] == []


def test_no_file_of_configs_is_without_a_schema():
    known = {file for _, file in FILES}
    assert set(CONFIGS.rglob("*.yaml")) == known


WRONG = [
    ("vehicles", "hmmwv", ("chassis", "mass"), -1.0),
    ("vehicles", "hmmwv", ("chassis", "mass_lb"), 4600.0),
    ("vehicles", "hmmwv", ("axles", "front", "spring", "free_lenght"), 0.3),
    ("vehicles", "hmmwv", ("axles", "rear", "suspension"), "leaf"),
    ("vehicles", "five_link_rear", ("axles", "rear", "spring", "mounted_on"), "roof"),
    ("drivetrains", "drivetrain_hmmwv", ("drivetrain", "gearbox", "upshift_rpm"), [1500.0]),
    ("tires", "tmeasy_hmmwv", ("type",), "magic"),
    ("soils", "dry_sand", ("friction_angle_deg",), 61.0),
    ("soils", "asphalt", ("n",), 1.0),
    ("terrains", "bump", ("height",), "high"),
    ("terrains", "jacksboro", ("roads", 0, "width"), None),
    ("maneuvers", "avtp_lane_change", ("limits", "cones"), {"max": 0}),
    ("maneuvers", "avtp_lane_change", ("duration_ms",), 10),
    ("platforms", "simona", ("base_joints", 0), [1.0, 2.0]),
    ("washouts", "small_hexapod", ("cueing", "tilt_limit_deg"), 31.0),
    ("devices", "keyboard", ("kind",), "mouse"),
    ("mechanisms", "four_bar", ("name",), 3),
]


@pytest.mark.parametrize(("kind", "name", "place", "value"), WRONG)
def test_a_schema_refuses_what_the_reader_refuses(kind, name, place, value):
    content = shipped_content(kind_named(kind).folder, name)
    inside = content
    for step in place[:-1]:
        inside = inside[step]
    inside[place[-1]] = value
    assert validator_of(kind).is_valid(content) is False


def test_the_reference_pages_agree_with_the_tables(tmp_path):
    """The pages are generated in a separate process, because other tests register kinds."""
    command = [sys.executable, "-m", "simulator", "schema", "--markdown", "--out", str(tmp_path)]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
    generated, committed = ({file.name: file.read_text(encoding="utf-8") for file in folder.iterdir()} for folder in (tmp_path, REFERENCE))
    assert generated == committed, "run: jounce schema --markdown --out docs/reference"


def test_every_key_is_explained():
    for name, page in pages().items():
        if name not in ("README.md", "units.md"):
            rows = [line for line in page.splitlines() if line.startswith("| `")]
            assert rows and not any(row.endswith("|  |") for row in rows)


@pytest.mark.parametrize(("kind", "file"), FILES[:: max(1, len(FILES) // 20)])
def test_the_kind_of_a_file_in_another_folder_is_detected_by_its_keys(kind, file, tmp_path):
    copy = tmp_path / "mine.yaml"
    copy.write_text(file.read_text(encoding="utf-8"), encoding="utf-8")
    assert kind_of(str(copy)).name == kind


MAY_BE_EMPTY = {"outlets"}
"""Registries without built-in kinds."""


def test_list_describes_all_kinds_and_names(capsys):
    for name in (None, *(kind.name for kind in KINDS), *REGISTRIES):
        assert main(["list", "--json"] if name is None else ["list", name, "--json"]) == 0
        found = json.loads(capsys.readouterr().out)
        assert found or name in MAY_BE_EMPTY
        builtin = [text for entry, text in found.items() if name not in REGISTRIES or registry_of(name).is_builtin(entry)]
        assert all(isinstance(text, str) and text for text in builtin), (name, found)
    assert main(["list", "vehikles"]) == 2
    assert "did you mean vehicles?" in capsys.readouterr().err


def test_a_headline_is_one_whole_sentence():
    for _, file in FILES:
        assert headline(file) and headline(file).isprintable() and len(headline(file)) < 120
        assert not headline(file).endswith("..."), f"{file}: the first sentence of the comment is too long"


def test_check_accepts_valid_files_and_refuses_invalid_ones(tmp_path, capsys):
    bad = tmp_path / "bad.yaml"
    bad.write_text("type: surface\nfricton: 0.8\n")
    good = tmp_path / "good.yaml"
    good.write_text("type: surface\nfriction: 0.8\n")
    assert main(["check", str(good)]) == 0
    assert main(["check", "--kind", "soils", str(bad), str(good)]) == 2
    out, err = capsys.readouterr()
    assert out.count("good (soils)") == 2
    assert f"{bad}:2: fricton: unknown key; " in err and "; got 0.8; hint: did you mean friction?" in err
    assert main(["check", "--kind", "soil", str(good)]) == 2
    assert main(["check", str(tmp_path / "none.yaml")]) == 2


@pytest.mark.parametrize("file", ["drivetrains/brakes_m1101", "drivetrains/drivetrain_tractor", "vehicles/semitrailer"])
def test_check_accepts_files_of_trailers_and_of_three_axles(file, capsys):
    assert main(["check", str(CONFIGS / f"{file}.yaml")]) == 0
    out, err = capsys.readouterr()
    assert "good" in out and "warning" not in out + err


def test_schemas_are_written_into_a_folder(tmp_path, capsys):
    assert main(["schema", "--out", str(tmp_path / "s")]) == 0
    assert {file.name for file in (tmp_path / "s").iterdir()} == {f"{kind.name}.schema.json" for kind in KINDS}
    capsys.readouterr()
    assert main(["schema", "soils"]) == 0
    assert json.loads(capsys.readouterr().out) == schema_of("soils")
    (tmp_path / "file").write_text("mine")
    assert main(["schema", "--out", str(tmp_path / "file")]) == 2
