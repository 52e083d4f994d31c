"""Do simulations, results and batches show themselves in a notebook, and does the example notebook run?"""

from __future__ import annotations

import base64
import json
import re
from pathlib import Path

import nbformat
import numpy as np
import pytest
from nbclient import NotebookClient

import jounce
from checks.site import Page, is_foreign
from simulator.api.batch import Batch, BatchRow

EXAMPLE = Path(__file__).parents[2] / "examples" / "notebook.ipynb"


@pytest.fixture(scope="module")
def sim():
    one = jounce.Simulation("sedan", "flat")
    one.command(throttle=0.5)
    one.advance(2.0)
    return one


def drive_of(page):
    return json.loads(re.search(r"^const drive = (.*);$", page, re.MULTILINE)[1])


def test_a_simulation_shows_its_present_values_and_a_plot(sim):
    shown = sim._repr_html_()
    assert f"<td>{sim['v_WB_B_x']:.4g}</td><td>m/s</td>" in shown
    assert re.search(r'src="data:image/png;base64,iVBOR', shown)
    assert "<img" not in jounce.Simulation("sedan", "flat", channels=["time"])._repr_html_()


def test_the_replay_has_the_states_of_the_log_and_loads_nothing(sim, tmp_path):
    replay = sim.replay(tmp_path / "replay.html")
    page = replay.file.read_text(encoding="utf-8")
    assert [address for address in Page(page).loaded if is_foreign(address)] == []
    drive = drive_of(page)
    numbers = np.frombuffer(base64.b64decode(drive["numbers"]), dtype="<f4").reshape(-1, len(drive["columns"]))
    assert len(numbers) == 50
    for k, name in enumerate(drive["columns"]):
        assert numbers[-1, k] == np.float32(sim.log[name][-1]), name
    assert {wheel["name"] for wheel in drive["scene"]["vehicle"]["wheels"]} == {"FL", "FR", "RL", "RR"}
    assert drive["has_platform"] and "platform_p_NP_z" in drive["columns"]
    modules = json.loads(re.search(r'<script type="importmap">(.*?)</script>', page)[1])["imports"]
    assert all(address.startswith("data:text/javascript;base64,") for address in modules.values())
    code = [base64.b64decode(address.partition(",")[2]).decode() for address in modules.values()] + [page]
    imported = {name for text in code for name in re.findall(r'(?:from|import) ?"([^"]+)"', text)}
    assert imported == set(modules)
    assert replay._repr_html_().count("<iframe") == 1 and "</script>" not in replay._repr_html_()


def test_a_replay_without_rows_or_columns_is_refused(tmp_path):
    few = jounce.Simulation("sedan", "flat", channels=["time"], platform=None)
    few.advance(0.1)
    with pytest.raises(jounce.JounceError, match="replay: no column roll"):
        few.replay(tmp_path / "replay.html")
    with pytest.raises(jounce.OutputError):
        none = jounce.Simulation("sedan", "flat", platform=None)
        none.advance(0.1)
        none.replay(tmp_path / "no_folder" / "replay.html")


def test_a_batch_is_a_table_of_its_cases():
    rows = [BatchRow({"name": "<b>"}, None, {"speed": 1.23456789}, "", None), BatchRow({"name": "c"}, None, {}, "no equilibrium", None)]
    shown = Batch(rows)._repr_html_()
    assert "<td>&lt;b&gt;</td>" in shown and "<td>1.235</td>" in shown and "<td>no equilibrium</td>" in shown


def test_progress_is_one_line_that_ends_once(sim, capsys):
    told = []
    sim.advance(0.3, progress=lambda done, total: told.append((done, total)))
    assert told == [(0.1, 0.3), (0.2, 0.3), (0.3, 0.3), (0.3, 0.3)]
    show = jounce.ProgressBar("batch")
    for done in (1, 2, 3, 3):
        show(done, 3)
    err = capsys.readouterr().err
    assert err.startswith("\rbatch [") and err.endswith("3 / 3\n") and err.count("\n") == 1
    with pytest.raises(jounce.ConfigError):
        sim.advance(0.1, progress="bar")


def test_the_example_notebook_runs(tmp_path):
    notebook = nbformat.read(EXAMPLE, as_version=4)
    assert all(not cell.get("outputs") for cell in notebook.cells), "the notebook is saved without outputs"
    NotebookClient(notebook, timeout=600, resources={"metadata": {"path": str(tmp_path)}}).execute()
    shown = [
        output.data["text/html"] for cell in notebook.cells for output in cell.get("outputs", ()) if "text/html" in output.get("data", {})
    ]
    assert len(shown) == 3
    assert "<iframe" in shown[1] and (tmp_path / "replay.html").stat().st_size > 1e5
    assert "avtp_lane_change" in shown[2]
