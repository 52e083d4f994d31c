"""`python -m research bench integrators`: JSON output, and the page in docs/, which must equal the output of the command."""

import json
import re
from pathlib import Path

import pytest
from research_program import call

from research.benchmarks.integrator_list import METHODS, SHIPPED
from tests.end_to_end.program import refused

DOCS = Path(__file__).parents[2] / "docs" / "theory" / "integrators.md"


def numbers(page: str) -> list[float]:
    """All numbers in the tables of a page, in their order."""
    rows = "\n".join(line for line in page.splitlines() if line.startswith("|"))
    return [float(text) for text in re.findall(r"-?\d+(?:\.\d+)?(?:e-?\d+)?", rows)]


def test_one_object_and_the_page_of_the_documentation(tmp_path, capsys):
    page = tmp_path / "page.md"
    code, out, err = call(capsys, "bench", "integrators", "--json", "--markdown", page)
    assert (code, err) == (0, "")
    assert len(out.splitlines()) == 1
    cases = json.loads(out)["cases"]
    speeds = [(case["speed"], case["tread"]) for case in cases]
    assert speeds == [
        (0.0, "elastic"),
        (0.5, "elastic"),
        (0.5, "rigid"),
        (5.0, "elastic"),
        (5.0, "rigid"),
        (20.0, "elastic"),
        (20.0, "rigid"),
    ]
    for case in cases:
        own = [SHIPPED] if case["tread"] == "elastic" else []
        assert [method["name"] for method in case["methods"]] == [*METHODS, *own]
        for method in case["methods"]:
            assert len(method["factors"]) == len(case["modes"])
            assert method["radius"] == max(method["factors"])
            assert method["stable"] == (method["largest_step"] is None or method["largest_step"] > 1e-3)
    made, kept = page.read_text(encoding="utf-8"), DOCS.read_text(encoding="utf-8")
    assert [line for line in made.splitlines() if line.startswith("#")] == [line for line in kept.splitlines() if line.startswith("#")]
    assert numbers(made) == pytest.approx(numbers(kept), rel=0.01, abs=2e-4), "make the page again with the command in its first line"
    assert str(tmp_path) not in made


def test_options_of_the_other_table_are_refused(capsys):
    assert "--markdown" in refused(call(capsys, "bench", "--markdown", "page.md"))
    assert "nonsense" in refused(call(capsys, "bench", "nonsense"))


def test_a_page_that_cannot_be_written(tmp_path, capsys):
    assert "no_folder" in refused(call(capsys, "bench", "integrators", "--markdown", tmp_path / "no_folder" / "page.md"))
