"""Process of the sound. Standard input: a line with the setup; its end ends the process. Standard output: one line with the device or an error."""

from __future__ import annotations

import gc
import json
import os
import sys

import numpy as np

from simulator.base.errors import JounceError
from simulator.base.json_output import json_text
from simulator.base.records import dtype_of, record
from simulator.clock import take_real_time_priority
from simulator.sound.player import Player
from simulator.sound.sound_block import SoundBlock
from simulator.sound.sound_input import SOUND_INPUT
from simulator.sound.synthesizer import Synthesizer
from vehicles.sound_section import VEHICLE_SOUND

PRIORITY = 20
"""Real-time priority, below that of the drive: a block takes 0.3 ms of 10 ms."""


def main() -> int:
    """Play the sound of a drive; return an exit code."""
    out = os.dup(sys.stdout.fileno())
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())  # what a library prints must not reach the drive
    setup = json.loads(sys.stdin.buffer.readline())
    try:
        block = SoundBlock(setup["block"])
        vehicle = np.frombuffer(bytes.fromhex(setup["vehicle"]), dtype_of(VEHICLE_SOUND)).copy()
        Synthesizer(vehicle).block(record(SOUND_INPUT))  # compiles or loads the kernels
        take_real_time_priority(PRIORITY)
        player = Player(Synthesizer(vehicle), block, setup["device"])
        gc.collect()
        gc.freeze()
        gc.disable()
        player.start()
    except JounceError as error:
        _tell(out, {"error": str(error)})
        return 1
    except Exception as error:
        _tell(out, {"error": f"{type(error).__name__}: {error}"[:500]})
        raise
    _tell(out, {"device": player.name})
    sys.stdin.buffer.read()
    player.close()
    return 0


def _tell(out: int, message: dict[str, str]) -> None:
    os.write(out, (json_text(message) + "\n").encode())


if __name__ == "__main__":
    code = main()
    sys.stdout.flush()
    os._exit(code)
