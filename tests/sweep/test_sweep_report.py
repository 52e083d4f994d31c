"""Does the report of a complete or partial sweep match its table for any names and numbers, without network access?"""

from __future__ import annotations

import math
import re
import shlex
from html.parser import HTMLParser

import numpy as np
import pytest

from simulator.base.errors import ConfigError
from simulator.base.json_output import json_text
from simulator.cli.main import main
from simulator.sweep.case import LETTERS
from simulator.sweep.design import design
from simulator.sweep.engine import ABOUT
from simulator.sweep.journal import JOURNALS, Journals
from simulator.sweep.read_sweep import read_results
from simulator.sweep.report_page import chosen_metrics, command_of, sweep_page
from simulator.sweep.result_table import write_plan, write_tables
from simulator.sweep.results import short_names

LONG = "vehicle.axles.front." + "a" * 40
SPEED = "maneuver.parameters.speed_kph"
GRID = {
    "name": "grid",
    "title": "Grid & <more>",
    "maneuver": "avtp_lane_change",
    "set": {"world.gravity": 9.8},
    "vary": [{"grid": {"vehicle": ["hmmwv", "hmmwv_gross"], SPEED: [40.0, 50.0, 60.5], LONG: [1, 2]}}],
    "metrics": ["gate_margin_min_m", "way*"],
}


class Planned:
    """Runs of a design that nobody drives."""

    def __init__(self, content: dict) -> None:
        self.design = design(content, "s.yaml")
        self.varied, self.about = self.design.varied, self.design.about()

    def __len__(self) -> int:
        return len(self.design.points)

    def run_of(self, number: int) -> str:
        return f"{number * 7919:0{LETTERS}x}"

    def point_of(self, number: int) -> dict:
        return self.design.points[number]


def row_of(cases: Planned, number: int) -> dict:
    said = cases.point_of(number)
    metrics = {
        "gate_margin_min_m": 1.0 - said.get(SPEED, 50.0) / 60.0,
        "way_m": 3.0,
        "nothing_s": None,
        "other_m": float(number),
        **{f"x{k}": float((number * (k + 3)) % 11) for k in range(6)},
    }
    failure = "rolled over at 3.5 s" if number in (3, 4) else ""
    return {
        "run": cases.run_of(number),
        "passed": None if failure else metrics["gate_margin_min_m"] > 0.1,
        "metrics": {} if failure else metrics,
        "failure": failure,
        "machine": {"wall_s": 0.5, "simulated_s": 5.0},
        "worker": f"w{number % 2}",
    }


def begun(folder, content=GRID, rows=row_of, done=None) -> Planned:
    """The folder of a sweep of which some runs are done."""
    cases = Planned(content)
    folder.mkdir()
    write_plan(cases, folder)
    (folder / ABOUT).write_text(json_text({"sweep": "abc", "runs": len(cases), **cases.about}), encoding="utf-8")
    journals = Journals(folder / JOURNALS)
    for worker in range(2):
        journals.append(f"w{worker}", [rows(cases, number) for number in range(len(cases))[:done] if number % 2 == worker])
    return cases


def finished(folder, content=GRID, rows=row_of) -> Planned:
    cases = begun(folder, content, rows)
    write_tables(cases, lambda: (rows(cases, number) for number in range(len(cases))), folder)
    return cases


def page_of(folder, wanted=()) -> str:
    return sweep_page(read_results(folder), wanted, "jounce sweep report x").html().replace("<wbr>", "")


def test_a_sweep_half_done_is_read_from_its_journals_as_a_done_one_from_its_table(tmp_path):
    finished(tmp_path / "done")
    begun(tmp_path / "all")
    begun(tmp_path / "half", done=6)
    with open(next((tmp_path / "half" / JOURNALS).iterdir()), "ab") as journal:
        journal.write(b"\x50\x00\x00\x00torn")  # a record that is being written
    done, driven, half = (read_results(tmp_path / name) for name in ("done", "all", "half"))
    assert done.runs == driven.runs and done.failures == driven.failures and done.passed == driven.passed
    assert done.machine == driven.machine and done.machine["workers"] == "2"
    for name in done.metrics:
        assert np.array_equal(done.metrics[name], driven.metrics[name], equal_nan=True)
        assert np.array_equal(half.metrics[name], done.metrics[name][:6], equal_nan=True)
    assert [key.name for key in half.keys] == ["vehicle", SPEED, LONG]
    assert [[key.word(5) for key in one.keys] for one in (done, half)] == [["hmmwv", "60.5", "2"]] * 2
    assert "6 of 12 runs done, 2 runs without a result; 3 of 4 passed" in page_of(tmp_path / "half")


