"""The view process: python -m simulator.view BLOCK KEYS LAND.npz GEOMETRY.npz [TITLE]; started by simulator.view.launch."""

from __future__ import annotations

import signal
import sys
from pathlib import Path

import numpy as np

from simulator.base.errors import JounceError
from simulator.view.land import Land
from simulator.view.window import run_window


def main(arguments: list[str]) -> int:
    """Exit code 0 when the window was closed or the host left, 2 with one line on stderr when it could not be opened."""
    if len(arguments) not in (4, 5):
        sys.stderr.write("usage: python -m simulator.view BLOCK KEYS LAND.npz GEOMETRY.npz [TITLE]\n")
        return 2
    # Ctrl-C in the terminal ends the host, which then closes the block; the window follows
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    block, keys, land, geometry, *title = arguments
    try:
        with np.load(Path(geometry)) as data:
            run_window(block, keys, Land.load(Path(land)), dict(data), *title)
    except JounceError as error:
        sys.stderr.write(f"{error}\n")
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
