"""Compile the kernels that a wheel carries: `python -m research.prebuild_kernels` in the tree of which `make wheel` builds a wheel.

The commands below run with an empty cache and the generic processor level of `simulator.base.prebuilt_kernels`. Their kernels are added to
`simulator/_kernels`, where those of other versions of Python may be: the names of the files contain the version.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from simulator.base.prebuilt_kernels import CPU, FOLDER, VARIABLES

COMMANDS = (
    ("drive", "--no-view", "--duration", "1"),
    ("drive", "--no-view", "--duration", "1", "--vehicle", "sedan"),
    ("drive", "--no-view", "--duration", "1", "--terrain", "obstacles"),
    ("run", "avtp_lane_change", "--plots", "none"),
)
"""Commands whose kernels the wheel carries: the first drive, a vehicle with other suspensions, objects, and a maneuver."""


def prebuild(folder: Path) -> int:
    """Compile the kernels of all commands for this Python and add them to a folder; return its size in bytes. Raises CalledProcessError."""
    with tempfile.TemporaryDirectory() as work:
        environment = {**os.environ, **VARIABLES, "XDG_CACHE_HOME": work, "PYTHONPATH": str(folder.parents[1])}
        for command in COMMANDS:
            print(f"compiling for {CPU}: jounce {' '.join(command)}", flush=True)
            words = [sys.executable, "-m", "simulator", *command, "--out", str(Path(work) / "run")]
            subprocess.run(words, env=environment, stdout=subprocess.DEVNULL, check=True)
            shutil.rmtree(Path(work) / "run")
        shutil.copytree(Path(work) / "jounce" / "kernels", folder, dirs_exist_ok=True)
    for file in folder.iterdir():
        if file.is_file():  # claims of the compiling processes
            file.unlink()
    return sum(file.stat().st_size for file in folder.rglob("*") if file.is_file())


if __name__ == "__main__":
    print(f"{prebuild(FOLDER) / 1e6:.0f} MB of compiled kernels in {FOLDER}")