def test_outcomes_of_drives_to_goals_are_counted(tmp_path):
    def row_with_outcome(cases, number):
        row = row_of(cases, number)
        return row if row["failure"] else {**row, "outcome": {"word": "stuck" if number == 5 else "reached", "reason": ""}}

    finished(tmp_path / "done", rows=row_with_outcome)
    begun(tmp_path / "all", rows=row_with_outcome)
    words = ["reached"] * 3 + ["error"] * 2 + ["stuck"] + ["reached"] * 6  # a run without a result is an error
    for name in ("done", "all"):
        assert read_results(tmp_path / name).outcomes == words
    page = page_of(tmp_path / "done")
    rows = re.findall(r"<tr><td[^>]*>(\w+)</td><td[^>]*>(\d+)</td><td[^>]*>([\d, .]*)</td></tr>", page)
    counted = {word: (int(count), which) for word, count, which in rows}
    assert counted["reached"] == (9, "0, 1, 2, 6, 7, 8, 9, 10 ...") and counted["error"] == (2, "3, 4") and counted["collision"] == (0, "")
    finished(tmp_path / "other")
    assert not read_results(tmp_path / "other").outcomes and "Outcomes" not in page_of(tmp_path / "other")


class Tags(HTMLParser):
    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        assert not [value for name, value in attrs if name in ("src", "href", "xlink:href") and not value.startswith("#")]
        if tag not in ("meta", "br"):
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


def test_the_page_fetches_nothing_and_says_what_came_out(tmp_path):
    finished(tmp_path / "s")
    text = page_of(tmp_path / "s", GRID["metrics"])
    assert not Tags(text).open
    assert not re.search(r"https?:|@import|url\((?!#)|fetch\(|XMLHttpRequest", text) and "default-src 'none'" in text
    assert "<h1>Grid &amp; &lt;more&gt;</h1>" in text and "12 of 12 runs done, 2 runs without a result" in text
    assert "rolled over at 3.5 s" in text and "✗ ≥ 0: 70 %" in text  # 3 of 10 runs with a result are below the limit of the maneuver's file
    headings = re.findall(r"<h2[^>]*>([^<]*)</h2>", text)
    assert headings == ["Varied keys", "Runs without a result", "Metrics", "Fraction passed", "gate_margin_min_m"]
    assert "1 metric with one number in all runs" in text  # way_m
    heat = re.findall(r'font-size:11px">([^<]*)<', text)
    assert {"0.333", "0.167", "-0.00833"} <= set(heat)


def test_the_command_of_a_single_run_is_complete(tmp_path):
    finished(tmp_path / "s")
    words = shlex.split(command_of(read_results(tmp_path / "s"), 4))
    assert words == [
        "jounce",
        "run",
        "avtp_lane_change",
        "--vehicle",
        "hmmwv",
        "--set",
        "world.gravity=9.8",
        "--set",
        f"{SPEED}=60.5",
        "--set",
        f"{LONG}=1",
    ]


def test_metrics_are_chosen(tmp_path):
    finished(tmp_path / "s")
    results = read_results(tmp_path / "s")
    names, why = chosen_metrics(results, ())
    assert len(names) == 8 and "way_m" not in names and why.startswith("2 metrics with one number")
    assert chosen_metrics(results, ["x?", "nothing*"])[0] == [f"x{k}" for k in range(6)]


def test_a_metric_in_two_units_is_shown_once(tmp_path):
    def rows(cases, number):
        row = row_of(cases, number)
        return {
            **row,
            "metrics": {
                "roll_max_rad": 0.1 * number,
                "end_m": float(number),
                "roll_max_deg": math.degrees(0.1 * number),
                "end_s": 1.0 + number % 3,
            },
        }

    finished(tmp_path / "s", rows=rows)
    results = read_results(tmp_path / "s")
    assert chosen_metrics(results, ())[0] == sorted(chosen_metrics(results, ["*"])[0]) == ["end_m", "end_s", "roll_max_deg"]
    assert chosen_metrics(results, ["roll_max_rad"])[0] == ["roll_max_rad"]


@pytest.mark.parametrize("rows", [
    lambda cases, n: {**row_of(cases, n), "metrics": {}, "passed": None, "failure": "no ground"},
    lambda cases, n: {**row_of(cases, n), "metrics": {"a": None if n else 2.0, "b": float(n > 5), "c": 1e9}, "passed": True},
], ids=["all failed", "hardly a number"])  # fmt: skip
def test_the_page_accepts_failures_and_constant_metrics(rows, tmp_path):
    content = {**GRID, "vary": [*GRID["vary"], {"list": [{"world.wind": [0, 1, 0], "steering": "angle"}, {"world.wind": [0, 2, 0]}]}]}
    finished(tmp_path / "s", content, rows)
    assert not Tags(page_of(tmp_path / "s", ["*"])).open
    begun(tmp_path / "none", content, done=0)
    assert "0 of 14 runs done" in page_of(tmp_path / "none")


