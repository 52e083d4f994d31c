"""Does the validation page contain every part, and does a part detect a changed reference?"""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path

import numpy as np
import pytest

from simulator.base.errors import ConfigError
from simulator.base.machine import version
from simulator.cli.main import main
from simulator.validation.suite import command, snow_measurements, soil_measurements
from simulator.validation.suite.cases import BY_NAME, PARTS
from simulator.validation.suite.cornering import SingleTrack
from simulator.validation.suite.known_deviations import KNOWN
from simulator.validation.suite.page import GAPS
from simulator.validation.suite.result import FAIL, PASS, STALE, Finding, Part, ReferenceData, Row, evaluate_part, near, within
from simulator.validation.suite.result import KNOWN as LISTED
from simulator.validation.suite.ride_frequencies import HalfCar
from simulator.validation.suite.tires import soils

ROOT = Path(__file__).resolve().parents[2]
DATA = ROOT / "tests" / "data"
PAGE = (ROOT / "docs" / "theory" / "validation.md").read_text(encoding="utf-8")
MEASURED = (ROOT / "docs" / "theory" / "soil_measured.md").read_text(encoding="utf-8")
PART = Part("made", "Made", "what", "source", "tolerance", lambda source: Finding())


def test_the_page_has_every_part_with_its_verdict_and_names_the_version():
    assert f"of Jounce {version()};" in PAGE
    chapters = re.findall(r"^## (.*)$", PAGE, re.MULTILINE)
    assert chapters == [*(part.title for part in PARTS), "Not validated"]
    for part in PARTS:
        chapter = PAGE.split(f"\n## {part.title}\n")[1].split("\n## ")[0]
        assert "**Reference:**" in chapter and "**Tolerance:**" in chapter and "**Verdict:**" in chapter
    assert all(f"**{gap.what}.**" in PAGE for gap in GAPS)


def test_rows_of_its_tables_have_as_many_cells_as_their_heads():
    for table in re.findall(r"(?:^\|.*\n)+", PAGE, re.MULTILINE):
        assert len({line.count("|") for line in table.splitlines()}) == 1, table.splitlines()[0]


def test_its_plots_exist_small_and_shown():
    shown = set(re.findall(r"\]\(validation/(\w+\.png)\)", PAGE + MEASURED))
    there = {file.name: file.stat().st_size for file in (ROOT / "docs" / "theory" / "validation").iterdir()}
    assert shown == set(there) and len(shown) > 5
    assert sum(there.values()) + len(PAGE) < 2e6


def test_what_is_listed_as_known_is_on_the_page_as_known():
    on_soil = {part.name: part for part in (*soil_measurements.PARTS, *snow_measurements.PARTS)}
    for name, rows in KNOWN.items():
        page, part = (MEASURED, on_soil[name]) if name in on_soil else (PAGE, BY_NAME[name])
        chapter = page.split(f"\n## {part.title}\n")[1].split("\n## ")[0]
        for what, reason in rows.items():
            assert re.search(rf"^\| {re.escape(what)} \|.*\| known \|$", chapter, re.MULTILINE), what
            assert f"- *{what}*: {reason}" in chapter
    assert FAIL not in re.sub(r"\*\*FAIL\*\*, outside|A FAIL makes", "", PAGE)


def test_verdicts():
    rows = [
        within("a", 1.0, 1.01, "m", 0.02),
        within("b", 1.0, 1.1, "m", 0.02),
        near("c", 1.0, 2.0, "m", 0.5),
        near("d", 1.0, 1.0, "m", 0.5),
    ]
    verdict = evaluate_part(PART, Finding(rows), {"c": "why", "d": "gone", "e": "no such row"})
    assert verdict.verdicts == (PASS, FAIL, LISTED, STALE)
    assert [row.what for row in verdict.failed] == ["b"] and [row.what for row in verdict.stale] == ["d"]
    assert verdict.reasons == {"c": "why", "d": "gone"}
    assert verdict.summary == "1 pass, 1 known, 1 known, but passes, 1 FAIL"


