"""Is a kernel of a study compiled again after an edit of a study that its module imports, and no kernel of the step?"""

import os
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PROGRAM = """
from pathlib import Path
from simulator.base.jit import source_digest
print(*(source_digest(str(Path.cwd() / name)) for name in ("research/benchmarks/tree_trials.py", "vehicles/step.py")))
"""


def digests(folder: Path) -> list[str]:
    variables = {**os.environ, "PYTHONPATH": str(folder)}
    return subprocess.run(
        [sys.executable, "-c", PROGRAM], cwd=folder, env=variables, check=True, capture_output=True, text=True
    ).stdout.split()


def test_an_edited_study_changes_the_digest_of_the_study_that_imports_it(tmp_path: Path) -> None:
    for name in ("simulator", "vehicles", "terrain", "washout", "research"):
        shutil.copytree(ROOT / name, tmp_path / name, ignore=shutil.ignore_patterns("__pycache__", "_kernels"))
    study, step = digests(tmp_path)
    with (tmp_path / "research" / "benchmarks" / "wheel_load_cases.py").open("a", encoding="utf-8") as file:
        file.write("# edited\n")
    edited, same = digests(tmp_path)
    assert edited != study and same == step
