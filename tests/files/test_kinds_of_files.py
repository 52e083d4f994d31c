"""Does `jounce check` detect the kind of a file, and report an ambiguous kind?"""

import pytest
import yaml

from simulator.catalog.file_kinds import KINDS, kind_of
from simulator.cli.main import main

ELSEWHERE = "mine.yaml"


def written(path, mapping):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(yaml.safe_dump(mapping), encoding="utf-8")
    return path


BASED = [
    # a short file                                                   its kind
    ({"base": "hmmwv", "chassis": {"mass": 2600.0}}, "vehicles"),
    ({"base": "hmmwv"}, "vehicles"),
    ({"base": "tmeasy_hmmwv", "friction": 0.5}, "tires"),
    ({"base": "asphalt", "friction": 0.5}, "soils"),
    ({"base": "jacksboro", "gravity": 1.6}, "terrains"),
    ({"base": "avtp_lane_change", "seed": 3}, "maneuvers"),
    ({"base": "drivetrain_hmmwv", "brakes": {"stiffness": 300000.0}}, "drivetrains"),
    ({"base": "off_road", "seed": 3}, "sessions"),
    # platforms and washouts have a file of that name
    ({"base": "small_hexapod", "leg_speed": 0.2}, "platforms"),
    ({"base": "small_hexapod", "cueing": {"tilt_limit_deg": 5.0}}, "washouts"),
]


@pytest.mark.parametrize(("content", "kind"), BASED, ids=[f"{kind}-{n}" for n, (_, kind) in enumerate(BASED)])
def test_a_short_file_is_of_the_kind_of_its_base(content, kind, tmp_path, capsys):
    file = written(tmp_path / ELSEWHERE, content)
    assert main(["check", str(file)]) == 0
    assert capsys.readouterr().out == f"{file}: good ({kind})\n"


def test_a_base_in_the_folder_of_the_file_is_followed(tmp_path):
    written(tmp_path / "first.yaml", {"base": "hmmwv"})
    written(tmp_path / "second.yaml", {"base": "first", "name": "second"})
    assert kind_of(str(written(tmp_path / "third.yaml", {"base": "second.yaml", "name": "third"}))).name == "vehicles"


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind.based], ids=lambda kind: kind.name)
def test_the_folder_determines_the_kind(kind, tmp_path):
    file = written(tmp_path / kind.folder / ELSEWHERE, {"base": "small_hexapod"})
    assert kind_of(str(file)).name == kind.name


def refused(capsys, *words):
    """Return the message of a check that fails, a single line."""
    assert main(["check", *map(str, words)]) == 2
    out, err = capsys.readouterr()
    assert out == "" and err.count("\n") == 1
    return err


@pytest.mark.parametrize("content", [{"base": "small_hexapod"}, {"base": "small_hexapod", "no_such_key": 1}])
def test_a_file_of_two_possible_kinds_is_refused(content, tmp_path, capsys):
    file = written(tmp_path / ELSEWHERE, content)
    err = refused(capsys, file)
    assert "with --kind one of platforms, washouts" in err
    assert "sessions" not in err
    assert main(["check", "--kind", "platforms", str(file)]) == (2 if len(content) > 1 else 0)


def test_a_file_of_screens_and_settings_that_name_it_are_told_apart(tmp_path, capsys):
    screens = written(tmp_path / ELSEWHERE, {"displays": [{"width": 0.6}]})
    settings = written(tmp_path / "settings.yaml", {"displays": ELSEWHERE})
    assert main(["check", str(screens), str(settings)]) == 0
    assert capsys.readouterr().out == f"{screens}: good (displays)\n{settings}: good (settings)\n"
    written(screens, {"displays": [{"width": 0.6, "bezel": 0.4}]})
    assert f"{screens}:2: displays[0].bezel: invalid value; expected less than half of the width, 0.6 m" in refused(capsys, screens)


def test_a_file_without_known_keys_is_refused(tmp_path, capsys):
    err = refused(capsys, written(tmp_path / ELSEWHERE, {"no_such_key": 1}))
    assert "vehicles, " in err and "--kind" in err


