"""Do the examples run from any folder, and write the files named in their first lines?"""

from __future__ import annotations

import re
import runpy
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parents[2] / "examples"
SCRIPTS = sorted(EXAMPLES.glob("[0-9]*.py"))


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda script: script.stem)
def test_an_example_runs(script, tmp_path, monkeypatch, capfd):
    monkeypatch.chdir(tmp_path)
    runpy.run_path(str(script), run_name="__main__")
    out, err = capfd.readouterr()
    assert out.strip(), "it says something"
    assert not err
    promised = re.findall(rf"{script.stem}\w*\.(?:png|parquet)", script.read_text(encoding="utf-8").split('"""')[1])
    assert promised
    for name in promised:
        assert (tmp_path / name).stat().st_size > 1000, name


def test_every_example_begins_with_what_it_shows_and_is_listed():
    page = (EXAMPLES.parent / "docs/library.md").read_text(encoding="utf-8")
    assert [script.name[:2] for script in SCRIPTS] == [f"{n:02d}" for n in range(1, len(SCRIPTS) + 1)]
    for script in SCRIPTS:
        assert script.read_text(encoding="utf-8").startswith('"""')
        assert script.name in page
