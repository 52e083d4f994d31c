"""Does Jounce find its own packages if the folder of a program has folders or files of their names?"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PROGRAM = """
import jounce
from jounce.vehicles.vehicle import Vehicle
import jounce.terrain.ground, jounce.washout, terrain.ground, vehicles.vehicle
import jounce.simulator
assert jounce.terrain.ground is terrain.ground and Vehicle is vehicles.vehicle.Vehicle is jounce.Vehicle
assert terrain.ground.__spec__.name == "terrain.ground" and jounce.simulator.JounceError is jounce.JounceError
print("found")
"""


def run(folder: Path, *arguments: str) -> tuple[int, str, str]:
    """Run Python in a folder, which is first on the path."""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(folder), str(ROOT)])}
    done = subprocess.run(
        [sys.executable, *arguments], cwd=folder, env=environment, capture_output=True, text=True, check=False, timeout=300
    )
    return done.returncode, done.stdout, done.stderr


@pytest.fixture(params=["folders", "files"])
def folder(request, tmp_path):
    for name in ("simulator", "vehicles", "terrain", "washout"):
        text = "raise RuntimeError('another package')\n"
        if request.param == "folders":
            (tmp_path / name).mkdir()
        (tmp_path / name / "__init__.py" if request.param == "folders" else tmp_path / f"{name}.py").write_text(text)
    return tmp_path


def test_import_and_command(folder):
    (folder / "program.py").write_text(PROGRAM)
    assert run(folder, "program.py") == (0, "found\n", "")
    assert run(folder, "-c", "import jounce; jounce.main()", "--version")[0] == 0
    assert run(folder, "-m", "jounce", "--version")[1].startswith("jounce ")


def test_processes_of_a_batch(folder):
    program = "import jounce\nprint(jounce.run_batch(['nosuch'], 1)[0].failure)\n"
    code, out, err = run(folder, "-c", program)
    assert code == 0 and "nosuch" in out and "another package" not in out + err


def test_another_module_of_a_name_is_reported(tmp_path):
    (tmp_path / "terrain.py").write_text("")
    code, _, err = run(tmp_path, "-c", "import terrain, jounce")
    assert code == 1
    assert "terrain.py: has the name of a package of Jounce; hint: import jounce before it, or rename it" in err
