"""`python -m research bench formulations`: do all formulations agree, which of them drift, and is the output correct?"""

import json
from pathlib import Path

import pytest
from research_program import call

from research.benchmarks import formulations
from research.benchmarks.formulations import METHODS, TRIALS
from research.benchmarks.formulations_page import BEGIN, END, write_page
from tests.end_to_end.program import refused

DOCS = Path(__file__).parents[2] / "docs" / "formulations.md"

SIZES = {
    "quarter car": {"closed_form": (2, 0), "ce": (2, 0), "ta": (11, 9), "recursive": (11, 9), "fa": (48, 46), "ab": (11, 0)},
    "vehicle": {"closed_form": (14, 0), "ce": (14, 0), "ta": (50, 36), "recursive": (50, 36), "fa": (198, 184), "ab": (50, 0)},
}
"""Coordinates and constraints, counted by hand in docs/formulations.md."""


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """The table of a short run, and the page."""
    page = tmp_path_factory.mktemp("docs") / "page.md"
    page.write_text(f"by hand, above\n{BEGIN}\nold\n{END}\nby hand, below\n", encoding="utf-8")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(formulations, "DURATION", 0.5)
        patch.setattr(formulations, "ROUND", 1e-3)
        table = formulations.measure("hmmwv", repeats=1)
    write_page(table, page)
    return table, page.read_text(encoding="utf-8"), page


def rows(table, case):
    return next({row["name"]: row for row in c["formulations"]} for c in table["cases"] if c["name"] == case)


def test_one_object_with_every_formulation(made):
    table = json.loads(json.dumps(made[0]))
    assert {"vehicle", "step", "duration", "repeats", "machine", "targets", "paper", "cases"} == set(table)
    assert table["machine"]["processor"]
    for case, sizes in SIZES.items():
        found = rows(table, case)
        assert list(found) == list(TRIALS)
        for name, row in found.items():
            assert row["us_per_evaluation"] > 0.0
            assert row["augmented"] == row["coordinates"] + row["constraints"]
            if name in sizes:
                assert (row["coordinates"], row["constraints"]) == sizes[name]
            if name != "ab":
                assert set(row["loop_drift"]) == set(row["energy_drift"]) == set(row["difference"]) == set(METHODS)
                assert row["ratio_closed_form"] == pytest.approx(row["us_per_step"] / found["closed_form"]["us_per_step"])
                assert row["ratio_ce"] == pytest.approx(row["us_per_step"] / found["ce"]["us_per_step"])


def test_json_is_a_summary_unless_samples_are_requested(made, monkeypatch, capsys):
    monkeypatch.setattr(formulations, "measure", lambda *_: made[0])
    samples = json.loads(call(capsys, "bench", "formulations", "--json", "--samples")[1])
    assert samples == json.loads(json.dumps(made[0]))
    out = call(capsys, "bench", "formulations", "--json")[1]
    short = json.loads(out)
    assert len(out) < 30_000

    def longest(value):
        if isinstance(value, list):
            return max([len(value), *map(longest, value)])
        return max(map(longest, value.values()), default=0) if isinstance(value, dict) else 0

    assert longest(short) == len(TRIALS)
    for case, whole in zip(short["cases"], samples["cases"], strict=True):
        for row, full in zip(case["formulations"], whole["formulations"], strict=True):
            assert full == row | {key: full[key] for key in ("t", "loop_gap") if key in full}
    assert "--samples" in refused(call(capsys, "bench", "formulations", "--samples"))


@pytest.mark.parametrize("case", SIZES)
def test_all_formulations_give_the_same_motion(made, case):
    for name, row in rows(made[0], case).items():
        if name != "ab":
            assert row["difference"]["runge_kutta_4"] < 1e-8, name
            assert row["difference"]["semi_implicit_euler"] < 1e-3, name


@pytest.mark.parametrize("case", SIZES)
def test_embedded_loops_do_not_drift_and_cut_ones_do(made, case):
    found = rows(made[0], case)
    for method in METHODS:
        assert found["closed_form"]["loop_drift"][method] < 1e-14
        assert found["ce"]["loop_drift"][method] < 1e-12
    for name in ("ta", "recursive", "fa"):
        assert found[name]["loop_drift"]["semi_implicit_euler"] > 1e-8


@pytest.mark.parametrize("case", SIZES)
def test_energy_is_kept_to_the_order_of_the_method(made, case):
    for name, row in rows(made[0], case).items():
        if name != "ab":
            assert row["energy_drift"]["runge_kutta_4"] < 1e-6, name


def test_what_is_written_by_hand_stays_on_the_page(made):
    text, page = made[1], made[2]
    assert text.startswith(f"by hand, above\n{BEGIN}\n")
    assert text.endswith(f"{END}\nby hand, below\n")
    assert "old" not in text
    assert str(page.parent) not in text
    assert page.with_suffix(".png").read_bytes().startswith(b"\x89PNG")


def test_the_page_of_the_documentation_is_what_the_command_makes(made):
    def outline(text: str) -> list[str]:
        part = text[text.index(BEGIN) : text.index(END)]
        lines = [line for line in part.splitlines() if line.startswith(("#", "|"))]
        return [line.split("|")[1] if line.startswith("|") else line for line in lines]

    assert outline(DOCS.read_text(encoding="utf-8")) == outline(made[1])
    assert DOCS.with_suffix(".png").is_file()


def test_a_page_that_cannot_be_written_is_refused_before_anything_is_measured(tmp_path, capsys):
    page = tmp_path / "page.md"
    page.write_text("nothing but prose\n", encoding="utf-8")
    assert "measured: begin" in refused(call(capsys, "bench", "formulations", "--markdown", page))
    assert "no_folder" in refused(call(capsys, "bench", "formulations", "--markdown", tmp_path / "no_folder" / "page.md"))
    assert [file.name for file in tmp_path.iterdir()] == ["page.md"]


def test_options_that_make_no_sense(capsys):
    assert "--repeats" in refused(call(capsys, "bench", "formulations", "--repeats", 0))