@pytest.mark.parametrize("soils", ["nan", "5", "[]", "{asphalt: 3}", "{asphalt: [1]}", "{unused: 3}", "{1: asphalt}"])
def test_soils_of_a_session_are_names_with_contents(soils, tmp_path, capsys):
    file = tmp_path / "one.yaml"
    file.write_text(f"vehicle: hmmwv\nterrain: flat\nsoils: {soils}\n")
    assert main(["check", "--kind", "sessions", str(file)]) == 2
    assert f"{file}:3: soils" in (err := capsys.readouterr().err) and err.count("\n") == 1


@pytest.mark.parametrize("key", ["~", "1.5", "2026-01-01", "true", "7"])
def test_a_key_that_is_no_text_is_an_unknown_key_also_above_a_base(key, tmp_path, capsys):
    file = tmp_path / "one.yaml"
    file.write_text(f"base: hmmwv\n{key}: 3\n")
    assert main(["check", "--kind", "vehicles", str(file)]) == 2
    assert "unknown key" in (err := capsys.readouterr().err) and err.count("\n") == 1


@pytest.mark.parametrize("beams", [None, "elevation_deg\nnan\n", "height\n1\n"])
def test_the_files_of_the_sensors_of_a_session_are_read(beams, tmp_path, capsys):
    if beams is not None:
        (tmp_path / "mine.csv").write_text(beams)
    file = tmp_path / "one.yaml"
    file.write_text("sensors:\n  - {type: lidar, beams: mine.csv, mount: {position: [0, 0, 2.5]}}\n")
    assert main(["check", "--kind", "sessions", str(file)]) == 2
    assert "mine.csv" in (err := capsys.readouterr().err) and err.count("\n") == 1


def test_the_name_of_a_shipped_file_is_checked_as_each_kind_that_has_it(capsys):
    assert main(["check", "small_hexapod", "--kind", "washouts"]) == 0
    assert main(["check", "flat", "small_hexapod"]) == 0
    expected = [
        "small_hexapod: good (washouts)",
        "flat: good (terrains)",
        "small_hexapod: good (platforms)",
        "small_hexapod: good (washouts)",
    ]
    assert capsys.readouterr().out.splitlines() == expected


@pytest.mark.parametrize("words", [("hmwv",), ("hmwv", "--kind", "vehicles"), ("flat", "hmwv", "--kind", "vehicles")])
def test_an_unknown_name_is_refused_with_the_nearest_one(words, capsys):
    assert main(["check", *words]) == 2
    assert capsys.readouterr().err.endswith("got 'hmwv'; hint: did you mean hmmwv?\n")


def test_a_file_without_suffix_is_checked(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    written(tmp_path / "mine", {"base": "asphalt", "friction": 0.5})
    assert main(["check", "mine"]) == 0
    assert capsys.readouterr().out == "mine: good (soils)\n"


def test_a_missing_base_is_named(tmp_path, capsys):
    file = written(tmp_path / ELSEWHERE, {"base": "hmwv", "name": "mine"})
    err = refused(capsys, file)
    assert err.startswith(f"jounce: {file}:1: base: invalid value; ") and err.endswith("; got 'hmwv'; hint: did you mean hmmwv?\n")


def test_a_circle_of_bases_does_not_hang(tmp_path, capsys):
    written(tmp_path / "one.yaml", {"base": "two"})
    err = refused(capsys, written(tmp_path / "two.yaml", {"base": "one"}))
    assert "--kind" in err


def test_a_vehicle_that_every_run_refuses_is_refused(tmp_path, capsys):
    written(tmp_path / "stiff.yaml", {"base": "hmmwv", "name": "stiff", "axles": {"front": {"shock": {"compression_damping": 5e7}}}})
    said = refused(capsys, tmp_path / "stiff.yaml")
    assert "axles.front.shock.compression_damping" in said and "wheel hop of the front axle would grow" in said
