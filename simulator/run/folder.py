"""Folder of a run, removed again if the run does not begin."""

from __future__ import annotations

import contextlib
import os
import shutil
import traceback
from pathlib import Path

from simulator.base import cleanup
from simulator.telemetry.folder_lock import FolderLock
from simulator.telemetry.run_folder import run_folder


class RunFolder:
    """Creates the requested folder, or a new one under ``runs``.

    Until `began` is called, `abandon` or a forced exit removes the folder and the parent folders created for it. An existing folder is
    not removed. A folder has one owner at a time.

    Raises OutputError, also if another run uses the folder.
    """

    def __init__(self, requested: Path | None) -> None:
        parent = requested if requested is not None else Path("runs")
        missing = [folder for folder in (parent, *parent.parents) if not os.path.exists(folder)]
        with cleanup.defer_exit():
            self.path = run_folder(requested)
            self.lock = FolderLock(self.path)
            """Lock of the folder; the caller calls `release` after the last file."""
            self._new = requested is None or bool(missing)
            self._created_parents = missing if requested is None else missing[1:]
            self._unregister = cleanup.register_cleanup(self.abandon)
        self._has_begun = False

    def began(self) -> None:
        """Keep the folder from now on, because it contains results."""
        self._has_begun = True
        self._unregister()

    def abandon(self) -> None:
        """Remove the folder, unless the run has begun."""
        self._unregister()
        if self._has_begun:
            return
        self.release()
        if not self._new:
            return
        shutil.rmtree(self.path, ignore_errors=True)
        for folder in self._created_parents:
            with contextlib.suppress(OSError):
                folder.rmdir()

    def release(self) -> None:
        """Release the lock of the folder."""
        self.lock.release()

    def note_failure(self, error: BaseException) -> Path | None:
        """Append the traceback of an error to failure.txt; return the file, None if the disk refuses."""
        file = self.path / "failure.txt"
        try:
            with open(file, "a", encoding="utf-8") as out:
                out.write("".join(traceback.format_exception(error)) + "\n")
        except OSError:
            return None
        return file