def test_sobol_indices_of_the_table(tmp_path):
    """y = 2 a + b over equal distributions: shares of 0.8 and 0.2, alone as with all others; runs that are missing take their pairs with them."""
    keys = {f"world.{name}": {"distribution": "uniform", "from": 0.0, "to": 1.0} for name in "ab"}
    content = {"name": "s", "vary": [{"sample": {"method": "saltelli", "count": 256, "of": keys}, "repeat": 1}]}

    def rows(cases, number):
        said, row = cases.point_of(number), row_of(cases, number)
        return {**row, "metrics": {"y": 2.0 * said["world.a"] + said["world.b"]} if row["metrics"] else {}}

    finished(tmp_path / "s", content, rows)
    text = page_of(tmp_path / "s")
    assert "2 of 256 pairs of points are left out" in text
    found = {
        key: float(first)
        for key, first in re.findall(r"<td class=\"words\">(world\.\w)</td><td>([\d.]+)</td><td class=\"words\">[\d.]+ to", text)
    }
    assert found == pytest.approx({"world.a": 0.8, "world.b": 0.2}, abs=0.06)


def test_the_command_leaves_the_page_and_says_what_is_wrong(tmp_path, capsys):
    finished(tmp_path / "s")
    assert main(["sweep", "report", str(tmp_path / "s"), "--metric", "other_m"]) == 0
    page = (tmp_path / "s" / "report.html").read_text(encoding="utf-8")
    assert "other_m" in re.findall(r"<h2[^>]*>([^<]*)</h2>", page) and str(tmp_path / "s" / "report.html") in capsys.readouterr().out
    for words, said in (
        (["report", str(tmp_path)], "expected the folder of a sweep"),
        (["report"], "expected the folder of a sweep"),
        (["report", str(tmp_path / "s"), "--metric", "othr_m"], "did you mean other_m"),
        (["report", str(tmp_path / "s"), "--out", "elsewhere"], "the page is report.html in the folder"),
        (["lane_change_grid", "folder"], "need `jounce sweep report DIR`"),
    ):
        assert main(["sweep", *words]) == 2
        assert said in capsys.readouterr().err


def test_a_sweep_of_a_program_has_a_page_too(tmp_path):
    """No file says its name, its blocks and its limits."""
    cases = begun(tmp_path / "s", done=8)
    (tmp_path / "s" / ABOUT).write_text(json_text({"sweep": "abc", "runs": len(cases)}), encoding="utf-8")
    text = page_of(tmp_path / "s")
    assert "8 of 12 runs done" in text and "gate_margin_min_m" in re.findall(r"<h2[^>]*>([^<]*)</h2>", text)


def test_short_names_of_keys_are_unique():
    names = ["vehicle.axles.front.spring.rate", "vehicle.axles.rear.spring.rate", "vehicle.chassis.mass", "seed", "soils.asphalt.friction"]
    assert list(short_names(names).values()) == ["front.spring.rate", "rear.spring.rate", "chassis.mass", "seed", "asphalt.friction"]


@pytest.mark.parametrize(
    ("files", "message"),
    [
        ({}, "{}: no sweep.json in it"),
        ({"sweep.json": None}, "{}/sweep.json: invalid value; expected the description of a sweep in JSON; got 'a folder'"),
        ({"sweep.json": "{}"}, "{}/plan.parquet: No such file or directory; expected a table of a sweep"),
        ({"sweep.json": "{}", "plan.parquet": None}, "{}/plan.parquet: invalid value; expected a table of a sweep; got 'a folder'"),
        ({"sweep.json": "{}", "plan.parquet": "text"}, "{}/plan.parquet: "),
    ],
)
def test_a_folder_that_cannot_be_read_gives_one_line(tmp_path, files, message):
    for name, text in files.items():
        (tmp_path / name).mkdir() if text is None else (tmp_path / name).write_text(text)
    with pytest.raises(ConfigError) as error:
        read_results(tmp_path)
    assert str(error.value).startswith(message.replace("{}", str(tmp_path))) and "\n" not in str(error.value)
    assert "Errno" not in str(error.value)


def test_a_file_is_no_folder_of_a_sweep(tmp_path):
    (tmp_path / "file").write_text("text")
    with pytest.raises(ConfigError, match=r"file: no sweep\.json in it"):
        read_results(tmp_path / "file")
