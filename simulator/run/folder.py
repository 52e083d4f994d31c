"""The folder of a run, which vanishes again when nothing came of the run."""

from __future__ import annotations

import contextlib
import os
import shutil
import traceback
from pathlib import Path

from simulator.base import cleanup
from simulator.telemetry.atomic_files import run_folder
from simulator.telemetry.folder_lock import FolderLock


class RunFolder:
    """The folder asked for, or a new one under ``runs``; made here.

    Until `began` is called it is taken away again, with the folders above that were made for it, by `abandon` or when the program
    leaves at once. A folder that was there before stays. It has one owner at a time.

    Raises OutputError, also when another run writes there.
    """

    def __init__(self, wanted: Path | None) -> None:
        above = wanted if wanted is not None else Path("runs")
        missing = [folder for folder in (above, *above.parents) if not os.path.exists(folder)]
        with cleanup.defer_exit():
            self.path = run_folder(wanted)
            self.lock = FolderLock(self.path)
            """Nobody else writes there; to be given up by `release`, after the last file."""
            self._new = wanted is None or bool(missing)
            self._made_above = missing if wanted is None else missing[1:]
            self._forget = cleanup.register_cleanup(self.abandon)
        self._kept = False

    def began(self) -> None:
        """From now on there is something in it that is worth keeping."""
        self._kept = True
        self._forget()

    def abandon(self) -> None:
        """Take it away, unless the run has begun."""
        self._forget()
        if self._kept:
            return
        self.release()
        if not self._new:
            return
        shutil.rmtree(self.path, ignore_errors=True)
        for folder in self._made_above:
            with contextlib.suppress(OSError):
                folder.rmdir()

    def release(self) -> None:
        """Others may write there from now on."""
        self.lock.release()

    def note_failure(self, error: BaseException) -> Path | None:
        """Add where an error came from to failure.txt, for a report; None when the disk refuses."""
        file = self.path / "failure.txt"
        try:
            with open(file, "a", encoding="utf-8") as out:
                out.write("".join(traceback.format_exception(error)) + "\n")
        except OSError:
            return None
        return file
