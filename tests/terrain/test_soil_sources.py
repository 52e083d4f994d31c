"""The shipped soils compared with the values in their sources."""

import math
from pathlib import Path

import pytest
import yaml

from simulator.builder.builder import build_ground, build_soil
from simulator.configuration.configuration import Configuration
from simulator.configuration.overrides import read_settings
from terrain.soil import SOIL

SOILS = Path(__file__).resolve().parents[2] / "configs" / "soils"
POUND, INCH = 4.4482216152605, 0.0254

TABLE = {
    # Wong 2008, rows that were measured in inch and pound: n, k_c [lb/in^(n+1)], k_phi [lb/in^(n+2)], c [psi], phi [deg]
    "dry_sand": (1.1, 0.1, 3.9, 0.15, 28.0),
    "sandy_loam_lll_15": (0.7, 2.3, 16.8, 0.25, 29.0),
    "sandy_loam_lll_22": (0.2, 7.0, 3.0, 0.2, 38.0),
    "sandy_loam_michigan_11": (0.9, 11.0, 6.0, 0.7, 20.0),
    "sandy_loam_michigan_23": (0.4, 15.0, 27.0, 1.4, 35.0),
    "sandy_loam_hanamoto_26": (0.3, 5.3, 6.8, 2.0, 22.0),
    "sandy_loam_hanamoto_32": (0.5, 0.7, 1.2, 0.75, 11.0),
    "clayey_soil_38": (0.5, 12.0, 16.0, 0.6, 13.0),
    "clayey_soil_55": (0.7, 7.0, 14.0, 0.3, 10.0),
    "heavy_clay_25": (0.13, 45.0, 140.0, 10.0, 34.0),
    "heavy_clay_40": (0.11, 7.0, 10.0, 3.0, 6.0),
    "lean_clay_22": (0.2, 45.0, 120.0, 10.0, 20.0),
    "lean_clay_32": (0.15, 5.0, 10.0, 2.0, 11.0),
    "snow_us": (1.6, 0.07, 0.08, 0.15, 19.7),
    "snow_harrison": (1.6, 0.04, 0.10, 0.09, 23.2),
}


@pytest.mark.parametrize("name", TABLE)
def test_numbers_in_si_are_the_round_figures_of_the_table_in_inch_and_pound(name):
    """k_c in lb/in^(n+1) is the SI value divided by 4.448 / 0.0254^(n+1): a wrong unit or exponent would not give round figures."""
    n, k_c, k_phi, cohesion, friction_angle = TABLE[name]
    soil = build_soil(name)[0]
    assert soil["n"] == n
    assert soil["k_c"] / (POUND / INCH ** (n + 1)) == pytest.approx(k_c, rel=0.01)
    assert soil["k_phi"] / (POUND / INCH ** (n + 2)) == pytest.approx(k_phi, rel=2e-3)
    assert soil["cohesion"] / (POUND / INCH**2) == pytest.approx(cohesion, rel=6e-3)
    assert math.degrees(soil["friction_angle"]) == pytest.approx(friction_angle)


def soil_files():
    """Return the files of deformable soils."""
    return sorted(file for file in SOILS.glob("*.yaml") if yaml.safe_load(file.read_text())["type"] == "soil")


def test_there_are_soils_to_choose_from():
    assert len(soil_files()) >= 15


@pytest.mark.parametrize("file", soil_files(), ids=lambda file: file.stem)
def test_every_number_of_a_soil_has_a_source(file):
    """Each number has a source in brackets, `assumed`, or a recalled source; each source is named at the top."""
    text = file.read_text()
    said = {line.partition(":")[0]: line.partition("#")[2] for line in text.splitlines() if ":" in line and not line.startswith("#")}
    head = " ".join(line for line in text.splitlines() if line.startswith("#"))
    for name in (row[0] for row in SOIL[1:]):
        remark = next((said[key] for key in (name, f"{name}_deg") if key in said), "assumed, left out")
        marks = [part[: part.index("]") + 1] for part in ("[" + rest for rest in remark.split("[")[1:])]
        known = "assumed" in remark or "recalled" in remark or "Wong and Reece" in remark or "Ishigami" in remark or "CRREL" in remark
        assert known or marks, (name, remark)
        for mark in marks:
            assert mark in head, (name, mark)


def test_wetter_is_weaker():
    """For soils measured at two moistures, the wet soil has less strength under a truck tire at its pressure."""
    for dry, wet in (("clayey_soil_38", "clayey_soil_55"), ("heavy_clay_25", "heavy_clay_40"), ("lean_clay_22", "lean_clay_32"),
                     ("sandy_loam_hanamoto_26", "sandy_loam_hanamoto_32")):  # fmt: skip
        a, b = (build_soil(name)[0] for name in (dry, wet))
        strength = [float(s["cohesion"] + 1e5 * math.tan(s["friction_angle"])) for s in (a, b)]
        assert strength[1] < strength[0]


@pytest.mark.parametrize("said", ["./my_sand.yaml", "my_sand.yaml"])
def test_a_user_soil_is_named_by_its_path(tmp_path, monkeypatch, said):
    """It is found in the folder of the terrain file, and in the current folder for the command line."""
    (tmp_path / "land").mkdir()
    (tmp_path / "my_sand.yaml").write_text("base: dry_sand\nn: 0.9\n")
    (tmp_path / "land" / "my_sand.yaml").write_text("base: dry_sand\nn: 1.3\n")
    (tmp_path / "land" / "field.yaml").write_text(f"type: flat\nsoil: {said}\n")
    monkeypatch.chdir(tmp_path)
    assert build_ground("land/field.yaml").soils[0]["n"] == 1.3
    configuration = Configuration.of("terrain", "land/field.yaml")
    for setting in read_settings([f"terrain.soil={said}", "terrain.soil.cohesion=77"]):
        configuration.set(setting)
    with configuration.reading("terrain") as (content, file):
        used, _ = configuration.named.soil(content["soil"], Path(file))
    assert (used["n"], used["cohesion"]) == (0.9, 77)
