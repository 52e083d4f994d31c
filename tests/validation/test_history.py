"""Is a history read, extended and compared correctly?"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from simulator.base.errors import ConfigError, JounceError
from simulator.cli.main import main
from simulator.validation.history import command
from simulator.validation.history.changes import BENCH, FACTS, changes, last_before
from simulator.validation.history.entry import Entry, Figure, append, read
from simulator.validation.history.page import PAGE, to_markdown

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / "docs" / "history"


def entry(commit: str = "a", machine: str = "one", **figures: Figure) -> Entry:
    return Entry("car", "0.1", "2026-01-01", commit, machine, "made", figures)


def test_an_entry_comes_back_as_it_was(tmp_path: Path):
    file = tmp_path / "facts.jsonl"
    first, second = entry(mass=Figure(2620.123456789, "kg"), climbed=Figure("yes")), entry("b", mass=Figure(2621.0, "kg"))
    append(file, first)
    assert append(file, second) == [first, second] == read(file)
    assert file.read_text(encoding="utf-8").count("\n") == 2
    with pytest.raises(JounceError, match="already"):
        append(file, entry("b"))
    assert read(file) == [first, second]
    assert read(tmp_path / "none.jsonl") == []


@pytest.mark.parametrize(
    ("line", "where"),
    [
        ("{", "2"),
        ("[]", "2"),
        ('{"subject": "car"}', "2: version"),
        (entry().as_line().replace("{}", "[]"), "2: figures"),
        (entry(mass=Figure(1.0)).as_line().replace("1.0", "null"), "2: mass"),
        (entry(mass=Figure(1.0)).as_line().replace("1.0", "true"), "2: mass"),
    ],
)
def test_a_wrong_line_is_named(tmp_path: Path, line: str, where: str):
    file = tmp_path / "facts.jsonl"
    file.write_text(f"{entry().as_line()}\n{line}\n", encoding="utf-8")
    with pytest.raises(ConfigError, match=rf"facts\.jsonl:{where}: "):
        read(file)


def test_drift_is_what_is_beyond_share_and_floor():
    before = entry(mass=Figure(2620.0, "kg"), toe=Figure(0.0, "deg"), hill=Figure("climbed"), speed=Figure(60.0, "km/h"), gone=Figure(1.0))
    after = entry(
        mass=Figure(2650.0, "kg"), toe=Figure(0.015, "deg"), hill=Figure("not climbed"), speed=Figure(60.45, "km/h"), new=Figure(1.0)
    )
    assert [one.description for one in changes(before, after, FACTS)] == [
        "mass: 2620 kg -> 2650 kg (+1.1 %)",
        "hill: climbed -> not climbed",
        "gone: 1 -> none",
    ]
    assert next(one.name for one in changes(before, entry(mass=Figure(2620.0, "t")), FACTS)) == "mass"


def test_costs_are_compared_over_the_calibration_of_one_machine():
    slow = entry(calibration=Figure(2.0, "us"), step=Figure(6.0, "us"), drive=Figure(20.0, "times real time"))
    fast = entry("b", calibration=Figure(1.0, "us"), step=Figure(3.2, "us"), drive=Figure(40.0, "times real time"))
    assert changes(slow, fast, BENCH) == []
    slower = entry("c", calibration=Figure(1.0, "us"), step=Figure(3.8, "us"), drive=Figure(30.0, "times real time"))
    assert [one.name for one in changes(slow, slower, BENCH)] == ["step", "drive"]
    assert last_before([slow, entry("d", "two")], fast, BENCH) is slow
    assert last_before([slow, entry("d", "two")], fast, FACTS) == entry("d", "two")
    assert last_before([entry("d", "two")], fast, BENCH) is None


def test_the_command_adds_checks_and_prints(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch):
    facts = {"mass": Figure(2620.0, "kg"), "wheelbase": Figure(3.3, "m")}
    commits = iter("abcd")
    monkeypatch.setattr(command, "facts_of", lambda vehicle, quiet: dict(facts))
    monkeypatch.setattr(command, "commit", lambda: next(commits))
    asked = ["datasheet", "hmmwv", "--history", "--out", str(tmp_path)]
    assert main(asked) == 0 and "no entry of hmmwv" in capsys.readouterr().out
    assert main([*asked, "--add"]) == 0 and "no earlier entry to compare with" in capsys.readouterr().out
    assert main([*asked, "--check"]) == 0 and "no figure has changed" in capsys.readouterr().out
    facts["wheelbase"] = Figure(3.4, "m")
    assert main([*asked, "--check"]) == 1 and "wheelbase" in capsys.readouterr().out
    assert len(read(tmp_path / "facts.jsonl")) == 1
    assert main([*asked, "--add"]) == 0
    assert "| **1** |" in (tmp_path / PAGE).read_text(encoding="utf-8") and (tmp_path / "facts_hmmwv.png").stat().st_size > 1000
    capsys.readouterr()
    assert main([*asked, "--json"]) == 0
    told = json.loads(capsys.readouterr().out)["entries"]
    assert [one["commit"] for one in told] == ["a", "d"] and told[1]["changed"][0]["figure"] == "wheelbase"


@pytest.mark.parametrize(
    "words",
    [["datasheet", "hmmwv", "--check"], ["datasheet", "--add"],
     ["datasheet", "hmmwv", "hmmwv_curb", "--history"], ["datasheet", "hmmwv", "--history", "--quick"]],
)  # fmt: skip
def test_options_that_do_not_go_together(words: list[str], capsys: pytest.CaptureFixture[str]):
    assert main(words) == 2
    assert "--history" in capsys.readouterr().err


def test_the_history_of_the_repository_is_valid_and_its_page_up_to_date():
    histories = [command.History(kind, read(FOLDER / f"{kind.name}.jsonl")) for kind in command.KINDS]
    facts = histories[0].entries
    assert [one.version for one in facts] and facts[-1].subject == "hmmwv" and len(facts[-1].figures) > 100
    assert (FOLDER / PAGE).read_text(encoding="utf-8") == to_markdown(histories)
    assert (FOLDER / "facts_hmmwv.png").is_file()
