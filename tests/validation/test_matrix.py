"""Does the matrix of vehicles and maneuvers agree with the metrics of every run?"""

from __future__ import annotations

import json
import re

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from simulator.base.errors import ConfigError
from simulator.cli.main import main
from simulator.validation.compare.metrics_file import read_metrics


def leave(place, vehicle, maneuver, gap, passed, early=None):
    """Metrics as a run leaves them."""
    place.mkdir(parents=True)
    verdict = {True: "pass", False: "fail", None: "info"}[passed]
    row = {
        "metric": "gap_m",
        "value": gap,
        "unit": "m",
        "min": 0.0,
        "max": None,
        "margin": gap,
        "verdict": verdict,
        "mark": "",
        "meaning": "",
    }
    check = [] if passed is None else [{"metric": "gap_m", "value": gap, "min": 0.0, "max": None, "pass": passed}]
    result = {
        "maneuver": maneuver,
        "vehicle": vehicle,
        "pass": passed,
        "checks": check,
        "table": [row],
        "metrics": {"gap_m": gap, "gap_mm": 1000 * gap},
    }
    (place / "metrics.json").write_text(json.dumps({"result": result | ({"ended_early": early} if early else {})}))
    if passed:
        (place / "report.html").write_text("<p>")


@pytest.fixture
def runs(tmp_path):
    leave(tmp_path / "a b" / "lane", "car", "lane", 0.25, True)
    leave(tmp_path / "a b" / "slalom", "car", "slalom", -0.5, False, {"time_s": 3.0, "reason": "it rolled"})
    leave(tmp_path / "c", "truck", "lane", 1.0, None)
    return tmp_path


def call(capsys, *words):
    code = main(["compare", "--matrix", *map(str, words)])
    said = capsys.readouterr()
    return code, said.out, said.err


def test_folders_of_runs(runs, capsys):
    code, out, _ = call(capsys, runs, "--html", runs / "m.html", "--json")
    result = json.loads(out)["result"]
    assert code == 1
    assert sorted(result["vehicles"]) == ["car", "truck"] and sorted(result["maneuvers"]) == ["lane", "slalom"]
    told = {(one["vehicle"], one["maneuver"]): (one["pass"], one["failed"], one["metrics"].get("gap_m")) for one in result["runs"]}
    assert told[("car", "lane")] == (True, [], 0.25) and told[("car", "slalom")] == (False, ["gap_m"], -0.5)
    text = (runs / "m.html").read_text(encoding="utf-8")
    assert "3 runs, 1 of 2 with limits passed; 1 ended early" in text and "it rolled" in text
    assert set(re.findall(r'href="([^#"]*)"', text)) == {"a%20b/lane/report.html"}
    assert "https:" not in text and "http:" not in text
    call(capsys, runs, "--metrics", "gap_mm", "--html", runs / "m.html")
    assert "-500" in (runs / "m.html").read_text(encoding="utf-8")


def test_the_table_of_a_sweep(tmp_path, capsys):
    said = {"varied": ["vehicle", "maneuver.parameters.speed_kph"], "metrics": ["gap_m"], "name": "s", "title": "S"}
    rows = {
        "run": ["x", "y", "z"],
        "number": [0, 1, 2],
        "vehicle": ["car", "car", "truck"],
        "maneuver.parameters.speed_kph": [50.0, 60.0, 50.0],
        "passed": [True, False, None],
        "failure": ["", "", "no such tire"],
        "gap_m": [0.5, -0.125, None],
    }
    pq.write_table(pa.table(rows).replace_schema_metadata({"jounce_sweep": json.dumps(said)}), tmp_path / "table.parquet")
    code, out, _ = call(capsys, tmp_path, "--html", tmp_path / "m.html", "--json")
    runs = json.loads(out)["result"]["runs"]
    assert code == 1 and [(one["run"], one["metrics"]) for one in runs] == [
        ("speed_kph 50", {"gap_m": 0.5}),
        ("speed_kph 60", {"gap_m": -0.125}),
        ("speed_kph 50", {"gap_m": None}),
    ]
    text = (tmp_path / "m.html").read_text(encoding="utf-8")
    assert "no such tire" in text and "-0.125" in text


def test_of_many_runs_those_that_failed_are_shown(tmp_path, capsys):
    n = 1000
    rows = {
        "vehicle": ["car"] * n,
        "maneuver": ["lane"] * n,
        "passed": [i != 777 for i in range(n)],
        "failure": [""] * n,
        "gap_m": [0.001 * i for i in range(n)],
    }
    pq.write_table(pa.table(rows), tmp_path / "table.parquet")
    assert call(capsys, tmp_path / "table.parquet", "--html", tmp_path / "m.html")[0] == 1
    text = (tmp_path / "m.html").read_text(encoding="utf-8")
    assert "999 of 1000 passed" in text and "200 of 1000 runs" in text and ">0.777<" in text and text.count("✓ passed") == 199
    assert len(json.loads((tmp_path / "m.json").read_text())["result"]["runs"]) == n


@pytest.mark.parametrize(
    ("place", "value"),
    [
        (("metrics", "gap_m"), {"m": 1}),
        (("metrics", "gap_m"), float("nan")),
        (("metrics", "gap_m"), True),
        (("table", 0, "value"), "0.3"),
        (("table", 0, "verdict"), "good"),
        (("table", 0, "metric"), 3),
        (("table",), 3),
        (("checks",), [None]),
        (("pass",), "yes"),
        (("maneuver",), None),
        (("vehicle",), ["hmmwv"]),
        (("ended_early",), {"reason": "roll-over", "time_s": None}),
    ],
)
def test_changed_metrics_are_refused_in_one_line(runs, capsys, place, value):
    file = next(runs.rglob("metrics.json"))
    content = json.loads(file.read_text())
    node = content["result"]
    for name in place[:-1]:
        node = node[name]
    node[place[-1]] = value
    file.write_text(json.dumps(content))
    code, _, err = call(capsys, runs)
    assert code == 2 and err.count("\n") == 1 and f"{file}: result: " in err
    with pytest.raises(ConfigError):
        read_metrics(file)


def test_other_files_are_rejected(tmp_path, capsys):
    (tmp_path / "metrics.json").write_text("{}")
    assert call(capsys, tmp_path)[0] == 2
    (tmp_path / "empty").mkdir()
    code, _, err = call(capsys, tmp_path / "empty")
    assert code == 2 and "no metrics.json" in err
