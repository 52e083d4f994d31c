"""Frame of a view process: read the arguments and files, and report errors in one line."""

from __future__ import annotations

import signal
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from simulator.base.errors import JounceError
from simulator.view.drive_lock import HostWatch
from simulator.view.terrain_data import TerrainData


def run_child(arguments: list[str], usage: str, work: Callable[..., Any]) -> int:
    """Call work(block, keys, terrain, geometry, host, *rest) with the arguments of a view process; `host` is a `HostWatch`.

    When the host exits, is killed or crashes, this process ends about a second later, even if `work` hangs.

    Parameters
    ----------
    arguments : BLOCK KEYS TERRAIN.npz GEOMETRY.npz and the further arguments in `usage`, [OPTIONAL] ones in brackets
    usage : names of the arguments, for the message about a wrong number of arguments

    Returns
    -------
    0, or 2 with one line on stderr: wrong arguments, or a JounceError of `work`
    """
    words = usage.split()
    if not len(words) - usage.count("[") <= len(arguments) <= len(words):
        sys.stderr.write(f"usage: {usage}\n")
        return 2
    # Ctrl-C in the terminal ends the host, which then closes the block; then this process ends
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    block, keys, terrain, geometry, *rest = arguments
    try:
        host = HostWatch(Path(terrain).parent, leave=True)
        with np.load(Path(geometry)) as data:
            work(block, keys, TerrainData.load(Path(terrain)), dict(data), host, *rest)
    except JounceError as error:
        sys.stderr.write(f"{error}\n")
        return 2
    return 0
