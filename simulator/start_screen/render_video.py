"""Process that renders a video of a recorded drive: python -m simulator.start_screen.render_video FOLDER FILE CAMERA.

It prints the finished fraction as lines of JSON. The end of the standard input ends it without a file.
"""

from __future__ import annotations

import _thread
import sys
import threading
import time
from pathlib import Path

from simulator.base.errors import JounceError
from simulator.base.json_output import json_text

PERIOD = 0.2
"""s between two lines."""


class Progress:
    """Prints the progress of a rendering."""

    def __init__(self) -> None:
        self._printed = 0.0

    def __call__(self, done: float, of: float) -> None:
        """Print the finished fraction, if enough time has passed."""
        now = time.monotonic()
        if now - self._printed >= PERIOD:
            self._printed = now
            print(json_text({"fraction": done / of if of > 0.0 else 1.0}), flush=True)


def main(arguments: list[str]) -> int:
    """Return 0 after the file was written, 2 with one line on stderr after an error, 130 if the input has ended before."""
    folder, file, camera = arguments
    threading.Thread(target=_watch, daemon=True).start()
    try:
        from simulator.run.recording import Recording
        from simulator.run.video import VideoOptions, check_target, write_video

        options = VideoOptions(camera=camera)
        check_target(Path(file), options)
        write_video(Recording(Path(folder), _drop), Path(file), options, Progress(), _drop)
    except JounceError as error:
        sys.stderr.write(f"{error}\n")
        return 2
    except KeyboardInterrupt:
        return 130
    return 0


def _watch() -> None:
    """Interrupt the rendering when the standard input ends; runs in a thread."""
    for _ in sys.stdin:
        pass
    _thread.interrupt_main()


def _drop(_: str) -> None:
    """Drop a remark, because the page has no place for it."""


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
