"""View process: python -m simulator.view BLOCK KEYS TERRAIN.npz GEOMETRY.npz [TITLE] [CAMERA]; started by simulator.view.launch."""

from __future__ import annotations

import sys

from simulator.view.view_process import run_child
from simulator.view.window import run_window


def main(arguments: list[str]) -> int:
    """Return exit code 0 when the window was closed or the host left, 2 with one line on stderr when the window cannot be opened."""
    return run_child(arguments, "BLOCK KEYS TERRAIN.npz GEOMETRY.npz [TITLE] [CAMERA]", run_window)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
