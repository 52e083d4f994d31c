"""A hundred broken files, of each shipped kind and with each type of mistake. Each error names file, line, key and nearest key, and the JSON
Schema of the kind rejects the file, too."""

import re
from functools import cache

import pytest
from jsonschema import Draft202012Validator

from simulator.base.yaml_reader import read_yaml
from simulator.catalog.file_kinds import kind_named
from simulator.catalog.json_schema import file_schema
from simulator.cli.main import main

PLACES = [
    # kind, file, key path of a required number, invalid value
    ("vehicles", "hmmwv", "chassis.mass", "-2.0e+3"),
    ("vehicles", "hmmwv", "axles.rear.shock.midstroke_max", "1.0e+5"),
    ("vehicles", "hmmwv", "steering.gear_ratio", "0.0"),
    ("vehicles", "hmmwv", "body.front_overhang", "-1.0"),
    ("vehicles", "hmmwv_chrono", "axles.rear.spring.free_length", "0.0"),
    ("drivetrains", "drivetrain_hmmwv", "drivetrain.engine.inertia", "-1.0"),
    ("drivetrains", "drivetrain_hmmwv", "drivetrain.gearbox.shift_latency", "61.0"),
    ("drivetrains", "drivetrain_hmmwv", "brakes.stiffness", "1.0"),
    ("tires", "tmeasy_hmmwv", "bottoming_radius", "200.0"),
    ("tires", "tmeasy_hmmwv", "load_max", "0.0"),
    ("soils", "clayey_loam", "cohesion", "-1.0"),
    ("soils", "asphalt", "friction", "3.0"),
    ("terrains", "bump", "height", "5.0"),
    ("terrains", "jacksboro", "detail.shortest", "0.0"),
    ("terrains", "jacksboro", "grid.spacing", "1.0e+6"),
    ("maneuvers", "avtp_lane_change", "duration_s", "-34"),
    ("platforms", "simona", "leg_speed", "0.0"),
    ("washouts", "small_hexapod", "cueing.tilt_limit_deg", "31.0"),
    ("washouts", "large_hexapod", "procedure.rise", "0.0"),
]


def shipped(kind, name):
    folder = kind_named(kind)
    return next(file for file in folder.files() if file.stem == name).read_text(encoding="utf-8").splitlines()


def line_of(lines, path):
    """Return the index of the line of a key, in block style."""
    indents, steps = [], path.split(".")
    for n, line in enumerate(lines):
        key = re.match(r"( *)(\w+):", line)
        if key is None:
            continue
        while indents and indents[-1][0] >= len(key[1]):
            indents.pop()
        indents.append((len(key[1]), key[2]))
        if [name for _, name in indents] == steps:
            return n
    raise LookupError(path)


def line_of_section(lines, path):
    """Return the index of the line of the section of a key; None at the top level."""
    above = path.rpartition(".")[0]
    return line_of(lines, above) if above else None


def refusal(kind, lines, folder, capsys):
    """Return the lines of the message about a file, without its path."""
    file = folder / "broken.yaml"
    file.write_text("\n".join(lines) + "\n", encoding="utf-8")
    capsys.readouterr()
    assert main(["check", "--kind", kind, str(file)]) == 2
    out, err = capsys.readouterr()
    assert out == "" and "Traceback" not in err
    said = err.splitlines()
    assert all(line.startswith(f"jounce: {file}:") for line in said), err
    assert not validator(kind).is_valid(read_yaml(file)), "accepted by the schema"
    return [line.removeprefix(f"jounce: {file}:").strip() for line in said]


@cache
def validator(kind):
    """Return a validator of an independent library for the schema of a kind."""
    found = kind_named(kind)
    return Draft202012Validator(file_schema(found.name, found.description, found.table, found.based))


def renamed(lines, n, name, other):
    lines[n] = lines[n].replace(f"{name}:", f"{other}:", 1)


