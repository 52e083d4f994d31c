"""What every view process does around its own work: read what it was started with, and end with one line when that fails."""

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
    """Call work(block, keys, land, geometry, host, *rest) with the arguments of such a process; `host` is a `HostWatch`.

    When the host is gone, killed or crashed, this process ends about a second later, even if `work` hangs.

    Parameters
    ----------
    arguments : BLOCK KEYS LAND.npz GEOMETRY.npz and what `usage` names beyond, [OPTIONAL] ones in brackets
    usage : the arguments in words, for the complaint about a wrong number of them

    Returns
    -------
    0, or 2 with one line on stderr: wrong arguments, or a JounceError of `work`
    """
    words = usage.split()
    if not len(words) - usage.count("[") <= len(arguments) <= len(words):
        sys.stderr.write(f"usage: {usage}\n")
        return 2
    # Ctrl-C in the terminal ends the host, which then closes the block; the child follows
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    block, keys, land, geometry, *rest = arguments
    try:
        host = HostWatch(Path(land).parent, leave=True)
        with np.load(Path(geometry)) as data:
            work(block, keys, TerrainData.load(Path(land)), dict(data), host, *rest)
    except JounceError as error:
        sys.stderr.write(f"{error}\n")
        return 2
    return 0
