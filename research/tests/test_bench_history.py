"""`python -m research bench --history`: are costs of a tick added, compared and shown, and are other options refused?"""

from __future__ import annotations

from pathlib import Path

import pytest

from research.command import main
from research.costs import history_command
from simulator.validation.history import command
from simulator.validation.history.entry import Figure, read
from simulator.validation.history.page import PAGE


def test_the_command_adds_checks_and_prints(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch):
    costs = {"calibration": Figure(1.0, "us"), "step_hard": Figure(3.0, "us")}
    commits = iter("abcd")
    monkeypatch.setattr(history_command, "costs_of", lambda repeats, arguments: dict(costs))
    monkeypatch.setattr(command, "commit", lambda: next(commits))
    asked = ["bench", "--history", "--out", str(tmp_path)]
    assert main(asked) == 0 and "no entry of tick" in capsys.readouterr().out
    assert main([*asked, "--add"]) == 0 and "no earlier entry to compare with" in capsys.readouterr().out
    costs["step_hard"] = Figure(4.0, "us")
    assert main([*asked, "--check"]) == 1 and "step_hard" in capsys.readouterr().out
    assert main([*asked, "--add"]) == 0
    assert [one.source.partition(",")[0] for one in read(tmp_path / "bench.jsonl")] == ["`python -m research bench`"] * 2
    assert "| **1** |" in (tmp_path / PAGE).read_text(encoding="utf-8") and (tmp_path / "bench_tick.png").stat().st_size > 1000


@pytest.mark.parametrize("words", [["--add"], ["formulations", "--history"], ["--out", "x"]])
def test_options_that_do_not_go_together(words: list[str], capsys: pytest.CaptureFixture[str]):
    assert main(["bench", *words]) == 2
    assert "--history" in capsys.readouterr().err