@pytest.mark.parametrize(("kind", "name", "path", "beyond"), PLACES)
class TestAMistake:
    """A mistake at a number of a shipped file."""

    def test_a_misspelt_key(self, kind, name, path, beyond, tmp_path, capsys):
        lines, key = shipped(kind, name), path.rpartition(".")[2]
        n = line_of(lines, path)
        typo = key[0] + key[2:]
        renamed(lines, n, key, typo)
        (said,) = refusal(kind, lines, tmp_path, capsys)
        assert said.startswith(f"{n + 1}: {path.removesuffix(key)}{typo}: unknown key; expected ")
        assert f"; hint: did you mean {key}?" in said

    def test_an_unknown_key(self, kind, name, path, beyond, tmp_path, capsys):
        lines = shipped(kind, name)
        n = line_of(lines, path)
        lines.insert(n, re.match(" *", lines[n])[0] + "zzz_qqq: 1")
        (said,) = refusal(kind, lines, tmp_path, capsys)
        assert said.startswith(f"{n + 1}: {path.rpartition('.')[0]}{'.' * ('.' in path)}zzz_qqq: unknown key; expected ")
        assert "; got 1" in said

    def test_a_word_for_a_number(self, kind, name, path, beyond, tmp_path, capsys):
        lines = shipped(kind, name)
        n = line_of(lines, path)
        lines[n] = re.sub(r": .*", ": much", lines[n])
        (said,) = refusal(kind, lines, tmp_path, capsys)
        assert said.startswith(f"{n + 1}: {path}: invalid value; expected a number") and "; got 'much'" in said

    def test_a_number_out_of_range(self, kind, name, path, beyond, tmp_path, capsys):
        lines = shipped(kind, name)
        n = line_of(lines, path)
        lines[n] = re.sub(r": .*", f": {beyond}", lines[n])
        (said,) = refusal(kind, lines, tmp_path, capsys)
        assert said.startswith(f"{n + 1}: {path}: invalid value; expected a number")
        assert f"; got {float(beyond) if '.' in beyond else int(beyond)}" in said
        assert re.search(r"from .* to |above |at least |at most ", said)

    def test_a_key_that_is_missing(self, kind, name, path, beyond, tmp_path, capsys):
        lines = shipped(kind, name)
        section = line_of_section(lines, path)
        del lines[line_of(lines, path)]
        (said,) = refusal(kind, lines, tmp_path, capsys)
        place = "" if section is None else f"{section + 1}: "
        assert said.startswith(f"{place}{path}: missing; expected a number")

    def test_a_unit_that_does_not_fit(self, kind, name, path, beyond, tmp_path, capsys):
        lines, key = shipped(kind, name), path.rpartition(".")[2]
        n = line_of(lines, path)
        bare = re.sub("_(s|deg)$", "", key)
        renamed(lines, n, key, f"{bare}_hp")
        (said,) = refusal(kind, lines, tmp_path, capsys)
        assert said.startswith(f"{n + 1}: {path.removesuffix(key)}{bare}_hp: invalid value; ")
        assert f"expected {bare} in " in said or f"expected {bare} without a unit suffix" in said

    def test_two_mistakes_at_once(self, kind, name, path, beyond, tmp_path, capsys):
        lines = shipped(kind, name)
        n = line_of(lines, path)
        lines[n] = re.sub(r": .*", ": [much]", lines[n])
        lines += ["another_key: 1"]
        said = refusal(kind, lines, tmp_path, capsys)
        assert [one.split(": ")[:2] for one in said] == [[f"{n + 1}", path], [f"{len(lines)}", "another_key"]]


def test_there_are_a_hundred():
    sorts = [name for name in vars(TestAMistake) if name.startswith("test_")]
    assert len(sorts) * len(PLACES) >= 100


def test_of_very_many_errors_the_first_are_shown(tmp_path, capsys):
    lines = [*shipped("soils", "asphalt"), *(f"nonsense_{n}: {n}" for n in range(50))]
    said = refusal("soils", lines, tmp_path, capsys)
    assert len(said) == 21
    assert said[-1] == "30 more errors"


def test_the_line_of_a_key_in_a_list_and_in_a_flow(tmp_path, capsys):
    lines = shipped("maneuvers", "avtp_lane_change")
    n = next(k for k, line in enumerate(lines) if "acceleration_mps2: 3" in line)
    lines[n] = lines[n].replace("acceleration_mps2", "acceleration_kph")
    (said,) = refusal("maneuvers", lines, tmp_path, capsys)
    assert said.startswith(
        f"{n + 1}: phases[1].speed.acceleration_kph: invalid value; expected acceleration in m/s2, without a suffix or with one of _mps2"
    )