def test_a_number_that_is_not_finite_fails():
    assert not within("a", float("nan"), 1.0, "m", 0.5).passed and not near("a", float("nan"), 1.0, "m", 0.5).passed


@pytest.fixture
def changed(tmp_path: Path) -> Path:
    """Reference data of the soils, one sinkage of which is 2 % larger."""
    shutil.copytree(DATA / "soil", tmp_path / "soil")
    file = tmp_path / "soil" / "driven_wheel.csv"
    lines = file.read_text(encoding="utf-8").splitlines()
    cells = lines[1].split(",")
    at = lines[0].split(",").index("z_mm")
    cells[at] = str(1.02 * float(cells[at]))
    file.write_text("\n".join([lines[0], ",".join(cells), *lines[2:]]), encoding="utf-8")
    return tmp_path


def test_a_part_passes_and_notices_another_reference(changed: Path):
    right = evaluate_part(BY_NAME["soil"], soils(ReferenceData(DATA)), KNOWN["soil"])
    assert not right.failed and not right.stale and len(right.finding.rows) == 39
    wrong = evaluate_part(BY_NAME["soil"], soils(ReferenceData(changed)), KNOWN["soil"])
    assert [row.what for row in wrong.failed] == ["driven wheel lete_s0.15_l0: sinkage"]


def test_the_command(changed: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch):
    assert main(["validate", "all", "--only", "soil", "--out", str(tmp_path / "out")]) == 0
    page = (tmp_path / "out" / "validation.md").read_text(encoding="utf-8")
    assert "`jounce validate all --only soil`" in page and "None of 39 rows fails; 3 are known" in page
    assert (tmp_path / "out" / "validation" / "soil.png").read_bytes().startswith(b"\x89PNG")
    capsys.readouterr()
    monkeypatch.setattr(command, "reference_data", lambda: changed)
    assert main(["validate", "all", "--only", "soil", "--json"]) == 1
    result = json.loads(capsys.readouterr().out)
    assert result["failed"] == 1 and result["page"] is None
    assert {row["verdict"] for row in result["parts"][0]["rows"]} == {"pass", "known", "FAIL"}


def test_a_part_that_there_is_not(capsys: pytest.CaptureFixture[str]):
    with pytest.raises(ConfigError):
        command.chosen(["soil,sand"])
    assert main(["validate", "all", "--only", "sand"]) == 2
    assert "soil" in capsys.readouterr().err


def test_check_prints_lines_that_differ(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    file = tmp_path / "validation.md"
    file.write_text("a\nb\n", encoding="utf-8")
    assert not command.check("a\nb\n", file)
    assert command.check("a\nc\n", file)
    assert "-b" in capsys.readouterr().err


def test_single_track_of_a_neutral_vehicle_turns_by_its_wheelbase():
    neutral = SingleTrack((1e5, 1e5), 3.0, 2000.0, 1.5, 1.5)
    assert neutral.understeer == 0.0 and neutral.gain(20.0) == 20.0 / 3.0
    assert SingleTrack((1e5, 1e5), 3.0, 2000.0, 1.0, 2.0).understeer == pytest.approx(2000.0 / 3.0 * 1e-5)


def test_half_car_on_stiff_tires_is_a_rod_on_two_springs():
    """Symmetric, on tires a thousand times stiffer: sqrt(k / m), sqrt(k a^2 / I), and wheels alone."""
    car = HalfCar(2000.0, 3000.0, np.array([1.5, -1.5]), np.array([5e4, 5e4]), np.array([100.0, 100.0]), np.array([5e7, 5e7]))
    bounce, pitch, slow, fast = car.frequencies()
    assert bounce == pytest.approx((1e5 / 2000.0) ** 0.5, rel=2e-3)
    assert pitch == pytest.approx((1e5 * 1.5**2 / 3000.0) ** 0.5, rel=2e-3)
    assert slow <= fast and fast == pytest.approx((5e7 / 100.0) ** 0.5, rel=2e-3)


def test_rows_show_their_tolerance():
    row = within("a", 1.02, 1.0, "m", 0.05, 0.1)
    assert row == Row("a", "1.02 m", "1 m", "+2.00 %", "5 % or 0.1 m", True)
